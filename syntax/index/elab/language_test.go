package elab_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/processor"
	"frechet/rewrite/normal"
	"frechet/syntax"
	syntaxelab "frechet/syntax/elab"
	"frechet/syntax/index/unparse"
)

// The defined tensor is as large as its accesses allow.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text, shape string
		dims        map[string][]int64
	}{
		{"f[i] = x[i]", "[5]", map[string][]int64{"x": {5}}},
		{"f[i] = x[i + 1] - x[i]", "[4]", map[string][]int64{"x": {5}}},
		{"f[i] = x[4 - i]", "[5]", map[string][]int64{"x": {5}}},
		{"f[i] = x[2*i + 1]", "[2]", map[string][]int64{"x": {5}}},
		{"f[i; j] = x[i + j] * y[j]", "[4,2]", map[string][]int64{"x": {5}, "y": {2}}},
		{"f[i] = sum{k}_0^2 (x[i + k] * w[k])", "[3]", map[string][]int64{"x": {5}, "w": {3}}},
		{"f[i] = sum{k}_0^2 (x[2*i + k])", "[2]", map[string][]int64{"x": {6}}},
		{"f[i; j] = sum{k}_0^2 (A[i; k] * B[k; j])", "[2,4]", map[string][]int64{"A": {2, 3}, "B": {3, 4}}},
		{"f[i] = x[i + 1]", "[0]", map[string][]int64{"x": {0}}},
		{"f[i:3] = x[i]", "[3]", map[string][]int64{"x": {5}}},
		{"declare x[n] f[i] = x[n - 1 - i]", "[n]", nil},
		{"declare x[n] w[k] y[i] = sum{r}_0^(k-1) (x[i + r] * w[r])", "[n-k+1]", nil},
		{"declare x[n] y[n] f[i] = x[i] * y[i]", "[n]", nil},
		{"declare x[n] f[i:n] = x[i]", "[3]", map[string][]int64{"f": {3}}},
		{"declare x[n] w[k] y[i:n-k+1] = sum{r}_0^(k-1) (x[i + r] * w[r])", "[3]", map[string][]int64{"y": {3}, "x": {5}, "w": {3}}},
	} {
		p, err := elaborate(c.text, c.dims, nil)
		if assert.NoError(t, err, c.text) {
			assert.Equal(t, c.shape, size.Shape(p.Outputs[0].Node.Shape()), c.text)
		}
	}
}

// Definitions stand beside statements of the Einstein language, and use each other.
func TestMixedPrograms(t *testing.T) {
	p, err := elaborate(`
		declare x[n] w[k] A[m,n-k+1]
		let y[i:n-k+1] = sum{r}_0^(k-1) (x[i + r] * w[r]) # a convolution
		let s[] = sum{i}_0^(n-1) (x[i]**2)
		expression f = norm2(A*y) + s
		gradient wrt w`, map[string][]int64{"x": {4}, "w": {2}, "A": {2, 3}}, nil)
	require.NoError(t, err)
	env := environment(p, map[string][]float64{"x": {1, 2, 3, 4}, "w": {1, -1}, "A": {1, 0, 0, 0, 2, 0}})
	out, err := eval.Reference(context.Background(), []*combinators.Node{p.Outputs[0].Node}, env, nil)
	require.NoError(t, err)
	near(t, []float64{30 + 2.23606797749979}, out[0].Data)
}

// One contraction stands for a sum of products: no value is as large as the iteration
// space.
func TestNoTemporaries(t *testing.T) {
	for _, text := range []string{
		"declare x[n] w[k] y[i:n-k+1] = sum{r}_0^(k-1) (x[i + r] * w[r])",
		"declare x[c,n] w[o,c,k] b[o] y[p:o; i:n-k+1] = tanh(sum{q}_0^(c-1) (sum{r}_0^(k-1) (x[q; i + r] * w[p; q; r])) + b[p])",
		"declare A[m,n] B[n,p] C[m,p] f[i; j] = sum{k}_0^(n-1) (A[i; k] * B[k; j] + C[i; j]) - 2",
		"declare x[n] f[i:n] = sum{k}_0^i (exp(x[k]))",
	} {
		p, err := elaborate(text, nil, nil)
		require.NoError(t, err)
		order := p.Outputs[0].Node.Order()
		for _, v := range p.Params {
			order = max(order, v.Node.Order())
		}
		for _, n := range combinators.Topo(pullback(t, p, "df")...) {
			assert.LessOrEqual(t, n.Order(), order, "%s: %v", text, n)
		}
	}
}

