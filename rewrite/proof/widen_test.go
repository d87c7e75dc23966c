package proof

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// accepted are the schemas by which the step from a to b is accepted, but for fusions.
func accepted(s *combinators.Store, a, b *Node, facts ...Fact) (by []string) {
	k := &checker{s: s, work: &work{}}
	step := &Step{Before: Line{Nodes: []*Node{a}}, After: Line{Nodes: []*Node{b}}, Facts: facts}
	for name := range theories {
		if must.Try(func() { k.native(name, step) }) == nil {
			by = append(by, name)
		}
	}
	if k.leftEqual(a, b, newSigns(facts, k.work)) {
		by = append(by, "left side")
	}
	slices.Sort(by)
	return by
}

// partial is a value that is not defined everywhere, of the shape of x.
func partial(t *rapid.T, s *combinators.Store, x *Node) *Node {
	base := x
	if rapid.Bool().Draw(t, "shifted") {
		base = s.Add(x, s.Fill(s.Fraction(1, 2).Rat(), x.Shape()))
	}
	switch rapid.IntRange(0, 4).Draw(t, "partial") {
	case 0:
		return s.Unary(atom.Log, base)
	case 1:
		return s.Power(base, s.Fraction(-3, 1).Rat())
	case 2:
		return s.Power(base, s.Fraction(1, 2).Rat())
	case 3:
		return s.Unary(atom.Sin, s.Recip(base))
	}
	return s.Mul(s.Unary(atom.Exp, x), s.Power(base, s.Fraction(-1, 2).Rat()))
}

// What widens is a step from left to right, and no step of any schema from right to left.
func TestLawsThatWidenAreOneWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		shape := rapid.SampledFrom([][]size.Size{nil, {size.Sym("n")}, {size.Sym("m"), size.Const(2)}}).Draw(t, "shape")
		x, y := s.Var("x", shape), s.Var("y", shape)
		u := partial(t, s, x)
		rest := rapid.SampledFrom([]*Node{y, s.Unary(atom.Sin, y), s.Mul(x, y), s.Zero(shape), s.Ones(shape)}).Draw(t, "rest")
		zero := s.Mul(s.Zero(shape), u)
		nothing := s.Add(u, s.Neg(u))
		for _, widened := range []*Node{s.Add(rest, zero), s.Add(rest, nothing), s.Add(rest, s.Mul(y, zero)), s.Add(rest, s.Mul(nothing, y))} {
			require.NotEmpty(t, accepted(s, widened, rest))
			require.Empty(t, accepted(s, rest, widened))
		}
	})
}

// A quotient of a value and itself is no 1, whatever else stands beside it and vanishes or is taken of other
// entries of the value.
func TestQuotientsKeepTheirEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := combinators.NewStore()
		n := size.Const(3)
		x := s.Var("x", []size.Size{n})
		at := func(i int64, v *Node) *Node { // v[i]
			c, err := einsum.New(nil, []einsum.Access{{Shape: []size.Size{n}, Index: []einsum.Affine{{Off: size.Const(i)}}}}, einsum.Access{}, nil, nil)
			require.NoError(t, err)
			return s.Ein(c, v)
		}
		i, j := rapid.Int64Range(0, 2).Draw(t, "i"), rapid.Int64Range(0, 2).Draw(t, "j")
		quotient, other := s.Mul(at(i, x), at(i, s.Recip(x))), at(j, s.Recip(x))
		for name, b := range map[string]*Node{
			"1":          s.Int(1),
			"vanishing":  s.Add(s.Int(1), s.Mul(s.Int(0), at(i, s.Recip(x)))),
			"difference": s.Add(s.Int(1), s.Sub(at(i, s.Recip(x)), at(i, s.Recip(x)))),
		} {
			require.Empty(t, accepted(s, quotient, b), name)
		}
		require.NotEmpty(t, accepted(s, quotient, s.Int(1), Fact{Nonzero, x}))
		if i != j {
			require.Empty(t, accepted(s, s.Mul(quotient, other), other))
		} else {
			require.NotEmpty(t, accepted(s, s.Mul(quotient, other), other))
		}
	})
}

