package eval

import (
	"math"
	"slices"
	"sync"

	"frechet/combinators/atom"
	"frechet/eval/plan"
	"frechet/eval/vecmath"
)

// A workspace is the memory of one goroutine that runs a group.
type workspace struct {
	regs   []float64
	ops    [][]float64 // the current block of each result
	loads  [][]float64 // and of each operand
	kept   []kept      // by operand, where it repeats
	memory [][]float64 // all of each operand, and of each result that is stored
}

// kept says of which entries a register holds a repeating load: n of them, from a phase of the
// period on, in a segment.
type kept struct{ segment, phase, n int }

// forget drops what refers to the memory of a run.
func (w *workspace) forget() {
	clear(w.ops)
	clear(w.loads)
	clear(w.memory)
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// group runs element-wise operations block by block, in parallel where there are many.
func (r *running) group(g *plan.Group) {
	if g.N == 0 {
		return
	}
	work := 0.0
	for i := range g.Ops {
		work += opWork(&g.Ops[i])
	}
	if work *= float64(g.N); work < 2*parallelWork {
		r.blocks(g, 0, g.N, nil)
		return
	}
	parallel(g.N, g.Block, work, func(_, lo, hi int) { r.blocks(g, lo, hi, nil) })
}

// blocks runs the entries from lo to hi. Where there is a sink, each block of the last
// operation is given to it, with its first entry.
func (r *running) blocks(g *plan.Group, lo, hi int, sink func(at int, block []float64)) {
	block := min(g.Block, hi-lo)
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.regs = grown(w.regs, g.Regs*block)
	if cap(w.ops) < len(g.Ops) {
		w.ops = make([][]float64, len(g.Ops))
	}
	if cap(w.loads) < len(g.Loads) {
		w.loads = make([][]float64, len(g.Loads))
	}
	w.ops, w.loads = w.ops[:len(g.Ops)], w.loads[:len(g.Loads)]
	w.kept = append(w.kept[:0], make([]kept, len(g.Loads))...)
	w.memory = append(w.memory[:0], make([][]float64, len(g.Loads)+len(g.Ops))...)
	memory := w.memory
	defer w.forget()
	for l := range g.Loads {
		memory[l] = r.memory(g.Loads[l].Slot)
	}
	for i := range g.Ops {
		if g.Ops[i].Store {
			memory[len(g.Loads)+i] = r.memory(g.Ops[i].Slot)
		}
	}
	if g.Copy && sink == nil {
		r.copyEntries(&g.Loads[0], memory[0], memory[1], lo, hi)
		return
	}
	for at := lo; at < hi; at += block {
		n := min(block, hi-at)
		first := at == lo
		for l := range g.Loads {
			ld := &g.Loads[l]
			if ld.Reg >= 0 && !first && ld.View.Uniform() {
				w.loads[l] = w.loads[l][:n]
				continue
			}
			var reg []float64
			if ld.Reg >= 0 {
				reg = w.regs[ld.Reg*block : ld.Reg*block+n]
			}
			if ld.Segment > 0 {
				// The block before holds the same, if both lie in one segment alike.
				segment, phase := at/ld.Segment, at%ld.Inner
				if k := &w.kept[l]; !first && k.n >= n && k.segment == segment && k.phase == phase && (at+n-1)/ld.Segment == segment {
					w.loads[l] = reg
					continue
				}
				w.loads[l] = load(ld, memory[l], at, n, reg)
				w.kept[l] = kept{}
				if &w.loads[l][0] == &reg[0] && (at+n-1)/ld.Segment == segment {
					w.kept[l] = kept{segment, phase, n}
				}
				continue
			}
			w.loads[l] = load(ld, memory[l], at, n, reg)
		}
		for i := range g.Ops {
			op := &g.Ops[i]
			store := memory[len(g.Loads)+i]
			if i < g.Uniform && !first {
				w.ops[i] = w.ops[i][:n]
			} else {
				if op.Reg >= 0 {
					w.ops[i] = w.regs[op.Reg*block : op.Reg*block+n]
				} else {
					w.ops[i] = store[at : at+n]
				}
				w.apply(op, w.ops[i])
			}
			if op.Store && op.Reg >= 0 {
				copy(store[at:at+n], w.ops[i])
			}
		}
		if sink != nil {
			sink(at, w.ops[len(w.ops)-1])
		}
		if r.ctx.Err() != nil {
			return
		}
	}
}

// copyBlock is the number of entries that are copied between looks at the context.
const copyBlock = 4096

// copyEntries stores the entries of an operand from lo to hi.
func (r *running) copyEntries(ld *plan.Load, mem, store []float64, lo, hi int) {
	for at := lo; at < hi && r.ctx.Err() == nil; at += copyBlock {
		dst := store[at:min(at+copyBlock, hi)]
		if src := load(ld, mem, at, len(dst), dst); len(src) > 0 && &src[0] != &dst[0] {
			copy(dst, src)
		}
	}
}

// load gives n entries of an operand from entry at on: a slice of its memory where it lies so,
// else gathered into reg.
func load(ld *plan.Load, mem []float64, at, n int, reg []float64) []float64 {
	v := &ld.View
	if ld.Reg < 0 {
		if len(v.Dims) == 0 {
			return mem[v.Base : v.Base+1]
		}
		return mem[at : at+n]
	}
	last := len(v.Dims) - 1
	if last < 0 {
		fill(reg, mem[v.Base])
		return reg
	}
	// the index of the first entry, and its offset
	var index [plan.MaxDims]int
	off, rest := v.Base, at
	for k := last; k >= 0; k-- {
		index[k] = rest % v.Dims[k]
		rest /= v.Dims[k]
		off += index[k] * v.Stride[k]
	}
	inner, step := v.Dims[last], v.Stride[last]
	if step == 1 && index[last]+n <= inner {
		return mem[off : off+n]
	}
	for i := 0; i < n; {
		run := min(inner-index[last], n-i)
		dst := reg[i : i+run]
		switch step {
		case 1:
			copy(dst, mem[off:off+run])
		case 0:
			fill(dst, mem[off])
		default:
			o := off
			for j := range dst {
				dst[j] = mem[o]
				o += step
			}
		}
		i += run
		index[last] += run
		off += run * step
		for k := last; k > 0 && index[k] == v.Dims[k]; k-- {
			off += v.Stride[k-1] - v.Dims[k]*v.Stride[k]
			index[k] = 0
			index[k-1]++
		}
	}
	return reg
}

func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

func (w *workspace) source(s plan.Source) []float64 {
	if s.Load {
		return w.loads[s.Index]
	}
	return w.ops[s.Index]
}

// vector has the functions that run on whole blocks.
var vector = map[*atom.Row]func(dst, x []float64){
	atom.Exp: vecmath.Exp, atom.Log: vecmath.Log, atom.Tanh: vecmath.Tanh, atom.Sigmoid: vecmath.Sigmoid, atom.Softplus: vecmath.Softplus,
}

// apply computes one operation on one block.
func (w *workspace) apply(op *plan.Op, dst []float64) {
	v := op.V
	var x, y []float64
	if len(op.Args) > 0 {
		x = w.source(op.Args[0])[:len(dst)]
	}
	if len(op.Args) > 1 {
		y = w.source(op.Args[1])[:len(dst)]
	}
	switch v.Code {
	case plan.CodeMul:
		w.multiply(op, dst, x, y)
	case plan.CodeAdd:
		vecmath.Add(dst, x, y)
	case plan.CodePower:
		powers(dst, x, v.Scale)
	case plan.CodeF1:
		if f := vector[v.Atom]; f != nil {
			f(dst, x)
			break
		}
		f := v.Atom.F1
		for i := range dst {
			dst[i] = f(x[i])
		}
	case plan.CodeF2:
		f := v.Atom.F2
		for i := range dst {
			dst[i] = f(x[i], y[i])
		}
	}
	if v.ZeroAt0 {
		for i, b := range x {
			if b == 0 {
				dst[i] = 0
			}
		}
	}
}

// multiply is the product of the operands and the scale; an operand that divides does so in its place.
func (w *workspace) multiply(op *plan.Op, dst, x, y []float64) {
	v := op.V
	for k, weak := range v.WeakArgs {
		if weak && (v.Divides != nil && v.Divides[k] && hasZero(w.source(op.Args[k])[:len(dst)]) || hasInf(w.source(op.Args[k])[:len(dst)])) {
			w.multiplyWeak(op, dst)
			return
		}
	}
	if len(op.Args) == 0 {
		fill(dst, v.Scale)
		return
	}
	divides := func(k int) bool { return v.Divides != nil && v.Divides[k] }
	done := 1
	switch {
	case divides(0):
		for i, d := range x[:len(dst)] {
			dst[i] = v.Scale / d
		}
	case v.Scale != 1:
		scale := v.Scale
		for i, f := range x[:len(dst)] {
			dst[i] = scale * f
		}
	case len(op.Args) == 1:
		copy(dst, x)
	case divides(1):
		vecmath.Div(dst, x, y)
		done = 2
	default:
		vecmath.Mul(dst, x, y)
		done = 2
	}
	for k, a := range op.Args[done:] {
		if divides(done + k) {
			vecmath.Div(dst, dst, w.source(a))
		} else {
			vecmath.Mul(dst, dst, w.source(a))
		}
	}
}

// multiplyWeak is multiply where a weak factor is infinite somewhere, or a weak divisor 0: see product.
func (w *workspace) multiplyWeak(op *plan.Op, dst []float64) {
	f := make([]float64, len(op.Args)+1)
	weak := append([]bool{false}, op.V.WeakArgs...)
	for i := range dst {
		quotient, infinite := op.V.Scale, false
		f[0] = op.V.Scale
		for k, a := range op.Args {
			x := w.source(a)[i]
			if op.V.Divides != nil && op.V.Divides[k] {
				f[k+1] = 1 / x
				quotient /= x
				infinite = infinite || weak[k+1] && x == 0
			} else {
				f[k+1] = x
				quotient *= x
				infinite = infinite || weak[k+1] && math.IsInf(x, 0)
			}
		}
		if dst[i] = quotient; infinite {
			dst[i] = product(f, weak)
		}
	}
}

func hasZero(x []float64) bool { return slices.Contains(x, 0) }

// powers raises a block to a constant power.
func powers(dst, x []float64, r float64) {
	switch r {
	case 2:
		vecmath.Mul(dst, x, x)
	case -1:
		for i := range dst {
			dst[i] = 1 / x[i]
		}
	case 0.5:
		for i := range dst {
			dst[i] = math.Sqrt(x[i])
		}
	default:
		for i := range dst {
			dst[i] = power(x[i], r)
		}
	}
}

// power is x^r; the common exponents avoid the general function.
func power(x, r float64) float64 {
	switch r {
	case 2:
		return x * x
	case 3:
		return x * x * x
	case -1:
		return 1 / x
	case -2:
		return 1 / (x * x)
	case 0.5:
		return math.Sqrt(x)
	case -0.5:
		return 1 / math.Sqrt(x+0) // +Inf at -0 too
	}
	return math.Pow(x, r)
}
