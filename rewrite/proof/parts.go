package proof

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// start checks that a part begins as its kind says.
func (k *checker) start(d *Derivation, i int) error {
	p := &d.Parts[i]
	if err := k.fresh(p); err != nil {
		return err
	}
	defer k.see(p)
	if d.equality() && !slices.Contains([]Kind{KindLeft, KindRight, KindDifference, KindQuotient, KindProduct}, p.Kind) {
		return fmt.Errorf("it is no part of the proof of an equality")
	}
	isMap := p.Kind == KindDerivative || p.Kind == KindAdjoint
	if isMap != (p.Start.Map != nil) {
		return fmt.Errorf("its first line is no map, or one where values belong")
	}
	switch p.Kind {
	case KindProgram:
		if i != 0 {
			return fmt.Errorf("it is not the first part")
		}
		k.program = presumed(p.Start.Nodes)
		return nil
	case KindLeft, KindRight:
		return k.startSide(d, i)
	case KindDifference, KindQuotient, KindProduct:
		return k.compared(d, i)
	case KindDerivative:
		m := *p.Start.Map
		if m.Op() != combinators.MapDerivative {
			return fmt.Errorf("it does not begin with a derivative")
		}
		if !slices.Equal(m.Value().Leaves(), p.Point) {
			return fmt.Errorf("the derivative is not taken at the point that the part names")
		}
		return k.first(d, i, m.Maps()[0])
	case KindDerivativeAt:
		if i == 0 || d.Parts[i-1].Kind != KindDerivative {
			return k.walked(d, i)
		}
		return k.applied(p, *d.Parts[i-1].End.Map, false)
	case KindAdjoint:
		return k.startAdjoint(d, i)
	case KindAdjointAt, KindGradient:
		if i == 0 || d.Parts[i-1].Kind != KindAdjoint {
			return k.walkedBack(d, i)
		}
		return k.applied(p, *d.Parts[i-1].End.Map, p.Kind == KindGradient)
	case KindEntries:
		return k.entries(d, i)
	}
	return fmt.Errorf("there is no part of this kind")
}

// fresh checks that the variables which a part takes as fresh occur in no part before, nor twice, and have names that
// mean nothing else where a conclusion is read.
func (k *checker) fresh(p *Part) error {
	fresh := map[string]bool{}
	for _, n := range p.Fresh {
		if !size.IsName(n.Name()) || atom.Named(n.Name()) != nil {
			return fmt.Errorf("%.40q is no name of a variable", n.Name())
		}
		if k.seen[n.Name()] || fresh[n.Name()] {
			return fmt.Errorf("the variable %s is not fresh", n.Name())
		}
		if n.Attributes() != 0 {
			return fmt.Errorf("the fresh variable %s has attributes", n.Name())
		}
		fresh[n.Name()] = true
	}
	return nil
}

// startAdjoint checks that a part begins with the adjoint of what the derivative part ends with, or of the
// program's map.
func (k *checker) startAdjoint(d *Derivation, i int) error {
	m := *d.Parts[i].Start.Map
	if m.Op() != combinators.MapAdjoint {
		return fmt.Errorf("it does not begin with an adjoint")
	}
	if i == 0 || d.Parts[i-1].Kind == KindProgram {
		return k.first(d, i, m.Maps()[0])
	}
	q := before(d, i, KindDerivative)
	if q == nil {
		return fmt.Errorf("it does not follow a part %s", KindDerivative)
	}
	if m.Maps()[0] != *q.End.Map {
		return fmt.Errorf("it is not the adjoint of the derivative")
	}
	return nil
}

// before is the last part of a kind before part i, nil where there is none.
func before(d *Derivation, i int, kind Kind) *Part {
	for j := i - 1; j >= 0; j-- {
		if d.Parts[j].Kind == kind {
			return &d.Parts[j]
		}
	}
	return nil
}

