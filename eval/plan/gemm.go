package plan

import "slices"

// roles sorts the variables of a pair as those of a batch of matrix products
// C[batch,m,n] = sum over k of A[batch,m,k] B[batch,k,n].
type roles struct{ batch, m, n, k []int }

// minGemm is the number of multiplications below which plain loops are as good.
const minGemm = 512

// roles reports false where a pair is no matrix product worth the name: without a sum,
// without a matrix, or too small.
func (p *productPlan) roles(a, b operand, result varset) (roles, bool) {
	av, bv := a.vars(), b.vars()
	both := av.and(bv)
	k := both.minus(result)
	if k.empty() || av.or(bv).elems(p.nest.Size) < minGemm {
		return roles{}, false
	}
	g := roles{
		batch: p.byStride(both.and(result), a.walk),
		m:     p.byStride(av.minus(bv), a.walk),
		n:     p.byStride(bv.minus(av), b.walk),
		k:     p.byStride(k, a.walk),
	}
	return g, len(g.m)+len(g.n) > 0
}

// merged walks a list of variables, outermost first, as one loop, where one stride can.
func (p *productPlan) merged(order []int, w Walk) (size, stride int, ok bool) {
	size, stride = 1, 0
	for i, v := range slices.Backward(order) {
		if i == len(order)-1 {
			size, stride = p.nest.Size[v], w.Stride[v]
			continue
		}
		if w.Stride[v] != stride*size {
			return 0, 0, false
		}
		size *= p.nest.Size[v]
	}
	return size, stride, true
}

// matrix describes an operand as a matrix of rows and columns for BLAS.
type matrix struct {
	rows, cols int
	ld         int
	trans      bool // stored as columns by rows
}

// asMatrix reports false where the operand has to be packed first.
func (p *productPlan) asMatrix(rows, cols []int, w Walk) (matrix, bool) {
	m, ms, ok1 := p.merged(rows, w)
	n, ns, ok2 := p.merged(cols, w)
	switch {
	case !ok1 || !ok2:
	case (ns == 1 || n == 1) && (m == 1 || ms >= n):
		return matrix{m, n, max(ms, n, 1), false}, true
	case (ms == 1 || m == 1) && (n == 1 || ns >= m):
		return matrix{m, n, max(ns, m, 1), true}, true
	}
	return matrix{}, false
}

// entries is the number of points of some lists of variables.
func (p *productPlan) entries(lists ...[]int) int {
	n := 1
	for _, vs := range lists {
		for _, v := range vs {
			n *= p.nest.Size[v]
		}
	}
	return n
}

// packed copies an operand into a new layout.
func (p *productPlan) packed(o operand, order []int) operand {
	walk, n := p.fresh(order)
	v := p.mul(Value{Kind: KindMap, Code: CodeMul, N: n, Scale: 1, Args: []View{p.view(o, order)}})
	v.Packed = v != o.v
	return operand{v, walk, o.parts}
}

// gemm lowers a pair to matrix products, packing operands and result where their layouts ask
// for it; nil where loops are better.
func (p *productPlan) gemm(a, b operand, g roles, out Walk, n int, order []int, last bool) *Value {
	if len(g.m) == 0 { // a vector stands on the right
		a, b = b, a
		g.m, g.n = g.n, nil
	}
	scale, scalars := p.take(last)
	if len(g.n) == 0 {
		return p.gemv(a, b, g, out, n, scale, scalars)
	}
	if p.windows(a, g.batch, g.m, g.k) || p.windows(b, g.batch, g.k, g.n) {
		if v := p.tile(a, b, g, out, n, last); v != nil {
			return v
		}
	}
	c, ok := p.asMatrix(g.m, g.n, out)
	if ok && c.trans { // C' = B' A'
		a, b = b, a
		g.m, g.n = g.n, g.m
		c = matrix{c.cols, c.rows, c.ld, false}
	}
	if !ok {
		// through a result in the order of the product
		walk, size := p.fresh(slices.Concat(g.batch, g.m, g.n))
		r := operand{p.gemm(a, b, g, walk, size, slices.Concat(g.batch, g.m, g.n), false), walk, nil}
		r.v.Packed = true
		v := Value{Kind: KindMap, Code: CodeMul, N: n, Scale: scale, Args: []View{p.view(r, order)}}
		v.Args = append(v.Args, scalars...)
		return p.mul(v)
	}
	symmetric := p.symmetric(a, b, g)
	// the variables of k in one order for both operands, that of the larger one
	if b.v.N > a.v.N {
		k := varset{}
		for _, v := range g.k {
			k.add(v)
		}
		g.k = p.byStride(k, b.walk)
	}
	ma, ok := p.asMatrix(g.m, g.k, a.walk)
	if !ok {
		a = p.packed(a, slices.Concat(g.batch, g.m, g.k))
		ma, _ = p.asMatrix(g.m, g.k, a.walk)
	}
	mb, ok := p.asMatrix(g.k, g.n, b.walk)
	if !ok {
		b = p.packed(b, slices.Concat(g.batch, g.k, g.n))
		mb, _ = p.asMatrix(g.k, g.n, b.walk)
	}
	gemm := &Gemm{
		M: ma.rows, N: mb.cols, K: ma.cols,
		LDA: ma.ld, LDB: mb.ld, LDC: c.ld, TransA: ma.trans, TransB: mb.trans,
		Batch: p.sizesOf(g.batch), A: p.batchWalk(a.walk, g.batch), B: p.batchWalk(b.walk, g.batch), C: p.batchWalk(out, g.batch),
		Symmetric: symmetric,
	}
	return p.addGemm(gemm, a, b, n, scale, scalars)
}

