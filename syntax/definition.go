package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// A definition in index notation, `y[i] = sum{k}_0^2 (x[i + k] * w[k])`, alone or after
// `let` or `expression`, is one token of this language: its text runs to the next
// statement. Nothing else in the language has `=` after a bracket, and `=` stands
// outside of brackets only once in a definition, so that the end of one is found without
// reading it. Package syntax/index reads what is inside.

// head is what the lexer found out about a definition.
type head struct {
	kind StmtKind
	name Span // of the tensor that it defines
	body Span // from the name to the end, blanks at the end excluded
}

// definition reads the definition that begins with the word from i to end, if one does.
func (l *Lexer) definition(i, end int) (to int, ok bool) {
	h := head{kind: Expression, name: Span{i, end}}
	keyword := l.Src[i:end]
	if name, ok := l.mapHead(i, end); ok {
		to = l.mapEnd(name.End)
		h.kind, h.name, h.body = Map, name, Span{name.Start, to}
		l.defs[i] = h
		return to, true
	}
	if name, ok := l.primitiveHead(i, end); ok {
		to = l.primitiveEnd(name.End)
		h.kind, h.name, h.body = Primitive, name, Span{i, to}
		l.defs[i] = h
		return to, true
	}
	if keyword == "let" || keyword == "expression" {
		at := l.SkipBlanks(end)
		if e := l.wordEnd(at); e > at && l.At(l.SkipBlanks(e)) == '[' {
			h.name = Span{at, e}
			if keyword == "let" {
				h.kind = Let
			}
		}
	}
	eq, found := l.definitionHead(h.name.End)
	if !found || l.Src[h.name.End:eq] == "" {
		return 0, false
	}
	if bracketed := l.At(l.SkipBlanks(h.name.End)) == '['; !bracketed && (!l.bare || l.named(h.name.End) || l.Prev == tokLet || l.Prev == tokExpressionAs || Reserved(keyword) || keyword == "let") {
		return 0, false
	}
	to = l.definitionEnd(eq + 1)
	h.body = Span{h.name.Start, to}
	l.defs[i] = h
	return to, true
}

// definitionHead returns the offset of the `=` after NAME or NAME[...], whose name ends
// at i.
func (l *Lexer) definitionHead(i int) (int, bool) {
	for l.At(i) == '\'' {
		i++
	}
	i = l.SkipBlanks(i)
	if l.At(i) == '[' {
		depth := 0
		for ; i < len(l.Src); i++ {
			switch c := l.Src[i]; {
			case c == '[' || c == '(':
				depth++
			case c == ']' || c == ')':
				depth--
			case c == '=' || c == '#' || c == '{':
				return 0, false
			}
			if depth == 0 {
				i = l.SkipBlanks(i + 1)
				return i, l.At(i) == '=' && l.At(i+1) != '='
			}
		}
		return 0, false
	}
	return i, l.At(i) == '=' && l.At(i+1) != '='
}

// definitionEnd returns the end of the definition whose right side begins at i.
func (l *Lexer) definitionEnd(i int) int {
	depth, end := 0, i
	last := byte('=') // the character before, blanks aside
	for i = l.SkipBlanks(i); i < len(l.Src); i = l.SkipBlanks(i) {
		c := l.Src[i]
		switch {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth = max(depth-1, 0)
		case IsLetter(c):
			e := l.wordEnd(i)
			if depth == 0 && l.beginsStatement(i, e, strings.IndexByte("=+-*/^<>", last) >= 0) {
				return end
			}
			i, end, last = e, e, 'w'
			continue
		case IsDigit(c):
			for IsDigit(l.At(i)) || l.At(i) == '.' {
				i++
			}
			if e := l.At(i); e == 'e' || e == 'E' {
				i++ // an exponent, not a word
			}
			end, last = i, '0'
			continue
		}
		i++
		end, last = i, c
	}
	return end
}

// beginsStatement reports whether the word from i to end begins a statement where an
// expression of index notation may end, or where an operand is wanted.
func (l *Lexer) beginsStatement(i, end int, wanted bool) bool {
	if _, ok := l.request(i, end); ok {
		return true
	}
	switch l.Src[i:end] {
	case "declare", "expression", "derivative":
		return true
	case "map":
		_, ok := l.mapHead(i, end)
		return ok
	case "primitive":
		_, ok := l.primitiveHead(i, end)
		return ok
	case "let":
		w, e := l.peekWord(end)
		return w != "" && (!wanted || l.binds(e))
	case "then", "else":
		return false
	}
	_, ok := l.definitionHead(end)
	return ok
}

// SkipBlanks returns the offset of the first token at or after offset i, or of the end.
func (f *File) SkipBlanks(i int) int { return (&Scanner{Src: f.Src, End: len(f.Src)}).SkipBlanks(i) }

// brokenDefinition explains why the name from i to end, with which a program begins and
// which a bracket follows, begins no definition; nil if no bracket follows.
func (b *builder) brokenDefinition(i, end int) *Error {
	l := b.lex
	open := l.SkipBlanks(end)
	if l.At(open) != '[' {
		return nil
	}
	fail := func(at int, missing string) *Error {
		what, stop := "the end of the program", at
		if at < len(l.Src) {
			_, n := utf8.DecodeRuneInString(l.Src[at:])
			stop = max(at+n, l.wordEnd(at))
			if strings.HasPrefix(l.Src[at:], "==") {
				stop = at + 2
			}
			what = "`" + l.Src[at:stop] + "`"
		}
		return newError(b.src, "S002", Span{at, stop}, "`%s` is missing before %s", missing, what).
			Helpf("a definition is written %s[i] = ...", l.Src[i:end])
	}
	depth := 0
	for at := open; at < len(l.Src); at = l.SkipBlanks(at + 1) {
		switch l.Src[at] {
		case '[':
			depth++
		case ']':
			depth--
		case '=', '{':
			return fail(at, "]")
		}
		if depth == 0 {
			return fail(l.SkipBlanks(at+1), "=")
		}
	}
	return fail(len(l.Src), "]")
}

// hasWord reports whether a word stands in src outside of comments.
func hasWord(src, word string) bool {
	inName := func(c byte) bool { return IsLetter(c) || IsDigit(c) || c == '_' }
	for line := range strings.Lines(src) {
		line, _, _ = strings.Cut(line, "#")
		for at := 0; ; {
			i := strings.Index(line[at:], word)
			if i < 0 {
				break
			}
			i += at
			at = i + len(word)
			if (i == 0 || !inName(line[i-1])) && (at == len(line) || !inName(line[at])) {
				return true
			}
		}
	}
	return false
}

// defined makes the statement of a definition.
func (b *builder) defined(t lexer.Token) Stmt {
	h := b.lex.defs[t.Pos.Offset]
	name := lexer.Token{Value: b.src[h.name.Start:h.name.End], Pos: lexer.Position{Offset: h.name.Start}}
	id := identOf(name)
	if h.kind != Primitive {
		id = b.newName(name)
	}
	return Stmt{Kind: h.kind, Span: spanOf(t), Name: id, Index: &h.body, Text: b.src[h.body.Start:h.body.End]}
}
