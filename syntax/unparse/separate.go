package unparse

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// A contraction with affine index maps of one variable each is written as slices of its operands, a plain
// product of these, and the place of the result in a larger tensor of zeros: the gradient of norm2(x[1:])^2
// is 2*[0; x[1:]].

// separate gives nodes equal to the given ones in which contractions are plain, or a slice, or a placement,
// as far as they are made of these.
func separate(nodes []*combinators.Node, known []size.Size) []*combinators.Node {
	topo := combinators.Topo(nodes...)
	if !slices.ContainsFunc(topo, offset) {
		return nodes
	}
	s := &separator{store: nodes[0].Store(), known: known, uses: map[*combinators.Node]int{}}
	uses := combinators.Uses(nodes...)
	done := map[*combinators.Node]*combinators.Node{}
	for _, n := range topo {
		args := lists.Map(n.Args(), func(a *combinators.Node) *combinators.Node { return done[a] })
		if offset(n) {
			if d := s.split(n.Ein(), args); d != nil {
				done[n] = d
				continue
			}
		}
		if z := s.withoutZeros(n, args); z != nil {
			done[n] = z
			continue
		}
		if n.Is(atom.Add) && args[0] == args[1] && n.Arg(0) != n.Arg(1) {
			done[n] = s.store.Scale(s.store.Int(2), args[0])
			continue
		}
		done[n] = n.With(args)
		s.uses[done[n]] += uses[n]
	}
	return lists.Map(nodes, func(n *combinators.Node) *combinators.Node { return done[n] })
}

// offset reports whether n is a contraction that is not plain.
func offset(n *combinators.Node) bool {
	c := n.Ein()
	if c == nil {
		return false
	}
	_, _, plain := c.IsPlain()
	return !plain
}

// withoutZeros is n without addends that turned out to be zero, and zero where a factor did.
func (s *separator) withoutZeros(n *combinators.Node, args []*combinators.Node) *combinators.Node {
	for k, a := range args {
		switch {
		case a == n.Arg(k) || a != s.zero(a.Shape()):
		case n.Is(atom.Add):
			return args[1-k]
		case n.Ein() != nil:
			return s.zero(n.Shape())
		}
	}
	return nil
}

func (s *separator) zero(shape []size.Size) *combinators.Node {
	return s.store.Fill(new(big.Rat), shape)
}

type separator struct {
	store *combinators.Store
	known []size.Size // are at least 0
	uses  map[*combinators.Node]int
}

// split takes a contraction apart, or gives nil.
func (s *separator) split(c *einsum.Contraction, args []*combinators.Node) *combinators.Node {
	shape := c.Out.Shape
	c, ok := based(c, s.known)
	switch {
	case !ok:
		return nil
	case c == nil:
		return s.zero(shape)
	}
	number := big.NewRat(1, 1)
	var ops []*combinators.Node
	var in [][]int
	for k, a := range args {
		if a.Is(atom.Const) {
			number.Mul(number, a.Rat())
			continue
		}
		op, letters := s.slice(c, c.In[k], a)
		ops, in = append(ops, op), append(in, letters)
	}
	for _, f := range c.Ge {
		ops, in = s.mask(f, c.Vars, ops, in)
	}
	var n *combinators.Node
	if len(ops) == 0 && len(c.Ge) == 0 && identitySlice(c.Out, c.Vars) {
		out := c.Out
		if f := out.Index; f[0].Terms[0].Coef < 0 && out.Shape[0] == out.Shape[1] { // it is symmetric
			out.Index = []einsum.Affine{f[1], f[0]}
		}
		n = s.contraction(c.Vars, nil, out)
	} else {
		n = s.result(c, in, ops)
	}
	if number.Cmp(one) != 0 {
		n = s.store.Scale(s.store.Const(number), n)
	}
	return n
}

