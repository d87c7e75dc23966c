// Package normal brings values to normal form. In come nodes of a store and facts about them; out come nodes
// of the same store with the same values, wherever the facts hold. It knows no calculus, and multiplies nothing out.
//
// A normal form alternates sums and products of functions and variables:
//
//	sum     = terms, no two alike, with no common factor
//	product = a contraction of factors, with one number at most
//	factor  = a sum, a function, a variable, or a product that others use, too
//
// A product is flattened; then its numbers, its recurring parts and the powers of one base are collected, its operands
// oriented, and its number put in a sum or taken out. A sum is flattened; terms that cancel or are alike are counted,
// common factors taken out, and the terms put in one order. Functions are evaluated at numbers, and the rules of
// combinators/rules applied. docs/normal-form.md says why in this order, and takes one term through all of it.
//
// Simplification works innermost and memoised by node, in passes until nothing changes. It never destroys sharing:
// a contraction or a sum is flattened through another node only where that node is used once, or costs nothing (a
// transpose, a scale, delta). It only uses laws that keep the domain, given the facts that it is told: where the
// program that was differentiated divides by u, u is not zero, and so on.
package normal

import (
	"math/big"
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/rules"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
)

// Node is a value.
type Node = combinators.Node

// Simplifier brings nodes of one store to normal form. It remembers what it has seen.
type Simplifier struct {
	// Budget bounds the number of rule firings; when it is spent, what is left stays
	// as it is and Exhausted reports it. 0 means the default.
	Budget int
	// Trace, where set, is told of every step; see [Step].
	Trace func(Step)
	// Flatten goes through nodes that are used more than once, too: for comparing terms.
	Flatten bool

	s     *combinators.Store
	facts *assumptions.Facts
	rules *rewrite.Rules
	inert []bool // the atoms of which no rule is on products, all together: see postpone
	memory
	progress
	*room
}

// memory is what was found of nodes, whatever they are used for. None of it is ever forgotten.
type memory struct {
	fingerprints combinators.ByNode[uint64] // see fingerprint
	addends      combinators.ByNode[uint64] // of sums: the fingerprints of their terms, added up
	chains       combinators.ByNode[chain]  // of sums
	splits       combinators.ByNode[int32]  // the places from 1 in parts of what split found
	parts        []term
	points       combinators.ByNode[uint64] // see point
	entries      map[*Node][]uint64         // see entriesOf
	wide         combinators.ByNode[bool]   // of which multipliedOut has found that it is too much
	symmetries   combinators.ByNode[symmetry]
	centrings    combinators.ByNode[centring]
	stayed       map[quietForm]Choices // of those that are normal
}

// progress is how far the simplification of some values is, and what depends on their uses.
type progress struct {
	known     combinators.ByNode[knowledge]
	multiples multiples
	words     combinators.ByNode[wordHash]
	met       combinators.ByNode[int32] // the round in which cancel came to a node
	round     int32
	turns     map[*Node]*Node // what turn made of operands in this pass
	traces    []*trace        // of the nodes being rewritten, where Trace is set

	passes      int
	firings     int
	allowance   int     // how many more values may be rewritten on the way to a normal form; see normal
	settled     *Node   // what native steps have just made, where none of them changes it
	trying      bool    // a trial run: use counts do not change
	trials      int     // in one another; see maxTrials
	refused     int     // trials, since they would be too deep
	provisional []*Node // what has become normal where one was refused
	unsettled   bool    // a choice depended on the order of visits: run again from scratch
	choices     Choices // of the last normal forms
}

// room is what a simplifier works in. One that has done its work leaves it to the next.
type room struct {
	nodes      arena[*Node] // products in the making
	groups     arena[[]int]
	products   arena[product] // of terms while factors are looked for
	factorings arena[factoring]
	tables     arena[*factoring] // of pairs of terms
	ints       arena[int]
	sizes      arena[size.Size]
	terms      arena[term] // of sums
	matchers   []*matcher
	matching   int     // of the matchers, how many are at work
	waiting    []*Node // of a round of cancel
}

var rooms = sync.Pool{New: func() any { return &room{} }}

// knowledge is what is known of a node. It holds no pointers, so that collecting garbage does not
// look at it: nodes stand by their places in the store, from 1.
type knowledge struct {
	done, image int32  // its normal form in this pass; what it became, if it is of the pass
	stable      uint32 // that a pass left it alone, with what that knew of its operands
	uses, old   int32  // in this pass, by what will be rewritten and by what was; of it before the pass
	counted     bool   // its uses of its operands are among theirs
	busy        bool   // its normal form is being made
	width, room uint8  // see postpone
}

