package replay

import (
	"math/big"

	"frechet/combinators"
)

// guarding are the guards of the negative powers in a monomial, by their bases.
type guarding map[*Node]combinators.Guard

// alike are the monomials of a sum that are equal but for guards.
type alike struct {
	sum    *big.Rat
	guards []guarding
}

// factored reports whether the sum y is x with factors taken out that are one factor but for their
// guards, which are joined then. So each monomial of y is one of x, where each power has the guard
// that it had, or that one joined with another that a power of its base has in x.
func (z *algebra) factored(x, y []monomial) bool {
	before, ok := z.unguarded(x)
	after, also := z.unguarded(y)
	if !ok || !also || len(before) != len(after) {
		return false
	}
	has := map[*Node]map[combinators.Guard]bool{}
	for _, m := range before {
		for _, gs := range m.guards {
			for b, g := range gs {
				if has[b] == nil {
					has[b] = map[combinators.Guard]bool{}
				}
				has[b][g] = true
			}
		}
	}
	from := func(old, now guarding) bool {
		for b, g := range now {
			h, ok := old[b]
			if !ok {
				return false
			}
			found := g == h
			for other := range has[b] {
				found = found || g == joined([]combinators.Guard{h, other})
			}
			if !found {
				return false
			}
		}
		return len(old) == len(now)
	}
	for n, m := range after {
		l := before[n]
		if l == nil || l.sum.Cmp(m.sum) != 0 {
			return false
		}
		for _, now := range m.guards {
			found := false
			for _, old := range l.guards {
				found = found || from(old, now)
			}
			if !found {
				return false
			}
		}
	}
	return true
}

// unguarded counts monomials without the guards of their factors; false where a base has two.
func (z *algebra) unguarded(ms []monomial) (map[*Node]*alike, bool) {
	out := map[*Node]*alike{}
	for _, m := range ms {
		gs := guarding{}
		args := make([]*Node, len(m.args))
		for i, a := range m.args {
			args[i] = a
			if !a.Is("power") || a.Rat().Sign() > 0 {
				continue
			}
			if g, ok := gs[a.Arg(0)]; ok && g != a.Guard() {
				return nil, false
			}
			gs[a.Arg(0)] = a.Guard()
			args[i] = a.WithGuard(combinators.GuardNone)
		}
		n := z.core(monomial{m.coef, m.c, args})
		if out[n] == nil {
			out[n] = &alike{sum: new(big.Rat)}
		}
		out[n].sum.Add(out[n].sum, m.coef)
		out[n].guards = append(out[n].guards, gs)
	}
	return out, true
}
