package unparse

import (
	"math/big"
	"slices"

	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
)

// factor is an operand of a product while it is written, with its letters.
type factor struct {
	form    form
	letters []int
	single  bool // its text stands nowhere else, so chains may go on in it
}

// matrixProduct writes an index product of one or two operands.
func (l *lexicon) matrixProduct(t *term, sub func(*term) form) (form, bool) {
	if c := t.args[0]; c.op == opFill && c.rat.Cmp(big.NewRat(1, 1)) != 0 && l.writable(c.shape) && len(t.args) == 2 {
		return l.filled(t, sub)
	}
	fs := lists.Indexed(t.args, func(k int, a *term) factor { return factor{sub(a), t.in[k], a.uses == 1} })
	for k := range fs {
		var other []int
		if len(fs) == 2 {
			other = t.in[1-k]
		}
		fs[k].reduce(func(v int) bool { return slices.Contains(other, v) || slices.Contains(t.out, v) })
	}
	if len(fs) == 1 {
		return l.embed(t, fs[0])
	}
	a, b := fs[0], fs[1]
	if len(a.letters) < len(b.letters) || len(a.letters) == 1 && len(b.letters) == 1 && complexity(a) > complexity(b) {
		a, b = b, a
	}
	switch {
	case len(a.letters) == 0 && len(b.letters) == 0 && syntax.Equal(a.form.plain.expr, b.form.plain.expr):
		return vector(elementwise(a.form.plain, b.form.plain, false, false, syntax.OpPower), oriented{}), true
	case len(a.letters) == 0:
		return scaled(a, b, t.out)
	case len(b.letters) == 0:
		return scaled(b, a, t.out)
	case len(a.letters) == 1:
		return vectors(a, b, t.out)
	case len(b.letters) == 1:
		return matrixVector(a, b, t.out)
	}
	return matrices(a, b, t.out)
}

// anyOrder writes products that have a sign without indices at any order: s*T and S .* T.
func (l *lexicon) anyOrder(t *term, sub func(*term) form) (form, bool) {
	if t.op != opProd || t.order() < 3 || len(t.args) != 2 || !slices.Equal(t.in[1], t.out) || !distinct(t.out) {
		return form{}, false
	}
	a, b := sub(t.args[0]).plain, sub(t.args[1]).plain
	switch {
	case len(t.in[0]) == 0 && b.expr.Op != syntax.OpNum: // a number takes its order from where it stands
		return single(t, times(a, oriented{expr: b.expr, cost: b.cost, lead: aMatrix}, aNumber, false, false)), true
	case slices.Equal(t.in[0], t.out):
		return single(t, elementwise(a, b, t.args[0].uses == 1, t.args[1].uses == 1, syntax.OpElemPower)), true
	}
	return form{}, false
}

// filled writes the product by a constant tensor: the number, and ones.
func (l *lexicon) filled(t *term, sub func(*term) form) (form, bool) {
	c := t.args[0]
	ones := &term{op: opFill, rat: big.NewRat(1, 1), shape: c.shape}
	other := &term{op: opProd, args: []*term{ones, t.args[1]}, in: t.in, out: t.out, shape: t.shape}
	f, ok := l.matrixProduct(other, func(a *term) form {
		if a == ones {
			g, _ := l.matrixForm(ones, nil)
			return g
		}
		return sub(a)
	})
	if !ok {
		return form{}, false
	}
	number := oriented{expr: syntax.Number(c.rat)}
	plain, trans := times(number, f.plain, aNumber, t.order() == 0, true), times(number, f.trans, aNumber, t.order() == 0, true)
	if t.order() < 2 {
		return vector(plain, trans), true
	}
	return settle(plain, trans), true
}

// complexity prefers names to longer texts for the side of a product that is transposed.
func complexity(f factor) int {
	if f.form.plain.expr.Op == syntax.OpName {
		return 0
	}
	return 1
}

