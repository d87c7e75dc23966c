package elab

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
)

// axis is a class of axes that have one size. A class with a size has it as a
// polynomial over classes, a class standing in it as the symbol "#id": a number, a
// declared symbol's own class, or a derived size such as the m*n of kron.
type axis struct {
	id     int
	parent *axis // the class that this one was merged into
	known  bool
	size   size.Size
	symbol string // the declared symbol that the class is, rigid: it equals no other
	from   origin // where the size, or an unknown class, comes from
	unit   bool   // an axis that keepdims has kept: it is repeated beside another

	final   size.Size // the settled size
	settled bool
	mark    uint8 // walks that have come here
}

// origin is a place that an error about a size can show.
type origin struct {
	span syntax.Span
	text string // such as "A has axes [2,3]"
}

func (a *axis) find() *axis {
	for a.parent != nil {
		if a.parent.parent != nil {
			a.parent = a.parent.parent
		}
		a = a.parent
	}
	return a
}

func (e *elaborator) newAxis(from origin) *axis {
	a := &axis{id: len(e.axes), from: from}
	e.axes = append(e.axes, a)
	return a
}

// freshAxis is a class that the current body introduces and something else must
// determine.
func (e *elaborator) freshAxis(span syntax.Span, format string, args ...any) *axis {
	a := e.newAxis(origin{span, fmt.Sprintf(format, args...)})
	if e.current != nil {
		e.current.fresh = append(e.current.fresh, a)
	}
	return a
}

// sizedAxis is a class of a given size.
func (e *elaborator) sizedAxis(s size.Size, from origin) *axis {
	a := e.newAxis(from)
	a.known, a.size = true, s
	return a
}

// name is how the class stands in the size of another.
func (a *axis) name() string { return "#" + strconv.Itoa(a.id) }

// open reports whether the class is no number and no derived size.
func (a *axis) open() bool { return !a.known || a.symbol != "" }

// class returns the class that a placeholder's name stands for.
func (e *elaborator) class(name string) *axis {
	id, err := strconv.Atoi(name[1:])
	if err != nil {
		panic("elab: size symbol " + name)
	}
	return e.axes[id].find()
}

// currentSize is the class's size with what has been found out since, in open
// classes.
func (e *elaborator) currentSize(a *axis) size.Size {
	a = a.find()
	if a.open() {
		return size.Sym(a.name())
	}
	for {
		subst := map[string]size.Size{}
		for _, s := range a.size.Symbols() {
			switch c := e.class(s); {
			case !c.open():
				subst[s] = c.size
			case c.name() != s:
				subst[s] = size.Sym(c.name())
			}
		}
		if len(subst) == 0 {
			return a.size
		}
		e.checkExtent(a.size, a.from, func(s string) extent {
			if t, ok := subst[s]; ok {
				return extentOf(t)
			}
			return extent{1, 1}
		})
		a.size = a.size.Subst(subst)
	}
}

// extent bounds how long a size is when it is written out.
type extent struct{ degree, terms int }

// maxTerms and the limit on orders bound derived sizes: kron of kron of kron can
// double the degree at each step.
const maxTerms = 1000

func extentOf(s size.Size) (x extent) {
	for _, m := range s.Monomials() {
		x.degree = max(x.degree, len(m.Symbols))
		x.terms++
	}
	return x
}

// checkExtent refuses to put sizes for the symbols of s where the result might be
// too long.
func (e *elaborator) checkExtent(s size.Size, from origin, of func(symbol string) extent) extent {
	total := extent{}
	for _, m := range s.Monomials() {
		degree, terms := 0, 1
		for _, name := range m.Symbols {
			x := of(name)
			degree += x.degree
			terms = min(terms*max(x.terms, 1), math.MaxInt32)
		}
		total.degree = max(total.degree, degree)
		total.terms = min(total.terms+terms, math.MaxInt32)
	}
	e.checkSize(total, from.span)
	return total
}

func (e *elaborator) checkSize(x extent, at syntax.Span) {
	if x.degree > e.limits.Order || x.terms > maxTerms {
		e.fail(e.errorf("L010", at, "a size would be a polynomial of degree %d with up to %d terms", x.degree, x.terms).
			Helpf("the limits are degree %d and %d terms; give the sizes as numbers", e.limits.Order, maxTerms))
	}
}

// checkCoefficients refuses numbers that do not fit.
func (e *elaborator) checkCoefficients(s size.Size, at syntax.Span) {
	for _, m := range s.Monomials() {
		if !m.Coef.IsInt64() {
			e.fail(e.errorf("L010", at, "a size is larger than 2^63"))
		}
	}
}

