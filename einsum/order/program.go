package order

import (
	"encoding/binary"
	"slices"
)

// A Program is a list of products that are multiplied out together. Values 0, 1, ...,
// Tensors-1 are given, value Tensors+k is the result of product k.
type Program struct {
	Tensors  int
	Size     []int // by dimension
	Products []Product
}

// A Product is a network whose operands are values.
type Product struct {
	Args   []int   // the values
	In     [][]int // the variables of their axes
	Out    []int   // the variables of the result, each once and each in some operand
	Dim    []int   // by variable: its dimension
	Needed bool    // something else than products needs the result
	Fixed  bool    // the product is neither multiplied into others nor others into it
}

// A Sharing says how a program is multiplied out.
type Sharing struct {
	Steps   []SharedStep
	Roots   []Root  // by product
	Inlined [][]int // by product: the products that were multiplied into it, once for each time
	Mults   float64 // multiplications of all steps
	Entries float64 // numbers that all steps write
	// Alone is what the orders cost that are best for each product alone, where equal steps
	// are still one.
	Alone struct{ Mults, Entries float64 }
}

// A SharedStep multiplies two values, or sums one. Its variables are its own. Value
// Tensors+len(Products)+i is the result of step i.
type SharedStep struct {
	Args []int
	In   [][]int
	Out  []int // each once
	Dim  []int
}

// A Root says which value a product is: that of a tensor, a product or a step, with the
// product's variables for its axes. Value is -1 where nothing needs the product, because it
// was multiplied into those that read it.
type Root struct {
	Value int
	Axes  []int
}

// Share orders the products of a program. What several of them need, up to the order of axes
// and the names of variables, is computed once, where that takes fewer multiplications, or as
// many and fewer numbers written: common parts of products become products of their own, and
// a product whose result is needed in other products alone is multiplied into these. The
// result never costs more than the best orders of the products alone.
func Share(p Program) Sharing {
	j := newJoint(p)
	alone := j.start()
	best := j.emit()
	best.Alone.Mults, best.Alone.Entries = best.Mults, best.Entries
	if !alone {
		j.improve()
		if s := j.emit(); (cost{s.Mults, s.Entries}).less(cost{best.Mults, best.Entries}) {
			s.Alone = best.Alone
			best = s
		}
	}
	return best
}

// Independent orders every product for itself. Equal steps are still one.
func Independent(p Program) Sharing {
	j := newJoint(p)
	j.start()
	s := j.emit()
	s.Alone.Mults, s.Alone.Entries = s.Mults, s.Entries
	return s
}

// joint is the search. Products are never changed: a move replaces them by others.
type joint struct {
	program  Program
	prods    []*prod // those of the program, then common parts; nil where multiplied into others
	steps    map[string]*counted
	total    cost
	holders  map[int][]int     // by value: the products that have had it as an operand
	found    map[string][]Pair // orders of networks
	work     int               // spent on orders since all products had one
	searched int               // spent on orders in all
	serial   int
}

func newJoint(p Program) *joint {
	return &joint{program: p, steps: map[string]*counted{}, found: map[string][]Pair{}, holders: map[int][]int{}}
}

// put makes p product k, which may be the next new one.
func (j *joint) put(k int, p *prod) {
	if k == len(j.prods) {
		j.prods = append(j.prods, nil)
	}
	j.prods[k] = p
	if p == nil {
		return
	}
	for _, o := range p.ops {
		if h := j.holders[o.value]; len(h) == 0 || h[len(h)-1] != k {
			j.holders[o.value] = append(h, k)
		}
	}
}

