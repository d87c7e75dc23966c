package coq

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite/proof"
)

// Node is a value.
type Node = proof.Node

// A Withheld says why a derivation has no theorem.
type Withheld struct{ Reason string }

func (e *Withheld) Error() string { return e.Reason }

func withheld(format string, args ...any) *Withheld { return &Withheld{fmt.Sprintf(format, args...)} }

// A printer prints values as terms of Gallina. What it has no term for is a panic with a *Withheld.
type printer struct {
	names   map[*Node]string // of variables
	params  []*Node          // the variables that definitions take as arguments
	depends map[*Node][]*Node
	letters []string          // names of indices
	sizes   map[string]string // names of symbols
}

// maxLiteral bounds numbers, which Coq has in unary.
const maxLiteral = 1000

// of are the parameters on which a value depends, in their order.
func (p *printer) of(n *Node) []*Node {
	if d, ok := p.depends[n]; ok {
		return d
	}
	for _, m := range combinators.Topo(n) {
		if _, ok := p.depends[m]; ok {
			continue
		}
		var d []*Node
		for _, x := range p.params {
			if m == x || slices.ContainsFunc(m.Args(), func(a *Node) bool { return slices.Contains(p.depends[a], x) }) {
				d = append(d, x)
			}
		}
		p.depends[m] = d
	}
	return p.depends[n]
}

// at says what stands for the parameters: a variable by its name where it is not there.
type at map[*Node]string

// ref is the entry of a value at indices; a tensor where there are fewer of them.
func (p *printer) ref(n *Node, ix []string, v at) string {
	if n.Is(atom.Const) {
		return p.number(n.Rat())
	}
	var words []string
	if n.Is(atom.Var) {
		words = []string{p.variable(n, v)}
	} else if n.Is(atom.Pi) {
		return "(pi : R)"
	} else {
		words = []string{name(n)}
		words = lists.Append(words, p.of(n), func(x *Node) string { return p.variable(x, v) })
	}
	words = append(words, ix...)
	if len(words) == 1 {
		return words[0]
	}
	return "(" + strings.Join(words, " ") + ")"
}

func (p *printer) variable(x *Node, v at) string {
	if s, ok := v[x]; ok {
		return s
	}
	return p.names[x]
}

// name is the name of the definition of a value.
func name(n *Node) string { return fmt.Sprintf("n%d", n.ID()) }

// number is a rational number.
func (p *printer) number(q *big.Rat) string {
	abs := new(big.Rat).Abs(q)
	if abs.Num().Cmp(big.NewInt(maxLiteral)) > 0 || abs.Denom().Cmp(big.NewInt(maxLiteral)) > 0 {
		panic(withheld("a number with more than %d in it", maxLiteral))
	}
	s := abs.Num().String()
	if !abs.IsInt() {
		s = "(" + s + " / " + abs.Denom().String() + ")"
	}
	if q.Sign() < 0 {
		return "(- " + s + ")"
	}
	return s
}

// fresh are names for n indices that are not among those taken.
func (p *printer) fresh(n int, taken []string) (out []string) {
	for _, l := range p.letters {
		if len(out) == n {
			return out
		}
		if !slices.Contains(taken, l) {
			out = append(out, l)
		}
	}
	if len(out) < n {
		panic(withheld("a value with more than %d indices", len(p.letters)))
	}
	return out
}

// size is a size as a natural number.
func (p *printer) size(d size.Size) string {
	if n, ok := d.Int(); ok {
		if n > maxLiteral {
			panic(withheld("a size above %d", maxLiteral))
		}
		return fmt.Sprint(n)
	}
	if s, ok := d.Symbol(); ok {
		return p.symbol(s)
	}
	return p.natural(nil, d)
}

func (p *printer) symbol(s string) string {
	t, ok := p.sizes[s]
	if !ok {
		panic(withheld("a size without a name"))
	}
	return t
}

