package elab_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval"
	"frechet/syntax"
	"frechet/syntax/index/unparse"
)

// The example of Urban and van der Smagt, section 6, with the derivatives as they print
// them; each printed line lacks one parenthesis, which is put in.
var section6 = struct {
	input string
	dims  map[string][]int64
	paper map[string]string
	ours  map[string]string
}{
	input: "f[i; j] = exp (-sum{k}_0^4 (((a[i; k] + b[j; k]) ** 2 * c[i; i] + d[i + k] ** 3)))",
	dims:  map[string][]int64{"a": {3, 5}, "b": {4, 5}, "c": {3, 3}, "d": {8}, "f": {3, 4}},
	paper: map[string]string{
		"a": "da[da_0; da_1] = sum{da_z0}_0^3 (((-(df[da_0; da_z0] * exp (-sum{k}_0^4 (((a[da_0; k] + b[da_z0; k]) ** 2 * c[da_0; da_0] + d[da_0 + k] ** 3))))) * c[da_0; da_0] * 2 * (a[da_0; da_1] + b[da_z0; da_1]) ** (2 - 1)))",
		"b": "db[db_0; db_1] = sum{db_z0}_0^2 (((-(df[db_z0; db_0] * exp (-sum{k}_0^4 (((a[db_z0; k] + b[db_0; k]) ** 2 * c[db_z0; db_z0] + d[db_z0 + k] ** 3))))) * c[db_z0; db_z0] * 2 * (a[db_z0; db_1] + b[db_0; db_1]) ** (2 - 1)))",
		"c": "dc[dc_0; dc_1] = if {dc_0 + -dc_1 = 0} then (sum{dc_z1}_0^4 (sum{dc_z0}_0^3 (((a[dc_1; dc_z1] + b[dc_z0; dc_z1]) ** 2 * (-(df[dc_1; dc_z0] * exp (-sum{k}_0^4 (((a[dc_1; k] + b[dc_z0; k]) ** 2 * c[dc_1; dc_1] + d[dc_1 + k] ** 3))))))))) else (0)",
		"d": "dd[dd_0] = sum{dd_z1}_(max [0; -2 + dd_0])^(min [4; dd_0]) (sum{dd_z0}_0^3 (((-(df[dd_0 + -dd_z1; dd_z0] * exp (-sum{k}_0^4 (((a[dd_0 + -dd_z1; k] + b[dd_z0; k]) ** 2 * c[dd_0 + -dd_z1; dd_0 + -dd_z1] + d[dd_0 + -dd_z1 + k] ** 3))))) * 3 * d[dd_0] ** (3 - 1))))",
	},
	ours: map[string]string{
		"a": "da[i:3; j:5] = -2 * sum{k}_0^3 (c[i; i] * (a[i; j] + b[k; j]) * df[i; k] * exp(-(sum{l}_0^4 (d[i + l]**3) + sum{l}_0^4 (c[i; i] * (a[i; l] + b[k; l])**2))))\n",
		"b": "db[i:4; j:5] = -2 * sum{k}_0^2 (c[k; k] * (a[k; j] + b[i; j]) * df[k; i] * exp(-(sum{l}_0^4 (d[k + l]**3) + sum{l}_0^4 (c[k; k] * (a[k; l] + b[i; l])**2))))\n",
		"c": "dc[i:3; j:3] = -[i = j] * sum{k}_0^3 (sum{l}_0^4 ((a[i; l] + b[k; l])**2 * df[i; k] * exp(-(sum{m}_0^4 (d[i + m]**3) + sum{m}_0^4 (c[i; i] * (a[i; m] + b[k; m])**2)))))\n",
		"d": "dd[i:8] = -3 * sum{j}_(max(i - 2, 0))^(min(i, 4)) (sum{k}_0^3 (d[i]**2 * df[i - j; k] * exp(-(sum{l}_0^4 (d[i + l - j]**3) + sum{l}_0^4 (c[i - j; i - j] * (a[i - j; l] + b[k; l])**2)))))\n",
	},
}

// The four derivatives of the example are those of the paper, at random values.
func TestSection6(t *testing.T) {
	ctx := context.Background()
	p, err := elaborate(section6.input, section6.dims, nil)
	require.NoError(t, err)
	nodes := pullback(t, p, "df")
	r := rand.New(rand.NewPCG(1, 2))
	values := map[string][]float64{"df": gaussian(r, 12)}
	env := eval.Env{"df": {Shape: []int{3, 4}, Data: values["df"]}}
	for _, v := range p.Params {
		values[v.Name] = gaussian(r, volume(section6.dims[v.Name]))
		env[v.Name] = &eval.Tensor{Shape: ints(section6.dims[v.Name]), Data: values[v.Name]}
	}
	out, err := eval.Run(ctx, nodes, env)
	require.NoError(t, err)
	for i, v := range p.Params {
		dims := map[string][]int64{"df": {3, 4}, "d" + v.Name: section6.dims[v.Name]}
		for _, x := range "abcd" {
			dims[string(x)] = section6.dims[string(x)]
		}
		q, err := elaborate(section6.paper[v.Name], dims, nil)
		require.NoError(t, err, v.Name)
		want, err := eval.Run(ctx, []*combinators.Node{q.Outputs[0].Node}, env)
		require.NoError(t, err)
		near(t, want[0].Data, out[i+1].Data, "d"+v.Name)
		stmts, err := unparse.Program(nodes[i+1:i+2], unparse.Options{Names: []string{"d" + v.Name}})
		require.NoError(t, err)
		text := syntax.PrintFile(&syntax.File{Stmts: stmts})
		t.Log(text)
		assert.Equal(t, section6.ours[v.Name], text)
	}
	// d is longer than what is read of it.
	assert.Zero(t, out[4].Data[7])
}

