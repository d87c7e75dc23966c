package adjoint_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/terms"
	"frechet/rewrite"
)

// evaluate gives numbers to nodes by the reference interpreter; variables get random entries.
func evaluate(t require.TestingT, nodes ...*combinators.Node) []*eval.Tensor {
	return terms.Values(t, nodes, terms.Env(nodes, 7))
}

func requireClose(t require.TestingT, want, got []*eval.Tensor, msg string) {
	require.Equal(t, len(want), len(got), msg)
	for i := range want {
		terms.Close(t, want[i], got[i], 1e-9, msg)
	}
}

// Both roads give the same linear maps: D and the adjoint of blocks, and the rules on closed
// combinators.
func TestBothRoads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 8)
		s := b.Store
		f := combinators.Readback(b)
		closed, err := closedDerivative(f, b.ParamsValue(), nil)
		require.NoError(t, err)
		block, err := adjoint.Standard().D(b, b.Params)
		require.NoError(t, err)

		dx := terms.Value(s, "t", f.Dom())
		got, err := s.ApplyMap(closed.Map, dx)
		require.NoError(t, err)
		requireClose(t, evaluate(t, block.Apply(dx.Leaves())...), evaluate(t, got.Leaves()...), "derivative")

		back, err := closedAdjoint(closed, nil)
		require.NoError(t, err)
		w := terms.Value(s, "w", f.Cod())
		got, err = s.ApplyMap(back.Map, w)
		require.NoError(t, err)
		blockBack, err := block.Adjoint()
		require.NoError(t, err)
		requireClose(t, evaluate(t, blockBack.Apply(w.Leaves())...), evaluate(t, got.Leaves()...), "adjoint")
	})
}

// The derivative commutes with lifting: D(f^X)(v) is D(f)(v[x]) at each index x.
func TestCopowerDerivative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := terms.Block(t, 5)
		s := b.Store
		x := []size.Size{size.Sym("k")}
		f := s.Copower(combinators.Readback(b), x)
		v := terms.Value(s, "v", f.Dom())
		dv := terms.Value(s, "t", f.Dom())
		closed, err := closedDerivative(f, v, nil)
		require.NoError(t, err)
		got, err := s.ApplyMap(closed.Map, dv)
		require.NoError(t, err)
		// the other road: apply the copower, and differentiate the block
		y, err := s.ApplyMap(f, v)
		require.NoError(t, err)
		block := &combinators.Block{Store: s, Params: v.Leaves(), Outs: y.Leaves()}
		l, err := adjoint.Standard().D(block, block.Params)
		require.NoError(t, err)
		requireClose(t, evaluate(t, l.Apply(dv.Leaves())...), evaluate(t, got.Leaves()...), "derivative of a copower")
	})
}

// linearMaps has a linear map of every constructor that can give one.
func linearMaps(t *testing.T, s *combinators.Store) map[combinators.MapOp]combinators.PointFreeLinear {
	k, m, n := size.Sym("k"), size.Sym("m"), size.Sym("n")
	vec := combinators.TensorSpace([]size.Size{n})
	a, x := s.Var("A", []size.Size{m, n}), s.Var("x", []size.Size{n})
	lin := func(f combinators.Map) combinators.PointFreeLinear {
		l, ok := f.Linear()
		require.True(t, ok)
		return l
	}
	ax := s.Einsum("ij,j->i", a, x)
	section := s.OpenMap(ax, func(i int) bool { return ax.Arg(i) == x })
	both := combinators.ProductSpace(vec, combinators.TensorSpace([]size.Size{m}))
	out := map[combinators.MapOp]combinators.PointFreeLinear{
		combinators.MapID:      s.ID(vec),
		combinators.MapCompose: lin(s.Compose(section, s.Scan(n, nil).Map)),
		combinators.MapPair:    lin(s.Pair(section, s.ID(vec).Map)),
		combinators.MapProduct: s.Delta(lin(section), s.Scan(n, nil)),
		combinators.MapCopair:  s.Copair(lin(section), s.ID(section.Cod())),
		combinators.MapSum:     lin(s.SumMaps(section, section)),
		combinators.MapProj:    s.Proj(both, 1),
		combinators.MapInj:     s.Inj(both, 0),
		combinators.MapZero:    s.ZeroMap(vec, both),
		combinators.MapEin:     lin(section),
		combinators.MapAtom:    lin(s.OpenMap(s.Merge(0, a), func(int) bool { return true })),
		combinators.MapCopower: lin(s.Copower(section, []size.Size{k})),
		combinators.MapDerivative: s.Derivative(
			s.OpenMap(s.Unary(atom.Sin, x), func(int) bool { return true }), s.Value(x)),
	}
	out[combinators.MapAdjoint] = s.Adjoint(out[combinators.MapCompose])
	return out
}

