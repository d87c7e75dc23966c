package replay

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// elementwise is the form of a function of entries by the laws that the theory allows, nil where
// the function is an atom.
func (z *algebra) elementwise(n *Node) []monomial {
	if z.theory.fold {
		if r := z.folded(n); r != nil {
			return append([]monomial{}, z.number(r, n.Shape())...)
		}
	}
	if z.theory.pick {
		return z.picked(n)
	}
	if z.theory.powers && n.Is("abs") {
		return z.abs(z.forms[n.Arg(0)])
	}
	if z.theory.powers && n.Is("power") && len(z.forms[n.Arg(0)]) == 1 {
		return z.power(n, z.forms[n.Arg(0)][0])
	}
	return nil
}

// A view is a monomial whose result has distinct plain axes; vary says along which it varies.
type view struct {
	monomial
	in   [][]int
	out  []int
	vary []bool
}

// view is operand k of n as a monomial, or as an atom where it is none.
func (z *algebra) view(n *Node, k int) view {
	f := z.forms[n.Arg(k)]
	if len(f) == 0 {
		sh := n.Shape()
		f = []monomial{{new(big.Rat), einsum.Plain(nil, upTo(len(sh)), sh), nil}}
	}
	v := view{}
	if len(f) == 1 {
		v.monomial = f[0]
		in, out, ok := v.c.IsPlain()
		v.in, v.out = in, out
		switch {
		case !ok || !distinct(out):
			f = nil
		case len(v.args) == 0 && len(out) != len(v.c.Vars):
			v.monomial = z.points(v.monomial, out)
			v.in, v.out, _ = v.c.IsPlain()
		}
	}
	if len(f) != 1 {
		v.monomial = z.atom(z.operand(n, k))[0]
		v.in, v.out, _ = v.c.IsPlain()
	}
	for _, w := range v.out {
		v.vary = append(v.vary, slices.ContainsFunc(v.in, func(g []int) bool { return slices.Contains(g, w) }))
	}
	return v
}

// points is a monomial without operands that sums over variables of sizes that are not known, as a
// number of points in each entry: a scalar operand, which is not the number 1.
func (z *algebra) points(m monomial, out []int) monomial {
	var summed, dims []size.Size
	for v, d := range m.c.Vars {
		if !slices.Contains(out, v) {
			summed = append(summed, d)
		}
	}
	for _, v := range out {
		dims = append(dims, m.c.Vars[v])
	}
	n := z.s.Ein(einsum.Plain(nil, nil, summed))
	return monomial{m.coef, einsum.Plain([][]int{{}}, upTo(len(out)), dims), []*Node{n}}
}

// picked is f(M x, ..) as M f(x, ..), where M picks entries: axes along which no operand varies, and
// a map that all operands have.
func (z *algebra) picked(n *Node) []monomial {
	views := make([]view, len(n.Args()))
	vary := make([]bool, n.Order())
	for k := range views {
		views[k] = z.view(n, k)
		for i, v := range views[k].vary {
			vary[i] = vary[i] || v
		}
	}
	// repeated spreads the axes that vary over those of n
	axes, dims := []int{}, []size.Size{}
	for i, v := range vary {
		if v {
			axes, dims = append(axes, i), append(dims, n.Shape()[i])
		}
	}
	repeated := einsum.Plain([][]int{axes}, upTo(n.Order()), n.Shape())
	for k := range views {
		views[k] = views[k].restricted(axes)
	}
	// M is the map of the operands that are one tensor, and the same for all of them
	var m *view
	for k := range views {
		v := &views[k]
		switch {
		case len(v.args) == 0:
			continue
		case len(v.args) > 1 || len(v.out) != len(v.c.Vars) || len(views) > 1 && !distinct(v.in[0]),
			m != nil && (!slices.Equal(m.in[0], v.in[0]) || !slices.Equal(m.out, v.out)):
			m = nil
			goto apply
		}
		m = v
	}
apply:
	if m != nil {
		inner, all := m.args[0].Shape(), upTo(m.args[0].Order())
		args := make([]*Node, len(views))
		for k, v := range views {
			args[k] = z.s.Fill(v.coef, inner)
			if len(v.args) > 0 {
				args[k] = z.node([]monomial{{v.coef, einsum.Plain([][]int{all}, all, inner), v.args}}, inner)
			}
		}
		return atomAlong(repeated.Fuse(0, m.c).Solve(), z.applied(n, args))
	}
	// A transpose that all operands have: the axes are put into the order of the first one. Which one is
	// first says nothing where they may be exchanged; then that of each is tried, for the node that is oldest.
	// What is symmetric has its axes in both orders.
	var best *Node
	c := repeated
	for _, v := range views {
		if len(v.args) == 0 || best != nil && !n.Atom().Commutes || z.theory.symmetric && z.isSymmetric(z.s.Ein(v.c, v.args...)) {
			continue
		}
		order := z.order(v)
		if f := z.along(n, views, order); best == nil || f.ID() < best.ID() {
			back, shape := make([]int, len(order)), make([]size.Size, len(order))
			for i, k := range order {
				back[k], shape[i] = i, dims[k]
			}
			best, c = f, repeated.Fuse(0, einsum.Plain([][]int{upTo(len(order))}, back, shape)).Solve()
		}
	}
	if best == nil {
		best = z.along(n, views, upTo(len(axes)))
	}
	return atomAlong(c, best)
}

