package text

import (
	"fmt"
	"slices"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"

	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/must"
)

// A Primitive is the declaration of a function of which a program, or a rule file, says the type, and may say the
// derivative and the adjoint by the names of other functions:
//
//	primitive h : R -> R derivative h1
//	primitive g : R[n] x R[m] -> R[m] derivative g1, g2
//	primitive L : R[n] -o R[m] adjoint Lt
type Primitive struct {
	Name       Ref
	Type       *Type
	Derivative []Ref
	Adjoint    *Ref
	Pos        Pos
}

// Primitive = "primitive" Ident ":" Type [ "derivative" Ident { "," Ident } ] [ "adjoint" Ident ]
type gPrimitive struct {
	Pos        lexer.Position
	Name       *gRef   `parser:"'primitive' @@ ':'"`
	Type       *gType  `parser:"@@"`
	Derivative []*gRef `parser:"('derivative' @@ (',' @@)*)?"`
	Adjoint    *gRef   `parser:"('adjoint' @@)?"`
}

var primitiveParser = sync.OnceValue(build[gPrimitive])

// ParsePrimitive reads one declaration. Its error is an *[Error].
func ParsePrimitive(src string) (p *Primitive, err error) {
	defer must.Recover(&err)
	return parsed(primitiveParser(), src).primitive(), nil
}

func (g *gPrimitive) primitive() *Primitive {
	p := &Primitive{Name: *g.Name.ref(), Adjoint: g.Adjoint.ref(), Pos: place(g.Pos), Type: g.Type.typ()}
	for _, d := range g.Derivative {
		p.Derivative = append(p.Derivative, *d.ref())
	}
	return p
}

// declaresPrimitive reports whether a declaration begins with the first token.
func declaresPrimitive(toks []lexer.Token) bool {
	return len(toks) > 2 && toks[0].Value == "primitive" && toks[1].Type == tokIdent && toks[2].Value == ":"
}

// DeclareAll adds functions to those of the scope, and checks what they name. An error is an *[Error]. known says what else a name means, "" where that is
// nothing.
func DeclareAll(ps []*Primitive, to *atom.Scope, known func(name string) string) error {
	for _, p := range ps {
		if err := p.Declare(to, known); err != nil {
			return err
		}
	}
	for _, p := range ps {
		if err := p.Check(to); err != nil {
			return err
		}
	}
	return nil
}

// Declare adds the function to those of the scope; see [DeclareAll].
func (p *Primitive) Declare(to *atom.Scope, known func(name string) string) error {
	d, err := p.declaration()
	if err != nil {
		return err
	}
	if is := builtin(p.Name.Name, known); is != "" {
		return p.Name.errorf(taken, "choose another name", "%s is %s and cannot be declared", p.Name.Name, is)
	}
	if err := to.Declare(d); err != nil {
		return p.Name.errorf(taken, "a function is declared once, by one type", "%v", err)
	}
	return nil
}

// Check checks the derivatives and the adjoint that the declaration names, once all functions are declared.
func (p *Primitive) Check(of *atom.Scope) error {
	if err := of.Check(p.Name.Name); err != nil {
		return p.Name.errorf(otherType, "declare it by that type: primitive NAME : TYPE", "%v", err)
	}
	return nil
}

// builtin says what a name is that no function can have, "" where it can.
func builtin(name string, known func(name string) string) string {
	switch {
	case keywords[name]:
		return "a keyword"
	case Constructors[name] || name == "x" || name == "R":
		return "part of the language"
	case atom.Named(name) != nil:
		return "a function"
	}
	if head, _ := Component(NewName(name)); head != "" {
		return "part of the language"
	}
	return known(name)
}

// The codes of errors in declarations; see syntax.Codes.
const (
	cannotBe  = "P001"
	taken     = "P002"
	otherType = "P003"
)

func (r *Ref) errorf(code, help, format string, args ...any) *Error {
	e := errorf(r.Pos, format, args...)
	e.Width, e.Help, e.Code = len(r.Name), help, code
	return e
}

