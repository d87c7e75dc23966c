package proof

import (
	"fmt"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
)

// typed checks that maps and values have the types of their metavariables: a space that the rule
// names is one space wherever it stands, U[k] is component k of U.
func (r *mapDenotation) typed() error {
	s := spaces{named: map[string]combinators.Space{}, components: map[string]map[int]combinators.Space{}, u: r.u}
	for _, n := range slices.Sorted(maps.Keys(r.u.Maps)) {
		if err := s.mapType(r.types[n], r.u.Maps[n], 0); err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.u.Families)) {
		for i, f := range r.u.Families[n] {
			if err := s.mapType(r.types[n], f, i+1); err != nil {
				return fmt.Errorf("%s[%d]: %w", n, i+1, err)
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.u.Points)) {
		if r.types[n].Dom != nil {
			return fmt.Errorf("%s is a map, not a value", n)
		}
		if err := s.is(r.types[n].Cod, r.u.Points[n].Space(), 0); err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	for n, cs := range s.components {
		u, ok := s.named[n]
		for k, c := range cs {
			if ok && (k > len(u.Factors()) || !c.Equal(u.Factors()[k-1])) {
				return fmt.Errorf("%s[%d] is no component of %s", n, k, n)
			}
		}
	}
	return nil
}

// spaces are what the spaces in the types of a rule stand for.
type spaces struct {
	named      map[string]combinators.Space
	components map[string]map[int]combinators.Space // U[k]
	u          *Subst
}

// mapType checks the type of a map, member k of a family.
func (s *spaces) mapType(t *text.Type, m Map, k int) error {
	if t.Dom == nil {
		return fmt.Errorf("it is a value, not a map")
	}
	if err := s.is(t.Dom, m.Dom(), k); err != nil {
		return err
	}
	return s.is(t.Cod, m.Cod(), k)
}

// is checks that a space of a rule is u; k is the member of a family in whose type it stands.
func (s *spaces) is(sp *text.Space, u combinators.Space, k int) error {
	bind := func(old combinators.Space, ok bool) error {
		if ok && !old.Equal(u) {
			return fmt.Errorf("the space %s is %s and %s", sp.Name, old, u)
		}
		return nil
	}
	switch {
	case len(sp.Factors) > 0:
		if len(u.Factors()) != len(sp.Factors) {
			return fmt.Errorf("%s is no product of %d spaces", u, len(sp.Factors))
		}
		for i, f := range sp.Factors {
			if err := s.is(f, u.Factors()[i], k); err != nil {
				return err
			}
		}
		return nil
	case !sp.Bracket:
		old, ok := s.named[sp.Name]
		s.named[sp.Name] = u
		return bind(old, ok)
	case sp.Name == "R":
		if u.IsProduct() {
			return fmt.Errorf("%s is no space of tensors", u)
		}
		return fitsSpace(sp, u.Shape(), s.u.Sizes)
	case k == 0:
		return fmt.Errorf("%s has a component, and no family has it", sp.Name)
	}
	if s.components[sp.Name] == nil {
		s.components[sp.Name] = map[int]combinators.Space{}
	}
	old, ok := s.components[sp.Name][k]
	s.components[sp.Name][k] = u
	return bind(old, ok)
}

// sorted checks the sort of a metavariable: any map, a linear or a multilinear one.
func sorted(m Map, t *text.Type) error {
	ok := true
	switch t.Arrow {
	case text.LinearTo:
		_, ok = m.Linear()
	case text.BilinearTo:
		_, ok = m.Multilinear()
		ok = ok && (len(t.Dom.Factors) == 0 || len(t.Dom.Factors) == len(m.Dom().Factors()))
	}
	if !ok {
		return fmt.Errorf("a map is not of the sort that the rule asks for")
	}
	return nil
}
