package index

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"frechet/combinators/atom"
	"frechet/syntax"
)

const (
	tokBad    lexer.TokenType = iota + 1 // what could not be read; the lexer holds the error
	tokName                              // a tensor, an index, a size symbol
	tokNum                               // an unsigned number
	tokCall                              // a name before a parenthesis
	tokTotal                             // sum before a brace
	tokIf                                // if before a brace
	tokThen                              // then
	tokElse                              // else
	tokOp                                // an operator between two operands
	tokSigns                             // - before an operand, as many as there are
	tokCaret                             // ^ between the bounds of a sum
	tokUnder                             // _ before the lower bound
	tokOpen                              // (
	tokClose                             // )
	tokOpenB                             // [ after a name: the indices of a tensor
	tokCloseB                            // ]
	tokWhere                             // [ at an operand's place: a condition
	tokOpenC                             // {
	tokCloseC                            // }
	tokSep                               // ; and ,
	tokRel                               // = != <= >= < >
	tokColon                             // :
)

var symbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Bad": tokBad, "Name": tokName, "Num": tokNum, "Call": tokCall,
	"Total": tokTotal, "If": tokIf, "Then": tokThen, "Else": tokElse, "Op": tokOp, "Signs": tokSigns,
	"Caret": tokCaret, "Under": tokUnder, "Open": tokOpen, "Close": tokClose,
	"OpenB": tokOpenB, "CloseB": tokCloseB, "Where": tokWhere, "OpenC": tokOpenC, "CloseC": tokCloseC,
	"Sep": tokSep, "Rel": tokRel, "Colon": tokColon,
}

// tokens splits src[pos:end] for participle. It never fails: what it cannot read
// becomes a token of its own, the last before the end, so that an earlier error of the
// grammar is still the one reported.
type tokens struct {
	file   *syntax.File
	limits syntax.Limits
	pos    int
	end    int
	err    *syntax.Error
	prev   lexer.TokenType
	count  int
	ifs    int   // conditionals that wait for their else
	chain  []int // per open bracket, what piles up on the operand being read
	depth  int   // open brackets and all of chain
	bound  bound
	from   []bound // per open bracket, the state outside of it
}

// bound tells where the text stands in sum{k}_LO^HI: the ^ between the bounds is no
// power.
type bound uint8

const (
	noBound    bound = iota
	lowerBound       // between _ and ^
)

type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType { return symbols }

func (definition) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return newTokens(&syntax.File{Src: string(src)}, syntax.Span{End: len(src)}, syntax.Limits{}), nil
}

func newTokens(file *syntax.File, span syntax.Span, limits syntax.Limits) *tokens {
	return &tokens{file: file, limits: limits.WithDefaults(), pos: span.Start, end: span.End, chain: []int{0}}
}

// Next returns the next token.
func (l *tokens) Next() (lexer.Token, error) {
	if l.err != nil {
		return l.token(lexer.EOF, l.end, l.end), nil
	}
	start := l.skipBlanks(l.pos)
	if start >= l.end {
		l.pos = start
		end := len(strings.TrimRight(l.file.Src[:l.end], " \t\r\n\v\f"))
		return l.token(lexer.EOF, end, end), nil
	}
	l.count++
	kind, end := l.scan(start)
	if l.err == nil {
		l.nest(kind, l.file.Src[start:end])
		switch {
		case l.depth > l.limits.Nesting:
			l.err = l.errorf("L002", start, end, "the expression is nested more than %d levels deep", l.limits.Nesting).
				Helpf("name inner parts by let, or raise the nesting limit")
		case l.count > l.limits.Tokens:
			l.err = l.errorf("L005", start, end, "the program has more than %d tokens", l.limits.Tokens).
				Helpf("split the program, or raise the token limit")
		}
	}
	if l.err != nil {
		kind, start, end = tokBad, l.err.Span.Start, max(l.err.Span.End, l.err.Span.Start)
	}
	l.pos, l.prev = end, kind
	return l.token(kind, start, end), nil
}

// nest counts what recursion will meet: brackets inside one another, and the powers,
// signs, sums and conditionals that pile up on one operand.
func (l *tokens) nest(kind lexer.TokenType, text string) {
	top := len(l.chain) - 1
	pile := func(n int) {
		l.chain[top] += n
		l.depth += n
	}
	switch kind {
	case tokOpen, tokOpenB, tokWhere, tokOpenC:
		l.chain = append(l.chain, 0)
		l.from = append(l.from, l.bound)
		l.bound = noBound
		l.depth++
	case tokClose, tokCloseB, tokCloseC:
		if top > 0 {
			l.depth -= l.chain[top] + 1
			l.chain = l.chain[:top]
			l.bound = l.from[top-1]
			l.from = l.from[:top-1]
		}
	case tokUnder:
		l.bound = lowerBound
	case tokCaret:
		l.bound = noBound
	case tokSigns:
		pile(strings.Count(text, "-"))
	case tokTotal, tokIf:
		pile(1)
	case tokOp:
		if text == "**" || text == "^" {
			pile(1)
		}
	case tokSep, tokRel:
		l.depth -= l.chain[top]
		l.chain[top] = 0
	}
}

