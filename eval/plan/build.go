package plan

import (
	"slices"

	"frechet/combinators"
	"frechet/einsum"
)

// Limits bound what a program may need.
type Limits struct {
	MaxElements int64 // entries of one tensor
	MaxBytes    int64 // memory of one run
}

// DefaultLimits are the limits of a zero Limits.
var DefaultLimits = Limits{MaxElements: 1 << 31, MaxBytes: 4 << 30}

func (l Limits) withDefaults() Limits {
	if l.MaxElements <= 0 {
		l.MaxElements = DefaultLimits.MaxElements
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultLimits.MaxBytes
	}
	return l
}

// A form is a node as a product: a contraction with numbers for sizes, over nodes that are
// computed. Products of products are one form where that never costs more.
type form struct {
	c    *einsum.Contraction
	args []*combinators.Node
}

type builder struct {
	sizes  map[string]int64
	limits Limits
	uses   map[*combinators.Node]int
	weak   map[*combinators.Node]bool
	forms  map[*combinators.Node]form
	of     map[*combinators.Node]*Value
	values []*Value
	table  map[string]*Value
	flops  float64
}

// Build plans the evaluation of nodes with the given numbers for size symbols.
func build(nodes []*combinators.Node, sizes map[string]int64, limits Limits) (*builder, error) {
	b := &builder{
		sizes: sizes, limits: limits.withDefaults(),
		uses: combinators.Uses(nodes...), weak: map[*combinators.Node]bool{},
		forms: map[*combinators.Node]form{}, of: map[*combinators.Node]*Value{}, table: map[string]*Value{},
	}
	all := combinators.Topo(nodes...)
	for _, n := range all {
		b.weak[n] = Weak(n, b.weak)
		if n.Atom() == combinators.AtomEin {
			f, err := b.form(n)
			if err != nil {
				return nil, err
			}
			b.forms[n] = f
		}
	}
	needed := map[*combinators.Node]bool{}
	for _, n := range nodes {
		needed[n] = true
	}
	for _, n := range slices.Backward(all) {
		if !needed[n] {
			continue
		}
		args := n.Args()
		if f, ok := b.forms[n]; ok {
			args = f.args
		}
		for _, a := range args {
			needed[a] = true
		}
	}
	for _, n := range all {
		if !needed[n] {
			continue
		}
		v, err := b.emit(n)
		if err != nil {
			return nil, err
		}
		b.of[n] = v
	}
	return b, nil
}

// maxFused is the number of operands beyond which products are not fused further.
const maxFused = 8

// form fuses the products among a product's operands into it, and solves the equalities of
// deltas and diagonals, so that these are never stored.
func (b *builder) form(n *combinators.Node) (form, error) {
	c, err := Concrete(n.Ein(), b.sizes)
	if err != nil {
		return form{}, err
	}
	args := slices.Clone(n.Args())
	fused := false
	for k := len(args) - 1; k >= 0; k-- {
		inner, ok := b.forms[args[k]]
		if !ok || !b.fusible(args[k], inner, len(args)) {
			continue
		}
		c = c.Fuse(k, inner.c)
		args = slices.Concat(args[:k], inner.args, args[k+1:])
		fused = true
	}
	if fused || len(c.Eq) > 0 {
		c = c.Solve()
	}
	return form{c, args}, nil
}

// fusible reports whether the operand a, of form f, is better multiplied out inside its user:
// constants and mere rearrangements always; what is used once, since every order of the parts
// stays possible; and products larger than their factors.
func (b *builder) fusible(a *combinators.Node, f form, siblings int) bool {
	summed := sums(f.c)
	factors := 0 // numbers aside
	for _, n := range f.args {
		if n.Atom() != combinators.AtomConst {
			factors++
		}
	}
	if len(f.args) == 0 || factors <= 1 && !summed {
		return siblings-1+len(f.args) <= 4*maxFused
	}
	if siblings-1+len(f.args) > maxFused || len(f.c.Vars) > maxLoops/maxFused {
		return false
	}
	if b.uses[a] == 1 {
		return true
	}
	parts := 0.0
	for _, acc := range f.c.In {
		parts += entries(acc)
	}
	return !summed && entries(f.c.Out) > parts
}

func entries(acc einsum.Access) float64 {
	n := 1.0
	for _, d := range acc.Shape {
		v, _ := d.Int()
		n *= float64(v)
	}
	return n
}

// sums reports whether some variable does not appear in the output.
func sums(c *einsum.Contraction) bool {
	seen := make([]bool, len(c.Vars))
	for _, a := range c.Out.Index {
		for _, t := range a.Terms {
			seen[t.Var] = true
		}
	}
	return slices.Contains(seen, false)
}

// add interns a value.
func (b *builder) add(v Value) *Value {
	key := v.key()
	if old, ok := b.table[key]; ok {
		return old
	}
	w := new(Value)
	*w = v
	w.ID = len(b.values)
	b.values = append(b.values, w)
	b.table[key] = w
	return w
}

