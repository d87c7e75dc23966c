package elab

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
)

// chain types the products and quotients of one level, from the left. Each stage is
// a value of its own; building walks the stages, so that a long chain is a loop.
func (e *elaborator) chain(x *syntax.Expr) *value {
	acc := e.expr(x.Args[0])
	stages := make([]*value, 0, len(x.Steps))
	for _, s := range x.Steps {
		part := &syntax.Expr{Op: syntax.OpProduct, Span: syntax.Span{Start: x.Span.Start, End: s.At.End}, At: s.At}
		switch s.Op {
		case syntax.StepUnary:
			acc = e.indexProduct(part, s.At, s.Spec, []*value{acc})
		default:
			b := e.expr(s.Arg)
			part.Span.End = s.Arg.Span.End
			switch s.Op {
			case syntax.StepIndex:
				acc = e.indexProduct(part, s.At, s.Spec, []*value{acc, b})
			case syntax.StepMul:
				e.unusual += e.besideNumber(acc, b, 4, []int{0, 4, 7}[min(acc.order(), 2)]) // X*beta, C*sum(x)
				acc = e.matrixProduct(part, s.At, acc, b)
			case syntax.StepElemMul:
				acc = e.elementProduct(part, s.At, acc, b)
			case syntax.StepDiv, syntax.StepElemDiv:
				if s.Op == syntax.StepDiv && b.order() > 0 {
					e.unusual += 5 // x/t
				}
				acc = e.quotient(part, s.At, acc, b)
			}
		}
		stages = append(stages, acc)
	}
	out := *acc
	out.expr, out.built = x, nil
	out.build = func() *node {
		var n *node
		for _, s := range stages {
			n = s.get()
		}
		return n
	}
	return &out
}

// elementProduct types a .* b.
func (e *elaborator) elementProduct(x *syntax.Expr, at syntax.Span, a, b *value) *value {
	if a.rat != nil && b.rat != nil {
		if r := ratMul(a.rat, b.rat); r != nil {
			return e.number(x, r)
		}
	}
	a, b = e.aligned(a, b, at, "a product")
	v := &value{expr: x, lit: a.lit && b.lit}
	v.axes, v.row = e.join(a, b, at, "a product")
	v.build = func() *node { return e.mul(a.get(), b.get()) }
	return v
}

// quotient types a / b and a ./ b: a .* b^-1.
func (e *elaborator) quotient(x *syntax.Expr, at syntax.Span, a, b *value) *value {
	if a.rat != nil && b.rat != nil {
		if r := ratQuo(a.rat, b.rat); r != nil {
			return e.number(x, r)
		}
	}
	a, b = e.aligned(a, b, at, "a quotient")
	v := &value{expr: x, lit: a.lit && b.lit}
	v.axes, v.row = e.join(a, b, at, "a quotient")
	v.build = func() *node { return e.mul(a.get(), e.recip(b.get())) }
	return v
}

// matrixProduct types * without indices. A tensor of order 1 is a column, or a row
// where it was transposed.
func (e *elaborator) matrixProduct(x *syntax.Expr, at syntax.Span, a, b *value) *value {
	if a.order() == 0 || b.order() == 0 {
		return e.elementProduct(x, at, a, b)
	}
	if a.order() > 2 || b.order() > 2 {
		e.fail(e.errorf("T006", at, "* multiplies matrices and vectors; here are orders %d and %d", a.order(), b.order()).
			Helpf("name the axes, as in A *(ijk,kl->ijl) B, or write .* for the element-wise product"))
	}
	v := &value{expr: x}
	switch {
	case a.order() == 2 && b.order() == 2:
		return e.contracted(v, at, a, b, []*axis{a.axes[0], b.axes[1]}, [][]int{{0, 1}, {1, 2}}, []int{0, 2})
	case a.order() == 2 && !b.row:
		return e.contracted(v, at, a, b, []*axis{a.axes[0]}, [][]int{{0, 1}, {1}}, []int{0})
	case b.order() == 2 && a.row:
		v.row = true
		return e.contracted(v, at, a, b, []*axis{b.axes[1]}, [][]int{{1}, {1, 2}}, []int{2})
	case a.order() == 1 && b.order() == 1 && a.row && !b.row:
		return e.contracted(v, at, a, b, nil, [][]int{{1}, {1}}, nil)
	case a.order() == 1 && b.order() == 1 && !a.row && b.row:
		v.axes = []*axis{a.axes[0], b.axes[0]}
		v.build = func() *node {
			return e.plain([][]int{{0}, {1}}, []int{0, 1}, e.shape(v.axes), a.get(), b.get())
		}
		return v
	}
	e.orientation(at, a, b)
	return nil
}

