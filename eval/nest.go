package eval

import (
	"context"
	"slices"

	"frechet/eval/plan"
)

// checkEvery is the number of loop points between looks at the context.
const checkEvery = 1 << 18

// maxPrivate is the largest output of which every goroutine gets a copy of its own, where the
// outermost loop is a sum.
const maxPrivate = 1 << 12

// nest runs a loop nest: out += coef times the sum of products.
func (r *running) nest(n *plan.Nest, in [][]float64, out []float64, coef float64, weak []bool) error {
	if weak != nil {
		infinite := false
		for k, w := range weak {
			infinite = infinite || w && hasInf(in[k])
		}
		if !infinite {
			weak = nil
		}
	}
	work := float64(len(in) + 1)
	below := make([]float64, len(n.Size)+1) // points of the loops from a level inwards
	below[len(n.Size)] = 1
	for l := len(n.Size) - 1; l >= 0; l-- {
		below[l] = below[l+1] * float64(n.Size[l])
	}
	work *= below[0]
	run := func(out []float64, lo, hi int) {
		w := newLooper(r.ctx, n, in, out, coef, weak, below)
		w.loop(0, lo, hi)
	}
	switch {
	case len(n.Size) == 0:
		run(out, 0, 0)
	case work < 2*parallelWork:
		run(out, 0, n.Size[0])
	case n.Out.Stride[0] != 0 && injective(n):
		parallel(n.Size[0], 1, work, func(_, lo, hi int) { run(out, lo, hi) })
	case len(out) <= maxPrivate:
		private := make([][]float64, maxParts())
		parallel(n.Size[0], 1, work, func(part, lo, hi int) {
			private[part] = make([]float64, len(out))
			run(private[part], lo, hi)
		})
		for _, p := range private {
			for i, v := range p {
				out[i] += v
			}
		}
	default:
		run(out, 0, n.Size[0])
	}
	return r.ctx.Err()
}

