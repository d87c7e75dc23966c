package coq

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite/proof"
)

// A claim is what a theorem states: that two values are equal, or that the first one has the second as its derivative along lines.
type claim struct {
	left, right *Node
	lines       map[*Node]*Node // the directions of the points
}

// claims are those of a derivation by the names of its theorems.
func (s *script) claims(d *proof.Derivation) map[string]claim {
	out := map[string]claim{}
	first, last := d.Parts[0].Start.Nodes, d.Parts[0].End.Nodes
	for k, a := range first {
		out[numbered("value", k, len(first))] = claim{a, last[k], nil}
	}
	order := 0
	var lines map[*Node]*Node
	for i := 1; i < len(d.Parts); i++ {
		p, q := &d.Parts[i], &d.Parts[i-1]
		switch p.Kind {
		case proof.KindDerivativeAt:
			order++
			name := "derivative"
			of := q.End.Nodes
			if order > 1 {
				name += fmt.Sprint(order)
			} else {
				of = first
			}
			lines = map[*Node]*Node{}
			for k, x := range p.Point {
				lines[x] = p.Fresh[k]
			}
			for k := range p.Start.Nodes {
				out[numbered(name, k, len(of))] = claim{of[k], p.End.Nodes[k], lines}
			}
		case proof.KindGradient, proof.KindAdjointAt:
			y := q.End.Nodes[0]
			if p.Kind == proof.KindAdjointAt {
				y = product2(0, p.Fresh[0], y)
			}
			out[fmt.Sprintf("adjoint%d", i)] = claim{y, products(0, p.End.Nodes, q.Fresh), nil}
			if p.Kind == proof.KindGradient {
				out["gradient"] = claim{first[0], products(0, p.End.Nodes, q.Fresh), lines}
			}
		case proof.KindEntries:
			of, n := d.Parts[i-2].End.Nodes, len(q.Fresh)
			for k, y := range of {
				out[numbered(fmt.Sprintf("entries%d", order), k, len(of))] = claim{y, products(y.Order(), p.End.Nodes[k*n:(k+1)*n], q.Fresh), lines}
			}
		}
	}
	return out
}

// product2 is the product of a value with one of its last axes, summed over these.
func product2(batch int, a, x *Node) *Node {
	all := lists.Make(a.Order(), func(i int) int { return i })
	return a.Store().Contract([][]int{all, all[batch:]}, all[:batch], a.Shape(), a, x)
}

// products are the sum of such products.
func products(batch int, as, xs []*Node) (sum *Node) {
	for k, a := range as {
		if p := product2(batch, a, xs[k]); sum == nil {
			sum = p
		} else {
			sum = sum.Store().Add(sum, p)
		}
	}
	return sum
}

const derives = "is_derive (0 : R) (1 : R) (fun s => "

// statement compares what a theorem says with what it is to say.
func (r *readback) statement(h header, text string, c claim) {
	text, derivative := strings.CutPrefix(text, derives)
	p := readTerm(text)
	left := p.sum()
	if derivative {
		p.expect(")")
	} else {
		p.expect("=")
	}
	right := p.sum()
	must.Hold(p.peek() == "" && derivative == (c.lines != nil), "it is another kind of statement")
	var dims []size.Size
	for _, i := range h.ix {
		d, ok := h.below[i]
		must.Hold(ok, "the index %s has no bound", i)
		dims = append(dims, d)
	}
	must.Hold(slices.Equal(dims, c.left.Shape()), "its indices have other sizes")
	for _, side := range []struct {
		t     *tree
		n     *Node
		lines map[*Node]*Node
	}{{left, c.left, c.lines}, {right, c.right, nil}} {
		if got := r.side(side.t, h.ix, dims, side.lines); got != side.n {
			panic(must.Errorf("%s is another value", side.t))
		}
	}
}

// side is a side of a statement: an entry, or a sum of products of entries.
func (r *readback) side(t *tree, ix []string, dims []size.Size, lines map[*Node]*Node) *Node {
	switch {
	case t.op == "+":
		return r.store.Add(r.side(t.args[0], ix, dims, nil), r.side(t.args[1], ix, dims, nil))
	case t.op == "sum", t.op == "*", number(t) != nil:
		return r.contraction(t, ix, dims)
	case t.op == "pi":
		return r.store.Apply(atom.Pi, 0)
	}
	return r.entry(t, ix, lines)
}
