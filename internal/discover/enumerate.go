package discover

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/eval"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
	"frechet/rewrite/verify"
)

// An entry is a term that was met.
type entry struct {
	term    *text.Term
	size    int
	node    *combinators.Node // with a symbol for every size
	numeric *combinators.Node // with sizes that are numbers
	values  []string          // at each of the points; undefined where there is no value
}

// literal reports whether the term is a number, which has the shape of what it stands beside.
func (e *entry) literal() bool { return e.term.Op == text.Num }

// An enumeration is a search for laws.
type enumeration struct {
	ctx      context.Context
	o        *Options
	vars     []text.Var
	ops      []operation
	symbolic *denote.Env
	numbers  *denote.Env
	store    [2]*combinators.Store // of the symbolic terms, and of those in numbers
	points   []eval.Env
	known    *Known
	facts    *assumptions.Facts
	simplify *normal.Simplifier

	levels  [][]*entry // by size: those that are operands of larger terms
	seen    map[*combinators.Node]bool
	first   map[string]*entry // by what stands in keys
	guesses []guess           // of this size
	tried   map[string]bool
	laws    []*Law
	steps   []*text.Rule // that follow from what is known
	count   int
	limit   string
}

// A guess is that two terms are equal, at the points of this kind at least.
type guess struct {
	large, small *entry
	kind         kind
}

func newEnumeration(ctx context.Context, o *Options, vars []text.Var, ops []operation) (e *enumeration, err error) {
	e = &enumeration{ctx: ctx, o: o, vars: vars, ops: ops, known: o.Known, facts: assumptions.New(), levels: [][]*entry{nil},
		seen: map[*combinators.Node]bool{}, first: map[string]*entry{}, tried: map[string]bool{}}
	for i := range e.store {
		e.store[i] = combinators.NewStore()
		e.store[i].Stop = ctx.Done()
	}
	if e.symbolic, err = verify.Metavariables(e.store[0], vars, nil); err != nil {
		return nil, err
	}
	if e.numbers, err = verify.Metavariables(e.store[1], vars, []int64{2, 3, 4, 5}); err != nil {
		return nil, err
	}
	e.draw()
	e.renew()
	return e, nil
}

// run makes the terms of all sizes, and decides on the guesses of each.
func (e *enumeration) run() {
	defer func() {
		if r := recover(); r != nil {
			if _, stopped := r.(*combinators.Stopped); !stopped {
				panic(r)
			}
			e.stopped()
		}
	}()
	for size := 1; size <= e.o.Size && e.limit == ""; size++ {
		e.level(size)
		e.settle()
	}
	e.minimise()
}

// renew takes note of the laws that have been found.
func (e *enumeration) renew() { e.simplify = e.known.simplifier(e.store[0], e.facts) }

// The points: positive entries, nonnegative ones with zeros, entries that are not 0, and all.
type kind int

const (
	positive kind = iota
	nonnegative
	nonzero
	every
)

// kinds are those of the points, in turn, and ranges where their entries lie; an entry is 0, 1 or -1 where chosen is set.
var pointKinds = []struct {
	kind      kind
	low, high float64
	chosen    []float64
}{
	{positive, 0.1, 0.95, nil}, {positive, 0.2, 1.9, nil}, {nonnegative, 0, 0, []float64{0, 1, 0.5}},
	{nonzero, -0.95, -0.1, nil}, {nonzero, -1.9, 1.9, nil}, {every, 0, 0, []float64{0, 1, -1}},
}

func (e *enumeration) draw() {
	r := rand.New(rand.NewPCG(5, 6))
	for _, p := range pointKinds {
		env := eval.Env{}
		for _, b := range e.numbers.Values {
			shape := []int{}
			for _, d := range b.Value.Shape() {
				n, _ := d.Int()
				shape = append(shape, int(n))
			}
			x := eval.NewTensor(shape...)
			for i := range x.Data {
				if x.Data[i] = p.low + (p.high-p.low)*r.Float64(); p.chosen != nil {
					x.Data[i] = p.chosen[r.IntN(len(p.chosen))]
				}
			}
			env[b.Name] = x
		}
		e.points = append(e.points, env)
	}
}