// mask makes f >= 0 hold, of two variables with the coefficients 1 and -1: by the triangle of a matrix
// that has these axes, or of one of ones.
func (s *separator) mask(f einsum.Affine, vars []size.Size, ops []*combinators.Node, in [][]int) ([]*combinators.Node, [][]int) {
	v, w := f.Terms[0].Var, f.Terms[1].Var
	if f.Terms[0].Coef < 0 {
		v, w = w, v
	}
	at := slices.IndexFunc(in, func(g []int) bool { return len(g) == 2 && slices.Contains(g, v) && slices.Contains(g, w) })
	if at < 0 {
		at = len(ops)
		ops, in = append(ops, s.store.Ones([]size.Size{vars[v], vars[w]})), append(in, []int{v, w})
	}
	own := einsum.Affine{Off: f.Off}
	for k, u := range in[at] {
		own = own.Plus(f.Coef(u), einsum.Variable(k))
	}
	shape := ops[at].Shape()
	acc := einsum.Access{Shape: shape, Index: variables(2)}
	c, err := einsum.New(shape, []einsum.Access{acc}, acc, nil, []einsum.Affine{own})
	if err != nil {
		panic("unparse: " + err.Error())
	}
	ops[at] = s.store.Ein(c, ops[at])
	return ops, in
}

// between reports whether f bounds the difference of two variables by a number.
func between(f einsum.Affine) bool {
	_, number := f.Off.Int()
	return number && len(f.Terms) == 2 && f.Terms[0].Coef*f.Terms[1].Coef == -1
}

// result is the product of slices in its place.
func (s *separator) result(c *einsum.Contraction, in [][]int, ops []*combinators.Node) *combinators.Node {
	// Axes of the result with one index map are one axis of what is placed.
	var slots einsum.Access
	axes := make([]int, len(c.Out.Index))
	for p, f := range c.Out.Index {
		axes[p] = slices.IndexFunc(slots.Index, func(g einsum.Affine) bool { return g.Off == f.Off && slices.Equal(g.Terms, f.Terms) })
		if q := axes[p]; q < 0 || slots.Shape[q] != c.Out.Shape[p] {
			axes[p] = len(slots.Index)
			slots.Index, slots.Shape = append(slots.Index, f), append(slots.Shape, c.Out.Shape[p])
		}
	}
	sizes := slices.Clone(c.Vars)
	var out []int
	for q, f := range slots.Index {
		if len(f.Terms) == 0 {
			continue
		}
		v := f.Terms[0].Var
		if f.Terms[0].Coef != 1 { // the entries of the axis that a step reaches
			reached := s.contraction([]size.Size{c.Vars[v]}, nil, einsum.Access{
				Shape: []size.Size{slots.Shape[q], c.Vars[v]},
				Index: []einsum.Affine{renamed(f, 0), einsum.Variable(0)}})
			ops, in = append(ops, reached), append(in, []int{len(sizes), v})
			v = len(sizes)
			sizes = append(sizes, slots.Shape[q])
			slots.Index[q] = einsum.Variable(v)
		}
		out = append(out, v)
	}
	n := s.plain(in, out, sizes, ops...)
	n = s.place(n, slots)
	return s.plain([][]int{einsum.UpTo(len(slots.Index))}, axes, slots.Shape, n)
}

// plain is a plain contraction, or the operand where it is that.
func (s *separator) plain(in [][]int, out []int, sizes []size.Size, ops ...*combinators.Node) *combinators.Node {
	if len(ops) == 1 && slices.Equal(in[0], out) && distinct(out) && len(sizes) == len(out) {
		return ops[0]
	}
	return s.store.Ein(einsum.Plain(in, out, sizes), ops...)
}

func (s *separator) contraction(vars []size.Size, in []einsum.Access, out einsum.Access, ops ...*combinators.Node) *combinators.Node {
	c, err := einsum.New(vars, in, out, nil, nil)
	if err != nil {
		panic("unparse: " + err.Error())
	}
	return s.store.Ein(c, ops...)
}

// slice is the part of an operand that a contraction reads, and the variables of its axes.
func (s *separator) slice(c *einsum.Contraction, acc einsum.Access, a *combinators.Node) (*combinators.Node, []int) {
	own, vars := ownVariables(acc.Index)
	sizes := pick(vars, c.Vars)
	if len(vars) == len(acc.Index) && picks(einsum.Access{Shape: acc.Shape, Index: own}, sizes) {
		return a, vars
	}
	c, err := einsum.New(sizes, []einsum.Access{{Shape: acc.Shape, Index: own}}, einsum.Access{Shape: sizes, Index: variables(len(vars))}, nil, nil)
	if err != nil {
		panic("unparse: " + err.Error())
	}
	return s.part(c, a), vars
}

