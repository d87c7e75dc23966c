package rewrite

import (
	"fmt"
	"maps"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
)

// ClosedRules is a set of rules on closed combinators, ready to be applied.
type ClosedRules struct {
	File *text.File // as read: for listing and for documents

	rules   []*closedRule
	natives map[string]denote.Native // a rule file states the law of each by a schema of its name
}

type closedRule struct {
	*text.Rule
	vars map[string]*text.Type // metavariables with a type
	free map[string]bool       // sizes, index sets, spaces
	head headKey
	text bool // the right side has sections or functions in it
}

// LoadClosedRules reads a rule file whose rules are on closed combinators. Calls on right sides
// that are no constructor and no metavariable name natives; each of them must have its schema in
// the file, and each schema its native. The error says which rule is wrong, and why.
func LoadClosedRules(src string, natives map[string]denote.Native, scope ...*atom.Scope) (*ClosedRules, error) {
	f, err := text.ParseRules(src, scope...)
	if err != nil {
		return nil, err
	}
	rs := &ClosedRules{File: f, natives: natives}
	stated := map[string]bool{}
	for _, n := range f.Natives {
		if natives[n.Step] == nil {
			return nil, &text.Error{Pos: n.Pos, Message: fmt.Sprintf("native %s: there is no step %s", n.Name, n.Step)}
		}
		stated[n.Step] = true
	}
	for _, t := range f.Rules {
		r := &closedRule{Rule: t, vars: map[string]*text.Type{}, free: map[string]bool{}}
		for _, v := range t.Vars {
			if v.Type == nil {
				r.free[v.Name] = true
			} else {
				r.vars[v.Name] = v.Type
			}
		}
		if err := r.check(stated); err != nil {
			return nil, &text.Error{Pos: t.Pos, Message: fmt.Sprintf("rule %s: %v", t.Name, err)}
		}
		rs.rules = append(rs.rules, r)
	}
	return rs, nil
}

// MustLoadClosedRules is LoadClosedRules for the files of the program itself; it panics on an
// error.
func MustLoadClosedRules(src string, natives map[string]denote.Native) *ClosedRules {
	r, err := LoadClosedRules(src, natives)
	if err != nil {
		panic("rewrite: " + err.Error())
	}
	return r
}

// headKey is a quick test before matching: the constructor of a term, and that of its first part
// where the pattern says it.
type headKey struct{ op, first int }

const anyOp = -1

func (h headKey) fits(m combinators.Map) bool {
	if int(m.Op()) != h.op {
		return false
	}
	return h.first == anyOp || len(m.Maps()) > 0 && int(m.Maps()[0].Op()) == h.first
}

