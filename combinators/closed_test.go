package combinators_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/terms"
)

// ApplyMap(Readback(b), params) = outs, the same nodes.
func TestReadbackApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 12)
		m := combinators.Readback(b)
		got, err := b.Store.ApplyMap(m, b.ParamsValue())
		require.NoError(t, err)
		require.Same(t, b.OutsValue(), got)
	})
}

func TestReadbackDeep(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", []size.Size{size.Sym("n")})
	y := x
	for range 100_000 {
		y = s.Add(y, s.Unary(atom.Sin, y))
	}
	b := &combinators.Block{Store: s, Params: []*combinators.Node{x}, Outs: []*combinators.Node{y}}
	m := combinators.Readback(b)
	require.Less(t, m.ID(), 4*100_000)
	got, err := s.ApplyMap(m, b.ParamsValue())
	require.NoError(t, err)
	require.Same(t, y, got.Node())
}

// The space of many parameters, which is that of every map that is read back, is not written out for each.
func TestReadbackOfManyParameters(t *testing.T) {
	const n = 3000
	s := combinators.NewStore()
	b := &combinators.Block{Store: s}
	y := s.Int(0)
	for k := range n {
		x := s.Var(fmt.Sprint("x", k), nil)
		b.Params = append(b.Params, x)
		y = s.Binary(atom.Max, y, x)
	}
	b.Outs = []*combinators.Node{y}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := combinators.Readback(b)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(40<<20))
	got, err := s.ApplyMap(m, b.ParamsValue())
	require.NoError(t, err)
	require.Same(t, y, got.Node())
}

// The constructors return the least sort.
func TestLeastSorts(t *testing.T) {
	s := combinators.NewStore()
	n, m := size.Sym("n"), size.Sym("m")
	vec := combinators.TensorSpace([]size.Size{n})
	x, a := s.Var("x", []size.Size{n}), s.Var("A", []size.Size{m, n})
	linear := func(f combinators.Map) bool { _, ok := f.Linear(); return ok }
	sin := s.OpenMap(s.Unary(atom.Sin, x), func(int) bool { return true })
	ax := s.OpenMap(s.Einsum("ij,j->i", a, x), func(k int) bool { return k == 1 || k == 0 })
	// operands are sorted when a contraction is built: the open one is x
	section := s.OpenMap(s.Einsum("ij,j->i", a, x), func(k int) bool {
		return s.Einsum("ij,j->i", a, x).Arg(k) == x
	})
	require.False(t, linear(sin))
	require.False(t, linear(ax))
	_, ok := ax.Multilinear()
	require.True(t, ok)
	require.True(t, linear(section))
	require.True(t, linear(s.Compose(section, s.ID(vec).Map)))
	require.False(t, linear(s.Compose(section, sin)))
	require.True(t, linear(s.Pair(section, section)))
	require.False(t, linear(s.Pair(sin, sin)))
	require.True(t, linear(s.Product(section, section)))
	require.True(t, linear(s.Copower(section, []size.Size{m})))
	require.True(t, linear(s.SumMaps(section, section)))
	require.Equal(t, combinators.MapZero, s.ConstMap(vec, s.Value(s.Zero([]size.Size{m}))).Op())
	require.False(t, linear(s.ConstMap(vec, s.Value(x))))
	require.True(t, linear(s.Derivative(sin, s.Value(x)).Map))
	require.Panics(t, func() { s.Compose(section, section) })
	require.Panics(t, func() { s.SumMaps(section, sin) })
}

func TestSpaces(t *testing.T) {
	n, m := size.Sym("n"), size.Sym("m")
	u := combinators.ProductSpace(combinators.TensorSpace([]size.Size{n}), combinators.TensorSpace(nil))
	require.Equal(t, "R[n] x R[]", u.String())
	require.Equal(t, "R[m,n] x R[m]", u.Power([]size.Size{m}).String())
	require.Equal(t, "(R[n] x R[]) x R[n]", combinators.ProductSpace(u, combinators.TensorSpace([]size.Size{n})).String())
	require.False(t, combinators.ProductSpace(u).Equal(u))
}

// The copower is the map at each index: (f^X)(v) is f lifted.
func TestCopowerApplies(t *testing.T) {
	s := combinators.NewStore()
	n, m := size.Sym("n"), size.Sym("m")
	a, x := s.Var("A", []size.Size{m, n}), s.Var("x", []size.Size{n})
	b := &combinators.Block{Store: s, Params: []*combinators.Node{x}, Outs: []*combinators.Node{
		s.Add(s.Unary(atom.Sin, s.Einsum("ij,j->i", a, x)), s.Var("c", []size.Size{m})), s.Norm2(x),
	}}
	f := s.Copower(combinators.Readback(b), []size.Size{size.Const(5)})
	xs := s.Var("xs", []size.Size{size.Const(5), n})
	got, err := s.ApplyMap(f, s.Value(xs))
	require.NoError(t, err)
	want := s.Add(s.Unary(atom.Sin, s.Einsum("ij,bj->bi", a, xs)),
		s.EinsumSized("i->bi", map[rune]size.Size{'b': size.Const(5)}, s.Var("c", []size.Size{m})))
	require.Same(t, want, got.Parts()[0].Node())
	require.Equal(t, "R[5,m] x R[5]", got.Space().String())
}

// Applications of what is built from a map twice do not multiply.
func TestApplyShares(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", nil)
	u := combinators.TensorSpace(nil)
	f := s.ID(u).Map
	for range 200 {
		f = s.Compose(s.Plus(u).Map, s.Pair(f, f))
	}
	got, err := s.ApplyMap(f, s.Value(x))
	require.NoError(t, err)
	require.Less(t, s.Len(), 500)
	require.NotNil(t, got.Node())
}

func TestApplyRefuses(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", nil)
	u := combinators.TensorSpace(nil)
	_, err := s.ApplyMap(s.Derivative(s.ID(u).Map, s.Value(x)).Map, s.Value(x))
	require.EqualError(t, err, "D is not worked out: it cannot be applied")
	_, err = s.ApplyMap(s.ID(u).Map, s.Value(s.Var("y", []size.Size{size.Sym("n")})))
	require.EqualError(t, err, "a map on R[] is applied to a value of R[n]")
}
