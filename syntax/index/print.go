package index

import (
	"math/big"
	"strings"

	"frechet/syntax"
)

// Print writes an expression with no more parentheses than it needs; parsing the text
// gives an equal tree, for every tree that Parse can make.
func Print(e *Expr) string {
	var p printer
	p.expr(e, levelSum)
	return p.b.String()
}

// PrintDefinition writes NAME[indices] = expression.
func PrintDefinition(d *Definition) string {
	var p printer
	p.text(d.Name.Name)
	if len(d.Indices) > 0 {
		p.text("[")
		for i, x := range d.Indices {
			if i > 0 {
				p.text("; ")
			}
			p.text(x.Name)
			if x.Size != nil {
				p.text(":")
				p.inside(func() { p.expr(x.Size, levelSum) })
			}
		}
		p.text("]")
	}
	p.text(" = ")
	p.expr(d.Expr, levelSum)
	return p.b.String()
}

// Levels of precedence, the weakest first.
const (
	levelSum = iota
	levelProduct
	levelUnary
	levelPower
	levelAtom
)

func level(e *Expr) int {
	switch e.Op {
	case Sum, If:
		return levelSum
	case Product:
		return levelProduct
	case Neg:
		return levelUnary
	case Power:
		return levelPower
	}
	return levelAtom
}

type printer struct {
	b     strings.Builder
	tight int // inside brackets and bounds, products are written without blanks
}

func (p *printer) text(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

// expr prints e where the grammar takes level least or stronger.
func (p *printer) expr(e *Expr, least int) {
	if level(e) < least {
		p.paren(e)
		return
	}
	switch e.Op {
	case Num:
		if e.Num.IsInt() && e.Num.Num().IsInt64() {
			p.text(e.Num.Num().String()) // sizes and indices are not written as 1e6
			return
		}
		p.text(syntax.Print(&syntax.Expr{Op: syntax.OpNum, Num: e.Num}))
	case Name:
		p.text(e.Name)
	case Access:
		p.text(e.Name, "[")
		p.inside(func() { p.list(e.Args, "; ") })
		p.text("]")
	case Call:
		p.text(e.Name, "(")
		p.list(e.Args, ", ")
		p.text(")")
	case Neg:
		p.text("-")
		p.expr(e.Args[0], levelUnary)
	case Power:
		p.expr(e.Args[0], levelAtom)
		p.text("**")
		p.expr(e.Args[1], levelUnary)
	case Sum, Product:
		p.steps(e)
	case Total:
		p.text("sum{", e.Name, "}_")
		p.bound(e.Args[0])
		p.text("^")
		p.bound(e.Args[1])
		p.text(" ")
		p.paren(e.Args[2])
	case If:
		p.text("if {")
		p.relation(e.Rels[0])
		p.text("} then ")
		p.expr(e.Args[0], levelSum)
		p.text(" else ")
		p.expr(e.Args[1], levelSum)
	case Where:
		p.text("[")
		for i, r := range e.Rels {
			if i > 0 {
				p.text("; ")
			}
			p.relation(r)
		}
		p.text("]")
	}
}

// steps prints a sum or a product.
func (p *printer) steps(e *Expr) {
	inner, blank := levelProduct, " "
	if e.Op == Product {
		inner = levelUnary
		if p.tight > 0 {
			blank = ""
		}
	}
	p.expr(e.Args[0], inner)
	for _, s := range e.Steps {
		p.text(blank, string(s.Op), blank)
		p.expr(s.Arg, inner)
	}
}

// inside runs f for what stands in brackets.
func (p *printer) inside(f func()) {
	p.tight++
	f()
	p.tight--
}

func (p *printer) paren(e *Expr) {
	p.text("(")
	p.expr(e, levelSum)
	p.text(")")
}

// bound prints a bound of a sum: a number or a name as it is, all else in parentheses.
func (p *printer) bound(e *Expr) {
	if e.Op == Num || e.Op == Name && !isBoundFunction(e.Name) { // floor (x) would be a call
		p.expr(e, levelAtom)
		return
	}
	p.inside(func() { p.paren(e) })
}

func (p *printer) relation(r Relation) {
	p.inside(func() {
		p.expr(r.Left, levelSum)
		p.text(" ", r.Op, " ")
		p.expr(r.Right, levelSum)
	})
}

func (p *printer) list(args []*Expr, sep string) {
	for i, a := range args {
		if i > 0 {
			p.text(sep)
		}
		p.expr(a, levelSum)
	}
}

// decimal reports whether a number has a finite decimal form.
func decimal(r *big.Rat) bool {
	d := new(big.Int).Rsh(r.Denom(), r.Denom().TrailingZeroBits())
	five, m := big.NewInt(5), new(big.Int)
	for d.BitLen() > 1 {
		if d.QuoRem(d, five, m); m.Sign() != 0 {
			return false
		}
	}
	return true
}
