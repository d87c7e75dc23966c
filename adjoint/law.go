package adjoint

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/einsum/size"
)

// A graph of values shares: a variable or a value is used in several places, and outputs are several.
// There the walk over the graph takes the place of projections, pairings, constants and copowers. What
// it does there is what the rules make of these, of unknown maps; each is worked out once.

// A law is one of these. Its result has a tensor for each of its inputs, or for the one input several:
// counts has how often the input is in each, and no other input is in it.
type law struct{ counts []int }

type lawName uint8

const (
	ofVariable  lawName = iota // D(id)(x) t = t
	ofVariables                // D(pi1)(x) (t, _) = t
	ofConstant                 // D(K(w))(x) t = 0
	ofOutputs                  // D(<f, g>)(x) t = (D(f)(x) t, D(g)(x) t)
	toVariable                 // adjoint(id) w = w
	toVariables                // adjoint(pi1) w = (w, 0)
	toConstant                 // adjoint(0) w = 0
	toUses                     // adjoint(<f, g>) (v, w) = adjoint(f) v + adjoint(g) w
	toAddends                  // adjoint(f + g) w = adjoint(f) w + adjoint(g) w
	alongAxes                  // adjoint(f^[X]) = adjoint(f)^[X]
	lawCount
)

// law works a law out. An error, for [Recover], names the rule that is missing.
func (c *Calculus) law(name lawName) []int {
	l := &c.laws[name]
	l.once.Do(func() {
		defer Recover(&l.err)
		l.counts = c.findLaw(name)
	})
	return Must(l.counts, l.err)
}

func (c *Calculus) findLaw(name lawName) []int {
	s := combinators.NewStore()
	v := combinators.TensorSpace(nil)
	u := combinators.ProductSpace(v, v)
	x1, x2 := s.Value(s.Var("x1", nil)), s.Value(s.Var("x2", nil))
	x := s.Tuple(x1, x2)
	t, w := s.Var("t", nil), s.Var("w", nil)
	linear := func(m combinators.Map) combinators.PointFreeLinear {
		l, ok := m.Linear()
		if !ok {
			panic(fmt.Sprintf("adjoint: law %d is of no linear map", name))
		}
		return l
	}
	var l combinators.PointFreeLinear
	at := x
	before := []combinators.Map{s.Unknown(u, x1), s.Unknown(u, x2)}
	if name >= toVariable {
		before = []combinators.Map{s.UnknownLinear(u, x1).Map, s.UnknownLinear(u, x2).Map}
	}
	arg, inputs := s.Value(t), []*Node{t}
	both := s.Tuple(s.Value(t), s.Value(w))
	switch name {
	case ofVariable:
		l, at, before = s.Derivative(s.ID(v).Map, x1), x1, nil
	case ofVariables:
		l, arg, before = s.Derivative(s.Proj(u, 0).Map, x), both, nil
	case ofConstant:
		l, at, before = s.Derivative(s.ConstMap(v, x2), x1), x1, nil
	case ofOutputs:
		l, arg, inputs = s.Derivative(s.Pair(before...), x), both, []*Node{t, w}
	case toVariable:
		l, before = s.Adjoint(s.ID(v)), nil
	case toVariables:
		l, before = s.Adjoint(s.Proj(u, 0)), nil
	case toConstant:
		l, before = s.Adjoint(s.ZeroMap(v, v)), nil
	case toUses:
		l, arg, inputs = s.Adjoint(linear(s.Pair(before...))), both, []*Node{t, w}
	case toAddends:
		l = s.Adjoint(linear(s.SumMaps(before[0], before[1])))
	case alongAxes:
		axes := []size.Size{size.Sym("k")}
		t = s.Var("ts", axes)
		arg, inputs = s.Value(t), []*Node{t}
		before = before[:1]
		l = s.Adjoint(linear(s.Copower(before[0], axes)))
	}
	var counts []int
	for i, n := range c.apply(l, at, before, arg, &Law{}).Leaves() {
		own := inputs[min(i, len(inputs)-1)]
		count := 0
		for _, a := range addends(n) {
			if a != own {
				panic(failed{&Error{fmt.Sprintf("%s is not as the rules have it where values are shared: only multiples of cotangents and tangents can be", name)}})
			}
			count++
		}
		counts = append(counts, count)
	}
	return counts
}

func (n lawName) String() string {
	return [...]string{"D(id)(x)", "D(pi1)(x)", "D(K(w))(x)", "D(<f, g>)(x)", "adjoint(id)", "adjoint(pi1)", "adjoint(0)",
		"adjoint(<f, g>)", "adjoint(f + g)", "adjoint(f^[X])"}[n]
}

// times is n so many times; nil is zero.
func times(s *combinators.Store, count int, n *Node) *Node {
	switch {
	case count == 0 || n == nil:
		return nil
	case count == 1:
		return n
	}
	return s.Scale(s.Int(int64(count)), n)
}

// Additive reports whether the steps of a linear map may be composed before they are transposed: sums hand
// their cotangents on, and values used several times add theirs up. So it is by the shipped rules. The error
// names the rule that is missing.
func (c *Calculus) Additive() (ok bool, err error) {
	defer Recover(&err)
	return slices.Equal(c.law(toAddends), plainly) && slices.Equal(c.law(toUses), plainly), nil
}
