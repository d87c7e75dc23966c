package syntax

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"frechet/combinators/atom"
)

// Lexer splits a program into tokens, one a call of Next. What it cannot read
// becomes a token of its own, the last before the end, so that an earlier error
// of the grammar is still the one reported; the error itself is then in err.
//
// Positions carry byte offsets only: lines and columns are counted when an error
// needs them.
type Lexer struct {
	src    string
	limits Limits
	pos    int
	err    *Error
	prev   lexer.TokenType // kind of the last token
	tokens int
	since  int           // tokens since the statement began
	groups bitmap        // offsets of the "(" that open index groups
	specs  map[int]*Spec // by the offset of the token
	defs   map[int]head  // of definitions in index notation, by the offset of the token
	nest   nesting
	// a tensor is being declared: what follows its sizes may be an attribute
	declaring bool
	bare      bool // NAME = EXPR without a keyword is a definition
	// nothing was read yet of a program that neither declares nor has an expression: it may be a formula
	formula bool
}

// definition is participle's view of the lexer.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType { return symbols }

func (definition) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return newLexer(string(src), Limits{}), nil
}

func newLexer(src string, limits Limits) *Lexer {
	limits = limits.WithDefaults()
	return &Lexer{
		src:    src,
		limits: limits,
		groups: findGroups(src, limits.Nesting),
		specs:  map[int]*Spec{},
		defs:   map[int]head{},
		nest:   nesting{chain: []int{0}},
		bare:   !hasWord(src, "expression"),
	}
}

// newProgramLexer reads a program, which may be a formula alone.
func newProgramLexer(src string, limits Limits) *Lexer {
	l := newLexer(src, limits)
	l.formula = l.bare && !hasWord(src, "declare")
	return l
}

// Next returns the next token; it never fails (see Lexer).
func (l *Lexer) Next() (lexer.Token, error) {
	if l.err != nil {
		return l.token(lexer.EOF, len(l.src), len(l.src)), nil
	}
	start := l.skipBlanks(l.pos)
	if start >= len(l.src) {
		l.pos = start
		end := len(strings.TrimRight(l.src, "\r\n"))
		return l.token(lexer.EOF, end, end), nil
	}
	l.tokens++
	l.since++
	kind, end := l.scan(start)
	if l.formula && startsOperand(kind) && l.err == nil && (kind != tokName || !l.indexed(end)) {
		kind, end = tokExpression, start // the keyword is understood
		l.bare = false
	}
	l.formula = false
	if startsStatement(kind) {
		l.since, l.declaring = 0, kind == tokDeclare
	}
	if l.err == nil {
		switch depth := l.nest.see(kind, l.src[start:end]); {
		case depth > l.limits.Nesting:
			l.err = l.errorAt("L002", Span{start, end}, "the expression is nested more than %d levels deep", l.limits.Nesting)
			l.err.Help = "name inner parts with let, or raise the nesting limit"
		case l.tokens > l.limits.Tokens:
			l.err = l.errorAt("L005", Span{start, end}, "the program has more than %d tokens", l.limits.Tokens)
			l.err.Help = "split the program, or raise the token limit"
		case l.since > participle.MaxIterations:
			// The parser reads no longer list; here the error comes before it has begun.
			l.err = l.errorAt("L005", Span{start, end}, "the statement has more than %d tokens", participle.MaxIterations)
			l.err.Help = "split it by let"
		}
	}
	if l.err != nil {
		kind, start, end = tokBad, l.err.Span.Start, max(l.err.Span.End, l.err.Span.Start)
	}
	l.pos = end
	l.prev = kind
	return l.token(kind, start, end), nil
}

// indexed reports whether brackets with something other than a slice follow at i, as in f[i] = x[i], and not in x[0] or x[:-1].
func (l *Lexer) indexed(i int) bool {
	open := l.skipBlanks(i)
	if l.at(open) != '[' {
		return false
	}
	c := l.at(l.skipBlanks(open + 1))
	return !isDigit(c) && c != '-' && c != ':'
}

func (l *Lexer) token(kind lexer.TokenType, start, end int) lexer.Token {
	return lexer.Token{Type: kind, Value: l.src[start:end], Pos: lexer.Position{Offset: start}}
}

func (l *Lexer) errorAt(code Code, span Span, format string, args ...any) *Error {
	return newError(l.src, code, span, format, args...)
}

