// Package programs draws random well-typed programs of the Einstein language.
//
// Sizes that have different names are different, so that a wrong order of axes cannot go
// unseen; among them may be 0 and 1. Functions are smooth, or have their kinks where a
// random point does not lie, and stay bounded, so that finite differences mean something.
package programs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"frechet/combinators/atom"
)

// Program is a well-typed program with the values of its variables.
type Program struct {
	// Declare is the declaration, Body what follows it: let lines and an expression.
	Declare, Body string
	Shape         []string // size symbols of the expression
	Vars          []string // variables, in the order of declaration
	Sizes         map[string]int64
	Dims          map[string][]int
	Values        map[string][]float64
}

// Text is the whole program.
func (p *Program) Text() string { return p.Declare + "\n" + p.Body }

// Count is the number of entries of a shape.
func (p *Program) Count(shape []string) int {
	n := 1
	for _, s := range shape {
		n *= int(p.Sizes[s])
	}
	return n
}

// Draw draws a program. Its size symbols are k, m, n, and with edges also o and z, of
// sizes 1 and 0.
func Draw(t *rapid.T, edges bool) *Program {
	sizes := map[string]int64{"k": 2, "m": 3, "n": 4}
	if edges {
		sizes["o"], sizes["z"] = 1, 0
	}
	return DrawOf(t, sizes)
}

// DrawOf draws a program with the given sizes, symbols or numerals, not all of which are 0.
func DrawOf(t *rapid.T, sizes map[string]int64) *Program { return draw(t, sizes, 2, forms) }

// DrawAll is DrawOf with all forms of expressions: also with values of order 3, functions of two operands or
// along an axis, reshapes, and quotients of equal values, which are NaN where these are 0.
func DrawAll(t *rapid.T, sizes map[string]int64) *Program { return draw(t, sizes, 3, allForms) }

func draw(t *rapid.T, sizes map[string]int64, order, forms int) *Program {
	p := &Program{Sizes: sizes, Dims: map[string][]int{}, Values: map[string][]float64{}}
	g := &generator{T: t, p: p, symbols: slices.Sorted(maps.Keys(p.Sizes)), shapes: map[string][]string{}, order: order, forms: forms}
	for _, s := range g.symbols {
		if p.Sizes[s] > 0 {
			g.positive = append(g.positive, s)
		}
	}
	for i := range g.pick("lets", 3) {
		shape := g.shape()
		expr := g.expr(shape, 2)
		name := fmt.Sprintf("p%d", i)
		g.lets = append(g.lets, fmt.Sprintf("let %s = %s\n", name, g.sized(expr, shape)))
		g.shapes[name] = shape
	}
	p.Shape = g.shape()
	expr := g.sized(g.expr(p.Shape, 3), p.Shape)
	// The values do not shrink: at 0, where they would go, the functions have their kinks.
	seed := rapid.Uint64().Draw(t, "values")
	var decl strings.Builder
	decl.WriteString("declare")
	for _, v := range p.Vars {
		fmt.Fprintf(&decl, " %s[%s]", v, strings.Join(g.shapes[v], ","))
		dims := []int{}
		for _, s := range g.shapes[v] {
			dims = append(dims, int(p.Sizes[s]))
		}
		p.Dims[v] = dims
		n := p.Count(g.shapes[v])
		p.Values[v] = normal(seed, uint64(len(p.Values)), n)
	}
	p.Declare = decl.String()
	p.Body = strings.Join(g.lets, "") + "expression " + expr
	return p
}

// normal draws n numbers from a normal distribution.
func normal(seed, stream uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, stream))
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

type generator struct {
	*rapid.T
	p                 *Program
	symbols, positive []string            // sizes, and those that are not 0
	shapes            map[string][]string // of variables and let names
	lets              []string
	order, forms      int // the highest order of a shape that is drawn, and how many forms are
}

// The forms of expressions: those of Draw, and all.
const (
	forms    = 14
	allForms = 20
)

// pick draws a number below n.
func (g *generator) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(g.T, what) }

func (g *generator) one(what string, from ...string) string {
	return from[g.pick(what, len(from))]
}

// shape draws a shape.
func (g *generator) shape() []string {
	shape := make([]string, g.pick("order", g.order+1))
	for i := range shape {
		shape[i] = g.one("size", g.symbols...)
	}
	return shape
}

// sized adds a variable of the shape, since literals and broadcasts in the expression
// may leave their sizes to the context.
func (g *generator) sized(expr string, shape []string) string {
	return expr + " + " + g.variable(shape)
}