// contracted sums over the last axis of a and the first of b, which are letter 1 of
// the index strings; letters 0 and 2 are what is left of either.
func (e *elaborator) contracted(v *value, at syntax.Span, a, b *value, axes []*axis, in [][]int, out []int) *value {
	inner, other := a.axes[len(a.axes)-1], b.axes[0]
	x, y := inner.find(), other.find()
	if !e.unify(inner, other) {
		left, right := e.text(a.expr, "the left side"), e.text(b.expr, "the right side")
		sx, sy := e.describeSize(x), e.describeSize(y)
		err := e.errorf("T012", at, "sizes differ in a product: the last axis of %s is %s and the first of %s is %s", left, sx, right, sy)
		e.noteOrigins(err, e.originOf(a, x), e.originOf(b, y))
		e.helpTranspose(err, a, b, left, right)
		e.fail(e.helpSizes(err, x, y))
	}
	v.axes = axes
	v.build = func() *node {
		sizes := []size.Size{{}, e.size(inner), {}}
		if len(in[0]) == 2 {
			sizes[0] = e.size(a.axes[0])
		}
		if len(in[1]) == 2 {
			sizes[2] = e.size(b.axes[1])
		}
		return e.dense(in, out, sizes, a.get(), b.get())
	}
	return v
}

// dense is plain for letters some of which may not occur.
func (e *elaborator) dense(in [][]int, out []int, sizes []size.Size, args ...*node) *node {
	number := lists.Make(len(sizes), func(i int) int { return -1 })
	var used []size.Size
	rename := func(letters []int) []int {
		r := make([]int, len(letters))
		for i, l := range letters {
			if number[l] < 0 {
				number[l] = len(used)
				used = append(used, sizes[l])
			}
			r[i] = number[l]
		}
		return r
	}
	in = slices.Clone(in)
	for k := range in {
		in[k] = rename(in[k])
	}
	return e.plain(in, rename(out), used, args...)
}

// helpTranspose proposes a transpose that would make a matrix product fit.
func (e *elaborator) helpTranspose(err *syntax.Error, a, b *value, left, right string) {
	same := func(x, y *axis) bool { return e.currentSize(x) == e.currentSize(y) }
	switch {
	case a.order() == 2 && same(a.axes[0], b.axes[0]):
		turned := parens(left) + "'"
		if a.expr.Op == syntax.OpTranspose {
			turned = parens(strings.TrimSuffix(left, "'"))
		}
		err.Helpf("%s * %s would fit", turned, parens(right))
	case b.order() == 2 && same(a.axes[len(a.axes)-1], b.axes[1]):
		err.Helpf("%s * %s' would fit", parens(left), parens(right))
	}
}

// orientation reports a product of rows and columns that does not exist.
func (e *elaborator) orientation(at syntax.Span, a, b *value) {
	kind := func(v *value) string {
		switch {
		case v.order() == 2:
			return "a matrix"
		case v.row:
			return "a row"
		}
		return "a column"
	}
	left, right := e.text(a.expr, ""), e.text(b.expr, "")
	if left == "" || right == "" {
		e.fail(e.errorf("T006", at, "%s has no product with %s on its right", kind(a), kind(b)).
			Helpf("a row times a column is the inner product, a column times a row the outer product, and .* the element-wise product; a matrix takes a row on its left and a column on its right; ' makes one of the other"))
	}
	err := e.errorf("T006", at, "%s * %s does not exist: %s is %s and %s is %s", parens(left), parens(right), left, kind(a), right, kind(b))
	col := func(v *value, text string) string { // v as a column
		switch t := v.expr; {
		case v.row && t.Op == syntax.OpTranspose:
			return parens(e.text(t.Args[0], text))
		case v.row:
			return parens(text) + "'"
		}
		return parens(text)
	}
	row := func(v *value, text string) string {
		if v.row {
			return parens(text)
		}
		return col(v, text) + "'"
	}
	switch {
	case a.order() == 1 && b.order() == 1:
		err.Helpf("write %s*%s for the inner product, %s*%s for the outer product, or %s .* %s for the element-wise product",
			row(a, left), col(b, right), col(a, left), row(b, right), col(a, left), col(b, right))
	case a.order() == 1:
		err.Helpf("write %s*%s for the row, or %s'*%s for the column", row(a, left), parens(right), parens(right), col(a, left))
	default:
		err.Helpf("write %s*%s for the column, or %s*%s' for the row", parens(left), col(b, right), row(b, right), parens(left))
	}
	e.fail(err)
}

