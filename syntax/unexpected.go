package syntax

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/alecthomas/participle/v2/lexer"

	"frechet/combinators/atom"
	"frechet/internal/words"
)

// place is what the lexer knows about a token that the grammar did not expect.
type place struct {
	found lexer.Token
	prev  lexer.Token   // the token before it; its Type is 0 at the start
	prior lexer.Token   // the token before that
	stmt  lexer.Token   // the keyword of the statement that it stands in
	last  lexer.Token   // the keyword of the statement before
	open  []lexer.Token // brackets that are open before it

	reserved lexer.Token // the first reserved word that stands where a new name should
}

// locate reads the text again, up to the token at offset.
func (b *builder) locate(offset int) place {
	l := b.lexed(b.src, b.limits)
	var p place
	for {
		t, _ := l.Next()
		if t.Pos.Offset >= offset || t.EOF() {
			p.found = t
			return p
		}
		if p.reserved.Value == "" && Reserved(t.Value) && len(p.open) == 0 && p.introduces() && !startsStatement(t.Type) {
			p.reserved = t
		}
		switch {
		case startsStatement(t.Type):
			p.last, p.stmt, p.open = p.stmt, t, p.open[:0]
		case t.Type == tokOpen || t.Type == tokOpenSize || t.Type == tokEinsum:
			p.open = append(p.open, t)
		case t.Type == tokClose || t.Type == tokCloseSize:
			if len(p.open) > 0 {
				p.open = p.open[:len(p.open)-1]
			}
		}
		p.prior, p.prev = p.prev, t
	}
}

// introduces reports whether a new name should follow p.prev.
func (p place) introduces() bool {
	switch p.prev.Type {
	case tokDeclare, tokLet, tokExpressionAs:
		return true
	case tokNum, tokCloseSize:
		return p.stmt.Type == tokDeclare
	}
	return false
}

// describe names a token as its reader sees it.
func describe(t lexer.Token) string {
	if t.EOF() {
		return "the end of the program"
	}
	return "`" + shorten(t.Value) + "`"
}

// A failure makes the error at a token.
type failure func(code Code, format string, args ...any) *Error

// unexpected explains the token at offset, where the grammar stopped.
func (b *builder) unexpected(offset int) *Error {
	p := b.locate(offset)
	fail := func(code Code, format string, args ...any) *Error {
		return newError(b.src, code, spanOf(p.found), format, args...)
	}
	if t := p.reserved; t.Value != "" {
		b.newName(t)
		return b.err
	}
	for _, explained := range []func(place, failure) *Error{b.afterKeyword, b.afterWord, b.besideOperand, b.unclosed, b.unexpectedEquals} {
		if e := explained(p, fail); e != nil {
			return e
		}
	}
	if startsOperand(p.found.Type) && endsOperand(p.prev.Type) {
		return b.missingOperator(p, fail)
	}
	return b.unexpectedMark(p, fail)
}

// afterKeyword explains a token behind the keyword of its statement, or among what a statement takes.
func (b *builder) afterKeyword(p place, fail failure) *Error {
	found, prev := p.found.Type, p.prev.Type
	switch {
	case (prev == tokLet || prev == tokExpressionAs) && startsStatement(found), found == tokStray && prev == tokLet:
		return fail("S010", "`%s` is a keyword and cannot name a tensor", p.found.Value)
	case prev == tokRequest && found != tokWrt:
		if p.prev.Value == "derivative" && p.last.Type == tokDeclare && (found == tokNum || found == tokOpenSize) {
			return newError(b.src, "S010", spanOf(p.prev), "`derivative` is a keyword and cannot name a tensor").Helpf("choose another name, such as derivative1")
		}
		return fail("S009", "`wrt` is missing after `%s`", p.prev.Value).Helpf("write %s wrt x", p.prev.Value)
	case p.stmt.Type == tokRequest:
		return b.unexpectedInRequest(p, fail)
	case p.stmt.Type == tokDeclare && len(p.open) == 0:
		return b.unexpectedInDeclare(p, fail)
	case prev == 0:
		return b.unexpectedStart(p, fail)
	case prev == tokLet:
		return fail("S002", "a name is missing after `let`").Helpf("write let NAME = EXPR")
	case p.stmt.Type == tokLet && prev == tokName && p.open == nil && b.isLetName(p):
		return fail("S002", "`=` is missing after `let %s`", p.prev.Value)
	}
	return nil
}

