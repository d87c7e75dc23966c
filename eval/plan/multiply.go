package plan

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/order"
	"frechet/einsum/size"
)

// A multiplier makes the entries of the products of a listing.
type multiplier struct {
	s       *listing
	program order.Program
	plain   []plainProduct // the products of the program
	dims    []size.Size    // the dimensions of the program
	found   order.Sharing
	first   int   // the number of entries before those of the steps
	times   []int // by step: how often it is read
	core    []int // by product: the value along the letters that its operands have
}

// plainProduct is what a product of the program does beside: its number, and its axes, of which
// several may be equal, or stand in no operand.
type plainProduct struct {
	place int
	out   []int
	dims  []size.Size // by letter
	rat   *big.Rat    // the number is rat times count
	count size.Size
	guard bool
}

func (q *plainProduct) one() bool {
	return q.rat.Cmp(big.NewRat(1, 1)) == 0 && q.count == size.Const(1)
}

// reading is the state in which newMultiplier reads the forms.
type reading struct {
	*multiplier
	asked     []bool            // by place: something else than products needs the value
	product   []int             // by place: the product whose letters others read, or -1
	dimension map[size.Size]int // by size
}

func (r *reading) ask(nodes []*combinators.Node) {
	for _, n := range nodes {
		r.asked[r.s.at[n.ID()]] = true
	}
}

// newMultiplier reads the forms that nodes need.
func newMultiplier(s *listing, nodes []*combinators.Node) *multiplier {
	m := &multiplier{s: s, program: order.Program{Tensors: len(s.all)}}
	s.result = einsum.UpTo(len(s.all))
	r := &reading{m, make([]bool, len(s.all)), slices.Repeat([]int{-1}, len(s.all)), map[size.Size]int{}}
	r.ask(nodes)
	needed := s.needed(s.all, nodes)
	for i, n := range s.all {
		if !needed[i] {
			continue
		}
		f := s.forms[i]
		if f.c == nil {
			r.ask(n.Args())
			continue
		}
		in, out, ok := f.c.IsPlain()
		guard := slices.ContainsFunc(f.args, s.isWeak)
		if !ok || guard && !sums(f.c) || slices.ContainsFunc(f.args, (*combinators.Node).Relation) {
			s.result[i] = s.add(entry{kind: entryForm, place: i})
			r.ask(f.args)
			continue
		}
		if guard {
			r.ask(f.args)
		}
		q := plainProduct{i, out, f.c.Vars, big.NewRat(1, 1), size.Const(1), guard}
		r.multiply(&q, f.args, in)
	}
	for k, q := range m.plain {
		m.program.Products[k].Needed = r.asked[q.place]
	}
	return m
}

// multiply adds the product q of values, each at the letters in, to the program; one without operands is a number.
func (r *reading) multiply(q *plainProduct, args []*combinators.Node, in [][]int) {
	o := order.Product{Fixed: q.guard}
	join := newJoining(len(q.dims))
	for k, a := range args {
		at := r.s.at[a.ID()]
		switch p := r.product[at]; {
		case a.Atom() == atom.Const:
			q.rat = new(big.Rat).Mul(q.rat, a.Rat())
		case p < 0 || q.guard:
			o.Args, o.In = append(o.Args, int(at)), append(o.In, in[k])
		default: // through the axes that are equal, or along which nothing changes
			o.Args = append(o.Args, r.program.Tensors+p)
			o.In = append(o.In, join.axes(in[k], r.plain[p].out, r.program.Products[p].Out))
		}
	}
	used := make([]bool, len(q.dims))
	for k, g := range o.In {
		o.In[k] = join.roots(g)
		for _, l := range o.In[k] {
			used[l] = true
		}
	}
	q.out = join.roots(q.out)
	for l, d := range q.dims {
		if !used[l] && !slices.Contains(q.out, l) && join.root(l) == l { // a variable that nothing uses is a number
			q.count = q.count.Mul(d)
		}
		o.Dim = append(o.Dim, r.dimensionOf(d))
	}
	// no point is visited, and no entry read: apart, its factors could be NaN times 0
	if slices.Contains(q.dims, size.Const(0)) {
		o.Args, q.rat = nil, new(big.Rat)
	}
	if len(o.Args) == 0 {
		v := r.s.add(entry{kind: entryNumber, rat: q.rat, count: q.count})
		r.s.result[q.place] = r.s.view(v, nil, *q)
		return
	}
	for _, l := range q.out {
		if used[l] && !slices.Contains(o.Out, l) {
			o.Out = append(o.Out, l)
		}
	}
	if !q.guard {
		r.product[q.place] = len(r.plain)
	}
	r.program.Products, r.plain = append(r.program.Products, o), append(r.plain, *q)
}

func (r *reading) dimensionOf(d size.Size) int {
	k, ok := r.dimension[d]
	if !ok {
		k = len(r.dims)
		r.dimension[d] = k
		r.dims = append(r.dims, d)
		r.program.Size = append(r.program.Size, int(min(r.s.number(d), 1<<53)))
	}
	return k
}

// view gives a value the axes of a product, if it does not have them.
func (s *listing) view(v int, letters []int, q plainProduct) int {
	if slices.Equal(letters, q.out) && !hasTwice(letters) {
		return v
	}
	return s.add(entry{kind: entryView, args: []int{v}, in: [][]int{letters}, out: q.out, dims: q.dims})
}

