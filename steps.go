package frechet

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"frechet/adjoint"
	"frechet/combinators"
	algebra "frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/export/latex"
	"frechet/rewrite"
	"frechet/rewrite/normal"
	"frechet/rewrite/replay"
	"frechet/syntax"
	"frechet/syntax/unparse"
)

// A Derivation is a calculation: the derivative of a program's expression and its adjoint, rule by
// rule, in the style of Elsman et al.: D(f)(x) by the rules of Theorem 4.1, its adjoint by those of
// Theorem 6.5, each applied to a variable and simplified by the algebra of values.
type Derivation struct {
	f     *Func
	wrt   []string
	parts []part
}

// A part of a derivation is one calculation, from its first line on.
type part struct {
	name  string
	kind  replay.Kind
	fresh []*combinators.Node // variables that occur in no part before
	point []*combinators.Node // the argument of the program's map, in the first part on maps
	lines []Step
}

// A Step is a line of a derivation. The first line of each part has no rule.
type Step struct {
	Part   string // program, derivative, derivative at dx, adjoint, gradient, adjoint at w
	Rule   string // the rule's name, as in the rule files
	Detail string // of a rule for all functions: the function
	Source string // where the law is stated
	// Ordering says that the step only changes an order: of compositions, or of operands.
	Ordering bool

	f     *Func
	m     combinators.Map // of a line that is a map
	ns    []*combinators.Node
	proof replay.Step
}

// Steps derives the program's one expression with respect to variables, all of its arguments where
// none is named. A linear map that is given as such, without variables, is only transposed.
func (f *Func) Steps(wrt ...string) (d *Derivation, err error) {
	defer guard(&err)
	d = &Derivation{f: f, wrt: wrt}
	if f.closed == nil {
		if err := d.program(); err != nil {
			return nil, err
		}
	}
	x, err := f.by(wrt)
	if err != nil {
		return nil, err
	}
	s := f.prog.Store
	if f.closed == nil {
		// the expression is simplified before it is differentiated
		b := &combinators.Block{Store: s, Params: x.at.Leaves(), Outs: d.last()}
		x.m = combinators.Readback(b)
	}
	l, linear := x.m.Linear()
	if len(wrt) > 0 || !linear {
		l, err = d.closed(replay.KindDerivative, s.Derivative(x.m, x.at))
		if err != nil {
			return nil, err
		}
		if err := d.applied(replay.KindDerivativeAt, l.Map, "d"); err != nil {
			return nil, err
		}
	}
	if l, err = d.closed(replay.KindAdjoint, s.Adjoint(l)); err != nil {
		return nil, err
	}
	for i := range d.parts {
		if q := &d.parts[i]; q.lines[0].onMaps() {
			q.point = x.at.Leaves()
			break
		}
	}
	return d, d.applied(replay.KindAdjointAt, l.Map, "w")
}

// program simplifies the expression.
func (d *Derivation) program() error {
	if len(d.f.prog.Outputs) != 1 {
		return fmt.Errorf("the program has %d expressions; one is needed", len(d.f.prog.Outputs))
	}
	return d.simplify(part{name: "program", kind: replay.KindProgram}, []*combinators.Node{d.f.prog.Outputs[0].Node})
}

// last is the last line of the last part, a line of values.
func (d *Derivation) last() []*combinators.Node {
	lines := d.parts[len(d.parts)-1].lines
	return lines[len(lines)-1].ns
}

// closed works a linear map out by the rules on closed combinators.
func (d *Derivation) closed(kind replay.Kind, l combinators.Linear) (combinators.Linear, error) {
	name := string(kind)
	p := part{name: name, kind: kind, lines: []Step{{Part: name, f: d.f, m: l.Map}}}
	var fired []rewrite.ClosedFiring
	after, err := adjoint.ClosedSimplify(l.Map, func(f rewrite.ClosedFiring) { fired = append(fired, f) })
	if err != nil {
		return l, err
	}
	if len(fired) > maxSteps {
		return l, tooManySteps()
	}
	c := &calculation{made: map[combinators.Map]bool{}, fired: map[combinators.Map]rewrite.ClosedFiring{}, now: l.Map}
	for _, f := range fired {
		c.fired[f.Before] = f
	}
	for _, f := range fired {
		for _, made := range c.make(f) {
			p.lines = append(p.lines, Step{Part: name, Rule: made.Rule.Name, Detail: atomOf(made.Before), Source: made.Rule.Source,
				Ordering: made.Rule.Name == "C-assoc", f: d.f, m: made.now, proof: mapProof(made.ClosedFiring)})
		}
		if len(p.lines) > maxSteps {
			return l, tooManySteps()
		}
	}
	if c.now != after {
		return l, placeless(codeInternal, "the steps of the %s do not lead to its normal form", name)
	}
	out, ok := after.Linear()
	if !ok {
		return l, placeless(codeInternal, "a linear map became one that is not")
	}
	d.parts = append(d.parts, p)
	return out, nil
}

