package unparse

import (
	"cmp"
	"slices"
)

// Products are associated before they are written, so that their factors of order 0 come in any
// order: c*(a*(b*X)). As real numbers commute, they are written sorted: a*b*c*X.

// isScale reports whether t is a number, a, times a value, of order 0 or above.
func (t *term) isScale() bool {
	return t.op == opProd && len(t.args) == 2 && len(t.in[0]) == 0 && slices.Equal(t.in[1], t.out) && distinct(t.out)
}

// scalars are the factors of order 0 of t, through products that stand nowhere else, and what they
// multiply, nil for nothing.
func (p *polisher) scalars(t *term) (factors []*term, core *term) {
	open := []*term{t}
	for len(open) > 0 {
		u := open[len(open)-1]
		open = open[:len(open)-1]
		switch {
		case u.isScale() && (u == t || u.uses <= 1) && u.args[0] != u.args[1]:
			open = append(open, u.args[1], u.args[0])
		case u.order() == 0:
			factors = append(factors, p.repl[u.id])
		default:
			core = p.repl[u.id]
		}
	}
	return factors, core
}

// sortScalars sorts the factors of order 0 of every product. It returns the new outputs.
func (w *writer) sortScalars(outs []*term) []*term {
	terms := reachable(w.list, outs)
	p := &polisher{w: w, repl: make([]*term, len(w.list))}
	inner := make([]bool, len(w.list)) // products that are sorted as parts of others
	for _, t := range terms {
		for _, a := range t.args {
			inner[a.id] = inner[a.id] || t.isScale() && a.isScale() && a.uses == 1
		}
	}
	for _, t := range terms {
		r := p.rebuild(t, -1, nil)
		if t.isScale() && !inner[t.id] {
			r = cmp.Or(p.sorted(t), r)
		}
		p.repl[t.id] = r
	}
	return p.images(outs)
}

// sorted is t with its factors of order 0 in their order, nil where it has fewer than three factors.
func (p *polisher) sorted(t *term) *term {
	factors, core := p.scalars(t)
	if len(factors) < 2 || len(factors) == 2 && core == nil {
		return nil
	}
	number := func(t *term) int {
		if t.op == opNum {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(factors, func(a, b *term) int {
		return cmp.Or(number(a)-number(b), a.rank-b.rank, a.first-b.first, a.id-b.id)
	})
	times := func(a, b *term) *term {
		all := upTo(b.order())
		return p.w.intern(term{op: opProd, args: []*term{a, b}, in: [][]int{nil, all}, out: all, shape: b.shape})
	}
	var product *term
	for i := 0; i < len(factors); i++ {
		f := factors[i]
		if i+1 < len(factors) && factors[i+1] == f { // a square
			f = times(f, f)
			i++
		}
		if product == nil {
			product = f
		} else {
			product = times(product, f)
		}
	}
	if core != nil {
		product = times(product, core)
	}
	return product
}
