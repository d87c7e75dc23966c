package plan

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// An Outline is a program as a person reads it: its steps in an order, and what each costs, in
// numbers or in size symbols. It is read from the listing that Make lowers, and what is not
// stored is found by lowering it; but no memory is laid out, so that it exists for sizes that
// are not known, or too large.
type Outline struct {
	Lines   []Line
	Outputs []Operand
	Peak    size.Size // the most numbers that are stored at one time, inputs aside
}

// A Line is one step.
type Line struct {
	Op    string      // product, sum, view, or the name of an atom
	Text  string      // the step in the Einstein language, over variables and the names of lines
	Args  []Operand   // what it reads
	Shape []size.Size // of its result
	Cost
	Fused   bool // computed entry by entry where it is read, and not stored
	Readers int  // how many lines read it

	in         [][]int // the letters of products, sums and views
	out        []int
	call, tail string // how a reduction is written, where that is not Op
}

// Cost is what steps take.
type Cost struct {
	Mults   size.Size // multiplications and divisions
	Adds    size.Size // additions and subtractions; a change of sign counts nothing
	Values  size.Size // values of functions
	Written size.Size // numbers stored: none where the result is computed as it is read
}

// An Operand is what a line reads: a variable, a number, or the result of a line.
type Operand struct {
	Name string // of a variable, or the number
	Line int    // -1 for a variable or a number
}

// Name is what a line's result is called in texts.
func (o *Outline) Name(line int) string { return fmt.Sprintf("t%d", line+1) }

// Unknown is the size that an outline takes for symbols without a number where it has to
// choose between orders.
const Unknown = 1000

// MakeOutline outlines the evaluation of nodes. sizes has the numbers of size symbols as far
// as they are known: orders are chosen by them, and by equal sizes for the others. Unless
// shared, every product is ordered for itself, as a program is not.
func MakeOutline(nodes []*combinators.Node, sizes map[string]int64, shared bool) (*Outline, error) {
	b, err := linesOf(nodes, sizes, shared, listingOf)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		b.o.Outputs = append(b.o.Outputs, b.of[b.valueOf(n)])
	}
	b.fuse(nodes, sizes)
	b.o.sequence()
	b.o.write()
	b.o.Peak = b.o.peak(b.sizes.eval)
	return b.o, nil
}

// Multiplications is the total of an outline as a number, however large, where no product over a sum is multiplied out: by it
// forms are compared that are to be read. A line that would count less
// than nothing, since a size such as n - 2000 is negative at Unknown, counts 1.
func Multiplications(nodes []*combinators.Node, sizes map[string]int64) (float64, error) {
	b, err := linesOf(nodes, sizes, true, listingAs)
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, l := range b.o.Lines {
		n := approximate(l.Mults, sizes)
		if n < 0 {
			n = 1
		}
		total += n
	}
	return total, nil
}

// approximate is a count as a number; symbols without one count Unknown.
func approximate(d size.Size, sizes map[string]int64) float64 {
	total := 0.0
	for _, m := range d.Monomials() {
		c, _ := new(big.Float).SetInt(m.Coef).Float64()
		for _, s := range m.Symbols {
			if n, ok := sizes[s]; ok {
				c *= float64(n)
			} else {
				c *= Unknown
			}
		}
		total += c
	}
	return total
}

// linesOf makes the lines of an outline.
func linesOf(nodes []*combinators.Node, sizes map[string]int64, shared bool, list lister) (*outliner, error) {
	b := &outliner{o: &Outline{}, known: map[string]int{}, sizes: assumed(sizes, Unknown, math.MaxInt64)}
	same := func(c *einsum.Contraction) (*einsum.Contraction, error) { return c, nil }
	var err error
	if b.listing, err = list(nodes, same, b.number, shared); err != nil {
		return nil, err
	}
	b.of = make([]Operand, len(b.all)+len(b.entries))
	for _, v := range b.items {
		if e := b.entryOf(v); e != nil {
			b.of[v] = b.entry(e)
		} else {
			b.of[v] = b.function(b.all[v])
		}
	}
	return b, nil
}

type outliner struct {
	*listing
	o     *Outline
	of    []Operand      // by value of the listing
	known map[string]int // lines by what they compute
	sizes *Sizes
}

// number is a size as a number; symbols without one count Unknown.
func (b *outliner) number(d size.Size) float64 {
	v, err := b.sizes.eval(d)
	return counted(v, err != nil)
}

// counted is the number v of a size, to be compared with others; large says that it does not fit.
func counted(v int64, large bool) float64 {
	switch {
	case large:
		return 1 << 62
	case v < 0: // as n - 2000 is at Unknown
		return 1
	}
	return float64(v)
}

func volumeOf(shape []size.Size) size.Size {
	n := size.Const(1)
	for _, d := range shape {
		n = n.Mul(d)
	}
	return n
}