// part is a slice of a; that of a slice is one slice, and that of a function which stands nowhere else the
// function of slices.
func (s *separator) part(c *einsum.Contraction, a *combinators.Node) *combinators.Node {
	switch {
	case s.uses[a] > 1:
	case a.Atom().Class == atom.ClassElementwise:
		args := lists.Map(a.Args(), func(b *combinators.Node) *combinators.Node { return s.part(c, b) })
		return a.With(args)
	case a.Is(atom.Add): // where one of two addends has nothing
		p, q := s.part(c, a.Arg(0)), s.part(c, a.Arg(1))
		switch s.zero(p.Shape()) {
		case p:
			return q
		case q:
			return p
		}
	case len(a.Args()) == 1 && a.Ein() != nil:
		if n := s.split(s.store.Fuse(c, 0, a.Ein()), a.Args()); n != nil {
			return n
		}
	}
	return s.store.Ein(c, a)
}

// place puts n, whose axes are those of the slots with a variable, into a tensor of zeros.
func (s *separator) place(n *combinators.Node, slots einsum.Access) *combinators.Node {
	own, vars := ownVariables(slots.Index)
	if len(vars) == len(own) && picks(einsum.Access{Shape: slots.Shape, Index: own}, n.Shape()) {
		return n
	}
	return s.contraction(n.Shape(), []einsum.Access{{Shape: n.Shape(), Index: variables(n.Order())}}, einsum.Access{Shape: slots.Shape, Index: own}, n)
}

// ownVariables gives each form that has a variable one of its own, and lists those it had.
func ownVariables(forms []einsum.Affine) (own []einsum.Affine, vars []int) {
	for _, f := range forms {
		if len(f.Terms) > 0 {
			vars = append(vars, f.Terms[0].Var)
			f = renamed(f, len(vars)-1)
		}
		own = append(own, f)
	}
	return own, vars
}

// renamed is a form of one variable in another.
func renamed(f einsum.Affine, v int) einsum.Affine {
	return einsum.Affine{Off: f.Off}.Plus(f.Terms[0].Coef, einsum.Variable(v))
}

func variables(n int) []einsum.Affine {
	return lists.Make(n, func(v int) einsum.Affine { return einsum.Variable(v) })
}

// picks reports whether the axes have a different variable each, over all of the axis.
func picks(acc einsum.Access, vars []size.Size) bool {
	for i, f := range acc.Index {
		if v, ok := f.Var(); !ok || vars[v] != acc.Shape[i] {
			return false
		}
	}
	return acc.Distinct()
}

// identitySlice reports whether a result without operands is some rows or columns of an identity matrix.
func identitySlice(out einsum.Access, vars []size.Size) bool {
	if len(out.Index) != 2 || len(vars) != 1 {
		return false
	}
	whole := func(k int) bool {
		return picks(einsum.Access{Shape: out.Shape[k : k+1], Index: out.Index[k : k+1]}, vars)
	}
	return len(out.Index[0].Terms) == 1 && len(out.Index[1].Terms) == 1 && whole(0) != whole(1)
}

// based brings a contraction to variables that run over all values for which it reads something, without
// conditions; nil is a contraction that reads nothing. It reports false where a form has several variables, or the sizes leave open what is read.
func based(c *einsum.Contraction, known []size.Size) (*einsum.Contraction, bool) {
	b := &bounds{c: c, known: slices.Clone(known), low: make([]size.Size, len(c.Vars)), high: slices.Clone(c.Vars)}
	if len(c.Eq) > 0 || !b.find() {
		return nil, false
	}
	if b.empty {
		return nil, true
	}
	in := lists.Map(c.In, b.access)
	masks := b.access(einsum.Access{Index: slices.DeleteFunc(slices.Clone(c.Ge), func(f einsum.Affine) bool { return len(f.Terms) < 2 })}).Index
	if slices.ContainsFunc(masks, func(f einsum.Affine) bool { return !between(f) }) {
		return nil, false
	}
	out, err := einsum.New(b.sizes(), in, b.access(c.Out), nil, masks)
	if err != nil {
		panic("unparse: " + err.Error())
	}
	return out, true
}

// bounds are the values low <= v < high of the variables of a contraction.
type bounds struct {
	c         *einsum.Contraction
	low, high []size.Size
	turned    []bool      // variables that run down
	empty     bool        // nothing is within the bounds
	known     []size.Size // what is known to be at least 0
}

