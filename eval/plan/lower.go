package plan

import (
	"slices"
)

// A lowered entry is a product of values along letters, which stand for several entries where
// one step computes them: what reads a value entry by entry, alone, and takes no more
// multiplications for it, computes it itself.
type lowered struct {
	scale float64
	ops   []factor
	out   []int
	size  []int // by letter
	inner int   // the sum that is computed here too, or -1
}

// A factor is a value with a letter for each of its axes.
type factor struct {
	value   int
	letters []int
}

// entrywise reports whether nothing is summed.
func (l *lowered) entrywise() bool {
	for _, o := range l.ops {
		for _, v := range o.letters {
			if !slices.Contains(l.out, v) {
				return false
			}
		}
	}
	return true
}

// entries is the number of entries of the result that are computed.
func (l *lowered) entries() float64 { return productOf(l.size, l.out) }

func productOf(size []int, letters []int) float64 {
	n := 1.0
	for i, v := range letters {
		if !slices.Contains(letters[:i], v) {
			n *= float64(size[v])
		}
	}
	return n
}

// lowerAll takes the entries of a listing together as they are computed, from the last to the
// first. Those that others compute have nothing of their own.
func (b *builder) lowerAll() error {
	b.lowered, b.within = make([]*lowered, len(b.entries)), make([]bool, len(b.entries))
	for _, v := range slices.Backward(b.items) {
		i := v - len(b.all)
		if i < 0 || b.within[i] || b.entries[i].kind == entryGuard || b.entries[i].kind == entryForm {
			continue
		}
		l, err := b.read(i)
		if err != nil {
			return err
		}
		b.lowered[i] = l
		for at := 0; at < len(l.ops); {
			took, err := b.takeIn(l, at)
			if err != nil {
				return err
			}
			if !took {
				at++
			}
		}
	}
	return nil
}

// read is one entry.
func (b *builder) read(i int) (*lowered, error) {
	e := &b.entries[i]
	l := &lowered{scale: 1, out: e.out, size: make([]int, len(e.dims)), inner: -1}
	for v, d := range e.dims {
		n, err := b.sizes.eval(d)
		if err != nil {
			return nil, &SizeError{Msg: err.Error()}
		}
		l.size[v] = int(n)
	}
	for k, a := range e.args {
		l.ops = append(l.ops, factor{a, e.in[k]})
	}
	if e.kind == entryScale || e.kind == entryNumber {
		n, err := b.sizes.eval(e.count)
		if err != nil {
			return nil, &SizeError{Msg: err.Error()}
		}
		x, _ := e.rat.Float64()
		l.scale = x * float64(n)
	}
	return l, nil
}

// takeIn puts what an operand is made of in its place, if nothing else reads it, and the
// operand is a number, or a number times a value, or makes as many entries as l itself.
func (b *builder) takeIn(l *lowered, at int) (bool, error) {
	o := l.ops[at]
	i := o.value - len(b.all)
	if i < 0 || b.uses[o.value] != 1 || b.within[i] {
		return false, nil
	}
	e := &b.entries[i]
	switch e.kind {
	case entryNumber:
	case entryScale: // after a sum a number costs nothing
		if l.entrywise() && productOf(l.size, o.letters) < l.entries() {
			return false, nil
		}
	case entryProduct:
		if !l.entrywise() || e.sums() && len(l.ops) > 1 {
			return false, nil
		}
	default:
		return false, nil
	}
	inner, err := b.read(i)
	if err != nil {
		return false, err
	}
	if e.kind == entryProduct && len(l.ops) > 1 && inner.entries() != l.entries() {
		return false, nil
	}
	if e.sums() && hasTwice(o.letters) { // a diagonal of a product: the rest of it is not needed
		return false, nil
	}
	b.within[i] = true
	if e.sums() {
		l.inner = o.value
	}
	l.scale *= inner.scale
	to := make([]int, len(inner.size))
	for v := range to {
		if a := slices.Index(inner.out, v); a >= 0 {
			to[v] = o.letters[a]
			continue
		}
		to[v] = len(l.size)
		l.size = append(l.size, inner.size[v])
	}
	l.ops = slices.Delete(slices.Clone(l.ops), at, at+1)
	for k, x := range inner.ops {
		l.ops = slices.Insert(l.ops, at+k, factor{x.value, pickInts(to, x.letters)})
	}
	return true, nil
}

func hasTwice(letters []int) bool {
	for i, v := range letters {
		if slices.Contains(letters[:i], v) {
			return true
		}
	}
	return false
}

