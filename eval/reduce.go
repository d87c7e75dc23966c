package eval

import (
	"frechet/eval/plan"
	"frechet/eval/vecmath"
)

// reduce sums element-wise values while they are computed, block by block: see plan.Reduce.
// Goroutines write different elements of the result, or sums of their own where the
// outermost loop is summed. The result is zero before.
func (r *running) reduce(p *plan.Reduce, out []float64, coef float64) error {
	g := p.Group
	work := 0.0
	for i := range g.Ops {
		work += opWork(&g.Ops[i])
	}
	work *= float64(g.N)
	align := g.Block
	run := func(out []float64, lo, hi int) {
		a := accumulator{view: &p.Out, out: out, coef: coef}
		r.blocks(g, lo, hi, a.add)
	}
	if len(p.Ge) > 0 {
		align = p.Dims[len(p.Dims)-1]
		run = func(out []float64, lo, hi int) {
			a := accumulator{view: &p.Out, out: out, coef: coef}
			r.rows(p, lo, hi, &a)
		}
	}
	switch {
	case g.N == 0:
	case p.Outer > 0:
		parallel(g.N, p.Outer, work, func(_, lo, hi int) {
			if lo < hi {
				run(out, lo, hi)
			}
		})
	case len(out) <= maxPrivate && work > 2*parallelWork:
		private := make([][]float64, maxParts())
		parallel(g.N, align, work, func(part, lo, hi int) {
			private[part] = make([]float64, len(out))
			if lo < hi {
				run(private[part], lo, hi)
			}
		})
		for _, p := range private {
			for i, v := range p {
				out[i] += v
			}
		}
	default:
		run(out, 0, g.N)
	}
	return r.ctx.Err()
}

// rows runs the entries from lo to hi, whole rows of the innermost loop, each as far as the
// conditions let it.
func (r *running) rows(p *plan.Reduce, lo, hi int, a *accumulator) {
	last := len(p.Dims) - 1
	inner := p.Dims[last]
	for at := lo; at < hi && r.ctx.Err() == nil; at += inner {
		from, to := 0, inner
		for _, c := range p.Ge {
			// c.Off + the outer loops' part + f*t >= 0
			s, rest := c.Off, at/inner
			for l := last - 1; l >= 0; l-- {
				s += c.Coef[l] * (rest % p.Dims[l])
				rest /= p.Dims[l]
			}
			switch f := c.Coef[last]; {
			case f > 0:
				from = max(from, -floorDiv(s, f))
			case f < 0:
				to = min(to, floorDiv(s, -f)+1)
			case s < 0:
				to = 0
			}
		}
		if from < to {
			r.blocks(p.Group, at+from, at+to, a.add)
		}
	}
}

// An accumulator adds blocks to a result whose offsets a view gives.
type accumulator struct {
	view *plan.View
	out  []float64
	coef float64
}

// add adds the entries from at on.
func (a *accumulator) add(at int, block []float64) {
	v := a.view
	last := len(v.Dims) - 1
	if last < 0 {
		a.out[v.Base] += a.coef * vecmath.Sum(block)
		return
	}
	var index [plan.MaxDims]int
	off, rest := v.Base, at
	for k := last; k >= 0; k-- {
		index[k] = rest % v.Dims[k]
		rest /= v.Dims[k]
		off += index[k] * v.Stride[k]
	}
	inner, step := v.Dims[last], v.Stride[last]
	for len(block) > 0 {
		run := min(inner-index[last], len(block))
		inner1(a.out, off, step, block, 0, 1, run, a.coef)
		block = block[run:]
		index[last] += run
		off += run * step
		for k := last; k > 0 && index[k] == v.Dims[k]; k-- {
			off += v.Stride[k-1] - v.Dims[k]*v.Stride[k]
			index[k] = 0
			index[k-1]++
		}
	}
}

// opWork estimates the cost of an operation at one entry.
func opWork(op *plan.Op) float64 {
	switch op.V.Code {
	case plan.CodeF1, plan.CodeF2, plan.CodePower:
		return 8
	}
	return 1
}
