package elab

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax/index"
)

// bind brings the index of a sum into scope, with its range, and the conditions that
// its bounds are; it returns what takes them out again. In a dry walk a range that
// hangs on an unknown one is unknown too.
//
// Where both bounds differ by a size, the index is lower + t for 0 <= t < size. Else it
// is counted from a lower bound of its lower bound, and the bounds are conditions.
func (e *elaborator) bind(x *index.Expr, dry bool) (back func()) {
	if old, ok := e.scope[x.Name]; ok {
		what := "is an index already"
		if v := old.Terms; len(v) > 0 && v[len(v)-1].Var < len(e.def.Indices) {
			what = "is an index of " + e.def.Name.Name
		}
		e.fail(e.errorf("I003", x.At, "%s %s, so a sum cannot bind it here", x.Name, what).Helpf("choose another name for the index of the sum"))
	}
	if _, ok := e.env.Size(x.Name); ok {
		e.fail(e.errorf("I003", x.At, "%s is a size, so a sum cannot bind it", x.Name).Helpf("choose another name for the index of the sum"))
	}
	lo, hi := e.bounds(x.Args[0], true), e.bounds(x.Args[1], false)
	eq, ge := len(e.eq), len(e.ge)
	back = func() {
		delete(e.scope, x.Name)
		e.eq, e.ge = e.eq[:eq], e.ge[:ge]
	}
	one := size.Const(1)
	if dry {
		for _, r := range append(slices.Clone(lo), hi...) {
			if slices.ContainsFunc(r.num.Terms, func(t einsum.Term) bool { return !e.vars[t.Var].known }) {
				e.scope[x.Name] = einsum.Variable(e.declare(x.Name, size.Size{}, false))
				return back
			}
		}
	}
	if len(lo) == 1 && len(hi) == 1 && lo[0].den == 1 && hi[0].den == 1 {
		if d := hi[0].num.Plus(-1, lo[0].num); len(d.Terms) == 0 {
			v := e.declare(x.Name, atLeastZero(d.Off.Add(one)), true)
			e.scope[x.Name] = einsum.Variable(v).Plus(1, lo[0].num)
			return back
		}
	}
	from, to := e.hull(lo, true), e.hull(hi, false)
	v := e.declare(x.Name, atLeastZero(to.Sub(from).Add(one)), true)
	k := einsum.Variable(v).Plus(1, einsum.Affine{Off: from})
	e.scope[x.Name] = k
	if len(lo) == 1 && len(hi) == 1 && lo[0].den == hi[0].den && same(lo[0].num, hi[0].num) {
		e.eq = append(e.eq, above(lo[0], k)) // ceil(a/d) <= k <= floor(a/d) is d*k = a
		return back
	}
	for _, r := range lo {
		e.assume(above(r, k))
	}
	for _, r := range hi {
		e.assume(scale(-1, above(r, k)))
	}
	return back
}

// above is den*k - num, which is at least 0 where k is at least the ratio.
func above(r ratio, k einsum.Affine) einsum.Affine { return scale(r.den, k).Plus(-1, r.num) }

// assume adds a condition that is not implied by the ranges.
func (e *elaborator) assume(f einsum.Affine) {
	if !implied(f, e.sizes) {
		e.ge = append(e.ge, f)
	}
}

func atLeastZero(s size.Size) size.Size {
	if n, ok := s.Int(); ok && n < 0 {
		return size.Size{}
	}
	return s
}

// hull is a size that is at most the largest of the ratios, for all values of the
// indices in them, rounded up, or for an upper bound at least the least rounded down:
// numbers rather than symbols, and the tightest of these.
func (e *elaborator) hull(rs []ratio, lower bool) size.Size {
	var best size.Size
	have := false
	for _, r := range rs {
		s := extreme(r.num, e.sizes, lower)
		if n, ok := s.Int(); ok {
			if lower {
				s = size.Const(-floorDiv(-n, r.den))
			} else {
				s = size.Const(floorDiv(n, r.den))
			}
		} else if r.den > 1 {
			s = oneSided(s, lower)
		}
		if !have {
			best, have = s, true
			continue
		}
		_, bestNumber := best.Int()
		_, number := s.Int()
		d, comparable := s.Sub(best).Int()
		if comparable && (d > 0) == lower && d != 0 || !comparable && number && !bestNumber {
			best = s
		}
	}
	return best
}

// oneSided keeps the negative terms of a polynomial, or the positive ones: a bound of
// its quotients by whole numbers from 1.
func oneSided(s size.Size, lower bool) size.Size {
	out := size.Size{}
	for _, m := range s.Monomials() {
		if (m.Coef.Sign() < 0) != lower || !m.Coef.IsInt64() {
			continue
		}
		t := size.Const(m.Coef.Int64())
		for _, name := range m.Symbols {
			t = t.Mul(size.Sym(name))
		}
		out = out.Add(t)
	}
	return out
}
