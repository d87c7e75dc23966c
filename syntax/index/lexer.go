package index

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"frechet/combinators/atom"
	"frechet/syntax"
)

const (
	tokBad    lexer.TokenType = syntax.Bad + iota // what could not be read; the lexer holds the error
	tokName                                       // a tensor, an index, a size symbol
	tokNum                                        // an unsigned number
	tokCall                                       // a name before a parenthesis
	tokTotal                                      // sum before a brace
	tokIf                                         // if before a brace
	tokThen                                       // then
	tokElse                                       // else
	tokOp                                         // an operator between two operands
	tokSigns                                      // - before an operand, as many as there are
	tokCaret                                      // ^ between the bounds of a sum
	tokUnder                                      // _ before the lower bound
	tokOpen                                       // (
	tokClose                                      // )
	tokOpenB                                      // [ after a name: the indices of a tensor
	tokCloseB                                     // ]
	tokWhere                                      // [ at an operand's place: a condition
	tokOpenC                                      // {
	tokCloseC                                     // }
	tokSep                                        // ; and ,
	tokRel                                        // = != <= >= < >
	tokColon                                      // :
)

var symbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Bad": tokBad, "Name": tokName, "Num": tokNum, "Call": tokCall,
	"Total": tokTotal, "If": tokIf, "Then": tokThen, "Else": tokElse, "Op": tokOp, "Signs": tokSigns,
	"Caret": tokCaret, "Under": tokUnder, "Open": tokOpen, "Close": tokClose,
	"OpenB": tokOpenB, "CloseB": tokCloseB, "Where": tokWhere, "OpenC": tokOpenC, "CloseC": tokCloseC,
	"Sep": tokSep, "Rel": tokRel, "Colon": tokColon,
}

// tokens splits a definition for participle.
type tokens struct {
	syntax.Scanner
	ifs   int // conditionals that wait for their else
	bound bound
	from  []bound // per open bracket, the state outside of it
}

// bound tells where the text stands in sum{k}_LO^HI: the ^ between the bounds is no
// power.
type bound uint8

const (
	noBound    bound = iota
	lowerBound       // between _ and ^
)

var lexing = syntax.Lexing{Kinds: symbols, New: func(src string) lexer.Lexer {
	return newTokens(&syntax.File{Src: src}, syntax.Span{End: len(src)}, syntax.Limits{})
}}

func newTokens(file *syntax.File, span syntax.Span, limits syntax.Limits) *tokens {
	return &tokens{Scanner: syntax.NewScanner(file.Src, span, limits)}
}

// Next returns the next token.
func (l *tokens) Next() (lexer.Token, error) { return l.Token(l.scan, l.nest), nil }

// nest says what a token does to the depth of the tree: brackets inside one another, and the powers,
// signs, sums and conditionals that pile up on one operand.
func (l *tokens) nest(kind lexer.TokenType, text string) (syntax.Nest, int) {
	switch kind {
	case tokOpen, tokOpenB, tokWhere, tokOpenC:
		l.from = append(l.from, l.bound)
		l.bound = noBound
		return syntax.Opens, 1
	case tokClose, tokCloseB, tokCloseC:
		if top := len(l.from) - 1; top >= 0 {
			l.bound = l.from[top]
			l.from = l.from[:top]
		}
		return syntax.Closes, 1
	case tokUnder:
		l.bound = lowerBound
	case tokCaret:
		l.bound = noBound
	case tokSigns:
		return syntax.Piles, strings.Count(text, "-")
	case tokTotal, tokIf:
		return syntax.Piles, 1
	case tokOp:
		if text == "**" || text == "^" {
			return syntax.Piles, 1
		}
	case tokSep, tokRel:
		return syntax.Ends, 1
	}
	return syntax.Flat, 0
}

// endsOperand reports whether an operand may end with a token of the kind.
func endsOperand(t lexer.TokenType) bool {
	return t == tokName || t == tokNum || t == tokClose || t == tokCloseB
}

// marks are the tokens of one character.
var marks = [128]lexer.TokenType{'+': tokOp, '/': tokOp, '_': tokUnder, '(': tokOpen, ')': tokClose, ']': tokCloseB, '{': tokOpenC, '}': tokCloseC,
	';': tokSep, ',': tokSep, ':': tokColon}

func (l *tokens) scan(i int) (lexer.TokenType, int) {
	c, next := l.At(i), l.At(i+1)
	switch {
	case syntax.IsLetter(c):
		return l.word(i)
	case syntax.IsDigit(c) || c == '.' && syntax.IsDigit(next):
		return tokNum, l.Number(i)
	case strings.HasPrefix(l.Src[i:l.End], "π"):
		return tokName, i + len("π")
	}
	switch c {
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
		if endsOperand(l.Prev) {
			return tokOp, i + 1
		}
		return tokSigns, l.Signs(i)
	case '[':
		if l.Prev == tokName || l.Prev == tokCall {
			return tokOpenB, i + 1
		}
		return tokWhere, i + 1
	case '=', '<', '>', '!':
		if next == '=' {
			return tokRel, i + 2
		}
		if c != '!' {
			return tokRel, i + 1
		}
	}
	if kind := marks[c&127]; kind != 0 && c < 128 {
		return kind, i + 1
	}
	return tokBad, l.Unknown(i)
}

// word reads a name: letters, digits, inner underscores, and primes at its end.
func (l *tokens) word(i int) (lexer.TokenType, int) {
	end := i
	for syntax.IsLetter(l.At(end)) || syntax.IsDigit(l.At(end)) || l.At(end) == '_' {
		end++
	}
	for l.At(end) == '\'' {
		end++
	}
	if i < end && l.At(end-1) == '\'' { // the derivative l'12 of a declared function
		to := end
		for syntax.IsDigit(l.At(to)) {
			to++
		}
		if l.At(to) == '(' {
			end = to
		}
	}
	next := l.At(l.SkipBlanks(end))
	switch name := l.Src[i:end]; {
	case name == "sum" && next == '{':
		return tokTotal, end
	case name == "if" && next == '{':
		l.ifs++
		return tokIf, end
	case name == "then" && l.Prev == tokCloseC && l.ifs > 0:
		return tokThen, end
	case name == "else" && endsOperand(l.Prev) && l.ifs > 0:
		l.ifs--
		return tokElse, end
	}
	if next == '(' && !(l.Prev == tokCaret && !isBoundFunction(l.Src[i:end])) {
		return tokCall, end
	}
	return tokName, end
}

// isBoundFunction reports whether name is a function of bounds. Any other name after the
// ^ of a sum is the whole bound, and the parenthesis behind it is the body.
func isBoundFunction(name string) bool {
	return name == atom.Max.Name || name == atom.Min.Name || name == atom.Floor.Name || name == atom.Ceil.Name
}
