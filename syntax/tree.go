package syntax

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"frechet/combinators/atom"
	"frechet/internal/words"
)

// builder makes the tree of a program from its concrete syntax.
type builder struct {
	src    string
	limits Limits
	lex    *Lexer
	lexed  func(string, Limits) *Lexer // makes one, to read again
	err    *Error                      // the first error of the tree being built
}

func (b *builder) fail(code Code, span Span, format string, args ...any) *Error {
	e := newError(b.src, code, span, format, args...)
	if b.err == nil {
		b.err = e
	}
	return e
}

func spanOf(t lexer.Token) Span { return Span{t.Pos.Offset, t.Pos.Offset + len(t.Value)} }

func identOf(t lexer.Token) Ident { return Ident{NameOf(t.Value), spanOf(t)} }

// Pi is the name of the number pi, where a program gives the name no other meaning.
const Pi = "pi"

// Identity is the name of the identity matrix of a fitting size, where nothing else has it.
const Identity = "I"

const symbolPi = "π" // another spelling of the name

// NameOf is the name that a token spells.
func NameOf(token string) string {
	if token == symbolPi {
		return Pi
	}
	return token
}

// checked builds an expression and returns the first error in it.
func (b *builder) checked(f *flat) (*Expr, error) {
	e, _ := b.expr(f)
	if b.err != nil {
		return nil, b.err
	}
	return e, nil
}

// statement adds a statement to the file.
func (b *builder) statement(file *File, s *statement) error {
	var out Stmt
	switch {
	case s.Declare != nil:
		out = Stmt{Kind: Declare, Span: spanOf(s.Declare.Key)}
		for _, d := range s.Declare.Names {
			out.Declares = append(out.Declares, b.declared(d))
		}
	case s.Let != nil:
		out = Stmt{Kind: Let, Span: spanOf(s.Let.Key), Name: b.newName(s.Let.Name)}
		for _, t := range s.Let.Params {
			out.Kind, out.Params = LetFunction, append(out.Params, b.newName(t.Token))
		}
		out.Expr, _ = b.expr(s.Let.Expr)
	case s.Expr != nil:
		out = Stmt{Kind: Expression, Span: spanOf(s.Expr.Key)}
		if n := s.Expr.Named; n != nil {
			out.Span = spanOf(n.Key)
			out.Name = b.newName(n.Name)
		}
		out.Expr, _ = b.expr(s.Expr.Expr)
	case s.Define != nil:
		out = b.defined(s.Define.Token)
	case s.Request != nil:
		out = Stmt{Kind: Request, Span: spanOf(s.Request.Key), Request: b.request(s.Request)}
	}
	if b.err != nil {
		return b.err
	}
	file.Stmts = append(file.Stmts, out)
	return nil
}

// newName checks a name that a statement introduces.
func (b *builder) newName(t lexer.Token) Ident {
	if err := (&File{Src: b.src}).Nameable(identOf(t)); err != nil && b.err == nil {
		b.err = err
	}
	return identOf(t)
}

// Nameable is the error for a reserved word in the place of a new name, nil for all others.
func (f *File) Nameable(id Ident) *Error {
	if !Reserved(id.Name) {
		return nil
	}
	return f.Errorf("S010", id.Span, "`%s` is %s and cannot name a tensor", id.Name, whatIsReserved(id.Name)).
		Helpf("choose another name, such as %s1", id.Name)
}

func whatIsReserved(name string) string {
	if functions[name].Reserved {
		return "a function"
	}
	return "a keyword"
}

