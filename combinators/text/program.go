package text

import (
	"sync"

	"slices"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"frechet/combinators/atom"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// A Program is a text in combinator notation:
//
//	declare A[m,n] b[m]                                       values from outside
//	primitive h : R -> R                                      a function of which only the type is known
//	layer(x) : R[n] -> R[m] = tanh . (id + K(b)) . (A *(ij,j->i) _)   a map, typed
//	c : R[m] = 2 .* b                                         a value
//	expression *(ij,j->i)                                     a map on the declared values
//	derivative wrt x                                          what is asked for
//
// The names in parentheses are those of the components of the argument.
type Program struct {
	Declares   []Declared
	Primitives []*Primitive
	Defs       []Def
	Requests   []Asked
}

// Declared is a value that a program declares with its sizes.
type Declared struct {
	Name string
	Dims []*Term
	Of   atom.Attributes
	Pos  Pos
}

// A Def gives a name to a map or a value. Type is nil for `expression`, whose map is on the
// declared values.
type Def struct {
	Name   string
	Params []string
	Type   *Type
	Body   *Term
	Pos    Pos // of its first word
}

// Asked is a derivative that a program asks for: derivative, gradient or hessian, or a product with
// one, or a part of it: jvp, vjp, hvp, diag-hessian, gauss-newton.
type Asked struct {
	Kind    string
	Wrt     []Ref
	Order   int  // as written, else 0
	Along   *Ref // the direction of jvp, vjp and hvp
	Through *Ref // gauss-newton
	Pos     Pos
}

// Ref is a name where it stands.
type Ref struct {
	Name string
	Pos  Pos
}

// Head = Ident [ "(" Ident { "," Ident } ")" ] ":"
type gHead struct {
	Name   string   `parser:"@Ident"`
	Params []string `parser:"('(' @Ident (',' @Ident)* ')')? ':'"`
}

// Declare = "declare" { Ident Dims { Attribute } }
type gDeclare struct {
	List []*gDeclared `parser:"'declare' @@+"`
}

type gDeclared struct {
	Pos  lexer.Position
	Name string   `parser:"@Ident"`
	Dims *gDims   `parser:"@@"`
	Of   []string `parser:"( (?! Ident '[') @Ident )*"`
}

// Asked = Kind "wrt" Ident { "," Ident } [ "order" Number ] [ "along" Ident ] [ "through" Ident ]
type gAsked struct {
	Kind    string  `parser:"@Ident @('-' Ident)? 'wrt'"`
	Wrt     []*gRef `parser:"@@ (',' @@)*"`
	Order   *int    `parser:"('order' @Number)?"`
	Along   *gRef   `parser:"('along' @@)?"`
	Through *gRef   `parser:"('through' @@)?"`
}

type gRef struct {
	Pos  lexer.Position
	Name string `parser:"@Ident"`
}

func (g *gRef) ref() *Ref {
	if g == nil {
		return nil
	}
	return &Ref{g.Name, place(g.Pos)}
}

var (
	headParser    = sync.OnceValue(build[gHead])
	declareParser = sync.OnceValue(build[gDeclare])
	askedParser   = sync.OnceValue(build[gAsked])
)

// requestWords begin a request where "wrt" follows.
var requestWords = []string{"derivative", "gradient", "hessian", "jvp", "vjp", "hvp", "diag-hessian", "gauss-newton"}

// asks reports whether a request begins with the first token.
func asks(toks []lexer.Token) bool {
	if len(toks) > 1 && toks[1].Value == "wrt" {
		return slices.Contains(requestWords, toks[0].Value)
	}
	return len(toks) > 3 && toks[3].Value == "wrt" && slices.Contains(requestWords, toks[0].Value+toks[1].Value+toks[2].Value)
}

// Resolve declares the functions of the program in the scope, and lets its terms mean these and those of the
// scope's parents, where they do not mean a definition. known is that of [DeclareAll].
func (p *Program) Resolve(scope *atom.Scope, known func(name string) string) error {
	if err := DeclareAll(p.Primitives, scope, known); err != nil {
		return err
	}
	var names []string
	names = lists.Append(names, p.Declares, func(d Declared) string { return d.Name })
	names = lists.Append(names, p.Defs, func(d Def) string { return d.Name })
	for _, d := range p.Defs {
		Resolve(d.Body, scope, append(names[:len(names):len(names)], d.Params...)...)
	}
	return nil
}

// A Lexed text is one that is split into tokens.
type Lexed struct {
	toks   []lexer.Token
	starts []int // the tokens with which statements begin
	err    error
}

// Lex splits a text into tokens; where it has none, [Lexed.Program] gives the error.
func Lex(src string) *Lexed {
	toks, _, err := lex(src)
	if err != nil {
		return &Lexed{err: err}
	}
	return &Lexed{toks, statements(toks), nil}
}

// ParseProgram reads a program. A text without statements is one term: an expression. Its error
// is an *[Error].
func ParseProgram(src string) (*Program, error) { return Lex(src).Program() }

// Program reads the text as a program: see [ParseProgram].
func (l *Lexed) Program() (p *Program, err error) {
	if l.err != nil {
		return nil, l.err
	}
	defer must.Recover(&err)
	p = &Program{}
	toks, starts := l.toks, l.starts
	for i, at := range starts {
		end := len(toks) - 1
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		p.statement(toks[at:end], toks[end].Pos)
	}
	if len(p.Defs) == 0 {
		fail(place(toks[len(toks)-1].Pos), "the program defines nothing: f : R[n] -> R[n] = sin")
	}
	return p, nil
}

// Speaks reports whether the text is a program in combinator notation: it has a definition with a
// type, which no other language has.
func (l *Lexed) Speaks() bool {
	for _, at := range l.starts {
		head := l.toks[at:]
		if head[0].Type != tokIdent {
			continue
		}
		i := 1
		if head[i].Value == "(" {
			if i += slices.IndexFunc(head[i:], func(t lexer.Token) bool { return t.Value == ")" }) + 1; i == 1 {
				continue
			}
		}
		if head[i].Value == ":" && head[i].Type == tokPunct && !(at > 0 && l.toks[at-1].Value == "map") {
			return true
		}
	}
	return false
}

// statements gives the tokens with which statements begin: what stands before the colon of a
// definition, declare, expression, and words like derivative before wrt.
func statements(toks []lexer.Token) []int {
	var starts []int
	depth := 0
	var open []int // the tokens that opened brackets
	last := -1     // where the bracket that closed last was opened
	for i, t := range toks[:len(toks)-1] {
		switch t.Value {
		case "(", "[", "{":
			if t.Type == tokPunct {
				open = append(open, i)
				depth++
			}
		case ")", "]", "}":
			if t.Type == tokPunct && depth > 0 {
				depth--
				last, open = open[len(open)-1], open[:len(open)-1]
			}
		case ":":
			head := i - 1
			if depth == 0 && t.Type == tokPunct && i > 0 && toks[i-1].Value == ")" && last > 0 {
				head = last - 1
			}
			if depth == 0 && head >= 0 && !(head > 0 && declaresPrimitive(toks[head-1:])) {
				starts = append(starts, head)
			}
		}
		if t.Type == tokGroup || t.Type == tokEin {
			open = append(open, i)
			depth++
		}
		if depth == 0 && t.Type == tokIdent && (t.Value == "declare" || t.Value == "expression" || declaresPrimitive(toks[i:]) || asks(toks[i:])) &&
			!(i >= 2 && toks[i-1].Value == "-" && asks(toks[i-2:])) {
			starts = append(starts, i)
		}
	}
	if len(toks) > 1 && (len(starts) == 0 || starts[0] != 0) {
		starts = append(starts, 0)
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// statement reads the statement of toks, which ends at a place.
func (p *Program) statement(toks []lexer.Token, end lexer.Position) {
	switch w := toks[0].Value; {
	case w == "declare":
		for _, d := range parseTokens(declareParser(), toks, end).List {
			of, wrong := atom.ReadAttributes(d.Of)
			if wrong != "" {
				fail(place(d.Pos), "%s has the attribute %s, and there is none of that name", d.Name, wrong)
			}
			p.Declares = append(p.Declares, Declared{d.Name, attrs(d.Dims.Dims), of, place(d.Pos)})
		}
	case declaresPrimitive(toks):
		p.Primitives = append(p.Primitives, parseTokens(primitiveParser(), toks, end).primitive())
	case asks(toks):
		g := parseTokens(askedParser(), toks, end)
		a := Asked{Kind: g.Kind, Along: g.Along.ref(), Through: g.Through.ref(), Pos: place(toks[0].Pos)}
		for _, r := range g.Wrt {
			a.Wrt = append(a.Wrt, *r.ref())
		}
		if g.Order != nil {
			a.Order = *g.Order
		}
		p.Requests = append(p.Requests, a)
	default:
		p.Defs = append(p.Defs, define(toks, end))
	}
}

// define reads a definition.
func define(toks []lexer.Token, end lexer.Position) Def {
	def := Def{Pos: place(toks[0].Pos)}
	mark := func(value string) int {
		return slices.IndexFunc(toks, func(t lexer.Token) bool { return t.Value == value && t.Type == tokPunct })
	}
	switch colon := mark(":"); {
	case toks[0].Value == "expression":
		toks = toks[1:]
		if len(toks) > 1 && toks[0].Type == tokIdent && toks[1].Value == "=" {
			def.Name, toks = toks[0].Value, toks[2:]
		}
	case colon >= 0 && typed(toks[:colon]):
		eq, after := mark("="), end
		if colon+1 < len(toks) {
			after = toks[colon+1].Pos
		}
		head := parseTokens(headParser(), toks[:colon+1], after)
		def.Name, def.Params = head.Name, head.Params
		if eq < 0 {
			fail(place(end), "a definition needs = and a term after its type")
		}
		def.Type = parseTokens(typeParser(), toks[colon+1:eq], toks[eq].Pos).typ()
		toks = toks[eq+1:]
	}
	def.Body = parseTokens(termParser(), toks, end).term()
	if d := Depth(def.Body); d > maxTermDepth {
		fail(def.Pos, "the term is nested %d deep; the limit is %d", d, maxTermDepth)
	}
	return def
}

// typed reports whether tokens before a colon can be the head of a definition.
func typed(head []lexer.Token) bool {
	return len(head) > 0 && head[0].Type == tokIdent && (len(head) == 1 || head[1].Value == "(")
}

// parseTokens is what a parser makes of tokens that end at a place.
func parseTokens[T any](p *participle.Parser[T], toks []lexer.Token, end lexer.Position) *T {
	peek, err := lexer.Upgrade(&tokens{toks: append(slices.Clone(toks), lexer.EOFToken(end))})
	if err != nil {
		panic(placed(err))
	}
	g, err := p.ParseFromLexer(peek)
	if err != nil {
		panic(placed(err))
	}
	return g
}

// maxTermDepth bounds how deep the term of a definition is: readers of terms are recursive.
const maxTermDepth = 5_000

// Depth is the longest chain of terms within terms; the links of a composition are one level.
func Depth(t *Term) int {
	type item struct {
		t *Term
		d int
	}
	deepest := 0
	for stack := []item{{t, 1}}; len(stack) > 0; {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		deepest = max(deepest, it.d)
		stack = lists.Append(stack, it.t.Args, func(a *Term) item { return item{a, it.d + 1} })
		stack = lists.Append(stack, it.t.Attrs, func(a *Term) item { return item{a, it.d + 1} })
	}
	return deepest
}
