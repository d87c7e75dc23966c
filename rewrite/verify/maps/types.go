package maps

import (
	"fmt"
	"maps"
	"slices"

	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite/verify/model"
)

// Types infers the types of a rule on closed combinators, for one number of components and
// one choice of its component metavariables.
type Types struct {
	rule       *text.Rule
	Choice     model.Choice   // of declared functions
	Count      int            // components of products and members of families
	components map[string]int // component metavariables, and the binders of families in scope

	Maps     map[string]*Expr // metavariables; members of families as f#1, f#2, ...
	values   map[string]*Space
	let      map[string]*valueExpr
	spaces   map[string]*Space
	order    []string // names of spaces, as declared
	dims     map[string]*Dim
	dimNames []string
	rigid    []*Space
	adjoints map[string]*Expr     // the maps whose adjoints are taken
	typed    map[*text.Term]*Expr // all terms that were typed, where that is asked for
	fresh    int
}

// Expr is a typed map.
type Expr struct {
	Dom, Cod *Space
	linear   bool
	name     string // of a metavariable
	sort     text.Arrow
	build    func(in *Instance) *model.Function
}

// valueExpr is a typed value.
type valueExpr struct {
	typ  *Space
	eval func(in *Instance) (*model.Tuple, error)
}

func newTypes(r *text.Rule, count int, components map[string]int) *Types {
	c := &Types{rule: r, Count: count, components: map[string]int{}, Maps: map[string]*Expr{}, values: map[string]*Space{},
		let: map[string]*valueExpr{}, spaces: map[string]*Space{}, dims: map[string]*Dim{},
		adjoints: map[string]*Expr{}}
	for n, k := range components {
		c.components[n] = k
	}
	c.declareSpaces()
	for _, v := range r.Vars {
		if v.Type == nil {
			continue
		}
		c.declare(v)
	}
	return c
}

// declareSpaces names the spaces and sizes of the rule; a family of spaces is the product of its members.
func (c *Types) declareSpaces() {
	families := map[string]bool{}
	var look func(*text.Space)
	look = func(s *text.Space) {
		if s == nil {
			return
		}
		if s.Bracket && s.Name != "R" {
			families[s.Name] = true
		}
		for _, f := range s.Factors {
			look(f)
		}
	}
	for _, v := range c.rule.Vars {
		if v.Type != nil {
			look(v.Type.Dom)
			look(v.Type.Cod)
			if v.Type.Arrow == text.BilinearTo && len(v.Type.Dom.Factors) == 0 && !v.Type.Dom.Bracket {
				families[v.Type.Dom.Name] = true // U ->2 W: a map of several components
			}
		} else {
			c.named(v.Name)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(families)) {
		parts := lists.Make(c.Count, func(k int) *Space { return c.named(fmt.Sprintf("%s%d", n, k+1)) })
		whole := c.named(n)
		whole.bound = productType(parts...)
	}
}

// declare gives a metavariable its type: a value, a map, or a map for each member of a family.
func (c *Types) declare(v text.Var) {
	if v.Type.Arrow == text.NoArrow {
		c.values[v.Name] = c.space(v.Type.Cod, 0)
		return
	}
	member := func(name string, k int) {
		e := &Expr{Dom: c.space(v.Type.Dom, k), Cod: c.space(v.Type.Cod, k), linear: v.Type.Arrow == text.LinearTo, name: name, sort: v.Type.Arrow}
		e.build = func(in *Instance) *model.Function { return in.opaque(e) }
		c.Maps[name] = e
	}
	if !HasFamily(v.Type.Dom) && !HasFamily(v.Type.Cod) {
		member(v.Name, 0)
		return
	}
	for k := 1; k <= c.Count; k++ {
		member(fmt.Sprintf("%s#%d", v.Name, k), k)
	}
}

// HasFamily reports whether a space is, or has in it, the family of spaces U[k].
func HasFamily(s *text.Space) bool {
	if s.Bracket && s.Name != "R" {
		return true
	}
	return slices.ContainsFunc(s.Factors, HasFamily)
}

// It is 0 where t is none.
func (c *Types) componentOf(t *text.Term) (k int) {
	if t.Op == text.Num && t.Rat.IsInt() && t.Rat.Num().IsInt64() {
		k = int(t.Rat.Num().Int64())
	} else if t.Op == text.Name {
		k = c.components[t.Name]
	}
	if k < 1 || k > c.Count {
		return 0
	}
	return k
}

// component is the number of a component, which t is.
func (c *Types) component(t *text.Term) int {
	k := c.componentOf(t)
	must.Hold(k > 0, "%s is no component", t)
	return k
}

func (c *Types) product() *Space {
	parts := lists.Make(c.Count, func(i int) *Space { return newSpaceVar() })
	return productType(parts...)
}

// adjointKey names an occurrence of adjoint(..), for the members of the families around it.
func (c *Types) adjointKey(t *text.Term) string { return fmt.Sprintf("%p %v", t, c.components) }

// sorted are the names in m in their order, in which what is drawn for them does not change from run to run.