// maxSteps bounds a part of a derivation: each line shows the whole term.
const maxSteps = 2_000

func tooManySteps() error {
	return syntax.NewError("L006", "the derivation has a part of more than %d steps", maxSteps).
		Helpf("derive a part of the program; frechet diff prints the result alone")
}

// atomOf names the function of the rules that hold for all of them.
func atomOf(before combinators.Map) string {
	if len(before.Maps()) == 1 && before.Maps()[0].Op() == combinators.MapAtom {
		return before.Maps()[0].Atom().Name
	}
	return ""
}

// A calculation is a map in which rules are applied. The rules see a term once; in the map it is
// rewritten wherever it stands, and again wherever a later step brings it back.
type calculation struct {
	fired map[combinators.Map]rewrite.ClosedFiring // by what they rewrite
	made  map[combinators.Map]bool                 // those that the calculation has come to
	now   combinators.Map
}

// A madeFiring is an application of a rule with the map after it.
type madeFiring struct {
	rewrite.ClosedFiring
	now combinators.Map
}

// make applies a rule where its left side stands, and then those that have been applied before.
// There are no steps where the left side does not stand in the map: an outer step has dropped it.
func (c *calculation) make(f rewrite.ClosedFiring) (out []madeFiring) {
	c.made[f.Before] = true
	for len(out) < maxSteps {
		next, ok := c.next()
		if !ok {
			break
		}
		f := c.fired[next]
		c.made[next] = true
		c.now = combinators.ReplaceMap(c.now, f.Before, f.After)
		out = append(out, madeFiring{f, c.now})
	}
	return out
}

// next is the first term of the map that is to be rewritten: the innermost one, unless it stands
// in one that a rule rewrites before its parts.
func (c *calculation) next() (next combinators.Map, ok bool) {
	inside := map[combinators.Map]bool{}
	for _, m := range combinators.TopoMaps(c.now) {
		if !ok {
			if !c.made[m] {
				continue
			}
			next, ok = m, true
		}
		inside[m] = m == next
		for _, part := range m.Maps() {
			inside[m] = inside[m] || inside[part]
		}
		if _, fired := c.fired[m]; fired && inside[m] {
			next = m
		}
	}
	return next, ok
}

// applied is the linear map at new variables: at 1 for the adjoint of the derivative of a scalar,
// which gives the gradient.
func (d *Derivation) applied(kind replay.Kind, m combinators.Map, base string) error {
	s := d.f.prog.Store
	if base == "w" && m.Dom().Equal(combinators.Space{}) {
		y, err := s.ApplyMap(m, s.Value(s.Int(1)))
		if err != nil {
			return err
		}
		return d.simplify(part{name: "gradient", kind: replay.KindGradient}, y.Leaves())
	}
	var names []string
	c := &ClosedMap{d.f, "", m}
	v := c.fresh(base, m.Dom(), &names)
	y, err := s.ApplyMap(m, v)
	if err != nil {
		return err
	}
	return d.simplify(part{name: string(kind) + " " + strings.Join(names, ", "), kind: kind, fresh: v.Leaves()}, y.Leaves())
}

