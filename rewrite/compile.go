package rewrite

import (
	"fmt"
	"slices"

	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/internal/lists"
)

func compileRule(t *text.Rule) *rule {
	c := newCompiler(t)
	r := &rule{Rule: t, right: t.Right}
	c.meets(t.Left)
	r.left = c.pattern(t.Left)
	if r.left.kind == patVar && !slices.ContainsFunc(t.When, func(w text.Cond) bool { return !w.Not && w.Rel == "" && w.Args[0].Args[0].Name == t.Left.Name }) {
		panic(wrong(t.Left, "a condition says of which values it holds, such as symmetric("+t.Left.Name+")", "the %s side is any value %s", sideRead(t), t.Left))
	}
	if r.left.head() == nil && r.left.kind != patVar {
		panic(wrong(t.Left, "a rule replaces a function, a sum or a product", "the %s side is no operation", sideRead(t)))
	}
	c.attributes(r, r.left)
	variablesLast(r.left)
	text.Walk(t.Left, func(t *text.Term) bool {
		if len(t.Args) > 0 {
			r.functions++
		}
		return true
	})
	r.filter()
	for _, v := range c.order {
		if v.number {
			r.whole = append(r.whole, v.whole)
			r.numbers++
		} else {
			r.types = append(r.types, c.valueType(v.space))
			r.values++
		}
	}
	c.bound(r)
	c.conditions(r)
	r.order, r.letters, r.lists, r.spaces = c.order, c.letters, c.lists, len(c.spaces)
	r.sizeNames = make([]string, len(c.sizes))
	for n, s := range c.sizes {
		r.sizeNames[s] = n
	}
	return r
}

// filter sets what terms must have for the rule to match: a quick test before matching.
func (r *rule) filter() {
	r.heads = r.left.heads()
	for _, at := range r.heads {
		r.once |= mark(at)
	}
	seen := map[*atom.Row]bool{}
	for _, a := range r.left.args {
		if at := a.head(); at != nil {
			if seen[at] {
				r.twice |= mark(at)
			}
			seen[at] = true
		}
	}
	if r.left.head() == atom.Ein && slices.ContainsFunc(r.When, func(w text.Cond) bool { return w.Rel == "" && !w.Not && ofDeclared(w.Args[0].Name) }) {
		r.once |= declared
	}
	if r.left.kind == patSum || r.left.kind == patCall {
		for _, a := range r.left.args {
			a.asks(&r.inner)
			r.kinds |= a.factorKinds()
		}
		for _, at := range r.heads {
			r.kinds |= at.Kind()
		}
	}
}

// conditions compiles those of the rule.
func (c *compiler) conditions(r *rule) {
	for _, w := range r.When {
		f := c.condition(w)
		if slot := c.onNumber(w); slot >= 0 {
			if r.early == nil {
				r.early = map[int][]condition{}
			}
			r.early[slot] = append(r.early[slot], f)
			continue
		}
		r.conds = append(r.conds, f)
	}
	if r.Domain == "widened" {
		r.conds = append(r.conds, notGuarded)
	}

}

// onNumber is the slot of the number that is all that the condition w is on, -1 where it is on others, or
// on values.
func (c *compiler) onNumber(w text.Cond) int {
	slot, alone := -1, true
	for _, a := range w.Args {
		text.Walk(a, func(t *text.Term) bool {
			if t.Op == text.Name {
				v := c.vars[t.Name]
				alone = alone && v != nil && v.number && (slot < 0 || slot == v.slot)
				if alone {
					slot = v.slot
				}
			}
			return true
		})
	}
	if !alone {
		return -1
	}
	return slot
}

// attributes gives each attribute and each computed number of the pattern a number slot: a metavariable's, or one
// of its own with the condition that it has the value written.
func (c *compiler) attributes(r *rule, p *pattern) {
	if p.attr != nil {
		v := c.vars[p.attr.Name]
		if p.attr.Op != text.Name || v == nil || !v.number {
			v = &metavariable{name: fmt.Sprintf("#%d", len(c.order)), number: true}
			for _, o := range c.order {
				if o.number {
					v.slot++
				}
			}
			c.order = append(c.order, v)
			e := c.arith(p.attr)
			slot := v.slot
			r.conds = append(r.conds, func(m *matcher) bool {
				x := e(m)
				return x != nil && x.Cmp(m.numbers[slot]) == 0
			})
		}
		p.slot = v.slot
	}
	for _, a := range p.args {
		c.attributes(r, a)
	}

}

// variablesLast orders the operands of sums, products and contractions so that what can fail is tried first.
func variablesLast(p *pattern) {
	if p.kind == patSum || p.kind == patProduct || p.kind == patEin {
		at := lists.Make(len(p.args), func(i int) int { return i })
		isVar := func(i int) bool { return p.args[i].kind == patVar || p.args[i].kind == patScalar }
		slices.SortStableFunc(at, func(i, j int) int {
			switch {
			case isVar(j) && !isVar(i):
				return -1
			case isVar(i) && !isVar(j):
				return 1
			}
			return 0
		})
		args, in := make([]*pattern, len(at)), make([]axes, len(at))
		for i, j := range at {
			args[i] = p.args[j]
			if p.in != nil {
				in[i] = p.in[j]
			}
		}
		p.args = args
		if p.in != nil {
			p.in = in
		}
	}
	for _, a := range p.args {
		variablesLast(a)
	}
}

// bound checks that the left side binds every metavariable, and that the right side and the
// conditions use no other names.
func (c *compiler) bound(r *rule) {
	values, numbers := map[int]bool{}, map[int]bool{}
	r.left.binds(values, numbers, func(t *text.Term) {
		if v := c.vars[t.Name]; t.Op == text.Name && v != nil {
			numbers[v.slot] = true
		}
	})
	for _, v := range c.order {
		if v.number && !numbers[v.slot] && v.name[0] != '#' || !v.number && !values[v.slot] {
			side := sideRead(r.Rule)
			panic(wrongAt(c.at[v.name], v.name, "what is declared is found by matching the "+side+" side: take it out of the list, or use it there", "%s does not occur on the %s side", v.name, side))
		}
	}
	c.known(r.Right)
}

// sideRead is the side of the rule, as it is written, that is matched.
func sideRead(r *text.Rule) string { return map[bool]string{false: "left", true: "right"}[r.Back] }

// known checks that a right side has names and functions that stand for something.
func (c *compiler) known(right *text.Term) {
	scope := map[string]bool{}
	text.Walk(right, func(t *text.Term) bool {
		for _, n := range t.Names {
			scope[n] = true
		}
		_, size := c.sizes[t.Name]
		filled := len(t.Attrs) > 0 && (t.Name == "ones" || t.Name == "zeros" || t.Name == "eye")
		if t.Op == text.Name && c.vars[t.Name] == nil && !size && !scope[t.Name] && !filled && !text.IsPi(t) {
			panic(c.undeclared(t, " on the right side"))
		}
		if t.Op == text.Call && !slices.Contains(made, t.Name) {
			c.atom(t)
		}
		return t.Op != text.Typed
	})
}
