package rewrite

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/internal/words"
)

// A pattern is a compiled left side. There is no node for a difference, a negation or a
// quotient: -a is the product of -1 and a, and a ./ b that of a and power[-1](b).
type pattern struct {
	kind   kind
	slot   int        // patVar, patNumber: the metavariable
	rat    *big.Rat   // patConst
	atom   *atom.Row  // patCall
	attr   *text.Term // patCall: the attribute, nil for none; patNumber: the number, where it is computed
	args   []*pattern
	width  int    // patBlocks: the blocks of a row
	in     []axes // patEin: the letters of each operand
	affine bool   // patEin: its axes are affine forms; it meets nothing: such rules are laws that are tested
	out    axes
	dims   []dim // patEye, and of split

	closed bool // patProduct: each of args stands for one factor
}

type kind uint8

const (
	patVar     kind = iota // a metavariable for a value
	patScalar              // a metavariable for a scalar, which is repeated over the shape of its partner
	patNumber              // a metavariable for a number, standing as a value
	patEye                 // the identity of given sizes
	patConst               // a number: the constant, or a tensor filled with it
	patCall                // an atom of its arguments; element-wise functions commute
	patSum                 // addends, in any order
	patProduct             // factors that meet entry by entry, in any order
	patBlocks              // a matrix of blocks, each a pattern
	patEin                 // a contraction with given index maps, operands in any order
)

// axes are the letters of one operand, as slots of the rule; batch and rest are slots for lists
// of axes, or -1.
type axes struct {
	letters     []int
	batch, rest int
}

// metavariable is a declared name of a rule.
type metavariable struct {
	name   string
	number bool        // ranges over numbers
	whole  bool        // over whole numbers
	space  *text.Space // type of a value
	slot   int         // among the values or among the numbers
}

// compiler turns the left side of one rule into a pattern.
type compiler struct {
	vars    map[string]*metavariable
	order   []*metavariable
	letters int // slots in use
	lists   int
	sizes   map[string]int // size metavariables, by slot
	spaces  map[string]int // space metavariables, by slot
	free    map[string]bool
	at      map[string]text.Pos // where metavariables are declared
	met     map[string]bool     // see meets
}

func newCompiler(r *text.Rule) *compiler {
	c := &compiler{vars: map[string]*metavariable{}, sizes: map[string]int{}, spaces: map[string]int{}, free: map[string]bool{}, at: map[string]text.Pos{}, met: map[string]bool{}}
	values, numbers := 0, 0
	for _, v := range r.Vars {
		if c.vars[v.Name] != nil || c.free[v.Name] {
			panic(wrongAt(v.Pos, v.Name, "", "%s is declared twice", v.Name))
		}
		c.at[v.Name] = v.Pos
		if v.Type == nil {
			c.free[v.Name] = true
			continue
		}
		m := &metavariable{name: v.Name}
		sp := v.Type.Cod
		switch {
		case v.Type.Arrow != text.NoArrow || len(sp.Factors) > 0:
			panic(wrongAt(v.Pos, v.Name, "simplification uses rules on values, whose metavariables are x: S, A: R[m,n], r: Q or k: Z", "%s is no value: its type is %s", v.Name, v.Type))
		case sp.IsNumber():
			m.number, m.whole, m.slot = true, sp.Name == "Z", numbers
			numbers++
		case sp.Bracket && sp.Name != "R":
			panic(wrongAt(v.Pos, v.Name, "x: S is of any shape, A: R[m,n] a matrix, r: Q a number", "%s: a space is R[...] or a name, not %s", v.Name, sp))
		default:
			m.space, m.slot = sp, values
			values++
			if !sp.Bracket {
				c.slot(c.spaces, sp.Name)
			}
			for _, d := range sp.Dims {
				text.Walk(d, func(t *text.Term) bool {
					if t.Op == text.Name && t.Name != "..." {
						c.slot(c.sizes, t.Name)
					}
					return true
				})
			}
		}
		c.vars[v.Name] = m
		c.order = append(c.order, m)
	}
	return c
}

func (c *compiler) slot(table map[string]int, name string) {
	if _, ok := table[name]; !ok {
		table[name] = len(table)
	}
}

