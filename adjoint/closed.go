package adjoint

import (
	"fmt"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/rewrite"
)

// ClosedSimplify is the normal form of a closed map under the algebra of closed combinators; the
// derivatives and adjoints in it are worked out.
func (c *Calculus) ClosedSimplify(m combinators.Map, trace func(rewrite.ClosedFiring)) (combinators.Map, error) {
	out, err := normalize(c.engine(true, trace), m)
	if err != nil {
		return out, err
	}
	return out, c.missing(out)
}

// rowDerivative is the native step of D-atom.
func rowDerivative(s *combinators.Store, args []denote.Argument) (m combinators.Map, err error) {
	defer Recover(&err)
	p, x := args[0].Map, args[1].Value
	y, err := s.ApplyMap(p, x)
	if err != nil {
		return m, err
	}
	points := []*combinators.Value{x}
	if x.Node() == nil {
		points = x.Parts()
	}
	var tangents []*Node
	var sum terms
	steps := map[int]*Node{} // of a node with a body
	for i, k := range p.Holes() {
		dx := unused(s, points[i].Space())
		tangents = append(tangents, dx)
		if steps[k] = dx; y.Node().Body() != nil {
			continue
		}
		t, err := partial(y.Node(), argument(y.Node(), k, points[i].Node()), dx)
		if err != nil {
			return m, err
		}
		if t != nil {
			sum.add(t)
		}
	}
	t := sum.total(s, plainly)
	if y.Node().Body() != nil {
		t = bodies.derivative(y.Node(), steps)
	}
	if t == nil {
		t = s.Zero(y.Space().Shape())
	}
	return combinators.Readback(&combinators.Block{Store: s, Params: tangents, Outs: []*Node{t}}), nil
}

// unused is a variable that occurs nowhere: no program can have its name, and it is newer than all
// nodes, so that reading back looks at what is built of it alone.
func unused(s *combinators.Store, sp combinators.Space) *Node {
	return s.Var(fmt.Sprintf("#%d", s.Len()), sp.Shape())
}

// argument is the position of x among the operands of n: k, unless the operands were sorted.
func argument(n *Node, k int, x *Node) int {
	if n.Arg(k) != x {
		for i, a := range n.Args() {
			if a == x {
				return i
			}
		}
	}
	return k
}

// swap is the native step of A-contraction.
func swap(s *combinators.Store, args []denote.Argument) (m combinators.Map, err error) {
	l, ok := args[0].Map.Linear()
	if !ok {
		return m, &Error{"swap of a map that is not linear"}
	}
	return s.Swap(l).Map, nil
}

// rowTranspose is the native step of A-atom.
func rowTranspose(s *combinators.Store, args []denote.Argument) (m combinators.Map, err error) {
	defer Recover(&err)
	p := args[0].Map
	dx := unused(s, p.Dom())
	y, err := s.ApplyMap(p, s.Value(dx))
	if err != nil {
		return m, err
	}
	w := unused(s, p.Cod())
	var t *Node
	if y.Node().Body() != nil {
		t = bodies.adjoint(y.Node(), w)
	} else if t, err = adjointColumn(y.Node(), p.Holes()[0], w); err != nil {
		return m, err
	}
	return combinators.Readback(&combinators.Block{Store: s, Params: []*Node{w}, Outs: []*Node{t}}), nil
}

// lift is the native step of C-copower-leaf.
func lift(s *combinators.Store, args []denote.Argument) (m combinators.Map, err error) {
	f := args[0].Map
	m, ok := s.Lift(f.Maps()[0], f.Power())
	if !ok {
		return m, &Error{"a map with parts is lifted part by part"}
	}
	return m, nil
}

// share is the native step of C-share: the longest composition with which all parts begin is done
// once, before them. Compositions associate to the right, so it is a tail of every chain, and since
// maps are hash-consed, the tails are compared by identity; the newer of two that differ is in no
// tail of the older.
func share(s *combinators.Store, args []denote.Argument) (combinators.Map, error) {
	m := args[0].Map
	common := m.Maps()[0]
	for _, f := range m.Maps()[1:] {
		for f != common {
			newer := &f
			if common.ID() > f.ID() {
				newer = &common
			}
			if newer.Op() != combinators.MapCompose {
				return m, nil
			}
			*newer = newer.Maps()[1]
		}
	}
	if common.Leaf() && common.Op() != combinators.MapAtom && common.Op() != combinators.MapEin {
		return m, nil // a projection or a constant is nothing to do
	}
	parts := make([]combinators.Map, len(m.Maps()))
	for k, f := range m.Maps() {
		var chain []combinators.Map
		for f != common {
			chain, f = append(chain, f.Maps()[0]), f.Maps()[1]
		}
		if len(chain) == 0 {
			parts[k] = s.ID(common.Cod()).Map
			continue
		}
		parts[k] = chain[len(chain)-1]
		for i := len(chain) - 2; i >= 0; i-- {
			parts[k] = s.Compose(chain[i], parts[k])
		}
	}
	return s.Compose(m.With(parts), common), nil
}
