package plan

import "slices"

// Scan sums along rows, keeping every partial sum. With x a row of N numbers,
//
//	out[m - Low] = x[0] + ... + x[m-1]      (prefix)
//	out[m - Low] = x[m] + ... + x[N-1]      (suffix)
//
// for m from Low on, Len of them: no terms where m is at one end or beyond, all at the other.
type Scan struct {
	Rows, N, Low, Len int
	Suffix            bool
}

// scan computes a product whose one condition bounds one summed variable by others, from one
// side,
//
//	sum of x[.., k] * rest over k <= f(t)     or     over k >= f(t)
//
// by running sums of x, which are then read at f(t): time is linear in x and in the output
// where the definition takes the product of the two. A prefix sum and its adjoint, the
// suffix sum, are the simplest cases. It returns nil where the form is another one.
func (p *productPlan) scan(ops []operand) (*Value, error) {
	n := p.nest
	if len(n.Eq) != 0 || len(n.Ge) != 1 || p.weak != nil {
		return nil, nil
	}
	c := n.Ge[0]
	var bound varset
	for v, f := range c.Coef {
		if f != 0 {
			bound.add(v)
		}
	}
	for k, f := range c.Coef {
		if f != 1 && f != -1 || p.kept.has(k) {
			continue
		}
		if v, err := p.scanOver(k, bound, ops); v != nil || err != nil {
			return v, err
		}
	}
	return nil, nil
}

// scanOver is scan over the variable k.
func (p *productPlan) scanOver(k int, bound varset, ops []operand) (*Value, error) {
	n, c := p.nest, p.nest.Ge[0]
	var with, without []operand
	var rest varset
	for _, o := range ops {
		vars := o.vars()
		if !vars.has(k) {
			without = append(without, o)
			continue
		}
		with = append(with, o)
		rest = rest.or(vars)
	}
	var just varset
	just.add(k)
	rest = rest.minus(just)
	if len(with) == 0 || !rest.and(bound).empty() {
		return nil, nil
	}
	// The condition is k <= f or k >= -f, f without k; sums end before m = f+1, or begin
	// at m = -f.
	f := Bound{Coef: slices.Clone(c.Coef), Off: c.Off}
	suffix := c.Coef[k] > 0
	f.Coef[k] = 0
	if suffix {
		f = Bound{Coef: negated(f.Coef), Off: -f.Off}
	} else {
		f.Off++
	}
	low, high := n.interval(f)
	// Only the terms of some sum are read: others may lie outside of x.
	first, last := 0, min(n.Size[k], high)
	if suffix {
		first, last = max(0, low), n.Size[k]
	}
	if first >= last {
		return nil, nil
	}
	s := &Scan{Rows: rest.count(n.Size), N: last - first, Low: low - first, Len: high - low + 1, Suffix: suffix}
	points := n.points()
	if float64(s.Rows)*float64(s.N+s.Len) > points/2 || float64(s.Rows)*float64(s.Len) > float64(p.b.limits.MaxElements) {
		return nil, nil
	}
	// x over the other variables, then k
	order := append(p.byStride(rest, with[0].walk), k)
	x := Value{Kind: KindMap, Code: CodeMul, N: s.Rows * s.N, Scale: 1}
	sizes := p.sizesOf(order)
	sizes[len(sizes)-1] = s.N
	for _, o := range with {
		x.Args = append(x.Args, makeView(o.v, o.walk.Base+first*o.walk.Stride[k], sizes, pickInts(o.walk.Stride, order)))
	}
	p.b.flops += 2 * float64(s.Rows) * float64(s.N+s.Len)
	sums := p.b.add(Value{Kind: KindScan, N: s.Rows * s.Len, Scan: s, Args: []View{whole(p.mul(x))}})
	walk := Walk{Base: f.Off - low, Stride: slices.Clone(f.Coef)}
	stride := s.Len
	for _, v := range slices.Backward(order[:len(order)-1]) {
		walk.Stride[v] = stride
		stride *= n.Size[v]
	}
	// The same product with the sums for x, without k.
	q := &productPlan{b: p.b, n: p.n, nest: &Nest{Size: dropAt(n.Size, k), Out: n.Out.drop(k), Scale: n.Scale}}
	left := []operand{{v: sums, walk: walk.drop(k)}}
	for _, o := range without {
		left = append(left, operand{v: o.v, walk: o.walk.drop(k)})
	}
	for _, o := range left {
		q.nest.In = append(q.nest.In, o.walk)
	}
	return q.emit(left)
}

func dropAt(a []int, k int) []int { return slices.Delete(slices.Clone(a), k, k+1) }

// drop removes a loop that the walk does not use.
func (w Walk) drop(k int) Walk { return Walk{Base: w.Base, Stride: dropAt(w.Stride, k)} }
