package verify

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/gather"
	"frechet/einsum/size"
	"frechet/internal/lists"
	closed "frechet/rewrite/verify/maps"
)

// exact reports whether both sides are sums of contractions of the same values with equal canonical
// forms, for symbols as sizes and every order of spaces and batch axes tried. That is a proof for
// all sizes; different forms prove nothing. It is one for all orders, too: axes that always stand together, as those of "..."
// do, may be merged into one.
func (g *signature) exact() bool {
	if len(g.numbers) > 0 && len(g.rule.When) > 0 {
		return false // shown for the numbers tried alone
	}
	scalars := *g // numbers are values, where they are factors and addends
	scalars.numbers, scalars.values = nil, slices.Clone(g.values)
	for _, v := range g.numbers {
		scalars.values = append(scalars.values, text.Var{Name: v.Name, Type: &text.Type{Cod: &text.Space{Bracket: true}}})
	}
	compared := false
	for _, o := range g.orders() {
		in, err := scalars.instantiate(g.symbolic(o[0], o[1]), nil)
		if err != nil && len(g.numbers) > 0 {
			return false
		}
		if err != nil {
			continue
		}
		compared = true
		l, ok := polynomial(in.left)
		if !ok {
			return false
		}
		r, ok := polynomial(in.right)
		if !ok || !maps.EqualFunc(l, r, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) {
			return false
		}
	}
	return compared
}

// maxProducts bounds the products that a side is multiplied out to.
const maxProducts = 64