var unit = size.Const(1)

// find tightens the bounds by all that the contraction asks for.
func (b *bounds) find() bool {
	var reads []einsum.Affine // are at least 0
	for _, acc := range append(slices.Clone(b.c.In), b.c.Out) {
		for i, f := range acc.Index {
			reads = append(reads, f, einsum.Affine{Off: acc.Shape[i].Sub(unit)}.Plus(-1, f))
		}
	}
	all := slices.Clone(reads)
	for _, f := range b.c.Ge {
		if len(f.Terms) != 2 { // see mask
			all = append(all, f)
		}
	}
	for _, f := range all {
		if len(f.Terms) > 1 || len(f.Terms) == 1 && !b.tighten(f) {
			return false
		}
	}
	b.turn()
	open := false
	for v, d := range b.sizes() {
		b.empty = b.empty || d != b.c.Vars[v] && size.Const(0).Sub(d).Nonnegative()
		if d != b.c.Vars[v] {
			open = open || !b.nonnegative(d)
		} else {
			b.known = append(b.known, d)
		}
	}
	for _, f := range all {
		d := b.least(f)
		b.empty = b.empty || len(f.Terms) == 0 && size.Const(-1).Sub(d).Nonnegative()
		open = open || !b.nonnegative(d)
	}
	return b.empty || !open
}

// nonnegative reports whether d is at least 0, or larger than what is known to be.
func (b *bounds) nonnegative(d size.Size) bool {
	return d.Nonnegative() || slices.ContainsFunc(b.known, func(k size.Size) bool { return d.Sub(k).Nonnegative() })
}

// tighten makes f >= 0 hold, for a variable with the coefficient 1 or -1. It reports false where the sizes
// leave open whether the old bound or the new one is closer.
func (b *bounds) tighten(f einsum.Affine) bool {
	v := f.Terms[0].Var
	switch f.Terms[0].Coef {
	case 1:
		d := size.Const(0).Sub(f.Off)
		if !b.nonnegative(d.Sub(b.low[v])) {
			return b.nonnegative(b.low[v].Sub(d))
		}
		b.low[v] = d
	case -1:
		d := f.Off.Add(unit)
		if !b.nonnegative(b.high[v].Sub(d)) {
			return b.nonnegative(d.Sub(b.high[v]))
		}
		b.high[v] = d
	}
	return true
}

// least is the least value of a form of at most one variable within the bounds.
func (b *bounds) least(f einsum.Affine) size.Size {
	if len(f.Terms) == 0 {
		return f.Off
	}
	t := f.Terms[0]
	at := b.low[t.Var]
	if t.Coef < 0 {
		at = b.high[t.Var].Sub(unit)
	}
	return f.Off.Add(size.Const(t.Coef).Mul(at))
}

// turn finds the variables that run down in the result, or where they are not in it, in the first operand.
func (b *bounds) turn() {
	b.turned = make([]bool, len(b.c.Vars))
	for v := range b.turned {
		for _, acc := range append([]einsum.Access{b.c.Out}, b.c.In...) {
			up, down := false, false
			for _, f := range acc.Index {
				up, down = up || f.Coef(v) > 0, down || f.Coef(v) < 0
			}
			if up || down {
				b.turned[v] = !up
				break
			}
		}
	}
}

func (b *bounds) sizes() []size.Size {
	return lists.Make(len(b.low), func(v int) size.Size { return b.high[v].Sub(b.low[v]) })
}

// access is an access in variables that begin at 0 and run up.
func (b *bounds) access(acc einsum.Access) einsum.Access {
	out := einsum.Access{Shape: acc.Shape, Index: make([]einsum.Affine, len(acc.Index))}
	for i, f := range acc.Index {
		g := einsum.Affine{Off: f.Off}
		for _, t := range f.Terms {
			from, step := b.low[t.Var], t.Coef
			if b.turned[t.Var] {
				from, step = b.high[t.Var].Sub(unit), -t.Coef
			}
			g.Off = g.Off.Add(size.Const(t.Coef).Mul(from))
			g = g.Plus(step, einsum.Variable(t.Var))
		}
		out.Index[i] = g
	}
	return out
}
