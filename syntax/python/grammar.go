// Package python reads functions as they are written in Python with NumPy, PyTorch or JAX, and translates them into the
// Einstein language. Nothing is run: a function is its expression.
package python

import (
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// maxNesting bounds the depth of brackets, and how many powers, lambdas and conditions a text has: these nest, too.
const maxNesting = 200

var tokens = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Number", Pattern: `(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?`},
	{Name: "String", Pattern: `[rbfuRBFU]{0,2}(?:"""(?s:.*?)"""|'''(?s:.*?)'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`},
	{Name: "Ident", Pattern: `[\pL_][\pL\pN_]*`},
	{Name: "Op", Pattern: `\*\*=|//=|->|\*\*|//|<=|>=|==|!=|\+=|-=|\*=|/=|@=|\.\.\.|[-+*/%@<>=()\[\]{},:.&|^~!;$?\\]` + "|`"},
	{Name: "Newline", Pattern: `\n`},
	{Name: "space", Pattern: `[ \t\r]+`},
})

// A file is the lines of a text.
type file struct {
	Lines []*line `parser:"Newline* ( @@ ( Newline | ';' )* )*"`
}

// A line is a statement. Lines of a function stand below its head; how far they are indented is not looked at.
type line struct {
	Pos    lexer.Position
	Import bool    `parser:"  @( 'import' | 'from' ) ( Ident | '.' | ',' | '*' | '(' | ')' )*"`
	Def    *def    `parser:"| @@"`
	Return *tuple  `parser:"| 'return' @@"`
	Other  string  `parser:"| @( 'for' | 'while' | 'if' | 'elif' | 'else' | 'with' | 'class' | 'try' | 'raise' | 'assert' | 'del' | 'global' | 'yield' | 'pass' | 'async' ) ~Newline*"`
	Assign *assign `parser:"| @@"`
}

type def struct {
	Name   string   `parser:"'def' @Ident '('"`
	Params []*param `parser:"( @@ ( ',' @@? )* )? ')'"`
	Gives  *ternary `parser:"( '->' @@ )? ':'"`
}

type param struct {
	Pos        lexer.Position
	Star       string   `parser:"@( '**' | '*' )?"`
	Name       string   `parser:"@Ident?"`
	Annotation *ternary `parser:"( ':' @@ )?"`
	Default    *ternary `parser:"( '=' @@ )?"`
}

// An assign is targets with a value, or an expression alone.
type assign struct {
	First      *tuple   `parser:"@@"`
	Annotation *ternary `parser:"( ':' @@ )?"`
	Op         string   `parser:"( @( '=' | '+=' | '-=' | '*=' | '/=' | '@=' | '**=' )"`
	Value      *tuple   `parser:"  @@ )?"`
}

type tuple struct {
	Pos   lexer.Position
	First *expr        `parser:"@@"`
	Rest  []*tupleRest `parser:"@@*"`
}

type tupleRest struct {
	Comma string `parser:"@','"`
	Item  *expr  `parser:"@@?"`
}

// items are the parts of a tuple; one without a comma is no tuple.
func (t *tuple) items() (items []*expr, isTuple bool) {
	items = []*expr{t.First}
	for _, r := range t.Rest {
		if r.Item != nil {
			items = append(items, r.Item)
		}
	}
	return items, len(t.Rest) > 0
}

type expr struct {
	Lambda  *lambda  `parser:"  @@"`
	Ternary *ternary `parser:"| @@"`
}

type lambda struct {
	Pos    lexer.Position
	Params []*lambdaParam `parser:"'lambda' ( @@ ( ',' @@ )* )? ':'"`
	Body   *expr          `parser:"@@"`
}

type lambdaParam struct {
	Pos     lexer.Position
	Star    string   `parser:"@( '**' | '*' )?"`
	Name    string   `parser:"@Ident"`
	Default *ternary `parser:"( '=' @@ )?"`
}

type ternary struct {
	Pos  lexer.Position
	Then *logic `parser:"@@"`
	If   *logic `parser:"( 'if' @@"`
	Else *expr  `parser:"  'else' @@ )?"`
}

// A logic is comparisons joined by words, which are read to be refused.
type logic struct {
	Pos   lexer.Position
	Not   bool         `parser:"@'not'?"`
	First *compare     `parser:"@@"`
	Rest  []*logicRest `parser:"@@*"`
}

type logicRest struct {
	Op    string   `parser:"@( 'and' | 'or' | '&' | '|' | '^' ) 'not'?"`
	Right *compare `parser:"@@"`
}

type compare struct {
	Pos  lexer.Position
	Left *sum     `parser:"@@"`
	Rest []*right `parser:"@@*"`
}

