package adjoint

import (
	"strconv"

	"frechet/combinators"
	"frechet/internal/lists"
)

// A recurrence is differentiated and transposed as its body is, by the same rules: see [combinators.Body].
//
// For the tangents db, dX, .. and dc, .. of its operands, the derivative of h[t+1] = b[t+1] + f(h[t], X[t], c) is
//
//	dh[t+1] = D_h f dh[t] + (db[t+1] + D_X f dX[t] + D_c f dc)
//
// where f is differentiated at h[t], X[t] and c: a recurrence that is linear in dh, whose first operand is what stands in
// brackets, for all steps at once. The adjoint of that, at w, is g[t] = w[t] + (D_h f)* g[t+1].

// calculusOf is the calculus by which the rules of a store work: the standard one where derive has not noted another.
func calculusOf(s *combinators.Store) *Calculus { return noted(s, Standard) }

// bodies is what the native steps call for nodes with a body, which the standard calculus has.
var bodies struct {
	derivative func(n *Node, tangents map[int]*Node) *Node
	adjoint    func(n, w *Node) *Node
}

func init() {
	bodies.derivative = func(n *Node, tangents map[int]*Node) *Node {
		if c := calculusOf(n.Store()); !n.Body().Implicit() {
			return c.recurrenceDerivative(n, tangents)
		} else {
			return c.implicitDerivative(n, tangents)
		}
	}
	bodies.adjoint = func(n, w *Node) *Node { return calculusOf(n.Store()).recurrenceAdjoint(n, w) }
}

type calculusKey struct{}

func noted(s *combinators.Store, c func() *Calculus) *Calculus {
	return combinators.Memo(s, calculusKey{}, c)
}

// operands are the variables of the step of the recurrence n in its store, and what they stand for.
func operands(n *Node) (params []*Node, out *Node, sliced, constant []combinators.Bound) {
	b := n.Body()
	params, out = b.In(n.Store())
	for k, p := range params[1:] {
		bound := combinators.Bound{Var: p, Value: n.Arg(k + 1)}
		if k < b.Sliced {
			sliced = append(sliced, bound)
		} else {
			constant = append(constant, bound)
		}
	}
	return params, out, sliced, constant
}

// recurrenceDerivative is the derivative of the recurrence n at the tangents of its operands; nil is zero.
func (c *Calculus) recurrenceDerivative(n *Node, tangents map[int]*Node) *Node {
	s, b := n.Store(), n.Body()
	params, out, sliced, constant := operands(n)
	before := combinators.Bound{Var: params[0], Value: n.Before()}
	sliced = append([]combinators.Bound{before}, sliced...)
	directions := lists.Indexed(params, func(k int, p *Node) *Node { return s.Var("#d"+strconv.Itoa(k), p.Shape()) })
	// the value of a step is the next state, but for what is added to that
	after := combinators.Bound{Var: s.Var("#after", out.Shape()), Value: s.Sub(s.After(n, n), s.After(n, n.Arg(0)))}
	sliced = append(sliced, after)
	var total *Node
	var wrt, along []*Node
	own, fixed := sliced, constant
	for k, dx := range tangents {
		switch {
		case k == 0:
			total = dx
			continue
		case k <= b.Sliced:
			own = append(own, combinators.Bound{Var: directions[k], Value: dx})
		default:
			fixed = append(fixed, combinators.Bound{Var: directions[k], Value: dx})
		}
		wrt, along = append(wrt, params[k]), append(along, directions[k])
	}
	if len(wrt) > 0 {
		l := Must(c.Recorded(&combinators.Block{Store: s, Params: params, Outs: []*Node{out}}, wrt, along, nil))
		if y := l.Outs[0]; y != nil {
			total = add(s, total, s.Steps(n, s.Along(b.Steps, combinators.Replace([]*Node{y}, out, after.Var)[0], own, fixed)))
		}
	}
	if total == nil {
		return nil
	}
	l := Must(c.Recorded(&combinators.Block{Store: s, Params: params, Outs: []*Node{out}}, params[:1], directions[:1], nil))
	if l.Outs[0] == nil {
		return total
	}
	return s.Recurrence(b.Steps, b.Reverse, directions[0], combinators.Replace(l.Outs, out, after.Var)[0], total, sliced, constant)
}

// recurrenceAdjoint is the adjoint of the recurrence n, which is linear in its first operand, at w.
func (c *Calculus) recurrenceAdjoint(n, w *Node) *Node {
	s, b := n.Store(), n.Body()
	params, out, sliced, constant := operands(n)
	g := s.Var("#w", out.Shape())
	back := Must(c.Linear(params[:1], []*Node{out}).Pull([]*Node{g}, nil))[0]
	if back == nil {
		return w
	}
	return s.Recurrence(b.Steps, !b.Reverse, g, back, w, sliced, constant)
}
