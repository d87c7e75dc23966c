package plan

import (
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// A form is a node as a product: a contraction over nodes that are computed. Products of
// products are one form where that never costs more.
type form struct {
	c    *einsum.Contraction
	args []*combinators.Node
}

// forming finds the forms of all products.
type forming struct {
	at    []int32 // by the node's number: its place below
	uses  []int32
	forms []form // of products; c is nil for others

	memo        map[*einsum.Contraction]*einsum.Contraction
	contraction func(*einsum.Contraction) (*einsum.Contraction, error) // with the sizes of the plan
	number      func(size.Size) float64
}

// formAll finds the forms of the products among all, which are what nodes need, in
// topological order. contraction puts in sizes, number says how large a size is.
func formAll(all, nodes []*combinators.Node, contraction func(*einsum.Contraction) (*einsum.Contraction, error), number func(size.Size) float64) (forming, error) {
	f := forming{memo: map[*einsum.Contraction]*einsum.Contraction{}, contraction: contraction, number: number}
	if len(all) == 0 {
		return f, nil
	}
	f.at = make([]int32, all[len(all)-1].ID()+1)
	f.uses, f.forms = make([]int32, len(all)), make([]form, len(all))
	for i, n := range all {
		f.at[n.ID()] = int32(i)
		for _, a := range n.Args() {
			f.uses[f.at[a.ID()]]++
		}
	}
	for _, n := range nodes {
		f.uses[f.at[n.ID()]]++
	}
	for i, n := range all {
		if n.Atom() != atom.Ein {
			continue
		}
		p, err := f.form(n)
		if err != nil {
			return f, err
		}
		f.forms[i] = p
	}
	return f, nil
}

// needed reports, by place, what has to be computed for nodes.
func (f *forming) needed(all, nodes []*combinators.Node) []bool {
	needed := make([]bool, len(all))
	for _, n := range nodes {
		needed[f.at[n.ID()]] = true
	}
	for i, n := range slices.Backward(all) {
		if !needed[i] {
			continue
		}
		args := n.Args()
		if f.forms[i].c != nil {
			args = f.forms[i].args
		}
		for _, a := range args {
			needed[f.at[a.ID()]] = true
		}
	}
	return needed
}

// maxFused is the number of operands beyond which products are not fused further.
const maxFused = 8

// form fuses the products among a product's operands into it, and solves the equalities of
// deltas and diagonals, so that these are never stored.
func (f *forming) form(n *combinators.Node) (form, error) {
	c, ok := f.memo[n.Ein()]
	if !ok {
		var err error
		if c, err = f.contraction(n.Ein()); err != nil {
			return form{}, err
		}
		f.memo[n.Ein()] = c
	}
	args := n.Args()
	fused := false
	for k := len(args) - 1; k >= 0; k-- {
		inner := f.forms[f.at[args[k].ID()]]
		if inner.c == nil || !args[k].Relation() && !f.fusible(args[k], inner, len(args)) {
			continue
		}
		if !args[k].Relation() && relational(n) && len(inner.args) > 1 {
			continue
		}
		c = c.Fuse(k, inner.c)
		args = slices.Concat(args[:k], inner.args, args[k+1:])
		fused = true
	}
	if fused || len(c.Eq) > 0 {
		c = c.Solve()
	}
	return form{c, args}, nil
}

// fusible reports whether the operand a, of form p, is better multiplied out inside its user:
// constants and mere rearrangements always; what is used once, since every order of the parts
// stays possible; and products about as large as their factors together, or larger.
func (f *forming) fusible(a *combinators.Node, p form, siblings int) bool {
	if slices.ContainsFunc(p.args, (*combinators.Node).Relation) {
		return false
	}
	summed := sums(p.c)
	factors := 0 // numbers aside
	for _, n := range p.args {
		if n.Atom() != atom.Const {
			factors++
		}
	}
	if len(p.args) == 0 || factors <= 1 && !summed {
		return siblings-1+len(p.args) <= 4*maxFused
	}
	if siblings-1+len(p.args) > maxFused || len(p.c.Vars) > maxLoops/maxFused {
		return false
	}
	if f.uses[f.at[a.ID()]] == 1 {
		return true
	}
	parts := 0.0
	for _, acc := range p.c.In {
		parts += f.entries(acc)
	}
	return !summed && 4*f.entries(p.c.Out) > 3*parts
}

func (f *forming) entries(acc einsum.Access) float64 {
	n := 1.0
	for _, d := range acc.Shape {
		n *= f.number(d)
	}
	return n
}

// sums reports whether some variable does not appear in the output.
func sums(c *einsum.Contraction) bool {
	seen := make([]bool, len(c.Vars))
	for _, a := range c.Out.Index {
		for _, t := range a.Terms {
			seen[t.Var] = true
		}
	}
	return slices.Contains(seen, false)
}
