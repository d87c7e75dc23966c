package plans_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/combinators"
	"frechet/eval"
	"frechet/eval/plan"
	"frechet/internal/golden"
	"frechet/internal/programs"
	"frechet/internal/query"
)

// counted plans a program with the given sizes.
func counted(t *testing.T, src, of, wrt string, sizes frechet.Sizes) *frechet.Plan {
	t.Helper()
	f, err := frechet.Parse(src)
	require.NoError(t, err)
	q := frechet.Query{}
	if wrt != "" {
		q.Wrt = []string{wrt}
	}
	p, err := f.Plan(context.Background(), of, q, sizes)
	require.NoError(t, err)
	return p
}

func number(t *testing.T, c frechet.Count) int64 {
	t.Helper()
	n, ok := c.Number()
	require.True(t, ok, "%s", c)
	return n
}

// The Hessian of logistic regression takes no more than by hand: X w, then X' diag(v) X with
// the diagonal multiplied in first, and a few products of vectors.
func TestCountLogistic(t *testing.T) {
	for _, s := range [][2]int64{{1000, 50}, {50, 1000}, {30, 30}} {
		m, n := s[0], s[1]
		p := counted(t, "declare X[m,n] y[m] w[n] expression sum(log(exp(-y .* (X*w)) + 1))", "hessian", "w", frechet.Sizes{"m": m, "n": n})
		require.LessOrEqual(t, number(t, p.Total.Multiplications), m*n+m*n+m*n*n+5*m)
		p = counted(t, "declare X[m,n] y[m] w[n] v[n] expression sum(log(exp(-y .* (X*w)) + 1)) hvp wrt w along v", "hvp", "", frechet.Sizes{"m": m, "n": n})
		require.LessOrEqual(t, number(t, p.Linear.Multiplications), 2*m*n+5*m)
	}
}

// The Jacobian of B*g(h(A*x)) is B diag(u) diag(v) A: the two vectors are multiplied first,
// then the smaller matrix by them, then the matrices. The count of g' and h' comes on top.
func TestCountTwoLayers(t *testing.T) {
	for _, s := range [][3]int64{{100, 80, 60}, {40, 200, 10}, {40, 10, 200}} {
		n, p, q := s[0], s[1], s[2]
		plan := counted(t, "declare A[n,p] B[q,n] x[p] expression B*sin(exp(A*x))", "jacobian", "x", frechet.Sizes{"n": n, "p": p, "q": q})
		require.LessOrEqual(t, number(t, plan.Total.Multiplications), n*p+n+n*min(p, q)+n*p*q)
	}
	// at the direction v, no matrices are multiplied at all
	plan := counted(t, "declare A[n,p] B[q,n] x[p] v[p] expression B*sin(exp(A*x)) jvp wrt x along v", "jvp", "", nil)
	require.Equal(t, "n*p + n*q + 2*n", plan.Linear.Multiplications.String())
}

// The compressed Hessian of matrix factorisation takes O(n k^2), whatever the full tensor is.
func TestCountFactorisation(t *testing.T) {
	p := counted(t, "declare T[m,n] U[m,k] V[n,k] expression norm2(T - U*V')^2", "hessian", "U", nil)
	s := p.Results[0].Structure
	require.Equal(t, "k^2*n", s.Cost.Multiplications.String())
	require.Equal(t, "8*k^2", s.Cost.Bytes.String())
	require.Equal(t, "H[i,j,k,l] = 2 * F1[j,l] * delta[i,k]", s.Text)
	require.Equal(t, "8*k^2*m^2", s.Full.Bytes.String())
	p = counted(t, "declare T[m,n] U[m,k] V[n,k] P[m,k] expression norm2(T - U*V')^2 hvp wrt U along P", "hvp", "", frechet.Sizes{"m": 1000, "n": 1000, "k": 10})
	require.LessOrEqual(t, number(t, p.Total.Multiplications), int64(2*1000*10*10+2*1000*10))
}

// The factors of a net's Hessian take O(layers * n^3), and none of their steps writes a
// tensor of more than two axes.
func TestCountNetwork(t *testing.T) {
	const n = 50
	for _, layers := range []int{3, 6, 10, 20, 40} {
		p := counted(t, programs.Network(layers), "hessian", "W1", frechet.Sizes{"n": n})
		s := p.Results[0].Structure
		require.LessOrEqual(t, number(t, s.Cost.Multiplications), int64((layers-1)*n*n*n+8*layers*n*n))
		for _, step := range s.Steps {
			require.LessOrEqual(t, len(step.Shape), 2, "%s = %s", step.Name, step.Text)
		}
		require.LessOrEqual(t, number(t, s.Cost.Bytes), int64(8*(n*n+3*n)))
	}
}

