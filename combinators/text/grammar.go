package text

import (
	"errors"
	"math/big"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"frechet/internal/must"
)

// Term = "let" Bind { ";" Bind } "in" Term | Sum
type gTerm struct {
	Let *gLet `parser:"  @@"`
	Sum *gSum `parser:"| @@"`
}

type gLet struct {
	Pos  lexer.Position
	Bind []*gBind `parser:"'let' @@ (';' @@)*"`
	Body *gTerm   `parser:"'in' @@"`
}

type gBind struct {
	Name string `parser:"@Ident '='"`
	Val  *gTerm `parser:"@@"`
}

// Sum = Par { ("+" | "-") Par }, associating to the left
type gSum struct {
	Left *gPar   `parser:"@@"`
	Rest []*gAdd `parser:"@@*"`
}

type gAdd struct {
	Op    string `parser:"@('+' | '-')"`
	Right *gPar  `parser:"@@"`
}

// Par = Mul { "x" Mul }: after an operand the name x is the product of maps
type gPar struct {
	Left *gMul   `parser:"@@"`
	Rest []*gMul `parser:"('x' @@)*"`
}

// Mul = Neg { (".*" | "./" | "⊗" | "*(" Group ")") Neg }, associating to the left
type gMul struct {
	Left *gNeg     `parser:"@@"`
	Rest []*gTimes `parser:"@@*"`
}

type gTimes struct {
	Pos   lexer.Position
	Op    string  `parser:"( @('.*' | './' | '⊗')"`
	Group *gGroup `parser:"| Group @@ ')' )"`
	Right *gNeg   `parser:"@@"`
}

// Neg = { "-" } Comp
type gNeg struct {
	Minus []string `parser:"@'-'*"`
	Comp  *gComp   `parser:"@@"`
}

// Comp = Power { "." Power }
type gComp struct {
	Left *gPower   `parser:"@@"`
	Rest []*gPower `parser:"('.' @@)*"`
}

// Power = Post { ".^" { "-" } Post }, associating to the right
type gPower struct {
	Base *gPost  `parser:"@@"`
	Rest []*gExp `parser:"@@*"`
}

type gExp struct {
	Minus []string `parser:"'.^' @'-'*"`
	Post  *gPost   `parser:"@@"`
}

// Post = Atom { "(" [Args] ")" | "^" "[" Attrs "]" }
type gPost struct {
	Pos  lexer.Position
	Atom *gAtom   `parser:"@@"`
	Tail []*gTail `parser:"@@*"`
}

type gTail struct {
	Args  *gArgs   `parser:"  '(' @@ ')'"`
	Power []*gASum `parser:"| '^' '[' @@ (',' @@)* ']'"`
}

type gArgs struct {
	Terms []*gTerm `parser:"(@@ (',' @@)*)?"`
}

// Atom = Number ["[" Attrs "]"] | "_" | "⊗" | "ein(" Group ";" [Args] ")" | "*(" Group ")" | "<" Args ">" | "[" Row { ";" Row } "]"
//
//	| "(" "*" Term ")" | "(" Args [ "*" [ Term ] ] [ ":" Type ] ")" | Ident "{" Ident "}" "(" Term ")" | Ident [ "[" Attrs "]" ]
type gAtom struct {
	Pos    lexer.Position
	Number *string  `parser:"  @Number"`
	Shape  []*gASum `parser:"   ('[' @@ (',' @@)* ']')?"`
	Hole   bool     `parser:"| @'_'"`
	Tensor bool     `parser:"| @'⊗'"`
	Ein    *gEin    `parser:"| @@"`
	Group  *gGroup  `parser:"| Group @@ ')'"`
	Pair   []*gTerm `parser:"| '<' @@ (',' @@)* '>'"`
	Rows   []*gRow  `parser:"| '[' @@ (';' @@)* ']'"`
	Lead   *gTerm   `parser:"| '(' ('*' @@)?"`
	Tuple  *gArgs   `parser:"      @@"`
	Star   bool     `parser:"      ( @'*'"`
	By     *gTerm   `parser:"        @@? )?"`
	Type   *gType   `parser:"      (':' @@)? ')'"`
	Name   *gName   `parser:"| @@"`
}

// Row = Term { "," Term }
type gRow struct {
	Cells []*gTerm `parser:"@@ (',' @@)*"`
}

type gEin struct {
	Group *gGroup `parser:"Ein @@"`
	Args  *gArgs  `parser:"';' @@ ')'"`
}

// Group = Axes { "," Axes } "->" Axes [ "|" After { "," After } ]
type gGroup struct {
	In    []*gAxes  `parser:"@@ (',' @@)*"`
	Out   *gAxes    `parser:"'->' @@"`
	After []*gAfter `parser:"('|' @@ (',' @@)*)?"`
}

