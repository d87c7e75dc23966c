package elab

import (
	"math/big"
	"slices"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
)

// cell is a block: a value with its height and width, nil where it has no such axis and so counts as 1.
type cell struct {
	*value
	height, width *axis
}

// blocks types [A, B; C, D]. A vector is a column, or a row where it was transposed; what has neither
// rows nor columns in any block has no such axis in the whole, so that [x; y] is a vector. A literal
// fills the place that the blocks beside, above and below it leave.
func (e *elaborator) blocks(x *syntax.Expr) *value {
	rows := make([][]*cell, len(x.Args))
	for i, r := range x.Args {
		for _, a := range r.Args {
			rows[i] = append(rows[i], e.cell(a))
		}
	}
	for _, r := range rows {
		columns := len(rows) > 1 && len(r) > 1 && !slices.ContainsFunc(r, func(c *cell) bool { return c.width != nil })
		for _, c := range r {
			if columns && c.height != nil {
				e.unusual += 4 // [cos(t), -sin(t); sin(t), cos(t)] is a matrix of numbers
			}
		}
	}
	e.fillLiterals(x, rows)
	heights, widths := make([]*axis, len(rows)), make([]*axis, len(rows))
	for i, r := range rows {
		heights[i] = e.common(r, func(c *cell) *axis { return c.height }, "height", "row")
		widths[i] = e.totalSize(axesOf(r, func(c *cell) *axis { return c.width }), x)
	}
	v := &value{expr: x}
	height := e.totalSize(heights, x)
	width := e.commonAxis(widths, func(i int) syntax.Span { return x.Args[i].Span }, "width", "row")
	for _, a := range []*axis{height, width} {
		if a != nil {
			v.axes = append(v.axes, a)
		}
	}
	v.row = height == nil && width != nil
	v.build = func() *node { return e.placeBlocks(rows, heights, height, width, e.shape(v.axes)) }
	return v
}

func axesOf(r []*cell, of func(*cell) *axis) (out []*axis) {
	out = lists.Append(out, r, of)
	return out
}

// cell types one block.
func (e *elaborator) cell(x *syntax.Expr) *cell {
	v := e.expr(x)
	c := &cell{value: v}
	switch {
	case v.order() > 2:
		e.fail(e.errorf("T007", x.Span, "a block is a matrix, a vector or a number, but %s has order %d", e.text(x, "this one"), v.order()).
			Helpf("tensors are joined along an axis: concat(S, T, axis=0)"))
	case v.order() == 2:
		c.height, c.width = v.axes[0], v.axes[1]
	case v.order() == 1 && v.row:
		c.width = v.axes[0]
	case v.order() == 1:
		c.height = v.axes[0]
	}
	return c
}

// fillLiterals gives literals the height of their row and the width of their column, or of the whole
// where they are alone in their row.
func (e *elaborator) fillLiterals(x *syntax.Expr, rows [][]*cell) {
	aligned := !slices.ContainsFunc(rows, func(r []*cell) bool { return len(r) != len(rows[0]) })
	var whole *axis // of a row without literals
	for _, r := range rows {
		if !slices.ContainsFunc(r, func(c *cell) bool { return c.lit }) && whole == nil {
			whole = e.totalSize(axesOf(r, func(c *cell) *axis { return c.width }), x)
		}
	}
	for _, r := range rows {
		for j, c := range r {
			if !c.lit {
				continue
			}
			for _, o := range r {
				if !o.lit && c.height == nil {
					c.height = o.height
				}
			}
			if len(r) == 1 {
				c.width = whole
			}
			for i := 0; aligned && c.width == nil && i < len(rows); i++ {
				if o := rows[i][j]; !o.lit {
					c.width = o.width
				}
			}
		}
	}
}

// common is the one height that the blocks of a row have.
func (e *elaborator) common(r []*cell, of func(*cell) *axis, what, place string) *axis {
	return e.commonAxis(axesOf(r, of), func(i int) syntax.Span { return r[i].expr.Span }, what, place)
}

// commonAxis is the size that all have; nil stands for 1, and is it where all are nil.
func (e *elaborator) commonAxis(all []*axis, at func(int) syntax.Span, what, place string) *axis {
	k := slices.IndexFunc(all, func(a *axis) bool { return a != nil })
	if k < 0 {
		return nil
	}
	for i, a := range all {
		if a == nil {
			a = e.sizedAxis(size.Const(1), origin{at(i), "this block has " + what + " 1"})
		}
		p, q := all[k].find(), a.find()
		if !e.unify(p, q) {
			err := e.errorf("T011", at(i), "sizes differ in blocks: the %s is %s here and %s in the %s beside it", what, e.describeSize(q), e.describeSize(p), place)
			err.Note(at(k), "%s %s", what, e.describeSize(p))
			if what == "width" || what == "height" {
				err.Helpf("blocks in a row have one height, and rows one width; a vector is a column, or a row as v'")
			}
			e.fail(e.helpSizes(err, p, q))
		}
	}
	return all[k]
}

// totalSize is the sum of sizes, nil standing for 1; one nil alone stays nil.
func (e *elaborator) totalSize(all []*axis, x *syntax.Expr) *axis {
	if len(all) == 1 {
		return all[0]
	}
	sum := size.Size{}
	for _, a := range all {
		sum = sum.Add(e.sizeOrOne(a))
	}
	e.checkSize(extentOf(sum), x.Span)
	e.checkCoefficients(sum, x.Span)
	return e.sizedAxis(sum, origin{x.Span, "the size of what is joined is a sum"})
}

