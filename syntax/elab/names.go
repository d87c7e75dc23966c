package elab

import (
	"fmt"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/syntax"
)

// declare adds a variable and the size symbols that its declaration names first. In
// a numeric elaboration its axes get the numbers that are given.
func (e *elaborator) declare(d *syntax.Declaration) {
	n := e.define(d.Ident, variable)
	n.decl = d
	e.params = append(e.params, n)
	whole := d.Span.To(d.OrderSpan)
	given, hasGiven := e.opt.Dims[d.Name]
	if order := d.Order - d.Bounds(); hasGiven && len(given) != order {
		err := e.errorf("T016", d.Span, "%s has order %d, but %s for it: %v", d.Name, order, words.Given(len(given), "size"), given).
			Note(d.OrderSpan, "declared here")
		if slices.Contains(given, 0) {
			err = err.Helpf("%s", syntax.EmptyArrays)
		}
		e.fail(err)
	}
	for k := range d.Order {
		from := origin{whole, d.Name + " is declared here"}
		var a *axis
		switch {
		case d.Sized:
			from.text = d.Name + " has axes " + e.file.Src[d.OrderSpan.Start:d.OrderSpan.End]
			a = e.sizeClass(d.Sizes[k], from, true)
		default:
			a = e.newAxis(from)
		}
		if hasGiven && k < len(given) {
			a = e.giveNumber(d, k, a, given)
		}
		n.axes = append(n.axes, a)
	}
	n.val = &value{expr: &syntax.Expr{Op: syntax.OpName, Name: d.Name, Span: d.Span, At: d.Span}, axes: n.axes}
	n.val.build = func() *node { return n.node }
}

// attributes are those that the declaration of a variable names, which fit its axes.
func (e *elaborator) attributes(n *entry) (of atom.Attributes) {
	for _, a := range n.decl.Of {
		of = of.With(atom.AttributeNamed(a.Name))
		if err := Unfit(of, e.shape(n.axes)); err != "" {
			e.fail(e.errorf("T018", a.Span, "%s cannot be %s: %s", n.name, of, err))
		}
	}
	return of
}

// Unfit says why no tensor of the shape has the attributes; "" where some may.
func Unfit(of atom.Attributes, shape []size.Size) string {
	if one, other, clash := of.Clash(); clash {
		return fmt.Sprintf("%s means that %s, and %s that %s", one.Name, one.Says, other.Name, other.Says)
	}
	square := true
	for _, d := range shape {
		square = square && d == shape[0]
	}
	half := len(shape) / 2
	r, misfit := of.Misfit(len(shape), square, slices.Equal(shape[:half], shape[half:]))
	switch {
	case !misfit:
		return ""
	case r.Set == atom.Major:
		return fmt.Sprintf("only tensors of sizes [m,n,m,n] are %s, and its axes are %s", r.Name, size.Shape(shape))
	case r.Vector:
		return fmt.Sprintf("only vectors are %s, and its axes are %s", r.Name, size.Shape(shape))
	case len(shape) > 2 && square:
		return fmt.Sprintf("only matrices are %s, and its axes are %s", r.Name, size.Shape(shape))
	}
	return fmt.Sprintf("only matrices with as many rows as columns are %s, and its axes are %s", r.Name, size.Shape(shape))
}

// giveNumber unites axis k of a declaration with the number that is given for it.
func (e *elaborator) giveNumber(d *syntax.Declaration, k int, a *axis, given []int64) *axis {
	whole := d.Span.To(d.OrderSpan)
	if given[k] < 0 {
		e.fail(e.errorf("T014", d.Span, "the size %d given for axis %d of %s is negative", given[k], k, d.Name))
	}
	number := e.sizedAxis(size.Const(given[k]), origin{whole, d.Name + " has axes " + shapeText(given)})
	root := a.find()
	if root.symbol != "" {
		// A declared symbol that is given a number is that number from here on.
		root.parent = number
		number.from.text += ", so " + root.symbol + " = " + sizeText(given[k])
		return number
	}
	if !e.unify(a, number) {
		at := d.Span
		if d.Sized {
			at = d.Sizes[k].Span
		}
		err := e.errorf("T014", at, "axis %d of %s is %s in the program, but the size given is %d", k, d.Name, e.describeSize(a), given[k])
		if root.from.span != whole {
			err.Note(root.from.span, "%s", root.from.text)
		}
		e.fail(err)
	}
	return number
}

