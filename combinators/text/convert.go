package text

import "frechet/internal/words"

// From the flat lists of the grammar to terms: associativity is a loop.

func (g *gTerm) term() (*Term, error) {
	if g.Let == nil {
		return g.Sum.term()
	}
	var names []string
	var bound []*Term
	for _, b := range g.Let.Bind {
		v, err := b.Val.term()
		if err != nil {
			return nil, err
		}
		names, bound = append(names, b.Name), append(bound, v)
	}
	body, err := g.Let.Body.term()
	if err != nil {
		return nil, err
	}
	t := NewLet(names, bound, body)
	t.Pos = place(g.Let.Pos)
	return t, nil
}

func (g *gSum) term() (*Term, error) {
	t, err := g.Left.term()
	for _, r := range g.Rest {
		if err != nil {
			return nil, err
		}
		var u *Term
		u, err = r.Right.term()
		t = binary(map[string]Op{"+": Add, "-": Sub}[r.Op], t, u)
	}
	return t, err
}

func binary(op Op, t, u *Term) *Term {
	if t == nil || u == nil {
		return nil
	}
	return New(op, t, u)
}

// chain builds one term of all operands, or the only operand itself.
func chain[T interface{ term() (*Term, error) }](op Op, left T, rest []T) (*Term, error) {
	t, err := left.term()
	if err != nil || len(rest) == 0 {
		return t, err
	}
	args := []*Term{t}
	for _, r := range rest {
		u, err := r.term()
		if err != nil {
			return nil, err
		}
		args = append(args, u)
	}
	return New(op, args...), nil
}

func (g *gPar) term() (*Term, error)  { return chain(Product, g.Left, g.Rest) }
func (g *gComp) term() (*Term, error) { return chain(Compose, g.Left, g.Rest) }

func (g *gMul) term() (*Term, error) {
	t, err := g.Left.term()
	for _, r := range g.Rest {
		if err != nil {
			return nil, err
		}
		u, err1 := r.Right.term()
		if err1 != nil {
			return nil, err1
		}
		if r.Op == tensorMark {
			pos := t.Pos
			t = NewCall("tensor", t, u) // u (x) v is tensor(u, v)
			t.Pos = pos
			continue
		}
		if r.Group == nil {
			t = New(map[string]Op{".*": Mul, "./": Div}[r.Op], t, u)
			continue
		}
		x, err1 := r.Group.index()
		if err1 != nil {
			return nil, err1
		}
		if len(x.In) != 2 {
			return nil, errorf(place(r.Pos), "between two operands an index group has one comma before its arrow")
		}
		pos := t.Pos
		t = NewEin(x, t, u)
		t.Pos = pos
	}
	return t, err
}

func (g *gNeg) term() (*Term, error) {
	t, err := g.Comp.term()
	if err != nil {
		return nil, err
	}
	return negate(t, g.Minus), nil
}

func (g *gPower) term() (*Term, error) {
	t, err := g.Base.term()
	if err != nil || len(g.Rest) == 0 {
		return t, err
	}
	exps := make([]*Term, len(g.Rest))
	for i, r := range g.Rest {
		if exps[i], err = r.Post.term(); err != nil {
			return nil, err
		}
	}
	// a .^ -b .^ c = a .^ (-(b .^ c))
	e := exps[len(exps)-1]
	for i := len(exps) - 1; ; i-- {
		e = negate(e, g.Rest[i].Minus)
		if i == 0 {
			return New(Pow, t, e), nil
		}
		e = New(Pow, exps[i-1], e)
	}
}

