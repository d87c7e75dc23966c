package unparse

import (
	"cmp"
	"math/big"
	"slices"

	"frechet/einsum"
)

// Products are associated before they are written, so that their factors of order 0 come in any
// order: c*(a/d*(b*X)). As real numbers commute, they are written sorted: a*b*c*X/d.

// isScale reports whether t is a number times a value, or a value by a number.
func (t *term) isScale() bool {
	switch t.op {
	case opDiv:
		return t.args[1].order() == 0
	case opProd:
		return len(t.args) == 2 && len(t.in[0]) == 0 && slices.Equal(t.in[1], t.out) && distinct(t.out)
	}
	return false
}

// A fraction is a product of numbers, and of one value that is none, over others, with a sign.
type fraction struct {
	above, below []*term
	core         *term
	negative     bool
}

// fraction takes t apart, through products and quotients that stand nowhere else.
func (p *polisher) fraction(t *term) (f fraction) {
	open := []*term{t}
	for len(open) > 0 {
		u := open[len(open)-1]
		open = open[:len(open)-1]
		inside := u.isScale() && (u == t || u.uses <= 1)
		switch {
		case inside && u.op == opDiv:
			open = append(open, u.args[0])
			f.below = append(f.below, p.repl[u.args[1].id])
		case inside:
			open = append(open, u.args[1], u.args[0])
		case u.order() > 0:
			f.core = p.repl[u.id]
		case u.op == opNum && new(big.Rat).Abs(u.rat).Cmp(one) == 0:
			f.negative = f.negative != (u.rat.Sign() < 0)
		default:
			f.above = append(f.above, p.repl[u.id])
		}
	}
	return f
}

// sortScalars sorts the factors of order 0 of every product. It returns the new outputs.
func (w *writer) sortScalars(outs []*term) []*term {
	terms := reachable(w.list, outs)
	p := &polisher{w: w, repl: make([]*term, len(w.list))}
	inner := make([]bool, len(w.list)) // products that are sorted as parts of others
	for _, t := range terms {
		for k, a := range t.args {
			inner[a.id] = inner[a.id] || t.isScale() && a.isScale() && a.uses == 1 && (t.op == opProd || k == 0)
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

// times is the product of a number and a value.
func (w *writer) times(a, b *term) *term {
	all := einsum.UpTo(b.order())
	return w.intern(term{op: opProd, args: []*term{a, b}, in: [][]int{nil, all}, out: all, shape: b.shape})
}

// sorted is t with its factors of order 0 in their order, nil where it has fewer than three factors.
func (p *polisher) sorted(t *term) *term {
	f := p.fraction(t)
	if n := len(f.above) + len(f.below); (n < 2 || n == 2 && f.core == nil) && !f.negative {
		return nil
	}
	number := func(t *term) int {
		if t.op == opNum {
			return 0
		}
		return 1
	}
	order := func(a, b *term) int {
		return cmp.Or(number(a)-number(b), a.rank-b.rank, a.first-b.first, a.id-b.id)
	}
	slices.SortStableFunc(f.above, order)
	slices.SortStableFunc(f.below, order)
	all := func(factors []*term) (product *term) {
		for _, a := range factors {
			if product == nil {
				product = a
			} else {
				product = p.w.times(product, a)
			}
		}
		return product
	}
	// Factors that stand twice are one square: 2*(a*b)^2*c.
	var above, twice []*term
	at := 0
	for i := 0; i < len(f.above); i++ {
		if i+1 < len(f.above) && f.above[i+1] == f.above[i] {
			if twice == nil {
				at = len(above)
			}
			twice = append(twice, f.above[i])
			i++
		} else {
			above = append(above, f.above[i])
		}
	}
	if q := all(twice); q != nil {
		above = slices.Insert(above, at, p.w.times(q, q))
	}
	if f.core != nil {
		above = append(above, f.core)
	}
	product := cmp.Or(all(above), p.w.int(1))
	for _, d := range f.below {
		product = p.w.div(product, d)
	}
	if f.negative {
		return p.w.neg(product)
	}
	return product
}

var one = big.NewRat(1, 1)
