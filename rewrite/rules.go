package rewrite

import (
	"fmt"
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/combinators/text"
)

// Rules is a set of rules on values, ready to be applied. It may be used from many goroutines,
// each on a store of its own.
type Rules struct {
	File *text.File // as read: for listing and for documents

	byHead [][]*rule  // by the number of the atom
	needs  [][]uint64 // of the same rules, beside each other
	pool   sync.Pool

	unmatchedOf sync.Mutex
	unmatched   map[int][]bool // see Unmatched, by the number of the atom
}

// rule is a compiled rule.
type rule struct {
	*text.Rule
	left      *pattern
	heads     []*combinators.Atom // that operands must have
	needs     uint64              // the same, as marks
	twice     uint64              // and those that two of them must have
	inner     uint64              // marks that operands of the contractions among a sum's addends must have
	kinds     uint32              // of all these
	order     []*metavariable
	functions int // on the left side
	types     []valueType
	whole     []bool
	turned    []bool // values that are the transposes of what the pattern binds
	values    int
	numbers   int
	letters   int
	lists     int
	spaces    int
	sizeNames []string
	conds     []condition
	early     map[int][]condition // that are on one number alone, by its slot
}

func (r *rule) holds(m *matcher) bool {
	for _, c := range r.conds {
		if !c(m) {
			return false
		}
	}
	return true
}

// LoadRules reads a rule file whose rules are on values. The error says which rule is wrong, and
// why; its position is in an *[text.Error].
func LoadRules(src string) (*Rules, error) {
	f, err := text.ParseRules(src)
	if err != nil {
		return nil, err
	}
	rs := &Rules{File: f, byHead: make([][]*rule, len(combinators.Atoms())), needs: make([][]uint64, len(combinators.Atoms()))}
	rs.pool.New = func() any { return &matcher{} }
	for _, t := range f.Rules {
		r, err := compileRule(t)
		if err != nil {
			return nil, ofRule(t, err)
		}
		rs.add(r)
	}
	return rs, nil
}

// add puts r behind the rules of its head that are as specific: a rule is tried before those with fewer
// functions on their left sides, so that step(x) .* step(x) is met before x .* step(x).
func (rs *Rules) add(r *rule) {
	head := r.left.head().Number()
	all := rs.byHead[head]
	at := len(all)
	for at > 0 && all[at-1].functions < r.functions {
		at--
	}
	rs.byHead[head] = slices.Insert(all, at, r)
	rs.needs[head] = slices.Insert(rs.needs[head], at, r.needs)
	rs.unmatched = nil
}

// MustLoadRules is LoadRules for the files of the program itself; it panics on an error.
func MustLoadRules(src string) *Rules {
	r, err := LoadRules(src)
	if err != nil {
		panic("rewrite: " + err.Error())
	}
	return r
}

// AddForm lets the rule with a name match another form of its left side as well: that in which terms
// stand when the rule is tried. The form is written in the rule's metavariables, all of which it
// binds, and equals the left side, which is for the caller to see to. In the form, the metavariables
// turned stand for transposes: matrices of the type R[n,m] where the rule has R[m,n].
func (rs *Rules) AddForm(name string, form *text.Term, turned ...string) error {
	for _, t := range rs.File.Rules {
		if t.Name != name {
			continue
		}
		as := *t
		as.Left, as.Vars = form, Turned(t.Vars, turned)
		r, err := compileRule(&as)
		if err != nil {
			return err
		}
		r.Rule = t
		for _, v := range r.order {
			if !v.number {
				r.turned = append(r.turned, slices.Contains(turned, v.name))
			}
		}
		rs.add(r)
		return nil
	}
	return fmt.Errorf("there is no rule %s", name)
}

// Turned are metavariables with the matrices of some names transposed: R[n,m] for R[m,n].
func Turned(vars []text.Var, names []string) []text.Var {
	out := slices.Clone(vars)
	for i, v := range out {
		if slices.Contains(names, v.Name) {
			typ, cod := *v.Type, *v.Type.Cod
			cod.Dims = []*text.Term{cod.Dims[1], cod.Dims[0]}
			typ.Cod = &cod
			out[i].Type = &typ
		}
	}
	return out
}

