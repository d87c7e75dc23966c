package verify

import (
	"fmt"
	"slices"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/rewrite"
)

// expandRule writes families out for two members, one rule for each choice of components.
func expandRule(r *text.Rule) (out []*text.Rule) {
	count := counts(r)[0]
	if count < 2 {
		count = 2
	}
	for _, ks := range componentChoices(r, count) {
		e := &expansion{count: count, ks: ks, maps: map[string]*text.Term{}, types: map[string]*text.Type{}}
		m := *r
		m.Vars, m.When = nil, nil
		for _, v := range r.Vars {
			if v.Type == nil {
				m.Vars = append(m.Vars, v)
				continue
			}
			e.types[v.Name] = v.Type
			if v.Type.Arrow == text.NoArrow || !hasFamily(v.Type.Dom) && !hasFamily(v.Type.Cod) {
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

// mapPair reads both results as maps on R[n], with functions for the metavariables that stay open,
// and simplifies them.
func (o *overlap) mapPair(term, first, second *text.Term) *CriticalPair {
	by := o.openMaps()
	if by == nil {
		return nil
	}
	term, first, second = substitute(term, by), substitute(first, by), substitute(second, by)
	r := readResults(first, second, size.Sym("n"), size.Sym("k"), OneForm)
	if r == nil {
		return nil
	}
	p := &CriticalPair{Outer: o.outer.Name, Inner: o.inner.Name, Term: text.Printer{}.Print(term),
		First: text.PrintClosed(r.first, false), Second: text.PrintClosed(r.second, false), Join: OneForm}
	if r.first == r.second {
		return p
	}
	if p.Join = r.join; p.Join == NoJoin {
		if r := readResults(first, second, size.Const(3), size.Const(2), NoJoin); r != nil {
			p.Equal = claimEqual(r.instances)
		}
	}
	return p
}

// openMaps gives maps to the metavariables that the overlap leaves open; nil where what a linear
// metavariable stands for would not be linear.
func (o *overlap) openMaps() map[string]*text.Term {
	by := map[string]*text.Term{}
	linear, other := 0, 0
	// what a linear metavariable stands for is built of linear maps
	mustBeLinear, constants := map[string]bool{}, false
	for _, v := range slices.Concat(o.outer.Vars, o.inner.Vars) {
		if b := o.by[v.Name]; b != nil && v.Type != nil && v.Type.Arrow == text.LinearTo {
			text.Walk(substitute(b, o.by), func(t *text.Term) bool {
				mustBeLinear[t.Name] = true
				constants = constants || t.Name == "K"
				return true
			})
		}
	}
	if constants {
		return nil
	}
	for _, v := range slices.Concat(o.outer.Vars, o.inner.Vars) {
		if v.Type == nil || o.by[v.Name] != nil {
			continue
		}
		arrow := v.Type.Arrow
		if arrow == text.MapTo && mustBeLinear[v.Name] {
			arrow = text.LinearTo
		}
		switch arrow {
		case text.LinearTo:
			by[v.Name] = text.New(text.Mul, text.NewName([]string{"a", "b", "c", "d", "e", "g"}[linear%6]), text.New(text.Hole))
			linear++
		case text.MapTo:
			by[v.Name] = text.NewName([]string{"sin", "exp", "tanh", "cos", "arctan", "sigmoid"}[other%6])
			other++
		case text.NoArrow:
			by[v.Name] = text.NewName([]string{"p", "q"}[other%2])
		default:
			return nil
		}
	}
	return by
}

// mapResults are the normal forms of two closed terms, read on the first spaces on which both have
// a type, with their values at one argument.
type mapResults struct {
	first, second combinators.Map
	join          Join
	instances     []*instance
}

// readResults looks for a proof that both are equal where prove is set, and has the instances by
// which that is tested.
func readResults(first, second *text.Term, n, k size.Size, prove Join) *mapResults {
	s := combinators.NewStore()
	env := &rewrite.Env{Sizes: []rewrite.SizeBinding{{Name: "n", Size: n}, {Name: "X", Size: k}}}
	for _, v := range []string{"a", "b", "c", "d", "e", "g", "p", "q"} {
		env.Values = append(env.Values, rewrite.Binding{Name: v, Value: s.Var(v, []size.Size{n})})
	}
	vec := combinators.TensorSpace([]size.Size{n})
	two := combinators.ProductSpace(vec, vec)
	power := vec.Power([]size.Size{k})
	spaces := []combinators.Space{vec, two, power, power.Power(nil), two.Power([]size.Size{k})}
	for _, dom := range spaces {
		for _, cod := range spaces {
			read := func(t *text.Term) (combinators.Map, bool) {
				local := *env
				local.Values = slices.Clone(env.Values)
				m, err := rewrite.ReadMap(s, t, &dom, &cod, &local)
				if err != nil {
					return m, false
				}
				m, err = adjoint.ClosedSimplify(m, nil)
				return m, err == nil
			}
			a, ok := read(first)
			if !ok {
				continue
			}
			b, ok := read(second)
			if !ok {
				continue
			}
			r := &mapResults{first: a, second: b}
			arg := namedValue(s, dom, new(int))
			x, errX := s.ApplyMap(a, arg)
			y, errY := s.ApplyMap(b, arg)
			if errX == nil && errY == nil {
				r.leaves(x, y, prove)
			}
			return r
		}
	}
	return nil
}

// leaves compares two values part by part; the weakest proof is that of the whole.
func (r *mapResults) leaves(x, y *combinators.Value, prove Join) {
	if x.Node() == nil {
		for i := range x.Parts() {
			r.leaves(x.Parts()[i], y.Parts()[i], prove)
		}
		return
	}
	if prove != NoJoin {
		j := join(x.Node(), y.Node())
		if len(r.instances) == 0 || slices.Index(Joins(), j) > slices.Index(Joins(), r.join) || j == NoJoin {
			r.join = j
		}
	}
	in := &instance{left: x.Node(), right: y.Node()}
	for _, n := range combinators.Topo(x.Node(), y.Node()) {
		if n.Atom().Class == combinators.ClassVariable {
			in.vars = append(in.vars, n)
		}
	}
	r.instances = append(r.instances, in)
}

func namedValue(s *combinators.Store, sp combinators.Space, k *int) *combinators.Value {
	if !sp.IsProduct() {
		*k++
		return s.Value(s.Var(fmt.Sprintf("v%d", *k), sp.Shape()))
	}
	parts := make([]*combinators.Value, len(sp.Factors()))
	for i, f := range sp.Factors() {
		parts[i] = namedValue(s, f, k)
	}
	return s.Tuple(parts...)
}
