package normal

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// product is a plain contraction taken apart: coef * ops over the index strings in, out.
type product struct {
	coef number
	ops  []*Node
	in   [][]int
	out  []int
	vars []size.Size
}

// product normalises a contraction: operands that are contractions are fused, the
// equalities solved, constants collected, powers of one base merged.
func (z *Simplifier) product(n *Node, t *trace) *Node {
	c, args := n.Ein(), n.Args()
	var fused []int // as the operands of what is traced are numbered
	sorted := true
	nodes, groups := z.nodes.free, z.groups.free // given back at the end: nothing keeps a product's slices
	defer func() { z.nodes.giveBack(nodes); z.groups.giveBack(groups) }()
	own := false // args is not the node's
	replace := func(k int, by []*Node) {
		if !own {
			args, own = append(z.nodes.take(maxOperands), args...), true
		}
		args = slices.Replace(args, k, k+1, by...)
	}
	var dissolved []*Node // products of which every use is a factor of one square
	for k := 0; k < len(args); {
		a := args[k]
		if a.Ein() == nil || isSize(a) {
			k++
			continue
		}
		if outer, parts := z.outerParts(a, len(args)-1, occurrences(args, a)); outer != nil {
			if t != nil {
				t.step(Step{Rule: nativeFuse, After: z.s.Ein(c, args...), Operands: fused})
				fused, sorted = nil, false
			}
			c = z.s.Fuse(c, k, outer)
			replace(k, z.normalParts(a, parts, t, func(raw []*Node) *Node {
				return z.s.Ein(c, slices.Concat(args[:k], raw, args[k+1:])...)
			}))
			continue
		}
		if !(z.free(a) || z.once(a) && len(args)+len(a.Args())-1 <= maxOperands || slices.Contains(dissolved, a)) {
			count := occurrences(args, a)
			if count == 1 || z.uses(a) > int32(count) || len(args)+count*(len(a.Args())-1) > maxOperands ||
				!a.Ein().Entrywise() || !squares(c, args, k) {
				if z.once(a) {
					z.doubts |= Width
				}
				k++
				continue
			}
			dissolved = append(dissolved, a)
		}
		f := z.fuse(c, k, args)
		if f == nil {
			k++
			continue
		}
		c = f
		replace(k, a.Args())
		if t != nil && sorted {
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
	p := product{coef: unit, ops: args, in: in, out: out, vars: c.Vars}
	p = p.withoutNumbers(z.nodes.take(len(args)), z.groups.take(len(args)))
	if p.hasFree() {
		p = p.withoutSizes().multiplicities(z.s)
	}
	if p.coef.sign() == 0 && !p.divides() {
		m := z.s.Zero(n.Shape())
		if t != nil {
			t.to(nativeZero, m)
		}
		return m
	}
	if t != nil {
		t.to(nativeNumber, p.build(z.s))
	}
	collected := p
	p = p.softmaxSums()
	if t != nil {
		t.to(nativeSoftmax, p.build(z.s))
	}
	p = z.powers(p)
	if t != nil {
		t.to(nativePower, p.build(z.s))
	}
	p = z.orient(p)
	if t != nil {
		t.to(nativeSymmetric, p.build(z.s))
	}
	if m := z.pushPermutation(&p, t); m != nil {
		return m
	}
	if m := z.turn(&p, t); m != nil {
		return m
	}
	if m := z.distributed(&p, t); m != nil {
		return m
	}
	if p.is(n) {
		return n
	}
	m := p.build(z.s)
	if m.Ein() != nil && !opaque(m) && same(p.ops, collected.ops) && same(p.in, collected.in) && z.apart(p.ops) {
		z.settled = m
	}
	return m
}

// same reports whether two slices are one.
func same[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// apart reports whether no operand of a product of ops is fused into it when it is looked at again:
// each that is a product is needed elsewhere, too, or makes it too wide.
func (z *Simplifier) apart(ops []*Node) bool {
	for _, a := range ops {
		if a.Ein() == nil || isSize(a) {
			continue
		}
		n := occurrences(ops, a)
		shared := !z.once(a) && z.uses(a) > int32(n)
		wide := n == 1 && len(ops)+len(a.Args())-1 > maxOperands && a.Order() < 2
		if opaque(a) || !shared && !wide {
			return false
		}
	}
	return true
}

// is reports whether p is the product n taken apart, with nothing changed: it need not be built then.
func (p *product) is(n *Node) bool {
	if n.Ein() == nil {
		return false
	}
	in, out, plain := n.Ein().IsPlain()
	if !plain || len(p.vars) != len(n.Ein().Vars) || len(p.vars)+len(in) == 0 || !slices.Equal(p.out, out) {
		return false
	}
	j, coef := 0, unit
	for k, a := range n.Args() {
		if isConst(a) && coef == unit {
			coef = numberOf(a.Rat())
			if coef == unit {
				return false
			}
			continue
		}
		if j == len(p.ops) || p.ops[j] != a || !slices.Equal(p.in[j], in[k]) {
			return false
		}
		j++
	}
	return j == len(p.ops) && p.coef.equal(coef) && slices.Equal(p.vars, n.Ein().Vars) &&
		(coef == unit || !p.identity() || !opaque(p.ops[0]))
}

// squares reports whether all occurrences of operand k of c have one index map.
func squares(c *einsum.Contraction, args []*Node, k int) bool {
	in, _, ok := c.IsPlain()
	if !ok {
		return false
	}
	for j, a := range args {
		if a == args[k] && !slices.Equal(in[j], in[k]) {
			return false
		}
	}
	return true
}

func occurrences(args []*Node, a *Node) int {
	n := 0
	for _, b := range args {
		if a == b {
			n++
		}
	}
	return n
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
		return a.Atom() == combinators.AtomPower && a.Rat().Sign() < 0 && a.Guard() == combinators.GuardNone && IsZero(a.Arg(0))
	})
}

// free reports whether fusing a costs nothing although it may be used elsewhere: it has
// at most one operand that is no number, and sums over nothing.
func (z *Simplifier) free(a *Node) bool {
	proper := 0
	for _, b := range a.Args() {
		if !isConst(b) && !isSize(b) {
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
	if n > 64 {
		seen := make([]bool, n)
		for _, v := range vars {
			seen[v] = true
		}
		return !slices.Contains(seen, false)
	}
	var seen uint64
	for _, v := range vars {
		seen |= 1 << v
	}
	return seen == 1<<n-1
}

func isConst(n *Node) bool { return n.Atom() == combinators.AtomConst }

// withoutNumbers moves the numbers among the operands into the coefficient. What remains is put
// behind ops and in.
func (p product) withoutNumbers(ops []*Node, in [][]int) product {
	if slices.ContainsFunc(p.ops, isConst) {
		for k, a := range p.ops {
			if isConst(a) {
				p.coef = p.coef.times(numberOf(a.Rat()))
				continue
			}
			ops, in = append(ops, a), append(in, p.in[k])
		}
		p.ops, p.in = ops, in
	}
	return p
}

// withoutSizes moves free variables of known size into the coefficient.
func (p product) withoutSizes() product {
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
			p.coef = p.coef.times(whole(n))
			continue
		}
		vars = append(vars, d)
	}
	if len(vars) != len(p.vars) {
		p.rename(to)
		p.vars = vars
	}
	return p
}

// isSize reports whether n is a size as a number: a variable that nothing uses.
func isSize(n *Node) bool {
	return len(n.Args()) == 0 && n.Order() == 0 && n.Ein() != nil && len(n.Ein().Vars) == 1
}

// multiplicities makes factors of the variables that nothing uses, which repeat the product:
// the sum of a over i is n a.
func (p product) multiplicities(s *combinators.Store) product {
	if !p.hasFree() || p.coef.isOne() && len(p.ops)+len(p.out) == 0 && len(p.vars) == 1 {
		return p
	}
	used := make([]bool, len(p.vars))
	for _, g := range append(slices.Clone(p.in), p.out) {
		for _, v := range g {
			used[v] = true
		}
	}
	p.ops, p.in = slices.Clone(p.ops), slices.Clone(p.in)
	for v, d := range p.vars {
		if !used[v] {
			p.ops, p.in = append(p.ops, s.Contract(nil, nil, []size.Size{d})), append(p.in, nil)
		}
	}
	p.compact()
	return p
}

func (p *product) rename(to []int) {
	n := len(p.out)
	for _, g := range p.in {
		n += len(g)
	}
	flat, in := make([]int, 0, n), make([][]int, len(p.in))
	ren := func(g []int) []int {
		at := len(flat)
		for _, v := range g {
			flat = append(flat, to[v])
		}
		return flat[at:len(flat):len(flat)]
	}
	for k, g := range p.in {
		in[k] = ren(g)
	}
	p.in, p.out = in, ren(p.out)
}

// build is the contraction, with the coefficient as a constant operand where it is not 1.
func (p *product) build(s *combinators.Store) *Node {
	ops, in := p.ops, p.in
	if !p.coef.isOne() {
		if p.identity() && opaque(ops[0]) {
			coef, c, args := withoutNumbers(ops[0].Ein(), ops[0].Args())
			return withNumber(s, p.coef.times(coef), c, args)
		}
		var opBuf [8]*Node
		var inBuf [8][]int
		ops = append(append(opBuf[:0], ops...), p.coef.node(s))
		in = append(append(inBuf[:0], in...), nil)
	}
	if len(p.out) == 0 && len(p.vars) == 0 {
		switch len(ops) {
		case 0:
			return s.Int(1)
		case 1:
			return ops[0]
		}
	}
	return s.Contract(in, p.out, p.vars, ops...)
}

// open takes a value apart as coefficient times product; any value is 1 times itself.
func open(n *Node) product { return openIn(n, nil, nil) }

// openIn is open with slices from the room given, or from none.
func openIn(n *Node, nodes *arena[*Node], groups *arena[[]int]) product {
	if isConst(n) {
		return product{coef: numberOf(n.Rat())}
	}
	if c := n.Ein(); c != nil {
		if in, out, ok := c.IsPlain(); ok {
			p := product{coef: unit, ops: n.Args(), in: in, out: out, vars: c.Vars}
			if slices.ContainsFunc(p.ops, isConst) {
				p = p.withoutNumbers(nodes.take(len(p.ops)), groups.take(len(p.ops)))
				if p.hasFree() {
					p = p.withoutSizes()
				}
			}
			return p
		}
		if coef, d, args := withoutNumbers(c, n.Args()); coef != unit {
			p := open(n.Store().Ein(d, args...))
			p.coef = coef.times(p.coef)
			return p
		}
	}
	return factor(n, nodes, groups)
}

// factor is the product of n alone.
func factor(n *Node, nodes *arena[*Node], groups *arena[[]int]) product {
	all := letters(n.Order())
	return product{coef: unit, ops: append(nodes.take(1), n), in: append(groups.take(1), all), out: all, vars: n.Shape()}
}

// split is open(n) as a term: a coefficient, and the value with coefficient 1.
func (z *Simplifier) split(n *Node) term {
	switch {
	case isConst(n):
	case n.Ein() == nil:
		return term{coef: unit, core: n, whole: n}
	case !slices.ContainsFunc(n.Args(), isConst) && len(n.Args()) > 0:
		return term{coef: unit, core: n, whole: n}
	}
	at := z.splits.At(n)
	if *at == 0 {
		p := open(n)
		t := term{coef: p.coef}
		if p.coef = unit; p.identity() {
			t.core, t.atomic = p.ops[0], true
		} else {
			t.core = p.build(z.s)
		}
		if z.scaled(t.coef, t.core) == n { // as the sum would write it, which may differ in the order of letters
			t.whole = n
		}
		z.parts = append(z.parts, t)
		*z.splits.At(n) = int32(len(z.parts))
		return t
	}
	return z.parts[*at-1]
}

// letters is 0, 1, .. n-1, which must not be changed.
func letters(n int) []int {
	if n <= len(first) {
		return first[:n:n]
	}
	return upTo(n)
}

var first = [8]int{0, 1, 2, 3, 4, 5, 6, 7}

// base writes a factor as a power: x = x^1, x^r, x.*x = x^2.
func base(n *Node) (*Node, *big.Rat, combinators.Guard) {
	if n.Atom() == combinators.AtomPower {
		return n.Arg(0), n.Rat(), n.Guard()
	}
	if x := squared(n); x != nil {
		b, e, g := base(x)
		return b, new(big.Rat).Add(e, e), g
	}
	return n, one, combinators.GuardNone
}

// basesOf appends the bases of factors.
func basesOf(ops, bases []*Node) []*Node {
	for _, a := range ops {
		for x := squared(a); x != nil; x = squared(a) {
			a = x
		}
		if a.Atom() == combinators.AtomPower {
			a = a.Arg(0)
		}
		bases = append(bases, a)
	}
	return bases
}

// squared is x where n is x.*x.
func squared(n *Node) *Node {
	if len(n.Args()) != 2 || n.Arg(0) != n.Arg(1) || n.Ein() == nil || !n.Ein().Entrywise() {
		return nil
	}
	if in, out, _ := n.Ein().IsPlain(); !slices.Equal(in[0], in[1]) || !slices.Equal(in[0], out) {
		return nil
	}
	return n.Arg(0)
}

// powers merges factors that are powers of one base at one index map:
// x^a * x^b = x^(a+b), where that keeps the domain. Squares stay products of two
// factors, so that x'*x and x.*x have one form, and so do inverse squares, so that x/|x|
// can be seen twice in x*x'/|x|^2.
func (z *Simplifier) powers(p product) product {
	var room [16]int
	var baseRoom [maxOperands]*Node
	bases := basesOf(p.ops, baseRoom[:0])
	if !p.repeats(bases) {
		return p
	}
	for i := 0; i < len(p.ops); i++ {
		same := append(room[:0], i)
		for j := i + 1; j < len(p.ops); j++ {
			if bases[j] == bases[i] && slices.Equal(p.in[i], p.in[j]) {
				same = append(same, j)
			}
		}
		if len(same) == 1 && p.ops[i].Atom() != combinators.AtomPower {
			continue
		}
		if len(same) == 2 && bases[i] == p.ops[i] && bases[i] == p.ops[same[1]] {
			continue // x*x is a form itself
		}
		b, e, g := base(p.ops[i])
		if len(same) > 1 && (lawful(b) || !e.IsInt()) {
			z.doubts |= Laws
		}
		if len(same) == 1 && e.Cmp(two) != 0 && e.Cmp(minusTwo) != 0 || large(e) {
			continue
		}
		sum, first, equal := whole(0), numberOf(e), true
		excludesZero, excludesNegative := false, false
		for k, j := range same {
			_, r, h := base(p.ops[j])
			e := numberOf(r)
			sum = sum.plus(e)
			equal = equal && e.equal(first)
			excludesZero = excludesZero || e.sign() < 0
			excludesNegative = excludesNegative || !e.isInt()
			if k > 0 {
				g = joinGuards(g, h)
			}
		}
		if len(same) == 2 && equal && (first == unit || first == whole(-1)) {
			continue // x*x and 1/x*1/x are forms themselves
		}
		var merged []*Node
		for _, e := range z.exponents(b, sum, excludesZero, excludesNegative) {
			switch {
			case e.sign() == 0:
			case e == whole(2):
				merged = append(merged, b, b)
			case e == whole(-2):
				r := z.s.Recip(b).WithGuard(g)
				merged = append(merged, r, r)
			default:
				m := z.s.Power(b, e.rat())
				if g != combinators.GuardNone && m.Is("power") && e.sign() < 0 {
					m = m.WithGuard(g)
				}
				merged = append(merged, m)
			}
		}
		group := p.in[i]
		for k := len(same) - 1; k >= 0; k-- {
			p.ops = slices.Concat(p.ops[:same[k]], p.ops[same[k]+1:])
			p.in = slices.Concat(p.in[:same[k]], p.in[same[k]+1:])
		}
		for _, m := range merged {
			p.ops = slices.Insert(slices.Clone(p.ops), i, m)
			p.in = slices.Insert(slices.Clone(p.in), i, group)
		}
		bases = basesOf(p.ops, baseRoom[:0])
		i += len(merged) - 1
	}
	return p
}

// repeats reports whether an operand is a power, or two have one base at one index map.
func (p *product) repeats(bases []*Node) bool {
	var room [64 + 1]uint8
	heads := room[:] // by first variable, the last operand that has it, from 1
	var before [maxOperands]uint8
	if len(p.ops) > len(before) || len(p.vars) >= len(heads) {
		return true
	}
	for i, a := range p.ops {
		if a.Atom() == combinators.AtomPower {
			return true
		}
		v := len(heads) - 1
		if len(p.in[i]) > 0 {
			v = p.in[i][0]
		}
		for j := heads[v]; j > 0; j = before[j-1] {
			if bases[j-1] == bases[i] && slices.Equal(p.in[j-1], p.in[i]) {
				return true
			}
		}
		before[i], heads[v] = heads[v], uint8(i+1)
	}
	return false
}

// large exponents are not made larger: x = x.*x, a thousand times, would be a number of a
// thousand digits.
func large(e *big.Rat) bool { return e.Num().BitLen() > 16 }

// exponents are those of b in a product of powers of b: their sum alone where that has the
// domain of all. Otherwise one factor stays that excludes what they exclude: 1/b for 0, the
// root of b for negative numbers, 1/b^(1/2) for both.
func (z *Simplifier) exponents(b *Node, sum number, excludesZero, excludesNegative bool) []number {
	excludesZero = excludesZero && sum.sign() >= 0 && !z.facts.Nonzero(b)
	excludesNegative = excludesNegative && sum.isInt() && !z.facts.Nonneg(b)
	keep := whole(-1)
	switch {
	case excludesNegative && (excludesZero || sum.sign() < 0):
		keep = whole(-1).over(whole(2))
	case excludesNegative:
		keep = unit.over(whole(2))
	case excludesZero:
	default:
		return []number{sum}
	}
	return []number{keep, sum.plus(keep.times(whole(-1)))}
}

var two, minusTwo = big.NewRat(2, 1), big.NewRat(-2, 1)

func joinGuards(a, b combinators.Guard) combinators.Guard {
	if a == b {
		return a
	}
	if a == combinators.GuardWeak || b == combinators.GuardWeak {
		return combinators.GuardWeak
	}
	return combinators.GuardNone
}
