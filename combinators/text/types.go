package text

import "strings"

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

// Type = Space [ ("->" ["2"] | "-" "o") Space ]
type gType struct {
	Dom    *gSpace `parser:"@@"`
	Map    bool    `parser:"( ( @'->'"`
	Two    bool    `parser:"    @'2'?"`
	Linear bool    `parser:"  | '-' @'o' )"`
	Cod    *gSpace `parser:"  @@ )?"`
}

// Space = Factor { "x" Factor }
type gSpace struct {
	Left *gFactor   `parser:"@@"`
	Rest []*gFactor `parser:"('x' @@)*"`
}

type gFactor struct {
	Paren *gSpace `parser:"  '(' @@ ')'"`
	Name  string  `parser:"| @Ident"`
	Dims  *gDims  `parser:"  @@?"`
}

type gDims struct {
	Dims []*gASum `parser:"'[' (@@ (',' @@)*)? ']'"`
}

// ParseType reads a type: R[m,n] x R[n] ->2 R[m].
func ParseType(src string) (*Type, error) {
	g, err := typeParser.ParseString("", src)
	if err != nil {
		return nil, placed(err)
	}
	return g.typ(), nil
}

func (g *gType) typ() *Type {
	d := g.Dom.space()
	switch {
	case g.Linear:
		return &Type{LinearTo, d, g.Cod.space()}
	case g.Map && g.Two:
		return &Type{BilinearTo, d, g.Cod.space()}
	case g.Map:
		return &Type{MapTo, d, g.Cod.space()}
	}
	return &Type{Cod: d}
}

func (g *gSpace) space() *Space {
	if len(g.Rest) == 0 {
		return g.Left.space()
	}
	s := &Space{Factors: []*Space{g.Left.space()}}
	for _, f := range g.Rest {
		s.Factors = append(s.Factors, f.space())
	}
	return s
}

func (g *gFactor) space() *Space {
	if g.Paren != nil {
		return g.Paren.space()
	}
	s := &Space{Name: g.Name}
	if g.Dims != nil {
		s.Bracket, s.Dims = true, attrs(g.Dims.Dims)
	}
	return s
}

func (t *Type) String() string {
	if t.Arrow == NoArrow {
		return t.Cod.String()
	}
	return t.Dom.String() + [...]string{MapTo: " -> ", LinearTo: " -o ", BilinearTo: " ->2 "}[t.Arrow] + t.Cod.String()
}

func (s *Space) String() string {
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
	parts := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		parts[i] = printAttr(d)
	}
	return s.Name + "[" + strings.Join(parts, ",") + "]"
}
