package maps

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strings"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/must"
	"frechet/internal/words"
	"frechet/rewrite/verify/model"
)

// Rule is a rule with the types of both sides.
type Rule struct {
	Types       *Types
	Left, Right *Expr
}

// TypeRule infers the left side's most general type, makes what it leaves open arbitrary, and
// checks that the right side has it.
func TypeRule(r *text.Rule, count int, components map[string]int) (_ *Rule, err error) {
	defer must.Recover(&err)
	c := newTypes(r, count, components)
	onLeft := map[string]bool{}
	text.Walk(r.Left, func(t *text.Term) bool { onLeft[t.Name] = true; return true })
	for _, v := range r.Vars {
		if v.Type != nil && !onLeft[v.Name] {
			return nil, fmt.Errorf("%s does not occur on the left side", v.Name)
		}
	}
	var l *Expr
	must.Within(func() { l = c.infer(r.Left) }, "the left side")
	c.rigidify(l.Dom)
	c.rigidify(l.Cod)
	for _, n := range slices.Sorted(maps.Keys(c.Maps)) {
		c.rigidify(c.Maps[n].Dom)
		c.rigidify(c.Maps[n].Cod)
	}
	for _, n := range slices.Sorted(maps.Keys(c.values)) {
		c.rigidify(c.values[n])
	}
	for _, n := range c.order {
		c.rigidify(c.spaces[n])
	}
	var right *Expr
	must.Within(func() { right = c.infer(r.Right) }, "the right side")
	unified := func() {
		unify(l.Dom, right.Dom)
		unify(l.Cod, right.Cod)
	}
	must.Hold(must.Try(unified) == nil, "the left side is a map %s -> %s, the right side %s -> %s", l.Dom, l.Cod, right.Dom, right.Cod)
	for _, n := range slices.Sorted(maps.Keys(c.dims)) {
		c.rigidDim(c.dims[n])
	}
	must.Hold(!l.linear || right.linear, "the left side is linear, the right side is not linear by construction")
	return &Rule{c, l, right}, nil
}

// Counts are the numbers of components with which a rule is tried: as many as it writes, or any.
func Counts(r *text.Rule) []int {
	fixed := 0
	look := func(t *text.Term) bool {
		if t.Op == text.Pair || t.Op == text.Product || t.Op == text.Copair {
			fixed = max(fixed, len(t.Args))
		}
		if head, k := text.Component(t); head != "" && k.Op == text.Num {
			fixed = max(fixed, 2, int(k.Rat.Num().Int64()))
		}
		return true
	}
	text.Walk(r.Left, look)
	text.Walk(r.Right, look)
	for _, v := range r.Vars {
		if v.Type != nil && v.Type.Dom != nil {
			fixed = max(fixed, len(v.Type.Dom.Factors))
		}
	}
	if fixed > 0 {
		return []int{fixed}
	}
	several := false
	look = func(t *text.Term) bool {
		head, _ := text.Component(t)
		several = several || head != "" || t.Op == text.Family
		return true
	}
	text.Walk(r.Left, look)
	text.Walk(r.Right, look)
	if several {
		return []int{1, 2, 3}
	}
	return []int{2}
}

// ComponentChoices are the values of component metavariables that the conditions allow.
func ComponentChoices(r *text.Rule, count int) (out []map[string]int) {
	bound := map[string]bool{}
	text.Walk(r.Left, func(t *text.Term) bool {
		if t.Op == text.Family {
			bound[t.Names[0]] = true
		}
		return true
	})
	var free []string
	text.Walk(r.Left, func(t *text.Term) bool {
		if _, k := text.Component(t); k != nil && k.Op == text.Name && !bound[k.Name] && !slices.Contains(free, k.Name) {
			free = append(free, k.Name)
		}
		return true
	})
	total := 1
	for range free {
		total *= count
	}
	for i := range total {
		choice := map[string]int{}
		var numbers []denote.Number
		for _, n := range free {
			choice[n] = i%count + 1
			numbers = append(numbers, denote.Number{Name: n, Value: big.NewRat(int64(choice[n]), 1)})
			i /= count
		}
		ok := true
		for _, w := range r.When {
			holds, applies := model.NumberCondition(w, numbers)
			ok = ok && (!applies || holds)
		}
		if ok {
			out = append(out, choice)
		}
	}
	return out
}

// Sizes gives numbers to the rigid spaces and sizes, in turn from each list.
func (t *Rule) Sizes(lists ...[]int) (out []map[string]int) {
	for _, list := range lists {
		m := map[string]int{}
		k := 0
		next := func(n string) {
			if _, ok := m[n]; !ok {
				m[n] = list[min(k, len(list)-1)]
				k++
			}
		}
		for _, s := range t.Types.rigid {
			next(s.name)
		}
		for _, n := range t.Types.dimNames {
			next(n)
		}
		out = append(out, m)
	}
	return out
}

func Describe(sizes map[string]int, count int) string {
	var parts []string
	for n, k := range sizes {
		parts = append(parts, fmt.Sprintf("%s=%d", n, k))
	}
	sort.Strings(parts)
	switch count {
	case 2:
	case 1:
		parts = append(parts, "1 component")
	default:
		parts = append(parts, words.Count(count, "component"))
	}
	return strings.Join(parts, ", ")
}

func (t *Rule) Instance(sizes map[string]int, seed uint64, small []uint64) *Instance {
	return &Instance{types: t.Types, Sizes: sizes, seed: seed, small: small, Made: map[string]*model.Function{}, Values: map[string]*model.Tuple{}}
}

// Compare applies both sides to one argument. noSide says that nothing was decided.
func (t *Rule) Compare(in *Instance) (o model.Outcome, arg, l, r *model.Tuple) {
	dom := in.Space(t.Left.Dom)
	data := make([]model.Element, dom.Count())
	for i := range data {
		data[i] = in.element("argument", uint64(i))
		if in.small == nil {
			data[i].D = in.number("tangent", uint64(i))
		}
	}
	arg = model.TupleOf(dom, data)
	l, errL := t.Left.build(in).Apply(arg)
	r, errR := t.Right.build(in).Apply(arg)
	switch {
	case errL != nil && errR != nil:
		return model.NoSide, arg, nil, nil
	case errL != nil:
		return model.RightOnly, arg, nil, r
	case errR != nil:
		return model.LeftOnly, arg, l, nil
	}
	x, y := l.Entries(), r.Entries()
	known := true
	for i := range x {
		equal, ok := model.Agree(x[i], y[i])
		if ok && !equal {
			return model.SidesDiffer, arg, l, r
		}
		known = known && ok
	}
	if !known {
		return model.NoSide, arg, l, r
	}
	return model.SidesEqual, arg, l, r
}

// Env is what a term may name that is read as one of the rule's sides: variables for its value
// metavariables, of the shapes that shape gives, and its sizes. ok is false where a value is no tensor.
func (t *Rule) Env(s *combinators.Store, shape func(*Space) ([]size.Size, bool), dim func(*Dim) size.Size) (env *denote.Env, ok bool) {
	env = &denote.Env{}
	for _, n := range slices.Sorted(maps.Keys(t.Types.values)) {
		sh, ok := shape(t.Types.values[n])
		if !ok {
			return nil, false
		}
		env.Values = append(env.Values, denote.Binding{Name: n, Value: s.Var(n, sh)})
	}
	for _, n := range slices.Sorted(maps.Keys(t.Types.dims)) {
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: n, Size: dim(t.Types.dims[n])})
	}
	return env, true
}
