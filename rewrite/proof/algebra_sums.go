package proof

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// counted multiplies the number of points of a variable that nothing uses into the coefficient.
func (z *algebra) counted(m monomial) monomial {
	used := make([]bool, len(m.c.Vars))
	see := func(as []einsum.Affine) {
		for _, a := range as {
			for _, t := range a.Terms {
				used[t.Var] = true
			}
		}
	}
	for _, acc := range m.c.In {
		see(acc.Index)
	}
	see(m.c.Out.Index)
	see(m.c.Eq)
	see(m.c.Ge)
	vars := []size.Size{} // those that nothing uses come last
	dropped := false
	for v, d := range m.c.Vars {
		if d, ok := d.Int(); ok && !used[v] {
			m.coef = new(big.Rat).Mul(m.coef, big.NewRat(d, 1))
			dropped = true
			continue
		}
		vars = append(vars, d)
	}
	if dropped {
		c, err := einsum.New(vars, m.c.In, m.c.Out, m.c.Eq, m.c.Ge)
		if err != nil {
			panic(tooWide{})
		}
		m.c = c
	}
	return m
}

// collected counts like monomials; those of coefficient 0 go.
func (z *algebra) collected(ms []monomial) []monomial {
	if len(ms) < 2 {
		if len(ms) == 1 && ms[0].coef.Sign() == 0 && !divides(ms[0]) {
			z.vanish(ms[0])
			return nil
		}
		return ms
	}
	at := map[*Node]int{}
	var out []monomial
	for _, m := range ms {
		n := z.core(m)
		if i, ok := at[n]; ok {
			out[i].coef = new(big.Rat).Add(out[i].coef, m.coef)
			out[i].pays = z.joined(out[i].pays, m.pays, nil)
			continue
		}
		at[n] = len(out)
		out = append(out, m)
	}
	if len(out) > maxMonomials {
		panic(tooWide{})
	}
	return slices.DeleteFunc(out, func(m monomial) bool {
		gone := m.coef.Sign() == 0 && !divides(m)
		if gone {
			z.vanish(m)
		}
		return gone
	})
}

// divides reports whether a factor is a negative power of 0, which no number mends.
func divides(m monomial) bool {
	return slices.ContainsFunc(m.args, func(a *Node) bool {
		if !a.Is(atom.Power) || a.Rat().Sign() >= 0 || a.Guard() != combinators.GuardNone {
			return false
		}
		r, ok := fill(a.Arg(0))
		return ok && r.Sign() == 0
	})
}

// core is the monomial without its number, as a node.
func (z *algebra) core(m monomial) *Node {
	z.work.product(m.c)
	return z.first(z.needed(m.c), m.args)
}

// node is the sum of monomials in the order of their cores.
func (z *algebra) node(ms []monomial, shape []size.Size) *Node {
	type term struct {
		core *Node
		coef *big.Rat
	}
	var terms []term
	terms = lists.Append(terms, z.collected(ms), func(m monomial) term { return term{z.core(m), m.coef} })
	if len(terms) == 0 {
		return z.s.Zero(shape)
	}
	slices.SortFunc(terms, func(a, b term) int { return a.core.ID() - b.core.ID() })
	var sum *Node
	for _, t := range terms {
		n := t.core
		if t.coef.Cmp(big.NewRat(1, 1)) != 0 {
			// the number as an operand of the contraction itself
			c, args := n.Ein(), n.Args()
			if c == nil {
				all := einsum.UpTo(n.Order())
				c, args = einsum.Plain([][]int{all}, all, n.Shape()), []*Node{n}
			}
			d, err := einsum.New(c.Vars, append(slices.Clone(c.In), einsum.Access{}), c.Out, c.Eq, c.Ge)
			if err != nil {
				panic(tooWide{})
			}
			n = z.s.Ein(d, append(slices.Clone(args), z.s.Const(t.coef))...)
		}
		if sum == nil {
			sum = n
		} else {
			sum = z.s.Add(sum, n)
		}
	}
	return sum
}
