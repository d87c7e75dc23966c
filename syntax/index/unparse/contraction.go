package unparse

import (
	"fmt"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/gather"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax/index"
)

// A gathering is a contraction in gather form as it is written: the sums that are open, and the forms over the output's indices
// and the loops' that stand for those of the gather form.
type gathering struct {
	*scope
	args       []*Node
	to         []einsum.Affine
	equal      []einsum.Affine // forms that conditions make 0
	conditions []*index.Expr
	loops      []loop
}

func (g *gathering) form(a einsum.Affine) einsum.Affine { return substitute(a, g.to) }

// require writes the conditions that are not known to hold.
func (g *gathering) require(f *gather.Form) {
	for _, z := range f.Zero {
		if a := g.form(z); !g.knownZero(a) {
			g.conditions = append(g.conditions, g.equation(a))
			g.eq = append(g.eq, a)
			g.equal = append(g.equal, a)
		}
	}
	for _, z := range f.AtLeast {
		if a := g.form(z); !g.known(a) {
			g.conditions = append(g.conditions, g.inequality(a))
			g.ge = append(g.ge, a)
		}
	}
}

// open opens a sum between bounds; its index is the result, or the one point where there is but one.
func (g *gathering) open(lower, upper []gather.Quotient) einsum.Affine {
	lower, upper = g.tightest(lower, g.form, true), g.tightest(upper, g.form, false)
	l := loop{lo: g.bound(lower, g.form, true), hi: g.bound(upper, g.form, false)}
	if len(lower) == 1 && len(upper) == 1 && lower[0].Den == 1 && upper[0].Den == 1 {
		first := g.form(lower[0].Num)
		n := g.form(upper[0].Num).Plus(-1, first)
		if len(n.Terms) == 0 && n.Off == (size.Size{}) {
			return first
		}
		l.points = einsum.Affine{Terms: n.Terms, Off: n.Off.Add(size.Const(1))}
		l.counted = g.known(l.points) && (g.known(n) || finite(g.args))
	}
	v := g.bind(size.Size{})
	z := einsum.Variable(v)
	for _, q := range lower {
		g.ge = append(g.ge, einsum.Affine{}.Plus(q.Den, z).Plus(-1, g.form(q.Num)))
	}
	for _, q := range upper {
		g.ge = append(g.ge, g.form(q.Num).Plus(-q.Den, z))
	}
	l.name = g.names[v]
	g.loops = append(g.loops, l)
	return z
}

// factors are the operands of n, a contraction c, where its variables are vars.
func (g *gathering) factors(n *Node, c *einsum.Contraction, vars []einsum.Affine) *factors {
	p := &factors{}
	written := make([]*index.Expr, len(n.Args()))
	for k, a := range n.Args() {
		if a.Is(atom.Const) {
			p.number(a.Rat())
			continue
		}
		if j := repeated(n, k); j >= 0 && written[j] != nil {
			p.times(written[j])
			continue
		}
		i := lists.Map(c.In[k].Index, func(x einsum.Affine) einsum.Affine { return substitute(x, vars) })
		if a.Is(atom.Power) && a.Rat().Sign() < 0 && g.w.lets[a] == "" {
			p.below = append(p.below, power(g.element(a.Arg(0), i), new(big.Rat).Neg(a.Rat())))
			continue
		}
		written[k] = g.element(a, i)
		p.times(written[k])
	}
	return p
}

// summed is x below the sums. A sum of equal terms is their number, times one of them.
func (g *gathering) summed(x *index.Expr) *index.Expr {
	for _, l := range slices.Backward(g.loops) {
		if !l.counted || index.Mentions(x, l.name) {
			x = index.SumOver(l.name, l.lo, l.hi, x)
			continue
		}
		q := factors{}
		q.times(g.expr(l.points))
		q.times(x)
		x = q.expr()
	}
	return x
}

// contraction writes a contraction in gather form, its output indices being at.
func (s *scope) contraction(n *Node, at []einsum.Affine) *index.Expr {
	c, repeats := withoutFree(n.Ein())
	f, err := gather.Of(c)
	if err != nil {
		panic(noForm{fmt.Errorf("index notation: %v", err)})
	}
	if f.Empty {
		return index.Int(0)
	}
	defer s.release(len(s.names), len(s.eq), len(s.ge))
	g := &gathering{scope: s, args: n.Args(), to: slices.Clone(at)}
	g.require(f)
	for _, l := range f.Loops {
		g.to = append(g.to, g.open(l.Lower, l.Upper))
	}
	vars := make([]einsum.Affine, len(c.Vars))
	for v, q := range f.Vars {
		if q.Den == 1 {
			vars[v] = earlier(g.form(q.Num), g.equal)
			continue
		}
		vars[v] = g.open([]gather.Quotient{q}, []gather.Quotient{q})
	}
	p := g.factors(n, c, vars)
	// The number and its sign stand outside of the sums.
	q := factors{above: g.conditions}
	if len(g.loops) > 0 {
		q.coef, p.coef = p.coef, nil
	}
	x := g.summed(p.expr())
	if len(g.loops) == 0 && len(g.conditions) == 0 && repeats == size.Const(1) {
		return x
	}
	if repeats != size.Const(1) {
		q.above = append(q.above, sizeExpr(repeats))
	}
	q.times(x)
	return q.expr()
}

