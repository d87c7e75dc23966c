package proof

import (
	"maps"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// factored reports whether the sum y is x with factors taken out that are one factor but for their
// guards, which are joined then. So each monomial of y is one of x, where each negative power has
// the guard that it had, or that one joined with another that a power of its base has in x. What
// cancels but for guards has vanished.
func (z *algebra) factored(x, y *form) bool {
	has := map[*Node][]combinators.Guard{} // by base
	for _, m := range x.terms {
		for _, a := range m.args {
			if inverted(a) && !slices.Contains(has[a.Arg(0)], a.Guard()) {
				has[a.Arg(0)] = append(has[a.Arg(0)], a.Guard())
			}
		}
	}
	may := map[*Node]bool{}
	for _, m := range x.terms {
		if !z.joins(m, 0, has, may) {
			return false
		}
	}
	for _, m := range y.terms {
		if !may[z.core(m)] {
			return false
		}
	}
	before, after := z.unguarded(x), z.unguarded(y)
	if len(before) != len(after) {
		return false
	}
	for n, sum := range before {
		if other := after[n]; other == nil || other.Cmp(sum) != 0 {
			return false
		}
	}
	return true
}

// maxJoins bounds the guards that are tried.
const maxJoins = 4096

// joins notes what m may be with joined guards, from its k-th factor on; false where that is too much.
func (z *algebra) joins(m monomial, k int, has map[*Node][]combinators.Guard, may map[*Node]bool) bool {
	for k < len(m.args) && !inverted(m.args[k]) {
		k++
	}
	if k == len(m.args) {
		z.work.add(1 + len(m.args))
		may[z.core(m)] = true
		return len(may) <= maxJoins
	}
	a := m.args[k]
	var guards []combinators.Guard
	for _, g := range has[a.Arg(0)] {
		if g = joined([]combinators.Guard{a.Guard(), g}); !slices.Contains(guards, g) {
			guards = append(guards, g)
		}
	}
	for _, g := range guards {
		args := slices.Clone(m.args)
		args[k] = a.WithGuard(g)
		if !z.joins(monomial{m.coef, m.c, args, m.pays}, k+1, has, may) {
			return false
		}
	}
	return true
}

// inverted: a is a power that can be infinite.
func inverted(a *Node) bool { return a.Is(atom.Power) && a.Rat().Sign() < 0 }

// unguarded counts the monomials of f without the guards of their factors; those that cancel vanish from it.
func (z *algebra) unguarded(f *form) map[*Node]*big.Rat {
	out := map[*Node]*big.Rat{}
	alike := func(m monomial) *Node {
		args := slices.Clone(m.args)
		for i, a := range args {
			if inverted(a) {
				args[i] = a.WithGuard(combinators.GuardNone)
			}
		}
		return z.core(monomial{m.coef, m.c, args, m.pays})
	}
	for _, m := range f.terms {
		n := alike(m)
		if out[n] == nil {
			out[n] = new(big.Rat)
		}
		out[n].Add(out[n], m.coef)
	}
	z.lost = f.lost
	f.terms = slices.DeleteFunc(slices.Clone(f.terms), func(m monomial) bool {
		gone := out[alike(m)].Sign() == 0
		if gone {
			z.vanish(m)
		}
		return gone
	})
	f.lost = z.lost
	maps.DeleteFunc(out, func(_ *Node, sum *big.Rat) bool { return sum.Sign() == 0 })
	return out
}
