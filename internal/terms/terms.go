// Package terms draws random well-typed blocks of values for tests.
//
// All sizes differ, so that a wrong order of axes cannot go unseen. Values stay in the domains of
// the functions and away from their kinks, so that numbers can be compared.
package terms

import (
	"math/big"
	"math/rand/v2"

	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval"
)

// Node is a value of the calculus.
type Node = combinators.Node

// Sizes are the numbers that the size symbols of the blocks stand for.
var Sizes = map[string]int64{"k": 2, "m": 3, "n": 4}

var symbols = []size.Size{size.Sym("k"), size.Sym("m"), size.Sym("n")}

type drawer struct {
	*rapid.T
	s    *combinators.Store
	pool []*Node
}

func (d *drawer) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(d.T, label) }

func (d *drawer) shape(most int) []size.Size {
	out := []size.Size{}
	for range d.pick("order", most+1) {
		out = append(out, symbols[d.pick("size", len(symbols))])
	}
	return out
}

// any is a value of the pool; later ones are as likely as parameters.
func (d *drawer) any() *Node { return d.pool[d.pick("value", len(d.pool))] }

// Block draws a block of one to three parameters and one or two outputs, of at most steps
// operations.
func Block(t *rapid.T, steps int) *combinators.Block {
	s := combinators.NewStore()
	d := &drawer{T: t, s: s}
	b := &combinators.Block{Store: s}
	for i := range 1 + d.pick("params", 3) {
		p := s.Var("x"+string(rune('1'+i)), d.shape(2))
		b.Params = append(b.Params, p)
		d.pool = append(d.pool, p)
	}
	d.pool = append(d.pool, s.Var("c", d.shape(2))) // an outer value
	for range 1 + d.pick("steps", steps) {
		d.pool = append(d.pool, d.step())
	}
	for range 1 + d.pick("outs", 2) {
		b.Outs = append(b.Outs, d.pool[len(d.pool)-1-d.pick("out", 3)])
	}
	return b
}

func (d *drawer) step() *Node {
	a := d.any()
	s := d.s
	switch d.pick("op", 9) {
	case 0:
		return s.Unary([]*atom.Row{atom.Sin, atom.Cos, atom.Tanh, atom.Sigmoid, atom.Arctan, atom.Softplus}[d.pick("unary", 6)], a)
	case 1:
		return s.Unary(atom.Exp, s.Unary(atom.Sin, a))
	case 2:
		return s.Power(s.Add(s.Fill(big.NewRat(2, 1), a.Shape()), s.Unary(atom.Sin, a)), big.NewRat(int64(d.pick("exponent", 5)-2), 2))
	case 3:
		return s.Add(a, d.like(a))
	case 4:
		return s.Scale(s.Const(big.NewRat(int64(d.pick("num", 7)-3), 2)), a)
	case 5:
		if a.Order() > 0 {
			return s.Softmax(1, a)
		}
		return s.Unary(atom.Cos, a)
	case 6:
		if a.Order() > 0 {
			return s.Reduce("logsumexp", 1+d.pick("axes", a.Order()), a)
		}
		return s.Unary(atom.Tanh, a)
	}
	return d.contract(a)
}

// like is a value of the shape of a: one of the pool, or the broadcast of a scalar.
func (d *drawer) like(a *Node) *Node {
	for range 4 {
		if b := d.any(); b != a && size.Shape(b.Shape()) == size.Shape(a.Shape()) {
			return b
		}
	}
	return d.s.Unary(atom.Sin, a)
}

// contract draws a contraction of one to three values: any letters that fit the sizes, repeated or
// not, summed or not, in any order, with an axis now and then that no operand has.
func (d *drawer) contract(a *Node) *Node {
	args := []*Node{a}
	for range d.pick("operands", 3) {
		args = append(args, d.any())
	}
	c := d.letters(args...)
	// sums of products of bounded values stay small enough for the functions above
	return d.s.Unary(atom.Sin, d.s.Ein(c, args...))
}

// letters draws the letters of a contraction of args.
func (d *drawer) letters(args ...*Node) *einsum.Contraction {
	var dims []size.Size
	in := make([][]int, len(args))
	for k, x := range args {
		for _, sz := range x.Shape() {
			l := -1
			for v, z := range dims {
				if z == sz && d.pick("share", 3) > 0 {
					l = v
				}
			}
			if l < 0 {
				l = len(dims)
				dims = append(dims, sz)
			}
			in[k] = append(in[k], l)
		}
	}
	if d.pick("new", 5) == 0 {
		dims = append(dims, symbols[d.pick("size", len(symbols))])
	}
	var out []int
	order := rapid.Permutation(einsum.UpTo(len(dims))).Draw(d.T, "letters")
	for _, v := range order {
		if len(out) < 2 && d.pick("keep", 2) == 0 {
			out = append(out, v)
			if len(out) < 2 && d.pick("diagonal", 8) == 0 {
				out = append(out, v)
			}
		}
	}
	return einsum.Plain(in, out, dims)
}

// numbers are random entries for a tensor of the given shape, with the sizes of the package; equal
// seeds and names give equal numbers.
func numbers(seed uint64, name string, shape []size.Size) *eval.Tensor {
	h := seed
	for _, c := range name {
		h = h*1000003 + uint64(c)
	}
	r := rand.New(rand.NewPCG(h, 1))
	dims := []int{}
	for _, d := range shape {
		n, err := d.Eval(Sizes)
		if err != nil {
			panic(err) // the sizes are those of the package
		}
		dims = append(dims, int(n))
	}
	x := eval.NewTensor(dims...)
	for i := range x.Data {
		x.Data[i] = 2*r.Float64() - 1
	}
	return x
}
