package adjoint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite"
)

// The rules differentiate and transpose values by templates. A node is an operation c of operands; of
// these some depend on what is differentiated. The derivative of the node is that of
//
//	c . <f1, .., fk>
//
// for unknown maps f1, .., fk, one for each such operand. The rules bring D(c . <f1, .., fk>)(x) to a
// normal form in which D(f1)(x), .. are left. With the tangents of the operands for these it is a value,
// and the instructions that make it are a template, which serves every node of the operation. The adjoint
// of a node that is linear in its operands is likewise what the rules make of adjoint(c . <f1, ..>); what
// adjoint(f1), .. are applied to are the cotangents of the operands.

// A way says of what a template is.
type way uint8

const (
	forward way = iota // the derivative
	last               // the adjoint, of a step that no other follows
	inner              // the adjoint, of a step that another follows
)

// openings are operands by number. Most nodes have few that depend, for wide products are split.
type openings struct {
	few  uint64 // the first three, each plus one in 21 bits, the first lowest
	more string // the others, a rune each
}

const openingBits = 21

// with is p and the operand k.
func (p openings) with(k int) openings {
	for shift := 0; shift < 3*openingBits; shift += openingBits {
		if p.few>>shift == 0 {
			p.few |= uint64(k+1) << shift
			return p
		}
	}
	p.more += string(rune(k + 1<<16)) // above the runes that stand for no character
	return p
}

func (p openings) list() (ks []int) {
	for few := p.few; few != 0; few >>= openingBits {
		ks = append(ks, int(few&(1<<openingBits-1))-1)
	}
	for _, k := range p.more {
		ks = append(ks, int(k)-1<<16)
	}
	return ks
}

// An operation is that of a node without its operands: a contraction, or what node shows.
type operation struct {
	ein  *einsum.Contraction
	node *Node
}

// shapes are those of the operands.
func (o operation) shapes() (out [][]size.Size) {
	if o.ein != nil {
		out = lists.Append(out, o.ein.In, func(in einsum.Access) []size.Size { return in.Shape })
		return out
	}
	out = lists.Append(out, o.node.Args(), func(a *combinators.Node) []size.Size { return a.Shape() })
	return out
}

// after is the operation at points, but for the operands open, after the maps before.
func (o operation) after(s *combinators.Store, points []*Node, open openings, before []combinators.Map) combinators.Map {
	fixed := slices.Clone(points)
	maps := make([]combinators.Map, len(points))
	for j, k := range open.list() {
		fixed[k], maps[k] = nil, before[j]
	}
	var f combinators.Map
	switch {
	case o.ein != nil:
		f = s.EinMap(o.ein, fixed)
	case o.node.Atom().Class == atom.ClassSum:
		for k, x := range fixed {
			if x != nil {
				maps[k] = s.ConstMap(before[0].Dom(), s.Value(x))
			}
		}
		return s.SumMaps(maps[0], maps[1])
	default:
		n := o.node
		f = s.OperationMap(n, fixed)
	}
	if len(before) == 1 {
		return s.Compose(f, before[0])
	}
	return s.Compose(f, s.Pair(before...))
}

// A template makes values by instructions on registers. The first registers are the operands of a node;
// the tangents of those that depend, or the cotangent of the node, follow, then results.
type template struct {
	code  []instruction
	parts []part
	used  []string // the user's rules that made it
}

type instruction struct {
	op     combinators.Operation
	ein    *einsum.Contraction // of a contraction
	args   []int
	linear int // which of args depends on a tangent or cotangent; -1 is none
}

// A part is an addend of the derivative, or of the cotangent of an operand: the register in which it is
// after the first upto instructions.
type part struct{ operand, upto, register int }

// derive makes the template of an operation in the operands open; law, where it is not nil, gets how the
// rules come to it.
func (c *Calculus) derive(o operation, open openings, w way, law *Law) *template {
	s := combinators.NewStore()
	noted(s, func() *Calculus { return c })
	var points []*Node
	for k, shape := range o.shapes() {
		points = append(points, s.Var("x"+strconv.Itoa(k+1), shape))
	}
	ks := open.list()
	operands := make([]*combinators.Value, len(ks))
	spaces := make([]combinators.Space, len(ks))
	for j, k := range ks {
		operands[j] = s.Value(points[k])
		spaces[j] = operands[j].Space()
	}
	u, x := combinators.ProductSpace(spaces...), s.Tuple(operands...)
	before := make([]combinators.Map, len(ks))
	for j, v := range operands {
		if w == forward {
			before[j] = s.Unknown(u, v)
		} else {
			before[j] = s.UnknownLinear(u, v).Map
		}
	}
	f := o.after(s, points, open, before)
	if law == nil {
		law = &Law{}
	}
	law.Points = points
	var inputs []*Node
	var result *combinators.Value
	if w == forward {
		for j, sp := range spaces {
			inputs = append(inputs, s.Var("t"+strconv.Itoa(j+1), sp.Shape()))
		}
		tangents := &combinators.Block{Store: s, Outs: inputs}
		v := tangents.OutsValue()
		if len(inputs) == 1 {
			v = s.Tuple(v)
		}
		result = c.apply(s.Derivative(f, x), x, before, v, law)
	} else {
		linear, ok := f.Linear()
		if !ok {
			panic(failed{&Error{fmt.Sprintf("%s is not linear in the operands that depend on a tangent", f)}})
		}
		inputs = []*Node{s.Var("w", f.Cod().Shape())}
		l, at := s.Adjoint(linear), inputs[0]
		if w == inner {
			end := s.UnknownLinear(combinators.TensorSpace(nil), s.Value(at))
			l, _ = s.Compose(l.Map, end.Map).Linear()
			at = s.Int(1)
		}
		result = c.apply(l, x, before, s.Value(at), law)
	}
	t := &template{used: rewrite.UsedIn(s).Names()}
	t.compile(points, inputs, result, ks, w)
	return t
}

