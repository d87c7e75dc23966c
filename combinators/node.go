// Package combinators has the terms of the calculus: spaces, atoms, and the store in
// which every term exists once.
//
// A value is a node of tensor type in a hash-consed store: a variable, a constant, a
// contraction of values, a sum of two values, an element-wise function, or one of the
// matrix primitives and reductions. Equal terms are the same node, so a term is a
// directed acyclic graph and sharing is identity. A block is a function of several
// variables to several values; the closed combinators of Elsman et al. (composition,
// pairing, sections, ...) are its point-free form.
//
// Nodes are typed when they are built, and never change. Sums and products are binary
// or as wide as they were built: operands are sorted, but nothing is flattened through
// another node, since that destroys sharing.
package combinators

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Guard says how a factor that a derivative introduced meets a zero. Guards act in
// evaluation only; they are never differentiated and do not print.
type Guard uint8

const (
	// GuardNone is an ordinary function.
	GuardNone Guard = iota
	// GuardWeak marks a partial derivative that can be infinite, such as that of sqrt
	// at 0: where the other factors of its product are exactly 0, the product is 0.
	GuardWeak
	// GuardZero marks a function whose value is taken to be 0 where its argument is
	// exactly 0: the reciprocal of a norm in the norm's derivative.
	GuardZero
)

// Node is a value: an immutable term of tensor type. Nodes are compared by identity.
// A node fills one cache line, for terms of many nodes do not fit the caches: shapes are shared with
// operands and contractions, and what few nodes have is apart.
type Node struct {
	store    *Store
	ein      *einsum.Contraction
	label    *label // of variables, numbers, powers and splits, and where there are many operands; else nil
	pair     [2]*Node
	shape    *[]size.Size // nil is no axes
	id       int32
	attr     int32
	atom     uint8 // its number
	guard    Guard
	operands uint8 // how many; more than two are those of label
	addends  uint8 // of a sum: see Addends
	kinds    uint32
}

// label has what few nodes have.
type label struct {
	rat      *big.Rat
	name     string
	sizes    []size.Size
	args     []*Node
	declared *atom.Row // of a declared function
	body     *Body     // of a recurrence
}

var noLabel label

func (n *Node) labels() *label {
	if n.label == nil {
		return &noLabel
	}
	return n.label
}

// ID is the node's number in its store. The arguments of a node have smaller numbers,
// so the order of the numbers is a topological order.
func (n *Node) ID() int { return int(n.id) }

// Atom is the row of the node's operation.
func (n *Node) Atom() *atom.Row {
	if n.atom == atom.DeclaredNumber {
		return n.label.declared
	}
	return atom.Numbered(n.atom)
}

// Is reports whether the node's operation is that of the row.
func (n *Node) Is(at *atom.Row) bool {
	return int(n.atom) == at.Number() && (n.atom != atom.DeclaredNumber || n.label.declared == at)
}

// Args are the operands. The slice must not be changed.
func (n *Node) Args() []*Node {
	if n.operands > 2 {
		return n.label.args
	}
	return n.pair[:n.operands:n.operands]
}

func (n *Node) setArgs(args []*Node) {
	n.operands = uint8(min(len(args), 3))
	if len(args) <= 2 {
		n.pair = [2]*Node{}
		copy(n.pair[:], args)
		return
	}
	l := *n.labels()
	l.args = args
	n.label = &l
}

// Arg is operand k.
func (n *Node) Arg(k int) *Node { return n.Args()[k] }

// Addends is how many values that are no sums the sum n adds up, at most 255; 1 where n is no sum.
func (n *Node) Addends() int { return max(1, int(n.addends)) }

// Kinds are those of the addends of the sum n, and of contractions among them and their operands; see
// [atom.Row.Kind] and [atom.Square].
func (n *Node) Kinds() uint32 { return n.kinds }

// tally sets what the sum n of args knows of its addends.
func (n *Node) tally(args []*Node) {
	for _, a := range args {
		n.addends = uint8(min(math.MaxUint8, int(n.addends)+a.Addends()))
		if n.kinds |= a.kinds; a.addends > 0 {
			continue
		}
		n.kinds |= a.Atom().Kind()
		if a.Attributes() != 0 { // it may be turned, as a product
			n.kinds |= atom.Ein.Kind()
		}
		if a.ein == nil {
			continue
		}
		factors := uint32(0)
		for _, b := range a.Args() {
			kind := b.Atom().Kind()
			if factors&kind != 0 {
				n.kinds |= atom.Square
			}
			factors |= kind
		}
		n.kinds |= factors
	}
}

// Shape has the sizes of the axes. The slice must not be changed.
func (n *Node) Shape() []size.Size {
	if n.shape == nil {
		return nil
	}
	return *n.shape
}

// Order is the number of axes.
func (n *Node) Order() int { return len(n.Shape()) }

