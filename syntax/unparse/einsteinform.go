package unparse

import (
	"slices"

	"frechet/einsum"
)

// In index strings a product takes more than in matrix notation: a square is one, x *(i,i->i) x, and what places a
// product on a diagonal stands in it, x *(i,j->ijj) y.

// inIndices writes terms, those below outs, as the Einstein language has them shortest. It returns the new outputs.
func (w *writer) inIndices(terms, outs []*term) []*term {
	p := &polisher{w: w, repl: make([]*term, len(w.list))}
	for _, t := range terms {
		r := p.fused(t)
		if r == nil {
			r = p.rebuild(t, -1, nil)
		}
		switch {
		case r.op == opPow && isRat(r, 2) && r.order() > 0:
			r = w.square(r.args[0])
		case r.op == opDiv && r.args[1].order() > 0 && r.args[0].op == opDiv && r.args[0].args[1] == r.args[1] && t.args[0].uses == 1: // a/x/x
			r = w.div(r.args[0].args[0], w.square(r.args[1]))
		}
		p.repl[t.id] = r
	}
	return p.images(outs)
}

func (w *writer) square(t *term) *term {
	all := einsum.UpTo(t.order())
	return w.binary(t, t, all, all, all, t.shape)
}

// fused is t, which places a product of two operands that stands nowhere else, as one product; else nil.
func (p *polisher) fused(t *term) *term {
	if t.op != opProd || len(t.args) != 1 {
		return nil
	}
	a := t.args[0]
	if a.op != opProd || len(a.args) != 2 || a.uses > 1 || !distinct(a.out) || slices.ContainsFunc(t.out, func(v int) bool { return !slices.Contains(t.in[0], v) }) {
		return nil
	}
	next := slices.Max(append(slices.Clone(t.in[0]), -1)) + 1
	to := map[int]int{}
	for axis, v := range a.out {
		to[v] = t.in[0][axis]
	}
	u := term{op: opProd, out: t.out, shape: t.shape}
	for k, ls := range a.in {
		g := make([]int, len(ls))
		for axis, v := range ls {
			if _, ok := to[v]; !ok { // it is summed
				to[v] = next
				next++
			}
			g[axis] = to[v]
		}
		u.args, u.in = append(u.args, p.repl[a.args[k].id]), append(u.in, g)
	}
	if slices.ContainsFunc(t.out, func(v int) bool { return !slices.Contains(slices.Concat(u.in...), v) }) {
		return nil // an axis that a made
	}
	return p.product(u)
}
