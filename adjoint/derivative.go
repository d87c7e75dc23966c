package adjoint

import (
	"slices"

	"frechet/combinators"
	"frechet/einsum/size"
)

// Mode is the direction in which a Jacobian is formed.
type Mode uint8

const (
	// Planned chooses the direction with the smaller seed, by orders where the sizes
	// are not known.
	Planned Mode = iota
	// Reverse applies the adjoint to the identity on the outputs.
	Reverse
	// Forward applies the derivative to the identity on the arguments.
	Forward
)

// Pullback applies the adjoint of the derivative of outs with respect to wrt to the
// cotangents, one of the shape of each output, in one reverse sweep. The results have
// the shapes of wrt; where a variable does not occur, the result is a zero tensor.
func Pullback(outs, wrt, cotangents []*Node) ([]*Node, error) {
	s := outs[0].Store()
	l, err := D(&combinators.Block{Store: s, Params: wrt, Outs: outs}, wrt)
	if err != nil {
		return nil, err
	}
	back, err := l.pull(cotangents, nil)
	if err != nil {
		return nil, err
	}
	for i, g := range back {
		if g == nil {
			back[i] = s.Zero(wrt[i].Shape())
		}
	}
	return back, nil
}

// Gradient is the pullback of 1 for an order-0 output: one value of the shape of each
// variable.
func Gradient(y *Node, wrt []*Node) ([]*Node, error) {
	if y.Order() != 0 {
		return Jacobian(y, wrt, Reverse)
	}
	return Pullback([]*Node{y}, wrt, []*Node{y.Store().Int(1)})
}

// Jacobian is the derivative of y with respect to each of wrt as a value: its axes are
// those of y, then those of the variable. It is zero where the variable does not occur.
func Jacobian(y *Node, wrt []*Node, mode Mode) ([]*Node, error) {
	s := y.Store()
	out := make([]*Node, len(wrt))
	l, err := D(&combinators.Block{Store: s, Params: wrt, Outs: []*Node{y}}, wrt)
	if err != nil {
		return nil, err
	}
	reverse := make([]bool, len(wrt))
	anyReverse := false
	for i, x := range wrt {
		reverse[i] = mode == Reverse || mode == Planned && !smaller(x.Shape(), y.Shape())
		anyReverse = anyReverse || reverse[i]
	}
	if anyReverse {
		back, err := l.pull([]*Node{s.Eye(y.Shape())}, y.Shape())
		if err != nil {
			return nil, err
		}
		for i, g := range back {
			if reverse[i] && g != nil {
				out[i] = rotate(g, wrt[i].Order())
			}
		}
	}
	for i, x := range wrt {
		if reverse[i] {
			continue
		}
		seeds := make([]*Node, len(wrt))
		seeds[i] = s.Eye(x.Shape())
		out[i] = l.push(seeds, x.Shape())[0]
	}
	for i, x := range wrt {
		if out[i] == nil {
			out[i] = s.Zero(slices.Concat(y.Shape(), x.Shape()))
		}
	}
	return out, nil
}

// rotate moves the first k axes of a behind the others.
func rotate(a *Node, k int) *Node {
	n := a.Order()
	if k == 0 || k == n {
		return a
	}
	in, out := make([]int, n), make([]int, 0, n)
	for i := range in {
		in[i] = i
	}
	out = append(append(out, in[k:]...), in[:k]...)
	return a.Store().Contract([][]int{in}, out, a.Shape(), a)
}

// smaller reports whether R[a] has provably fewer entries than R[b]: by number where
// both are numbers, else by order.
func smaller(a, b []size.Size) bool {
	na, okA := count(a)
	nb, okB := count(b)
	if okA && okB {
		return na < nb
	}
	return len(a) < len(b)
}

func count(shape []size.Size) (int64, bool) {
	p := size.Const(1)
	for _, d := range shape {
		p = p.Mul(d)
	}
	return p.Int()
}

// splitWide makes binary trees of contractions with more than three operands that
// depend on wrt: the product rule on n of them would give n terms of n operands.
func splitWide(outs, wrt []*Node) []*Node {
	dep := combinators.Dependents(outs, wrt)
	wide := false
	for n := range dep {
		wide = wide || len(n.Args()) > 3 && n.Ein() != nil
	}
	if !wide {
		return outs
	}
	return combinators.Rebuild(outs, func(n *Node, args []*Node) *Node {
		if n.Ein() == nil || !dep[n] {
			return n.With(args)
		}
		k := 0
		for _, a := range n.Args() {
			if dep[a] {
				k++
			}
		}
		if k <= 3 {
			return n.With(args)
		}
		return combinators.Binarize(n.Store(), n.Ein(), args)
	})
}
