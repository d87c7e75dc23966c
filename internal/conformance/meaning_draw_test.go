package conformance_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

var powers = map[string]float64{"2": 2, "3": 3, "(-1)": -1, "(-2)": -2, "0.5": 0.5, "1.5": 1.5, "(-0.5)": -0.5, "0": 0, "1": 1}

// A drawer draws programs over variables.
type drawer struct {
	rng   *rand.Rand
	vars  map[string]*term
	lets  []*term
	lines []string
	n, m  string // the sizes of axes
}

func (d *drawer) int(n int) int { return d.rng.IntN(n) }

func (d *drawer) size() string { return pick(d, d.n, d.m) }

func pick[T any](d *drawer, of ...T) T { return of[d.int(len(of))] }

func (d *drawer) leaf(axes []string) *term {
	for _, l := range d.lets {
		if slices.Equal(l.axes, axes) && d.int(3) == 0 {
			return l
		}
	}
	if len(axes) == 0 && d.int(5) == 0 {
		return literal(pick(d, 0, 1, 2, 3, 0.5))
	}
	name := pick(d, "x", "y") + strings.Join(axes, "")
	if d.vars[name] == nil {
		d.vars[name] = variable(name, axes...)
	}
	return d.vars[name]
}

func (d *drawer) term(axes []string, depth int) *term {
	if depth == 0 {
		return d.leaf(axes)
	}
	sub := func(axes ...string) *term { return d.term(axes, depth-1-d.int(2)*(depth/2)) }
	switch d.int(10) {
	case 0, 1, 2:
		names := []string{"log", "sqrt", "log", "sqrt", "arcsin", "log1p", "exp", "exp"}
		for f := range functions {
			names = append(names, f)
		}
		slices.Sort(names)
		name := pick(d, names...)
		return sub(axes...).under(name+"(%s)", functions[name])
	case 3:
		texts := []string{}
		for r := range powers {
			texts = append(texts, r)
		}
		slices.Sort(texts)
		r := pick(d, texts...)
		return sub(axes...).under("(%s .^ "+r+")", power(powers[r]))
	case 4, 5:
		return d.pair(sub(axes...), sub(axes...))
	case 6:
		return d.scaled(sub(axes...), sub())
	case 7:
		return d.let(sub(axes...))
	}
	switch len(axes) {
	case 0:
		return d.scalar(sub)
	case 1:
		return d.vector(axes[0], sub)
	}
	return d.matrixOf(axes, sub)
}

func (d *drawer) let(t *term) *term {
	name := fmt.Sprint("p", len(d.lets))
	d.lines = append(d.lines, "let "+name+" = "+t.text)
	d.lets = append(d.lets, &term{name, t.axes, func(m *meaning, i []int) num { return t.entry(m, i...) }})
	return d.lets[len(d.lets)-1]
}

func (d *drawer) scaled(t, s *term) *term {
	if d.int(2) == 0 {
		return s.beside(t, "%s .* %s", func(m *meaning, _ []int, a, b num) num { return m.times(a, b) })
	}
	return d.pair(t, s)
}

