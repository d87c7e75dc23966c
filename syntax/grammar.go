package syntax

import "github.com/alecthomas/participle/v2/lexer"

// The concrete syntax, as participle reads it. Operands and operators alternate
// in one flat list; tree.go puts them into a tree by precedence. No alternative
// needs more than the next token, so the parser never backtracks.

// statement = declare | let | expression | request | definition
type statement struct {
	Let     *letStmt     `parser:"  @@"`
	Declare *declareStmt `parser:"| @@"`
	Expr    *exprStmt    `parser:"| @@"`
	Request *requestStmt `parser:"| @@"`
	Define  *defineStmt  `parser:"| @@"`
}

// definition = [ "let" | "expression" ] NAME [ "[" ... "]" ] "=" ..., one token
type defineStmt struct {
	Token lexer.Token `parser:"@Define"`
}

// declare = "declare" { NAME ( NUMBER | "[" [ expr { "," expr } ] "]" { attribute [ "(" expr ")" ] } ) }
type declareStmt struct {
	Key   lexer.Token `parser:"@Declare"`
	Names []*declared `parser:"@@*"`
}

// Reserved names are read here and refused later, with a better message.
type declared struct {
	Name  lexer.Token   `parser:"@(Name | Call | Delta | Wrt)"`
	Order *numeral      `parser:"( @@"`
	Sizes *bracket      `parser:"| @@"`
	Of    []*attributes `parser:"@@* )"`
}

type attributes struct {
	Word  lexer.Token `parser:"@Attribute"`
	Bound *flat       `parser:"( Open @@ Close )?"`
}

type numeral struct {
	Token lexer.Token `parser:"@Num"`
}

type bracket struct {
	Open  lexer.Token `parser:"@OpenSize"`
	List  []*flat     `parser:"( @@ ( Comma @@ )* )?"`
	Close lexer.Token `parser:"@CloseSize"`
}

// let = "let" NAME [ "(" NAME { "," NAME } ")" ] "=" expr
type letStmt struct {
	Key    lexer.Token `parser:"@Let"`
	Name   lexer.Token `parser:"@(Name | Call | Delta | Wrt)"`
	Params []*argument `parser:"( Open @@ ( Comma @@ )* Close )?"`
	Expr   *flat       `parser:"Equals @@"`
}

// expression = "expression" [ NAME "=" ] expr
type exprStmt struct {
	Key   lexer.Token `parser:"( @Expression"`
	Named *exprNamed  `parser:"| @@ )"`
	Expr  *flat       `parser:"@@"`
}

type exprNamed struct {
	Key  lexer.Token `parser:"@ExpressionAs"`
	Name lexer.Token `parser:"@(Name | Call | Delta | Wrt) Equals"`
}

// request = WORD "wrt" NAME { "," NAME } [ "order" NUMBER ] [ "along" NAME ]
type requestStmt struct {
	Key   lexer.Token `parser:"@Request Wrt"`
	Wrt   []*argument `parser:"@@ ( Comma @@ )*"`
	Order *numeral    `parser:"( \"order\":Name @@ )?"`
	Along *argument   `parser:"( \"along\":Name @@ )?"`
	Via   *argument   `parser:"( \"through\":Name @@ )?"`
}

type argument struct {
	Token lexer.Token `parser:"@Name"`
}

// Where a capture is one token, a slice of the token stream costs less than a copy.

// flat = operand { OPERATOR operand | PRIME | UNARYGROUP | subscripts }
//
// The operand is embedded, here and in link: participle joins its rule to the one
// around it, which saves a struct for every operand.
type flat struct {
	operand
	Rest []*link `parser:"@@*"`
}

type link struct {
	Op []lexer.Token `parser:"( @Op"`
	operand
	After []lexer.Token `parser:"| @After"`
	Index *subscripts   `parser:"| @@ )"`
}

// subscripts = "[" subscript { ( "," | ";" ) subscript } "]"
type subscripts struct {
	Open  lexer.Token  `parser:"@OpenSize"`
	List  []*subscript `parser:"@@ ( ( Comma | Semicolon ) @@ )*"`
	Close lexer.Token  `parser:"@CloseSize"`
}