// injective reports whether different points of the output's loops are different entries:
// every stride passes over all that the shorter ones reach.
func injective(n *plan.Nest) bool {
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

// A looper walks the loops of a nest. Per level it keeps the flat offsets of the operands and
// the output, and the values of the conditions so far.
type looper struct {
	ctx   context.Context
	n     *plan.Nest
	in    [][]float64
	out   []float64
	coef  float64
	weak  []bool
	below []float64

	offs  [][]int // by level: operands, then the output
	conds [][]int // by level: Eq, then Ge
	deep  []int   // by condition: its innermost loop
	f     []float64
}

func newLooper(ctx context.Context, n *plan.Nest, in [][]float64, out []float64, coef float64, weak []bool, below []float64) *looper {
	w := &looper{ctx: ctx, n: n, in: in, out: out, coef: coef, weak: weak, below: below}
	levels, k, c := len(n.Size)+1, len(in)+1, len(n.Eq)+len(n.Ge)
	flat := make([]int, levels*(k+c))
	w.offs, w.conds = make([][]int, levels), make([][]int, levels)
	for l := range levels {
		w.offs[l], flat = flat[:k:k], flat[k:]
		w.conds[l], flat = flat[:c:c], flat[c:]
	}
	for i := range in {
		w.offs[0][i] = n.In[i].Base
	}
	w.offs[0][k-1] = n.Out.Base
	for i := range c {
		b := w.cond(i)
		w.conds[0][i] = b.Off
		d := -1
		for l, f := range b.Coef {
			if f != 0 {
				d = l
			}
		}
		w.deep = append(w.deep, d)
	}
	if weak != nil {
		w.f = make([]float64, len(in))
	}
	return w
}

func (w *looper) cond(i int) plan.Bound {
	if i < len(w.n.Eq) {
		return w.n.Eq[i]
	}
	return w.n.Ge[i-len(w.n.Eq)]
}

// loop runs the loops from level l inwards, the outermost of them from lo to hi.
func (w *looper) loop(l, lo, hi int) {
	if l == len(w.n.Size) {
		w.inner(0, 1, nil)
		return
	}
	lo, hi = w.bounds(l, lo, hi)
	if hi <= lo {
		return
	}
	if l == len(w.n.Size)-1 {
		w.inner(lo, hi-lo, w.offs[l])
		return
	}
	offs, next := w.offs[l], w.offs[l+1]
	stride := func(i int) int {
		if i == len(w.in) {
			return w.n.Out.Stride[l]
		}
		return w.n.In[i].Stride[l]
	}
	for i := range next {
		next[i] = offs[i] + lo*stride(i)
	}
	for i := range w.conds[l] {
		w.conds[l+1][i] = w.conds[l][i] + lo*w.cond(i).Coef[l]
	}
	check := w.below[l+1] >= checkEvery
	for t := lo; t < hi; t++ {
		if check && w.ctx.Err() != nil {
			return
		}
		w.loop(l+1, 0, w.n.Size[l+1])
		for i := range next {
			next[i] += stride(i)
		}
		for i := range w.conds[l] {
			w.conds[l+1][i] += w.cond(i).Coef[l]
		}
	}
}

// bounds restricts a loop by the conditions that it decides.
func (w *looper) bounds(l, lo, hi int) (int, int) {
	for i, d := range w.deep {
		if d != l {
			continue
		}
		f, s := w.cond(i).Coef[l], w.conds[l][i]
		switch {
		case i < len(w.n.Eq): // f*t + s = 0
			if s%f != 0 {
				return 0, 0
			}
			lo, hi = max(lo, -s/f), min(hi, -s/f+1)
		case f > 0: // t >= -s/f, rounded up
			lo = max(lo, -floorDiv(s, f))
		default: // t <= s/-f, rounded down
			hi = min(hi, floorDiv(s, -f)+1)
		}
	}
	return lo, hi
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// inner runs the innermost loop: count points from lo.
func (w *looper) inner(lo, count int, offs []int) {
	last := len(w.n.Size) - 1
	k := len(w.in)
	if offs == nil {
		offs = w.offs[0]
	}
	stride := func(walk plan.Walk) int {
		if last < 0 {
			return 0
		}
		return walk.Stride[last]
	}
	so := stride(w.n.Out)
	o := offs[k] + lo*so
	switch {
	case w.weak != nil:
		w.innerWeak(lo, count, offs, o, so, stride)
	case k == 0:
		if so == 0 {
			w.out[o] += w.coef * float64(count)
			return
		}
		for range count {
			w.out[o] += w.coef
			o += so
		}
	case k == 1:
		s := stride(w.n.In[0])
		inner1(w.out, o, so, w.in[0], offs[0]+lo*s, s, count, w.coef)
	case k == 2:
		s, t := stride(w.n.In[0]), stride(w.n.In[1])
		inner2(w.out, o, so, w.in[0], offs[0]+lo*s, s, w.in[1], offs[1]+lo*t, t, count, w.coef)
	default:
		for i := range count {
			p := w.coef
			for j, x := range w.in {
				p *= x[offs[j]+(lo+i)*stride(w.n.In[j])]
			}
			w.out[o] += p
			o += so
		}
	}
}

// innerWeak is the innermost loop where a weak factor is infinite somewhere.
func (w *looper) innerWeak(lo, count int, offs []int, o, so int, stride func(plan.Walk) int) {
	for i := range count {
		for j, x := range w.in {
			w.f[j] = x[offs[j]+(lo+i)*stride(w.n.In[j])]
		}
		w.out[o] += w.coef * product(w.f, w.weak)
		o += so
	}
}

// inner1 is out += c*x along strides; with so = 0 it sums.
func inner1(out []float64, o, so int, x []float64, a, s, n int, c float64) {
	switch {
	case so == 0 && s == 1:
		out[o] += c * sum(x[a:a+n])
	case so == 0:
		t := 0.0
		for range n {
			t += x[a]
			a += s
		}
		out[o] += c * t
	case so == 1 && s == 1:
		dst := out[o : o+n]
		for i, v := range x[a : a+n] {
			dst[i] += c * v
		}
	default:
		for range n {
			out[o] += c * x[a]
			o += so
			a += s
		}
	}
}

// inner2 is out += c*x*y along strides; with so = 0 it is an inner product.
func inner2(out []float64, o, so int, x []float64, a, s int, y []float64, b, t, n int, c float64) {
	switch {
	case so == 0 && s == 1 && t == 1:
		out[o] += c * dot(x[a:a+n], y[b:b+n])
	case so == 0:
		p := 0.0
		for range n {
			p += x[a] * y[b]
			a += s
			b += t
		}
		out[o] += c * p
	case so == 1 && s == 0 && t == 1:
		inner1(out, o, 1, y, b, 1, n, c*x[a])
	case so == 1 && s == 1 && t == 0:
		inner1(out, o, 1, x, a, 1, n, c*y[b])
	case so == 1 && s == 1 && t == 1:
		dst, u, v := out[o:o+n], x[a:a+n], y[b:b+n]
		for i := range dst {
			dst[i] += c * u[i] * v[i]
		}
	default:
		for range n {
			out[o] += c * x[a] * y[b]
			o += so
			a += s
			b += t
		}
	}
}

// sum adds in four strands, which is faster and more accurate than one.
func sum(x []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
		x = x[4:]
	}
	for _, v := range x {
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}

// dot is the inner product of slices of one length, in four strands.
func dot(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += v * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}