// Matches reports whether the left side of a rule matches n at its top, and its conditions hold.
func (rs *Rules) Matches(n *combinators.Node, facts *Facts) bool {
	m := rs.pool.Get().(*matcher)
	defer rs.pool.Put(m)
	m.facts = facts
	return slices.ContainsFunc(rs.byHead[n.Atom().Number()], func(r *rule) bool { return m.match(r, n) })
}

// Unmatched says of which atoms, by number, operands of a node of the atom head may be, all together,
// for no rule to match it: variables and nodes of the atom head if that can be, and then as many others.
func (rs *Rules) Unmatched(head *combinators.Atom) []bool {
	rs.unmatchedOf.Lock()
	defer rs.unmatchedOf.Unlock()
	if out := rs.unmatched[head.Number()]; out != nil {
		return out
	}
	out := make([]bool, len(combinators.Atoms()))
	matched := func() bool {
		return slices.ContainsFunc(rs.byHead[head.Number()], func(r *rule) bool {
			return !slices.ContainsFunc(r.heads, func(h *combinators.Atom) bool { return !out[h.Number()] })
		})
	}
	for _, at := range append([]*combinators.Atom{combinators.AtomVar, head}, combinators.Atoms()...) {
		if was := out[at.Number()]; !was {
			out[at.Number()] = true
			out[at.Number()] = !matched()
		}
	}
	if rs.unmatched == nil {
		rs.unmatched = map[int][]bool{}
	}
	rs.unmatched[head.Number()] = out
	return out
}