// reduce sums an operand over its letters that nothing else has, and takes the diagonal
// for a repeated letter: of a matrix or of its transpose, whichever is the shorter.
func (f *factor) reduce(needed func(int) bool) {
	o, first, second := f.form.plain, 0, 1
	if len(f.letters) == 2 && f.form.trans.expr != nil && f.form.trans.cost < o.cost {
		o, first, second = f.form.trans, 1, 0
	}
	column := func(e *syntax.Expr) form { return vector(oriented{expr: e, cost: o.cost}, oriented{}) }
	switch {
	case len(f.letters) == 2 && f.letters[0] == f.letters[1]:
		if needed(f.letters[0]) {
			f.form, f.letters = column(syntax.Call("diag", o.expr)), f.letters[:1]
		} else {
			f.form, f.letters = column(syntax.Call("tr", o.expr)), nil
		}
	case len(f.letters) == 2 && !needed(f.letters[0]) && !needed(f.letters[1]),
		len(f.letters) == 1 && !needed(f.letters[0]):
		f.form, f.letters = column(syntax.Call("sum", o.expr)), nil
	case len(f.letters) == 2 && !needed(f.letters[1]):
		f.form, f.letters = column(axisExpr("sum", second, o.expr)), f.letters[:1]
	case len(f.letters) == 2 && !needed(f.letters[0]):
		f.form, f.letters = column(axisExpr("sum", first, o.expr)), f.letters[1:]
	}
}

// as is a matrix factor with its axes in the given order.
func (f factor) as(first, second int) oriented {
	if f.letters[0] == first && f.letters[1] == second {
		return f.form.plain
	}
	return f.form.trans
}

// times is a*b, where a is of the kind given. A chain of products goes on through a, and
// through b where b stands here alone, is no number, and its first factor may stand
// behind a: matrix products associate. Divisions by numbers move to the end.
func times(a, b oriented, of kind, bIsScalar, bSingle bool) oriented {
	left, divs := undivided(a.expr)
	right := b.expr
	if bSingle {
		var more []syntax.Step
		right, more = undivided(b.expr)
		divs = slices.Concat(divs, more)
	}
	// So do numbers in b to the front.
	var number *syntax.Expr
	if bSingle && onlySteps(right, syntax.StepMul) && right.Args[0].Op == syntax.OpNum && firstFactor(left).Op != syntax.OpNum {
		number = right.Args[0]
		if first := right.Steps[0].Arg; len(right.Steps) == 1 {
			right = first
		} else {
			right = &syntax.Expr{Op: syntax.OpProduct, Args: []*syntax.Expr{first}, Steps: right.Steps[1:]}
		}
		b.lead = aNumber // what is first now is not known
	}
	out := &syntax.Expr{Op: syntax.OpProduct, Args: []*syntax.Expr{left}, Steps: []syntax.Step{{Op: syntax.StepMul, Arg: right}}}
	if bSingle && onlySteps(right, syntax.StepMul) && (!bIsScalar || of == aNumber && plainFactors(right)) &&
		(of == aNumber && right.Args[0].Op != syntax.OpNum || b.lead >= aColumn || of == aColumn && b.lead == aRow) {
		out.Steps = append([]syntax.Step{{Op: syntax.StepMul, Arg: right.Args[0]}}, right.Steps...)
	}
	switch {
	case of == aNumber && len(divs) > 0 && isOne(left):
		out, of = right, b.lead
	case onlySteps(left, syntax.StepMul):
		of = a.lead
		out.Args, out.Steps = left.Args, slices.Concat(left.Steps, out.Steps)
	}
	if number != nil {
		of = aNumber
		if out.Op != syntax.OpProduct {
			out = chain(number, syntax.Step{Op: syntax.StepMul, Arg: out})
		} else {
			first := syntax.Step{Op: syntax.StepMul, Arg: out.Args[0]}
			out = &syntax.Expr{Op: syntax.OpProduct, Args: []*syntax.Expr{number}, Steps: append([]syntax.Step{first}, out.Steps...)}
		}
	}
	for _, d := range divs {
		out = divExpr(out, d.Arg, false, syntax.OpPower)
	}
	return oriented{out, a.cost + b.cost, of}
}

// undivided splits the divisions off the end of a chain of matrix products.
func undivided(e *syntax.Expr) (*syntax.Expr, []syntax.Step) {
	if !onlySteps(e, syntax.StepMul, syntax.StepDiv) {
		return e, nil
	}
	n := len(e.Steps)
	for n > 0 && e.Steps[n-1].Op == syntax.StepDiv {
		n--
	}
	divs := e.Steps[n:]
	switch {
	case len(divs) == 0:
		return e, nil
	case n == 0:
		return e.Args[0], divs
	}
	return &syntax.Expr{Op: syntax.OpProduct, Args: e.Args, Steps: e.Steps[:n:n]}, divs
}

// firstFactor is the first factor of a chain, or e.
func firstFactor(e *syntax.Expr) *syntax.Expr {
	if e.Op == syntax.OpProduct {
		return e.Args[0]
	}
	return e
}