// Every constructor of linear maps has an adjoint rule, and the adjoint law holds:
// <L v, w> = <v, adjoint(L) w>.
func TestEveryLinearConstructorHasAnAdjoint(t *testing.T) {
	s := combinators.NewStore()
	maps := linearMaps(t, s)
	for _, op := range combinators.LinearOps() {
		l, ok := maps[op]
		require.True(t, ok, "no linear map of the constructor %s", op)
		require.Equal(t, op, l.Op())
		requireAdjoint(t, l)
	}
	// and every linear atom, in every operand in which its row says that it is linear
	n, m := size.Sym("n"), size.Sym("m")
	c, x := s.Var("C", []size.Size{n, n}), s.Var("x", []size.Size{n})
	X := s.Var("X", []size.Size{n, m})
	merged := s.Var("z", []size.Size{n.Mul(m)})
	for _, n := range []*combinators.Node{s.Solve(c, x), s.Solve(c, X), s.Merge(0, X), s.Split(0, n, m, merged)} {
		f := s.OpenMap(n, func(k int) bool { return k == len(n.Args())-1 })
		l, ok := f.Linear()
		require.True(t, ok, n.Atom().Name)
		requireAdjoint(t, l)
		lifted, ok := s.Copower(f, []size.Size{size.Sym("k")}).Linear()
		require.True(t, ok)
		requireAdjoint(t, lifted)
	}
}

func requireAdjoint(t *testing.T, l combinators.PointFreeLinear) {
	s := l.Store()
	name := text.PrintClosed(l.Map, false)
	back, err := closedAdjoint(l, nil)
	require.NoError(t, err, name)
	require.True(t, back.Dom().Equal(l.Cod()) && back.Cod().Equal(l.Dom()), name)
	forward, err := adjoint.Standard().ClosedSimplify(l.Map, nil)
	require.NoError(t, err, name)
	v, w := terms.Value(s, "v", l.Dom()), terms.Value(s, "w", l.Cod())
	lv, err := s.ApplyMap(forward, v)
	require.NoError(t, err, name)
	lw, err := s.ApplyMap(back.Map, w)
	require.NoError(t, err, name)
	require.InDelta(t, inner(t, lv, w), inner(t, v, lw), 1e-9, name)
}

// inner is the inner product of two values.
func inner(t *testing.T, a, b *combinators.Value) float64 {
	x, y := evaluate(t, a.Leaves()...), evaluate(t, b.Leaves()...)
	sum := 0.0
	for i := range x {
		require.Equal(t, x[i].Shape, y[i].Shape)
		for j := range x[i].Data {
			sum += x[i].Data[j] * y[i].Data[j]
		}
	}
	return sum
}

// Derivations in the style of the paper.
func TestClosedDerivations(t *testing.T) {
	m, n := size.Sym("m"), size.Sym("n")
	s := combinators.NewStore()
	x1, x2 := s.Var("x1", nil), s.Var("x2", nil)
	X, w := s.Var("X", []size.Size{m, n}), s.Var("w", []size.Size{n})
	xw := s.Einsum("ij,j->i", X, w)
	for _, c := range []struct {
		params        []*combinators.Node
		out           *combinators.Node
		want, adjoint string
		rules         []string
	}{
		// Elsman, example B.1
		{[]*combinators.Node{x1}, s.Unary(atom.Log, s.Unary(atom.Sin, x1)),
			"(_ ./ sin(x1)) . (cos(x1) .* _)", "(cos(x1) .* _) . (_ ./ sin(x1))",
			[]string{"D-chain", "D-atom", "D-atom"}},
		// example B.2, without its last term
		{[]*combinators.Node{x1, x2}, s.Add(s.Mul(x1, x2), s.Unary(atom.Sin, x2)),
			"(x1 .* _) . pi2 + (x2 .* _) . pi1 + (cos(x2) .* _) . pi2", "", nil},
		{[]*combinators.Node{w}, s.Einsum("i,i->", xw, xw),
			"", "", nil},
	} {
		b := &combinators.Block{Store: s, Params: c.params, Outs: []*combinators.Node{c.out}}
		var names []string
		l, err := closedDerivative(combinators.Readback(b), b.ParamsValue(), func(f rewrite.ClosedFiring) {
			names = append(names, f.Rule.Name)
		})
		require.NoError(t, err)
		t.Log(text.PrintClosed(l.Map, true), names)
		if c.want != "" {
			require.Equal(t, c.want, text.PrintClosed(l.Map, false))
		}
		if c.rules != nil {
			require.Equal(t, c.rules, names)
		}
		a, err := closedAdjoint(l, nil)
		require.NoError(t, err)
		t.Log(text.PrintClosed(a.Map, true))
		if c.adjoint != "" {
			require.Equal(t, c.adjoint, text.PrintClosed(a.Map, false))
		}
	}
}

