package text

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"frechet/combinators/atom"
	"frechet/internal/must"
)

// A File is a rule file, read:
//
//	# D-chain: what is differentiated last is composed first.
//	rule D-chain "Elsman 4.1(1)" [U V W, f: U -> V, g: V -> W, x: U]
//	  D(g . f)(x) => let y = f(x) in D(g)(y) . D(f)(x)
//	rule power-power "real powers" [x: S, a b: Q]
//	  power[b](power[a](x)) => power[a*b](x)  when integer(b)
//	native E-fuse "fusion by equalities" fuse "ein(c; ein(d; M), N) = ein(c + d + (out = in); M, N)"
//
// A native schema names a step that is code, and states its law.
type File struct {
	Rules      []*Rule
	Natives    []*Native
	Primitives []*Primitive
	Functions  *atom.Scope // the declared ones, which the rules' terms mean; nil where there are none
}

// A Rule replaces what Left matches by Right, where all of When hold.
type Rule struct {
	Name   string
	Source string // where the law is stated: a theorem, a paper, or what it is derived from
	Doc    string // the comment above, without its marks
	Vars   []Var  // the metavariables, in order
	Left   *Term
	Right  *Term
	When   []Cond
	Domain string // "kept" (the default, empty), "widened" or "narrowed"
	Lemma  bool   // proofs may use it, the simplifier never applies it
	Both   bool   // <=>: it is read from both sides
	Back   bool   // its sides have changed places: see [Rule.Reversed]
	Pos    Pos
	// Functions are the declared functions that the sides may name; nil where there are none.
	Functions *atom.Scope
}

// Reversed is the rule read from right to left.
func (r *Rule) Reversed() *Rule {
	back := *r
	back.Left, back.Right, back.Back = r.Right, r.Left, !r.Back
	return &back
}

// OnMaps reports whether a rule is on closed combinators: it has metavariables for maps or spaces,
// or constructors of maps.
func (r *Rule) OnMaps() bool {
	found := false
	for _, v := range r.Vars {
		found = found || v.Type != nil && v.Type.Arrow != NoArrow
	}
	look := func(t *Term) bool {
		switch t.Op {
		case Compose, Product, Pair, Copower, Family, Hole:
			found = true
		case Apply:
			found = found || Relational(t) == nil
		case Ein:
			found = found || len(t.Args) == 0 && len(t.Index.In) > 0
		case Call:
			found = found || t.Name == "adjoint" || t.Name == "D"
		}
		return true
	}
	Walk(r.Left, look)
	Walk(r.Right, look)
	return found
}

// Var declares a metavariable; without a type it is a space or a size.
type Var struct {
	Name string
	Type *Type
	// Default is the number that the metavariable is where the left side meets a term without it; nil where it
	// must stand there.
	Default *big.Rat
	Pos     Pos
}

// A Cond is one side condition: a predicate Args[0].Name(...) or a comparison of two numbers.
type Cond struct {
	Not  bool
	Rel  string // "" for a predicate; else one of Relations
	Args []*Term
	Pos  Pos
}

// A Relation compares two numbers, by the sign of their difference.
type Relation struct {
	Name  string
	holds func(sign int) bool
}

// Relations are the comparisons that may stand behind "when".
var Relations = []Relation{
	{"=", func(s int) bool { return s == 0 }}, {"!=", func(s int) bool { return s != 0 }},
	{"<", func(s int) bool { return s < 0 }}, {"<=", func(s int) bool { return s <= 0 }},
	{">", func(s int) bool { return s > 0 }}, {">=", func(s int) bool { return s >= 0 }},
}

// Holds reports whether the relation of c, but for its negation, holds where the difference of its sides has a sign.
func (c Cond) Holds(sign int) bool {
	return Relations[slices.IndexFunc(Relations, func(r Relation) bool { return r.Name == c.Rel })].holds(sign)
}

// A Native is a step that is code: its law is stated, not matched.
type Native struct {
	Name, Source, Doc string
	Step              string // the step's name: fuse, swap, solve ...
	Law               string
	Pos               Pos
}

