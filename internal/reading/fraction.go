package reading

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

// Factors below a fraction bar are powers with negative exponents. They do not meet what they cancel when a value is multiplied
// out; here they do, where the program says that they are not 0.

// divisor is d where a is 1/d; else nil.
func divisor(a *Node) *Node {
	if a.Is(atom.Power) && a.Rat().IsInt() && a.Rat().Num().IsInt64() && a.Rat().Num().Int64() == -1 {
		return a.Arg(0)
	}
	return nil
}

// reduced is m without factors that cancel, with x'(A + A')x/2 for x'Ax where the sum is kept.
func (f *factoring) reduced(m monomial) monomial {
	for i := 0; i < len(m.ops); i++ {
		d := divisor(m.ops[i])
		if d == nil {
			continue
		}
		j := slices.IndexFunc(m.ops, func(x *Node) bool { return x == d })
		for j >= 0 && !slices.Equal(m.in[j], m.in[i]) {
			k := slices.IndexFunc(m.ops[j+1:], func(x *Node) bool { return x == d })
			if j += 1 + k; k < 0 {
				j = -1
			}
		}
		if j < 0 || !f.facts.Nonzero(f.kept.back(d)) {
			continue
		}
		if rest := m.without([]int{i, j}); !slices.ContainsFunc(m.in[i], func(v int) bool { return !rest.has(v) && !slices.Contains(m.out, v) }) {
			m, i = rest, -1
		}
	}
	for i, a := range m.ops {
		v := f.kept.symmetric(a)
		if v == nil || m.in[i][0] == m.in[i][1] {
			continue
		}
		rest := m.without([]int{i})
		var ends []*Node
		for k, g := range rest.in {
			if slices.Equal(g, m.in[i][:1]) || slices.Equal(g, m.in[i][1:]) {
				ends = append(ends, rest.ops[k])
			} else if slices.Contains(g, m.in[i][0]) || slices.Contains(g, m.in[i][1]) {
				ends = append(ends, nil, nil, nil)
			}
		}
		if len(ends) == 2 && ends[0] == ends[1] && rest.has(m.in[i][0]) && rest.has(m.in[i][1]) &&
			!slices.Contains(m.out, m.in[i][0]) && !slices.Contains(m.out, m.in[i][1]) {
			m.ops = slices.Clone(m.ops)
			m.ops[i], m.coef = v, new(big.Rat).Mul(m.coef, big.NewRat(1, 2))
		}
	}
	return f.cleared(m)
}

// cleared is m with one fraction for two: 1/(c*(x/c + y)) is 1/(x + c*y).
func (f *factoring) cleared(m monomial) monomial {
	for i, a := range m.ops {
		d := divisor(a)
		if d == nil || f.nested {
			continue
		}
		for j, b := range m.ops {
			c := divisor(b)
			if c == nil || j == i || c.Order() > 0 {
				continue
			}
			f.nested = true
			terms, _ := f.monomials(f.kept.value(d))
			f.nested = false
			has := func(t monomial) bool { return slices.Contains(t.ops, b) }
			if len(terms) < 2 || !slices.ContainsFunc(terms, has) {
				continue
			}
			for k, t := range terms {
				t.ops, t.in = append(slices.Clip(t.ops), c), append(slices.Clip(t.in), nil)
				terms[k] = f.reduced(t)
			}
			if slices.ContainsFunc(terms, has) {
				continue
			}
			rest := m.without([]int{j})
			rest.ops = slices.Clone(rest.ops)
			rest.ops[slices.Index(rest.ops, a)] = f.store.Recip(f.plain(terms)).WithGuard(a.Guard())
			return f.cleared(rest)
		}
	}
	return m
}

// together are the terms with one fraction for some of them, where something cancels: u*d/(u + r) - y with what it takes to have y*(u + r)
// above the bar.
func (f *factoring) together(terms []monomial) (out [][]monomial) {
	var tried []*Node
	for _, t := range terms {
		for i, q := range t.ops {
			d := divisor(q)
			if d == nil || slices.Contains(tried, q) || slices.ContainsFunc(t.in[i], func(v int) bool { return !slices.Contains(t.out, v) }) {
				continue
			}
			tried = append(tried, q)
			below, _ := f.monomials(f.kept.value(d))
			if len(below) < 2 {
				continue
			}
			at := make([]int, len(t.in[i])) // places of its variables in the output
			for k, v := range t.in[i] {
				at[k] = slices.Index(t.out, v)
			}
			flat := !slices.ContainsFunc(below, func(b monomial) bool { return !einsum.Distinct(b.out) })
			if all := f.over(q, at, below, terms); flat && len(all) > 0 {
				out = append(out, all)
			}
		}
	}
	return out
}

