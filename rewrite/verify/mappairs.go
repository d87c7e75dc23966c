package verify

import (
	"fmt"
	"slices"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/must"
	"frechet/rewrite"
	"frechet/rewrite/verify/maps"
)

// expandRule writes families out for two members, one rule for each choice of components.
func expandRule(r *text.Rule) (out []*text.Rule) {
	count := maps.Counts(r)[0]
	if count < 2 {
		count = 2
	}
	for _, ks := range maps.ComponentChoices(r, count) {
		e := &expansion{count: count, ks: ks, maps: map[string]*text.Term{}, types: map[string]*text.Type{}}
		m := *r
		m.Vars, m.When = nil, nil
		for _, v := range r.Vars {
			if v.Type == nil {
				m.Vars = append(m.Vars, v)
				continue
			}
			e.types[v.Name] = v.Type
			if v.Type.Arrow == text.NoArrow || !maps.HasFamily(v.Type.Dom) && !maps.HasFamily(v.Type.Cod) {
				e.maps[v.Name] = text.NewName(v.Name)
				m.Vars = append(m.Vars, v)
				continue
			}
			for k := 1; k <= count; k++ {
				n := fmt.Sprintf("%s%d", v.Name, k)
				e.maps[fmt.Sprintf("%s#%d", v.Name, k)] = text.NewName(n)
				m.Vars = append(m.Vars, text.Var{Name: n, Type: v.Type})
			}
		}
		m.Left, m.Right = e.expand(r.Left), e.expand(r.Right)
		out = append(out, &m)
	}
	return out
}

// mapPair builds the overlap with operations for the metavariables that stay open, applies both rules
// to it and simplifies.
func (o *overlap) mapPair() (*CriticalPair, error) {
	r, err := o.mapResults(func(n string) size.Size { return size.Sym(n) })
	if err != nil || r == nil {
		return nil, err
	}
	p := &CriticalPair{Outer: o.outer.Name, Inner: o.inner.Name, Term: text.PrintClosed(r.term, false),
		First: text.PrintClosed(r.first, false), Second: text.PrintClosed(r.second, false), Join: OneForm}
	if r.first == r.second {
		return p, nil
	}
	arg := maps.NamedValue(r.term.Store(), r.term.Dom(), new(int))
	parts, err := leaves(r, arg)
	if err != nil {
		return nil, err
	}
	for _, in := range parts {
		j := join(in.left, in.right)
		if j == NoJoin || slices.Index(Joins(), j) > slices.Index(Joins(), p.Join) {
			p.Join = j
		}
		if j == NoJoin {
			break
		}
	}
	if p.Join != NoJoin {
		return p, nil
	}
	sizes := map[string]size.Size{}
	r, err = o.mapResults(func(n string) size.Size {
		if _, ok := sizes[n]; !ok {
			sizes[n] = size.Const(int64(2 + len(sizes)))
		}
		return sizes[n]
	})
	if err == nil && r != nil {
		if parts, err = leaves(r, maps.NamedValue(r.term.Store(), r.term.Dom(), new(int))); err == nil {
			p.Equal = claimEqual(parts)
		}
	}
	return p, err
}

// mapResults is a closed term, and the normal forms of what both rules make of it.
type mapResults struct{ term, first, second combinators.Map }

func (o *overlap) mapResults(sizes func(string) size.Size) (r *mapResults, err error) {
	defer must.Recover(&err)
	part := maps.Unwrapped(text.Substitute(o.inner.Left, o.by))
	around := maps.Unwrapped(text.Substitute(o.replace(text.NewName(maps.Replaced)), o.by))
	kinds, linear := map[string]*text.Type{}, map[string]bool{}
	for _, v := range slices.Concat(o.outer.Vars, o.inner.Vars) {
		b := o.by[v.Name]
		if v.Type == nil || b == nil {
			continue
		}
		if v.Type.Arrow == text.LinearTo {
			constants := false
			text.Walk(text.Substitute(b, o.by), func(t *text.Term) bool {
				linear[t.Name] = true
				constants = constants || t.Name == "K"
				return true
			})
			if constants {
				return nil, nil // K is not linear: the overlap does not arise
			}
		}
	}
	for _, v := range slices.Concat(o.outer.Vars, o.inner.Vars) {
		if v.Type != nil && o.by[v.Name] == nil {
			kinds[v.Name] = v.Type
		}
	}
	s := combinators.NewStore()
	defer must.Recover(&err)
	in := must.Get(maps.NewSample(s, kinds, linear, sizes, around, part))
	whole := must.Get(denote.ReadMap(s, in.Term, &in.Spaces[0][0], &in.Spaces[0][1], in.Env))
	first, ok, err := fireRule(o.rules[0], whole)
	if err != nil || !ok {
		return nil, err // the constructors make another term of it
	}
	var second combinators.Map
	if o.top {
		second, ok, err = fireRule(o.rules[1], whole)
	} else {
		inner := must.Get(denote.ReadMap(s, in.Part, &in.Spaces[1][0], &in.Spaces[1][1], in.Env))
		if in.Env.Maps[maps.Replaced], ok, err = fireRule(o.rules[1], inner); err == nil && ok {
			second, err = denote.ReadMap(s, in.Around, &in.Spaces[0][0], &in.Spaces[0][1], in.Env)
		}
	}
	if err != nil || !ok {
		return nil, err
	}
	r = &mapResults{term: whole}
	if r.first, err = adjoint.Standard().ClosedSimplify(first, nil); err == nil {
		r.second, err = adjoint.Standard().ClosedSimplify(second, nil)
	}
	return r, err
}

// fireRule applies a rule at the top of a closed term.
func fireRule(r *text.Rule, m combinators.Map) (combinators.Map, bool, error) {
	src := r.String() + "\n"
	if step := nativeStep(r); step != "" {
		src += fmt.Sprintf("native %s-step \"of the program\" %s \"see its schema\"\n", r.Name, step)
	}
	rules, err := rewrite.LoadClosedRules(src, adjoint.Natives())
	if err != nil {
		return m, false, err
	}
	f, ok, err := rules.Fire(m)
	if err != nil && text.Unworked(m) {
		// K(f(w)) is the value of f, which is that of what f is worked out to
		parts := make([]combinators.Map, len(m.Maps()))
		for i, part := range m.Maps() {
			if parts[i], err = adjoint.Standard().ClosedSimplify(part, nil); err != nil {
				return m, false, err
			}
		}
		f, ok, err = rules.Fire(m.With(parts))
	}
	return f.After, ok, err
}

// leaves are the parts of both results at an argument, as values.
func leaves(r *mapResults, arg *combinators.Value) (out []*instance, err error) {
	defer must.Recover(&err)
	s := r.term.Store()
	x := must.Get(s.ApplyMap(r.first, arg))
	y := must.Get(s.ApplyMap(r.second, arg))
	var add func(x, y *combinators.Value)
	add = func(x, y *combinators.Value) {
		if x.Node() == nil {
			for i := range x.Parts() {
				add(x.Parts()[i], y.Parts()[i])
			}
			return
		}
		in := &instance{left: x.Node(), right: y.Node()}
		for _, n := range combinators.Topo(x.Node(), y.Node()) {
			if n.Atom().Class == atom.ClassVariable {
				in.vars = append(in.vars, n)
			}
		}
		out = append(out, in)
	}
	add(x, y)
	return out, nil
}