// unify makes two classes one; it reports false where their sizes differ.
func (e *elaborator) unify(a, b *axis) bool {
	a, b = a.find(), b.find()
	switch {
	case a == b:
		return true
	case !a.known:
		if b.known && e.occurs(a, b) {
			return false
		}
		a.parent = b
		return true
	case !b.known:
		if e.occurs(b, a) {
			return false
		}
		b.parent = a
		return true
	}
	s, t := e.currentSize(a), e.currentSize(b)
	_, sNumber := s.Int()
	_, tNumber := t.Int()
	switch {
	case s == t && b.open(): // a is n - 1 + 1
		a.parent = b
	case s == t:
		b.parent = a
	case a.symbol != "" && (b.symbol != "" || tNumber), b.symbol != "" && sNumber, sNumber && tNumber:
		return false
	case a.symbol != "" && !e.occurs(a, b):
		// A declared symbol equals a derived size, n = m*k: it is solved.
		a.parent = b
	case b.symbol != "" && !e.occurs(b, a):
		b.parent = a
	default:
		return e.divided(s, t) || e.divided(t, s) || e.paired(s, t)
	}
	return true
}

// divided solves s = t where s is a product with one class of unknown size, as in kron(A, I): that is t over the rest.
func (e *elaborator) divided(s, t size.Size) bool {
	factors := s.Monomials()
	if len(factors) != 1 {
		return false
	}
	symbols := factors[0].Symbols
	i := slices.IndexFunc(symbols, func(name string) bool { return !e.class(name).known })
	if i < 0 {
		return false
	}
	unknown, rest := e.class(symbols[i]), slices.Delete(slices.Clone(symbols), i, i+1)
	quotient := size.Size{}
	for _, m := range t.Monomials() {
		left := slices.Clone(m.Symbols)
		for _, name := range rest {
			k := slices.Index(left, name)
			if k < 0 {
				return false
			}
			left = slices.Delete(left, k, k+1)
		}
		q, r := new(big.Int).QuoRem(m.Coef, factors[0].Coef, new(big.Int))
		if r.Sign() != 0 || !q.IsInt64() {
			return false
		}
		term := size.Const(q.Int64())
		for _, name := range left {
			term = term.Mul(size.Sym(name))
		}
		quotient = quotient.Add(term)
	}
	whole := e.sizedAxis(quotient, unknown.from)
	if e.occurs(unknown, whole) {
		return false
	}
	return e.unify(unknown, whole)
}

// paired solves m*p = n*q, sizes that nothing else says, by m = n and p = q: tr(kron(A, B)) takes square matrices.
func (e *elaborator) paired(s, t size.Size) bool {
	p, q := s.Monomials(), t.Monomials()
	if len(p) != 1 || len(q) != 1 || p[0].Coef.Cmp(q[0].Coef) != 0 || len(p[0].Symbols) != len(q[0].Symbols) {
		return false
	}
	classes := func(names []string) (out []*axis) {
		out = lists.Append(out, names, e.class)
		slices.SortFunc(out, func(a, b *axis) int { return a.id - b.id })
		return out
	}
	left, right := classes(p[0].Symbols), classes(q[0].Symbols)
	for i := range left {
		if left[i].known && right[i].known && left[i] != right[i] || !e.unify(left[i], right[i]) {
			return false
		}
	}
	return true
}

// occurs reports whether class a stands in the size of b.
func (e *elaborator) occurs(a, b *axis) bool {
	if !b.known || b.symbol != "" {
		return false
	}
	seen := map[*axis]bool{}
	stack := []*axis{b}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[c] || !c.known || c.symbol != "" {
			continue
		}
		seen[c] = true
		for _, s := range c.size.Symbols() {
			d := e.class(s)
			if d == a {
				return true
			}
			stack = append(stack, d)
		}
	}
	return false
}

// describeSize writes a class's size for a message; "" if it is not known.
func (e *elaborator) describeSize(a *axis) string {
	a = a.find()
	if a.symbol != "" {
		return a.symbol
	}
	if !a.known {
		return ""
	}
	subst := map[string]size.Size{}
	s := e.currentSize(a)
	for _, name := range s.Symbols() {
		if d := e.describeSize(e.class(name)); d != "" && len(d) < 40 {
			subst[name] = size.Sym(d)
		} else {
			subst[name] = size.Sym("?")
		}
	}
	return s.Subst(subst).String()
}