// over are the terms over q, along the axes at; below is 1/q.
func (f *factoring) over(q *Node, at []int, below, terms []monomial) []monomial {
	var above, left, others, joined []monomial
	along := func(m monomial) []int {
		g := make([]int, len(at))
		for k, p := range at {
			g[k] = m.out[p]
		}
		return g
	}
	for _, t := range terms {
		k := slices.IndexFunc(t.ops, func(a *Node) bool { return a == q })
		for k >= 0 && !slices.Equal(t.in[k], along(t)) {
			next := slices.Index(t.ops[k+1:], q)
			if k += 1 + next; next < 0 {
				k = -1
			}
		}
		if k >= 0 {
			above = append(above, t.without([]int{k}))
		} else {
			left = append(left, t)
		}
	}
	for _, t := range left {
		var more []monomial
		meets := false
		for _, b := range below {
			m := f.reduced(t.times(b, along(t)))
			meets = meets || slices.ContainsFunc(above, func(a monomial) bool { return f.core(a) == f.core(m) })
			more = append(more, m)
		}
		if meets {
			joined = append(joined, more...)
		} else {
			others = append(others, t)
		}
	}
	most := len(terms) - len(others)
	above = f.alike(append(above, joined...))
	if len(others) == len(left) || len(above) > most {
		return nil
	}
	for i, m := range above {
		m.ops, m.in = append(slices.Clip(m.ops), q), append(slices.Clip(m.in), along(m))
		above[i] = m
	}
	return append(above, others...)
}

// core is m without its number. Cores that differ in the names of variables are one node.
func (f *factoring) core(m monomial) *Node {
	return f.build(monomial{big.NewRat(1, 1), m.ops, m.in, m.out, m.shape})
}

// alike are terms with those of one core as one, and without those that vanish.
func (f *factoring) alike(terms []monomial) (out []monomial) {
	at := map[*Node]int{}
	for _, m := range terms {
		n := f.core(m)
		if i, ok := at[n]; ok {
			out[i].coef = new(big.Rat).Add(out[i].coef, m.coef)
			continue
		}
		at[n] = len(out)
		out = append(out, m)
	}
	return slices.DeleteFunc(out, func(m monomial) bool { return m.coef.Sign() == 0 })
}

// times is m times b, whose axes are the variables g of m.
func (m monomial) times(b monomial, g []int) monomial {
	next := 0
	for _, h := range append(slices.Clip(m.in), m.out) {
		for _, v := range h {
			next = max(next, v+1)
		}
	}
	to := map[int]int{}
	for k, v := range b.out {
		to[v] = g[k]
	}
	p := monomial{new(big.Rat).Mul(m.coef, b.coef), slices.Concat(m.ops, b.ops), slices.Clone(m.in), m.out, m.shape}
	for _, h := range b.in {
		own := make([]int, len(h))
		for k, v := range h {
			if _, ok := to[v]; !ok {
				to[v] = next
				next++
			}
			own[k] = to[v]
		}
		p.in = append(p.in, own)
	}
	return p
}

// divisors are the reciprocals that are factors of a term of a sum in n, along all of its axes or none, the first few.
func divisors(n *Node) (out []*Node) {
	if n.Order() > 2 {
		return nil
	}
	for _, s := range combinators.Topo(n) {
		if !s.Is(atom.Add) {
			continue
		}
		for _, t := range s.Args() {
			for _, q := range append([]*Node{t}, t.Args()...) {
				if len(out) < maxDivisors && divisor(q) != nil && clears(q) && without(t, q) != nil && !slices.Contains(out, q) {
					out = append(out, q)
				}
			}
		}
	}
	return out
}

// clears reports whether sums are written over the fraction bar of n: it is the reciprocal of no sum, and of more than numbers and sizes.
func clears(n *Node) bool {
	return !divisor(n).Is(atom.Add) && slices.ContainsFunc(combinators.Topo(n), func(m *Node) bool { return m.Atom() == atom.Var })
}

// without is the term t without its factor q, nil where q is none along all axes of t or none.
func without(t, q *Node) *Node {
	if t == q {
		return t.Store().Ones(t.Shape())
	}
	if t.Ein() == nil {
		return nil
	}
	in, out, plain := t.Ein().IsPlain()
	k := slices.Index(t.Args(), q)
	if !plain || k < 0 || len(in[k]) > 0 && !(einsum.Distinct(out) && slices.Equal(in[k], out)) {
		return nil
	}
	return t.Store().Ein(einsum.Plain(slices.Delete(slices.Clone(in), k, k+1), out, t.Ein().Vars), slices.Delete(slices.Clone(t.Args()), k, k+1)...)
}

// over is n with its sums that have the factor q in a term over one fraction bar: 1 - x/y with q = 1/y is (y - x)/y.
func over(n, q *Node) *Node {
	s, d := n.Store(), divisor(q)
	times := func(a, b *Node) *Node {
		if a.Order() == 0 {
			return s.Scale(a, b)
		}
		return s.Mul(a, b)
	}
	return combinators.Rebuild([]*Node{n}, func(m *Node, args []*Node) *Node {
		if m = m.With(args); !m.Is(atom.Add) || q.Order() > 0 && !slices.Equal(q.Shape(), m.Shape()) {
			return m
		}
		a, b := without(m.Arg(0), q), without(m.Arg(1), q)
		switch {
		case a == nil && b == nil:
			return m
		case a == nil:
			a = times(d, m.Arg(0))
		case b == nil:
			b = times(d, m.Arg(1))
		}
		return times(q, s.Add(a, b))
	})[0]
}