// along is n on views along axes, in their order.
func (z *algebra) along(n *Node, views []view, axes []int) *Node {
	args := make([]*Node, len(views))
	for k, v := range views {
		v = v.restricted(axes)
		if args[k] = z.s.Fill(v.coef, v.c.Out.Shape); len(v.args) > 0 {
			args[k] = z.node([]monomial{v.monomial}, v.c.Out.Shape)
		}
	}
	return z.applied(n, args)
}

// applied is the element-wise function n on other operands.
func (z *algebra) applied(n *Node, args []*Node) *Node {
	if len(args) == 2 {
		return guarded(z.s.Binary(n.Atom().Name, args[0], args[1]), n.Guard())
	}
	return guarded(n.With(args), n.Guard())
}

// atomAlong is n as an atom, along the map c.
func atomAlong(c *einsum.Contraction, n *Node) []monomial {
	return []monomial{{big.NewRat(1, 1), c, []*Node{n}}}
}

// order lists the axes of a view as its operands have them.
func (z *algebra) order(v view) []int {
	axes := upTo(len(v.out))
	n := z.s.Ein(v.c, v.args...)
	if n.Ein() == nil {
		return axes
	}
	if _, out, ok := n.Ein().IsPlain(); ok {
		slices.SortFunc(axes, func(i, j int) int { return out[i] - out[j] })
	}
	return axes
}

// restricted is the view along some of its axes, in their order; it does not vary along the others.
func (v view) restricted(axes []int) view {
	out := make([]int, len(axes))
	for j, i := range axes {
		out[j] = v.out[i]
	}
	to, dims := make([]int, len(v.c.Vars)), []size.Size{}
	for w, d := range v.c.Vars {
		to[w] = len(dims)
		if !slices.Contains(v.out, w) || slices.Contains(out, w) {
			dims = append(dims, d)
		}
	}
	rename := func(g []int) []int {
		h := make([]int, len(g))
		for i, w := range g {
			h[i] = to[w]
		}
		return h
	}
	in := make([][]int, len(v.in))
	for i, g := range v.in {
		in[i] = rename(g)
	}
	r := view{monomial: monomial{v.coef, einsum.Plain(in, rename(out), dims), v.args}}
	r.in, r.out, _ = r.c.IsPlain()
	return r
}

func distinct(vars []int) bool {
	for i, v := range vars {
		if slices.Contains(vars[:i], v) {
			return false
		}
	}
	return true
}

// base writes a factor as a power.
func base(n *Node) (*Node, *big.Rat) {
	if n.Is("power") {
		return n.Arg(0), n.Rat()
	}
	return n, big.NewRat(1, 1)
}

// presume records that a power with exponent e presumes something of its base. Under the guard that
// makes it 0 at 0 it does not presume that the base is not 0.
func (z *algebra) presume(b *Node, e *big.Rat, g combinators.Guard) {
	if e.Sign() < 0 && g != combinators.GuardZero {
		x := b
		if x.Is("abs") {
			x = x.Arg(0)
		}
		z.domain[Fact{Nonzero, x}] = true
	}
	if !e.IsInt() {
		z.domain[Fact{Nonneg, b}] = true
	}
}

