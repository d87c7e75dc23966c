package adjoint

import (
	"fmt"
	"math/big"
	"sync"

	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
)

// The calculus columns of the atoms, compiled once.
var columns = sync.OnceValue(func() map[*atom.Row]*compiled {
	out := map[*atom.Row]*compiled{}
	for _, at := range atom.Rows() {
		c := &compiled{}
		for _, src := range at.Deriv {
			c.deriv = append(c.deriv, compile(at, src))
		}
		for _, src := range at.Adjoint {
			c.adjoint = append(c.adjoint, compile(at, src))
		}
		out[at] = c
	}
	return out
})

type compiled struct{ deriv, adjoint []*text.Term }

func compile(at *atom.Row, src string) *text.Term {
	if src == "" {
		return nil
	}
	t, err := text.Parse(src)
	if err != nil {
		panic(fmt.Sprintf("row %s: %v", at.Name, err))
	}
	return t
}

// column is the derivative of n in argument k: the factor f'(x) for an element-wise
// atom, the differential at the tangent dk for another; nil is zero.
func column(n *Node, k int, dk *Node) (*Node, error) {
	c := columns()[n.Atom()]
	if c == nil || k >= len(c.deriv) || c.deriv[k] == nil {
		return nil, &Error{fmt.Sprintf("%s has no derivative in argument %d", n.Atom().Name, k+1)}
	}
	t := c.deriv[k]
	if t.Op == text.Num && t.Rat.Sign() == 0 {
		return nil, nil
	}
	env := environment(n)
	if dk != nil {
		env.Values = append(env.Values, denote.Binding{Name: []string{"dx", "dy"}[k], Value: dk})
	}
	return build(n, t, env)
}

// adjointColumn is the adjoint in argument k of an atom that is linear there, at w; nil
// where the row has none.
func adjointColumn(n *Node, k int, w *Node) (*Node, error) {
	c := columns()[n.Atom()]
	if c == nil || k >= len(c.adjoint) || c.adjoint[k] == nil {
		return nil, nil
	}
	env := environment(n)
	env.Values = append(env.Values, denote.Binding{Name: "w", Value: w})
	return build(n, c.adjoint[k], env)
}

var zero = new(big.Rat)

func environment(n *Node) *denote.Env {
	room := new(struct {
		env     denote.Env
		values  [4]denote.Binding
		numbers [2]denote.Number
	})
	env := &room.env
	env.Batch, env.Values, env.Numbers = n.BatchAxes(), room.values[:0], room.numbers[:0]
	for i, a := range n.Args() {
		env.Values = append(env.Values, denote.Binding{Name: []string{"x", "y"}[i], Value: a})
	}
	if n.Atom().Class == atom.ClassPrimitive {
		env.Values = append(env.Values, denote.Binding{Name: "one", Value: n.Store().Ones(n.Arg(0).Shape())})
	}
	k := zero
	if n.Attr() != 0 {
		k = big.NewRat(int64(n.Attr()), 1)
	}
	env.Numbers = append(env.Numbers, denote.Number{Name: "k", Value: k})
	if n.Rat() != nil {
		env.Numbers = append(env.Numbers, denote.Number{Name: "r", Value: n.Rat()})
	}
	return env
}

func build(n *Node, t *text.Term, env *denote.Env) (*Node, error) {
	f, err := denote.Build(n.Store(), t, env)
	if err != nil {
		panic(fmt.Sprintf("row %s: %v", n.Atom().Name, err))
	}
	if n.Atom().Class == atom.ClassElementwise && f.Order() != n.Order() {
		f = n.Store().Broadcast(f, n.Shape())
	}
	return f, nil
}
