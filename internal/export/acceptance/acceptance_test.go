package acceptance

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"frechet"
	"frechet/internal/corpus"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runs says by target what a machine must have to run it.
var runs = map[string]func() bool{
	"numpy": func() bool { return exec.Command(Python("numpy"), "-c", "import numpy").Run() == nil },
	"c": func() bool {
		_, err := exec.LookPath("gcc")
		return err == nil && exec.Command(Python("numpy"), "-c", "import numpy").Run() == nil
	},
	"go":    func() bool { return true },
	"julia": parsers, "matlab": parsers,
	"sql": func() bool { return exec.Command(Python("sqlite"), "-c", "import sqlite3, numpy").Run() == nil },
}

func parsers() bool { return exec.Command(Python("parsers"), "-c", "import tree_sitter").Run() == nil }

// TestSample exports one in some programs of the corpora; the command beside it takes all, and all targets.
func TestSample(t *testing.T) {
	t.Chdir("../../..")
	cases, err := Cases(".", 19)
	require.NoError(t, err)
	require.Greater(t, len(cases), 50)
	for target, there := range runs {
		t.Run(target, func(t *testing.T) {
			if !there() {
				t.Skip("NOT RUN: the interpreter or compiler is not installed")
			}
			outcomes, err := Run(target, cases)
			require.NoError(t, err)
			passed, refused := 0, 0
			for _, o := range outcomes {
				switch {
				case o.Verdict == "passed" || o.Verdict == "parsed" && (target == "julia" || target == "matlab"):
					passed++
				case o.Verdict == "refused" && (target == "sql" || strings.Contains(o.Why, "polygamma")):
					refused++ // SQL has no factorisations, and no erf
				default:
					t.Errorf("%s %s: %s", o.Case, o.Verdict, o.Why)
				}
			}
			require.Less(t, refused, len(cases)/4)
			require.Greater(t, passed, len(cases)/2)
		})
	}
}

// arrayPrograms pick, scatter, and do what is neither.
var arrayPrograms = []string{
	"declare X[n,k] i[m] index(n) j[m] index(k) y[m] t[3] index(m) expression norm2(X[i, :])^2 + sum(X[:, j]) + (y - X[i, j])'*y + y[t]'*y[t] gradient wrt X, y",
	"declare U[m,f] V[n,f] i[e] index(m) j[e] index(n) r[e] expression norm2(r - sum(U[i, :] .* V[j, :], axis=1))^2 hessian wrt U",
	"declare X[n,k] i[m] index(n) expression sum(exp(X[i[1:], :])) + sum(X[i[::-1], :]) gradient wrt X",
	"declare Y[m,k] i[m] index(n) W[k,k] expression scatter(Y*W, i) derivative wrt Y",
	"declare Y[m,k] i[m] index(p) j[m] index(q) y[m] expression sum(sin(scatter(y, i, j))) + sum(scatter(Y, i)) gradient wrt y",
	"declare Z[m,n] i[m] index(n) expression -sum(onehot(i) .* log(softmax(Z, axis=1))) gradient wrt Z",
	"declare i[m] index(n) x[n] expression sum(onehot(i), axis=0) + x derivative wrt x",
	"declare i[m] index(n) s[] expression onehot(i)*s derivative wrt s",
	"declare X[n,n] i[m] index(n) j[p] index(n) expression X[i, :][:, j] derivative wrt X",
	"declare X[n,n] i[m] index(n) expression sum(X[i, i]) + norm2(X[i, :][:, i])^2 hessian wrt X",
	"declare X[n,k,n] i[m] index(n) expression X[i, :, i] derivative wrt X",
	"declare x[n] s[2,m] index(n) expression sum(exp(x[s])) hessian wrt x",
	"declare x[n] i[m] index(n) t[p] index(m) expression sum(x[i[t]]^3) + sum(sqrt(x[i])) gradient wrt x",
}

