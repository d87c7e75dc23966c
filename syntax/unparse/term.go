package unparse

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"frechet/combinators"
	"frechet/einsum/size"
)

// op is the operation of a display term.
type op uint8

const (
	opVar   op = iota // a variable
	opNum             // a rational number of order 0
	opSize            // a size as a number of order 0
	opFill            // a tensor all of whose entries are one number
	opDelta           // the identity, delta
	opProd            // an index product of one or two operands
	opAdd             // a + b; one side may have order 0
	opSub             // a - b
	opNeg             // -a
	opDiv             // a / b; one side may have order 0
	opPow             // a ^ r
	opCall            // a function
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
	name  string      // variable, function, or the text of a size
	attr  int         // of a function: k of minor, an axis of merge and split; reductions: below
	sizes []size.Size // of split
	shape []size.Size

	id   int
	uses int
	sym  bool // a matrix that is its own transpose
	free bool // it stands somewhere else than as an operand of a product
	// Axes whose sizes the text below the term, and around it, fixes: see context.
	below, around []bool
}

func (t *term) order() int { return len(t.shape) }

// axis is the axis of a reduction; it has none where it reduces all axes.
func (t *term) axis() (int, bool) {
	return t.attr - 1, t.op == opCall && t.attr > 0 && reductions[t.name]
}

var reductions = map[string]bool{"max": true, "min": true, "logsumexp": true, "softmax": true}

// writer lowers associated nodes to terms.
type writer struct {
	table map[string]*term
	list  []*term // in topological order
	of    map[*combinators.Node]*term
	uses  map[*combinators.Node]int
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
	// The shape follows from the operands except where new letters or constants stand.
	if t.op == opFill || t.op == opDelta || t.op == opProd || t.op == opVar {
		b = append(b, size.Shape(t.shape)...)
	}
	if have, ok := w.table[string(b)]; ok {
		return have
	}
	n := new(term)
	*n = t
	n.id = len(w.list)
	n.sym = n.symmetric()
	w.table[string(b)] = n
	w.list = append(w.list, n)
	return n
}

// lower writes nodes whose contractions have at most two operands.
func lower(nodes []*combinators.Node) (*writer, []*term, error) {
	w := &writer{
		table: map[string]*term{},
		of:    map[*combinators.Node]*term{},
		uses:  combinators.Uses(nodes...),
	}
	topo := combinators.Topo(nodes...)
	inSum := map[*combinators.Node]bool{}
	for _, n := range topo {
		if n.Is("add") {
			inSum[n.Arg(0)], inSum[n.Arg(1)] = true, true
		}
	}
	for _, n := range topo {
		if n.Is("add") && w.uses[n] == 1 && inSum[n] {
			continue // flattened into the sum that uses it
		}
		t, err := w.node(n)
		if err != nil {
			return nil, nil, err
		}
		w.of[n] = t
	}
	outs := make([]*term, len(nodes))
	for i, n := range nodes {
		outs[i] = w.of[n]
	}
	return w, outs, nil
}

// symmetric reports whether a matrix is seen to be its own transpose.
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
	case opAdd, opSub:
		a, b := t.args[0], t.args[1]
		return all() || t.op == opAdd && (a.permutes() && a.args[0] == b || b.permutes() && b.args[0] == a)
	case opNeg, opDiv, opPow:
		return all()
	case opCall:
		return all() && (t.attr == 0 && len(t.args) == 1 || comparisons[t.name] != "")
	case opProd:
		if len(t.args) == 1 {
			return t.out[0] == t.out[1]
		}
		if len(t.in[0]) == 0 && slices.Equal(t.in[1], t.out) {
			return t.args[1].sym
		}
		// a' a, a a', and x x'.
		i, j := slices.Index(t.in[0], t.out[0]), slices.Index(t.in[1], t.out[1])
		return t.args[0] == t.args[1] && i == j && i >= 0 && distinct(t.in[0]) && distinct(t.in[1]) &&
			len(t.in[0]) <= 2 && !slices.Contains(t.in[0], t.out[1]) && !slices.Contains(t.in[1], t.out[0])
	}
	return false
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

// div is a / b, where one side may have order 0.
func (w *writer) div(a, b *term) *term {
	shape := a.shape
	if len(shape) == 0 {
		shape = b.shape
	}
	return w.intern(term{op: opDiv, args: []*term{a, b}, shape: shape})
}

