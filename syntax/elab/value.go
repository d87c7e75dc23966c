package elab

import (
	"math"
	"math/big"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax"
)

type node = combinators.Node

// value is a typed expression whose node is not built yet.
type value struct {
	expr *syntax.Expr
	lit  bool     // made of literals alone: takes any order
	rat  *big.Rat // the number that a literal is, where it is kept exact
	axes []*axis  // empty for literals
	row  bool     // order 1: a row in matrix products

	build func() *node
	built *node
}

func (v *value) order() int { return len(v.axes) }

// get builds the value's node, once. A literal is built with order 0.
func (v *value) get() *node {
	if v.built == nil {
		v.built = v.build()
		v.build = nil
	}
	return v.built
}

// number is a literal of known value.
func (e *elaborator) number(x *syntax.Expr, r *big.Rat) *value {
	return &value{expr: x, lit: true, rat: r, build: func() *node {
		if f, _ := r.Float64(); math.IsInf(f, 0) {
			e.fail(e.errorf("L004", x.At, "this number is too large: floating-point numbers end near 1.8e308"))
		}
		return e.store.Const(r)
	}}
}

// spread repeats an order-0 node over the axes.
func (e *elaborator) spread(n *node, axes []*axis) *node {
	if n.Order() > 0 || len(axes) == 0 {
		return n
	}
	if r := n.Rat(); r != nil && n.Atom() == atom.Const {
		return e.store.Fill(r, e.shape(axes))
	}
	return e.store.Broadcast(n, e.shape(axes))
}

// constant returns the number that a node is; nil if it is none.
func constant(n *node) *big.Rat {
	if n.Atom() == atom.Const {
		return n.Rat()
	}
	return nil
}

// neg, mul and recip build with literals kept exact.

func (e *elaborator) neg(n *node) *node {
	if r := constant(n); r != nil {
		return e.store.Const(new(big.Rat).Neg(r))
	}
	return e.store.Neg(n)
}

func (e *elaborator) recip(n *node) *node {
	if r := constant(n); r != nil && r.Sign() != 0 {
		return e.store.Const(new(big.Rat).Inv(r))
	}
	return e.store.Recip(n)
}

// mul is the element-wise product; an order-0 side scales.
func (e *elaborator) mul(a, b *node) *node {
	ra, rb := constant(a), constant(b)
	switch {
	case ra != nil && rb != nil:
		if r := ratMul(ra, rb); r != nil {
			return e.store.Const(r)
		}
	case ra != nil && atom.IsOne(ra):
		return b
	case rb != nil && atom.IsOne(rb):
		return a
	}
	switch {
	case a.Order() == 0:
		return e.store.Scale(a, b)
	case b.Order() == 0:
		return e.store.Scale(b, a)
	}
	return e.store.Mul(a, b)
}

var one = big.NewRat(1, 1)

// plain builds a contraction of index strings, letters being small numbers.
func (e *elaborator) plain(in [][]int, out []int, sizes []size.Size, args ...*node) *node {
	return e.store.Ein(einsum.Plain(in, out, sizes), args...)
}

// permuted transposes: axis i of the result is axis perm[i] of n.
func (e *elaborator) permuted(n *node, perm []int) *node {
	return e.plain([][]int{einsum.UpTo(n.Order())}, perm, n.Shape(), n)
}

// text shows an expression in a message: its source where that is short, else what.
func (e *elaborator) text(x *syntax.Expr, what string) string {
	if x.Span.End > x.Span.Start && x.Span.End-x.Span.Start <= 24 {
		if s := e.file.Src[x.Span.Start:x.Span.End]; !strings.ContainsAny(s, "\n\r\t#") {
			return s
		}
	}
	return what
}

// join types an element-wise operation of two operands: equal orders and sizes, or
// one side of order 0. at is the operator; left and right name the sides.
func (e *elaborator) join(a, b *value, at syntax.Span, op string) (axes []*axis, row bool) {
	switch {
	case b.order() == 0:
		return a.axes, a.row
	case a.order() == 0:
		return b.axes, b.row
	}
	left, right := e.text(a.expr, "the left side"), e.text(b.expr, "the right side")
	if a.order() != b.order() {
		err := e.errorf("T001", at, "%s of different order: %s has order %d and %s has order %d", op, left, a.order(), right, b.order())
		err.Note(a.expr.Span, "order %d", a.order()).Note(b.expr.Span, "order %d", b.order())
		if min(a.order(), b.order()) == 1 && max(a.order(), b.order()) == 2 {
			v := left
			if b.order() == 1 {
				v = right
			}
			err.Helpf("only an order-0 side is repeated; to repeat %s, write %s *(i->ij) or %s *(j->ij)", v, parens(v), parens(v))
		} else {
			err.Helpf("only an order-0 side is repeated")
		}
		e.fail(err)
	}
	for k, x := range a.axes {
		y := b.axes[k]
		x0, y0 := x.find(), y.find()
		if !e.unify(x, y) {
			sx, sy := e.describeSize(x0), e.describeSize(y0)
			err := e.errorf("T011", at, "sizes differ in %s: axis %d is %s in %s and %s in %s", op, k, sx, left, sy, right)
			e.noteOrigins(err, e.originOf(a, x0), e.originOf(b, y0))
			if e.helpSizes(err, x0, y0); err.Help == "" {
				err.Helpf("sizes are equal, or one side is a number, or a row or a column beside a matrix")
			}
			e.fail(err)
		}
	}
	return a.axes, a.row && b.row
}

// parens is the text of an operand of a product: in parentheses where an operator stands
// outside of all brackets.
func parens(s string) string {
	depth := 0
	for _, c := range s {
		switch {
		case strings.ContainsRune("([", c):
			depth++
		case strings.ContainsRune(")]", c):
			depth--
		case depth == 0 && strings.ContainsRune(" +-*/<>=^", c):
			return "(" + s + ")"
		}
	}
	return s
}

// originOf is what to show for a size of v, of the class c: the declaration of a
// variable, else where the class's size comes from.
func (e *elaborator) originOf(v *value, c *axis) origin {
	if v.expr.Op == syntax.OpName && !e.numeric {
		if n, ok := e.names[v.expr.Name]; ok && n.decl != nil && n.decl.Sized {
			d := n.decl
			return origin{d.Span.To(d.OrderSpan), d.Name + " has axes " + e.file.Src[d.OrderSpan.Start:d.OrderSpan.End]}
		}
	}
	return c.from
}

// noteOrigins adds the places where two sizes come from.
func (e *elaborator) noteOrigins(err *syntax.Error, a, b origin) {
	err.Note(a.span, "%s", a.text)
	if a != b {
		err.Note(b.span, "%s", b.text)
	}
}

// helpSizes adds what to do about two sizes that differ, where the error has no
// better help.
func (e *elaborator) helpSizes(err *syntax.Error, x, y *axis) *syntax.Error {
	if err.Help != "" {
		return err
	}
	if x.symbol != "" || y.symbol != "" {
		sx, sy := e.describeSize(x), e.describeSize(y)
		if x.symbol != "" && y.symbol != "" {
			return err.Helpf("if %s and %s are the same size, write one for both in the declarations", sx, sy)
		}
		if x.symbol == "" {
			sx, sy = sy, sx
		}
		err.Helpf("if %s is %s, write that in the declarations", sx, sy)
	}
	return err
}
