package derivation

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/words"
	"frechet/rewrite/normal"
	"frechet/rewrite/proof"
	"frechet/rewrite/proof/json"
)

// A Calculation is a part of a proof that two values are equal.
type Calculation struct {
	Kind       proof.Kind
	Start, End *combinators.Node
	Factor     *combinators.Node // of a product
	Steps      []normal.Step
}

// Alike is two values of a store in one shape: a number stands for a tensor of the other's. The error says that they have
// others.
func Alike(a, b *combinators.Node) (left, right *combinators.Node, err error) {
	s := a.Store()
	switch {
	case slices.Equal(a.Shape(), b.Shape()):
	case a.Order() == 0:
		a = s.Broadcast(a, b.Shape())
	case b.Order() == 0:
		b = s.Broadcast(b, a.Shape())
	default:
		err = fault.New("T011", "the left side has the shape %s, the right side %s", size.Shape(a.Shape()), size.Shape(b.Shape()))
	}
	return a, b, err
}

// beginsWithSides checks that a proof of an equality is of the program's two expressions.
func beginsWithSides(s *combinators.Store, f *program.Program, d *proof.Derivation) error {
	if n := len(f.Outputs); n != 2 || len(d.Parts) < 2 {
		return fmt.Errorf("the program has %s; two are compared", words.Count(n, "expression"))
	}
	left, right, err := Alike(f.Outputs[0].Node, f.Outputs[1].Node)
	if err != nil {
		return err
	}
	for i, n := range []*combinators.Node{left, right} {
		want, err := json.Import(s, proof.Line{Nodes: []*combinators.Node{n}})
		if err != nil {
			return err
		}
		if !sameLines(want, d.Parts[i].Start) {
			return fmt.Errorf("it does not begin with the two expressions of the program")
		}
	}
	return nil
}

// OfEquality is the derivation of an equality of values of a program's store, by calculations that were found. stated says
// that they are the program's two expressions: else it has no certificate.
func OfEquality(f *program.Program, stated bool, parts ...Calculation) (d *Derivation, err error) {
	defer fault.Guard(&err)
	d = newDerivation(f, nil)
	d.unstated = !stated
	for _, c := range parts {
		start, end := []*combinators.Node{c.Start}, []*combinators.Node{c.End}
		p := &part{name: string(c.Kind), kind: c.Kind, factor: c.Factor}
		p.start.Nodes, p.end.Nodes = start, start
		p.lines = []Step{{Part: p.name, f: f, taken: d.taken, ns: start}}
		if err := p.extend(d, c.Steps, end, false); err != nil {
			return nil, err
		}
		if p.end.Nodes[0] != c.End { // a step rewrites what equals a part of the term and does not stand in it: each is shown alone
			p.lines = nil
		}
		p.end.Nodes, p.steps, p.laws = end, nil, nil
		for _, t := range c.Steps {
			p.steps, p.laws = append(p.steps, valueProof(t)), append(p.laws, lawOfStep(t))
		}
		d.parts = append(d.parts, p)
	}
	return d, nil
}
