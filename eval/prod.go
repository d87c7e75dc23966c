package eval

// prod writes the k-th derivatives of the product over the last axis: at k different places the product of the
// entries elsewhere, and 0 where a place stands twice. Nothing is divided by an entry.
func prod(k int, x, out *Tensor) {
	n := x.Shape[len(x.Shape)-1]
	each := 1
	for range k {
		each *= n
	}
	if k > n {
		clear(out.Data)
		return
	}
	p := productExcept{n: n, rest: make([]float64, n+1), at: make([]int, k)}
	p.orders, _ = permutations(k)
	for b := range len(out.Data) / max(each, 1) {
		p.x, p.out = x.Data[b*n:(b+1)*n], out.Data[b*each:(b+1)*each]
		p.rest[n] = 1
		for i := n - 1; i >= 0; i-- {
			p.rest[i] = p.x[i] * p.rest[i+1]
		}
		if k > 1 {
			clear(p.out)
		}
		p.choose(0, 0, 1)
	}
}

// productExcept has the places that are left out, ascending, and for each place the product from there on.
type productExcept struct {
	x, out, rest []float64
	n            int
	at           []int
	orders       [][]int
}

// choose writes the entries that begin with the first chosen places; before is the product up to from without these.
func (p *productExcept) choose(chosen, from int, before float64) {
	k := len(p.at)
	if chosen == k {
		for _, order := range p.orders {
			o := 0
			for _, t := range order {
				o = o*p.n + p.at[t]
			}
			p.out[o] = before * p.rest[from]
		}
		return
	}
	for i := from; i <= p.n-k+chosen; i++ {
		p.at[chosen] = i
		p.choose(chosen+1, i+1, before)
		before *= p.x[i]
	}
}
