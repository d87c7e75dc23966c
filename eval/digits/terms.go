package digits

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
)

// A Value is a tensor of intervals.
type Value struct {
	Shape []int
	Data  []Number
	Lost  bool // an operand of what it was computed from does not arrive, or is beyond all usual numbers
}

// The values that a term may not have.
var (
	ErrUndefined = errors.New("the term has no value")
	ErrUnknown   = errors.New("nothing is known of the value")
)

// evaluation is one of the nodes of a term.
type evaluation struct {
	arith
	values  map[*combinators.Node]Value
	doubles map[*combinators.Node]*eval.Tensor
	rounded func(v *combinators.Node) bool
}

// Evaluate is the value of a term with so many bits. doubles are the values of its nodes in floating-point numbers, those of variables
// among them; those of variables that are rounded, as orthogonal matrices are, have a margin.
func Evaluate(root *combinators.Node, bits uint, doubles map[*combinators.Node]*eval.Tensor, rounded func(v *combinators.Node) bool) (out Value, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case big.ErrNaN, beyond: // an exponent was too large
			err = ErrUnknown
		default:
			panic(p)
		}
	}()
	e := &evaluation{arith{bits}, map[*combinators.Node]Value{}, doubles, rounded}
	lost := false
	for _, n := range combinators.Topo(root) {
		v := e.node(n)
		lost = lost || v.Lost
		for _, x := range v.Data {
			lost = lost || x.known() && !x.zero() && e.unusual(x)
			switch {
			case x.Undefined:
				return Value{}, ErrUndefined
			case !x.known() || x.Low.IsInf() || x.High.IsInf():
				return Value{}, ErrUnknown
			}
		}
		e.values[n] = v
	}
	out = e.values[root]
	out.Lost = lost
	return out, nil
}

// unusual: the number is so small or so large that functions there may be their own first terms: sin(x) is x for x = 10^-300.
func (e *evaluation) unusual(x Number) bool {
	s, ok := x.sign()
	most := int(e.bits / 8)
	return x.magnitude() > most || ok && s != 0 && min(exponent(x.Low), exponent(x.High)) < -most
}

// node is the value of n by those of its operands.
func (e *evaluation) node(n *combinators.Node) Value {
	shape := e.doubles[n].Shape
	out := Value{Shape: shape, Data: make([]Number, len(e.doubles[n].Data))}
	args := make([]Value, len(n.Args()))
	for k, a := range n.Args() {
		args[k] = e.values[a]
	}
	at := n.Atom()
	switch {
	case at.Class == atom.ClassVariable && e.rounded(n):
		e.margin(n, roundedBits, &out)
	case at.Class == atom.ClassVariable:
		for i, x := range e.doubles[n].Data {
			out.Data[i] = e.float(x)
		}
	case at == atom.Const:
		out.Data[0] = e.rat(n.Rat())
	case at == atom.Pi:
		out.Data[0] = e.around(piOf(e.bits+guardBits), false)
	case at.Class == atom.ClassContraction:
		e.contraction(n, args, &out)
	case at == atom.Add:
		for i := range out.Data {
			out.Data[i] = e.total([]Number{args[0].Data[i], args[1].Data[i]}, &out.Lost)
		}
	case at.Class == atom.ClassElementwise && e.elementwise(n, args, &out):
	case e.axes(n, args, &out), e.matrices(n, args, &out):
	default:
		e.double(n, args, &out)
	}
	return out
}

// total is a sum, of which terms may not arrive.
func (e *evaluation) total(terms []Number, lost *bool) Number {
	sum, largest := e.float(0), Number{}
	for _, x := range terms {
		sum = e.add(sum, x)
		if !largest.known() || x.magnitude() > largest.magnitude() {
			largest = x
		}
	}
	for _, x := range terms {
		if s, ok := x.sign(); ok && s != 0 && min(exponent(x.Low), exponent(x.High)) < largest.magnitude()-e.half(largest) {
			*lost = true
		}
	}
	return sum
}

// half are half of the bits that are known of a number.
func (e *evaluation) half(x Number) int {
	if x.exact() {
		return int(e.bits / 2)
	}
	return min(int(e.bits), x.magnitude()-exponent(less(64, x.High, x.Low))) / 2
}