const undefined = "-"

// values are what a term is at the points: a number where all entries are that number.
func (e *enumeration) values(n *combinators.Node) []string {
	all := combinators.Topo(n)
	out := make([]string, len(e.points))
	for i, env := range e.points {
		out[i] = undefined
		parts, err := eval.Reference(e.ctx, all, env, nil)
		if err != nil || slices.ContainsFunc(parts, func(x *eval.Tensor) bool { return slices.ContainsFunc(x.Data, wild) }) {
			continue
		}
		out[i] = written(parts[len(parts)-1])
	}
	return out
}

// wild: the entry is no number, or so large that functions of it may differ by less than is looked at: tanh(20) and 1.
func wild(x float64) bool { return math.IsNaN(x) || math.Abs(x) > 14 }

// written is a value with the digits that rounding leaves.
func written(x *eval.Tensor) string {
	digits := func(v float64) string {
		if math.Abs(v) < 1e-9 {
			return "0"
		}
		return strconv.FormatFloat(v, 'g', 7, 64)
	}
	var parts []string
	for _, v := range x.Data {
		parts = append(parts, digits(v))
	}
	if all := slices.Compact(slices.Clone(parts)); len(all) == 1 {
		return all[0]
	}
	return fmt.Sprint(x.Shape, parts)
}

// level makes the terms of one size.
func (e *enumeration) level(size int) {
	e.levels = append(e.levels, nil)
	if size == 1 {
		for _, b := range e.symbolic.Values {
			e.make(operation{forms: []*text.Term{text.NewName(b.Name)}})
		}
		for _, n := range []int64{0, 1} { // what a law may say a term is
			e.make(operation{forms: []*text.Term{text.NewInt(n)}})
		}
	}
	for _, o := range e.ops {
		rest := size - (nodes(o.forms[0]) - o.arity)
		switch {
		case o.arity == 0 && rest == 0:
			e.make(o)
		case o.arity == 1 && 0 < rest && rest < len(e.levels):
			for _, a := range e.levels[rest] {
				e.make(o, a)
			}
		case o.arity == 2:
			for i := 1; i < rest; i++ {
				for _, a := range e.levels[i] {
					for _, b := range e.levels[rest-i] {
						e.make(o, a, b)
					}
				}
			}
		}
	}
}

// make makes a term of operands, and guesses what it is equal to.
func (e *enumeration) make(o operation, args ...*entry) {
	if e.limit != "" {
		return
	}
	if len(args) > 0 && !slices.ContainsFunc(args, func(a *entry) bool { return !a.literal() }) {
		return
	}
	t := e.build(o, args)
	if t == nil || e.seen[t.node] {
		return
	}
	e.seen[t.node] = true
	if e.count++; e.count > e.o.Terms {
		e.limit = fmt.Sprintf("%d terms were looked at, which is the limit; not all of %d nodes are among them", e.o.Terms, t.size)
		return
	}
	if e.stopped() {
		return
	}
	if e.o.Progress != nil {
		e.o.Progress(e.count, e.o.Terms)
	}
	m := e.simplify.Simplify(t.node)[0]
	if m != t.node && e.seen[m] || m.Order() == t.node.Order() && e.constant(m, t) {
		return // known to equal another one
	}
	e.seen[m] = true
	if t.values = e.values(t.numeric); e.guessed(t) {
		return
	}
	if len(args) > 0 || !t.literal() || slices.ContainsFunc(e.ops, func(o operation) bool { return text.Equal(o.forms[0], t.term) }) {
		e.levels[len(e.levels)-1] = append(e.levels[len(e.levels)-1], t)
	}
}

