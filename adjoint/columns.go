package adjoint

import (
	"fmt"
	"math/big"
	"sync"

	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
)

// columns are the calculus columns of the atoms, a *compiled for each *atom.Row, compiled when they are first asked for.
var columns sync.Map

type compiled struct{ deriv, adjoint []*text.Term }

func newCompiled(at *atom.Row) *compiled {
	c := &compiled{}
	for _, src := range at.Deriv {
		c.deriv = append(c.deriv, compile(at, src))
	}
	for _, src := range at.Adjoint {
		c.adjoint = append(c.adjoint, compile(at, src))
	}
	return c
}

func compile(at *atom.Row, src string) *text.Term {
	if src == "" {
		return nil
	}
	t := text.MustParse(src)
	text.Resolve(t, at.Scope())
	return t
}

// columnsOf are the columns of a row; those of declared functions belong to their program.
func columnsOf(at *atom.Row) *compiled {
	if at.Signature() != nil {
		return newCompiled(at)
	}
	c, ok := columns.Load(at)
	if !ok {
		c, _ = columns.LoadOrStore(at, newCompiled(at))
	}
	return c.(*compiled)
}

// partial is the derivative of n in argument k by its row, applied to the tangent dk; nil is zero.
func partial(n *Node, k int, dk *Node) (*Node, error) {
	c := columnsOf(n.Atom())
	if c == nil || k >= len(c.deriv) || c.deriv[k] == nil {
		return nil, &Error{fmt.Sprintf("%s has no derivative in argument %d", n.Atom().Name, k+1)}
	}
	t := c.deriv[k]
	if t.Op == text.Num && t.Rat.Sign() == 0 {
		return nil, nil
	}
	env := environment(n)
	if n.Atom().Class == atom.ClassElementwise {
		f, err := build(n, t, env)
		if err != nil {
			return nil, err
		}
		return n.Store().Mul(f, dk), nil // D(f)(x)(dx) = f'(x) .* dx
	}
	env.Values = append(env.Values, denote.Binding{Name: atom.Tangent(k), Value: dk})
	return build(n, t, env)
}

// adjointColumn is the adjoint of n in argument k, in which it is linear, by its row, at w.
func adjointColumn(n *Node, k int, w *Node) (*Node, error) {
	c := columnsOf(n.Atom())
	if c == nil || k >= len(c.adjoint) || c.adjoint[k] == nil {
		return nil, &Error{fmt.Sprintf("%s has no adjoint in argument %d", n.Atom().Name, k+1)}
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
		env.Values = append(env.Values, denote.Binding{Name: atom.Operand(i), Value: a})
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
	if n.Is(atom.Merge) {
		merged := n.Arg(0).Shape()[n.Attr():]
		env.Sizes = []denote.SizeBinding{{Name: "m", Size: merged[0]}, {Name: "n", Size: merged[1]}}
	}
	for name, d := range n.TypeSizes() {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: name, Size: d})
	}
	return env
}

func build(n *Node, t *text.Term, env *denote.Env) (*Node, error) {
	f, err := denote.ReadNode(n.Store(), t, env)
	if err != nil && n.Atom().Over == atom.OverMatrices && len(n.Args()) > 2 {
		return nil, &Error{fmt.Sprintf("%s has no derivative by a direction with further axes: take it along matrices (--mode jvp, hvp)", n.Atom().Spoken())}
	}
	if err != nil {
		panic(fmt.Sprintf("row %s: %v", n.Atom().Name, err))
	}
	if n.Atom().Class == atom.ClassElementwise && f.Order() != n.Order() {
		f = n.Store().Broadcast(f, n.Shape())
	}
	return f, nil
}