// pattern compiles a term of the left side.
func (c *compiler) pattern(t *text.Term) *pattern {
	switch t.Op {
	case text.Num:
		if len(t.Attrs) > 0 {
			panic(wrong(t, "", "%s: a number on the left side matches tensors of all shapes: write it without one", t))
		}
		return &pattern{kind: patConst, rat: t.Rat}
	case text.Name:
		return c.name(t)
	case text.Add, text.Sub:
		var addends []*text.Term
		addendsOf(t, &addends)
		return &pattern{kind: patSum, args: c.repeated(c.patterns(addends))}
	case text.Neg, text.Mul, text.Div:
		var factors []*text.Term
		flatten(t, false, &factors)
		number, factors := c.coefficient(factors)
		args := c.patterns(factors)
		if number != nil {
			args = append(args, &pattern{kind: patNumber, attr: number})
		}
		closed := !slices.ContainsFunc(args, func(a *pattern) bool { return a != nil && a.kind == patVar })
		return &pattern{kind: patProduct, args: args, closed: closed}
	case text.Pow:
		if e := t.Args[1]; c.isNumber(e) { // as it is built
			return c.call(atom.Power, e, t.Args[:1])
		}
		return c.call(atom.Pow, nil, t.Args)
	case text.Ein:
		return c.ein(t)
	case text.Blocks, text.Copair:
		rows := text.Cells(t, func(u *text.Term) *text.Term { return u })
		return &pattern{kind: patBlocks, args: c.patterns(slices.Concat(rows...)), width: len(rows[0])}
	case text.Apply: // like all affine indices
		if text.Relational(t) != nil {
			return &pattern{kind: patEin, affine: true, args: c.patterns(t.Args[1:]), in: make([]axes, 1)}
		}
	case text.Call:
		return c.function(t)
	}
	panic(wrong(t, "", "%s cannot stand on the left side of a rule on values", t))
}

// name compiles a metavariable, pi, or eye[n] of numbers and sizes of the rule's types.
func (c *compiler) name(t *text.Term) *pattern {
	switch v := c.vars[t.Name]; {
	case v == nil && t.Name == "eye" && len(t.Attrs) > 0:
		return &pattern{kind: patEye, dims: c.named(t, t.Attrs)}
	case v == nil && text.IsPi(t):
		return &pattern{kind: patCall, atom: atom.Pi}
	case v == nil || len(t.Attrs) > 0:
		panic(c.undeclared(t, ""))
	case v.number:
		return &pattern{kind: patNumber, slot: v.slot}
	default:
		return &pattern{kind: patVar, slot: v.slot}
	}
}

// named are sizes that are numbers or sizes of the rule's types.
func (c *compiler) named(t *text.Term, sizes []*text.Term) (dims []dim) {
	for _, d := range sizes {
		_, known := c.sizes[d.Name]
		if d.Op != text.Num && !(d.Op == text.Name && known) {
			panic(wrong(t, "its sizes are numbers, or those of the types: [A: R[n,n]] has n", "%s: %s is no size of the rule", t, d))
		}
		dims = append(dims, c.dim(d))
	}
	return dims
}

// isNumber: a number, or a metavariable for one.
func (c *compiler) isNumber(t *text.Term) bool {
	v := c.vars[t.Name]
	return len(t.Attrs) == 0 && (t.Op == text.Num || t.Op == text.Name && v != nil && v.number)
}

// coefficient is the number that the factors have in a normal form, where it is computed from numbers that are met
// elsewhere, and the other factors: -r of -r .* x beside r .* x. It is nil where metavariables stand for it.
func (c *compiler) coefficient(factors []*text.Term) (number *text.Term, others []*text.Term) {
	for _, f := range factors {
		switch {
		case !c.isNumber(f):
			others = append(others, f)
		case f.Op == text.Name && !c.met[f.Name]:
			return nil, factors
		case number == nil:
			number = f
		default:
			number = text.New(text.Mul, number, f)
		}
	}
	if number == nil || c.isNumber(number) {
		return nil, factors
	}
	return number, others
}

