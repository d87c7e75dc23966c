package text

import (
	"frechet/combinators/atom"
	"frechet/internal/lists"
	"frechet/internal/words"
)

// From the flat lists of the grammar to terms: associativity is a loop. What is wrong ends the reading, see fail.

func (g *gTerm) term() *Term {
	if g.Let == nil {
		return g.Sum.term()
	}
	var names []string
	var bound []*Term
	for _, b := range g.Let.Bind {
		names, bound = append(names, b.Name), append(bound, b.Val.term())
	}
	t := NewLet(names, bound, g.Let.Body.term())
	t.Pos = place(g.Let.Pos)
	return t
}

func (g *gSum) term() *Term {
	t := g.Left.term()
	for _, r := range g.Rest {
		t = New(map[string]Op{"+": Add, "-": Sub}[r.Op], t, r.Right.term())
	}
	return t
}

// chain builds one term of all operands, or the only operand itself.
func chain[T interface{ term() *Term }](op Op, left T, rest []T) *Term {
	if len(rest) == 0 {
		return left.term()
	}
	args := []*Term{left.term()}
	args = lists.Append(args, rest, func(r T) *Term { return r.term() })
	return New(op, args...)
}

func (g *gPar) term() *Term  { return chain(Product, g.Left, g.Rest) }
func (g *gComp) term() *Term { return chain(Compose, g.Left, g.Rest) }

func (g *gMul) term() *Term {
	t := g.Left.term()
	for _, r := range g.Rest {
		u, pos := r.Right.term(), t.Pos
		switch {
		case r.Op == tensorMark:
			t = NewCall("tensor", t, u) // u (x) v is tensor(u, v)
		case r.Group != nil:
			x := r.Group.index()
			if len(x.In) != 2 {
				fail(place(r.Pos), "between two operands an index group has one comma before its arrow")
			}
			t = NewEin(x, t, u)
		default:
			t = New(map[string]Op{".*": Mul, "./": Div}[r.Op], t, u)
			continue
		}
		t.Pos = pos
	}
	return t
}

func (g *gNeg) term() *Term { return negate(g.Comp.term(), g.Minus) }

func (g *gPower) term() *Term {
	t := g.Base.term()
	if len(g.Rest) == 0 {
		return t
	}
	exps := lists.Map(g.Rest, func(r *gExp) *Term { return r.Post.term() })
	// a .^ -b .^ c = a .^ (-(b .^ c))
	e := exps[len(exps)-1]
	for i := len(exps) - 1; ; i-- {
		e = negate(e, g.Rest[i].Minus)
		if i == 0 {
			return New(Pow, t, e)
		}
		e = New(Pow, exps[i-1], e)
	}
}

func terms(gs []*gTerm) []*Term {
	return lists.Map(gs, func(g *gTerm) *Term { return g.term() })
}

func attrs(gs []*gASum) []*Term {
	var out []*Term
	out = lists.Append(out, gs, func(g *gASum) *Term { return g.term() })
	return out
}

func (g *gPost) term() *Term {
	t := g.Atom.term()
	for _, tail := range g.Tail {
		if tail.Power != nil {
			t = &Term{Op: Copower, Attrs: attrs(tail.Power), Args: []*Term{t}, Pos: t.Pos}
			continue
		}
		t = NewApply(t, terms(tail.Args.Terms)...)
	}
	return t
}

func (g *gAtom) term() *Term {
	t := g.bare()
	if t.Pos == (Pos{}) || g.Tuple == nil {
		t.Pos = place(g.Pos)
	}
	return t
}

