package derivation

import (
	"slices"
	"sync"

	"frechet/combinators"
	algebra "frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/internal/fault"
	"frechet/internal/rulebook"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
	"frechet/rewrite/proof"
)

// simplify brings values to normal form, and by the user's rules where there are any.
func (d *Derivation) simplify(p *part, nodes []*combinators.Node) error {
	p.start.Nodes, p.end.Nodes = nodes, nodes
	p.lines = []Step{{Part: p.name, f: d.f, taken: d.taken, ns: nodes}}
	d.parts = append(d.parts, p)
	// derivatives are of interest where the program is defined
	facts := assumptions.New()
	if p.kind != proof.KindProgram {
		for _, o := range d.f.Outputs {
			facts.Assume(o.Node)
		}
	}
	// A step of a shared term may be made where another use of it needs none; the line that is
	// reached is then no normal form, and the calculation goes on from there.
	for range maxRounds {
		var fired []normal.Step
		out, err := d.normal(p.end.Nodes, facts, func(t normal.Step) { fired = append(fired, t) })
		if err != nil {
			return err
		}
		before := p.end.Nodes
		if err := p.extend(d, fired, out, false); err != nil || slices.Equal(p.end.Nodes, out) {
			return err
		}
		if slices.Equal(p.end.Nodes, before) {
			break
		}
	}
	return fault.New(fault.Internal, "the steps of the %s do not lead to its normal form", p.name)
}

// shortLines bounds the values on all lines of a part of which each shows the whole term.
const shortLines = 4_000

// repeated bounds them where steps are made again, wherever later ones bring their terms back.
const repeated = 16

// extend goes on with steps. Those of a long term lead to out, wherever they are made; of a short one there is a
// line for each that changes it, and these may lead elsewhere: not if they are to lead there.
func (p *part) extend(d *Derivation, fired []normal.Step, out []*combinators.Node, there bool) error {
	if len(fired) == 0 {
		return nil
	}
	nodes := len(combinators.Topo(p.end.Nodes...))
	c := &valueCalculation{now: p.end.Nodes, room: repeated*shortLines/nodes - len(p.lines)}
	long := p.lines == nil || (len(p.lines)+len(fired))*nodes > shortLines
	var made []madeStep
	for _, t := range fired {
		if long = long || c.made > c.room; long {
			break
		}
		made = append(made, c.make(t)...)
	}
	if long || there && !slices.Equal(c.now, out) {
		for _, t := range fired {
			p.steps, p.laws = append(p.steps, valueProof(t)), append(p.laws, lawOfStep(t))
		}
		p.lines, p.end.Nodes = nil, out
		return nil
	}
	for _, m := range made {
		law := lawOfStep(m.Step)
		p.steps, p.laws = append(p.steps, valueProof(m.Step)), append(p.laws, law)
		p.lines = append(p.lines, Step{Part: p.name, Law: law, f: d.f, taken: d.taken, ns: m.now})
	}
	p.end.Nodes = c.now
	return nil
}

// maxRounds bounds how often a calculation goes on from a line that is no normal form.
const maxRounds = 10

// normal is the normal form of nodes; trace is told of its steps.
func (d *Derivation) normal(nodes []*combinators.Node, facts *assumptions.Facts, trace func(normal.Step)) ([]*combinators.Node, error) {
	z := normal.New(d.f.Store, facts)
	pass := 0
	z.Trace = func(t normal.Step) {
		t.Pass += pass
		trace(t)
	}
	out := z.Simplify(nodes...)
	if d.f.Options.Rules == nil {
		return out, nil
	}
	pass = userPasses
	simplify := func(nodes ...*combinators.Node) []*combinators.Node {
		defer func() { pass += userPasses }()
		return z.Simplify(nodes...)
	}
	return rulebook.Normal(d.f.Options.Rules, out, facts, simplify, func(f rewrite.Firing) {
		trace(normal.Step{Rule: f.Rule.Name, Before: f.Before, After: f.After, Firing: &f, Pass: pass})
	})
}

// userPasses is more than the passes that a normal form takes.
const userPasses = 1_000

// A valueCalculation is a list of values in which steps are made. In one pass a term that has been
// rewritten is rewritten again, in the same way, wherever a later step brings it back.
type valueCalculation struct {
	now  []*combinators.Node
	room int // lines that there may be
	made int // those that there are
	pass int
	last map[*combinators.Node]normal.Step // of the pass
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
	if t.Pass != c.pass || c.last == nil {
		c.pass, c.last, c.left = t.Pass, map[*combinators.Node]normal.Step{}, map[*combinators.Node]bool{}
		c.seen = [][]*combinators.Node{c.now}
	}
	if !slices.Contains(combinators.Topo(t.After), t.Before) { // else it would be rewritten in itself
		c.last[t.Before] = t
	}
	try := func(t normal.Step, again bool) bool {
		next := combinators.Replace(c.now, t.Before, t.After)
		if slices.Equal(next, c.now) || again && slices.ContainsFunc(c.seen, func(old []*combinators.Node) bool { return slices.Equal(next, old) }) {
			return false
		}
		c.seen = append(c.seen, next)
		c.now = next
		out = append(out, madeStep{t, next})
		c.made++
		return true
	}
	try(t, false)
	for again := true; again && c.made <= c.room; {
		again = false
		for _, n := range combinators.Topo(c.now...) {
			if t, ok := c.last[n]; ok && !c.left[n] {
				if again = try(t, true); again {
					break
				}
				c.left[n] = true
			}
		}
	}
	return out
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

// lawOfStep names the rule or schema of a step on values.
func lawOfStep(t normal.Step) Law {
	if t.Firing != nil {
		l := Law{Rule: t.Rule, Source: t.Firing.Rule.Source}
		if t.Firing.Rule.Back {
			l.Detail = "from right to left"
		}
		return l
	}
	return Law{Rule: t.Rule, Source: ruleSources()[t.Rule]}
}