func isOne(e *syntax.Expr) bool {
	return e.Op == syntax.OpNum && e.Sizes == nil && e.Num.IsInt() && e.Num.Num().IsInt64() && e.Num.Num().Int64() == 1
}

// plainFactors reports whether a chain has no transposes, as one of numbers.
func plainFactors(e *syntax.Expr) bool {
	return e.Args[0].Op != syntax.OpTranspose &&
		!slices.ContainsFunc(e.Steps, func(s syntax.Step) bool { return s.Arg.Op == syntax.OpTranspose })
}

// elementwise is a .* b. Chains go on through factors that stand here alone; names come
// first and sums last. The product of equal factors is a power, written with square.
func elementwise(a, b oriented, aSingle, bSingle bool, square syntax.Op) oriented {
	if syntax.Equal(a.expr, b.expr) {
		return oriented{expr: &syntax.Expr{Op: square, Args: []*syntax.Expr{a.expr, syntax.Int(2)}}, cost: a.cost}
	}
	var factors []*syntax.Expr
	add := func(e *syntax.Expr, single bool) {
		if single && onlySteps(e, syntax.StepElemMul) {
			factors = append(factors, e.Args[0])
			factors = lists.Append(factors, e.Steps, func(s syntax.Step) *syntax.Expr { return s.Arg })
			return
		}
		factors = append(factors, e)
	}
	add(a.expr, aSingle)
	add(b.expr, bSingle)
	slices.SortStableFunc(factors, func(x, y *syntax.Expr) int { return weight(x) - weight(y) })
	out := &syntax.Expr{Op: syntax.OpProduct, Args: factors[:1:1]}
	for _, f := range factors[1:] {
		out.Steps = append(out.Steps, syntax.Step{Op: syntax.StepElemMul, Arg: f})
	}
	return oriented{expr: out, cost: a.cost + b.cost}
}

// weight orders the factors of an element-wise product.
func weight(e *syntax.Expr) int {
	switch e.Op {
	case syntax.OpNum, syntax.OpName:
		return 0
	case syntax.OpPower, syntax.OpElemPower, syntax.OpTranspose:
		return weight(e.Args[0])
	case syntax.OpNeg:
		return 0
	case syntax.OpSum, syntax.OpCompare:
		return 2
	}
	return 1
}

// embed writes a product of one operand: what reduce left, with axes permuted, repeated
// or new.
func (l *lexicon) embed(t *term, f factor) (form, bool) {
	fresh := func(axis int) (*syntax.Expr, bool) {
		d := []size.Size{t.shape[axis]}
		return syntax.Call("ones", sizeExprs(d)...), l.writable(d)
	}
	out := t.out
	switch {
	case len(f.letters) == len(out) && len(out) < 2:
		return f.form, true
	case len(f.letters) == 2 && len(out) == 2:
		return settle(f.as(out[0], out[1]), f.as(out[1], out[0])), true
	case len(f.letters) == 0:
		if !l.writable(t.shape) {
			return form{}, false
		}
		ones := oriented{expr: syntax.Call("ones", sizeExprs(t.shape)...)}
		return single(t, times(f.form.plain, ones, aNumber, false, true)), true
	case len(f.letters) == 1 && len(out) == 2:
		x, l := f.form.plain, f.letters[0]
		switch {
		case out[0] == l && out[1] == l:
			d := oriented{expr: syntax.Call("diag", x.expr), cost: x.cost}
			return settle(d, d), true
		case out[0] == l:
			o, ok := fresh(1)
			return outer(f.form, vector(oriented{expr: o}, oriented{}), f.single, true), ok
		default:
			o, ok := fresh(0)
			return outer(vector(oriented{expr: o}, oriented{}), f.form, true, f.single), ok
		}
	}
	return form{}, false
}

// single is the form of a term with one text.
func single(t *term, o oriented) form {
	if t.order() < 2 {
		return vector(o, oriented{})
	}
	return settle(o, oriented{})
}

// vector completes the form of a vector, whose transpose costs nothing.
func vector(column, row oriented) form {
	if row.expr == nil || row.cost > column.cost {
		row = oriented{expr: syntax.Transpose(column.expr), cost: column.cost}
	}
	return form{column, row}
}

// outer is x*y', whose transpose is y*x'.
func outer(x, y form, xSingle, ySingle bool) form {
	return settle(times(x.plain, y.trans, aColumn, false, ySingle), times(y.plain, x.trans, aColumn, false, xSingle))
}