// unexpectedStart explains a token that begins no program.
func (b *builder) unexpectedStart(p place, fail failure) *Error {
	if e := b.brokenDefinition(spanOf(p.found).Start, spanOf(p.found).End); e != nil && p.found.Type == tokName {
		return e
	}
	e := fail("S002", "a program begins with a statement, not with %s", describe(p.found))
	if hint := map[string]string{"<": "an inner product is written x'*y", "+": "leave out the sign +"}[p.found.Value]; hint != "" {
		return e.Helpf("%s", hint)
	}
	if k := nearestKeyword(p.found.Value); k != "" {
		return e.Helpf("did you mean %s?", k)
	}
	return e.Helpf("declare x 1 expression sin(x) derivative wrt x")
}

// afterWord explains a token behind a function or an index group, which need what follows them.
func (b *builder) afterWord(p place, fail failure) *Error {
	switch prev := p.prev.Type; {
	case prev == tokCall && p.found.Type != tokOpen:
		e := fail("S006", "the function %s needs its argument in parentheses", p.prev.Value)
		if p.found.Value == "^" {
			return e.Helpf("a power of its value is written behind them: %s(x)^2", p.prev.Value)
		}
		return e.Helpf("write %s(x)", p.prev.Value)
	case prev == tokDelta:
		return fail("S006", "delta needs its order or its sizes").Helpf("write delta(1) or delta[n]")
	case prev == tokAfter && p.prev.Value[0] == '*' && startsOperand(p.found.Type):
		return fail("S004", "an operator is missing: an index group without a comma has its operand on the left only").
			Helpf("for a product of two, give the index strings of both: *(ij,j->i)")
	}
	return nil
}

// besideOperand explains a token where an operand is missing.
func (b *builder) besideOperand(p place, fail failure) *Error {
	if !p.needsOperand() {
		return nil
	}
	return b.missingOperand(p, fail)
}

// ends reports whether the expression ends at the token.
func (p place) ends() bool { return p.found.EOF() || startsStatement(p.found.Type) }

// unclosed explains a bracket that has no partner.
func (b *builder) unclosed(p place, fail failure) *Error {
	found := p.found.Type
	closes := found == tokClose || found == tokCloseSize
	switch {
	case closes && len(p.open) == 0:
		return fail("S004", "this `%s` closes nothing", p.found.Value)
	case len(p.open) == 0 || !closes && !p.ends() && found != tokStray && found != tokSemicolon:
		return nil
	}
	open := p.open[len(p.open)-1]
	return fail("S004", "`%s` is missing before %s", closing(open), describe(p.found)).Note(spanOf(open), "opened here")
}

// unexpectedEquals explains an equals sign or an arrow in an expression.
func (b *builder) unexpectedEquals(p place, fail failure) *Error {
	if p.found.Type == tokStray && p.found.Value == "->" {
		return fail("S002", "an arrow stands only in an index group").Helpf("an index group is written *(ij,j->i), a function let f(x) = x^2")
	}
	if p.found.Type != tokEquals {
		return nil
	}
	e := fail("S002", "`=` stands only after the name in `let`, `expression` and `axis=`")
	switch p.prev.Type {
	case tokClose:
		return e.Helpf("a function is defined by let f(x) = x^2; equality is compared by ==")
	case tokCloseSize:
		return e.Helpf("%s", cmp.Or(Absent(wordAfter(b.src, b.lex.SkipBlanks(spanOf(p.found).End))), "one value has a name: let r = A*x; an entry is given by a definition, f[i] = x[i]"))
	}
	return e.Helpf("equality is compared by ==")
}