// constant: the normal form is a number that a law needs not tell.
func (e *enumeration) constant(m *combinators.Node, t *entry) bool {
	_, ok := m.Filled()
	return ok && !t.literal()
}

func (e *enumeration) stopped() bool {
	switch err := e.ctx.Err(); {
	case e.limit != "" || err == nil:
	case errors.Is(err, context.DeadlineExceeded):
		e.limit = fmt.Sprintf("the limit on time was reached after %d terms", e.count)
	default:
		e.limit = fmt.Sprintf("it was stopped after %d terms", e.count)
	}
	return e.limit != ""
}

// build is the term of an operation at operands; nil where it has no type.
func (e *enumeration) build(o operation, args []*entry) *entry {
	var bound [2]denote.Env
	for i, env := range []*denote.Env{e.symbolic, e.numbers} {
		bound[i] = *env
		bound[i].Values = slices.Clip(env.Values)
	}
	terms, literals := map[string]*text.Term{}, map[string]*text.Term{}
	for i, a := range args {
		terms[operands[i]] = a.term
		if a.literal() {
			literals[operands[i]] = a.term
			continue
		}
		bound[0].Values = append(bound[0].Values, denote.Binding{Name: operands[i], Value: a.node})
		bound[1].Values = append(bound[1].Values, denote.Binding{Name: operands[i], Value: a.numeric})
	}
	for _, f := range o.forms {
		open := text.Substitute(f, literals)
		n, err := denote.ReadNode(e.store[0], open, &bound[0])
		if err != nil {
			continue
		}
		m, err := denote.ReadNode(e.store[1], open, &bound[1])
		if err != nil {
			continue
		}
		t := &entry{term: text.Substitute(f, terms), node: n, numeric: m}
		t.size = nodes(t.term)
		return t
	}
	return nil
}

// guessed notes what a term may be equal to, by its values at all points, and else by those at positive or at negative ones. It reports whether it is taken to be equal to another one wherever both have values.
func (e *enumeration) guessed(t *entry) bool {
	keys := []string{strings.Join(t.values, "|"), "positive " + t.values[0]}
	if t.values[0] == undefined {
		keys[1] = "negative " + t.values[3]
	}
	if !slices.ContainsFunc(t.values, func(v string) bool { return v != undefined }) {
		return true // no law speaks of it
	}
	if t.values[0] == undefined && t.values[3] == undefined {
		keys = keys[:1]
	}
	equal := false
	var others []*entry
	for i, k := range keys {
		o := e.first[k]
		if o == nil {
			e.first[k] = t
			continue
		}
		if !slices.Contains(others, o) && (o.literal() || slices.Equal(o.node.Shape(), t.node.Shape())) {
			others = append(others, o)
			e.guesses = append(e.guesses, guess{t, o, agreement(t.values, o.values)})
		}
		equal = equal || i == 0
	}
	return equal
}

// agreement is the largest kind of points at which two terms agree wherever both have a value.
func agreement(a, b []string) kind {
	agree := [every + 1]bool{true, true, true, true}
	for i, p := range pointKinds {
		if a[i] != b[i] && a[i] != undefined && b[i] != undefined {
			agree[p.kind] = false
		}
	}
	switch {
	case agree[nonnegative] && agree[nonzero] && agree[every]:
		return every
	case agree[nonzero]:
		return nonzero
	case agree[nonnegative]:
		return nonnegative
	}
	return positive
}

// names are the metavariables of terms, in the order of their declaration.
func (e *enumeration) names(terms ...*text.Term) (names []string) {
	used := map[string]bool{}
	for _, t := range terms {
		text.Walk(t, func(u *text.Term) bool {
			used[u.Name] = used[u.Name] || u.Op == text.Name
			return true
		})
	}
	maps.DeleteFunc(used, func(_ string, is bool) bool { return !is })
	for _, v := range e.vars {
		if used[v.Name] {
			names = append(names, v.Name)
		}
	}
	return names
}