// Axes = [ "[" [ Form { "," Form } ] "]" ] [ "_" ] [ "..." ] { Ident } [ "~" ], the forms instead of all else
type gAxes struct {
	Pos     lexer.Position
	General bool     `parser:"( @'['"`
	Forms   []*gForm `parser:"  (@@ (',' @@)*)? ']' )?"`
	Empty   bool     `parser:"@'_'?"`
	Batch   bool     `parser:"@'...'?"`
	Letters []gWord  `parser:"@@*"`
	Rest    bool     `parser:"@'~'?"`
}

type gWord struct {
	Pos  lexer.Position
	Word string `parser:"@Ident"`
}

// Form = ASum ":" ASum
type gForm struct {
	Index *gASum `parser:"@@"`
	Size  *gASum `parser:"':' @@"`
}

// After = ASum ( "=" | "==" | ">=" ) ASum
type gAfter struct {
	Pos   lexer.Position
	Left  *gASum `parser:"@@"`
	Op    string `parser:"@('=' | '==' | '>=')"`
	Right *gASum `parser:"@@"`
}

type gName struct {
	Name   string   `parser:"@Ident"`
	Binder string   `parser:"(  '{' @Ident '}'"`
	Body   *gTerm   `parser:"   '(' @@ ')'"`
	Attrs  []*gASum `parser:"| '[' @@ (',' @@)* ']' )?"`
}

// Attributes and conditions: ASum = AMul { ("+" | "-") AMul }, AMul = ANeg { ("*" | "/") ANeg }
type gASum struct {
	Left *gAMul   `parser:"@@"`
	Rest []*gAAdd `parser:"@@*"`
}

type gAAdd struct {
	Op    string `parser:"@('+' | '-')"`
	Right *gAMul `parser:"@@"`
}

type gAMul struct {
	Left *gANeg     `parser:"@@"`
	Rest []*gATimes `parser:"@@*"`
}

type gATimes struct {
	Op    string `parser:"@('*' | '/')"`
	Right *gANeg `parser:"@@"`
}

type gANeg struct {
	Pos    lexer.Position
	Minus  []string `parser:"@'-'*"`
	Number *string  `parser:"(  @Number"`
	Dots   bool     `parser:" | @'...'"`
	Paren  *gASum   `parser:" | '(' @@ ')'"`
	Name   string   `parser:" | @Ident"`
	Args   []*gASum `parser:"   ('(' @@ (',' @@)* ')')? )"`
}

// build makes a parser that decides by the next token alone: nothing is ever read twice.
func build[T any]() *participle.Parser[T] {
	return participle.MustBuild[T](participle.Lexer(definition{symbols}), participle.UseLookahead(0))
}

var (
	termParser = sync.OnceValue(build[gTerm])
	attrParser = sync.OnceValue(build[gASum])
	fileParser = sync.OnceValue(build[gFile])
	typeParser = sync.OnceValue(build[gType])
)

// parsed is what a parser makes of a text.
func parsed[T any](p *participle.Parser[T], src string) *T {
	g, err := p.ParseString("", src)
	if err != nil {
		panic(placed(err))
	}
	return g
}

// Parse reads one term. Its error is an *[Error].
func Parse(src string) (t *Term, err error) {
	defer must.Recover(&err)
	return parsed(termParser(), src).term(), nil
}

// MustParse is Parse for texts of the program itself; it panics on an error.
func MustParse(src string) *Term {
	t, err := Parse(src)
	if err != nil {
		panic("text: " + src + ": " + err.Error())
	}
	return t
}

// ParseAttr reads an attribute expression: n-k+1.
func ParseAttr(src string) (t *Term, err error) {
	defer must.Recover(&err)
	return parsed(attrParser(), src).term(), nil
}

// placed turns the parser's error into ours: the names of grammar nodes say nothing to a reader.
func placed(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var u *participle.UnexpectedTokenError
	if errors.As(err, &u) {
		if u.Unexpected.EOF() {
			return errorf(place(u.Position()), "the text ends too early")
		}
		if strings.Contains(u.Message(), `expected "->" GAxes`) {
			return errorf(place(u.Position()), "an index group needs an arrow: ij,j->i")
		}
		return errorf(place(u.Position()), "%q cannot stand here", u.Unexpected.Value)
	}
	var p participle.Error
	if errors.As(err, &p) {
		return errorf(place(p.Position()), "%s", p.Message())
	}
	return errorf(Pos{1, 1}, "%v", err)
}

func place(p lexer.Position) Pos { return Pos{p.Line, p.Column} }

func number(s string, p lexer.Position) *Term {
	r, _ := new(big.Rat).SetString(s) // the lexer has tried it
	return &Term{Op: Num, Rat: r, Pos: place(p)}
}

func negate(t *Term, minus []string) *Term {
	for range minus {
		t = NewNeg(t)
	}
	return t
}
