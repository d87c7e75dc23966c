package unparse

import "slices"

// polish rewrites terms where another text of the same value is shorter: -(a - b)*c is
// (b - a)*c, where the difference stands nowhere else. It returns the new outputs.
func (w *writer) polish(outs []*term) []*term {
	terms := reachable(w.list, outs)
	p := &polisher{w: w, repl: make([]*term, len(w.list))}
	for _, t := range terms {
		r := p.rebuild(t, -1, nil)
		if t.op == opNeg {
			if f := p.negated(t.args[0]); f != nil {
				r = f
			}
		}
		p.repl[t.id] = r
	}
	out := make([]*term, len(outs))
	for i, t := range outs {
		out[i] = p.repl[t.id]
	}
	for _, t := range w.list {
		t.uses = 0
	}
	return out
}

type polisher struct {
	w    *writer
	repl []*term // by id
}

// rebuild is t on the new arguments, argument k being arg.
func (p *polisher) rebuild(t *term, k int, arg *term) *term {
	args := make([]*term, len(t.args))
	for i, a := range t.args {
		args[i] = p.repl[a.id]
		if i == k {
			args[i] = arg
		}
	}
	if slices.Equal(args, t.args) {
		return t
	}
	return p.w.intern(term{op: t.op, args: args, in: t.in, out: t.out, rat: t.rat, name: t.name, attr: t.attr, sizes: t.sizes, shape: t.shape})
}

// negated is -t with no more nodes than t, or nil: a difference is turned, in a product
// or a quotient one of whose sides is such a difference. All of it stands only here.
func (p *polisher) negated(t *term) *term {
	if t.uses > 1 {
		return nil
	}
	switch t.op {
	case opSub:
		a, b := p.repl[t.args[0].id], p.repl[t.args[1].id]
		return p.w.intern(term{op: opSub, args: []*term{b, a}, shape: t.shape})
	case opProd, opDiv:
		for k, a := range t.args {
			if n := p.negated(a); n != nil {
				return p.rebuild(t, k, n)
			}
		}
	}
	return nil
}
