package combinators

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/words"
)

// TypeError says that a term would not type-check. Constructors panic with it: callers
// that build from user input check first, with positions.
type TypeError struct{ Message string }

func (e *TypeError) Error() string { return e.Message }

// Thrown: where terms are built of a text, parts that do not fit are an error of its writer (package must).
func (*TypeError) Thrown() {}

// TypeErrorf makes one.
func TypeErrorf(format string, args ...any) *TypeError {
	return &TypeError{fmt.Sprintf(format, args...)}
}

// LimitError says that a term, a space or a size would grow beyond its bound. Constructors panic
// with it.
type LimitError = size.LimitError

// What a term may grow to, beside [Store.MaxNodes].
const (
	MaxOrder = 1 << 10 // axes of a tensor
	// MaxSpace bounds the tensors, their axes and the products of which a space is built, all
	// together. A space and its values are as long as written out, however a map shares them.
	MaxSpace = 1 << 15
)

// LimitNodes is what a [LimitError] counts where [Store.MaxNodes] was reached.
const LimitNodes = "nodes"

func checkOrder(n int) {
	if n > MaxOrder {
		panic(&LimitError{What: "axes of one tensor", Limit: MaxOrder})
	}
}

// Stopped says that the store's Stop was closed while terms were built.
type Stopped struct{}

func (*Stopped) Error() string { return "stopped while building terms" }

// Recover is deferred where terms are built of what others have written: it makes an error of what
// constructors panic with. wrap gives the error for a message of a constructor's type check, or of an
// index whose coefficient leaves 64 bits; a *[LimitError] is the error itself.
func Recover(err *error, wrap func(message string) error) {
	switch p := recover().(type) {
	case nil:
	case *TypeError:
		*err = wrap(p.Error())
	case *LimitError:
		*err = p
	case string: // package einsum: a coefficient left 64 bits
		*err = wrap(p)
	default:
		panic(p)
	}
}

// Store holds every term of a program once. It must not be used from several
// goroutines while terms are built; finished nodes may be read from many.
type Store struct {
	// MaxNodes bounds the number of nodes; beyond it constructors panic with *LimitError.
	// 0 means no bound. Maps, values and shapes count as nodes by the room that they take.
	MaxNodes int
	// Stop ends long work on terms: once it is closed, constructors panic with *Stopped,
	// soon. nil never stops.
	Stop <-chan struct{}

	calls    uint // of intern, to look at Stop now and then
	extra    int  // what beside nodes counts against MaxNodes
	count    int  // of the nodes
	blocks   []*[block]Node
	table    table
	forms    *einsum.Table
	names    map[string]bool // of variables
	numbers  map[[2]int64]*Node
	labels   []label // room for nodes with many arguments, and these
	args     []*Node
	ids      []int // of operands that are sorted, and these
	operands []*Node

	closed *closedStore // closed terms, nil until there are any
	memos  map[any]any  // see Memo
}

// NewStore makes an empty store.
func NewStore() *Store {
	return &Store{forms: einsum.NewTable(), names: map[string]bool{}, numbers: map[[2]int64]*Node{}}
}

// Len is the number of nodes built so far.
func (s *Store) Len() int { return s.count }

// Node is the node with the given number.
func (s *Store) Node(id int) *Node { return &s.blocks[uint(id)/block][uint(id)%block] }

func sortByID(nodes []*Node) {
	slices.SortFunc(nodes, func(a, b *Node) int { return int(a.id) - int(b.id) })
}

// intern returns the node of the form f on args, building it where it is new. Its shape is computed by
// the type rule of its atom, that of variables is given. Of what commutes, the operand that was built first
// comes first.
func (s *Store) intern(f form, args ...*Node) *Node {
	if s.calls++; s.calls%4096 == 0 {
		s.stopped()
	}
	for _, a := range args {
		if a.store != s {
			panic(TypeErrorf("a term of another store"))
		}
	}
	var pair [2]*Node
	if f.atom.Commutes && args[1].id < args[0].id {
		pair[0], pair[1] = args[1], args[0]
		args = pair[:]
	}
	h := f.hash(args)
	n := s.table.find(s, h, &f, args)
	if n != nil {
		return n
	}
	s.charge(0)
	n = s.room()
	*n = Node{store: s, id: int32(s.count), ein: f.ein, attr: f.attr, atom: uint8(f.atom.Number()), guard: f.guard}
	var declared *atom.Row
	if n.atom == atom.DeclaredNumber {
		declared = f.atom
	}
	switch {
	case len(args) > 2:
		n.operands, n.label = 3, s.wide(args)
		n.label.sizes, n.label.declared, n.label.body = f.sizes, declared, f.body
	case declared != nil || f.rat != nil || f.name != "" || f.sizes != nil || f.body != nil:
		n.label = &label{rat: f.rat, name: f.name, sizes: f.sizes, declared: declared, body: f.body}
		fallthrough
	default:
		if n.operands = uint8(len(args)); n.operands > 0 {
			n.pair[0] = args[0]
		}
		if n.operands > 1 {
			n.pair[1] = args[1]
		}
	}
	if f.atom == atom.Add {
		n.tally(args)
	}
	n.shape = f.shapeOf(n)
	checkOrder(n.Order())
	s.charge(n.Order() / 16)
	s.count++
	s.table.add(h, s.count)
	return n
}