func (b *builder) declared(d *declared) Declaration {
	out := Declaration{Ident: b.newName(d.Name)}
	if d.Order != nil {
		out.OrderSpan = spanOf(d.Order.Token)
		out.Order = b.order(d.Order.Token, 1, "the order of "+d.Name.Value)
		return out
	}
	out.Sized = true
	out.OrderSpan = spanOf(d.Sizes.Open).To(spanOf(d.Sizes.Close))
	out.Sizes = b.list(d.Sizes.List)
	for i := 0; i < len(d.Of); i++ {
		a := identOf(d.Of[i].Word)
		switch bound := d.Of[i].Bound; {
		case (bound != nil) != atom.AttributeNamed(a.Name).Has(atom.Index):
			b.fail("S007", a.Span, "an array of whole numbers from 0 to n - 1 is declared as %s[m] index(n), and no other attribute has a number", d.Name.Value)
		case bound != nil:
			out.Sizes = append(out.Sizes, b.list([]*flat{bound})...)
		}
		if i+1 < len(d.Of) && atom.AttributeNamed(a.Name+" "+d.Of[i+1].Word.Value) != 0 {
			i++
			a = Ident{a.Name + " " + d.Of[i].Word.Value, a.Span.To(spanOf(d.Of[i].Word))}
		}
		if atom.AttributeNamed(a.Name) == 0 {
			b.fail("S007", a.Span, "%s is no attribute; it is part of `positive definite`", a.Name)
		}
		out.Of = append(out.Of, a)
	}
	out.Order = len(out.Sizes)
	b.checkOrder(out.Order, out.OrderSpan, "the order of "+d.Name.Value)
	return out
}

// order reads a whole number that, times factor, is the order of a tensor.
func (b *builder) order(t lexer.Token, factor int, what string) int {
	digits := strings.TrimLeft(t.Value, "0")
	if strings.Trim(t.Value, "0123456789") != "" {
		b.fail("S007", spanOf(t), "%s must be a whole number, not %s", what, t.Value)
		return 0
	}
	if len(digits) > 9 {
		b.fail("L003", spanOf(t), "%s is %s; a tensor's order is at most %d", what, shorten(digits), b.limits.Order)
		return 0
	}
	n := atoi(digits)
	b.checkOrder(n*factor, spanOf(t), what)
	return n
}

func (b *builder) checkOrder(n int, span Span, what string) {
	if n > b.limits.Order {
		b.fail("L003", span, "%s is %d; a tensor's order is at most %d", what, n, b.limits.Order)
	}
}

func shorten(s string) string {
	if len(s) > 24 {
		return s[:20] + "..."
	}
	return s
}

func (b *builder) list(fs []*flat) []*Expr {
	out := make([]*Expr, len(fs))
	for i, f := range fs {
		out[i], _ = b.expr(f)
	}
	return out
}

func (b *builder) request(r *requestStmt) *DerivativeRequest {
	out := &DerivativeRequest{Kind: r.Key.Value, Order: 1, Span: spanOf(r.Key)}
	for _, w := range r.Wrt {
		out.Wrt = append(out.Wrt, identOf(w.Token))
		out.Span.End = spanOf(w.Token).End
	}
	if out.Kind == "hessian" {
		out.Order = 2
	}
	if r.Order != nil {
		span := spanOf(r.Order.Token)
		out.Order = b.order(r.Order.Token, 1, "the order of a derivative")
		out.Span.End = span.End
		if out.Kind != "derivative" {
			b.fail("S011", span, "only `derivative` takes an order").
				Helpf("write derivative wrt %s order %s", out.Wrt[0].Name, r.Order.Token.Value)
		} else if out.Order == 0 && b.err == nil {
			b.fail("S011", span, "the order of a derivative is at least 1")
		}
	}
	directional := out.Kind == "jvp" || out.Kind == "vjp" || out.Kind == "hvp"
	switch {
	case r.Along != nil && !directional:
		b.fail("S011", spanOf(r.Along.Token), "`%s` takes no direction", out.Kind).
			Helpf("jvp, vjp and hvp do: jvp wrt %s along %s", out.Wrt[0].Name, r.Along.Token.Value)
	case r.Along != nil:
		out.Along = identOf(r.Along.Token)
		out.Span.End = out.Along.Span.End
	case directional:
		at := out.Span.End
		b.fail("S011", Span{at, at}, "`%s` needs a direction", out.Kind).
			Helpf("write %s wrt %s along v, with v declared", out.Kind, out.Wrt[0].Name)
	}
	if r.Via != nil {
		out.Via = identOf(r.Via.Token)
		out.Span.End = out.Via.Span.End
		if out.Kind != "gauss-newton" {
			b.fail("S011", out.Via.Span, "`%s` is not split at a let", out.Kind).
				Helpf("gauss-newton is: gauss-newton wrt %s through %s", out.Wrt[0].Name, out.Via.Name)
		}
	}
	return out
}