// simplify brings values to normal form, and by the user's rules where there are any.
func (d *Derivation) simplify(p part, nodes []*combinators.Node) error {
	p.lines = []Step{{Part: p.name, f: d.f, ns: nodes}}
	// derivatives are of interest where the program is defined
	facts := rewrite.NewFacts()
	if p.kind != replay.KindProgram {
		for _, o := range d.f.prog.Outputs {
			facts.Learn(o.Node)
		}
	}
	// A step of a shared term may be made where another use of it needs none; the line that is
	// reached is then no normal form, and the calculation goes on from there.
	now := nodes
	for round := 0; ; round++ {
		var fired []normal.Step
		out, err := d.normal(now, facts, func(t normal.Step) { fired = append(fired, t) })
		if err != nil {
			return err
		}
		if len(fired) > maxSteps {
			return tooManySteps()
		}
		c := &valueCalculation{now: now}
		for _, t := range fired {
			for _, made := range c.make(t) {
				p.lines = append(p.lines, Step{Part: p.name, Rule: made.Rule, Source: d.sourceOf(made.Step), f: d.f, ns: made.now, proof: valueProof(made.Step)})
			}
			if len(p.lines) > maxSteps {
				return tooManySteps()
			}
		}
		if same(c.now, out) {
			break
		}
		if same(c.now, now) || round == maxRounds {
			return placeless(codeInternal, "the steps of the %s do not lead to its normal form", p.name)
		}
		now = c.now
	}
	// a step that shows no difference has changed the order of operands
	for i := range p.lines[1:] {
		before, after := &p.lines[i], &p.lines[i+1]
		after.Ordering = before.Text("text") == after.Text("text")
	}
	d.parts = append(d.parts, p)
	return nil
}

// maxRounds bounds how often a calculation goes on from a line that is no normal form.
const maxRounds = 10

// normal is the normal form of nodes; trace is told of its steps.
func (d *Derivation) normal(nodes []*combinators.Node, facts *rewrite.Facts, trace func(normal.Step)) ([]*combinators.Node, error) {
	z := normal.New(d.f.prog.Store, facts)
	pass := 0
	z.Trace = func(t normal.Step) {
		t.Pass += pass
		trace(t)
	}
	out := z.Simplify(nodes...)
	u := d.f.opt.rules
	if u == nil {
		return out, nil
	}
	left := userFirings
	for range userRounds {
		pass += userPasses
		e := &rewrite.Engine{Rules: []*rewrite.Rules{u.rules}, Facts: facts, Budget: left, Trace: func(f rewrite.Firing) {
			trace(normal.Step{Rule: f.Rule.Name, Before: f.Before, After: f.After, Firing: &f, Pass: pass})
		}}
		next := e.Normalize(out...)
		if e.Exhausted {
			return nil, tooManyFirings()
		}
		left = max(left-e.Fired, 1)
		if next = z.Simplify(next...); same(next, out) {
			break
		}
		out = next
	}
	return out, nil
}

// userPasses is more than the passes that a normal form takes.
const userPasses = 1_000

// A valueCalculation is a list of values in which steps are made. In one pass a term that has been
// rewritten is rewritten again, in the same way, wherever a later step brings it back.
type valueCalculation struct {
	now  []*combinators.Node
	pass int
	made map[*combinators.Node]normal.Step
	left map[*combinators.Node]bool
	seen [][]*combinators.Node // the lines of the pass
}

// A madeStep is a step with the values after it.
type madeStep struct {
	normal.Step
	now []*combinators.Node
}

// make makes a step, and those that follow from earlier ones of the pass. There are none where
// what the step rewrites is not there: an outer step has dropped it. Nor is a term rewritten where
// that leads back: it is a part that a step has made and left as it is.
func (c *valueCalculation) make(t normal.Step) (out []madeStep) {
	if t.Pass != c.pass || c.made == nil {
		c.pass, c.made, c.left = t.Pass, map[*combinators.Node]normal.Step{}, map[*combinators.Node]bool{}
		c.seen = [][]*combinators.Node{c.now}
	}
	c.made[t.Before] = t
	try := func(t normal.Step, again bool) bool {
		next := combinators.Replace(c.now, t.Before, t.After)
		if same(next, c.now) || again && slices.ContainsFunc(c.seen, func(old []*combinators.Node) bool { return same(next, old) }) {
			return false
		}
		c.seen = append(c.seen, next)
		c.now = next
		out = append(out, madeStep{t, next})
		return true
	}
	try(t, false)
	for again := true; again && len(out) < maxSteps; {
		again = false
		for _, n := range combinators.Topo(c.now...) {
			if t, ok := c.made[n]; ok && !c.left[n] {
				if again = try(t, true); again {
					break
				}
				c.left[n] = true
			}
		}
	}
	return out
}

func same(a, b []*combinators.Node) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// ruleSources has the source of each native schema of the algebra of values.
var ruleSources = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	if f, err := text.ParseRules(algebra.Algebra); err == nil {
		for _, n := range f.Natives {
			out[n.Name] = n.Source
		}
	}
	return out
})

// sourceOf is where the rule or schema of a step is stated.
func (d *Derivation) sourceOf(t normal.Step) string {
	if t.Firing != nil {
		return t.Firing.Rule.Source
	}
	return ruleSources()[t.Rule]
}