// first checks a part that begins with the map f of the program: at its point it is what the program
// ends with, where there is a part of that. The point's variables stand nowhere else in f: were they
// in its constants, f at the point would be the program, but f would not be the program's map.
func (k *checker) first(d *Derivation, i int, f Map) error {
	rest := d.Parts[i].Point
	v := k.filled(f.Dom(), &rest)
	if v == nil || len(rest) > 0 {
		return fmt.Errorf("its variables are not those of the map's space")
	}
	inside := combinators.Topo(combinators.MapNodes(f)...)
	k.work.add(len(inside))
	for j, n := range d.Parts[i].Point {
		if slices.Contains(d.Parts[i].Point[:j], n) {
			return fmt.Errorf("the point has the variable %s twice", n.Name())
		}
		if slices.Contains(inside, n) {
			return fmt.Errorf("the map has the variable %s of its point in a constant", n.Name())
		}
	}
	y, err := k.s.ApplyMap(f, v)
	switch {
	case err != nil && i == 0: // a derivative stands in the map, of which nothing is presumed
		return nil
	case err != nil:
		return err
	case i == 0:
		k.program = presumed(y.Leaves())
	case i != 1 || d.Parts[0].Kind != KindProgram:
		return fmt.Errorf("it is not the first part, nor does it follow the program")
	case !slices.Equal(y.Leaves(), d.Parts[0].End.Nodes):
		return fmt.Errorf("the map is not what the program ends with")
	}
	return nil
}

// filled is the value of a space with the next variables for its tensors, nil where they are of
// other shapes.
func (k *checker) filled(sp combinators.Space, rest *[]*Node) *Value {
	if !sp.IsProduct() {
		if len(*rest) == 0 || !slices.Equal((*rest)[0].Shape(), sp.Shape()) {
			return nil
		}
		n := (*rest)[0]
		*rest = (*rest)[1:]
		return k.s.Value(n)
	}
	parts := make([]*Value, len(sp.Factors()))
	for i, f := range sp.Factors() {
		if parts[i] = k.filled(f, rest); parts[i] == nil {
			return nil
		}
	}
	return k.s.Tuple(parts...)
}

// applied checks that a part begins with a map at its fresh variables, or at 1.
func (k *checker) applied(p *Part, m Map, one bool) error {
	var v *Value
	if one {
		v = k.s.Value(k.s.Int(1))
		if !m.Dom().Equal(v.Space()) || len(p.Fresh) > 0 {
			return fmt.Errorf("the adjoint is not that of a scalar")
		}
	} else {
		rest := p.Fresh
		if v = k.filled(m.Dom(), &rest); v == nil || len(rest) > 0 {
			return fmt.Errorf("its variables are not those of the map's space")
		}
	}
	y, err := k.s.ApplyMap(m, v)
	if err != nil {
		return err
	}
	if !slices.Equal(y.Leaves(), p.Start.Nodes) {
		return fmt.Errorf("it does not begin with the map, applied")
	}
	return nil
}

// entries checks that a part begins with the entries of the derivative before it.
func (k *checker) entries(d *Derivation, i int) error {
	if i == 0 || d.Parts[i-1].Kind != KindDerivativeAt || len(d.Parts[i-1].Fresh) == 0 {
		return fmt.Errorf("it does not follow a part %s", KindDerivativeAt)
	}
	q := &d.Parts[i-1]
	k.work.add(len(q.Fresh) * len(combinators.Topo(q.End.Nodes...)))
	want, err := combinators.Entries(q.End.Nodes, q.Fresh)
	if err != nil {
		return err
	}
	if !slices.Equal(want, d.Parts[i].Start.Nodes) {
		return fmt.Errorf("it does not begin with the entries of the derivative")
	}
	return nil
}

// see records the variables of a part.
func (k *checker) see(p *Part) {
	roots := slices.Concat(p.Fresh, p.Point)
	var maps []Map
	see := func(l Line) {
		roots = append(roots, l.Nodes...)
		if l.Map != nil {
			maps = append(maps, *l.Map)
		}
	}
	see(p.Start)
	see(p.End)
	for i := range p.Steps {
		see(p.Steps[i].Before)
		see(p.Steps[i].After)
	}
	nodes := combinators.Topo(append(roots, combinators.MapNodes(maps...)...)...)
	k.work.add(len(nodes))
	for _, n := range nodes {
		if n.Name() == "" {
			continue
		}
		k.seen[n.Name()] = true
		for _, d := range n.Shape() {
			for _, symbol := range d.Symbols() {
				k.seen[symbol] = true
			}
		}
	}
}