// shapeOf is the shape of the new node n, by the type rule of its atom.
func (f *form) shapeOf(n *Node) *[]size.Size {
	shape := f.shape
	switch f.atom.Class {
	case atom.ClassContraction:
		return &f.ein.Out.Shape
	case atom.ClassVariable:
	default:
		shape = typeRules[n.atom](n)
		for _, a := range n.Args() {
			if b := a.Shape(); len(b) == len(shape) && len(b) > 0 && &b[0] == &shape[0] {
				return a.shape
			}
		}
	}
	if len(shape) == 0 {
		return nil
	}
	own := shape
	return &own
}

// stopped panics where Stop is closed.
func (s *Store) stopped() {
	select {
	case <-s.Stop: // never where it is nil
		panic(&Stopped{})
	default:
	}
}

// charge counts n against MaxNodes beside the nodes, and panics where there is no room for another.
func (s *Store) charge(n int) {
	if s.extra += n; s.MaxNodes > 0 && s.count+s.extra >= s.MaxNodes {
		panic(&LimitError{What: LimitNodes, Limit: s.MaxNodes})
	}
}

// chargeTerm counts a closed term or a value, whose key has so many bytes and which has so many
// parts of its own. A node takes some 128 bytes, a space in the list of a product 80.
func (s *Store) chargeTerm(key, parts int) {
	s.stopped()
	s.charge(1 + (key+80*parts)/128)
}

// block is how many nodes are allocated at a time: they live as long as the store does.
const block = 32

// room is the place of the next node.
func (s *Store) room() *Node {
	if s.count == block*len(s.blocks) {
		s.blocks = append(s.blocks, new([block]Node))
	}
	return s.Node(s.count)
}

// wide is a label with a copy of args.
func (s *Store) wide(args []*Node) *label {
	if len(s.args) < len(args) {
		s.args = make([]*Node, max(len(args), min(4*block, s.count)))
	}
	if len(s.labels) == 0 {
		s.labels = make([]label, max(4, min(block, s.count/4)))
	}
	l := &s.labels[0]
	l.args = s.args[:len(args):len(args)]
	copy(l.args, args)
	s.labels, s.args = s.labels[1:], s.args[len(args):]
	return l
}

// Var is the variable name of the given shape: a parameter or an outer value.
func (s *Store) Var(name string, shape []size.Size) *Node { return s.Member(name, shape, 0) }

// Member is the variable name of the given shape, of the values that have the attributes.
func (s *Store) Member(name string, shape []size.Size, of atom.Attributes) *Node {
	s.names[name] = true
	for k, d := range shape {
		if k > 0 && d == shape[k-1] {
			continue
		}
		for _, symbol := range d.Symbols() {
			s.names[symbol] = true
		}
	}
	return s.intern(form{atom: atom.Var, name: name, shape: slices.Clone(shape), attr: int32(of)})
}

