package combinators

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// A Body is a closed function that a node has beside its operands: the step of a recurrence, or what an implicit function is of.
//
// The step f of a recurrence is a function of a state h, of slices x and of constants c. The recurrence of a body
// has the operands b, X, .. and c, ..; its value are all states, the first one among them. With T steps,
//
//	h[0] = b[0],  h[t+1] = b[t+1] + f(h[t], X[t], .., c, ..)
//	h[T] = b[T],  h[t] = b[t] + f(h[t+1], X[t], .., c, ..)    reversed
//
// for t from 0 to T-1. Where f is linear in h the recurrence is a linear map of b, whose adjoint is the recurrence of the adjoint
// of f, reversed; the derivative of any recurrence is one with the derivative of f.
//
// An implicit function of a body is the x for which f(x, c, ..) is 0, is x, or is least, that is found from the operand b on: see
// [Store.Implicit].
//
// A body lives in a store of its own, which nobody else has, and never changes: equal ones have one key.
type Body struct {
	Row     *atom.Row // of the nodes that have it
	Steps   size.Size
	Reverse bool
	Sliced  int // how many of the parameters behind the state are slices
	params  []*Node
	out     *Node
	key     string
}

// A Bound is a variable of a step and the operand for which it stands.
type Bound struct{ Var, Value *Node }

// Body is that of a recurrence or an implicit function, nil of every other node.
func (n *Node) Body() *Body { return n.labels().body }

// Bodied is what the first node in nodes that has a body is, "a recurrence" or "an implicit function", and "" where there is none.
func Bodied(nodes ...*Node) string {
	for _, n := range Topo(nodes...) {
		if b := n.Body(); b != nil && b.Implicit() {
			return "an implicit function"
		} else if b != nil {
			return "a recurrence"
		}
	}
	return ""
}

// Key tells bodies apart.
func (b *Body) Key() string { return b.key }

// Out is the value of the step, in the store of the body; its variables are those that Params gives.
func (b *Body) Out() *Node { return b.out }

// Params are the variables of Out: the state, slices, constants.
func (b *Body) Params() []*Node { return b.params }

func parameter(k int) string { return fmt.Sprintf("#%d", k) }

// In is the step in another store: its parameters and its value.
func (b *Body) In(s *Store) (params []*Node, out *Node) {
	for k, p := range b.params {
		params = append(params, s.Var(parameter(k), p.Shape()))
	}
	return params, s.copied(b.out)
}

// copied is n of any store, with the same variables.
func (s *Store) copied(n *Node) *Node {
	return Rebuild([]*Node{n}, func(n *Node, args []*Node) *Node { return s.Copy(n, args, n.Ein()) })[0]
}

// newBody is a body like one, of out, a value of the variables params in their store.
func newBody(like Body, params []*Node, out *Node) *Body {
	b := &Body{Row: like.Row, Steps: like.Steps, Reverse: like.Reverse, Sliced: like.Sliced}
	named, of := NewStore(), map[*Node]int{}
	for k, p := range params {
		of[p] = k
		named.Var(parameter(k), p.Shape())
	}
	copied := Rebuild([]*Node{out}, func(n *Node, args []*Node) *Node {
		if n.Is(atom.Var) {
			return named.Var(parameter(of[n]), n.Shape())
		}
		return named.Copy(n, args, n.Ein())
	})[0]
	b.out = Arrange(copied)[0] // however it was built
	s := b.out.store
	for k, p := range params {
		b.params = append(b.params, s.Var(parameter(k), p.Shape()))
	}
	if !b.Implicit() {
		b.Row = atom.LinearRecurrence
		if _, err := Push([]*Node{b.out}, b.params[:1], []*Node{s.Var("#", params[0].Shape())}, nil); err != nil {
			b.Row = atom.Recurrence
		}
	}
	b.key = b.text()
	return b
}

// text is all that the body is.
func (b *Body) text() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%s %s %t %d", b.Row.Name, b.Steps, b.Reverse, b.Sliced)
	for _, p := range b.params {
		w.WriteString(size.Shape(p.Shape()))
	}
	place := map[*Node]int{}
	for k, n := range Topo(b.out) {
		place[n] = k
		w.WriteString(";" + n.Name() + protoKey(&Node{store: n.store, ein: n.ein, label: n.label.without(), id: -1, attr: n.attr, atom: n.atom, guard: n.guard}))
		for _, a := range n.Args() {
			fmt.Fprintf(&w, " %d", place[a])
		}
	}
	return w.String()
}