// File = { Rule | Native | Primitive }
type gFile struct {
	Items []*gItem `parser:"@@*"`
}

type gItem struct {
	Rule      *gRule      `parser:"  @@"`
	Native    *gNative    `parser:"| @@"`
	Primitive *gPrimitive `parser:"| @@"`
}

// Rule = ("rule" | "lemma") Name [String] "[" [Vars] "]" Term ("=>" | "<=>") Term ["when" Conds] ["domain" Ident]
type gRule struct {
	Pos    lexer.Position
	Lemma  bool     `parser:"('rule' | @'lemma')"`
	Name   string   `parser:"@RuleName"`
	Source string   `parser:"@String?"`
	Vars   []*gVars `parser:"'[' (@@ (',' @@)*)? ']'"`
	Left   *gTerm   `parser:"@@"`
	Both   bool     `parser:"('=>' | @'<=>')"`
	Right  *gTerm   `parser:"@@"`
	When   []*gCond `parser:"('when' @@ (',' @@)*)?"`
	Domain *gDomain `parser:"('domain' @@)?"`
}

type gDomain struct {
	Pos  lexer.Position
	Name string `parser:"@Ident"`
}

type gNative struct {
	Pos    lexer.Position
	Name   string `parser:"'native' @RuleName"`
	Source string `parser:"@String"`
	Step   string `parser:"@Ident"`
	Law    string `parser:"@String"`
}

// Vars = Ident { Ident } [":" Type ["=" Number]]
type gVars struct {
	Names   []*gVar `parser:"@@+"`
	Type    *gType  `parser:"(':' @@"`
	Default string  `parser:"  ('=' @Number)?)?"`
}

type gVar struct {
	Pos  lexer.Position
	Name string `parser:"@Ident"`
}

// Cond = ["not"] ASum [ Relation ASum ]
type gCond struct {
	Pos   lexer.Position
	Not   bool   `parser:"@'not'?"`
	Left  *gASum `parser:"@@"`
	Rel   string `parser:"( @('=' | '!=' | '<' | '<=' | '>' | '>=')"`
	Right *gASum `parser:"  @@ )?"`
}

// RuleGrammar is the grammar of rule files, a production on each line, as the parser has it.
func RuleGrammar() string { return production(fileParser()) }

// StatementGrammar are the productions of the statements of a program in combinator notation, with what they share with
// rules, which [RuleGrammar] has.
func StatementGrammar() string {
	shared := strings.Split(RuleGrammar(), "\n")
	var own []string
	for _, g := range []string{production(headParser()), production(declareParser()), production(askedParser())} {
		for line := range strings.SplitSeq(g, "\n") {
			if !slices.Contains(shared, line) && !slices.Contains(own, line) {
				own = append(own, line)
			}
		}
	}
	return strings.Join(own, "\n") + "\n"
}

func production[T any](p *participle.Parser[T]) string {
	return regexp.MustCompile(`\bG([A-Z])`).ReplaceAllString(p.String(), "$1") + "\n"
}

// ParseRules reads a rule file. Its error is an *[Error]. The comment lines directly above a rule
// become its Doc. The rules may use the functions declared in scope, where one is given, and those of the file.
func ParseRules(src string, scope ...*atom.Scope) (*File, error) {
	f := compiled(src)
	if f == nil {
		var err error
		if f, err = parseRules(src); err != nil {
			return nil, err
		}
	}
	if len(scope) == 0 {
		scope = []*atom.Scope{nil}
	}
	return f, f.resolve(scope[0])
}

