package plan

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/gather"
	"frechet/einsum/size"
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

type builder struct {
	*listing
	sizes   *Sizes
	limits  Limits
	of      []*Value      // by value of the listing
	strides map[int][]int // of those that do not lie row by row
	lowered []*lowered    // by entry
	within  []bool        // by entry: another entry computes it
	values  []*Value
	table   map[string]*Value
	key     []byte
	flops   float64

	nests map[*einsum.Contraction]*Nest
}

// listed is the listing of nodes with the given numbers for size symbols.
func listed(nodes []*combinators.Node, sizes *Sizes, shared bool) (*listing, error) {
	concrete := func(c *einsum.Contraction) (*einsum.Contraction, error) { return Concrete(c, sizes) }
	number := func(d size.Size) float64 {
		n, _ := d.Int()
		return float64(n)
	}
	return listingOf(nodes, concrete, number, shared)
}

// build makes the values of a listing with the given numbers for size symbols.
func build(l *listing, sizes *Sizes, limits Limits) (*builder, error) {
	b := &builder{listing: l, sizes: sizes, limits: limits, table: map[string]*Value{},
		nests: map[*einsum.Contraction]*Nest{}}
	b.of = make([]*Value, len(b.all)+len(b.entries))
	if err := b.lowerAll(); err != nil {
		return nil, err
	}
	for _, v := range b.items {
		var err error
		if v >= len(b.all) {
			err = b.entry(v - len(b.all))
		} else {
			b.of[v], err = b.emit(b.all[v])
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// made is the value of a node.
func (b *builder) made(n *combinators.Node) *Value { return b.of[b.valueOf(n)] }

// add interns a value.
func (b *builder) add(v Value) *Value {
	b.key = v.appendKey(b.key[:0])
	if old, ok := b.table[string(b.key)]; ok {
		return old
	}
	w := new(Value)
	*w = v
	w.ID = len(b.values)
	b.values = append(b.values, w)
	b.table[string(b.key)] = w
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
	shape, err := b.sizes.Shape(n.Given())
	if err != nil {
		return nil, err
	}
	size, err := b.elements(shape)
	if err != nil {
		return nil, err
	}
	args := make([]View, len(n.Args()))
	for k, a := range n.Args() {
		args[k] = whole(b.made(a))
	}
	at := n.Atom()
	switch {
	case at == atom.Var:
		return b.add(Value{Kind: KindInput, N: size, Name: n.Name()}), nil
	case at == atom.Const:
		x, _ := n.Rat().Float64()
		return b.constant(x), nil
	case at.Class == atom.ClassConstant:
		return b.constant(at.Value), nil
	case at == atom.Add:
		for k, a := range n.Args() {
			if v := args[k].V; b.uses[b.valueOf(a)] == 1 && v != args[1-k].V && v.sparse() {
				w := *v
				w.Onto, w.Args = true, append(slices.Clone(v.Args), args[1-k])
				return b.add(w), nil
			}
		}
		return b.add(Value{Kind: KindMap, N: size, Code: CodeAdd, Args: args}), nil
	case at == atom.Power:
		r, _ := n.Rat().Float64()
		return b.unary(Value{Kind: KindMap, N: size, Code: CodePower, Scale: r, Args: args, ZeroAt0: n.Guard() == combinators.GuardZero}), nil
	case at.F1 != nil:
		return b.unary(Value{Kind: KindMap, N: size, Code: CodeF1, Atom: at, Args: args, ZeroAt0: n.Guard() == combinators.GuardZero}), nil
	case at.F2 != nil:
		return b.add(Value{Kind: KindMap, N: size, Code: CodeF2, Atom: at, Args: args}), nil
	case at == atom.Merge || at == atom.Split:
		return args[0].V, nil // the entries stay in row-major order
	}
	if n.Body() != nil {
		return b.bodied(n, size, args)
	}
	v := Value{Kind: KindPrim, N: size, Atom: at, Attr: n.Attr(), Args: args}
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

// sparse reports whether a value is made by loops that reach part of it: then they add to
// another value rather than to zeros. A concatenation is a sum of such values.
func (v *Value) sparse() bool {
	return v.Kind == KindNest && !v.Onto && (v.Nest.points() <= float64(v.N) || len(v.Nest.Ge) > 0)
}

// unary adds a function of one operand. Where the operand is spread from fewer entries, the
// function is computed at those and then spread.
func (b *builder) unary(v Value) *Value {
	a := v.Args[0].V
	if !a.identity() || a.Args[0].V.N >= v.N || !v.Args[0].dense(v.N) {
		return b.add(v)
	}
	spread := a.Args[0]
	v.N, v.Args = spread.V.N, []View{whole(spread.V)}
	spread.V = b.unary(v)
	return b.add(Value{Kind: KindMap, Code: CodeMul, Scale: 1, N: a.N, Args: []View{spread}})
}

// primFlops estimates the work of a primitive: cubic in the matrix, times the batch.
func primFlops(v Value) float64 {
	s := v.Shapes[0]
	switch v.Atom {
	case atom.Inv, atom.Minor, atom.LogDet, atom.Solve:
		n := float64(s[len(s)-1])
		return n*float64(v.Args[0].V.N) + float64(v.N)
	}
	if v.Atom.Over == atom.OverMatrices { // by eigenvalues, and n operations for each entry along directions
		n := float64(s[len(s)-1])
		return n * (20*float64(v.Args[0].V.N) + 4*float64(v.N))
	}
	return 8 * float64(v.Args[0].V.N)
}

// scratch is the number of floats that a primitive needs while it runs, beside its operands and
// its result.
func (v *Value) scratch() float64 {
	if v.Kind != KindPrim {
		return 0
	}
	s := v.Shapes[0]
	switch v.Atom {
	case atom.Inv, atom.LogDet, atom.Solve:
		n := float64(s[len(s)-1])
		return 4 * n * n
	case atom.Minor:
		n := s[len(s)-1]
		if v.Attr > n {
			return 0
		}
		sets := 1.0 // the subsets of k rows
		for i := range v.Attr {
			sets *= float64(n-i) / float64(i+1)
		}
		return 8*float64(n)*float64(n) + 4*sets*sets
	}
	return 0
}

// zeros is a value of n zeros.
func (b *builder) zeros(n int) *Value {
	return b.add(Value{Kind: KindMap, N: n, Code: CodeMul, Scale: 0})
}

// product makes the value of a product of n entries.
func (b *builder) product(f form, n int) (*Value, error) {
	if slices.ContainsFunc(f.args, (*combinators.Node).Relation) {
		return b.indexed(f, n)
	}
	nest, err := b.nestOf(f.c)
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
		ops[k] = operand{v: b.made(a), walk: nest.In[k]}
		if b.isWeak(a) {
			if weak == nil {
				weak = make([]bool, len(f.args))
			}
			weak[k] = true
		}
	}
	p := &productPlan{b: b, nest: nest, n: n, weak: weak}
	return p.emit(ops)
}

// nestOf is a form's contraction as loops.
func (b *builder) nestOf(c *einsum.Contraction) (*Nest, error) {
	if nest, ok := b.nests[c]; ok {
		return nest, nil
	}
	d, err := Concrete(c, b.sizes)
	if err != nil {
		return nil, err
	}
	nest := &Nest{Empty: true}
	if d, some := gather.Resolve(d); some {
		if nest, err = lowerNest(d); err != nil {
			return nil, err
		}
	}
	b.nests[c] = nest
	return nest, nil
}

// size is the number of entries of a node.
func (b *builder) size(place int) (int, error) {
	shape, err := Shape(b.all[place], b.sizes)
	if err != nil {
		return 0, err
	}
	return b.elements(shape)
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
