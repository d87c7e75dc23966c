package syntax

import (
	"math/big"
	"strconv"
	"strings"

	"frechet/internal/lists"
)

// Print writes an expression with no more parentheses than it needs. Parsing the
// text gives an equal tree, for every tree that Parse can make; numbers must be
// unsigned decimals, see [Number].
func Print(e *Expr) string {
	var p printer
	p.expr(e, levelCompare)
	return p.b.String()
}

// PrintFile writes a program, one statement a line.
func PrintFile(f *File) string {
	var p printer
	for i := range f.Stmts {
		p.stmt(&f.Stmts[i])
		p.b.WriteByte('\n')
	}
	return p.b.String()
}

// Levels of precedence, the weakest first.
const (
	levelCompare = iota
	levelSum
	levelProduct
	levelUnary
	levelPower
	levelPostfix
	levelAtom
)

func level(e *Expr) int {
	switch e.Op {
	case OpCompare, OpScan:
		return levelCompare
	case OpSum:
		return levelSum
	case OpProduct:
		return levelProduct
	case OpNeg:
		return levelUnary
	case OpPower, OpElemPower:
		return levelPower
	case OpTranspose, OpIndex:
		return levelPostfix
	}
	return levelAtom
}

type printer struct{ b strings.Builder }

func (p *printer) text(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

// expr prints e where the grammar takes level least or stronger.
func (p *printer) expr(e *Expr, least int) {
	if level(e) < least {
		p.text("(")
		p.expr(e, levelCompare)
		p.text(")")
		return
	}
	switch e.Op {
	case OpNum:
		p.text(decimal(e.Num))
		p.sizes(e.Sizes)
	case OpName:
		p.text(e.Name)
	case OpDelta:
		p.text("delta")
		if e.Sizes == nil {
			p.text("(", strconv.Itoa(e.Order), ")")
		}
		p.sizes(e.Sizes)
	case OpCall:
		p.call(e)
	case OpScan:
		p.scan(e)
	case OpEinsum:
		p.text("einsum(", e.Spec.String(), "; ")
		p.list(e.Args)
		p.text(")")
	case OpNeg:
		p.text("-")
		p.expr(e.Args[0], levelUnary)
	case OpTranspose:
		p.expr(e.Args[0], levelPostfix)
		p.text("'")
	case OpIndex:
		p.indexed(e)
	case OpRange:
		p.bounds(e)
	case OpBlocks:
		p.blocks(e)
	case OpPower, OpElemPower:
		p.expr(e.Args[0], levelPostfix)
		p.text(map[Op]string{OpPower: "^", OpElemPower: " .^ "}[e.Op])
		p.expr(e.Args[1], levelUnary)
	case OpSum:
		p.steps(e, levelProduct)
	case OpProduct:
		p.steps(e, levelUnary)
	case OpCompare:
		p.expr(e.Args[0], levelSum)
		p.text(" ", e.Name, " ")
		p.expr(e.Args[1], levelSum)
	}
}

// call prints sum(x, axis=0).
func (p *printer) call(e *Expr) {
	p.text(e.Name, "(")
	p.list(e.Args)
	if e.Axis != nil {
		p.text(", axis=", strconv.Itoa(e.Axis.Value))
	}
	if e.Ddof != 0 {
		p.text(", ddof=", strconv.Itoa(e.Ddof))
	}
	if e.Keep {
		p.text(", keepdims=True")
	}
	p.text(")")
}

// blocks prints [a, b; c, d].
func (p *printer) blocks(e *Expr) {
	p.text("[")
	for i, row := range e.Args {
		if i > 0 {
			p.text("; ")
		}
		p.list(row.Args)
	}
	p.text("]")
}

// steps prints a sum or a product, whose operands stand at level least.
func (p *printer) steps(e *Expr, least int) {
	p.expr(e.Args[0], least)
	for _, s := range e.Steps {
		p.text(stepText[s.Op])
		if s.Spec != nil {
			p.text(s.Spec.String(), ")")
			if s.Arg == nil {
				continue
			}
			p.text(" ")
		}
		p.expr(s.Arg, least)
	}
}

// indexed prints x[1:]. What brackets behind it would be sizes of, a number, stands in parentheses.
func (p *printer) indexed(e *Expr) {
	least := levelPostfix
	if a := e.Args[0]; a.Op == OpNum && a.Sizes == nil {
		least = levelAtom + 1
	}
	p.expr(e.Args[0], least)
	p.text("[")
	p.list(e.Args[1:])
	p.text("]")
}

// bounds prints first:stop:step.
func (p *printer) bounds(e *Expr) {
	for k, a := range e.Args {
		if k == 1 || k == 2 && a != nil {
			p.text(":")
		}
		if a != nil {
			p.expr(a, levelSum)
		}
	}
}

var stepText = map[StepOp]string{
	StepAdd: " + ", StepSub: " - ", StepMul: "*", StepDiv: "/", StepElemMul: " .* ", StepElemDiv: " ./ ",
	StepIndex: " *(", StepUnary: " *(",
}

func (p *printer) list(args []*Expr) {
	for i, a := range args {
		if i > 0 {
			p.text(", ")
		}
		p.expr(a, levelCompare)
	}
}

func (p *printer) sizes(sizes []*Expr) {
	if sizes == nil {
		return
	}
	p.text("[")
	for i, s := range sizes {
		if i > 0 {
			p.text(",")
		}
		p.expr(s, levelCompare)
	}
	p.text("]")
}

// String writes the index strings, "ij,j->i".
func (s *Spec) String() string {
	var b strings.Builder
	for i, in := range s.In {
		if i > 0 {
			b.WriteByte(',')
		}
		for _, l := range in.Letters {
			b.WriteString(l)
		}
	}
	b.WriteString("->")
	for _, l := range s.Out.Letters {
		b.WriteString(l)
	}
	return b.String()
}

func (p *printer) stmt(s *Stmt) {
	switch s.Kind {
	case Declare:
		p.text("declare")
		for i := range s.Declares {
			p.declaration(&s.Declares[i])
		}
	case Map:
		p.text("map ", s.Text)
	case Primitive:
		p.text(s.Text)
	case Let:
		if s.Index != nil {
			p.text("let ", s.Text)
			return
		}
		p.text("let ", s.Name.Name, " = ")
		p.expr(s.Expr, levelCompare)
	case LetFunction:
		p.text("let ", s.Name.Name, "(")
		for i, x := range s.Params {
			p.text(map[bool]string{true: ", "}[i > 0], x.Name)
		}
		p.text(") = ")
		p.expr(s.Expr, levelCompare)
	case Expression:
		if s.Index != nil {
			p.text(s.Text)
			return
		}
		p.text("expression ")
		if s.Name.Name != "" {
			p.text(s.Name.Name, " = ")
		}
		p.expr(s.Expr, levelCompare)
	case Request:
		p.request(s.Request)
	}
}

func (p *printer) declaration(d *Declaration) {
	p.text(" ", d.Name)
	switch {
	case !d.Sized:
		p.text(" ", strconv.Itoa(d.Order))
	case len(d.Sizes) == 0:
		p.text("[]")
	default:
		p.sizes(d.Sizes[:len(d.Sizes)-d.Bounds()])
	}
	for _, a := range d.Of {
		p.text(" ", a.Name)
	}
	if d.Bounds() > 0 {
		p.text("(")
		p.expr(d.Sizes[len(d.Sizes)-1], levelCompare)
		p.text(")")
	}
}

func (p *printer) request(r *DerivativeRequest) {
	p.text(r.Kind, " wrt ", strings.Join(lists.Map(r.Wrt, func(w Ident) string { return w.Name }), ", "))
	if r.Kind == "derivative" && r.Order != 1 {
		p.text(" order ", strconv.Itoa(r.Order))
	}
	if r.Along.Name != "" {
		p.text(" along ", r.Along.Name)
	}
	if r.Via.Name != "" {
		p.text(" through ", r.Via.Name)
	}
}

// decimal writes an unsigned decimal number exactly and as short as it gets:
// 0.25, 1e-20, 150. A number without a finite decimal form is written as a
// quotient, which reads back as one.
func decimal(r *big.Rat) string {
	places, ok := decimalPlaces(r.Denom())
	if !ok {
		return "(" + r.String() + ")"
	}
	// r = digits * 10^-places, digits without trailing zeros.
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	n := new(big.Int).Mul(r.Num(), scale)
	digits := n.Quo(n, r.Denom()).String()
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0"
	}
	zeros := len(digits) - len(trimmed)
	exponent := zeros - places // r = trimmed * 10^exponent
	scientific := trimmed + "e" + strconv.Itoa(exponent)
	var plain string
	switch {
	case exponent >= 0:
		if exponent > 20 {
			return scientific
		}
		plain = trimmed + strings.Repeat("0", exponent)
	case -exponent < len(trimmed):
		plain = trimmed[:len(trimmed)+exponent] + "." + trimmed[len(trimmed)+exponent:]
	default:
		if -exponent-len(trimmed) > 20 {
			return scientific
		}
		plain = "0." + strings.Repeat("0", -exponent-len(trimmed)) + trimmed
	}
	if len(scientific)+3 < len(plain) {
		return scientific
	}
	return plain
}

// decimalPlaces returns the least k for which den divides 10^k.
func decimalPlaces(den *big.Int) (int, bool) {
	twos := int(den.TrailingZeroBits())
	rest := new(big.Int).Rsh(den, uint(twos))
	fives := 0
	// Powers of five are stripped by repeated squares, the largest first, so that
	// long decimals cost no more than their length suggests.
	powers := []*big.Int{big.NewInt(5)}
	for powers[len(powers)-1].Cmp(rest) < 0 {
		last := powers[len(powers)-1]
		powers = append(powers, new(big.Int).Mul(last, last))
	}
	q, m := new(big.Int), new(big.Int)
	for i := len(powers) - 1; i >= 0; i-- {
		if q.QuoRem(rest, powers[i], m); m.Sign() == 0 {
			rest.Set(q)
			fives += 1 << i
		}
	}
	for rest.Sign() > 0 {
		if q.QuoRem(rest, powers[0], m); m.Sign() != 0 {
			break
		}
		rest.Set(q)
		fives++
	}
	return max(twos, fives), rest.Cmp(big.NewInt(1)) == 0
}
