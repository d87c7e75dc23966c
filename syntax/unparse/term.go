package unparse

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
)

// op is the operation of a display term.
type op uint8

const (
	opVar   op = iota // a variable
	opNum             // a rational number of order 0
	opSize            // a size as a number of order 0
	opPi              // the number pi
	opFill            // a tensor all of whose entries are one number
	opDelta           // the identity, delta
	opProd            // an index product of one or two operands
	opAdd             // a + b; one side may have order 0
	opSub             // a - b
	opNeg             // -a
	opDiv             // a / b; one side may have order 0
	opPow             // a ^ r
	opCall            // a function
	opIndex           // a part of a tensor: subs, one for each axis
	opScan            // all states of a recurrence, or an implicit function
	opJoin            // parts side by side along axis attr-1; one of lower order is one entry thick
)

// term is a node as it is written: differences, quotients, negations and the functions
// of the surface language are restored. Terms are hash-consed by their writer, so use
// counts are identity.
type term struct {
	op    op
	args  []*term
	in    [][]int // opProd: letters of the operands,
	out   []int   // and of the output, which may repeat a letter or have a new one
	rat   *big.Rat
	name  string            // variable, function, or the text of a size
	attr  int               // of a function: k of minor and matpow, an axis of merge and split; reductions: below
	sizes []size.Size       // of split
	subs  []subscript       // of opIndex
	body  *combinators.Body // of opScan
	shape []size.Size
	space bool // a declared function from space to space: its axes are none of its operands'

	id int
	// Where a factor of order 0 stands: pi, functions of numbers, names, then functions and sums, then inner products;
	// a product of such factors where its last one does, there by the id of the first.
	rank, first int
	uses        int
	sym         bool // a matrix that is its own transpose
	free        bool // it stands somewhere else than as an operand of a product
	// Axes whose sizes the text below the term, and around it, fixes: see context.
	below, around []bool
}

func (t *term) order() int { return len(t.shape) }

// axis is the axis of a reduction; it has none where it reduces all axes.
func (t *term) axis() (int, bool) {
	return t.attr - 1, t.op == opCall && t.attr > 0 && axial(t.name)
}

// axial reports whether the function of that name works along an axis.
func axial(name string) bool {
	f, _ := syntax.LookupFunction(name)
	return f.Axis
}

// writer lowers associated nodes to terms.
type writer struct {
	table  map[string]*term
	list   []*term // in topological order
	of     map[*combinators.Node]*term
	uses   map[*combinators.Node]int
	powers powers
}

func (w *writer) intern(t term) *term {
	b := make([]byte, 0, 64)
	b = append(b, byte(t.op))
	for _, a := range t.args {
		b = append(strconv.AppendInt(b, int64(a.id), 10), ' ')
	}
	for _, l := range t.in {
		for _, v := range l {
			b = append(strconv.AppendInt(b, int64(v), 10), '.')
		}
		b = append(b, ',')
	}
	b = append(b, '>')
	for _, v := range t.out {
		b = append(strconv.AppendInt(b, int64(v), 10), '.')
	}
	if t.rat != nil {
		b = append(b, t.rat.RatString()...)
	}
	b = append(append(b, '|'), t.name...)
	b = strconv.AppendInt(append(b, '|'), int64(t.attr), 10)
	b = append(b, size.Shape(t.sizes)...)
	for _, s := range t.subs {
		b = append(b, s.key()...)
	}
	if t.body != nil {
		b = append(b, t.body.Key()...)
	}
	// The shape follows from the operands except where new letters or constants stand.
	if t.op == opFill || t.op == opDelta || t.op == opProd || t.op == opVar || t.op == opJoin || t.space {
		b = append(b, size.Shape(t.shape)...)
	}
	if have, ok := w.table[string(b)]; ok {
		return have
	}
	n := new(term)
	*n = t
	n.id = len(w.list)
	n.sym = n.symmetric()
	n.rank, n.first = n.place()
	w.table[string(b)] = n
	w.list = append(w.list, n)
	return n
}

// place is the rank and the first of t.
func (t *term) place() (rank, first int) {
	first = t.id
	switch {
	case t.op == opPi:
		return -2, first
	case t.constant():
		return -1, first
	}
	for k, a := range t.args {
		switch {
		case t.op != opProd:
			return 1, t.id
		case len(t.in[k]) > 0:
			return 2, t.id
		}
		rank, first = max(rank, a.rank), min(first, a.first)
	}
	return rank, first
}

// constant reports whether t is a function of numbers: sqrt(pi), log(2).
func (t *term) constant() bool {
	switch t.op {
	case opCall, opPow, opDiv:
		return t.order() == 0 && !slices.ContainsFunc(t.args, func(a *term) bool { return a.op != opNum && a.rank >= 0 })
	}
	return false
}

