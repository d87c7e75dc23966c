package text

import (
	"io"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// maxNesting bounds brackets and lets inside each other: the parser is recursive, its stack is not
// to be the limit that a text meets.
const maxNesting = 1000

// maxDigits bounds a number's digits and its decimal exponent; parsing one takes quadratic time.
const maxDigits = 10_000

// Token types. An index group begins with a token of its own, *( or ein(; up to its end words are letters of indices.
const (
	tokIdent lexer.TokenType = iota + 1
	tokKeyword
	tokNumber
	tokString
	tokGroup
	tokEin
	tokRuleName
	tokPunct
)

var symbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Ident": tokIdent, "Keyword": tokKeyword, "Number": tokNumber, "String": tokString,
	"Group": tokGroup, "Ein": tokEin, "RuleName": tokRuleName, "Punct": tokPunct,
}

var keywords = map[string]bool{"let": true, "in": true, "rule": true, "lemma": true, "native": true, "when": true, "domain": true}

// unicodeSpelling maps symbols to what they are read as; letters join the name that follows: π2.
var unicodeSpelling = map[rune]string{
	'∘': ".", '•': ".", '⟨': "<", '⟩': ">", '→': "->", '⇒': "=>", '⇔': "<=>", '⊙': ".*", '⊗': tensorMark, '₂': "2",
}

// tensorMark is the tensor product, which is written (x), too.
const tensorMark = "⊗"

var unicodeNames = map[rune]string{'×': "x", '⊕': "x", 'π': "pi", 'ι': "iota", 'Δ': "delta", 'Π': "prod", 'Σ': "sum"}

// unicodeMarks are symbols that stand for several tokens.
var unicodeMarks = map[rune][]string{'⊸': {"-", "o"}}

// definition is the hand-written lexer behind participle's interface. It holds the table, so that
// the table is there when the parsers are built.
type definition struct{ symbols map[string]lexer.TokenType }

func (d definition) Symbols() map[string]lexer.TokenType { return d.symbols }

func (d definition) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(name, string(b))
}

// LexString splits the whole input at once: nesting is known before parsing begins.
func (definition) LexString(name, src string) (lexer.Lexer, error) {
	toks, _, err := lex(src)
	if err != nil {
		return nil, err
	}
	return &tokens{toks: toks}, nil
}

type tokens struct {
	toks []lexer.Token
	next int
}

func (t *tokens) Next() (lexer.Token, error) {
	tok := t.toks[t.next]
	if t.next+1 < len(t.toks) {
		t.next++
	}
	return tok, nil
}

// comment is one line after #, with its line number; alone says that nothing stands before it.
type comment struct {
	line  int
	text  string
	alone bool
}

type scanner struct {
	src       string
	off       int
	line, col int
	toks      []lexer.Token
	comments  []comment
	open      []byte // brackets that wait for their partner
	lets      int    // lets and angle brackets of this rule: each may nest what follows
	bound     int    // lets that wait for their in
	rules     bool   // a rule has begun
	group     int    // the open brackets, where the innermost is that of an index group that has not ended; else 0
	times     bool   // this index group, or the last one, stands between operands, and is no map by itself
	after     int    // the tokens up to the end of the last index group
}

// lex returns the tokens of src, ending with EOF, and its comments.
func lex(src string) ([]lexer.Token, []comment, error) {
	s := &scanner{src: src, line: 1, col: 1}
	for {
		s.blanks()
		if s.off >= len(s.src) {
			s.toks = append(s.toks, lexer.EOFToken(s.pos()))
			return s.toks, s.comments, nil
		}
		if err := s.token(); err != nil {
			return nil, nil, err
		}
	}
}

func (s *scanner) pos() lexer.Position {
	return lexer.Position{Offset: s.off, Line: s.line, Column: s.col}
}

func (s *scanner) place() Pos { return Pos{s.line, s.col} }

