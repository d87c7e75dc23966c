package elab

import (
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/internal/lists"
	"frechet/syntax"
)

// expr types an expression. It recurses as deep as the text is nested, which the
// lexer has bounded; chains and lets are loops.
func (e *elaborator) expr(x *syntax.Expr) *value {
	switch x.Op {
	case syntax.OpNum:
		return e.literal(x)
	case syntax.OpName:
		return e.name(x)
	case syntax.OpDelta:
		return e.delta(x)
	case syntax.OpCall:
		return e.call(x)
	case syntax.OpEinsum:
		args := lists.Map(x.Args, e.expr)
		return e.indexProduct(x, x.At, x.Spec, args)
	case syntax.OpNeg:
		return e.negation(x)
	case syntax.OpTranspose:
		return e.transpose(x)
	case syntax.OpPower, syntax.OpElemPower:
		return e.power(x)
	case syntax.OpSum:
		return e.sum(x)
	case syntax.OpProduct:
		return e.chain(x)
	case syntax.OpCompare:
		return e.compare(x)
	case syntax.OpIndex:
		return e.index(x)
	case syntax.OpBlocks:
		return e.blocks(x)
	case syntax.OpScan:
		return e.scan(x)
	}
	panic("elab: unknown expression")
}

// literal types 2 and 2[m,n].
func (e *elaborator) literal(x *syntax.Expr) *value {
	if x.Sizes == nil {
		return e.number(x, x.Num)
	}
	v := &value{expr: x, axes: e.writtenSizes(x, x.Sizes)}
	v.build = func() *node { return e.store.Fill(x.Num, e.shape(v.axes)) }
	return v
}

// writtenSizes are the classes of sizes that stand in an expression.
func (e *elaborator) writtenSizes(x *syntax.Expr, sizes []*syntax.Expr) []*axis {
	return lists.Map(sizes, func(s *syntax.Expr) *axis { return e.sizeClass(s, origin{x.Span, "the size is written here"}, false) })
}

func (e *elaborator) name(x *syntax.Expr) *value {
	n, ok := e.names[x.Name]
	if !ok && x.Name == syntax.Pi {
		e.pi = x.Span
		return &value{expr: x, build: e.store.Pi}
	}
	if !ok && x.Name == syntax.Identity {
		return e.delta(&syntax.Expr{Op: syntax.OpDelta, Order: 1, Span: x.Span, At: x.Span})
	}
	if _, function := syntax.LookupFunction(x.Name); !ok && !function && e.opt.Assume != nil && !syntax.Reserved(x.Name) {
		n, ok = e.assume(x), true
	}
	if !ok {
		e.undeclared(x)
	}
	if n.kind == variable && n.decl.Bounds() > 0 {
		e.fail(e.errorf("T019", x.Span, "%s is an array of whole numbers, which stands in subscripts", x.Name).
			Note(n.span, "%s is declared here", x.Name).Helpf("it picks rows as X[%[1]s, :], adds rows up as scatter(Y, %[1]s), and its 0/1 matrix is onehot(%[1]s)", x.Name))
	}
	return e.valueOf(x, n)
}

// valueOf is the value of a name.
func (e *elaborator) valueOf(x *syntax.Expr, n *entry) *value {
	switch n.kind {
	case variable:
		if e.current != nil && n.body != e.current {
			n.body = e.current
			e.current.vars = append(e.current.vars, n)
		}
	case sizeSymbol:
		v := &value{expr: x}
		v.build = func() *node { return e.store.SizeOf(e.size(n.axes[0])) }
		return v
	case function:
		e.fail(e.errorf("N002", x.Span, "%s is a function, where a value is needed", x.Name).
			Note(n.span, "%s is defined here", x.Name).Helpf("write its arguments: %s(x)", x.Name))
	case mapping:
		e.fail(e.errorf("N002", x.Span, "%s is a map, where a value is needed", x.Name).
			Note(n.span, "%s is defined here", x.Name).Helpf("its value at x is written %s(x)", x.Name))
	case definition:
		if e.current != nil && !n.body.used {
			e.current.uses = append(e.current.uses, n.body)
		}
		if x := n.body.stmt.Expr; x != nil && x.Op == syntax.OpDelta {
			return e.delta(n.body.stmt.Expr) // a literal: each occurrence for itself
		}
	}
	// The same value, seen from this place.
	return &value{expr: x, lit: n.val.lit, rat: n.val.rat, axes: n.val.axes, row: n.val.row, build: n.val.get}
}

