package proof

import (
	"container/heap"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// An algebra decides whether two terms are equal: it brings both to a sum of products
//
//	sum of c_k * contraction_k(atoms)
//
// by the laws that theory allows, and compares the sums as nodes. Contractions are always fused,
// by package einsum, and numbers always multiplied; what is no product is an atom over operands in
// the same form. Terms with one form are equal; the converse is not claimed.
type algebra struct {
	s         *combinators.Store
	theory    theory
	signs     *signs
	work      *work
	until     int            // the work at which the search for a form ends
	frozen    map[*Node]bool // atoms as they are
	apart     *Node          // an atom that stands in one of two forms that are not one, see difference
	whole     bool           // powers of sums and contractions are merged before these are expanded
	forms     map[*Node]form
	lost      map[presumption]bool // what vanishes from the form in the making
	symmetric map[*Node]bool       // matrices that are known to be, or not
	tied      map[uint64][]written // products that have no one form in the store, by an invariant
}

// theory says which laws may be used besides the fusion of contractions.
type theory struct {
	sums      bool // contractions are linear; like terms are counted
	powers    bool // x^a x^b = x^(a+b), and powers of powers and of products, on one domain
	norms     bool // x'x = |x| |x|
	pick      bool // f(M x) = M f(x) where M picks entries
	fold      bool // functions of numbers
	reshape   bool // merge and split are linear
	symmetric bool // symmetric matrices equal their transposes
	transpose bool // inv(X') = inv(X)', and so for cofactors; det(X') = det(X)
}

// monomial is coef times the contraction of args; pays is what it presumes besides, of what its factors
// were made from: x x^-1 is 1, and presumes that x is not 0.
type monomial struct {
	coef *big.Rat
	c    *einsum.Contraction
	args []*Node
	pays map[presumption]bool
}

// form is a sum of monomials, and what was presumed by those that vanished: 0 u is 0, and presumes that
// u has a value.
type form struct {
	terms []monomial
	lost  map[presumption]bool
}

// Bounds of a form: beyond them a step counts as not checked.
const (
	maxMonomials = 4000
	maxFactors   = 256
)

// tooWide ends the search for a form, which is wide, or takes long.
type tooWide struct{}

// refines decides whether b equals a wherever a has a value, and where b has one and a has none, a is 0 u or
// u - u somewhere. It goes by what the two do not share first: what stands in both is an atom then, or
// all of that but the contractions.
func (k *checker) refines(a, b *Node, t theory, s *signs) bool {
	return a == b || k.related(a, b, t, s, sameForm(a.Shape()))
}

// sameForm: the two forms, of values of one shape, are one node.
func sameForm(shape []size.Size) func(z *algebra, x, y *form) bool {
	return func(z *algebra, x, y *form) bool { return z.node(x.terms, shape) == z.node(y.terms, shape) }
}

// related reports whether the forms of a and b are so.
func (k *checker) related(a, b *Node, t theory, s *signs, so func(z *algebra, x, y *form) bool) bool {
	if len(a.Shape()) != len(b.Shape()) || !slices.Equal(a.Shape(), b.Shape()) {
		return false
	}
	try := func(frozen map[*Node]bool, whole bool, most int) (ok bool, apart *Node) {
		z := &algebra{s: k.s, theory: t, signs: s, work: k.work, until: k.work.done + most, frozen: frozen, whole: whole, symmetric: k.symmetric}
		return z.related(a, b, so), z.apart
	}
	frozen := k.shared(a, b, true)
	for range maxOpened { // what is a sum or a product in one of the two, and written out in the other
		ok, apart := try(frozen, false, fewVisits)
		if ok {
			return true
		}
		if apart == nil {
			break
		}
		delete(frozen, apart)
		for _, arg := range apart.Args() {
			if _, number := fill(arg); !number {
				frozen[arg] = true
			}
		}
	}
	for _, most := range []int{fewVisits, manyVisits} {
		for _, choice := range []func() map[*Node]bool{
			func() map[*Node]bool { return k.shared(a, b, true) },
			func() map[*Node]bool { return k.shared(a, b, false) },
			func() map[*Node]bool { return nil },
		} {
			frozen := choice()
			for _, whole := range []bool{false, true} {
				if t.powers || !whole {
					if ok, _ := try(frozen, whole, most); ok {
						return true
					}
				}
			}
		}
	}
	return false
}

// maxOpened bounds the atoms that are written out one after the other.
const maxOpened = 16

// What each choice of atoms may take before others are tried, and then again.
const (
	fewVisits  = 100_000
	manyVisits = 5_000_000
)

// shared are the values that stand in a and in b, but for numbers: those met first from above, or, where deep
// is set, also those below them, as long as something is met that stands in one of the two, as far as it has
// seen. What the two do not share is most often near their tops.
func (k *checker) shared(a, b *Node, deep bool) map[*Node]bool {
	const inA, inB = 1, 2
	met, frozen := map[*Node]int{}, map[*Node]bool{}
	queue := &newest{}
	alone := 0 // in the queue, and met in one of the two
	meet := func(n *Node, in int) {
		was := met[n]
		met[n] |= in
		if _, number := fill(n); number {
			return
		}
		switch {
		case was == 0:
			heap.Push(queue, n)
			if in != inA|inB {
				alone++
			}
		case was != inA|inB && met[n] == inA|inB:
			alone--
		}
	}
	meet(a, inA)
	meet(b, inB)
	for queue.Len() > 0 {
		n := heap.Pop(queue).(*Node)
		k.work.add(2)
		if met[n] != inA|inB {
			alone--
		} else {
			if frozen[n] = true; !deep || alone == 0 {
				continue
			}
		}
		for _, arg := range n.Args() { // which are older
			meet(arg, met[n])
		}
	}
	return frozen
}

// newest is a heap of nodes, the newest first.
type newest []*Node

func (q newest) Len() int           { return len(q) }
func (q newest) Less(i, j int) bool { return q[i].ID() > q[j].ID() }
func (q newest) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *newest) Push(n any)        { *q = append(*q, n.(*Node)) }
func (q *newest) Pop() any {
	last := len(*q) - 1
	n := (*q)[last]
	*q = (*q)[:last]
	return n
}