// Both chains of a net's Hessian share their matrices: a net of some layers takes as many matrix
// products less one, in the plan and in the program that runs, and the numbers stay what they are.
func TestNetworkShares(t *testing.T) {
	const n = 12
	for _, layers := range []int{2, 3, 6, 10, 16} {
		p := counted(t, programs.Network(layers), "hessian", "W1", frechet.Sizes{"n": n})
		cubic := 0
		for _, s := range p.Results[0].Structure.Steps {
			if number(t, s.Cost.Multiplications) == n*n*n {
				cubic++
			}
		}
		require.Equal(t, layers-1, cubic, "%d layers", layers)

		factors := func(n int64) ([]*combinators.Node, eval.Env) {
			f, err := frechet.Parse(programs.Network(layers), frechet.WithSizes(frechet.Sizes{"n": n}))
			require.NoError(t, err)
			m, err := f.HessianMap("W1")
			require.NoError(t, err)
			terms, err := m.Terms()
			require.NoError(t, err)
			require.Len(t, terms, 1)
			var nodes []*combinators.Node
			for _, x := range terms[0].Factors {
				nodes = append(nodes, query.Node(x.Term))
			}
			env, err := f.RandomEnv(context.Background(), nil, 1)
			require.NoError(t, err)
			return nodes, eval.Env(env)
		}
		nodes, env := factors(n)
		shapes := map[string][]int{}
		for name, x := range env {
			shapes[name] = x.Shape
		}
		c, err := eval.Compile(nodes, shapes)
		require.NoError(t, err)
		products := 0
		for _, s := range c.Plan().Steps {
			if s.V != nil && s.V.Kind == plan.KindGemm && !s.V.Gemm.Vector {
				products++
			}
		}
		require.Equal(t, layers-1, products, "%d layers:\n%s", layers, c.Plan())

		nodes, env = factors(2) // the definition of a long product visits 2^layers points
		got, err := eval.Run(context.Background(), nodes, env)
		require.NoError(t, err)
		want, err := eval.Reference(context.Background(), nodes, env, nil)
		require.NoError(t, err)
		for i := range want {
			near(t, "factor", want[i].Data, got[i].Data, want[i].Data)
		}
	}
}

// The derivative of b*sin(a'x) along v is b times a number.
func TestCountRankOne(t *testing.T) {
	p := counted(t, "declare a[n] b[m] x[n] v[n] expression b * sin(a'*x) jvp wrt x along v", "jvp", "", nil)
	require.Equal(t, "m + n + 1", p.Linear.Multiplications.String())
	p = counted(t, "declare a[n] b[m] x[n] u[m] expression b * sin(a'*x) vjp wrt x along u", "vjp", "", nil)
	require.Equal(t, "m + n + 1", p.Linear.Multiplications.String())
}

// A fork that joins again, over and over: the Jacobian of a vector function grows linearly
// with the depth, in steps and in multiplications.
func TestCountForks(t *testing.T) {
	for name, layer := range map[string]string{
		"diamond":        "tanh(@) .* cos(@)",
		"residual":       "@ + tanh(A*@)",
		"matrix diamond": "sin(A*@) + cos(B*@)",
		"three ways":     "(A*@) .* exp(@) + sin(@)",
	} {
		at := func(depth int) (steps int, mults float64) {
			var b strings.Builder
			b.WriteString("declare A[n,n] B[n,n] x0[n]\n")
			for i := range depth {
				fmt.Fprintf(&b, "let x%d = %s\n", i+1, strings.ReplaceAll(layer, "@", fmt.Sprintf("x%d", i)))
			}
			fmt.Fprintf(&b, "expression x%d", depth)
			p := counted(t, b.String(), "jacobian", "x0", frechet.Sizes{"n": 20})
			return len(p.Steps), float64(number(t, p.Total.Multiplications))
		}
		s1, m1 := at(8)
		s2, m2 := at(16)
		s3, m3 := at(32)
		require.LessOrEqual(t, float64(s3-s2), 2.3*float64(s2-s1), name)
		require.LessOrEqual(t, m3-m2, 2.3*(m2-m1), name)
	}
}

// A random directed acyclic graph: every value is made of the one before and of two that are
// anywhere before it.
func TestCountRandomGraphs(t *testing.T) {
	at := func(seed uint64, depth int) (steps int, mults float64) {
		r := rand.New(rand.NewPCG(seed, 0))
		var b strings.Builder
		b.WriteString("declare A[n,n] x0[n]\n")
		for i := range depth {
			fmt.Fprintf(&b, "let x%d = tanh(A*x%d) .* cos(x%d) + sin(x%d)\n", i+1, i, r.IntN(i+1), r.IntN(i+1))
		}
		fmt.Fprintf(&b, "expression x%d", depth)
		p := counted(t, b.String(), "jacobian", "x0", frechet.Sizes{"n": 20})
		return len(p.Steps), float64(number(t, p.Total.Multiplications))
	}
	for seed := range uint64(3) {
		s1, m1 := at(seed, 8)
		s2, m2 := at(seed, 16)
		s3, m3 := at(seed, 32)
		require.LessOrEqual(t, float64(s3-s2), 3*float64(s2-s1))
		require.LessOrEqual(t, m3-m2, 3*(m2-m1))
	}
}

