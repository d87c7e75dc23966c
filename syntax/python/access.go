package python

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"frechet/internal/lists"
)

// modules are the names by which libraries are known.
var modules = []string{"np", "numpy", "jnp", "jax", "torch", "F", "nn", "functional", "linalg", "special", "scipy", "sp", "math", "onp", "anp", "autograd", "lax", "scipy.special"}

// freeNames makes the names of an expression without a head its parameters, in order.
func (f *Function) freeNames() {
	known := map[string]bool{}
	visit := func(p *postfix) {
		name := p.Atom.Name
		if name == "" || known[name] || slices.Contains(modules, name) || name == "True" || name == "False" || name == "None" {
			return
		}
		if len(p.Trailers) > 0 && p.Trailers[0].Call != nil {
			return
		}
		known[name] = true
		f.params = append(f.params, &argumentOf{name: name})
	}
	for _, l := range f.body {
		if l.Assign != nil && l.Assign.Value != nil {
			walk(l.Assign.Value, visit)
			targets, _ := l.Assign.First.items()
			for _, x := range targets {
				if x.Ternary != nil {
					known[x.Ternary.Then.First.Left.Left.Left.Power.Base.Atom.Name] = true
				}
			}
			continue
		}
		if l.Assign != nil {
			walk(l.Assign.First, visit)
		}
		if l.Return != nil {
			walk(l.Return, visit)
		}
	}
}

// postfix is an atom with what follows it. Dots after a module are parts of a function's name.
func (t *translator) postfix(x *postfix) value {
	trailers := x.Trailers
	name := ""
	if _, bound := t.names[x.Atom.Name]; x.Atom.Name != "" && !bound {
		name = x.Atom.Name
		for len(trailers) > 0 && trailers[0].Attribute != "" && (slices.Contains(modules, name) || slices.Contains(modules, last(name))) {
			name, trailers = name+"."+trailers[0].Attribute, trailers[1:]
		}
	}
	var v value
	switch {
	case name == "":
		v = t.atom(x.Atom)
	case len(trailers) > 0 && trailers[0].Call != nil:
		v = t.call(x.Pos, name, nil, trailers[0].Call)
		trailers = trailers[1:]
	default:
		v = t.constant(x.Pos, name)
	}
	for i := 0; i < len(trailers); i++ {
		tr := trailers[i]
		if len(v.text) > maxText {
			panic(tooLong{})
		}
		switch {
		case tr.Subscript != nil:
			v = t.subscript(tr.Pos, v, tr.Subscript)
		case tr.Call != nil:
			t.fail(tr.Pos, "what is called here is no function that is known")
		case i+1 < len(trailers) && trailers[i+1].Call != nil:
			v = t.call(tr.Pos, tr.Attribute, &v, trailers[i+1].Call)
			i++
		default:
			v = t.attribute(tr.Pos, v, tr.Attribute)
		}
	}
	if len(v.text) > maxText {
		panic(tooLong{})
	}
	return v
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func (t *translator) atom(x *atom) value {
	switch {
	case x.Number != "":
		text := strings.ReplaceAll(x.Number, "_", "")
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.fail(x.Pos, "%s is no number that is read here", x.Number)
		}
		text = strings.TrimSuffix(text, ".")
		if strings.HasPrefix(text, ".") {
			text = "0" + text
		}
		return number(n, strings.Replace(text, ".e", "e", 1))
	case len(x.Text) > 0:
		return value{word: unquoted(x.Text[0]) + " "}
	case x.Paren != nil:
		if x.Paren.Inner == nil {
			return value{list1: true}
		}
		return t.tuple(x.Paren.Inner)
	case x.List != nil:
		if x.List.For != "" {
			t.fail(x.Pos, "a list that a loop makes has no meaning here")
		}
		v := value{list1: true}
		for _, e := range x.List.Items {
			v.list = append(v.list, t.expr(e))
		}
		return v
	}
	return t.names[x.Name]
}

// constant is a name that nothing in the function has bound.
func (t *translator) constant(at lexer.Position, name string) value {
	switch last(name) {
	case "pi":
		return value{text: "pi"}
	case "e":
		return value{text: "exp(1)"}
	case "True":
		return number(1, "1")
	case "False":
		return number(0, "0")
	case "None", "newaxis", "float32", "float64", "int64", "int32", "double", "float":
		return value{word: "None "}
	case "inf", "nan":
		t.fail(at, "%s has no meaning here", name)
	}
	t.fail(at, "%s is no argument of the function, and nothing that is known here", name)
	return value{}
}

func (t *translator) attribute(at lexer.Position, v value, name string) value {
	switch name {
	case "T", "mT", "H":
		if name == "mT" && len(v.axes) > 2 {
			return t.permute(at, v, swapped(len(v.axes), -1, -2))
		}
		order := make([]int, len(v.axes))
		for i := range order {
			order[i] = len(order) - 1 - i
		}
		return t.permute(at, v, order)
	case "shape":
		out := value{list1: true}
		for _, d := range v.axes {
			out.list = append(out.list, sizeValue(d))
		}
		return out
	case "size":
		return t.sizeAll(v)
	case "ndim":
		n := len(v.axes)
		return number(float64(n), strconv.Itoa(n))
	case "dtype", "device":
		return value{word: "None "}
	case "data", "real":
		return v
	}
	t.fail(at, ".%s has no meaning here", name)
	return value{}
}

func sizeValue(d *dim) value {
	if d == nil {
		return number(1, "1")
	}
	return value{text: d.String(), size: d}
}

func (t *translator) sizeAll(v value) value {
	text := "1"
	for _, d := range v.present() {
		text += "*" + d.String()
	}
	text = "(" + strings.TrimPrefix(text, "1*") + ")"
	return value{text: text, size: derived(func() string { return text }, v.present()...)}
}