// without is a label without its operands.
func (l *label) without() *label {
	if l == nil {
		return nil
	}
	own := *l
	own.args = nil
	return &own
}

// bodyShape is the shape of the first operand: of a recurrence, all states.
func bodyShape(n *Node) []size.Size {
	b := n.Body()
	if len(n.Args()) != len(b.params) {
		panic(TypeErrorf("%s of %d operands got %d", b.Row.Name, len(b.params), len(n.Args())))
	}
	for k, a := range n.Args() {
		if want := b.operandShape(k); !slices.Equal(a.Shape(), want) {
			panic(TypeErrorf("operand %d of %s has shape %s, not %s", k+1, b.Row.Name, size.Shape(a.Shape()), size.Shape(want)))
		}
	}
	return n.Arg(0).Shape()
}

// operandShape is the shape of operand k.
func (b *Body) operandShape(k int) []size.Size {
	shape := b.params[k].Shape()
	switch {
	case b.Implicit():
	case k == 0:
		return slices.Concat([]size.Size{b.Steps.Add(size.Const(1))}, shape)
	case k <= b.Sliced:
		return slices.Concat([]size.Size{b.Steps}, shape)
	}
	return shape
}

// Recurrence has all states of h[t+1] = base[t+1] + out, where out is a value of the variable state, of variables that stand for
// slices of tensors along their first axis, and of others that stand for constants.
func (s *Store) Recurrence(steps size.Size, reverse bool, state, out, base *Node, sliced, constant []Bound) *Node {
	if !slices.Contains(Topo(out), state) {
		return s.added(base, s.steps(steps, reverse, s.Along(steps, out, sliced, constant)))
	}
	if out == state {
		return s.sums(base, reverse)
	}
	params, args, count, out := joined(state, out, base, sliced, constant)
	return s.bodied(newBody(Body{Steps: steps, Reverse: reverse, Sliced: count}, params, out), args)
}

// joined are the parameters of out, a value of state and of the variables of bounds, the first list of them slices, and the operands:
// operands that are equal are one, and those that out does not depend on are none.
func joined(state, out, base *Node, lists ...[]Bound) (params, args []*Node, sliced int, joint *Node) {
	params, args = []*Node{state}, []*Node{base}
	reached, same := map[*Node]bool{}, map[*Node]*Node{}
	for _, n := range Topo(out) {
		reached[n] = true
	}
	for k, list := range lists {
		for _, b := range list {
			i := slices.Index(args[1:], b.Value) + 1
			switch {
			case !reached[b.Var]:
			case i > 0 && (i <= sliced) == (k == 0):
				same[b.Var] = params[i]
			default:
				params, args = append(params, b.Var), append(args, b.Value)
			}
		}
		if k == 0 {
			sliced = len(args) - 1
		}
	}
	return params, args, sliced, Rebuild([]*Node{out}, func(n *Node, args []*Node) *Node {
		if m := same[n]; m != nil {
			return m
		}
		return n.With(args)
	})[0]
}

// Stepped is the recurrence n with the value that f makes of its step, which f gets in a store of its own. Operands that are equal are
// one, and those that nothing reads are left out. Where outward holds, addends that do not depend on the state are added to the first
// operand, for all steps at once.
func (n *Node) Stepped(f func(out *Node) *Node, outward bool) *Node {
	s, own, b := n.store, NewStore(), n.Body()
	_, out := b.In(own)
	out = s.copied(f(out))
	var lists [2][]Bound
	for k, p := range b.params[1:] {
		bound := Bound{s.Var(parameter(k+1), p.Shape()), n.Arg(k + 1)}
		if k < b.Sliced {
			lists[0] = append(lists[0], bound)
		} else {
			lists[1] = append(lists[1], bound)
		}
	}
	state, base := s.Var(parameter(0), b.params[0].Shape()), n.Arg(0)
	if b.Implicit() {
		return s.Implicit(b.Row, state, out, base, lists[1])
	}
	depends := Dependents(Topo(out), []*Node{state})
	var inside, outside *Node
	for _, a := range addends(out) {
		to := &inside
		if outward && !depends.Get(a) {
			to = &outside
		}
		if *to == nil {
			*to = a
		} else {
			*to = s.Add(*to, a)
		}
	}
	if inside != nil && outside != nil {
		out, base = inside, s.added(base, s.steps(b.Steps, b.Reverse, s.Along(b.Steps, outside, lists[0], lists[1])))
	}
	return s.Recurrence(b.Steps, b.Reverse, state, out, base, lists[0], lists[1])
}