// What a plan says is written is what the program writes, second copies for matrix kernels aside.
func TestPlansAreWhatRuns(t *testing.T) {
	golden.Run(t, "../../testdata/structure/*.txtar", false, func(t *testing.T, ar *golden.Archive) {
		of, wrt, src := "hessian", "", ar.Section("program")
		for line := range strings.Lines(string(ar.Comment)) {
			switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word {
			case "of":
				of = rest
			case "wrt":
				wrt = rest
			}
		}
		sizes := frechet.Sizes{}
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		for i, s := range f.Symbols() {
			sizes[s] = int64(7 + 2*i)
		}
		f, err = frechet.Parse(src, frechet.WithSizes(sizes))
		require.NoError(t, err)
		q := frechet.Query{Wrt: []string{wrt}, Order: map[string]int{"gradient": 1, "jacobian": 1, "hessian": 2}[of]}
		r, err := f.Derive(context.Background(), q)
		require.NoError(t, err)
		nodes := []*combinators.Node{query.Node(r.Outputs[0].Derivs[q.Order-1].Term)}
		o, err := plan.MakeOutline(nodes, nil, true)
		require.NoError(t, err)
		env, err := f.RandomEnv(context.Background(), nil, 1)
		require.NoError(t, err)
		shapes := map[string][]int{}
		for name, x := range env {
			shapes[name] = x.Shape
		}
		c, err := eval.Compile(nodes, shapes)
		require.NoError(t, err)
		written := 0
		for _, s := range c.Plan().Steps {
			if s.Group != nil {
				for _, op := range s.Group.Ops {
					if op.Store && !op.V.Packed {
						written += s.Group.N
					}
				}
				continue
			}
			if !s.V.Packed && (!s.V.Onto || s.Out != s.Args[len(s.Args)-1]) {
				written += s.V.N
			}
		}
		total := o.Total(nil).Written
		n, ok := total.Int()
		require.True(t, ok)
		require.Equal(t, int64(written), n, "%s", c.Plan())
	})
}

// deepNet declares a net with one tanh in each layer, and names what its layers give h0, h1, ..
func deepNet(layers int64) string {
	var b strings.Builder
	b.WriteString("declare x[n]")
	for i := range layers {
		fmt.Fprintf(&b, " W%d[n,n]", i)
	}
	b.WriteString("\nlet h0 = tanh(W0*x)")
	for i := range layers - 1 {
		fmt.Fprintf(&b, "\nlet h%d = tanh(W%d*h%d)", i+1, i+1, i)
	}
	return b.String()
}

// The Hessian of a net of L layers takes L-1 products of matrices for the derivatives of the
// layers by x, and L for the terms, however long the products are that stand in it: what puts a
// vector on a diagonal is read through, never stored.
func TestCountDeepHessian(t *testing.T) {
	for _, layers := range []int64{5, 14, 16} {
		const n = 1000
		p := counted(t, fmt.Sprintf("%s\nexpression sum(h%d)", deepNet(layers), layers-1), "hessian", "x", frechet.Sizes{"n": n})
		require.LessOrEqual(t, number(t, p.Total.Multiplications), ((2*layers-1)*n+6*layers)*n*n, "%d layers", layers)
	}
}

// The Jacobian of a net of L layers takes L-1 products of matrices, its gradient 2L products of a
// matrix and a vector, and the structure of either is known, of however many factors it is.
func TestCountDeepJacobian(t *testing.T) {
	const layers, n = 300, 1000
	net := deepNet(layers)
	for _, c := range []struct {
		of, program string
		most        int64
	}{
		{"jacobian", fmt.Sprintf("%s\nexpression h%d", net, layers-1), (layers-1)*n*n*n + 3*layers*n*n},
		{"gradient", fmt.Sprintf("%s\nexpression sum(h%d)", net, layers-1), 2*layers*n*n + 3*layers*n},
	} {
		p := counted(t, c.program, c.of, "x", frechet.Sizes{"n": n})
		require.LessOrEqual(t, number(t, p.Total.Multiplications), c.most)
		require.LessOrEqual(t, number(t, p.Results[0].Structure.Cost.Multiplications), c.most)
	}
}

// A chain of matrices is multiplied in the order of the dynamic program, however long it is.
func TestCountChain(t *testing.T) {
	const k = 64
	var b strings.Builder
	sizes, s := frechet.Sizes{}, make([]int64, k+1)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range s {
		s[i] = []int64{2, 5, 10, 30, 100, 300}[r.IntN(6)]
		sizes[fmt.Sprintf("s%d", i)] = s[i]
	}
	b.WriteString("declare")
	best := make([][]int64, k)
	for i := range best {
		fmt.Fprintf(&b, " A%d[s%d,s%d]", i, i, i+1)
		best[i] = make([]int64, k+1)
	}
	for length := 2; length <= k; length++ {
		for i := 0; i+length <= k; i++ {
			best[i][i+length] = math.MaxInt64
			for m := i + 1; m < i+length; m++ {
				best[i][i+length] = min(best[i][i+length], best[i][m]+best[m][i+length]+s[i]*s[m]*s[i+length])
			}
		}
	}
	b.WriteString("\nexpression A0")
	for i := 1; i < k; i++ {
		fmt.Fprintf(&b, "*A%d", i)
	}
	p := counted(t, b.String(), "value", "", sizes)
	require.LessOrEqual(t, number(t, p.Total.Multiplications), best[0][k])
}