// Ein is the contraction of a node of atom "ein", else nil.
func (n *Node) Ein() *einsum.Contraction { return n.ein }

// Rat is the number of a constant, or the exponent of a power; else nil. It must not
// be changed.
func (n *Node) Rat() *big.Rat { return n.labels().rat }

// Name is the name of a variable, else "".
func (n *Node) Name() string { return n.labels().name }

// Attr is the whole-number attribute: k of minor[k], the number of reduced axes, the
// axis of merge and split; 0 for a variable.
func (n *Node) Attr() int {
	if n.Is(atom.Var) {
		return 0
	}
	return int(n.attr)
}

// Attributes are those of the values of a variable, as they are declared; of another node there are none.
func (n *Node) Attributes() atom.Attributes {
	if !n.Is(atom.Var) {
		return 0
	}
	return atom.Attributes(n.attr)
}

// Given are the axes along which the values of a variable are given: of an array of whole numbers, not the last one.
func (n *Node) Given() []size.Size {
	if n.Attributes().Has(atom.Index) {
		return n.Shape()[:n.Order()-1]
	}
	return n.Shape()
}

// Sizes are the two sizes that split makes, and the open sizes of a declared function's result; else nil.
func (n *Node) Sizes() []size.Size { return n.labels().sizes }

// Guard is the node's convention at a zero.
func (n *Node) Guard() Guard { return n.guard }

// Store is the store in which the node lives.
func (n *Node) Store() *Store { return n.store }

// Block is a function: the outputs as values over the parameters, which are variables.
// Variables that are no parameters are outer values.
type Block struct {
	Store  *Store
	Params []*Node
	Outs   []*Node
}

// Topo lists the nodes that outs reach, arguments first.
func Topo(outs ...*Node) []*Node { return TopoFrom(0, outs) }

// TopoFrom is Topo without the nodes whose numbers are less than first.
func TopoFrom(first int, outs []*Node) []*Node {
	top := first - 1
	for _, n := range outs {
		top = max(top, n.ID())
	}
	if top < first {
		return nil
	}
	if top-first > 4096 { // a bit for each number is much where outs are small
		if order := few(first, outs); order != nil {
			return order
		}
	}
	// Arguments have smaller numbers than the nodes that have them. A bit says that a node is reached.
	s, reached, found := outs[0].store, make([]uint64, (top-first)/64+1), 0
	for _, n := range outs {
		if k := n.ID() - first; k >= 0 {
			reached[k/64] |= 1 << (k % 64)
		}
	}
	for w := len(reached) - 1; w >= 0; w-- {
		all := reached[w]
		for open := all; open != 0; {
			k := bits.Len64(open) - 1
			open &^= 1 << k
			for _, a := range s.Node(first + 64*w + k).Args() {
				j := uint(int(a.id) - first)
				bit := uint64(1) << (j % 64)
				if j/64 == uint(w) {
					open, all = open|bit, all|bit
				} else if j/64 < uint(len(reached)) { // not below first
					reached[j/64] |= bit
				}
			}
		}
		reached[w] = all
		found += bits.OnesCount64(all)
	}
	order, at := make([]*Node, found), 0
	for w, open := range reached {
		for ; open != 0; open &= open - 1 {
			order[at] = s.Node(first + 64*w + bits.TrailingZeros64(open))
			at++
		}
	}
	return order
}

// maxFew is up to how many nodes a list of them is looked through.
const maxFew = 24

// few is TopoFrom where that has at most maxFew nodes, whatever their numbers are, and nil where it has more.
func few(first int, outs []*Node) []*Node {
	order := make([]*Node, 0, maxFew)
	add := func(nodes []*Node) bool {
		for _, n := range nodes {
			if n.ID() < first {
				continue
			}
			at, found := slices.BinarySearchFunc(order, n, byNumber)
			if found {
				continue
			}
			if len(order) == maxFew {
				return false
			}
			order = slices.Insert(order, at, n)
		}
		return true
	}
	if !add(outs) {
		return nil
	}
	// Arguments come in before the node that has them.
	for left := len(order); left > 0; left-- {
		before := len(order)
		if !add(order[left-1].Args()) {
			return nil
		}
		left += len(order) - before
	}
	return order
}

func byNumber(a, b *Node) int { return cmp.Compare(a.id, b.id) }

// Uses counts, for the nodes that outs reach, the argument slots and outputs in which
// each stands.
func Uses(outs ...*Node) map[*Node]int {
	uses := map[*Node]int{}
	for _, n := range Topo(outs...) {
		for _, a := range n.Args() {
			uses[a]++
		}
	}
	for _, n := range outs {
		uses[n]++
	}
	return uses
}

// Dependents is the set of those nodes of order, arguments first, in which one of vars occurs.
func Dependents(order, vars []*Node) ByNode[bool] {
	var dep ByNode[bool]
	for _, v := range vars {
		dep.Set(v, true)
	}
	for _, n := range order {
		for _, a := range n.Args() {
			if dep.Get(a) {
				dep.Set(n, true)
				break
			}
		}
	}
	return dep
}