// glued are names that look like products: Ax, AXB.
var glued = regexp.MustCompile(`^([A-Z]{2,3}|[A-Z]{1,2}[b-hj-z])$`)

// assume declares a name of a formula that declares nothing.
func (e *elaborator) assume(x *syntax.Expr) *entry {
	if order := e.opt.Assume[x.Name]; order == SizeName {
		e.symbolClass(x, true)
	} else {
		e.declare(&syntax.Declaration{Ident: syntax.Ident{Name: x.Name, Span: x.Span}, Order: order, OrderSpan: x.Span})
	}
	if glued.MatchString(x.Name) {
		e.warn(x.Span, "%s is one name", x.Name).Helpf("products are written out: %s", strings.Join(strings.Split(x.Name, ""), "*"))
	}
	return e.names[x.Name]
}

// undeclared reports a name that stands for nothing.
func (e *elaborator) undeclared(x *syntax.Expr) {
	names := slices.Sorted(maps.Keys(e.names))
	err := e.errorf("N002", x.Span, "%s is not declared", x.Name)
	if _, function := syntax.LookupFunction(x.Name); function {
		e.fail(err.Helpf("the function is written %s(...)", x.Name))
	}
	base, _, entry := strings.Cut(x.Name, "_")
	switch {
	case x.Name == "T":
		err.Helpf("a transpose is written A'")
	case x.Name == "e" || x.Name == "E":
		err.Helpf("the exponential function is written exp(x); %s", e.suggest(x.Name, names))
	case entry && slices.Contains(names, base):
		err.Helpf("an entry is written %s[i], in a definition in index notation; %s", base, e.suggest(x.Name, names))
	default:
		err.Helpf("%s", e.suggest(x.Name, names))
	}
	e.fail(err)
}

// isVariable reports whether v is a variable.
func (e *elaborator) isVariable(v *value) bool {
	return v.expr.Op == syntax.OpName && e.names[v.expr.Name] != nil && e.names[v.expr.Name].kind == variable
}

// besideNumber is how much speaks against a tensor beside a number that is no literal: much where the number is no variable,
// as in a'*x + b and C*norm2(x).
func (e *elaborator) besideNumber(v, number *value, variable, other int) int {
	switch {
	case number.order() > 0 || number.lit || v.order() == 0:
		return 0
	case e.isVariable(number):
		return variable
	}
	return other
}

// delta types delta(k), which has k sizes to be found, and delta[m,n].
func (e *elaborator) delta(x *syntax.Expr) *value {
	if x.Order == 0 {
		return e.number(x, one)
	}
	axes := e.writtenSizes(x, x.Sizes)
	for k := len(axes); k < x.Order; k++ {
		axes = append(axes, e.freshAxis(x.At, "the size of axis %d of this delta", k))
	}
	v := &value{expr: x, axes: append(slices.Clone(axes), axes...)}
	v.build = func() *node { return e.store.Eye(e.shape(axes)) }
	return v
}

func (e *elaborator) negation(x *syntax.Expr) *value {
	a := e.expr(x.Args[0])
	if a.rat != nil {
		return e.number(x, new(big.Rat).Neg(a.rat))
	}
	return &value{expr: x, lit: a.lit, axes: a.axes, row: a.row, build: func() *node { return e.neg(a.get()) }}
}