func (z *algebra) related(a, b *Node, so func(z *algebra, x, y *form) bool) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, wide := p.(tooWide); !wide {
				panic(p)
			}
			ok = false
		}
	}()
	x := z.formOf(a)
	z.forms = nil
	y := z.formOf(b)
	if so(z, &x, &y) && z.widens(x, y, a.Shape()) {
		return true
	}
	z.apart = z.difference(x.terms, y.terms)
	return false
}

// difference is the newest sum or product that is an atom of a monomial which the other form has not; nil where
// there is none.
func (z *algebra) difference(x, y []monomial) (newest *Node) {
	count := map[*Node]*big.Rat{}
	for _, m := range slices.Concat(x, y) {
		count[z.core(m)] = new(big.Rat)
	}
	for _, m := range x {
		c := count[z.core(m)]
		c.Add(c, m.coef)
	}
	for _, m := range y {
		c := count[z.core(m)]
		c.Sub(c, m.coef)
	}
	for _, m := range slices.Concat(x, y) {
		if count[z.core(m)].Sign() == 0 {
			continue
		}
		for _, a := range m.args {
			if z.frozen[a] && (a.Ein() != nil || a.Is(atom.Add)) && (newest == nil || a.ID() > newest.ID()) {
				newest = a
			}
		}
	}
	return newest
}

// formed are the signs with the facts in the forms of z, too: where a value is defined, it is its form.
func (z *algebra) formed() *signs {
	facts := []Fact{}
	for f := range z.signs.facts {
		facts = append(facts, f, Fact{f.Sign, z.node(z.formOf(f.Value).terms, f.Value.Shape())})
	}
	return newSigns(facts, z.work)
}

