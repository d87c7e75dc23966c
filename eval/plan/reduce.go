package plan

import "slices"

// Reduce is a sum of element-wise values that are computed block by block while they are
// summed, so that no value of the size of the iteration space is stored:
//
//	out[Out(e)] += coef * (last operation of Group at e)    for every entry e
type Reduce struct {
	Group *Group
	Out   View // offsets in the result, entry by entry
	// Outer is the number of entries of one step of the outermost loop where different
	// steps write different elements; 0 where they may write the same.
	Outer int
	// Dims are the loops' sizes and Ge the conditions on them, where there are conditions:
	// entries that fail one are neither computed nor summed.
	Dims []int
	Ge   []Bound
}

// minFused is the number of entries below which storing a value is as good as fusing it.
const minFused = 16

// A use is a reduction that reads a value under a walk over the reduction's loops.
type use struct {
	by   *Value
	walk Walk
}

// fuser finds the element-wise values that only reductions over no more points read.
type fuser struct {
	uses    []int // by value: the operands that read it
	good    []int // by value: those of them that are or belong to reductions
	reads   [][]use
	virtual []bool // by value: computed where it is read
	nests   []*Nest
}

// fuseReductions changes sums over element-wise values into Reduce.
func fuseReductions(values, outs []*Value) {
	if len(values) == 0 {
		return
	}
	n := values[len(values)-1].ID + 1
	f := &fuser{uses: make([]int, n), good: make([]int, n), reads: make([][]use, n), virtual: make([]bool, n), nests: make([]*Nest, n)}
	found := false
	for _, v := range values {
		for _, a := range v.Args {
			f.uses[a.V.ID]++
		}
	}
	for _, v := range outs {
		f.uses[v.ID]++
	}
	for _, v := range slices.Backward(values) {
		if v.Kind == KindMap {
			found = f.decide(v) || found
			continue
		}
		nest := v.reduction()
		if nest == nil {
			continue
		}
		f.nests[v.ID] = nest
		points := nest.points()
		for k, w := range nest.In {
			if a := v.Args[k].V; a.Kind == KindMap && points <= float64(a.N) { // no more work than storing all of it
				f.good[a.ID]++
				f.read(a, use{v, w})
			}
		}
	}
	if !found {
		return
	}
	for _, v := range values {
		nest := f.nests[v.ID]
		if nest == nil {
			continue
		}
		for k := range nest.In {
			if f.virtual[v.Args[k].V.ID] {
				f.fuse(v, nest)
				break
			}
		}
	}
}

// minRow is the size of the innermost loop below which a sum under conditions is not fused:
// it is run row by row.
const minRow = 8

// reduction gives the loops of a value that sums a product, or nil.
func (v *Value) reduction() *Nest {
	switch {
	case v.Kind == KindNest && !v.Onto && v.WeakArgs == nil && len(v.Nest.Eq) == 0 && len(v.Nest.In) > 0:
		return v.Nest
	case v.Kind == KindGemm && v.Gemm.Vector:
		g := v.Gemm
		ai, ak := g.LDA, 1
		if g.TransA {
			ai, ak = 1, g.LDA
		}
		extend := func(w Walk, m, k int) Walk {
			return Walk{Base: w.Base, Stride: append(slices.Clone(w.Stride), m, k)}
		}
		return &Nest{Size: append(slices.Clone(g.Batch), g.M, g.K), Scale: 1,
			In: []Walk{extend(g.A, ai, ak), extend(g.B, 0, g.IncX)}, Out: extend(g.C, g.IncY, 0)}
	}
	return nil
}