// parseRules is ParseRules before what names mean is known.
func parseRules(src string) (f *File, err error) {
	defer must.Recover(&err)
	toks, comments, err := lex(src)
	if err != nil {
		return nil, err
	}
	peek, err := lexer.Upgrade(&tokens{toks: toks})
	if err != nil {
		return nil, err
	}
	g, err := fileParser().ParseFromLexer(peek)
	if err != nil {
		return nil, unreadable(toks, err)
	}
	f = &File{}
	seen := map[string]Pos{}
	for _, it := range g.Items {
		if it.Primitive != nil {
			f.Primitives = append(f.Primitives, it.Primitive.primitive())
			continue
		}
		var names []string
		var pos Pos
		if n := it.Native; n != nil {
			names, pos = []string{n.Name}, place(n.Pos)
			f.Natives = append(f.Natives, &Native{n.Name, n.Source, above(comments, toks, pos.Line), n.Step, n.Law, pos})
		} else {
			r := it.Rule.rule()
			r.Doc = above(comments, toks, r.Pos.Line)
			pos = r.Pos
			for _, m := range r.members() {
				names, f.Rules = append(names, m.Name), append(f.Rules, m)
			}
		}
		for _, name := range names {
			if first, twice := seen[name]; twice {
				e := errorf(pos, "the rule %s is given twice", name)
				e.Help = fmt.Sprintf("the first one is on line %d; a rule's name is its own", first.Line)
				return nil, e
			}
			seen[name] = pos
		}
	}
	return f, nil
}

// resolve declares the functions of the file, and lets the rules mean them.
func (f *File) resolve(scope *atom.Scope) error {
	if f.Functions = scope; len(f.Primitives) > 0 {
		f.Functions = atom.NewScope(scope)
		if err := DeclareAll(f.Primitives, f.Functions, func(string) string { return "" }); err != nil {
			return err
		}
	}
	if f.Functions == nil {
		return nil
	}
	for _, r := range f.Rules {
		r.Functions = f.Functions
		var bound []string
		for _, v := range r.Vars {
			if f.Functions.Declared(v.Name) != nil {
				return (&Ref{v.Name, v.Pos}).errorf(taken, "give the metavariable another name", "%s is a declared function", v.Name)
			}
			bound = append(bound, v.Name)
		}
		Resolve(r.Left, f.Functions, bound...)
		Resolve(r.Right, f.Functions, bound...)
	}
	return nil
}

// wordError is an error at a word.
func wordError(pos lexer.Position, word, format string, args ...any) *Error {
	e := errorf(place(pos), format, args...)
	e.Width = utf8.RuneCountInString(word)
	return e
}

// above joins the comment lines that end right above line.
func above(comments []comment, toks []lexer.Token, line int) string {
	i := sort.Search(len(comments), func(i int) bool { return comments[i].line >= line })
	var lines []string
	for want := line - 1; i > 0 && comments[i-1].line == want && comments[i-1].alone; want-- {
		i--
		lines = append([]string{comments[i].text}, lines...)
	}
	return strings.Join(lines, "\n")
}

// maxDefaults bounds the metavariables with defaults: a left side has a form with and without each.
const maxDefaults = 4

func (g *gRule) rule() *Rule {
	r := &Rule{Name: g.Name, Source: g.Source, Pos: place(g.Pos), Lemma: g.Lemma, Both: g.Both}
	if g.Domain != nil {
		switch r.Domain = g.Domain.Name; r.Domain {
		case "kept", "widened", "narrowed":
		default:
			panic(wordError(g.Domain.Pos, r.Domain, "a rule's domain is kept, widened or narrowed, not %s", r.Domain))
		}
		if r.Both && r.Domain != "kept" {
			panic(wordError(g.Domain.Pos, r.Domain, "a rule with <=> keeps the domain: both sides have values at the same points"))
		}
	}
	defaults := 0
	for _, v := range g.Vars {
		var typ *Type
		if v.Type != nil {
			typ = v.Type.typ()
		}
		var def *big.Rat
		if first := v.Names[0]; v.Default != "" {
			if typ.Arrow != NoArrow {
				panic(wordError(first.Pos, first.Name, "%s is a map: numbers and scalars alone have defaults", first.Name))
			}
			if defaults += len(v.Names); defaults > maxDefaults {
				panic(wordError(first.Pos, first.Name, "a rule has at most %d metavariables with defaults", maxDefaults))
			}
			def = number(v.Default, first.Pos).Rat
		}
		for _, n := range v.Names {
			r.Vars = append(r.Vars, Var{n.Name, typ, def, place(n.Pos)})
		}
	}
	r.Left, r.Right = g.Left.term(), g.Right.term()
	if r.Both && r.OnMaps() {
		e := errorf(r.Left.Pos, "a rule on maps is read from left to right")
		e.Help = "write =>, and another rule for the other direction"
		panic(e)
	}
	for _, c := range g.When {
		cond := Cond{Not: c.Not, Rel: c.Rel, Args: []*Term{c.Left.term()}, Pos: place(c.Pos)}
		if c.Right != nil {
			cond.Args = append(cond.Args, c.Right.term())
		} else if cond.Args[0].Op != Call {
			e := errorf(place(c.Pos), "%s is no condition: it is a predicate of arguments, or a comparison", cond.Args[0])
			e.Help = "conditions are written positive(x), not integer(r), r < 0"
			panic(e)
		}
		r.When = append(r.When, cond)
	}
	return r
}