func (b *builder) constant(x float64) *Value { return b.add(Value{Kind: KindConst, N: 1, Const: x}) }

// elements checks a shape and counts its entries.
func (b *builder) elements(shape []int) (int, error) {
	if len(shape) > MaxOrder {
		return 0, &LimitError{What: "axes of one tensor", Need: float64(len(shape)), Limit: MaxOrder}
	}
	f := 1.0
	for _, d := range shape {
		f *= float64(d)
	}
	if slices.Contains(shape, 0) {
		f = 0 // an infinite product times 0
	}
	if f > float64(b.limits.MaxElements) {
		return 0, &LimitError{What: "elements in one tensor", Need: f, Limit: b.limits.MaxElements,
			Help: "ask for a product with a vector instead, or for fewer entries"}
	}
	return int(f), nil
}

// emit makes the value of a node whose operands have values.
func (b *builder) emit(n *combinators.Node) (*Value, error) {
	shape, err := Shape(n, b.sizes)
	if err != nil {
		return nil, err
	}
	size, err := b.elements(shape)
	if err != nil {
		return nil, err
	}
	args := make([]View, len(n.Args()))
	if n.Atom() != combinators.AtomEin {
		for k, a := range n.Args() {
			args[k] = whole(b.of[a])
		}
	}
	at := n.Atom()
	switch {
	case at == combinators.AtomVar:
		return b.add(Value{Kind: KindInput, N: size, Name: n.Name()}), nil
	case at == combinators.AtomConst:
		x, _ := n.Rat().Float64()
		return b.constant(x), nil
	case at == combinators.AtomEin:
		return b.product(b.forms[n], size)
	case at == combinators.AtomAdd:
		return b.add(Value{Kind: KindMap, N: size, Code: CodeAdd, Args: args}), nil
	case at == combinators.AtomPower:
		r, _ := n.Rat().Float64()
		return b.add(Value{Kind: KindMap, N: size, Code: CodePower, Scale: r, Args: args, ZeroAt0: n.Guard() == combinators.GuardZero}), nil
	case at.F1 != nil:
		return b.add(Value{Kind: KindMap, N: size, Code: CodeF1, Atom: at, Args: args, ZeroAt0: n.Guard() == combinators.GuardZero}), nil
	case at.F2 != nil:
		return b.add(Value{Kind: KindMap, N: size, Code: CodeF2, Atom: at, Args: args}), nil
	case at.Name == "merge" || at.Name == "split":
		return args[0].V, nil // the entries stay in row-major order
	}
	v := Value{Kind: KindPrim, N: size, Prim: at.Name, Attr: n.Attr(), Args: args}
	for _, a := range n.Args() {
		s, err := Shape(a, b.sizes)
		if err != nil {
			return nil, err
		}
		v.Shapes = append(v.Shapes, s)
	}
	v.Shapes = append(v.Shapes, shape)
	b.flops += primFlops(v)
	return b.add(v), nil
}

// primFlops estimates the work of a primitive: cubic in the matrix, times the batch.
func primFlops(v Value) float64 {
	s := v.Shapes[0]
	switch v.Prim {
	case "inv", "minor", "logdet", "solve":
		n := float64(s[len(s)-1])
		return n*float64(v.Args[0].V.N) + float64(v.N)
	}
	return 8 * float64(v.Args[0].V.N)
}

// zeros is a value of n zeros.
func (b *builder) zeros(n int) *Value {
	return b.add(Value{Kind: KindMap, N: n, Code: CodeMul, Scale: 0})
}

// product makes the value of a product of n entries.
func (b *builder) product(f form, n int) (*Value, error) {
	nest, err := lowerNest(f.c)
	if err != nil {
		return nil, err
	}
	if nest.Empty || n == 0 {
		return b.zeros(n), nil
	}
	if len(nest.Size) > maxLoops {
		return nil, &LimitError{What: "loop variables of one contraction", Need: float64(len(nest.Size)), Limit: maxLoops}
	}
	ops := make([]operand, len(f.args))
	var weak []bool
	for k, a := range f.args {
		ops[k] = operand{v: b.of[a], walk: nest.In[k]}
		if b.weak[a] {
			if weak == nil {
				weak = make([]bool, len(f.args))
			}
			weak[k] = true
		}
	}
	p := &productPlan{b: b, nest: nest, n: n, weak: weak}
	return p.emit(ops)
}

// An operand is a factor of a product: a value read under a walk over the nest's variables.
type operand struct {
	v     *Value
	walk  Walk
	parts []int // the original operands that went into it
}

func (o operand) vars() varset {
	var s varset
	for v, stride := range o.walk.Stride {
		if stride != 0 {
			s.add(v)
		}
	}
	return s
}
