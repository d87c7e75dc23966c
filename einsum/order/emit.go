package order

import (
	"slices"

	"frechet/internal/lists"
)

// emitter lists the steps that products need, each once.
type emitter struct {
	j     *joint
	out   Sharing
	known map[string]Root // results by key; axes are places in the key's order
	done  []bool
	roots []Root // by product, common parts included
}

func (j *joint) emit() Sharing {
	n := len(j.program.Products)
	e := &emitter{j: j, known: map[string]Root{}, done: make([]bool, len(j.prods)), roots: make([]Root, len(j.prods))}
	e.out.Roots, e.out.Inlined = make([]Root, n), make([][]int, n)
	for k := range n {
		p := j.prods[k]
		if p == nil {
			e.out.Roots[k].Value = -1
			continue
		}
		e.visit(k)
		e.out.Roots[k], e.out.Inlined[k] = e.roots[k], p.inlined
	}
	return e.out
}

// visit emits a product after the common parts that it is made of, which are as deep as there
// are parts at most.
func (e *emitter) visit(k int) {
	if e.done[k] {
		return
	}
	e.done[k] = true
	for _, o := range e.j.prods[k].ops {
		if c := o.value - e.j.program.Tensors; c >= len(e.j.program.Products) {
			e.visit(c)
		}
	}
	e.roots[k] = e.product(e.j.prods[k])
}

// operand is the value of an operand: a common part is what it is made of.
func (e *emitter) operand(o op) Root {
	c := o.value - e.j.program.Tensors
	if c < len(e.j.program.Products) {
		return Root{o.value, o.letters}
	}
	r := Root{Value: e.roots[c].Value}
	for _, l := range e.roots[c].Axes {
		r.Axes = append(r.Axes, o.letters[slices.Index(e.j.prods[c].out, l)])
	}
	return r
}

// product emits the steps of a product that are not there.
func (e *emitter) product(p *prod) Root {
	if len(p.steps) == 0 {
		return e.operand(p.ops[0])
	}
	needed, have := make([]bool, len(p.steps)), make([]Root, len(p.steps))
	last := len(p.steps) - 1
	needed[last] = true
	for i, t := range slices.Backward(p.steps) {
		if !needed[i] {
			continue
		}
		if r, ok := e.known[t.key]; ok {
			have[i], needed[i] = Root{r.Value, pick(t.axes, r.Axes)}, false
			continue
		}
		for _, a := range t.args {
			if a >= len(p.ops) {
				needed[a-len(p.ops)] = true
			}
		}
	}
	first := e.j.program.Tensors + len(e.j.program.Products)
	for i, t := range p.steps {
		if !needed[i] {
			continue
		}
		var w SharedStep
		number := map[int]int{}
		rename := func(g []int) []int {
			r := make([]int, len(g))
			for i, v := range g {
				if _, ok := number[v]; !ok {
					number[v] = len(number)
					w.Dim = append(w.Dim, p.dim[v])
				}
				r[i] = number[v]
			}
			return r
		}
		for _, a := range t.args {
			var r Root
			if a < len(p.ops) {
				r = e.operand(p.ops[a])
			} else {
				r = have[a-len(p.ops)]
			}
			w.Args, w.In = append(w.Args, r.Value), append(w.In, rename(r.Axes))
		}
		w.Out = rename(t.out)
		e.out.Steps = append(e.out.Steps, w)
		e.out.Mults += t.cost.mults
		e.out.Entries += t.cost.entries
		have[i] = Root{first + len(e.out.Steps) - 1, t.out}
		e.known[t.key] = Root{have[i].Value, places(t.out, t.axes)}
	}
	return have[last]
}

// places has for each of letters its place in order.
func places(letters, order []int) []int {
	return lists.Map(letters, func(l int) int { return slices.Index(order, l) })
}

func pick(a, at []int) []int {
	return lists.Map(at, func(v int) int { return a[v] })
}