// powers merges the factors that are powers of one base at one index map. Guards are those of
// negative powers. Where the only ones are 0 at 0, a product is 0 there: b^-1 b is not 1 then, but
// stays, unless b is not 0.
func (z *algebra) powers(m monomial) []monomial {
	if !z.theory.powers {
		return []monomial{m}
	}
	var in []einsum.Access
	var args []*Node
	done := make([]bool, len(m.args))
	for i, a := range m.args {
		if done[i] {
			continue
		}
		b, _ := base(a)
		sum, count := new(big.Rat), 0
		var gs []combinators.Guard
		for j := i; j < len(m.args); j++ {
			c, e := base(m.args[j])
			if c != b || !sameAccess(m.c.In[i], m.c.In[j]) {
				continue
			}
			done[j] = true
			count++
			sum.Add(sum, e)
			z.presume(b, e, m.args[j].Guard())
			if e.Sign() < 0 {
				gs = append(gs, m.args[j].Guard())
			}
		}
		f := a
		if count > 1 {
			f = z.s.Power(b, sum)
			if f.Is("power") && sum.Sign() < 0 {
				f = guarded(f, joined(gs))
			}
		}
		if sum.Sign() == 0 {
			zero := slices.Contains(gs, combinators.GuardZero) && !slices.Contains(gs, combinators.GuardNone)
			if !zero || z.signs.nonzero(b) {
				continue
			}
			in, args = append(in, m.c.In[i]), append(args, z.s.Recip(b).WithGuard(combinators.GuardZero))
			f = b
		}
		in, args = append(in, m.c.In[i]), append(args, f)
	}
	if len(args) == len(m.args) {
		return []monomial{m}
	}
	c, err := einsum.New(m.c.Vars, in, m.c.Out, m.c.Eq, m.c.Ge)
	if err != nil {
		panic(tooWide{})
	}
	return []monomial{z.counted(monomial{m.coef, c, args})}
}

func sameAccess(a, b einsum.Access) bool {
	return slices.Equal(a.Shape, b.Shape) && slices.EqualFunc(a.Index, b.Index, func(x, y einsum.Affine) bool {
		return x.Off == y.Off && slices.Equal(x.Terms, y.Terms)
	})
}

// joined is the guard of a product of powers of one base: that of all of them, else weak where one
// is, as the normal form has it.
func joined(gs []combinators.Guard) combinators.Guard {
	g := gs[0]
	for _, h := range gs[1:] {
		switch {
		case g == h:
		case g == combinators.GuardWeak || h == combinators.GuardWeak:
			g = combinators.GuardWeak
		default:
			g = combinators.GuardNone
		}
	}
	return g
}

// power is (c x1^e1 .. xn^en)^r as c^r x1^(e1 r) .. xn^(en r), entry by entry. For fractional r that
// is so for one x and a positive c; if e is even, x stands by its absolute value. What is no product
// of entries is one x, and so is a product with a negative power of another guard than this one.
func (z *algebra) power(n *Node, m monomial) []monomial {
	r := n.Rat()
	_, out, ok := m.c.IsPlain()
	if !ok || !entrywise(m.c.Vars, out) || !r.IsInt() && len(m.args) > 1 || otherGuards(n, m.args) {
		if r.IsInt() && r.Sign() > 0 && r.Num().IsInt64() && r.Num().Int64() <= maxRepeated {
			// x x .. x, fused
			k := int(r.Num().Int64())
			all := upTo(n.Order())
			copies := slices.Repeat([][]int{all}, k)
			return z.fused(monomial{big.NewRat(1, 1), einsum.Plain(copies, all, n.Shape()), slices.Repeat(n.Args(), k)}, slices.Repeat([][]monomial{{m}}, k))
		}
		x := z.atom(z.core(m))[0]
		m.c, m.args = x.c, x.args
	}
	coef := ratPow(m.coef, r)
	if len(m.args) == 0 || coef == nil || otherGuards(n, m.args) || !r.IsInt() && m.coef.Sign() < 0 {
		return nil
	}
	args := make([]*Node, len(m.args))
	for i, a := range m.args {
		b, e := base(a)
		g := a.Guard()
		if e.Sign() > 0 { // then the guard is that of the whole
			g = n.Guard()
		}
		z.presume(b, e, g)
		f := new(big.Rat).Mul(e, r)
		even := e.IsInt() && e.Num().Bit(0) == 0
		switch {
		case r.IsInt():
			z.presume(b, r, g)
		case even:
			if r.Sign() < 0 {
				z.presume(b, big.NewRat(-1, 1), g)
			}
			if !z.signs.nonneg(b) {
				b = z.s.Unary("abs", b)
			}
		default:
			z.presume(b, r, g)
		}
		p := z.s.Power(b, f)
		if p.Is("power") && f.Sign() < 0 {
			p = guarded(p, g)
		}
		args[i] = p
	}
	return z.powers(monomial{coef, m.c, args})
}