// indexProduct types a product by index strings, one for each operand. A literal
// operand has the order that its string says; its axes have the sizes that the other
// operands give them.
func (e *elaborator) indexProduct(x *syntax.Expr, at syntax.Span, spec *syntax.Spec, args []*value) *value {
	for k, a := range args {
		in := spec.In[k]
		if !a.lit && len(in.Letters) != a.order() {
			what := e.text(a.expr, "the operand")
			err := e.errorf("T002", in.Span, "%s has order %d, but %s for it", what, a.order(), givenIndices(len(in.Letters))).
				Helpf("a letter stands for each axis: %s", words.Quote("ijklmnopqr"[:min(a.order(), 10)]))
			e.fail(err.Note(a.expr.Span, "order %d", a.order()))
		}
	}
	letters := map[string]int{} // number of a letter
	var classes []*axis
	first := map[string]int{} // the operand that a letter was seen in first
	for k, a := range args {
		if a.lit {
			continue
		}
		for i, l := range spec.In[k].Letters {
			n, seen := letters[l]
			if !seen {
				letters[l] = len(classes)
				classes = append(classes, a.axes[i])
				first[l] = k
				continue
			}
			p, q := classes[n].find(), a.axes[i].find()
			if !e.unify(classes[n], a.axes[i]) {
				e.letterMismatch(x, spec, args, k, i, first[l], p, q)
			}
		}
	}
	for k, a := range args {
		if !a.lit {
			continue
		}
		for _, l := range spec.In[k].Letters {
			if _, seen := letters[l]; !seen {
				letters[l] = len(classes)
				classes = append(classes, e.freshAxis(a.expr.At, "the size of index %s of %s", l, e.text(a.expr, "this literal")))
			}
		}
	}
	v := &value{expr: x}
	var out []int
	for i, l := range spec.Out.Letters {
		n, seen := letters[l]
		if !seen {
			if len(args) > 1 {
				e.fail(e.errorf("T003", spec.Out.At(i), "index %s of the result occurs in no operand, so nothing gives its size", l).
					Helpf("to repeat a tensor along a new axis, use an index product of one operand: x *(i->ij)"))
			}
			n = len(classes)
			letters[l] = n
			classes = append(classes, e.freshAxis(spec.Out.At(i), "the size of the new index %s", l))
		}
		out = append(out, n)
		v.axes = append(v.axes, classes[n])
	}
	// A literal of no letters and order 0 stays a literal: 2 *(,->) 3.
	v.lit = len(letters) == 0 && len(v.axes) == 0 && !slices.ContainsFunc(args, func(a *value) bool { return !a.lit })
	if v.lit {
		r := one
		for _, a := range args {
			if r != nil && a.rat != nil {
				r = ratMul(r, a.rat)
			} else {
				r = nil
			}
		}
		if r != nil {
			return e.number(x, r)
		}
	}
	v.build = func() *node { return e.buildProduct(spec, args, letters, classes, out) }
	return v
}

func operandName(k, n int) string {
	if n == 1 {
		return "the operand"
	}
	return fmt.Sprintf("operand %d", k+1)
}

func givenIndices(n int) string {
	switch n {
	case 0:
		return "no index is given"
	case 1:
		return "one index is given"
	}
	return words.Count(n, "index") + " are given"
}