// A point outside of a sum's range is not evaluated: neither a value nor a derivative
// that is not finite there leaks.
func TestMasks(t *testing.T) {
	text := "f[i] = sum{k}_0^i (log(x[k + 1]) * y[i - k] + 1/x[i - k + 1])"
	p, err := elaborate(text, map[string][]int64{"x": {5}, "y": {4}, "f": {3}}, nil)
	require.NoError(t, err)
	env := environment(p, map[string][]float64{"x": {0, 1, 2, 4, -1}, "y": {1, 2, 3, 0}})
	env["df"] = &eval.Tensor{Shape: []int{3}, Data: []float64{1, 1, 1}}
	for _, nodes := range [][]*combinators.Node{pullback(t, p, "df"), unsimplified(t, p)} {
		for _, n := range nodes {
			out, err := eval.Reference(context.Background(), []*combinators.Node{n}, env, nil)
			require.NoError(t, err)
			for _, v := range out[0].Data {
				assert.Equal(t, v, v, "%s: %v", text, out[0].Data) // no NaN
				assert.Less(t, v*v, 1e6)
			}
		}
	}
}

func unsimplified(t *testing.T, p *syntaxelab.Program) []*combinators.Node {
	y := p.Outputs[0].Node
	var wrt []*combinators.Node
	for _, v := range p.Params {
		wrt = append(wrt, v.Node)
	}
	back, err := adjoint.Standard().Pullback([]*combinators.Node{y}, wrt, []*combinators.Node{p.Store.Var("df", y.Shape())})
	require.NoError(t, err)
	return back
}

// A symbolic stride flattens an axis: the reshape of a vector to a matrix.
func TestReshape(t *testing.T) {
	ctx := context.Background()
	text := "declare x[M*N] f[i:N; j:M] = exp(x[M*i + j])"
	p, err := elaborate(text, nil, nil)
	require.NoError(t, err)
	nodes := pullback(t, p, "df")
	env := eval.Env{
		"x":  {Shape: []int{6}, Data: []float64{1, 2, 3, 4, 5, 6}},
		"df": {Shape: []int{2, 3}, Data: []float64{1, 1, 1, 0, 0, 2}},
	}
	out, err := eval.Reference(ctx, nodes, env, map[string]int64{"M": 3, "N": 2})
	require.NoError(t, err)
	q, err := elaborate(text, nil, map[string]int64{"M": 3, "N": 2})
	require.NoError(t, err)
	want, err := eval.Reference(ctx, pullback(t, q, "df"), env, nil)
	require.NoError(t, err)
	near(t, want[0].Data, out[0].Data)
	near(t, want[1].Data, out[1].Data)
}

// What symbols leave open is assumed, and decided when numbers come.
func TestAssumptions(t *testing.T) {
	text := "declare x[n] y[m] f[i:m] = x[2*i] * y[i]"
	p, err := elaborate(text, nil, nil)
	require.NoError(t, err)
	require.Len(t, p.Assumptions, 1)
	_, err = elaborate(text, map[string][]int64{"x": {5}, "y": {3}}, nil)
	assert.NoError(t, err)
	_, err = elaborate(text, map[string][]int64{"x": {4}, "y": {3}}, nil)
	var e *syntax.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, syntax.KindOutOfRange, e.Kind)
	assert.Equal(t, strings.Index(text, "2*i"), e.Span.Start)
}

