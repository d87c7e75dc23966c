package syntax

import (
	"errors"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Parse reads a program. Zero limits are the defaults. An error is a *[Error]:
// the first in the text that the notation alone shows, which includes reserved
// names and unknown functions, but not undeclared ones.
func Parse(src string, limits Limits) (*File, error) {
	tree, tokens, err := start(src, limits, newProgramLexer)
	if err != nil {
		return nil, err
	}
	if err := tree.declaredKeyword(); err != nil {
		return nil, err
	}
	file := &File{Src: src}
	count, parser := 0, statements()
	for !tokens.Peek().EOF() {
		// One statement at a time, so that its concrete syntax is short-lived.
		stmt, err := parser.ParseFromLexer(tokens, participle.AllowTrailing(true))
		if err != nil {
			return nil, tree.explain(err)
		}
		if err := tree.statement(file, stmt); err != nil {
			return nil, err
		}
		if file.Stmts[len(file.Stmts)-1].Kind == Expression {
			count++
		}
	}
	if count == 0 {
		end := tokens.Peek().Pos.Offset
		return nil, file.Errorf("S008", Span{end, end}, "the program ends before an expression").
			Helpf("write the function after its declarations: expression EXPR")
	}
	return file, nil
}

// ParseExpr reads one expression alone, without a statement around it.
func ParseExpr(src string, limits Limits) (*Expr, error) {
	tree, tokens, err := start(src, limits, newLexer)
	if err != nil {
		return nil, err
	}
	flat, err := expressions().ParseFromLexer(tokens)
	if err != nil {
		return nil, tree.explain(err)
	}
	return tree.checked(flat)
}

// start lexes src.
func start(src string, limits Limits, lexed func(string, Limits) *Lexer) (*builder, *lexer.PeekingLexer, error) {
	limits = limits.WithDefaults()
	if len(src) > limits.Bytes {
		e := newError("", "L001", Span{}, "the program is %d bytes long; the limit is %d", len(src), limits.Bytes)
		e.Line, e.Column = 1, 1
		return nil, nil, e.Helpf("pass data as files, not as text, or raise the limit of the input's size")
	}
	lex := lexed(src, limits)
	tokens, err := lexer.Upgrade(lex)
	if err != nil {
		return nil, nil, err
	}
	if lex.Err != nil && lex.Err.Kind == KindLimit {
		return nil, nil, lex.Err // at once, before the parser gets to it
	}
	return &builder{src: src, limits: limits, lex: lex, lexed: lexed}, tokens, nil
}

// explain turns participle's error into ours.
func (b *builder) explain(err error) error {
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		// The only other error: a list longer than participle reads.
		e := newError(b.src, "L005", Span{0, 0}, "the program has a list of more than %d parts", participle.MaxIterations)
		return e.Helpf("split it by let")
	}
	at := unexpected.Unexpected.Pos.Offset
	if unexpected.Unexpected.Type == tokBad && b.lex.Err != nil {
		return b.lex.Err
	}
	return b.unexpected(at)
}