// transpose swaps the axes of a matrix, and the orientation of a vector.
func (e *elaborator) transpose(x *syntax.Expr) *value {
	inner, swap := x, false
	for inner.Op == syntax.OpTranspose {
		inner, swap = inner.Args[0], !swap
	}
	a := e.expr(inner)
	out := *a
	out.expr, out.built, out.build = x, nil, a.get
	switch {
	case a.order() == 0:
		e.unusual += 3
	case a.order() <= 2 && !swap:
	case a.order() == 1:
		out.row = !a.row
	case a.order() == 2:
		out.axes = []*axis{a.axes[1], a.axes[0]}
		out.build = func() *node { return e.permuted(a.get(), []int{1, 0}) }
	default:
		err := e.errorf("T007", x.At, "%s has order %d; ' transposes matrices", e.text(a.expr, "the operand"), a.order())
		if letters := "ijklmnop"; a.order() <= len(letters) {
			back := []byte(letters[:a.order()])
			slices.Reverse(back)
			err.Helpf("name the axes: %s *(%s->%s)", parens(e.text(a.expr, "T")), letters[:a.order()], back)
		}
		e.fail(err)
	}
	return &out
}

// warnOfSquare warns of A^2 and A^-1 for a square matrix: they are powers of the entries.
func (e *elaborator) warnOfSquare(x *syntax.Expr, a, b *value) {
	if a.expr.Op == syntax.OpName && a.expr.Name == "e" && e.opt.Assume != nil {
		e.warn(x.Span, "e is a variable here").Helpf("the exponential function is exp(x)")
	}
	if a.order() != 2 || b.rat == nil || !b.rat.IsInt() || a.axes[0].find() != a.axes[1].find() && (e.opt.Assume == nil || a.expr.Op != syntax.OpName) {
		return
	}
	base, n := e.text(a.expr, "A"), b.rat.Num()
	here := fmt.Sprintf("the power of the matrix is matpow(%s, %s)", base, n)
	if n.Sign() < 0 {
		here = fmt.Sprintf("the inverse of the matrix is inv(%s)", base)
	}
	e.warn(x.Span, "^ is element-wise: the entries of %s are raised to the power %s", base, n).
		Helpf("%s; write .^ where the entries are meant", here)
}

// warn notes a place that may mean something else than it says.
func (e *elaborator) warn(span syntax.Span, format string, args ...any) *syntax.Error {
	w := e.errorf("T004", span, format, args...)
	w.Code, w.Warning = "", true
	e.warnings = append(e.warnings, w)
	return w
}

// power types a^b, whose exponent has order 0, and a .^ b. A literal exponent makes
// the atom of constant powers.
func (e *elaborator) power(x *syntax.Expr) *value {
	if t := x.Args[1]; x.Op == syntax.OpPower && t.Op == syntax.OpName && e.names[t.Name] == nil && strings.HasPrefix(t.Name, "T") {
		if t.Name == "T" {
			e.undeclared(t)
		}
		rest := t.Name[1:]
		if p := product(rest, slices.Sorted(maps.Keys(e.names))); p != "" {
			rest = p
		} else if e.opt.Assume != nil && len(rest) < 4 {
			rest = strings.Join(strings.Split(rest, ""), "*")
		} else if e.names[rest] == nil {
			e.undeclared(t)
		}
		e.fail(e.errorf("N002", t.Span, "%s is not declared", t.Name).
			Helpf("a transpose is written ', and products are written out: %s'*%s", e.text(x.Args[0], "A"), rest))
	}
	a, b := e.expr(x.Args[0]), e.expr(x.Args[1])
	if x.Op == syntax.OpPower && b.order() > 0 {
		err := e.errorf("T004", b.expr.Span, "the exponent %s has order %d; the exponent of ^ has order 0", e.text(b.expr, "here"), b.order())
		if base := x.Args[0]; base.Op == syntax.OpNum && e.file.Src[x.At.Start-1] == '.' {
			e.fail(err.Helpf("the number takes the dot that follows it; write %s .^ %s", syntax.Print(base), e.text(b.expr, "x")))
		}
		e.fail(err.Helpf("for an exponent for each entry write %s .^ %s", e.text(a.expr, "x"), e.text(b.expr, "y")))
	}
	if x.Op == syntax.OpPower {
		e.warnOfSquare(x, a, b)
	}
	a, b = e.aligned(a, b, x.At, "a power")
	v := &value{expr: x, lit: a.lit && b.lit}
	v.axes, v.row = e.join(a, b, x.At, "a power")
	if a.rat != nil && b.rat != nil {
		if r := ratPow(a.rat, b.rat); r != nil {
			return e.number(x, r)
		}
		e.checkPower(x, a.rat, b.rat)
	}
	if b.rat != nil {
		v.build = func() *node { return e.store.Raised(a.get(), b.rat) }
		return v
	}
	v.build = func() *node {
		base, exponent := a.get(), b.get()
		if r := constant(exponent); r != nil { // a size whose number is known
			return e.spread(e.store.Raised(base, r), v.axes)
		}
		return e.store.Binary(atom.Pow, e.spread(base, v.axes), e.spread(exponent, v.axes))
	}
	return v
}