// bodied is the node of b.
func (s *Store) bodied(b *Body, args []*Node) *Node {
	return s.intern(form{atom: b.Row, body: b}, args...)
}

// sums are running sums of base along its first axis: the recurrence of which the step is the state.
func (s *Store) sums(base *Node, reverse bool) *Node {
	f := s.Scan(base.Shape()[0], base.Shape()[1:])
	if reverse {
		f = s.Swap(f)
	}
	return f.t.close([]*Node{base}, nil)
}

func (s *Store) added(a, b *Node) *Node {
	switch {
	case isZero(a):
		return b
	case isZero(b):
		return a
	}
	return s.Add(a, b)
}

// offset moves the first axis of n: entry t of the value is entry t + by of n, of which there are steps in the value where in
// holds, and in n otherwise.
func (s *Store) offset(n *Node, steps size.Size, by int64, in bool) *Node {
	all := slices.Concat([]size.Size{steps}, n.Shape()[1:])
	moved := slices.Clone(all)
	moved[0] = steps.Add(size.Const(1))
	index := lists.Make(len(all), func(k int) einsum.Affine { return einsum.Variable(k) })
	whole := einsum.Access{Shape: all, Index: index}
	part := einsum.Access{Shape: moved, Index: slices.Clone(index)}
	part.Index[0] = index[0].Plus(1, einsum.Affine{Off: size.Const(by)})
	from, to := part, whole
	if !in {
		from, to = whole, part
	}
	c, err := einsum.New(all, []einsum.Access{from}, to, nil, nil)
	if err != nil {
		panic(err) // the variables are those of the axes
	}
	return s.Ein(c, n)
}

// Steps puts values for all steps of the recurrence n where the states are that these make, beside a 0.
func (s *Store) Steps(n, values *Node) *Node {
	return s.steps(n.Body().Steps, n.Body().Reverse, values)
}

func (s *Store) steps(steps size.Size, reverse bool, n *Node) *Node {
	by := int64(1)
	if reverse {
		by = 0
	}
	return s.offset(n, steps, by, false)
}

// Before are the states from which the steps of the recurrence n go out.
func (n *Node) Before() *Node {
	b, by := n.Body(), int64(0)
	if b.Reverse {
		by = 1
	}
	return n.store.offset(n, b.Steps, by, true)
}

// After are the entries of a tensor of the states of the recurrence n that steps make.
func (s *Store) After(n, states *Node) *Node {
	return s.States(states, n.Body().Steps, n.Body().Reverse)
}

// States are those that steps make, of all: without the first one.
func (s *Store) States(all *Node, steps size.Size, reverse bool) *Node {
	by := int64(1)
	if reverse {
		by = 0
	}
	return s.offset(all, steps, by, true)
}

// Entry is the tensor at place at of the first axis of n; First puts it there, beside zeros.
func (s *Store) Entry(n *Node, at size.Size) *Node { return s.placed(n, n.Shape(), at, true) }

// First is the operand b of a recurrence that begins with h.
func (s *Store) First(h *Node, steps size.Size, reverse bool) *Node {
	at := size.Size{}
	if reverse {
		at = steps
	}
	return s.placed(h, slices.Concat([]size.Size{steps.Add(size.Const(1))}, h.Shape()), at, false)
}

func (s *Store) placed(n *Node, shape []size.Size, at size.Size, out bool) *Node {
	index := []einsum.Affine{{Off: at}}
	var rest []einsum.Affine
	for k := range shape[1:] {
		rest = append(rest, einsum.Variable(k))
	}
	whole, part := einsum.Access{Shape: shape, Index: append(index, rest...)}, einsum.Access{Shape: shape[1:], Index: rest}
	if !out {
		whole, part = part, whole
	}
	c, err := einsum.New(shape[1:], []einsum.Access{whole}, part, nil, nil)
	if err != nil {
		panic(err) // the variables are those of the axes
	}
	return s.Ein(c, n)
}

