package proof

import (
	"errors"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// valueRule checks a step by a rule on values. What the rule rewrites stands in a context, a term
// with a hole: with the left side in the hole the context is the term before, with the right side
// in it, the term after, up to the fusion of contractions. A left side matches whatever the guards of
// its functions are, and the right side has the strongest of them: the left side stands in the hole
// with guards of which the substitution's is the strongest, and nothing else may have other guards.
func (k *checker) valueRule(r *text.Rule, s *Step) {
	before, after := s.Before.Nodes[0], s.After.Nodes[0]
	must.Hold(s.Context != nil && s.Hole.Name() != "", "the step has no context with a hole")
	u := &s.Subst
	terms := []*Node{before, after}
	for _, v := range u.Values {
		terms = append(terms, v)
	}
	must.Hold(!slices.Contains(combinators.Topo(terms...), s.Hole), "the hole %s stands in the terms themselves", s.Hole.Name())
	k.typed(r, u)
	signs := newSigns(s.Facts, k.work)
	for _, w := range r.When {
		must.Hold(k.holds(w, u, signs, before) != w.Not, "a condition of the rule does not hold")
	}
	must.Hold(r.Domain != "widened" || u.Guard == combinators.GuardNone || signs.unguarded(before), "the rule widens the domain, and a function has a guard")
	side := func(t *text.Term, g func(*Node) combinators.Guard) *Node {
		v := &denotation{s: k.s, values: u.Values, numbers: u.Numbers, sizes: u.Sizes, batch: u.Batch, guard: g}
		n := v.value(t)
		if n.Order() == 0 && s.Hole.Order() > 0 {
			n = k.s.Broadcast(n, s.Hole.Shape())
		}
		must.Hold(slices.Equal(n.Shape(), s.Hole.Shape()), "a side of the rule has shape %s, not %s", size.Shape(n.Shape()), size.Shape(s.Hole.Shape()))
		return combinators.Replace([]*Node{s.Context}, s.Hole, n)[0]
	}
	matched := false
	for g := newChoice(u.Guard); !matched && g.next(); {
		left := side(r.Left, g.of)
		matched = g.strongest() && k.leftEqual(before, left, signs)
	}
	must.Hold(matched, "the left side, instantiated, is not the term before")
	right := side(r.Right, infinite(u.Guard))
	k.widens = k.widens || r.Domain != "" || loses(r, u, signs)
	must.Hold(k.refines(right, after, theory{}, signs), "the right side, instantiated, is not the term after")
}

// loses reports whether the right side of a rule has no more a metavariable whose value may be none.
func loses(r *text.Rule, u *Subst, signs *signs) bool {
	there := map[string]bool{}
	text.Walk(r.Right, func(t *text.Term) bool {
		there[t.Name] = true
		return true
	})
	for name, n := range u.Values {
		if !there[name] && !signs.defined(n) {
			return true
		}
	}
	return false
}

// Sides are the two sides of the rule of a step on values, under its substitution, as they stand in its context: without
// the guards of functions. They are nil where the step is by none.
func (r *Rules) Sides(st *combinators.Store, s *Step) (left, right *Node, err error) {
	rule := r.rules[s.Rule]
	if rule == nil || s.Context == nil {
		return nil, nil, nil
	}
	defer must.Recover(&err)
	defer combinators.Recover(&err, errors.New)
	u := &s.Subst
	v := &denotation{s: st, values: u.Values, numbers: u.Numbers, sizes: u.Sizes, batch: u.Batch}
	side := func(t *text.Term) *Node {
		n := v.value(t)
		if n.Order() == 0 && s.Hole.Order() > 0 {
			n = st.Broadcast(n, s.Hole.Shape())
		}
		return n
	}
	return side(rule.Left), side(rule.Right), nil
}

// A choice goes through the guards that the functions of a left side may have, in the order in which
// they are read: all of them under the strongest one, and then each combination.
type choice struct {
	top   combinators.Guard
	guard []combinators.Guard // of the functions that are read
	at    int
	tried int // combinations; the first is that of equal guards
}

// maxGuarded bounds the functions of a left side whose guards differ.
const maxGuarded = 4

func newChoice(top combinators.Guard) *choice { return &choice{top: top} }

func (c *choice) next() bool {
	c.at = 0
	c.tried++
	switch {
	case c.tried == 1:
		return true
	case c.top == combinators.GuardNone || len(c.guard) < 2 || len(c.guard) > maxGuarded:
		return false
	case c.tried == 2:
		clear(c.guard)
		return true
	}
	for i := range c.guard {
		if c.guard[i]++; c.guard[i] <= c.top {
			return true
		}
		c.guard[i] = combinators.GuardNone
	}
	return false
}

// of is the guard of the next function.
func (c *choice) of(n *Node) combinators.Guard {
	if !n.Atom().Guarded {
		return combinators.GuardNone
	}
	if c.at == len(c.guard) {
		c.guard = append(c.guard, c.top)
	}
	c.at++
	return c.guard[c.at-1]
}

// strongest: some function has the guard that the substitution says.
func (c *choice) strongest() bool {
	return c.top == combinators.GuardNone || slices.Contains(c.guard[:c.at], c.top)
}

// infinite puts g on what can be infinite.
func infinite(g combinators.Guard) func(*Node) combinators.Guard {
	return func(n *Node) combinators.Guard {
		if n.CanBeInfinite() {
			return g
		}
		return combinators.GuardNone
	}
}

// typed checks that every metavariable has a value of its type, and that nothing else has one.
func (k *checker) typed(r *text.Rule, u *Subst) {
	declared(r, u)
	spaces := map[string][]size.Size{}
	for _, v := range r.Vars {
		if v.Type == nil {
			continue
		}
		sp := v.Type.Cod
		if v.Type.Dom != nil || sp.Bracket && sp.Name != "R" || len(sp.Factors) > 0 {
			panic(must.Errorf("%s is no tensor: the rule is one of maps", v.Name))
		}
		if sp.IsNumber() {
			x := u.Numbers[v.Name]
			must.Hold(x != nil && (sp.Name != "Z" || x.IsInt()), "the substitution has no number %s of its type", v.Name)
			continue
		}
		n := u.Values[v.Name]
		must.Hold(n != nil, "the substitution has no value %s", v.Name)
		if !sp.Bracket {
			if sh, ok := spaces[sp.Name]; ok && !slices.Equal(sh, n.Shape()) {
				panic(must.Errorf("the space %s is of two shapes", sp.Name))
			}
			spaces[sp.Name] = n.Shape()
			continue
		}
		must.Within(func() { fitsSpace(sp, n.Shape(), u.Sizes) }, "%s", v.Name)
	}
}

// declared checks that a substitution has metavariables of the rule only, each as what it is: a name that
// stood for a number and for a value would mean one in a condition and the other in a side.
func declared(r *text.Rule, u *Subst) {
	number := map[string]bool{} // whether a metavariable is a number
	for _, v := range r.Vars {
		if v.Type != nil {
			number[v.Name] = v.Type.Cod.IsNumber()
		}
	}
	for n := range u.Values {
		if is, ok := number[n]; !ok || is {
			panic(must.Errorf("the rule has no metavariable %s of values", n))
		}
	}
	for n := range u.Numbers {
		must.Hold(number[n], "the rule has no metavariable %s of numbers", n)
	}
	sizes := map[string]bool{} // names of sizes: those in types
	for _, v := range r.Vars {
		if v.Type != nil {
			for _, d := range v.Type.Cod.Dims {
				sizeNames(d, sizes)
			}
		}
	}
	for n := range u.Sizes {
		if _, ok := number[n]; ok || !sizes[n] {
			panic(must.Errorf("the rule has no size %s", n))
		}
	}
}

// sizeNames collects the names in the size d of an axis.
func sizeNames(d *text.Term, names map[string]bool) {
	if d.Op == text.Name {
		names[d.Name] = true
	}
	for _, a := range d.Args {
		sizeNames(a, names)
	}
}

func fitsSpace(sp *text.Space, shape []size.Size, sizes map[string]size.Size) {
	dims := sp.Dims
	if at := slices.IndexFunc(dims, func(d *text.Term) bool { return d.Op == text.Name && d.Name == "..." }); at >= 0 {
		others := len(shape) - len(dims) + 1
		must.Hold(others >= 0, "the shape is %s", size.Shape(shape))
		dims, shape = slices.Delete(slices.Clone(dims), at, at+1), slices.Delete(slices.Clone(shape), at, at+others)
	}
	must.Hold(len(shape) == len(dims), "the shape is %s", size.Shape(shape))
	r := &denotation{sizes: sizes}
	for i, d := range dims {
		must.Hold(r.size(d) == shape[i], "the shape is %s", size.Shape(shape))
	}
}

// holds decides a condition of a step on the term before, but for its negation. One on sizes that symbols leave open fails, negated or not.
func (k *checker) holds(w text.Cond, u *Subst, signs *signs, before *Node) bool {
	r := &denotation{s: k.s, numbers: u.Numbers, sizes: u.Sizes}
	if w.Rel != "" && mentions(w, u.Sizes) {
		holds, known := r.size(w.Args[0]).Compare(w.Rel, r.size(w.Args[1]))
		return holds || !known && w.Not
	}
	if w.Rel != "" {
		return w.Holds(r.number(w.Args[0]).Cmp(r.number(w.Args[1])))
	}
	call := w.Args[0]
	must.Hold(len(call.Args) != 0, "the condition %s has no argument", call)
	x := call.Args[0]
	if call.Name == "unit" {
		unit, known := r.size(x).Same(size.Const(1))
		return unit || !known && w.Not
	}
	if call.Name == "unguarded" {
		return u.Guard == combinators.GuardNone || signs.unguarded(before)
	}
	if n := u.Values[x.Name]; n != nil && x.Op == text.Name {
		if sh := n.Shape(); call.Name == "square" && len(sh) >= 2 {
			square, known := sh[len(sh)-1].Same(sh[len(sh)-2])
			return square || !known && w.Not
		}
		if call.Name == "same" {
			return len(call.Args) == 2 && u.Values[call.Args[1].Name] == n
		}
		return holdsOfValue(call.Name, n, signs)
	}
	return holdsOfNumber(call.Name, r.number(x))
}

// mentions reports whether a condition has one of the sizes in it.
func mentions(w text.Cond, sizes map[string]size.Size) bool {
	names := map[string]bool{}
	for _, a := range w.Args {
		sizeNames(a, names)
	}
	for n := range names {
		if _, ok := sizes[n]; ok {
			return true
		}
	}
	return false
}

// holdsOfValue decides a condition on a value.
func holdsOfValue(name string, n *Node, signs *signs) bool {
	c, filled := fill(n)
	switch name {
	case "const":
		return filled
	case "order0":
		return n.Order() == 0
	case "square": // of fewer axes than two
		return false
	case "positive":
		return signs.positive(n)
	case "nonneg":
		return signs.nonneg(n)
	case "nonzero":
		return signs.nonzero(n)
	case "invertible":
		return signs.invertible(n)
	case "defined":
		return signs.defined(n)
	case "notone":
		return !filled || !atom.IsOne(c)
	}
	if of := atom.AttributeOf(name); of != 0 {
		return signs.has(of, n)
	}
	panic(must.Errorf("there is no condition %s on values", name))
}

// holdsOfNumber decides a condition on a number.
func holdsOfNumber(name string, c *big.Rat) bool {
	switch name {
	case "integer":
		return c.IsInt()
	case "even", "odd":
		return c.IsInt() && (c.Num().Bit(0) == 0) == (name == "even")
	case "positive":
		return c.Sign() > 0
	case "nonneg":
		return c.Sign() >= 0
	case "nonzero":
		return c.Sign() != 0
	case "notone":
		return !atom.IsOne(c)
	case "const":
		return true
	}
	panic(must.Errorf("there is no condition %s on numbers", name))
}