// contraction follows the definition; guards of derivatives are no matter here.
func (e *evaluation) contraction(n *combinators.Node, args []Value, out *Value) {
	terms := make([][]Number, len(out.Data))
	shapes := make([][]int, len(args))
	for k, a := range args {
		shapes[k] = a.Shape
	}
	_ = eval.EachProduct(context.Background(), n.Ein(), shapes, out.Shape, func(to int, from []int) {
		product := e.float(1)
		for k, i := range from {
			product = e.mul(product, args[k].Data[i])
		}
		terms[to] = append(terms[to], product)
	})
	for i := range out.Data {
		out.Data[i] = e.total(terms[i], &out.Lost)
	}
}

// elementwise is a function of entries; false for one that has no row here.
func (e *evaluation) elementwise(n *combinators.Node, args []Value, out *Value) bool {
	f := e.function(n)
	if f == nil {
		return false
	}
	at := n.Atom()
	picks := at.Kink != "" && at != atom.Log && at != atom.Power && at != atom.Pow
	for i := range out.Data {
		xs := make([]Number, len(args))
		for k, a := range args {
			xs[k] = a.Data[i]
		}
		if n.Guard() == combinators.GuardZero && xs[0].zero() {
			out.Data[i] = xs[0]
			continue
		}
		y := e.exactly(at, xs)
		if !y.known() {
			y = f(xs)
		}
		out.Data[i] = y
		if picks || y.exact() || !y.known() {
			continue
		}
		for k, x := range xs {
			if s, ok := x.sign(); !ok || s == 0 {
				continue
			}
			// softplus(300) is 300, and sin(10^-30) is 10^-30
			out.Lost = out.Lost || e.sub(y, x).magnitude() < y.magnitude()-e.half(x)
			moved, h := slices.Clone(xs), e.half(x)
			step := new(big.Float).SetMantExp(big.NewFloat(1), -h)
			by := e.add(e.float(1), Number{Low: step, High: step})
			moved[k] = e.mul(x, by)
			if z := f(moved); h < 2 || z.known() && !Apart(y, z) {
				out.Lost = true
			}
		}
	}
	return true
}

// exactly is the value at rational numbers, where it is one that the table knows.
func (e *evaluation) exactly(at *atom.Row, xs []Number) Number {
	if at.Exact == nil {
		return Number{}
	}
	rats := [2]*big.Rat{}
	for k, x := range xs {
		if !x.exact() || exponent(x.Low) > longestAngle || x.Low.Sign() != 0 && exponent(x.Low) < -longestAngle {
			return Number{}
		}
		rats[k], _ = x.Low.Rat(nil)
	}
	if r := at.Exact(rats[0], rats[1]); r != nil {
		return e.rat(r)
	}
	return Number{}
}

// The bits of the largest entry that doubles are taken to have: of variables, where operands are the same as in doubles, and of functions
// of these.
const (
	roundedBits = 45
	sameBits    = 15
	usualBits   = 20
)

// double is the value in doubles with the margin of these, where the operands are those in doubles.
func (e *evaluation) double(n *combinators.Node, args []Value, out *Value) {
	for k, a := range n.Args() {
		most := e.largest(a)
		for i, x := range args[k].Data {
			if d := e.doubles[a].Data[i]; d-d != 0 || e.sub(x, e.float(d)).magnitude() > most-sameBits {
				return
			}
		}
	}
	e.margin(n, usualBits, out)
}

// largest is the exponent of the largest entry in doubles.
func (e *evaluation) largest(n *combinators.Node) (most int) {
	most = -100
	for _, x := range e.doubles[n].Data {
		if x-x == 0 {
			most = max(most, e.float(x).magnitude())
		}
	}
	return most
}

// margin are the values in doubles with so many bits.
func (e *evaluation) margin(n *combinators.Node, bits int, out *Value) {
	step := new(big.Float).SetMantExp(big.NewFloat(1), max(e.largest(n), 0)-bits)
	for i, x := range e.doubles[n].Data {
		switch {
		case x != x:
			out.Data[i].Undefined = true
		case x-x == 0:
			out.Data[i] = e.add(e.float(x), Number{Low: new(big.Float).Neg(step), High: step})
		}
	}
}