func (l *tokens) token(kind lexer.TokenType, start, end int) lexer.Token {
	return lexer.Token{Type: kind, Value: l.file.Src[start:end], Pos: lexer.Position{Offset: start}}
}

func (l *tokens) errorf(code syntax.Code, start, end int, format string, args ...any) *syntax.Error {
	return l.file.Errorf(code, syntax.Span{Start: start, End: end}, format, args...)
}

func (l *tokens) at(i int) byte {
	if i < l.end {
		return l.file.Src[i]
	}
	return 0
}

func (l *tokens) skipBlanks(i int) int {
	for i < l.end {
		switch l.file.Src[i] {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			i++
		case '#':
			for i < l.end && l.file.Src[i] != '\n' {
				i++
			}
		default:
			return i
		}
	}
	return i
}

// endsOperand reports whether an operand may end with a token of the kind.
func endsOperand(t lexer.TokenType) bool {
	return t == tokName || t == tokNum || t == tokClose || t == tokCloseB
}

func (l *tokens) scan(i int) (lexer.TokenType, int) {
	c, next := l.at(i), l.at(i+1)
	switch {
	case isLetter(c):
		return l.word(i)
	case isDigit(c) || c == '.' && isDigit(next):
		return l.number(i)
	case strings.HasPrefix(l.file.Src[i:l.end], "π"):
		return tokName, i + len("π")
	}
	switch c {
	case '+', '/':
		return tokOp, i + 1
	case '*':
		if next == '*' {
			return tokOp, i + 2
		}
		return tokOp, i + 1
	case '^':
		if l.bound == lowerBound {
			return tokCaret, i + 1
		}
		return tokOp, i + 1
	case '-':
		if endsOperand(l.prev) {
			return tokOp, i + 1
		}
		end := i
		for j := i; l.at(j) == '-' || l.at(j) != 0 && strings.IndexByte(" \t\r\n", l.at(j)) >= 0; j++ {
			if l.at(j) == '-' {
				end = j + 1
			}
		}
		return tokSigns, end
	case '_':
		return tokUnder, i + 1
	case '(':
		return tokOpen, i + 1
	case ')':
		return tokClose, i + 1
	case '[':
		if l.prev == tokName || l.prev == tokCall {
			return tokOpenB, i + 1
		}
		return tokWhere, i + 1
	case ']':
		return tokCloseB, i + 1
	case '{':
		return tokOpenC, i + 1
	case '}':
		return tokCloseC, i + 1
	case ';', ',':
		return tokSep, i + 1
	case ':':
		return tokColon, i + 1
	case '=':
		if next == '=' {
			return tokRel, i + 2
		}
		return tokRel, i + 1
	case '<', '>':
		if next == '=' {
			return tokRel, i + 2
		}
		return tokRel, i + 1
	case '!':
		if next == '=' {
			return tokRel, i + 2
		}
	}
	r, n := utf8.DecodeRuneInString(l.file.Src[i:l.end])
	shown := fmt.Sprintf("`%c`", r)
	if r == utf8.RuneError && n <= 1 {
		shown = fmt.Sprintf("byte 0x%02x, which is not UTF-8", c)
	} else if !unicode.IsPrint(r) {
		shown = fmt.Sprintf("%U", r)
	}
	l.err = l.errorf("S001", i, i+n, "unknown character %s", shown)
	return tokBad, i + n
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// word reads a name: letters, digits, inner underscores, and primes at its end.
func (l *tokens) word(i int) (lexer.TokenType, int) {
	end := i
	for isLetter(l.at(end)) || isDigit(l.at(end)) || l.at(end) == '_' {
		end++
	}
	for l.at(end) == '\'' {
		end++
	}
	if i < end && l.at(end-1) == '\'' { // the derivative l'12 of a declared function
		to := end
		for isDigit(l.at(to)) {
			to++
		}
		if l.at(to) == '(' {
			end = to
		}
	}
	next := l.at(l.skipBlanks(end))
	switch name := l.file.Src[i:end]; {
	case name == "sum" && next == '{':
		return tokTotal, end
	case name == "if" && next == '{':
		l.ifs++
		return tokIf, end
	case name == "then" && l.prev == tokCloseC && l.ifs > 0:
		return tokThen, end
	case name == "else" && endsOperand(l.prev) && l.ifs > 0:
		l.ifs--
		return tokElse, end
	}
	if next == '(' && !(l.prev == tokCaret && !isBoundFunction(l.file.Src[i:end])) {
		return tokCall, end
	}
	return tokName, end
}

// isBoundFunction reports whether name is a function of bounds. Any other name after the
// ^ of a sum is the whole bound, and the parenthesis behind it is the body.
func isBoundFunction(name string) bool {
	return name == atom.Max.Name || name == atom.Min.Name || name == atom.Floor.Name || name == atom.Ceil.Name
}

// number reads a number within the limits.
func (l *tokens) number(i int) (lexer.TokenType, int) {
	end, problem := syntax.ScanNumber(l.file.Src, i, l.limits.Digits)
	if problem != "" {
		l.err = l.errorf("L004", i, end, "%s", problem)
	}
	return tokNum, end
}
