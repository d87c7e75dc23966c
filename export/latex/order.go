package latex

import "frechet/syntax"

// order is the order of an expression; a number has order 0, since it broadcasts.
func (w *writer) order(e *syntax.Expr) int {
	switch e.Op {
	case syntax.OpNum:
		return len(e.Sizes)
	case syntax.OpName:
		return w.orders[e.Name]
	case syntax.OpDelta:
		return 2 * e.Order
	case syntax.OpEinsum:
		return len(e.Spec.Out.Letters)
	case syntax.OpCall:
		return w.callOrder(e)
	case syntax.OpCompare, syntax.OpElemPower:
		return max(w.order(e.Args[0]), w.order(e.Args[1]))
	case syntax.OpSum:
		o := w.order(e.Args[0])
		for _, s := range e.Steps {
			o = max(o, w.order(s.Arg))
		}
		return o
	case syntax.OpProduct:
		return w.chainOrder(e, len(e.Steps))
	}
	return w.order(e.Args[0])
}

// chainOrder is the order of a product after its first n steps.
func (w *writer) chainOrder(e *syntax.Expr, n int) int {
	o := w.order(e.Args[0])
	row := isRow(e.Args[0])
	for _, s := range e.Steps[:n] {
		switch s.Op {
		case syntax.StepIndex, syntax.StepUnary:
			o, row = len(s.Spec.Out.Letters), false
			continue
		}
		r := w.order(s.Arg)
		switch {
		case s.Op != syntax.StepMul || o == 0 || r == 0:
			if o == 0 {
				row = isRow(s.Arg)
			}
			o = max(o, r)
		case o == 2 && r == 2:
			o = 2
		case o == 1 && r == 1 && row:
			o, row = 0, false
		case o == 1 && r == 1:
			o = 2
		default: // a matrix and a vector; row*A is a row, A*x a column
			row = row && o == 1
			o = 1
		}
	}
	return o
}

// isRow reports whether an expression of order 1 is written as a row.
func isRow(e *syntax.Expr) bool {
	switch e.Op {
	case syntax.OpTranspose:
		return !isRow(e.Args[0])
	case syntax.OpNeg:
		return isRow(e.Args[0])
	case syntax.OpProduct:
		return len(e.Steps) > 0 && isRow(e.Args[0]) && e.Steps[0].Op == syntax.StepMul
	}
	return false
}

func (w *writer) callOrder(e *syntax.Expr) int {
	switch e.Name {
	case "eye":
		return 2
	case "ones":
		return len(e.Args)
	}
	a := w.order(e.Args[0])
	switch e.Name {
	case "det", "logdet", "norm1", "norm2", "tr":
		return 0
	case "diag":
		return 3 - a
	case "sum", "mean", "logsumexp", "max", "min":
		switch {
		case len(e.Args) == 2:
			return max(a, w.order(e.Args[1]))
		case e.Axis != nil:
			return a - 1
		}
		return 0
	case "logaddexp":
		return max(a, w.order(e.Args[1]))
	case "solve":
		return w.order(e.Args[1])
	case "merge":
		return a - 1
	case "split":
		return a + 1
	case "minor":
		if k := e.Args[1].Num; k != nil && k.IsInt() && k.Num().IsInt64() {
			return a - 2 + 2*int(k.Num().Int64())
		}
	}
	return a
}

// matrixStyle reports whether an expression can be written without indices.
func (w *writer) matrixStyle(e *syntax.Expr) bool {
	if w.order(e) > 2 || e.Op == syntax.OpEinsum || e.Axis != nil {
		return false
	}
	for _, a := range e.Args {
		if !w.matrixStyle(a) {
			return false
		}
	}
	for i, s := range e.Steps {
		if s.Spec != nil || w.chainOrder(e, i+1) > 2 || !w.matrixStyle(s.Arg) {
			return false
		}
	}
	return true
}