func (e *elaborator) sizeOrOne(a *axis) size.Size {
	if a == nil {
		return size.Const(1)
	}
	return e.currentSize(a)
}

// placeBlocks is the sum of all blocks, each in its place.
func (e *elaborator) placeBlocks(rows [][]*cell, heights []*axis, height, width *axis, shape []size.Size) *node {
	var parts []*node
	down := size.Size{}
	for i, r := range rows {
		right := size.Size{}
		for _, c := range r {
			at := &placement{}
			at.along(e, height, c.height, down)
			at.along(e, width, c.width, right)
			parts = append(parts, e.placed(c.value, at, shape))
			right = right.Add(e.finalSize(e.sizeOrOne(c.width)))
		}
		down = down.Add(e.finalSize(e.sizeOrOne(heights[i])))
	}
	return e.addAll(parts, shape)
}

// placement says where a value stands in a larger one.
type placement struct {
	vars []size.Size
	out  []einsum.Affine
}

// along adds an axis of the whole, along which the value begins at first: with its own axis, or at one
// place where that is nil.
func (p *placement) along(e *elaborator, whole, own *axis, first size.Size) {
	if whole == nil {
		if own != nil {
			panic("elab: an axis without a place")
		}
		return
	}
	at := einsum.Affine{Off: first}
	if own != nil {
		at = at.Plus(1, einsum.Variable(len(p.vars)))
		p.vars = append(p.vars, e.size(own))
	}
	p.out = append(p.out, at)
}

// placed is a value in its place, with zeros around it; nil for zeros.
func (e *elaborator) placed(v *value, at *placement, shape []size.Size) *node {
	n := v.get()
	if n == e.store.Fill(new(big.Rat), n.Shape()) {
		return nil
	}
	if v.lit {
		return e.contraction(at.vars, []einsum.Access{{}}, einsum.Access{Shape: shape, Index: at.out}, n)
	}
	return e.contraction(at.vars, []einsum.Access{{Shape: n.Shape(), Index: variables(n.Order())}}, einsum.Access{Shape: shape, Index: at.out}, n)
}

// addAll is the sum of nodes, nil ones left out.
func (e *elaborator) addAll(parts []*node, shape []size.Size) *node {
	var sum *node
	for _, p := range parts {
		switch {
		case sum == nil:
			sum = p
		case p != nil:
			sum = e.store.Add(sum, p)
		}
	}
	if sum == nil {
		sum = e.store.Fill(new(big.Rat), shape)
	}
	return sum
}

// joined types concat(a, b, .., axis=k), and stack, which joins along a new axis. Without axis= it is
// the first one.
func (e *elaborator) joined(x *syntax.Expr) *value {
	stack := x.Name == "stack"
	args := make([]*value, len(x.Args))
	for i, a := range x.Args {
		args[i] = e.expr(a)
		if o := args[i].order(); o != args[0].order() || o == 0 && !stack {
			err := e.errorf("T007", a.Span, "%s joins tensors of one order, but %s has order %d", x.Name, e.text(a, "this one"), o)
			if o == args[0].order() {
				err.Message = "concat joins tensors of order 1 or more"
				err.Helpf("numbers are joined by stack(a, b) or [a; b]")
			} else {
				err.Note(args[0].expr.Span, "order %d", args[0].order()).
					Helpf("a vector beside a matrix is a block: [A, x], or [A; x'] below it")
			}
			e.fail(err)
		}
	}
	order := args[0].order()
	if stack {
		order++
	}
	if order > e.limits.Order {
		e.fail(e.errorf("L003", x.At, "the order of this tensor is %d; a tensor's order is at most %d", order, e.limits.Order))
	}
	k := 0
	if x.Axis != nil {
		k = e.axisOf(x, "the result", order)
	}
	own := func(a *value) []*axis { // with nil for the new axis of stack
		if stack {
			return slices.Insert(slices.Clone(a.axes), k, nil)
		}
		return a.axes
	}
	v := &value{expr: x, axes: slices.Clone(own(args[0]))}
	along := make([]*axis, len(args))
	for i, a := range args {
		along[i] = own(a)[k]
		for j := range v.axes {
			if j != k {
				v.axes[j] = e.commonAxis([]*axis{v.axes[j], own(a)[j]}, func(i int) syntax.Span { return []*value{args[0], a}[i].expr.Span }, "size of axis "+string(rune('0'+j)), "argument")
			}
		}
	}
	if v.axes[k] = e.totalSize(along, x); v.axes[k] == nil {
		v.axes[k] = e.sizedAxis(size.Const(1), origin{x.Span, "one value is stacked"})
	}
	v.build = func() *node {
		shape := e.shape(v.axes)
		var parts []*node
		first := size.Size{}
		for i, a := range args {
			at := &placement{}
			for j, o := range own(a) {
				if j == k {
					at.along(e, v.axes[k], o, first)
				} else {
					at.along(e, v.axes[j], o, size.Size{})
				}
			}
			parts = append(parts, e.placed(a, at, shape))
			first = first.Add(e.finalSize(e.sizeOrOne(along[i])))
		}
		return e.addAll(parts, shape)
	}
	return v
}
