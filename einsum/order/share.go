package order

import "slices"

// Bounds of the search for common parts: pairs of places of one value that are looked at, work
// spent on orders, and the part of the whole below which a saving is not worth the search.
const (
	maxPlaces   = 12
	maxWork     = 6_000_000
	maxSearch   = 8_000_000 // spent on searches for long products
	partWork    = 6561      // for the exact order of a part of a tree
	maxRuns     = 24        // operands beyond which few greedy runs are made
	maxOperands = maxChain
	worthwhile  = 1e-4
)

// improve takes common parts out and multiplies products into those that read them, one move
// after the other, as long as that makes the whole cheaper.
func (j *joint) improve() {
	for j.work < maxWork {
		before := j.total
		j.multiplyIn()
		j.takeOut()
		if !j.total.less(before) {
			return
		}
	}
}

// replace puts products in the place of others, or after them all, if that makes the whole
// cheaper, and reports whether it does. A nil product is none.
func (j *joint) replace(at []int, by []*prod) bool {
	before := j.total
	old := make([]*prod, len(at))
	ordered := make([]*prod, len(by))
	for i, p := range by {
		if p == nil {
			continue
		}
		ordered[i] = j.order(p)
	}
	for i, k := range at {
		if k < len(j.prods) {
			old[i] = j.prods[k]
			j.count(old[i], -1)
		}
	}
	for _, p := range ordered {
		if p != nil {
			j.count(p, 1)
		}
	}
	better := j.total.less(before)
	if !better {
		for _, p := range ordered {
			if p != nil {
				j.count(p, -1)
			}
		}
		for _, p := range old {
			if p != nil {
				j.count(p, 1)
			}
		}
		j.total = before // but for rounding
		return false
	}
	for i, k := range at {
		j.put(k, ordered[i])
	}
	return true
}

// places lists where values are operands.
type place struct{ prod, op int }

func (j *joint) places() map[int][]place {
	out := map[int][]place{}
	for k, p := range j.prods {
		if p == nil {
			continue
		}
		for i, o := range p.ops {
			out[o.value] = append(out[o.value], place{k, i})
		}
	}
	return out
}

// multiplyIn tries for every product that only products read to be multiplied into these.
func (j *joint) multiplyIn() {
	for k := range j.program.Products {
		if j.work >= maxWork {
			return
		}
		p := j.prods[k]
		if p == nil || p.needed || p.fixed {
			continue
		}
		v := j.program.Tensors + k
		at, by := []int{k}, []*prod{nil}
		possible := true
		for _, u := range j.with(v) {
			q := j.prods[u]
			r := q.with(v, p, k)
			possible = possible && !q.fixed && len(r.ops) <= maxOperands && u < len(j.program.Products)
			at, by = append(at, u), append(by, r)
		}
		if possible && len(by) > 1 {
			j.replace(at, by)
		}
	}
}

// with is a product with the operands of another, number k, in the place of its result v.
func (p *prod) with(v int, inner *prod, k int) *prod {
	q := *p
	q.ops, q.steps = nil, nil
	q.dim, q.inlined = slices.Clone(p.dim), slices.Clone(p.inlined)
	for _, o := range p.ops {
		if o.value != v {
			q.ops = append(q.ops, o)
			continue
		}
		q.inlined = append(append(q.inlined, k), inner.inlined...)
		to := make([]int, len(inner.dim))
		for l, d := range inner.dim {
			if a := slices.Index(inner.out, l); a >= 0 {
				to[l] = o.letters[a]
				continue
			}
			to[l] = len(q.dim)
			q.dim = append(q.dim, d)
		}
		for _, x := range inner.ops {
			q.ops = append(q.ops, op{x.value, pick(to, x.letters)})
		}
	}
	return &q
}

// takeOut takes common parts out, those first that promise most.
func (j *joint) takeOut() {
	for j.work < maxWork {
		parts := j.commonParts()
		taken := false
		for _, c := range parts {
			if j.work >= maxWork {
				return
			}
			taken = j.take(c) || taken
		}
		if !taken {
			return
		}
	}
}

// A part is operands of a product that may stand elsewhere too.
type part struct {
	at    int // the product's number
	from  *prod
	ops   []int
	open  []int
	gain  float64
	first int // the order in which parts were found
}

// commonParts lists the largest parts that stand in two places.
func (j *joint) commonParts() []part {
	var out []part
	known := map[string]bool{}
	places := j.places()
	for k, p := range j.prods {
		if p == nil {
			continue
		}
		for i, o := range p.ops {
			seen := 0
			rest := places[o.value][1:] // this place is the first of those left
			places[o.value] = rest
			for _, q := range rest {
				if len(p.ops) < 2 {
					break
				}
				if len(j.prods[q.prod].ops) < 2 {
					continue
				}
				if seen++; seen > maxPlaces || j.work >= maxWork {
					break
				}
				for _, ops := range j.common(place{k, i}, q) {
					c := part{at: k, from: p, ops: ops, open: p.open(ops), first: len(out)}
					f, ok := j.canon(p, ops, c.open)
					if !ok || known[f.key] {
						continue
					}
					known[f.key] = true
					if c.gain = j.promise(c); c.gain > worthwhile*j.total.mults {
						out = append(out, c)
					}
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b part) int {
		switch {
		case a.gain > b.gain:
			return -1
		case a.gain < b.gain:
			return 1
		}
		return a.first - b.first
	})
	return out
}

// open lists the letters of operands that the result or another operand has.
func (p *prod) open(ops []int) []int {
	outside := make([]bool, len(p.dim))
	for _, l := range p.out {
		outside[l] = true
	}
	for i, o := range p.ops {
		if !slices.Contains(ops, i) {
			for _, l := range o.letters {
				outside[l] = true
			}
		}
	}
	var out []int
	for _, i := range ops {
		for _, l := range p.ops[i].letters {
			if outside[l] && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

// promise is about what a part costs alone: no more can be saved for each place but one.
func (j *joint) promise(c part) float64 {
	n := Network{Out: c.open, Size: make([]int, len(c.from.dim))}
	for v, d := range c.from.dim {
		n.Size[v] = j.program.Size[d]
	}
	for _, i := range c.ops {
		n.In = append(n.In, c.from.ops[i].letters)
	}
	if len(c.ops) == 2 {
		return j.points(c.from, firsts(slices.Concat(n.In...)))
	}
	j.work += len(c.ops) * len(c.ops) * len(c.ops)
	g, ok := newGraph(n)
	if !ok {
		return n.long().Mults
	}
	return g.cost(g.greedy(greedyChoice{alpha: 1})).mults
}
