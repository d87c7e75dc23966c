package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// CheckTypes checks that the sides of each rule have one type: with unknown maps, between unknown spaces,
// for its metavariables. The error says which rule is wrong, and why. A left side whose spaces do not show,
// such as pi[k] . iota[k], is not checked.
func (rs *ClosedRules) CheckTypes() error {
	for _, r := range rs.rules {
		if err := r.checkTypes(rs.natives); err != nil {
			return &text.Error{Pos: r.Pos, Message: fmt.Sprintf("rule %s: %v", r.Name, err)}
		}
	}
	return nil
}

// instance gives unknown maps and values to the metavariables of a rule.
type instance struct {
	*closedRule
	s       *combinators.Store
	indexed map[string]bool // spaces that have members, as U of U[k]
	spaces  map[string]combinators.Space
	denote.MapSubst
}

// members is how many maps a family has in an instance.
const members = 2

func (r *closedRule) checkTypes(natives map[string]denote.Native) (err error) {
	defer must.Recover(&err)
	i := &instance{closedRule: r, s: combinators.NewStore(), indexed: map[string]bool{}, spaces: map[string]combinators.Space{}}
	i.assign()
	left := bare(r.Left)
	var candidates []combinators.Space
	for _, name := range append(sortedKeys(r.free), "") {
		sp, ok := i.spaces[name]
		if !ok && name != "" {
			sp = i.space(&text.Space{Name: name})
		}
		candidates = append(candidates, sp, combinators.ProductSpace(sp, sp))
	}
	for _, dom := range candidates {
		for _, cod := range candidates {
			before, err := i.side(left, dom, cod)
			if err != nil {
				continue
			}
			sub := i.copied()
			after, err := r.instantiate(i.s, &sub, natives, before.Dom(), before.Cod())
			switch {
			case errors.Is(err, denote.ErrNoStep):
				return nil // the step has nothing to do at unknown maps, and its result is made by its constructors
			case err != nil:
				return err
			case !after.Dom().Equal(before.Dom()) || !after.Cod().Equal(before.Cod()):
				return fmt.Errorf("the left side is a map %s, the right side one %s", text.Signature(before), text.Signature(after))
			}
			_, was := before.Linear()
			if _, is := after.Linear(); was && !is {
				return fmt.Errorf("the left side is linear, and the right side %s is not", r.Right)
			}
			return nil
		}
	}
	return nil
}

// side is the left side t of the rule as a map dom -> cod.
func (i *instance) side(t *text.Term, dom, cod combinators.Space) (combinators.Map, error) {
	sub := i.copied()
	return denote.Instantiate(i.s, t, &sub, nil, dom, cod)
}

// copied is the substitution for a side, whose lets add to it.
func (i *instance) copied() denote.MapSubst {
	sub := i.MapSubst
	sub.Values, sub.Components = cloned(i.Values), cloned(i.Components)
	return sub
}

