package text

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Value is the value n as a term. Nodes that are used more than once, and those where terms would
// be nested deeply, are named in a let. Guards do not show.
func Value(n *combinators.Node) *Term {
	p := newNamer()
	p.values(n)
	return p.let(p.value[n])
}

// maxDepth is how deep an unnamed term may be nested: what is printed is to be read by people, and
// by a parser whose nesting is bounded.
const maxDepth = 40

// namer turns nodes and maps into terms, bottom up, naming what is shared.
type namer struct {
	value map[*combinators.Node]*Term
	maps  map[combinators.Map]*Term
	depth map[*Term]int
	taken map[string]bool
	names []string // of the let, in order
	bound []*Term

	hidden  map[combinators.Map]bool // maps that are written with their type
	links   map[combinators.Map]int  // of chains, where these are cut; else nil
	deepest int                      // an unnamed term may be nested so deep
}

func newNamer() *namer {
	return &namer{map[*combinators.Node]*Term{}, map[combinators.Map]*Term{}, map[*Term]int{}, map[string]bool{}, nil, nil, nil, nil, maxDepth}
}

func (p *namer) let(t *Term) *Term {
	if len(p.names) == 0 {
		return t
	}
	return NewLet(p.names, p.bound, t)
}

// name gives t a name in the let.
func (p *namer) name(base string, t *Term) *Term {
	for i := 1; ; i++ {
		n := fmt.Sprintf("%s%d", base, i+len(p.names))
		if !p.taken[n] {
			p.taken[n] = true
			p.names, p.bound = append(p.names, n), append(p.bound, t)
			return NewName(n)
		}
	}
}

// level is the nesting of a term that stands unnamed in another.
func (p *namer) level(ts ...*Term) int {
	d := 0
	for _, t := range ts {
		d = max(d, p.depth[t])
	}
	return d + 1
}

// values makes the terms of outs and of all nodes below that have none.
func (p *namer) values(outs ...*combinators.Node) {
	uses, nodes := map[*combinators.Node]int{}, []*combinators.Node(nil)
	for stack := slices.Clone(outs); len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if uses[n]++; uses[n] > 1 || p.value[n] != nil {
			continue
		}
		if n.Name() != "" {
			p.taken[n.Name()] = true
		}
		nodes, stack = append(nodes, n), append(stack, n.Args()...)
	}
	slices.SortFunc(nodes, func(a, b *combinators.Node) int { return a.ID() - b.ID() })
	for _, n := range nodes {
		args := lists.Map(n.Args(), func(a *combinators.Node) *Term { return p.value[a] })
		t := p.node(n, args)
		p.depth[t] = p.level(args...)
		if len(t.Args) > 0 && (uses[n] > 1 || p.depth[t] > p.deepest) {
			t = p.name("v", t)
		}
		p.value[n] = t
	}
}

// node is the term of one node, given those of its operands.
func (p *namer) node(n *combinators.Node, args []*Term) *Term {
	switch n.Atom() {
	case atom.Var:
		return NewName(n.Name())
	case atom.Const:
		return NewNum(n.Rat())
	case atom.Pi:
		return p.pi()
	case atom.Add:
		return sum(args[0], args[1])
	case atom.Ein:
		return einTerm(n, args)
	}
	t := OfRow(n.Atom(), args...)
	t.Attrs = attributes(n)
	return t
}

// pi is the number pi, as 4 arctan(1) where a variable has its name.
func (p *namer) pi() *Term {
	if p.taken[atom.Pi.Name] {
		return New(Mul, NewInt(4), NewCall(atom.Arctan.Name, NewInt(1)))
	}
	return NewName(atom.Pi.Name)
}

// Head is the operation of n without its operands, as terms write it: log, power[1/2], *(ij,j->i), +;
// of a value without operands, and where [IsFilled] holds, the whole value.
func Head(n *combinators.Node) string {
	switch {
	case n.Is(atom.Add):
		return "+"
	case n.Ein() != nil && IsFilled(n):
		return filled(n).String()
	case n.Ein() != nil:
		return NewEin(IndexOf(n.Ein())).String()
	case n.Is(atom.Var) || n.Is(atom.Const) || n.Is(atom.Pi):
		return newNamer().node(n, nil).String()
	}
	return n.Atom().Name + printAttrs(attributes(n))
}

// IsFilled reports whether n is written as one number with sizes, an identity, or a size.
func IsFilled(n *combinators.Node) bool { return n.Ein() != nil && filled(n) != nil }

// sum is a + b, as a difference where one side is negated.
func sum(a, b *Term) *Term {
	if a.Op == Neg && b.Op != Neg {
		a, b = b, a
	}
	if b.Op == Neg {
		return New(Sub, a, b.Args[0])
	}
	return New(Add, a, b)
}