// scaled is s*a, with a's axes in the order out.
func scaled(s, a factor, out []int) (form, bool) {
	if len(a.letters) != len(out) {
		return form{}, false
	}
	if len(out) < 2 {
		scalar := len(out) == 0
		return vector(times(s.form.plain, a.form.plain, aNumber, scalar, a.single),
			times(s.form.plain, a.form.trans, aNumber, scalar, a.single)), true
	}
	return settle(times(s.form.plain, a.as(out[0], out[1]), aNumber, false, a.single),
		times(s.form.plain, a.as(out[1], out[0]), aNumber, false, a.single)), true
}

// vectors is a product of two vectors: inner, element-wise or outer.
func vectors(x, y factor, out []int) (form, bool) {
	p, q := x.form, y.form
	same := x.letters[0] == y.letters[0]
	switch {
	case same && len(out) == 0:
		if q.trans.cost+p.plain.cost < p.trans.cost+q.plain.cost {
			p, q, y = q, p, x
		}
		return vector(times(p.trans, q.plain, aRow, false, y.single), oriented{}), true
	case same && len(out) == 1:
		return vector(elementwise(p.plain, q.plain, x.single, y.single, syntax.OpPower), oriented{}), true
	case !same && len(out) == 2 && out[0] == x.letters[0]:
		return outer(p, q, x.single, y.single), true
	case !same && len(out) == 2 && out[0] == y.letters[0]:
		return outer(q, p, y.single, x.single), true
	}
	return form{}, false
}

// matrixVector is A*x, or a matrix with its rows or columns scaled.
func matrixVector(a, x factor, out []int) (form, bool) {
	s := x.letters[0]
	at := slices.Index(a.letters, s)
	if at < 0 {
		return form{}, false
	}
	o := a.letters[1-at]
	v := x.form.plain
	d := oriented{expr: syntax.Call("diag", v.expr), cost: v.cost}
	left := func() oriented { return times(d, a.as(s, o), aMatrix, false, a.single) }
	right := func() oriented { return times(a.as(o, s), d, aMatrix, false, false) }
	switch {
	case slices.Equal(out, []int{o}):
		return vector(times(a.as(o, s), v, aMatrix, false, x.single), times(x.form.trans, a.as(s, o), aRow, false, a.single)), true
	case slices.Equal(out, []int{s, o}):
		return settle(left(), right()), true
	case slices.Equal(out, []int{o, s}):
		return settle(right(), left()), true
	}
	return form{}, false
}

// matrices is a product of two matrices: the matrix product, the element-wise product,
// and their sums.
func matrices(a, b factor, out []int) (form, bool) {
	i, j := a.letters[0], a.letters[1]
	hasI, hasJ := slices.Contains(b.letters, i), slices.Contains(b.letters, j)
	switch {
	case hasI && hasJ:
		had := func(x, y int) oriented {
			return elementwise(a.as(x, y), b.as(x, y), a.single, b.single, syntax.OpElemPower)
		}
		switch len(out) {
		case 2:
			return settle(had(out[0], out[1]), had(out[1], out[0])), true
		case 1:
			other := i + j - out[0]
			p := had(out[0], other)
			q := had(other, out[0])
			if q.cost < p.cost {
				return vector(oriented{expr: axisExpr("sum", 0, q.expr), cost: q.cost}, oriented{}), true
			}
			return vector(oriented{expr: axisExpr("sum", 1, p.expr), cost: p.cost}, oriented{}), true
		case 0:
			p, q := had(i, j), had(j, i)
			if q.cost < p.cost {
				p = q
			}
			m := times(a.as(i, j), b.as(j, i), aMatrix, false, b.single)
			if m.cost < p.cost {
				return vector(oriented{expr: syntax.Call("tr", m.expr), cost: m.cost}, oriented{}), true
			}
			return vector(oriented{expr: syntax.Call("sum", p.expr), cost: p.cost}, oriented{}), true
		}
	case (hasI || hasJ) && len(out) == 2:
		s := j
		if hasI {
			s = i
		}
		if slices.Contains(out, s) {
			return form{}, false
		}
		l, r := a, b
		if !slices.Contains(a.letters, out[0]) {
			l, r = b, a
		}
		return settle(
			times(l.as(out[0], s), r.as(s, out[1]), aMatrix, false, r.single),
			times(r.as(out[1], s), l.as(s, out[0]), aMatrix, false, l.single),
		), true
	}
	return form{}, false
}
