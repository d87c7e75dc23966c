package unparse

import (
	"slices"

	"frechet/syntax"
)

// A vector beside a matrix is repeated by the language itself: A + v*ones(n)' is A + v, and A - ones(m)*x' is A - x'.

// repeatedVector is the vector that an expression repeats along the columns or the rows of a matrix, nil where it is no
// product with ones.
func repeatedVector(e *syntax.Expr) *syntax.Expr {
	if e.Op != syntax.OpProduct || slices.ContainsFunc(e.Steps, func(s syntax.Step) bool { return s.Op != syntax.StepMul && s.Op != syntax.StepDiv }) {
		return nil
	}
	if isOnes(e.Args[0]) && e.Steps[0].Op == syntax.StepMul {
		return chained(e.Steps[0].Arg, e.Steps[1:])
	}
	last := len(e.Steps) - 1
	for last >= 0 && e.Steps[last].Op == syntax.StepDiv {
		last--
	}
	if last >= 0 && e.Steps[last].Arg.Op == syntax.OpTranspose && isOnes(e.Steps[last].Arg.Args[0]) {
		return chained(e.Args[0], slices.Delete(slices.Clone(e.Steps), last, last+1))
	}
	return nil
}

// isOnes reports whether e is ones(n), a vector.
func isOnes(e *syntax.Expr) bool {
	return e.Op == syntax.OpCall && e.Name == "ones" && len(e.Args) == 1
}

// chained is a product of a first factor and the steps behind it.
func chained(first *syntax.Expr, steps []syntax.Step) *syntax.Expr {
	if len(steps) == 0 {
		return first
	}
	return &syntax.Expr{Op: syntax.OpProduct, Args: []*syntax.Expr{first}, Steps: steps}
}

// repeats writes the operands of an operation entry by entry on two matrices without the ones by which a vector is repeated,
// where the other one is a matrix as it stands. It reports whether it did.
func (l *lexicon) repeats(a, b *term, texts []*syntax.Expr) bool {
	if l.explicit || a.order() != 2 || b.order() != 2 {
		return false
	}
	va, vb := repeatedVector(texts[0]), repeatedVector(texts[1])
	switch {
	case vb != nil && (va != nil || !literal(a)):
		texts[1] = vb
	case va != nil && !literal(b):
		texts[0] = va
	default:
		return false
	}
	return true
}

// literal reports whether the text of t takes its order from where it stands.
func literal(t *term) bool {
	return t.op == opNum || t.op == opFill || len(t.args) > 0 && t.op != opProd && !slices.ContainsFunc(t.args, func(a *term) bool { return a.order() == 2 && !literal(a) })
}
