package denote

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/gather"
	"frechet/einsum/size"
	"frechet/internal/must"
	"frechet/internal/words"
)

const (
	// maxRelation bounds the pairs of a relation that is given as a list.
	maxRelation = 10_000
	// maxOverlaps bounds the sets that a union of sets with letters is the signed sum of.
	maxOverlaps = 256
)

// relation reads what stands in red{...}: pairs of indices, counted from 0, each a list of the indices of
// x and then of y. An index is a number or an affine form in letters, which stand for all whole numbers
// for which the indices are in range and the conditions after a bar hold. Several such lists with
// conditions are parted by semicolons.
//
//	(red_R(v))_y = the sum of v_x over (x, y) in R
//
// R is a set: a pair that is listed twice is in it once, so that of sets that overlap
//
//	red_(A u B) = red_A + red_B - red_(A n B)
//
// Axes that the relation does not speak of come last and are kept.
func (r *mapReader) relation(src string, dom, cod []size.Size) (m combinators.Map) {
	var u *union
	must.Within(func() { u = r.union(src, dom, cod) }, "red{%s}", src)
	if u == nil || len(u.sets)+len(u.points) == 0 {
		return r.s.ZeroMap(combinators.TensorSpace(dom), combinators.TensorSpace(cod)).Map
	}
	for i, s := range append(u.sets, u.finish()...) {
		c, err := einsum.Relation{X: u.x, Dims: u.dims, Kept: u.kept, Eq: s.eq, Ge: s.ge, Own: s.own}.Contraction()
		if err != nil {
			panic(must.Errorf("red{%s}: %w", src, err))
		}
		one := r.s.EinMap(c, make([]*combinators.Node, 1))
		if s.minus {
			one = r.s.Compose(r.scaled(r.s.Int(-1), one.Cod()), one)
		}
		if i == 0 {
			m = one
		} else {
			m = r.s.SumMaps(m, one)
		}
	}
	return m
}

// union reads the sets of a relation; nil where it has none.
func (r *mapReader) union(src string, dom, cod []size.Size) (u *union) {
	count := 0
	for _, part := range strings.Split(src, ";") {
		head, conds, _ := strings.Cut(part, "|")
		tuples := tuplesOf(strings.TrimSpace(head))
		count += len(tuples)
		must.Hold(count <= maxRelation, "a relation of %d pairs; the limit is %d", count, maxRelation)
		for _, tuple := range tuples {
			if u == nil {
				u = newUnion(tuple, dom, cod)
			}
			for _, s := range r.affineSets(u, tuple, conds) {
				u.add(s)
			}
		}
	}
	return u
}

// An affineSet has the points t at which the forms eq are 0 and the forms ge at least 0. The variables
// are the indices of x and then those of y, each within its axis; own are those that are written as letters
// by themselves.
type affineSet struct {
	eq, ge []einsum.Affine
	own    []bool
}

type signedSet struct {
	affineSet
	minus bool
}

// A union is a signed sum of sets. Points, which do not overlap each other, are met with the sets when
// all of these are known.
type union struct {
	dims   []size.Size // of the axes of x and of y that the relation speaks of
	x      int         // how many of them are of x
	kept   []size.Size
	sets   []signedSet
	points []affineSet
	seen   map[string]bool
}

func newUnion(tuple []*text.Term, dom, cod []size.Size) *union {
	kept := len(dom) + len(cod) - len(tuple)
	must.Hold(kept >= 0 && kept%2 == 0 && kept/2 <= len(dom) && kept/2 <= len(cod), "%s for a map R%s -o R%s", words.Count(len(tuple), "index"), size.Shape(dom), size.Shape(cod))
	kept /= 2
	x, y := len(dom)-kept, len(cod)-kept
	must.Hold(slices.Equal(dom[x:], cod[y:]), "the axes that the relation keeps differ")
	return &union{dims: slices.Concat(dom[:x], cod[:y]), x: x, kept: dom[x:], seen: map[string]bool{}}
}