// natural is a sum of multiples of names and a size, which is not negative, as a natural number: what is subtracted comes last.
func (p *printer) natural(terms []scaled, d size.Size) string {
	var plus, minus []string
	add := func(c *big.Int, factors ...string) {
		abs := new(big.Int).Abs(c)
		if abs.Cmp(big.NewInt(maxLiteral)) > 0 {
			panic(withheld("a size with a number above %d", maxLiteral))
		}
		if abs.Cmp(big.NewInt(1)) != 0 || len(factors) == 0 {
			factors = append([]string{abs.String()}, factors...)
		}
		if t := strings.Join(factors, " * "); c.Sign() > 0 {
			plus = append(plus, t)
		} else {
			minus = append(minus, t)
		}
	}
	for _, t := range terms {
		add(big.NewInt(t.by), t.name)
	}
	for _, m := range d.Monomials() {
		var factors []string
		factors = lists.Append(factors, m.Symbols, p.symbol)
		add(m.Coef, factors...)
	}
	out := strings.Join(plus, " + ")
	if len(plus) == 0 {
		out = "0"
	}
	for _, t := range minus {
		out += " - " + t
	}
	if len(plus)+len(minus) == 1 && !strings.Contains(out, " ") {
		return out
	}
	return "(" + out + ")%N"
}

// scaled is a multiple of an index.
type scaled struct {
	name string
	by   int64
}

// affine is an index.
func (p *printer) affine(a einsum.Affine, names []string) string {
	if v, ok := a.Var(); ok {
		return names[v]
	}
	return p.natural(terms(a, names, 1), a.Off)
}

func terms(a einsum.Affine, names []string, sign int64) (out []scaled) {
	out = lists.Append(out, a.Terms, func(t einsum.Term) scaled { return scaled{names[t.Var], sign * t.Coef} })
	return out
}

// sides are the two sides of a condition on a form: what is added to it and what is subtracted.
func (p *printer) sides(a einsum.Affine, names []string) (plus, minus string) {
	var up, down []scaled
	for _, t := range terms(a, names, 1) {
		if t.by > 0 {
			up = append(up, t)
		} else {
			down = append(down, scaled{t.name, -t.by})
		}
	}
	var add, sub size.Size
	for _, m := range a.Off.Monomials() {
		t := size.Const(m.Coef.Int64())
		for _, s := range m.Symbols {
			t = t.Mul(size.Sym(s))
		}
		if m.Coef.Sign() > 0 {
			add = add.Add(t)
		} else {
			sub = sub.Sub(t)
		}
	}
	return p.natural(up, add), p.natural(down, sub)
}

// A product is a contraction at indices of its result: sums over variables of a product of conditions and operands.
type product struct {
	bound   []int // variables
	names   []string
	conds   []string
	indices [][]string // of operands
}

func (p *printer) product(n *Node, ix []string) product {
	e := n.Ein()
	t := product{names: make([]string, len(e.Vars))}
	var equal [][2]any
	for k, a := range e.Out.Index {
		if v, ok := a.Var(); ok && t.names[v] == "" && e.Vars[v] == e.Out.Shape[k] {
			t.names[v] = ix[k]
		} else {
			equal = append(equal, [2]any{a, ix[k]})
		}
	}
	for v := range e.Vars {
		if t.names[v] == "" {
			t.bound = append(t.bound, v)
		}
	}
	for k, l := range p.fresh(len(t.bound), append(slices.Clone(ix), p.inUse(ix)...)) {
		t.names[t.bound[k]] = l
	}
	for _, c := range equal {
		t.conds = append(t.conds, "("+p.affine(c[0].(einsum.Affine), t.names)+" == "+c[1].(string)+" :> nat)%:R")
	}
	for _, a := range e.Eq {
		plus, minus := p.sides(a, t.names)
		t.conds = append(t.conds, "("+plus+" == "+minus+" :> nat)%:R")
	}
	for _, a := range e.Ge {
		plus, minus := p.sides(a, t.names)
		t.conds = append(t.conds, "("+minus+" <= "+plus+")%N%:R")
	}
	for _, acc := range e.In {
		at := lists.Map(acc.Index, func(a einsum.Affine) string { return p.affine(a, t.names) })
		t.indices = append(t.indices, at)
	}
	return t
}