// skipBlanks returns the offset of the first character at or after i that is
// neither blank nor in a comment.
func (l *Lexer) skipBlanks(i int) int {
	if i == 0 && strings.HasPrefix(l.src, "\ufeff") {
		i = len("\ufeff")
	}
	for i < len(l.src) {
		switch l.src[i] {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			i++
		case '#':
			for i < len(l.src) && l.src[i] != '\n' {
				i++
			}
		default:
			return i
		}
	}
	return i
}

func (l *Lexer) at(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// scan reads the token that starts at i; it returns its kind and end.
func (l *Lexer) scan(i int) (lexer.TokenType, int) {
	c, next := l.src[i], l.at(i+1)
	switch {
	case isLetter(c):
		return l.word(i)
	case isDigit(c) || c == '.' && isDigit(next):
		return l.number(i)
	case strings.HasPrefix(l.src[i:], symbolPi):
		return tokName, i + len(symbolPi)
	}
	switch c {
	case '+', '/', '^':
		return tokOp, i + 1
	case '*':
		if open := l.skipBlanks(i + 1); l.at(open) == '(' && l.groups.has(open) {
			return l.group(i, open)
		}
		return tokOp, i + 1
	case '.':
		if next == '*' || next == '/' || next == '^' {
			return tokOp, i + 2
		}
	case '<', '>':
		if next == '=' {
			return tokOp, i + 2
		}
		return tokOp, i + 1
	case '=', '!':
		if next == '=' {
			return tokOp, i + 2
		}
		if c == '=' {
			return tokEquals, i + 1
		}
	case '-':
		if next == '>' {
			return tokStray, i + 2
		}
		if endsOperand(l.prev) {
			return tokOp, i + 1
		}
		return tokSigns, l.signs(i)
	case '\'':
		return tokAfter, i + 1
	case '(':
		return tokOpen, i + 1
	case ')':
		return tokClose, i + 1
	case '[':
		return tokOpenSize, i + 1
	case ']':
		return tokCloseSize, i + 1
	case ',':
		return tokComma, i + 1
	case ':':
		return tokColon, i + 1
	case ';':
		return tokSemicolon, i + 1
	}
	return l.unknown(i)
}

// signs returns the end of the minus signs that start at i, blanks between them.
func (l *Lexer) signs(i int) int {
	end := i
	for ; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == '-' && l.at(i+1) != '>':
			end = i + 1
		case c != ' ' && c != '\n' && c != '\t' && c != '\r':
			return end
		}
	}
	return end
}

