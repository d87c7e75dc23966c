package plan

import (
	"math"
	"slices"

	"frechet/einsum"
)

// A Nest is a contraction with numbers for its sizes, as loops over flat arrays:
//
//	out[Out(t)] += Scale * in1[In1(t)] * ... * inn[Inn(t)]   for 0 <= t_k < Size[k] that satisfy Eq, Ge
//
// with every index map flattened to one affine form in t. What the loops' ranges do not imply
// of the accesses being in range stands among the conditions.
type Nest struct {
	Size   []int
	In     []Walk
	Out    Walk
	Eq, Ge []Bound
	Scale  float64 // the sizes of variables that nothing uses, multiplied
	Empty  bool    // no point satisfies the conditions
}

// A Walk is the flat offset Base + sum of Stride[k]*t_k.
type Walk struct {
	Base   int
	Stride []int
}

// A Bound is the affine form Off + sum of Coef[k]*t_k, which is to be 0 or at least 0.
type Bound struct {
	Coef []int
	Off  int
}

// maxCoefficient bounds the coefficients and offsets of index maps, so that offsets fit an int.
const maxCoefficient = 1 << 31

// lowerNest flattens a contraction whose sizes are numbers. Equalities should have been
// solved before.
func lowerNest(c *einsum.Contraction) (*Nest, error) {
	n := &Nest{Scale: 1, Size: make([]int, len(c.Vars))}
	for v, d := range c.Vars {
		s, _ := d.Int()
		n.Size[v] = int(s)
		n.Empty = n.Empty || s == 0
	}
	var err error
	bound := func(a einsum.Affine) Bound {
		b := Bound{Coef: make([]int, len(c.Vars))}
		off, _ := a.Off.Int()
		b.Off = int(off)
		for _, t := range a.Terms {
			b.Coef[t.Var] = int(t.Coef)
			if t.Coef > maxCoefficient || t.Coef < -maxCoefficient {
				err = &LimitError{What: "as an index coefficient", Need: math.Abs(float64(t.Coef)), Limit: maxCoefficient}
			}
		}
		if off > 1<<53 || off < -1<<53 {
			err = &LimitError{What: "as an index offset", Need: math.Abs(float64(off)), Limit: 1 << 53}
		}
		return b
	}
	walk := func(acc einsum.Access) Walk {
		w := Walk{Stride: make([]int, len(c.Vars))}
		stride := 1
		for k := len(acc.Index) - 1; k >= 0; k-- {
			d, _ := acc.Shape[k].Int()
			i := bound(acc.Index[k])
			n.Ge = append(n.Ge, i, Bound{Coef: negated(i.Coef), Off: int(d) - 1 - i.Off}) // 0 <= i < d
			w.Base += stride * i.Off
			for v, f := range i.Coef {
				w.Stride[v] += stride * f
			}
			stride *= int(d)
		}
		return w
	}
	for _, acc := range c.In {
		n.In = append(n.In, walk(acc))
	}
	n.Out = walk(c.Out)
	for _, a := range c.Eq {
		n.Eq = append(n.Eq, bound(a))
	}
	for _, a := range c.Ge {
		n.Ge = append(n.Ge, bound(a))
	}
	if err != nil {
		return nil, err
	}
	n.tighten()
	n.dropUnits()
	n.forwards()
	return n, nil
}

// forwards turns the loops that pass over the output from its end: t becomes size-1-t.
func (n *Nest) forwards() {
	for v, s := range n.Out.Stride {
		if s >= 0 || n.Empty {
			continue
		}
		last := n.Size[v] - 1
		turn := func(w *Walk) {
			w.Base += w.Stride[v] * last
			w.Stride[v] = -w.Stride[v]
		}
		for k := range n.In {
			turn(&n.In[k])
		}
		turn(&n.Out)
		for _, bs := range [][]Bound{n.Eq, n.Ge} {
			for i := range bs {
				bs[i].Off += bs[i].Coef[v] * last
				bs[i].Coef[v] = -bs[i].Coef[v]
			}
		}
	}
}

func negated(a []int) []int {
	out := make([]int, len(a))
	for i, v := range a {
		out[i] = -v
	}
	return out
}

// interval gives the least and the largest value of a form over the loops' ranges.
func (n *Nest) interval(b Bound) (low, high int) {
	low, high = b.Off, b.Off
	for v, f := range b.Coef {
		if f > 0 {
			high += f * (n.Size[v] - 1)
		} else {
			low += f * (n.Size[v] - 1)
		}
	}
	return low, high
}

// tighten turns conditions on one variable into its range, and drops those that the ranges imply.
func (n *Nest) tighten() {
	for changed := true; changed && !n.Empty; {
		changed = false
		kept := n.Ge[:0]
		for _, b := range n.Ge {
			low, high := n.interval(b)
			v, single := b.single()
			switch {
			case low >= 0: // implied
			case high < 0:
				n.Empty = true
				return
			case single:
				changed = true
				if f := b.Coef[v]; f > 0 { // t >= ceil(-off/f)
					n.shift(v, -floorDiv(b.Off, f), n.Size[v])
				} else { // t <= floor(off/-f)
					n.shift(v, 0, floorDiv(b.Off, -f)+1)
				}
			default:
				kept = append(kept, b)
			}
			if n.Empty {
				return
			}
		}
		n.Ge = kept
	}
	kept := n.Eq[:0]
	for _, b := range n.Eq {
		low, high := n.interval(b)
		switch {
		case low > 0 || high < 0:
			n.Empty = true
		case low == 0 && high == 0:
		default:
			kept = append(kept, b)
		}
	}
	n.Eq = kept
}