// A condition on a size that a symbol leaves open fails, and so does its negation.
func TestOpenSizesDecideNothing(t *testing.T) {
	s := combinators.NewStore()
	for _, c := range []struct {
		rows, columns size.Size
		holds         map[string]bool
	}{
		{size.Sym("n"), size.Sym("m"), nil},
		{size.Sym("n"), size.Sym("n"), map[string]bool{"square(A)": true}},
		{size.Sym("n"), size.Sym("n").Add(size.Const(1)), map[string]bool{"not square(A)": true}},
		{size.Const(1), size.Sym("m"), map[string]bool{"unit(m)": true}},
		{size.Const(2), size.Const(1), map[string]bool{"not unit(m)": true, "not square(A)": true}},
		{size.Const(1), size.Const(1), map[string]bool{"unit(m)": true, "square(A)": true}},
	} {
		for _, condition := range []string{"unit(m)", "not unit(m)", "square(A)", "not square(A)"} {
			file, err := text.ParseRules(`rule r "" [A: R[m,n]] sin(A) => A when ` + condition)
			require.NoError(t, err)
			k, a := &checker{s: s, work: &work{}}, s.Var("A"+c.rows.String()+c.columns.String(), []size.Size{c.rows, c.columns})
			u := &Subst{Values: map[string]*Node{"A": a}, Sizes: map[string]size.Size{"m": c.rows, "n": c.columns}}
			w := file.Rules[0].When[0]
			ok := k.holds(w, u, newSigns(nil, k.work), a)
			require.Equal(t, c.holds[condition], ok != w.Not, "%s at %s x %s", condition, c.rows, c.columns)
		}
	}
}

// What a factor presumes stays where the powers of a whole sum are one: (x/x + y)^2 is not (1 + y)^2, nor is 0 what divides by 0.
func TestPowersOfSumsKeepWhatTheyPresume(t *testing.T) {
	s := combinators.NewStore()
	n := []size.Size{size.Sym("n")}
	x, y := s.Var("x", n), s.Var("y", n)
	quotient, sum := s.Add(s.Mul(x, s.Recip(x)), y), s.Add(s.Ones(n), y)
	square := s.Power(sum, s.Int(2).Rat())
	for _, f := range []func(*Node) *Node{func(a *Node) *Node { return a }, func(a *Node) *Node { return s.Unary(atom.Sin, a) }, s.Recip} {
		for _, pair := range [][2]*Node{{s.Mul(f(quotient), f(quotient)), s.Power(f(sum), s.Int(2).Rat())}, {s.Mul(f(quotient), f(sum)), s.Mul(f(sum), f(sum))}} {
			require.Empty(t, accepted(s, pair[0], pair[1]))
			require.Empty(t, accepted(s, pair[1], pair[0]))
			require.NotEmpty(t, accepted(s, pair[0], pair[1], Fact{Nonzero, x}, Fact{Nonzero, sum}))
		}
	}
	zero := s.Zero(n)
	for _, before := range []*Node{zero, s.Mul(zero, y)} {
		require.Empty(t, accepted(s, before, s.Mul(s.Recip(zero), s.Power(zero, s.Int(2).Rat()))))
		require.Empty(t, accepted(s, before, s.Mul(s.Recip(zero), s.Mul(zero, square))))
	}
}

