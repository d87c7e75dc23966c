package denote

import (
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// maxComponents bounds the components that an array is taken for.
const maxComponents = 1 << 10

// fitted is the map that t denotes, brought to the spaces that are wanted by isometries: an array of
// numeric length k stands for a tuple of k components and the other way round, R[2,n] for R[n] x R[n], and
// a tuple for the array of its pieces, R[m] x R[n] for R[m+n], where both spaces are known.
func (r *mapReader) fitted(t *text.Term, w want) (m combinators.Map) {
	if err := r.try(func() { m = r.match.oneTerm(t, w) }); err != nil {
		// what takes or gives a tuple, where an array is wanted
		v := want{tuple(w.dom), tuple(w.cod)}
		if !takesTuples(t) || v == w || r.try(func() { m = r.match.oneTerm(t, v) }) != nil {
			panic(must.Error(err))
		}
	}
	if w.dom != nil && !m.Dom().Equal(*w.dom) {
		if l, ok := r.s.Isometry(*w.dom, m.Dom()); ok {
			m = r.after(m, l.Map)
		}
	}
	if w.cod != nil && !m.Cod().Equal(*w.cod) {
		if l, ok := r.s.Isometry(m.Cod(), *w.cod); ok {
			m = r.after(l.Map, m)
		}
	}
	return m
}

// after is g . f, where one may be the identity.
func (r *mapReader) after(g, f combinators.Map) combinators.Map {
	switch {
	case f.Op() == combinators.MapID:
		return g
	case g.Op() == combinators.MapID:
		return f
	}
	return r.s.Compose(g, f)
}

// takesTuples: a projection, an injection, a product, a copairing or a name, which may take or give a tuple.
func takesTuples(t *text.Term) bool {
	switch t.Op {
	case text.Name, text.Product, text.Copair, text.Ein, text.Mul, text.Call:
		return true
	}
	return false
}

// tuple is the space of tuples that an array of numeric length stands for, the space itself where it is none.
func tuple(u *combinators.Space) *combinators.Space {
	if u == nil || u.IsProduct() || len(u.Shape()) == 0 {
		return u
	}
	n, ok := u.Shape()[0].Int()
	if !ok || n < 1 || n > maxComponents {
		return u
	}
	parts := lists.Make(int(n), func(k int) combinators.Space { return combinators.TensorSpace(u.Shape()[1:]) })
	return spaceOf(combinators.ProductSpace(parts...))
}