// single reports whether a form has one variable, and which.
func (b Bound) single() (v int, ok bool) {
	v = -1
	for i, f := range b.Coef {
		if f != 0 {
			if v >= 0 {
				return 0, false
			}
			v = i
		}
	}
	return v, v >= 0
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// shift restricts variable v to from <= t < to and renames t - from to t. The conditions are
// adjusted in place: those of Ge that have been looked at stand in a prefix of the same array.
func (n *Nest) shift(v, from, to int) {
	from, to = max(0, from), min(n.Size[v], to)
	if to <= from {
		n.Empty = true
		return
	}
	n.Size[v] = to - from
	if from == 0 {
		return
	}
	for k := range n.In {
		n.In[k].Base += from * n.In[k].Stride[v]
	}
	n.Out.Base += from * n.Out.Stride[v]
	for _, bs := range [][]Bound{n.Eq, n.Ge} {
		for i := range bs {
			bs[i].Off += from * bs[i].Coef[v]
		}
	}
}

// dropUnits removes variables of size 1, and those that nothing uses, which scale the result.
func (n *Nest) dropUnits() {
	var keep []int
	for v, s := range n.Size {
		used := n.Out.Stride[v] != 0
		for _, w := range n.In {
			used = used || w.Stride[v] != 0
		}
		for _, b := range append(slices.Clone(n.Eq), n.Ge...) {
			used = used || b.Coef[v] != 0
		}
		switch {
		case s == 1:
		case !used:
			n.Scale *= float64(s)
		default:
			keep = append(keep, v)
		}
	}
	pick := func(a []int) []int {
		out := make([]int, len(keep))
		for i, v := range keep {
			out[i] = a[v]
		}
		return out
	}
	for k := range n.In {
		n.In[k].Stride = pick(n.In[k].Stride)
	}
	n.Out.Stride = pick(n.Out.Stride)
	for _, bs := range [][]Bound{n.Eq, n.Ge} {
		for i := range bs {
			bs[i].Coef = pick(bs[i].Coef)
		}
	}
	n.Size = pick(n.Size)
}

// points is the number of iterations, conditions aside.
func (n *Nest) points() float64 {
	p := 1.0
	for _, s := range n.Size {
		p *= float64(s)
	}
	return p
}

// reorder permutes the loops: new loop i is old loop perm[i].
func (n *Nest) reorder(perm []int) {
	pick := func(a []int) []int {
		out := make([]int, len(perm))
		for i, v := range perm {
			out[i] = a[v]
		}
		return out
	}
	n.Size = pick(n.Size)
	for k := range n.In {
		n.In[k].Stride = pick(n.In[k].Stride)
	}
	n.Out.Stride = pick(n.Out.Stride)
	for _, bs := range [][]Bound{n.Eq, n.Ge} {
		for i := range bs {
			bs[i].Coef = pick(bs[i].Coef)
		}
	}
}

// inOrder is a copy whose loops are in a good order, with conditions on the outer loops too.
func (n *Nest) inOrder() *Nest {
	m := *n
	m.In, m.Eq, m.Ge = slices.Clone(n.In), slices.Clone(n.Eq), slices.Clone(n.Ge)
	m.chooseOrder()
	for _, b := range m.Ge[:len(m.Ge):len(m.Ge)] {
		m.Ge = append(m.Ge, m.relaxed(b)...)
	}
	return &m
}

// relaxed gives what a condition says of the outer loops alone, for every number of them:
// the inner variables are put where the form is largest. So a loop does not begin an
// iteration in which no inner point can satisfy the condition.
func (n *Nest) relaxed(b Bound) (out []Bound) {
	b.Coef = slices.Clone(b.Coef)
	for l, f := range slices.Backward(b.Coef) {
		if f == 0 {
			continue
		}
		b.Coef[l] = 0
		b.Off += max(0, f*(n.Size[l]-1))
		if low, _ := n.interval(b); low >= 0 {
			break
		}
		out = append(out, Bound{slices.Clone(b.Coef), b.Off})
	}
	return out
}

// Within is the part of the nest that writes the entries from lo to hi-1 of the result.
func (n *Nest) Within(lo, hi int) *Nest {
	m := *n
	m.Ge = slices.Clone(n.Ge)
	for _, b := range []Bound{{n.Out.Stride, n.Out.Base - lo}, {negated(n.Out.Stride), hi - 1 - n.Out.Base}} {
		if low, _ := n.interval(b); low < 0 {
			m.Ge = append(append(m.Ge, b), n.relaxed(b)...)
		}
	}
	return &m
}

// chooseOrder puts the loop with the most unit strides innermost and long strides outermost.
func (n *Nest) chooseOrder() {
	if len(n.Size) < 2 {
		return
	}
	walks := append(slices.Clone(n.In), n.Out)
	score := func(v int) (units, total int) {
		for _, w := range walks {
			switch s := w.Stride[v]; {
			case s == 1 || s == -1:
				units++
				total++
			case s < 0:
				total -= s
			default:
				total += s
			}
		}
		return units, total
	}
	perm := make([]int, len(n.Size))
	for i := range perm {
		perm[i] = i
	}
	slices.SortStableFunc(perm, func(a, b int) int {
		_, ta := score(a)
		_, tb := score(b)
		return tb - ta
	})
	best, most := len(perm)-1, -1
	for i, v := range perm {
		if u, _ := score(v); u > most || u == most && n.Size[v] >= n.Size[perm[best]] {
			best, most = i, u
		}
	}
	inner := perm[best]
	perm = append(slices.Delete(perm, best, best+1), inner)
	n.reorder(perm)
}
