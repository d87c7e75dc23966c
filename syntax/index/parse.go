package index

import (
	"errors"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"frechet/syntax"
)

// Parse reads the definition that stands at span of a program's text. Zero limits are
// the defaults. An error is a *[syntax.Error]: the first in the text that the notation
// alone shows.
func Parse(file *syntax.File, span syntax.Span, limits syntax.Limits) (*Definition, error) {
	toks := newTokens(file, span, limits)
	stream, err := lexer.Upgrade(toks)
	if err != nil {
		return nil, err
	}
	if toks.Err != nil && toks.Err.Kind == syntax.KindLimit {
		return nil, toks.Err // at once, before the parser gets to it
	}
	tree, err := parser().ParseFromLexer(stream)
	if err != nil {
		var unexpected *participle.UnexpectedTokenError
		if !errors.As(err, &unexpected) {
			return nil, file.Errorf("L005", span, "the definition has a list of more than %d parts", participle.MaxIterations)
		}
		if unexpected.Unexpected.Type == tokBad && toks.Err != nil {
			return nil, toks.Err
		}
		return nil, explain(file, span, limits, unexpected.Unexpected.Pos.Offset)
	}
	b := &builder{file: file, limits: limits.WithDefaults(), toks: toks}
	d := b.definition(tree)
	if b.err != nil {
		return nil, b.err
	}
	d.Span = span
	return d, nil
}

// ParseText reads a text that is one definition alone.
func ParseText(src string, limits syntax.Limits) (*Definition, error) {
	return Parse(&syntax.File{Src: src}, syntax.Span{End: len(src)}, limits)
}

// locate reads the text again, up to the token at offset; open is the innermost bracket around it.
func locate(file *syntax.File, span syntax.Span, limits syntax.Limits, offset int) (found, prev, open lexer.Token) {
	l := newTokens(file, span, limits)
	around := []lexer.Token{{}}
	for {
		t, _ := l.Next()
		if t.EOF() || t.Pos.Offset >= offset {
			return t, prev, around[len(around)-1]
		}
		switch t.Type {
		case tokOpen, tokOpenB, tokWhere, tokOpenC:
			around = append(around, t)
		case tokClose, tokCloseB, tokCloseC:
			around = around[:max(1, len(around)-1)]
		}
		prev = t
	}
}

// explain says what is wrong with the token at offset, where the grammar stopped.
func explain(file *syntax.File, span syntax.Span, limits syntax.Limits, offset int) *syntax.Error {
	found, prev, last := locate(file, span, limits, offset)
	what, at := "`"+found.Value+"`", spanOf(found)
	if found.EOF() {
		// As everywhere in the language, what ends too early is missed where the next token stands.
		what = "the end of the definition"
		at.Start = file.SkipBlanks(at.Start)
		at.End = at.Start
	}
	fail := func(code syntax.Code, format string, args ...any) *syntax.Error {
		return file.Errorf(code, at, format, args...)
	}
	if e := explainAfter(prev, found, what, fail); e != nil {
		return e
	}
	closes := found.Type == tokClose || found.Type == tokCloseB || found.Type == tokCloseC
	switch {
	case last.Type != 0 && (found.EOF() || closes || found.Type == tokThen || found.Type == tokElse):
		return fail("S004", "`%s` is missing before %s", closing(last), what).Note(spanOf(last), "opened here")
	case closes:
		return fail("S004", "this `%s` closes nothing", found.Value)
	case found.EOF():
		return fail("S002", "the definition ends too early").Helpf("a definition is written f[i] = x[i]")
	case prev.Value == ")" && found.Value == "[":
		return fail("S004", "what is in parentheses cannot be indexed").
			Helpf("give it a name and index that: let y = ..., then y[i]; a condition is a factor: (x[i]) * [i = 0]")
	case endsOperand(prev.Type) && startsOperand(found.Type):
		return fail("S004", "an operator is missing between `%s` and %s", prev.Value, what).
			Helpf("products are written out: x[i] * y[j]")
	}
	return fail("S002", "unexpected %s", what)
}

// explainAfter explains a token by what the one before it needs; nil where that says nothing.
func explainAfter(prev, found lexer.Token, what string, fail func(syntax.Code, string, ...any) *syntax.Error) *syntax.Error {
	switch prev.Type {
	case 0:
		return fail("S002", "a definition begins with the name of its tensor").Helpf("write f[i] = x[i]")
	case tokTotal, tokIf:
		return fail("S002", "%s is unexpected after `%s {`", what, prev.Value)
	case tokUnder, tokCaret:
		return fail("S003", "a bound of the sum is missing before %s", what).Helpf("write sum{k}_0^(n-1) (...)")
	case tokOp, tokSigns, tokRel, tokSep, tokColon, tokOpen, tokOpenB, tokWhere, tokOpenC:
		switch {
		case prev.Type == tokOpen && found.Type == tokClose:
			return fail("S006", "nothing stands between the parentheses")
		case prev.Type == tokOpenC:
			return fail("S002", "%s is unexpected between braces", what)
		case found.Type == tokRel && prev.Type == tokRel:
			return fail("S002", "%s is unexpected after `%s`", what, prev.Value)
		}
		return fail("S003", "an operand is missing after `%s`", prev.Value)
	case tokThen, tokElse:
		return fail("S003", "an expression is missing after `%s`", prev.Value)
	case tokCloseC:
		if found.Type != tokUnder && found.Type != tokThen {
			return fail("S002", "%s is unexpected here", what).
				Helpf("a sum is written sum{k}_0^4 (...), a conditional if {i - j = 0} then .. else ..")
		}
	}
	return nil
}

func closing(open lexer.Token) string {
	switch open.Type {
	case tokOpen:
		return ")"
	case tokOpenC:
		return "}"
	}
	return "]"
}

func startsOperand(t lexer.TokenType) bool {
	switch t {
	case tokName, tokNum, tokCall, tokTotal, tokIf, tokOpen, tokWhere, tokSigns:
		return true
	}
	return false
}