// lower writes nodes whose contractions have at most two operands.
func lower(nodes []*combinators.Node) (*writer, []*term, error) {
	w := &writer{
		table: map[string]*term{},
		of:    map[*combinators.Node]*term{},
		uses:  combinators.Uses(nodes...),
	}
	w.powers = newPowers(w.uses)
	topo := combinators.Topo(nodes...)
	inSum := map[*combinators.Node]bool{}
	for _, n := range topo {
		if n.Is(atom.Add) {
			inSum[n.Arg(0)], inSum[n.Arg(1)] = true, true
		}
	}
	for _, n := range topo {
		if n.Is(atom.Add) && w.uses[n] == 1 && inSum[n] {
			continue // flattened into the sum that uses it
		}
		t, err := w.node(n)
		if err != nil {
			return nil, nil, err
		}
		w.of[n] = t
	}
	outs := lists.Map(nodes, func(n *combinators.Node) *term { return w.of[n] })
	return w, outs, nil
}

// symmetric reports whether a matrix is seen to be its own transpose.
// It stays one switch: a case for each operation.
func (t *term) symmetric() bool {
	if t.order() != 2 {
		return false
	}
	all := func() bool {
		return !slices.ContainsFunc(t.args, func(a *term) bool { return a.order() == 2 && !a.sym })
	}
	switch t.op {
	case opDelta:
		return true
	case opVar:
		return atom.Attributes(t.attr).Has(atom.Symmetric)
	case opJoin:
		rows := t.numbers()
		for i, r := range rows {
			for j := range r[:min(i, len(r))] {
				if len(r) != len(rows) || r[j].Cmp(rows[j][i]) != 0 {
					return false
				}
			}
		}
		return rows != nil && len(rows) == len(rows[0])
	case opIndex: // the identity with its rows turned about
		return t.args[0].op == opDelta && t.subs[0].step == -1 && t.shape[0] == t.shape[1]
	case opAdd, opSub:
		a, b := t.args[0], t.args[1]
		return all() || t.op == opAdd && (a.permutes() && a.args[0] == b || b.permutes() && b.args[0] == a)
	case opNeg, opDiv, opPow:
		return all()
	case opCall:
		switch {
		case t.space || t.name == "tril" || t.name == "triu":
			return false
		case t.name == "prodexcept":
			return t.attr == 0 // of a vector, by two places
		case len(t.args) == 1: // element-wise, inv or adj; split and merge make matrices of other orders
			return (t.attr == 0 || t.name == "matpow") && t.args[0].sym
		}
		at := atom.Named(t.name)
		return at != nil && at.Infix != "" && at != atom.Pow && all() // a comparison
	case opProd:
		return t.symmetricProduct()
	}
	return false
}

// symmetricProduct: a number times S, a' a, a a', and x x'.
func (t *term) symmetricProduct() bool {
	switch {
	case len(t.args) == 1:
		return t.out[0] == t.out[1]
	case len(t.in[0]) == 0 && slices.Equal(t.in[1], t.out):
		return t.args[1].sym
	}
	i, j := slices.Index(t.in[0], t.out[0]), slices.Index(t.in[1], t.out[1])
	return t.args[0] == t.args[1] && i == j && i >= 0 && distinct(t.in[0]) && distinct(t.in[1]) &&
		len(t.in[0]) <= 2 && !slices.Contains(t.in[0], t.out[1]) && !slices.Contains(t.in[1], t.out[0])
}

func (w *writer) num(r *big.Rat) *term { return w.intern(term{op: opNum, rat: r}) }

func (w *writer) int(n int64) *term { return w.num(big.NewRat(n, 1)) }

func (w *writer) call(name string, attr int, shape []size.Size, args ...*term) *term {
	return w.intern(term{op: opCall, name: name, attr: attr, args: args, shape: shape})
}

func (w *writer) fill(r *big.Rat, shape []size.Size) *term {
	if len(shape) == 0 {
		return w.num(r)
	}
	return w.intern(term{op: opFill, rat: r, shape: shape})
}

// neg is -t; a number changes its sign.
func (w *writer) neg(t *term) *term {
	switch t.op {
	case opNum, opFill:
		return w.fill(new(big.Rat).Neg(t.rat), t.shape)
	case opNeg:
		return t.args[0]
	}
	return w.intern(term{op: opNeg, args: []*term{t}, shape: t.shape})
}

// div is a / b, where one side may have order 0. A sum over an axis, over its size, is a mean.
func (w *writer) div(a, b *term) *term {
	if b.op == opSize {
		if m := w.mean(a, b.sizes[0]); m != nil {
			return m
		}
	}
	shape := a.shape
	if len(shape) == 0 {
		shape = b.shape
	}
	return w.intern(term{op: opDiv, args: []*term{a, b}, shape: shape})
}