// variable is a variable or let name of the shape, old or new.
func (g *generator) variable(shape []string) string {
	var known []string
	for _, name := range slices.Sorted(maps.Keys(g.shapes)) {
		if slices.Equal(g.shapes[name], shape) {
			known = append(known, name)
		}
	}
	if len(known) > 0 && g.pick("old", 4) > 0 {
		return g.one("variable", known...)
	}
	name := fmt.Sprintf("%c%d", "sxATU"[min(len(shape), 4)], len(g.p.Vars))
	g.p.Vars = append(g.p.Vars, name)
	g.shapes[name] = shape
	return name
}

// bounded are functions that grow slowly or are applied to what is bounded.
var bounded = func() (names []string) {
	for _, r := range []*atom.Row{atom.Sin, atom.Cos, atom.Tanh, atom.Arctan, atom.Sigmoid, atom.Softplus, atom.Erf, atom.Gelu, atom.Relu, atom.Abs} {
		names = append(names, r.Name)
	}
	return append(names, "square", atom.Exp.Name, atom.Log.Name)
}()

// expr draws an expression of the shape; depth bounds its height. What it returns is an
// operand: a name, a call, or in parentheses.
// It stays one switch: a case for each form.
func (g *generator) expr(shape []string, depth int) string {
	if depth == 0 {
		return g.variable(shape)
	}
	sub := func() string { return g.expr(shape, depth-1) }
	switch g.pick("form", g.forms) {
	case 0:
		return g.variable(shape)
	case 1, 2:
		return "(" + sub() + g.one("add or subtract", " + ", " - ") + sub() + ")"
	case 3, 4:
		switch f := g.one("function", bounded...); f {
		case atom.Exp.Name:
			return "exp(sin(" + sub() + "))"
		case atom.Log.Name:
			return "log(" + sub() + "^2 + 1)"
		default:
			return f + "(" + sub() + ")"
		}
	case 5:
		return "(-" + sub() + ")"
	case 6:
		return "(" + sub() + " / (" + sub() + "^2 + " + g.one("number", "2", "1.5", "pi") + "))"
	case 7: // an operand of order 0 broadcasts
		scalar := g.expr(nil, depth-1)
		return "(" + scalar + g.one("operator", " * ", " + ", " - ") + sub() + ")"
	case 8:
		return "(" + sub() + "^" + g.one("exponent", "2", "3") + ")"
	case 9:
		if len(shape) == 0 {
			return g.scalar(depth)
		}
		return "(" + g.one("literal", "2", "0.5", "3", "pi") + " .* " + sub() + ")"
	case 10:
		return g.special(shape, depth)
	case 11:
		return g.unary(shape, depth)
	case 14, 15:
		return g.one("of two", atom.LogAddExp.Name, atom.Max.Name, atom.Min.Name) + "(" + sub() + ", " + sub() + ")"
	case 16:
		return g.along(shape, depth)
	case 17:
		x := sub()
		return "((" + g.one("multiple", "", "0.5 .* ", "-1 .* ") + x + " / " + x + ")^" + g.one("exponent", "1", "2", "3", "-1") + ")"
	case 18:
		if len(shape) >= 2 {
			return fmt.Sprintf("split((merge(%s, 0)^%s), 0, %s, %s)", sub(), g.one("exponent", "1", "2", "8"), shape[0], shape[1])
		}
		return "sum(merge(" + g.expr(slices.Concat(shape, g.symbols[:1], g.symbols[:1]), depth-1) + fmt.Sprintf(", %d), axis=%d)", len(shape), len(shape))
	case 19:
		if g.pick("negative", 3) == 0 {
			return "((2 + sin(" + sub() + "))^-1)"
		}
		return "(" + sub() + "^" + g.one("exponent", "7", "8") + ")"
	default:
		return g.product(shape, depth)
	}
}

// along draws a function along an axis, which stays or goes.
func (g *generator) along(shape []string, depth int) string {
	if axis := g.pick("axis", len(shape)+1); axis < len(shape) && g.p.Sizes[shape[axis]] > 0 {
		return fmt.Sprintf("softmax(%s, axis=%d)", g.expr(shape, depth-1), axis)
	}
	axis := g.pick("axis", len(shape)+1)
	inner := slices.Insert(slices.Clone(shape), axis, g.one("size", g.positive...))
	return fmt.Sprintf("%s(%s, axis=%d)", g.one("fold", "sum", "logsumexp", atom.Max.Name, atom.Min.Name, "mean"), g.expr(inner, depth-1), axis)
}

