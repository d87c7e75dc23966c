package reading

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// kept are values that are not multiplied out: each is a variable while factors are looked for.
type kept struct {
	store  *combinators.Store
	named  *Node   // the value in which they are
	vars   []*Node // a variable for each
	values []*Node // which may have earlier variables
}

// What is kept: sums of numbers, in places; sums and products below a fraction bar, too; and sums that stand in several places,
// and symmetric ones.
const (
	keepNumbers = iota
	keepFractions
	keepSums
)

// keep is n with what is to be kept as variables.
func keep(n *Node, most int) *kept {
	k := &kept{store: n.Store()}
	uses, below := combinators.Uses(n), map[*Node]bool{}
	order := combinators.Topo(n)
	open := combinators.Symbolic(order)
	for _, m := range order {
		if most >= keepFractions && m.Is(atom.Power) && m.Rat().Sign() < 0 {
			below[m.Arg(0)] = true
		}
	}
	k.named = combinators.Rebuild([]*Node{n}, func(a *Node, args []*Node) *Node {
		b := a.With(args)
		if !a.Is(atom.Add) && !(a.Ein() != nil && below[a]) || !below[a] && open[a] && !(most == keepSums && (uses[a] > 1 || symmetrized(a) != nil)) {
			return b
		}
		v := k.store.Fresh("v", a.Shape())
		k.vars, k.values = append(k.vars, v), append(k.values, b)
		return v
	})[0]
	return k
}

// back is m with the values for their variables.
func (k *kept) back(m *Node) *Node {
	for i, v := range slices.Backward(k.vars) {
		m = combinators.Rebuild([]*Node{m}, func(a *Node, args []*Node) *Node {
			if a == v {
				return k.values[i]
			}
			return a.With(args)
		})[0]
	}
	return m
}

// value is that for which a variable stands; else n.
func (k *kept) value(n *Node) *Node {
	if i := slices.Index(k.vars, n); i >= 0 {
		return k.values[i]
	}
	return n
}

// symmetric gives the variable of A + A' for the matrix A; nil where there is none.
func (k *kept) symmetric(a *Node) *Node {
	for i, s := range k.values {
		if part := symmetrized(s); part != nil && part == a {
			return k.vars[i]
		}
	}
	return nil
}

// symmetrized is A where s is A + A'; else nil.
func symmetrized(s *Node) *Node {
	if !s.Is(atom.Add) || s.Order() != 2 {
		return nil
	}
	for j, a := range s.Args() {
		t := s.Arg(1 - j)
		if t.Ein() == nil || len(t.Args()) != 1 || t.Arg(0) != a {
			continue
		}
		if in, out, plain := t.Ein().IsPlain(); plain && out[0] != out[1] && in[0][0] == out[1] && in[0][1] == out[0] {
			return a
		}
	}
	return nil
}