// families are the sets of element-wise functions of one operand for which a rule may be written once, by a column of
// the table of operations: a metavariable of such a type stands for each of them.
var families = map[string]func(*atom.Row) bool{
	"odd":     func(r *atom.Row) bool { return r.Parity == atom.Odd },
	"even":    func(r *atom.Row) bool { return r.Parity == atom.Even },
	"degree0": func(r *atom.Row) bool { return r.Homogeneous == "0" },
	"degree1": func(r *atom.Row) bool { return r.Homogeneous == "1" },
}

// members are the rules that r stands for: for each function of its family one, with the function's name for the
// metavariable, and before the rest of the rule's name or behind it; r alone where it has no family.
func (r *Rule) members() (out []*Rule) {
	at := slices.IndexFunc(r.Vars, func(v Var) bool {
		return v.Type != nil && v.Type.Arrow == NoArrow && !v.Type.Cod.Bracket && families[v.Type.Cod.Name] != nil
	})
	if at < 0 {
		return []*Rule{r}
	}
	f := r.Vars[at]
	for _, row := range atom.Rows() {
		if row.F1 == nil || !families[f.Type.Cod.Name](row) {
			continue
		}
		m := *r
		m.Vars = slices.Delete(slices.Clone(r.Vars), at, at+1)
		if rest, ok := strings.CutPrefix(r.Name, f.Name+"-"); ok {
			m.Name = row.Name + "-" + rest
		} else {
			m.Name = r.Name + "-" + row.Name
		}
		m.Left, m.Right = r.Left.called(f.Name, row.Name), r.Right.called(f.Name, row.Name)
		out = append(out, m.members()...)
	}
	return out
}

// called is t with the calls of a name as those of another.
func (t *Term) called(from, to string) *Term {
	u := *t
	if u.Op == Call && u.Name == from {
		u.Name = to
	}
	u.Args = make([]*Term, len(t.Args))
	for i, a := range t.Args {
		u.Args[i] = a.called(from, to)
	}
	return &u
}

func (c Cond) String() string {
	s := printAttr(c.Args[0])
	if c.Rel != "" {
		s += " " + c.Rel + " " + printAttr(c.Args[1])
	}
	if c.Not {
		s = "not " + s
	}
	return s
}

// String prints the rule, its comment left out, as it is read.
func (r *Rule) String() string {
	var b strings.Builder
	b.WriteString(map[bool]string{false: "rule ", true: "lemma "}[r.Lemma] + r.Name + " ")
	if r.Source != "" {
		b.WriteString(`"` + r.Source + `" `)
	}
	b.WriteByte('[')
	for i, v := range r.Vars {
		switch {
		case i > 0 && v.Type == r.Vars[i-1].Type: // declared together
			b.WriteByte(' ')
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(v.Name)
		if v.Type != nil && (i+1 == len(r.Vars) || r.Vars[i+1].Type != v.Type) {
			b.WriteString(": " + v.Type.String())
			if v.Default != nil {
				b.WriteString(" = " + v.Default.RatString())
			}
		}
	}
	b.WriteString("]\n  " + r.Left.String() + map[bool]string{false: " => ", true: " <=> "}[r.Both] + r.Right.String())
	for i, c := range r.When {
		b.WriteString([]string{"  when ", ", "}[min(i, 1)] + c.String())
	}
	if r.Domain != "" {
		b.WriteString("  domain " + r.Domain)
	}
	return b.String()
}
