package combinators

import (
	"fmt"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// Push is outs, which are linear in the variables in, jointly, at a value for each of these, which may have extra
// trailing axes batch; nil is zero. The error names a value that is not linear in what depends on the variables by the
// way it is built.
func Push(outs, in, at []*Node, batch []size.Size) ([]*Node, error) {
	var val Images
	for i, x := range in {
		val.Set(x, at[i])
	}
	reached := slices.DeleteFunc(slices.Clone(outs), func(y *Node) bool { return y == nil })
	order := Topo(reached...)
	dep := Dependents(order, in)
	for _, n := range order {
		if !dep.Get(n) || len(n.Args()) == 0 {
			continue
		}
		sum, times := n.Is(atom.Add), 0
		for k, a := range n.Args() {
			if !dep.Get(a) {
				continue
			}
			if times++; !n.linearIn(k) {
				times = len(n.Args()) + 1
			}
			v := val.Get(a)
			switch {
			case v == nil:
			case !sum:
				val.Set(n, n.lifted(k, v, batch))
			case val.Get(n) == nil:
				val.Set(n, v)
			default:
				val.Set(n, n.store.Add(val.Get(n), v))
			}
		}
		if sum && times != 2 || !sum && times != 1 {
			return nil, fmt.Errorf("%s is not linear in the operands that depend on %s", n.Atom().Name, in[0].Name())
		}
	}
	result := make([]*Node, len(outs))
	for i, y := range outs {
		if y != nil {
			result[i] = val.Get(y)
		}
	}
	return result, nil
}

// lifted is n, which is linear in its operand k, at v, which may have extra trailing axes.
func (n *Node) lifted(k int, v *Node, batch []size.Size) *Node {
	args := slices.Clone(n.Args())
	args[k] = v
	if n.Ein() != nil {
		return n.store.Ein(n.Ein().Lift(batch, []int{k}, true), args...)
	}
	return n.store.Make(n.Operation(), args...) // linear atoms take trailing axes as they are
}

// Entries are those of outs, which are linear in the variables in, jointly: of each out by each variable, with the
// axes of the out and then those of the variable.
func Entries(outs, in []*Node) (entries []*Node, err error) {
	s := in[0].store
	columns := make([][]*Node, len(in))
	for j, x := range in {
		at := make([]*Node, len(in))
		at[j] = s.Eye(x.Shape())
		if columns[j], err = Push(outs, in, at, x.Shape()); err != nil {
			return nil, err
		}
	}
	for i, y := range outs {
		for j, x := range in {
			if columns[j][i] == nil {
				columns[j][i] = s.Zero(slices.Concat(y.Shape(), x.Shape()))
			}
			entries = append(entries, columns[j][i])
		}
	}
	return entries, nil
}
