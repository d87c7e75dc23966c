package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"frechet/combinators/atom"
)

// DrawLets draws a program of lets that share values, each one operation of values before it: products,
// functions, sums, slices, blocks and folds, of values of order up to 3 with square matrices among them. It asks for a
// gradient, or now and then for a Hessian. Its sizes are symbols, or numbers at axes that slices and blocks make.
func DrawLets(r *rand.Rand, lets int) string {
	g := &letGraph{r: r, shapes: map[string][]string{}}
	for i, shape := range [][]string{{"n"}, {"m"}, {"n", "n"}, {"m", "n"}, {}, {"k", "m", "n"}, {"3"}, {"2", "n"}} {
		g.add(fmt.Sprintf("%c", "xyABsTzC"[i]), shape)
	}
	var out strings.Builder
	out.WriteString("declare x[n] y[m] A[n,n] B[m,n] s[] T[k,m,n] z[3] C[2,n]\n")
	for i := range lets {
		name := fmt.Sprintf("v%d", i)
		text, shape := g.operation()
		fmt.Fprintf(&out, "let %s = %s\n", name, text)
		g.add(name, shape)
	}
	last := g.names[len(g.names)-1]
	text := "sum(" + last + ")"
	if len(g.shapes[last]) == 0 || g.r.IntN(5) == 0 {
		text = last
	}
	text += " + 0.5 .* s + sum(x)" // which depends on something
	if len(g.shapes[last]) > 0 && !strings.HasPrefix(text, "sum") {
		text = last
	}
	wrt := g.one("x", "x", "A", "B", "s", "z", "C", "T")
	request := "derivative"
	if lets <= 6 && strings.HasPrefix(text, "sum") && g.r.IntN(4) == 0 {
		request = "hessian"
	}
	fmt.Fprintf(&out, "expression %s %s wrt %s", text, request, wrt)
	return out.String()
}

// letGraph is what a program of lets has so far.
type letGraph struct {
	r      *rand.Rand
	names  []string
	shapes map[string][]string
}

func (g *letGraph) add(name string, shape []string) {
	g.names = append(g.names, name)
	g.shapes[name] = shape
}

func (g *letGraph) one(from ...string) string { return from[g.r.IntN(len(from))] }

// value is a value, more often a late one; like gives one of a shape.
func (g *letGraph) value() (string, []string) {
	i := g.r.IntN(2 * len(g.names))
	if i >= len(g.names) {
		i = len(g.names) - 1 - g.r.IntN(min(6, len(g.names)))
	}
	return g.names[i], g.shapes[g.names[i]]
}

func (g *letGraph) like(shape []string) string {
	var known []string
	for _, n := range g.names {
		if slices.Equal(g.shapes[n], shape) {
			known = append(known, n)
		}
	}
	if g.r.IntN(2) == 0 {
		known = known[max(0, len(known)-4):]
	}
	return g.one(known...)
}

// operation is one operation of values, and its shape.
func (g *letGraph) operation() (string, []string) {
	v, shape := g.value()
	switch g.r.IntN(12) {
	case 0, 1:
		return v + g.one(" + ", " - ", " .* ") + g.like(shape), shape
	case 2:
		return g.one("-", "2 .* ", "") + v + g.one(" + ", " - ", " .* ") + g.one("sin", "tanh", "exp") + "(" + g.like(shape) + ")", shape
	case 3, 4:
		return g.one(bounded[:len(bounded)-1]...) + "(" + g.one("-", "", "") + v + ")", shape
	case 5:
		return v + " ./ (" + g.like(shape) + " .^ 2 + 1)", shape
	case 6:
		return "(" + g.like(nil) + ")" + g.one(" * ", " + ") + v, shape
	case 7:
		return g.slice(v, shape)
	case 8:
		return g.block(v, shape)
	case 9:
		return g.fold(v, shape)
	}
	return g.product(v, shape)
}

// slice takes entries of an axis of one of the values, by numbers.
func (g *letGraph) slice(v string, shape []string) (string, []string) {
	if len(shape) == 0 {
		return "log(" + v + "^2 + 1)", nil
	}
	axis := g.r.IntN(len(shape))
	at := slices.Repeat([]string{":"}, len(shape))
	out := slices.Clone(shape)
	switch size := shape[axis]; {
	case size == "2" || size == "3" || g.r.IntN(2) == 0:
		at[axis] = g.one("0", "1")
		out = slices.Delete(out, axis, axis+1)
	default: // the same entries in another order, so that shapes do not become many
		at[axis] = "::-1"
	}
	return v + "[" + strings.Join(at, ", ") + "]", out
}

// block joins values.
func (g *letGraph) block(v string, shape []string) (string, []string) {
	switch {
	case len(shape) == 1 && shape[0] == "n":
		return "stack(" + v + ", " + g.like(shape) + ", axis=0)", []string{"2", "n"}
	case len(shape) == 0:
		return "[" + v + "; " + g.like(nil) + "; 1]", []string{"3"}
	case len(shape) == 2:
		return "sum([" + v + ", " + g.like(shape) + "], axis=1)", shape[:1]
	case len(shape) == 1:
		return "sum([" + v + "; " + g.like(shape) + "; 1])", nil
	}
	return "sum(concat(" + v + ", " + g.like(shape) + ", axis=0), axis=0)", shape[1:]
}

// fold takes a function along an axis, which stays or goes.
func (g *letGraph) fold(v string, shape []string) (string, []string) {
	if len(shape) == 0 {
		return "sqrt(1 + " + v + "^2)", nil
	}
	axis := g.r.IntN(len(shape))
	if g.r.IntN(2) == 0 {
		return fmt.Sprintf("softmax(%s, axis=%d)", v, axis), shape
	}
	return fmt.Sprintf("%s(%s, axis=%d)", g.one("sum", "logsumexp", "mean", atom.Max.Name), v, axis), slices.Delete(slices.Clone(shape), axis, axis+1)
}

// product is one of matrices and vectors.
func (g *letGraph) product(v string, shape []string) (string, []string) {
	switch len(shape) {
	case 0:
		return v + " * " + g.like(nil), nil
	case 1:
		if g.r.IntN(3) == 0 {
			return v + "'*" + g.like(shape), nil
		}
		if shape[0] == "n" {
			m := g.one("n", "m", "2")
			return g.like([]string{m, "n"}) + "*" + v, []string{m}
		}
		return "diag(" + v + ")*(" + v + "*" + g.like(shape) + "')*" + v, shape
	case 2:
		if shape[0] != shape[1] {
			if g.r.IntN(2) == 0 {
				return v + "'*" + g.like(shape), []string{shape[1], shape[1]}
			}
			return v + "*" + v + "'*" + g.like(shape), shape
		}
		switch g.r.IntN(7) {
		case 0:
			return v + "'", shape
		case 1:
			return v + " + " + v + "'", shape
		case 2:
			return "inv(" + v + "'*" + v + " + eye(" + shape[0] + "))", shape
		case 3:
			return "tr(" + v + "*" + g.like(shape) + ")", nil
		case 4:
			return "logdet(" + v + "'*" + v + " + eye(" + shape[0] + "))", nil
		}
		return v + g.one("*", "'*") + g.like(shape), shape
	}
	l := "abc"[:len(shape)]
	return fmt.Sprintf("einsum(%s,%s->%s; %s, %s)", l, l, l[1:], v, g.like(shape)), shape[1:]
}
