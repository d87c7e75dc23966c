package plan

import (
	"slices"

	"frechet/einsum"
)

// A productPlan makes the values that compute one product.
type productPlan struct {
	b    *builder
	nest *Nest
	n    int    // entries of the output
	weak []bool // by operand; nil for none
	ops  []operand

	kept    varset // variables of the output
	dense   bool   // the output map covers the output, each entry once, in order
	order   []int  // then: the variables by falling output stride
	scale   float64
	scalars []View
	left    *Value // what is spread over the output at last
}

func (p *productPlan) emit(ops []operand) (*Value, error) {
	nest := p.nest
	p.kept = operand{walk: nest.Out}.vars()
	p.order, p.dense = p.layout()
	switch {
	case len(nest.Eq)+len(nest.Ge) > 0:
		if v, err := p.scan(ops); v != nil || err != nil {
			return v, err
		}
		return p.wholeNest(ops), nil
	case p.dense && len(p.order) == len(nest.Size):
		return p.elementwise(ops), nil
	}
	if p.ops == nil {
		p.ops = slices.Clone(ops)
		for k := range ops {
			ops[k].parts = []int{k}
		}
	}
	p.scale = nest.Scale
	var arrays []operand
	for _, o := range ops {
		switch {
		case !o.vars().empty():
			arrays = append(arrays, o)
		case o.v.Kind == KindConst:
			p.scale *= o.v.Const
		default:
			p.scalars = append(p.scalars, View{V: o.v, Base: o.walk.Base})
		}
	}
	divisors := p.divisors()
	v := p.finish(p.contract(arrays))
	if len(divisors) > 0 {
		v = p.mul(Value{Kind: KindMap, Code: CodeMul, N: p.n, Scale: 1, Args: append([]View{whole(v)}, divisors...)})
	}
	if p.weak != nil {
		fix := Value{Kind: KindFix, N: p.n, Args: []View{whole(v)}, Nest: nest.inOrder(), Scale: nest.Scale, WeakArgs: p.weak}
		for _, o := range p.ops {
			fix.Args = append(fix.Args, whole(o.v))
		}
		v = p.b.add(fix)
	}
	return v, nil
}

// layout sorts the output's variables by stride and reports whether the output map is then
// the row-major layout of all entries.
func (p *productPlan) layout() (order []int, dense bool) {
	for v, s := range p.nest.Out.Stride {
		if s != 0 {
			order = append(order, v)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return p.nest.Out.Stride[b] - p.nest.Out.Stride[a] })
	stride := 1
	for _, v := range slices.Backward(order) {
		if p.nest.Out.Stride[v] != stride {
			return order, false
		}
		stride *= p.nest.Size[v]
	}
	return order, stride == p.n && p.nest.Out.Base == 0
}

func (p *productPlan) sizesOf(order []int) []int { return pickInts(p.nest.Size, order) }

func pickInts(a, at []int) []int {
	out := make([]int, len(at))
	for i, v := range at {
		out[i] = a[v]
	}
	return out
}

// view reads an operand entry by entry of an output whose variables have the given order.
func (p *productPlan) view(o operand, order []int) View {
	return makeView(o.v, o.walk.Base, p.sizesOf(order), pickInts(o.walk.Stride, order))
}

// wholeNest computes a product with conditions as one loop nest.
func (p *productPlan) wholeNest(ops []operand) *Value {
	v := Value{Kind: KindNest, N: p.n, Scale: p.nest.Scale, WeakArgs: p.weak}
	for _, o := range ops {
		v.Args = append(v.Args, whole(o.v))
	}
	v.Nest = p.nest.inOrder()
	p.b.flops += p.nest.points() * float64(max(1, len(ops)))
	return p.b.add(v)
}

// elementwise is a product without a sum: every variable is one of the output.
func (p *productPlan) elementwise(ops []operand) *Value {
	v := Value{Kind: KindMap, Code: CodeMul, N: p.n, Scale: p.nest.Scale}
	for _, k := range p.alternately(ops) {
		o := ops[k]
		if o.v.Kind == KindConst {
			v.Scale *= o.v.Const
			continue
		}
		v.Args = append(v.Args, p.view(o, p.order))
		if p.weak != nil {
			v.WeakArgs = append(v.WeakArgs, p.weak[k])
		}
	}
	return p.mul(v)
}