// node lowers one node, whose arguments are done.
// It stays one switch: a case for each function.
func (w *writer) node(n *combinators.Node) (*term, error) {
	args := lists.Map(n.Args(), func(a *combinators.Node) *term { return w.of[a] })
	switch n.Atom().Class {
	case atom.ClassVariable:
		t := w.intern(term{op: opVar, name: n.Name(), attr: int(n.Attributes()), shape: n.Shape()})
		if n.Attributes().Has(atom.Index) {
			return w.call("onehot", 0, n.Shape(), t), nil
		}
		return t, nil
	case atom.ClassContraction:
		return w.product(n, args)
	case atom.ClassSum:
		return w.sum(n), nil
	}
	switch n.Atom() {
	case atom.Const:
		return w.num(n.Rat()), nil
	case atom.Pi:
		return w.intern(term{op: opPi}), nil
	case atom.Power:
		return w.power(args[0], n.Rat()), nil
	case atom.Minor:
		switch n.Attr() {
		case 0:
			return w.call("det", 0, n.Shape(), args...), nil
		case 1:
			// The cofactors are the adjugate transposed.
			adj := w.call("adj", 0, n.Shape(), args...)
			order := einsum.UpTo(adj.order())
			return w.permute(adj, swapLast(order)), nil
		}
		return w.call("minor", n.Attr(), n.Shape(), args...), nil
	case atom.Inv, atom.LogDet, atom.Solve, atom.Norm2:
		return w.call(n.Atom().Name, 0, n.Shape(), args...), nil
	case atom.Eigvals, atom.Eigvecs, atom.Chol, atom.Pinv:
		return w.intern(term{op: opCall, name: n.Atom().Name, args: args, shape: n.Shape(), space: true}), nil
	case atom.Matfun[0], atom.Matfun[1], atom.Matfun[2], atom.Matfun[3], atom.Matfun[4]:
		f := atom.MatrixFunction(n.Attr())
		if name := f.OfMatrices(); name != "" {
			return w.intern(term{op: opCall, name: name, args: args, shape: n.Shape(), space: true}), nil
		}
		args = append([]*term{w.intern(term{op: opVar, name: f.Name})}, args...)
		return w.intern(term{op: opCall, name: atom.Matfun[0].Name, args: args, shape: n.Shape(), space: true}), nil
	case atom.Prod:
		return w.products(n.Attr(), args[0]), nil
	case atom.AMax, atom.AMin, atom.LogSumExp, atom.Softmax:
		return w.reduction(n, args[0]), nil
	case atom.Merge:
		if k := w.kron(n); k != nil {
			return k, nil
		}
		return w.call("merge", n.Attr(), n.Shape(), args...), nil
	case atom.Split:
		return w.intern(term{op: opCall, name: "split", attr: n.Attr(), sizes: n.Sizes(), args: args, shape: n.Shape()}), nil
	}
	if n.Atom().Class == atom.ClassElementwise {
		if len(args) == 2 {
			args[0], args[1] = w.scalarSides(args[0], args[1])
		}
		return w.call(n.Atom().Name, 0, n.Shape(), args...), nil
	}
	if n.Body() != nil {
		_, _, err := lower(Associate(prepared([]*combinators.Node{n.Body().Out()}, nil)))
		return w.bodied(n, args), err
	}
	if g := n.Atom().Signature(); g != nil && n.Attr() == 0 && n.BatchAxes() == 0 {
		return w.intern(term{op: opCall, name: n.Atom().Name, args: args, shape: n.Shape(), space: true}), nil
	}
	return nil, fmt.Errorf("%s has no textual form", n.Atom().Name)
}

// scalarSides drops the broadcast of one of two operands of one shape: an operand of
// order 0 broadcasts by itself.
func (w *writer) scalarSides(a, b *term) (*term, *term) {
	if s := w.scalarOf(b); s != nil {
		return a, s
	}
	if s := w.scalarOf(a); s != nil {
		return s, b
	}
	return a, b
}

// scalarOf is the value of order 0 that t has in all entries, or nil.
func (w *writer) scalarOf(t *term) *term {
	switch {
	case t.order() == 0:
		return t
	case t.op == opFill:
		return w.num(t.rat)
	case t.op == opProd && len(t.args) == 1 && t.args[0].order() == 0 && distinct(t.out):
		return t.args[0]
	case t.op == opNeg:
		if s := w.scalarOf(t.args[0]); s != nil {
			return w.neg(s)
		}
	}
	return nil
}

func swapLast(order []int) []int {
	k := len(order) - 2
	order[k], order[k+1] = order[k+1], order[k]
	return order
}