// pair is a function of two values.
func (d *drawer) pair(a, b *term) *term {
	switch d.int(11) {
	case 10:
		return a.beside(b, "logaddexp(%s, %s)", func(m *meaning, _ []int, a, b num) num { return m.logsumexp([]num{a, b}) })
	case 9:
		text := fmt.Sprintf("(%s .^ %s)", a.text, b.text)
		return a.beside(b, "%s .^ %s", func(m *meaning, i []int, a, b num) num { return m.pow(text, a, b, i) })
	case 0, 1:
		return a.beside(b, "%s + %s", func(m *meaning, _ []int, a, b num) num { return m.plus(a, b) })
	case 2:
		return a.beside(b, "%s - %s", func(m *meaning, _ []int, a, b num) num { return m.plus(a, m.minus(b)) })
	case 3, 4:
		return a.beside(b, "%s .* %s", func(m *meaning, _ []int, a, b num) num { return m.times(a, b) })
	case 5:
		place := fmt.Sprintf("(1 ./ %s)", b.text)
		return a.beside(b, "%s ./ %s", func(m *meaning, i []int, a, b num) num {
			return m.times(a, m.apply(place, power(-1), b, i))
		})
	case 6:
		return a.beside(b, "max(%s, %s)", func(m *meaning, _ []int, a, b num) num { return m.largest("", "max-at-tie", []num{a, b}) })
	case 7:
		return a.beside(b, "min(%s, %s)", func(m *meaning, _ []int, a, b num) num {
			return m.minus(m.largest("", "min-at-tie", []num{m.minus(a), m.minus(b)}))
		})
	}
	return a.beside(b, "%s > %s", func(m *meaning, _ []int, a, b num) num {
		if undefined(a, b) {
			return num{none: true}
		}
		if (num{v: a.v - b.v, e: a.e + b.e}).clear(0) {
			m.kink("comparison-at-tie", m.plus(a, m.minus(b)))
			return m.times(m.number(m.tilt), m.plus(a, m.minus(b)))
		}
		return m.number(above(a.v - b.v))
	})
}

func (d *drawer) scalar(sub func(...string) *term) *term {
	n, k := d.size(), d.size()
	x := func() *term { return sub(pick(d, [][]string{{n}, {n}, {n, k}, {n, n}}...)...) }
	switch d.int(9) {
	case 0, 1:
		return x().over("sum(%s)", func(m *meaning, all []num) num { return m.sum(all) })
	case 2:
		a := sub(n, n)
		return contraction("tr("+a.text+")", "", map[rune]string{'i': n}, []string{"ii"}, a)
	case 3:
		a, b := sub(n), sub(n)
		return contraction(fmt.Sprintf("(%s'*%s)", a.text, b.text), "", map[rune]string{'i': n}, []string{"i", "i"}, a, b)
	case 4:
		a := x()
		return a.over("norm2(%s)", func(m *meaning, all []num) num { return m.norm2("norm2("+a.text+")", all) })
	case 5:
		a := x()
		text := "(1 ./ mean(" + a.text + "))"
		return a.over("mean(%s)", func(m *meaning, all []num) num {
			return m.times(m.sum(all), m.apply(text, power(-1), m.number(float64(len(all))), nil))
		})
	case 6:
		a := x()
		f := pick(d, "max", "min")
		text := f + "(" + a.text + ")"
		return a.over(f+"(%s)", func(m *meaning, all []num) num {
			if f == "max" {
				return m.largest(text, "max-at-tie", all)
			}
			for i := range all {
				all[i] = m.minus(all[i])
			}
			return m.minus(m.largest(text, "min-at-tie", all))
		})
	case 7:
		a := x()
		return a.over("logsumexp(%s)", func(m *meaning, all []num) num {
			if len(all) == 0 {
				m.meet("logsumexp("+a.text+")", fall{value: math.NaN()})
				return num{none: true}
			}
			return m.logsumexp(all)
		})
	}
	a := sub(n, n)
	if d.int(2) == 0 {
		return &term{"det(" + a.text + ")", nil, func(m *meaning, _ []int) num { return m.det(a.matrix(m)) }}
	}
	text := "logdet(" + a.text + ")"
	return &term{text, nil, func(m *meaning, _ []int) num {
		out := m.apply(text, functions["log"], m.det(a.matrix(m)), nil)
		out.e = max(out.e, 1e-14) // by elimination, which rounds where cofactors do not
		return out
	}}
}

func (d *drawer) vector(n string, sub func(...string) *term) *term {
	k := d.size()
	switch d.int(8) {
	case 0, 1:
		a, b := sub(n, k), sub(k)
		return contraction(fmt.Sprintf("(%s*%s)", a.text, b.text), "i", map[rune]string{'i': n, 'j': k}, []string{"ij", "j"}, a, b)
	case 2, 3:
		a := sub(n, n)
		return contraction(fmt.Sprintf("diag(%s)", a.text), "i", map[rune]string{'i': n}, []string{"ii"}, a)
	case 4:
		a := sub(n, k)
		return contraction(fmt.Sprintf("(%s *(ij->i))", a.text), "i", map[rune]string{'i': n, 'j': k}, []string{"ij"}, a)
	case 5:
		a := sub(n)
		return &term{"softmax(" + a.text + ")", []string{n}, func(m *meaning, i []int) num {
			var all []num
			each(m.shape(a.axes), func(i []int) { all = append(all, a.entry(m, i...)) })
			return m.share(all, i[0])
		}}
	case 6:
		return d.partial(n, d.leaf([]string{n}))
	}
	return d.partial(n, d.let(sub(n)))
}

