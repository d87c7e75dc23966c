package unparse

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
)

// einstein writes a term in the Einstein language; sub gives the text of an operand.
func (l *lexicon) einstein(t *term, sub func(*term) *syntax.Expr) *syntax.Expr {
	switch t.op {
	case opVar:
		return syntax.Name(t.name)
	case opNum:
		return syntax.Number(t.rat)
	case opSize:
		return sizeExpr(t.sizes[0])
	case opPi:
		return l.piExpr()
	case opFill:
		if !t.free && !t.sized() {
			return syntax.Number(t.rat) // its letters give its order
		}
		return l.fillExpr(t.rat, t.shape)
	case opDelta:
		return l.deltaExpr(t)
	case opAdd:
		return sumExpr(sub(t.args[0]), syntax.StepAdd, sub(t.args[1]), t.args[0].uses == 1)
	case opSub:
		return sumExpr(sub(t.args[0]), syntax.StepSub, sub(t.args[1]), t.args[0].uses == 1)
	case opNeg:
		return negTerm(t, sub)
	case opDiv:
		return divExpr(sub(t.args[0]), sub(t.args[1]), false, syntax.OpPower)
	case opPow:
		return &syntax.Expr{Op: syntax.OpPower, Args: []*syntax.Expr{sub(t.args[0]), syntax.Number(t.rat)}}
	case opCall:
		return callTerm(t, sub)
	case opIndex:
		return statesOf(t, t.indexed(sub))
	case opJoin:
		return joinExpr(t, func(a *term, row bool) *syntax.Expr {
			if row {
				return syntax.Transpose(sub(a))
			}
			return sub(a)
		})
	}
	if len(t.args) > 2 {
		args := lists.Map(t.args, sub)
		return &syntax.Expr{Op: syntax.OpEinsum, Spec: specOf(t.in, t.out), Args: args}
	}
	if len(t.args) == 2 {
		return indexExpr(sub(t.args[0]), sub(t.args[1]), t.in[0], t.in[1], t.out)
	}
	return l.unaryTerm(t, sub)
}

// negTerm writes -t, with the sign at the first factor of a product that stands here
// alone.
func negTerm(t *term, sub func(*term) *syntax.Expr) *syntax.Expr {
	a := t.args[0]
	e := sub(a)
	if a.uses > 1 && a.op != opNum {
		return syntax.Neg(e)
	}
	return negate(e)
}

// fillExpr is a constant tensor with its sizes. Where these are no text, the letters of
// a broadcast leave them open.
func (l *lexicon) fillExpr(r *big.Rat, shape []size.Size) *syntax.Expr {
	if len(shape) == 0 {
		return syntax.Number(r)
	}
	if !l.writable(shape) {
		return unaryExpr(syntax.Number(r), nil, einsum.UpTo(len(shape)))
	}
	return sizedFill(r, shape)
}

// sizedFill is a constant tensor with its sizes.
func sizedFill(r *big.Rat, shape []size.Size) *syntax.Expr {
	if r.Sign() < 0 {
		return syntax.Neg(sizedFill(new(big.Rat).Neg(r), shape))
	}
	if r.Cmp(big.NewRat(1, 1)) == 0 {
		return syntax.Call("ones", sizeExprs(shape)...)
	}
	e := syntax.Number(r)
	if e.Op == syntax.OpNum {
		return &syntax.Expr{Op: syntax.OpNum, Num: r, Sizes: sizeExprs(shape)}
	}
	// p/q with the sizes at the numerator.
	num := &syntax.Expr{Op: syntax.OpNum, Num: e.Args[0].Num, Sizes: sizeExprs(shape)}
	return chain(num, e.Steps[0])
}

// deltaExpr is delta(n), with its sizes where the context does not give them.
func (l *lexicon) deltaExpr(t *term) *syntax.Expr {
	k := len(t.sizes)
	switch {
	case !t.sized() || !l.writable(t.sizes):
		return &syntax.Expr{Op: syntax.OpDelta, Order: k}
	case k == 1:
		return syntax.Call("eye", sizeExprs(t.sizes)...)
	}
	return &syntax.Expr{Op: syntax.OpDelta, Order: k, Sizes: sizeExprs(t.sizes)}
}

// unaryTerm writes a product of one operand. Letters that are new in the output, and
// whose sizes the context does not give, are those of a second operand of ones.
func (l *lexicon) unaryTerm(t *term, sub func(*term) *syntax.Expr) *syntax.Expr {
	var fresh []int
	var sizes []size.Size
	open := false
	for p, v := range t.out {
		if !slices.Contains(t.in[0], v) && !slices.Contains(fresh, v) {
			fresh = append(fresh, v)
			sizes = append(sizes, t.shape[p])
			open = open || !t.around[p]
		}
	}
	e := sub(t.args[0])
	if open && l.writable(sizes) {
		return indexExpr(e, l.fillExpr(big.NewRat(1, 1), sizes), t.in[0], fresh, t.out)
	}
	return unaryExpr(e, t.in[0], t.out)
}

// callTerm writes a function, and what else is an operation of two arguments.
func callTerm(t *term, sub func(*term) *syntax.Expr) *syntax.Expr {
	args := lists.Map(t.args, sub)
	switch at := atom.Named(t.name); {
	case at == atom.Pow && t.args[1].order() == 0:
		return &syntax.Expr{Op: syntax.OpPower, Args: args}
	case at == atom.Pow:
		return &syntax.Expr{Op: syntax.OpElemPower, Args: args}
	case at != nil && at.Infix != "":
		if number := func(a *term) bool { return a.op == opNum || a.op == opFill }; at.Commutes && number(t.args[0]) && !number(t.args[1]) {
			slices.Reverse(args) // u == 0
		}
		return &syntax.Expr{Op: syntax.OpCompare, Name: at.Infix, Args: args}
	}
	switch t.name {
	case "scatter":
		for k, a := range args[1:] {
			args[k+1] = arrayExpr(a)
		}
	case "prodexcept":
		if t.rat.Cmp(big.NewRat(1, 1)) != 0 {
			args = append(args, syntax.Int(t.rat.Num().Int64()))
		}
	case "tril", "triu":
		if t.attr != 0 {
			args = append(args, syntax.Int(int64(t.attr)))
		}
	case "minor", "merge", "matpow":
		return syntax.Call(t.name, args[0], syntax.Int(int64(t.attr)))
	case "split":
		return syntax.Call("split", append([]*syntax.Expr{args[0], syntax.Int(int64(t.attr))}, sizeExprs(t.sizes)...)...)
	}
	if axis, ok := t.axis(); ok {
		return axisExpr(t.name, axis, args...)
	}
	return syntax.Call(t.name, args...)
}
