package proof

import (
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/must"
)

// typed checks that maps and values have the types of their metavariables: a space that the rule
// names is one space wherever it stands, U[k] is component k of U.
func (r *mapDenotation) typed() {
	s := spaces{named: map[string]combinators.Space{}, components: map[string]map[int]combinators.Space{}, u: r.u}
	for _, n := range slices.Sorted(maps.Keys(r.u.Maps)) {
		must.Within(func() { s.mapType(r.types[n], r.u.Maps[n], 0) }, "%s", n)
	}
	for _, n := range slices.Sorted(maps.Keys(r.u.Families)) {
		for i, f := range r.u.Families[n] {
			must.Within(func() { s.mapType(r.types[n], f, i+1) }, "%s[%d]", n, i+1)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.u.Points)) {
		if r.types[n].Dom != nil {
			panic(must.Errorf("%s is a map, not a value", n))
		}
		must.Within(func() { s.is(r.types[n].Cod, r.u.Points[n].Space(), 0) }, "%s", n)
	}
	for n, cs := range s.components {
		u, ok := s.named[n]
		for k, c := range cs {
			must.Hold(!ok || k <= len(u.Factors()) && c.Equal(u.Factors()[k-1]), "%s[%d] is no component of %s", n, k, n)
		}
	}
}

// spaces are what the spaces in the types of a rule stand for.
type spaces struct {
	named      map[string]combinators.Space
	components map[string]map[int]combinators.Space // U[k]
	u          *Subst
}

// mapType checks the type of a map, member k of a family.
func (s *spaces) mapType(t *text.Type, m Map, k int) {
	must.Hold(t.Dom != nil, "it is a value, not a map")
	s.is(t.Dom, m.Dom(), k)
	s.is(t.Cod, m.Cod(), k)
}

// is checks that a space of a rule is u; k is the member of a family in whose type it stands.
func (s *spaces) is(sp *text.Space, u combinators.Space, k int) {
	bind := func(old combinators.Space, ok bool) {
		must.Hold(!ok || old.Equal(u), "the space %s is %s and %s", sp.Name, old, u)

	}
	switch {
	case len(sp.Factors) > 0:
		must.Hold(len(u.Factors()) == len(sp.Factors), "%s is no product of %d spaces", u, len(sp.Factors))
		for i, f := range sp.Factors {
			s.is(f, u.Factors()[i], k)
		}
		return
	case !sp.Bracket:
		old, ok := s.named[sp.Name]
		s.named[sp.Name] = u
		bind(old, ok)
		return
	case sp.Name == "R":
		must.Hold(!u.IsProduct(), "%s is no space of tensors", u)
		fitsSpace(sp, u.Shape(), s.u.Sizes)
		return
	case k == 0:
		panic(must.Errorf("%s has a component, and no family has it", sp.Name))
	}
	if s.components[sp.Name] == nil {
		s.components[sp.Name] = map[int]combinators.Space{}
	}
	old, ok := s.components[sp.Name][k]
	s.components[sp.Name][k] = u
	bind(old, ok)
}

// sorted checks the sort of a metavariable: any map, a linear or a multilinear one.
func sorted(m Map, t *text.Type) {
	ok := true
	switch t.Arrow {
	case text.LinearTo:
		_, ok = m.Linear()
	case text.BilinearTo:
		_, ok = m.Multilinear()
		ok = ok && (len(t.Dom.Factors) == 0 || len(t.Dom.Factors) == len(m.Dom().Factors()))
	}
	must.Hold(ok, "a map is not of the sort that the rule asks for")
}
