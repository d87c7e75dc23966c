package denote

import (
	"fmt"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/internal/words"
)

// Env gives a term its meaning: what its names stand for.
type Env struct {
	Values  []Binding // innermost last
	Numbers []Number  // attributes: k, r, ...
	Sizes   []SizeBinding
	Maps    map[string]combinators.Map // what a text of closed combinators may name
	Tuples  map[string]*combinators.Value
	Batch   int               // how many axes "..." stands for
	Guard   combinators.Guard // of what can be infinite in the result
	// Calculus is for maps that a text applies to a value; nil where there is none.
	Calculus Calculus
}

// A Calculus works out the derivatives and adjoints in a map. Readers of texts know none: it is given to them.
type Calculus func(combinators.Map) (combinators.Map, error)

// Apply is the value of m at x; m is worked out first where derivatives or adjoints stand in it.
func (c Calculus) Apply(m combinators.Map, x *combinators.Value) (*combinators.Value, error) {
	if text.Unworked(m) {
		if c == nil {
			return nil, fmt.Errorf("%s is not worked out: it cannot be applied", text.PrintClosed(m, false))
		}
		var err error
		if m, err = c(m); err != nil {
			return nil, err
		}
	}
	return m.Store().ApplyMap(m, x)
}

// SizeBinding is a size by name.
type SizeBinding struct {
	Name string
	Size size.Size
}

// Binding is a value by name.
type Binding struct {
	Name  string
	Value *combinators.Node
}

// Number is an attribute by name.
type Number struct {
	Name  string
	Value *big.Rat
}

func (e *Env) value(name string) *combinators.Node {
	for i := len(e.Values) - 1; i >= 0; i-- {
		if e.Values[i].Name == name {
			return e.Values[i].Value
		}
	}
	return nil
}

func (e *Env) number(name string) *big.Rat {
	for i := range e.Numbers {
		if e.Numbers[i].Name == name {
			return e.Numbers[i].Value
		}
	}
	return nil
}

// ReadNode makes the value that the term t denotes under env. An operand of order 0
// broadcasts in + - .* ./ and .^. The error names a construction that is no value, or a
// name without a meaning, or says what does not type-check.
func ReadNode(s *combinators.Store, t *text.Term, env *Env) (n *combinators.Node, err error) {
	defer must.Recover(&err)
	return (&builder{s: s, env: env}).term(t), nil
}

// ReadNumber is the number that an expression denotes in numbers and the names of others.
func ReadNumber(t *text.Term, numbers []Number) (r *big.Rat, err error) {
	defer must.Recover(&err)
	return (&builder{env: &Env{Numbers: numbers}}).arith(t), nil
}

// A builder makes values. What denotes none ends in a panic with a *[combinators.TypeError], as what does not type-check
// does; the entry makes it the error of the reading.
type builder struct {
	s    *combinators.Store
	env  *Env
	text *mapReader // of a user's text, whose values may apply maps; else nil
}

func (b *builder) term(t *text.Term) *combinators.Node {
	if b.text == nil {
		return b.oneTerm(t)
	}
	return b.text.node(t)
}

// oneTerm is one switch: a case for each operation.
func (b *builder) oneTerm(t *text.Term) *combinators.Node {
	s := b.s
	switch t.Op {
	case text.Num:
		if len(t.Attrs) > 0 {
			return s.Fill(t.Rat, b.shape(t.Attrs))
		}
		return s.Const(t.Rat)
	case text.Name:
		if n := b.env.value(t.Name); n != nil && len(t.Attrs) == 0 {
			return n
		}
		if r := b.env.number(t.Name); r != nil && len(t.Attrs) == 0 {
			return s.Const(r)
		}
		if len(t.Attrs) > 0 || b.env.hasSize(t.Name) {
			return b.sized(t)
		}
		if t.Name == atom.Pi.Name {
			return s.Pi()
		}
		panic(combinators.TypeErrorf("%s stands for no value", t.Name))
	case text.Let:
		keep := len(b.env.Values)
		defer func() { b.env.Values = b.env.Values[:keep] }()
		for i, name := range t.Names {
			b.env.Values = append(b.env.Values, Binding{name, b.term(t.Args[i])})
		}
		return b.term(t.Args[len(t.Args)-1])
	case text.Blocks, text.Copair:
		if b.text == nil {
			return b.s.Blocks(text.Cells(t, b.term))
		}
	}
	if f := text.Relational(t); f != nil {
		return b.relational(f.Args[0], f.Type, b.term(t.Args[1]))
	}
	args := lists.Map(t.Args, b.term)
	switch t.Op {
	case text.Neg:
		if args[0].Is(atom.Const) {
			return s.Const(new(big.Rat).Neg(args[0].Rat()))
		}
		return s.Neg(args[0])
	case text.Add, text.Sub, text.Mul, text.Div, text.Pow:
		return b.infix(t.Op, args[0], args[1])
	case text.Ein:
		return b.ein(t.Index, args)
	case text.Call:
		if t.Name == "scan" && len(args) == 1 {
			return b.relational(text.NewName("scan"), nil, args[0])
		}
		return b.call(t, args)
	}
	panic(combinators.TypeErrorf("%s is no value", t))
}