func shapeText(sizes []int64) string {
	out := lists.Map(sizes, size.Const)
	return size.Shape(out)
}

func sizeText(n int64) string { return size.Const(n).String() }

// sizeClass is the class of a written size. In a declaration a new name is a new
// size symbol.
func (e *elaborator) sizeClass(x *syntax.Expr, from origin, declares bool) *axis {
	if x.Op == syntax.OpName {
		return e.symbolClass(x, declares)
	}
	s := e.sizeExpr(x, declares)
	if n, ok := s.Int(); ok && n < 0 {
		e.fail(e.errorf("T008", x.Span, "a size is %d; it must not be negative", n))
	}
	return e.sizedAxis(s, from)
}

// symbolClass is the class of a size symbol.
func (e *elaborator) symbolClass(x *syntax.Expr, declares bool) *axis {
	n, ok := e.names[x.Name]
	declares = declares || e.opt.Assume[x.Name] == SizeName
	switch {
	case ok && n.kind == sizeSymbol:
		return n.axes[0].find()
	case !ok && !declares:
		e.fail(e.errorf("N002", x.Span, "%s is not a size of this program", x.Name).
			Helpf("a size symbol is declared with a variable that has it: declare v[%s]", x.Name))
	case ok && !declares:
		e.fail(e.errorf("T008", x.Span, "%s is %s, not a size", x.Name, n.kind).Note(n.span, "%s is %s here", x.Name, n.kind).
			Helpf("write a number, or a symbol that a declaration has: n in declare x[n]"))
	}
	n = e.define(syntax.Ident{Name: x.Name, Span: x.Span}, sizeSymbol)
	a := e.newAxis(origin{x.Span, x.Name + " is declared here"})
	a.known, a.symbol = true, x.Name
	n.axes = []*axis{a}
	if given, ok := e.opt.Sizes[x.Name]; ok {
		if given < 0 {
			e.fail(e.errorf("T014", x.Span, "the size %s = %d is negative", x.Name, given))
		}
		number := e.sizedAxis(size.Const(given), origin{x.Span, x.Name + " = " + sizeText(given)})
		a.parent = number
	}
	return n.axes[0].find()
}

// sizeExpr is a written size as a polynomial over classes: numbers, symbols, sums and
// products.
func (e *elaborator) sizeExpr(x *syntax.Expr, declares bool) size.Size {
	no := func() size.Size {
		err := e.errorf("T008", x.Span, "a size is a whole number, a size symbol, or a sum or product of these")
		if err.Helpf("write a number, or a symbol that a declaration has: n in declare x[n]"); x.Op == syntax.OpCall {
			err.Helpf("the size of an axis is written by its symbol, as in ones(n) or eye(n) where declare x[n] has it")
		}
		e.fail(err)
		return size.Size{}
	}
	switch x.Op {
	case syntax.OpNum:
		if x.Sizes != nil || !x.Num.IsInt() {
			return no()
		}
		if !x.Num.Num().IsInt64() {
			e.fail(e.errorf("L010", x.Span, "a size is larger than 2^63"))
		}
		return size.Const(x.Num.Num().Int64())
	case syntax.OpName:
		return e.currentSize(e.symbolClass(x, declares))
	case syntax.OpNeg:
		return size.Const(0).Sub(e.sizeExpr(x.Args[0], declares))
	case syntax.OpSum, syntax.OpProduct:
		s := e.sizeExpr(x.Args[0], declares)
		for _, step := range x.Steps {
			if step.Op != syntax.StepAdd && step.Op != syntax.StepSub && step.Op != syntax.StepMul {
				return no()
			}
			t := e.sizeExpr(step.Arg, declares)
			switch step.Op {
			case syntax.StepAdd:
				s = s.Add(t)
			case syntax.StepSub:
				s = s.Sub(t)
			default:
				a, b := extentOf(s), extentOf(t)
				e.checkSize(extent{a.degree + b.degree, a.terms * b.terms}, x.Span)
				s = s.Mul(t)
			}
			e.checkCoefficients(s, x.Span)
		}
		return s
	}
	return no()
}
