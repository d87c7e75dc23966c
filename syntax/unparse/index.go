package unparse

import (
	"math/big"
	"slices"
	"strconv"

	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/syntax"
)

// subscript picks of an axis entry first, or the entries first + step*i for 0 <= i < size.
type subscript struct {
	one         bool
	first, size size.Size
	step        int64
}

func subscriptOf(f einsum.Affine, sizes []size.Size) subscript {
	if len(f.Terms) == 0 {
		return subscript{one: true, first: f.Off}
	}
	return subscript{first: f.Off, size: sizes[f.Terms[0].Var], step: f.Terms[0].Coef}
}

func (s subscript) key() string {
	if s.one {
		return "[" + s.first.String()
	}
	return "[" + s.first.String() + ":" + s.size.String() + ":" + strconv.FormatInt(s.step, 10)
}

// whole reports whether s is all of an axis of size n.
func (s subscript) whole(n size.Size) bool {
	return !s.one && s.step == 1 && s.first == (size.Size{}) && s.size == n
}

// affine writes a slice of an operand or of an identity matrix, or an operand in a tensor of zeros; nil is
// another contraction.
func (w *writer) affine(c *einsum.Contraction, args []*term) *term {
	switch {
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
		subs := make([]subscript, len(c.In[0].Index))
		for i, f := range c.In[0].Index {
			subs[i] = subscriptOf(f, c.Vars)
		}
		order := einsum.UpTo(len(c.Out.Index)) // of the axes, where the result has them in another one
		var inner []int
		for _, f := range c.In[0].Index {
			if len(f.Terms) > 0 {
				inner = append(inner, f.Terms[0].Var)
			}
		}
		for p, f := range c.Out.Index {
			order[p] = slices.Index(inner, f.Terms[0].Var)
		}
		t := w.intern(term{op: opIndex, args: args, subs: subs, shape: pick(inner, c.Vars)})
		return w.permute(t, order)
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
		for _, t := range f.Terms {
			vars = append(vars, t.Var)
		}
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

// pieces are what t has between zeros along an axis, each times a number, where t is that.
func (w *writer) pieces(t *term, number *big.Rat) (axis int, out []piece) {
	if t.op == opProd && t.isScale() && t.args[0].op == opNum {
		t, number = t.args[1], new(big.Rat).Mul(number, t.args[0].rat)
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
			case number.Cmp(big.NewRat(-1, 1)) == 0:
				p.term = w.neg(a)
			case number.Cmp(one) != 0 && a.op == opNum:
				p.term = w.num(new(big.Rat).Mul(number, a.rat))
			case number.Cmp(one) != 0:
				p.term = w.times(w.num(number), a)
			}
			out = append(out, p)
		}
		at = at.Add(p.size(axis))
	}
	return axis, out
}

// sideBySide joins addends that are zero where others are not: [u; 0] + [0; v] is [u; v]. What is joined
// has a plus sign.
func (w *writer) sideBySide(plus, minus []*term) (p, m []*term) {
	p, m = slices.Clone(plus), slices.Clone(minus)
	all := func(k int) (*term, *big.Rat) {
		if k < len(p) {
			return p[k], one
		}
		return m[k-len(p)], big.NewRat(-1, 1)
	}
	remove := func(k int) {
		if k < len(p) {
			p = slices.Delete(p, k, k+1)
		} else {
			m = slices.Delete(m, k-len(p), k-len(p)+1)
		}
	}
	for i := 0; i < len(p)+len(m); i++ {
		for j := i + 1; j < len(p)+len(m); j++ {
			a, x := all(i)
			b, y := all(j)
			if t := w.merged(a, b, x, y); t != nil {
				remove(j)
				remove(i)
				p = slices.Insert(p, min(i, len(p)), t)
				i, j = min(i, len(p)-1), i
			}
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
		case last.first == q.first && last.thick && q.thick && last.size(axis) == q.size(axis):
			if last.term = w.merged(last.term, q.term, one, one); last.term == nil {
				return nil
			}
		default:
			return nil
		}
	}
	return w.joined(axis, a.shape[axis], out, false)
}

// subscripts writes those of t.
func (t *term) subscripts() []*syntax.Expr {
	out := make([]*syntax.Expr, len(t.subs))
	for i, s := range t.subs {
		out[i] = s.expr(t.args[0].shape[i])
	}
	return out
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

// joinExpr writes parts that are joined, as blocks where the order allows it.
func joinExpr(t *term, sub func(a *term, row bool) *syntax.Expr) *syntax.Expr {
	axis := t.attr - 1
	if t.order() > 2 {
		e := syntax.Call("concat")
		for _, a := range t.args {
			e.Args = append(e.Args, cellExpr(a, false, sub(a, false)))
		}
		e.Axis = &syntax.Axis{Value: axis}
		return e
	}
	terms, exprs := [][]*term{nil}, [][]*syntax.Expr{nil}
	for _, a := range t.args {
		x := sub(a, a.order() == 1 && t.order() == 2 && axis == 0)
		parts, cells := []*term{a}, []*syntax.Expr{x}
		if axis == 0 && a.op == opJoin && a.attr == 2 && x.Op == syntax.OpBlocks {
			parts, cells = a.args, slices.Clone(x.Args[0].Args)
		}
		if axis == 0 && terms[0] != nil {
			terms, exprs = append(terms, nil), append(exprs, nil)
		}
		k := len(terms) - 1
		terms[k], exprs[k] = append(terms[k], parts...), append(exprs[k], cells...)
	}
	e := &syntax.Expr{Op: syntax.OpBlocks}
	grid := isGrid(terms)
	for i, row := range terms {
		for j, a := range row {
			thin := (len(terms) == 1 || onlyOne(terms)) && a.order() == t.order() && a.shape[axis] == unit
			exprs[i][j] = cellExpr(a, thin || grid && given(terms, i, j), exprs[i][j])
		}
		e.Args = append(e.Args, &syntax.Expr{Op: syntax.OpRow, Args: exprs[i]})
	}
	return e
}

// cellExpr writes zeros with their sizes, or as the number where their place gives these.
func cellExpr(a *term, number bool, x *syntax.Expr) *syntax.Expr {
	switch {
	case a.op == opFill && !a.zero() && x.Op != syntax.OpTranspose:
		return sizedFill(a.rat, a.shape)
	case !a.zero():
		return x
	case number:
		return syntax.Int(0)
	}
	return syntax.Call("zeros", sizeExprs(a.shape)...)
}

func (t *term) zero() bool { return t.op == opFill && t.rat.Sign() == 0 }

// onlyOne reports whether each row has one block.
func onlyOne(rows [][]*term) bool {
	return !slices.ContainsFunc(rows, func(r []*term) bool { return len(r) > 1 })
}

// isGrid reports whether the columns of several rows of several blocks have one width each.
func isGrid(rows [][]*term) bool {
	width := func(a *term) size.Size {
		if a.order() < 2 {
			return unit
		}
		return a.shape[1]
	}
	return len(rows) > 1 && len(rows[0]) > 1 && !slices.ContainsFunc(rows, func(r []*term) bool {
		return !slices.EqualFunc(r, rows[0], func(a, b *term) bool { return width(a) == width(b) })
	})
}

// given reports whether blocks that are no zeros give the height and the width of a place.
func given(rows [][]*term, i, j int) bool {
	none := func(a *term) bool { return !a.zero() }
	return slices.ContainsFunc(rows[i], none) && slices.ContainsFunc(rows, func(r []*term) bool { return none(r[j]) })
}