// Symbolic is the set of those nodes of order, arguments first, in which a variable or a size symbol stands: of the others every
// entry is a number that is known.
func Symbolic(order []*Node) map[*Node]bool {
	set := map[*Node]bool{}
	open := func(d size.Size) bool { return len(d.Symbols()) > 0 }
	for _, n := range order {
		if n.Is(atom.Var) || slices.ContainsFunc(n.Shape(), open) || n.ein != nil && slices.ContainsFunc(n.ein.Vars, open) ||
			slices.ContainsFunc(n.Args(), func(a *Node) bool { return set[a] }) {
			set[n] = true
		}
	}
	return set
}

// Rebuild gives the nodes outs with their leaves and operations replaced: f gets each
// reached node, arguments first, with its new arguments, and returns its replacement.
// f may be nil for "the same operation on the new arguments".
func Rebuild(outs []*Node, f func(n *Node, args []*Node) *Node) []*Node {
	return rebuildFrom(0, outs, f)
}

// rebuildFrom is Rebuild where nodes whose numbers are less than first stay.
func rebuildFrom(first int, outs []*Node, f func(n *Node, args []*Node) *Node) []*Node {
	order := TopoFrom(first, outs)
	if len(order) == 0 {
		return slices.Clone(outs)
	}
	repl := make([]*Node, order[len(order)-1].ID()+1-first)
	image := func(n *Node) *Node {
		if n.ID() < first {
			return n
		}
		return repl[n.ID()-first]
	}
	for _, n := range order {
		args, changed := n.Args(), false
		for k, a := range n.Args() {
			if b := image(a); b != a {
				if !changed {
					args, changed = slices.Clone(n.Args()), true
				}
				args[k] = b
			}
		}
		if f == nil {
			repl[n.ID()-first] = n.With(args)
		} else {
			repl[n.ID()-first] = f(n, args)
		}
	}
	return lists.Map(outs, image)
}

// Replace is outs with x replaced by y wherever it stands. Nodes older than x do not have it, and are not
// looked at.
func Replace(outs []*Node, x, y *Node) []*Node {
	return rebuildFrom(x.ID(), outs, func(n *Node, args []*Node) *Node {
		if n == x {
			return y
		}
		return n.With(args)
	})
}

// With is the node's operation on other arguments.
func (n *Node) With(args []*Node) *Node {
	same := true
	for k, a := range args {
		same = same && a == n.Args()[k]
	}
	if same {
		return n
	}
	s := n.store
	switch n.Atom().Class {
	case atom.ClassContraction:
		if n.fits(args) {
			return s.intern(form{atom: atom.Ein, ein: n.ein}, args...)
		}
		return s.Ein(n.ein, args...)
	case atom.ClassSum:
		return s.Add(args[0], args[1])
	}
	return s.intern(n.form(), args...)
}

// fits reports whether the contraction of n is that of args as it stands: they have the order that the
// operands of n have, equal ones in the same places.
func (n *Node) fits(args []*Node) bool {
	before := n.Args()
	if _, _, plain := n.ein.IsPlain(); !plain || len(args) < 2 {
		return false
	}
	for k, a := range args {
		if a.shape != before[k].shape && !slices.Equal(a.Shape(), before[k].Shape()) {
			return false
		}
		if k > 0 && (a.id < args[k-1].id || (a == args[k-1]) != (before[k] == before[k-1])) {
			return false
		}
	}
	return true
}

// form is what identifies n, besides its arguments.
func (n *Node) form() form {
	l := n.labels()
	return form{atom: n.Atom(), ein: n.ein, attr: n.attr, guard: n.guard, rat: l.rat, name: l.name, sizes: l.sizes, body: l.body, shape: n.Shape()}
}

// CanBeInfinite: a derivative may put a guard on the operation, which is infinite at the edge of its domain.
func (n *Node) CanBeInfinite() bool {
	return n.Atom().Guarded && (!n.Is(atom.Power) || n.Rat().Sign() < 0)
}

// WithGuard is the node under another guard.
func (n *Node) WithGuard(g Guard) *Node {
	if n.guard == g {
		return n
	}
	f := n.form()
	f.guard = g
	return n.store.intern(f, n.Args()...)
}

// Filled reports whether n is a number, or a tensor all of whose entries are one number.
func (n *Node) Filled() (*big.Rat, bool) {
	if n.Is(atom.Const) {
		return n.Rat(), true
	}
	c := n.Ein()
	if c == nil || len(n.Args()) > 1 || len(c.Vars) != n.Order() || !c.Out.Distinct() || len(c.Eq)+len(c.Ge) > 0 {
		return nil, false
	}
	if len(n.Args()) == 0 {
		return one, true
	}
	return n.Arg(0).Rat(), n.Arg(0).Is(atom.Const)
}
