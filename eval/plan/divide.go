package plan

import (
	"math"
	"slices"
)

// divided is a product entry by entry in which factors that are reciprocals divide: x ./ y is one division, and is
// rounded once. A number 1/3 divides by 3.
func (b *builder) divided(v Value) Value {
	args, weak := v.Args, v.WeakArgs
	v.Args, v.WeakArgs = nil, nil
	first := -1 // the first factor that does not divide
	for k, a := range args {
		d, ok := b.divisor(a)
		if ok && v.Divides == nil {
			v.Divides = make([]bool, k, len(args)+1)
		}
		if v.Divides != nil {
			v.Divides = append(v.Divides, ok)
		}
		if first < 0 && !ok {
			first = k
		}
		v.Args = append(v.Args, d)
		if weak != nil {
			v.WeakArgs = append(v.WeakArgs, weak[k])
		}
	}
	if first > 0 { // begin with it
		toFront(v.Args, first)
		toFront(v.Divides, first)
		if weak != nil {
			toFront(v.WeakArgs, first)
		}
	}
	d := math.Round(1 / v.Scale)
	if half, _ := math.Frexp(math.Abs(d)); len(args) > 0 && 1/d == v.Scale && math.Abs(d) < 1<<53 && half != 0.5 {
		if v.Divides == nil {
			v.Divides = make([]bool, len(args))
		}
		v.Scale, v.Args, v.Divides = 1, append(v.Args, whole(b.constant(d))), append(v.Divides, true)
		if weak != nil {
			v.WeakArgs = append(v.WeakArgs, false)
		}
	}
	return v
}

func toFront[T any](s []T, k int) {
	x := s[k]
	copy(s[1:k+1], s[:k])
	s[0] = x
}

// divisor is what a factor divides by, where that is computed for no more than the factor is.
func (b *builder) divisor(a View) (View, bool) {
	v := a.V
	if v.Kind != KindMap || v.Code != CodePower || v.ZeroAt0 || !slices.Contains([]float64{-0.5, -1, -2, -3}, v.Scale) {
		return a, false
	}
	if v.Scale != -1 {
		w := *v
		w.Scale = -v.Scale
		a.V = b.add(w)
		return a, true
	}
	x := v.Args[0]
	switch {
	case x.dense(v.N):
		a.V = x.V
	case a.dense(v.N):
		a = x
	default:
		return a, false
	}
	return a, true
}

// divisors takes those of the scalars of a product that divide out of them: its result is then divided by these.
func (p *productPlan) divisors() (out []View) {
	if !p.dense {
		return nil
	}
	var rest []View
	for _, a := range p.scalars {
		if _, ok := p.b.divisor(a); ok {
			out = append(out, a)
		} else {
			rest = append(rest, a)
		}
	}
	p.scalars = rest
	return out
}

// quotients is a product of two operands along the same variables, one of which divides, as one operand.
func (p *productPlan) quotients(a, b operand) (operand, bool) {
	if a.vars() != b.vars() {
		return operand{}, false
	}
	big := a
	if b.v.N > a.v.N {
		big = b
	}
	order := p.byStride(a.vars(), big.walk)
	va, vb := p.view(a, order), p.view(b, order)
	_, left := p.b.divisor(va)
	_, right := p.b.divisor(vb)
	if !left && !right {
		return operand{}, false
	}
	walk, n := p.fresh(order)
	return operand{p.mul(Value{Kind: KindMap, Code: CodeMul, N: n, Scale: 1, Args: []View{va, vb}}), walk, nil}, true
}