// recurrences have states that are vectors, numbers and matrices, slices and constants, zero steps, and one inside another.
var recurrences = []string{
	"declare W[n,n] U[n,k] X[T,k] h0[n] y[T,n] expression norm2((scan(t: T, h = h0) tanh(W*h + U*X[t,:])) - y)^2 gradient wrt W, h0",
	"declare x0[] v[] k[] dt[] y[n] expression norm2((scan(t: n, x = x0) x + dt*k*x*(1 - x/v)) - y)^2 hessian wrt k",
	"declare A[k,k] p[k] B[T,k] expression logsumexp(iterate(t: T, f = p) B[t,:] + logsumexp(A + f, axis=0)) gradient wrt B",
	"declare C[m,n] a[m] b[n] let K = exp(-C) expression sum(iterate(t: L, u = ones(m)) a ./ (K*(b ./ (K'*u)))) gradient wrt a",
	"declare M[n,n] x[n] expression (iterate(t: T, S = eye(n)) S*M)*x + (iterate(t: T, reverse, h = x) sin(h)) derivative wrt x",
	"declare a[] x[T] expression iterate(t: T, h = a) h + (iterate(s: 3, g = h) sin(g*x[t])) derivative wrt a",
	"declare E[v,n] i[T] index(v) h0[n] expression sum(iterate(t: T, h = h0) tanh(h + E[i, :][t, :])) gradient wrt E",
}

// implicit functions of a number, vectors and matrices, one in a step and one in another.
var implicit = []string{
	"declare X[m,n] y[m] c[n] l[] expression c'*(argmin(w = 0[n]) norm2(X*w - y)^2 + exp(l)*norm2(w)^2) hessian wrt l",
	"declare W[n,n] U[n,k] x[k] y[n] expression norm2((fixpoint(h = 0[n]) tanh(0.2*W*h/norm2(W) + U*x)) - y)^2 gradient wrt W, x",
	"declare a[] expression root(x = 1) x^3 + x - a hessian wrt a",
	"declare A[n,n] Q[n,n] expression fixpoint(X = 0[n,n]) 0.3*tanh(A)*X/norm2(A) + Q derivative wrt Q",
	"declare a[] x[T] expression iterate(t: T, h = a) root(u = 0) u + sinh(u) - (fixpoint(v = h) 0.5*cos(v + x[t])) derivative wrt a",
}

// TestArrays: the targets that have arrays of whole numbers, recurrences and implicit functions agree with frechet, at sizes 0 and 1, too;
// the others refuse them.
func TestArrays(t *testing.T) {
	var cases []*Case
	for _, text := range slices.Concat(arrayPrograms, recurrences, implicit) {
		c := newCase("", corpus.Program{ID: text, Text: text})
		require.NotNil(t, c, text)
		require.NotEmpty(t, c.Points, text)
		cases = append(cases, c)
	}
	for _, target := range frechet.Targets() {
		t.Run(target, func(t *testing.T) {
			want := "refused"
			switch target {
			case "numpy", "torch", "jax":
				want = "passed"
				if out, err := exec.Command(Python(target), "-c", "import numpy, "+target).CombinedOutput(); err != nil {
					t.Skipf("NOT RUN: %v: %s", err, out)
				}
			}
			for _, c := range cases {
				_, refused := c.printed(target, "exported")
				require.Equal(t, want == "refused", refused != nil && refused.Verdict == "refused", "%v", refused)
			}
			if want == "refused" {
				return
			}
			some := cases
			if target == "jax" { // which compiles for a second at each point
				c := cases[len(cases)-1]
				some = []*Case{{c.ID, c.Func, c.Reply, c.Points[:1]}}
			}
			outcomes, err := Run(target, some)
			require.NoError(t, err)
			for _, o := range outcomes {
				assert.Equal(t, want, o.Verdict, "%s: %s", o.Case, o.Why)
			}
		})
	}
}

// TestCompareFails: a wrong entry is seen.
func TestCompareFails(t *testing.T) {
	t.Chdir("../../..")
	cases, err := Cases(".", 97)
	require.NoError(t, err)
	p := &cases[0].Points[0]
	require.Empty(t, p.compare(p.Want))
	got := p.Want[0].Clone()
	got.Data[0] += 1e-6
	require.NotEmpty(t, p.compare(append(p.Want[:0:0], got)))
}
