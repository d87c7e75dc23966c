package combinators

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"frechet/einsum"
	"frechet/einsum/size"
)

// TypeError says that a term would not type-check. Constructors panic with it: callers
// that build from user input check first, with positions.
type TypeError struct{ Message string }

func (e *TypeError) Error() string { return e.Message }

func typeErrorf(format string, args ...any) *TypeError {
	return &TypeError{fmt.Sprintf(format, args...)}
}

// LimitError says that the store would grow beyond its limit of nodes.
type LimitError struct{ Nodes int }

func (e *LimitError) Error() string {
	return fmt.Sprintf("the expression needs more than %d nodes", e.Nodes)
}

// Stopped says that the store's Stop was closed while terms were built.
type Stopped struct{}

func (*Stopped) Error() string { return "stopped while building terms" }

// Store holds every term of a program once. It must not be used from several
// goroutines while terms are built; finished nodes may be read from many.
type Store struct {
	// MaxNodes bounds the number of nodes; beyond it constructors panic with *LimitError.
	// 0 means no bound.
	MaxNodes int
	// Stop ends long work on terms: once it is closed, constructors panic with *Stopped,
	// soon. nil never stops.
	Stop <-chan struct{}

	calls uint // of intern, to look at Stop now and then
	nodes []*Node
	table map[nodeKey]*Node
	specs map[string]*einsum.Contraction
	plain map[plainKey]*einsum.Contraction
	perms map[permKey]ordered
	fused map[fuseKey]*einsum.Contraction

	closed *closedStore // closed terms, nil until there are any
}

// plainKey and permKey remember contractions by how they were asked for, so that the
// same few forms are not built again and again.
type plainKey struct {
	letters string
	n       int
	dims    [6]size.Size
}

type permKey struct {
	c     *einsum.Contraction
	ranks string // of the operands' labels
}

type ordered struct {
	c    *einsum.Contraction
	perm []int
}

type fuseKey struct {
	c, inner *einsum.Contraction
	k        int
}

// nodeKey identifies a node: operation, up to three arguments inline, and the rest.
type nodeKey struct {
	atom       *Atom
	ein        *einsum.Contraction
	a0, a1, a2 int32
	attr       int32
	guard      Guard
	rest       string
}

// NewStore makes an empty store.
func NewStore() *Store {
	return &Store{
		table: map[nodeKey]*Node{}, specs: map[string]*einsum.Contraction{},
		plain: map[plainKey]*einsum.Contraction{}, perms: map[permKey]ordered{}, fused: map[fuseKey]*einsum.Contraction{},
	}
}

// Len is the number of nodes built so far.
func (s *Store) Len() int { return len(s.nodes) }

// Node is the node with the given number.
func (s *Store) Node(id int) *Node { return s.nodes[id] }

func sortByID(nodes []*Node) {
	slices.SortFunc(nodes, func(a, b *Node) int { return int(a.id) - int(b.id) })
}

// intern returns the node that equals m, building it where it is new. The shape of m
// is computed by the type rule of its atom where it is nil.
func (s *Store) intern(m Node) *Node {
	if s.calls++; s.calls%4096 == 0 && s.Stop != nil {
		select {
		case <-s.Stop:
			panic(&Stopped{})
		default:
		}
	}
	key := nodeKey{atom: m.atom, ein: m.ein, attr: m.attr, guard: m.guard, a0: -1, a1: -1, a2: -1}
	for k, a := range m.args {
		if a.store != s {
			panic(typeErrorf("a term of another store"))
		}
		switch k {
		case 0:
			key.a0 = a.id
		case 1:
			key.a1 = a.id
		case 2:
			key.a2 = a.id
		}
	}
	if len(m.args) > 3 || m.rat != nil || m.name != "" || m.sizes != nil {
		var b []byte
		if m.rat != nil {
			b = append(b, m.rat.RatString()...)
		}
		if m.name != "" {
			b = append(b, m.name...)
			b = append(b, size.Shape(m.shape)...)
		}
		for _, d := range m.sizes {
			b = append(append(b, ' '), d.String()...)
		}
		for k := 3; k < len(m.args); k++ {
			b = append(strconv.AppendInt(b, int64(m.args[k].id), 10), ' ')
		}
		key.rest = string(b)
	}
	if n, ok := s.table[key]; ok {
		return n
	}
	if s.MaxNodes > 0 && len(s.nodes) >= s.MaxNodes {
		panic(&LimitError{s.MaxNodes})
	}
	if m.atom.Class != ClassVariable {
		m.shape = m.atom.shape(&m)
	}
	n := new(Node)
	*n = m
	n.store, n.id = s, int32(len(s.nodes))
	s.nodes = append(s.nodes, n)
	s.table[key] = n
	return n
}

// Var is the variable name of the given shape: a parameter or an outer value.
func (s *Store) Var(name string, shape []size.Size) *Node {
	return s.intern(Node{atom: AtomVar, name: name, shape: slices.Clone(shape)})
}

// Fresh is a variable whose name no variable of the store has yet: base, or base with primes.
func (s *Store) Fresh(base string, shape []size.Size) *Node {
	name := base
	for s.hasVar(name) {
		name += "'"
	}
	return s.Var(name, shape)
}

func (s *Store) hasVar(name string) bool {
	return slices.ContainsFunc(s.nodes, func(n *Node) bool { return n.atom == AtomVar && n.name == name })
}

// Const is the number r, of order 0.
func (s *Store) Const(r *big.Rat) *Node { return s.intern(Node{atom: AtomConst, rat: r}) }

