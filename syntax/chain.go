package syntax

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// chain walks a flat list of operands and operators by precedence; next is the
// link that comes next. Its methods start at an operand and return a node and its
// span, parentheses included.
type chain struct {
	b    *builder
	f    *flat
	next int
}

func (b *builder) expr(f *flat) (*Expr, Span) {
	c := &chain{b: b, f: f}
	return c.compare()
}

// op returns the operator that comes next; its kind is 0 at the end of the list.
func (c *chain) op() lexer.Token {
	if c.next >= len(c.f.Rest) {
		return lexer.Token{}
	}
	l := c.f.Rest[c.next]
	switch {
	case l.Index != nil:
		return l.Index.Open
	case l.Op == nil:
		return l.After[0]
	}
	return l.Op[0]
}

// take consumes the next operator and returns the operand after it, nil if it has
// none.
func (c *chain) take() *operand {
	l := c.f.Rest[c.next]
	c.next++
	if l.Op == nil {
		return nil
	}
	return &l.operand
}

func isComparison(t lexer.Token) bool {
	switch t.Value {
	case ">", ">=", "<", "<=", "==", "!=":
		return true
	}
	return false
}

// compare = sum [ ( ">" | ... ) sum ]
func (c *chain) compare() (*Expr, Span) {
	left, span := c.sum(&c.f.operand)
	op := c.op()
	if !isComparison(op) {
		return left, span
	}
	right, to := c.sum(c.take())
	span.End = to.End
	e := &Expr{Op: OpCompare, Span: span, At: spanOf(op), Name: op.Value, Args: []*Expr{left, right}}
	if again := c.op(); isComparison(again) {
		c.b.fail("S012", spanOf(again), "comparisons do not chain").
			Helpf("multiply two of them: (a > b) .* (b > c)")
	}
	return e, span
}

// sum = product { ( "+" | "-" ) product }
func (c *chain) sum(o *operand) (*Expr, Span) {
	head, span := c.product(o)
	var steps []Step
	for {
		op := c.op()
		kind := StepAdd
		switch op.Value {
		case "+":
		case "-":
			kind = StepSub
		default:
			if steps == nil {
				return head, span
			}
			return &Expr{Op: OpSum, Span: span, At: steps[0].At, Args: []*Expr{head}, Steps: steps}, span
		}
		arg, to := c.product(c.take())
		span.End = to.End
		steps = append(steps, Step{Op: kind, At: spanOf(op), Arg: arg})
	}
}

// product = unary { ( "*" | "/" | ".*" | "./" | GROUP ) unary | UNARYGROUP }
func (c *chain) product(o *operand) (*Expr, Span) {
	head, span := c.unary(o)
	var steps []Step
	for {
		op := c.op()
		step := Step{At: spanOf(op)}
		switch op.Value {
		case "*":
			step.Op = StepMul
		case "/":
			step.Op = StepDiv
		case ".*":
			step.Op = StepElemMul
		case "./":
			step.Op = StepElemDiv
		case "'":
			c.b.fail("S002", step.At, "a prime cannot follow an index group").Helpf("put the product in parentheses: (A *(ij->ji))'")
			c.take()
			continue
		case "[":
			c.b.fail("S002", step.At, "a subscript cannot follow an index group").Helpf("put the product in parentheses: (A *(ij->ji))[0, :]")
			c.take()
			continue
		case "", "+", "-", ">", ">=", "<", "<=", "==", "!=":
			if steps == nil {
				return head, span
			}
			return &Expr{Op: OpProduct, Span: span, At: steps[0].At, Args: []*Expr{head}, Steps: steps}, span
		case "^", ".^":
			c.b.fail("S002", step.At, "a power cannot follow an index group").Helpf("put the product in parentheses: (A *(ij->ji))^2")
			c.take()
			continue
		default:
			step.Op, step.Spec = StepIndex, c.b.lex.specs[op.Pos.Offset]
		}
		operand := c.take()
		if operand == nil {
			step.Op, span.End = StepUnary, step.At.End
		} else {
			var to Span
			step.Arg, to = c.unary(operand)
			span.End = to.End
		}
		steps = append(steps, step)
	}
}

// unary = "-" unary | power, and exponent = "-" exponent | power
func (c *chain) unary(o *operand) (*Expr, Span) {
	if o.Signed == nil {
		return c.power(o)
	}
	e, span := c.unary(&o.Signed.operand)
	signs := o.Signs[0]
	for i := len(signs.Value) - 1; i >= 0; i-- {
		if signs.Value[i] == '-' {
			span.Start = signs.Pos.Offset + i
			e = &Expr{Op: OpNeg, Span: span, At: Span{span.Start, span.Start + 1}, Args: []*Expr{e}}
		}
	}
	return e, span
}

// power = postfix [ ( "^" | ".^" ) exponent ]
func (c *chain) power(o *operand) (*Expr, Span) {
	base, span := c.postfix(o)
	op := c.op()
	kind := OpPower
	switch op.Value {
	case ".^":
		kind = OpElemPower
	case "^":
	default:
		return base, span
	}
	exponent, to := c.unary(c.take())
	span.End = to.End
	return &Expr{Op: kind, Span: span, At: spanOf(op), Args: []*Expr{base, exponent}}, span
}

// postfix = atom { "'" | subscripts }
func (c *chain) postfix(o *operand) (*Expr, Span) {
	e, span := c.b.atom(o)
	for {
		switch at := spanOf(c.op()); c.op().Value {
		case "'":
			span.End = at.End
			e = &Expr{Op: OpTranspose, Span: span, At: at, Args: []*Expr{e}}
		case "[":
			x := c.f.Rest[c.next].Index
			span.End = spanOf(x.Close).End
			e = &Expr{Op: OpIndex, Span: span, At: at.To(spanOf(x.Close)), Args: append([]*Expr{e}, c.b.subscripts(x)...)}
		default:
			return e, span
		}
		c.take()
	}
}