// check finds names without a meaning, and the head of the left side.
func (r *closedRule) check(stated map[string]bool) error {
	op, err := r.opOf(r.Left)
	if err != nil {
		return err
	}
	if op == anyOp {
		return fmt.Errorf("the left side %s is no constructor", r.Left)
	}
	r.head = headKey{op, anyOp}
	inner := r.Left
	if inner.Op == text.Apply {
		inner = inner.Args[0]
	}
	if len(inner.Args) > 0 && inner.Op != text.Family {
		if r.head.first, err = r.opOf(inner.Args[0]); err != nil {
			r.head.first = anyOp // a value
		}
	}
	onLeft := map[string]bool{}
	text.Walk(r.Left, func(t *text.Term) bool {
		onLeft[t.Name] = true
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(r.vars)) {
		if !onLeft[name] {
			return fmt.Errorf("%s does not occur on the left side", name)
		}
	}
	return r.known(onLeft, stated)
}

// known checks that the names on the right side stand for something.
func (r *closedRule) known(onLeft, stated map[string]bool) (err error) {
	scope := map[string]bool{}
	text.Walk(r.Right, func(t *text.Term) bool {
		for _, n := range t.Names {
			scope[n] = true
		}
		known := t.Name == "" || isFunction(t) || r.vars[t.Name] != nil || onLeft[t.Name] || scope[t.Name] || stated[t.Name] || text.Constructors[t.Name] ||
			t.Op == text.Family
		if head, _ := text.Component(t); head != "" {
			known = true
		}
		r.text = r.text || t.Op == text.Hole || isFunction(t)
		if !known && err == nil {
			err = fmt.Errorf("%s on the right side has no meaning", t.Name)
		}
		return true
	})
	return err
}

// isFunction: t names a function, declared or of the table.
func isFunction(t *text.Term) bool {
	at := t.Row()
	return at != nil && at.Class >= atom.ClassLinear
}

// opOf is the constructor that a pattern fixes, or anyOp.
func (r *closedRule) opOf(t *text.Term) (int, error) {
	if op, ok := PatternOp(t); ok {
		return int(op), nil
	}
	if t.Op == text.Call && t.Name == "leaf" || t.Op == text.Name && r.vars[t.Name] != nil {
		return anyOp, nil
	}
	return anyOp, fmt.Errorf("%s cannot stand on the left side", t)
}

// PatternOp is the constructor that a pattern of a rule's left side fixes; ok is false where it
// fixes none, as a metavariable.
func PatternOp(t *text.Term) (op combinators.MapOp, ok bool) {
	switch t.Op {
	case text.Compose:
		return combinators.MapCompose, true
	case text.Pair:
		return combinators.MapPair, true
	case text.Product:
		return combinators.MapProduct, true
	case text.Copair:
		return combinators.MapCopair, true
	case text.Add:
		return combinators.MapSum, true
	case text.Copower:
		return combinators.MapCopower, true
	case text.Num:
		return combinators.MapZero, t.Rat.Sign() == 0
	case text.Family:
		op, ok = map[string]combinators.MapOp{"pair": combinators.MapPair, "prod": combinators.MapProduct, "copair": combinators.MapCopair}[t.Name]
		return op, ok
	case text.Apply:
		return combinators.MapDerivative, t.Args[0].Op == text.Call && t.Args[0].Name == "D"
	case text.Call:
		op, ok = map[string]combinators.MapOp{"adjoint": combinators.MapAdjoint, "K": combinators.MapConst,
			"contraction": combinators.MapEin, "atom": combinators.MapAtom}[t.Name]
		return op, ok
	case text.Name:
		switch head, _ := text.Component(t); {
		case t.Function != nil:
			return combinators.MapAtom, true
		case t.Name == "id":
			return combinators.MapID, true
		case head == "pi":
			return combinators.MapProj, true
		case head == "iota":
			return combinators.MapInj, true
		}
	}
	return 0, false
}

// ClosedFiring is one application of a rule at the top of a closed term.
type ClosedFiring struct {
	Rule            *text.Rule
	Before, After   combinators.Map
	Outer           bool // made before the parts of the term, and of a composition that it begins, were in normal form
	denote.MapSubst      // of the rule's metavariables
}

// Fire applies the first rule that matches m at its top, once.
func (rs *ClosedRules) Fire(m combinators.Map) (ClosedFiring, bool, error) {
	for _, r := range rs.rules {
		if !r.head.fits(m) {
			continue
		}
		c := &closedMatch{rule: r, rules: rs, store: m.Store()}
		if !c.mapPattern(r.Left, m) || !c.holds() {
			continue
		}
		after, err := c.build(m)
		if err != nil {
			return ClosedFiring{}, false, fmt.Errorf("rule %s: %w", r.Name, err)
		}
		if after == m {
			continue
		}
		return ClosedFiring{Rule: r.Rule, Before: m, After: after, MapSubst: c.MapSubst}, true, nil
	}
	return ClosedFiring{}, false, nil
}

// Match names the first rule whose left side is m, with its conditions.
func (rs *ClosedRules) Match(m combinators.Map) (name string, ok bool) {
	for _, r := range rs.rules {
		c := &closedMatch{rule: r, rules: rs, store: m.Store()}
		if r.head.fits(m) && c.mapPattern(r.Left, m) && c.holds() {
			return r.Name, true
		}
	}
	return "", false
}

// ClosedEngine normalises closed terms: innermost, memoised by term, under a budget of firings, as
// [Engine] does values.
type ClosedEngine struct {
	Rules  []*ClosedRules
	Outer  []*ClosedRules // tried at a term, and at the first link of a composition, before parts are in normal form
	Budget int            // 0 is no bound
	Trace  func(ClosedFiring)
	Fired  int

	normal, next map[combinators.Map]combinators.Map
	replaced     map[combinators.Map]combinators.Map // by outer rules
	last         string                              // the rule that fired last
}

// Normalize is the normal form of root. The error is that of a native step or of an application, or says
// that the rules do not come to an end.
func (e *ClosedEngine) Normalize(root combinators.Map) (combinators.Map, error) {
	if e.normal == nil {
		e.normal, e.next = map[combinators.Map]combinators.Map{}, map[combinators.Map]combinators.Map{}
		e.replaced = map[combinators.Map]combinators.Map{}
	}
	stack := []combinators.Map{root}
	waiting := map[combinators.Map]bool{} // for a term that stands above on the stack
	for len(stack) > 0 {
		m := stack[len(stack)-1]
		if _, done := e.normal[m]; done {
			stack = stack[:len(stack)-1]
			delete(waiting, m)
			continue
		}
		if n, ok := e.next[m]; ok {
			if done, ok := e.normal[n]; ok {
				e.normal[m] = done
				continue
			}
			waiting[m] = true
			if stack = append(stack, n); waiting[n] {
				return m, e.endless()
			}
			continue
		}
		if n, err := e.outer(m); err != nil {
			return m, err
		} else if n != m {
			e.next[m] = n
			continue
		}
		below := len(stack)
		parts := make([]combinators.Map, len(m.Maps()))
		for k := len(parts) - 1; k >= 0; k-- {
			var ok bool
			if parts[k], ok = e.normal[m.Maps()[k]]; !ok {
				if stack = append(stack, m.Maps()[k]); waiting[m.Maps()[k]] {
					return m, e.endless()
				}
			}
		}
		if len(stack) > below {
			waiting[m] = true
			continue
		}
		if err := e.inner(m, m.With(parts)); err != nil {
			return m, err
		}
	}
	return e.normal[root], nil
}

// inner notes what m becomes, which is n with its parts in normal form: by a rule, where these have not changed.
func (e *ClosedEngine) inner(m, n combinators.Map) (err error) {
	if n == m {
		if n, err = e.step(e.Rules, m, false); err != nil {
			return err
		}
	} else if e.open(n) {
		n = m
	}
	if n == m {
		e.normal[m] = m
	} else {
		e.next[m] = n
	}
	return nil
}

func (e *ClosedEngine) endless() error {
	return fmt.Errorf("the rules do not come to an end: what %s makes of a term holds the term again", e.last)
}

// outer applies an outer rule at m, or else at its first link where it is a composition: a chain that is
// reversed grows at its end, and is never gone through again.
func (e *ClosedEngine) outer(m combinators.Map) (combinators.Map, error) {
	n, err := e.outermost(m)
	if err != nil || n != m || m.Op() != combinators.MapCompose {
		return n, err
	}
	first := m.Maps()[0]
	if n, err = e.outermost(first); err != nil || n == first {
		return m, err
	}
	return m.With([]combinators.Map{n, m.Maps()[1]}), nil
}

// outermost applies an outer rule at m, once for all places.
func (e *ClosedEngine) outermost(m combinators.Map) (combinators.Map, error) {
	if n, ok := e.replaced[m]; ok {
		return n, nil
	}
	n, err := e.step(e.Outer, m, true)
	if err == nil && n != m {
		e.replaced[m], e.next[m] = n, n
	}
	return n, err
}

// open reports whether m is in progress: a rule that leads back to it has made a circle.
func (e *ClosedEngine) open(m combinators.Map) bool {
	_, begun := e.next[m]
	_, done := e.normal[m]
	return begun && !done
}

func (e *ClosedEngine) step(rules []*ClosedRules, m combinators.Map, outer bool) (combinators.Map, error) {
	for _, rs := range rules {
		if e.Budget > 0 && e.Fired >= e.Budget {
			return m, fmt.Errorf("the rules were applied %d times and did not come to an end", e.Fired)
		}
		f, ok, err := rs.Fire(m)
		if err != nil {
			return m, err
		}
		if ok && f.After != m && e.open(f.After) {
			return m, nil // a circle: the term stays
		}
		if ok {
			e.Fired++
			e.last = f.Rule.Name
			if f.Outer = outer; e.Trace != nil {
				e.Trace(f)
			}
			return f.After, nil
		}
	}
	return m, nil
}