// unknown reports a character that starts no token.
func (l *Lexer) unknown(i int) (lexer.TokenType, int) {
	r, size := utf8.DecodeRuneInString(l.src[i:])
	shown := fmt.Sprintf("`%c`", r)
	if r == utf8.RuneError && size <= 1 {
		shown = fmt.Sprintf("byte 0x%02x, which is not UTF-8", l.src[i])
	} else if !unicode.IsPrint(r) {
		shown = fmt.Sprintf("%U", r)
	}
	l.err = l.errorAt("S001", Span{i, i + size}, "unknown character %s", shown)
	l.err.Help = habit(l.src, i)
	return tokBad, i + size
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// wordEnd returns the end of the name that starts at i, i if there is none.
func (l *Lexer) wordEnd(i int) int {
	if !isLetter(l.at(i)) {
		return i
	}
	for isLetter(l.at(i)) || isDigit(l.at(i)) || l.at(i) == '_' {
		i++
	}
	return i
}

// peekWord returns the word after the blanks at i, and where it ends.
func (l *Lexer) peekWord(i int) (string, int) {
	i = l.skipBlanks(i)
	end := l.wordEnd(i)
	return l.src[i:end], end
}

// binds reports whether a single "=" follows offset i.
func (l *Lexer) binds(i int) bool {
	i = l.skipBlanks(i)
	return l.at(i) == '=' && l.at(i+1) != '='
}

// word reads a name and finds out what it is here. The thesis's keywords and
// functions are what they are everywhere; all others depend on what follows.
func (l *Lexer) word(i int) (lexer.TokenType, int) {
	end := l.wordEnd(i)
	name := l.src[i:end]
	follow := l.at(l.skipBlanks(end))
	if len(l.nest.chain) == 1 {
		if to, ok := l.definition(i, end); ok {
			return tokDefine, to
		}
	}
	if to, ok := l.request(i, end); ok {
		return tokRequest, to
	}
	if l.declaring && (l.prev == tokCloseSize || l.prev == tokAttribute) && follow != '[' && !isDigit(follow) && atom.AttributeWord(name) {
		return tokAttribute, end
	}
	switch name {
	case "declare":
		return tokDeclare, end
	case "wrt":
		return tokWrt, end
	case "delta":
		return tokDelta, end
	case "expression":
		if _, e := l.peekWord(end); e > l.skipBlanks(end) && l.binds(e) {
			return tokExpressionAs, end
		}
		return tokExpression, end
	case "derivative":
		return tokRequest, end
	case "let":
		// `let NAME`: no two names stand side by side in an expression or a declaration. Where an operand is
		// missing, let is one unless a whole definition follows.
		w, e := l.peekWord(end)
		if w != "" && (l.binds(e) || !wantsOperand(l.prev) && (!Reserved(w) || l.at(l.skipBlanks(e)) == '(') && !isRequestWord(w)) {
			return tokLet, end
		}
		if l.binds(end) && l.prev != tokLet && l.prev != tokExpressionAs {
			return tokLet, end // the name is missing
		}
	case "einsum":
		if follow == '(' {
			return l.einsum(i, l.skipBlanks(end))
		}
	}
	if functions[name].Reserved || follow == '(' {
		return tokCall, end
	}
	if to := l.derivativeEnd(end); to > end {
		return tokCall, to
	}
	if (l.prev == tokComma || l.prev == tokOpen) && l.binds(end) {
		return tokOption, end
	}
	return tokName, end
}

// requests are the keywords, beyond the thesis's derivative, that ask for something
// before "wrt"; two of them have a hyphen.
var requests = []string{"gradient", "hessian", "jvp", "vjp", "hvp", "diag-hessian", "gauss-newton"}

// request reports whether the word from i to end begins a request, and where its keyword
// ends.
func (l *Lexer) request(i, end int) (int, bool) {
	for _, r := range requests {
		head, tail, _ := strings.Cut(r, "-")
		if l.src[i:end] != head {
			continue
		}
		to := i + len(r)
		if tail != "" && (to > len(l.src) || l.src[i:to] != r || l.wordEnd(end+1) != to) {
			continue
		}
		if w, _ := l.peekWord(to); w == "wrt" {
			return to, true
		}
	}
	return 0, false
}

// ScanNumber finds the number that begins at offset i of src: digits, a dot that follows
// them, and an exponent. problem is empty, or says which limit the number passes; the limits
// are on the number's value, so that one that is read is also read in the form in which it
// is printed.
func ScanNumber(src string, i, limit int) (end int, problem string) {
	digits := func(from int) int {
		for from < len(src) && isDigit(src[from]) {
			from++
		}
		return from
	}
	point := digits(i)
	end = point
	significant := src[i:point]
	if end < len(src) && src[end] == '.' {
		end = digits(point + 1)
		significant += src[point+1 : end]
	}
	exponent, negative := "", false
	if end < len(src) && (src[end] == 'e' || src[end] == 'E') {
		j := end + 1
		if j < len(src) && (src[j] == '+' || src[j] == '-') {
			negative = src[j] == '-'
			j++
		}
		if to := digits(j); to > j {
			end, exponent = to, strings.TrimLeft(src[j:to], "0")
		}
	}
	whole := len(significant)
	significant = strings.TrimLeft(significant, "0")
	// the first digit that is not zero stands for 10^magnitude
	magnitude := point - i - 1 - (whole - len(significant))
	if significant == "" {
		magnitude = 0
	}
	if len(significant) > limit {
		return end, fmt.Sprintf("the number has %d digits; at most %d are read", len(significant), limit)
	}
	large := len(exponent) > 9
	if !large {
		e := atoi(exponent)
		if negative {
			e = -e
		}
		magnitude += e
		large = max(magnitude, -magnitude) > limit
	}
	if large {
		return end, fmt.Sprintf("the number's exponent is larger than %d", limit)
	}
	return end, ""
}

// number reads a number within the limits.
func (l *Lexer) number(i int) (lexer.TokenType, int) {
	end, problem := ScanNumber(l.src, i, l.limits.Digits)
	if problem != "" {
		l.err = l.errorAt("L004", Span{i, end}, "%s", problem)
	}
	return tokNum, end
}

// atoi reads at most nine digits.
func atoi(s string) (n int) {
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}
