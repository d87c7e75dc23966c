package order

import (
	"slices"

	"frechet/internal/lists"
)

// A matching is a common part in the making: operands of f beside operands of g, and their
// letters beside each other.
type matching struct {
	f, g         *prod
	same         bool   // f and g are one product: its parts must not overlap
	fops, gops   []int  // matched operands
	fused, gused []bool // by operand
	to, back     []int  // letters of f to letters of g, and back; -1 for none
}

func newMatching(f, g *prod) *matching {
	m := &matching{f: f, g: g, same: f == g, fused: make([]bool, len(f.ops)), gused: make([]bool, len(g.ops)),
		to: make([]int, len(f.dim)), back: make([]int, len(g.dim))}
	for l := range m.to {
		m.to[l] = -1
	}
	for l := range m.back {
		m.back[l] = -1
	}
	if m.same {
		m.gused = m.fused
	}
	return m
}

// match puts operand k of g beside operand i of f, if that fits.
func (m *matching) match(i, k int) bool {
	if m.fused[i] || m.gused[k] || m.same && i == k || m.f.ops[i].value != m.g.ops[k].value {
		return false
	}
	a, b := m.f.ops[i].letters, m.g.ops[k].letters
	for x := range a {
		if m.to[a[x]] != -1 && m.to[a[x]] != b[x] || m.back[b[x]] != -1 && m.back[b[x]] != a[x] {
			return false
		}
		for y := range x { // letters that are not matched yet
			if (a[x] == a[y]) != (b[x] == b[y]) {
				return false
			}
		}
	}
	for x := range a {
		m.to[a[x]], m.back[b[x]] = b[x], a[x]
	}
	m.fused[i], m.gused[k] = true, true
	m.fops, m.gops = append(m.fops, i), append(m.gops, k)
	return true
}

// grow matches operands that share letters with those matched, until there are no more.
func (m *matching) grow() {
	for more := true; more; {
		more = false
		for i, o := range m.f.ops {
			if m.fused[i] || !slices.ContainsFunc(o.letters, func(l int) bool { return m.to[l] >= 0 }) {
				continue
			}
			for k := range m.g.ops {
				if m.match(i, k) {
					more = true
					break
				}
			}
		}
	}
}

// inside reports, by letter, whether it is in some of the operands and nowhere else.
func (p *prod) inside(ops []int) []bool {
	in := make([]bool, len(p.dim))
	for _, i := range ops {
		for _, l := range p.ops[i].letters {
			in[l] = true
		}
	}
	for _, l := range p.open(ops) {
		in[l] = false
	}
	return in
}

// common grows the largest common part of two products from two places of one value, and cuts
// it at the letters that are summed inside of the part in one place only. It lists what is
// left with two operands at least, as operands of the first.
func (j *joint) common(f, g place) [][]int {
	m := newMatching(j.prods[f.prod], j.prods[g.prod])
	j.work += len(m.f.ops) + len(m.g.ops)
	if !m.match(f.op, g.op) {
		return nil
	}
	m.grow()
	j.work += len(m.fops) * len(m.g.ops)
	if len(m.fops) < 2 {
		return nil
	}
	agree := func(fops, gops []int) (differ []bool, any bool) {
		a, b := m.f.inside(fops), m.g.inside(gops)
		differ = make([]bool, len(a))
		for l := range a {
			if m.to[l] >= 0 && a[l] != b[m.to[l]] {
				differ[l], any = true, true
			}
		}
		return differ, any
	}
	cut, any := agree(m.fops, m.gops)
	if !any {
		return [][]int{m.fops}
	}
	// the parts that hang together without the letters where it is cut
	left := slices.Clone(m.fops)
	var out [][]int
	for len(left) > 0 {
		part := []int{left[0]}
		left = left[1:]
		for at := 0; at < len(part); at++ {
			for _, l := range m.f.ops[part[at]].letters {
				if cut[l] {
					continue
				}
				left = slices.DeleteFunc(left, func(i int) bool {
					if slices.Contains(m.f.ops[i].letters, l) {
						part = append(part, i)
						return true
					}
					return false
				})
			}
		}
		if len(part) < 2 {
			continue
		}
		other := lists.Map(part, func(i int) int { return m.gops[slices.Index(m.fops, i)] })
		if _, any := agree(part, other); !any {
			out = append(out, part)
		}
	}
	return out
}

// take makes a part a product of its own, in all places where it stands, if that makes the
// whole cheaper.
func (j *joint) take(c part) bool {
	if j.prods[c.at] != c.from { // changed since
		return false
	}
	// the part by itself, with letters of its own
	number := map[int]int{}
	p := &prod{}
	rename := func(g []int) []int {
		r := make([]int, len(g))
		for i, l := range g {
			if _, ok := number[l]; !ok {
				number[l] = len(number)
				p.dim = append(p.dim, c.from.dim[l])
			}
			r[i] = number[l]
		}
		return r
	}
	rare := slices.MinFunc(c.ops, func(a, b int) int {
		return len(j.holders[c.from.ops[a].value]) - len(j.holders[c.from.ops[b].value])
	})
	for _, i := range append([]int{rare}, c.ops...) { // found by its first operand
		if i == rare && len(p.ops) > 0 {
			continue
		}
		o := c.from.ops[i]
		p.ops = append(p.ops, op{o.value, rename(o.letters)})
	}
	p.out = rename(c.open)
	var found []occurrence
	for _, k := range j.with(p.ops[0].value) {
		found = append(found, j.prods[k].occurrences(p, k)...)
	}
	if len(found) < 2 {
		return false
	}
	for _, o := range found {
		// the part has the axes of the product that it is all of
		if q := j.prods[o.prod]; len(o.ops) == len(q.ops) && len(q.out) == len(p.out) {
			p.out = pick(o.back, q.out)
			break
		}
	}
	v := j.program.Tensors + len(j.prods)
	at, by := []int{len(j.prods)}, []*prod{p}
	for _, o := range found {
		last := len(at) - 1
		if at[last] != o.prod {
			q := *j.prods[o.prod]
			q.ops = slices.Clone(q.ops)
			at, by = append(at, o.prod), append(by, &q)
			last++
		}
		for _, i := range o.ops {
			by[last].ops[i].value = -1
		}
		by[last].ops = append(by[last].ops, op{v, pick(o.to, p.out)})
	}
	for _, q := range by {
		q.ops = slices.DeleteFunc(q.ops, func(o op) bool { return o.value < 0 })
	}
	return j.replace(at, by)
}

// An occurrence is a place of a part: the operands of a product that it is, and the letters
// that go with each other.
type occurrence struct {
	prod     int
	ops      []int
	to, back []int
}

// occurrences finds the places of a part in a product, number k. No two overlap.
func (q *prod) occurrences(part *prod, k int) []occurrence {
	var out []occurrence
	if len(q.ops) < len(part.ops) {
		return nil
	}
	used := make([]bool, len(q.ops))
	for i, o := range q.ops {
		if used[i] || o.value != part.ops[0].value {
			continue
		}
		m := newMatching(part, q)
		copy(m.gused, used)
		if !m.match(0, i) {
			continue
		}
		m.grow()
		if len(m.fops) < len(part.ops) {
			continue
		}
		inside, fits := q.inside(m.gops), true
		for l, to := range m.to {
			fits = fits && inside[to] != slices.Contains(part.out, l)
		}
		if !fits {
			continue
		}
		copy(used, m.gused)
		out = append(out, occurrence{k, m.gops, m.to, m.back})
	}
	return out
}
