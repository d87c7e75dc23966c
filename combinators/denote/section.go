package denote

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// contracted reads the sections of Elsman et al., section 3.2, without indices: for v in W (x) V the map
// (v *) : V (x) U -o W (x) U, and for w in V (x) U the map (* w) : W (x) V -o W (x) U. How many axes V has
// the orders of both spaces say; where the space of the result is not known, it is one, as in products of
// matrices and vectors, and none where one side is a number.
func (r *mapReader) contracted(t *text.Term, w want) (m combinators.Map) {
	fixed := r.fixed(t.Args)
	must.Hold(w.dom != nil, "%s: the space of what is open is not known", t)
	return r.contractedOn(t, fixed, *w.dom, w.cod)
}

func (r *mapReader) contractedOn(t *text.Term, fixed []*combinators.Node, dom combinators.Space, cod *combinators.Space) (m combinators.Map) {
	if dom.IsProduct() {
		return r.componentwise(dom, func(k int, f combinators.Space) combinators.Map {
			var of *combinators.Space
			if cod != nil && cod.IsProduct() && k < len(cod.Factors()) {
				of = &cod.Factors()[k]
			}
			return r.contractedOn(t, fixed, f, of)
		})
	}
	shapes := operands(t, fixed, &dom)
	a, b := shapes[0], shapes[1]
	n := min(1, len(a), len(b))
	if cod != nil && !cod.IsProduct() {
		both := len(a) + len(b) - len(cod.Shape())
		must.Hold(both >= 0 && both%2 != 1 && both/2 <= min(len(a), len(b)), "%s of shapes %s and %s has no value of shape %s", t, size.Shape(a), size.Shape(b), size.Shape(cod.Shape()))
		n = both / 2
	}
	left, right := a[len(a)-n:], b[:n]
	must.Hold(slices.Equal(left, right), "%s: the last axes of the left side are %s, the first of the right side %s", t, size.Shape(left), size.Shape(right))
	vars := einsum.UpTo(len(a) + len(b) - n)
	out := slices.Concat(vars[:len(a)-n], vars[len(a):])
	return r.s.EinMap(einsum.Plain([][]int{vars[:len(a)], vars[len(a)-n:]}, out, slices.Concat(a, b[n:])), fixed)
}