// polynomial is a sum of contractions of variables: the factor of each, by its canonical form. Contractions over nothing, whatever
// the sizes are, are left out.
func polynomial(root *combinators.Node) (map[string]*big.Rat, bool) {
	s := root.Store()
	products := map[*combinators.Node][]*combinators.Node{}
	for _, n := range combinators.Topo(root) {
		switch {
		case len(n.Args()) == 0:
			products[n] = []*combinators.Node{n}
		case n.Is(atom.Add):
			products[n] = slices.Concat(products[n.Arg(0)], products[n.Arg(1)])
		case n.Ein() != nil:
			all := [][]*combinators.Node{nil}
			for _, a := range n.Args() {
				var next [][]*combinators.Node
				for _, args := range all {
					next = lists.Append(next, products[a], func(p *combinators.Node) []*combinators.Node { return append(slices.Clip(args), p) })
				}
				if all = next; len(all) > maxProducts {
					return nil, false
				}
			}
			for _, args := range all {
				products[n] = append(products[n], s.Ein(n.Ein(), args...))
			}
		default:
			return nil, false
		}
		if len(products[n]) > maxProducts {
			return nil, false
		}
	}
	out := map[string]*big.Rat{}
	for _, p := range products[root] {
		factor, key, ok := flatten(p)
		if !ok {
			return nil, false
		}
		if factor.Sign() == 0 {
			continue
		}
		if out[key] == nil {
			out[key] = new(big.Rat)
		}
		if out[key].Add(out[key], factor); out[key].Sign() == 0 {
			delete(out, key)
		}
	}
	return out, true
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

// flatten is fuse, and its factor and the canonical form of the rest as text; the factor of a contraction over nothing is 0.
func flatten(root *combinators.Node) (factor *big.Rat, key string, ok bool) {
	n, ok := fuse(root, false)
	if !ok {
		return nil, "", false
	}
	if c := n.Ein(); c != nil {
		if c, ok = lean(indexed(c)); !ok {
			return new(big.Rat), "", true
		}
		n = n.Store().Ein(c.Solve(), n.Args()...)
	}
	switch {
	case n.Is(atom.Const):
		return n.Rat(), "1", true
	case n.Ein() == nil:
		return big.NewRat(1, 1), fmt.Sprint("node ", n.ID()), true
	}
	c, args, factor := numbers(n)
	if factor == nil {
		return nil, "", false
	}
	labels := lists.Map(args, func(a *combinators.Node) int { return a.ID() })
	canon, order := c.Canon(labels)
	names := lists.Map(order, func(k int) int { return labels[k] })
	return factor, fmt.Sprint(canon.Key(), names), true
}

// indexed is c with the indices of its axes for variables, where these are a variable or its opposite and an offset: first those of
// the result, then those of operands. So x[i + 1] for i < n - 1 is x[j] for 1 <= j < n.
func indexed(c *einsum.Contraction) *einsum.Contraction {
	out := &einsum.Contraction{Vars: slices.Clone(c.Vars), In: slices.Clone(c.In), Out: c.Out, Eq: slices.Clone(c.Eq), Ge: slices.Clone(c.Ge)}
	done := map[int]bool{}
	for k := -1; k < len(out.In); k++ {
		for axis := range at(out, k).Index {
			form := at(out, k).Index[axis]
			if len(form.Terms) != 1 || done[form.Terms[0].Var] || form.Terms[0].Coef*form.Terms[0].Coef != 1 {
				continue
			}
			v, sign := form.Terms[0].Var, form.Terms[0].Coef
			done[v] = true
			if sign == 1 && form.Off == (size.Size{}) && out.Vars[v] == at(out, k).Shape[axis] {
				continue
			}
			old := einsum.Affine{}.Plus(sign, einsum.Variable(v)).Plus(-sign, einsum.Affine{Off: form.Off})
			bounds := gather.Bounds(old, out.Vars[v])
			substitute := func(forms []einsum.Affine) []einsum.Affine {
				forms = slices.Clone(forms)
				for i, f := range forms {
					for _, t := range f.Terms {
						if t.Var == v {
							forms[i] = f.Plus(-t.Coef, einsum.Variable(v)).Plus(t.Coef, old)
						}
					}
				}
				return forms
			}
			out.Vars[v] = at(out, k).Shape[axis]
			out.Out.Index, out.Eq, out.Ge = substitute(out.Out.Index), substitute(out.Eq), append(substitute(out.Ge), bounds...)
			for i := range out.In {
				out.In[i].Index = substitute(out.In[i].Index)
			}
		}
	}
	return out
}

// at is the access of operand k, or of the result for k = -1.
func at(c *einsum.Contraction, k int) einsum.Access {
	if k < 0 {
		return c.Out
	}
	return c.In[k]
}

// lean is c without the conditions that follow from the others, whatever the sizes are; ok is false where c is over nothing.
func lean(c *einsum.Contraction) (out *einsum.Contraction, ok bool) {
	var inside []einsum.Affine
	for v, d := range c.Vars {
		inside = append(inside, gather.Bounds(einsum.Variable(v), d)...)
	}
	for _, e := range c.Eq {
		inside = append(inside, e, einsum.Affine{}.Plus(-1, e))
	}
	if gather.Empty(len(c.Vars), slices.Concat(inside, c.Ge)) {
		return nil, false
	}
	ge := slices.Clone(c.Ge)
	for i := 0; i < len(ge); {
		below := einsum.Affine{Off: size.Const(-1)}.Plus(-1, ge[i])
		if rest := slices.Delete(slices.Clone(ge), i, i+1); gather.Empty(len(c.Vars), append(slices.Concat(inside, rest), below)) {
			ge = rest
		} else {
			i++
		}
	}
	out, err := einsum.New(c.Vars, c.In, c.Out, c.Eq, ge)
	if err != nil {
		return c, true
	}
	return out, true
}

// oneContraction reports whether both sides of a rule on maps of tensors are one contraction of their
// argument, with equal canonical forms: a proof for all sizes. The adjoint of a contraction has the
// index maps of its argument and of its result exchanged.
func oneContraction(t *closed.Rule, r *text.Rule) bool {
	dom, ok := closed.Symbols(t.Left.Dom)
	cod, okCod := closed.Symbols(t.Left.Cod)
	if !ok || !okCod {
		return false
	}
	s := combinators.NewStore()
	env, ok := t.Env(s, closed.Symbols, func(d *closed.Dim) size.Size { return size.Sym(d.Name) })
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
		factor, key, ok := flatten(n)
		return fmt.Sprint(factor, key), ok
	}
	left, ok := side(r.Left)
	if !ok {
		return false
	}
	right, ok := side(r.Right)
	return ok && left == right
}

// numbers takes the constant operands out of a contraction, as one factor; nil where the operands that are left do not have
// its index maps.
func numbers(n *combinators.Node) (*einsum.Contraction, []*combinators.Node, *big.Rat) {
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
		return c, args, factor
	}
	rest, err := einsum.New(c.Vars, in, c.Out, c.Eq, c.Ge)
	if err != nil {
		return c, n.Args(), nil
	}
	return rest, args, factor
}