// relational is a scan or a relation at x, in a rule on values: (red{(i,j) | i <= j} : R[m] -o R[n])(x).
func (b *builder) relational(name *text.Term, as *text.Type, x *combinators.Node) *combinators.Node {
	var cod *combinators.Space
	if as != nil {
		if !slices.Equal(b.shape(as.Dom.Dims), x.Shape()) {
			panic(combinators.TypeErrorf("%s is no map on %s", name, size.Shape(x.Shape())))
		}
		cod = spaceOf(combinators.TensorSpace(b.shape(as.Cod.Dims)))
	}
	return must.Get(b.s.ApplyMap((&mapReader{builder: *b}).standardOnTensor(name, combinators.TensorSpace(x.Shape()), cod, nil), b.s.Value(x))).Node()
}

func (b *builder) infix(op text.Op, x, y *combinators.Node) *combinators.Node {
	s := b.s
	if x.Is(atom.Const) && y.Is(atom.Const) {
		if r := fold(op, x.Rat(), y.Rat()); r != nil {
			return s.Const(r)
		}
	}
	if op == text.Pow && y.Is(atom.Const) {
		return guarded(s.Power(x, y.Rat()), b.env.Guard)
	}
	if op == text.Mul || op == text.Div {
		if op == text.Div {
			y = guarded(s.Recip(y), b.env.Guard)
		}
		switch {
		case x.Order() == 0:
			if isOne(x) {
				return y
			}
			return s.Scale(x, y)
		case y.Order() == 0:
			return s.Scale(y, x)
		}
		return s.Mul(x, y)
	}
	if x.Order() == 0 && y.Order() > 0 {
		x = s.Broadcast(x, y.Shape())
	}
	if y.Order() == 0 && x.Order() > 0 {
		y = s.Broadcast(y, x.Shape())
	}
	switch op {
	case text.Add:
		if r, ok := x.Filled(); ok && r.Sign() == 0 && b.text == nil {
			return y
		}
		if r, ok := y.Filled(); ok && r.Sign() == 0 && b.text == nil {
			return x
		}
		return s.Add(x, y)
	case text.Sub:
		if y.Is(atom.Const) {
			return s.Add(x, s.Const(new(big.Rat).Neg(y.Rat())))
		}
		return s.Sub(x, y)
	}
	return guarded(s.Binary(atom.Pow, x, y), b.env.Guard)
}

// fold is exact arithmetic on numbers, nil where it has no exact value.
func fold(op text.Op, x, y *big.Rat) *big.Rat {
	switch op {
	case text.Add:
		return new(big.Rat).Add(x, y)
	case text.Sub:
		return new(big.Rat).Sub(x, y)
	case text.Mul:
		return new(big.Rat).Mul(x, y)
	case text.Div:
		if y.Sign() != 0 {
			return new(big.Rat).Quo(x, y)
		}
	}
	return nil
}

func isOne(n *combinators.Node) bool {
	return n.Is(atom.Const) && n.Rat().IsInt() && n.Rat().Num().IsInt64() && n.Rat().Num().Int64() == 1
}

func (b *builder) call(t *text.Term, args []*combinators.Node) *combinators.Node {
	s := b.s
	if len(args) == 1 {
		switch {
		case t.Name == "ones", t.Name == "zeros", t.Name == "eye":
			return b.filled(t.Name, args[0].Shape())
		case b.text != nil: // only derivatives make guarded terms
		case t.Name == "weak":
			return guarded(args[0], combinators.GuardWeak)
		case t.Name == "zero":
			return guarded(args[0], combinators.GuardZero)
		}
	}
	at := t.Row()
	if r := b.exact(at, args); r != nil {
		return s.Const(r)
	}
	switch {
	case at == nil || at.Arity != len(args) || at.Class < atom.ClassLinear:
		panic(combinators.TypeErrorf("%s of %s is no function", t.Name, words.Count(len(args), "operand")))
	case at == atom.Power:
		return guarded(s.Power(args[0], b.attr(t, 0)), b.env.Guard)
	case at.Class == atom.ClassElementwise:
		b.level(args)
	case at == atom.Split && len(t.Attrs) != 3:
		panic(combinators.TypeErrorf("%s: split has its axis and two sizes in brackets", t))
	}
	attr := 0
	if len(t.Attrs) > 0 {
		r := b.attr(t, 0)
		if !r.IsInt() || !r.Num().IsInt64() {
			panic(combinators.TypeErrorf("%s: the attribute is %s", t.Name, r.RatString()))
		}
		attr = int(r.Num().Int64())
	}
	if at == atom.Split {
		sizes := b.shape(t.Attrs[1:])
		return s.Split(attr, sizes[0], sizes[1], args[0])
	}
	if t.Function != nil {
		return s.Declared(at, attr, b.env.openSizes(at, nil), args...)
	}
	return guarded(s.Apply(at, attr, args...), b.env.Guard)
}