// entry makes the value of an entry.
func (b *builder) entry(i int) error {
	e := &b.entries[i]
	v := len(b.all) + i
	switch e.kind {
	case entryForm:
		n, err := b.size(e.place)
		if err != nil {
			return err
		}
		b.of[v], err = b.product(b.forms[e.place], n)
		return err
	case entryGuard:
		return b.guard(v, e)
	}
	if b.within[i] {
		return nil
	}
	l := b.lowered[i]
	shape := pickInts(l.size, l.out)
	n, err := b.elements(shape)
	if err != nil {
		return err
	}
	nest := &Nest{Scale: 1}
	at := make([]int, len(l.size)) // by letter: its loop, or -1
	for letter, s := range l.size {
		at[letter] = -1
		if s != 1 {
			at[letter] = len(nest.Size)
			nest.Size = append(nest.Size, s)
		}
		nest.Empty = nest.Empty || s == 0
	}
	if nest.Empty || n == 0 {
		b.of[v] = b.zeros(n)
		return nil
	}
	if len(nest.Size) > maxLoops {
		return &LimitError{What: "loop variables of one contraction", Need: float64(len(nest.Size)), Limit: maxLoops}
	}
	walk := func(letters, strides []int) Walk {
		w := Walk{Stride: make([]int, len(nest.Size))}
		for a, letter := range letters {
			if at[letter] >= 0 {
				w.Stride[at[letter]] += strides[a]
			}
		}
		return w
	}
	p := &productPlan{b: b, nest: nest, n: n}
	nest.Scale = l.scale
	var ops []operand
	for _, o := range l.ops {
		x := operand{v: b.of[o.value], walk: walk(o.letters, b.stridesOf(o.value, pickInts(l.size, o.letters)))}
		parts := b.partsOf(o)
		for _, f := range parts {
			x.parts = append(x.parts, len(p.ops))
			p.ops = append(p.ops, operand{v: b.of[f.value], walk: walk(f.letters, b.stridesOf(f.value, pickInts(l.size, f.letters)))})
		}
		ops = append(ops, x)
		nest.In = append(nest.In, x.walk)
	}
	nest.Out = walk(l.out, rowMajor(shape))
	if e.kind == entryProduct && !b.rowwise[i] {
		order := p.layoutOf(ops, operand{walk: nest.Out}.vars())
		nest.Out, _ = p.fresh(order)
		if b.strides == nil {
			b.strides = map[int][]int{}
		}
		strides := make([]int, len(l.out))
		for a, letter := range l.out {
			if at[letter] >= 0 {
				strides[a] = nest.Out.Stride[at[letter]]
			}
		}
		b.strides[v] = strides
	}
	b.of[v], err = p.emit(ops)
	if l.inner >= 0 {
		b.of[l.inner] = p.left
	}
	return err
}

// stridesOf says how a value lies in memory, by axis: row by row, unless a step chose.
func (b *builder) stridesOf(value int, shape []int) []int {
	if s, ok := b.strides[value]; ok {
		return s
	}
	return rowMajor(shape)
}

func rowMajor(shape []int) []int {
	s := make([]int, len(shape))
	n := 1
	for a, d := range slices.Backward(shape) {
		s[a] = n
		n *= d
	}
	return s
}

// partsOf are the factors of an operand that is a product entry by entry, which tell whether
// a product of two operands is symmetric.
func (b *builder) partsOf(o factor) []factor {
	i := o.value - len(b.all)
	if i < 0 || b.lowered[i] == nil || !b.lowered[i].entrywise() || hasTwice(b.lowered[i].out) {
		return []factor{o}
	}
	inner := b.lowered[i]
	var out []factor
	for _, f := range inner.ops {
		letters := make([]int, len(f.letters))
		for a, v := range f.letters {
			letters[a] = o.letters[slices.Index(inner.out, v)]
		}
		out = append(out, factor{f.value, letters})
	}
	return out
}

// guard makes the value of a product where the infinities of weak factors lose.
func (b *builder) guard(v int, e *entry) error {
	f := b.forms[e.place]
	base := b.of[e.args[0]]
	n, err := b.size(e.place)
	if err != nil {
		return err
	}
	nest, err := b.nestOf(f.c)
	if err != nil || nest.Empty || n == 0 {
		b.of[v] = base
		return err
	}
	fix := Value{Kind: KindFix, N: n, Args: []View{whole(base)}, Nest: nest.inOrder(), Scale: nest.Scale, WeakArgs: make([]bool, len(f.args))}
	for k, a := range f.args {
		fix.Args = append(fix.Args, whole(b.of[b.valueOf(a)]))
		fix.WeakArgs[k] = b.isWeak(a)
	}
	b.of[v] = b.add(fix)
	return nil
}

// layoutOf is the order of axes in which a step's result is best left: batches, rows and
// columns of a matrix product, else as in its larger operand.
func (p *productPlan) layoutOf(ops []operand, result varset) []int {
	big := ops[0]
	for _, o := range ops {
		if o.v.N > big.v.N {
			big = o
		}
	}
	if len(ops) == 2 {
		if g, ok := p.roles(ops[0], ops[1], result); ok {
			return slices.Concat(g.batch, g.m, g.n)
		}
	}
	order := p.byStride(result.and(big.vars()), big.walk)
	left := result.minus(big.vars())
	for _, o := range ops {
		order = append(order, p.byStride(left.and(o.vars()), o.walk)...)
		left = left.minus(o.vars())
	}
	return order
}
