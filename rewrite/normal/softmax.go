package normal

import (
	"frechet/combinators/atom"
	"slices"
)

// softmaxSums leaves the operands out that are summed to 1: softmax, over the axes that it is
// taken over, where nothing else has them. Over no entries softmax sums to 0, so a size that is 0
// keeps its operand; a symbol stands for a size of at least 1 here.
func (p product) softmaxSums() product {
	for k := 0; k < len(p.ops); k++ {
		if !p.ops[k].Is(atom.Softmax) || !p.sumsToOne(k) {
			continue
		}
		gone := p.in[k][len(p.in[k])-p.ops[k].Attr():]
		p.ops, p.in = slices.Concat(p.ops[:k], p.ops[k+1:]), slices.Concat(p.in[:k], p.in[k+1:])
		to, vars := make([]int, len(p.vars)), p.vars[:0:0]
		for v, d := range p.vars {
			to[v] = len(vars)
			if !slices.Contains(gone, v) {
				vars = append(vars, d)
			}
		}
		p.rename(to)
		p.vars = vars
		k--
	}
	return p
}

// sumsToOne reports whether the last axes of operand k, a softmax, are summed alone.
func (p *product) sumsToOne(k int) bool {
	g, n := p.in[k], p.ops[k].Attr()
	if n == 0 {
		return false
	}
	for i, v := range g[len(g)-n:] {
		d, known := p.vars[v].Int()
		if known && d == 0 || slices.Contains(p.out, v) || slices.Index(g, v) != len(g)-n+i {
			return false
		}
		for j, h := range p.in {
			if j != k && slices.Contains(h, v) {
				return false
			}
		}
	}
	return true
}