// meets notes the metavariables for numbers that are the one number of a product, an exponent or a value in t.
func (c *compiler) meets(t *text.Term) {
	parts := t.Args
	if t.Op == text.Mul || t.Op == text.Div || t.Op == text.Neg {
		parts = nil
		flatten(t, false, &parts)
	}
	var numbers []*text.Term
	for _, f := range slices.Concat(parts, t.Attrs) {
		if c.isNumber(f) {
			numbers = append(numbers, f)
		} else {
			c.meets(f)
		}
	}
	if t.Op != text.Mul && t.Op != text.Neg && t.Op != text.Div || len(numbers) == 1 {
		for _, f := range numbers {
			c.met[f.Name] = true
		}
	}
}

func (c *compiler) patterns(ts []*text.Term) []*pattern {
	return lists.Map(ts, c.pattern)
}

// addendsOf lists the addends of a sum.
func addendsOf(t *text.Term, out *[]*text.Term) {
	switch t.Op {
	case text.Add:
		addendsOf(t.Args[0], out)
		addendsOf(t.Args[1], out)
	case text.Sub:
		addendsOf(t.Args[0], out)
		*out = append(*out, text.NewNeg(t.Args[1]))
	default:
		*out = append(*out, t)
	}
}

// flatten lists the factors of a product; under a quotient each is inverted.
func flatten(t *text.Term, inverse bool, out *[]*text.Term) {
	switch {
	case t.Op == text.Mul:
		flatten(t.Args[0], inverse, out)
		flatten(t.Args[1], inverse, out)
	case t.Op == text.Div:
		flatten(t.Args[0], inverse, out)
		flatten(t.Args[1], !inverse, out)
	case t.Op == text.Neg:
		*out = append(*out, text.NewInt(-1))
		flatten(t.Args[0], inverse, out)
	case !inverse:
		*out = append(*out, t)
	case t.Op == text.Num && t.Rat.Sign() != 0:
		*out = append(*out, text.NewNum(new(big.Rat).Inv(t.Rat)))
	default:
		*out = append(*out, &text.Term{Op: text.Call, Name: atom.Power.Name, Attrs: []*text.Term{text.NewInt(-1)}, Args: []*text.Term{t}})
	}
}

// function compiles the call of an atom, or a scan.
func (c *compiler) function(t *text.Term) *pattern {
	switch {
	case t.Name == "scan":
		return &pattern{kind: patEin, affine: true, args: c.patterns(t.Args), in: make([]axes, len(t.Args))}
	case t.Name == atom.Split.Name && len(t.Attrs) == 3:
		p := c.call(c.atom(t), t.Attrs[0], t.Args)
		p.dims = c.named(t, t.Attrs[1:])
		return p
	case len(t.Attrs) > 1:
		panic(wrong(t, "", "%s has more than one attribute", t))
	case len(t.Attrs) == 1:
		return c.call(c.atom(t), t.Attrs[0], t.Args)
	}
	return c.call(c.atom(t), nil, t.Args)
}

// atom is the function that t calls.
func (c *compiler) atom(t *text.Term) *atom.Row {
	at := t.Row()
	if at == nil || at.Class < atom.ClassLinear {
		if slices.Contains(made, t.Name) {
			panic(wrong(t, "on left sides a constant is a number, as in 1 + exp(x)", "%s stands on right sides only", t.Name))
		}
		panic(wrong(t, hintFor(t.Name), "there is no function %s", t.Name))
	}
	if at.Arity != len(t.Args) {
		panic(wrong(t, "", "%s has %s, but %d are given", t.Name, words.Count(at.Arity, "operand"), len(t.Args)))
	}
	if at == atom.Power && len(t.Attrs) == 0 {
		panic(wrong(t, "the exponent stands in brackets: power[2](x), power[r](x) with r: Q", "power lacks its exponent"))
	}
	return at
}

func (c *compiler) call(at *atom.Row, attr *text.Term, ts []*text.Term) *pattern {
	args := c.patterns(ts)
	if at.Class == atom.ClassElementwise {
		args = c.repeated(args)
	}
	p := &pattern{kind: patCall, atom: at, attr: attr, args: args}
	if g := at.Signature(); g != nil {
		for _, name := range g.Open() {
			c.slot(c.sizes, name)
			p.dims = append(p.dims, dim{slot: c.sizes[name]})
		}
	}
	return p
}

