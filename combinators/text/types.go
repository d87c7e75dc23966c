package text

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"frechet/internal/lists"
	"frechet/internal/must"
)

// Arrow says which kind of thing a type describes.
type Arrow uint8

// The four sorts, written S, U -> V, U -o V and U x V ->2 W.
const (
	NoArrow Arrow = iota
	MapTo
	LinearTo
	BilinearTo
)

// A Type is a space, or the sort of a map with its two spaces. The names Q and Z, without
// brackets, are the numbers and the whole numbers: what may stand in an attribute.
type Type struct {
	Arrow Arrow
	Dom   *Space // nil for values
	Cod   *Space
}

// A Space is R[d1,...,dk], a name, or a product of spaces.
type Space struct {
	Name    string   // "R" with Dims, or a metavariable
	Dims    []*Term  // attribute expressions; "..." for any number of leading axes
	Bracket bool     // R[] is the space of scalars, R without brackets a name like others
	Factors []*Space // of a product, at least two
}

// IsNumber reports whether the space is that of the numbers, Q, or of the whole numbers, Z.
func (s *Space) IsNumber() bool { return !s.Bracket && (s.Name == "Q" || s.Name == "Z") }

// Type = Space [ ("->" ["2"] | "-" "o") Space ]
//
// Tensor products and copowers are written as well; they become the normal form of their space.
type gType struct {
	Dom    *gSpace `parser:"@@"`
	Map    bool    `parser:"( ( @'->'"`
	Two    bool    `parser:"    @'2'?"`
	Linear bool    `parser:"  | '-' @'o' )"`
	Cod    *gSpace `parser:"  @@ )?"`
}

// Space = Tensor { "x" Tensor }
type gSpace struct {
	Left *gTensor   `parser:"@@"`
	Rest []*gTensor `parser:"('x' @@)*"`
}

// Tensor = Factor { ("⊗" | "(" "x" ")") Factor }
type gTensor struct {
	Left *gFactor   `parser:"@@"`
	Rest []*gFactor `parser:"(('⊗' | '(' 'x' ')') @@)*"`
}

// Factor = ( "(" Space ")" | "Prod" "(" [ Space ] ")" | "0" | Ident [ Dims ] ) [ "^" Dims ]
//
// The space 0 is that of vectors without entries, R[0].
type gFactor struct {
	Pos   lexer.Position
	Paren *gSpace `parser:"(  '(' @@ ')'"`
	Few   *gFew   `parser:" | @@"`
	Zero  bool    `parser:" | @'0'"`
	Name  string  `parser:" | @Ident"`
	Dims  *gDims  `parser:"  @@? )"`
	Power *gDims  `parser:"('^' @@)?"`
}

// Prod(U) is the product of one space, Prod() that of none.
type gFew struct {
	Space *gSpace `parser:"'Prod' '(' @@? ')'"`
}

type gDims struct {
	Dims []*gASum `parser:"'[' (@@ (',' @@)*)? ']'"`
}

// ParseType reads a type: R[m,n] x R[n] ->2 R[m].
func ParseType(src string) (t *Type, err error) {
	defer must.Recover(&err)
	return parsed(typeParser(), src).typ(), nil
}

func (g *gType) typ() *Type {
	t := &Type{Cod: g.Dom.space()}
	if g.Cod == nil {
		return t
	}
	t.Arrow, t.Dom, t.Cod = MapTo, t.Cod, g.Cod.space()
	switch {
	case g.Linear:
		t.Arrow = LinearTo
	case g.Two:
		t.Arrow = BilinearTo
	}
	return t
}

func (g *gSpace) space() *Space {
	first := g.Left.space()
	if len(g.Rest) == 0 {
		return first
	}
	s := &Space{Factors: []*Space{first}}
	for _, f := range g.Rest {
		s.Factors = append(s.Factors, f.space())
	}
	return s
}

func (g *gTensor) space() *Space {
	s := g.Left.space()
	for _, f := range g.Rest {
		s = tensor(s, f.space(), place(f.Pos))
	}
	return s
}

func (g *gFactor) space() *Space {
	s := &Space{Name: g.Name}
	switch {
	case g.Paren != nil:
		s = g.Paren.space()
	case g.Few != nil:
		s = &Space{Name: "Prod"}
		if g.Few.Space != nil {
			s.Factors = []*Space{g.Few.Space.space()}
		}
	case g.Zero:
		s = &Space{Name: "R", Bracket: true, Dims: []*Term{NewInt(0)}}
	case g.Dims != nil:
		s.Bracket, s.Dims = true, attrs(g.Dims.Dims)
	}
	if g.Power == nil {
		return s
	}
	return tensor(&Space{Name: "R", Bracket: true, Dims: attrs(g.Power.Dims)}, s, place(g.Pos))
}

// maxFactors bounds the spaces of a tensor product.
const maxFactors = 10_000

// tensor is the normal form of s (x) t: R[a] (x) R[b] is R[a,b], and the tensor product is
// distributed over products. The copower s^X is R[X] (x) s.
func tensor(s, t *Space, pos Pos) *Space {
	for _, u := range []*Space{s, t} {
		if len(u.Factors) == 0 && u.Name != "R" {
			fail(pos, "%s is not known to be R[m,n] or a product of such: it has no tensor product here", u)
		}
	}
	if s.leaves()*t.leaves() > maxFactors {
		fail(pos, "a tensor product of more than %d spaces", maxFactors)
	}
	over, each := t, func(f *Space) *Space { return tensor(s, f, pos) }
	if len(s.Factors) > 0 {
		over, each = s, func(f *Space) *Space { return tensor(f, t, pos) }
	}
	if len(over.Factors) == 0 {
		return &Space{Name: "R", Bracket: true, Dims: slices.Concat(s.Dims, t.Dims)}
	}
	p := &Space{Name: over.Name}
	for _, f := range over.Factors {
		p.Factors = append(p.Factors, each(f))
	}
	return p
}

// leaves counts the spaces that are no products.
func (s *Space) leaves() int {
	n := 0
	for _, f := range s.Factors {
		n += f.leaves()
	}
	return max(n, 1)
}

func (t *Type) String() string {
	if t.Arrow == NoArrow {
		return t.Cod.String()
	}
	return t.Dom.String() + [...]string{MapTo: " -> ", LinearTo: " -o ", BilinearTo: " ->2 "}[t.Arrow] + t.Cod.String()
}

func (s *Space) String() string {
	if s.Name == "Prod" {
		parts := lists.Map(s.Factors, func(f *Space) string { return f.String() })
		return "Prod(" + strings.Join(parts, "") + ")"
	}
	if len(s.Factors) > 0 {
		parts := make([]string, len(s.Factors))
		for i, f := range s.Factors {
			if parts[i] = f.String(); len(f.Factors) > 0 {
				parts[i] = "(" + parts[i] + ")"
			}
		}
		return strings.Join(parts, " x ")
	}
	if !s.Bracket {
		return s.Name
	}
	parts := lists.Map(s.Dims, printAttr)
	return s.Name + "[" + strings.Join(parts, ",") + "]"
}