func cloned[V any](m map[string]V) map[string]V {
	out := map[string]V{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func sortedKeys[V any](m map[string]V) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// bare is a left side without the predicates contraction, atom and leaf.
func bare(t *text.Term) *text.Term {
	if t.Op == text.Call && (t.Name == "contraction" || t.Name == "atom" || t.Name == "leaf") {
		return t.Args[0]
	}
	u := *t
	u.Args = make([]*text.Term, len(t.Args))
	for k, a := range t.Args {
		u.Args[k] = bare(a)
	}
	return &u
}

// assign finds spaces, maps and values.
func (i *instance) assign() {
	families := map[string]bool{}
	mark := func(t *text.Term) bool {
		switch {
		case t.Op == text.Name && len(t.Attrs) == 1:
			families[t.Name] = true
		case t.Op == text.Copower:
			i.Index = []size.Size{size.Sym("X")}
		}
		return true
	}
	text.Walk(i.Left, mark)
	text.Walk(i.Right, mark)
	kinds := map[string]string{} // of the maps that a predicate is on
	text.Walk(i.Left, func(t *text.Term) bool {
		if t.Op == text.Call && len(t.Args) == 1 {
			kinds[t.Args[0].Name] = t.Name
		}
		return true
	})
	i.index()
	i.Maps, i.Families, i.Count = map[string]combinators.Map{}, map[string][]combinators.Map{}, members
	i.Values, i.Components = map[string]*combinators.Value{}, map[string]int{}
	i.numbered()
	for _, name := range sortedKeys(i.vars) {
		i.atom(kinds[name], i.vars[name], name)
	}
	for _, name := range sortedKeys(i.vars) {
		typ := i.vars[name]
		if _, known := i.Maps[name]; known {
			continue
		}
		switch {
		case typ.Arrow == text.NoArrow:
			i.Values[name] = i.value(name, i.space(typ.Cod))
		case families[name]:
			for k := range members {
				i.Families[name] = append(i.Families[name], i.unknown(name+strconv.Itoa(k+1), typ, k))
			}
		default:
			i.Maps[name] = i.unknown(name, typ, -1)
		}
	}
}

// index notes the spaces that have a component for each of an index.
func (i *instance) index() {
	var see func(sp *text.Space)
	see = func(sp *text.Space) {
		if sp == nil {
			return
		}
		if sp.Bracket && sp.Name != "R" {
			i.indexed[sp.Name] = true
		}
		for _, f := range sp.Factors {
			see(f)
		}
	}
	for _, typ := range i.vars {
		see(typ.Dom)
		see(typ.Cod)
		if typ.Arrow == text.BilinearTo && len(typ.Dom.Factors) == 0 {
			i.indexed[typ.Dom.Name] = true // of any number of components
		}
	}
}

// numbered gives the components that the left side names numbers.
func (i *instance) numbered() {
	next := 1
	text.Walk(i.Left, func(t *text.Term) bool {
		if _, k := text.Component(t); k != nil && k.Op == text.Name && i.Components[k.Name] == 0 {
			i.Components[k.Name] = next
			next = min(next+1, members)
		}
		return true
	})
}

// atom gives a map that is to be a contraction or another atom, or multilinear, and fixes its spaces.
func (i *instance) atom(kind string, typ *text.Type, name string) {
	s := i.s
	vector := func(name string) []size.Size { return []size.Size{size.Sym(name)} }
	u, v := vector("u"), vector("v")
	switch {
	case typ.Arrow == text.BilinearTo:
		w := vector("w")
		c := einsum.Plain([][]int{{0}, {1}}, []int{2}, slices.Concat(u, v, w))
		i.Maps[name] = s.EinMap(c, make([]*combinators.Node, 2))
	case kind == "contraction" || kind == "leaf":
		i.Maps[name] = s.EinMap(einsum.Plain([][]int{{0}}, []int{1}, slices.Concat(u, v)), make([]*combinators.Node, 1))
	case kind == "atom" && typ.Arrow == text.LinearTo:
		i.Maps[name] = s.AtomMap(atom.Merge, 0, nil, nil, make([]*combinators.Node, 1), [][]size.Size{slices.Concat(u, v)})
	case kind == "atom":
		i.Maps[name] = s.AtomMap(atom.LogSumExp, 1, nil, nil, make([]*combinators.Node, 1), [][]size.Size{u})
	default:
		return
	}
	m := i.Maps[name]
	if len(typ.Dom.Factors) == 0 {
		i.spaces[typ.Dom.Name] = m.Dom()
	} else {
		for k, f := range typ.Dom.Factors {
			i.spaces[f.Name] = m.Dom().Factors()[k]
		}
	}
	i.spaces[typ.Cod.Name] = m.Cod()
}

func (i *instance) unknown(name string, typ *text.Type, k int) combinators.Map {
	dom, cod := i.member(typ.Dom, k), i.member(typ.Cod, k)
	if typ.Arrow == text.LinearTo {
		return i.s.UnknownLinear(dom, i.value(name, cod)).Map
	}
	return i.s.Unknown(dom, i.value(name, cod))
}

// member is a space, of U[k] the member k.
func (i *instance) member(sp *text.Space, k int) combinators.Space {
	if whole := i.space(sp); k >= 0 && sp.Bracket && sp.Name != "R" {
		return whole.Factors()[k]
	} else {
		return whole
	}
}

// space is what a space of the rule stands for: a name of its own, or a product of members.
func (i *instance) space(sp *text.Space) combinators.Space {
	if len(sp.Factors) > 0 {
		factors := lists.Map(sp.Factors, i.space)
		return combinators.ProductSpace(factors...)
	}
	if sp.Bracket && sp.Name == "R" {
		if s, err := sp.Shape(); err == nil {
			return combinators.TensorSpace(s)
		}
	}
	if known, ok := i.spaces[sp.Name]; ok {
		return known
	}
	var out combinators.Space
	if i.indexed[sp.Name] {
		factors := make([]combinators.Space, members)
		for k := range factors {
			factors[k] = combinators.TensorSpace([]size.Size{size.Sym(sp.Name + strconv.Itoa(k+1))})
		}
		out = combinators.ProductSpace(factors...)
	} else {
		out = combinators.TensorSpace([]size.Size{size.Sym(sp.Name)})
	}
	i.spaces[sp.Name] = out
	return out
}

// value is an unknown value of a space.
func (i *instance) value(name string, sp combinators.Space) *combinators.Value {
	if !sp.IsProduct() {
		return i.s.Value(i.s.Var(name, sp.Shape()))
	}
	parts := lists.Indexed(sp.Factors(), func(k int, f combinators.Space) *combinators.Value { return i.value(name+"_"+strconv.Itoa(k+1), f) })
	return i.s.Tuple(parts...)
}
