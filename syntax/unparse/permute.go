package unparse

import (
	"slices"

	"frechet/einsum/size"
	"frechet/internal/lists"
)

// A transpose of a product of many axes is the product with its result's axes in that order, and one of
// a sum is the sum of these: (x *(i,jk->ijk) A + ..) *(ijk->kji) is x *(i,jk->kji) A + ... Matrices are
// left alone, since they have a sign for it.

// absorbTransposes writes transposes of tensors of order 3 and above into the products that they are of,
// where these stand nowhere else and no transpose is left. It returns the new outputs.
func (w *writer) absorbTransposes(outs []*term) []*term {
	terms := reachable(w.list, outs)
	p := &polisher{w: w, repl: make([]*term, len(w.list))}
	for _, t := range terms {
		r := p.rebuild(t, -1, nil)
		last := len(t.args) - 1 // the operand of a transpose, or of one times a number
		if t.order() > 2 && t.op == opProd && (t.permutes() || last == 1 && len(t.in[0]) == 0 && permuted(t.in[1], t.out)) && p.absorbs(t.args[last]) {
			order := make([]int, t.order()) // axis k of t is axis order[k] of its operand
			for k, v := range t.out {
				order[k] = slices.Index(t.in[last], v)
			}
			r = p.turn(t.args[last], order)
			if last == 1 {
				r = p.w.times(p.repl[t.args[0].id], r)
			}
		}
		p.repl[t.id] = r
	}
	return p.images(outs)
}

// absorbs reports whether turn takes all transposes of t into products.
func (p *polisher) absorbs(t *term) bool {
	if t.uses > 1 {
		return false
	}
	switch t.op {
	case opProd:
		return !t.isScale() || p.absorbs(t.args[1])
	case opNeg:
		return p.absorbs(t.args[0])
	case opDiv:
		return t.args[1].order() == 0 && p.absorbs(t.args[0])
	case opAdd, opSub:
		return t.args[0].order() == t.args[1].order() && p.absorbs(t.args[0]) && p.absorbs(t.args[1])
	}
	return false
}

// turn is t with axis order[k] as axis k.
func (p *polisher) turn(t *term, order []int) *term {
	shape := lists.Map(order, func(axis int) size.Size { return t.shape[axis] })
	u := term{op: t.op, rat: t.rat, name: t.name, attr: t.attr, sizes: t.sizes, shape: shape, in: t.in, out: t.out}
	for _, a := range t.args {
		if t.op != opProd && a.order() > 0 {
			a = p.turn(a, order)
		} else {
			a = p.repl[a.id]
		}
		u.args = append(u.args, a)
	}
	if t.op == opProd {
		if t.isScale() {
			u.args[1] = p.turn(t.args[1], order)
			return p.w.intern(u)
		}
		u.out = make([]int, len(order))
		for k, axis := range order {
			u.out[k] = t.out[axis]
		}
		return p.product(u)
	}
	return p.w.intern(u)
}

// product is the index product u, its operands in the order of the text.
func (p *polisher) product(u term) *term {
	if len(u.args) != 2 {
		all, out := renumber(u.in, u.out)
		u.in, u.out = all, out
		return p.w.intern(u)
	}
	sizes := map[int]size.Size{}
	top := 0
	for k, ls := range u.in {
		for axis, v := range ls {
			sizes[v], top = u.args[k].shape[axis], max(top, v)
		}
	}
	all := make([]size.Size, top+1)
	for v, d := range sizes {
		all[v] = d
	}
	return p.w.binary(u.args[0], u.args[1], u.in[0], u.in[1], u.out, all)
}