// add interns a line.
func (b *outliner) add(l Line) Operand {
	key := fmt.Sprint(l.Op, l.Args, l.in, l.out, size.Shape(l.Shape))
	if at, ok := b.known[key]; ok {
		return Operand{Line: at}
	}
	b.known[key] = len(b.o.Lines)
	b.o.Lines = append(b.o.Lines, l)
	return Operand{Line: len(b.o.Lines) - 1}
}

// function makes the line of a node that is no product.
// It stays one switch: a case for each class of functions.
func (b *outliner) function(n *combinators.Node) Operand {
	at := n.Atom()
	switch at {
	case atom.Var:
		if n.Relation() {
			return Operand{"onehot(" + n.Name() + ")", -1}
		}
		return Operand{n.Name(), -1}
	case atom.Const:
		return Operand{n.Rat().RatString(), -1}
	case atom.Pi:
		return Operand{at.Name, -1}
	}
	l := Line{Op: at.Name, Shape: n.Shape()}
	l.Written = volumeOf(n.Shape())
	for _, a := range n.Args() {
		l.Args = append(l.Args, b.of[b.valueOf(a)])
	}
	entries := l.Written
	switch {
	case n.Body() != nil:
		l.call, l.Cost = at.Name, b.body(n.Body(), l.Cost)
	case at.Class == atom.ClassSum:
		l.Adds = entries.Mul(size.Const(int64(len(n.Args()) - 1)))
	case at == atom.Power:
		l.Op = "power " + n.Rat().RatString()
		if r := n.Rat(); r.Cmp(big.NewRat(-1, 1)) == 0 || r.Cmp(big.NewRat(2, 1)) == 0 {
			l.Mults = entries
		} else {
			l.Values = entries
		}
	case at.Class == atom.ClassElementwise:
		l.Values = entries
	case at == atom.Merge || at == atom.Split:
		l.Op, l.Written = at.Name, size.Size{}
	case at == atom.Inv || at == atom.Minor || at == atom.LogDet || at == atom.Solve:
		s := n.Arg(0).Shape() // a factorisation, and what is solved with it
		k := s[len(s)-1]
		l.Mults = volumeOf(s).Mul(k)
		if at == atom.Minor {
			l.Op = fmt.Sprintf("minor[%d]", n.Attr())
		}
		if at == atom.Solve {
			l.Mults = l.Mults.Add(entries.Mul(k))
		}
		l.Adds = l.Mults
	case at == atom.Prod:
		l.Op, l.Mults = fmt.Sprintf("%s[%d]", at.Name, n.Attr()), volumeOf(n.Arg(0).Shape()).Add(entries)
	default: // reductions of a function's values
		l.Values = volumeOf(n.Arg(0).Shape())
		if n.Attr() > 0 {
			l.Op = fmt.Sprintf("%s[%d]", at.Name, n.Attr())
		}
		l.call = strings.TrimPrefix(at.Name, "a") // amax is max
		switch {
		case n.Attr() == 1 && n.Arg(0).Order() > 1:
			l.tail = ", axis=-1"
		case n.Attr() > 0 && (n.Attr() < n.Arg(0).Order() || at == atom.Softmax && n.Attr() > 1):
			l.call = l.Op // has no notation in the language
		}
	}
	return b.add(l)
}

// body is what a value with a body costs that has the cost of its result: all steps of a recurrence, one step of Newton's method of an
// implicit function, since how many there are depends on data.
func (b *outliner) body(of *combinators.Body, result Cost) Cost {
	times, parts := of.Steps, Parts(of)
	if of.Implicit() {
		times = size.Const(1)
		k := result.Written
		result.Mults = k.Mul(k).Mul(k)
		result.Adds = result.Mults
	}
	step, err := linesOf(parts, b.sizes.Known(), true, listingOf)
	if err != nil {
		return result
	}
	for _, l := range step.o.Lines {
		result.Mults, result.Adds = result.Mults.Add(l.Mults.Mul(times)), result.Adds.Add(l.Adds.Mul(times))
		result.Values = result.Values.Add(l.Values.Mul(times))
	}
	return result
}

// entry makes the lines of an entry.
func (b *outliner) entry(e *entry) Operand {
	switch e.kind {
	case entryNumber:
		x := Operand{new(big.Rat).Abs(e.rat).RatString(), -1}
		if e.count != size.Const(1) {
			x = b.times(x, nil, e)
		}
		return b.negated(x, nil, e)
	case entryScale:
		x := b.of[e.args[0]]
		if e.count != size.Const(1) {
			x = b.times(x, e.out, e)
		}
		if abs := new(big.Rat).Abs(e.rat); abs.Cmp(big.NewRat(1, 1)) != 0 {
			x = b.line("product", []Operand{x, {abs.RatString(), -1}}, [][]int{e.out, nil}, e.out, e)
		}
		return b.negated(x, e.out, e)
	case entryGuard:
		return b.of[e.args[0]]
	case entryForm:
		return b.form(e)
	}
	args := make([]Operand, len(e.args))
	for k, v := range e.args {
		args[k] = b.of[v]
	}
	op := "product"
	switch {
	case e.kind == entryView:
		op = "view"
	case len(args) == 1:
		op = "sum"
	}
	return b.line(op, args, e.in, e.out, e)
}

