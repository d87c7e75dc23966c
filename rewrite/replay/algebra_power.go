package replay

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
)

// elementwise is the form of a function of entries by the laws that the theory allows, nil where
// the function is an atom.
func (z *algebra) elementwise(n *Node) []monomial {
	if z.theory.fold {
		if r := z.folded(n); r != nil {
			return append([]monomial{}, z.number(r, n.Shape())...)
		}
	}
	if len(n.Args()) != 1 || len(z.forms[n.Arg(0)]) != 1 {
		return nil
	}
	m := z.forms[n.Arg(0)][0]
	if z.theory.pick {
		if f := z.picked(n, m); f != nil {
			return f
		}
	}
	if z.theory.powers && n.Is("power") {
		return z.power(n, m)
	}
	return nil
}

// picked is f(M x) as M f(x), where M picks entries of x: each entry of the result is one of x, or
// is the same along an axis.
func (z *algebra) picked(n *Node, m monomial) []monomial {
	in, out, ok := m.c.IsPlain()
	if !ok || len(m.args) == 0 || !distinct(out) {
		return nil
	}
	used := make([]bool, len(m.c.Vars))
	for _, g := range in {
		for _, v := range g {
			used[v] = true
		}
	}
	var kept []int
	free := 0
	for _, v := range out {
		if used[v] {
			kept = append(kept, v)
		} else {
			free++
		}
		used[v] = true
	}
	if slices.Contains(used, false) {
		return nil
	}
	apply := func(x *Node) *Node { return z.guard(n.With([]*Node{x}), n.Guard()) }
	if len(m.args) == 1 && m.coef.Cmp(big.NewRat(1, 1)) == 0 && len(out) == len(m.c.Vars) {
		return []monomial{{m.coef, m.c, []*Node{apply(m.args[0])}}}
	}
	if free == 0 {
		return nil
	}
	// the variables of the result that no operand has are left out of x
	to, dims := make([]int, len(m.c.Vars)), m.c.Vars[:0:0]
	for v, d := range m.c.Vars {
		if to[v] = len(dims); !slices.Contains(out, v) || slices.Contains(kept, v) {
			dims = append(dims, d)
		}
	}
	rename := func(g []int) []int {
		h := make([]int, len(g))
		for i, v := range g {
			h[i] = to[v]
		}
		return h
	}
	ins := make([][]int, len(in))
	for i, g := range in {
		ins[i] = rename(g)
	}
	x := z.node([]monomial{{m.coef, einsum.Plain(ins, rename(kept), dims), m.args}}, nil)
	place := make([]int, len(m.c.Vars))
	rest := m.c.Vars[:0:0]
	for i, v := range out {
		place[v] = i
		rest = append(rest, m.c.Vars[v])
	}
	g := make([]int, len(kept))
	for i, v := range kept {
		g[i] = place[v]
	}
	return []monomial{{big.NewRat(1, 1), einsum.Plain([][]int{g}, upTo(len(out)), rest), []*Node{apply(x)}}}
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

// presume records that a power with exponent e presumes something of its base.
func (z *algebra) presume(b *Node, e *big.Rat) {
	if e.Sign() < 0 {
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

// powers merges the factors that are powers of one base at one index map.
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
		sum, g, count := new(big.Rat), a.Guard(), 0
		for j := i; j < len(m.args); j++ {
			c, e := base(m.args[j])
			if c != b || !sameAccess(m.c.In[i], m.c.In[j]) {
				continue
			}
			done[j] = true
			count++
			sum.Add(sum, e)
			z.presume(b, e)
			g = joined(g, m.args[j].Guard())
		}
		if sum.Sign() == 0 {
			continue
		}
		f := a
		if count > 1 {
			f = z.s.Power(b, sum)
			if f.Is("power") && sum.Sign() < 0 {
				f = z.guard(f, g)
			}
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

// joined is the guard of a product of powers of one base.
func joined(a, b combinators.Guard) combinators.Guard {
	switch {
	case a == b:
		return a
	case a == combinators.GuardWeak || b == combinators.GuardWeak:
		return combinators.GuardWeak
	}
	return combinators.GuardNone
}

// power is (c x1^e1 .. xn^en)^r as c^r x1^(e1 r) .. xn^(en r), entry by entry. For fractional r that
// is so for one x and a positive c; if e is even, x stands by its absolute value. What is no product
// of entries is one x.
func (z *algebra) power(n *Node, m monomial) []monomial {
	r := n.Rat()
	_, out, ok := m.c.IsPlain()
	if !ok || !entrywise(m.c.Vars, out) || !r.IsInt() && len(m.args) > 1 {
		if r.IsInt() && r.Sign() > 0 && r.Num().IsInt64() && r.Num().Int64() <= maxRepeated {
			// x x .. x, fused
			k := int(r.Num().Int64())
			all := upTo(n.Order())
			copies := slices.Repeat([][]int{all}, k)
			return z.fused(einsum.Plain(copies, all, n.Shape()), slices.Repeat(n.Args(), k), slices.Repeat([][]monomial{{m}}, k))
		}
		x := z.atom(z.core(m))[0]
		m.c, m.args = x.c, x.args
	}
	coef := ratPow(m.coef, r)
	if len(m.args) == 0 || coef == nil || !r.IsInt() && m.coef.Sign() < 0 {
		return nil
	}
	args := make([]*Node, len(m.args))
	for i, a := range m.args {
		b, e := base(a)
		z.presume(b, e)
		f := new(big.Rat).Mul(e, r)
		even := e.IsInt() && e.Num().Bit(0) == 0
		switch {
		case r.IsInt():
			z.presume(b, r)
		case even:
			if r.Sign() < 0 {
				z.presume(b, big.NewRat(-1, 1))
			}
			if !z.signs.nonneg(b) {
				b = z.s.Unary("abs", b)
			}
		default:
			z.presume(b, r)
		}
		p := z.s.Power(b, f)
		if p.Is("power") && f.Sign() < 0 {
			p = z.guard(p, n.Guard())
		}
		args[i] = p
	}
	return z.powers(monomial{coef, m.c, args})
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