// sizeOf reports whether n is the size of an axis of a shape, as a number, or divides one.
func sizeOf(n *Node, shape []size.Size) bool {
	if n.Ein() == nil || n.Order() > 0 || len(n.Args()) > 0 || len(n.Ein().Vars) != 1 || len(n.Ein().Eq)+len(n.Ein().Ge) > 0 {
		return false
	}
	d := n.Ein().Vars[0]
	symbol, ok := d.Symbol()
	return slices.ContainsFunc(shape, func(e size.Size) bool {
		all := e.Monomials()
		return d == e || ok && len(all) == 1 && slices.Contains(all[0].Symbols, symbol)
	})
}

// formOf is computed bottom-up, with a stack of its own.
func (z *algebra) formOf(n *Node) form {
	if z.forms == nil {
		z.forms = map[*Node]form{}
	}
	stack := []*Node{n}
	for len(stack) > 0 {
		m := stack[len(stack)-1]
		if _, ok := z.forms[m]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		waiting := len(stack)
		if !z.frozen[m] {
			for _, a := range m.Args() {
				if _, ok := z.forms[a]; !ok {
					stack = append(stack, a)
				}
			}
		}
		if len(stack) > waiting {
			continue
		}
		z.visit()
		outer := z.lost
		z.lost = nil
		terms := z.step(m)
		if !z.frozen[m] {
			terms = z.inherited(m, terms)
		}
		z.forms[m] = form{terms, z.lost}
		z.lost = outer
	}
	return z.forms[n]
}

func (z *algebra) visit() {
	if z.work.add(1); z.work.done > z.until {
		panic(tooWide{})
	}
}

func (z *algebra) step(n *Node) []monomial {
	if z.frozen[n] {
		return z.atom(n)
	}
	switch n.Atom().Class {
	case atom.ClassVariable:
		return z.atom(n)
	case atom.ClassConstant:
		if n.Rat() == nil {
			return z.atom(n)
		}
		return z.number(n.Rat(), nil)
	case atom.ClassContraction:
		return z.product(n)
	case atom.ClassSum:
		a, b := z.forms[n.Arg(0)].terms, z.forms[n.Arg(1)].terms
		if z.theory.sums {
			return z.collected(append(slices.Clone(a), b...))
		}
		return z.atom(z.s.Add(z.operand(n, 0), z.operand(n, 1)))
	case atom.ClassLinear:
		if z.theory.reshape {
			var out []monomial
			for _, m := range z.forms[n.Arg(0)].terms {
				x := z.atom(n.With([]*Node{z.core(m)}))[0]
				x.coef = m.coef
				out = append(out, x)
			}
			return out
		}
	case atom.ClassElementwise:
		if f := z.elementwise(n); f != nil {
			return f
		}
	}
	if z.theory.transpose && (n.Is(atom.Inv) || n.Is(atom.LogDet) || n.Is(atom.Minor) && n.Attr() <= 1) {
		return z.inverse(n)
	}
	args := make([]*Node, len(n.Args()))
	for i := range args {
		args[i] = z.operand(n, i)
	}
	if n.Atom().Class == atom.ClassElementwise && len(args) == 2 {
		return z.atom(guarded(z.s.Binary(n.Atom(), args[0], args[1]), n.Guard()))
	}
	return z.atom(guarded(n.With(args), n.Guard()))
}

// inverse is f(X) or f(X')', whichever of X and X' was built first, for an f that keeps transposes; f(X) or f(X')
// for one that does not see them.
func (z *algebra) inverse(n *Node) []monomial {
	sh := n.Arg(0).Shape()
	all := einsum.UpTo(len(sh))
	turned := slices.Clone(all)
	turned[len(all)-2], turned[len(all)-1] = all[len(all)-1], all[len(all)-2]
	turn := einsum.Plain([][]int{all}, turned, sh)
	x := z.operand(n, 0)
	y := z.node(z.fused(product(turn, x), [][]monomial{z.forms[n.Arg(0)].terms}), sh)
	if x.ID() <= y.ID() {
		return z.atom(n.With([]*Node{x}))
	}
	m := n.With([]*Node{y})
	if n.Order() < len(sh) {
		return z.atom(m)
	}
	return z.fused(product(turn, m), [][]monomial{z.atom(m)})
}

func guarded(n *Node, g combinators.Guard) *Node {
	if n.Atom().Guarded {
		return n.WithGuard(g)
	}
	return n
}

