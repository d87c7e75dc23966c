package index

import (
	"github.com/alecthomas/participle/v2/lexer"

	"frechet/syntax"
)

// The concrete syntax, as participle reads it. Operands and operators alternate in one
// flat list; tree.go puts them into a tree by precedence. No alternative needs more
// than the next token, so the parser never backtracks.

// define = NAME [ "[" [ declared { sep declared } ] "]" ] "=" expr
type define struct {
	Name lexer.Token   `parser:"@(Name | Call)"`
	List *declaredList `parser:"@@?"`
	Is   lexer.Token   `parser:"@Rel"`
	Expr *flat         `parser:"@@"`
}

type declaredList struct {
	Open  lexer.Token    `parser:"@OpenB"`
	Items []*declaredOne `parser:"( @@ ( Sep @@ )* )?"`
	Close lexer.Token    `parser:"@CloseB"`
}

type declaredOne struct {
	Name lexer.Token `parser:"@Name"`
	Size *flat       `parser:"( Colon @@ )?"`
}

// flat = operand { OPERATOR operand }
type flat struct {
	First *operand `parser:"@@"`
	Rest  []*link  `parser:"@@*"`
}

type link struct {
	Op  lexer.Token `parser:"@Op"`
	Arg *operand    `parser:"@@"`
}

// operand = SIGNS operand | NUMBER | access | call | "(" expr ")" | total | if | where
type operand struct {
	Num    []lexer.Token `parser:"  @Num"`
	Access *access       `parser:"| @@"`
	Call   *call         `parser:"| @@"`
	Open   []lexer.Token `parser:"| @Open"`
	Inner  *flat         `parser:"  @@"`
	Close  []lexer.Token `parser:"  @Close"`
	Signs  []lexer.Token `parser:"| @Signs"`
	Signed *operand      `parser:"  @@"`
	Total  *total        `parser:"| @@"`
	If     *conditional  `parser:"| @@"`
	Where  *where        `parser:"| @@"`
}

// access = NAME [ "[" [ expr { sep expr } ] "]" ]
type access struct {
	Name  lexer.Token `parser:"@Name"`
	Index *brackets   `parser:"@@?"`
}

type brackets struct {
	Open  lexer.Token `parser:"@OpenB"`
	List  []*flat     `parser:"( @@ ( Sep @@ )* )?"`
	Close lexer.Token `parser:"@CloseB"`
}

// call = FUNCTION "(" expr { sep expr } ")"
type call struct {
	Name  lexer.Token `parser:"@Call Open"`
	Args  []*flat     `parser:"@@ ( Sep @@ )*"`
	Close lexer.Token `parser:"@Close"`
}

// total = "sum" "{" NAME "}" "_" bound "^" bound operand
type total struct {
	Key   lexer.Token `parser:"@Total OpenC"`
	Index lexer.Token `parser:"@Name CloseC Under"`
	Lower *operand    `parser:"@@ Caret"`
	Upper *operand    `parser:"@@"`
	Body  *operand    `parser:"@@"`
}

// if = "if" "{" relation "}" "then" expr "else" expr
type conditional struct {
	Key  lexer.Token `parser:"@If OpenC"`
	Cond *relation   `parser:"@@ CloseC"`
	Then *flat       `parser:"Then @@"`
	Else *flat       `parser:"Else @@"`
}

// where = "[" relation { sep relation } "]"
type where struct {
	Open  lexer.Token `parser:"@Where"`
	Rels  []*relation `parser:"@@ ( Sep @@ )*"`
	Close lexer.Token `parser:"@CloseB"`
}

type relation struct {
	Left  *flat       `parser:"@@"`
	Op    lexer.Token `parser:"@Rel"`
	Right *flat       `parser:"@@"`
}

var parser = syntax.ParserOf[define](lexing)

// Grammar is the grammar of definitions in index notation, a production on each line, as the parser has it.
func Grammar() string { return parser().String() + "\n" }