// Fresh is a variable whose name no variable of the store has yet, nor a size of one: base, or base_2, base_3, ... A
// prime would read as a transpose.
func (s *Store) Fresh(base string, shape []size.Size) *Node {
	name := base
	for i := 2; s.names[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	return s.Var(name, shape)
}

// Const is the number r, of order 0.
func (s *Store) Const(r *big.Rat) *Node {
	return s.intern(form{atom: atom.Const, rat: r})
}

// Int is the whole number n, of order 0.
func (s *Store) Int(n int64) *Node { return s.Fraction(n, 1) }

// Fraction is the number n/d, of order 0; d is not 0.
func (s *Store) Fraction(n, d int64) *Node {
	c := s.numbers[[2]int64{n, d}]
	if c == nil {
		c = s.Const(big.NewRat(n, d))
		s.numbers[[2]int64{n, d}] = c
	}
	return c
}

var one = big.NewRat(1, 1)

// Ein is the contraction c of args, one an operand of c. Operands are sorted and c is
// put into canonical form; the identity on one operand is that operand, and the one operand 1 is none.
func (s *Store) Ein(c *einsum.Contraction, args ...*Node) *Node {
	if len(c.In) != len(args) {
		panic(TypeErrorf("a contraction of %s got %d", words.Count(len(c.In), "operand"), len(args)))
	}
	for k, a := range args {
		if !slices.Equal(a.Shape(), c.In[k].Shape) {
			panic(TypeErrorf("operand %d of a contraction has shape %s, not %s", k+1,
				size.Shape(a.Shape()), size.Shape(c.In[k].Shape)))
		}
	}
	if len(args) == 1 && c.IsIdentity() {
		return args[0]
	}
	if len(args) == 1 && args[0].Atom() == atom.Const && atom.IsOne(args[0].Rat()) {
		c, args = s.Fuse(c, 0, s.Plain(nil, nil, nil)), nil
	}
	c, args = s.sorted(s.forms.Intern(c), args)
	return s.intern(form{atom: atom.Ein, ein: c}, args...)
}

// Contract is the plain contraction of args over letters: einsum.Plain and Ein in one.
func (s *Store) Contract(in [][]int, out []int, dims []size.Size, args ...*Node) *Node {
	return s.Ein(s.Plain(in, out, dims), args...)
}

// Plain is einsum.Plain, remembered.
func (s *Store) Plain(in [][]int, out []int, dims []size.Size) *einsum.Contraction {
	return s.forms.Plain(in, out, dims)
}

// sorted puts the operands of c into the order of their numbers. They may be in room that the next call
// uses again.
func (s *Store) sorted(c *einsum.Contraction, args []*Node) (*einsum.Contraction, []*Node) {
	sorted := true
	for k := 1; k < len(args); k++ {
		sorted = sorted && args[k-1].id < args[k].id
	}
	if sorted {
		return c, args
	}
	s.ids = s.ids[:0]
	for _, a := range args {
		s.ids = append(s.ids, int(a.id))
	}
	c, perm := s.forms.Canon(c, s.ids)
	s.operands = s.operands[:0]
	for _, p := range perm {
		s.operands = append(s.operands, args[p])
	}
	return c, s.operands
}

// Fuse substitutes the contraction inner for operand k of c and solves the equalities;
// see package einsum.
func (s *Store) Fuse(c *einsum.Contraction, k int, inner *einsum.Contraction) *einsum.Contraction {
	return s.forms.Fuse(c, k, inner)
}

// SwapOperand exchanges the output and operand k of c: einsum's Swap, remembered.
func (s *Store) SwapOperand(c *einsum.Contraction, k int) *einsum.Contraction {
	return s.forms.Swap(c, k)
}

// Einsum is a product in index strings: s.Einsum("ij,jk->ik", a, b). It panics where the
// strings do not fit the operands or the output has a letter that no operand has.
func (s *Store) Einsum(spec string, args ...*Node) *Node {
	return s.EinsumSized(spec, nil, args...)
}

// EinsumSized is Einsum with sizes for the letters that no operand has.
func (s *Store) EinsumSized(spec string, sizes map[rune]size.Size, args ...*Node) *Node {
	left, right, ok := strings.Cut(spec, "->")
	if !ok {
		panic(TypeErrorf("no arrow in %q", spec))
	}
	var groups []string
	if len(args) > 0 {
		groups = strings.Split(left, ",")
	}
	if len(groups) != len(args) {
		panic(TypeErrorf("%q has %s, not %d", spec, words.Count(len(groups), "operand"), len(args)))
	}
	number := map[rune]int{}
	var dims []size.Size
	var in [][]int
	for k, g := range groups {
		letters := []rune(g)
		if len(letters) != args[k].Order() {
			panic(TypeErrorf("%q: operand %d has order %d", spec, k+1, args[k].Order()))
		}
		group := make([]int, len(letters))
		for i, r := range letters {
			v, ok := number[r]
			if !ok {
				v = len(dims)
				number[r] = v
				dims = append(dims, args[k].Shape()[i])
			} else if dims[v] != args[k].Shape()[i] {
				panic(TypeErrorf("%q: %c is %s and %s", spec, r, dims[v], args[k].Shape()[i]))
			}
			group[i] = v
		}
		in = append(in, group)
	}
	var out []int
	for _, r := range right {
		v, ok := number[r]
		if !ok {
			d, ok := sizes[r]
			if !ok {
				panic(TypeErrorf("%q: the size of %c is not known", spec, r))
			}
			v = len(dims)
			number[r] = v
			dims = append(dims, d)
		}
		out = append(out, v)
	}
	return s.Contract(in, out, dims, args...)
}