// Steps gives the lines of all parts in order.
func (d *Derivation) Steps() iter.Seq[Step] {
	return func(yield func(Step) bool) {
		for _, p := range d.parts {
			for _, s := range p.lines {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// onMaps says whether the line is a map, else it is values: none, where the space is the unit's.
func (s Step) onMaps() bool { return s.m != (combinators.Map{}) }

// Text is what stands on the line: in "text" and "unicode" a closed map in combinator notation, or
// formulas; in "latex" the same for LaTeX's mathematics.
func (s Step) Text(format string) string {
	if s.onMaps() {
		switch format {
		case "latex":
			return latex.Closed(text.Closed(s.m))
		case "unicode":
			return text.PrintClosed(s.m, true)
		}
		return text.PrintClosed(s.m, false)
	}
	return s.values(format)
}

// values prints values as formulas, with what they share behind them, or, where a value has no
// formula, as terms.
func (s Step) values(format string) string {
	stmts, err := unparse.Program(s.ns, unparse.Options{Taken: s.f.names(), Open: s.f.open()})
	if err != nil || format == "latex" && len(stmts) > len(s.ns) {
		var parts []string
		for _, n := range s.ns {
			if format == "latex" {
				parts = append(parts, latex.Closed(text.Value(n)))
			} else {
				parts = append(parts, text.Printer{Unicode: format == "unicode"}.Print(text.Value(n)))
			}
		}
		return tuple(parts, format)
	}
	var parts, where []string
	for _, st := range stmts {
		e := ""
		if format != "latex" {
			e = syntax.Print(st.Expr)
		} else if e, err = s.f.latex([]syntax.Stmt{{Kind: syntax.Expression, Expr: st.Expr}}); err != nil {
			e = latex.Words(syntax.Print(st.Expr))
		}
		if st.Kind == syntax.Let {
			where = append(where, st.Name.Name+" = "+e)
		} else {
			parts = append(parts, e)
		}
	}
	out := tuple(parts, format)
	if len(where) > 0 {
		out += "\nwhere " + strings.Join(where, "\n      ")
	}
	return out
}

// tuple is one part alone, or several in parentheses.
func tuple(parts []string, format string) string {
	switch {
	case len(parts) == 1:
		return parts[0]
	case format == "latex":
		return "\\left(" + strings.Join(parts, ",\\ ") + "\\right)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Reason is the rule as it stands in braces: its name, the function it is for, and its source.
func (s Step) Reason() string {
	r := s.Rule
	if s.Detail != "" {
		r += " " + s.Detail
	}
	if s.Source != "" {
		r += ": " + s.Source
	}
	return r
}

// Text prints the derivation as a calculation, a line for each step with its reason in braces, in
// "text", "unicode" or "latex". Steps that only change an order are left out unless all is set.
func (d *Derivation) Text(format string, all bool) string {
	var b strings.Builder
	for i, p := range d.parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		if format == "latex" {
			fmt.Fprintf(&b, "%% %s\n\\begin{align*}\n&\\phantom{{}={}} %s", p.name, p.lines[0].Text(format))
		} else {
			fmt.Fprintf(&b, "# %s\n   %s\n", p.name, indent(p.lines[0].Text(format)))
		}
		for _, s := range d.shown(p, all) {
			if format == "latex" {
				fmt.Fprintf(&b, " \\\\\n&= \\quad \\{\\text{%s}\\} \\\\\n&\\phantom{{}={}} %s", latex.Words(s.Reason()), s.Text(format))
			} else {
				fmt.Fprintf(&b, "=    { %s }\n   %s\n", s.Reason(), indent(s.Text(format)))
			}
		}
		if format == "latex" {
			b.WriteString("\n\\end{align*}\n")
		}
	}
	return b.String()
}

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n   ") }

// shown are the steps of a part after its first line. One that stands for an ordering step as well
// shows the line after it, and so does one for the next that only counts like terms, too.
func (d *Derivation) shown(p part, all bool) []Step {
	var out []Step
	for _, s := range p.lines[1:] {
		counted := len(out) > 0 && s.Rule == "S-collect" && out[len(out)-1].Rule == s.Rule
		switch {
		case all || !s.Ordering && !counted:
			out = append(out, s)
		case len(out) > 0:
			out[len(out)-1].m, out[len(out)-1].ns = s.m, s.ns
		}
	}
	return out
}