// with lists the products that have a value as an operand, in order.
func (j *joint) with(value int) []int {
	var out []int
	for _, k := range j.holders[value] {
		if p := j.prods[k]; p != nil && slices.ContainsFunc(p.ops, func(o op) bool { return o.value == value }) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// counted is a step that is computed, and how many products have it.
type counted struct {
	cost  cost
	times int
}

// prod is a product in the search, with its order.
type prod struct {
	ops     []op
	out     []int
	dim     []int
	needed  bool
	fixed   bool
	inlined []int
	steps   []step
}

type op struct {
	value   int
	letters []int
}

// step is a step of one product: its arguments are operands, or len(ops)+i for step i.
type step struct {
	args []int
	in   [][]int
	out  []int
	key  string // equal for equal results
	axes []int  // the letters of the result in the order of the key
	cost cost
}

// start orders every product for itself. alone reports that no two of them have anything in
// common, nor one of them with itself.
func (j *joint) start() (alone bool) {
	alone = true
	seen := make([]bool, j.program.Tensors+len(j.program.Products))
	for _, p := range j.program.Products {
		q := &prod{out: p.Out, dim: p.Dim, needed: p.Needed, fixed: p.Fixed}
		for k, v := range p.Args {
			q.ops = append(q.ops, op{v, p.In[k]})
			alone = alone && (len(p.Args) < 2 || !seen[v]) && v < j.program.Tensors
			seen[v] = true
		}
		q = j.order(q)
		j.put(len(j.prods), q)
		j.count(q, 1)
	}
	j.work = 0
	return alone
}

// count adds the steps of a product to those that are computed, or takes them away.
func (j *joint) count(p *prod, times int) {
	for i := range p.steps {
		s := &p.steps[i]
		c := j.steps[s.key]
		if c == nil {
			c = &counted{cost: s.cost}
			j.steps[s.key] = c
		}
		c.times += times
		switch {
		case times > 0 && c.times == times:
			j.total = j.total.plus(s.cost)
		case c.times == 0:
			j.total = j.total.plus(cost{-s.cost.mults, -s.cost.entries})
			delete(j.steps, s.key)
		}
	}
}

func (j *joint) points(p *prod, vars []int) float64 {
	return pointsOf(vars, func(v int) int { return j.program.Size[p.dim[v]] })
}

// order gives the product with the order that is best for it alone. Its operands are put into
// canonical order first, so that equal products have equal orders.
func (j *joint) order(p *prod) *prod {
	q := *p
	q.ops, q.steps = slices.Clone(p.ops), nil
	all := upTo(len(q.ops))
	if form, ok := j.canon(&q, all, q.out); ok {
		for i, k := range form.ops {
			q.ops[i] = p.ops[k]
		}
	}
	n := Network{In: make([][]int, len(q.ops)), Out: q.out, Size: make([]int, len(q.dim))}
	for v, d := range q.dim {
		n.Size[v] = j.program.Size[d]
	}
	for i, o := range q.ops {
		n.In[i] = o.letters
	}
	pairs := j.find(n)
	at := upTo(len(q.ops)) // by operand of the network, then by pair: where its result is
	letters := slices.Clone(n.In)
	below := make([][]int, len(q.ops), len(q.ops)+len(pairs))
	add := func(s step, under []int) {
		s.cost.entries = j.points(&q, s.out)
		if form, ok := j.canon(&q, under, s.out); ok {
			s.key, s.axes = form.key, form.open
		} else {
			j.serial++
			s.key, s.axes = string(serialKey(j.serial)), s.out
		}
		q.steps = append(q.steps, s)
	}
	for i := range q.ops {
		below[i] = []int{i}
		gone := n.Summed(i)
		if len(gone) == 0 {
			continue
		}
		left := slices.DeleteFunc(firsts(letters[i]), func(v int) bool { return slices.Contains(gone, v) })
		add(step{args: []int{i}, in: [][]int{letters[i]}, out: left}, below[i])
		at[i], letters[i] = len(q.ops)+len(q.steps)-1, left
	}
	for i, s := range n.Steps(pairs) {
		out := s.Out
		if i == len(pairs)-1 && len(q.out) == len(out) {
			out = q.out
		}
		under := slices.Concat(below[s.A], below[s.B])
		add(step{args: []int{at[s.A], at[s.B]}, in: [][]int{letters[s.A], letters[s.B]}, out: out,
			cost: cost{mults: n.points(s.Loop)}}, under)
		at, letters, below = append(at, len(q.ops)+len(q.steps)-1), append(letters, out), append(below, under)
	}
	return &q
}

// find is Find, once for each network. When long products have taken maxSearch, the others
// get the greedy order or one along a sequence, improved.
func (j *joint) find(n Network) []Pair {
	k := len(n.In)
	if k <= 2 {
		return Find(n).Pairs
	}
	key := make([]byte, 0, 64)
	for _, g := range append(slices.Clone(n.In), n.Out) {
		for _, v := range g {
			key = binary.AppendUvarint(key, uint64(v))
			key = binary.AppendUvarint(key, uint64(n.Size[v]))
		}
		key = append(key, 0xff, 0xff)
	}
	if pairs, ok := j.found[string(key)]; ok {
		return pairs
	}
	var pairs []Pair
	if work := searchWork(k); k <= MaxExact || j.searched+work <= maxSearch {
		j.work += work
		j.searched += work
		pairs = find(n, k > maxRuns).Pairs
	} else {
		pairs = j.findFast(n)
	}
	j.found[string(key)] = pairs
	return pairs
}

// findFast is the order of a product for which there is no search.
func (j *joint) findFast(n Network) []Pair {
	k := len(n.In)
	j.work += k * k * k
	if pairs, ok := n.matrices(); ok {
		return pairs
	}
	g, ok := newGraph(n)
	if !ok {
		return n.long().Pairs
	}
	t := g.greedy(greedyChoice{alpha: 1})
	if c, _ := g.chain(); c != nil && g.cost(c).less(g.cost(t)) {
		t = c
	}
	if j.searched < 2*maxSearch {
		j.searched += k * partWork
		g.improve(t)
	}
	return t.pairs()
}

// searchWork is about the number of splits or pairs that Find looks at.
func searchWork(operands int) int {
	if operands > MaxExact {
		runs, improved := greedyRuns, improved
		if operands > maxRuns {
			runs, improved = fewRuns, 1
		}
		return operands * (runs*operands + improved*partWork + operands*operands/3)
	}
	w := 1
	for range operands {
		w *= 3
	}
	return w
}