func (z *algebra) operand(n *Node, i int) *Node {
	return z.node(z.forms[n.Arg(i)].terms, n.Arg(i).Shape())
}

// atom is 1 times n.
func (z *algebra) atom(n *Node) []monomial {
	all := einsum.UpTo(n.Order())
	return z.powers(product(einsum.Plain([][]int{all}, all, n.Shape()), n))
}

// product is a contraction of args.
func product(c *einsum.Contraction, args ...*Node) monomial {
	return monomial{big.NewRat(1, 1), c, args, nil}
}

// number is the tensor filled with r.
func (z *algebra) number(r *big.Rat, shape []size.Size) []monomial {
	if r.Sign() == 0 {
		return nil
	}
	return []monomial{{r, einsum.Plain(nil, einsum.UpTo(len(shape)), shape), nil, nil}}
}

// product fuses the forms of the operands into the contraction.
func (z *algebra) product(n *Node) []monomial {
	m := product(n.Ein(), n.Args()...)
	if z.whole {
		m.args = make([]*Node, len(m.args))
		for k := range m.args {
			m.args[k] = z.operand(n, k)
		}
		if m = z.powers(m)[0]; len(m.args) == len(n.Args()) {
			m.args = n.Args()
		}
	}
	forms := make([][]monomial, len(m.args))
	for k, a := range m.args {
		forms[k] = z.formOf(a).terms
	}
	return z.fused(m, forms)
}

// fused is the contraction of sums. A product with 0 is 0, unless another factor divides by 0: then
// the number 0 stays in it.
func (z *algebra) fused(n monomial, forms [][]monomial) []monomial {
	args := n.args
	if slices.ContainsFunc(forms, func(f []monomial) bool { return slices.ContainsFunc(f, divides) }) {
		forms = slices.Clone(forms)
		for k, f := range forms {
			if len(f) == 0 {
				sh := args[k].Shape()
				forms[k] = []monomial{{new(big.Rat), einsum.Plain(nil, einsum.UpTo(len(sh)), sh), nil, nil}}
			}
		}
	}
	if slices.ContainsFunc(forms, func(f []monomial) bool { return len(f) == 0 }) {
		z.vanishWith(n, forms)
		return nil
	}
	all := []monomial{n}
	for k := len(args) - 1; k >= 0; k-- {
		var next []monomial
		for _, m := range all {
			for _, f := range forms[k] {
				z.visit()
				z.work.product(m.c, f.c)
				if len(f.args)+len(m.args) > maxFactors || len(next) > maxMonomials {
					panic(tooWide{})
				}
				next = append(next, monomial{
					new(big.Rat).Mul(m.coef, f.coef),
					m.c.Fuse(k, f.c).Solve(),
					slices.Concat(m.args[:k], f.args, m.args[k+1:]),
					z.joined(m.pays, f.pays, func(p presumption) presumption { return z.read(n.c, k, p) }),
				})
			}
		}
		all = next
	}
	var out []monomial
	for _, m := range all {
		out = append(out, z.powers(z.norms(z.counted(m)))...)
	}
	return z.collected(out)
}

// counted multiplies the number of points of a variable that nothing uses into the coefficient.
func (z *algebra) counted(m monomial) monomial {
	used := make([]bool, len(m.c.Vars))
	see := func(as []einsum.Affine) {
		for _, a := range as {
			for _, t := range a.Terms {
				used[t.Var] = true
			}
		}
	}
	for _, acc := range m.c.In {
		see(acc.Index)
	}
	see(m.c.Out.Index)
	see(m.c.Eq)
	see(m.c.Ge)
	vars := []size.Size{} // those that nothing uses come last
	dropped := false
	for v, d := range m.c.Vars {
		if d, ok := d.Int(); ok && !used[v] {
			m.coef = new(big.Rat).Mul(m.coef, big.NewRat(d, 1))
			dropped = true
			continue
		}
		vars = append(vars, d)
	}
	if dropped {
		c, err := einsum.New(vars, m.c.In, m.c.Out, m.c.Eq, m.c.Ge)
		if err != nil {
			panic(tooWide{})
		}
		m.c = c
	}
	return m
}