// partial reads some entries only: those up to an index, or all but the first.
func (d *drawer) partial(n string, a *term) *term {
	name := fmt.Sprint("p", len(d.lets))
	var at func(m *meaning, i []int) num
	f := pick(d, "log", "exp", "sqrt")
	text := fmt.Sprintf("%s(%s[i])", f, a.text)
	inner := a.under(f+"(%s)", functions[f])
	switch d.int(3) {
	case 0:
		d.lines = append(d.lines, fmt.Sprintf("let %s[i:%s] = if {i >= 1} then %s else 0", name, n, text))
		at = func(m *meaning, i []int) num {
			if i[0] == 0 {
				return m.number(0)
			}
			return inner.entry(m, i...)
		}
	case 1:
		d.lines = append(d.lines, fmt.Sprintf("let %s[i:%s] = sum{k}_1^i (%s)", name, n, text))
		at = func(m *meaning, i []int) num {
			sum := m.number(0)
			for range i[0] {
				sum = m.plus(sum, inner.entry(m, i...))
			}
			return sum
		}
	default:
		d.lines = append(d.lines, fmt.Sprintf("let %s[i:%s] = sum{k}_0^i (%s(%s[k]))", name, n, f, a.text))
		at = func(m *meaning, i []int) num {
			sum := m.number(0)
			for k := range i[0] + 1 {
				sum = m.plus(sum, inner.entry(m, k))
			}
			return sum
		}
	}
	d.lets = append(d.lets, &term{name, []string{n}, at})
	return d.lets[len(d.lets)-1]
}

func (d *drawer) matrixOf(axes []string, sub func(...string) *term) *term {
	n, k := axes[0], axes[1]
	switch d.int(6) {
	case 4:
		a := sub(n, k)
		f := pick(d, "max", "logsumexp", "softmax")
		text := fmt.Sprintf("%s(%s, axis=1)", f, a.text)
		t := &term{text, []string{n}, func(m *meaning, i []int) num {
			all := a.row(m, i[0])
			switch {
			case len(all) == 0:
				m.meet(text, fall{value: math.NaN()})
				return num{none: true}
			case f == "max":
				return m.largest("", "max-at-tie", all)
			}
			return m.logsumexp(all)
		}}
		if f == "softmax" {
			return &term{text, axes, func(m *meaning, i []int) num { return m.share(a.row(m, i[0]), i[1]) }}
		}
		l := d.leaf(axes)
		return contraction(fmt.Sprintf("(%s *(i,ij->ij) %s)", text, l.text), "ij", map[rune]string{'i': n, 'j': k}, []string{"i", "ij"}, t, l)
	case 0:
		a, b := sub(n), sub(k)
		return contraction(fmt.Sprintf("(%s*%s')", a.text, b.text), "ij", map[rune]string{'i': n, 'j': k}, []string{"i", "j"}, a, b)
	case 1:
		a := sub(k, n)
		return contraction(a.text+"'", "ij", map[rune]string{'i': n, 'j': k}, []string{"ji"}, a)
	case 2:
		l := d.size()
		a, b := sub(n, l), sub(l, k)
		return contraction(fmt.Sprintf("(%s*%s)", a.text, b.text), "ij", map[rune]string{'i': n, 'j': k, 'l': l}, []string{"il", "lj"}, a, b)
	case 3:
		if n == k {
			a := sub(n)
			return contraction(fmt.Sprintf("diag(%s)", a.text), "ii", map[rune]string{'i': n}, []string{"i"}, a)
		}
	}
	if n == k {
		return sub(n, n).inv()
	}
	return sub(n, k)
}
