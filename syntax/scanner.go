package syntax

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Scanner is what the lexers of programs and of index notation have in common. It never fails: what it cannot read
// becomes a token of its own, Bad, the last before the end, so that an earlier error of the grammar is still the one
// reported; the error itself is then in Err.
//
// Positions carry byte offsets only: lines and columns are counted when an error needs them.
type Scanner struct {
	Src    string
	End    int // of what is read
	Limits Limits
	Err    *Error
	Prev   lexer.TokenType // kind of the last token
	pos    int
	tokens int
	chain  []int // per open bracket, what piles up on the operand being read
	depth  int   // open brackets and all of chain
}

// Bad is the kind of what could not be read.
const Bad lexer.TokenType = 1

// NewScanner reads the part of src that stands at span.
func NewScanner(src string, span Span, limits Limits) Scanner {
	return Scanner{Src: src, pos: span.Start, End: span.End, Limits: limits.WithDefaults(), chain: []int{0}}
}

// Nest says what a token does to the depth of the tree that is built.
type Nest uint8

// What tokens do. Exponents, signs and primes pile up on one operand, until that ends.
const (
	Flat Nest = iota
	Opens
	Closes
	Piles
	Ends
)

// Token is the next token: scan gives the kind and the end of what begins at an offset, nest what it does, and how often.
func (s *Scanner) Token(scan func(i int) (lexer.TokenType, int), nest func(kind lexer.TokenType, text string) (Nest, int)) lexer.Token {
	if s.Err != nil {
		return s.token(lexer.EOF, s.End, s.End)
	}
	start := s.SkipBlanks(s.pos)
	if start >= s.End {
		s.pos = start
		end := len(strings.TrimRight(s.Src[:s.End], "\r\n"))
		return s.token(lexer.EOF, end, end)
	}
	s.tokens++
	kind, end := scan(start)
	if s.Err == nil {
		s.nested(nest(kind, s.Src[start:end]))
		switch {
		case s.depth > s.Limits.Nesting:
			s.Fail("L002", Span{start, end}, "the expression is nested more than %d levels deep", s.Limits.Nesting).
				Helpf("name inner parts with let, or raise the nesting limit")
		case s.tokens > s.Limits.Tokens:
			s.Fail("L005", Span{start, end}, "the program has more than %d tokens", s.Limits.Tokens).
				Helpf("split the program, or raise the token limit")
		}
	}
	if s.Err != nil {
		kind, start, end = Bad, s.Err.Span.Start, max(s.Err.Span.End, s.Err.Span.Start)
	}
	s.pos, s.Prev = end, kind
	return s.token(kind, start, end)
}

// nested bounds the depth of the tree that tokens build, before it is built: brackets inside one another, and within each
// bracket what piles up on one operand.
func (s *Scanner) nested(nest Nest, times int) {
	top := len(s.chain) - 1
	switch nest {
	case Opens:
		s.chain = append(s.chain, 0)
		s.depth++
	case Closes:
		if top > 0 {
			s.depth -= s.chain[top] + 1
			s.chain = s.chain[:top]
		}
	case Piles:
		s.chain[top] += times
		s.depth += times
	case Ends:
		s.depth -= s.chain[top]
		s.chain[top] = 0
	}
}

// open reports whether brackets are open.
func (s *Scanner) open() bool { return len(s.chain) > 1 }

func (s *Scanner) token(kind lexer.TokenType, start, end int) lexer.Token {
	return lexer.Token{Type: kind, Value: s.Src[start:end], Pos: lexer.Position{Offset: start}}
}

// Fail notes an error.
func (s *Scanner) Fail(code Code, span Span, format string, args ...any) *Error {
	s.Err = newError(s.Src, code, span, format, args...)
	return s.Err
}

// At is the character at i, 0 behind the end.
func (s *Scanner) At(i int) byte {
	if i < s.End {
		return s.Src[i]
	}
	return 0
}

// SkipBlanks returns the offset of the first character at or after i that is neither blank nor in a comment.
func (s *Scanner) SkipBlanks(i int) int {
	if i == 0 && strings.HasPrefix(s.Src, "\ufeff") {
		i = len("\ufeff")
	}
	for i < s.End {
		switch s.Src[i] {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			i++
		case '#':
			for i < s.End && s.Src[i] != '\n' {
				i++
			}
		default:
			return i
		}
	}
	return i
}

// Signs returns the end of the minus signs that start at i, blanks between them.
func (s *Scanner) Signs(i int) int {
	end := i
	for ; i < s.End; i++ {
		switch c := s.Src[i]; {
		case c == '-' && s.At(i+1) != '>':
			end = i + 1
		case c != ' ' && c != '\n' && c != '\t' && c != '\r':
			return end
		}
	}
	return end
}

// Unknown reports the character at i, which starts no token, and returns its end.
func (s *Scanner) Unknown(i int) int {
	r, size := utf8.DecodeRuneInString(s.Src[i:s.End])
	shown := fmt.Sprintf("`%c`", r)
	if r == utf8.RuneError && size <= 1 {
		shown = fmt.Sprintf("byte 0x%02x, which is not UTF-8", s.Src[i])
	} else if !unicode.IsPrint(r) {
		shown = fmt.Sprintf("%U", r)
	}
	s.Fail("S001", Span{i, i + size}, "unknown character %s", shown)
	return i + size
}

// IsLetter and IsDigit are of ASCII.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func IsDigit(c byte) bool  { return '0' <= c && c <= '9' }

// Number returns the end of the number at i, which is within the limits.
func (s *Scanner) Number(i int) int {
	end, problem := ScanNumber(s.Src, i, s.Limits.Digits)
	if problem != "" {
		s.Fail("L004", Span{i, end}, "%s", problem)
	}
	return end
}

// Lexing is participle's view of a lexer.
type Lexing struct {
	Kinds map[string]lexer.TokenType // by name
	New   func(src string) lexer.Lexer
}

// Symbols are the kinds of tokens.
func (d Lexing) Symbols() map[string]lexer.TokenType { return d.Kinds }

// Lex reads the text and makes its lexer.
func (d Lexing) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	return d.New(string(src)), err
}

// ParserOf builds the parser of a grammar on first use. A lookahead of 0 stops at
// the first token that does not fit: in participle's terms, a branch that has
// consumed anything is final.
func ParserOf[G any](lexing Lexing) func() *participle.Parser[G] {
	return sync.OnceValue(func() *participle.Parser[G] {
		return participle.MustBuild[G](participle.Lexer(lexing), participle.UseLookahead(0))
	})
}
