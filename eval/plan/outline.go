package plan

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/order"
	"frechet/einsum/size"
)

// An Outline is a program as a person reads it: the contractions in their order, and what
// each step costs, in numbers or in size symbols. It forms products and orders them as Make
// does, but lays out no memory, so that it exists for sizes that are not known, or too large.
type Outline struct {
	Lines   []Line
	Outputs []Operand
	Peak    size.Size // the most numbers that are stored at one time, inputs aside
}

// A Line is one step.
type Line struct {
	Op      string      // "product", "sum", "view", "add", "power", or an atom
	Text    string      // the step in the Einstein language, over variables and the names of lines
	Args    []Operand   // what it reads
	Shape   []size.Size // of its result
	Mults   size.Size   // multiplications and divisions
	Values  size.Size   // values of functions
	Written size.Size   // numbers stored: none where the result is computed as it is read
	Fused   bool        // computed entry by entry where it is read, and not stored

	in         [][]int // the letters of products, sums and views
	out        []int
	call, tail string // how a reduction is written, where that is not Op
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
// as they are known: orders are chosen by them, and by equal sizes for the others.
func MakeOutline(nodes []*combinators.Node, sizes map[string]int64) (*Outline, error) {
	all := combinators.Topo(nodes...)
	b := &outliner{o: &Outline{}, of: map[*combinators.Node]Operand{}, known: map[string]int{}, numbers: map[size.Size]float64{}, sizes: sizes}
	same := func(c *einsum.Contraction) (*einsum.Contraction, error) { return c, nil }
	f, err := formAll(all, nodes, same, b.number)
	if err != nil {
		return nil, err
	}
	needed := f.needed(all, nodes)
	for i, n := range all {
		if !needed[i] {
			continue
		}
		if f.forms[i].c != nil {
			b.of[n], err = b.product(f.forms[i], n)
		} else {
			b.of[n] = b.function(n)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, n := range nodes {
		b.o.Outputs = append(b.o.Outputs, b.of[n])
	}
	b.o.fuse()
	b.o.sequence()
	b.o.write()
	b.o.Peak = b.o.peak(b.number)
	return b.o, nil
}

type outliner struct {
	o       *Outline
	of      map[*combinators.Node]Operand
	known   map[string]int // lines by what they compute
	numbers map[size.Size]float64
	sizes   map[string]int64
}

// number is a size as a number; symbols without one count Unknown.
func (b *outliner) number(d size.Size) float64 {
	if n, ok := d.Int(); ok {
		return float64(n)
	}
	if v, ok := b.numbers[d]; ok {
		return v
	}
	env := map[string]int64{}
	for _, s := range d.Symbols() {
		env[s] = Unknown
		if v, ok := b.sizes[s]; ok {
			env[s] = v
		}
	}
	v, err := d.Eval(env)
	if err != nil {
		v = 1 << 62
	}
	b.numbers[d] = float64(v)
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
func (b *outliner) function(n *combinators.Node) Operand {
	at := n.Atom()
	switch at {
	case combinators.AtomVar:
		return Operand{n.Name(), -1}
	case combinators.AtomConst:
		return Operand{n.Rat().RatString(), -1}
	}
	l := Line{Op: at.Name, Shape: n.Shape(), Written: volumeOf(n.Shape())}
	for _, a := range n.Args() {
		l.Args = append(l.Args, b.of[a])
	}
	entries := l.Written
	switch {
	case at.Class == combinators.ClassSum:
	case at == combinators.AtomPower:
		l.Op = "power " + n.Rat().RatString()
		if r := n.Rat(); r.Cmp(big.NewRat(-1, 1)) == 0 || r.Cmp(big.NewRat(2, 1)) == 0 {
			l.Mults = entries
		} else {
			l.Values = entries
		}
	case at.Class == combinators.ClassElementwise:
		l.Values = entries
	case at.Name == "merge" || at.Name == "split":
		l.Op, l.Written = at.Name, size.Size{}
	case at.Name == "inv" || at.Name == "minor" || at.Name == "logdet" || at.Name == "solve":
		s := n.Arg(0).Shape() // a factorisation, and what is solved with it
		k := s[len(s)-1]
		l.Mults = volumeOf(s).Mul(k)
		if at.Name == "minor" {
			l.Op = fmt.Sprintf("minor[%d]", n.Attr())
		}
		if at.Name == "solve" {
			l.Mults = l.Mults.Add(entries.Mul(k))
		}
	default: // reductions of a function's values
		l.Values = volumeOf(n.Arg(0).Shape())
		if n.Attr() > 0 {
			l.Op = fmt.Sprintf("%s[%d]", at.Name, n.Attr())
		}
		l.call = strings.TrimPrefix(at.Name, "a") // amax is max
		switch {
		case n.Attr() == 1 && n.Arg(0).Order() > 1:
			l.tail = ", axis=-1"
		case n.Attr() > 0 && (n.Attr() < n.Arg(0).Order() || at.Name == "softmax" && n.Attr() > 1):
			l.call = l.Op // has no notation in the language
		}
	}
	return b.add(l)
}

// product makes the lines of a product: one for each step of its order.
func (b *outliner) product(f form, n *combinators.Node) (Operand, error) {
	in, out, plain := f.c.IsPlain()
	if !plain {
		l := Line{Op: "loops", Shape: n.Shape(), Written: volumeOf(n.Shape()), in: [][]int{{n.ID()}},
			Mults: volumeOf(f.c.Vars).Mul(size.Const(int64(max(1, len(f.args)) - 1)))}
		for _, a := range f.args {
			l.Args = append(l.Args, b.of[a])
		}
		return b.add(l), nil
	}
	p := &productOutline{b: b, dims: f.c.Vars, coef: big.NewRat(1, 1), net: order.Network{Out: out}}
	for k, a := range f.args {
		if a.Atom() == combinators.AtomConst {
			p.coef.Mul(p.coef, a.Rat())
			continue
		}
		p.operands = append(p.operands, b.of[a])
		p.net.In = append(p.net.In, in[k])
	}
	for v, d := range p.dims {
		p.net.Size = append(p.net.Size, int(min(b.number(d), 1<<53)))
		used := slices.Contains(out, v)
		for _, g := range in {
			used = used || slices.Contains(g, v)
		}
		if !used { // a variable that nothing uses is a number
			p.operands, p.net.In = append(p.operands, Operand{d.String(), -1}), append(p.net.In, nil)
		}
	}
	return p.lines()
}

// A productOutline makes the lines of one product of operands along the network's variables.
type productOutline struct {
	b        *outliner
	dims     []size.Size
	coef     *big.Rat
	operands []Operand
	net      order.Network
}

func (p *productOutline) lines() (Operand, error) {
	minus := p.coef.Sign() < 0
	one := big.NewRat(1, 1)
	if abs := new(big.Rat).Abs(p.coef); abs.Cmp(one) != 0 || len(p.operands) == 0 {
		p.operands, p.net.In = append(p.operands, Operand{abs.RatString(), -1}), append(p.net.In, nil)
	}
	current, letters := slices.Clone(p.operands), slices.Clone(p.net.In)
	for k := range current { // what one operand alone has is summed first
		gone := p.net.Summed(k)
		if len(gone) == 0 {
			continue
		}
		left := slices.DeleteFunc(firsts(letters[k]), func(v int) bool { return slices.Contains(gone, v) })
		current[k] = p.line("sum", current[k:k+1], letters[k:k+1], left, size.Size{})
		letters[k] = left
	}
	o, err := order.Find(p.net)
	if err != nil {
		return Operand{}, err
	}
	for i, s := range p.net.Steps(o.Pairs) {
		to := s.Out
		if i == len(o.Pairs)-1 && slices.Equal(unique(p.net.Out), s.Out) && len(p.net.Out) == len(s.Out) {
			to = p.net.Out
		}
		mults := size.Const(1)
		for _, v := range s.Loop {
			mults = mults.Mul(p.dims[v])
		}
		args, in := []Operand{current[s.A], current[s.B]}, [][]int{letters[s.A], letters[s.B]}
		r := p.line("product", args, in, to, mults)
		current, letters = append(current, r), append(letters, to)
	}
	last := len(current) - 1
	r, have := current[last], letters[last]
	if !slices.Equal(have, p.net.Out) {
		r = p.line("view", []Operand{r}, [][]int{have}, p.net.Out, size.Size{})
	}
	if minus {
		l := Line{Op: "minus", Args: []Operand{r}, Shape: p.shape(p.net.Out)}
		l.Written = volumeOf(l.Shape)
		r = p.b.add(l)
	}
	return r, nil
}

// line adds a line over the letters of the network. Its own letters are numbered as they
// appear, so that equal steps of different products are one line.
func (p *productOutline) line(op string, args []Operand, in [][]int, out []int, mults size.Size) Operand {
	if len(args) == 2 && less(args[1], args[0]) {
		args, in = []Operand{args[1], args[0]}, [][]int{in[1], in[0]}
	}
	number := map[int]int{}
	rename := func(g []int) []int {
		r := make([]int, len(g))
		for i, v := range g {
			if _, ok := number[v]; !ok {
				number[v] = len(number)
			}
			r[i] = number[v]
		}
		return r
	}
	l := Line{Op: op, Args: slices.Clone(args), Mults: mults, Shape: p.shape(out)}
	for _, g := range in {
		l.in = append(l.in, rename(g))
	}
	l.out = rename(out)
	l.Written = volumeOf(l.Shape)
	return p.b.add(l)
}

func (p *productOutline) shape(g []int) []size.Size {
	s := make([]size.Size, len(g))
	for i, v := range g {
		s[i] = p.dims[v]
	}
	return s
}

func less(a, b Operand) bool {
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Name < b.Name
}

// firsts has every letter once, where it first stands.
func firsts(g []int) []int {
	var out []int
	for _, v := range g {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func unique(g []int) []int {
	g = slices.Clone(g)
	slices.Sort(g)
	return slices.Compact(g)
}

// entrywise reports whether a line's result can be computed entry by entry.
func (l *Line) entrywise() bool {
	switch {
	case l.Op == "view" || l.Op == "add" || l.Op == "minus" || strings.HasPrefix(l.Op, "power"):
		return true
	case l.Op == "product":
		for _, g := range l.in {
			for _, v := range g {
				if !slices.Contains(l.out, v) {
					return false
				}
			}
		}
		return true
	}
	at := combinators.AtomNamed(l.Op)
	return at != nil && at.Class == combinators.ClassElementwise
}

// fuse marks what is not stored: copies, and element-wise lines that one element-wise line of
// the same shape reads, or one sum.
func (o *Outline) fuse() {
	readers := make([][]int, len(o.Lines))
	for i, l := range o.Lines {
		for _, a := range l.Args {
			if a.Line >= 0 {
				readers[a.Line] = append(readers[a.Line], i)
			}
		}
	}
	for _, a := range o.Outputs {
		if a.Line >= 0 {
			readers[a.Line] = append(readers[a.Line], -1)
		}
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		if !l.entrywise() || slices.Contains(readers[i], -1) {
			continue
		}
		if l.Op != "view" {
			if len(readers[i]) != 1 {
				continue
			}
			r := &o.Lines[readers[i][0]]
			if r.Op != "sum" && (!r.entrywise() || size.Shape(r.Shape) != size.Shape(l.Shape)) {
				continue
			}
		}
		l.Fused, l.Written = true, size.Size{}
	}
}
