package verify

import (
	"fmt"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/rewrite/verify/maps"
)

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

// fuse makes a tree of contractions of variables and constants one; functions are taken as they are where opaque says so.
func fuse(root *combinators.Node, opaque bool) (n *combinators.Node, ok bool) {
	s := root.Store()
	memo := map[*combinators.Node]*combinators.Node{}
	for _, n := range combinators.Topo(root) {
		m := n
		switch n.Atom().Class {
		case atom.ClassVariable, atom.ClassConstant:
		case atom.ClassContraction:
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
					return nil, false
				}
			}
			m = s.Ein(c.Solve(), args...)
		default:
			if !opaque {
				return nil, false
			}
		}
		memo[n] = m
	}
	return memo[root], true
}

// flatten is fuse, and the canonical form of that as text.
func flatten(root *combinators.Node) (key string, ok bool) {
	n, ok := fuse(root, false)
	if !ok {
		return "", false
	}
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

// oneContraction reports whether both sides of a rule on maps of tensors are one contraction of their
// argument, with equal canonical forms: a proof for all sizes. The adjoint of a contraction has the
// index maps of its argument and of its result exchanged.
func oneContraction(t *maps.Rule, r *text.Rule) bool {
	dom, ok := maps.Symbols(t.Left.Dom)
	cod, okCod := maps.Symbols(t.Left.Cod)
	if !ok || !okCod {
		return false
	}
	s := combinators.NewStore()
	env, ok := t.Env(s, maps.Symbols, func(d *maps.Dim) size.Size { return size.Sym(d.Name) })
	if !ok {
		return false
	}
	x := s.Var("#", dom)
	side := func(term *text.Term) (string, bool) {
		from, to, arg := dom, cod, x
		adjoint := term.Op == text.Call && term.Name == "adjoint"
		if adjoint {
			term, from, to = term.Args[0], cod, dom
			arg = s.Var("#*", cod)
		}
		u, w := combinators.TensorSpace(from), combinators.TensorSpace(to)
		m, err := denote.ReadMap(s, term, &u, &w, env)
		if err != nil {
			return "", false
		}
		y, err := s.ApplyMap(m, s.Value(arg))
		if err != nil {
			return "", false
		}
		n, ok := fuse(y.Node(), false)
		if !ok {
			return "", false
		}
		if adjoint {
			k := slices.Index(n.Args(), arg)
			if n.Ein() == nil || k < 0 {
				return "", false
			}
			args := slices.Clone(n.Args())
			args[k] = x
			n = s.Ein(n.Ein().Swap(k), args...)
		}
		return flatten(n)
	}
	left, ok := side(r.Left)
	if !ok {
		return false
	}
	right, ok := side(r.Right)
	return ok && left == right
}

// numbers takes the constant operands out of a contraction, as one factor.
func numbers(n *combinators.Node) (*einsum.Contraction, []*combinators.Node, string) {
	c := n.Ein()
	factor := big.NewRat(1, 1)
	var in []einsum.Access
	var args []*combinators.Node
	for k, a := range n.Args() {
		if a.Is(atom.Const) {
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
