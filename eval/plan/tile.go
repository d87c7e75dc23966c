package plan

import "slices"

// Tile is a matrix product over windows of its operands, block by block:
//
//	out[C(b,m,n)] += sum over k of A[A(b,m,k)] * B[B(b,k,n)]
//
// with every offset an affine walk over the loops. Blocks of A and B are copied next to each
// other and multiplied by BLAS, so that a convolution, whose windows overlap, needs no copy
// of its operand that is larger than a block; the result may overlap too, as in the adjoint
// of a convolution in its input.
type Tile struct {
	Batch, M, N, K []int // sizes of the loops, the innermost last
	A, B, C        TileWalk
	// Together is the number of columns that may write the same elements as their
	// neighbours: 1 where every point of M and N has its own, all columns where any may.
	Together int
	// Free says that the same holds between different points of Batch.
	Free bool
}

// TileWalk is an offset as a sum over a matrix's loops. Row loops are M for A and C, K for B;
// column loops are K for A, N for B and C.
type TileWalk struct {
	Base            int
	Batch, Row, Col []int
}

// minTile is the number of multiplications below which a Tile is not worth its copies.
const minTile = 1 << 12

// windows reports whether an operand is no matrix as it lies, and a copy that is one would be
// larger than the operand, or large.
func (p *productPlan) windows(o operand, batch, rows, cols []int) bool {
	if _, ok := p.asMatrix(rows, cols, o.walk); ok {
		return false
	}
	packed := p.entries(batch, rows, cols)
	return packed > o.v.N+o.v.N/2 || packed > 1<<16
}

// tile lowers a pair to a Tile that writes where out says; nil where that is not worth it.
func (p *productPlan) tile(a, b operand, g roles, out Walk, n int, last bool) *Value {
	if p.entries(g.m) > p.entries(g.n) {
		a, b = b, a
		g.m, g.n = g.n, g.m
	}
	m, nn, k := p.entries(g.m), p.entries(g.n), p.entries(g.k)
	if len(g.m) == 0 || len(g.n) == 0 || m < 2 || k < 4 || nn < 8 || float64(m)*float64(nn)*float64(k) < minTile {
		return nil
	}
	sorted := func(vs []int, w Walk) []int {
		vs = slices.Clone(vs)
		slices.SortStableFunc(vs, func(x, y int) int { return abs(w.Stride[y]) - abs(w.Stride[x]) })
		return vs
	}
	ms, ns, ks, bs := sorted(g.m, out), sorted(g.n, out), sorted(g.k, b.walk), sorted(g.batch, out)
	walk := func(w Walk, row, col []int) TileWalk {
		return TileWalk{w.Base, pickInts(w.Stride, bs), pickInts(w.Stride, row), pickInts(w.Stride, col)}
	}
	t := &Tile{Batch: p.sizesOf(bs), M: p.sizesOf(ms), N: p.sizesOf(ns), K: p.sizesOf(ks),
		A: walk(a.walk, ms, ks), B: walk(b.walk, ks, ns), C: walk(out, ms, ns)}
	reach := 0
	for _, v := range slices.Concat(ms, ns[1:]) {
		reach += abs(out.Stride[v]) * (p.nest.Size[v] - 1)
	}
	own := func(vs ...int) bool {
		return (&Nest{Size: p.sizesOf(vs), Out: Walk{Stride: pickInts(out.Stride, vs)}}).injective()
	}
	t.Together = nn
	switch {
	case own(slices.Concat(ms, ns)...):
		t.Together = 1
		t.Free = own(slices.Concat(bs, ms, ns)...)
	case abs(out.Stride[ns[0]]) > reach:
		t.Together = nn / p.nest.Size[ns[0]]
	}
	scale, scalars := p.take(last)
	p.b.flops += 2 * float64(m) * float64(nn) * float64(k) * float64(p.entries(bs))
	args := append([]View{whole(a.v), whole(b.v)}, scalars...)
	return p.b.add(Value{Kind: KindTile, N: n, Tile: t, Scale: scale, Args: args})
}

// scattered multiplies two operands into a result whose map is not one entry a point.
func (p *productPlan) scattered(a, b operand, result varset) *Value {
	g, ok := p.roles(a, b, result)
	if !ok || result != p.kept {
		return nil
	}
	return p.tile(a, b, g, p.nest.Out, p.n, true)
}

func abs(n int) int { return max(n, -n) }