// run orders the products and makes their entries.
func (m *multiplier) run(shared bool) {
	find := order.Share
	if !shared {
		find = order.Independent
	}
	m.found = find(m.program)
	s := m.s
	s.mults, s.entriesWritten, s.alone = m.found.Mults, m.found.Entries, m.found.Alone.Mults
	m.first = len(s.entries)
	m.times = make([]int, len(m.found.Steps))
	for _, w := range m.found.Steps {
		e := entry{kind: entryProduct, args: w.Args, in: w.In, out: w.Out, dims: make([]size.Size, len(w.Dim))}
		for l, d := range w.Dim {
			e.dims[l] = m.dims[d]
		}
		s.add(e)
		for _, v := range w.Args {
			m.note(v)
		}
	}
	for _, r := range m.found.Roots {
		m.note(r.Value)
	}
	m.core = make([]int, len(m.plain))
	for k := range m.plain {
		m.finish(k)
	}
	// what the steps read, now that all results are known
	for i := range m.found.Steps {
		e := &s.entries[m.first+i]
		args := make([]int, len(e.args))
		for k, v := range e.args {
			args[k] = m.value(v)
		}
		e.args = args
	}
}

// step is the number of the step that has a value of the program, or below zero.
func (m *multiplier) step(v int) int { return v - m.program.Tensors - len(m.plain) }

func (m *multiplier) note(v int) {
	if k := m.step(v); k >= 0 {
		m.times[k]++
	}
}

// value is a value of the program as one of the listing, which is what values below zero are
// already.
func (m *multiplier) value(v int) int {
	switch k := v - m.program.Tensors; {
	case v < 0:
		return ^v
	case k < 0:
		return m.s.result[v]
	case k < len(m.plain):
		return m.core[k]
	default:
		return len(m.s.all) + m.first + k - len(m.plain)
	}
}

// finish makes the value of product k from its root: its number, then its axes.
func (m *multiplier) finish(k int) {
	s, q, r := m.s, m.plain[k], m.found.Roots[k]
	if r.Value < 0 { // multiplied into others
		return
	}
	for _, j := range m.found.Inlined[k] {
		q.rat = new(big.Rat).Mul(q.rat, m.plain[j].rat)
		q.count = q.count.Mul(m.plain[j].count)
	}
	v := m.value(r.Value)
	if !q.one() && !m.scaleBelow(r.Value, q) {
		v = s.add(scaled(v, r.Axes, q.dims, q))
	}
	w := s.view(v, r.Axes, q)
	if q.guard {
		w = s.add(entry{kind: entryGuard, args: []int{w}, place: q.place})
	}
	s.result[q.place], m.core[k] = w, w
	if out := m.program.Products[k].Out; len(out) < len(q.out) {
		q.out = out
		m.core[k] = s.view(v, r.Axes, q)
	}
}

// A joining finds which letters of a product are one, because an operand is zero where they
// differ. Of letters that are one, the root stands for all.
type joining []int

func newJoining(letters int) joining { return einsum.UpTo(letters) }

func (j joining) root(l int) int {
	for j[l] != l {
		l = j[l]
	}
	return l
}

func (j joining) roots(letters []int) []int {
	out := make([]int, len(letters))
	for i, l := range letters {
		out[i] = j.root(l)
	}
	return out
}

// axes reads a product with the axes outer, of which several may be equal or stand in no
// operand, along letters: those with equal axes are joined, and what is left are the letters of
// the axes inner, which are different.
func (j joining) axes(letters, outer, inner []int) []int {
	first := func(v int) int { return letters[slices.Index(outer, v)] }
	for a, v := range outer {
		j[j.root(letters[a])] = j.root(first(v))
	}
	out := make([]int, len(inner))
	for i, v := range inner {
		out[i] = first(v)
	}
	return out
}

// scaled multiplies a value with the given axes by the number of a product.
func scaled(v int, letters []int, dims []size.Size, q plainProduct) entry {
	e := entry{kind: entryScale, args: []int{v}, rat: q.rat, count: q.count}
	for a, l := range letters {
		e.out = append(e.out, a)
		e.dims = append(e.dims, dims[l])
	}
	e.in = [][]int{e.out}
	return e
}

// scaleBelow multiplies the number of a product into an operand of its last steps, where that
// has fewer entries than the result. Steps that others read stay as they are, and after a sum
// a number costs nothing.
func (m *multiplier) scaleBelow(root int, q plainProduct) bool {
	if m.step(root) < 0 || m.times[m.step(root)] > 1 {
		return false
	}
	type argument struct{ step, k int }
	var best argument
	e := &m.s.entries[m.first+m.step(root)]
	least := m.s.volume(e, e.out)
	found := false
	stack := []int{m.step(root)}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		e := &m.s.entries[m.first+at]
		if e.sums() {
			continue
		}
		for k, v := range e.args {
			if n := m.s.volume(e, e.in[k]); n < least {
				best, least, found = argument{at, k}, n, true
			}
			if j := m.step(v); v >= 0 && j >= 0 && m.times[j] == 1 {
				stack = append(stack, j)
			}
		}
	}
	if !found {
		return false
	}
	e = &m.s.entries[m.first+best.step]
	v := m.s.add(scaled(m.value(e.args[best.k]), e.in[best.k], e.dims, q))
	e = &m.s.entries[m.first+best.step] // entries have moved
	e.args = slices.Clone(e.args)
	e.args[best.k] = ^v
	return true
}

// volume is the number of entries of axes with the given letters.
func (s *listing) volume(e *entry, letters []int) float64 {
	n := 1.0
	for _, l := range letters {
		n *= s.number(e.dims[l])
	}
	return n
}