// node lowers one node, whose arguments are done.
func (w *writer) node(n *combinators.Node) (*term, error) {
	args := make([]*term, len(n.Args()))
	for k, a := range n.Args() {
		args[k] = w.of[a]
	}
	switch n.Atom().Class {
	case combinators.ClassVariable:
		return w.intern(term{op: opVar, name: n.Name(), shape: n.Shape()}), nil
	case combinators.ClassContraction:
		return w.product(n, args)
	case combinators.ClassSum:
		return w.sum(n), nil
	}
	switch n.Atom().Name {
	case "const":
		return w.num(n.Rat()), nil
	case "power":
		return w.power(args[0], n.Rat()), nil
	case "minor":
		switch n.Attr() {
		case 0:
			return w.call("det", 0, n.Shape(), args...), nil
		case 1:
			// The cofactors are the adjugate transposed.
			adj := w.call("adj", 0, n.Shape(), args...)
			order := upTo(adj.order())
			return w.permute(adj, swapLast(order)), nil
		}
		return w.call("minor", n.Attr(), n.Shape(), args...), nil
	case "inv", "logdet", "solve", "norm2":
		return w.call(n.Atom().Name, 0, n.Shape(), args...), nil
	case "amax", "amin", "logsumexp", "softmax":
		return w.reduction(n, args[0]), nil
	case "merge":
		return w.call("merge", n.Attr(), n.Shape(), args...), nil
	case "split":
		return w.intern(term{op: opCall, name: "split", attr: n.Attr(), sizes: n.Sizes(), args: args, shape: n.Shape()}), nil
	}
	if n.Atom().Class == combinators.ClassElementwise {
		if len(args) == 2 {
			args[0], args[1] = w.scalarSides(args[0], args[1])
		}
		return w.call(n.Atom().Name, 0, n.Shape(), args...), nil
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
	}
	return nil
}

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
	name := n.Atom().Name
	switch name {
	case "amax":
		name = "max"
	case "amin":
		name = "min"
	}
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
		all := upTo(a.order())
		if sum.order() > 0 {
			sum = w.unary(sum, all[:sum.order()], all, a.shape)
		}
		return w.call("exp", 0, a.shape, w.intern(term{op: opSub, args: []*term{a, sum}, shape: a.shape}))
	}
	return w.overLast(name, k, a)
}

// overLast reduces the last k axes: all of them at once, or one after the other.
func (w *writer) overLast(name string, k int, a *term) *term {
	if k == a.order() {
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
	order := slices.Delete(upTo(a.order()), axis, axis+1)
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

// sum flattens a sum through the sums that it alone uses.
func (w *writer) sum(n *combinators.Node) *term {
	var plus, minus []*term
	stack := []*combinators.Node{n}
	var addends []*combinators.Node
	for len(stack) > 0 {
		m := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if m.Is("add") && (m == n || w.of[m] == nil) {
			stack = append(stack, m.Arg(1), m.Arg(0))
			continue
		}
		addends = append(addends, m)
	}
	for _, m := range addends {
		switch t := w.of[m]; t.op {
		case opNeg:
			minus = append(minus, t.args[0])
		case opNum, opFill:
			if t.rat.Sign() < 0 {
				minus = append(minus, w.neg(t))
			} else {
				plus = append(plus, t)
			}
		default:
			plus = append(plus, t)
		}
	}
	for _, ts := range [][]*term{plus, minus} {
		slices.SortStableFunc(ts, func(a, b *term) int { return rank(a) - rank(b) })
	}
	all := append(slices.Clone(plus), minus...)
	shape := n.Shape()
	// An addend of order 0 broadcasts, but one of the full order must be left. Broadcasts
	// stay where all addends are.
	full := slices.ContainsFunc(all, func(t *term) bool { return w.scalarOf(t) == nil })
	for i, t := range all {
		if s := w.scalarOf(t); s != nil && (full || i > 0) {
			all[i] = s
		}
	}
	// The first addend with a minus sign starts the text where there is no other.
	acc := all[0]
	if len(plus) == 0 {
		acc = w.neg(acc)
	}
	for i, t := range all[1:] {
		kind := opAdd
		if i+1 >= len(plus) {
			kind = opSub
		}
		sh := shape
		if acc.order() == 0 && t.order() == 0 {
			sh = nil
		}
		acc = w.intern(term{op: kind, args: []*term{acc, t}, shape: sh})
	}
	return acc
}

// rank orders addends: A*x + b, x + 1.
func rank(t *term) int {
	switch t.op {
	case opNum, opFill, opSize:
		return 2
	case opProd:
		if len(t.args) == 2 && slices.ContainsFunc(t.in[0], func(v int) bool { return !slices.Contains(t.out, v) }) {
			return 0 // a product that sums
		}
	}
	return 1
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func swapLast(order []int) []int {
	k := len(order) - 2
	order[k], order[k+1] = order[k+1], order[k]
	return order
}