// inUse are the letters that occur in indices which are no names.
func (p *printer) inUse(ix []string) (out []string) {
	for _, i := range ix {
		out = append(out, strings.FieldsFunc(i, func(r rune) bool { return strings.ContainsRune("()+-* %N", r) })...)
	}
	return out
}

// operand prints an operand at indices.
type operand func(n *Node, ix []string) string

// body is the entry of a value by its operation; operands are printed by ref.
func (p *printer) body(n *Node, ix []string, ref operand) string {
	row := n.Atom()
	switch {
	case n.Is(atom.Add):
		return "(" + ref(n.Arg(0), ix) + " + " + ref(n.Arg(1), ix) + ")"
	case n.Ein() != nil:
		return p.contraction(n, p.product(n, ix), ref)
	case n.Is(atom.Power):
		return p.power(n.Rat(), ref(n.Arg(0), ix))
	}
	if f, ok := elementwise[row]; ok {
		return "(" + f.name + " " + ref(n.Arg(0), ix) + ")"
	}
	if f, ok := binary[row]; ok {
		return "(" + f.name + " " + ref(n.Arg(0), ix) + " " + ref(n.Arg(1), ix) + ")"
	}
	if c, ok := p.composed(n, ix); ok {
		return c.value(ref)
	}
	if f, ok := tensorial(n); ok {
		return p.call(n, f.name, ix, ref)
	}
	panic(withheld("%s has no definition in the prelude", row.Name))
}

func (p *printer) contraction(n *Node, t product, ref operand) string {
	factors := slices.Clone(t.conds)
	for k, a := range n.Args() {
		factors = append(factors, ref(a, t.indices[k]))
	}
	out := "1"
	if last := len(factors) - 1; last >= 0 {
		out = factors[last]
		for _, f := range slices.Backward(factors[:last]) {
			out = "(" + f + " * " + out + ")"
		}
	}
	for _, v := range slices.Backward(t.bound) {
		out = "(\\sum_(" + t.names[v] + " < " + p.size(n.Ein().Vars[v]) + ") " + out + ")"
	}
	return out
}

// power is x^q, by ring operations of x, or of its root where q is not whole.
func (p *printer) power(q *big.Rat, x string) string {
	if d := q.Denom(); d.Cmp(big.NewInt(2)) == 0 {
		x = "(Num.sqrt " + x + ")"
	} else if !q.IsInt() {
		x = "(rpow (1 / " + d.String() + ") " + x + ")"
	}
	k := new(big.Int).Abs(q.Num())
	if k.Cmp(big.NewInt(maxPower)) > 0 {
		panic(withheld("a power above %d", maxPower))
	}
	one := k.Cmp(big.NewInt(1)) == 0
	if q.Sign() < 0 {
		if x += "^-1"; !one {
			x = "(" + x + ")"
		}
	}
	if one {
		return x
	}
	return "(" + x + " ^+ " + k.String() + ")"
}

// maxPower bounds whole exponents, which the prelude multiplies out.
const maxPower = 12

// call is a function of the last axes of its operand, which is given as a function of their indices.
func (p *printer) call(n *Node, f string, ix []string, ref operand) string {
	batch, sizes := p.axes(n)
	words := append([]string{f}, sizes...)
	words = append(words, ref(n.Arg(0), ix[:batch]))
	return "(" + strings.Join(append(words, ix[batch:]...), " ") + ")"
}

// axes are how many axes of the operand a function only repeats over, and the sizes of the others: of a matrix, one.
func (p *printer) axes(n *Node) (batch int, sizes []string) {
	f, _ := tensorial(n)
	x := n.Arg(0)
	batch = x.Order() - f.axes
	return batch, []string{p.size(x.Shape()[batch])}
}
