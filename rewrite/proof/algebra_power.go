package proof

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
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
	if z.theory.powers && n.Is(atom.Abs) {
		return z.abs(z.forms[n.Arg(0)].terms)
	}
	if z.theory.powers && n.Is(atom.Power) && len(z.forms[n.Arg(0)].terms) == 1 {
		return z.power(n, z.forms[n.Arg(0)].terms[0])
	}
	return nil
}

// base writes a factor as a power.
func base(n *Node) (*Node, *big.Rat) {
	if n.Is(atom.Power) {
		return n.Arg(0), n.Rat()
	}
	return n, big.NewRat(1, 1)
}

// presume records that a power with exponent e, of what stands at place k of m, presumes something of its
// base b. Under the guard that makes it 0 at 0 it does not presume that the base is not 0, nor where b is the size of an axis
// of m: then nothing is read.
func (z *algebra) presume(m *monomial, k int, b *Node, e *big.Rat, g combinators.Guard) {
	add := func(sign Sign, x *Node) {
		m.pays = z.joined(m.pays, map[presumption]bool{z.read(m.c, k, presumption{sign, x, x}): true}, nil)
	}
	if e.Sign() < 0 && g != combinators.GuardZero {
		x := b
		if x.Is(atom.Abs) {
			x = x.Arg(0)
		}
		if !sizeOf(x, m.c.Vars) {
			add(Nonzero, x)
		}
	}
	if !e.IsInt() {
		add(Nonneg, b)
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
			z.presume(&m, j, b, e, m.args[j].Guard())
			if e.Sign() < 0 {
				gs = append(gs, m.args[j].Guard())
			}
		}
		f := a
		if count > 1 {
			f = z.s.Power(b, sum)
			if f.Is(atom.Power) && sum.Sign() < 0 {
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
	return []monomial{z.counted(monomial{m.coef, c, args, m.pays})}
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
	if !ok || !einsum.Permutation(out, len(m.c.Vars)) || !r.IsInt() && len(m.args) > 1 || otherGuards(n, m.args) {
		if r.IsInt() && r.Sign() > 0 && r.Num().IsInt64() && r.Num().Int64() <= maxRepeated {
			// x x .. x, fused
			k := int(r.Num().Int64())
			all := einsum.UpTo(n.Order())
			copies := slices.Repeat([][]int{all}, k)
			return z.fused(product(einsum.Plain(copies, all, n.Shape()), slices.Repeat(n.Args(), k)...), slices.Repeat([][]monomial{{m}}, k))
		}
		m = z.parted(m, r.IsInt())
	}
	coef := atom.RatPow(m.coef, r)
	if coef == nil || otherGuards(n, m.args) || !r.IsInt() && m.coef.Sign() < 0 {
		return nil
	}
	args := lists.Make(len(m.args), func(i int) *Node { return z.powerOf(&m, i, r, n.Guard()) })
	return z.powers(monomial{coef, m.c, args, m.pays})
}

// powerOf is (x^e)^r as x^(e r), or |x|^(e r) where e is even and e r is not, for the factor x^e of m at place k, whose
// power has the guard whole.
func (z *algebra) powerOf(m *monomial, k int, r *big.Rat, whole combinators.Guard) *Node {
	a := m.args[k]
	b, e := base(a)
	g := a.Guard()
	if e.Sign() > 0 { // then the guard is that of the whole
		g = whole
	}
	z.presume(m, k, b, e, g)
	f := new(big.Rat).Mul(e, r)
	if even := e.IsInt() && e.Num().Bit(0) == 0; r.IsInt() || !even {
		z.presume(m, k, b, r, g)
	} else {
		if r.Sign() < 0 {
			z.presume(m, k, b, big.NewRat(-1, 1), g)
		}
		if !z.signs.nonneg(b) {
			b = z.s.Unary(atom.Abs, b)
		}
	}
	p := z.s.Power(b, f)
	if p.Is(atom.Power) && f.Sign() < 0 {
		p = guarded(p, g)
	}
	return p
}

// parted is m as a product of atoms, entry by entry: the scalars that are factors of it, if these are to be factors
// of their own, and what is left.
func (z *algebra) parted(m monomial, scalars bool) monomial {
	in, out, plain := m.c.IsPlain()
	all := einsum.UpTo(len(m.c.Out.Shape))
	root, ok := connected(append(slices.Clone(in), out), len(m.c.Vars))
	if !plain || !scalars || !ok {
		return monomial{m.coef, einsum.Plain([][]int{all}, all, m.c.Out.Shape), []*Node{z.core(m)}, m.pays}
	}
	rest := root[len(in)]
	var args []*Node
	var groups [][]int
	left := !einsum.Distinct(out)
	for k := range in {
		left = left || root[k] == rest
		if root[k] == k && k != rest {
			args, groups = append(args, z.connectedPart(m, root, k, nil)), append(groups, nil)
		}
	}
	if left {
		args, groups = append(args, z.connectedPart(m, root, rest, out)), append(groups, all)
	}
	return monomial{m.coef, einsum.Plain(groups, all, m.c.Out.Shape), args, m.pays}
}

// connected gives for each group of variables the one that stands for all that are connected with it by variables
// in common; ok reports whether each variable is in a group.
func connected(groups [][]int, vars int) (root []int, ok bool) {
	of := einsum.UpTo(len(groups))
	find := func(k int) int {
		for of[k] != k {
			k = of[k]
		}
		return k
	}
	at := slices.Repeat([]int{-1}, vars)
	for k, g := range groups {
		for _, v := range g {
			if at[v] < 0 {
				at[v] = k
			}
			of[find(at[v])] = find(k)
		}
	}
	for k := range groups {
		root = append(root, find(k))
	}
	return root, !slices.Contains(at, -1)
}

// connectedPart is the product of the factors of m that root gives the number part.
func (z *algebra) connectedPart(m monomial, root []int, part int, out []int) *Node {
	in, _, _ := m.c.IsPlain()
	var groups [][]int
	var args []*Node
	var dims []size.Size
	to := slices.Repeat([]int{-1}, len(m.c.Vars))
	named := func(g []int) (h []int) {
		for _, v := range g {
			if to[v] < 0 {
				to[v] = len(dims)
				dims = append(dims, m.c.Vars[v])
			}
			h = append(h, to[v])
		}
		return h
	}
	for k, g := range in {
		if root[k] == part {
			groups, args = append(groups, named(g)), append(args, m.args[k])
		}
	}
	result := named(out)
	return z.core(product(einsum.Plain(groups, result, dims), args...))
}

// abs is |x^e| as |x|^e, entry by entry, nil where m is no power.
func (z *algebra) abs(ms []monomial) []monomial {
	if len(ms) != 1 || len(ms[0].args) != 1 || !ms[0].args[0].Is(atom.Power) {
		return nil
	}
	m := ms[0]
	_, out, ok := m.c.IsPlain()
	if !ok || !einsum.Permutation(out, len(m.c.Vars)) {
		return nil
	}
	a := m.args[0]
	b, e := base(a)
	z.presume(&m, 0, b, e, a.Guard())
	if even := e.IsInt() && e.Num().Bit(0) == 0; !even && !z.signs.nonneg(b) {
		b = z.s.Unary(atom.Abs, b)
	}
	return []monomial{{new(big.Rat).Abs(m.coef), m.c, []*Node{z.s.Power(b, e).WithGuard(a.Guard())}, m.pays}}
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