// A factor by which a difference is multiplied has a value wherever both sides have one: exp(log(y)) (abs(y) - y) is 0, and abs(y) is not y.
func TestFactorsAreDefined(t *testing.T) {
	s := combinators.NewStore()
	n := []size.Size{size.Sym("n")}
	y, a := s.Var("y", n), s.Var("A", []size.Size{n[0], n[0]})
	k := &checker{s: s, work: &work{}}
	difference := s.Sub(s.Unary(atom.Abs, y), y)
	require.NotEmpty(t, k.products(s.Unary(atom.Exp, y), difference, newSigns(nil, k.work)))
	require.Empty(t, k.products(s.Unary(atom.Exp, s.Unary(atom.Log, y)), difference, newSigns(nil, k.work)))
	require.Empty(t, k.products(s.Inv(a), difference, newSigns(nil, k.work)))
	require.NotEmpty(t, k.products(s.Inv(a), difference, newSigns([]Fact{{Invertible, a}}, k.work)))
}

// Nor does a calculation go back by a step that widens: 0 log(X) is 0, but what is 0 elsewhere has its value off the diagonal of X, too.
// Else its end would presume more than its start does.
func TestCalculationsDoNotGoBack(t *testing.T) {
	s := combinators.NewStore()
	n := size.Sym("n")
	sh := []size.Size{n, n}
	x := s.Var("X", sh)
	zero := s.Zero(sh)
	trace := func(a *Node) *Node { return s.Einsum("ii->", a) }
	sum := func(a *Node) *Node { return s.Einsum("ij->", a) }
	for _, u := range []*Node{s.Unary(atom.Log, x), s.Recip(x), s.Power(x, s.Fraction(1, 2).Rat())} {
		none, abs := s.Mul(zero, u), s.Unary(atom.Abs, x)
		k := &checker{s: s, work: &work{}, symmetric: map[*Node]bool{}}
		k.native("zero", &Step{Before: Line{Nodes: []*Node{none}}, After: Line{Nodes: []*Node{zero}}})
		require.True(t, k.widens)
		start := s.Add(trace(none), sum(abs))
		for _, other := range []*Node{none, s.Mul(none, s.Mul(u, u)), s.Mul(zero, s.Unary(atom.Sin, u))} {
			c := newClosure(k.work, []*Node{start}, (*Node).Args, (*Node).With)
			c.step(none, zero, true)
			c.step(abs, s.Add(abs, zero), false)
			c.step(other, zero, true) // which the calculation has not come to
			c.step(zero, s.Mul(zero, s.Unary(atom.Exp, x)), false)
			require.True(t, c.follows([]*Node{start}, []*Node{s.Add(trace(zero), sum(s.Add(abs, zero)))}))
			require.True(t, c.follows([]*Node{start}, []*Node{s.Add(trace(zero), sum(abs))}))
			require.False(t, c.follows([]*Node{start}, []*Node{s.Add(trace(zero), sum(s.Add(abs, other)))}))
			require.False(t, c.follows([]*Node{start}, []*Node{start}))
		}
	}
}

// Nor does one on maps: 3 at each number becomes no 3 at each positive one.
func TestMapsDoNotGoBack(t *testing.T) {
	s := combinators.NewStore()
	one := combinators.TensorSpace(nil)
	log, w := s.AtomMap(atom.Log, 0, nil, nil, []*Node{nil}, [][]size.Size{nil}), s.Value(s.Int(3))
	always := s.ConstMap(one, w)
	first := s.Compose(always, log)
	rules, err := LoadRules(Source{"a.rules", "rule r [U V W, w: W, f: U -> V] K(w) . f => K(w) domain widened"})
	require.NoError(t, err)
	start, back := s.Product(first, always), s.Product(first, first)
	for end, ok := range map[Map]bool{s.Product(always, always): true, back: false} {
		k := &checker{Rules: rules, s: s, named: rules.files, work: &work{}, symmetric: map[*Node]bool{}}
		step := Step{Rule: "r", Before: Line{Map: &first}, After: Line{Map: &always}, Subst: Subst{Points: map[string]*Value{"w": w}, Maps: map[string]Map{"f": log}}}
		err := must.Try(func() { k.calculated(Line{Map: &start}, []Step{step}, Line{Map: &end}, false, StepError{}) })
		require.Equal(t, ok, err == nil, "%v", err)
	}
}