func (z *Simplifier) doneAs(n *Node) *Node  { return z.node(z.known.Look(n).done) }
func (z *Simplifier) imageOf(n *Node) *Node { return z.node(z.known.Look(n).image) }
func (z *Simplifier) uses(n *Node) int32    { return z.known.Look(n).uses }

func (z *Simplifier) node(place int32) *Node {
	if place == 0 {
		return nil
	}
	return z.s.Node(int(place - 1))
}

func placeOf(n *Node) int32 { return int32(n.ID() + 1) }

// algebra are the compiled rule files.
var algebra = sync.OnceValue(func() *rewrite.Rules {
	return rewrite.MustLoadRules(rules.Algebra).With(rules.Spectral).With(rules.Attributes)
})

const (
	defaultBudget = 10_000_000
	// maxOperands bounds how wide a contraction or a sum grows by flattening.
	maxOperands = 32
	maxTerms    = 48
	maxPasses   = 8
	maxHeads    = 32
	maxRounds   = 4
	// A pass rewrites at most maxAllowance + allowance*n values for n nodes, and at most maxAllowance of them
	// inside one another.
	maxAllowance = 4096
	allowance    = 64
)

// New makes a simplifier for the store. facts may be nil.
func New(s *combinators.Store, facts *assumptions.Facts) *Simplifier {
	return NewBy(s, facts, nil)
}

// NewBy is New with other laws of the functions than those of the program, or with these in another
// order: of equally specific rules that match a value, the first in their file is applied. nil stands for those of the program.
func NewBy(s *combinators.Store, facts *assumptions.Facts, laws *rewrite.Rules) *Simplifier {
	if laws == nil {
		laws = algebra()
	}
	if facts == nil {
		facts = assumptions.New()
	}
	return &Simplifier{s: s, facts: facts, rules: laws, inert: laws.Unmatched(atom.Ein),
		memory:   memory{entries: map[*Node][]uint64{}, stayed: map[quietForm]Choices{}},
		progress: progress{multiples: newMultiples(), turns: map[*Node]*Node{}},
	}
}

// Simplify gives the normal forms of outs.
func (z *Simplifier) Simplify(outs ...*Node) []*Node {
	z.known.Clear()
	z.multiples.clear()
	return z.Further(outs...)
}

// Further is Simplify of values that are partly in normal form: what z left alone before it does not look
// at again as long as its uses are the same.
func (z *Simplifier) Further(outs ...*Node) []*Node {
	outs = slices.Clone(outs)
	z.room = rooms.Get().(*room)
	z.choices, z.unsettled, z.multiples.chosen = 0, false, false
	settled := false
	for i := 0; i < maxRounds && !settled; i++ {
		if i > 0 {
			z.known.Clear()
			z.multiples.clear()
		}
		before := outs
		outs = z.passesOver(outs)
		// Which sum stood for its multiples depends on what was met on the way, and so may the order of
		// the axes of an operand of order 3.
		settled = !z.multiples.chosen && !z.unsettled || slices.Equal(before, outs)
	}
	if !settled {
		z.choices |= Cut
	}
	outs = z.narrowed(outs, false)
	rooms.Put(z.room) // not where building nodes has panicked: it was in use
	z.room = nil
	return outs
}

// passesOver makes passes until nothing changes.
func (z *Simplifier) passesOver(outs []*Node) []*Node {
	for range maxPasses {
		next := z.pass(outs)
		if slices.Equal(next, outs) && !z.unelected() {
			return outs
		}
		outs = next
	}
	z.choices |= Cut
	return outs
}

// Exhausted reports whether the budget ended before the normal form was reached.
func (z *Simplifier) Exhausted() bool { return z.firings >= z.budget() }

func (z *Simplifier) budget() int {
	if z.Budget > 0 {
		return z.Budget
	}
	return defaultBudget
}

func (z *Simplifier) pass(outs []*Node) []*Node {
	order := combinators.Topo(outs...)
	all := z.known.All()
	for i := range all {
		all[i] = knowledge{stable: all[i].stable}
	}
	lazy := z.mayPostpone()
	for _, n := range order {
		for _, a := range n.Args() {
			k := z.known.At(a)
			if k.old++; lazy && k.old == 1 && a.Ein() != nil {
				k.room = roomFor(n)
			}
		}
	}
	for _, n := range outs {
		z.known.At(n).old += 2 // an output is needed as such
	}
	first := z.equalWords(order)
	for n, m := range first {
		z.known.At(m).old += z.known.Look(n).old
	}
	z.elect()
	clear(z.turns)
	z.settled = nil
	z.passes++
	z.allowance = maxAllowance
	for _, n := range order {
		switch {
		case first != nil && first[n] != nil:
			z.sameAs(n, first[n])
		case lazy && z.postpone(n):
		default:
			z.finish(n, z.before(n))
		}
	}
	return lists.Map(outs, z.imageOf)
}