// Along is out at each of the steps: its axis of steps is the first one.
func (s *Store) Along(steps size.Size, out *Node, sliced, constant []Bound) *Node {
	batch := []size.Size{steps}
	image := map[*Node]*Node{}
	varies := map[*Node]bool{}
	for _, b := range constant {
		image[b.Var] = b.Value
	}
	for _, b := range sliced {
		image[b.Var], varies[b.Var] = b.Value, true
	}
	n := s.lifted(out, image, varies, batch)
	if !varies[out] {
		n = s.repeat(n, batch)
	}
	return n
}

// lifted is out with images for variables; those that vary have the axes batch in front, and so has what is made of them.
func (s *Store) lifted(out *Node, image map[*Node]*Node, varies map[*Node]bool, batch []size.Size) *Node {
	for _, n := range Topo(out) {
		if image[n] != nil {
			continue
		}
		args := make([]*Node, len(n.Args()))
		for k, a := range n.Args() {
			args[k] = image[a]
			varies[n] = varies[n] || varies[a]
		}
		if !varies[n] {
			image[n] = n.With(args)
			continue
		}
		var open []*Node
		for k, a := range n.Args() {
			if varies[a] {
				open = append(open, args[k])
				args[k] = nil
			}
		}
		f := s.OperationMap(n, args)
		image[n] = f.t.close(open, batch)
	}
	return image[out]
}

// lift is the node of b with the axes batch in front of the operands for which open holds: the state has them, too.
func (s *Store) lift(b *Body, args []*Node, open func(k int) bool, batch []size.Size) *Node {
	params, out := b.In(s)
	image, varies := map[*Node]*Node{}, map[*Node]bool{}
	order := len(batch)
	moved := func(n *Node, front []int) *Node {
		perm := append(front, upTo(n.Order())[order+1:]...)
		return s.Contract([][]int{upTo(n.Order())}, perm, n.Shape(), n)
	}
	inward := append([]int{order}, upTo(order)...)
	var lists [2][]Bound
	for k, p := range params {
		value := args[k]
		if k == 0 && !open(0) {
			value = s.repeat(value, batch)
		}
		image[p] = p
		if varies[p] = k == 0 || open(k); varies[p] {
			image[p] = s.Var(parameter(len(params)+k), slices.Concat(batch, p.Shape()))
			if k <= b.Sliced && !b.Implicit() {
				value = moved(value, slices.Clone(inward))
			}
		}
		switch {
		case k == 0:
			args = slices.Clone(args)
			args[0] = value
		case k <= b.Sliced:
			lists[0] = append(lists[0], Bound{image[p], value})
		default:
			lists[1] = append(lists[1], Bound{image[p], value})
		}
	}
	state, lifted := image[params[0]], s.lifted(out, image, varies, batch)
	if b.Implicit() {
		if !varies[out] {
			lifted = s.repeat(lifted, batch)
		}
		if b.Row == atom.Argmin { // of the sum: no addend has another's argument
			lifted = s.Contract([][]int{upTo(order)}, nil, batch, lifted)
		}
		return s.Implicit(b.Row, state, lifted, args[0], lists[1])
	}
	y := s.Recurrence(b.Steps, b.Reverse, state, lifted, args[0], lists[0], lists[1])
	outward := append(slices.Clone(upTo(order + 1)[1:]), 0)
	return moved(y, outward)
}

// widened is the body of which the state has as many axes more behind as b has, of a linear recurrence.
func (b *Body) widened(base *Node) *Body {
	extra := base.Shape()[min(base.Order(), 1+b.params[0].Order()):]
	if b.Row != atom.LinearRecurrence || len(extra) == 0 {
		return b
	}
	s := NewStore()
	params, out := b.In(s)
	wide := s.Var("#", slices.Concat(params[0].Shape(), extra))
	outs, err := Push([]*Node{out}, params[:1], []*Node{wide}, extra)
	if err != nil {
		panic(err) // it is linear
	}
	params[0] = wide
	return newBody(*b, params, outs[0])
}

// atSizes is the body with sizes in the place of symbols.
func (b *Body) atSizes(known map[string]size.Size) *Body {
	s := NewStore()
	outs, err := s.AtSizes(known, append([]*Node{b.out}, b.params...)...)
	if err != nil {
		panic(TypeErrorf("%v", err))
	}
	return newBody(Body{b.Row, b.Steps.Subst(known), b.Reverse, b.Sliced, nil, nil, ""}, outs[1:], outs[0])
}

