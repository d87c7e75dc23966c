package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// start checks that a part begins as its kind says.
func (k *checker) start(d *Derivation, i int) {
	p := &d.Parts[i]
	k.fresh(p)
	defer k.see(p)
	must.Hold(!d.equality() || slices.Contains([]Kind{KindLeft, KindRight, KindDifference, KindQuotient, KindProduct}, p.Kind), "it is no part of the proof of an equality")
	isMap := p.Kind == KindDerivative || p.Kind == KindAdjoint
	must.Hold(isMap == (p.Start.Map != nil), "its first line is no map, or one where values belong")
	switch p.Kind {
	case KindProgram:
		must.Hold(i == 0, "it is not the first part")
		k.program = presumed(p.Start.Nodes)
	case KindLeft, KindRight:
		k.startSide(d, i)
	case KindDifference, KindQuotient, KindProduct:
		k.compared(d, i)
	case KindDerivative:
		m := *p.Start.Map
		must.Hold(m.Op() == combinators.MapDerivative, "it does not begin with a derivative")
		must.Hold(slices.Equal(m.Value().Leaves(), p.Point), "the derivative is not taken at the point that the part names")
		k.first(d, i, m.Maps()[0])
	case KindDerivativeAt:
		if i == 0 || d.Parts[i-1].Kind != KindDerivative {
			k.walked(d, i)
		} else {
			k.applied(p, *d.Parts[i-1].End.Map, false)
		}
	case KindAdjoint:
		k.startAdjoint(d, i)
	case KindAdjointAt, KindGradient:
		if i == 0 || d.Parts[i-1].Kind != KindAdjoint {
			k.walkedBack(d, i)
		} else {
			k.applied(p, *d.Parts[i-1].End.Map, p.Kind == KindGradient)
		}
	case KindEntries:
		k.entries(d, i)
	default:
		panic(must.Errorf("there is no part of this kind"))
	}
}

// fresh checks that the variables which a part takes as fresh occur in no part before, nor twice, and have names that
// mean nothing else where a conclusion is read.
func (k *checker) fresh(p *Part) {
	fresh := map[string]bool{}
	for _, n := range p.Fresh {
		if !size.IsName(n.Name()) || atom.Named(n.Name()) != nil {
			panic(must.Errorf("%.40q is no name of a variable", n.Name()))
		}
		must.Hold(!k.seen[n.Name()] && !fresh[n.Name()], "the variable %s is not fresh", n.Name())
		must.Hold(n.Attributes() == 0, "the fresh variable %s has attributes", n.Name())
		fresh[n.Name()] = true
	}
}

// startAdjoint checks that a part begins with the adjoint of what the derivative part ends with, or of the
// program's map.
func (k *checker) startAdjoint(d *Derivation, i int) {
	m := *d.Parts[i].Start.Map
	must.Hold(m.Op() == combinators.MapAdjoint, "it does not begin with an adjoint")
	if i == 0 || d.Parts[i-1].Kind == KindProgram {
		k.first(d, i, m.Maps()[0])
		return
	}
	q := before(d, i, KindDerivative)
	must.Hold(q != nil, "it does not follow a part %s", KindDerivative)
	must.Hold(m.Maps()[0] == *q.End.Map, "it is not the adjoint of the derivative")
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
func (k *checker) first(d *Derivation, i int, f Map) {
	rest := d.Parts[i].Point
	v := k.filled(f.Dom(), &rest)
	must.Hold(v != nil && len(rest) == 0, "its variables are not those of the map's space")
	inside := combinators.Topo(combinators.MapNodes(f)...)
	k.work.add(len(inside))
	for j, n := range d.Parts[i].Point {
		must.Hold(!slices.Contains(d.Parts[i].Point[:j], n), "the point has the variable %s twice", n.Name())
		must.Hold(!slices.Contains(inside, n), "the map has the variable %s of its point in a constant", n.Name())
	}
	y, err := k.s.ApplyMap(f, v)
	switch {
	case err != nil && i == 0: // a derivative stands in the map, of which nothing is presumed
		return
	case err != nil:
		panic(must.Error(err))
	case i == 0:
		k.program = presumed(y.Leaves())
	case i != 1 || d.Parts[0].Kind != KindProgram:
		panic(must.Errorf("it is not the first part, nor does it follow the program"))
	case !slices.Equal(y.Leaves(), d.Parts[0].End.Nodes):
		panic(must.Errorf("the map is not what the program ends with"))
	}
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
func (k *checker) applied(p *Part, m Map, one bool) {
	var v *Value
	if one {
		v = k.s.Value(k.s.Int(1))
		must.Hold(m.Dom().Equal(v.Space()) && len(p.Fresh) == 0, "the adjoint is not that of a scalar")
	} else {
		rest := p.Fresh
		if v = k.filled(m.Dom(), &rest); v == nil || len(rest) > 0 {
			panic(must.Errorf("its variables are not those of the map's space"))
		}
	}
	must.Hold(slices.Equal(must.Get(k.s.ApplyMap(m, v)).Leaves(), p.Start.Nodes), "it does not begin with the map, applied")
}

// entries checks that a part begins with the entries of the derivative before it.
func (k *checker) entries(d *Derivation, i int) {
	must.Hold(i != 0 && d.Parts[i-1].Kind == KindDerivativeAt && len(d.Parts[i-1].Fresh) != 0, "it does not follow a part %s", KindDerivativeAt)
	q := &d.Parts[i-1]
	k.work.add(len(q.Fresh) * len(combinators.Topo(q.End.Nodes...)))
	want := must.Get(combinators.Entries(q.End.Nodes, q.Fresh))
	must.Hold(slices.Equal(want, d.Parts[i].Start.Nodes), "it does not begin with the entries of the derivative")
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