// unexpectedMark explains a comma, a colon, a semicolon or any other token.
func (b *builder) unexpectedMark(p place, fail failure) *Error {
	e := fail("S002", "unexpected %s", describe(p.found))
	switch p.found.Value {
	case ";":
		if b.lex.SkipBlanks(spanOf(p.found).End) == len(b.src) {
			return e.Helpf("leave it out: nothing stands behind an expression")
		}
		return e.Helpf("nothing stands between statements: let r = A*x expression r'*r")
	case ",":
		if name := b.around(p, 2); strings.EqualFold(name, "sum") || strings.EqualFold(name, "product") {
			return e.Helpf("%s", juxtaposed("sum_", "", false))
		}
		return e.Helpf("a number is written 0.5 and 1000; entries of a vector stand in brackets, [1; 2], and arguments in the parentheses of a function")
	case ":":
		return e.Helpf("%s", cmp.Or(b.entriesAround(p), "slices stand in brackets and count from 0: x[1:]"))
	}
	return e
}

// declaredKeyword refuses `declare expression 1 expression ...` and `declare expression[n]
// ...`, where a tensor is meant to be called so: read as an empty declaration before an
// expression, the first error would stand elsewhere, if anywhere.
func (b *builder) declaredKeyword() error {
	l := b.lex
	word := func(i int) (string, Span) {
		at := l.SkipBlanks(i)
		end := l.wordEnd(at)
		return l.Src[at:end], Span{at, end}
	}
	declare, at := word(0)
	name, span := word(at.End)
	if declare != "declare" || name != "expression" {
		return nil
	}
	order := l.SkipBlanks(span.End)
	end := order
	for IsDigit(l.At(end)) {
		end++
	}
	if next, _ := word(end); l.At(order) != '[' && (end == order || next != "expression" && next != "declare") {
		return nil
	}
	return newError(b.src, "S010", span, "`%s` is a keyword and cannot name a tensor", name).
		Helpf("choose another name, such as %s1", name)
}

// isLetName reports whether p.prev is the name that its let introduces.
func (b *builder) isLetName(p place) bool {
	after := b.lex.SkipBlanks(spanOf(p.stmt).End)
	return after == p.prev.Pos.Offset
}

func closing(open lexer.Token) string {
	if open.Type == tokOpenSize {
		return "]"
	}
	return ")"
}

// needsOperand reports whether an operand has to follow p.prev.
func (p place) needsOperand() bool {
	switch p.prev.Type {
	case tokOp, tokSigns, tokOpen, tokOpenSize, tokComma, tokSemicolon, tokEquals, tokEinsum, tokExpression, tokExpressionAs:
		return true
	}
	return false
}

// operandHints are the hints for what stands on both sides of a missing operand.
var operandHints = map[[2]string]string{
	{",", "'"}: "there is no quoted text: norm(A, 'fro') is norm2(A), and sum(x, 'all') is sum(x)",
	{"/", "/"}: "a quotient without its remainder is written floor(x/y)",
	{"[", "]"}: "along an axis it is written max(A, axis=0)",
	{"^", "*"}: "a transpose is written A'",
	{"*", "*"}: "a power is written x^2, an inverse inv(A)",
	{"+", "="}: "nothing is assigned here; a name for a value is let y = x + 1",
}

func (b *builder) operandHint(p place) string {
	switch pair := [2]string{p.prev.Value, p.found.Value}; {
	case pair == [2]string{"(", "'"}:
		return cmp.Or(Absent(p.prior.Value), Foreign(p.prior.Value), "there is no quoted text")
	case pair == [2]string{"[", "]"} && b.around(p, 2) == "reshape":
		return "sizes are written, as in reshape(A, m, n); the columns below one another are vec(A)"
	case pair == [2]string{"*", "*"} && wordAfter(b.src, spanOf(p.found).End) == "T":
		return "a transpose is written A'"
	default:
		return operandHints[pair]
	}
}

