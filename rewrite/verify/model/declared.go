package model

import (
	"hash/fnv"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/internal/lists"
)

// A Choice gives functions to declared ones, by name, of which laws hold that do not hold of all functions.
type Choice map[string]Special

// Special is a function of a Choice.
type Special int

// The functions of a Choice.
const (
	Nought Special = iota
	Unit
	Same   // of several arguments their sum
	Square // of that
	specials
)

// Specials lists them.
func Specials() (all []Special) {
	for k := range specials {
		all = append(all, k)
	}
	return all
}

func (k Special) String() string { return [...]string{"0", "1", "x", "x .^ 2"}[k] }

// Specialise is n with the functions of the choice in the place of the declared ones, where they are of their type.
func Specialise(n *combinators.Node, choice Choice) *combinators.Node {
	if len(choice) == 0 {
		return n
	}
	return combinators.Rebuild([]*combinators.Node{n}, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		if n.Atom().Signature() != nil {
			root, by, _, _ := n.Atom().Root()
			if kind, ok := choice[root]; ok {
				if f := special(kind, len(by), n, args); f != nil {
					return f
				}
			}
		}
		return n.With(args)
	})[0]
}

// special is the derivative of an order of a special function in the place of n, nil where there is none of its type.
func special(kind Special, order int, n *combinators.Node, args []*combinators.Node) *combinators.Node {
	s, g := n.Store(), n.Atom().Signature()
	if kind == Nought || kind == Unit && !g.Linear {
		if kind == Unit && order == 0 {
			return s.Ones(n.Shape())
		}
		return s.Zero(n.Shape())
	}
	if !g.Elementwise() {
		return nil
	}
	sum := args[0]
	for _, a := range args[1:] {
		sum = s.Add(sum, a)
	}
	degree, factor := int(kind-Unit), int64(1)
	for range order {
		factor *= int64(degree)
		degree--
	}
	if factor == 0 {
		return s.Zero(n.Shape())
	}
	return s.Mul(s.Fill(big.NewRat(factor, 1), n.Shape()), s.Power(sum, big.NewRat(int64(degree), 1)))
}

// A Ring has the numbers in which a declared function is evaluated.
type Ring[T any] struct {
	Plus, Times func(a, b T) T
	Int         func(n int64) T
}

// terms is how many powers of affine forms a random polynomial is the sum of, and their degree.
const (
	ridges      = 3
	RidgeDegree = 4 // of the polynomials that stand for declared functions
)

// Evaluated is the value of the declared function of a row at args, flat, with so many entries. The function is the sum over t of
// c_t (b_t + l_t . x)^d, of which the derivatives are such sums, too, and a random matrix where it is linear.
// ok is false where the row's declaration says more of it: see [atom.Row.Root].
func Evaluated[T any](r Ring[T], at *atom.Row, args [][]T, results int) (out []T, ok bool) {
	root, by, transposed, ok := at.Root()
	if !ok {
		return nil, false
	}
	if at.Signature().Linear {
		return matrixTimes(r, root, transposed, args[0], results), true
	}
	inner := 1 // entries of the result for one entry of the function's
	for _, k := range by {
		inner *= len(args[k])
	}
	for i := range results {
		sum := r.Int(0)
		for t := range ridges {
			l := func(k, j int) int64 { return small(root, 3, t, k, j) }
			c, b := small(root, 5, t, -1, i/inner), small(root, 2, t, -2)
			sum = r.Plus(sum, ridge(r, args, by, i%inner, l, c, b))
		}
		out = append(out, sum)
	}
	return out, true
}

// ridge is the entry at of the derivative by the arguments by of c (b + l . x)^d.
func ridge[T any](r Ring[T], args [][]T, by []int, at int, l func(k, j int) int64, c, b int64) T {
	degree := RidgeDegree
	for _, k := range slices.Backward(by) {
		c *= l(k, at%len(args[k])) * int64(degree)
		at /= len(args[k])
		degree--
	}
	form := r.Int(b)
	for k, x := range args {
		for j, e := range x {
			form = r.Plus(form, r.Times(r.Int(l(k, j)), e))
		}
	}
	out := r.Int(c)
	if degree < 0 {
		return r.Int(0)
	}
	for range degree {
		out = r.Times(out, form)
	}
	return out
}

// matrixTimes is a linear function at x: a random matrix, or its transpose.
func matrixTimes[T any](r Ring[T], root string, transposed bool, x []T, results int) (out []T) {
	for i := range results {
		sum := r.Int(0)
		for j, e := range x {
			m := small(root, 5, i, j)
			if transposed {
				m = small(root, 5, j, i)
			}
			sum = r.Plus(sum, r.Times(r.Int(m), e))
		}
		out = append(out, sum)
	}
	return out
}

// small is a number from -most to most, but not 0, that depends on a name and places.
func small(name string, most int64, at ...int) int64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	for _, k := range at {
		h.Write([]byte{byte(k), byte(k >> 8)})
	}
	x := int64(h.Sum64()>>33) % (2 * most)
	if x >= most {
		return x - 2*most
	}
	return x + 1
}

var elements = Ring[Element]{Element.Plus, Element.Times, func(n int64) Element {
	if n < 0 {
		return minusOne.Times(Of(uint64(-n)))
	}
	return Of(uint64(n))
}}

// declaredAt is a declared function over the model; it is repeated along axes in front, and behind of linear ones.
func declaredAt(n *combinators.Node, args []*Array, out *Array) {
	g := n.Atom().Signature()
	if g.Elementwise() {
		for i := range out.Data {
			at := lists.Map(args, func(a *Array) []Element { return a.Data[i : i+1] })
			if y, ok := Evaluated(elements, n.Atom(), at, 1); ok {
				out.Data[i] = y[0]
			} else {
				out.Data[i] = Element{}
			}
		}
		return
	}
	front := n.BatchAxes()
	if g.Linear {
		front = n.Attr()
	}
	x := args[0]
	batch, behind := size(x.Shape[:front]), size(x.Shape[front+len(g.Params[0]):])
	if !g.Linear {
		behind = 1
	}
	each := len(out.Data) / max(batch*behind, 1)
	for b := range batch {
		for j := range behind {
			at := make([][]Element, len(args))
			for k, a := range args {
				n := len(a.Data) / (batch * behind)
				for i := range n {
					at[k] = append(at[k], a.Data[(b*n+i)*behind+j])
				}
			}
			y, ok := Evaluated(elements, n.Atom(), at, each)
			for i := range each {
				if out.Data[(b*each+i)*behind+j] = (Element{}); ok {
					out.Data[(b*each+i)*behind+j] = y[i]
				}
			}
		}
	}
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