// times multiplies by the count of a number.
func (b *outliner) times(x Operand, axes []int, e *entry) Operand {
	return b.line("product", []Operand{x, {e.count.String(), -1}}, [][]int{axes, nil}, axes, e)
}

func (b *outliner) negated(x Operand, axes []int, e *entry) Operand {
	if e.rat.Sign() >= 0 {
		return x
	}
	l := Line{Op: "minus", Args: []Operand{x}, Shape: e.shape(axes)}
	l.Written = volumeOf(l.Shape)
	return b.add(l)
}

// form makes the line of a form that is computed as it stands.
func (b *outliner) form(e *entry) Operand {
	f := b.forms[e.place]
	l := Line{Op: "loops", Shape: b.all[e.place].Shape(), in: [][]int{{e.place}}}
	l.Written = volumeOf(l.Shape)
	points, factors := b.points(f)
	l.Mults = points.Mul(size.Const(int64(max(1, factors) - 1)))
	l.Adds = points.Sub(l.Written)
	for _, a := range f.args {
		l.Args = append(l.Args, b.of[b.valueOf(a)])
	}
	if in, out, plain := f.c.IsPlain(); plain {
		l.Op, l.in, l.out = "product", in, out
	}
	return b.add(l)
}

// points are those of the loops of a form, with its factors; a place that an array finds is one.
func (b *outliner) points(f form) (points size.Size, factors int) {
	sizes, factors := slices.Clone(f.c.Vars), len(f.args)
	for k, a := range f.args {
		if a.Relation() {
			factors--
			if p, ok := f.c.In[k].Index[a.Order()-1].Var(); ok {
				sizes[p] = size.Const(1)
			}
		}
	}
	return volumeOf(sizes), factors
}

// line adds a line over the letters of an entry. Its own letters are numbered as they appear,
// so that equal lines are one.
func (b *outliner) line(op string, args []Operand, in [][]int, out []int, e *entry) Operand {
	if len(args) == 2 && less(args[1], args[0]) {
		args, in = []Operand{args[1], args[0]}, [][]int{in[1], in[0]}
	}
	number := map[int]int{}
	points := size.Const(1)
	rename := func(g []int) []int {
		r := make([]int, len(g))
		for i, v := range g {
			if _, ok := number[v]; !ok {
				number[v] = len(number)
				points = points.Mul(e.dims[v])
			}
			r[i] = number[v]
		}
		return r
	}
	l := Line{Op: op, Args: slices.Clone(args), Shape: e.shape(out)}
	for _, g := range in {
		l.in = append(l.in, rename(g))
	}
	l.out = rename(out)
	l.Written = volumeOf(l.Shape)
	if op == "product" {
		l.Mults = points
	}
	if op != "view" {
		seen := slices.Compact(slices.Sorted(slices.Values(out))) // of a diagonal, each entry is added up once
		l.Adds = points.Sub(volumeOf(e.shape(seen)))
	}
	return b.add(l)
}

// shape is the shape of axes with the given letters.
func (e *entry) shape(letters []int) []size.Size {
	s := make([]size.Size, len(letters))
	for i, v := range letters {
		s[i] = e.dims[v]
	}
	return s
}

func less(a, b Operand) bool {
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Name < b.Name
}

// fuse marks what is not stored, as the program has it. Where its tensors are too large to be
// counted, sizes are taken smaller.
func (b *outliner) fuse(nodes []*combinators.Node, sizes map[string]int64) {
	limits := Limits{MaxElements: 1 << 50, MaxBytes: math.MaxInt64}
	var p *builder
	for _, limit := range []int64{math.MaxInt64, 100, 20, 5} {
		var err error
		if p, err = build(b.listing, assumed(sizes, Unknown, limit), limits); err == nil {
			break
		}
	}
	if p == nil {
		return
	}
	outs := make([]*Value, len(nodes))
	for i, n := range nodes {
		outs[i] = p.made(n)
	}
	if schedule(&Program{Outputs: make([]Output, len(nodes))}, p.values, outs, limits) != nil {
		return
	}
	stored := make([]bool, len(b.o.Lines))
	taken := map[*Value]bool{} // by an earlier line
	for _, v := range b.items {
		w := p.of[v]
		if at := b.of[v].Line; at >= 0 && w != nil && w.store && !taken[w] {
			taken[w] = true
			stored[at] = !w.Onto || w.slot != w.Args[len(w.Args)-1].V.slot // added to where it lies
		}
	}
	for i := range b.o.Lines {
		if l := &b.o.Lines[i]; !stored[i] {
			l.Fused, l.Written = true, size.Size{}
		}
	}
}