// advance moves over n bytes of the source, counting lines and characters.
func (s *scanner) advance(n int) {
	for _, r := range s.src[s.off : s.off+n] {
		if s.col++; r == '\n' {
			s.line, s.col = s.line+1, 1
		}
	}
	s.off += n
}

func (s *scanner) emit(t lexer.TokenType, value string, n int) {
	s.toks = append(s.toks, lexer.Token{Type: t, Value: value, Pos: s.pos()})
	s.advance(n)
}

func (s *scanner) blanks() {
	for s.off < len(s.src) {
		switch c := s.src[s.off]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			s.advance(1)
		case c == '#':
			n := strings.IndexByte(s.src[s.off:], '\n')
			if n < 0 {
				n = len(s.src) - s.off
			}
			alone := len(s.toks) == 0 || s.toks[len(s.toks)-1].Pos.Line < s.line
			s.comments = append(s.comments, comment{s.line, strings.TrimSpace(s.src[s.off+1 : s.off+n]), alone})
			s.advance(n)
		default:
			return
		}
	}
}

func (s *scanner) last() (t lexer.Token) {
	if len(s.toks) > 0 {
		t = s.toks[len(s.toks)-1]
	}
	return t
}

// token is one list of cases, the first of which holds.
func (s *scanner) token() error {
	rest := s.src[s.off:]
	r, size := utf8.DecodeRuneInString(rest)
	if v, ok := unicodeSpelling[r]; ok {
		return s.punct(v, size)
	}
	if vs := unicodeMarks[r]; vs != nil {
		for i, v := range vs {
			n, typ := 0, tokPunct
			if i == len(vs)-1 {
				n = size
			}
			if unicode.IsLetter(rune(v[0])) {
				typ = tokIdent
			}
			s.emit(typ, v, n)
		}
		return nil
	}
	if l := s.last(); l.Type == tokKeyword && (l.Value == "rule" || l.Value == "lemma" || l.Value == "native") {
		if n := span(rest, ruleNameRune); n > 0 {
			s.emit(tokRuleName, rest[:n], n)
			return nil
		}
	}
	switch {
	case r == '_' && span(rest, identRune) == 1:
		s.emit(tokPunct, "_", 1)
	case unicodeNames[r] != "" || r == '_' || unicode.IsLetter(r):
		return s.name(rest)
	case r >= '0' && r <= '9':
		return s.number(rest)
	case r == '"':
		n := strings.IndexAny(rest[1:], "\"\n")
		if n < 0 || rest[1+n] == '\n' {
			return errorf(s.place(), "this string has no end")
		}
		s.emit(tokString, rest[1:1+n], n+2)
	case strings.HasPrefix(rest, "*("):
		// in an attribute 2*(k+1) is a product: an index group has an arrow
		if n := closing(rest[1:]) + 1; s.group == 0 && n > 0 && strings.Contains(rest[:n], "->") {
			s.times = !s.wantsOperand() && len(s.toks) > 0
			return s.openGroup(tokGroup, rest[:2])
		}
		s.emit(tokPunct, "*", 1)
	case s.tensor():
		s.emit(tokPunct, tensorMark, 3)
	default:
		for _, p := range []string{"...", "->", "<=>", "=>", "<=", ">=", "!=", ".*", "./", ".^", "=="} {
			if strings.HasPrefix(rest, p) {
				return s.punct(p, len(p))
			}
		}
		if !strings.ContainsRune("+-*/.()[]{}<>,;=:^~|", r) {
			return errorf(s.place(), "%q cannot stand here", r)
		}
		return s.punct(rest[:1], 1)
	}
	return nil
}

