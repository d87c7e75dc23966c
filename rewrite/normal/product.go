package normal

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/einsum/size"
)

// product is a plain contraction taken apart: coef * ops over the index strings in, out.
type product struct {
	coef *big.Rat
	ops  []*Node
	in   [][]int
	out  []int
	vars []size.Size
}

// product normalises a contraction: operands that are contractions are fused, the
// equalities solved, constants collected, powers of one base merged.
func (z *Simplifier) product(n *Node, t *trace) *Node {
	c, args := n.Ein(), n.Args()
	var fused []int
	for k := 0; k < len(args); {
		a := args[k]
		if outer, parts := z.outerParts(a, len(args)-1); outer != nil {
			if t != nil {
				t.step(Step{Rule: nativeFuse, After: z.s.Ein(c, args...), Operands: fused})
				fused = nil
			}
			c = z.s.Fuse(c, k, outer)
			args = slices.Concat(args[:k], z.normalParts(a, parts, t, func(raw []*Node) *Node {
				return z.s.Ein(c, slices.Concat(args[:k], raw, args[k+1:])...)
			}), args[k+1:])
			continue
		}
		if a.Ein() == nil || !(z.free(a) || z.once(a) && len(args)+len(a.Args())-1 <= maxOperands) {
			k++
			continue
		}
		f := z.fuse(c, k, args)
		if f == nil {
			k++
			continue
		}
		c = f
		args = slices.Concat(args[:k], a.Args(), args[k+1:])
		if t != nil {
			fused = append(fused, k)
		}
	}
	if t != nil {
		t.step(Step{Rule: nativeFuse, After: z.s.Ein(c, args...), Operands: fused})
	}
	in, out, ok := c.IsPlain()
	if !ok {
		m := z.general(c, args)
		if t != nil {
			t.to(numberOrZero(m), m)
		}
		return m
	}
	p := &product{coef: one, ops: args, in: in, out: out, vars: c.Vars}
	p.constants()
	if p.coef.Sign() == 0 && !p.divides() {
		m := z.s.Zero(n.Shape())
		if t != nil {
			t.to(nativeZero, m)
		}
		return m
	}
	if t != nil {
		t.to(nativeNumber, p.build(z.s))
	}
	z.powers(p)
	if t != nil {
		t.to(nativePower, p.build(z.s))
	}
	z.orient(p)
	if t != nil {
		t.to(nativeSymmetric, p.build(z.s))
	}
	if m := z.pushPermutation(p, t); m != nil {
		return m
	}
	return p.build(z.s)
}

// numberOrZero is the schema by which a product became m.
func numberOrZero(m *Node) string {
	if IsZero(m) {
		return nativeZero
	}
	return nativeNumber
}

// divides reports whether an operand is a negative power of 0, which no factor mends:
// (x - x)/(x - x) is not 0.
func (p *product) divides() bool {
	return slices.ContainsFunc(p.ops, func(a *Node) bool {
		return a.Is("power") && a.Rat().Sign() < 0 && a.Guard() == combinators.GuardNone && IsZero(a.Arg(0))
	})
}

// free reports whether fusing a costs nothing although it may be used elsewhere: it has
// at most one operand that is no number, and sums over nothing.
func (z *Simplifier) free(a *Node) bool {
	proper := 0
	for _, b := range a.Args() {
		if !b.Is("const") {
			proper++
		}
	}
	switch proper {
	case 0:
		return true
	case 1:
		_, out, ok := a.Ein().IsPlain()
		if !ok {
			return freeGeneral(a)
		}
		return coversAll(out, len(a.Ein().Vars))
	}
	return false
}

func coversAll(vars []int, n int) bool {
	seen := make([]bool, n)
	for _, v := range vars {
		if !seen[v] {
			seen[v] = true
			n--
		}
	}
	return n == 0
}

// constants moves the numbers among the operands, and free variables of known size,
// into the coefficient.
func (p *product) constants() {
	var ops []*Node
	var in [][]int
	coef := p.coef
	if slices.ContainsFunc(p.ops, func(a *Node) bool { return a.Is("const") }) {
		for k, a := range p.ops {
			if a.Is("const") {
				coef = times(coef, a.Rat())
				continue
			}
			ops, in = append(ops, a), append(in, p.in[k])
		}
		p.ops, p.in = ops, in
	}
	if !p.hasFree() {
		p.coef = coef
		return
	}
	used := make([]bool, len(p.vars))
	for _, g := range append(slices.Clone(p.in), p.out) {
		for _, v := range g {
			used[v] = true
		}
	}
	to, vars := make([]int, len(p.vars)), []size.Size{}
	for v, d := range p.vars {
		to[v] = len(vars)
		if n, ok := d.Int(); ok && !used[v] {
			coef = new(big.Rat).Mul(coef, big.NewRat(n, 1))
			continue
		}
		vars = append(vars, d)
	}
	if len(vars) != len(p.vars) {
		p.rename(to)
		p.vars = vars
	}
	p.coef = coef
}

// times is a*b, without work where a factor is 1.
func times(a, b *big.Rat) *big.Rat {
	switch {
	case isOne(a):
		return b
	case isOne(b):
		return a
	}
	return new(big.Rat).Mul(a, b)
}

// over is a/b, without work where b is 1.
func over(a, b *big.Rat) *big.Rat {
	if isOne(b) {
		return a
	}
	return new(big.Rat).Quo(a, b)
}

func (p *product) rename(to []int) {
	ren := func(g []int) []int {
		out := make([]int, len(g))
		for i, v := range g {
			out[i] = to[v]
		}
		return out
	}
	in := make([][]int, len(p.in))
	for k, g := range p.in {
		in[k] = ren(g)
	}
	p.in, p.out = in, ren(p.out)
}