// earlier writes a form in the indices that stand first, where equal forms are 0: s[i] for s[j - 1] where
// j = i + 1.
func earlier(a einsum.Affine, equal []einsum.Affine) einsum.Affine {
	for _, e := range equal {
		if len(e.Terms) == 0 {
			continue
		}
		last := e.Terms[0]
		for _, t := range e.Terms {
			if t.Var > last.Var {
				last = t
			}
		}
		if last.Coef != 1 && last.Coef != -1 {
			continue
		}
		for _, t := range a.Terms {
			if t.Var == last.Var {
				a = a.Plus(-t.Coef*last.Coef, e)
				break
			}
		}
	}
	return a
}

// finite reports whether no function in values is without a finite value somewhere, or it has a guard: 0 times such
// a value is 0.
func finite(values []*Node) bool {
	return !slices.ContainsFunc(combinators.Topo(values...), func(a *Node) bool {
		return a.Guard() == combinators.GuardNone && (a.Overflows() || a.Is(atom.Power) && !a.Rat().IsInt() || !a.Is(atom.Power) && !a.Atom().Defined(atom.Signs{}))
	})
}

// A loop is a sum in the making. Where it is counted, it has so many points, never fewer than none, and at least one
// where the terms may have no value.
type loop struct {
	name    string
	lo, hi  *index.Expr
	points  einsum.Affine
	counted bool
}

// withoutFree drops the variables that nothing uses; the result is repeated that often.
func withoutFree(c *einsum.Contraction) (*einsum.Contraction, size.Size) {
	used := make([]bool, len(c.Vars))
	see := func(as []einsum.Affine) {
		for _, a := range as {
			for _, t := range a.Terms {
				used[t.Var] = true
			}
		}
	}
	for _, acc := range append(slices.Clone(c.In), c.Out) {
		see(acc.Index)
	}
	see(c.Eq)
	see(c.Ge)
	repeats := size.Const(1)
	if !slices.Contains(used, false) {
		return c, repeats
	}
	var vars []size.Size
	to := make([]einsum.Affine, len(c.Vars))
	for v, d := range c.Vars {
		if !used[v] {
			repeats = repeats.Mul(d)
			continue
		}
		to[v] = einsum.Variable(len(vars))
		vars = append(vars, d)
	}
	all := func(as []einsum.Affine) []einsum.Affine {
		return lists.Map(as, func(a einsum.Affine) einsum.Affine { return substitute(a, to) })
	}
	in := lists.Map(c.In, func(acc einsum.Access) einsum.Access { return einsum.Access{Shape: acc.Shape, Index: all(acc.Index)} })
	d, err := einsum.New(vars, in, einsum.Access{Shape: c.Out.Shape, Index: all(c.Out.Index)}, all(c.Eq), all(c.Ge))
	if err != nil {
		panic(err) // the variables are those of c
	}
	return d, repeats
}

// substitute puts forms for the variables of a.
func substitute(a einsum.Affine, to []einsum.Affine) einsum.Affine {
	out := einsum.Affine{Off: a.Off}
	for _, t := range a.Terms {
		out = out.Plus(t.Coef, to[t.Var])
	}
	return out
}

