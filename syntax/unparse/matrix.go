package unparse

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/internal/lists"
	"frechet/syntax"
)

// oriented is an expression in matrix notation with the number of transposes in it.
type oriented struct {
	expr *syntax.Expr
	cost int
	lead kind // of the first factor, where expr is a chain of matrix products
}

// kind is what stands at the left of a matrix product.
type kind uint8

const (
	aNumber kind = iota // of order 0
	aRow                // x'
	aColumn             // before a row
	aMatrix             // or a column before anything else
)

// form is a term in matrix notation: as it is, and transposed. A vector is a column, and
// transposed a row.
type form struct{ plain, trans oriented }

func (o oriented) transposed() oriented {
	if o.expr.Op == syntax.OpTranspose {
		return oriented{expr: o.expr.Args[0], cost: o.cost - 1}
	}
	return oriented{expr: syntax.Transpose(o.expr), cost: o.cost + 1}
}

// settle completes the form of a matrix: each orientation may be the transpose of the
// other.
func settle(plain, trans oriented) form {
	switch {
	case trans.expr == nil:
		trans = plain.transposed()
	case plain.expr == nil:
		plain = trans.transposed()
	case trans.cost > plain.cost+1:
		trans = plain.transposed()
	case plain.cost > trans.cost+1:
		plain = trans.transposed()
	}
	return form{plain, trans}
}

// matrixForm writes a term in matrix notation; sub gives the forms of its operands. It
// reports false for what matrix notation cannot say: orders above 2, and constants
// whose sizes have no text.
func (l *lexicon) matrixForm(t *term, sub func(*term) form) (form, bool) {
	if t.order() > 2 || t.op == opProd && len(t.args) > 2 || slices.ContainsFunc(t.args, func(a *term) bool { return a.order() > 2 }) {
		return form{}, false
	}
	atom := func(e *syntax.Expr) (form, bool) { return single(t, oriented{expr: e}), true }
	switch t.op {
	case opVar:
		return atom(syntax.Name(t.name))
	case opNum:
		return atom(syntax.Number(t.rat))
	case opSize:
		return atom(sizeExpr(t.sizes[0]))
	case opPi:
		return atom(l.piExpr())
	case opFill:
		if !l.writable(t.shape) {
			return form{}, false
		}
		if t.order() < 2 {
			return atom(l.fillExpr(t.rat, t.shape))
		}
		flipped := slices.Clone(t.shape)
		slices.Reverse(flipped)
		return settle(oriented{expr: l.fillExpr(t.rat, t.shape)}, oriented{expr: l.fillExpr(t.rat, flipped)}), true
	case opDelta:
		if !l.writable(t.sizes) {
			return form{}, false
		}
		e := oriented{expr: syntax.Call("eye", sizeExprs(t.sizes)...)}
		return settle(e, e), true
	case opProd:
		return l.matrixProduct(t, sub)
	case opCall:
		return l.matrixCall(t, sub), true
	case opIndex:
		e := t.indexed(func(a *term) *syntax.Expr { return sub(a).plain.expr })
		return single(t, oriented{expr: statesOf(t, e), cost: sub(t.args[0]).plain.cost}), true
	case opJoin:
		cost := 0
		e := joinExpr(t, func(a *term, row bool) *syntax.Expr {
			o := sub(a).plain
			if row {
				o = sub(a).trans
			}
			cost += o.cost
			return o.expr
		})
		return single(t, oriented{expr: e, cost: cost}), true
	}
	return l.entrywise(t, lists.Map(t.args, sub)), true
}

// entrywise writes an operation entry by entry, of operands that have the forms fs: both orientations go through.
func (l *lexicon) entrywise(t *term, fs []form) form {
	plain := l.oriented(t, fs, false)
	switch {
	case t.order() == 1 && (t.op == opNeg || t.op == opDiv && t.args[1].order() == 0):
		return vector(plain, l.oriented(t, fs, true)) // x'/s
	case t.order() < 2:
		return single(t, plain)
	}
	return settle(plain, l.oriented(t, fs, true))
}

