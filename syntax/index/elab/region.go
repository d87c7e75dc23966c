package elab

import (
	"slices"
	"strings"

	"frechet/einsum"
	"frechet/einsum/integer"
	"frechet/einsum/size"
)

// region is a set of index values: 0 <= v < sizes[v] for the variables of vars, and the
// conditions, each of eq being 0 and each of ge at least 0.
type region struct {
	sizes  []size.Size // by variable
	eq, ge []einsum.Affine
	live   []int // the variables that there are
}

// extreme is the least value of a form over the boxes of its variables, or the largest.
// Where sizes are symbols it is a polynomial that is right for sizes of at least 1.
func extreme(f einsum.Affine, sizes []size.Size, least bool) size.Size {
	out := f.Off
	for _, t := range f.Terms {
		if (t.Coef < 0) == least {
			out = out.Add(size.Const(t.Coef).Mul(sizes[t.Var].Sub(size.Const(1))))
		}
	}
	return out
}

// implied reports whether the boxes alone give f >= 0.
func implied(f einsum.Affine, sizes []size.Size) bool { return extreme(f, sizes, true).Nonnegative() }

// maxRows bounds Fourier-Motzkin elimination.
const maxRows = 400

// eliminate projects the region along the variables of gone: it gives conditions on the
// others that hold wherever some values of these variables satisfy all. The projection
// is over the rationals, so it may be a little too large. ok is false where it got too
// long; the conditions that hold none of these variables are then given.
func (r region) eliminate(gone []int) (rows []einsum.Affine, ok bool) {
	rows = slices.Clone(r.ge)
	for _, a := range r.eq {
		rows = append(rows, a, einsum.Affine{}.Plus(-1, a))
	}
	within := func(rows []einsum.Affine) (out []einsum.Affine) {
		for _, a := range rows {
			if !slices.ContainsFunc(a.Terms, func(t einsum.Term) bool { return slices.Contains(gone, t.Var) }) {
				out = append(out, a)
			}
		}
		return out
	}
	first := within(rows)
	for _, v := range gone {
		var keep, up, down []einsum.Affine
		for _, a := range rows {
			switch c := a.Coef(v); {
			case c == 0:
				keep = append(keep, a)
			case c > 0:
				up = append(up, a)
			default:
				down = append(down, a)
			}
		}
		if len(up)+len(down) == 0 {
			continue
		}
		// 0 <= v < size
		up = append(up, einsum.Variable(v))
		down = append(down, einsum.Affine{Off: r.sizes[v].Sub(size.Const(1))}.Plus(-1, einsum.Variable(v)))
		if len(keep)+len(up)*len(down) > maxRows {
			return first, false
		}
		for _, a := range up {
			for _, b := range down {
				p, q := a.Coef(v), -b.Coef(v)
				g := gcd(p, q)
				c, small := tight(scale(q/g, a).Plus(p/g, b))
				if !small {
					return first, false
				}
				if !implied(c, r.sizes) && !slices.ContainsFunc(keep, func(d einsum.Affine) bool { return same(c, d) }) {
					keep = append(keep, c)
				}
			}
		}
		rows = keep
	}
	return rows, true
}

func same(a, b einsum.Affine) bool { return a.Off == b.Off && slices.Equal(a.Terms, b.Terms) }