// A chain of 20,000 steps is differentiated, transposed and applied without deep calls.
func TestClosedDeep(t *testing.T) {
	s := combinators.NewStore()
	x := s.Var("x", []size.Size{size.Sym("n")})
	y := x
	for range 20_000 {
		y = s.Unary(atom.Sin, y)
	}
	b := &combinators.Block{Store: s, Params: []*combinators.Node{x}, Outs: []*combinators.Node{y}}
	l, err := closedDerivative(combinators.Readback(b), b.ParamsValue(), nil)
	require.NoError(t, err)
	a, err := closedAdjoint(l, nil)
	require.NoError(t, err)
	_, err = s.ApplyMap(a.Map, s.Value(s.Var("w", x.Shape())))
	require.NoError(t, err)
	require.Less(t, s.Len(), 8*20_000)
}

// Diamonds do not multiply: what both sides of a diamond start with is differentiated, transposed and
// applied once.
func TestClosedDiamonds(t *testing.T) {
	for name, step := range map[string]func(s *combinators.Store, y *combinators.Node) *combinators.Node{
		"x + sin x": func(s *combinators.Store, y *combinators.Node) *combinators.Node {
			return s.Add(y, s.Unary(atom.Sin, y))
		},
		"sin x * cos x": func(s *combinators.Store, y *combinators.Node) *combinators.Node {
			return s.Mul(s.Unary(atom.Sin, y), s.Unary(atom.Cos, y))
		},
		"x * x": func(s *combinators.Store, y *combinators.Node) *combinators.Node { return s.Mul(y, y) },
	} {
		s := combinators.NewStore()
		x := s.Var("x", []size.Size{size.Sym("n")})
		y := x
		const steps = 500
		for range steps {
			y = step(s, y)
		}
		b := &combinators.Block{Store: s, Params: []*combinators.Node{x}, Outs: []*combinators.Node{y}}
		l, err := closedDerivative(combinators.Readback(b), b.ParamsValue(), nil)
		require.NoError(t, err)
		a, err := closedAdjoint(l, nil)
		require.NoError(t, err)
		_, err = s.ApplyMap(a.Map, s.Value(s.Var("w", x.Shape())))
		require.NoError(t, err)
		require.Less(t, s.Len(), 20*steps, name)
	}
}

// closedDerivative is D(f)(x), worked out.
func closedDerivative(f combinators.Map, x *combinators.Value, trace func(rewrite.ClosedFiring)) (combinators.PointFreeLinear, error) {
	return workedLinear(f.Store().Derivative(f, x), trace)
}

// closedAdjoint is the adjoint of l, worked out.
func closedAdjoint(l combinators.PointFreeLinear, trace func(rewrite.ClosedFiring)) (combinators.PointFreeLinear, error) {
	return workedLinear(l.Store().Adjoint(l), trace)
}

func workedLinear(l combinators.PointFreeLinear, trace func(rewrite.ClosedFiring)) (out combinators.PointFreeLinear, err error) {
	m, err := adjoint.Standard().ClosedSimplify(l.Map, trace)
	if err != nil {
		return l, err
	}
	out, ok := m.Linear()
	if !ok {
		err = fmt.Errorf("the rules lead from a linear map to one that is not")
	}
	return out, err
}