// collected counts like monomials; those of coefficient 0 go.
func (z *algebra) collected(ms []monomial) []monomial {
	if len(ms) < 2 {
		if len(ms) == 1 && ms[0].coef.Sign() == 0 && !divides(ms[0]) {
			z.vanish(ms[0])
			return nil
		}
		return ms
	}
	at := map[*Node]int{}
	var out []monomial
	for _, m := range ms {
		n := z.core(m)
		if i, ok := at[n]; ok {
			out[i].coef = new(big.Rat).Add(out[i].coef, m.coef)
			out[i].pays = z.joined(out[i].pays, m.pays, nil)
			continue
		}
		at[n] = len(out)
		out = append(out, m)
	}
	if len(out) > maxMonomials {
		panic(tooWide{})
	}
	return slices.DeleteFunc(out, func(m monomial) bool {
		gone := m.coef.Sign() == 0 && !divides(m)
		if gone {
			z.vanish(m)
		}
		return gone
	})
}

// divides reports whether a factor is a negative power of 0, which no number mends.
func divides(m monomial) bool {
	return slices.ContainsFunc(m.args, func(a *Node) bool {
		if !a.Is(atom.Power) || a.Rat().Sign() >= 0 || a.Guard() != combinators.GuardNone {
			return false
		}
		r, ok := fill(a.Arg(0))
		return ok && r.Sign() == 0
	})
}

// core is the monomial without its number, as a node.
func (z *algebra) core(m monomial) *Node {
	z.work.product(m.c)
	return z.first(z.needed(m.c), m.args)
}

// node is the sum of monomials in the order of their cores.
func (z *algebra) node(ms []monomial, shape []size.Size) *Node {
	type term struct {
		core *Node
		coef *big.Rat
	}
	var terms []term
	for _, m := range z.collected(ms) {
		terms = append(terms, term{z.core(m), m.coef})
	}
	if len(terms) == 0 {
		return z.s.Zero(shape)
	}
	slices.SortFunc(terms, func(a, b term) int { return a.core.ID() - b.core.ID() })
	var sum *Node
	for _, t := range terms {
		n := t.core
		if t.coef.Cmp(big.NewRat(1, 1)) != 0 {
			// the number as an operand of the contraction itself
			c, args := n.Ein(), n.Args()
			if c == nil {
				all := einsum.UpTo(n.Order())
				c, args = einsum.Plain([][]int{all}, all, n.Shape()), []*Node{n}
			}
			d, err := einsum.New(c.Vars, append(slices.Clone(c.In), einsum.Access{}), c.Out, c.Eq, c.Ge)
			if err != nil {
				panic(tooWide{})
			}
			n = z.s.Ein(d, append(slices.Clone(args), z.s.Const(t.coef))...)
		}
		if sum == nil {
			sum = n
		} else {
			sum = z.s.Add(sum, n)
		}
	}
	return sum
}

// leftTheories are the laws by which a left side may be met in another form than the rule's: as a sum
// of products, with powers of one base collected or written out, with functions inside of what picks
// entries, with the axes of symmetric matrices exchanged, with inverses and cofactors of transposes.
var leftTheories = []theory{
	{},
	{sums: true, powers: true},
	{sums: true, pick: true, fold: true},
	{sums: true, symmetric: true},
	{sums: true, reshape: true},
	{sums: true, transpose: true},
}

// leftEqual reports whether a term is a left side in one of its forms.
func (k *checker) leftEqual(n, left *Node, s *signs) bool {
	for _, t := range leftTheories {
		if k.refines(n, left, t, s) {
			return true
		}
	}
	return false
}

// Equal reports whether the check of a step by a rule takes a for another form of the left side b. It is
// false where that takes too long to be found.
func Equal(s *combinators.Store, a, b *Node) (ok bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *combinators.LimitError:
			ok = false
		default:
			panic(p)
		}
	}()
	k := &checker{s: s, work: &work{stop: s.Stop}, symmetric: map[*Node]bool{}}
	return k.leftEqual(a, b, newSigns(nil, k.work))
}