// Int is the whole number n, of order 0.
func (s *Store) Int(n int64) *Node { return s.Const(big.NewRat(n, 1)) }

// Ein is the contraction c of args, one an operand of c. Operands are sorted and c is
// put into canonical form; the identity on one operand is that operand.
func (s *Store) Ein(c *einsum.Contraction, args ...*Node) *Node {
	if len(c.In) != len(args) {
		panic(typeErrorf("a contraction of %d operands got %d", len(c.In), len(args)))
	}
	for k, a := range args {
		if !slices.Equal(a.shape, c.In[k].Shape) {
			panic(typeErrorf("operand %d of a contraction has shape %s, not %s", k+1,
				size.Shape(a.shape), size.Shape(c.In[k].Shape)))
		}
	}
	if len(args) == 1 && isIdentity(c) {
		return args[0]
	}
	c, args = s.sorted(c, args)
	if d, ok := s.specs[c.Key()]; ok {
		c = d // one contraction for each form
	} else {
		s.specs[c.Key()] = c
	}
	return s.intern(Node{atom: AtomEin, ein: c, args: args})
}

func isIdentity(c *einsum.Contraction) bool {
	in, out, ok := c.IsPlain()
	if !ok || len(in) != 1 || len(in[0]) != len(out) || len(c.Vars) != len(out) {
		return false
	}
	for i, v := range in[0] {
		if out[i] != v || v != i {
			return false
		}
	}
	return true
}

// Contract is the plain contraction of args over letters: einsum.Plain and Ein in one.
func (s *Store) Contract(in [][]int, out []int, dims []size.Size, args ...*Node) *Node {
	return s.Ein(s.Plain(in, out, dims), args...)
}

// Plain is einsum.Plain, remembered.
func (s *Store) Plain(in [][]int, out []int, dims []size.Size) *einsum.Contraction {
	key := plainKey{n: len(dims)}
	if len(dims) > len(key.dims) {
		return einsum.Plain(in, out, dims)
	}
	var buf [64]byte
	b := buf[:0]
	for _, g := range in {
		for _, v := range g {
			b = append(b, byte(v))
		}
		b = append(b, 255)
	}
	b = append(b, 254)
	for _, v := range out {
		b = append(b, byte(v))
	}
	key.letters = string(b)
	copy(key.dims[:], dims)
	c := s.plain[key]
	if c == nil {
		c = einsum.Plain(in, out, dims)
		s.plain[key] = c
	}
	return c
}

// sorted puts the operands of c into the order of their labels: Canon, remembered.
func (s *Store) sorted(c *einsum.Contraction, args []*Node) (*einsum.Contraction, []*Node) {
	up, ties := true, false
	for k := 1; k < len(args); k++ {
		up = up && args[k-1].id <= args[k].id
		ties = ties || args[k-1].id == args[k].id
	}
	if up && !ties {
		return c, args
	}
	var buf [32]byte
	if len(args) > len(buf) {
		return order(c, args)
	}
	ranks := buf[:len(args)]
	for k, a := range args {
		for _, b := range args {
			if b.id < a.id {
				ranks[k]++
			}
		}
	}
	o, ok := s.perms[permKey{c, string(ranks)}]
	if !ok {
		labels := make([]int, len(args))
		for k, r := range ranks {
			labels[k] = int(r)
		}
		o.c, o.perm = c.Canon(labels)
		s.perms[permKey{c, string(ranks)}] = o
	}
	out := make([]*Node, len(args))
	for k, p := range o.perm {
		out[k] = args[p]
	}
	return o.c, out
}

// order is sorted without memory, for very wide products.
func order(c *einsum.Contraction, args []*Node) (*einsum.Contraction, []*Node) {
	labels := make([]int, len(args))
	for k, a := range args {
		labels[k] = a.ID()
	}
	d, perm := c.Canon(labels)
	out := make([]*Node, len(args))
	for k, p := range perm {
		out[k] = args[p]
	}
	return d, out
}

// Fuse substitutes the contraction inner for operand k of c and solves the equalities;
// see package einsum.
func (s *Store) Fuse(c *einsum.Contraction, k int, inner *einsum.Contraction) *einsum.Contraction {
	key := fuseKey{c, inner, k}
	f := s.fused[key]
	if f == nil {
		f = c.Fuse(k, inner).Solve()
		if g, ok := s.specs[f.Key()]; ok {
			f = g
		} else {
			s.specs[f.Key()] = f
		}
		s.fused[key] = f
	}
	return f
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
		panic(typeErrorf("no arrow in %q", spec))
	}
	var groups []string
	if len(args) > 0 {
		groups = strings.Split(left, ",")
	}
	if len(groups) != len(args) {
		panic(typeErrorf("%q has %d operands, not %d", spec, len(groups), len(args)))
	}
	number := map[rune]int{}
	var dims []size.Size
	var in [][]int
	for k, g := range groups {
		letters := []rune(g)
		if len(letters) != args[k].Order() {
			panic(typeErrorf("%q: operand %d has order %d", spec, k+1, args[k].Order()))
		}
		group := make([]int, len(letters))
		for i, r := range letters {
			v, ok := number[r]
			if !ok {
				v = len(dims)
				number[r] = v
				dims = append(dims, args[k].shape[i])
			} else if dims[v] != args[k].shape[i] {
				panic(typeErrorf("%q: %c is %s and %s", spec, r, dims[v], args[k].shape[i]))
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
				panic(typeErrorf("%q: the size of %c is not known", spec, r))
			}
			v = len(dims)
			number[r] = v
			dims = append(dims, d)
		}
		out = append(out, v)
	}
	return s.Contract(in, out, dims, args...)
}
