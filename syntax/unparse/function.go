package unparse

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// power writes a^r: roots and reciprocals as such.
func (w *writer) power(a *term, r *big.Rat) *term {
	if r.Sign() < 0 {
		return w.div(w.int(1), w.power(a, new(big.Rat).Neg(r)))
	}
	switch {
	case r.Cmp(big.NewRat(1, 1)) == 0:
		return a
	case r.Cmp(big.NewRat(1, 2)) == 0:
		return w.call("sqrt", 0, a.shape, a)
	}
	return w.intern(term{op: opPow, rat: r, args: []*term{a}, shape: a.shape})
}

// reduction writes a reduction over the last axes. Over all axes it needs no axis;
// over several but not all, they are reduced one after the other.
func (w *writer) reduction(n *combinators.Node, a *term) *term {
	name := n.Atom().Spoken()
	k := n.Attr()
	if k == 0 {
		if name == "softmax" {
			return w.fill(big.NewRat(1, 1), n.Shape())
		}
		return a
	}
	if name == "softmax" && k == 1 {
		return w.softmax(a)
	}
	if name == "softmax" {
		// Over several axes: exp(a - logsumexp(a)).
		sum := w.overLast("logsumexp", k, a)
		all := einsum.UpTo(a.order())
		if sum.order() > 0 {
			sum = w.unary(sum, all[:sum.order()], all, a.shape)
		}
		return w.call(atom.Exp.Name, 0, a.shape, w.intern(term{op: opSub, args: []*term{a, sum}, shape: a.shape}))
	}
	return w.overLast(name, k, a)
}

// products writes the product over the last axis, or its derivative of order k.
func (w *writer) products(k int, a *term) *term {
	if k == 0 {
		return w.overLast(atom.Prod.Spoken(), 1, a)
	}
	count := new(big.Rat).SetInt64(int64(k))
	except := func(a *term, axis, attr int) *term {
		shape := slices.Concat(a.shape[:axis], slices.Repeat(a.shape[axis:axis+1], k), a.shape[axis+1:])
		return w.intern(term{op: opCall, name: "prodexcept", attr: attr, rat: count, args: []*term{a}, shape: shape})
	}
	n := a.order()
	if n == 1 {
		return except(a, 0, 0)
	}
	from, axis, ok := moved(a)
	if !ok {
		return except(a, n-1, n)
	}
	all := einsum.UpTo(n - 1 + k)
	return w.permute(except(from, axis, axis+1), slices.Concat(all[:axis], all[axis+k:], all[axis:axis+k]))
}

// overLast reduces the last k axes: all of them at once, or one after the other.
func (w *writer) overLast(name string, k int, a *term) *term {
	if k == a.order() {
		for name == atom.Prod.Spoken() && a.op == opCall && a.name == name { // of all entries
			a = a.args[0]
		}
		return w.call(name, 0, nil, a)
	}
	for ; k > 0; k-- {
		shape := a.shape[:a.order()-1]
		if from, axis, ok := moved(a); ok {
			a = w.call(name, axis+1, shape, from)
		} else {
			a = w.call(name, a.order(), shape, a)
		}
	}
	return a
}

// mean is t / d, where t is the sum over axes with d entries, or a product or quotient with such a sum; else nil.
func (w *writer) mean(t *term, d size.Size) *term {
	switch {
	case t.op == opNeg:
		if m := w.mean(t.args[0], d); m != nil {
			return w.neg(m)
		}
	case t.op == opDiv:
		if m := w.mean(t.args[0], d); m != nil {
			return w.div(m, t.args[1])
		}
	case t.op == opProd && len(t.args) == 2:
		for k, a := range t.args {
			if m := w.mean(a, d); m != nil {
				args := slices.Clone(t.args)
				args[k] = m
				return w.intern(term{op: opProd, args: args, in: t.in, out: t.out, shape: t.shape})
			}
		}
	case t.op == opProd && distinct(t.in[0]):
		from, axis, entries := t.args[0], -1, size.Const(1)
		for k, v := range t.in[0] {
			if !slices.Contains(t.out, v) {
				axis, entries = k, entries.Mul(from.shape[k])
			}
		}
		switch {
		case axis < 0 || entries != d:
		case len(t.out) == 0:
			return w.call("mean", 0, nil, from)
		case slices.Equal(t.out, slices.Delete(slices.Clone(t.in[0]), axis, axis+1)):
			return w.call("mean", axis+1, t.shape, from)
		}
	}
	return nil
}

