package latex

import (
	"frechet/combinators/atom"
	"frechet/syntax"
)

// order is the order of an expression; a number has order 0, since it broadcasts.
func (w *writer) order(e *syntax.Expr) int {
	o := w.prefixes(e)
	return o[len(o)-1]
}

// chainOrder is the order of a product after its first n steps.
func (w *writer) chainOrder(e *syntax.Expr, n int) int { return w.prefixes(e)[n] }

// prefixes are the orders of a product after each number of its steps; of others it is one. They are
// remembered, since they are asked for at every part on the way down.
func (w *writer) prefixes(e *syntax.Expr) []int {
	if o, ok := w.known[e]; ok {
		return o
	}
	var o []int
	if e.Op == syntax.OpProduct {
		o = w.chainOrders(e)
	} else {
		o = []int{w.orderOf(e)}
	}
	w.known[e] = o
	return o
}

// orderOf is the order of what is no product.
func (w *writer) orderOf(e *syntax.Expr) int {
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
	case syntax.OpIndex:
		return syntax.IndexOrder(e, func(name string) int { return w.orders[name] })
	case syntax.OpBlocks:
		return w.blocksOrder(e)
	case syntax.OpScan:
		return e.ScanOrder(w.order(e.Args[1]))
	case syntax.OpCompare, syntax.OpElemPower:
		return max(w.order(e.Args[0]), w.order(e.Args[1]))
	case syntax.OpSum:
		o := w.order(e.Args[0])
		for _, s := range e.Steps {
			o = max(o, w.order(s.Arg))
		}
		return o
	}
	return w.order(e.Args[0])
}

func (w *writer) chainOrders(e *syntax.Expr) []int {
	o := w.order(e.Args[0])
	row := isRow(e.Args[0])
	all := append(make([]int, 0, len(e.Steps)+1), o)
	for _, s := range e.Steps {
		switch s.Op {
		case syntax.StepIndex, syntax.StepUnary:
			o, row = len(s.Spec.Out.Letters), false
			all = append(all, o)
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
		all = append(all, o)
	}
	return all
}

// blocksOrder is 1 where all blocks have no columns, or no rows, and stand below or beside each other.
func (w *writer) blocksOrder(e *syntax.Expr) int {
	rows, columns := len(e.Args) > 1, false
	for _, r := range e.Args {
		columns = columns || len(r.Args) > 1
		for _, c := range r.Args {
			o := w.order(c)
			rows = rows || o == 2 || o == 1 && !isRow(c)
			columns = columns || o == 2 || o == 1 && isRow(c)
		}
	}
	o := 0
	for _, is := range []bool{rows, columns} {
		if is {
			o++
		}
	}
	return o
}

// isRow reports whether an expression of order 1 is written as a row.
func isRow(e *syntax.Expr) bool {
	switch e.Op {
	case syntax.OpTranspose:
		return !isRow(e.Args[0])
	case syntax.OpNeg, syntax.OpIndex:
		return isRow(e.Args[0])
	case syntax.OpBlocks:
		return len(e.Args) == 1 && len(e.Args[0].Args) > 1
	case syntax.OpProduct:
		return len(e.Steps) > 0 && isRow(e.Args[0]) && e.Steps[0].Op == syntax.StepMul
	}
	return false
}

// betweenSpaces is the type of the declared function that e calls, where it is no element-wise one.
func (w *writer) betweenSpaces(e *syntax.Expr) (*atom.Signature, bool) {
	at := w.functions.Declared(e.Name)
	if e.Op != syntax.OpCall || at == nil || at.Signature().Elementwise() {
		return nil, false
	}
	return at.Signature(), true
}

// callOrder is one switch: a case for each function.
func (w *writer) callOrder(e *syntax.Expr) int {
	switch e.Name {
	case "eye":
		return 2
	case "ones", "zeros":
		return len(e.Args)
	}
	a := w.order(e.Args[0])
	if g, ok := w.betweenSpaces(e); ok {
		if g.Linear {
			return len(g.Result) + a - len(g.Params[0])
		}
		return len(g.Result)
	}
	if f, _ := syntax.LookupFunction(e.Name); f.Reduces && len(e.Args) == 1 {
		switch {
		case e.Axis != nil:
			return a - 1
		case e.Name == "det" || e.Name == "logdet": // of each matrix
			return a - 2
		}
		return 0
	}
	if f, ok := atom.FunctionNamed(e.Name); ok && f.Row.Arity == 2 || w.functions.Declared(e.Name) != nil {
		for _, x := range e.Args[1:] {
			a = max(a, w.order(x))
		}
		return a
	}
	switch e.Name {
	case "scatter": // the arrays have the first axes
		return a - syntax.IndexOrder(&syntax.Expr{Args: e.Args[:2]}, func(name string) int { return w.orders[name] }) + len(e.Args) - 1
	case "diag":
		return 3 - a
	case "solve":
		return w.order(e.Args[1])
	case "merge":
		return a - 1
	case "split":
		return a + 1
	case "stack":
		return a + 1
	case "prodexcept":
		if len(e.Args) == 2 && e.Args[1].Num != nil && e.Args[1].Num.IsInt() {
			return a - 1 + int(e.Args[1].Num.Num().Int64())
		}
	case "minor":
		if k := e.Args[1].Num; k != nil && k.IsInt() && k.Num().IsInt64() {
			return a - 2 + 2*int(k.Num().Int64())
		}
	}
	return a
}

// matrixStyle reports whether an expression can be written without indices.
func (w *writer) matrixStyle(e *syntax.Expr) bool {
	if e.Op == syntax.OpRange {
		return true
	}
	if e.Op == syntax.OpScan { // its step, which has names of its own, is written by itself
		return w.order(e) <= 2 && w.matrixStyle(e.Args[1])
	}
	if e.Op != syntax.OpRow && w.order(e) > 2 || e.Op == syntax.OpEinsum || e.Axis != nil {
		return false
	}
	for _, a := range e.Args {
		if !w.matrixStyle(a) {
			return false
		}
	}
	for i, s := range e.Steps {
		if s.Spec != nil || e.Op == syntax.OpProduct && w.chainOrder(e, i+1) > 2 || !w.matrixStyle(s.Arg) {
			return false
		}
	}
	return true
}
