package latex

import (
	"strconv"
	"strings"

	"frechet/syntax"
)

// whole writes an expression without indices of its own: in matrix notation, or as the
// bracket of its elements.
func (w *writer) whole(e *syntax.Expr) text {
	if w.matrixStyle(e) {
		return w.matrix(e)
	}
	outer := w.letters
	idx := w.fresh(w.order(e))
	t := w.element(e, idx)
	w.letters = outer
	if len(idx) == 0 {
		return t
	}
	return text{`\left[` + t.s + `\right]` + subscript(idx), levelFactor}
}

// matrix writes an expression in matrix notation.
func (w *writer) matrix(e *syntax.Expr) text {
	switch e.Op {
	case syntax.OpNum:
		return text{number(e), levelFactor}
	case syntax.OpName:
		return text{Symbol(e.Name), levelFactor}
	case syntax.OpDelta:
		return text{"I", levelFactor}
	case syntax.OpNeg:
		return text{"-" + w.matrix(e.Args[0]).as(levelProduct), levelProduct}
	case syntax.OpTranspose:
		a := w.matrix(e.Args[0])
		if w.order(e.Args[0]) == 0 {
			return a
		}
		if strings.HasSuffix(a.s, "^{-1}") {
			return text{strings.TrimSuffix(a.s, "^{-1}") + `^{-\top}`, levelFactor}
		}
		return text{power(a) + `^{\top}`, levelFactor}
	case syntax.OpPower, syntax.OpElemPower:
		exp := w.matrix(e.Args[1]).s
		if w.order(e.Args[0]) > 0 {
			exp = `\odot ` + exp
		}
		return text{power(w.matrix(e.Args[0])) + "^{" + exp + "}", levelFactor}
	case syntax.OpCompare:
		return w.compare(e, w.matrix(e.Args[0]), w.matrix(e.Args[1]))
	case syntax.OpCall:
		return w.matrixCall(e)
	case syntax.OpIndex:
		return text{power(w.matrix(e.Args[0])) + "_{" + w.subscripts(e) + "}", levelFactor}
	case syntax.OpBlocks:
		return w.blocks(e, w.matrix)
	case syntax.OpScan:
		return w.scan(e)
	case syntax.OpSum:
		return w.sum(e, w.matrix)
	case syntax.OpProduct:
		t := w.matrix(e.Args[0])
		for i, s := range e.Steps {
			t = w.matrixStep(e, i, s, t)
		}
		return t
	}
	return w.fail("an index product in matrix notation")
}

// subscripts writes those of x[1:], as in Python.
func (w *writer) subscripts(e *syntax.Expr) string {
	var all []string
	for _, s := range e.Args[1:] {
		if s.Op != syntax.OpRange {
			all = append(all, w.matrix(s).s)
			continue
		}
		var b strings.Builder
		for k, a := range s.Args {
			if k == 1 || k == 2 && a != nil {
				b.WriteString("{:}")
			}
			if a != nil {
				b.WriteString(w.matrix(a).s)
			}
		}
		all = append(all, b.String())
	}
	return strings.Join(all, ",")
}

// blocks writes [A, B; C, D]; rows of different numbers of blocks are matrices of their own.
func (w *writer) blocks(e *syntax.Expr, cell func(*syntax.Expr) text) text {
	aligned := true
	for _, r := range e.Args {
		aligned = aligned && len(r.Args) == len(e.Args[0].Args)
	}
	var rows []string
	for _, r := range e.Args {
		var cells []string
		for _, c := range r.Args {
			cells = append(cells, cell(c).s)
		}
		row := strings.Join(cells, " & ")
		if !aligned && len(cells) > 1 {
			row = `\begin{matrix} ` + row + ` \end{matrix}`
		}
		rows = append(rows, row)
	}
	return text{`\begin{bmatrix} ` + strings.Join(rows, ` \\ `) + ` \end{bmatrix}`, levelFactor}
}

func (w *writer) matrixStep(e *syntax.Expr, i int, s syntax.Step, t text) text {
	r := w.matrix(s.Arg)
	switch s.Op {
	case syntax.StepElemMul:
		if w.chainOrder(e, i) > 0 && w.order(s.Arg) > 0 {
			return text{t.as(levelProduct) + ` \odot ` + r.as(levelFactor), levelProduct}
		}
	case syntax.StepDiv, syntax.StepElemDiv:
		if w.order(s.Arg) > 0 {
			return text{t.as(levelProduct) + ` \oslash ` + r.as(levelFactor), levelProduct}
		}
		return text{`\frac{` + t.s + "}{" + r.s + "}", levelFactor}
	}
	return text{join(t.as(levelProduct), r.as(levelFactor)), levelProduct}
}

// join writes factors side by side, with a dot between numbers.
func join(a, b string) string {
	if b != "" && b[0] >= '0' && b[0] <= '9' {
		return a + ` \cdot ` + b
	}
	return a + " " + b
}

