package eval

import (
	"context"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"frechet/eval/plan"
	"frechet/eval/vecmath"
)

// checkEvery is the number of loop points between looks at the context.
const checkEvery = 1 << 18

// maxPrivate is the largest output of which every goroutine gets a copy of its own, where the
// outermost loop is a sum.
const maxPrivate = 1 << 12

// pieceEntries is the number of entries of the result that are worked on at a time, where the
// outermost loop is a sum.
const pieceEntries = 1 << 12

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
	work := float64(len(in)+1) * points(n)
	if work < 2*parallelWork || len(n.Size) == 0 {
		r.loops(n, in, out, coef, weak, 0, -1)
		return nil
	}
	switch {
	case n.Out.Stride[0] != 0 && injective(n):
		parallel(n.Size[0], 1, work, func(_, lo, hi int) { r.loops(n, in, out, coef, weak, lo, hi) })
	case len(out) <= maxPrivate:
		private := make([][]float64, maxParts())
		parallel(n.Size[0], 1, work, func(part, lo, hi int) {
			private[part] = make([]float64, len(out))
			r.loops(n, in, private[part], coef, weak, lo, hi)
		})
		for _, p := range private {
			for i, v := range p {
				out[i] += v
			}
		}
	default:
		// Goroutines take ranges of the result, a piece of which stays in cache while
		// the outer loops pass over it.
		pieces := min((len(out)+pieceEntries-1)/pieceEntries, len(out))
		pieces = max(pieces, min(maxParts(), len(out)))
		parallel(pieces, 1, work, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				r.loops(n.Within(len(out)*i/pieces, len(out)*(i+1)/pieces), in, out, coef, weak, 0, -1)
			}
		})
	}
	return r.ctx.Err()
}

// points is the number of iterations of the loops, conditions aside.
func points(n *plan.Nest) float64 {
	p := 1.0
	for _, s := range n.Size {
		p *= float64(s)
	}
	return p
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
	ctx  context.Context
	n    *plan.Nest
	in   [][]float64
	out  []float64
	coef float64
	weak []bool

	state  []int // offsets and conditions, level by level
	row    int   // their number at one level
	deep   []int // by condition: its innermost loop
	f      []float64
	points int  // since the context was looked at
	stop   bool // the context is done
}

var loopers = sync.Pool{New: func() any { return new(looper) }}

// loops runs the outermost loop from lo to hi, all of it for hi = -1.
func (r *running) loops(n *plan.Nest, in [][]float64, out []float64, coef float64, weak []bool, lo, hi int) {
	w := loopers.Get().(*looper)
	w.ctx, w.n, w.in, w.out, w.coef, w.weak = r.ctx, n, in, out, coef, weak
	levels, k, c := len(n.Size)+1, len(in)+1, len(n.Eq)+len(n.Ge)
	w.row = k + c
	w.state = append(w.state[:0], make([]int, levels*w.row)...)
	w.deep = w.deep[:0]
	w.points, w.stop = 0, false
	first := w.state[:w.row]
	for i := range in {
		first[i] = n.In[i].Base
	}
	first[k-1] = n.Out.Base
	for i := range c {
		b := w.cond(i)
		first[k+i] = b.Off
		d := -1
		for l, f := range b.Coef {
			if f != 0 {
				d = l
			}
		}
		w.deep = append(w.deep, d)
	}
	w.f = append(w.f[:0], make([]float64, len(in))...)
	if hi < 0 && len(n.Size) > 0 {
		hi = n.Size[0]
	}
	w.loop(0, lo, hi)
	w.ctx, w.n, w.in, w.out, w.weak = nil, nil, nil, nil, nil
	loopers.Put(w)
}

// offs and conds are the state at a level.
func (w *looper) offs(l int) []int  { return w.state[l*w.row : l*w.row+len(w.in)+1] }
func (w *looper) conds(l int) []int { return w.state[l*w.row+len(w.in)+1 : (l+1)*w.row] }

func (w *looper) cond(i int) plan.Bound {
	if i < len(w.n.Eq) {
		return w.n.Eq[i]
	}
	return w.n.Ge[i-len(w.n.Eq)]
}