// decide reports whether an element-wise value is computed where it is read: all that read
// it are reductions, directly or through such values, and what it reads can be found from
// the loops. An expensive function is not computed twice.
func (f *fuser) decide(v *Value) bool {
	if v.N < minFused || f.uses[v.ID] == 0 || f.good[v.ID] != f.uses[v.ID] || v.WeakArgs != nil {
		return false
	}
	reads := f.reads[v.ID]
	if len(reads) > 1 && v.expensive() {
		return false
	}
	composed := make([][]use, len(v.Args))
	for k, a := range v.Args {
		for _, u := range reads {
			w, ok := u.walk.through(f.nests[u.by.ID].Size, a)
			if !ok {
				return false
			}
			composed[k] = append(composed[k], use{u.by, w})
		}
	}
	f.virtual[v.ID] = true
	for k, a := range v.Args {
		if a.V.Kind != KindMap || a.V.N != v.N {
			continue
		}
		f.good[a.V.ID]++
		for _, u := range composed[k] {
			f.read(a.V, u)
		}
	}
	return true
}

// read notes a use of v, once for each reduction and walk.
func (f *fuser) read(v *Value, u use) {
	if !slices.ContainsFunc(f.reads[v.ID], func(o use) bool { return o.by == u.by && o.walk.equal(u.walk) }) {
		f.reads[v.ID] = append(f.reads[v.ID], u)
	}
}

// identity reports whether an element-wise value copies its operand, entry by entry of a view.
func (v *Value) identity() bool {
	return v.Kind == KindMap && v.Code == CodeMul && v.Scale == 1 && len(v.Args) == 1 && v.Divides == nil && !v.ZeroAt0
}

func (v *Value) expensive() bool {
	switch v.Code {
	case CodeMul, CodeAdd:
		return false
	case CodePower:
		return v.Scale != 2 && v.Scale != 3 && v.Scale != -1
	}
	return true
}

func (w Walk) equal(o Walk) bool { return w.Base == o.Base && slices.Equal(w.Stride, o.Stride) }

// through composes a walk over the entries of an element-wise value with the view under which
// that value reads an operand. Each loop must move within one axis of the view, without
// a carry to the next; ok is false where it does not.
func (w Walk) through(size []int, a View) (out Walk, ok bool) {
	out = Walk{Base: a.Base, Stride: make([]int, len(w.Stride))}
	place, rest := 1, w.Base
	done := make([]bool, len(size))
	for d := len(a.Dims) - 1; d >= 0; d-- {
		n := a.Dims[d]
		digit := rest % n
		rest /= n
		out.Base += digit * a.Stride[d]
		top := digit
		for v, s := range w.Stride {
			if s == 0 || done[v] || s < 0 || s >= place*n {
				continue
			}
			if s%place != 0 {
				return out, false
			}
			top += s / place * (size[v] - 1)
			out.Stride[v] = s / place * a.Stride[d]
			done[v] = true
		}
		if top >= n {
			return out, false
		}
		place *= n
	}
	if len(a.Dims) == 0 {
		return out, true // one number, whatever the entry
	}
	for v, s := range w.Stride {
		if s != 0 && !done[v] && size[v] > 1 {
			return out, false
		}
	}
	return out, rest == 0
}

// fuse makes v a Reduce.
func (f *fuser) fuse(v *Value, nest *Nest) {
	b := &reduceBuilder{f: f, nest: nest, ops: map[string]int{}, loads: map[string]int{}, group: &Group{}}
	var factors []Source
	for k, w := range nest.In {
		factors = append(factors, b.read(v.Args[k].V, w))
	}
	if len(factors) > 1 || factors[0].Load {
		b.group.Ops = append(b.group.Ops, Op{V: &Value{Kind: KindMap, Code: CodeMul, Scale: 1}, Args: factors, Reg: -1})
	}
	scalars := v.Args[len(nest.In):]
	order := b.order()
	dims := pickInts(nest.Size, order)
	if len(nest.Ge) > 0 && (len(dims) == 0 || dims[len(dims)-1] < minRow) {
		return
	}
	if last := &b.group.Ops[len(b.group.Ops)-1]; last.V.Code == CodeMul && last.V.Scale != 1 {
		// a number is multiplied after the sum
		term := *last.V
		v.Scale *= term.Scale
		term.Scale = 1
		last.V = &term
	}
	g := b.group
	g.N = 1
	for _, d := range dims {
		g.N *= d
	}
	view := func(v *Value, w Walk) View { return makeView(v, w.Base, dims, pickInts(w.Stride, order)) }
	v.Args = nil
	for i, l := range b.walks {
		ld := Load{View: view(b.values[i], l), Reg: -1}
		if !ld.View.dense(g.N) {
			ld.Reg = g.Regs
			g.Regs++
		}
		g.Loads = append(g.Loads, ld)
		v.Args = append(v.Args, ld.View)
	}
	v.Args = append(v.Args, scalars...)
	g.block()
	g.assignRegisters()
	r := &Reduce{Group: g, Out: view(v, nest.Out)}
	if len(order) > 0 && nest.Out.Stride[order[0]] != 0 && nest.injective() {
		r.Outer = g.N / dims[0]
	}
	for _, c := range nest.Ge {
		r.Dims = dims
		r.Ge = append(r.Ge, Bound{pickInts(c.Coef, order), c.Off})
	}
	v.Kind, v.Nest, v.Gemm, v.Reduce = KindReduce, nil, nil, r
}