// attributes are the numbers in brackets after an atom's name.
func attributes(n *combinators.Node) (out []*Term) {
	switch {
	case n.Atom().Signature() != nil:
		if n.Attr() > 0 {
			return []*Term{NewInt(int64(n.Attr()))}
		}
		return nil // the sizes that its result leaves open are those of the symbols where it is read
	case n.Rat() != nil:
		return []*Term{NewNum(n.Rat())}
	case n.Sizes() != nil:
		out = append(out, NewInt(int64(n.Attr())))
		out = lists.Append(out, n.Sizes(), sizeTerm)
		return out
	case n.Atom().Attr:
		return []*Term{NewInt(int64(n.Attr()))}
	}
	return nil
}

// sizeTerm is a size as an attribute. A symbol may have the name of a keyword.
func sizeTerm(d size.Size) (sum *Term) {
	for _, m := range d.Monomials() {
		c, negative := new(big.Rat).SetInt(new(big.Int).Abs(m.Coef)), m.Coef.Sign() < 0
		var t *Term
		if len(m.Symbols) == 0 || c.Cmp(big.NewRat(1, 1)) != 0 {
			t = NewNum(c)
		}
		for _, name := range m.Symbols {
			if s := NewName(name); t == nil {
				t = s
			} else {
				t = New(Mul, t, s)
			}
		}
		switch {
		case sum == nil && negative:
			sum = New(Neg, t)
		case sum == nil:
			sum = t
		case negative:
			sum = New(Sub, sum, t)
		default:
			sum = New(Add, sum, t)
		}
	}
	if sum == nil {
		return NewInt(0)
	}
	return sum
}

func sizeTerms(shape []size.Size) []*Term {
	return lists.Map(shape, sizeTerm)
}

// einTerm is a contraction. Reading it back gives the same node: only products of two operands are
// written with .* and ./, wider ones as contractions.
func einTerm(n *combinators.Node, args []*Term) *Term {
	c := n.Ein()
	if t := filled(n); t != nil {
		return t
	}
	if len(args) == 2 {
		if t := product(c, n.Args(), args); t != nil {
			return t
		}
	}
	return NewEin(IndexOf(c), args...)
}

// filled is a tensor of one number, an identity, or a size.
func filled(n *combinators.Node) *Term {
	c := n.Ein()
	in, out, ok := c.IsPlain()
	if !ok || len(in) > 1 || len(in) == 1 && (n.Arg(0) == nil || !n.Arg(0).Is(atom.Const)) {
		return nil
	}
	number := big.NewRat(1, 1)
	if len(in) == 1 {
		number = n.Arg(0).Rat()
	}
	distinct := len(c.Vars) == len(out)
	for i, v := range out {
		distinct = distinct && v == i
	}
	k := len(out) / 2
	switch {
	case distinct && len(out) > 0:
		return &Term{Op: Num, Rat: number, Attrs: sizeTerms(c.Out.Shape)}
	case len(in) == 0 && len(out) == 0 && len(c.Vars) == 1:
		if s, ok := c.Vars[0].Symbol(); ok {
			return NewName(s)
		}
	case len(in) == 0 && k > 0 && len(c.Vars) == k && slices.Equal(out[:k], out[k:]) && identity(out[:k]):
		return NewName("eye", sizeTerms(c.Out.Shape[:k])...)
	}
	return nil
}

func identity(vs []int) bool {
	for i, v := range vs {
		if i != v {
			return false
		}
	}
	return true
}

// product is the entry by entry product of two operands, or one with a scalar; nil for other
// contractions. nodes has nil for an open operand.
func product(c *einsum.Contraction, nodes []*combinators.Node, args []*Term) *Term {
	in, out, ok := c.IsPlain()
	if !ok || len(c.Vars) != len(out) {
		return nil
	}
	seen := make([]bool, len(c.Vars))
	for _, v := range out {
		if seen[v] {
			return nil
		}
		seen[v] = true
	}
	full := func(k int) bool { return slices.Equal(in[k], out) }
	scalar := func(k int) bool { return len(in[k]) == 0 }
	a, b := args[0], args[1]
	numberLast := scalar(1) && nodes[0] != nil && nodes[1] != nil && nodes[1].Is(atom.Const) // it is written first
	switch {
	case scalar(0) && full(1) && !numberLast:
	case scalar(1) && full(0):
		a, b, nodes = b, a, []*combinators.Node{nodes[1], nodes[0]}
	case full(0) && full(1):
	default:
		return nil
	}
	for _, d := range nodes {
		if d != nil && d.Is(atom.Const) && (atom.IsOne(d.Rat()) || a.Op == Num && b.Op == Num) {
			return nil // such products are worked out when they are read
		}
	}
	if nodes[0] != nil && nodes[0].Is(atom.Const) && isMinusOne(nodes[0].Rat()) {
		if b.Op == Num {
			return nil // -(2) would be read as a number
		}
		return NewNeg(b)
	}
	for k := range nodes {
		if d := nodes[k]; d != nil && d.Is(atom.Power) && isMinusOne(d.Rat()) {
			if t := []*Term{a, b}[k]; t.Op == Call && []*Term{a, b}[1-k].Op != Num {
				return New(Div, []*Term{a, b}[1-k], t.Args[0])
			}
		}
	}
	if a.Op == Hole && b.Op != Hole {
		a, b = b, a // as the paper writes it: (u .* _)
	}
	return New(Mul, a, b)
}