// tensor reports whether what follows is the tensor product b (x) a: it stands between operands, with a
// blank on both sides. f(x) is an application, and so is f (x) at the end of a term.
func (s *scanner) tensor() bool {
	rest, ok := strings.CutPrefix(s.src[s.off:], "(x) ")
	if !ok || len(s.toks) == 0 || s.src[s.off-1] != ' ' {
		return false
	}
	if l := s.last(); l.Type == tokKeyword || l.Type == tokPunct && !slices.Contains([]string{")", "]", ">", "_"}, l.Value) {
		return false
	}
	rest = strings.TrimLeft(rest, " ")
	if after, ok := strings.CutPrefix(rest, "x "); ok {
		// D(f) (x) x D(g)(y) is a product of maps, b (x) x a tensor product
		after = strings.TrimLeft(after, " ")
		return !operand(after) || strings.HasPrefix(after, "(x) ") || len(s.open) == 0 && opensStatement(after)
	}
	return operand(rest) && (len(s.open) > 0 || !opensStatement(rest))
}

// operand reports whether a text begins as an operand does that is no negative.
func operand(src string) bool {
	r, _ := utf8.DecodeRuneInString(src)
	switch word := src[:span(src, identRune)]; {
	case word != "":
		return !keywords[word]
	case r == '×' || r == '⊕':
		return false
	}
	return unicodeNames[r] != "" || r != utf8.RuneError && strings.ContainsRune("(<[⟨", r) || strings.HasPrefix(src, "*(")
}

// opensStatement reports whether a text begins as a statement of a program does.
func opensStatement(src string) bool {
	word := src[:span(src, identRune)]
	after := strings.TrimLeft(src[len(word):], " ")
	switch {
	case word == "":
		return false
	case word == "declare", word == "expression", word == "primitive", strings.HasPrefix(after, "wrt "):
		return true
	}
	if n := closing(after); strings.HasPrefix(after, "(") && n > 0 {
		after = strings.TrimLeft(after[n+1:], " ")
	}
	return strings.HasPrefix(after, ":")
}

// punct emits a mark of punctuation and keeps the brackets balanced. Angle brackets are counted
// by the parser alone, since < and > compare in conditions; their nesting counts here as well.
func (s *scanner) punct(v string, n int) error {
	switch v {
	case "(", "[", "{":
		s.open = append(s.open, v[0])
	case ")", "]", "}":
		want := map[string]byte{")": '(', "]": '[', "}": '{'}[v]
		if len(s.open) == 0 || s.open[len(s.open)-1] != want {
			return errorf(s.place(), "%s closes nothing", v)
		}
		if s.open = s.open[:len(s.open)-1]; s.group > len(s.open) {
			s.group, s.after = 0, len(s.toks)+1
		}
	case ";":
		if s.group == len(s.open) {
			s.group = 0
		}
	case "<":
		s.lets++
	case ">":
		s.lets--
	}
	return s.nested(tokPunct, v, n)
}

// openGroup emits what an index group begins with.
func (s *scanner) openGroup(t lexer.TokenType, begin string) error {
	s.open = append(s.open, '(')
	s.group = len(s.open)
	return s.nested(t, begin, len(begin))
}

// nested emits a token where brackets are not nested too deep.
func (s *scanner) nested(t lexer.TokenType, value string, n int) error {
	if len(s.open)+max(s.lets, 0) > maxNesting {
		return errorf(s.place(), "terms are nested more than %d deep", maxNesting)
	}
	s.emit(t, value, n)
	return nil
}

func identRune(r rune) bool {
	return r == '_' || r == '\'' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func ruleNameRune(r rune) bool { return identRune(r) || r == '-' || r == '.' }

// closing is the offset of the parenthesis that closes the one s begins with, or -1. It looks no
// further than an index group can reach.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s) && i < maxDigits; i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// span is the length of the longest prefix whose characters all satisfy ok.
func span(s string, ok func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !ok(r) }); n >= 0 {
		return n
	}
	return len(s)
}

