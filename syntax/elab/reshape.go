package elab

import (
	"slices"

	"frechet/einsum"
	"frechet/syntax"
)

// The functions that derivatives need as text: derivatives of det, and what undoes and
// repeats the reshapes of kron.

// wholeNumber reads argument k of x, a whole number from 0 to most.
func (e *elaborator) wholeNumber(x *syntax.Expr, k, most int) int {
	v := e.expr(x.Args[k])
	if v.rat == nil || !v.rat.IsInt() || v.rat.Sign() < 0 || !v.rat.Num().IsInt64() || v.rat.Num().Int64() > int64(most) {
		if most == 0 {
			e.fail(e.errorf("T008", v.expr.Span, "argument %d of %s can only be 0 here, written out", k+1, x.Name).
				Helpf("axes are counted from 0: write 0"))
		}
		e.fail(e.errorf("T008", v.expr.Span, "argument %d of %s is a whole number from 0 to %d, written out", k+1, x.Name, most).
			Helpf("write %s(%s, 1)", x.Name, e.text(x.Args[0], "A")))
	}
	return int(v.rat.Num().Int64())
}

// minor types minor(A, k), the k-th derivative of det at A: of order 2k, an axis pair of
// A for each derivative.
func (e *elaborator) minor(x *syntax.Expr) *value {
	a := e.squares(x, e.expr(x.Args[0]))
	batch := a.order() - 2
	k := e.wholeNumber(x, 1, (e.limits.Order-batch)/2)
	v := &value{expr: x, axes: slices.Clone(a.axes[:batch])}
	for range k {
		v.axes = append(v.axes, a.axes[batch:]...)
	}
	v.build = func() *node { return e.store.Minor(k, a.get()) }
	return v
}

// productExcept types prodexcept(x, k), the k-th derivative of prod at a vector: an axis of it for each derivative,
// of a tensor in the place of the axis that it works along.
func (e *elaborator) productExcept(x *syntax.Expr) *value {
	a := e.expr(x.Args[0])
	along, k, n := e.along(x, a), 1, a.order()
	if len(x.Args) > 1 {
		k = e.wholeNumber(x, 1, e.limits.Order-n+1)
	}
	return &value{expr: x, axes: slices.Concat(a.axes[:along], slices.Repeat(a.axes[along:along+1], k), a.axes[along+1:]), build: func() *node {
		all := einsum.UpTo(n)
		p := e.store.Prod(k, e.permuted(a.get(), slices.Concat(all[:along], all[along+1:], all[along:along+1])))
		all = einsum.UpTo(n - 1 + k)
		return e.permuted(p, slices.Concat(all[:along], all[n-1:], all[along:n-1]))
	}}
}

// merge types merge(A, axis): axis and the one behind it become one, in C order.
func (e *elaborator) merge(x *syntax.Expr) *value {
	a := e.ordered(e.expr(x.Args[0]), 2)
	if a.order() < 2 {
		e.fail(e.errorf("T007", x.At, "merge makes one axis of two, but %s has order %d", e.text(a.expr, "its argument"), a.order()).
			Helpf("the entries of a matrix in C order are merge(A, 0)"))
	}
	if v := e.expr(x.Args[1]); a.order() == 2 && (v.rat == nil || v.rat.Sign() != 0) {
		e.fail(e.errorf("T008", v.expr.Span, "argument 2 of merge is 0 for a matrix, whose two axes become one, in C order").
			Helpf("columns are stacked by merge(%s', 0)", parens(e.text(a.expr, "A"))))
	}
	k := e.wholeNumber(x, 1, a.order()-2)
	merged := e.product(a.axes[k], a.axes[k+1], origin{x.At, "the size of the merged axis is a product"})
	return &value{expr: x, axes: slices.Concat(a.axes[:k], []*axis{merged}, a.axes[k+2:]),
		build: func() *node { return e.store.Merge(k, a.get()) }}
}

// split types split(A, axis, m, n): the axis, of size m*n, becomes two, in C order.
func (e *elaborator) split(x *syntax.Expr) *value {
	a := e.ordered(e.expr(x.Args[0]), 1)
	if a.order() < 1 {
		e.fail(e.errorf("T007", x.At, "split makes two axes of one, but %s has order 0", e.text(a.expr, "its argument")))
	}
	if a.order() >= e.limits.Order {
		e.fail(e.errorf("L003", x.At, "the order of this tensor is %d; a tensor's order is at most %d", a.order()+1, e.limits.Order))
	}
	k := e.wholeNumber(x, 1, a.order()-1)
	parts := e.writtenSizes(x, x.Args[2:])
	whole := e.product(parts[0], parts[1], origin{x.At, "the size of the axis that is split is a product"})
	p := a.axes[k].find()
	if !e.unify(p, whole) {
		err := e.errorf("T012", x.At, "split makes %s of axis %d, whose size is %s", e.describeSize(whole), k, e.describeSize(p))
		e.noteOrigins(err, e.originOf(a, p), whole.from)
		e.fail(err)
	}
	return &value{expr: x, axes: slices.Concat(a.axes[:k], parts, a.axes[k+1:]),
		build: func() *node { return e.store.Split(k, e.size(parts[0]), e.size(parts[1]), a.get()) }}
}