func isMinusOne(r *big.Rat) bool {
	return r.IsInt() && r.Num().IsInt64() && r.Num().Int64() == -1
}

// IndexOf is the index group of a contraction.
func IndexOf(c *einsum.Contraction) *Index {
	in, out, ok := c.IsPlain()
	x := &Index{}
	if !ok || !allStand(in, out, len(c.Vars)) {
		return generalIndex(c)
	}
	known := make([]bool, len(c.Vars))
	group := func(vs []int) (a Axes) {
		for _, v := range vs {
			a.Letters = append(a.Letters, einsum.Letter(v))
		}
		return a
	}
	for _, vs := range in {
		x.In = append(x.In, group(vs))
		for _, v := range vs {
			known[v] = true
		}
	}
	x.Out = group(out)
	for _, v := range out {
		if !known[v] {
			known[v] = true
			x.Sizes = append(x.Sizes, Size{einsum.Letter(v), sizeTerm(c.Vars[v])})
		}
	}
	return x
}

// allStand: every variable stands in some operand or in the output.
func allStand(in [][]int, out []int, vars int) bool {
	seen := make([]bool, vars)
	for _, vs := range append(slices.Clone(in), out) {
		for _, v := range vs {
			seen[v] = true
		}
	}
	return !slices.Contains(seen, false)
}

func generalIndex(c *einsum.Contraction) *Index {
	x := &Index{}
	group := func(acc einsum.Access) Axes {
		a := Axes{Forms: []Form{}}
		for i, f := range acc.Index {
			a.Forms = append(a.Forms, Form{affineTerm(f), sizeTerm(acc.Shape[i])})
		}
		return a
	}
	for _, acc := range c.In {
		x.In = append(x.In, group(acc))
	}
	x.Out = group(c.Out)
	for v, d := range c.Vars {
		x.Sizes = append(x.Sizes, Size{einsum.Letter(v), sizeTerm(d)})
	}
	for _, f := range c.Eq {
		x.Conds = append(x.Conds, Condition{affineTerm(f), true})
	}
	for _, f := range c.Ge {
		x.Conds = append(x.Conds, Condition{affineTerm(f), false})
	}
	return x
}

// affineTerm writes an affine form in the letters of its variables, what is added before what is
// subtracted: 2*i-j+n, 4-i. Letters and size symbols may coincide; a symbol in an offset is written
// in a call, size(n), to be told apart.
func affineTerm(a einsum.Affine) *Term {
	var t *Term
	put := func(op Op, u *Term) {
		if t != nil {
			u = New(op, t, u)
		}
		t = u
	}
	multiple := func(coef int64, v int) *Term {
		u := NewName(einsum.Letter(v))
		if coef != 1 {
			u = New(Mul, NewInt(coef), u)
		}
		return u
	}
	off, whole := a.Off.Int()
	subtracted := !whole && strings.HasPrefix(a.Off.String(), "-")
	for _, m := range a.Terms {
		if m.Coef > 0 {
			put(Add, multiple(m.Coef, m.Var))
		}
	}
	switch {
	case a.Off == (size.Size{}):
	case subtracted:
	case !whole:
		put(Add, NewCall("size", sizeTerm(a.Off)))
	case off > 0 || len(a.Terms) == 0:
		put(Add, NewInt(off))
	}
	for _, m := range a.Terms {
		switch {
		case m.Coef > 0:
		case t == nil:
			t = multiple(m.Coef, m.Var)
		default:
			put(Sub, multiple(-m.Coef, m.Var))
		}
	}
	switch {
	case subtracted && t == nil:
		t = NewNeg(NewCall("size", sizeTerm(size.Size{}.Sub(a.Off))))
	case subtracted:
		put(Sub, NewCall("size", sizeTerm(size.Size{}.Sub(a.Off))))
	case t == nil:
		return NewInt(0)
	case whole && off < 0 && len(a.Terms) > 0:
		put(Sub, NewInt(-off))
	}
	return t
}