func compileRule(t *text.Rule) (*rule, error) {
	c, err := newCompiler(t)
	if err != nil {
		return nil, err
	}
	r := &rule{Rule: t}
	if r.left, err = c.pattern(t.Left); err != nil {
		return nil, err
	}
	if r.left.head() == nil {
		return nil, wrong(t.Left, "a rule replaces a function, a sum or a product", "the left side is no operation")
	}
	if err := c.attributes(r, r.left); err != nil {
		return nil, err
	}
	variablesLast(r.left)
	text.Walk(t.Left, func(t *text.Term) bool {
		if len(t.Args) > 0 {
			r.functions++
		}
		return true
	})
	r.heads = r.left.heads()
	for _, at := range r.heads {
		r.needs |= mark(at)
	}
	seen := map[*combinators.Atom]bool{}
	for _, a := range r.left.args {
		if at := a.head(); at != nil {
			if seen[at] {
				r.twice |= mark(at)
			}
			seen[at] = true
		}
	}
	if r.left.kind == patSum {
		for _, a := range r.left.args {
			marks, kinds := a.factors()
			r.inner |= marks
			r.kinds |= kinds
		}
		for _, at := range r.heads {
			r.kinds |= at.Kind()
		}
	}
	for _, v := range c.order {
		if v.number {
			r.whole = append(r.whole, v.whole)
			r.numbers++
		} else {
			r.types = append(r.types, c.valueType(v.space))
			r.values++
		}
	}
	if err := c.bound(r); err != nil {
		return nil, err
	}
	for _, w := range t.When {
		f, err := c.condition(w)
		if err != nil {
			return nil, err
		}
		if slot := c.onNumber(w); slot >= 0 {
			if r.early == nil {
				r.early = map[int][]condition{}
			}
			r.early[slot] = append(r.early[slot], f)
			continue
		}
		r.conds = append(r.conds, f)
	}
	r.order, r.letters, r.lists, r.spaces = c.order, c.letters, c.lists, len(c.spaces)
	r.sizeNames = make([]string, len(c.sizes))
	for n, s := range c.sizes {
		r.sizeNames[s] = n
	}
	return r, nil
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

// attributes gives each attribute of the pattern a number slot: a metavariable's, or one of its
// own with the condition that it has the value written.
func (c *compiler) attributes(r *rule, p *pattern) error {
	if p.kind == patCall && p.attr != nil {
		v := c.vars[p.attr.Name]
		if p.attr.Op != text.Name || v == nil || !v.number {
			v = &metavariable{name: fmt.Sprintf("#%d", len(c.order)), number: true}
			for _, o := range c.order {
				if o.number {
					v.slot++
				}
			}
			c.order = append(c.order, v)
			e, err := c.arith(p.attr)
			if err != nil {
				return err
			}
			slot := v.slot
			r.conds = append(r.conds, func(m *matcher) bool {
				x := e(m)
				return x != nil && x.Cmp(m.numbers[slot]) == 0
			})
		}
		p.slot = v.slot
	}
	for _, a := range p.args {
		if err := c.attributes(r, a); err != nil {
			return err
		}
	}
	return nil
}

// variablesLast orders the operands of sums, products and contractions so that what can fail is tried first.
func variablesLast(p *pattern) {
	if p.kind == patSum || p.kind == patProduct || p.kind == patEin {
		at := make([]int, len(p.args))
		for i := range at {
			at[i] = i
		}
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
func (c *compiler) bound(r *rule) error {
	values, numbers := map[int]bool{}, map[int]bool{}
	r.left.binds(values, numbers, func(t *text.Term) {
		if v := c.vars[t.Name]; t.Op == text.Name && v != nil {
			numbers[v.slot] = true
		}
	})
	for _, v := range c.order {
		if v.number && !numbers[v.slot] && v.name[0] != '#' || !v.number && !values[v.slot] {
			return wrongAt(c.at[v.name], v.name, "what is declared is found by matching the left side: take it out of the list, or use it there", "%s does not occur on the left side", v.name)
		}
	}
	var err error
	scope := map[string]bool{}
	text.Walk(r.Right, func(t *text.Term) bool {
		for _, n := range t.Names {
			scope[n] = true
		}
		_, size := c.sizes[t.Name]
		filled := len(t.Attrs) > 0 && (t.Name == "ones" || t.Name == "zeros" || t.Name == "eye")
		if t.Op == text.Name && c.vars[t.Name] == nil && !size && !scope[t.Name] && !filled && !isPi(t) && err == nil {
			err = c.undeclared(t, " on the right side")
		}
		if err == nil && t.Op == text.Call && !slices.Contains(made, t.Name) {
			_, err = c.atom(t)
		}
		return true
	})
	return err
}

// made are the calls of a right side that are no functions: guards, and tensors in the shape of another.
var made = []string{"weak", "zero", "ones", "zeros", "eye"}

// Firing is one application of a rule at the top of a term.
type Firing struct {
	Rule          *text.Rule
	Before, After *combinators.Node
	Values        []Binding
	Numbers       []Number

	// What [Rules.Explain] tells besides: the rest of the substitution, and Before with Hole in the
	// place of what the rule's sides stand for.
	Sizes         []SizeBinding
	Batch         int
	Guard         combinators.Guard
	Context, Hole *combinators.Node
}

// Apply applies the first rule that matches n at its top, once. It returns the result and the
// rule's name; ok is false where no rule matches. A rule whose result is n itself does not count.
func (rs *Rules) Apply(n *combinators.Node, facts *Facts) (after *combinators.Node, name string, ok bool) {
	f, ok := rs.Fire(n, facts)
	if !ok {
		return n, "", false
	}
	return f.After, f.Rule.Name, true
}

// Fire is Apply with the bindings.
func (rs *Rules) Fire(n *combinators.Node, facts *Facts) (Firing, bool) {
	return rs.fire(n, facts, false)
}

// Explain is Fire with all that a proof of the step needs.
func (rs *Rules) Explain(n *combinators.Node, facts *Facts) (Firing, bool) {
	return rs.fire(n, facts, true)
}

func (rs *Rules) fire(n *combinators.Node, facts *Facts, explain bool) (Firing, bool) {
	candidates := rs.byHead[n.Atom().Number()]
	if len(candidates) == 0 {
		return Firing{}, false
	}
	sum := n.Atom() == combinators.AtomAdd
	nested := sum && n.Addends() > 2 && n.Addends() <= maxAddends // its addends are more than its operands
	if sum {
		kinds := n.Kinds()
		if !slices.ContainsFunc(candidates, func(r *rule) bool { return r.kinds&^kinds == 0 }) {
			return Firing{}, false
		}
	}
	marks, twice := uint64(0), uint64(0)
	if nested {
		marks = addendMarks(n)
		twice = marks
	} else {
		for _, a := range n.Args() {
			bit := mark(a.Atom())
			twice |= marks & bit
			marks |= bit
		}
	}
	inner, known := ^uint64(0), !sum
	fails := func(r *rule) bool {
		if r.needs&^marks|r.twice&^twice != 0 {
			return true
		}
		if r.inner != 0 && !known {
			inner, known = factorMarks(n), true
		}
		return r.inner&^inner != 0
	}
	first := 0
	for needs := rs.needs[n.Atom().Number()]; first < len(needs); first++ {
		if needs[first]&^marks == 0 && !fails(candidates[first]) {
			break // most nodes have no operands that a rule asks for
		}
	}
	if first == len(candidates) {
		return Firing{}, false
	}
	candidates = candidates[first:]
	m := rs.pool.Get().(*matcher)
	defer rs.pool.Put(m)
	m.facts = facts
	for _, r := range candidates {
		if fails(r) || !nested && !has(n, r.heads) || !m.match(r, n) {
			continue
		}
		env := m.env()
		v, err := Build(n.Store(), r.Right, env)
		if err != nil {
			continue // the right side has no value at these shapes: the rule does not apply
		}
		if v = m.replace(n, v); v == n || !slices.Equal(v.Shape(), n.Shape()) {
			continue
		}
		f := Firing{Rule: r.Rule, Before: n, After: v, Values: env.Values, Numbers: env.Numbers}
		if explain {
			f.Sizes, f.Batch, f.Guard = env.Sizes, env.Batch, env.Guard
			f.Hole = n.Store().Var("#hole", m.shape(n))
			f.Context = m.replace(n, f.Hole)
		}
		return f, true
	}
	return Firing{}, false
}

// mark is a bit for the atom, which it may share with another.
func mark(at *combinators.Atom) uint64 { return 1 << (at.Number() & 63) }

// has reports whether operands of n have all the atoms.
func has(n *combinators.Node, atoms []*combinators.Atom) bool {
next:
	for _, at := range atoms {
		for _, a := range n.Args() {
			if a.Atom() == at {
				continue next
			}
		}
		return false
	}
	return true
}

// env is the bindings, as the right side sees them.
func (m *matcher) env() *Env {
	e := &Env{Guard: m.guard}
	for _, v := range m.rule.order {
		switch {
		case !v.number:
			n := m.values[v.slot]
			if v.slot < len(m.rule.turned) && m.rule.turned[v.slot] {
				n = n.Store().Einsum("ij->ji", n)
			}
			e.Values = append(e.Values, Binding{v.name, n})
		case v.name[0] != '#':
			e.Numbers = append(e.Numbers, Number{v.name, m.numbers[v.slot]})
		}
	}
	for i, n := range m.rule.sizeNames {
		if m.sizeSet[i] {
			e.Sizes = append(e.Sizes, SizeBinding{n, m.sizes[i]})
		}
	}
	e.Batch = m.batch()
	return e
}

// batch is the number of axes that "..." stands for, in a contraction on the left side or in the type
// of a value: one list a rule has it.
func (m *matcher) batch() int {
	for _, l := range m.lists {
		if l.set {
			return l.n
		}
	}
	for slot, t := range m.rule.types {
		if t.batch && m.values[slot] != nil {
			return t.others(m.values[slot].Order())
		}
	}
	return 0
}