// repeated makes a scalar's metavariable one that meets the scalar repeated, as c is in x + c, where the
// other operand says the shape: in 1 + c the shape could be any, and norm2(1 + c) is no longer |1 + c|.
func (c *compiler) repeated(args []*pattern) []*pattern {
	if len(args) < 2 || !slices.ContainsFunc(args, c.shaped) {
		return args
	}
	for i, p := range args {
		if c.isScalar(p) {
			args[i] = &pattern{kind: patScalar, slot: p.slot}
		}
	}
	return args
}

// shaped: p meets terms of the shape alone that its metavariables say.
func (c *compiler) shaped(p *pattern) bool {
	return p.kind == patEin || p.kind == patVar && !c.isScalar(p) || slices.ContainsFunc(p.args, c.shaped)
}

// isScalar: p is a metavariable of type R[].
func (c *compiler) isScalar(p *pattern) bool {
	for _, v := range c.order {
		if !v.number && v.slot == p.slot {
			return p.kind == patVar && v.space.Bracket && len(v.space.Dims) == 0
		}
	}
	return false
}

func (c *compiler) ein(t *text.Term) *pattern {
	if len(t.Args) == 0 || len(t.Index.Sizes) > 0 && t.Index.Out.Forms == nil {
		panic(wrong(t, "", "%s: a contraction on the left side has operands, and no sizes; a scalar is repeated as in x + c", t))
	}
	p := &pattern{kind: patEin, affine: t.Index.Out.Forms != nil}
	slots := map[string]int{}
	batch, rest := -1, -1
	list := func(has bool, slot *int) int {
		if !has {
			return -1
		}
		if *slot < 0 {
			*slot = c.lists
			c.lists++
		}
		return *slot
	}
	group := func(a text.Axes) axes {
		g := axes{batch: list(a.Batch, &batch), rest: list(a.Rest, &rest)}
		for _, l := range a.Letters {
			s, ok := slots[l]
			if !ok {
				s = c.letters
				slots[l] = s
				c.letters++
			}
			g.letters = append(g.letters, s)
		}
		return g
	}
	for _, a := range t.Index.In {
		p.in = append(p.in, group(a))
	}
	known, knownBatch, knownRest := len(slots), batch >= 0, rest >= 0
	p.out = group(t.Index.Out)
	if len(slots) > known || p.out.batch >= 0 && !knownBatch || p.out.rest >= 0 && !knownRest {
		panic(wrong(t, "a scalar is repeated as in x + c, and a broadcast by .*", "%s: the result has axes that no operand has", t))
	}
	p.args = c.patterns(t.Args)
	return p
}

// heads lists the atoms that a product's or contraction's operands must have for p to match: a
// quick test before matching.
func (p *pattern) heads() []*atom.Row {
	var out []*atom.Row
	for _, a := range p.args {
		if at := a.head(); at != nil && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// asks adds what p, an addend or an operand of a function, asks for.
func (p *pattern) asks(s *parts) {
	s.number = s.number || p.isNumber()
	if p.kind != patProduct && p.kind != patEin {
		return
	}
	for _, a := range p.args {
		s.scaled = s.scaled || a.isNumber()
		if a.kind == patCall {
			s.factors |= mark(a.atom)
		}
	}
}

func (p *pattern) isNumber() bool { return p.kind == patNumber || p.kind == patConst }

// factorKinds are the kinds of the functions that a product or a contraction must have among its operands.
func (p *pattern) factorKinds() (kinds uint32) {
	if p.kind != patProduct && p.kind != patEin {
		return 0
	}
	for _, a := range p.args {
		if a.kind != patCall {
			continue
		}
		if kinds&a.atom.Kind() != 0 {
			kinds |= atom.Square
		}
		kinds |= a.atom.Kind()
	}
	return kinds
}

// head is the atom of the nodes that p can match, nil where it is not one.
func (p *pattern) head() *atom.Row {
	switch p.kind {
	case patCall:
		return p.atom
	case patProduct, patEin:
		return atom.Ein
	case patSum, patBlocks:
		return atom.Add
	}
	return nil
}

// binds marks the metavariables that p binds, by slot.
func (p *pattern) binds(values, numbers map[int]bool, attrs func(*text.Term)) {
	switch p.kind {
	case patVar, patScalar:
		values[p.slot] = true
	case patNumber:
		numbers[p.slot] = true
	case patCall:
		if p.attr != nil {
			attrs(p.attr)
		}
	}
	for _, a := range p.args {
		a.binds(values, numbers, attrs)
	}
}
