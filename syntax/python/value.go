package python

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"frechet/internal/lists"
)

// A dim is the size of an axis. Sizes that are equal are one class, whose name is found when all of the function was read.
type dim struct {
	same *dim
	text func() string // nil: it has the name of its class
	of   []*dim        // the sizes in the text
	name string
}

// derived is a size that is made of others.
func derived(text func() string, of ...*dim) *dim { return &dim{text: text, of: of} }

// maxText bounds the text of a part of a function: those that stand in it several times are to have names.
const maxText = 50_000

// tooLong ends a translation whose parts get longer than maxText.
type tooLong struct{}

// contains reports whether a size stands in another one.
func (d *dim) contains(a *dim) bool {
	seen := map[*dim]bool{}
	var visit func(x *dim) bool
	visit = func(x *dim) bool {
		if x == nil {
			return false
		}
		if x = x.find(); seen[x] {
			return false
		}
		seen[x] = true
		return x == a || slices.ContainsFunc(x.of, visit)
	}
	return visit(d)
}

func (d *dim) find() *dim {
	for d.same != nil {
		d = d.same
	}
	return d
}

func (d *dim) String() string {
	d = d.find()
	if d.text == nil {
		return d.name
	}
	text := d.text()
	if len(text) > maxText {
		panic(tooLong{})
	}
	return text
}

// fixed is a size that is a number or a name of its own.
func fixed(text string) *dim { return &dim{text: func() string { return text }} }

// unify makes two sizes one, where one of them is still open; the typing of the translation compares others.
func unify(a, b *dim) {
	a, b = a.find(), b.find()
	switch {
	case a == b:
	case a.text == nil && !b.contains(a):
		a.same = b
	case b.text == nil && !a.contains(b):
		b.same = a
	}
}

// A value is an expression of the Einstein language, with the axes that it has in Python. An axis of size 1 is nil, and no axis of the
// expression.
type value struct {
	text  string
	axes  []*dim
	num   *float64 // a number that is written
	size  *dim     // a number that is a size
	list  []value  // a tuple or a list
	list1 bool     // the list is one
	word  string   // a string
}

func number(x float64, text string) value { return value{text: text, num: &x} }

// order is the number of axes of the expression.
func (v value) order() int {
	n := 0
	for _, d := range v.axes {
		if d != nil {
			n++
		}
	}
	return n
}

// present are the axes of the expression.
func (v value) present() (ds []*dim) {
	for _, d := range v.axes {
		if d != nil {
			ds = append(ds, d)
		}
	}
	return ds
}

// place is where axis i of Python stands in the expression.
func (v value) place(i int) int {
	n := 0
	for _, d := range v.axes[:i] {
		if d != nil {
			n++
		}
	}
	return n
}

// whole is the value as a whole number.
func (v value) whole() (int, bool) {
	if v.num == nil || *v.num != float64(int(*v.num)) {
		return 0, false
	}
	return int(*v.num), true
}

// sizeOf is the value as the size of an axis.
func (v value) sizeOf() (*dim, bool) {
	if v.size != nil {
		return v.size, true
	}
	if n, ok := v.whole(); ok && n >= 0 {
		return fixed(strconv.Itoa(n)), true
	}
	return nil, false
}

// letters names axes, one letter for each.
func letters(n int) []string {
	return lists.Make(n, func(i int) string { return string(rune('a' + i%26)) })
}

// broadcast are the axes of an operation entry by entry.
func broadcast(a, b value) []*dim {
	n := max(len(a.axes), len(b.axes))
	out := make([]*dim, n)
	for i := range out {
		x, y := a.fromEnd(n-1-i), b.fromEnd(n-1-i)
		switch {
		case x == nil:
			out[i] = y
		case y == nil:
			out[i] = x
		default:
			unify(x, y)
			out[i] = x
		}
	}
	return out
}

// fromEnd is an axis counted from the last one; nil where there is none.
func (v value) fromEnd(i int) *dim {
	if i >= len(v.axes) {
		return nil
	}
	return v.axes[len(v.axes)-1-i]
}

// spread is the expression along all axes that are present in a result; a number stays one.
func (v value) spread(axes []*dim) string {
	if v.order() == 0 {
		return v.text
	}
	own, all, missing, sizes := "", "", "", []string{}
	for i, l := range letters(len(axes)) {
		if axes[i] == nil {
			continue
		}
		all += l
		if v.fromEnd(len(axes)-1-i) != nil {
			own += l
		} else {
			missing += l
			sizes = append(sizes, axes[i].String())
		}
	}
	if missing == "" {
		return v.text
	}
	return fmt.Sprintf("(%s *(%s,%s->%s) ones(%s))", v.text, own, missing, all, strings.Join(sizes, ","))
}

// entrywise is an operation entry by entry, in the notation of a format.
func entrywise(format string, a, b value) value {
	axes := broadcast(a, b)
	return value{text: fmt.Sprintf(format, a.spread(axes), b.spread(axes)), axes: axes}
}

// times is the product entry by entry: each factor has its own axes.
func times(a, b value) value {
	axes := broadcast(a, b)
	out := value{axes: axes}
	if a.order() == 0 || b.order() == 0 || a.order() == out.order() && b.order() == out.order() {
		out.text = fmt.Sprintf("(%s .* %s)", a.text, b.text)
		return out
	}
	name := func(v value) (s string) {
		for i, l := range letters(len(axes)) {
			if axes[i] != nil && v.fromEnd(len(axes)-1-i) != nil {
				s += l
			}
		}
		return s
	}
	out.text = fmt.Sprintf("(%s *(%s,%s->%s) %s)", a.text, name(a), name(b), name(out), b.text)
	return out
}

// product contracts operands by letters of Python's axes: those that a result lacks are summed over.
func product(ops []value, names [][]string, out []string) (value, bool) {
	dims := map[string]*dim{}
	var groups, texts []string
	for k, v := range ops {
		group := ""
		for i, l := range names[k] {
			if v.axes[i] == nil {
				continue
			}
			group += l
			if dims[l] == nil {
				dims[l] = v.axes[i]
			}
			unify(dims[l], v.axes[i])
		}
		groups, texts = append(groups, group), append(texts, v.text)
	}
	r := value{}
	result := ""
	for _, l := range out {
		r.axes = append(r.axes, dims[l])
		if dims[l] != nil {
			result += l
		}
	}
	if slices.Contains(groups, "") { // a number beside others
		return r, false
	}
	r.text = fmt.Sprintf("einsum(%s->%s; %s)", strings.Join(groups, ","), result, strings.Join(texts, ", "))
	return r, true
}