// buildProduct makes the contraction. A literal is a number in it, without indices:
// its letters belong to the other operands, or are summed or repeated as they are.
func (e *elaborator) buildProduct(spec *syntax.Spec, args []*value, letters map[string]int, classes []*axis, out []int) *node {
	var in [][]int
	var nodes []*node
	factor := one
	for k, a := range args {
		if a.lit {
			n := a.get()
			if r := constant(n); r != nil {
				if p := ratMul(factor, r); p != nil {
					factor = p
					continue
				}
			}
			in, nodes = append(in, nil), append(nodes, n)
			continue
		}
		var ls []int
		ls = lists.Append(ls, spec.In[k].Letters, func(l string) int { return letters[l] })
		in, nodes = append(in, ls), append(nodes, a.get())
	}
	if !atom.IsOne(factor) {
		in, nodes = append(in, nil), append(nodes, e.store.Const(new(big.Rat).Set(factor)))
	}
	if len(nodes) == 0 && len(classes) == 0 {
		return e.store.Const(one)
	}
	return e.plain(in, out, e.shape(classes), nodes...)
}

// letterMismatch reports a letter that would have two sizes.
func (e *elaborator) letterMismatch(x *syntax.Expr, spec *syntax.Spec, args []*value, k, i, first int, p, q *axis) {
	l := spec.In[k].Letters[i]
	name := func(k int) string { return e.text(args[k].expr, operandName(k, len(args))) }
	here, there := name(k), name(first)
	sp, sq := e.describeSize(p), e.describeSize(q)
	at := spec.In[k].At(i)
	err := e.errorf("T012", at, "sizes differ in a product: %s is %s in %s and %s in %s", l, sp, there, sq, here)
	switch {
	case first == k:
		err = e.errorf("T012", at, "sizes differ in a product: %s stands for axes of sizes %s and %s of %s", l, sp, sq, here)
	case there == here:
		err = e.errorf("T012", at, "sizes differ in a product: %s is %s in %s (%s) and %s in %s (%s)", l, sp, there, operandName(first, len(args)), sq, here, operandName(k, len(args)))
	}
	err.Note(at, "%s = %s here", l, sq)
	from, to := e.originOf(args[first], p), e.originOf(args[k], q)
	err.Note(from.span, "%s, so %s = %s", from.text, l, sp)
	if from != to {
		err.Note(to.span, "%s", to.text)
	}
	e.helpLetters(err, x, spec, args, k)
	if err.Help == "" && args[k].expr.Op == syntax.OpName && args[k].order() == 1 && first != k {
		err.Helpf("declare %s[%s]", here, sp)
	}
	e.fail(err)
}

// helpLetters proposes to swap the letters of a matrix where that makes the letters
// of operand k fit.
func (e *elaborator) helpLetters(err *syntax.Error, x *syntax.Expr, spec *syntax.Spec, args []*value, k int) {
	for m, a := range args {
		ls := spec.In[m].Letters
		if a.lit || len(ls) != 2 || ls[0] == ls[1] {
			continue
		}
		swapped := map[string]size.Size{ls[1]: e.currentSize(a.axes[0]), ls[0]: e.currentSize(a.axes[1])}
		fits := true
		for n, b := range args {
			if n == m || b.lit {
				continue
			}
			for i, l := range spec.In[n].Letters {
				if s, ok := swapped[l]; ok && s != e.currentSize(b.axes[i]) {
					fits = false
				}
			}
		}
		if fits && len(args) == 2 {
			other := *spec
			other.In = slices.Clone(spec.In)
			other.In[m] = syntax.Indices{Letters: []string{ls[1], ls[0]}}
			name := e.text(a.expr, operandName(m, len(args)))
			if x.Op == syntax.OpEinsum {
				err.Helpf("contract the other axis of %s: einsum(%s; %s, %s)", name, other.String(), e.text(args[0].expr, "A"), e.text(args[1].expr, "B"))
				return
			}
			err.Helpf("contract the other axis of %s: %s *(%s) %s", name, parens(e.text(args[0].expr, "A")), other.String(), parens(e.text(args[1].expr, "B")))
			return
		}
	}
}
