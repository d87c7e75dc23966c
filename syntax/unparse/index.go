package unparse

import (
	"math/big"
	"slices"
	"strconv"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
)

// subscript picks of an axis entry first, or the entries first + step*i for 0 <= i < size, or those of an array.
type subscript struct {
	one         bool
	first, size size.Size
	step        int64
	by          int // the operand that is the matrix of the array, from 1; 0 for none
}

func subscriptOf(f einsum.Affine, sizes []size.Size) subscript {
	if len(f.Terms) == 0 {
		return subscript{one: true, first: f.Off}
	}
	return subscript{first: f.Off, size: sizes[f.Terms[0].Var], step: f.Terms[0].Coef}
}

func (s subscript) key() string {
	if s.by > 0 {
		return "[#" + strconv.Itoa(s.by)
	}
	if s.one {
		return "[" + s.first.String()
	}
	return "[" + s.first.String() + ":" + s.size.String() + ":" + strconv.FormatInt(s.step, 10)
}

// affine writes a slice of an operand or of an identity matrix, or an operand in a tensor of zeros; nil is
// another contraction.
func (w *writer) affine(c *einsum.Contraction, args []*term) *term {
	switch {
	case len(c.Eq) == 0 && len(c.Ge) == 1 && len(args) == 1 && len(c.Vars) == 2 && between(c.Ge[0]) &&
		picks(c.In[0], c.Vars) && picks(c.Out, c.Vars) && len(c.Out.Index) == 2 && len(c.In[0].Index) == 2:
		k, _ := c.Ge[0].Off.Int()
		rows, _ := c.In[0].Index[0].Var()
		name := "tril"
		if c.Ge[0].Coef(rows) < 0 {
			name, k = "triu", -k
		}
		t := w.call(name, int(k), args[0].shape, args[0])
		if first, _ := c.Out.Index[0].Var(); first != rows {
			t = w.permute(t, []int{1, 0})
		}
		return t
	case len(c.Eq)+len(c.Ge) > 0:
		return nil
	case len(args) == 0 && identitySlice(c.Out, c.Vars):
		k := 0 // the axis that is picked from
		if picks(einsum.Access{Shape: c.Out.Shape[:1], Index: c.Out.Index[:1]}, c.Vars) {
			k = 1
		}
		n := c.Out.Shape[k]
		subs := []subscript{{size: n, step: 1}, {size: n, step: 1}}
		subs[1-k] = subscriptOf(c.Out.Index[k], c.Vars)
		eye := w.intern(term{op: opDelta, sizes: []size.Size{n}, shape: []size.Size{n, n}})
		return w.intern(term{op: opIndex, args: []*term{eye}, subs: subs, shape: c.Out.Shape})
	case len(args) == 1 && picks(c.Out, c.Vars) && len(c.Out.Index) == len(c.Vars) && apart(c.In[0]):
		subs := lists.Map(c.In[0].Index, func(f einsum.Affine) subscript { return subscriptOf(f, c.Vars) })
		var inner, out []int // the variables of what is picked, and of the result, which may repeat it along others
		for _, f := range c.In[0].Index {
			if len(f.Terms) > 0 {
				inner = append(inner, f.Terms[0].Var)
			}
		}
		out = lists.Append(out, c.Out.Index, func(f einsum.Affine) int { return f.Terms[0].Var })
		t := w.intern(term{op: opIndex, args: args, subs: subs, shape: pick(inner, c.Vars)})
		return w.unary(t, inner, out, c.Vars)
	case len(args) == 0 && apart(c.Out):
		ones := einsum.Access{Shape: c.Vars}
		for v := range c.Vars {
			ones.Index = append(ones.Index, einsum.Variable(v))
		}
		return w.placed(&einsum.Contraction{Vars: c.Vars, In: []einsum.Access{ones}, Out: c.Out}, w.fill(big.NewRat(1, 1), c.Vars))
	case len(args) == 1 && picks(c.In[0], c.Vars) && len(c.In[0].Index) == len(c.Vars) && apart(c.Out):
		return w.placed(c, args[0])
	}
	return nil
}

// apart reports whether each form has at most one variable, and all different ones.
func apart(acc einsum.Access) bool {
	var vars []int
	for _, f := range acc.Index {
		if len(f.Terms) > 1 {
			return false
		}
		vars = lists.Append(vars, f.Terms, func(t einsum.Term) int { return t.Var })
	}
	return distinct(vars)
}