// subscript = expr | [ expr ] ":" [ expr ] [ ":" [ expr ] ]
type subscript struct {
	First *flat   `parser:"( @@"`
	Range *bounds `parser:"  @@?"`
	Whole *bounds `parser:"| @@ )"` // without a first bound
}

type bounds struct {
	Colon lexer.Token   `parser:"@Colon"`
	Stop  *flat         `parser:"@@?"`
	Again []lexer.Token `parser:"( @Colon"`
	Step  *flat         `parser:"  @@? )?"`
}

// blocks = "[" row { ";" row } "]", row = expr { "," expr }
type blocks struct {
	Open  lexer.Token `parser:"@OpenSize"`
	Rows  []*blockRow `parser:"@@ ( Semicolon @@ )*"`
	Close lexer.Token `parser:"@CloseSize"`
}

type blockRow struct {
	Cells []*flat `parser:"@@ ( Comma @@ )*"`
}

// operand = NAME | call | NUMBER [ sizes ] | "(" expr ")" | SIGNS operand | ...
type operand struct {
	Name   []lexer.Token `parser:"( @Name"`
	Call   *call         `parser:"| @@"`
	Num    []lexer.Token `parser:"| @Num"`
	Sizes  *bracket      `parser:"  @@?"`
	Open   []lexer.Token `parser:"| @Open"`
	Inner  *flat         `parser:"  @@ Close"`
	Signs  []lexer.Token `parser:"| @Signs"`
	Signed *signed       `parser:"  @@"`
	Delta  *delta        `parser:"| @@"`
	Einsum *einsum       `parser:"| @@"`
	Blocks *blocks       `parser:"| @@"`
	Scan   *scan         `parser:"| @@ )"`
}

// scan = ( ( "scan" | "iterate" | "states" ) "(" NAME ":" expr { "," part } ")"
// | ( "root" | "fixpoint" | "argmin" ) "(" NAME "=" expr ")" ) { "let" NAME "=" expr "in" } expr
type scan struct {
	Key     lexer.Token   `parser:"@Scan Open"`
	Counter []lexer.Token `parser:"( @Name Colon"`
	Steps   *flat         `parser:"  @@"`
	Parts   []*scanPart   `parser:"  ( Comma @@ )*"`
	Begin   *scanPart     `parser:"| @@ ) Body"`
	Lets    []*scanLet    `parser:"@@*"`
	Step    *flat         `parser:"@@"`
}

// part = NAME ( "=" | "+=" ) expr | "reverse"
type scanPart struct {
	Name []lexer.Token `parser:"( @Option"`
	Sign []lexer.Token `parser:"  @Equals"`
	Arg  *flat         `parser:"  @@"`
	Word []lexer.Token `parser:"| @Name )"`
}

type scanLet struct {
	Name lexer.Token `parser:"Let @(Name | Call | Delta | Wrt) Equals"`
	Expr *flat       `parser:"@@ In"`
}

type signed struct{ operand }

// call = FUNCTION "(" argument { "," argument } ")"
type call struct {
	Name []lexer.Token `parser:"@Call Open"`
	Arg  *flat         `parser:"@@"`
	More []*option     `parser:"( Comma @@ )* Close"`
}

// A later argument is an expression or an option, `axis=-1` or `keepdims=True`.
type option struct {
	Name  []lexer.Token `parser:"( @Option Equals"`
	Minus bool          `parser:"  @Signs?"`
	Value *numeral      `parser:"  ( @@"`
	Word  *argument     `parser:"  | @@ )"`
	Arg   *flat         `parser:"| @@ )"`
}

// delta = "delta" ( "(" NUMBER ")" | sizes )
type delta struct {
	Key   lexer.Token `parser:"@Delta"`
	Order *numeral    `parser:"( Open @@ Close"`
	Sizes *bracket    `parser:"| @@ )"`
}

// einsum = "einsum(" s { "," s } "->" s ";" expr { "," expr } ")"
type einsum struct {
	Head lexer.Token `parser:"@Einsum"`
	Args []*flat     `parser:"@@ ( Comma @@ )* Close"`
}

var (
	statements  = ParserOf[statement](lexing)
	expressions = ParserOf[flat](lexing)
)

// Grammar is the grammar of programs in Einstein and matrix notation, a production on each line, as the parser has it.
func Grammar() string { return statements().String() + "\n" }
