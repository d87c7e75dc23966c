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
	found, prev := p.found.Type, p.prev.Type
	ends := p.found.EOF() || startsStatement(found)
	switch {
	case (prev == tokLet || prev == tokExpressionAs) && startsStatement(found),
		p.found.Type == tokStray && prev == tokLet:
		return fail("S010", "`%s` is a keyword and cannot name a tensor", p.found.Value)
	case prev == tokRequest && found != tokWrt:
		if p.prev.Value == "derivative" && p.last.Type == tokDeclare && (found == tokNum || found == tokOpenSize) {
			p.found = p.prev
			return fail("S010", "`derivative` is a keyword and cannot name a tensor").Helpf("choose another name, such as derivative1")
		}
		return fail("S009", "`wrt` is missing after `%s`", p.prev.Value).Helpf("write %s wrt x", p.prev.Value)
	case p.stmt.Type == tokRequest:
		return b.unexpectedInRequest(p, fail)
	case p.stmt.Type == tokDeclare && len(p.open) == 0:
		return b.unexpectedInDeclare(p, fail)
	case prev == 0:
		if e := b.brokenDefinition(spanOf(p.found).Start, spanOf(p.found).End); e != nil && found == tokName {
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
	case prev == tokLet:
		return fail("S002", "a name is missing after `let`").Helpf("write let NAME = EXPR")
	case p.stmt.Type == tokLet && prev == tokName && p.open == nil && b.isLetName(p):
		return fail("S002", "`=` is missing after `let %s`", p.prev.Value)
	case prev == tokCall && p.found.Value == "^":
		return fail("S006", "the function %s needs its argument in parentheses", p.prev.Value).
			Helpf("a power of its value is written behind them: %s(x)^2", p.prev.Value)
	case prev == tokCall && found != tokOpen:
		return fail("S006", "the function %s needs its argument in parentheses", p.prev.Value).
			Helpf("write %s(x)", p.prev.Value)
	case prev == tokDelta:
		return fail("S006", "delta needs its order or its sizes").Helpf("write delta(1) or delta[n]")
	case prev == tokAfter && p.prev.Value[0] == '*' && startsOperand(found):
		return fail("S004", "an operator is missing: an index group without a comma has its operand on the left only").
			Helpf("for a product of two, give the index strings of both: *(ij,j->i)")
	case p.needsOperand():
		return b.missingOperand(p, ends, fail)
	case found == tokClose || found == tokCloseSize:
		return b.unexpectedClose(p, fail)
	case ends && len(p.open) > 0 || (found == tokStray || found == tokSemicolon) && len(p.open) > 0:
		open := p.open[len(p.open)-1]
		return fail("S004", "`%s` is missing before %s", closing(open), describe(p.found)).
			Note(spanOf(open), "opened here")
	case found == tokStray && p.found.Value == "->":
		return fail("S002", "an arrow stands only in an index group").Helpf("an index group is written *(ij,j->i), a function let f(x) = x^2")
	case found == tokEquals && prev == tokClose:
		return fail("S002", "`=` stands only after the name in `let`, `expression` and `axis=`").
			Helpf("a function is defined by let f(x) = x^2; equality is compared by ==")
	case found == tokEquals && prev == tokCloseSize:
		return fail("S002", "`=` stands only after the name in `let`, `expression` and `axis=`").
			Helpf("%s", cmp.Or(Absent(wordAfter(b.src, b.lex.SkipBlanks(spanOf(p.found).End))), "one value has a name: let r = A*x; an entry is given by a definition, f[i] = x[i]"))
	case found == tokEquals:
		return fail("S002", "`=` stands only after the name in `let`, `expression` and `axis=`").
			Helpf("equality is compared by ==")
	case startsOperand(found) && endsOperand(prev):
		return b.missingOperator(p, fail)
	}
	err := fail("S002", "unexpected %s", describe(p.found))
	if rest := b.lex.SkipBlanks(spanOf(p.found).End); p.found.Value == ";" && rest == len(b.src) {
		err.Helpf("leave it out: nothing stands behind an expression")
	} else if p.found.Value == ";" {
		err.Helpf("nothing stands between statements: let r = A*x expression r'*r")
	}
	if name := b.around(p, 2); p.found.Value == "," && (strings.EqualFold(name, "sum") || strings.EqualFold(name, "product")) {
		return err.Helpf("%s", juxtaposed("sum_", "", false))
	}
	if p.found.Value == "," {
		err.Helpf("a number is written 0.5 and 1000; entries of a vector stand in brackets, [1; 2], and arguments in the parentheses of a function")
	}
	if p.found.Value == ":" {
		err.Helpf("%s", cmp.Or(b.entriesAround(p), "slices stand in brackets and count from 0: x[1:]"))
	}
	return err
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

func (b *builder) missingOperand(p place, ends bool, fail func(Code, string, ...any) *Error) *Error {
	switch {
	case p.found.Value == "<":
		return fail("S003", "an operand is missing before `<`").Helpf("an inner product is written x'*y")
	case p.prev.Type == tokExpression:
		if ends {
			return fail("S008", "the expression is empty")
		}
		return fail("S003", "an operand is missing before %s", describe(p.found))
	case p.prev.Type == tokOpen && p.found.Type == tokClose:
		e := fail("S006", "nothing stands between the parentheses")
		if f, ok := functions[p.prior.Value]; ok {
			e.Helpf("write %s", f.usage())
		}
		return e
	case p.prev.Type == tokOpen && functions[p.prior.Value].Name != "" && p.found.Type == tokOption:
		return fail("S003", "an argument is missing before %s", describe(p.found)).Helpf("write %s", functions[p.prior.Value].usage())
	case p.prev.Type == tokOpen && p.found.Value != "" && unicode.IsLetter([]rune(p.found.Value)[0]): // any other parenthesis may hold a name
		return fail("S003", "delta takes the number of axes, not %s", describe(p.found)).Helpf("the identity of size n is written eye(n) or delta[n]")
	case p.found.Value == "'" && p.prev.Value == "(":
		e := fail("S003", "an operand is missing between `(` and `'`")
		if here := cmp.Or(Absent(p.prior.Value), Foreign(p.prior.Value)); here != "" {
			return e.Helpf("%s", here)
		}
		return e.Helpf("there is no quoted text")
	case p.found.Value == "'" && p.prev.Value == ",":
		return fail("S003", "an operand is missing between `,` and `'`").Helpf("there is no quoted text: norm(A, 'fro') is norm2(A), and sum(x, 'all') is sum(x)")
	case p.prev.Value == "/" && p.found.Value == "/":
		return fail("S003", "an operand is missing between `/` and `/`").Helpf("a quotient without its remainder is written floor(x/y)")
	case p.prev.Value == "[" && p.found.Value == "]" && b.around(p, 2) == "reshape":
		return fail("S003", "an operand is missing after `[`").Helpf("sizes are written, as in reshape(A, m, n); the columns below one another are vec(A)")
	case p.prev.Value == "[" && p.found.Value == "]":
		return fail("S003", "an operand is missing after `[`").Helpf("along an axis it is written max(A, axis=0)")
	case p.prev.Value == "^" && p.found.Value == "*":
		return fail("S003", "an operand is missing between `^` and `*`").Helpf("a transpose is written A'")
	case p.prev.Value == "*" && p.found.Value == "*" && wordAfter(b.src, spanOf(p.found).End) == "T":
		return fail("S003", "an operand is missing between `*` and `*`").Helpf("a transpose is written A'")
	case p.prev.Value == "*" && p.found.Value == "*":
		return fail("S003", "an operand is missing between `*` and `*`").Helpf("a power is written x^2, an inverse inv(A)")
	case p.found.Value == ":":
		return fail("S003", "an operand is missing before `:`").Helpf("%s",
			cmp.Or(b.entriesAround(p), "slices stand in brackets and count from 0: A[0, :]; the columns of A below one another are vec(A)"))
	case p.prev.Value == "," && p.found.Value == "]" || p.prev.Value == "[" && p.found.Value == ",":
		return fail("S003", "a subscript is missing beside `,`").Helpf("an axis that is taken whole is written `:`: A[0, :] is a row, A[:, 0] a column, counted from 0")
	case p.prev.Value == "+" && p.found.Value == "=":
		return fail("S003", "an operand is missing between `+` and `=`").Helpf("nothing is assigned here; a name for a value is let y = x + 1")
	case p.found.Type == tokClose || p.found.Type == tokCloseSize || ends:
		return fail("S003", "an operand is missing after `%s`", shorten(p.prev.Value))
	}
	return fail("S003", "an operand is missing between `%s` and %s", shorten(p.prev.Value), describe(p.found))
}

func (b *builder) unexpectedClose(p place, fail func(Code, string, ...any) *Error) *Error {
	if len(p.open) == 0 {
		return fail("S004", "this `%s` closes nothing", p.found.Value)
	}
	open := p.open[len(p.open)-1]
	return fail("S004", "`%s` is missing before `%s`", closing(open), p.found.Value).Note(spanOf(open), "opened here")
}

func (b *builder) missingOperator(p place, fail func(Code, string, ...any) *Error) *Error {
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
func (b *builder) unexpectedInDeclare(p place, fail func(Code, string, ...any) *Error) *Error {
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
func (b *builder) unexpectedInRequest(p place, fail func(Code, string, ...any) *Error) *Error {
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