// missingOperand is one list of cases, the first of which holds.
func (b *builder) missingOperand(p place, fail failure) *Error {
	prev, found := p.prev.Value, p.found.Value
	function, called := functions[p.prior.Value]
	switch {
	case found == "<":
		return fail("S003", "an operand is missing before `<`").Helpf("an inner product is written x'*y")
	case p.prev.Type == tokExpression && p.ends():
		return fail("S008", "the expression is empty")
	case p.prev.Type == tokExpression:
		return fail("S003", "an operand is missing before %s", describe(p.found))
	case p.prev.Type == tokOpen && p.found.Type == tokClose:
		e := fail("S006", "nothing stands between the parentheses")
		if called {
			e.Helpf("write %s", function.usage())
		}
		return e
	case p.prev.Type == tokOpen && function.Name != "" && p.found.Type == tokOption:
		return fail("S003", "an argument is missing before %s", describe(p.found)).Helpf("write %s", function.usage())
	case p.prev.Type == tokOpen && found != "" && unicode.IsLetter([]rune(found)[0]): // any other parenthesis may hold a name
		return fail("S003", "delta takes the number of axes, not %s", describe(p.found)).Helpf("the identity of size n is written eye(n) or delta[n]")
	case found == ":":
		return fail("S003", "an operand is missing before `:`").Helpf("%s",
			cmp.Or(b.entriesAround(p), "slices stand in brackets and count from 0: A[0, :]; the columns of A below one another are vec(A)"))
	case prev == "," && found == "]" || prev == "[" && found == ",":
		return fail("S003", "a subscript is missing beside `,`").Helpf("an axis that is taken whole is written `:`: A[0, :] is a row, A[:, 0] a column, counted from 0")
	case p.found.Type == tokClose || p.found.Type == tokCloseSize || p.ends():
		return fail("S003", "an operand is missing after `%s`", shorten(prev)).Helpf("%s", b.operandHint(p))
	}
	return fail("S003", "an operand is missing between `%s` and %s", shorten(prev), describe(p.found)).Helpf("%s", b.operandHint(p))
}

// missingOperator has a hint for each habit, the first that fits: a list, which stays one switch.
func (b *builder) missingOperator(p place, fail failure) *Error {
	e := fail("S004", "an operator is missing between `%s` and %s", shorten(p.prev.Value), describe(p.found))
	switch left, right := shorten(p.prev.Value), shorten(p.found.Value); {
	case strings.Contains(b.src, "function("):
		e.Helpf("a function is defined by let f(x) = x^2")
	case p.prior.Value == "/" && len(left) > 1 && left[0] == 'd':
		e.Helpf("a derivative is asked for behind the expression: derivative wrt %s", left[1:])
	case right == "let":
		e.Helpf("a definition is written let NAME = EXPR")
	case nearestKeyword(right) != "" && !isRequestWord(right):
		e.Helpf("did you mean %s?", nearestKeyword(right))
	case nearestKeyword(left) != "" && !isRequestWord(left):
		e.Helpf("did you mean %s?", nearestKeyword(left))
	case isRequestWord(right):
		e.Helpf("a request is written %s wrt x", right)
	case p.prior.Value == "^" && len(left) == 1 && unicode.IsLetter(rune(left[0])):
		e.Helpf("a transpose is written A'; products are written out: x'*A")
	case p.prev.Type == tokAfter && right == "(":
		e.Helpf("products are written out: %s'*(...)", map[bool]string{true: p.prior.Value, false: "(...)"}[p.prior.Type == tokName])
	case left == ")" && right == "(":
		e.Helpf("products are written out: (...)*(...)")
	case right != "for" && len(p.open) > 0 && p.open[len(p.open)-1].Type == tokOpenSize && (p.prev.Type == tokNum || p.prev.Type == tokName) && !isRequestWord(left):
		e.Helpf("entries are separated by commas: [%s, %s]", left, right)
	case p.prev.Type == tokNum && right == "(":
		e.Helpf("products are written out: %s*(...)", left)
	case p.found.Type == tokNum || p.found.Type == tokName || p.found.Type == tokCall:
		if p.prev.Type == tokAfter {
			left = map[bool]string{true: p.prior.Value, false: "..."}[p.prior.Type == tokName] + left
		}
		e.Help = juxtaposed(left, right, p.prev.Type == tokNum || p.prev.Type == tokAfter)
	}
	return e
}