// alternately is an order of operands in which numbers and arrays take turns, so that x*x'/|x|^2 is of the
// size of x on the way, not of x*x', which is 0 or infinite where x is tiny or huge.
func (p *productPlan) alternately(ops []operand) []int {
	var out, arrays, numbers []int
	for k, o := range ops {
		if o.v.Kind == KindConst { // goes into the scale
			out = append(out, k)
		} else if o.vars().empty() {
			numbers = append(numbers, k)
		} else {
			arrays = append(arrays, k)
		}
	}
	if len(arrays) < 2 || len(numbers) < 2 {
		return einsum.UpTo(len(ops))
	}
	for i := range max(len(arrays), len(numbers)) {
		if i < len(arrays) {
			out = append(out, arrays[i])
		}
		if i < len(numbers) {
			out = append(out, numbers[i])
		}
	}
	return out
}

// mul adds a product entry by entry, or gives its one operand where it is that.
func (p *productPlan) mul(v Value) *Value {
	if len(v.Args) == 1 && v.Scale == 1 && v.Args[0].dense(v.N) {
		return v.Args[0].V
	}
	v = p.b.divided(v)
	p.b.flops += float64(v.N * max(1, len(v.Args)))
	return p.b.add(v)
}

// A partial is what contract leaves: the output itself, or a factor that still has to be
// spread over the output.
type partial struct {
	v    *Value // the output, or nil
	rest *operand
}

// contract multiplies the array operands, pair by pair.
func (p *productPlan) contract(arrays []operand) partial {
	if len(arrays) == 0 {
		return partial{}
	}
	for i := range arrays {
		var others varset
		for j, o := range arrays {
			if j != i {
				others = others.or(o.vars())
			}
		}
		have := arrays[i].vars()
		if left := have.and(p.kept.or(others)); left != have {
			if len(arrays) == 1 && p.direct(left) {
				return partial{v: p.sum(arrays[i], p.nest.Out, p.n, true)}
			}
			walk, n := p.fresh(p.byStride(left, arrays[i].walk))
			arrays[i] = operand{p.sum(arrays[i], walk, n, false), walk, arrays[i].parts}
		}
	}
	sets := make([]varset, len(arrays))
	for i, o := range arrays {
		sets[i] = o.vars()
	}
	pairs := pairOrder(sets, p.kept, p.nest.Size)
	used := make([]bool, len(arrays)+len(pairs))
	for i, q := range pairs {
		a, b := arrays[q.A], arrays[q.B]
		used[q.A], used[q.B] = true, true
		need := p.kept
		for j, o := range arrays {
			if !used[j] {
				need = need.or(o.vars())
			}
		}
		result := a.vars().or(b.vars()).and(need)
		if i == len(pairs)-1 && p.direct(result) {
			return partial{v: p.pair(a, b, result, &p.nest.Out)}
		}
		if i == len(pairs)-1 && !p.dense {
			if v := p.scattered(a, b, result); v != nil {
				return partial{v: v}
			}
			if a.vars().or(b.vars()) == result { // nothing is summed before it is scattered
				return partial{v: p.addNest(Value{Kind: KindNest, N: p.n, Scale: p.scale, Args: []View{whole(a.v), whole(b.v)},
					Nest: &Nest{Size: p.nest.Size, In: []Walk{a.walk, b.walk}, Out: p.nest.Out}}, p.scalars)}
			}
		}
		arrays = append(arrays, p.pairFresh(a, b, result))
	}
	last := arrays[len(arrays)-1]
	p.left = last.v
	return partial{rest: &last}
}

// direct reports whether a result over these variables is laid out as the output is.
func (p *productPlan) direct(result varset) bool { return p.dense && result == p.kept }

// finish spreads what is left over the output.
func (p *productPlan) finish(r partial) *Value {
	if r.v != nil {
		return r.v
	}
	if p.dense {
		v := Value{Kind: KindMap, Code: CodeMul, N: p.n, Scale: p.scale}
		if r.rest != nil {
			v.Args = append(v.Args, p.view(*r.rest, p.order))
		}
		v.Args = append(v.Args, p.scalars...)
		return p.mul(v)
	}
	// a diagonal embedding, or an output of which parts are not reached
	v := Value{Kind: KindNest, N: p.n, Scale: p.scale, Nest: &Nest{Size: p.nest.Size, Out: p.nest.Out}}
	if r.rest != nil {
		v.Args = append(v.Args, whole(r.rest.v))
		v.Nest.In = []Walk{r.rest.walk}
	}
	return p.addNest(v, p.scalars)
}

