package rewrite

import (
	"slices"

	"errors"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
)

// closedMatch matches one rule against one term and builds its right side. Patterns on closed
// terms need no choices: each constructor matches its own.
type closedMatch struct {
	denote.MapSubst
	rule  *closedRule
	rules *ClosedRules
	store *combinators.Store
}

// build makes the right side, a map of the spaces of before.
func (c *closedMatch) build(before combinators.Map) (after combinators.Map, err error) {
	after, err = c.rule.instantiate(c.store, &c.MapSubst, c.rules.natives, before.Dom(), before.Cod())
	if errors.Is(err, denote.ErrNoStep) {
		return before, nil
	}
	if err != nil {
		return after, err
	}
	if !after.Dom().Equal(before.Dom()) || !after.Cod().Equal(before.Cod()) {
		return before, nil // the rule is for other spaces: <pi1, pi2> is id on a product of two
	}
	return after, nil
}

// instantiate is the right side as a map dom -> cod.
func (r *closedRule) instantiate(s *combinators.Store, sub *denote.MapSubst, natives map[string]denote.Native, dom, cod combinators.Space) (combinators.Map, error) {
	if r.text {
		return denote.InstantiateText(s, r.Right, sub, natives, dom, cod)
	}
	return denote.Instantiate(s, r.Right, sub, natives, dom, cod)
}

// fits reports whether m has the sort that its metavariable was given.
func fits(m combinators.Map, t *text.Type) bool {
	switch t.Arrow {
	case text.MapTo:
		return true
	case text.LinearTo:
		_, ok := m.Linear()
		return ok
	case text.BilinearTo:
		_, ok := m.Multilinear()
		// U x V ->2 W is a map of two components, U ->2 W of any number
		return ok && (len(t.Dom.Factors) == 0 || len(t.Dom.Factors) == len(m.Dom().Factors()))
	}
	return false
}

// predicates are the calls of a left side that say what a map is.
var predicates = map[string]func(combinators.Map) bool{
	"leaf":        combinators.Map.Leaf,
	"contraction": func(m combinators.Map) bool { return m.Op() == combinators.MapEin },
	"atom":        func(m combinators.Map) bool { return m.Op() == combinators.MapAtom },
}

// bind lets a metavariable stand for m; it is false where it stands for another map.
func (c *closedMatch) bind(name string, m combinators.Map) bool {
	if old, ok := c.Maps[name]; ok {
		return old == m
	}
	if c.Maps == nil {
		c.Maps = map[string]combinators.Map{}
	}
	c.Maps[name] = m
	return true
}

// mapPattern matches t with m.
// It stays one switch: a case for each operation.
func (c *closedMatch) mapPattern(t *text.Term, m combinators.Map) bool {
	if typ := c.rule.vars[t.Name]; typ != nil && t.Op == text.Name && len(t.Attrs) == 0 {
		return fits(m, typ) && c.bind(t.Name, m)
	}
	if is := predicates[t.Name]; is != nil && t.Op == text.Call {
		return is(m) && c.mapPattern(t.Args[0], m)
	}
	if op, err := c.rule.opOf(t); err != nil || op != int(m.Op()) {
		return false
	}
	switch t.Op {
	case text.Compose:
		// h . g . f is h . (g . f)
		if !c.mapPattern(t.Args[0], m.Maps()[0]) {
			return false
		}
		if len(t.Args) == 2 {
			return c.mapPattern(t.Args[1], m.Maps()[1])
		}
		return c.mapPattern(text.New(text.Compose, t.Args[1:]...), m.Maps()[1])
	case text.Pair, text.Product, text.Copair, text.Add:
		return slices.EqualFunc(t.Args, m.Maps(), c.mapPattern)
	case text.Family:
		return c.familyPattern(t, m.Maps())
	case text.Copower:
		c.Index = m.Power()
		return c.mapPattern(t.Args[0], m.Maps()[0])
	case text.Apply: // D(f)(x)
		return c.mapPattern(t.Args[0].Args[0], m.Maps()[0]) && c.valuePattern(t.Args[1:], m.Value())
	case text.Call:
		if t.Name == "K" {
			return c.valuePattern(t.Args, m.Value())
		}
		return c.mapPattern(t.Args[0], m.Maps()[0]) // adjoint
	}
	if _, k := text.Component(t); k != nil {
		return c.componentPattern(k, m.K()+1)
	}
	return t.Function == nil || m.Atom() == t.Function && len(m.Holes()) == t.Function.Arity && m.Proto().Attr() == 0
}

func (c *closedMatch) componentPattern(t *text.Term, k int) bool {
	if t.Op == text.Num {
		return t.Rat.Cmp(big.NewRat(int64(k), 1)) == 0
	}
	if old, ok := c.Components[t.Name]; ok {
		return old == k
	}
	if c.Components == nil {
		c.Components = map[string]int{}
	}
	c.Components[t.Name] = k
	return true
}

// familyPattern matches prod{k}(f[k]), or prod{k}(f[k] . s), with all maps.
func (c *closedMatch) familyPattern(t *text.Term, maps []combinators.Map) bool {
	binder, body := t.Names[0], t.Args[0]
	c.Count = len(maps)
	if c.Families == nil {
		c.Families = map[string][]combinators.Map{}
	}
	if c.Components == nil {
		c.Components = map[string]int{}
	}
	defer delete(c.Components, binder)
	for i, m := range maps {
		c.Components[binder] = i + 1
		if !c.memberPattern(binder, body, m) {
			return false
		}
	}
	return true
}

func (c *closedMatch) memberPattern(binder string, t *text.Term, m combinators.Map) bool {
	if t.Op == text.Name && len(t.Attrs) == 1 && t.Attrs[0].Name == binder && c.rule.vars[t.Name] != nil {
		if !fits(m, c.rule.vars[t.Name]) {
			return false
		}
		c.Families[t.Name] = append(c.Families[t.Name], m)
		return true
	}
	if t.Op == text.Compose && m.Op() == combinators.MapCompose && len(t.Args) == 2 {
		return c.memberPattern(binder, t.Args[0], m.Maps()[0]) && c.memberPattern(binder, t.Args[1], m.Maps()[1])
	}
	return c.mapPattern(t, m)
}

// valuePattern matches one value, or several with the components of a tuple.
func (c *closedMatch) valuePattern(ts []*text.Term, v *combinators.Value) bool {
	if len(ts) > 1 || ts[0].Op == text.Tuple {
		if ts[0].Op == text.Tuple {
			ts = ts[0].Args
		}
		if len(ts) != len(v.Parts()) {
			return false
		}
		for i, t := range ts {
			if !c.valuePattern([]*text.Term{t}, v.Parts()[i]) {
				return false
			}
		}
		return true
	}
	t := ts[0]
	if typ := c.rule.vars[t.Name]; t.Op != text.Name || typ == nil || typ.Arrow != text.NoArrow {
		return false
	}
	if old, ok := c.Values[t.Name]; ok {
		return old == v
	}
	if c.Values == nil {
		c.Values = map[string]*combinators.Value{}
	}
	c.Values[t.Name] = v
	return true
}

// holds checks the conditions: comparisons of components.
func (c *closedMatch) holds() bool {
	for _, w := range c.rule.When {
		if len(w.Args) != 2 {
			return false
		}
		l, err := c.Component(w.Args[0])
		r, err2 := c.Component(w.Args[1])
		if err != nil || err2 != nil {
			return false
		}
		if w.Holds(l-r) == w.Not {
			return false
		}
	}
	return true
}