// bound writes a bound of a sum, whose quotients are the tightest: the largest of lower quotients rounded up, the least of
// upper ones rounded down.
func (s *scope) bound(qs []gather.Quotient, form func(einsum.Affine) einsum.Affine, lower bool) *index.Expr {
	round, choose := atom.Floor.Name, atom.Min.Name
	if lower {
		round, choose = atom.Ceil.Name, atom.Max.Name
	}
	var parts []*index.Expr
	for _, q := range qs {
		x := s.expr(form(q.Num))
		if q.Den > 1 {
			x = index.Fn(round, index.Chain('/', x, index.Int(q.Den)))
		}
		if !slices.ContainsFunc(parts, func(y *index.Expr) bool { return index.Equal(x, y) }) {
			parts = append(parts, x)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return index.Fn(choose, parts...)
}

// tightest drops the quotients of a bound that others imply, as far as it is known.
func (s *scope) tightest(qs []gather.Quotient, form func(einsum.Affine) einsum.Affine, lower bool) []gather.Quotient {
	qs = slices.Clone(qs)
	for i := 0; i < len(qs) && len(qs) > 1; {
		implied := false
		for j, r := range qs {
			if j == i {
				continue
			}
			// num_i/den_i - num_r/den_r, times both
			d := einsum.Affine{}.Plus(r.Den, form(qs[i].Num)).Plus(-qs[i].Den, form(r.Num))
			if lower {
				d = einsum.Affine{}.Plus(-1, d)
			}
			if implied = s.known(d); implied {
				break
			}
		}
		if implied {
			qs = slices.Delete(qs, i, i+1)
		} else {
			i++
		}
	}
	return qs
}

// expr writes a form, a positive term first.
func (s *scope) expr(a einsum.Affine) *index.Expr {
	var x *index.Expr
	put := func(t *index.Expr, negative bool) {
		switch {
		case x == nil && negative:
			x = index.Minus(t)
		case x == nil:
			x = t
		case negative:
			x = index.Chain('-', x, t)
		default:
			x = index.Chain('+', x, t)
		}
	}
	for _, negative := range []bool{false, true} {
		for _, t := range a.Terms {
			if t.Coef < 0 != negative {
				continue
			}
			c := max(t.Coef, -t.Coef)
			name := index.Ident(s.names[t.Var])
			if c != 1 {
				name = index.Chain('*', index.Int(c), name)
			}
			put(name, negative)
		}
		for _, m := range a.Off.Monomials() {
			if m.Coef.Sign() < 0 == negative && m.Coef.Sign() != 0 {
				put(monomialExpr(m), negative)
			}
		}
	}
	if x == nil {
		return index.Int(0)
	}
	return x
}

// sides writes a form as the difference of two forms of positive terms.
func (s *scope) sides(a einsum.Affine) (plus, minus *index.Expr) {
	var p, m einsum.Affine
	for _, t := range a.Terms {
		if t.Coef > 0 {
			p.Terms = append(p.Terms, t)
		} else {
			m.Terms = append(m.Terms, einsum.Term{Var: t.Var, Coef: -t.Coef})
		}
	}
	for _, t := range a.Off.Monomials() {
		d := size.Const(1)
		for _, name := range t.Symbols {
			d = d.Mul(size.Sym(name))
		}
		c := new(big.Int).Abs(t.Coef)
		d = d.Mul(size.Const(c.Int64()))
		if t.Coef.Sign() > 0 {
			p.Off = p.Off.Add(d)
		} else {
			m.Off = m.Off.Add(d)
		}
	}
	return s.expr(p), s.expr(m)
}

func (s *scope) equation(a einsum.Affine) *index.Expr {
	p, m := s.sides(a)
	return index.Holds(p, "=", m)
}

// inequality is a >= 0; i + 1 <= j is i < j.
func (s *scope) inequality(a einsum.Affine) *index.Expr {
	strict := a
	strict.Off = a.Off.Add(size.Const(1))
	if p, m := s.sides(strict); s.isStrict(a, strict) {
		return index.Holds(m, "<", p)
	}
	p, m := s.sides(a)
	return index.Holds(m, "<=", p)
}

// isStrict reports whether a >= 0 reads better as strict > 0, where strict is a + 1: whether a constant goes, and
// something is left on either side.
func (s *scope) isStrict(a, strict einsum.Affine) bool {
	constant := func(d size.Size) bool {
		return slices.ContainsFunc(d.Monomials(), func(m size.Monomial) bool { return len(m.Symbols) == 0 && m.Coef.Sign() != 0 })
	}
	positive, negative := false, false
	for _, t := range strict.Terms {
		positive, negative = positive || t.Coef > 0, negative || t.Coef < 0
	}
	for _, m := range strict.Off.Monomials() {
		positive, negative = positive || m.Coef.Sign() > 0, negative || m.Coef.Sign() < 0
	}
	return positive && negative && constant(a.Off) && !constant(strict.Off)
}

func sizeExpr(d size.Size) *index.Expr { return (&scope{}).expr(einsum.Affine{Off: d}) }

func monomialExpr(m size.Monomial) *index.Expr {
	c := new(big.Rat).SetInt(new(big.Int).Abs(m.Coef))
	var x *index.Expr
	if len(m.Symbols) == 0 || c.Cmp(big.NewRat(1, 1)) != 0 {
		x = index.Number(c)
	}
	for _, name := range m.Symbols {
		if x == nil {
			x = index.Ident(name)
		} else {
			x = index.Chain('*', x, index.Ident(name))
		}
	}
	return x
}
