package index

import (
	"math/big"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"frechet/internal/words"
	"frechet/syntax"
)

// builder makes the tree of a definition from its concrete syntax.
type builder struct {
	file   *syntax.File
	limits syntax.Limits
	toks   *tokens
	err    *syntax.Error // the first error
}

func (b *builder) fail(code syntax.Code, span syntax.Span, format string, args ...any) *syntax.Error {
	e := b.file.Errorf(code, span, format, args...)
	if b.err == nil {
		b.err = e
	}
	return e
}

func spanOf(t lexer.Token) syntax.Span {
	return syntax.Span{Start: t.Pos.Offset, End: t.Pos.Offset + len(t.Value)}
}

func (b *builder) definition(d *define) *Definition {
	out := &Definition{Name: syntax.Ident{Name: d.Name.Value, Span: spanOf(d.Name)}}
	if d.Is.Value != "=" {
		b.fail("S002", spanOf(d.Is), "a definition is written with =, not with %s", d.Is.Value)
	}
	if d.List != nil {
		for _, one := range d.List.Items {
			x := Declared{Ident: syntax.Ident{Name: one.Name.Value, Span: spanOf(one.Name)}}
			if one.Size != nil {
				x.Size, _ = b.expr(one.Size)
			}
			out.Indices = append(out.Indices, x)
		}
		if n := len(out.Indices); n > b.limits.Order {
			b.fail("L003", spanOf(d.Name), "the order of %s is %d; a tensor's order is at most %d", d.Name.Value, n, b.limits.Order)
		}
	}
	out.Expr, _ = b.expr(d.Expr)
	return out
}

// chain walks a flat list of operands and operators by precedence; next is the link
// that comes next. Its methods start at an operand and return a node and its span,
// parentheses included.
type chain struct {
	b    *builder
	f    *flat
	next int
}

func (b *builder) expr(f *flat) (*Expr, syntax.Span) {
	c := &chain{b: b, f: f}
	return c.level(f.First, Sum)
}

// op is the operator that comes next, "" at the end of the list.
func (c *chain) op() string {
	if c.next >= len(c.f.Rest) {
		return ""
	}
	return c.f.Rest[c.next].Op.Value
}

// level reads a chain of sums, or of products.
func (c *chain) level(o *operand, kind Op) (*Expr, syntax.Span) {
	read, ops := c.unary, "*/"
	if kind == Sum {
		read = func(o *operand) (*Expr, syntax.Span) { return c.level(o, Product) }
		ops = "+-"
	}
	head, span := read(o)
	var steps []Step
	for op := c.op(); len(op) == 1 && strings.Contains(ops, op); op = c.op() {
		l := c.f.Rest[c.next]
		c.next++
		arg, to := read(l.Arg)
		span.End = to.End
		steps = append(steps, Step{Op: op[0], At: spanOf(l.Op), Arg: arg})
	}
	if steps == nil {
		return head, span
	}
	return &Expr{Op: kind, Span: span, At: steps[0].At, Args: []*Expr{head}, Steps: steps}, span
}

// unary = "-" unary | power, and exponent = "-" exponent | power
func (c *chain) unary(o *operand) (*Expr, syntax.Span) {
	if o.Signed == nil {
		return c.power(o)
	}
	e, span := c.unary(o.Signed)
	signs := o.Signs[0]
	for i := len(signs.Value) - 1; i >= 0; i-- {
		if signs.Value[i] == '-' {
			span.Start = signs.Pos.Offset + i
			e = &Expr{Op: Neg, Span: span, At: syntax.Span{Start: span.Start, End: span.Start + 1}, Args: []*Expr{e}}
		}
	}
	return e, span
}

// power = atom [ ( "**" | "^" ) exponent ]
func (c *chain) power(o *operand) (*Expr, syntax.Span) {
	base, span := c.b.atom(o)
	if op := c.op(); op != "**" && op != "^" {
		return base, span
	}
	l := c.f.Rest[c.next]
	c.next++
	exponent, to := c.unary(l.Arg)
	span.End = to.End
	return &Expr{Op: Power, Span: span, At: spanOf(l.Op), Args: []*Expr{base, exponent}}, span
}

func (b *builder) atom(o *operand) (*Expr, syntax.Span) {
	var e *Expr
	switch {
	case o.Inner != nil:
		e, _ := b.expr(o.Inner)
		return e, syntax.Span{Start: o.Open[0].Pos.Offset, End: spanOf(o.Close[0]).End}
	case o.Num != nil:
		at := spanOf(o.Num[0])
		e = &Expr{Op: Num, Span: at, At: at, Num: b.number(o.Num[0].Value)}
	case o.Access != nil:
		at := spanOf(o.Access.Name)
		e = &Expr{Op: Name, Span: at, At: at, Name: syntax.NameOf(o.Access.Name.Value)}
		if x := o.Access.Index; x != nil {
			e.Op, e.Args, e.Span.End = Access, b.list(x.List), spanOf(x.Close).End
			if n := len(e.Args); n > b.limits.Order {
				b.fail("L003", at, "%s; a tensor's order is at most %d", words.Count(n, "index"), b.limits.Order)
			}
		}
	case o.Call != nil:
		at := spanOf(o.Call.Name)
		e = &Expr{Op: Call, Span: syntax.Span{Start: at.Start, End: spanOf(o.Call.Close).End}, At: at,
			Name: o.Call.Name.Value, Args: b.list(o.Call.Args)}
	case o.Total != nil:
		t := o.Total
		lo, _ := b.operand(t.Lower)
		hi, _ := b.operand(t.Upper)
		body, to := b.operand(t.Body)
		e = &Expr{Op: Total, Span: spanOf(t.Key).To(to), At: spanOf(t.Index), Name: t.Index.Value, Args: []*Expr{lo, hi, body}}
	case o.If != nil:
		t := o.If
		then, _ := b.expr(t.Then)
		other, to := b.expr(t.Else)
		e = &Expr{Op: If, Span: spanOf(t.Key).To(to), At: spanOf(t.Key), Args: []*Expr{then, other}, Rels: []Relation{b.relation(t.Cond)}}
	default:
		w := o.Where
		e = &Expr{Op: Where, Span: spanOf(w.Open).To(spanOf(w.Close)), At: spanOf(w.Open)}
		for _, r := range w.Rels {
			e.Rels = append(e.Rels, b.relation(r))
		}
	}
	return e, e.Span
}

// operand reads one operand that stands alone.
func (b *builder) operand(o *operand) (*Expr, syntax.Span) {
	c := &chain{b: b, f: &flat{First: o}}
	return c.unary(o)
}

func (b *builder) relation(r *relation) Relation {
	out := Relation{Op: r.Op.Value, At: spanOf(r.Op)}
	if out.Op == "==" {
		out.Op = "="
	}
	out.Left, _ = b.expr(r.Left)
	out.Right, _ = b.expr(r.Right)
	return out
}

func (b *builder) list(fs []*flat) []*Expr {
	out := make([]*Expr, len(fs))
	for i, f := range fs {
		out[i], _ = b.expr(f)
	}
	return out
}

// number reads an unsigned decimal number exactly; its length was checked by the lexer.
func (b *builder) number(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("index: number token " + text)
	}
	return r
}