// sum types a chain of + and -. Operands of order 0 are repeated for every entry of
// the others.
func (e *elaborator) sum(x *syntax.Expr) *value {
	acc := e.expr(x.Args[0])
	terms := []*value{acc}
	for _, s := range x.Steps {
		b := e.expr(s.Arg)
		op := "a sum"
		if s.Op == syntax.StepSub {
			op = "a difference"
		}
		if acc.order() == 1 && b.order() == 2 {
			for i, t := range terms {
				if t.order() == 1 {
					u := *t
					u.row = acc.row
					terms[i] = e.alongOther(&u, b, s.At, op)
				}
			}
		}
		e.unusual += e.besideNumber(acc, b, 3, 7) + e.besideNumber(b, acc, 3, 7)
		acc, b = e.aligned(acc, b, s.At, op)
		next := &value{expr: &syntax.Expr{Op: syntax.OpSum, Span: syntax.Span{Start: x.Span.Start, End: s.Arg.Span.End}}, lit: acc.lit && b.lit}
		next.axes, next.row = e.join(acc, b, s.At, op)
		if acc.rat != nil && b.rat != nil {
			if s.Op == syntax.StepAdd {
				next.rat = ratAdd(acc.rat, b.rat)
			} else {
				next.rat = ratSub(acc.rat, b.rat)
			}
		}
		terms = append(terms, b)
		acc = next
	}
	if acc.rat != nil {
		return e.number(x, acc.rat)
	}
	v := &value{expr: x, lit: acc.lit, axes: acc.axes, row: acc.row}
	v.build = func() *node {
		sum := terms[0].get()
		for i, s := range x.Steps {
			t := terms[i+1].get()
			if s.Op == syntax.StepSub {
				t = e.neg(t)
			}
			a, b := constant(sum), constant(t)
			if a != nil && b != nil {
				if r := ratAdd(a, b); r != nil {
					sum = e.store.Const(r)
					continue
				}
			}
			if sum.Order() > 0 || t.Order() > 0 {
				sum, t = e.spread(sum, v.axes), e.spread(t, v.axes)
			}
			sum = e.store.Add(sum, t)
		}
		return sum
	}
	return v
}

func (e *elaborator) compare(x *syntax.Expr) *value {
	a, b := e.expr(x.Args[0]), e.expr(x.Args[1])
	row := atom.InfixNamed(x.Name)
	if a.rat != nil && b.rat != nil {
		return e.number(x, row.Exact(a.rat, b.rat))
	}
	return e.binary(x, x.At, row, "a comparison", a, b)
}

// binary types an element-wise function of two operands.
func (e *elaborator) binary(x *syntax.Expr, at syntax.Span, row *atom.Row, what string, a, b *value) *value {
	a, b = e.aligned(a, b, at, what)
	v := &value{expr: x, lit: a.lit && b.lit}
	v.axes, v.row = e.join(a, b, at, what)
	v.build = func() *node {
		return e.store.Binary(row, e.spread(a.get(), v.axes), e.spread(b.get(), v.axes))
	}
	return v
}