// placed writes the operand between zeros, along the last axis first.
func (w *writer) placed(c *einsum.Contraction, t *term) *term {
	forms, shape := c.Out.Index, c.Out.Shape
	_, vars := ownVariables(forms)
	order := make([]int, len(vars)) // the operand with its axes in the order of the result
	for i, v := range vars {
		order[i] = slices.IndexFunc(c.In[0].Index, func(f einsum.Affine) bool { return f.Terms[0].Var == v })
		if forms[slices.IndexFunc(forms, func(f einsum.Affine) bool { return f.Coef(v) != 0 })].Coef(v) != 1 {
			return nil
		}
	}
	t = w.permute(t, order)
	at := len(vars)
	for p := len(forms) - 1; p >= 0; p-- {
		thick := len(forms[p].Terms) > 0
		if thick {
			at--
		}
		t = w.joined(at, shape[p], []piece{{forms[p].Off, t, thick}}, len(shape) > 2)
	}
	return t
}

// piece is a term that begins at first along the axis where parts are joined; a thin one has no such axis
// and counts as 1.
type piece struct {
	first size.Size
	term  *term
	thick bool
}

func (p piece) size(axis int) size.Size {
	if p.thick {
		return p.term.shape[axis]
	}
	return unit
}

// joined writes parts, in their order, along an axis of size n with zeros between them. Where the result
// is written by concat, all parts are thick.
func (w *writer) joined(axis int, n size.Size, parts []piece, thick bool) *term {
	shape := slices.Clone(parts[0].term.shape)
	if !parts[0].thick {
		shape = slices.Insert(shape, axis, unit)
	}
	var args []*term
	at := size.Size{}
	gap := func(to size.Size) {
		if d := to.Sub(at); d != (size.Size{}) {
			zero := slices.Clone(shape)
			zero[axis] = d
			args = append(args, w.intern(term{op: opFill, rat: new(big.Rat), shape: zero}))
		}
	}
	for _, p := range parts {
		gap(p.first)
		t := p.term
		if thick && !p.thick {
			all := einsum.UpTo(t.order())
			t = w.unary(t, all, slices.Insert(slices.Clone(all), axis, len(all)), append(slices.Clone(t.shape), unit))
		}
		args = append(args, t)
		at = p.first.Add(p.size(axis))
	}
	gap(n)
	if len(args) == 1 && args[0].order() == len(shape) {
		return args[0]
	}
	shape[axis] = n
	return w.intern(term{op: opJoin, attr: axis + 1, args: args, shape: shape})
}

// hasPieces reports whether t is joined, the diagonal matrix of what is, or a number times these.
func hasPieces(t *term) bool {
	if t.op == opProd && t.isScale() && t.args[0].op == opNum {
		t = t.args[1]
	}
	if u := t.diagonalOf(); u != nil {
		t = u
	}
	return t.op == opJoin
}

// pieces are what t has between zeros along an axis, each times a number, where t is that.
func (w *writer) pieces(t *term, number *big.Rat) (axis int, out []piece) {
	if t.op == opProd && t.isScale() && t.args[0].op == opNum {
		t, number = t.args[1], new(big.Rat).Mul(number, t.args[0].rat)
	}
	if u := t.diagonalOf(); u != nil && u.op == opJoin {
		_, parts := w.pieces(u, number)
		for _, p := range parts {
			if p.thick {
				d := w.unary(p.term, []int{0}, []int{0, 0}, p.term.shape)
				out = append(out, piece{p.first, w.joined(1, t.shape[1], []piece{{p.first, d, true}}, false), true})
			} else {
				out = append(out, piece{p.first, w.joined(0, t.shape[1], []piece{p}, false), false})
			}
		}
		return 0, out
	}
	if t.op != opJoin {
		return -1, nil
	}
	axis = t.attr - 1
	at := size.Size{}
	for _, a := range t.args {
		p := piece{at, a, a.order() == t.order()}
		if a.op != opFill || a.rat.Sign() != 0 {
			switch {
			case a.op == opJoin && ofNumbers(a):
				along, parts := w.pieces(a, number)
				p.term = w.joined(along, a.shape[along], parts, false)
			case number.Cmp(minusOne) == 0:
				p.term = w.neg(a)
			case number.Cmp(one) != 0 && a.op == opNum:
				p.term = w.num(new(big.Rat).Mul(number, a.rat))
			case number.Cmp(one) != 0 && a.op == opFill:
				p.term = w.fill(new(big.Rat).Mul(number, a.rat), a.shape)
			case number.Cmp(one) != 0:
				p.term = w.times(w.num(number), a)
			}
			out = append(out, p)
		}
		at = at.Add(p.size(axis))
	}
	return axis, out
}

// diagonalOf is the vector of which t is the diagonal matrix, nil where it is none.
func (t *term) diagonalOf() *term {
	if t.op == opProd && len(t.args) == 1 && len(t.in[0]) == 1 && slices.Equal(t.out, []int{t.in[0][0], t.in[0][0]}) {
		return t.args[0]
	}
	return nil
}

