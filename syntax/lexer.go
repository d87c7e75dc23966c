package syntax

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"frechet/combinators/atom"
)

// Lexer splits a program into tokens, one a call of Next.
type Lexer struct {
	Scanner
	since  int           // tokens since the statement began
	groups bitmap        // offsets of the "(" that open index groups
	specs  map[int]*Spec // by the offset of the token
	defs   map[int]head  // of definitions in index notation, by the offset of the token
	// a tensor is being declared: what follows its sizes may be an attribute
	declaring bool
	heads     []int // of recurrences and implicit functions that are open: how many brackets are around them
	bare      bool  // NAME = EXPR without a keyword is a definition
	// nothing was read yet of a program that neither declares nor has an expression: it may be a formula
	formula bool
}

var lexing = Lexing{symbols, func(src string) lexer.Lexer { return newLexer(src, Limits{}) }}

func newLexer(src string, limits Limits) *Lexer {
	s := NewScanner(src, Span{End: len(src)}, limits)
	return &Lexer{
		Scanner: s,
		groups:  findGroups(src, s.Limits.Nesting),
		specs:   map[int]*Spec{},
		defs:    map[int]head{},
		bare:    !hasWord(src, "expression"),
	}
}

// newProgramLexer reads a program, which may be a formula alone.
func newProgramLexer(src string, limits Limits) *Lexer {
	l := newLexer(src, limits)
	l.formula = l.bare && !hasWord(src, "declare")
	return l
}

// Next returns the next token; it never fails (see Scanner).
func (l *Lexer) Next() (lexer.Token, error) { return l.Token(l.next, nests), nil }

// next is scan, with what a statement asks for.
func (l *Lexer) next(start int) (lexer.TokenType, int) {
	l.since++
	kind, end := l.scan(start)
	if l.formula && startsOperand(kind) && l.Err == nil && (kind != tokName || !l.indexed(start, end)) {
		if kind, l.bare = tokExpression, false; l.binds(end) {
			kind = tokExpressionAs
		}
		end = start // the keyword is understood
	}
	l.formula = false
	if startsStatement(kind) {
		l.since, l.declaring = 0, kind == tokDeclare
	}
	if l.Err == nil && l.since > participle.MaxIterations {
		// The parser reads no longer list; here the error comes before it has begun.
		l.Fail("L005", Span{start, end}, "the statement has more than %d tokens", participle.MaxIterations).Helpf("split it by let")
	}
	return kind, end
}

// indexed reports whether the word from i to end begins a definition in index notation, or one in which something is missing: f[i] = x[i] and
// f[i] == x[i], and not x[0]^2, A[i,j]*x[j] or Tr[A].
func (l *Lexer) indexed(i, end int) bool {
	if _, ok := l.definitionHead(end); ok {
		return !l.named(end)
	}
	return l.At(l.SkipBlanks(end)) == '[' && strings.ContainsAny(l.Src[end:], "={") && Foreign(l.Src[i:end]) == ""
}

// named reports whether a formula has a name before it, and an = that ends at i: loss = norm2(x)^2, and not s = x[0]**2.
func (l *Lexer) named(i int) bool {
	return l.formula && l.binds(i) && !strings.ContainsAny(l.Src, "{[") && !strings.Contains(l.Src, "**") && strings.Count(l.Src, "=") == 1+strings.Count(l.Src, "axis=")
}

