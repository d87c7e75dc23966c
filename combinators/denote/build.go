package denote

import (
	"fmt"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
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

// Build makes the value that the term t denotes under env. An operand of order 0
// broadcasts in + - .* ./ and .^. The error names a construction that is no value, or a
// name without a meaning.
func Build(s *combinators.Store, t *text.Term, env *Env) (*combinators.Node, error) {
	b := builder{s: s, env: env}
	return b.term(t)
}

// ReadNode is Build with type errors as errors.
func ReadNode(s *combinators.Store, t *text.Term, env *Env) (n *combinators.Node, err error) {
	defer combinators.RecoverTypeError(&err)
	return Build(s, t, env)
}

// ReadNumber is the number that an expression denotes in numbers and the names of others.
func ReadNumber(t *text.Term, numbers []Number) (*big.Rat, error) {
	return (&builder{env: &Env{Numbers: numbers}}).arith(t)
}

type builder struct {
	s    *combinators.Store
	env  *Env
	text *mapReader // of a user's text, whose values may apply maps; else nil
}

func (b *builder) term(t *text.Term) (*combinators.Node, error) {
	if b.text != nil {
		return b.text.node(t)
	}
	return b.oneTerm(t)
}

func (b *builder) oneTerm(t *text.Term) (*combinators.Node, error) {
	s := b.s
	switch t.Op {
	case text.Num:
		if len(t.Attrs) > 0 {
			shape, err := b.shape(t.Attrs)
			if err != nil {
				return nil, err
			}
			return s.Fill(t.Rat, shape), nil
		}
		return s.Const(t.Rat), nil
	case text.Name:
		if n := b.env.value(t.Name); n != nil && len(t.Attrs) == 0 {
			return n, nil
		}
		if r := b.env.number(t.Name); r != nil && len(t.Attrs) == 0 {
			return s.Const(r), nil
		}
		if len(t.Attrs) > 0 || b.env.hasSize(t.Name) {
			return b.sized(t)
		}
		if t.Name == atom.Pi.Name {
			return s.Pi(), nil
		}
		return nil, fmt.Errorf("%s stands for no value", t.Name)
	case text.Let:
		keep := len(b.env.Values)
		defer func() { b.env.Values = b.env.Values[:keep] }()
		for i, name := range t.Names {
			n, err := b.term(t.Args[i])
			if err != nil {
				return nil, err
			}
			b.env.Values = append(b.env.Values, Binding{name, n})
		}
		return b.term(t.Args[len(t.Args)-1])
	}
	args := make([]*combinators.Node, len(t.Args))
	for i, a := range t.Args {
		n, err := b.term(a)
		if err != nil {
			return nil, err
		}
		args[i] = n
	}
	switch t.Op {
	case text.Neg:
		if args[0].Is(atom.Const) {
			return s.Const(new(big.Rat).Neg(args[0].Rat())), nil
		}
		return s.Neg(args[0]), nil
	case text.Add, text.Sub, text.Mul, text.Div, text.Pow:
		return b.infix(t.Op, args[0], args[1])
	case text.Ein:
		return b.ein(t.Index, args)
	case text.Call:
		return b.call(t, args)
	}
	return nil, fmt.Errorf("%s is no value", t)
}

func (b *builder) infix(op text.Op, x, y *combinators.Node) (*combinators.Node, error) {
	s := b.s
	if x.Is(atom.Const) && y.Is(atom.Const) {
		if r := fold(op, x.Rat(), y.Rat()); r != nil {
			return s.Const(r), nil
		}
	}
	if op == text.Pow && y.Is(atom.Const) {
		return guarded(s.Power(x, y.Rat()), b.env.Guard), nil
	}
	if op == text.Mul || op == text.Div {
		if op == text.Div {
			y = guarded(s.Recip(y), b.env.Guard)
		}
		switch {
		case x.Order() == 0:
			if isOne(x) {
				return y, nil
			}
			return s.Scale(x, y), nil
		case y.Order() == 0:
			return s.Scale(y, x), nil
		}
		return s.Mul(x, y), nil
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
			return y, nil
		}
		if r, ok := y.Filled(); ok && r.Sign() == 0 && b.text == nil {
			return x, nil
		}
		return s.Add(x, y), nil
	case text.Sub:
		if y.Is(atom.Const) {
			return s.Add(x, s.Const(new(big.Rat).Neg(y.Rat()))), nil
		}
		return s.Sub(x, y), nil
	}
	return guarded(s.Binary(atom.Pow, x, y), b.env.Guard), nil
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

func (b *builder) call(t *text.Term, args []*combinators.Node) (*combinators.Node, error) {
	s := b.s
	if len(args) == 1 {
		switch {
		case t.Name == "ones", t.Name == "zeros", t.Name == "eye":
			return b.filled(t.Name, args[0].Shape())
		case b.text != nil: // only derivatives make guarded terms
		case t.Name == "weak":
			return guarded(args[0], combinators.GuardWeak), nil
		case t.Name == "zero":
			return guarded(args[0], combinators.GuardZero), nil
		}
	}
	at := t.Row()
	if r := b.exact(at, args); r != nil {
		return s.Const(r), nil
	}
	if at == nil || at.Arity != len(args) || at.Class < atom.ClassLinear {
		return nil, fmt.Errorf("%s of %s is no function", t.Name, words.Count(len(args), "operand"))
	}
	if at == atom.Power {
		r, err := b.attr(t, 0)
		if err != nil {
			return nil, err
		}
		return guarded(s.Power(args[0], r), b.env.Guard), nil
	}
	if at.Class == atom.ClassElementwise {
		b.level(args)
	}
	if t.Name == "split" && len(t.Attrs) != 3 {
		return nil, fmt.Errorf("%s: split has its axis and two sizes in brackets", t)
	}
	attr := 0
	if len(t.Attrs) > 0 {
		r, err := b.attr(t, 0)
		if err != nil {
			return nil, err
		}
		if !r.IsInt() || !r.Num().IsInt64() {
			return nil, fmt.Errorf("%s: the attribute is %s", t.Name, r.RatString())
		}
		attr = int(r.Num().Int64())
	}
	if t.Name == "split" {
		sizes, err := b.shape(t.Attrs[1:])
		if err != nil {
			return nil, err
		}
		return s.Split(attr, sizes[0], sizes[1], args[0]), nil
	}
	if t.Function != nil {
		return s.Declared(at, attr, b.env.openSizes(at, nil), args...), nil
	}
	return guarded(s.Apply(at, attr, args...), b.env.Guard), nil
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
func (b *builder) attr(t *text.Term, i int) (*big.Rat, error) {
	if i >= len(t.Attrs) {
		return nil, fmt.Errorf("%s needs an attribute in brackets", t.Name)
	}
	return b.arith(t.Attrs[i])
}

func (b *builder) arith(t *text.Term) (*big.Rat, error) {
	switch t.Op {
	case text.Num:
		return t.Rat, nil
	case text.Name:
		if r := b.env.number(t.Name); r != nil {
			return r, nil
		}
		return nil, fmt.Errorf("%s stands for no number", t.Name)
	}
	args := make([]*big.Rat, len(t.Args))
	for i, a := range t.Args {
		r, err := b.arith(a)
		if err != nil {
			return nil, err
		}
		args[i] = r
	}
	switch t.Op {
	case text.Neg:
		return new(big.Rat).Neg(args[0]), nil
	case text.Add:
		return new(big.Rat).Add(args[0], args[1]), nil
	case text.Sub:
		return new(big.Rat).Sub(args[0], args[1]), nil
	case text.Mul:
		return new(big.Rat).Mul(args[0], args[1]), nil
	case text.Div:
		if args[1].Sign() == 0 {
			return nil, fmt.Errorf("%s divides by zero", t)
		}
		return new(big.Rat).Quo(args[0], args[1]), nil
	}
	return nil, fmt.Errorf("%s is no number", t)
}

// ein builds a contraction of args.
func (b *builder) ein(x *text.Index, args []*combinators.Node) (*combinators.Node, error) {
	shapes := make([][]size.Size, len(args))
	for k, a := range args {
		shapes[k] = a.Shape()
	}
	c, err := b.contraction(x, shapes)
	if err != nil {
		return nil, err
	}
	return b.s.Ein(c, args...), nil
}

// contraction is what x means for operands of the given shapes. "..." is env.Batch axes; "~" is
// what an operand has left, the same variables in every group.
func (b *builder) contraction(x *text.Index, shapes [][]size.Size) (*einsum.Contraction, error) {
	if len(x.In) != len(shapes) {
		return nil, fmt.Errorf("%s has %s, not %d", x, words.Count(len(x.In), "operand"), len(shapes))
	}
	if x.Out.Forms != nil {
		return b.general(x, shapes)
	}
	var dims []size.Size
	batch, rest := []int(nil), []int(nil)
	letters := map[string]int{}
	fresh := func(d size.Size) int {
		dims = append(dims, d)
		return len(dims) - 1
	}
	// group gives the variables of an operand of shape sh.
	group := func(a text.Axes, sh []size.Size) ([]int, error) {
		lead := 0
		if a.Batch {
			lead = b.env.Batch
		}
		if len(sh) < lead+len(a.Letters) || len(sh) > lead+len(a.Letters) && !a.Rest {
			return nil, fmt.Errorf("%s: %s does not fit an operand of order %d", x, a, len(sh))
		}
		var vars []int
		take := func(known *[]int, shape []size.Size) {
			if *known == nil {
				*known = []int{}
				for _, d := range shape {
					*known = append(*known, fresh(d))
				}
			}
			vars = append(vars, *known...)
		}
		if a.Batch {
			take(&batch, sh[:lead])
		}
		for i, l := range a.Letters {
			v, ok := letters[l]
			if !ok {
				v = fresh(sh[lead+i])
				letters[l] = v
			}
			vars = append(vars, v)
		}
		if a.Rest {
			take(&rest, sh[lead+len(a.Letters):])
		}
		for i, v := range vars {
			if i >= len(sh) || dims[v] != sh[i] {
				for l, u := range letters {
					if u == v && i < len(sh) {
						return nil, fmt.Errorf("%s: %s is %s, but axis %d of %s has size %s", x, l, dims[v], i, size.Shape(sh), sh[i])
					}
				}
				return nil, fmt.Errorf("%s: sizes differ in %s", x, size.Shape(sh))
			}
		}
		return vars, nil
	}
	in := make([][]int, len(shapes))
	for k, sh := range shapes {
		vars, err := group(x.In[k], sh)
		if err != nil {
			return nil, err
		}
		in[k] = vars
	}
	for _, z := range x.Sizes {
		if _, ok := letters[z.Letter]; !ok {
			d, err := b.size(z.Size)
			if err != nil {
				return nil, err
			}
			letters[z.Letter] = fresh(d)
		}
	}
	var out []int
	if x.Out.Batch {
		out = append(out, batch...)
	}
	for _, l := range x.Out.Letters {
		v, ok := letters[l]
		if !ok {
			return nil, fmt.Errorf("%s: no operand has %s", x, l)
		}
		out = append(out, v)
	}
	if x.Out.Rest {
		out = append(out, rest...)
	}
	return einsum.Plain(in, out, dims), nil
}
