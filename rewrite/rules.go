package rewrite

import (
	"fmt"
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/internal/must"
	"frechet/rewrite/assumptions"
)

// Rules is a set of rules on values, ready to be applied. It may be used from many goroutines,
// each on a store of its own.
type Rules struct {
	File *text.File // as read: for listing and for documents

	byHead [][]*rule // by the number of the atom
	needs  [][]needs // of the same rules, each once, without those that ask for more than another
	met    []uint64  // marks of which a node of the atom has one, where a rule is on it
	pool   sync.Pool

	unmatchedOf sync.Mutex
	unmatched   map[int][]bool // see Unmatched, by the number of the atom
}

// rule is a compiled rule.
type rule struct {
	*text.Rule
	left      *pattern
	right     *text.Term
	given     []denote.Number // metavariables that have their defaults
	heads     []*atom.Row     // that operands must have
	needs                     // the same, as marks
	inner     parts           // what the addends of a sum, or the operands of a function, must have
	kinds     uint32          // of all these
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

// needs are marks of operands, and those of which there are two.
type needs struct{ once, twice uint64 }

// within reports whether all of them are among others.
func (m needs) within(others needs) bool { return m.once&^others.once|m.twice&^others.twice == 0 }

func (r *rule) holds(m *matcher) bool {
	return !slices.ContainsFunc(r.conds, func(c condition) bool { return !c(m) })
}

// LoadRules reads a rule file whose rules are on values. The error says which rule is wrong, and
// why; its position is in an *[text.Error].
func LoadRules(src string, scope ...*atom.Scope) (*Rules, error) {
	f, err := text.ParseRules(src, scope...)
	if err != nil {
		return nil, err
	}
	return CompileRules(f)
}

// CompileRules is LoadRules of a file that has been parsed.
func CompileRules(f *text.File) (*Rules, error) {
	rs := newRules(f)
	for _, t := range f.Rules {
		all, err := compileVariants(t)
		if err == nil && t.Both {
			_, err = compileVariants(t.Reversed())
		}
		if err != nil {
			return nil, ofRule(t, err)
		}
		for _, r := range all {
			rs.add(r)
		}
	}
	return rs, nil
}

// With adds the rules of a file of the program itself, but those that say what a variable is.
func (rs *Rules) With(src string) *Rules {
	f, err := text.ParseRules(src)
	if err != nil {
		panic("rewrite: " + err.Error())
	}
	for _, t := range f.Rules {
		if t.Left.Op == text.Name {
			continue
		}
		all, err := compileVariants(t)
		if err != nil {
			panic("rewrite: " + err.Error())
		}
		for _, r := range all {
			rs.add(r)
		}
	}
	return rs
}

func newRules(f *text.File) *Rules {
	rs := &Rules{File: f, byHead: make([][]*rule, atom.Numbers), needs: make([][]needs, atom.Numbers), met: make([]uint64, atom.Numbers)}
	rs.pool.New = func() any { return &matcher{} }
	return rs
}

// add puts r behind the rules of its head that are as specific: a rule is tried before those with fewer
// functions on their left sides, so that step(x) .* step(x) is met before x .* step(x).
func (rs *Rules) add(r *rule) {
	if at := r.left.head(); at != nil {
		rs.addAt(at.Number(), r)
		return
	}
	for head := range rs.byHead { // the left side is any value that the conditions allow
		rs.addAt(head, r)
	}
}

func (rs *Rules) addAt(head int, r *rule) {
	all := rs.byHead[head]
	at := len(all)
	for at > 0 && all[at-1].functions < r.functions {
		at--
	}
	rs.byHead[head] = slices.Insert(all, at, r)
	if !slices.ContainsFunc(rs.needs[head], func(m needs) bool { return m.within(r.needs) }) {
		rs.needs[head] = append(slices.DeleteFunc(rs.needs[head], r.needs.within), r.needs)
	}
	rs.met[head] |= r.rarest()
	rs.unmatched = nil
}

// rarest is the mark of one atom that operands must have: a function, if there is one. It is all marks where any will do.
func (r *rule) rarest() uint64 {
	if r.once == 0 {
		return ^uint64(0)
	}
	one := r.once
	if functions := one &^ (mark(atom.Ein) | mark(atom.Add)); functions != 0 {
		one = functions
	}
	return one & -one
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
func (rs *Rules) AddForm(name string, form *text.Term, turned ...string) (err error) {
	defer must.Recover(&err)
	for _, t := range rs.File.Rules {
		if t.Name != name {
			continue
		}
		as := *t
		as.Left, as.Vars = form, Turned(t.Vars, turned)
		r := compileRule(&as)
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
func (rs *Rules) Matches(n *combinators.Node, facts *assumptions.Facts) bool {
	m := rs.pool.Get().(*matcher)
	defer rs.pool.Put(m)
	m.facts = facts
	return slices.ContainsFunc(rs.byHead[n.Atom().Number()], func(r *rule) bool { return m.match(r, n) })
}

// Unmatched is the set of atoms, by number, of which operands of a node of the atom head may be, all together,
// for no rule to match it: variables and nodes of the atom head if that can be, and then as many others.
func (rs *Rules) Unmatched(head *atom.Row) []bool {
	rs.unmatchedOf.Lock()
	defer rs.unmatchedOf.Unlock()
	if out := rs.unmatched[head.Number()]; out != nil {
		return out
	}
	out := make([]bool, atom.Numbers)
	matched := func() bool {
		return slices.ContainsFunc(rs.byHead[head.Number()], func(r *rule) bool {
			return r.once&declared == 0 && !slices.ContainsFunc(r.heads, func(h *atom.Row) bool { return !out[h.Number()] })
		})
	}
	for _, at := range append([]*atom.Row{atom.Var, head}, atom.Rows()...) {
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

// made are the calls of a right side that are no functions: guards, and tensors in the shape of another.
var made = []string{"weak", "zero", "ones", "zeros", "eye", "scan"}

// Firing is one application of a rule at the top of a term.
type Firing struct {
	Rule          *text.Rule
	Before, After *combinators.Node
	Values        []denote.Binding
	Numbers       []denote.Number

	// What [Rules.Explain] tells besides: the rest of the substitution, and Before with Hole in the
	// place of what the rule's sides stand for.
	Sizes         []denote.SizeBinding
	Batch         int
	Guard         combinators.Guard
	Context, Hole *combinators.Node
}

// Reversed are the rules of a file from right to left: those that keep the domain, and whose right sides can be
// matched and bind all metavariables.
func Reversed(f *text.File) *Rules {
	rs := newRules(&text.File{Functions: f.Functions})
	for _, t := range f.Rules {
		if t.Domain != "" && t.Domain != "kept" || t.OnMaps() || t.Right.Op == text.Name && !t.Both {
			continue // or would be tried at any value
		}
		back := t.Reversed()
		if all, err := compileVariants(back); err == nil {
			rs.File.Rules = append(rs.File.Rules, back)
			for _, r := range all {
				rs.add(r)
			}
		}
	}
	return rs
}

// Apply applies the first rule that matches n at its top, once. It returns the result and the
// rule's name; ok is false where no rule matches. A rule whose result is n itself does not count.
func (rs *Rules) Apply(n *combinators.Node, facts *assumptions.Facts) (after *combinators.Node, name string, ok bool) {
	f, ok := rs.Fire(n, facts)
	if !ok {
		return n, "", false
	}
	return f.After, f.Rule.Name, true
}

// Fire is Apply with the bindings.
func (rs *Rules) Fire(n *combinators.Node, facts *assumptions.Facts) (Firing, bool) {
	return rs.fire(n, facts, false)
}

// Explain is Fire with all that a proof of the step needs.
func (rs *Rules) Explain(n *combinators.Node, facts *assumptions.Facts) (Firing, bool) {
	return rs.fire(n, facts, true)
}

func (rs *Rules) fire(n *combinators.Node, facts *assumptions.Facts, explain bool) (Firing, bool) {
	candidates := rs.byHead[n.Atom().Number()]
	if len(candidates) == 0 {
		return Firing{}, false
	}
	s := sieve{n: n, sum: n.Atom() == atom.Add}
	if met := rs.met[n.Atom().Number()]; !s.set(candidates) || s.once&met == 0 && met != ^uint64(0) {
		return Firing{}, false
	}
	if !slices.ContainsFunc(rs.needs[n.Atom().Number()], func(m needs) bool { return m.within(s.needs) }) { // most nodes have no operands that a rule asks for
		return Firing{}, false
	}
	first := slices.IndexFunc(candidates, func(r *rule) bool { return s.passes(r) })
	if first < 0 {
		return Firing{}, false
	}
	m := rs.pool.Get().(*matcher)
	defer rs.pool.Put(m)
	m.facts = facts
	for _, r := range candidates[first:] {
		if !s.passes(r) || !s.nested && !has(n, r.heads) || !m.match(r, n) {
			continue
		}
		if f, ok := m.firing(r, n, explain); ok {
			return f, true
		}
	}
	return Firing{}, false
}

// Each visits what the rules make of n at its top, in all the ways in which they match it, until visit is false.
func (rs *Rules) Each(n *combinators.Node, facts *assumptions.Facts, visit func(Firing) bool) {
	m := rs.pool.Get().(*matcher)
	defer func() {
		m.found = nil
		rs.pool.Put(m)
	}()
	m.facts = facts
	stopped := false
	m.found = func() bool {
		f, ok := m.firing(m.rule, n, true)
		stopped = stopped || ok && !visit(f)
		return stopped
	}
	for _, r := range rs.byHead[n.Atom().Number()] {
		if m.match(r, n); stopped {
			return
		}
	}
}

// A sieve is the quick test of the rules that may match a node, by marks of its operands.
type sieve struct {
	n            *combinators.Node
	sum, nested  bool  // a sum; one of which the addends are more than the operands
	needs              // what there is of the operands or addends, of which there may be two
	inner        parts // of the addends or operands, where that is known
	innerIsKnown bool
}

// set looks at the operands; it is false where none of the candidates can match.
func (s *sieve) set(candidates []*rule) bool {
	n := s.n
	if s.sum {
		kinds := n.Kinds()
		if !slices.ContainsFunc(candidates, func(r *rule) bool { return r.kinds&^kinds == 0 }) {
			return false
		}
		if s.nested = n.Addends() > 2 && n.Addends() <= maxAddends; s.nested {
			s.once = addendMarks(n)
			s.twice = s.once
			return true
		}
	}
	for _, a := range n.Args() {
		bit := mark(a.Atom())
		if a.Attributes() != 0 {
			bit |= declared
		}
		s.twice |= s.once & bit
		s.once |= bit
	}
	return true
}

// passes reports whether the node has operands that the rule asks for.
func (s *sieve) passes(r *rule) bool { return r.within(s.needs) && s.has(&r.inner) }

// has reports whether what the operands are made of is what a rule asks for.
func (s *sieve) has(inner *parts) bool {
	if *inner == (parts{}) {
		return true
	}
	if !s.innerIsKnown {
		s.innerIsKnown = true
		if s.sum {
			eachAddend(s.n, s.inner.add)
		} else {
			for _, a := range s.n.Args() {
				s.inner.add(a)
			}
		}
	}
	return s.inner.has(inner)
}

// firing applies a rule that has matched n; it reports false where that changes nothing, or has no value.
func (m *matcher) firing(r *rule, n *combinators.Node, explain bool) (Firing, bool) {
	env := m.env(n.Store())
	v, err := denote.ReadNode(n.Store(), r.right, env)
	if err != nil {
		return Firing{}, false // the right side has no value at these shapes: the rule does not apply
	}
	if v = m.replace(n, v); v == n || !slices.Equal(v.Shape(), n.Shape()) {
		return Firing{}, false
	}
	f := Firing{Rule: r.Rule, Before: n, After: v, Values: env.Values, Numbers: env.Numbers}
	if explain {
		f.Sizes, f.Batch, f.Guard = env.Sizes, env.Batch, env.Guard
		f.Hole = n.Store().Var("#hole", m.shape(n))
		f.Context = m.replace(n, f.Hole)
	}
	return f, true
}

// declared is the mark of variables with attributes, which it shares with a rare atom: a rule on products of variables that
// have some asks for it.
var declared = mark(atom.Split)

// mark is a bit for the atom, which it may share with another.
func mark(at *atom.Row) uint64 { return 1 << (at.Number() & 63) }

// has reports whether operands of n have all the atoms.
func has(n *combinators.Node, atoms []*atom.Row) bool {
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
func (m *matcher) env(s *combinators.Store) *denote.Env {
	e := &denote.Env{Guard: m.guard}
	for _, v := range m.rule.order {
		switch {
		case !v.number:
			n := m.values[v.slot]
			if v.slot < len(m.rule.turned) && m.rule.turned[v.slot] {
				n = n.Store().Einsum("ij->ji", n)
			}
			e.Values = append(e.Values, denote.Binding{Name: v.name, Value: n})
		case v.name[0] != '#':
			e.Numbers = append(e.Numbers, denote.Number{Name: v.name, Value: m.numbers[v.slot]})
		}
	}
	for _, g := range m.rule.given {
		if slices.ContainsFunc(m.rule.Vars, func(v text.Var) bool { return v.Name == g.Name && v.Type.Cod.IsNumber() }) {
			e.Numbers = append(e.Numbers, g)
		} else {
			e.Values = append(e.Values, denote.Binding{Name: g.Name, Value: s.Const(g.Value)})
		}
	}
	for i, n := range m.rule.sizeNames {
		if m.sizeSet[i] {
			e.Sizes = append(e.Sizes, denote.SizeBinding{Name: n, Size: m.sizes[i]})
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