func swapped(n, i, j int) []int {
	order := lists.Make(n, func(k int) int { return k })
	i, j = (i+n)%max(n, 1), (j+n)%max(n, 1)
	order[i], order[j] = order[j], order[i]
	return order
}

// permute has axis order[i] in place i.
func (t *translator) permute(at lexer.Position, v value, order []int) value {
	if len(order) != len(v.axes) {
		t.fail(at, "%d axes are permuted, but there are %d", len(order), len(v.axes))
	}
	names := letters(len(order))
	from, to := "", ""
	out := value{}
	for i, l := range names {
		if v.axes[i] != nil {
			from += l
		}
	}
	for _, k := range order {
		if k < 0 || k >= len(order) {
			t.fail(at, "there is no axis %d", k)
		}
		out.axes = append(out.axes, v.axes[k])
		if v.axes[k] != nil {
			to += names[k]
		}
	}
	out.text = v.text
	if from != to {
		out.text = fmt.Sprintf("(%s *(%s->%s))", v.text, from, to)
	}
	return out
}

// subscript is v[..]: places, ranges, None and an ellipsis.
func (t *translator) subscript(at lexer.Position, v value, subs []*subscript) value {
	if v.list1 {
		return t.element(at, v, subs)
	}
	given := t.given(at, v, subs)
	out := value{}
	var parts []string
	axis, some := 0, false
	keep := func() {
		out.axes = append(out.axes, v.axes[axis])
		if v.axes[axis] != nil {
			parts = append(parts, ":")
		}
		axis++
	}
	for _, s := range subs {
		switch {
		case s.Ellipsis:
			for range len(v.axes) - given {
				keep()
			}
		case t.isNone(s):
			out.axes = append(out.axes, nil)
		case !s.Colon && !s.Colon2:
			place := t.ternary(s.First)
			if place.order() > 0 || place.list != nil {
				t.fail(s.Pos, "an array as a subscript has no meaning here")
			}
			if v.axes[axis] != nil {
				parts, some = append(parts, sizeText(place)), true
			}
			axis++
		default:
			text, d := t.slice(s, v.axes[axis])
			if text == ":" || v.axes[axis] == nil {
				keep()
				continue
			}
			out.axes = append(out.axes, d)
			parts, some = append(parts, text), true
			axis++
		}
	}
	for axis < len(v.axes) {
		keep()
	}
	out.text = v.text
	if some {
		out.text = v.text + "[" + strings.Join(parts, ", ") + "]"
	}
	return out
}

// given is how many axes subscripts name.
func (t *translator) given(at lexer.Position, v value, subs []*subscript) int {
	given, ellipses := 0, 0
	for _, s := range subs {
		if s.Ellipsis {
			ellipses++
		} else if !t.isNone(s) {
			given++
		}
	}
	if given > len(v.axes) || ellipses > 1 {
		t.fail(at, "%d subscripts for %d axes", given, len(v.axes))
	}
	return given
}

func (t *translator) isNone(s *subscript) bool {
	if s.First == nil || s.Colon {
		return false
	}
	p := s.First.Then.First.Left.Left.Left.Power.Base
	if p.Atom.Name == "None" {
		return true
	}
	return len(p.Trailers) == 1 && p.Trailers[0].Attribute == "newaxis"
}

// element is a part of a tuple.
func (t *translator) element(at lexer.Position, v value, subs []*subscript) value {
	if len(subs) == 1 && subs[0].First != nil && !subs[0].Colon {
		if i, ok := t.ternary(subs[0].First).whole(); ok {
			if i < 0 {
				i += len(v.list)
			}
			if i >= 0 && i < len(v.list) {
				return v.list[i]
			}
		}
	}
	t.fail(at, "this part of a tuple is not there")
	return value{}
}

// slice is a range as the Einstein language writes it, and its size.
func (t *translator) slice(s *subscript, axis *dim) (string, *dim) {
	first, stop, by := s.First, s.Stop, s.Step
	if s.Colon2 {
		stop, by = s.Stop2, s.Step2
	}
	bound := func(x *ternary) (string, bool) {
		if x == nil {
			return "", false
		}
		v := t.ternary(x)
		if v.word == "None " {
			return "", false
		}
		if _, ok := v.sizeOf(); !ok && v.num == nil {
			t.fail(s.Pos, "the bounds of a range are whole numbers and sizes")
		}
		return sizeText(v), true
	}
	from, hasFrom := bound(first)
	to, hasTo := bound(stop)
	step, hasStep := "", false
	if by != nil {
		step, hasStep = bound(by.By)
	}
	text := from + ":" + to
	if hasStep && step != "1" {
		text += ":" + step
	}
	if text == ":" || axis == nil {
		return ":", axis
	}
	trim := func(s string) string { return strings.Trim(s, "()") }
	return text, derived(func() string {
		n, begin := axis.String(), "0"
		switch {
		case hasStep && step == "(-1)":
			return n
		case hasStep && step != "1":
			t.fail(s.Pos, "the size of this range is not known here")
		}
		if hasFrom {
			if begin = trim(from); strings.HasPrefix(begin, "-") {
				begin = n + begin
			}
		}
		end := n
		if hasTo {
			if end = trim(to); strings.HasPrefix(end, "-") {
				end = n + end
			}
		}
		if begin == "0" {
			return end
		}
		return "(" + end + " - (" + begin + "))"
	}, axis)
}

// unquoted is what a literal says.
func unquoted(s string) string {
	return strings.Trim(strings.TrimLeft(s, "rbfuRBFU"), "\"'")
}
