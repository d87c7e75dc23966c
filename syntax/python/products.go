package python

import (
	"slices"
	"strings"

	"frechet/internal/words"
)

// Products of NumPy: dot, matmul, einsum and the like.

func dot(g *given) value {
	a, b := g.need(0), g.need(1, "b")
	if len(a.axes) == 0 || len(b.axes) == 0 {
		return times(a, b)
	}
	if g.name == "inner" && len(b.axes) == 2 {
		b = g.t.attribute(g.at, b, "T")
	}
	if len(a.axes) > 2 || len(b.axes) > 2 {
		g.fail("%s of more than two axes has no meaning here; einsum has", g.name)
	}
	if g.name == "vdot" && (len(a.axes) != 1 || len(b.axes) != 1) {
		g.fail("vdot is of two vectors here")
	}
	return g.t.matmul(g.at, a, b)
}

func matmul(g *given) value {
	list := g.list
	if g.name == "multi_dot" {
		list = g.list[0].list
	}
	if len(list) < 2 {
		g.fail("%s lacks an argument", g.name)
	}
	v := g.t.tensor(g.at, list[0])
	for _, x := range list[1:] {
		v = g.t.matmul(g.at, v, g.t.tensor(g.at, x))
	}
	return v
}

func multiply(g *given) value { return times(g.need(0, "x1"), g.need(1, "x2")) }

func outer(g *given) value {
	a, b := g.need(0, "a"), g.need(1, "b")
	if len(a.axes) != 1 || len(b.axes) != 1 {
		g.fail("outer is of two vectors here")
	}
	v, _ := product([]value{a, b}, [][]string{{"a"}, {"b"}}, []string{"a", "b"})
	return v
}

// einsum reads the letters of Python; without an arrow the result has those that stand once, in order.
func einsum(g *given) value {
	if len(g.list) < 2 || g.list[0].word == "" {
		g.fail("einsum needs letters and operands")
	}
	spec := strings.ReplaceAll(g.list[0].word, " ", "")
	left, result, arrow := strings.Cut(spec, "->")
	groups := strings.Split(left, ",")
	if strings.Contains(spec, ".") || len(groups) != len(g.list)-1 {
		g.fail("einsum %q does not fit its %s, or has an ellipsis", spec, words.Count(len(g.list)-1, "operand"))
	}
	if !arrow {
		for c := 'A'; c <= 'z'; c++ {
			if strings.Count(left, string(c)) == 1 && c != '[' && c != ']' {
				result += string(c)
			}
		}
	}
	var ops []value
	var names [][]string
	for i, group := range groups {
		v := g.t.tensor(g.at, g.list[i+1])
		if len(v.axes) != len(group) {
			g.fail("einsum: %s has %s, but the operand has %s", group, words.Count(len(group), "letter"), words.Count(len(v.axes), "axis"))
		}
		ops, names = append(ops, v), append(names, strings.Split(group, ""))
	}
	out := strings.Split(result, "")
	if result == "" {
		out = nil
	}
	scale := value{text: "1"}
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].order() == 0 && len(ops) > 1 {
			scale = times(scale, value{text: ops[i].text})
			ops, names = slices.Delete(ops, i, i+1), slices.Delete(names, i, i+1)
		}
	}
	v, ok := product(ops, names, out)
	if !ok {
		g.fail("einsum of numbers has no meaning here")
	}
	if scale.text != "1" {
		v.text = "(" + scale.text + " .* " + v.text + ")"
	}
	return v
}

func tensordot(g *given) value {
	a, b := g.need(0), g.need(1)
	n := 2
	if v, ok := g.arg(2, "axes", "dims"); ok {
		if n, ok = v.whole(); !ok {
			g.fail("tensordot takes a number of axes here; einsum says more")
		}
	}
	if n < 0 || n > len(a.axes) || n > len(b.axes) {
		g.fail("tensordot over %d axes: there are %d and %d", n, len(a.axes), len(b.axes))
	}
	l := letters(len(a.axes) + len(b.axes) - n)
	from := len(a.axes) - n
	v, ok := product([]value{a, b}, [][]string{l[:len(a.axes)], l[from:]}, slices.Concat(l[:from], l[len(a.axes):]))
	if !ok {
		return times(a, b)
	}
	return v
}