func (b *builder) atom(o *operand) (*Expr, Span) {
	switch {
	case o.Inner != nil:
		e, span := b.expr(o.Inner)
		return e, Span{o.Open[0].Pos.Offset, b.closeAfter(span.End).End}
	case o.Call != nil:
		e := b.call(o.Call)
		return e, e.Span
	case o.Delta != nil:
		e := b.delta(o.Delta)
		return e, e.Span
	case o.Einsum != nil:
		e := b.einsum(o.Einsum)
		return e, e.Span
	case o.Blocks != nil:
		e := b.blocks(o.Blocks)
		return e, e.Span
	case o.Scan != nil:
		e := b.scan(o.Scan)
		return e, e.Span
	case o.Num != nil:
		at := spanOf(o.Num[0])
		e := &Expr{Op: OpNum, Span: at, At: at, Num: number(o.Num[0].Value)}
		if o.Sizes != nil {
			e.Sizes = b.sizes(o.Sizes)
			e.Span.End = spanOf(o.Sizes.Close).End
		}
		return e, e.Span
	}
	at := spanOf(o.Name[0])
	return &Expr{Op: OpName, Span: at, At: at, Name: NameOf(o.Name[0].Value)}, at
}

// closeAfter is the place of the parenthesis that closes what ends at offset.
func (b *builder) closeAfter(offset int) Span {
	at := b.lex.SkipBlanks(offset)
	return Span{at, at + 1}
}

// sizes reads the sizes of a literal, of which there is at least one.
func (b *builder) sizes(s *bracket) []*Expr {
	out := b.list(s.List)
	if len(out) == 0 {
		b.fail("S003", spanOf(s.Close), "the sizes are missing between `[` and `]`")
	}
	b.checkOrder(len(out), spanOf(s.Open).To(spanOf(s.Close)), "the order of this literal")
	return out
}

// number reads an unsigned decimal number exactly; its length was checked by the
// lexer.
func number(text string) *big.Rat {
	if len(text) <= 15 && strings.Trim(text, "0123456789") == "" {
		var n int64
		for i := range len(text) {
			n = n*10 + int64(text[i]-'0')
		}
		return new(big.Rat).SetInt64(n)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("syntax: number token " + text)
	}
	return r
}

func (b *builder) delta(d *delta) *Expr {
	at := spanOf(d.Key)
	e := &Expr{Op: OpDelta, Span: at, At: at}
	if d.Sizes != nil {
		e.Sizes = b.sizes(d.Sizes)
		e.Order = len(e.Sizes)
		e.Span.End = spanOf(d.Sizes.Close).End
		b.checkOrder(2*e.Order, e.Span, "the order of this delta")
		return e
	}
	// delta(k) has order 2k.
	e.Order = b.order(d.Order.Token, 2, "the order of this delta")
	e.Span.End = b.closeAfter(spanOf(d.Order.Token).End).End
	return e
}

func (b *builder) einsum(x *einsum) *Expr {
	head := spanOf(x.Head)
	e := &Expr{Op: OpEinsum, At: Span{head.Start, head.Start + len("einsum")}, Spec: b.lex.specs[head.Start]}
	var last Span
	for _, f := range x.Args {
		var arg *Expr
		arg, last = b.expr(f)
		e.Args = append(e.Args, arg)
	}
	at := b.closeAfter(last.End)
	e.Span = Span{head.Start, at.End}
	if n, m := len(e.Args), len(e.Spec.In); n != m {
		if n > m {
			at = e.Args[m].Span
		}
		b.fail("S013", at, "einsum has %s for %s", words.Spelled(n, "operand"), words.Spelled(m, "index string"))
	}
	return e
}

