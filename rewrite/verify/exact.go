package verify

import (
	"fmt"
	"math/big"

	"frechet/combinators"
	"frechet/einsum"
)

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

func orElse(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// exact reports whether both sides are single contractions of the same values with equal canonical
// forms, for symbols as sizes and every order of spaces and batch axes tried. That is a proof for
// all sizes; different forms prove nothing.
func (g *signature) exact() bool {
	if len(g.numbers) > 0 {
		return false // shown for the numbers tried alone
	}
	for _, o := range g.orders() {
		in, err := g.instantiate(g.symbolic(o[0], o[1]), nil)
		if err != nil {
			continue
		}
		l, ok := flatten(in.left)
		if !ok {
			return false
		}
		r, ok := flatten(in.right)
		if !ok || l != r {
			return false
		}
	}
	return true
}

// flatten fuses a tree of contractions of variables and constants into one, and gives its canonical
// form as text.
func flatten(root *combinators.Node) (key string, ok bool) {
	s := root.Store()
	memo := map[*combinators.Node]*combinators.Node{}
	for _, n := range combinators.Topo(root) {
		m := n
		switch n.Atom().Class {
		case combinators.ClassVariable, combinators.ClassConstant:
		case combinators.ClassContraction:
			c, args := n.Ein(), append([]*combinators.Node{}, n.Args()...)
			for k := 0; k < len(args); {
				inner := memo[args[k]]
				if inner == nil || inner.Ein() == nil {
					k++
					continue
				}
				c = c.Fuse(k, inner.Ein())
				rest := append([]*combinators.Node{}, args[k+1:]...)
				args = append(append(args[:k], inner.Args()...), rest...)
				if len(args) > 16 {
					return "", false
				}
			}
			m = s.Ein(c.Solve(), args...)
		default:
			return "", false
		}
		memo[n] = m
	}
	n := memo[root]
	if n.Ein() == nil {
		return fmt.Sprint("node ", n.ID()), true
	}
	c, args, factor := numbers(n)
	labels := make([]int, len(args))
	for i, a := range args {
		labels[i] = a.ID()
	}
	canon, order := c.Canon(labels)
	names := make([]int, len(order))
	for i, k := range order {
		names[i] = labels[k]
	}
	return fmt.Sprint(factor, canon.Key(), names), true
}

// numbers takes the constant operands out of a contraction, as one factor.
func numbers(n *combinators.Node) (*einsum.Contraction, []*combinators.Node, string) {
	c := n.Ein()
	factor := big.NewRat(1, 1)
	var in []einsum.Access
	var args []*combinators.Node
	for k, a := range n.Args() {
		if a.Is("const") {
			factor.Mul(factor, a.Rat())
			continue
		}
		in, args = append(in, c.In[k]), append(args, a)
	}
	if len(args) == len(n.Args()) {
		return c, args, "1"
	}
	rest, err := einsum.New(c.Vars, in, c.Out, c.Eq, c.Ge)
	if err != nil {
		return c, n.Args(), "" // the operands that are left have their index maps
	}
	return rest, args, factor.RatString()
}