func scale(k int64, a einsum.Affine) einsum.Affine {
	if k == 1 {
		return a
	}
	return einsum.Affine{}.Plus(k, a)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// tight divides a condition f >= 0 by the common divisor of its coefficients, the offset
// rounded down since values are whole. It reports false where coefficients get large.
func tight(a einsum.Affine) (einsum.Affine, bool) {
	g := int64(0)
	for _, t := range a.Terms {
		if t.Coef > 1<<30 || t.Coef < -1<<30 {
			return a, false
		}
		g = gcd(g, t.Coef)
	}
	off, ok := a.Off.Int()
	if g <= 1 || !ok {
		return a, true
	}
	out := einsum.Affine{Off: size.Const(floorDiv(off, g))}
	for _, t := range a.Terms {
		out.Terms = append(out.Terms, einsum.Term{Var: t.Var, Coef: t.Coef / g})
	}
	return out, true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// verdict is what is known of a claim about all points of a region.
type verdict uint8

const (
	proved  verdict = iota
	refuted         // wherever the region has points, which it has for large sizes, one of them breaks the claim
	open            // depends on size symbols, or is too hard to decide
)

// prove decides f >= 0 on the region, and gives a point that breaks it, by variable,
// where there are numbers alone. Size symbols are unknowns of at least 0 here, and so are
// products of them: what holds for all their values is proved, and what holds for none that
// leave the region a point is refuted; what is between may hold for those that come.
func (r region) prove(f einsum.Affine) (verdict, map[int]int64) {
	if implied(f, r.sizes) {
		return proved, nil
	}
	v, point := r.decide(f, r.connected(f))
	if v == refuted {
		// What has nothing to do with f may still make the region empty.
		all := slices.Clone(r.live)
		for v := range r.sizes {
			if !slices.Contains(all, v) && slices.ContainsFunc(append(slices.Clone(r.eq), r.ge...), func(a einsum.Affine) bool { return a.Coef(v) != 0 }) {
				all = append(all, v)
			}
		}
		for _, t := range f.Terms {
			if !slices.Contains(all, t.Var) {
				all = append(all, t.Var)
			}
		}
		slices.Sort(all)
		v, point = r.decide(f, all)
	}
	return v, point
}

// A rowing writes forms as rows over the variables and the products of symbols that stand in them.
type rowing struct {
	vars    map[int]int // columns
	symbols map[string]int
}

func (w *rowing) see(d size.Size) {
	for _, m := range d.Monomials() {
		name := strings.Join(m.Symbols, "*")
		if _, seen := w.symbols[name]; !seen && name != "" {
			w.symbols[name] = len(w.vars) + len(w.symbols)
		}
	}
}

func (w *rowing) width() int { return len(w.vars) + len(w.symbols) }

// row is sign times a.
func (w *rowing) row(a einsum.Affine, sign int64) []integer.Int {
	out := make([]integer.Int, w.width()+1)
	for _, t := range a.Terms {
		out[w.vars[t.Var]] = integer.New(sign * t.Coef)
	}
	for _, m := range a.Off.Monomials() {
		at := w.width()
		if len(m.Symbols) > 0 {
			at = w.symbols[strings.Join(m.Symbols, "*")]
		}
		out[at] = out[at].Add(integer.New(sign).Mul(integer.FromBig(m.Coef)))
	}
	return out
}

// system is the region of the variables vars, as far as conditions hold any of them; f is a form whose symbols stand in it.
func (r region) system(f einsum.Affine, vars []int) (*integer.System, *rowing) {
	w := &rowing{map[int]int{}, map[string]int{}}
	for i, v := range vars {
		w.vars[v] = i
	}
	touching := func(forms []einsum.Affine) []einsum.Affine {
		return slices.DeleteFunc(slices.Clone(forms), func(a einsum.Affine) bool { return !touches(a, vars) })
	}
	ge, eq := touching(r.ge), touching(r.eq)
	for _, a := range slices.Concat([]einsum.Affine{f}, ge, eq) {
		w.see(a.Off)
	}
	for _, v := range vars {
		w.see(r.sizes[v])
	}
	s := &integer.System{N: w.width()}
	for _, v := range vars {
		s.AtLeast(w.row(einsum.Variable(v), 1))
		s.AtLeast(w.row(einsum.Affine{Off: r.sizes[v].Sub(size.Const(1))}.Plus(-1, einsum.Variable(v)), 1))
	}
	for i := len(vars); i < s.N; i++ { // symbols are at least 0
		unit := make([]integer.Int, s.N+1)
		unit[i] = integer.New(1)
		s.AtLeast(unit)
	}
	for _, a := range ge {
		s.AtLeast(w.row(a, 1))
	}
	for _, a := range eq {
		s.Zero(w.row(a, 1))
	}
	return s, w
}

// decide is prove with the variables vars, and the conditions that hold any of them.
func (r region) decide(f einsum.Affine, vars []int) (verdict, map[int]int64) {
	s, w := r.system(f, vars) // the region; later the points that break the claim
	all := s.Clone()
	against := w.row(f, -1) // -f - 1 >= 0
	against[s.N] = against[s.N].Add(integer.New(-1))
	s.AtLeast(against)
	if len(w.symbols) > 0 {
		switch some, err := s.Feasible(); {
		case err != nil:
			return open, nil
		case !some:
			return proved, nil
		case inLarge(all, len(vars)) && always(all, s, len(vars)):
			return refuted, nil
		}
		return open, nil
	}
	x, some, err := s.Point()
	switch {
	case err != nil:
		return open, nil
	case !some:
		return proved, nil
	}
	point := map[int]int64{}
	for i, v := range vars {
		n, ok := x[i].Int64()
		if !ok {
			return refuted, nil
		}
		point[v] = n
	}
	return refuted, point
}

// largeSize is above all sizes that conditions with usual constants single out.
const largeSize = 1 << 20

// inLarge reports whether a region has points where all sizes, its unknowns from n on, are large: one that is empty
// there, as i from p - 4 to -1, is left to the sizes that come.
func inLarge(all *integer.System, n int) bool {
	large := all.Clone()
	for i := n; i < large.N; i++ {
		row := make([]integer.Int, large.N+1)
		row[i], row[large.N] = integer.New(1), integer.New(-largeSize)
		large.AtLeast(row)
	}
	some, err := large.Feasible()
	return some || err != nil
}

// always reports whether some point of bad has the sizes that any point of all has: the first n
// variables are the point, the others its sizes. The projection of bad along the first is a
// system for sizes, and all must imply each of its rows.
func always(all, bad *integer.System, n int) bool {
	sizes, exact := bad.Project(n)
	if !exact {
		return false
	}
	for _, r := range sizes.Rows {
		without := all.Clone()
		without.AtLeast(integer.Not(r))
		if some, err := without.Feasible(); some || err != nil {
			return false
		}
	}
	return true
}

func touches(a einsum.Affine, vars []int) bool {
	return len(a.Terms) == 0 || slices.ContainsFunc(a.Terms, func(t einsum.Term) bool { return slices.Contains(vars, t.Var) })
}

// connected lists the variables that f meets through conditions.
func (r region) connected(f einsum.Affine) (vars []int) {
	add := func(a einsum.Affine) (grew bool) {
		for _, t := range a.Terms {
			if !slices.Contains(vars, t.Var) {
				vars = append(vars, t.Var)
				grew = true
			}
		}
		return grew
	}
	add(f)
	for grew := true; grew; {
		grew = false
		for _, a := range append(slices.Clone(r.ge), r.eq...) {
			if slices.ContainsFunc(a.Terms, func(t einsum.Term) bool { return slices.Contains(vars, t.Var) }) {
				grew = add(a) || grew
			}
		}
	}
	slices.Sort(vars)
	return vars
}
