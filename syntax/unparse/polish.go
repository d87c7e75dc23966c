package unparse

import (
	"cmp"
	"math/big"
	"slices"

	"frechet/internal/lists"
)

// polish rewrites terms where another text of the same value is shorter: -(a - b)*c is
// (b - a)*c, where the difference stands nowhere else or is short; and where -a*b and -a*c both
// stand, they share -a. It returns the new outputs.
func (w *writer) polish(outs []*term) []*term {
	outs = w.absorbTransposes(w.sortScalars(outs))
	terms := reachable(w.list, outs)
	p := &polisher{w: w, repl: make([]*term, len(w.list)), sign: map[*term]*term{}}
	p.shareSigns(terms)
	for _, t := range terms {
		r := p.rebuild(t, -1, nil)
		if t.op == opNeg {
			if f := p.turned(t.args[0], !numbered(t.args[0])); f != nil {
				r = f
			} else if f := p.negated(t.args[0], p.sign[t]); f != nil {
				r = f
			}
		}
		if d := r; d.op == opDiv && d.order() > 0 && (d.args[0].op == opNum || d.args[0].op == opFill) && isRat(d.args[0], 1) && d.args[1].op == opPow && d.args[1].rat.Sign() > 0 {
			r = w.intern(term{op: opPow, rat: new(big.Rat).Neg(d.args[1].rat), args: d.args[1].args, shape: d.shape}) // x^-2 for 1/x^2
		}
		p.repl[t.id] = r
	}
	return p.images(outs)
}

func isRat(t *term, n int64) bool { return t.rat.Cmp(big.NewRat(n, 1)) == 0 }

// images are what the outputs have become; uses are to be counted again.
func (p *polisher) images(outs []*term) []*term {
	out := lists.Map(outs, func(t *term) *term { return p.repl[t.id] })
	for _, t := range p.w.list {
		t.uses = 0
	}
	return out
}

type polisher struct {
	w    *writer
	repl []*term         // by id
	sign map[*term]*term // of a negation, the factor that takes its sign
}

// shareSigns gives the signs of several negations to one factor that they have in
// common: the one that most have, of the lowest order.
func (p *polisher) shareSigns(terms []*term) {
	negs := map[*term][]*term{} // by factor
	var all []*term
	for _, t := range terms {
		if t.op != opNeg || p.turnable(t.args[0]) || numbered(t.args[0]) {
			continue
		}
		seen := map[*term]bool{t.args[0]: true}
		p.factors(t.args[0], seen)
		for a := range seen {
			if negs[a] == nil {
				all = append(all, a)
			}
			negs[a] = append(negs[a], t)
		}
	}
	slices.SortFunc(all, func(a, b *term) int {
		return cmp.Or(len(negs[b])-len(negs[a]), a.order()-b.order(), a.id-b.id)
	})
	for _, f := range all {
		free := slices.DeleteFunc(negs[f], func(t *term) bool { return p.sign[t] != nil })
		if len(free) > 1 {
			for _, t := range free {
				p.sign[t] = f
			}
		}
	}
}

// numbered reports whether t is a product with a number, which takes a sign for nothing.
func numbered(t *term) bool {
	return t.op == opNum || t.uses <= 1 && (t.op == opProd || t.op == opDiv) && numbered(t.args[0])
}

// factors finds the factors of t that could take a minus sign before t: those that stand
// first in a product, where a sign reads well.
func (p *polisher) factors(t *term, seen map[*term]bool) {
	if t.uses > 1 || t.op != opProd && t.op != opDiv {
		return
	}
	for k, a := range t.args {
		if a.op != opNum && k == 0 {
			seen[a] = true
		}
		p.factors(a, seen)
	}
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
	return p.w.intern(term{op: t.op, args: args, in: t.in, out: t.out, rat: t.rat, name: t.name, attr: t.attr, sizes: t.sizes, subs: t.subs, body: t.body, space: t.space, shape: t.shape})
}

// negated is -t with the sign at the factor f, or nil where f is none of its factors.
func (p *polisher) negated(t, f *term) *term {
	if f == nil || t.uses > 1 || t.op != opProd && t.op != opDiv {
		return nil
	}
	for k, a := range t.args {
		if a == f {
			return p.rebuild(t, k, p.w.neg(p.repl[a.id]))
		}
		if n := p.negated(a, f); n != nil {
			return p.rebuild(t, k, n)
		}
	}
	return nil
}

// turnable reports whether turned gives a term.
func (p *polisher) turnable(t *term) bool {
	return short(t) || t.uses <= 1 && (t.op == opSub || slices.ContainsFunc(linear(t), func(a *term) bool { return a.uses <= 1 && p.turnable(a) }))
}

// short reports whether t is a difference of two variables, of which the text is written out wherever it stands.
func short(t *term) bool {
	if t.op != opSub {
		return false
	}
	a, b := t.args[0], t.args[1]
	return a.op == opVar && b.op == opVar && len(a.name)+len(b.name)+len(" - ") <= shortText
}

// linear are the last operands of t, those of which -t takes a sign.
func linear(t *term) []*term {
	switch {
	case t.op == opProd || t.op == opDiv:
		return t.args
	case t.op == opCall && t.name == "solve":
		return t.args[1:]
	}
	return nil
}

// turned is -t by turning a difference, a short one that stands elsewhere, too, where that is asked for: else a number takes the sign.
func (p *polisher) turned(t *term, shared bool) *term {
	if t.uses > 1 && !(shared && short(t)) {
		return nil
	}
	if t.op == opSub {
		a, b := p.repl[t.args[0].id], p.repl[t.args[1].id]
		return p.w.intern(term{op: opSub, args: []*term{b, a}, shape: t.shape})
	}
	factors := linear(t)
	for k, a := range factors {
		if slices.Contains(factors[:k], a) || slices.Contains(factors[k+1:], a) {
			continue // a square
		}
		if n := p.turned(a, shared); n != nil {
			return p.rebuild(t, len(t.args)-len(factors)+k, n)
		}
	}
	return nil
}