func (s *scanner) name(rest string) error {
	r, size := utf8.DecodeRuneInString(rest)
	value, n := "", 0
	if v, ok := unicodeNames[r]; ok {
		value, n = v, size
		if r == '×' || r == '⊕' { // operators never join a name
			s.emit(tokIdent, v, n)
			return nil
		}
	}
	m := span(rest[n:], func(r rune) bool { return identRune(r) && r != '×' })
	value += rest[n : n+m]
	n += m
	m = span(rest[n:], func(r rune) bool { return r >= '₀' && r <= '₉' }) // π₁ is π1
	for _, r := range rest[n : n+m] {
		value += string('0' + r - '₀')
	}
	n += m
	if s.group > 0 {
		s.emit(tokIdent, value, n)
		return nil
	}
	if value == "ein" && n < len(rest) && rest[n] == '(' {
		if !strings.Contains(rest, ";") {
			return errorf(s.place(), "a contraction is written ein(ij,j->i; a, b)")
		}
		return s.openGroup(tokEin, rest[:n+1])
	}
	if value == "red" && n < len(rest) && rest[n] == '{' {
		// red{(0,1),(1,1)} and red{(i,j) | i <= j}: the relation is part of the name
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return errorf(s.place(), "a relation is written red{(0,0),(0,1)} or red{(i,j) | i <= j}")
		}
		s.emit(tokIdent, rest[:end+1], end+1)
		return nil
	}
	typ := tokIdent
	if s.keyword(value, rest[n:]) {
		typ = tokKeyword
		switch value {
		case "let":
			s.lets++
			s.bound++
		case "in":
			s.bound--
		case "rule", "lemma", "native":
			if len(s.open) == 0 {
				s.lets, s.bound = 0, 0
			}
			s.rules = true
		}
	}
	s.emit(typ, value, n)
	return nil
}

// keyword reports whether a word is one where it stands, with the text after it: everywhere else it is a name. A let
// stands at the place of an operand, with a name and an equals sign behind it; the others stand after an operand, in
// only where a let waits for it, and the parts of rules only in rules.
func (s *scanner) keyword(word, after string) bool {
	after = strings.TrimLeft(after, " \t\r\n")
	switch word {
	case "let":
		n := span(after, identRune)
		return n > 0 && strings.HasPrefix(strings.TrimLeft(after[n:], " \t\r\n"), "=")
	case "in":
		return s.bound > 0 && !s.wantsOperand()
	case "rule", "lemma", "native":
		return !s.wantsOperand() && len(s.open) == 0 && span(after, ruleNameRune) > 0
	}
	return keywords[word] && s.rules && !s.wantsOperand()
}

// wantsOperand reports whether an operand has to come next. At the beginning it need not: rules begin there.
func (s *scanner) wantsOperand() bool {
	if len(s.toks) == 0 {
		return false
	}
	if len(s.toks) == s.after {
		return s.times
	}
	switch l := s.last(); l.Type {
	case tokKeyword, tokGroup, tokEin:
		return true
	case tokPunct:
		return !slices.Contains([]string{")", "]", "}", ">", "_", "...", "~", tensorMark}, l.Value)
	}
	return false
}

// number reads 12, 1.5, 1e-3 and the rational 1/2, which is written without blanks.
func (s *scanner) number(rest string) error {
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	n := span(rest, digit)
	if m := span(rest[min(n+1, len(rest)):], digit); m > 0 && (rest[n] == '.' || rest[n] == '/') {
		rational := rest[n] == '/'
		if n += 1 + m; rational {
			return s.emitNumber(rest, n)
		}
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		m := n + 1
		if m < len(rest) && (rest[m] == '-' || rest[m] == '+') {
			m++
		}
		if d := span(rest[m:], digit); d > 4 {
			return errorf(s.place(), "the exponent of this number is too large")
		} else if d > 0 {
			n = m + d
		}
	}
	return s.emitNumber(rest, n)
}

func (s *scanner) emitNumber(rest string, n int) error {
	if n > maxDigits {
		return errorf(s.place(), "a number of %d characters; the limit is %d", n, maxDigits)
	}
	if _, ok := new(big.Rat).SetString(rest[:n]); !ok {
		return errorf(s.place(), "%s is no number", rest[:n])
	}
	s.emit(tokNumber, rest[:n], n)
	return nil
}