const maxJoined = 32 // addends of pieces among which some are joined

// sideBySide joins addends that are zero where others are not: [u; 0] + [0; v] is [u; v]. What is joined
// has a plus sign.
func (w *writer) sideBySide(plus, minus []*term) (p, m []*term) {
	plus, minus = w.summed(plus, minus)
	all, signs, open := slices.Concat(plus, minus), slices.Repeat([]*big.Rat{one}, len(plus)), []int{}
	for k, t := range all {
		if k >= len(plus) {
			signs = append(signs, minusOne)
		}
		if hasPieces(t) {
			open = append(open, k)
		}
	}
	for x := 0; x < len(open) && len(open) <= maxJoined; x++ {
		for y := x + 1; y < len(open); y++ {
			i, j := open[x], open[y]
			if t := w.merged(all[i], all[j], signs[i], signs[j]); t != nil {
				all[i], all[j], signs[i] = t, nil, one
				open, y = slices.Delete(open, y, y+1), x
			}
		}
	}
	for k, t := range all {
		switch {
		case t == nil:
		case signs[k] == one:
			p = append(p, t)
		default:
			m = append(m, t)
		}
	}
	return p, m
}

// merged is x*a + y*b where these are joined of pieces side by side; nil where they are not, or it is open.
func (w *writer) merged(a, b *term, x, y *big.Rat) *term {
	axis, ps := w.pieces(a, x)
	other, qs := w.pieces(b, y)
	if axis < 0 || axis != other {
		return nil
	}
	ps = append(ps, qs...)
	before := func(a, b piece) bool { return b.first.Sub(a.first).Sub(a.size(axis)).Nonnegative() }
	slices.SortStableFunc(ps, func(a, b piece) int {
		switch {
		case before(a, b) && !before(b, a):
			return -1
		case before(b, a) && !before(a, b):
			return 1
		}
		return 0
	})
	out := ps[:1]
	for _, q := range ps[1:] {
		switch last := &out[len(out)-1]; {
		case before(*last, q):
			out = append(out, q)
		case last.first == q.first && last.thick == q.thick && last.size(axis) == q.size(axis):
			if last.term = w.merged(last.term, q.term, one, one); last.term == nil {
				return nil
			}
		default:
			return nil
		}
	}
	return w.joined(axis, a.shape[axis], out, false)
}

// indexed writes t, a part of a tensor.
func (t *term) indexed(sub func(*term) *syntax.Expr) *syntax.Expr {
	e := &syntax.Expr{Op: syntax.OpIndex, Args: []*syntax.Expr{sub(t.args[0])}}
	for i, s := range t.subs {
		if s.by > 0 {
			e.Args = append(e.Args, arrayExpr(sub(t.args[s.by])))
		} else {
			e.Args = append(e.Args, s.expr(t.args[0].shape[i]))
		}
	}
	return e
}

// expr writes a subscript of an axis of size n: places near its end are counted from there.
func (s subscript) expr(n size.Size) *syntax.Expr {
	place := func(d size.Size) *syntax.Expr {
		if _, ok := d.Int(); !ok {
			if k, ok := d.Sub(n).Int(); ok && k < 0 {
				return syntax.Int(k)
			}
		}
		return sizeExpr(d)
	}
	if s.one {
		return place(s.first)
	}
	x := &syntax.Expr{Op: syntax.OpRange, Args: make([]*syntax.Expr, 3)}
	if s.size == (size.Size{}) {
		x.Args[1] = syntax.Int(0)
		return x
	}
	last := s.first.Add(size.Const(s.step).Mul(s.size.Sub(unit)))
	next := last.Add(size.Const(s.step))
	if s.step > 0 {
		if s.first != (size.Size{}) {
			x.Args[0] = place(s.first)
		}
		if !next.Sub(n).Nonnegative() {
			x.Args[1] = place(last.Add(unit))
		}
	} else {
		if s.first != n.Sub(unit) {
			x.Args[0] = place(s.first)
		}
		if !size.Const(-1).Sub(next).Nonnegative() {
			x.Args[1] = place(last.Sub(unit))
		}
	}
	if s.step != 1 {
		x.Args[2] = syntax.Int(s.step)
	}
	return x
}

// block is a part of what is joined, as it is written, with its height and width.
type block struct {
	expr          *syntax.Expr
	height, width size.Size
	fill          *big.Rat // where all its entries are one number
}

func (b block) zero() bool { return b.fill != nil && b.fill.Sign() == 0 }