// softmax is along the last axis. Where that is an axis of the operand moved there, it
// is along that axis, and moved.
func (w *writer) softmax(a *term) *term {
	if a.order() == 1 {
		return w.call("softmax", 0, a.shape, a)
	}
	from, axis, ok := moved(a)
	if !ok {
		return w.call("softmax", a.order(), a.shape, a)
	}
	order := slices.Delete(einsum.UpTo(a.order()), axis, axis+1)
	return w.permute(w.call("softmax", axis+1, from.shape, from), append(order, axis))
}

// moved reports whether a is a tensor with one axis moved to the end, and which.
func moved(a *term) (from *term, axis int, ok bool) {
	if !a.permutes() {
		return nil, 0, false
	}
	n := a.order()
	axis = slices.Index(a.in[0], a.out[n-1])
	rest := slices.Delete(slices.Clone(a.in[0]), axis, axis+1)
	return a.args[0], axis, slices.Equal(rest, a.out[:n-1])
}

// kron writes the merged axes of an outer product of two matrices or two vectors as their Kronecker
// product; nil where n is something else. Either factor may be an identity or ones.
//
//	kron(A, B) = merge(merge(A *(ik,jl->ijkl) B, 0), 1)
func (w *writer) kron(n *combinators.Node) *term {
	k := n.Order()
	for i := k - 1; i >= 0; i-- {
		if !n.Is(atom.Merge) || n.Attr() != i {
			return nil
		}
		n = n.Arg(0)
	}
	if n.Ein() == nil || len(n.Args()) > 2 {
		return nil
	}
	in, out, ok := n.Ein().IsPlain()
	if !ok || len(out) != 2*k {
		return nil
	}
	var factors [2]*term
	used := 0
	for side := range factors {
		letters, sizes := make([]int, k), make([]size.Size, k)
		for j := range letters {
			letters[j] = out[2*j+side]
			sizes[j] = n.Ein().Vars[letters[j]]
		}
		i := slices.IndexFunc(in, func(g []int) bool { return slices.Contains(g, letters[0]) })
		switch {
		case i >= 0 && distinct(letters) && permuted(in[i], letters):
			order := make([]int, k)
			for j, v := range letters {
				order[j] = slices.Index(in[i], v)
			}
			factors[side] = w.permute(w.of[n.Arg(i)], order)
			used++
		case slices.ContainsFunc(in, func(g []int) bool {
			return slices.ContainsFunc(letters, func(v int) bool { return slices.Contains(g, v) })
		}):
			return nil
		case distinct(letters):
			factors[side] = w.fill(big.NewRat(1, 1), sizes)
		case k == 2:
			factors[side] = w.intern(term{op: opDelta, sizes: sizes[:1], shape: sizes})
		default:
			return nil
		}
	}
	if used != len(n.Args()) || used == 0 {
		return nil
	}
	shape := lists.Make(k, func(j int) size.Size { return factors[0].shape[j].Mul(factors[1].shape[j]) })
	return w.call("kron", 0, shape, factors[0], factors[1])
}

// permuted reports whether two lists of distinct letters have the same ones.
func permuted(a, b []int) bool {
	return len(a) == len(b) && distinct(a) && !slices.ContainsFunc(b, func(v int) bool { return !slices.Contains(a, v) })
}
