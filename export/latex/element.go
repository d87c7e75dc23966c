package latex

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
)

// element writes the element of an expression at indices; what has order 0 broadcasts
// and gets none.
func (w *writer) element(e *syntax.Expr, idx []string) text {
	if len(idx) > 0 && w.order(e) == 0 {
		idx = nil
	}
	switch e.Op {
	case syntax.OpNum:
		return text{number(e), levelFactor}
	case syntax.OpName:
		return text{Symbol(e.Name) + subscript(idx), levelFactor}
	case syntax.OpDelta:
		return w.delta(idx)
	case syntax.OpNeg:
		return text{"-" + w.element(e.Args[0], idx).as(levelProduct), levelProduct}
	case syntax.OpTranspose:
		if len(idx) == 2 {
			idx = []string{idx[1], idx[0]}
		}
		return w.element(e.Args[0], idx)
	case syntax.OpPower, syntax.OpElemPower:
		return text{power(w.element(e.Args[0], idx)) + "^{" + w.element(e.Args[1], idx).s + "}", levelFactor}
	case syntax.OpCompare:
		return w.compare(e, w.element(e.Args[0], idx), w.element(e.Args[1], idx))
	case syntax.OpSum:
		return w.sum(e, func(a *syntax.Expr) text { return w.element(a, idx) })
	case syntax.OpEinsum:
		return w.product(e.Spec, e.Args, nil, 0, idx)
	case syntax.OpProduct:
		return w.chain(e, len(e.Steps), idx)
	case syntax.OpIndex:
		return w.element(e.Args[0], w.picked(e, idx))
	case syntax.OpScan, syntax.OpBlocks:
		if e.Op == syntax.OpScan {
			return text{w.scan(e).s + subscript(idx), levelFactor}
		}
		return text{w.blocks(e, w.whole).s + subscript(idx), levelFactor}
	}
	return w.elementCall(e, idx)
}

// picked are the indices of the operand of a slice, of which idx are those of the entry.
func (w *writer) picked(e *syntax.Expr, idx []string) (out []string) {
	var rows []string // of arrays
	arrays := syntax.IndexOrder(e, func(name string) int { return w.orders[name] })
	for _, s := range e.Args[1:] {
		arrays -= map[bool]int{true: 1}[s.Op == syntax.OpRange]
	}
	for _, s := range e.Args[1:] {
		if syntax.IndexOrder(&syntax.Expr{Args: []*syntax.Expr{nil, s}}, func(name string) int { return w.orders[name] }) == arrays && s.Op != syntax.OpRange && arrays > 0 {
			if rows == nil {
				rows, idx = idx[:arrays], idx[arrays:]
			}
			out = append(out, w.matrix(s).as(levelFactor)+subscript(rows))
			continue
		}
		if s.Op != syntax.OpRange {
			out = append(out, w.matrix(s).as(levelFactor))
			continue
		}
		i := idx[0]
		idx = idx[1:]
		if s.Args[2] != nil {
			i = w.matrix(s.Args[2]).as(levelFactor) + " " + i
		}
		if s.Args[0] != nil {
			i += " + " + w.matrix(s.Args[0]).as(levelProduct)
		}
		if s.Args[0] != nil || s.Args[2] != nil {
			i = bracket(i)
		}
		out = append(out, i)
	}
	return out
}

// delta is 1 where the first half of the indices is the second half.
func (w *writer) delta(idx []string) text {
	if len(idx)%2 != 0 || len(idx) == 0 {
		return w.fail("delta of %s", words.Count(len(idx), "axis"))
	}
	k := len(idx) / 2
	var parts []string
	for i := range k {
		parts = append(parts, `\delta_{`+idx[i]+idx[i+k]+"}")
	}
	t := text{strings.Join(parts, " "), levelFactor}
	if k > 1 {
		t.level = levelProduct
	}
	return t
}