// blockOf is part a of t. In a matrix a vector is a row where rows are joined, else a column.
func blockOf(t, a *term, x *syntax.Expr) block {
	b := block{expr: x, height: unit, width: unit}
	if a.op == opFill {
		b.fill = a.rat
	}
	switch {
	case a.order() == 2:
		b.height, b.width = a.shape[0], a.shape[1]
	case a.order() == 1 && t.order() == 2 && t.attr == 1:
		b.width = a.shape[0]
	case a.order() == 1:
		b.height = a.shape[0]
	}
	switch {
	case a.op != opFill || a.order() == 0:
	case a.order() < t.order() && t.attr == 1:
		b.expr = syntax.Transpose(sizedFill(a.rat, a.shape))
	case b.zero():
		b.expr = syntax.Call("zeros", sizeExprs(a.shape)...)
	default:
		b.expr = sizedFill(a.rat, a.shape)
	}
	return b
}

// joinExpr writes parts that are joined, as blocks where the order allows it; sub writes a part, a vector
// as a row where it is one.
func joinExpr(t *term, sub func(a *term, row bool) *syntax.Expr) *syntax.Expr {
	rows := lists.Map(t.args, func(a *term) []block {
		return []block{blockOf(t, a, sub(a, a.order() == 1 && t.order() == 2 && t.attr == 1))}
	})
	if t.order() > 2 || len(rows) == 1 {
		e := &syntax.Expr{Op: syntax.OpCall, Name: "concat"}
		if len(rows) == 1 {
			e.Name = "stack"
		}
		for _, r := range rows {
			e.Args = append(e.Args, r[0].expr)
		}
		e.Axis = &syntax.Axis{Value: t.attr - 1}
		return e
	}
	switch {
	case t.attr == 2:
		rows = [][]block{slices.Concat(rows...)}
	default:
		flat := make([][]block, len(rows))
		for k, a := range t.args {
			flat[k] = flatRow(a, rows[k])
		}
		if isGrid(flat) || slices.ContainsFunc(flat, func(r []block) bool { return len(r) != len(flat[0]) }) {
			rows = flat
		}
	}
	wide := t.order() == 2 && t.shape[0] != unit && t.shape[1] != unit // [1; 2] and [1, 2] are vectors
	if wide {
		rows = entries(rows)
	}
	e := &syntax.Expr{Op: syntax.OpBlocks}
	single := len(rows) == 1 || !slices.ContainsFunc(rows, func(r []block) bool { return len(r) > 1 })
	grid := len(rows) > 1 && len(rows[0]) > 1 && isGrid(rows)
	for i, r := range rows {
		row := &syntax.Expr{Op: syntax.OpRow}
		for j, b := range r {
			// A number fills its place, where the blocks around it give that.
			if thin := t.attr == 1 && b.height == unit || t.attr == 2 && b.width == unit; b.zero() && (single && thin || grid && given(rows, i, j)) {
				b.expr = syntax.Int(0)
			} else if wide && len(rows) > 1 && len(r) > 1 && b.fill != nil && b.height == unit && b.width == unit {
				b.expr = syntax.Number(b.fill)
			}
			row.Args = append(row.Args, b.expr)
		}
		e.Args = append(e.Args, row)
	}
	return e
}

// flatRow gives the blocks of which the only block of a row is made.
func flatRow(a *term, row []block) []block {
	x := row[0].expr
	turned := a.order() == 1 && x.Op == syntax.OpTranspose
	if turned {
		x = x.Args[0]
	}
	if a.op != opJoin || x.Op != syntax.OpBlocks || !turned && (a.order() != 2 || a.attr != 2 || len(x.Args) > 1) {
		return row
	}
	var out []block
	for k, p := range a.args {
		var b block
		if turned {
			b = blockOf(a, p, x.Args[k].Args[0])
			b.height, b.width = b.width, b.height
			switch {
			case b.zero():
				b.expr = syntax.Call("zeros", sizeExprs([]size.Size{unit, b.width})...)
			case p.order() == 1:
				b.expr = oriented{expr: b.expr}.transposed().expr
			}
		} else {
			b = blockOf(a, p, x.Args[0].Args[k])
		}
		out = append(out, b)
	}
	return out
}

// isGrid reports whether all rows have blocks of the same widths.
func isGrid(rows [][]block) bool {
	return !slices.ContainsFunc(rows, func(r []block) bool {
		return !slices.EqualFunc(r, rows[0], func(a, b block) bool { return a.width == b.width })
	})
}

// given reports whether blocks that are no zeros give the height and the width of a place.
func given(rows [][]block, i, j int) bool {
	none := func(b block) bool { return !b.zero() }
	return slices.ContainsFunc(rows[i], none) && slices.ContainsFunc(rows, func(r []block) bool { return none(r[j]) })
}