// Captured is out, a value of a step, with variables for the largest parts of it that do not depend on state and slices and have variables,
// and what these stand for. Arithmetic of numbers stays in the step.
func (s *Store) Captured(out, state *Node, sliced []Bound) (*Node, []Bound) {
	vars := []*Node{state}
	vars = lists.Append(vars, sliced, func(b Bound) *Node { return b.Var })
	order := Topo(out)
	inside := Dependents(order, vars)
	free := map[*Node]bool{} // variables stand in it
	var constant []Bound
	image := map[*Node]*Node{}
	var capture func(n *Node) *Node
	capture = func(n *Node) *Node {
		switch {
		case inside.Get(n) || !free[n]:
			return image[n]
		case len(n.Args()) > 0 && n.Body() == nil && !slices.ContainsFunc(append([]*Node{n}, n.Args()...), func(a *Node) bool { return a.Order() > 0 }):
			args := lists.Map(n.Args(), capture)
			return n.With(args) // arithmetic of numbers
		}
		i := slices.IndexFunc(constant, func(b Bound) bool { return b.Value == n })
		if i < 0 {
			i = len(constant)
			constant = append(constant, Bound{s.Var(fmt.Sprintf("#constant%d", i), n.Shape()), n})
		}
		return constant[i].Var
	}
	for _, n := range order {
		image[n], free[n] = n, n.Is(atom.Var)
		args := make([]*Node, len(n.Args()))
		for k, a := range n.Args() {
			free[n] = free[n] || free[a]
			args[k] = a
		}
		if inside.Get(n) && len(args) > 0 {
			for k, a := range args {
				args[k] = capture(a)
			}
			image[n] = n.With(args)
		}
	}
	return capture(out), constant
}

// Started is the recurrence n with one first state beside zeros for its first operand, where that is made of a first state and of what
// is added in steps: this stands in the step. It is n where it is not.
func (n *Node) Started() *Node {
	s, b, base := n.store, n.Body(), n.Arg(0)
	first, by := size.Size{}, size.Const(1)
	if b.Reverse {
		first, by = b.Steps, size.Size{}
	}
	start, steps := s.Zero(base.Shape()[1:]), s.Zero(slices.Concat([]size.Size{b.Steps}, base.Shape()[1:]))
	for _, a := range addends(base) {
		if isZero(a) {
			continue
		}
		if a.ein == nil {
			return n
		}
		out := a.ein.Out
		at := out.Index[0]
		stays := len(at.Terms) == 1 && at.Terms[0].Coef == 1 && at.Off == by && a.ein.Vars[at.Terms[0].Var] == b.Steps
		rest := einsum.Access{Shape: out.Shape[1:], Index: out.Index[1:]}
		if stays {
			rest = einsum.Access{Shape: slices.Clone(out.Shape), Index: slices.Clone(out.Index)}
			rest.Shape[0], rest.Index[0] = b.Steps, einsum.Variable(at.Terms[0].Var)
		} else if len(at.Terms) > 0 || at.Off != first {
			return n
		}
		c, err := einsum.New(a.ein.Vars, a.ein.In, rest, a.ein.Eq, a.ein.Ge)
		if err != nil {
			panic(err) // the variables are those of a
		}
		if part := s.Ein(c, a.Args()...); stays {
			steps = s.added(steps, part)
		} else {
			start = s.added(start, part)
		}
	}
	if base = s.Zero(base.Shape()); !isZero(start) {
		base = s.First(start, b.Steps, b.Reverse)
	}
	if isZero(steps) {
		return s.bodied(b, append([]*Node{base}, n.Args()[1:]...))
	}
	params, out := b.In(s)
	var lists [2][]Bound
	for k, p := range params[1:] {
		i := 0
		if k >= b.Sliced {
			i = 1
		}
		lists[i] = append(lists[i], Bound{p, n.Arg(k + 1)})
	}
	x := s.Var("#step", params[0].Shape())
	return s.Recurrence(b.Steps, b.Reverse, params[0], s.Add(out, x), base, append(lists[0], Bound{x, steps}), lists[1])
}