// sameAs makes the image of m that of n, the same word in another bracketing.
func (z *Simplifier) sameAs(n, m *Node) {
	if z.postponed(m) {
		z.finish(m, z.expanded(m))
	}
	z.known.At(n).image = z.known.Look(m).image
	if z.Trace != nil {
		z.emit(Step{Rule: nativeOuter, Before: z.before(n), After: z.imageOf(m)})
	}
}

// before is n with the images of its operands.
func (z *Simplifier) before(n *Node) *Node {
	same := true
	for _, a := range n.Args() {
		same = same && z.known.Look(a).image == placeOf(a)
	}
	if same {
		return n
	}
	if x := z.whole(n); x != nil {
		return x
	}
	room := z.nodes.free
	args := z.nodes.take(len(n.Args()))
	for _, a := range n.Args() {
		if z.postponed(a) {
			z.finish(a, z.expanded(a))
		}
		args = append(args, z.imageOf(a))
	}
	before := n.With(args)
	z.nodes.giveBack(room)
	return before
}

// finish makes the normal form of before the image of n.
func (z *Simplifier) finish(n, before *Node) {
	z.allowance = min(z.allowance+allowance, maxAllowance)
	m := before
	if k := z.known.At(m); k.stable != 0 && k.stable == z.useSignature(m) {
		k.done = placeOf(m)
	} else if k.done != 0 { // as something else became it, when its operands had other uses
		m = z.node(k.done)
	} else {
		m = z.normal(m)
	}
	k := z.known.At(n)
	k.image = placeOf(m)
	old := k.old
	k = z.known.At(m)
	k.uses += old
	if m == before {
		k.counted = true
	} else if part(m, before) {
		for _, a := range before.Args() {
			z.release(a)
		}
	}
}

// part reports whether m is a number, or what an operand of n is or is made of.
func part(m, n *Node) bool {
	if _, ok := fill(m); ok {
		return true
	}
	return slices.ContainsFunc(n.Args(), func(a *combinators.Node) bool { return a == m || slices.Contains(a.Args(), m) })
}

// release takes back one use of a. What nobody uses any more uses nothing.
func (z *Simplifier) release(a *Node) {
	for open := []*Node{a}; len(open) > 0; {
		last := len(open) - 1
		k := z.known.At(open[last])
		if k.uses > 0 {
			k.uses--
		}
		args := open[last].Args()
		open = open[:last]
		if k.uses == 0 && k.counted {
			k.counted = false
			open = append(open, args...)
		}
	}
}

// normal is the normal form of n, whose arguments the caller has usually normalised;
// new arguments that a rule made are normalised first. A value of which the normal form asks for its own,
// and one that is met when the allowance is spent, stays as it is there.
func (z *Simplifier) normal(n *Node) *Node {
	if m := z.doneAs(n); m != nil {
		return m
	}
	if z.known.Look(n).busy || z.allowance == 0 {
		z.choices |= Cut
		return n
	}
	z.allowance--
	refused := z.refused
	m := n
	for i := range maxHeads {
		if i == maxHeads-1 {
			z.choices |= Cut
		}
		z.known.At(m).busy = true
		settled := m == z.settled
		before := z.arguments(m)
		if settled {
			z.settled = m // whatever was done inside
		}
		next := z.head(before)
		z.known.At(m).busy = false
		if next == m {
			z.known.At(m).stable = z.useSignature(m)
			break
		}
		if r := z.doneAs(next); r != nil {
			m = r
			break
		}
		m = next
		if z.known.Look(m).busy {
			z.choices |= Cut
			break
		}
	}
	z.known.At(n).done = placeOf(m)
	z.known.At(m).done = placeOf(m)
	if z.refused != refused {
		z.provisional = append(z.provisional, n, m)
	}
	return m
}

// arguments normalises the arguments of n that are not yet known to be normal. Rules
// build a few nodes at a time, so the recursion is as deep as a rule's right side.
func (z *Simplifier) arguments(n *Node) *Node {
	if !slices.ContainsFunc(n.Args(), func(a *Node) bool { return z.known.Look(a).done != placeOf(a) }) {
		return n
	}
	room := z.nodes.free
	defer z.nodes.giveBack(room)
	args := z.nodes.take(len(n.Args()))
	for _, a := range n.Args() {
		b := z.doneAs(a)
		if b == nil {
			b = z.normal(a)
		}
		args = append(args, b)
	}
	return n.With(args)
}

