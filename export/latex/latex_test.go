package latex

import (
	"strings"
	"testing"
	"time"

	"frechet/internal/processor"
	"frechet/syntax"

	"github.com/stretchr/testify/require"
)

func TestProgram(t *testing.T) {
	const declare = "declare X[m,n] A[n,n] B[n,n] w[n] y[m] v[n] lam[] x1[n] "
	for _, c := range []struct{ src, want string }{
		{"expression X'*(X*w - y) + lam*w", `& X^{\top} (X w - y) + \lambda w`},
		{"expression f = X *(ji,j->i) (X *(ij,j->i) w - y)", `f_{i} &= \sum_{j} X_{ji} \left(\sum_{k} X_{jk} w_{k} - y_{j}\right)`},
		{"expression H = -inv(A) *(ik,lj->ijkl) inv(A)", `H_{ijkl} &= -\left(A^{-1}\right)_{ik} \left(A^{-1}\right)_{lj}`},
		{"expression inv(A)'", `& A^{-\top}`},
		{"expression (w - v)/norm2(w - v)", `& \frac{w - v}{\lVert w - v \rVert_{2}}`},
		{"expression diag(w .* v)*A", `& \operatorname{diag}(w \odot v) A`},
		{"expression 1 ./ (1 + exp(-w))", `& 1 \oslash (1 + \exp(-w))`},
		{"expression A .^ 2 + eye(n)", `& A^{\odot 2} + I_{n}`},
		{"let p = sigmoid(X*w) expression X'*diag(p .* (1 - p))*X", `& X^{\top} \operatorname{diag}(p \odot (1 - p)) X \\
\text{where}\quad p &= \sigma(X w)`},
		{"let u = exp(X *(ij,j->i) w) expression f = u *(i->) + sum(A) ", `f &= \sum_{i} u_{i} + \sum_{j,k} A_{jk} \\
\text{where}\quad u_{i} &= \exp\left(\sum_{j} X_{ij} w_{j}\right)`},
		{"expression delta[n] *(ik,lj->ijkl) A", `T_{ijkl} &= \delta_{ik} A_{lj}`},
		{"expression w *(i->ii)", `T_{ij} &= \delta_{ij} w_{i}`},
		{"expression logsumexp(A, axis=1) + x1", `T_{i} &= \log \sum_{k} \exp(A_{ik}) + {x_{1}}_{i}`},
		{"expression (w > 0) *(i,i->i) v", `T_{i} &= \left[w_{i} > 0\right] v_{i}`},
		{"expression diag(w)*sum(A .* A, axis=1)*v'", `T_{ij} &= \left(w_{i} \sum_{l} A_{il} A_{il}\right) v_{j}`},
		{"expression diag(w)*softmax(A, axis=1)", `T_{ij} &= w_{i} \operatorname{softmax}_{j}(A_{ij})`},
		{"expression logaddexp(1, softmax(A, axis=0))", `T_{ij} &= \operatorname{logaddexp}(1,\operatorname{softmax}_{i}(A_{ij}))`},
		{"expression kron(A, X *(ki,kj->ij) X)", `T_{ij} &= \left(A \otimes \left[\sum_{m} X_{mk} X_{ml}\right]_{kl}\right)_{ij}`},
		{"expression x1'*v", `& {x_{1}}^{\top} v`},
		{"expression (2/3)*w", `& \frac{2}{3} w`},
	} {
		file, err := syntax.Parse(declare+c.src, syntax.Limits{})
		require.NoError(t, err, c.src)
		got, err := Program(nil, file.Stmts, nil, nil)
		require.NoError(t, err, c.src)
		got = strings.TrimSuffix(strings.TrimPrefix(got, "\\begin{align*}\n"), "\n\\end{align*}\n")
		require.Equal(t, c.want, got, c.src)
		require.Equal(t, strings.Count(got, "{"), strings.Count(got, "}"))
		require.Equal(t, strings.Count(got, `\left`), strings.Count(got, `\right`))
	}
}

// The notation of a function has a place for each of its arguments, however many it takes.
func TestNotationsHaveAllArguments(t *testing.T) {
	for _, name := range syntax.Functions() {
		f, _ := syntax.LookupFunction(name)
		for n := max(f.Min, 1); n <= min(f.Max, 4); n++ {
			require.Equal(t, n, strings.Count(notation(name, n), "#"), "%s of %d", name, n)
		}
	}
	args := []text{{"x", levelFactor}, {"y", levelFactor}}
	require.Equal(t, `\max(x)`, function("max", args[:1]...).s)
	require.Equal(t, `\max(x,y)`, function("max", args...).s)
}

// Sums and products of many terms, and deep terms, take time linear in their length.
func TestWideProgram(t *testing.T) {
	const n = 10_000
	begin := processor.Time()
	for _, e := range []string{
		strings.Repeat("relu(x - 1) + ", 2*n) + "x",
		strings.Repeat("relu(x) .* ", n/4) + "x",
		strings.Repeat("sin(", n/4) + "x" + strings.Repeat(")", n/4),
	} {
		file, err := syntax.Parse("declare x[n] expression "+e, syntax.Limits{})
		require.NoError(t, err)
		_, err = Program(nil, file.Stmts, nil, nil)
		require.NoError(t, err)
	}
	require.Less(t, processor.Time()-begin, 6*time.Second)
}

func TestDerivative(t *testing.T) {
	for _, c := range []struct {
		wrt    string
		scalar bool
		want   string
	}{
		{"x", true, `\nabla_x f`}, {"x x", true, `\nabla^2_x f`}, {"x y", true, `\nabla^2_{x y} f`}, {"lam", true, `\nabla_{\lambda} f`}, {"x x y", true, `\nabla^3_{x x y} f`},
		{"x", false, `\frac{\partial f}{\partial x}`}, {"x1 w", false, `\frac{\partial^2 f}{\partial {x_{1}} \partial w}`},
	} {
		require.Equal(t, c.want, Derivative("f", strings.Fields(c.wrt), c.scalar))
	}
}