// reduceBuilder lists the operations of a Reduce, arguments first.
type reduceBuilder struct {
	f      *fuser
	nest   *Nest
	group  *Group
	ops    map[string]int // by value and walk
	loads  map[string]int
	walks  []Walk
	values []*Value
}

func (b *reduceBuilder) read(v *Value, w Walk) Source {
	key := string((&Value{Args: []View{{V: v, Base: w.Base, Stride: w.Stride}}}).appendKey(nil))
	if !b.f.virtual[v.ID] {
		i, ok := b.loads[key]
		if !ok {
			i = len(b.walks)
			b.loads[key] = i
			b.walks, b.values = append(b.walks, w), append(b.values, v)
		}
		return Source{Load: true, Index: i}
	}
	if i, ok := b.ops[key]; ok {
		return Source{Index: i}
	}
	if v.identity() {
		inner, _ := w.through(b.nest.Size, v.Args[0])
		return b.read(v.Args[0].V, inner)
	}
	var args []Source
	for _, a := range v.Args {
		inner, _ := w.through(b.nest.Size, a)
		args = append(args, b.read(a.V, inner))
	}
	i := len(b.group.Ops)
	b.group.Ops = append(b.group.Ops, Op{V: v, Args: args, Reg: -1})
	b.ops[key] = i
	return Source{Index: i}
}

// order puts the result's loops outside by falling stride, and the loop with the most unit
// strides inside, a summed one if it can be.
func (b *reduceBuilder) order() []int {
	n := b.nest
	inner, best := -1, -1
	for v, s := range n.Size {
		score := 0
		for _, w := range append(slices.Clone(b.walks), n.Out) {
			if w.Stride[v] == 1 {
				score += 4
			}
		}
		if n.Out.Stride[v] == 0 {
			score++
		}
		if s >= 16 {
			score += 2
		}
		if score > best {
			inner, best = v, score
		}
	}
	var kept, summed []int
	for v := range n.Size {
		switch {
		case v == inner:
		case n.Out.Stride[v] != 0:
			kept = append(kept, v)
		default:
			summed = append(summed, v)
		}
	}
	slices.SortStableFunc(kept, func(x, y int) int { return n.Out.Stride[y] - n.Out.Stride[x] })
	order := append(kept, summed...)
	if inner >= 0 {
		order = append(order, inner)
	}
	return order
}

// injective reports whether different points of the output's loops are different entries:
// every stride passes over all that the shorter ones reach.
func (n *Nest) injective() bool {
	type loop struct{ stride, size int }
	var ls []loop
	for l, s := range n.Out.Stride {
		if s != 0 {
			ls = append(ls, loop{max(s, -s), n.Size[l]})
		}
	}
	slices.SortFunc(ls, func(a, b loop) int { return a.stride - b.stride })
	reach := 0
	for _, l := range ls {
		if l.stride <= reach {
			return false
		}
		reach += l.stride * (l.size - 1)
	}
	return true
}