// chain writes the element of a product after its first n steps.
func (w *writer) chain(e *syntax.Expr, n int, idx []string) text {
	if n == 0 {
		return w.element(e.Args[0], idx)
	}
	s := e.Steps[n-1]
	if s.Spec != nil {
		args := []*syntax.Expr{nil}
		if s.Arg != nil {
			args = append(args, s.Arg)
		}
		return w.product(s.Spec, args, e, n-1, idx)
	}
	a, b := w.chainOrder(e, n-1), w.order(s.Arg)
	left := func(ix []string) text {
		if a == 0 {
			ix = nil
		}
		return w.chain(e, n-1, ix)
	}
	switch s.Op {
	case syntax.StepDiv, syntax.StepElemDiv:
		return text{`\frac{` + left(idx).s + "}{" + w.element(s.Arg, idx).s + "}", levelFactor}
	case syntax.StepElemMul:
		return w.multiply(left(idx), w.element(s.Arg, idx))
	}
	switch {
	case a == 0 || b == 0:
		return w.multiply(left(idx), w.element(s.Arg, idx))
	case a == 1 && b == 1 && len(idx) == 2:
		return w.multiply(left(idx[:1]), w.element(s.Arg, idx[1:]))
	}
	// A diagonal matrix scales rows or columns.
	if a == 2 && n == 1 && isDiagonal(w, e.Args[0]) {
		return w.multiply(w.element(e.Args[0].Args[0], idx[:1]), w.element(s.Arg, idx))
	}
	if a == 2 && b == 2 && isDiagonal(w, s.Arg) {
		return w.multiply(left(idx), w.element(s.Arg.Args[0], idx[1:]))
	}
	// The matrix product, over one new letter.
	k := w.fresh(1)[0]
	var l, r []string
	switch {
	case a == 2 && b == 2:
		l, r = []string{idx[0], k}, []string{k, idx[1]}
	case a == 2:
		l, r = []string{idx[0], k}, []string{k}
	case b == 2:
		l, r = []string{k}, []string{k, idx[0]}
	default:
		l, r = []string{k}, []string{k}
	}
	return text{`\sum_{` + k + "} " + w.multiply(left(l), w.element(s.Arg, r)).s, levelSum}
}

// isDiagonal reports whether e is diag(x) of a vector.
func isDiagonal(w *writer, e *syntax.Expr) bool {
	return e.Op == syntax.OpCall && e.Name == "diag" && w.order(e.Args[0]) == 1
}

// multiply writes two factors; a sum over an index may stand last.
func (w *writer) multiply(a, b text) text {
	right := b.as(levelFactor)
	level := levelProduct
	switch {
	case b.level == levelProduct && !strings.HasPrefix(b.s, "-"):
		right = b.s
	case b.level == levelSum && strings.HasPrefix(b.s, `\sum`) && onlySum(b.s):
		right, level = b.s, levelSum
	}
	if a.s == "1" {
		return text{right, level}
	}
	return text{join(a.as(levelProduct), right), level}
}

// onlySum reports whether s, which begins with a sum over an index, has nothing added
// to it outside of brackets.
func onlySum(s string) bool {
	depth := 0
	for i, c := range s {
		switch c {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case '+', '-':
			if depth == 0 && i > 0 {
				return false
			}
		}
	}
	return true
}

// product writes the element of an index product. A nil operand is the chain e after
// its first n steps.
func (w *writer) product(spec *syntax.Spec, args []*syntax.Expr, e *syntax.Expr, n int, idx []string) text {
	at := map[string]string{}
	var deltas []text
	for p, l := range spec.Out.Letters {
		if have, ok := at[l]; ok {
			deltas = append(deltas, text{`\delta_{` + have + idx[p] + "}", levelFactor})
			continue
		}
		at[l] = idx[p]
	}
	var summed []string
	factors := make([]text, 0, len(args)+len(deltas))
	for _, in := range spec.In {
		for _, l := range in.Letters {
			if _, ok := at[l]; !ok {
				at[l] = w.fresh(1)[0]
				summed = append(summed, at[l])
			}
		}
	}
	for k, a := range args {
		ix := make([]string, len(spec.In[k].Letters))
		for i, l := range spec.In[k].Letters {
			ix[i] = at[l]
		}
		if a == nil {
			factors = append(factors, w.chain(e, n, ix))
		} else {
			factors = append(factors, w.element(a, ix))
		}
	}
	factors = slices.Concat(deltas, factors)
	t := factors[0]
	for _, f := range factors[1:] {
		t = w.multiply(t, f)
	}
	if len(summed) == 0 {
		return t
	}
	body := t.s
	if t.level == levelSum && !(strings.HasPrefix(t.s, `\sum`) && onlySum(t.s)) {
		body = t.as(levelProduct)
	}
	return text{`\sum_{` + strings.Join(summed, ",") + "} " + body, levelSum}
}

// productExcept writes the element of a derivative of prod: the product over all places but those of idx, which differ.
func (w *writer) productExcept(e *syntax.Expr, idx []string) text {
	order, axis := w.order(e.Args[0]), 0
	if e.Axis != nil {
		axis = (e.Axis.Value + order) % order
	}
	k := len(idx) - order + 1
	except := idx[axis : axis+k]
	v := w.fresh(1)
	var apart strings.Builder
	for i, a := range except {
		for _, b := range except[:i] {
			fmt.Fprintf(&apart, `[%s \ne %s] `, b, a)
		}
	}
	places := v[0] + ` \ne ` + except[0]
	if k > 1 {
		places = v[0] + ` \notin \{` + strings.Join(except, ", ") + `\}`
	}
	body := w.element(e.Args[0], slices.Concat(idx[:axis], v, idx[axis+k:])).as(levelProduct)
	return text{apart.String() + `\prod_{` + places + "} " + body, levelSum}
}