// build is the contraction, with the coefficient as a constant operand where it is not 1.
func (p *product) build(s *combinators.Store) *Node {
	ops, in := p.ops, p.in
	if !isOne(p.coef) && p.identity() && opaque(ops[0]) {
		coef, c, args := withoutNumbers(ops[0].Ein(), ops[0].Args())
		return withNumber(s, times(p.coef, coef), c, args)
	}
	if !isOne(p.coef) {
		ops = append(slices.Clip(ops), s.Const(p.coef))
		in = append(slices.Clip(in), nil)
	}
	if len(ops) == 0 && len(p.out) == 0 && len(p.vars) == 0 {
		return s.Int(1)
	}
	if len(ops) == 1 && len(p.out) == 0 && len(p.vars) == 0 {
		return ops[0]
	}
	return s.Contract(in, p.out, p.vars, ops...)
}

// open takes a value apart as coefficient times product; any value is 1 times itself.
func open(n *Node) *product {
	if n.Is("const") {
		return &product{coef: n.Rat()}
	}
	if c := n.Ein(); c != nil {
		if in, out, ok := c.IsPlain(); ok {
			p := &product{coef: one, ops: n.Args(), in: in, out: out, vars: c.Vars}
			if slices.ContainsFunc(p.ops, func(a *Node) bool { return a.Is("const") }) {
				p.constants()
			}
			return p
		}
		if coef, d, args := withoutNumbers(c, n.Args()); coef != one {
			p := open(n.Store().Ein(d, args...))
			p.coef = times(coef, p.coef)
			return p
		}
	}
	all := make([]int, n.Order())
	for i := range all {
		all[i] = i
	}
	return &product{coef: one, ops: []*Node{n}, in: [][]int{all}, out: all, vars: n.Shape()}
}

// base writes a factor as a power: x = x^1, x^r.
func base(n *Node) (*Node, *big.Rat, combinators.Guard) {
	if n.Is("power") {
		return n.Arg(0), n.Rat(), n.Guard()
	}
	return n, one, combinators.GuardNone
}

// powers merges factors that are powers of one base at one index map:
// x^a * x^b = x^(a+b), where that keeps the domain. Squares stay products of two
// factors, so that x'*x and x.*x have one form, and so do inverse squares, so that x/|x|
// can be seen twice in x*x'/|x|^2.
func (z *Simplifier) powers(p *product) {
	for i := 0; i < len(p.ops); i++ {
		b, e, g := base(p.ops[i])
		same := []int{i}
		for j := i + 1; j < len(p.ops); j++ {
			if c, _, _ := base(p.ops[j]); c == b && slices.Equal(p.in[i], p.in[j]) {
				same = append(same, j)
			}
		}
		if len(same) == 1 && !(p.ops[i].Is("power") && (e.Cmp(two) == 0 || e.Cmp(minusTwo) == 0)) {
			continue
		}
		sum, exps := new(big.Rat), []*big.Rat{}
		for _, j := range same {
			_, e, h := base(p.ops[j])
			sum.Add(sum, e)
			exps = append(exps, e)
			if len(exps) > 1 {
				g = joinGuards(g, h)
			}
		}
		if !z.mergeable(b, exps, sum) {
			continue
		}
		group := p.in[i]
		for k := len(same) - 1; k >= 0; k-- {
			p.ops = slices.Concat(p.ops[:same[k]], p.ops[same[k]+1:])
			p.in = slices.Concat(p.in[:same[k]], p.in[same[k]+1:])
		}
		var merged []*Node
		switch {
		case sum.Sign() == 0:
		case sum.Cmp(two) == 0:
			merged = []*Node{b, b}
		case sum.Cmp(minusTwo) == 0:
			r := z.s.Recip(b).WithGuard(g)
			merged = []*Node{r, r}
		default:
			m := z.s.Power(b, sum)
			if g != combinators.GuardNone && m.Is("power") && sum.Sign() < 0 {
				m = m.WithGuard(g)
			}
			merged = []*Node{m}
		}
		for _, m := range merged {
			p.ops = slices.Insert(slices.Clone(p.ops), i, m)
			p.in = slices.Insert(slices.Clone(p.in), i, group)
		}
		i += len(merged) - 1
	}
}

var two, minusTwo, minusOne = big.NewRat(2, 1), big.NewRat(-2, 1), big.NewRat(-1, 1)

func joinGuards(a, b combinators.Guard) combinators.Guard {
	if a == b {
		return a
	}
	if a == combinators.GuardWeak || b == combinators.GuardWeak {
		return combinators.GuardWeak
	}
	return combinators.GuardNone
}

// mergeable reports whether the product of the powers of b is b^sum on the same domain.
// A negative exponent excludes 0, a fractional one the negative numbers.
func (z *Simplifier) mergeable(b *Node, exps []*big.Rat, sum *big.Rat) bool {
	excludesZero, excludesNegative := false, false
	for _, e := range exps {
		excludesZero = excludesZero || e.Sign() < 0
		excludesNegative = excludesNegative || !e.IsInt()
	}
	if len(exps) == 1 {
		return true
	}
	if len(exps) == 2 && exps[0].Cmp(exps[1]) == 0 && (isOne(exps[0]) || exps[0].Cmp(minusOne) == 0) {
		return false // x*x and 1/x*1/x are forms themselves
	}
	if excludesZero && sum.Sign() >= 0 && !z.facts.Nonzero(b) {
		return false
	}
	return !(excludesNegative && sum.IsInt() && !z.facts.Nonneg(b))
}