// apply works out l and applies it to v, with projections in the place of the derivatives at x of the
// maps before, and injections in the place of their adjoints.
func (c *Calculus) apply(l combinators.PointFreeLinear, x *combinators.Value, before []combinators.Map, v *combinators.Value, law *Law) *combinators.Value {
	s := l.Store()
	m := Must(normalize(c.engine(false, func(f rewrite.ClosedFiring) { law.Fired = append(law.Fired, f) }), l.Map))
	law.Start, law.End = l.Map, m
	for j, f := range before {
		if g, ok := f.Linear(); ok {
			m = combinators.ReplaceMap(m, s.Adjoint(g).Map, s.Inj(f.Dom(), j).Map)
		} else {
			m = combinators.ReplaceMap(m, s.Derivative(f, x).Map, s.Proj(f.Dom(), j).Map)
		}
	}
	return Must(s.ApplyMap(Must(m, c.missing(m)), v))
}

// compile makes instructions of the values that the rules came to.
func (t *template) compile(points, inputs []*Node, result *combinators.Value, ks []int, w way) {
	register, depends := map[*Node]int{}, map[*Node]bool{}
	for _, p := range points {
		register[p] = len(register)
	}
	for _, in := range inputs {
		register[in], depends[in] = len(register), true
	}
	emit := func(operand int, n *Node) {
		for _, m := range combinators.Topo(n) {
			if _, ok := register[m]; ok {
				continue
			}
			in := instruction{op: m.Operation(), ein: m.Ein(), linear: -1}
			for i, a := range m.Args() {
				in.args = append(in.args, register[a])
				if depends[a] {
					in.linear, depends[m] = i, true
				}
			}
			register[m] = len(register)
			t.code = append(t.code, in)
		}
		t.parts = append(t.parts, part{operand, len(t.code), register[n]})
	}
	if w != forward {
		for j, v := range result.Parts() {
			for _, n := range addends(v.Node()) {
				emit(ks[j], n)
			}
		}
		return
	}
	// by the first tangent in each
	first := func(n *Node) int {
		reached := combinators.Topo(n)
		return slices.IndexFunc(inputs, func(in *Node) bool { return slices.Contains(reached, in) })
	}
	sum := addends(result.Node())
	slices.SortStableFunc(sum, func(a, b *Node) int { return cmp.Or(first(a)-first(b), a.ID()-b.ID()) })
	for _, n := range sum {
		emit(-1, n)
	}
}

// addends are the values that n adds up. Zeros, which sums of injections have, are none.
func addends(n *Node) (sum []*Node) {
	stack := []*Node{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case n.Is(atom.Add):
			stack = append(stack, n.Args()...)
		case !combinators.IsZero(n):
			sum = append(sum, n)
		}
	}
	return sum
}

// A frame is a template at a node.
type frame struct {
	s     *combinators.Store
	batch []size.Size // trailing axes of the tangents or cotangents
	one   *Node       // the cotangent of a gradient, which is no factor; nil where it counts
	t     *template
	regs  []*Node
	done  int
	args  []*Node
}

// start begins a template at operands and inputs: tangents, or a cotangent.
func (f *frame) start(t *template, operands []*Node, inputs ...*Node) {
	f.t, f.done = t, 0
	f.regs = append(append(f.regs[:0], operands...), inputs...)
}

// part runs the template as far as the part needs.
func (f *frame) part(p part) *Node {
	for ; f.done < p.upto; f.done++ {
		in := &f.t.code[f.done]
		args := f.args[:0]
		args = lists.Append(args, in.args, func(r int) *Node { return f.regs[r] })
		f.args = args
		if in.ein == nil {
			f.regs = append(f.regs, f.s.Make(in.op, args...)) // linear atoms take trailing axes as they are
			continue
		}
		c := in.ein
		if in.linear >= 0 {
			if len(f.batch) > 0 {
				c = c.Lift(f.batch, []int{in.linear}, true)
			}
			if f.one != nil && args[in.linear] == f.one {
				c, args = f.s.Fuse(c, in.linear, f.s.Plain(nil, nil, nil)), slices.Delete(args, in.linear, in.linear+1)
			}
		}
		f.regs = append(f.regs, f.s.Ein(c, args...))
	}
	return f.regs[p.register]
}