// addNest drops the loops that nothing uses, chooses the order of the others, and adds the value.
func (p *productPlan) addNest(v Value, scalars []View) *Value {
	n := *v.Nest
	n.In = slices.Clone(n.In)
	n.Scale = 1
	var used []int
	for i := range n.Size {
		u := n.Out.Stride[i] != 0
		for _, w := range n.In {
			u = u || w.Stride[i] != 0
		}
		if u {
			used = append(used, i)
		}
	}
	n.reorder(used)
	n.chooseOrder()
	v.Nest = &n
	v.Args = append(v.Args, scalars...)
	p.b.flops += n.points() * float64(max(1, len(n.In)))
	return p.b.add(v)
}

// byStride sorts variables by their stride in an operand, longest first.
func (p *productPlan) byStride(s varset, w Walk) []int {
	var order []int
	for v := range p.nest.Size {
		if s.has(v) {
			order = append(order, v)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return w.Stride[b] - w.Stride[a] })
	return order
}

// fresh lays out a new value over variables in row-major order.
func (p *productPlan) fresh(order []int) (Walk, int) {
	w := Walk{Stride: make([]int, len(p.nest.Size))}
	n := 1
	for _, v := range slices.Backward(order) {
		w.Stride[v] = n
		n *= p.nest.Size[v]
	}
	return w, n
}

// take gives the scale and the scalars to the step that makes the output.
func (p *productPlan) take(last bool) (float64, []View) {
	if !last {
		return 1, nil
	}
	return p.scale, p.scalars
}

// sum adds up an operand over the variables that the target does not have.
func (p *productPlan) sum(o operand, out Walk, n int, last bool) *Value {
	scale, scalars := p.take(last)
	return p.addNest(Value{Kind: KindNest, N: n, Scale: scale, Args: []View{whole(o.v)},
		Nest: &Nest{Size: p.nest.Size, In: []Walk{o.walk}, Out: out}}, scalars)
}

// pairFresh multiplies two operands into a new value.
func (p *productPlan) pairFresh(a, b operand, result varset) operand {
	big, small := a, b
	if b.v.N > a.v.N {
		big, small = b, a
	}
	order := p.byStride(result.and(big.vars()), big.walk)
	order = append(order, p.byStride(result.minus(big.vars()), small.walk)...)
	if g, ok := p.roles(a, b, result); ok {
		order = slices.Concat(g.batch, g.m, g.n)
	}
	walk, n := p.fresh(order)
	return operand{p.pairInto(a, b, result, walk, n, order, false), walk, slices.Concat(a.parts, b.parts)}
}

// pair multiplies two operands into the output.
func (p *productPlan) pair(a, b operand, result varset, out *Walk) *Value {
	return p.pairInto(a, b, result, *out, p.n, p.order, true)
}

// pairInto multiplies two operands into a dense target whose variables have the given order.
func (p *productPlan) pairInto(a, b operand, result varset, out Walk, n int, order []int, last bool) *Value {
	scale, scalars := p.take(last)
	if a.vars().or(b.vars()) == result {
		v := Value{Kind: KindMap, Code: CodeMul, N: n, Scale: scale, Args: []View{p.view(a, order), p.view(b, order)}}
		v.Args = append(v.Args, scalars...)
		return p.mul(v)
	}
	if q, ok := p.quotients(a, b); ok {
		return p.addNest(Value{Kind: KindNest, N: n, Scale: scale, Args: []View{whole(q.v)},
			Nest: &Nest{Size: p.nest.Size, In: []Walk{q.walk}, Out: out}}, scalars)
	}
	if g, ok := p.roles(a, b, result); ok {
		if v := p.gemm(a, b, g, out, n, order, last); v != nil {
			return v
		}
	}
	return p.addNest(Value{Kind: KindNest, N: n, Scale: scale, Args: []View{whole(a.v), whole(b.v)},
		Nest: &Nest{Size: p.nest.Size, In: []Walk{a.walk, b.walk}, Out: out}}, scalars)
}