func (b *builder) call(x *call) *Expr {
	at := spanOf(x.Name[0])
	first, last := b.expr(x.Arg)
	e := &Expr{Op: OpCall, At: at, Name: x.Name[0].Value, Args: []*Expr{first}}
	f, known := functions[e.Name]
	var given []string // options
	for _, o := range x.More {
		if o.Arg == nil {
			last = b.option(e, f, o, given)
			given = append(given, o.Name[0].Value)
			continue
		}
		var arg *Expr
		arg, last = b.expr(o.Arg)
		if given != nil {
			b.fail("S013", last, "arguments come before axis= and other options")
		}
		e.Args = append(e.Args, arg)
	}
	closing := b.closeAfter(last.End)
	e.Span = Span{at.Start, closing.End}
	n := len(e.Args)
	switch {
	case !known:
		// Elaboration knows whether the name is a variable's.
	case n < f.Min:
		b.fail("S013", closing, "%s takes %s, here is %d", e.Name, words.Spelled(f.Min, "argument"), n).Helpf("write %s", f.usage())
	case f.Max >= 0 && n > f.Max:
		fail := b.fail("S013", e.Args[f.Max].Span, "%s takes %s, here are %d", e.Name, words.Spelled(f.Max, "argument"), n)
		if g := e.Args[0]; e.Name == "dot" && n == 3 {
			fail.Helpf("write x'*A*y")
			return e
		} else if here := cmp.Or(Foreign(g.Name), functions[g.Name].usage()); f.Axis && g.Op == OpName && (Foreign(g.Name) != "" || functions[g.Name].Name != "") && g.Name != "x" {
			fail.Helpf("functions stand inside: %s(%s)", e.Name, here)
			return e
		}
		if f.Axis && e.Args[f.Max].Op == OpNum {
			fail.Helpf("an axis is written %[1]s(..., axis=0), or %[1]s(..., axis=1), counted from 0", e.Name)
		} else {
			fail.Helpf("write %s", f.usage())
		}
	case e.Axis != nil && n > f.Min && f.Max >= 0:
		b.fail("S013", e.Axis.Span, "%s takes an axis with one argument only", e.Name).Helpf("write %s", f.usage())
	}
	return e
}

// option reads axis=NUMBER, ddof=NUMBER and keepdims=True.
// It stays one list of cases, the first of which holds.
func (b *builder) option(e *Expr, f Function, o *option, given []string) Span {
	span := spanOf(o.Name[0])
	value, number := span, -1
	if o.Value != nil {
		value = spanOf(o.Value.Token)
		number = b.order(o.Value.Token, 1, "an option")
	} else {
		value = spanOf(o.Word.Token)
	}
	if o.Minus {
		number = -number
	}
	name := o.Name[0].Value
	known := f.Name == "" && name == "axis" || slices.Contains(f.Options(), name)
	switch {
	case !known && name == "axis":
		b.fail("S013", span, "%s does not work along an axis", e.Name).Helpf("%s",
			cmp.Or(map[string]string{"norm1": "write sum(abs(x), axis=0)", "norm2": "write sqrt(sum(x^2, axis=0))"}[e.Name], "sum, mean, max, min, logsumexp, softmax, concat and stack do"))
	case !known:
		err := b.fail("S013", span, "%s takes no option `%s`", e.Name, name)
		if f.Name == "" {
			err.Helpf("%s", cmp.Or(Absent(e.Name), Foreign(e.Name), "there is no such function"))
		} else if f.Options() == nil {
			err.Helpf("write %s", f.usage())
		} else if strings.HasPrefix(name, "dim") && f.Axis {
			err.Helpf("an axis is written %s(..., axis=0), or %s(..., axis=1), counted from 0", e.Name, e.Name)
		} else {
			err.Helpf("its options are %s", strings.Join(f.Options(), ", "))
		}
	case slices.Contains(given, name):
		b.fail("S013", span, "%s is given twice", name).Helpf("along several axes it is applied twice: %[1]s(%[1]s(A, axis=1), axis=0)", e.Name)
	case name == "keepdims":
		if e.Keep = number == 1 || o.Word != nil && strings.EqualFold(o.Word.Token.Value, "true"); !e.Keep && number != 0 && (o.Word == nil || !strings.EqualFold(o.Word.Token.Value, "false")) {
			b.fail("S013", value, "keepdims is True or False").Helpf("write %s(x, axis=0, keepdims=True)", e.Name)
		}
	case o.Value == nil:
		b.fail("S013", value, "%s= is followed by a number", name).Helpf("write %s(x, %s=1)", e.Name, name)
	case name == "ddof":
		if e.Ddof = number; number < 0 {
			b.fail("S013", value, "ddof is 0 or more").Helpf("write %s(x, ddof=1)", e.Name)
		}
	default:
		e.Axis = &Axis{Value: number, Span: span.To(value)}
	}
	return value
}