// head rewrites n once at its root; n's arguments are normal.
func (z *Simplifier) head(n *Node) *Node {
	f := z.quietly(n)
	if f.c != nil && z.Trace == nil && z.still(f) {
		z.settled = nil
		return n
	}
	if n.Atom().Class > atom.ClassConstant && n != z.settled {
		z.settled = nil
		t := z.follow(n)
		m := z.native(n, f, t)
		t.end()
		if m != n {
			z.firings++
			return m
		}
	}
	if z.firings < z.budget() {
		if m, ok := z.fire(n, n, ""); ok {
			return m
		}
		if x := z.putMapsIn(n); x != nil {
			if m, ok := z.fire(n, x, nativePick); ok {
				return m
			}
		}
		if slices.ContainsFunc(n.Args(), solves) && n.Ein() != nil {
			for x := range z.reoriented(n) {
				if m, ok := z.fire(n, x, nativeSymmetric); ok {
					return m
				}
			}
		}
	}
	return n
}

// native rewrites n, which has the quiet form f, once at its root by the steps that are code.
func (z *Simplifier) native(n *Node, f quietForm, t *trace) *Node {
	switch n.Atom().Class {
	case atom.ClassContraction:
		return z.contraction(n, f, t)
	case atom.ClassSum:
		return z.sum(n, t)
	case atom.ClassElementwise:
		return z.elementwise(n, t)
	case atom.ClassLinear:
		return z.reshape(n, t)
	case atom.ClassPrimitive:
		switch {
		case n.Body() != nil:
			return z.bodied(n, t)
		case n.Is(atom.Solve):
			return z.solve(n, t)
		case transposable(n), n.Is(atom.Minor) && n.Attr() == 0, n.Is(atom.LogDet):
			return z.takeMatrixOut(n, t)
		}
	}
	return n
}

// fire applies a rule to x, which a native step makes of n where it is not n itself.
func (z *Simplifier) fire(n, x *Node, native string) (m *Node, ok bool) {
	if z.Trace == nil {
		f, ok := z.rules.Fire(x, z.facts)
		if ok {
			z.firings++
		}
		return f.After, ok
	}
	f, ok := z.rules.Explain(x, z.facts)
	if !ok {
		return nil, false
	}
	z.firings++
	if x != n {
		z.emit(Step{Rule: native, Before: n, After: x})
	}
	z.emit(Step{Rule: f.Rule.Name, Before: x, After: f.After, Firing: &f})
	return f.After, true
}

// once reports whether a node may be flattened into its only user.
func (z *Simplifier) once(n *Node) bool { return z.Flatten || z.uses(n) <= 1 }

// IsZero reports whether n is the zero tensor in normal form.
func IsZero(n *Node) bool {
	if n.Is(atom.Const) {
		return n.Rat().Sign() == 0
	}
	return n.Ein() != nil && len(n.Args()) == 1 && IsZero(n.Arg(0))
}

// fill is the number whose constant tensor n is.
func fill(n *Node) (*big.Rat, bool) {
	if n.Is(atom.Const) {
		return n.Rat(), true
	}
	c := n.Ein()
	if c == nil || len(n.Args()) > 1 {
		return nil, false
	}
	_, out, ok := c.IsPlain()
	if !ok || len(c.Vars) != len(out) || !einsum.Distinct(out) {
		return nil, false
	}
	if len(n.Args()) == 0 {
		if len(out) == 0 {
			return nil, false // the number of points of a domain
		}
		return one, true
	}
	if n.Arg(0).Is(atom.Const) {
		return n.Arg(0).Rat(), true
	}
	return nil, false
}

var one = big.NewRat(1, 1)

const elementwiseClass = atom.ClassElementwise

// Simplify brings values of one store to normal form by laws that keep the domain.
func Simplify(outs ...*Node) []*Node { return SimplifyWithin(nil, outs...) }

// SimplifyWithin is Simplify where the values are derivatives of the program source:
// they are of interest only where source is defined, so that x/x is 1 if source has log(x).
func SimplifyWithin(source []*Node, outs ...*Node) []*Node {
	if len(outs) == 0 {
		return nil
	}
	return New(outs[0].Store(), nil).Within(source).Simplify(outs...)
}

// Within is a simplifier of derivatives of source: z itself where source has values everywhere.
func (z *Simplifier) Within(source []*Node) *Simplifier {
	facts := assumptions.New()
	if !facts.Assume(source...) {
		return z
	}
	return New(z.s, facts)
}