// exact is the value of a function of numbers in a rule, nil where it is no rational number: log(r) is 0 for r = 1.
func (b *builder) exact(at *atom.Row, args []*combinators.Node) *big.Rat {
	if b.text != nil || at == nil || at.Exact == nil || at.Arity != len(args) || !args[0].Is(atom.Const) || !args[len(args)-1].Is(atom.Const) {
		return nil
	}
	return at.Exact(args[0].Rat(), args[len(args)-1].Rat())
}

// guarded puts a guard on n where n is a function that can be infinite.
func guarded(n *combinators.Node, g combinators.Guard) *combinators.Node {
	if g == combinators.GuardNone {
		return n
	}
	if n.CanBeInfinite() {
		return n.WithGuard(g)
	}
	return n
}

// attr is the number that attribute i of t denotes.
func (b *builder) attr(t *text.Term, i int) *big.Rat {
	if i >= len(t.Attrs) {
		panic(combinators.TypeErrorf("%s needs an attribute in brackets", t.Name))
	}
	return b.arith(t.Attrs[i])
}

func (b *builder) arith(t *text.Term) *big.Rat {
	switch t.Op {
	case text.Num:
		return t.Rat
	case text.Name:
		if r := b.env.number(t.Name); r != nil {
			return r
		}
		panic(combinators.TypeErrorf("%s stands for no number", t.Name))
	}
	args := lists.Map(t.Args, b.arith)
	switch t.Op {
	case text.Neg:
		return new(big.Rat).Neg(args[0])
	case text.Add, text.Sub, text.Mul, text.Div:
		if r := fold(t.Op, args[0], args[1]); r != nil {
			return r
		}
		panic(combinators.TypeErrorf("%s divides by zero", t))
	}
	panic(combinators.TypeErrorf("%s is no number", t))
}

// ein builds a contraction of args.
func (b *builder) ein(x *text.Index, args []*combinators.Node) *combinators.Node {
	shapes := lists.Map(args, func(a *combinators.Node) []size.Size { return a.Shape() })
	return b.s.Ein(b.contraction(x, shapes), args...)
}

// contraction is what x means for operands of the given shapes. "..." is env.Batch axes; "~" is
// what an operand has left, the same variables in every group.
func (b *builder) contraction(x *text.Index, shapes [][]size.Size) *einsum.Contraction {
	if len(x.In) != len(shapes) {
		panic(combinators.TypeErrorf("%s has %s, not %d", x, words.Count(len(x.In), "operand"), len(shapes)))
	}
	if x.Out.Forms != nil {
		return b.general(x, shapes)
	}
	g := grouping{x: x, batch: b.env.Batch, letters: map[string]int{}}
	in := lists.Indexed(shapes, func(k int, sh []size.Size) []int { return g.operand(x.In[k], sh) })
	for _, z := range x.Sizes {
		if _, ok := g.letters[z.Letter]; !ok {
			g.letters[z.Letter] = g.fresh(b.size(z.Size))
		}
	}
	var out []int
	if x.Out.Batch {
		out = append(out, g.lead...)
	}
	for _, l := range x.Out.Letters {
		v, ok := g.letters[l]
		if !ok {
			panic(combinators.TypeErrorf("%s: no operand has %s", x, l))
		}
		out = append(out, v)
	}
	if x.Out.Rest {
		out = append(out, g.rest...)
	}
	return einsum.Plain(in, out, g.dims)
}

// grouping gives the variables of an index group sizes.
type grouping struct {
	x          *text.Index
	batch      int // how many axes ... stands for
	dims       []size.Size
	lead, rest []int // the variables of ... and of ~; nil where they are not known
	letters    map[string]int
}

func (g *grouping) fresh(d size.Size) int {
	g.dims = append(g.dims, d)
	return len(g.dims) - 1
}

// operand gives the variables of an operand of shape sh.
func (g *grouping) operand(a text.Axes, sh []size.Size) (vars []int) {
	lead := 0
	if a.Batch {
		lead = g.batch
	}
	if len(sh) < lead+len(a.Letters) || len(sh) > lead+len(a.Letters) && !a.Rest {
		panic(combinators.TypeErrorf("%s: %s does not fit an operand of order %d", g.x, a, len(sh)))
	}
	take := func(known *[]int, shape []size.Size) {
		if *known == nil {
			*known = []int{}
			for _, d := range shape {
				*known = append(*known, g.fresh(d))
			}
		}
		vars = append(vars, *known...)
	}
	if a.Batch {
		take(&g.lead, sh[:lead])
	}
	for i, l := range a.Letters {
		v, ok := g.letters[l]
		if !ok {
			v = g.fresh(sh[lead+i])
			g.letters[l] = v
		}
		vars = append(vars, v)
	}
	if a.Rest {
		take(&g.rest, sh[lead+len(a.Letters):])
	}
	for i, v := range vars {
		if i < len(sh) && g.dims[v] == sh[i] {
			continue
		}
		for l, u := range g.letters {
			if u == v && i < len(sh) {
				panic(combinators.TypeErrorf("%s: %s is %s, but axis %d of %s has size %s", g.x, l, g.dims[v], i, size.Shape(sh), sh[i]))
			}
		}
		panic(combinators.TypeErrorf("%s: sizes differ in %s", g.x, size.Shape(sh)))
	}
	return vars
}