// size is the settled size of a class.
func (e *elaborator) size(a *axis) size.Size {
	a = a.find()
	e.settleAxis(a)
	return a.final
}

// settleAxis finds the final size of a class: the open classes must have been given
// their symbols.
func (e *elaborator) settleAxis(a *axis) {
	if a.settled {
		return
	}
	if a.open() {
		panic("elab: a class without a symbol")
	}
	s := e.currentSize(a)
	subst := map[string]size.Size{}
	for _, name := range s.Symbols() {
		subst[name] = e.class(name).final
	}
	a.final, a.settled = s.Subst(subst), true
	e.checkCoefficients(a.final, a.from.span)
	if n, ok := a.final.Int(); ok && n < 0 {
		e.fail(e.errorf("T014", a.from.span, "a size is %d; it must not be negative", n))
	}
}

// product is the class of the size of two axes merged into one.
func (e *elaborator) product(a, b *axis, from origin) *axis {
	s, t := e.currentSize(a), e.currentSize(b)
	x, y := extentOf(s), extentOf(t)
	e.checkSize(extent{x.degree + y.degree, x.terms * y.terms}, from.span)
	p := s.Mul(t)
	e.checkCoefficients(p, from.span)
	return e.sizedAxis(p, from)
}

// finish gives a class without a size, or with a symbol for one, that symbol.
func (a *axis) finish(name string) {
	a.final, a.settled = size.Sym(name), true
}

// preferred are the names of sizes that a program leaves open.
var preferred = []string{"m", "n", "p", "q", "k", "r", "s", "t"}

// settle gives every open class its symbol, or in a numeric elaboration finds the
// first that has no number; it returns the symbols.
func (e *elaborator) settle() []Symbol {
	var open []*axis
	taken := 0
	visit := func(a *axis, from origin, used bool) {
		for _, c := range e.leaves(a, 1) {
			name := c.symbol
			switch {
			case used && e.numeric:
				e.undetermined(c, from)
			case name == "":
				name, taken = e.freshName(taken)
			}
			if used {
				open = append(open, c)
			}
			c.finish(name)
		}
	}
	for _, n := range e.params {
		for _, a := range n.axes {
			if n.used || !e.numeric {
				visit(a, origin{n.span, "the sizes of " + n.name}, true)
			}
		}
	}
	determined := map[*axis]bool{}
	for _, n := range e.params {
		for _, a := range n.axes {
			for _, c := range e.leaves(a, 2) {
				determined[c] = true
			}
		}
	}
	for _, b := range e.bodies {
		for _, a := range b.fresh {
			if b.used {
				visit(a, a.from, true)
			}
		}
	}
	for _, a := range e.axes {
		visit(a, a.from, false) // classes of what is never built, or does not occur
	}
	symbols := make([]Symbol, len(open))
	for i, c := range open {
		name, _ := c.final.Symbol()
		symbols[i] = Symbol{Name: name, Declared: c.symbol != "", Determined: determined[c], Span: c.from.span}
	}
	return symbols
}

// leaves are the open classes that a class's size is made of, less those that a walk
// of the same mark has found before.
func (e *elaborator) leaves(a *axis, mark uint8) (out []*axis) {
	stack := []*axis{a.find()}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c.mark&mark != 0 {
			continue
		}
		c.mark |= mark
		if c.open() {
			out = append(out, c)
			continue
		}
		names := c.size.Symbols()
		for i := len(names) - 1; i >= 0; i-- {
			stack = append(stack, e.class(names[i]))
		}
	}
	return out
}

// undetermined reports a class that has no number.
func (e *elaborator) undetermined(c *axis, from origin) {
	if c.symbol != "" {
		e.fail(e.errorf("T015", from.span, "the size %s is not given", c.symbol).
			Note(c.from.span, "%s is a size here", c.symbol).
			Helpf("give a number for %s, or the sizes of a variable that has it", c.symbol))
	}
	e.fail(e.errorf("T015", from.span, "nothing determines %s", from.text).
		Helpf("give the sizes of the variables, and write the sizes of literals that stand alone: delta[n], 2[m,n]"))
}

// freshName returns the next name for a size that no other name of the program is.
func (e *elaborator) freshName(taken int) (string, int) {
	for {
		name := preferred[taken%len(preferred)]
		if round := taken / len(preferred); round > 0 {
			name += strconv.Itoa(round)
		}
		taken++
		if _, ok := e.names[name]; !ok {
			return name, taken
		}
	}
}
