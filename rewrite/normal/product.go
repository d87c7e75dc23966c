package normal

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// product is a plain contraction taken apart: coef * ops over the index strings in, out.
type product struct {
	coef number
	ops  []*Node
	in   [][]int
	out  []int
	vars []size.Size
}

// product normalises a contraction, stage by stage: it is flattened, its numbers are collected, its parts, and
// the powers of one base; then its operands are oriented. A stage that needs the normal form of what it made ends
// the product.
func (z *Simplifier) product(n *Node, t *trace) *Node {
	nodes, groups := z.nodes.free, z.groups.free // given back at the end: nothing keeps a product's slices
	defer func() { z.nodes.giveBack(nodes); z.groups.giveBack(groups) }()
	c, args := z.flattened(n, t)
	in, out, ok := c.IsPlain()
	if !ok {
		m := z.general(c, args)
		t.to(numberOrZero(m), m)
		return m
	}
	p := product{coef: unit, ops: args, in: in, out: out, vars: c.Vars}
	p = p.withoutNumbers(z.nodes.take(len(args)), z.groups.take(len(args)))
	if p.hasFree() {
		p = p.withoutSizes().multiplicities(z.s)
	}
	if p.coef.sign() == 0 && !p.divides() {
		m := z.s.Zero(n.Shape())
		t.to(nativeZero, m)
		return m
	}
	t.product(nativeNumber, &p)
	if m := z.apartAxes(&p, t); m != nil {
		return m
	}
	collected := p
	p = z.collectedFactors(p, t)
	if m := z.pushPermutation(&p, t); m != nil {
		return m
	}
	if m := z.turn(&p, t); m != nil {
		return m
	}
	if p.kinds()&(atom.Add.Kind()|atom.Ein.Kind()) != 0 {
		if m := z.distributed(&p, t); m != nil {
			return m
		}
		if m := z.termwise(&p, t); m != nil {
			return m
		}
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

// collectedFactors collects what recurs among the factors of p, what is 1, and powers of one base, and gives
// symmetric ones one order of axes.
func (z *Simplifier) collectedFactors(p product, t *trace) product {
	if p = z.regrouped(p, t); len(p.vars) == len(p.ops)+1 && len(p.out) == 2 && repeated(p.ops) {
		p = z.bracketed(p, t)
	}
	kinds := p.kinds()
	if kinds&atom.Softmax.Kind() != 0 {
		p = p.softmaxSums()
		t.product(nativeSoftmax, &p)
	}
	if kinds&(atom.Power.Kind()|atom.Norm2.Kind()) != 0 {
		p = z.norms(p)
		t.product(nativeNorm, &p)
		p = z.quotients(p, t, false)
	}
	p = z.powers(p)
	t.product(nativePower, &p)
	p = z.orient(p)
	t.product(nativeSymmetric, &p)
	return p
}

// kinds are those of the operands: most stages have to do with some only.
func (p *product) kinds() (all uint32) {
	for _, a := range p.ops {
		all |= a.Atom().Kind()
	}
	return all
}

// outgrows reports whether the numbers among args and those of the operand a of theirs are too large for one: in
// squares of multiples of squares each number is the square of the one before.
func outgrows(args []*Node, a *Node) bool {
	bits := numberBits(a.Args())
	return bits >= 64 && bits+numberBits(args) > atom.MaxBits
}

// numberBits is the size of the product of the numbers among args.
func numberBits(args []*Node) (bits int) {
	for _, a := range args {
		if isConst(a) {
			bits += atom.BitLen(a.Rat())
		}
	}
	return bits
}

// raised reports whether a power of a is among args.
func (z *Simplifier) raised(args []*Node, a *Node) bool {
	return !z.Flatten && slices.ContainsFunc(args, func(b *Node) bool {
		return b.Atom() == atom.Power && b.Arg(0) == a
	})
}

// useOperands notes that the operands of a, which others use, too, have been taken to one of its users.
func (z *Simplifier) useOperands(a *Node) {
	if z.uses(a) > 1 {
		for _, b := range a.Args() {
			if b.Ein() != nil {
				z.known.At(b).uses++
			}
		}
	}
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

func occurrences[T comparable](args []T, a T) int {
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
		return a.Atom() == atom.Power && a.Rat().Sign() < 0 && a.Guard() == combinators.GuardNone && IsZero(a.Arg(0))
	})
}

// free reports whether fusing a costs nothing although it may be used elsewhere: it has
// at most one operand that is no number, and sums over nothing.
func (z *Simplifier) free(a *Node) bool {
	proper := 0
	for _, b := range a.Args() {
		if !isConst(b) && !isSize(b) {
			if proper++; proper > 1 {
				return false
			}
		}
	}
	if proper == 0 {
		return true
	}
	_, out, ok := a.Ein().IsPlain()
	if !ok {
		return freeGeneral(a)
	}
	return coversAll(out, len(a.Ein().Vars))
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

func isConst(n *Node) bool { return n.Atom() == atom.Const }

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
	counted := p.unused()
	for v, d := range p.vars {
		n, known := d.Int()
		if counted[v] = counted[v] && known; counted[v] {
			p.coef = p.coef.times(whole(n))
		}
	}
	if slices.Contains(counted, true) {
		p.drop(counted)
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
	unused := p.unused()
	p.ops, p.in = slices.Clone(p.ops), slices.Clone(p.in)
	for v, d := range p.vars {
		if unused[v] {
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
		flat = lists.Append(flat, g, func(v int) int { return to[v] })
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
	if p.coef.isOne() {
		if p.identity() {
			return ops[0]
		}
	} else {
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
		var p product
		if z.room == nil {
			p = open(n)
		} else {
			nodes, groups := z.nodes.free, z.groups.free
			defer func() { z.nodes.giveBack(nodes); z.groups.giveBack(groups) }()
			p = openIn(n, &z.nodes, &z.groups)
		}
		t := term{coef: p.coef}
		if p.coef.sign() == 0 && p.divides() { // no number, and not 0
			return term{coef: unit, core: n, whole: n, atomic: true}
		}
		if p.coef = unit; p.identity() {
			t.core, t.atomic = p.ops[0], true
		} else {
			t.core = p.build(z.s)
		}
		if z.writtenSo(n, t, &p) {
			t.whole = n
		}
		z.parts = append(z.parts, t)
		*z.splits.At(n) = int32(len(z.parts))
		return t
	}
	return z.parts[*at-1]
}

// writtenSo reports whether the sum would write the term t as n: it may differ in the order of letters, where there
// are several, and has the operands of n, which is p, but for a core that is a product.
func (z *Simplifier) writtenSo(n *Node, t term, p *product) bool {
	if len(p.vars) < 2 && !opaque(n) && !p.hasFree() && len(p.ops)+1 == len(n.Args()) {
		return !t.atomic || t.core.Ein() == nil
	}
	return z.scaled(t.coef, t.core) == n
}

// letters is 0, 1, .. n-1, which must not be changed.
func letters(n int) []int {
	if n <= len(first) {
		return first[:n:n]
	}
	return einsum.UpTo(n)
}

var first = [8]int{0, 1, 2, 3, 4, 5, 6, 7}
