package eval

import (
	"fmt"
	"slices"

	"frechet/eval/plan"
)

// indexed runs loops with places that arrays of whole numbers find: out += coef times the sum of products. Sums are added in
// the order of the loops, by one goroutine unless no two points of the outermost loop meet in the result.
func (r *running) indexed(x *plan.Indexed, args [][]float64, out []float64, coef float64, weak []bool) error {
	k := len(x.In)
	finite := weak == nil || !slices.ContainsFunc(args[:k], hasInf)
	if finite {
		weak = nil
	}
	loops := &plan.Nest{Size: x.Size, Out: plan.Walk{Stride: x.Out.Stride[:len(x.Size)]}}
	work := float64(k+1) * points(loops)
	apart := x.Row > 0 && x.Out.Stride[0] != 0 && injective(loops) && !slices.ContainsFunc(x.Out.Stride[len(x.Size):], func(s int) bool { return s != 0 })
	if !apart || work < 2*parallelWork {
		w := newIndexer(r, x, args, out, coef, weak)
		w.run(0, -1)
		return w.failure()
	}
	errs := make([]error, maxParts())
	parallel(x.Size[0], 1, work, func(part, lo, hi int) {
		w := newIndexer(r, x, args, out, coef, weak)
		w.run(lo, hi)
		errs[part] = w.failure()
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// An indexer walks the loops of a plan.Indexed.
type indexer struct {
	r    *running
	x    *plan.Indexed
	in   [][]float64
	find [][]float64
	out  []float64
	coef float64
	weak []bool

	at     []int // the variables: loops, then places
	offs   []int // of the operands and the output, at the point of the loops down to the rows
	f      []float64
	points int
	err    error
}

func newIndexer(r *running, x *plan.Indexed, args [][]float64, out []float64, coef float64, weak []bool) *indexer {
	k := len(x.In)
	return &indexer{r: r, x: x, in: args[:k], find: args[k:], out: out, coef: coef, weak: weak,
		at: make([]int, len(x.Size)+len(x.Find)), offs: make([]int, k+1), f: make([]float64, k)}
}

func (w *indexer) failure() error {
	if w.err == nil {
		w.err = w.r.ctx.Err()
	}
	return w.err
}

// run runs the outermost loop from lo to hi, all of it for hi = -1.
func (w *indexer) run(lo, hi int) {
	if hi < 0 && len(w.x.Size) > 0 {
		hi = w.x.Size[0]
	}
	w.rows(0, lo, hi)
}

// rows runs the loops from level l down to those of the arrays.
func (w *indexer) rows(l, lo, hi int) {
	x := w.x
	if l == x.Row {
		w.point()
		return
	}
	if l == x.Row-1 && x.Outer <= l && x.Row == len(x.Size) && w.weak == nil && len(x.Eq)+len(x.Ge) == 0 && w.entries(l, lo, hi) {
		return
	}
	for i := lo; i < hi && w.err == nil; i++ {
		if w.points++; w.points&(checkEvery-1) == 0 && w.r.ctx.Err() != nil {
			w.err = w.r.ctx.Err()
		}
		w.at[l] = i
		next := 0
		if l+1 < x.Row {
			next = x.Size[l+1]
		}
		w.rows(l+1, 0, next)
	}
}

// offset is that of a walk at the first so many variables.
func (w *indexer) offset(a plan.Walk, vars int) int {
	o := a.Base
	for v, i := range w.at[:vars] {
		o += a.Stride[v] * i
	}
	return o
}

// place is the place that array r finds at an offset, checked.
func (w *indexer) place(r, offset int) int {
	if uint(offset) >= uint(len(w.find[r])) { // a condition does not hold
		return 0
	}
	v := w.find[r][offset]
	p := int(v)
	if uint(p) >= uint(w.x.Find[r].N) || float64(p) != v {
		w.err = &SizeError{Msg: fmt.Sprintf("a number in an array of whole numbers below %d is %v", w.x.Find[r].N, v)}
		return 0
	}
	return p
}

// point runs the inner loops at a point of the rows.
func (w *indexer) point() {
	x, n := w.x, len(w.x.Size)
	clear(w.at[x.Row:])
	for r := range x.Find {
		w.at[n+r] = w.place(r, w.offset(x.Find[r].At, n+r))
	}
	if w.err != nil {
		return
	}
	for k, a := range x.In {
		w.offs[k] = w.offset(a, len(w.at))
	}
	w.offs[len(x.In)] = w.offset(x.Out, len(w.at))
	w.inner(x.Row)
}

// inner runs the loops from level l inwards, of which offs has the offsets so far.
func (w *indexer) inner(l int) {
	x, k := w.x, len(w.in)
	switch {
	case l >= len(x.Size)-1 && w.weak == nil && k <= 2 && len(x.Eq)+len(x.Ge) == 0:
		w.vector(l)
	case l == len(x.Size):
		if !w.holds() {
			return
		}
		for j, v := range w.in {
			w.f[j] = v[w.offs[j]]
		}
		p := w.coef
		if w.weak != nil {
			p *= product(w.f, w.weak)
		} else {
			for _, f := range w.f {
				p *= f
			}
		}
		w.out[w.offs[k]] += p
	default:
		for i := range x.Size[l] {
			w.at[l] = i
			w.inner(l + 1)
			w.step(l, 1)
		}
		w.step(l, -x.Size[l])
		w.points += x.Size[l]
	}
}

// step moves the offsets by so many points of loop l.
func (w *indexer) step(l, by int) {
	for j, a := range w.x.In {
		w.offs[j] += by * a.Stride[l]
	}
	w.offs[len(w.in)] += by * w.x.Out.Stride[l]
}

// vector is the innermost loop of at most two operands.
func (w *indexer) vector(l int) {
	x, k := w.x, len(w.in)
	n, so := 1, 0
	var step [2]int
	if l < len(x.Size) {
		n, so = x.Size[l], x.Out.Stride[l]
		for j, a := range x.In {
			step[j] = a.Stride[l]
		}
	}
	switch k {
	case 0:
		for i := range n {
			w.out[w.offs[k]+i*so] += w.coef
		}
	case 1:
		inner1(w.out, w.offs[1], so, w.in[0], w.offs[0], step[0], n, w.coef)
	default:
		inner2(w.out, w.offs[2], so, w.in[0], w.offs[0], step[0], w.in[1], w.offs[1], step[1], n, w.coef)
	}
}

// holds reports whether the conditions hold.
func (w *indexer) holds() bool {
	form := func(b plan.Bound) int { return w.offset(plan.Walk{Base: b.Off, Stride: b.Coef}, len(w.at)) }
	return !slices.ContainsFunc(w.x.Eq, func(b plan.Bound) bool { return form(b) != 0 }) &&
		!slices.ContainsFunc(w.x.Ge, func(b plan.Bound) bool { return form(b) < 0 })
}

// entries is the last loop of rows where there are no others below: one product of at most two factors a point, at places that
// at most two arrays find. It reports whether it ran it.
func (w *indexer) entries(l, lo, hi int) bool {
	x, loops, k := w.x, len(w.x.Size), len(w.in)
	if k > 2 || len(x.Find) > 2 || len(x.Find) == 2 && x.Find[1].At.Stride[loops] != 0 || hi-lo < 2 {
		return false
	}
	clear(w.at[l:])
	var one [1]float64
	one[0] = 1
	var in [2][]float64
	var offs, step [3]int // of the factors and the result
	var by [3][2]int      // strides by array
	walk := func(j int, a plan.Walk) {
		offs[j], step[j] = w.offset(a, len(w.at)), a.Stride[l]
		copy(by[j][:], a.Stride[loops:])
	}
	for j := range in {
		in[j] = one[:]
		if j < k {
			in[j] = w.in[j]
			walk(j, x.In[j])
		}
	}
	walk(2, x.Out)
	find, from, stride := [2][]float64{one[:], one[:]}, [2]int{}, [2]int{}
	bound := [2]int{2, 2}
	for r, f := range x.Find {
		find[r], from[r], stride[r], bound[r] = w.find[r], w.offset(f.At, loops), f.At.Stride[l], f.N
	}
	if k == 2 && len(x.Find) == 2 && stride == [2]int{1, 1} {
		for j := range 2 { // the factor that has the entries, and the array that finds places in the result
			for r := range 2 {
				var to, at [2]int
				to[r], at[1-r] = 1, 1
				if step == ([3]int{1 - j, j, 0}) && by == ([3][2]int{{j * at[0], j * at[1]}, {(1 - j) * at[0], (1 - j) * at[1]}, to}) {
					w.sparse(lo, hi, in[j][offs[j]:], in[1-j][offs[1-j]:], w.out[offs[2]:], r, from)
					return true
				}
			}
		}
	}
	a, b, out, f, g, coef := in[0], in[1], w.out, find[0], find[1], w.coef
	ap, aq, bp, bq, op, oq := by[0][0], by[0][1], by[1][0], by[1][1], by[2][0], by[2][1]
	sf, sg, sa, sb, so := stride[0], stride[1], step[0], step[1], step[2]
	m, n := uint(bound[0]), uint(bound[1])
	for first := lo; first < hi; first += checkEvery {
		if w.err = w.r.ctx.Err(); w.err != nil {
			return true
		}
		fi, gi := from[0]+first*stride[0], from[1]+first*stride[1]
		ai, bi, oi := offs[0]+first*step[0], offs[1]+first*step[1], offs[2]+first*step[2]
		last, sum := -1, 0.0 // entries that follow each other are added before they are stored
		for range min(checkEvery, hi-first) {
			u, v := f[fi], g[gi]
			p, q := int(u), int(v)
			if uint(p) >= m || uint(q) >= n || float64(p) != u || float64(q) != v {
				if w.place(0, fi); w.err == nil {
					w.place(1, gi)
				}
				return true
			}
			if o := oi + p*op + q*oq; o != last {
				if last >= 0 {
					out[last] = sum
				}
				last, sum = o, out[o]
			}
			sum += coef * a[ai+p*ap+q*aq] * b[bi+p*bp+q*bq]
			fi, gi, ai, bi, oi = fi+sf, gi+sg, ai+sa, bi+sb, oi+so
		}
		out[last] = sum
	}
	return true
}

// sparse is the loop of entries for a matrix by its entries times a vector, out[p[k]] += coef*a[k]*b[q[k]]: p is array r and q the
// other one, read from places on.
func (w *indexer) sparse(lo, hi int, a, b, out []float64, r int, from [2]int) {
	m, n := uint(w.x.Find[r].N), uint(w.x.Find[1-r].N)
	for first := lo; first < hi; first += checkEvery {
		if w.err = w.r.ctx.Err(); w.err != nil {
			return
		}
		end := min(hi, first+checkEvery)
		f, g, a := w.find[r][from[r]+first:from[r]+end], w.find[1-r][from[1-r]+first:from[1-r]+end], a[first:end]
		g, a = g[:len(f)], a[:len(f)]
		last, sum := uint(0), out[0]
		for k, u := range f {
			v := g[k]
			p, q := uint(int(u)), uint(int(v))
			if p >= m || q >= n || float64(int(p)) != u || float64(int(q)) != v {
				if w.place(r, from[r]+first+k); w.err == nil {
					w.place(1-r, from[1-r]+first+k)
				}
				return
			}
			if p != last {
				out[last] = sum
				last, sum = p, out[p]
			}
			sum += w.coef * a[k] * b[q]
		}
		out[last] = sum
	}
}

// matrixOf is the 0/1 matrix of an array of whole numbers: entry [k,p] of it is 1 where entry k of the array is p.
func matrixOf(array *Tensor, shape []int) (*Tensor, error) {
	out := NewTensor(shape...)
	n := shape[len(shape)-1]
	if breach := OutOfBound(array, int64(n)); breach != "" {
		return nil, &SizeError{Msg: "in an array of whole numbers " + breach}
	}
	for k, x := range array.Data {
		out.Data[k*n+int(x)] = 1
	}
	return out, nil
}
