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

// Broadcast repeats an order-0 value over shape.
func (s *Store) Broadcast(a *Node, shape []size.Size) *Node {
	if a.Order() != 0 {
		panic(typeErrorf("broadcast of a value of order %d", a.Order()))
	}
	return s.Contract([][]int{nil}, upTo(len(shape)), shape, a)
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Fill is the tensor of the given shape all of whose entries are r.
func (s *Store) Fill(r *big.Rat, shape []size.Size) *Node {
	if len(shape) > 0 && r.IsInt() && r.Num().IsInt64() && r.Num().Int64() == 1 {
		return s.Ones(shape)
	}
	return s.Broadcast(s.Const(r), shape)
}

// Ones is the tensor of ones: the contraction of no operands.
func (s *Store) Ones(shape []size.Size) *Node {
	if len(shape) == 0 {
		return s.Int(1)
	}
	return s.Contract(nil, upTo(len(shape)), shape)
}

// Eye is delta: the identity on R[shape], of shape [shape.., shape..].
func (s *Store) Eye(shape []size.Size) *Node {
	if len(shape) == 0 {
		return s.Int(1)
	}
	return s.Ein(einsum.Plain(nil, append(upTo(len(shape)), upTo(len(shape))...), shape))
}

// SizeOf is the number d, of order 0: the contraction of no operands over a variable
// that nothing uses.
func (s *Store) SizeOf(d size.Size) *Node {
	if n, ok := d.Int(); ok {
		return s.Int(n)
	}
	var sum *Node
	for _, m := range d.Monomials() {
		var t *Node
		if len(m.Symbols) == 0 {
			t = s.Const(new(big.Rat).SetInt(m.Coef))
		} else {
			dims := make([]size.Size, len(m.Symbols))
			for i, name := range m.Symbols {
				dims[i] = size.Sym(name)
			}
			t = s.Contract(nil, nil, dims)
			if m.Coef.Cmp(big.NewInt(1)) != 0 {
				t = s.Mul(s.Const(new(big.Rat).SetInt(m.Coef)), t)
			}
		}
		if sum == nil {
			sum = t
		} else {
			sum = s.Add(sum, t)
		}
	}
	return sum
}

// Zero is the zero tensor.
func (s *Store) Zero(shape []size.Size) *Node { return s.Broadcast(s.Int(0), shape) }

// Add is the sum of two values of one shape; its operands are sorted.
func (s *Store) Add(a, b *Node) *Node {
	if b.id < a.id {
		a, b = b, a
	}
	return s.intern(Node{atom: AtomAdd, args: []*Node{a, b}})
}

// Scale is the product of a value by an order-0 value.
func (s *Store) Scale(c, a *Node) *Node {
	if c.Order() != 0 {
		panic(typeErrorf("scale by a value of order %d", c.Order()))
	}
	return s.Contract([][]int{nil, upTo(a.Order())}, upTo(a.Order()), a.shape, c, a)
}

// Neg is -a, the product by -1.
func (s *Store) Neg(a *Node) *Node { return s.Scale(s.Int(-1), a) }

// Sub is a - b, which is a + (-1)*b.
func (s *Store) Sub(a, b *Node) *Node { return s.Add(a, s.Neg(b)) }

// Mul is the element-wise product of values of one shape.
func (s *Store) Mul(a, b *Node) *Node {
	if !slices.Equal(a.shape, b.shape) {
		panic(typeErrorf("element-wise product of shapes %s and %s", size.Shape(a.shape), size.Shape(b.shape)))
	}
	all := upTo(a.Order())
	return s.Contract([][]int{all, all}, all, a.shape, a, b)
}

// Unary is the element-wise function name of a.
func (s *Store) Unary(name string, a *Node) *Node {
	at := AtomNamed(name)
	if at == nil || at.Class != ClassElementwise || at.Arity != 1 || at == AtomPower {
		panic(typeErrorf("%q is no unary element-wise function", name))
	}
	return s.intern(Node{atom: at, args: []*Node{a}})
}

// Power is a raised element-wise to the constant r; the powers 0 and 1 are 1 and a.
func (s *Store) Power(a *Node, r *big.Rat) *Node {
	if r.IsInt() && r.Num().IsInt64() {
		switch r.Num().Int64() {
		case 0:
			return s.Ones(a.shape)
		case 1:
			return a
		}
	}
	return s.intern(Node{atom: AtomPower, rat: r, args: []*Node{a}})
}

// Recip is 1/a element-wise.
func (s *Store) Recip(a *Node) *Node { return s.Power(a, big.NewRat(-1, 1)) }

// Binary is the element-wise function name of two values of one shape: pow, max, min,
// or one of the comparisons gt ge lt le eq ne.
func (s *Store) Binary(name string, a, b *Node) *Node {
	at := AtomNamed(name)
	if at == nil || at.Class != ClassElementwise || at.Arity != 2 {
		panic(typeErrorf("%q is no binary element-wise function", name))
	}
	if at.Commutes && b.id < a.id {
		a, b = b, a
	}
	return s.intern(Node{atom: at, args: []*Node{a, b}})
}

// Apply is the atom at with attribute attr on args. It serves atoms of the classes
// element-wise, matrix, reduction and linear; others have constructors of their own.
func (s *Store) Apply(at *Atom, attr int, args ...*Node) *Node {
	if len(args) != at.Arity {
		panic(typeErrorf("%s takes %d operands, not %d", at.Name, at.Arity, len(args)))
	}
	return s.intern(Node{atom: at, attr: int32(attr), args: args})
}

// Inv is the inverse of the matrices in the last two axes.
func (s *Store) Inv(a *Node) *Node { return s.Apply(AtomNamed("inv"), 0, a) }

// Minor is the k-th derivative of det over the last two axes, of 2k more axes: det for
// k = 0, the cofactor matrix d det/dX for k = 1.
func (s *Store) Minor(k int, a *Node) *Node { return s.Apply(AtomNamed("minor"), k, a) }

// Det is the determinant over the last two axes.
func (s *Store) Det(a *Node) *Node { return s.Minor(0, a) }

// Adj is the adjugate over the last two axes: the cofactor matrix transposed.
func (s *Store) Adj(a *Node) *Node {
	c := s.Minor(1, a)
	perm := upTo(c.Order())
	k := len(perm) - 2
	perm[k], perm[k+1] = k+1, k
	return s.Contract([][]int{upTo(c.Order())}, perm, c.shape, c)
}

// LogDet is the logarithm of the determinant over the last two axes.
func (s *Store) LogDet(a *Node) *Node { return s.Apply(AtomNamed("logdet"), 0, a) }

// Solve is inv(a)*b: a has shape [batch.., n, n], b has shape [batch.., n, ..].
func (s *Store) Solve(a, b *Node) *Node { return s.Apply(AtomNamed("solve"), 0, a, b) }

// Reduce is max, min or logsumexp over the last n axes.
func (s *Store) Reduce(name string, n int, a *Node) *Node {
	at := AtomNamed("a" + name)
	if at == nil {
		at = AtomNamed(name)
	}
	return s.Apply(at, n, a)
}

// Softmax is exp(a) over its sum along the last n axes.
func (s *Store) Softmax(n int, a *Node) *Node { return s.Apply(AtomNamed("softmax"), n, a) }

// Norm2 is the root of the sum of squares of all entries.
func (s *Store) Norm2(a *Node) *Node { return s.Apply(AtomNamed("norm2"), 0, a) }

// Merge makes one axis of the adjacent axes axis and axis+1, in C order.
func (s *Store) Merge(axis int, a *Node) *Node { return s.Apply(AtomNamed("merge"), axis, a) }

// Split makes two axes of sizes d1 and d2 of an axis of size d1*d2, in C order.
func (s *Store) Split(axis int, d1, d2 size.Size, a *Node) *Node {
	return s.intern(Node{atom: AtomNamed("split"), attr: int32(axis), sizes: []size.Size{d1, d2}, args: []*Node{a}})
}