// stride is the step of operand i, or of the output after the operands, in loop l.
func (w *looper) stride(i, l int) int {
	if i == len(w.in) {
		return w.n.Out.Stride[l]
	}
	return w.n.In[i].Stride[l]
}

// loop runs the loops from level l inwards, the outermost of them from lo to hi.
func (w *looper) loop(l, lo, hi int) {
	if l == len(w.n.Size) {
		w.inner(l-1, 0, 1)
		return
	}
	w.points++
	lo, hi = w.bounds(l, lo, hi)
	if hi <= lo {
		return
	}
	if l == len(w.n.Size)-1 {
		w.inner(l, lo, hi-lo)
		w.points += hi - lo
		return
	}
	offs, next := w.offs(l), w.offs(l+1)
	for i := range next {
		next[i] = offs[i] + lo*w.stride(i, l)
	}
	conds, nextConds := w.conds(l), w.conds(l+1)
	for i := range conds {
		nextConds[i] = conds[i] + lo*w.cond(i).Coef[l]
	}
	for range hi - lo {
		if w.points >= checkEvery {
			w.points = 0
			w.stop = w.ctx.Err() != nil
		}
		if w.stop {
			return
		}
		w.loop(l+1, 0, w.n.Size[l+1])
		for i := range next {
			next[i] += w.stride(i, l)
		}
		for i := range conds {
			nextConds[i] += w.cond(i).Coef[l]
		}
	}
}

// bounds restricts a loop by the conditions that it decides.
func (w *looper) bounds(l, lo, hi int) (int, int) {
	for i, d := range w.deep {
		if d != l {
			continue
		}
		f, s := w.cond(i).Coef[l], w.conds(l)[i]
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

// inner runs the innermost loop, l: count points from lo. Without loops, l is -1.
func (w *looper) inner(l, lo, count int) {
	var step [2]int
	offs := w.offs(max(l, 0))
	k := len(w.in)
	so := 0
	if l >= 0 {
		so = w.n.Out.Stride[l]
		for i := range min(k, len(step)) {
			step[i] = w.n.In[i].Stride[l]
		}
	}
	o := offs[k] + lo*so
	switch {
	case w.weak != nil || k > 2:
		w.innerMany(l, lo, count, offs, o, so)
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
		inner1(w.out, o, so, w.in[0], offs[0]+lo*step[0], step[0], count, w.coef)
	default:
		inner2(w.out, o, so, w.in[0], offs[0]+lo*step[0], step[0], w.in[1], offs[1]+lo*step[1], step[1], count, w.coef)
	}
}

// innerMany is the innermost loop over three and more factors, or under guards.
func (w *looper) innerMany(l, lo, count int, offs []int, o, so int) {
	for i := range count {
		for j, x := range w.in {
			at := offs[j]
			if l >= 0 {
				at += (lo + i) * w.n.In[j].Stride[l]
			}
			w.f[j] = x[at]
		}
		if w.weak != nil {
			w.out[o] += w.coef * product(w.f, w.weak)
		} else {
			p := w.coef
			for _, f := range w.f {
				p *= f
			}
			w.out[o] += p
		}
		o += so
	}
}

// vectorLength is the number of entries from which on BLAS is faster than a loop.
const vectorLength = 24

// inner1 is out += c*x along strides; with so = 0 it sums.
func inner1(out []float64, o, so int, x []float64, a, s, n int, c float64) {
	switch {
	case so == 0 && s == 1:
		out[o] += c * vecmath.Sum(x[a:a+n])
	case so == 0:
		t := 0.0
		for range n {
			t += x[a]
			a += s
		}
		out[o] += c * t
	case so == 1 && s == 1:
		dst := out[o : o+n]
		if n >= vectorLength && c != 0 { // BLAS skips 0 times NaN
			blas64.Axpy(c, blas64.Vector{N: n, Inc: 1, Data: x[a : a+n]}, blas64.Vector{N: n, Inc: 1, Data: dst})
			return
		}
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
	case so == 0 && s == 1 && t == 1 && n >= vectorLength:
		out[o] += c * blas64.Dot(blas64.Vector{N: n, Inc: 1, Data: x[a : a+n]}, blas64.Vector{N: n, Inc: 1, Data: y[b : b+n]})
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