// symmetric reports whether a product is symmetric by its form, as X'diag(v)X is: each side is
// one factor, the same on both with the roles of m and n exchanged, and weights on k and batch.
func (p *productPlan) symmetric(a, b operand, g roles) bool {
	if len(g.m) != len(g.n) {
		return false
	}
	var shared, left, right varset
	for i := range g.m {
		if p.nest.Size[g.m[i]] != p.nest.Size[g.n[i]] {
			return false
		}
		left.add(g.m[i])
		right.add(g.n[i])
	}
	for _, v := range slices.Concat(g.k, g.batch) {
		shared.add(v)
	}
	factor := func(o operand, own varset) (operand, bool) {
		var f operand
		for _, i := range o.parts {
			part := p.ops[i]
			vars := part.vars()
			switch {
			case vars.minus(shared).empty(): // a weight
			case f.v != nil || !vars.minus(shared.or(own)).empty():
				return operand{}, false
			default:
				f = part
			}
		}
		return f, f.v != nil
	}
	x, okX := factor(a, left)
	y, okY := factor(b, right)
	if !okX || !okY || x.v != y.v || x.walk.Base != y.walk.Base {
		return false
	}
	for _, v := range slices.Concat(g.k, g.batch) {
		if x.walk.Stride[v] != y.walk.Stride[v] {
			return false
		}
	}
	for i := range g.m {
		if x.walk.Stride[g.m[i]] != y.walk.Stride[g.n[i]] {
			return false
		}
	}
	return true
}

// gemv lowers a product of a matrix and a vector.
func (p *productPlan) gemv(a, b operand, g roles, out Walk, n int, scale float64, scalars []View) *Value {
	ma, ok := p.asMatrix(g.m, g.k, a.walk)
	_, incX, okX := p.merged(g.k, b.walk)
	_, incY, okY := p.merged(g.m, out)
	if !ok || !okX || !okY || incX <= 0 || incY <= 0 {
		return nil
	}
	gemm := &Gemm{
		M: ma.rows, N: 1, K: ma.cols, LDA: ma.ld, TransA: ma.trans, Vector: true, IncX: incX, IncY: incY,
		Batch: p.sizesOf(g.batch), A: p.batchWalk(a.walk, g.batch), B: p.batchWalk(b.walk, g.batch), C: p.batchWalk(out, g.batch),
	}
	return p.addGemm(gemm, a, b, n, scale, scalars)
}

func (p *productPlan) batchWalk(w Walk, batch []int) Walk {
	return Walk{Base: w.Base, Stride: pickInts(w.Stride, batch)}
}

func (p *productPlan) addGemm(g *Gemm, a, b operand, n int, scale float64, scalars []View) *Value {
	flops := float64(g.M) * float64(g.N) * float64(g.K)
	for _, s := range g.Batch {
		flops *= float64(s)
	}
	p.b.flops += 2 * flops
	args := append([]View{whole(a.v), whole(b.v)}, scalars...)
	return p.b.add(Value{Kind: KindGemm, N: n, Gemm: g, Scale: scale, Args: args})
}