// special draws a form that only values of one order have.
func (g *generator) special(shape []string, depth int) string {
	switch len(shape) {
	case 0:
		return g.scalar(depth)
	case 1:
		if g.p.Sizes[shape[0]] > 0 && g.pick("softmax", 2) == 0 {
			return "softmax(" + g.expr(shape, depth-1) + ")"
		}
		s := g.one("size", g.symbols...)
		switch g.pick("vector", 4) {
		case 0:
			return "sum(" + g.expr([]string{shape[0], s}, depth-1) + ", axis=1)"
		case 1:
			return "diag(" + g.expr([]string{shape[0], shape[0]}, depth-1) + ")"
		case 2:
			return fmt.Sprintf("solve(tanh(%s) + 5 * eye(%s), %s)", g.expr([]string{shape[0], shape[0]}, depth-1), shape[0], g.expr(shape, depth-1))
		}
		return "(" + g.expr([]string{shape[0], s}, depth-1) + " * " + g.expr([]string{s}, depth-1) + ")"
	case 2:
		if shape[0] == shape[1] && g.pick("inverse", 2) == 0 {
			return fmt.Sprintf("inv(tanh(%s) + 5 * eye(%s))", g.expr(shape, depth-1), shape[0])
		}
		switch s := g.one("size", g.symbols...); g.pick("matrix", 4) {
		case 0:
			return "(" + g.expr([]string{shape[0], s}, depth-1) + " * " + g.expr([]string{s, shape[1]}, depth-1) + ")"
		case 1:
			return "(" + g.expr(shape[:1], depth-1) + " * " + g.expr(shape[1:], depth-1) + "')"
		case 2:
			return fmt.Sprintf("einsum(as,st,tb->ab; %s, %s, %s)", g.expr([]string{shape[0], s}, depth-1), g.variable([]string{s, s}), g.expr([]string{s, shape[1]}, depth-1))
		}
		return g.expr([]string{shape[1], shape[0]}, depth-1) + "'"
	}
	return g.variable(shape)
}

// unary draws a unary index product: axes in another order, a diagonal, a sum, or a
// broadcast along an axis that a variable beside it gives its size.
func (g *generator) unary(shape []string, depth int) string {
	letters := "abcdefgh"
	out := letters[:len(shape)]
	in, axes := "", []string{}
	put := func(l byte, s string) {
		at := g.pick("place", len(in)+1)
		in = in[:at] + string(l) + in[at:]
		axes = slices.Insert(axes, at, s)
	}
	for i, s := range shape {
		if g.pick("broadcast", 5) > 0 {
			put(letters[i], s)
		}
	}
	if g.pick("summed", 3) == 0 {
		put('s', g.one("size", g.symbols...))
	}
	if len(in) > 0 && len(in) < 3 && g.pick("twice", 3) == 0 {
		in, axes = in+in[:1], append(axes, axes[0])
	}
	return fmt.Sprintf("(%s *(%s->%s) + %s)", g.expr(axes, depth-1), in, out, g.variable(shape))
}

// scalar draws a function of a tensor to a number.
func (g *generator) scalar(depth int) string {
	switch g.pick("scalar", 7) {
	case 0:
		return "sum(" + g.expr(g.shape(), depth-1) + ")"
	case 1:
		s := g.one("size", g.symbols...)
		return "tr(" + g.expr([]string{s, s}, depth-1) + ")"
	case 2:
		s := g.one("size", g.symbols...)
		return "det(" + g.variable([]string{s, s}) + ")"
	case 3:
		return "norm2(" + g.expr(g.shape(), depth-1) + ")"
	case 4:
		s := g.one("size", g.symbols...)
		return fmt.Sprintf("logdet(tanh(%s) + 5 * eye(%s))", g.expr([]string{s, s}, depth-1), s)
	case 5:
		return "logsumexp(" + g.expr([]string{g.one("size", g.positive...)}, depth-1) + ")"
	default:
		return "sqrt(1 + sum(" + g.expr(g.shape(), depth-1) + "^2))"
	}
}

// product draws an index product: some letters of the result and of summed axes go to
// each operand, in any order, now and then twice (a diagonal).
func (g *generator) product(shape []string, depth int) string {
	letters := "abcdefgh"
	size := map[byte]string{}
	out := letters[:len(shape)]
	for i, s := range shape {
		size[letters[i]] = s
	}
	summed := letters[len(shape) : len(shape)+g.pick("summed", 3)]
	for i := range summed {
		size[summed[i]] = g.one("size", g.symbols...)
	}
	var in [2]string
	for _, l := range []byte(out + summed) {
		where := g.pick("where", 3) // left, right, both
		for k := range in {
			if where == 2 || where == k {
				at := g.pick("place", len(in[k])+1)
				in[k] = in[k][:at] + string(l) + in[k][at:]
				if g.pick("twice", 8) == 0 && len(in[k]) < 3 {
					in[k] += string(l)
				}
			}
		}
	}
	var args [2]string
	for k := range in {
		var s []string
		for _, l := range []byte(in[k]) {
			s = append(s, size[l])
		}
		if len(s) > 3 {
			args[k] = g.variable(s)
		} else {
			args[k] = g.expr(s, depth-1)
		}
	}
	return fmt.Sprintf("(%s *(%s,%s->%s) %s)", args[0], in[0], in[1], out, args[1])
}