// empty reports whether no point is in the set, whatever the sizes are.
func (u *union) empty(s affineSet) bool {
	forms := slices.Clone(s.ge)
	for _, e := range s.eq {
		forms = append(forms, e, einsum.Affine{}.Plus(-1, e))
	}
	for v, d := range u.dims {
		forms = append(forms, gather.Bounds(einsum.Variable(v), d)...)
	}
	return gather.Empty(len(u.dims), forms)
}

// within reports whether all points of s are in t.
func (u *union) within(s, t affineSet) bool {
	if p, ok := u.point(s); ok {
		if in, known := t.has(p); known {
			return in
		}
	}
	misses := func(form einsum.Affine) bool { // a point of s with form >= 0
		return !u.empty(affineSet{eq: s.eq, ge: append(slices.Clone(s.ge), form)})
	}
	one := einsum.Affine{Off: size.Const(-1)}
	for _, f := range t.ge {
		if misses(one.Plus(-1, f)) {
			return false
		}
	}
	return !slices.ContainsFunc(t.eq, func(f einsum.Affine) bool { return misses(one.Plus(-1, f)) || misses(one.Plus(1, f)) })
}

// disjoint reports whether no point is in both sets, whatever the sizes are.
func (u *union) disjoint(s, t affineSet) bool {
	if p, ok := u.point(s); ok {
		if in, known := t.has(p); known {
			return !in
		}
	}
	return u.empty(s.and(t))
}

// has reports whether p, which is within the axes, is in the set; it is not known where a size decides.
func (s affineSet) has(p []int64) (in, known bool) {
	in = true
	for k, f := range slices.Concat(s.eq, s.ge) {
		total := f.Off
		for _, t := range f.Terms {
			total = total.Add(size.Const(t.Coef).Mul(size.Const(p[t.Var])))
		}
		value, ok := total.Int()
		if !ok {
			return false, false
		}
		in = in && value >= 0 && (value == 0 || k >= len(s.eq))
	}
	return in, true
}

func (s affineSet) and(t affineSet) affineSet {
	return affineSet{slices.Concat(s.eq, t.eq), slices.Concat(s.ge, t.ge), s.own}
}

// add adds a set to the union.
func (u *union) add(s affineSet) {
	if p, ok := u.point(s); ok {
		if key := fmt.Sprint(p); !u.seen[key] {
			u.seen[key] = true
			u.points = append(u.points, s)
		}
		return
	}
	for _, t := range u.sets {
		if !t.minus && u.within(s, t.affineSet) {
			return
		}
	}
	added := u.without(s)
	if u.sets = append(u.sets, added...); len(u.sets) > maxOverlaps {
		panic(must.Errorf("a union of more than %d sets, with those in which they overlap", maxOverlaps))
	}
}

// point is the one point of s, where each index is a number.
func (u *union) point(s affineSet) (p []int64, ok bool) {
	if len(s.eq) != len(u.dims) || len(s.ge) > 0 {
		return nil, false
	}
	p = slices.Repeat([]int64{-1}, len(u.dims))
	for _, e := range s.eq {
		off, known := e.Off.Int()
		if !known || len(e.Terms) != 1 {
			return nil, false
		}
		t := e.Terms[0]
		if p[t.Var] >= 0 || t.Coef != 1 && t.Coef != -1 || -off*t.Coef < 0 {
			return nil, false // two equalities say of one index what it is, or one is no index
		}
		p[t.Var] = -off * t.Coef
	}
	return p, true
}

// without is s without the sets of the union: s - (s n A) - ... where these are not empty.
func (u *union) without(s affineSet) []signedSet {
	out := []signedSet{{s, false}}
	for _, t := range u.sets {
		if !u.disjoint(s, t.affineSet) {
			out = append(out, signedSet{s.and(t.affineSet), !t.minus})
		}
	}
	return out
}

