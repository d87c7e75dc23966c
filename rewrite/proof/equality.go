package proof

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/must"
)

// equality reports whether the derivation proves that two values are equal.
func (d *Derivation) equality() bool { return len(d.Parts) > 0 && d.Parts[0].Kind == KindLeft }

// startSide checks that a part begins with a side, or where the last part of it ended.
func (k *checker) startSide(d *Derivation, i int) {
	p := &d.Parts[i]
	must.Hold(len(p.Start.Nodes) == 1 && (i != 1 || p.Kind == KindRight) && (i <= 0 || d.equality()), "the proof of an equality begins with a part of each side")
	switch last := before(d, i, p.Kind); {
	case last == nil && i < 2:
	case last == nil, !slices.Equal(last.End.Nodes, p.Start.Nodes):
		panic(must.Errorf("it does not go on where the side was left"))
	}
	if i == 0 && len(d.Parts) > 1 { // what either side says of its domain holds for both
		k.presume(append(slices.Clone(p.Start.Nodes), d.Parts[1].Start.Nodes...))
	}
}

// presume takes in what holds where values are defined.
func (k *checker) presume(nodes []*Node) {
	if k.program == nil {
		k.program = map[Fact]bool{}
	}
	for f := range presumed(nodes) {
		k.program[f] = true
	}
}

// compared checks that a part begins with what the sides have become, compared.
func (k *checker) compared(d *Derivation, i int) {
	must.Hold(i >= 2 && d.equality(), "there are no sides before it")
	p, s := &d.Parts[i], k.s
	l, r := before(d, i, KindLeft).End.Nodes[0], before(d, i, KindRight).End.Nodes[0]
	must.Hold(len(p.Start.Nodes) == 1 && len(p.End.Nodes) == 1 && slices.Equal(l.Shape(), r.Shape()), "the sides are no values of one shape")
	var facts []Fact
	for f := range k.program {
		facts = append(facts, f)
	}
	signs := newSigns(facts, k.work)
	var can []*Node
	switch p.Kind {
	case KindDifference:
		can = []*Node{s.Sub(l, r)}
	case KindQuotient:
		must.Hold(signs.nonzero(r), "the right side may be 0")
		can = []*Node{s.Mul(l, s.Recip(r))}
	default:
		difference := s.Sub(l, r)
		if q := &d.Parts[i-1]; q.Kind == KindProduct {
			difference = q.End.Nodes[0]
		}
		must.Hold(p.Factor != nil, "the product names no factor")
		can = k.products(p.Factor, difference, signs)
	}
	must.Hold(slices.Contains(can, p.Start.Nodes[0]), "it does not begin with the %s of the sides", p.Kind)
}

// products are the products of a value and a factor that is not 0, or invertible, which are 0 only where the value is.
func (k *checker) products(m, d *Node, signs *signs) (out []*Node) {
	s, sh := k.s, m.Shape()
	if !signs.defined(m) { // exp(log(y)) is not 0 where it has a value
		return nil
	}
	if len(sh) == 2 && sh[0] == sh[1] && signs.invertible(m) {
		if d.Order() > 0 && d.Order() <= 2 && d.Shape()[0] == sh[1] {
			out = append(out, s.Einsum([]string{"ij,j->i", "ij,jk->ik"}[d.Order()-1], m, d))
		}
		if d.Order() == 2 && d.Shape()[1] == sh[0] {
			out = append(out, s.Einsum("jk,ij->ik", m, d))
		}
	}
	if (len(sh) == 0 || slices.Equal(sh, d.Shape())) && signs.nonzero(m) {
		if len(sh) == 0 {
			m = s.Broadcast(m, d.Shape())
		}
		out = append(out, s.Mul(m, d))
	}
	return out
}

// concluded checks that the last parts of a proof of an equality prove it.
func (k *checker) concluded(d *Derivation) {
	last := &d.Parts[len(d.Parts)-1]
	must.Hold(len(d.Parts) >= 2, "the right side is missing")
	end := last.End.Nodes[0]
	proved := false
	switch last.Kind {
	case KindDifference, KindProduct:
		proved = combinators.IsZero(end)
	case KindQuotient:
		proved = end == k.s.Ones(end.Shape())
	case KindLeft, KindRight:
		proved = slices.Equal(before(d, len(d.Parts), KindLeft).End.Nodes, before(d, len(d.Parts), KindRight).End.Nodes)
	}
	must.Hold(proved, "the parts do not show that the sides are equal")
}

// backwards is a rule read from right to left. The error says why it may not be.
func backwards(r *text.Rule, u *Subst) *text.Rule {
	there := map[string]bool{}
	text.Walk(r.Right, func(t *text.Term) bool {
		there[t.Name] = true
		return true
	})
	for _, v := range r.Vars {
		if v.Type != nil && !there[v.Name] {
			panic(must.Errorf("the rule loses %s: it is not read from right to left", v.Name))
		}
	}
	switch {
	case r.Domain != "" && r.Domain != "kept":
		panic(must.Errorf("the rule changes the domain: it is not read from right to left"))
	case !r.Both && u.Guard != combinators.GuardNone:
		panic(must.Errorf("a rule is read from right to left without guards only"))
	}
	return r.Reversed()
}