// oriented is one orientation of an operation entry by entry, the plain one first.
func (l *lexicon) oriented(t *term, fs []form, transposed bool) (out oriented) {
	left := 0
	args := make([]*syntax.Expr, len(fs))
	costs := make([]int, len(fs))
	for k, f := range fs {
		o := f.plain
		if n := t.args[k].order(); transposed && n > 0 && n == t.order() && !t.args[k].sym {
			o = f.trans
		}
		args[k], costs[k] = o.expr, o.cost
		out.cost += o.cost
	}
	if t.op == opAdd && t.order() == 2 && costs[1] < costs[0] && args[0].Op != syntax.OpSum {
		args[0], args[1] = args[1], args[0] // A + A'
		left = 1
	}
	// A scalar operand is one text in both orientations: only the first may take it over.
	own := t.args[left].uses == 1 && (!transposed || args[0] != fs[left].plain.expr)
	if t.op != opNeg && t.op != opPow && l.repeats(t.args[left], t.args[1-left], args) {
		own = false
	}
	switch t.op {
	case opAdd:
		out.expr = sumExpr(args[0], syntax.StepAdd, args[1], own)
	case opSub:
		out.expr = sumExpr(args[0], syntax.StepSub, args[1], own)
	case opNeg:
		out.expr = negTerm(t, func(*term) *syntax.Expr { return args[0] })
	case opDiv:
		out.expr = divExpr(args[0], args[1], t.args[1].order() > 0, powerOp(t.args[1]))
	case opPow:
		out.expr = &syntax.Expr{Op: powerOp(t), Args: []*syntax.Expr{args[0], syntax.Number(t.rat)}}
	}
	return out
}

// powerOp is the power of the entries of t, which must not look like one of a matrix.
func powerOp(t *term) syntax.Op {
	if t.order() == 2 {
		return syntax.OpElemPower
	}
	return syntax.OpPower
}

// divExpr is a quotient; by a tensor it is ./, and square is the power of tensors of its order.
func divExpr(a, b *syntax.Expr, elementwise bool, square syntax.Op) *syntax.Expr {
	step := syntax.Step{Op: syntax.StepDiv, Arg: b}
	if elementwise {
		step.Op = syntax.StepElemDiv
	}
	if n := len(a.Steps); a.Op == syntax.OpProduct && a.Steps[n-1].Op == step.Op && syntax.Equal(a.Steps[n-1].Arg, b) {
		// x/s/s is x/s^2.
		step.Arg = &syntax.Expr{Op: square, Args: []*syntax.Expr{b, syntax.Int(2)}}
		return &syntax.Expr{Op: syntax.OpProduct, Args: a.Args, Steps: append(slices.Clone(a.Steps[:n-1]), step)}
	}
	if !elementwise && onlySteps(a, syntax.StepMul, syntax.StepDiv) {
		return syntax.Chain(step.Op, a, step.Arg)
	}
	return chain(a, step)
}

// onlySteps reports whether e is a chain with steps of the given kinds alone.
func onlySteps(e *syntax.Expr, kinds ...syntax.StepOp) bool {
	return e.Op == syntax.OpProduct && !slices.ContainsFunc(e.Steps, func(s syntax.Step) bool { return !slices.Contains(kinds, s.Op) })
}

// matrixCall writes a function of matrices and vectors.
func (l *lexicon) matrixCall(t *term, sub func(*term) form) form {
	cost := 0
	text := func(a *term) *syntax.Expr {
		f := sub(a)
		cost += f.plain.cost
		return f.plain.expr
	}
	e := callTerm(t, text)
	if at := atom.Named(t.name); at != nil && at.Class == atom.ClassElementwise && len(t.args) == 2 {
		l.repeats(t.args[0], t.args[1], e.Args)
	}
	if t.name == atom.Pow.Name && e.Op == syntax.OpPower && t.order() == 2 {
		e.Op = syntax.OpElemPower
	}
	return single(t, oriented{expr: e, cost: cost})
}