func gaussian(r *rand.Rand, n int64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64() / 2
	}
	return out
}

// Convolutions with stride and dilation over images of symbolic size: their derivatives
// have symbolic bounds, and are right at random sizes.
func TestSymbolicConvolutions(t *testing.T) {
	programs := []struct {
		name, text string
		sizes      []string
	}{
		{"1-D", "declare x[n+k-1] w[k] y[i:n] = sum{r}_0^(k-1) (x[i + r] * w[r])", []string{"n", "k"}},
		{"1-D, valid", "declare x[n+k] w[k] y[i:n+1] = sum{r}_0^(k-1) (x[i + r] * w[r])", []string{"n", "k"}},
		{"1-D, stride 2", "declare x[2*n+k] w[k] y[i:n] = sum{r}_0^(k-1) (x[2*i + r] * w[r])", []string{"n", "k"}},
		{"1-D, dilation 3", "declare x[n+3*k] w[k] y[i:n] = sum{r}_0^(k-1) (x[i + 3*r] * w[r])", []string{"n", "k"}},
		{"1-D, flipped", "declare x[3*n+2*k] w[k] y[i:n] = sum{r}_0^(k-1) (x[3*i + 2*r] * w[k - 1 - r])", []string{"n", "k"}},
		{"1-D, squared", "declare x[2*n+k] w[k] y[i:n] = tanh(sum{r}_0^(k-1) (x[2*i + r]**2 * w[r]))", []string{"n", "k"}},
		{"2-D", "declare x[m+k-1,n+l-1] w[k,l] y[i:m; j:n] = sum{r}_0^(k-1) (sum{s}_0^(l-1) (x[i + r; j + s] * w[r; s]))", []string{"m", "n", "k", "l"}},
		{"2-D, stride, dilation", "declare x[2*m+k,3*n+2*l] w[k,l] y[i:m; j:n] = sum{r}_0^(k-1) (sum{s}_0^(l-1) (x[2*i + r; 3*j + 2*s] * w[r; s]))", []string{"m", "n", "k", "l"}},
		{"2-D, channels", "declare x[c,m+k,n+l] w[o,c,k,l] b[o] y[p:o; i:m; j:n] = relu(b[p] + sum{q}_0^(c-1) (sum{r}_0^(k-1) (sum{s}_0^(l-1) (x[q; i + r; j + s] * w[p; q; r; s]))))", []string{"m", "n", "k", "l", "c", "o"}},
	}
	ctx := context.Background()
	for _, c := range programs {
		t.Run(c.name, func(t *testing.T) {
			p, err := elaborate(c.text, nil, nil)
			require.NoError(t, err)
			require.Empty(t, p.Assumptions)
			nodes := pullback(t, p, "df")
			stmts, err := unparse.Program(nodes, unparse.Options{Names: []string{"y", "dx", "dw", "db"}})
			require.NoError(t, err)
			printed := syntax.PrintFile(&syntax.File{Stmts: stmts})
			t.Log(printed)
			for round := range 50 {
				r := rand.New(rand.NewPCG(uint64(round), 3))
				sizes := map[string]int64{}
				for _, s := range c.sizes {
					sizes[s] = int64(1 + r.IntN(5))
				}
				shape := func(n *combinators.Node) (out []int64) {
					for _, d := range n.Shape() {
						v, err := d.Eval(sizes)
						require.NoError(t, err)
						out = append(out, v)
					}
					return out
				}
				env := eval.Env{}
				dims := map[string][]int64{}
				for _, v := range p.Params {
					s := shape(v.Node)
					env[v.Name] = &eval.Tensor{Shape: ints(s), Data: gaussian(r, volume(s))}
					dims[v.Name] = s
				}
				s := shape(nodes[0])
				env["df"] = &eval.Tensor{Shape: ints(s), Data: gaussian(r, volume(s))}
				dims["df"] = s
				got, err := eval.Run(ctx, nodes, env)
				require.NoError(t, err)
				// the oracle has numbers from the beginning, and no normal forms
				q, err := elaborate(c.text, nil, sizes)
				require.NoError(t, err)
				var wrt []*combinators.Node
				for _, v := range q.Params {
					wrt = append(wrt, v.Node)
				}
				y := q.Outputs[0].Node
				back, err := adjoint.Standard().Pullback([]*combinators.Node{y}, wrt, []*combinators.Node{q.Store.Var("df", y.Shape())})
				require.NoError(t, err)
				want, err := eval.Reference(ctx, append([]*combinators.Node{y}, back...), env, nil)
				require.NoError(t, err)
				for i := range want {
					near(t, want[i].Data, got[i].Data, sizes, i)
				}
			}
		})
	}
}