type right struct {
	Op    string `parser:"@( '<=' | '>=' | '==' | '!=' | '<' | '>' | 'is' | 'in' )"`
	Right *sum   `parser:"@@"`
}

type sum struct {
	Pos  lexer.Position
	Left *term      `parser:"@@"`
	Rest []*sumRest `parser:"@@*"`
}

type sumRest struct {
	Op    string `parser:"@( '+' | '-' )"`
	Right *term  `parser:"@@"`
}

type term struct {
	Pos  lexer.Position
	Left *unary      `parser:"@@"`
	Rest []*termRest `parser:"@@*"`
}

type termRest struct {
	Op    string `parser:"@( '*' | '@' | '/' | '//' | '%' )"`
	Right *unary `parser:"@@"`
}

type unary struct {
	Pos   lexer.Position
	Signs []string `parser:"@( '-' | '+' | '~' )*"`
	Power *power   `parser:"@@"`
}

type power struct {
	Pos      lexer.Position
	Base     *postfix `parser:"@@"`
	Exponent *unary   `parser:"( '**' @@ )?"`
}

type postfix struct {
	Pos      lexer.Position
	Atom     *atom      `parser:"@@"`
	Trailers []*trailer `parser:"@@*"`
	EndPos   lexer.Position
}

type trailer struct {
	Pos       lexer.Position
	Attribute string       `parser:"  '.' @Ident"`
	Call      *arguments   `parser:"| @@"`
	Subscript []*subscript `parser:"| '[' @@ ( ',' @@? )* ']'"`
}

type arguments struct {
	Open string      `parser:"@'('"`
	List []*argument `parser:"( @@ ( ',' @@? )* )? ')'"`
}

// An argument with a name has the name in the place of its value.
type argument struct {
	Pos   lexer.Position
	Star  string `parser:"@( '**' | '*' )?"`
	First *expr  `parser:"@@"`
	Named *expr  `parser:"( '=' @@ )?"`
}

type subscript struct {
	Pos      lexer.Position
	Ellipsis bool     `parser:"  @'...'"`
	First    *ternary `parser:"| ( @@"`
	Colon    bool     `parser:"    ( @':'"`
	Stop     *ternary `parser:"      @@?"`
	Step     *step    `parser:"      @@? )?"`
	Colon2   bool     `parser:"  | @':'"`
	Stop2    *ternary `parser:"    @@?"`
	Step2    *step    `parser:"    @@? )"`
}

type step struct {
	Colon string   `parser:"@':'"`
	By    *ternary `parser:"@@?"`
}

type atom struct {
	Pos    lexer.Position
	Number string     `parser:"  @Number"`
	Text   []string   `parser:"| @String+"`
	Name   string     `parser:"| @Ident"`
	Paren  *parens    `parser:"| @@"`
	List   *arrayList `parser:"| @@"`
}

type parens struct {
	Open  string `parser:"@'('"`
	Inner *tuple `parser:"@@? ')'"`
}

type arrayList struct {
	Open  string  `parser:"@'['"`
	Items []*expr `parser:"( @@ ( ',' @@? )* )?"`
	For   string  `parser:"@( 'for' ~']'* )? ']'"`
}

var parser = sync.OnceValue(func() *participle.Parser[file] {
	return participle.MustBuild[file](participle.Lexer(tokens), participle.Elide("space"))
})

// Grammar is the grammar of what is read of Python, a production on each line, as the parser has it.
func Grammar() string { return parser().String() + "\n" }

// joined is a text of the same length with comments, line continuations and the ends of lines inside of brackets blank, and how deep
// brackets go.
func joined(src string) (text string, depth int) {
	b := []byte(src)
	level, quote := 0, ""
	for i := 0; i < len(b); i++ {
		rest := src[i:]
		switch {
		case quote != "":
			switch {
			case b[i] == '\\':
				i++
			case strings.HasPrefix(rest, quote):
				i += len(quote) - 1
				quote = ""
			case b[i] == '\n' && len(quote) == 1:
				quote = ""
			}
			continue
		case strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, `'''`):
			quote = rest[:3]
			i += 2
		case b[i] == '"' || b[i] == '\'':
			quote = rest[:1]
		case b[i] == '#':
			for ; i < len(b) && b[i] != '\n'; i++ {
				b[i] = ' '
			}
			i--
			continue
		case b[i] == '\\' && strings.HasPrefix(rest, "\\\n"):
			b[i], b[i+1] = ' ', ' '
		case strings.IndexByte("([{", b[i]) >= 0:
			level++
		case strings.IndexByte(")]}", b[i]) >= 0:
			level--
		case b[i] == '\n' && level > 0:
			b[i] = ' '
		}
		depth = max(depth, level)
	}
	return string(b), depth
}
