package conformance_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A meaning is what a program means at data.
type meaning struct {
	sizes  map[string]int
	data   map[string][]float64
	shapes map[string][]string
	wrt    string
	slopes int
	memo   map[string]num
	fell   map[string][]fall // by occurrences of functions: the entries that are read and have no value
	read   map[string]map[int]bool
	kinks  map[string]bool // the conventions met; true where the operand depends on the variable
	tilt   float64         // what is added to the slopes at kinks: where nothing follows from it, there is no kink
}

// A fall is an entry at which a function has no value. It is unknown where its operand has none.
type fall struct {
	entry   []int
	value   float64
	unknown bool
}

func (m *meaning) meet(place string, f fall) { m.fell[place] = append(m.fell[place], f) }

func (m *meaning) kink(id string, args ...num) {
	for _, a := range args {
		m.kinks[id] = m.kinks[id] || slices.ContainsFunc(a.d, func(s slope) bool { return s.v != 0 || s.pole })
	}
}

// A term is a value: its text, its axes, and its entry at an index.
type term struct {
	text string
	axes []string
	at   func(m *meaning, i []int) num
}

// entry is the entry at i, computed once.
func (t *term) entry(m *meaning, i ...int) num {
	key := fmt.Sprint(t.text, i)
	if n, ok := m.memo[key]; ok {
		return n
	}
	n := t.at(m, slices.Clone(i))
	m.memo[key] = n
	return n
}

// size is the number of entries of an axis, which is a number or a symbol.
func (m *meaning) size(axis string) int {
	if n, err := strconv.Atoi(axis); err == nil {
		return n
	}
	return m.sizes[axis]
}

func (m *meaning) shape(axes []string) []int {
	out := make([]int, len(axes))
	for k, a := range axes {
		out[k] = m.size(a)
	}
	return out
}

// each calls f with all indices of a shape.
func each(shape []int, f func(i []int)) {
	if slices.Contains(shape, 0) {
		return
	}
	i := make([]int, len(shape))
	for {
		f(i)
		k := len(i) - 1
		for ; k >= 0 && i[k] == shape[k]-1; k-- {
			i[k] = 0
		}
		if k < 0 {
			return
		}
		i[k]++
	}
}

func flatten(shape, i []int) int {
	at := 0
	for k, n := range shape {
		at = at*n + i[k]
	}
	return at
}

func variable(name string, axes ...string) *term {
	return &term{name, axes, func(m *meaning, i []int) num {
		at := flatten(m.shape(axes), i)
		if m.read[name] == nil {
			m.read[name] = map[int]bool{}
		}
		m.read[name][at] = true
		n := m.number(m.data[name][at])
		if n.v-n.v != 0 {
			return num{none: true}
		}
		if name == m.wrt {
			n.d[at] = slope{v: 1, size: 1}
		}
		return n
	}}
}

func literal(v float64) *term {
	return &term{strings.TrimPrefix(fmt.Sprint(v), "+"), nil, func(m *meaning, _ []int) num { return m.number(v) }}
}

func (t *term) under(name string, f function) *term {
	text := fmt.Sprintf(name, t.text)
	return &term{text, t.axes, func(m *meaning, i []int) num { return m.apply(text, f, t.entry(m, i...), i) }}
}

// beside is an operation entry by entry; an operand without axes is repeated.
func (t *term) beside(u *term, text string, f func(m *meaning, i []int, a, b num) num) *term {
	axes := t.axes
	if len(axes) == 0 {
		axes = u.axes
	}
	part := func(t *term, i []int) []int { return i[:len(t.axes)] }
	text = fmt.Sprintf("("+text+")", t.text, u.text)
	return &term{text, axes, func(m *meaning, i []int) num { return f(m, i, t.entry(m, part(t, i)...), u.entry(m, part(u, i)...)) }}
}

func (m *meaning) minus(a num) num { return m.times(m.number(-1), a) }

// contraction is the sum over the letters that the result has not of the product of entries.
func contraction(text, out string, letters map[rune]string, strings []string, args ...*term) *term {
	axes := []string{}
	for _, c := range out {
		axes = append(axes, letters[c])
	}
	return &term{text, axes, func(m *meaning, i []int) num {
		at := map[rune]int{}
		for k, c := range out {
			if v, ok := at[c]; ok && v != i[k] {
				return m.number(0)
			}
			at[c] = i[k]
		}
		var free []rune
		var shape []int
		for c, s := range letters {
			if _, ok := at[c]; !ok {
				free, shape = append(free, c), append(shape, m.size(s))
			}
		}
		sum := m.number(0)
		each(shape, func(j []int) {
			for k, c := range free {
				at[c] = j[k]
			}
			product := m.number(1)
			for k, s := range strings {
				var index []int
				for _, c := range s {
					index = append(index, at[c])
				}
				product = m.times(product, args[k].entry(m, index...))
			}
			sum = m.plus(sum, product)
		})
		return sum
	}}
}

