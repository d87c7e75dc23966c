package linear_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/eval"
)

// sizings are numbers for the size symbols of package terms: all different, all equal, 1, and 0.
var sizings = []map[string]int64{{"k": 2, "m": 3, "n": 4}, {"k": 3, "m": 3, "n": 3}, {"k": 1, "m": 1, "n": 1}, {"k": 0, "m": 2, "n": 1}, {"k": 0, "m": 0, "n": 0}}

// numeric gives numbers to values: variables get random entries, the diagonals of square ones that
// are named S are large, so that they have an inverse.
type numeric struct {
	sizes     map[string]int64
	low, high float64
	env       eval.Env
}

func newNumeric(sizes map[string]int64) *numeric { return &numeric{sizes, -1, 1, eval.Env{}} }

func (z *numeric) variable(t require.TestingT, n *combinators.Node) *eval.Tensor {
	if v := z.env[n.Name()]; v != nil {
		return v
	}
	shape := make([]int, n.Order())
	for i, d := range n.Shape() {
		v, err := d.Eval(z.sizes)
		require.NoError(t, err)
		shape[i] = int(v)
	}
	h := uint64(7)
	for _, c := range n.Name() {
		h = h*1000003 + uint64(c)
	}
	rng := rand.New(rand.NewPCG(h, 1))
	v := eval.NewTensor(shape...)
	for i := range v.Data {
		v.Data[i] = z.low + (z.high-z.low)*rng.Float64()
		if k := len(shape); strings.HasPrefix(n.Name(), "S") && k >= 2 && i/shape[k-1]%shape[k-2] == i%shape[k-1] {
			v.Data[i] += 3
		}
	}
	z.env[n.Name()] = v
	return v
}

// at evaluates the leaves of a value, in one list of entries.
func (z *numeric) at(t require.TestingT, v *combinators.Value) []float64 {
	nodes := v.Leaves()
	for _, n := range combinators.Topo(nodes...) {
		if n.Name() != "" {
			z.variable(t, n)
		}
	}
	out, err := eval.Reference(context.Background(), nodes, z.env, z.sizes)
	require.NoError(t, err)
	var all []float64
	for _, x := range out {
		all = append(all, x.Data...)
	}
	return all
}

// moved is z with the variables of x moved along those of dx by h.
func (z *numeric) moved(t require.TestingT, x, dx *combinators.Value, h float64) *numeric {
	m := &numeric{z.sizes, z.low, z.high, eval.Env{}}
	for name, v := range z.env {
		m.env[name] = v
	}
	for i, n := range x.Leaves() {
		a, d := z.variable(t, n), z.variable(t, dx.Leaves()[i])
		b := eval.NewTensor(a.Shape...)
		for j := range b.Data {
			b.Data[j] = a.Data[j] + h*d.Data[j]
		}
		m.env[n.Name()] = b
	}
	return m
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func requireNear(t require.TestingT, want, got []float64, tolerance float64, msg string) {
	require.Equal(t, len(want), len(got), msg)
	scale := 1.0
	for _, x := range want {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			scale = max(scale, math.Abs(x))
		}
	}
	for i := range want {
		if math.IsNaN(want[i]) || math.IsInf(want[i], 0) {
			continue // where an axis is empty, a maximum is infinite
		}
		require.InDelta(t, want[i], got[i], tolerance*scale, "%s: entry %d", msg, i)
	}
}

func worked(t require.TestingT, m combinators.Map) combinators.Map {
	w, err := adjoint.Standard().ClosedSimplify(m, nil)
	require.NoError(t, err, text.PrintClosed(m, false))
	return w
}

func apply(t require.TestingT, m combinators.Map, v *combinators.Value) *combinators.Value {
	y, err := m.Store().ApplyMap(worked(t, m), v)
	require.NoError(t, err, text.PrintClosed(m, false))
	return y
}

// combined is a*u + b*v.
func combined(s *combinators.Store, a int64, u *combinators.Value, b int64, v *combinators.Value) *combinators.Value {
	if n := u.Node(); n != nil {
		return s.Value(s.Add(s.Scale(s.Int(a), n), s.Scale(s.Int(b), v.Node())))
	}
	parts := make([]*combinators.Value, len(u.Parts()))
	for i, p := range u.Parts() {
		parts[i] = combined(s, a, p, b, v.Parts()[i])
	}
	return s.Tuple(parts...)
}

// splitEntries cuts the entries of a value into those of its tensors.
func splitEntries(all []float64, sp combinators.Space, z *numeric, t require.TestingT) (parts [][]float64) {
	if !sp.IsProduct() {
		n := 1
		for _, d := range sp.Shape() {
			v, err := d.Eval(z.sizes)
			require.NoError(t, err)
			n *= int(v)
		}
		return [][]float64{all[:n:n]}
	}
	for _, f := range sp.Factors() {
		own := splitEntries(all, f, z, t)
		for _, p := range own {
			all = all[len(p):]
		}
		parts = append(parts, own...)
	}
	return parts
}
