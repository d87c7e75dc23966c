package plans_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/combinators"
	"frechet/internal/golden"
	"frechet/internal/query"
)

var updateStructures = flag.Bool("update-structures", false, "rewrite the expected output in testdata/structure")

// TestStructures plans the programs of testdata/structure/*.txtar. The comment of an archive
// says of what, by which variable, and which sizes; the plan with symbols and the structure
// with numbers are sections that -update-structures rewrites.
func TestStructures(t *testing.T) {
	golden.Run(t, "../../testdata/structure/*.txtar", *updateStructures, func(t *testing.T, ar *golden.Archive) {
		var of string
		var q frechet.Query
		sizes := frechet.Sizes{}
		for line := range strings.Lines(string(ar.Comment)) {
			word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch word {
			case "of":
				of = rest
			case "wrt":
				q.Wrt = strings.Split(rest, ",")
			case "size":
				for _, s := range strings.Split(rest, ",") {
					name, number, _ := strings.Cut(s, "=")
					var n int64
					_, err := fmt.Sscan(number, &n)
					require.NoError(t, err)
					sizes[name] = n
				}
			}
		}
		src := ar.Section("program")
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		p, err := f.Plan(context.Background(), of, q, nil)
		require.NoError(t, err)
		f, err = frechet.Parse(src, frechet.WithSizes(sizes))
		require.NoError(t, err)
		numbers, err := f.Plan(context.Background(), of, q, nil)
		require.NoError(t, err)
		for name, text := range map[string]string{"plan": p.String(), "numbers": numbers.Results[0].Structure.String()} {
			ar.Check(name, text)
		}
	})
}

// The steps of a plan are a program: written as lets, they give the same numbers.
func TestPlansCompute(t *testing.T) {
	for _, c := range []struct{ decl, expr, of, wrt string }{
		{"X[m,n] y[m] w[n]", "sum(log(exp(-y .* (X*w)) + 1))", "hessian", "w"},
		{"X[m,n] y[m] w[n]", "sum(exp(X*w)) - y'*(X*w)", "gradient", "w"},
		{"T[m,n] U[m,k] V[n,k]", "norm2(T - U*V')^2", "hessian", "U"},
		{"T[m,n] O[m,n] U[m,k] V[n,k]", "sum(O .* (T - U*V').^2)", "hessian", "U"},
		{"A[n,p] B[q,n] x[p]", "B*tanh(exp(A*x))", "jacobian", "x"},
		{"T[m,n,p] A[m,r] B[n,r] C[p,r]", "norm2(T - einsum(ir,jr,kr->ijk; A, B, C))^2", "hessian", "A"},
		{"G[a,b,c] A[m,a] B[n,b] C[p,c] T[m,n,p]", "norm2(T - einsum(abc,ia,jb,kc->ijk; G, A, B, C))^2", "hessian", "B"},
		{"G[a,b,c] A[m,a] B[n,b] C[p,c] T[m,n,p]", "norm2(T - einsum(abc,ia,jb,kc->ijk; G, A, B, C))^2", "gradient", "G"},
		{"x[n]", "norm2(x)^4", "hessian", "x"},
		{"X[n,n]", "logdet(X*X' + X)", "gradient", "X"},
		{"a[n] b[m] x[n]", "b * sin(a'*x)", "jacobian", "x"},
		{"X[m,n] W[n,k] T[m,k]", "sum(logsumexp(X*W, axis=1)) - sum(T .* (X*W))", "hessian", "W"},
		{"x[n] t[n] V[n,n] W[n,n] U[n,n]", "logsumexp(U*relu(V*relu(W*x))) - t'*U*relu(V*relu(W*x))", "hessian", "W"},
		{"X[m,n] w[n]", "max(X*w) * sum(max(X, axis=1))", "gradient", "X"},
		{"A[n,n] x[n]", "x'*A*A*A*x * tr(A)", "hessian", "x"},
	} {
		src := "declare " + c.decl + "\nexpression " + c.expr
		sizes := frechet.Sizes{}
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		for i, s := range f.Symbols() {
			sizes[s] = int64(2 + i)
		}
		f, err = frechet.Parse(src, frechet.WithSizes(sizes))
		require.NoError(t, err)
		q := frechet.Query{Wrt: []string{c.wrt}}
		p, err := f.Plan(context.Background(), c.of, q, nil)
		require.NoError(t, err)
		env, err := f.RandomEnv(context.Background(), nil, 1)
		require.NoError(t, err)

		var b strings.Builder
		b.WriteString("declare " + c.decl + "\n")
		for _, s := range p.Steps {
			fmt.Fprintf(&b, "let %s = %s\n", s.Name, s.Text)
		}
		b.WriteString("expression " + p.Results[0].Name)
		g, err := frechet.Parse(b.String(), frechet.WithSizes(sizes))
		require.NoError(t, err, b.String())
		got, err := query.Of(g.Value()).Run(context.Background(), []*combinators.Node{query.Of(g.Value()).Outputs[0].Node}, env, nil)
		require.NoError(t, err, b.String())

		q.Order = map[string]int{"gradient": 1, "jacobian": 1, "hessian": 2}[c.of]
		r, err := f.Derive(context.Background(), q)
		require.NoError(t, err)
		want, err := query.Of(f.Value()).Run(context.Background(), []*combinators.Node{query.Node(r.Outputs[0].Derivs[q.Order-1].Term)}, env, nil)
		require.NoError(t, err)
		near(t, c.expr, want[0].Data, got[0].Data, want[0].Data)
	}
}