// over is a function of all entries of a value.
func (t *term) over(text string, f func(m *meaning, all []num) num) *term {
	return &term{fmt.Sprintf(text, t.text), nil, func(m *meaning, _ []int) num {
		var all []num
		each(m.shape(t.axes), func(i []int) { all = append(all, t.entry(m, i...)) })
		return f(m, all)
	}}
}

func (m *meaning) sum(all []num) num {
	s := m.number(0)
	for _, a := range all {
		s = m.plus(s, a)
	}
	return s
}

// largest is the greatest number; its slope is split among those that are it.
func (m *meaning) largest(place, id string, all []num) num {
	if len(all) == 0 {
		m.meet(place, fall{value: math.NaN()})
		return num{none: true}
	}
	if undefined(all...) {
		return num{none: true}
	}
	top := slices.MaxFunc(all, func(a, b num) int {
		if a.v < b.v {
			return -1
		} else if a.v > b.v {
			return 1
		}
		return 0
	})
	var ties []num
	for _, a := range all {
		if (num{v: a.v - top.v, e: a.e + top.e}).clear(0) {
			ties = append(ties, a)
		}
	}
	for _, a := range ties[1:] {
		m.kink(id, m.plus(a, m.minus(ties[0])))
	}
	out := m.times(m.number(1/float64(len(ties))), m.sum(ties))
	out = m.plus(out, m.times(m.number(m.tilt), m.plus(ties[0], m.minus(ties[len(ties)-1]))))
	return num{v: top.v, e: top.e, d: out.d}
}

// norm2 is the root of a sum of squares, with the derivative 0 at 0.
func (m *meaning) norm2(place string, all []num) num {
	s := m.number(0)
	for _, a := range all {
		s = m.plus(s, m.times(a, a))
	}
	if s.none {
		return s
	}
	if s.clear(0) {
		if len(all) > 0 {
			m.kink("norm2-at-0", all...)
		}
		return m.times(m.number(m.tilt), m.sum(all))
	}
	return m.apply(place, power(0.5), s, nil)
}

// exps are the exponentials of all entries less the greatest one, their sum and that one.
func (m *meaning) exps(all []num) (out []num, sum, top num) {
	if undefined(all...) {
		return nil, num{none: true}, num{none: true}
	}
	top = m.number(slices.MaxFunc(all, func(a, b num) int {
		if a.v < b.v {
			return -1
		}
		return 1
	}).v)
	sum = m.number(0)
	for _, a := range all {
		x := m.apply("", functions["exp"], m.plus(a, m.minus(top)), nil)
		out, sum = append(out, x), m.plus(sum, x)
	}
	return out, sum, top
}

func (m *meaning) logsumexp(all []num) num {
	_, sum, top := m.exps(all)
	if sum.none {
		return sum
	}
	return m.plus(m.apply("", functions["log"], sum, nil), top)
}

// det is that of a matrix of at most two rows.
func (m *meaning) det(a [][]num) num {
	switch len(a) {
	case 0:
		return m.number(1)
	case 1:
		return a[0][0]
	}
	return m.plus(m.times(a[0][0], a[1][1]), m.minus(m.times(a[0][1], a[1][0])))
}

// share is the i-th entry of softmax.
func (m *meaning) share(all []num, i int) num {
	exps, sum, _ := m.exps(all)
	if sum.none {
		return sum
	}
	return m.times(exps[i], m.apply("", power(-1), sum, nil))
}

func (t *term) row(m *meaning, i int) (out []num) {
	for j := range m.size(t.axes[1]) {
		out = append(out, t.entry(m, i, j))
	}
	return out
}

func (t *term) matrix(m *meaning) [][]num {
	n := m.size(t.axes[0])
	out := make([][]num, n)
	for i := range n {
		for j := range n {
			out[i] = append(out[i], t.entry(m, i, j))
		}
	}
	return out
}

// inv is the inverse, which is there or not as a whole.
func (t *term) inv() *term {
	text := "inv(" + t.text + ")"
	return &term{text, t.axes, func(m *meaning, i []int) num {
		a := t.matrix(m)
		det := m.det(a)
		var cofactor num
		switch {
		case len(a) == 1:
			cofactor = m.number(1)
		case i[0] == i[1]:
			cofactor = a[1-i[0]][1-i[0]]
		default:
			cofactor = m.minus(a[i[0]][i[1]])
		}
		return m.times(cofactor, m.apply(text, power(-1), det, nil))
	}}
}