// finish are the points that no set has, without those that it may have for some sizes.
func (u *union) finish() (out []signedSet) {
next:
	for _, p := range u.points {
		for _, t := range u.sets {
			if !t.minus && u.within(p, t.affineSet) {
				continue next
			}
		}
		out = append(out, u.without(p)...)
	}
	return out
}

// affineSets are the points of one list of indices under the conditions: one set, or several where a
// condition is an inequality with two sides, i != j.
//
// A letter is eliminated by an index or an equality in which its coefficient is 1 or -1: it then is a
// whole number for all whole indices, and one alone.
func (r *mapReader) affineSets(u *union, tuple []*text.Term, conds string) (out []affineSet) {
	must.Hold(len(tuple) == len(u.dims), "lists of %d and of %s", len(u.dims), words.Count(len(tuple), "index"))
	alternatives := conditions(conds)
	letters := map[string]int{}
	for _, form := range tuple {
		r.collect(form, letters, len(tuple))
	}
	for _, conds := range alternatives {
		var s affineSet
		for v, form := range tuple {
			f := r.form(form, letters)
			if n, number := f.Off.Int(); number && len(f.Terms) == 0 {
				if d, known := u.dims[v].Int(); n < 0 || !known || n >= d {
					panic(must.Errorf("the index %s is not in range: it is at least 0 and below %s", form, u.dims[v]))
				}
			}
			_, letter := f.Var()
			s.own = append(s.own, letter)
			s.eq = append(s.eq, einsum.Variable(v).Plus(-1, f))
		}
		for _, c := range conds {
			f := r.form(c.Form, letters)
			if c.Zero {
				s.eq = append(s.eq, f)
			} else {
				s.ge = append(s.ge, f)
			}
		}
		d, left := must.Get2(einsum.Relation{Eq: s.eq, Ge: s.ge}.Determine(len(tuple)))
		for name, v := range letters {
			must.Hold(v != left, "%s is not determined by the indices: one of them, such as i or k - 2*i, must have it with the coefficient 1 or -1", name)
		}
		s = affineSet{d.Eq, d.Ge, s.own}
		if _, ok := u.point(s); ok || !u.empty(s) {
			out = append(out, s)
		}
	}
	return out
}

// collect gives the letters of an index numbers from next on: the names that are no sizes, and those
// that are an index by themselves.
func (r *mapReader) collect(form *text.Term, letters map[string]int, next int) {
	text.Walk(form, func(t *text.Term) bool {
		if t.Op == text.Name && len(t.Attrs) == 0 && (t == form || !r.env.hasSize(t.Name)) {
			if _, ok := letters[t.Name]; !ok {
				letters[t.Name] = next + len(letters)
			}
		}
		return t.Op != text.Call
	})
}

// form is an affine form in the letters; other names are sizes.
func (r *mapReader) form(t *text.Term, letters map[string]int) (f einsum.Affine) {
	for _, name := range namesIn(t) {
		if _, ok := letters[name]; !ok && !r.env.hasSize(name) {
			panic(must.Errorf("%s is no index of the relation, and no size", name))
		}
	}
	return r.affine(r.withSizes(t, letters), letters)
}

func namesIn(t *text.Term) (names []string) {
	text.Walk(t, func(t *text.Term) bool {
		if t.Op == text.Name && len(t.Attrs) == 0 {
			names = append(names, t.Name)
		}
		return t.Op != text.Call
	})
	return names
}

// withSizes marks the names in an affine form that are sizes and no indices: n-1-i.
func (r *mapReader) withSizes(t *text.Term, letters map[string]int) *text.Term {
	if t.Op == text.Name && len(t.Attrs) == 0 && r.env.hasSize(t.Name) {
		if _, ok := letters[t.Name]; !ok {
			return text.NewCall("size", t)
		}
	}
	if len(t.Args) == 0 || t.Op == text.Call {
		return t
	}
	u := *t
	u.Args = make([]*text.Term, len(t.Args))
	for i, a := range t.Args {
		u.Args[i] = r.withSizes(a, letters)
	}
	return &u
}
