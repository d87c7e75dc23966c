package verify

import "frechet/combinators/text"

// renamed gives the metavariables of a rule names of their own.
func renamed(r *text.Rule) *text.Rule {
	names := map[string]*text.Term{}
	out := *r
	out.Vars = nil
	for _, v := range r.Vars {
		if v.Type != nil {
			names[v.Name] = text.NewName(v.Name + "'")
			v.Name += "'"
		}
		out.Vars = append(out.Vars, v)
	}
	out.Left, out.Right = text.Substitute(r.Left, names), text.Substitute(r.Right, names)
	out.When = nil
	for _, w := range r.When {
		c := w
		c.Args = nil
		for _, a := range w.Args {
			c.Args = append(c.Args, text.Substitute(a, names))
		}
		out.When = append(out.When, c)
	}
	return &out
}

// commuted is a left side with the operands at its top in all orders.
func commuted(t *text.Term) []*text.Term {
	if (t.Op == text.Add || t.Op == text.Mul) && len(t.Args) == 2 {
		u := *t
		u.Args = []*text.Term{t.Args[1], t.Args[0]}
		return []*text.Term{t, &u}
	}
	if t.Op == text.Ein && t.Index.Out.Forms == nil && len(t.Args) > 1 && len(t.Args) <= 3 {
		var out []*text.Term
		for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
			if len(t.Args) == 2 && order[2] != 2 {
				continue
			}
			u, x := *t, *t.Index
			u.Args, x.In, u.Index = nil, nil, &x
			for _, k := range order[:len(t.Args)] {
				u.Args, x.In = append(u.Args, t.Args[k]), append(x.In, t.Index.In[k])
			}
			out = append(out, &u)
		}
		return out
	}
	return []*text.Term{t}
}

// lettered is an index group with letters in the order in which they come.
func lettered(x *text.Index) string {
	if x.Out.Forms != nil || len(x.Sizes) > 0 {
		return x.String()
	}
	names := map[string]string{}
	rename := func(a text.Axes) text.Axes {
		b := a
		b.Letters = nil
		for _, l := range a.Letters {
			if names[l] == "" {
				names[l] = string(rune('a' + len(names)))
			}
			b.Letters = append(b.Letters, names[l])
		}
		return b
	}
	var y text.Index
	for _, a := range x.In {
		y.In = append(y.In, rename(a))
	}
	y.Out = rename(x.Out)
	return y.String()
}

// holds reports whether a name occurs in t, through bindings too.
func holds(t *text.Term, name string, by map[string]*text.Term) bool {
	found := false
	text.Walk(t, func(u *text.Term) bool {
		found = found || u.Name == name
		if b := by[u.Name]; b != nil && !found {
			found = holds(b, name, by)
		}
		return !found
	})
	return found
}

// unifyTerms is one list of cases, the first of which holds.
func unifyTerms(a, b *text.Term, vars map[string]bool, by map[string]*text.Term) bool {
	walk := func(t *text.Term) *text.Term {
		for t.Op == text.Name && len(t.Attrs) == 0 && vars[t.Name] && by[t.Name] != nil {
			t = by[t.Name]
		}
		return t
	}
	a, b = walk(a), walk(b)
	isVar := func(t *text.Term) bool { return t.Op == text.Name && len(t.Attrs) == 0 && vars[t.Name] }
	switch {
	case text.Equal(a, b):
		return true
	case isVar(a):
		if holds(b, a.Name, by) {
			return false
		}
		by[a.Name] = b
		return true
	case isVar(b):
		return unifyTerms(b, a, vars, by)
	case a.Op == text.Neg && b.Op == text.Neg:
		return unifyTerms(a.Args[0], b.Args[0], vars, by)
	case a.Op == text.Compose && b.Op == text.Compose && len(a.Args) != len(b.Args):
		// the last map of the shorter chain is the rest of the longer one
		if len(a.Args) > len(b.Args) {
			a, b = b, a
		}
		n := len(a.Args) - 1
		for i := range n {
			if !unifyTerms(a.Args[i], b.Args[i], vars, by) {
				return false
			}
		}
		return unifyTerms(a.Args[n], text.New(text.Compose, b.Args[n:]...), vars, by)
	case a.Op != b.Op || a.Name != b.Name || len(a.Args) != len(b.Args) || len(a.Attrs) != len(b.Attrs) || a.Op == text.Num ||
		a.Op == text.Let || a.Op == text.Family:
		return false
	case a.Op == text.Ein && lettered(a.Index) != lettered(b.Index):
		return false
	}
	for i := range a.Args {
		if !unifyTerms(a.Args[i], b.Args[i], vars, by) {
			return false
		}
	}
	for i := range a.Attrs {
		if !unifyTerms(a.Attrs[i], b.Attrs[i], vars, by) {
			return false
		}
	}
	return true
}