// bare is one switch: a case for each form of the grammar.
func (g *gAtom) bare() *Term {
	switch {
	case g.Number != nil:
		n := number(*g.Number, g.Pos)
		n.Attrs = attrs(g.Shape)
		return n
	case g.Hole:
		return New(Hole)
	case g.Tensor:
		return NewName("tensor")
	case g.Group != nil:
		return NewEin(g.Group.index())
	case g.Ein != nil:
		x, args := g.Ein.Group.index(), terms(g.Ein.Args.Terms)
		if len(args) != len(x.In) {
			fail(place(g.Pos), "the index group has %s, %d are given", words.Count(len(x.In), "operand"), len(args))
		}
		return NewEin(x, args...)
	case g.Pair != nil:
		return New(Pair, terms(g.Pair)...)
	case g.Rows != nil:
		rows := make([]*Term, len(g.Rows))
		for i, r := range g.Rows {
			if rows[i] = New(Copair, terms(r.Cells)...); len(rows[i].Args) != len(rows[0].Args) {
				fail(rows[i].Pos, "the row %s has %s, the first one %d", rows[i], words.Count(len(rows[i].Args), "block"), len(rows[0].Args))
			}
		}
		if len(rows) == 1 {
			return rows[0]
		}
		return New(Blocks, rows...)
	case g.Lead != nil || g.Star:
		return g.contracted()
	case g.Type != nil:
		typ := g.Type.typ()
		if len(g.Tuple.Terms) != 1 || typ.Arrow == NoArrow {
			fail(place(g.Pos), "a term with its type is written (f : U -> V)")
		}
		return &Term{Op: Typed, Args: terms(g.Tuple.Terms), Type: typ}
	case g.Tuple != nil:
		if len(g.Tuple.Terms) == 1 {
			return g.Tuple.Terms[0].term()
		}
		return New(Tuple, terms(g.Tuple.Terms)...)
	}
	n := g.Name
	if n.Body != nil {
		return &Term{Op: Family, Name: n.Name, Names: []string{n.Binder}, Args: []*Term{n.Body.term()}}
	}
	t := NewName(n.Name, attrs(n.Attrs)...)
	if of := t.attribute(); of != nil && of.Op == Name {
		if k := atom.MatrixFunctionNamed(of.Name); k >= 0 {
			t.Attrs = []*Term{NewInt(int64(k))}
		}
	}
	return t
}

// contracted is the section (v *), (v * _) or (_ * w).
func (g *gAtom) contracted() *Term {
	if given := len(g.Tuple.Terms); g.Type != nil || g.Lead != nil && (g.Star || given > 0) || g.Lead == nil && given != 1 {
		fail(place(g.Pos), "a section of a product has one operand: (v *), (* w)")
	}
	if g.Lead != nil {
		return NewCall(Contract, New(Hole), g.Lead.term())
	}
	v, w := g.Tuple.Terms[0].term(), New(Hole)
	if g.By != nil {
		w = g.By.term()
	}
	if (v.Op == Hole) == (w.Op == Hole) {
		fail(place(g.Pos), "%s * %s: a product names its indices, as in A *(ij,jk->ik) B, or is entry by entry, A .* B; sections are (v *) and (* w)", v, w)
	}
	return NewCall(Contract, v, w)
}

func (g *gASum) term() *Term {
	t := g.Left.term()
	for _, r := range g.Rest {
		t = New(map[string]Op{"+": Add, "-": Sub}[r.Op], t, r.Right.term())
	}
	return t
}

func (g *gAMul) term() *Term {
	t := g.Left.term()
	for _, r := range g.Rest {
		t = New(map[string]Op{"*": Mul, "/": Div}[r.Op], t, r.Right.term())
	}
	return t
}

func (g *gANeg) term() *Term {
	var t *Term
	switch {
	case g.Number != nil:
		t = number(*g.Number, g.Pos)
	case g.Dots:
		t = NewName("...")
	case g.Paren != nil:
		t = g.Paren.term()
	default:
		t = NewName(g.Name)
		if g.Args != nil {
			t = NewCall(g.Name, attrs(g.Args)...)
		}
	}
	if g.Paren == nil {
		t.Pos = place(g.Pos)
	}
	return negate(t, g.Minus)
}