// around is the name before the k-th open parenthesis around a token.
func (b *builder) around(p place, k int) string {
	if len(p.open) < k {
		return ""
	}
	return wordBefore(b.src, p.open[len(p.open)-k].Pos.Offset)
}

// entriesAround is the hint where the token stands in the parentheses of a name that is no function: x(2:end).
func (b *builder) entriesAround(p place) string {
	if len(p.open) == 0 {
		return ""
	}
	at := p.open[len(p.open)-1].Pos.Offset
	name, args := wordBefore(b.src, at), enclosed(b.src, at)
	if name == "" || args == "" || functions[name].Name != "" {
		return ""
	}
	return Entries(name, args)
}

// nearestKeyword is the keyword that a name is a misspelling of.
func nearestKeyword(name string) string {
	if len(name) < 6 {
		return ""
	}
	return words.Nearest(name, []string{"declare", "expression", "derivative", "gradient", "hessian"})
}

// unexpectedInDeclare explains a token among declarations.
func (b *builder) unexpectedInDeclare(p place, fail failure) *Error {
	switch p.prev.Type {
	case tokName, tokCall, tokDelta, tokWrt:
		e := fail("S007", "the order of %s is missing", p.prev.Value)
		if near := atom.NearestAttribute(p.prev.Value); near != "" {
			return e.Helpf("an attribute stands behind sizes in brackets: S[n,n] %s", near)
		}
		if p.found.Value == "-" {
			e = fail("S007", "the order of %s must be a whole number, at least 0", p.prev.Value)
		} else if k := nearestKeyword(p.prev.Value); k != "" {
			return e.Helpf("did you mean %s?", k)
		}
		return e.Helpf("write %[1]s 0 for a number, %[1]s 2 for a matrix, or its sizes: %[1]s[m,n]", p.prev.Value)
	}
	if p.found.EOF() {
		return fail("S008", "the program ends before an expression").
			Helpf("write the function after its declarations: expression EXPR")
	}
	e := fail("S002", "a name to declare or `expression` should stand here, not %s", describe(p.found))
	if p.found.Type == tokComma {
		e.Helpf("declarations are separated by blanks: declare x 1 y 2")
	}
	return e
}

// unexpectedInRequest explains a token in or after derivative wrt NAME.
func (b *builder) unexpectedInRequest(p place, fail failure) *Error {
	switch {
	case p.prev.Type == tokWrt || p.prev.Type == tokComma || p.prev.Value == "along":
		if p.prev.Value == "along" {
			return fail("S009", "the direction's name is missing after `along`")
		}
		e := fail("S009", "the name of a variable is missing after `%s`", p.prev.Value)
		if Reserved(p.found.Value) {
			e.Message += fmt.Sprintf(": `%s` is %s", p.found.Value, whatIsReserved(p.found.Value))
		}
		return e
	case p.prev.Value == "order":
		return fail("S011", "a whole number is missing after `order`")
	}
	e := fail("S011", "%s stands after the end of the request", describe(p.found))
	if p.found.Type == tokName {
		e.Helpf("several variables are separated by commas: wrt %s, %s", p.prev.Value, p.found.Value)
	}
	return e
}