// declaration checks the type, and the number of derivatives.
// It stays one list of cases, the first of which holds.
func (p *Primitive) declaration() (d *atom.Declaration, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *size.LimitError:
			err = p.Name.errorf(cannotBe, "", "in the type of %s: %v", p.Name.Name, r)
		default:
			panic(r)
		}
	}()
	d = &atom.Declaration{Name: p.Name.Name}
	const example = "write primitive h : R -> R, or primitive g : R[n] x R[m] -> R[m]"
	switch p.Type.Arrow {
	case MapTo, LinearTo:
		d.Linear = p.Type.Arrow == LinearTo
	default:
		return nil, p.Name.errorf(cannotBe, example, "%s is declared by a type of functions, not by %s", d.Name, p.Type)
	}
	if slices.Contains([]rune(d.Name), '\'') {
		return nil, p.Name.errorf(cannotBe, "the derivative of h is h' without a declaration", "the name of a function that is declared has no prime")
	}
	params := []*Space{p.Type.Dom}
	if len(p.Type.Dom.Factors) > 0 || p.Type.Dom.Name == "Prod" {
		params = p.Type.Dom.Factors
	}
	if len(params) == 0 || len(params) > atom.MaxParams {
		return nil, p.Name.errorf(cannotBe, "", "%s has %d arguments; a function that is declared has 1 to %d", d.Name, len(params), atom.MaxParams)
	}
	for _, u := range params {
		s, err := u.Shape()
		if err != nil {
			return nil, p.Name.errorf(cannotBe, example, "%v", err)
		}
		d.Params = append(d.Params, s)
	}
	if d.Result, err = p.Type.Cod.Shape(); err != nil {
		return nil, p.Name.errorf(cannotBe, example, "%v", err)
	}
	if n := unbound(&d.Signature); n != "" {
		return nil, p.Name.errorf(cannotBe, "give the size an axis of its own", "the size %s is on no axis of an argument of %s alone", n, d.Name)
	}
	switch {
	case d.Linear && len(params) > 1:
		return nil, p.Name.errorf(cannotBe, "a function of several arguments is declared by ->", "%s is linear in one argument, not in %d", d.Name, len(params))
	case d.Linear && p.Derivative != nil:
		return nil, p.Name.errorf(cannotBe, "leave the derivative out", "%s is linear: it is its own derivative", d.Name)
	case !d.Linear && p.Adjoint != nil:
		return nil, p.Name.errorf(cannotBe, "a linear function is declared by -o", "%s is not linear: only linear functions have adjoints", d.Name)
	case p.Derivative != nil && len(p.Derivative) != len(params):
		return nil, p.Name.errorf(cannotBe, "name one for each argument", "%s has %d arguments and %d derivatives", d.Name, len(params), len(p.Derivative))
	}
	for _, r := range p.Derivative {
		d.Derivative = append(d.Derivative, r.Name)
	}
	if p.Adjoint != nil {
		d.Adjoint = p.Adjoint.Name
	}
	return d, nil
}

// unbound is a size symbol of the arguments that is on no axis alone, or "": no call would say what it is.
func unbound(g *atom.Signature) string {
	alone := map[string]bool{}
	for _, p := range g.Params {
		for _, d := range p {
			if name, ok := d.Symbol(); ok {
				alone[name] = true
			}
		}
	}
	for _, p := range g.Params {
		for _, d := range p {
			for _, name := range d.Symbols() {
				if !alone[name] {
					return name
				}
			}
		}
	}
	return ""
}

// Shape is that of the space R or R[m,n], whose sizes are symbols.
func (u *Space) Shape() ([]size.Size, error) {
	if u.Name != "R" || len(u.Factors) > 0 {
		return nil, fmt.Errorf("%s is no space of one tensor", u)
	}
	out := []size.Size{}
	for _, t := range u.Dims {
		d, err := sizeOf(t)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// sizeOf is the size that an attribute denotes, whose names are symbols.
func sizeOf(t *Term) (d size.Size, err error) {
	switch {
	case t.Op == Num && t.Rat.IsInt() && t.Rat.Sign() >= 0 && t.Rat.Num().IsInt64():
		return size.Const(t.Rat.Num().Int64()), nil
	case t.Op == Name && t.Name != "..." && len(t.Attrs) == 0:
		return size.Sym(t.Name), nil
	case t.Op != Add && t.Op != Sub && t.Op != Mul:
		return d, fmt.Errorf("%s is no size of a function that is declared", Attr(t))
	}
	x, err := sizeOf(t.Args[0])
	if err != nil {
		return d, err
	}
	y, err := sizeOf(t.Args[1])
	if err != nil {
		return d, err
	}
	switch t.Op {
	case Add:
		return x.Add(y), nil
	case Sub:
		return x.Sub(y), nil
	}
	return x.Mul(y), nil
}

// Row is the row of the function that t names or calls: a declared one, else that of the table; nil where there is none.
func (t *Term) Row() *atom.Row {
	if t.Function != nil {
		return t.Function
	}
	return atom.Named(t.Name)
}

// Resolve lets the names and calls of t mean the declared functions of the scope, but for the names that are bound, by t or
// by what is around it. It changes t, which nobody else has seen yet.
func Resolve(t *Term, scope *atom.Scope, bound ...string) {
	if scope == nil {
		return
	}
	Walk(t, func(t *Term) bool {
		if (t.Op == Name || t.Op == Call) && !slices.Contains(bound, t.Name) {
			t.Function = scope.Declared(t.Name)
		}
		return true
	})
}
