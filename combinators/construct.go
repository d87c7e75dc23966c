package combinators

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
)

// Broadcast repeats an order-0 value over shape.
func (s *Store) Broadcast(a *Node, shape []size.Size) *Node {
	if a.Order() != 0 {
		panic(TypeErrorf("broadcast of a value of order %d", a.Order()))
	}
	return s.Contract([][]int{nil}, upTo(len(shape)), shape, a)
}

// upTo is 0, 1, .. n-1. The slice must not be changed.
func upTo(n int) []int {
	if n <= len(first) {
		return first[:n:n]
	}
	return lists.Make(n, func(i int) int { return i })
}

var first = [8]int{0, 1, 2, 3, 4, 5, 6, 7}

// Fill is the tensor of the given shape all of whose entries are r.
func (s *Store) Fill(r *big.Rat, shape []size.Size) *Node {
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
			dims := lists.Map(m.Symbols, size.Sym)
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

// Pi is the number pi, of order 0.
func (s *Store) Pi() *Node { return s.Apply(atom.Pi, 0) }

// Zero is the zero tensor.
func (s *Store) Zero(shape []size.Size) *Node { return s.Broadcast(s.Int(0), shape) }

// Add is the sum of two values of one shape; its operands are sorted.
func (s *Store) Add(a, b *Node) *Node {
	return s.intern(form{atom: atom.Add}, a, b)
}

// Scale is the product of a value by an order-0 value.
func (s *Store) Scale(c, a *Node) *Node {
	if c.Order() != 0 {
		panic(TypeErrorf("scale by a value of order %d", c.Order()))
	}
	return s.Contract([][]int{nil, upTo(a.Order())}, upTo(a.Order()), a.Shape(), c, a)
}

// Neg is -a, the product by -1.
func (s *Store) Neg(a *Node) *Node { return s.Scale(s.Int(-1), a) }

// Sub is a - b, which is a + (-1)*b.
func (s *Store) Sub(a, b *Node) *Node { return s.Add(a, s.Neg(b)) }

// Mul is the element-wise product of values of one shape.
func (s *Store) Mul(a, b *Node) *Node {
	if !slices.Equal(a.Shape(), b.Shape()) {
		panic(TypeErrorf("element-wise product of shapes %s and %s", size.Shape(a.Shape()), size.Shape(b.Shape())))
	}
	all := upTo(a.Order())
	return s.Contract([][]int{all, all}, all, a.Shape(), a, b)
}

// Unary is the element-wise function at of a.
func (s *Store) Unary(at *atom.Row, a *Node) *Node {
	if at.Class != atom.ClassElementwise || at.Arity != 1 || at == atom.Power {
		panic(TypeErrorf("%q is no unary element-wise function", at.Name))
	}
	return s.intern(form{atom: at}, a)
}

// Power is a raised element-wise to the constant r; the powers 0 and 1 are 1 and a.
func (s *Store) Power(a *Node, r *big.Rat) *Node {
	if r.IsInt() && r.Num().IsInt64() {
		switch r.Num().Int64() {
		case 0:
			return s.Ones(a.Shape())
		case 1:
			return a
		}
	}
	return s.intern(form{atom: atom.Power, rat: r}, a)
}

// Raised is a^r as a program has it: a is read where r is 0, too.
func (s *Store) Raised(a *Node, r *big.Rat) *Node {
	if r.Sign() == 0 {
		return s.Binary(atom.Pow, a, s.Fill(r, a.Shape()))
	}
	return s.Power(a, r)
}

// Recip is 1/a element-wise.
func (s *Store) Recip(a *Node) *Node { return s.Power(a, minusOne) }

var minusOne = big.NewRat(-1, 1)

// Binary is the element-wise function at of two values of one shape: pow, max, min,
// or one of the comparisons gt ge lt le eq ne.
func (s *Store) Binary(at *atom.Row, a, b *Node) *Node {
	if at.Class != atom.ClassElementwise || at.Arity != 2 {
		panic(TypeErrorf("%q is no binary element-wise function", at.Name))
	}
	return s.intern(form{atom: at}, a, b)
}

// Call is the function of as many values of one shape as its row says.
func (s *Store) Call(f atom.Function, args ...*Node) *Node {
	if f.Power != nil {
		return s.Power(args[0], f.Power)
	}
	return s.Apply(f.Row, 0, args...)
}

// Exact is the value of the element-wise function n at rational numbers, where that is a rational number of bounded
// size, else nil.
func (n *Node) Exact(args []*big.Rat) *big.Rat {
	switch at := n.Atom(); {
	case at == atom.Power:
		return atom.RatPow(args[0], n.Rat())
	case at.Exact == nil:
		return nil
	case at.Arity == 1:
		return at.Exact(args[0], nil)
	default:
		return at.Exact(args[0], args[1])
	}
}

// Apply is the atom at with attribute attr on args. It serves atoms of the classes
// element-wise, matrix, reduction and linear; others have constructors of their own.
func (s *Store) Apply(at *atom.Row, attr int, args ...*Node) *Node {
	if len(args) != at.Arity {
		panic(TypeErrorf("%s takes %s, not %d", at.Name, words.Count(at.Arity, "operand"), len(args)))
	}
	return s.intern(form{atom: at, attr: int32(attr), sizes: OpenSizes(at, nil)}, args...)
}

// Declared is the declared function at with attribute attr on args; sizes are those that its result leaves open.
func (s *Store) Declared(at *atom.Row, attr int, sizes []size.Size, args ...*Node) *Node {
	return s.intern(form{atom: at, attr: int32(attr), sizes: sizes}, args...)
}

// OpenSizes are the sizes that the result of a declared function leaves open, by the names of their symbols; one without
// an entry stands for itself. It is nil where there are none.
func OpenSizes(at *atom.Row, known map[string]size.Size) (sizes []size.Size) {
	g := at.Signature()
	if g == nil {
		return nil
	}
	for _, name := range g.Open() {
		d, ok := known[name]
		if !ok {
			d = size.Sym(name)
		}
		sizes = append(sizes, d)
	}
	return sizes
}

// Inv is the inverse of the matrices in the last two axes.
func (s *Store) Inv(a *Node) *Node { return s.Apply(atom.Inv, 0, a) }

// Minor is the k-th derivative of det over the last two axes, of 2k more axes: det for
// k = 0, the cofactor matrix d det/dX for k = 1.
func (s *Store) Minor(k int, a *Node) *Node { return s.Apply(atom.Minor, k, a) }

// Det is the determinant over the last two axes.
func (s *Store) Det(a *Node) *Node { return s.Minor(0, a) }

// Adj is the adjugate over the last two axes: the cofactor matrix transposed.
func (s *Store) Adj(a *Node) *Node {
	c := s.Minor(1, a)
	perm := slices.Clone(upTo(c.Order()))
	k := len(perm) - 2
	perm[k], perm[k+1] = k+1, k
	return s.Contract([][]int{upTo(c.Order())}, perm, c.Shape(), c)
}

// LogDet is the logarithm of the determinant over the last two axes.
func (s *Store) LogDet(a *Node) *Node { return s.Apply(atom.LogDet, 0, a) }

// Solve is inv(a)*b: a has shape [batch.., n, n], b has shape [batch.., n, ..].
func (s *Store) Solve(a, b *Node) *Node { return s.Apply(atom.Solve, 0, a, b) }

// SolveAxes is the x with a*x = b: a has block axes, rows and columns, and b block axes, rows and others, for which it is solved at once.
func (s *Store) SolveAxes(block, rows int, a, b *Node) *Node {
	if block+a.Order() == 0 {
		return s.Mul(b, s.Recip(a))
	}
	dims := a.Shape()[block+rows:]
	for range rows - 1 {
		a, b = s.Merge(block, a), s.Merge(block, b)
	}
	for range len(dims) - 1 {
		a = s.Merge(block+1, a)
	}
	x := s.Solve(a, b)
	for i := range len(dims) - 1 {
		after := size.Const(1)
		for _, d := range dims[i+1:] {
			after = after.Mul(d)
		}
		x = s.Split(block+i, dims[i], after, x)
	}
	return x
}

// Reduce is max, min or logsumexp over the last n axes.
func (s *Store) Reduce(name string, n int, a *Node) *Node {
	at := atom.Named("a" + name)
	if at == nil {
		at = atom.Named(name)
	}
	return s.Apply(at, n, a)
}

// Softmax is exp(a) over its sum along the last n axes.
func (s *Store) Softmax(n int, a *Node) *Node { return s.Apply(atom.Softmax, n, a) }

// Prod is the k-th derivative of the product over the last axis: that of all entries but k of them, which are different.
func (s *Store) Prod(k int, a *Node) *Node { return s.Apply(atom.Prod, k, a) }

// Norm2 is the root of the sum of squares of all entries.
func (s *Store) Norm2(a *Node) *Node { return s.Apply(atom.Norm2, 0, a) }

// Merge makes one axis of the adjacent axes axis and axis+1, in C order.
func (s *Store) Merge(axis int, a *Node) *Node { return s.Apply(atom.Merge, axis, a) }

// Split makes two axes of sizes d1 and d2 of an axis of size d1*d2, in C order.
func (s *Store) Split(axis int, d1, d2 size.Size, a *Node) *Node {
	return s.intern(form{atom: atom.Split, attr: int32(axis), sizes: []size.Size{d1, d2}}, a)
}