// sum writes a chain of + and -, its terms by the function given.
func (w *writer) sum(e *syntax.Expr, term func(*syntax.Expr) text) text {
	var b strings.Builder
	b.WriteString(term(e.Args[0]).as(levelSum))
	for _, s := range e.Steps {
		t := term(s.Arg)
		if s.Op == syntax.StepAdd {
			b.WriteString(" + ")
		} else {
			b.WriteString(" - ")
		}
		// A sum, or a sign, behind an operator stands in brackets.
		if s.Arg.Op == syntax.OpSum || strings.HasPrefix(t.s, "-") {
			b.WriteString(bracket(t.s))
		} else {
			b.WriteString(t.s)
		}
	}
	return text{b.String(), levelSum}
}

var relations = map[string]string{">": ">", ">=": `\ge`, "<": "<", "<=": `\le`, "==": "=", "!=": `\ne`}

// compare is Iverson's bracket.
func (w *writer) compare(e *syntax.Expr, a, b text) text {
	return text{`\left[` + a.s + " " + relations[e.Name] + " " + b.s + `\right]`, levelFactor}
}

// power is a base: brackets around all but a single symbol.
func power(t text) string {
	if t.level < levelFactor || strings.ContainsAny(t.s, "^ ") || strings.HasPrefix(t.s, `\frac`) || strings.HasPrefix(t.s, `\left[`) {
		if t.level == levelFactor && strings.HasPrefix(t.s, `\operatorname`) && !strings.Contains(t.s, "^") {
			return t.s
		}
		return bracket(t.s)
	}
	return t.s
}

func number(e *syntax.Expr) string {
	s := syntax.Print(&syntax.Expr{Op: syntax.OpNum, Num: e.Num})
	if m, x, ok := strings.Cut(s, "e"); ok {
		if m == "1" {
			return "10^{" + x + "}"
		}
		return m + ` \cdot 10^{` + x + "}"
	}
	return s
}

func (w *writer) matrixCall(e *syntax.Expr) text {
	sizes := func() string {
		var parts []string
		for _, a := range e.Args {
			parts = append(parts, w.matrix(a).s)
		}
		return strings.Join(parts, `\times `)
	}
	switch e.Name {
	case "eye":
		return text{"I_{" + sizes() + "}", levelFactor}
	case "ones":
		return text{`\mathbf{1}_{` + sizes() + "}", levelFactor}
	case "zeros":
		return text{`\mathbf{0}_{` + sizes() + "}", levelFactor}
	}
	args := make([]text, len(e.Args))
	for i, a := range e.Args {
		args[i] = w.matrix(a)
	}
	return w.call(e, args)
}

// call writes a function of tensors that are written without indices.
func (w *writer) call(e *syntax.Expr, args []text) text {
	switch e.Name {
	case "inv":
		return text{power(args[0]) + "^{-1}", levelFactor}
	case "solve":
		return text{power(args[0]) + "^{-1} " + args[1].as(levelFactor), levelProduct}
	case "norm2":
		if w.order(e.Args[0]) == 2 {
			return text{`\lVert ` + args[0].s + ` \rVert_{F}`, levelFactor}
		}
		return text{`\lVert ` + args[0].s + ` \rVert_{2}`, levelFactor}
	case "norm1":
		return text{`\lVert ` + args[0].s + ` \rVert_{1}`, levelFactor}
	case "sum":
		if w.order(e.Args[0]) == 1 {
			return text{`\mathbf{1}^{\top} ` + args[0].as(levelFactor), levelProduct}
		}
	case "kron":
		return text{args[0].as(levelFactor) + ` \otimes ` + args[1].as(levelFactor), levelProduct}
	case "matpow":
		return text{power(args[0]) + "^{" + args[1].s + "}", levelFactor}
	case "minor", "merge", "split", "prodexcept":
		return w.named(e, args[0])
	case "concat", "stack":
		return w.joinedCall(e, args)
	}
	return function(e.Name, args...)
}

// named writes a function whose parameters go below its name.
func (w *writer) named(e *syntax.Expr, arg text) text {
	var below []string
	for _, a := range e.Args[1:] {
		below = append(below, w.matrix(a).s)
	}
	name := `\operatorname{` + e.Name + "}"
	if below != nil {
		name += "_{" + strings.Join(below, ",") + "}"
	}
	return text{name + bracket(arg.s), levelFactor}
}

// joinedCall writes concat and stack with their axis below the name.
func (w *writer) joinedCall(e *syntax.Expr, args []text) text {
	all := make([]string, len(args))
	for i, a := range args {
		all[i] = a.s
	}
	axis := 0
	if e.Axis != nil {
		axis = e.Axis.Value
	}
	return text{`\operatorname{` + e.Name + "}_{" + strconv.Itoa(axis) + "}" + bracket(strings.Join(all, ", ")), levelFactor}
}