func terms(gs []*gTerm) ([]*Term, error) {
	out := make([]*Term, len(gs))
	for i, g := range gs {
		t, err := g.term()
		if err != nil {
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}

func attrs(gs []*gASum) []*Term {
	var out []*Term
	for _, g := range gs {
		out = append(out, g.term())
	}
	return out
}

func (g *gPost) term() (*Term, error) {
	t, err := g.Atom.term()
	for _, tail := range g.Tail {
		if err != nil {
			return nil, err
		}
		if tail.Power != nil {
			t = &Term{Op: Copower, Attrs: attrs(tail.Power), Args: []*Term{t}, Pos: t.Pos}
			continue
		}
		args, err := terms(tail.Args.Terms)
		if err != nil {
			return nil, err
		}
		t = NewApply(t, args...)
	}
	return t, err
}

func (g *gAtom) term() (*Term, error) {
	t, err := g.bare()
	if err != nil {
		return nil, err
	}
	if t.Pos == (Pos{}) || g.Tuple == nil {
		t.Pos = place(g.Pos)
	}
	return t, nil
}

func (g *gAtom) bare() (*Term, error) {
	list := func(op Op, gs []*gTerm) (*Term, error) {
		args, err := terms(gs)
		if err != nil {
			return nil, err
		}
		return New(op, args...), nil
	}
	switch {
	case g.Number != nil:
		n := number(*g.Number, g.Pos)
		n.Attrs = attrs(g.Shape)
		return n, nil
	case g.Hole:
		return New(Hole), nil
	case g.Tensor:
		return NewName("tensor"), nil
	case g.Group != nil:
		x, err := g.Group.index()
		if err != nil {
			return nil, err
		}
		return NewEin(x), nil
	case g.Ein != nil:
		x, err := g.Ein.Group.index()
		if err != nil {
			return nil, err
		}
		args, err := terms(g.Ein.Args.Terms)
		if err != nil {
			return nil, err
		}
		if len(args) != len(x.In) {
			return nil, errorf(place(g.Pos), "the index group has %s, %d are given", words.Count(len(x.In), "operand"), len(args))
		}
		t := NewEin(x, args...)
		return t, nil
	case g.Pair != nil:
		return list(Pair, g.Pair)
	case g.Copair != nil:
		return list(Copair, g.Copair)
	case g.Lead != nil || g.Star:
		return g.contracted()
	case g.Type != nil:
		typ, err := g.Type.typ()
		if err != nil {
			return nil, err
		}
		if len(g.Tuple.Terms) != 1 || typ.Arrow == NoArrow {
			return nil, errorf(place(g.Pos), "a term with its type is written (f : U -> V)")
		}
		t, err := g.Tuple.Terms[0].term()
		if err != nil {
			return nil, err
		}
		return &Term{Op: Typed, Args: []*Term{t}, Type: typ}, nil
	case g.Tuple != nil:
		if len(g.Tuple.Terms) == 1 {
			return g.Tuple.Terms[0].term()
		}
		return list(Tuple, g.Tuple.Terms)
	}
	n := g.Name
	if n.Body != nil {
		body, err := n.Body.term()
		if err != nil {
			return nil, err
		}
		return &Term{Op: Family, Name: n.Name, Names: []string{n.Binder}, Args: []*Term{body}}, nil
	}
	return NewName(n.Name, attrs(n.Attrs)...), nil
}

// contracted is the section (v *), (v * _) or (_ * w).
func (g *gAtom) contracted() (*Term, error) {
	if given := len(g.Tuple.Terms); g.Type != nil || g.Lead != nil && (g.Star || given > 0) || g.Lead == nil && given != 1 {
		return nil, errorf(place(g.Pos), "a section of a product has one operand: (v *), (* w)")
	}
	if g.Lead != nil {
		w, err := g.Lead.term()
		return NewCall(Contract, New(Hole), w), err
	}
	v, err := g.Tuple.Terms[0].term()
	if err != nil {
		return nil, err
	}
	w := New(Hole)
	if g.By != nil {
		if w, err = g.By.term(); err != nil {
			return nil, err
		}
	}
	if (v.Op == Hole) == (w.Op == Hole) {
		return nil, errorf(place(g.Pos), "%s * %s: a product names its indices, as in A *(ij,jk->ik) B, or is entry by entry, A .* B; sections are (v *) and (* w)", v, w)
	}
	return NewCall(Contract, v, w), nil
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