// maxTemplates bounds the templates that a calculus keeps.
const maxTemplates = 1 << 13

// template is that of an operation, for all stores.
func (c *Calculus) template(o operation, open openings, w way) *template {
	if o.node != nil && o.node.Atom().Signature() != nil {
		return c.derive(o, open, w, nil) // a declared function is that of one program
	}
	key := o.key(open, w)
	c.mu.Lock()
	t := c.templates[key]
	c.mu.Unlock()
	if t != nil {
		return t
	}
	t = c.derive(o, open, w, nil)
	c.mu.Lock()
	if len(c.templates) >= maxTemplates {
		clear(c.templates)
	}
	c.templates[key] = t
	c.mu.Unlock()
	return t
}

// key is all of an operation that its derivative depends on.
func (o operation) key(open openings, w way) string {
	b := strconv.AppendInt(nil, int64(w), 10)
	for _, k := range open.list() {
		b = strconv.AppendInt(append(b, ' '), int64(k), 10)
	}
	b = append(b, ':')
	if o.ein != nil {
		return string(append(append(b, ' '), o.ein.Key()...)) // which has the shapes
	}
	n := o.node
	b = append(append(b, ' '), n.Atom().Name...)
	b = strconv.AppendInt(append(b, ' '), int64(n.Attr()), 10)
	b = strconv.AppendInt(append(b, ' '), int64(n.Guard()), 10)
	if n.Rat() != nil {
		b = append(append(b, ' '), n.Rat().RatString()...)
	}
	for _, d := range n.Sizes() {
		b = append(append(b, ' '), d.String()...)
	}
	if n.Body() != nil {
		b = append(append(b, ' '), n.Body().Key()...)
	}
	for _, a := range n.Args() {
		b = append(append(b, ' '), size.Shape(a.Shape())...)
	}
	return string(b)
}

// templates are those of a calculus with the contractions of one store.
type templates struct {
	c     *Calculus
	s     *combinators.Store
	eins  [][]entry // by the number of the contraction
	atoms [256][]entry
	more  map[string]*template // of atoms with manyEntries: by key, of powers with many exponents
}

// manyEntries is how many templates of one atom are looked through one after the other.
const manyEntries = 16

// An entry is the template of a contraction, or of the operation of the node n and of those like it.
type entry struct {
	n    *Node
	open openings
	way  way
	t    *template
}

func (c *Calculus) of(s *combinators.Store) *templates {
	return combinators.Memo(s, c, func() *templates { return &templates{c: c, s: s} })
}

// at is the template of n, of which the operands open depend.
func (ts *templates) at(n *Node, open openings, w way) *template {
	if n.Ein() != nil {
		return ts.contraction(n.Ein(), open, w)
	}
	list := &ts.atoms[n.Atom().Number()]
	for i := range *list {
		if e := &(*list)[i]; e.open == open && e.way == w && alike(e.n, n) {
			return e.t
		}
	}
	o, key := operation{node: n}, ""
	if len(*list) >= manyEntries {
		if key = o.key(open, w); ts.more[key] != nil {
			return ts.more[key]
		}
	}
	t := ts.found(o, open, w)
	switch {
	case key == "":
		*list = append(*list, entry{n, open, w, t})
	case ts.more == nil:
		ts.more = map[string]*template{key: t}
	default:
		ts.more[key] = t
	}
	return t
}

// contraction is the template of a contraction of the store.
func (ts *templates) contraction(c *einsum.Contraction, open openings, w way) *template {
	if c.Number() >= len(ts.eins) {
		ts.eins = slices.Grow(ts.eins, c.Number()+1-len(ts.eins))[:c.Number()+1]
	}
	list := &ts.eins[c.Number()]
	for i := range *list {
		if e := &(*list)[i]; e.open == open && e.way == w {
			return e.t
		}
	}
	t := ts.found(operation{ein: c}, open, w)
	*list = append(*list, entry{nil, open, w, t})
	return t
}

// alike reports whether two nodes of one atom have one operation, on operands of the same shapes.
func alike(a, b *Node) bool {
	if a.Atom() != b.Atom() || a.Body() != b.Body() || a.Attr() != b.Attr() || a.Guard() != b.Guard() || !slices.Equal(a.Sizes(), b.Sizes()) {
		return false
	}
	if r, q := a.Rat(), b.Rat(); r != q && (r == nil || q == nil || r.Cmp(q) != 0) {
		return false
	}
	for k, x := range a.Args() {
		if !slices.Equal(x.Shape(), b.Arg(k).Shape()) {
			return false
		}
	}
	return true
}

// found is the template of the calculus with the store's contractions.
func (ts *templates) found(o operation, open openings, w way) *template {
	t := ts.c.template(o, open, w)
	rewrite.UsedIn(ts.s).Add(t.used...)
	own := &template{slices.Clone(t.code), t.parts, nil}
	for i := range own.code {
		if in := &own.code[i]; in.ein != nil {
			in.ein = ts.s.Form(in.ein)
		}
	}
	return own
}