// axisOf is the axis of the call of a function, one of order axes; ok is false where there is none.
func axisOf(e *syntax.Expr, order int) (axis int, ok bool) {
	axis = e.Axis.Value
	if axis < 0 {
		axis += order
	}
	return axis, axis >= 0 && axis < order
}

func (w *writer) noAxis(e *syntax.Expr, order int) text {
	return w.fail("%s over axis %d of a tensor of order %d", e.Name, e.Axis.Value, order)
}

// over writes a reduction over one axis or all, of the entries or of their exponentials.
func (w *writer) over(e *syntax.Expr, sign string, exponential bool, idx []string) text {
	order := w.order(e.Args[0])
	in := w.fresh(order)
	summed := slices.Clone(in)
	if e.Axis != nil {
		axis, ok := axisOf(e, order)
		if !ok || len(idx) != order-1 {
			return w.noAxis(e, order)
		}
		summed = in[axis : axis+1]
		in = slices.Insert(slices.Clone(idx), axis, summed[0])
	}
	t := w.element(e.Args[0], in)
	if exponential {
		t = function(atom.Exp.Name, t)
	}
	return text{sign + "_{" + strings.Join(summed, ",") + "} " + t.as(levelProduct), levelSum}
}

// alongAxis writes a softmax or a mean over one axis.
func (w *writer) alongAxis(e *syntax.Expr, idx []string) text {
	order := w.order(e.Args[0])
	axis, ok := axisOf(e, order)
	if !ok {
		return w.noAxis(e, order)
	}
	if e.Name == "mean" {
		idx = slices.Insert(slices.Clone(idx), axis, w.fresh(1)[0])
	}
	return text{`\operatorname{` + e.Name + "}_{" + idx[axis] + "}" + bracket(w.element(e.Args[0], idx).s), levelFactor}
}

// wholes are the arguments as they stand, without indices.
func (w *writer) wholes(e *syntax.Expr) []text { return lists.Map(e.Args, w.whole) }

// elementCall writes the element of a function's value: a case for each function that is no element-wise one.
func (w *writer) elementCall(e *syntax.Expr, idx []string) text {
	switch e.Name {
	case "eye":
		return w.delta(idx)
	case "ones":
		return text{"1", levelFactor}
	case "zeros":
		return text{"0", levelFactor}
	case "onehot":
		return text{`\delta_{` + w.matrix(e.Args[0]).s + subscript(idx[:len(idx)-1]) + "," + idx[len(idx)-1] + "}", levelFactor}
	case "scatter":
		return text{w.matrix(e).s + subscript(idx), levelFactor}
	case "concat", "stack":
		return text{w.joinedCall(e, w.wholes(e)).s + subscript(idx), levelFactor}
	}
	a := e.Args[0]
	switch e.Name {
	case "sum", atom.Prod.Spoken():
		return w.over(e, `\`+e.Name, false, idx)
	case "prodexcept":
		return w.productExcept(e, idx)
	case "logsumexp":
		return text{`\log ` + w.over(e, `\sum`, true, idx).s, levelSum}
	case atom.Max.Name, atom.Min.Name:
		if len(e.Args) == 1 {
			return w.over(e, `\`+e.Name, false, idx)
		}
	case "tr":
		k := w.fresh(1)[0]
		return text{`\sum_{` + k + "} " + w.element(a, []string{k, k}).as(levelProduct), levelSum}
	case "diag":
		if w.order(a) == 2 {
			return w.element(a, []string{idx[0], idx[0]})
		}
		return w.multiply(text{`\delta_{` + idx[0] + idx[1] + "}", levelFactor}, w.element(a, idx[:1]))
	case "norm2":
		return text{`\lVert ` + w.whole(a).s + ` \rVert`, levelFactor}
	case "norm1":
		return text{`\lVert ` + w.whole(a).s + ` \rVert_{1}`, levelFactor}
	case "inv", "solve", "kron", "matpow", "tril", "triu":
		return text{`\left(` + w.call(e, w.wholes(e)).s + `\right)` + subscript(idx), levelFactor}
	case "softmax", "mean":
		if e.Axis != nil {
			return w.alongAxis(e, idx)
		}
		return text{function(e.Name, w.whole(a)).s + subscript(idx), levelFactor}
	case "det", "adj", "logdet":
		return text{function(e.Name, w.whole(a)).s + subscript(idx), levelFactor}
	case "minor", "merge", "split":
		return text{w.named(e, w.whole(a)).s + subscript(idx), levelFactor}
	}
	if _, spaces := w.betweenSpaces(e); spaces {
		t := function(e.Name, w.wholes(e)...)
		t.s += subscript(idx)
		return t
	}
	return function(e.Name, lists.Map(e.Args, func(x *syntax.Expr) text { return w.element(x, idx) })...)
}