// An access that leaves its tensor whatever the sizes are is an error in symbols already.
func TestAlwaysOutside(t *testing.T) {
	for _, c := range []struct{ text, at, says, help string }{
		{"declare x[n] f[i] = x[n - i]", "n - i", "it gets as high as n, and the axis has size n", "the last of x is at n-1"},
		{"declare x[n] f[i:n] = x[i+1]", "i+1", "as high as n", "[i+1 < n]"},
		{"declare x[n] f[i:n] = x[i-1]", "i-1", "as low as -1", "[0 <= i-1]"},
		{"declare x[n] f[i] = x[i + n]", "i + n", "i + n leaves x at every i", ""},
		{"declare x[n] f[i:n] = sum{j}_0^n (x[j])", "j])", "as high as n", "bound the index"},
		{"declare x[n] w[k] f[i:n-k+1] = sum{j}_0^(k-1) (x[i+j+1]*w[j])", "i+j+1", "as high as n", ""},
		{"declare x[2*n] f[i:n] = x[2*i+2]", "2*i+2", "as high as 2*n", "at 2*n-1"},
		{"declare x[n] f[i:n+3] = [2 <= i]*x[i-1]", "i-1]", "for some values of the indices, whatever the sizes are", ""},
		{"declare x[n] f[i:n] = sum{j}_0^i (x[j+1])", "j+1", "whatever the sizes are", ""},
		{"declare A[m,n] f[i:m; j:n] = A[j+m; i]", "j+m", "as high as m+n-1", ""},
	} {
		_, err := elaborate(c.text, nil, nil)
		var e *syntax.Error
		if !assert.ErrorAs(t, err, &e, c.text) {
			continue
		}
		assert.Equal(t, syntax.KindOutOfRange, e.Kind, c.text)
		assert.Equal(t, strings.Index(c.text, c.at), e.Span.Start, c.text)
		assert.Contains(t, e.Message, c.says, c.text)
		assert.Contains(t, e.Help, c.help, c.text)
		for n := range int64(4) { // and with every number
			_, err := elaborate(c.text, nil, map[string]int64{"m": n + 1, "n": n + 2, "k": 2})
			assert.ErrorAs(t, err, &e, "%s, n = %d", c.text, n+2)
		}
	}
	// Some sizes leave these in range.
	for _, text := range []string{
		"declare x[n] f[i:n] = x[2*i]",                            // n = 1
		"declare x[n] f[i:n] = sum{j}_0^i (x[i+j])",               // n = 1
		"declare x[n] y[m] f[i:m] = x[i]*y[i]",                    // m <= n
		"declare x[n] y[m] f[i:m] = x[i + m]",                     // 2*m <= n
		"declare x[m*n] f[i:m] = x[i + n]",                        // m*n is a number of its own
		"declare x[n] w[k] f[i:n] = sum{j}_0^(k-1) (x[i+j]*w[j])", // k = 1
		"declare x[n] f[i:n] = [i + 1 < n]*x[i+1]",
	} {
		_, err := elaborate(text, nil, nil)
		assert.NoError(t, err, text)
	}
}

// Six summed indices: the bounds of the gather form stay few, and are found at once.
func TestManySummedIndices(t *testing.T) {
	start := time.Now()
	text := `declare w[2,2,2,2,2,2] x[40,80]
		y[i:3; j:4] = sum{a}_0^1 (sum{b}_0^1 (sum{c}_0^1 (sum{d}_0^1 (sum{e}_0^1 (sum{g}_0^1 (
			w[a; b; c; d; e; g] * x[i + 2*a + 3*b + 5*c; j + 7*d + 11*e + 13*g]))))))`
	p, err := elaborate(text, nil, nil)
	require.NoError(t, err)
	nodes := pullback(t, p, "df")
	stmts, err := unparse.Program(nodes[2:3], unparse.Options{Names: []string{"dx"}})
	require.NoError(t, err)
	printed := syntax.PrintFile(&syntax.File{Stmts: stmts})
	assert.Less(t, len(printed), 3000, printed)
	t.Log(time.Since(start), printed)
}

// Keeping every second entry: the adjoint of its adjoint is the map itself, and the map
// undoes its adjoint.
func TestAdjointOfAdjoint(t *testing.T) {
	p, err := elaborate("z[i] = x[2*i + 1]", map[string][]int64{"x": {9}, "z": {4}}, nil)
	require.NoError(t, err)
	x, z := p.Params[0].Node, p.Outputs[0].Node
	w := p.Store.Var("w", z.Shape())
	back, err := adjoint.Standard().Pullback([]*combinators.Node{z}, []*combinators.Node{x}, []*combinators.Node{w})
	require.NoError(t, err)
	again, err := adjoint.Standard().Pullback(back, []*combinators.Node{w}, []*combinators.Node{x})
	require.NoError(t, err)
	assert.Same(t, normal.Simplify(z)[0], normal.Simplify(again...)[0])
	round := p.Store.Ein(z.Ein(), back[0])
	assert.Same(t, w, normal.Simplify(round)[0])
}

// Hostile definitions give an error or a result, at once.
func TestHostile(t *testing.T) {
	start := processor.Time()
	for _, text := range []string{
		"f = x[0]" + strings.Repeat(" + x[0]", 20_000),
		"f = x[0]" + strings.Repeat(" * x[0]", 20_000),
		"f = " + strings.Repeat("exp(", 9_000) + "x[0]" + strings.Repeat(")", 9_000),
		"f[i] = sum{k}_0^999999999999 (x[1000000000*k])",
		"f[i:9223372036854775807; j:9223372036854775807] = x[0]",
		"f[i:99999999999999999999] = x[0]",
		"f[i] = x[4611686018427387904*i]",
		"f = x[9999999999999999999999]",
		"f[i:3] = sum{k}_(0 - 4611686018427387903)^4611686018427387903 (x[0])",
		"f[i:3] = x[i*0] ** 99999999999999999999999999",
	} {
		_, err := elaborate(text, map[string][]int64{"x": {3}}, nil)
		if err != nil {
			var e *syntax.Error
			assert.ErrorAs(t, err, &e)
		}
	}
	assert.Less(t, processor.Time()-start, 20*time.Second)
}