// scan reads the token that starts at i; it returns its kind and end.
// It stays one switch: a case for each character.
func (l *Lexer) scan(i int) (lexer.TokenType, int) {
	c, next := l.Src[i], l.At(i+1)
	switch {
	case IsLetter(c):
		return l.word(i)
	case IsDigit(c) || c == '.' && IsDigit(next):
		return tokNum, l.Number(i)
	case strings.HasPrefix(l.Src[i:], symbolPi):
		return tokName, i + len(symbolPi)
	}
	switch c {
	case '+', '/', '^':
		if c == '+' && next == '=' && l.Prev == tokOption {
			return tokEquals, i + 2
		}
		return tokOp, i + 1
	case '*':
		if open := l.SkipBlanks(i + 1); l.At(open) == '(' && l.groups.has(open) {
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
		if endsOperand(l.Prev) {
			return tokOp, i + 1
		}
		return tokSigns, l.Signs(i)
	}
	if top := len(l.heads) - 1; c == ')' && top >= 0 && len(l.chain) == l.heads[top]+1 {
		l.heads = l.heads[:top]
		return tokBody, i + 1
	}
	if kind := marks[c&127]; kind != 0 && c < 128 {
		return kind, i + 1
	}
	end := l.Unknown(i)
	l.Err.Help = habit(l.Src, i)
	return tokBad, end
}

// marks are the tokens of one character.
var marks = [128]lexer.TokenType{'\'': tokAfter, '(': tokOpen, ')': tokClose, '[': tokOpenSize, ']': tokCloseSize, ',': tokComma,
	':': tokColon, ';': tokSemicolon}

// wordEnd returns the end of the name that starts at i, i if there is none.
func (l *Scanner) wordEnd(i int) int {
	if !IsLetter(l.At(i)) {
		return i
	}
	for IsLetter(l.At(i)) || IsDigit(l.At(i)) || l.At(i) == '_' {
		i++
	}
	return i
}

// peekWord returns the word after the blanks at i, and where it ends.
func (l *Lexer) peekWord(i int) (string, int) {
	i = l.SkipBlanks(i)
	end := l.wordEnd(i)
	return l.Src[i:end], end
}

// binds reports whether a single "=" follows offset i.
func (l *Lexer) binds(i int) bool {
	i = l.SkipBlanks(i)
	return l.At(i) == '=' && l.At(i+1) != '='
}

// word reads a name and finds out what it is here. The thesis's keywords and
// functions are what they are everywhere; all others depend on what follows.
// It stays one list of cases, the first of which holds.
func (l *Lexer) word(i int) (lexer.TokenType, int) {
	end := l.wordEnd(i)
	name := l.Src[i:end]
	follow := l.At(l.SkipBlanks(end))
	if !l.open() {
		if to, ok := l.definition(i, end); ok {
			return tokDefine, to
		}
	}
	if to, ok := l.request(i, end); ok {
		return tokRequest, to
	}
	if l.declaring && (l.Prev == tokCloseSize || l.Prev == tokAttribute) && follow != '[' && !IsDigit(follow) && atom.AttributeWord(name) {
		return tokAttribute, end
	}
	if kind := l.keyword(name, end); kind != 0 {
		return kind, end
	}
	if name == "einsum" && follow == '(' {
		return l.einsum(i, l.SkipBlanks(end))
	}
	if follow == ',' && l.Prev == tokOpen && strings.HasSuffix(l.Src[:i], atom.Matfun[0].Name+"(") {
		return tokName, end // matfun(exp, A)
	}
	if functions[name].Reserved || follow == '(' {
		return tokCall, end
	}
	if to := l.derivativeEnd(end); to > end {
		return tokCall, to
	}
	if (l.Prev == tokComma || l.Prev == tokOpen) && (l.binds(end) || len(l.heads) > 0 && strings.HasPrefix(l.Src[l.SkipBlanks(end):], "+=")) {
		return tokOption, end
	}
	return tokName, end
}

// keywords are those that are one whatever follows.
var keywords = map[string]lexer.TokenType{"declare": tokDeclare, "wrt": tokWrt, "delta": tokDelta, "expression": tokExpression, "derivative": tokRequest}

// keyword is the kind of the word that ends at end, 0 where it is no keyword here.
// It stays one switch: a case for each word.
func (l *Lexer) keyword(name string, end int) lexer.TokenType {
	switch name {
	case "expression":
		if _, e := l.peekWord(end); e > l.SkipBlanks(end) && l.binds(e) {
			return tokExpressionAs
		}
	case "let":
		// `let NAME`: no two names stand side by side in an expression or a declaration. Where an operand is
		// missing, let is one unless a whole definition follows.
		w, e := l.peekWord(end)
		if w != "" && (l.binds(e) || !wantsOperand(l.Prev) && (!Reserved(w) || l.At(l.SkipBlanks(e)) == '(') && !isRequestWord(w)) ||
			l.binds(end) && l.Prev != tokLet && l.Prev != tokExpressionAs { // the name is missing
			return tokLet
		}
	case "in":
		if endsOperand(l.Prev) && !l.declaring && !l.binds(end) {
			return tokIn
		}
	case "scan", "iterate", "states", "root", "fixpoint", "argmin":
		if open := l.SkipBlanks(end); l.At(open) == '(' {
			w, e := l.peekWord(open + 1)
			if implicit := atom.Implicit(name) != nil; w != "" && (implicit && l.binds(e) || !implicit && l.At(l.SkipBlanks(e)) == ':') {
				l.heads = append(l.heads, len(l.chain))
				return tokScan
			}
		}
	}
	return keywords[name]
}

// requests are the keywords, beyond the thesis's derivative, that ask for something
// before "wrt"; two of them have a hyphen.
var requests = []string{"gradient", "hessian", "jvp", "vjp", "hvp", "diag-hessian", "gauss-newton"}

// request reports whether the word from i to end begins a request, and where its keyword
// ends.
func (l *Lexer) request(i, end int) (int, bool) {
	for _, r := range requests {
		head, tail, _ := strings.Cut(r, "-")
		if l.Src[i:end] != head {
			continue
		}
		to := i + len(r)
		if tail != "" && (to > len(l.Src) || l.Src[i:to] != r || l.wordEnd(end+1) != to) {
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
		for from < len(src) && IsDigit(src[from]) {
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

// atoi reads at most nine digits.
func atoi(s string) (n int) {
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}