// abs is |x^e| as |x|^e, entry by entry, nil where m is no power.
func (z *algebra) abs(ms []monomial) []monomial {
	if len(ms) != 1 || len(ms[0].args) != 1 || !ms[0].args[0].Is("power") {
		return nil
	}
	m := ms[0]
	_, out, ok := m.c.IsPlain()
	if !ok || !entrywise(m.c.Vars, out) {
		return nil
	}
	a := m.args[0]
	b, e := base(a)
	z.presume(b, e, a.Guard())
	if even := e.IsInt() && e.Num().Bit(0) == 0; !even && !z.signs.nonneg(b) {
		b = z.s.Unary("abs", b)
	}
	return []monomial{{new(big.Rat).Abs(m.coef), m.c, []*Node{z.s.Power(b, e).WithGuard(a.Guard())}}}
}

// otherGuards reports whether a factor of the base of the power n is a negative power under a guard
// that is not that of n. One without a guard has no value where its base is 0, which is presumed.
func otherGuards(n *Node, args []*Node) bool {
	return slices.ContainsFunc(args, func(a *Node) bool {
		return inverted(a) && a.Guard() != combinators.GuardNone && a.Guard() != n.Guard()
	})
}

// maxRepeated bounds the powers of sums that are written as products.
const maxRepeated = 6

// maxBits bounds the numbers that exact arithmetic makes.
const maxBits = 4096

// ratPow is x^e where that is a rational number of bounded size, else nil.
func ratPow(x, e *big.Rat) *big.Rat {
	if x.Cmp(big.NewRat(1, 1)) == 0 {
		return x
	}
	if !e.IsInt() {
		if e.Denom().Cmp(big.NewInt(2)) != 0 || x.Sign() <= 0 {
			return nil
		}
		p, q := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
		root := new(big.Rat).SetFrac(p, q)
		if new(big.Rat).Mul(root, root).Cmp(x) != 0 {
			return nil
		}
		return ratPow(root, new(big.Rat).SetInt(e.Num()))
	}
	if !e.Num().IsInt64() || x.Sign() == 0 && e.Sign() < 0 {
		return nil
	}
	k := e.Num().Int64()
	if k > maxBits || k < -maxBits || int64(max(x.Num().BitLen(), x.Denom().BitLen()))*max(k, -k) > maxBits {
		return nil
	}
	if k < 0 {
		x, k = new(big.Rat).Inv(x), -k
	}
	n := big.NewInt(k)
	return new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), n, nil), new(big.Int).Exp(x.Denom(), n, nil))
}

// folded is the value of a function of numbers where that is exact, else nil.
func (z *algebra) folded(n *Node) *big.Rat {
	args := make([]*big.Rat, len(n.Args()))
	for i, a := range n.Args() {
		f := z.forms[a]
		switch {
		case len(f) == 0:
			args[i] = new(big.Rat)
			continue
		case len(f) > 1 || len(f[0].args) > 0:
			return nil
		}
		_, out, ok := f[0].c.IsPlain()
		if !ok || !entrywise(f[0].c.Vars, out) {
			return nil
		}
		args[i] = f[0].coef
	}
	x, zero, one := args[0], new(big.Rat), big.NewRat(1, 1)
	truth := func(b bool) *big.Rat {
		if b {
			return one
		}
		return zero
	}
	at := func(point, value *big.Rat) *big.Rat {
		if x.Cmp(point) == 0 {
			return value
		}
		return nil
	}
	switch n.Atom().Name {
	case "power":
		return ratPow(x, n.Rat())
	case "pow":
		return ratPow(x, args[1])
	case "abs":
		return new(big.Rat).Abs(x)
	case "sign":
		return big.NewRat(int64(x.Sign()), 1)
	case "relu":
		if x.Sign() < 0 {
			return zero
		}
		return x
	case "step", "gt", "ge", "lt", "le", "eq", "ne", "max", "min":
		y := zero
		if len(args) > 1 {
			y = args[1]
		}
		c := x.Cmp(y)
		switch n.Atom().Name {
		case "step", "gt":
			return truth(c > 0)
		case "ge":
			return truth(c >= 0)
		case "lt":
			return truth(c < 0)
		case "le":
			return truth(c <= 0)
		case "eq":
			return truth(c == 0)
		case "ne":
			return truth(c != 0)
		case "max":
			if c < 0 {
				return y
			}
			return x
		}
		if c > 0 {
			return y
		}
		return x
	case "exp", "cos", "cosh":
		return at(zero, one)
	case "sin", "tan", "arcsin", "arctan", "sinh", "tanh", "expm1", "log1p", "erf", "gelu":
		return at(zero, zero)
	case "log":
		return at(one, zero)
	case "sigmoid":
		return at(zero, big.NewRat(1, 2))
	}
	return nil
}
