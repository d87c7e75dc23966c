package text

import (
	"math/big"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/internal/lists"
)

// String prints t in ASCII, on one line. Parse reads it back.
func (t *Term) String() string { return Printer{}.Print(t) }

// A Printer prints terms.
type Printer struct {
	Unicode bool // ∘ × ⟨f, g⟩ π1 instead of . x <f, g> pi1
	Lines   bool // each binding of an outermost let on a line of its own
}

// Binding strengths, loosest first; see the package's precedence.
const (
	pLet = iota
	pSum
	pPar
	pMul
	pNeg
	pComp
	pPow
	pExp // what follows .^ : a minus may stand there, and a further power
	pPost
	pAtom
)

func strength(t *Term) int {
	switch t.Op {
	case Let:
		return pLet
	case Add, Sub:
		return pSum
	case Product:
		return pPar
	case Mul, Div:
		if !section(t) {
			return pMul
		}
	case Neg:
		return pNeg
	case Num:
		if t.Rat.Sign() < 0 {
			return pNeg
		}
	case Compose:
		return pComp
	case Pow:
		return pPow
	case Call, Apply, Copower:
		return pPost
	}
	return pAtom
}

// section: an operator with open operands, (u *(ij,j->i) _) or (_ .* _). It stands in parentheses
// of its own, wherever it is.
func section(t *Term) bool {
	if len(t.Args) != 2 || t.Op == Ein && len(t.Index.In) != 2 {
		return false
	}
	open := t.Args[0].Op == Hole || t.Args[1].Op == Hole
	return open && (t.Op == Mul || t.Op == Div || t.Op == Ein)
}

// item is what is left to print: a text, or a term in a place that binds as strongly as level.
type item struct {
	text  string
	term  *Term
	level int
}

// Print prints t. It keeps its own stack: chains of operators may be long.
func (p Printer) Print(t *Term) string {
	var b strings.Builder
	stack := []item{{term: t}}
	if p.Lines && t.Op == Let {
		stack = slices.Clone(p.let(t, "\n  "))
		slices.Reverse(stack)
	}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if it.term == nil {
			b.WriteString(it.text)
			continue
		}
		parts := p.parts(it.term, it.level)
		for i := len(parts) - 1; i >= 0; i-- {
			stack = append(stack, parts[i])
		}
	}
	return b.String()
}

func str(s string) item           { return item{text: s} }
func sub(t *Term, level int) item { return item{term: t, level: level} }

// parts is one step of printing: t in a place of the given level.
// It stays one switch: a case for each operation.
func (p Printer) parts(t *Term, level int) []item {
	s := strength(t)
	if level == pExp && (s == pNeg || s == pPow) {
		s = pExp
	}
	if s < level {
		return []item{str("("), sub(t, pLet), str(")")}
	}
	switch t.Op {
	case Num:
		return []item{str(decimal(t.Rat) + printAttrs(t.Attrs))}
	case Name:
		return []item{str(p.name(t.Name) + t.attributes())}
	case Hole:
		return []item{str("_")}
	case Let:
		return p.let(t, " ")
	case Neg:
		if level == pExp {
			return []item{str("-"), sub(t.Args[0], pExp)}
		}
		return []item{str("-"), sub(t.Args[0], pNeg)}
	case Add:
		return []item{sub(t.Args[0], pSum), str(" + "), sub(t.Args[1], pPar)}
	case Sub:
		return []item{sub(t.Args[0], pSum), str(" - "), sub(t.Args[1], pPar)}
	case Mul, Div:
		op := map[Op]string{Mul: " .* ", Div: " ./ "}[t.Op]
		if section(t) {
			return []item{str("("), sub(t.Args[0], pMul), str(op), sub(t.Args[1], pNeg), str(")")}
		}
		return []item{sub(t.Args[0], pMul), str(op), sub(t.Args[1], pNeg)}
	case Pow:
		return []item{sub(t.Args[0], pPost), str(" .^ "), sub(t.Args[1], pExp)}
	case Product:
		return p.list("", " "+p.pick("x")+" ", "", t.Args, pMul)
	case Compose:
		return p.list("", " "+p.pick(".")+" ", "", t.Args, pPow)
	case Tuple:
		return p.list("(", ", ", ")", t.Args, pLet)
	case Pair:
		return p.list(p.pick("<"), ", ", p.pick(">"), t.Args, pLet)
	case Copair:
		return p.list("[", ", ", "]", t.Args, pLet)
	case Blocks:
		out := []item{str("[")}
		for i, row := range t.Args {
			out = append(out, p.list([]string{"", "; "}[min(i, 1)], ", ", "", row.Args, pLet)...)
		}
		return append(out, str("]"))
	case Copower:
		return []item{sub(t.Args[0], pPost), str("^" + printAttrs(t.Attrs))}
	case Typed:
		return []item{str("("), sub(t.Args[0], pLet), str(" : " + p.Type(t.Type.String()) + ")")}
	case Family:
		return []item{str(p.name(t.Name) + "{" + t.Names[0] + "}("), sub(t.Args[0], pLet), str(")")}
	case Call:
		if t.Name == Contract {
			if t.Args[0].Op == Hole {
				return []item{str("(* "), sub(t.Args[1], pLet), str(")")}
			}
			return []item{str("("), sub(t.Args[0], pLet), str(" *)")}
		}
		return p.list(p.name(t.Name)+t.attributes()+"(", ", ", ")", t.Args, pLet)
	case Apply:
		return append([]item{sub(t.Args[0], pPost)}, p.list("(", ", ", ")", t.Args[1:], pLet)...)
	}
	return p.ein(t)
}

func (p Printer) ein(t *Term) []item {
	if len(t.Args) == 0 && len(t.Index.In) > 0 {
		return []item{str("*(" + t.Index.String() + ")")}
	}
	if section(t) {
		return []item{str("("), sub(t.Args[0], pMul), str(" *(" + t.Index.String() + ") "), sub(t.Args[1], pNeg), str(")")}
	}
	if len(t.Args) == 0 {
		return []item{str("ein(" + t.Index.String() + ";)")}
	}
	return p.list("ein("+t.Index.String()+"; ", ", ", ")", t.Args, pLet)
}

func (p Printer) let(t *Term, gap string) []item {
	out := []item{str("let ")}
	for i, n := range t.Names {
		if i > 0 {
			out = append(out, str(";"+strings.ReplaceAll(gap, "\n  ", "\n    ")))
		}
		out = append(out, str(n+" = "), sub(t.Args[i], pSum))
	}
	return append(out, str(strings.TrimSuffix(gap, "  ")+"in "), sub(t.Args[len(t.Names)], pLet))
}

func (p Printer) list(open, sep, end string, args []*Term, level int) []item {
	out := []item{str(open)}
	for i, a := range args {
		if i > 0 {
			out = append(out, str(sep))
		}
		out = append(out, sub(a, level))
	}
	return append(out, str(end))
}

// attribute is the one of a function of matrices, which is the number of a function and written as its name: matfun[exp](A).
func (t *Term) attribute() *Term {
	if at := atom.Named(t.Name); at == nil || !slices.Contains(atom.Matfun[:], at) || len(t.Attrs) != 1 {
		return nil
	}
	return t.Attrs[0]
}

func (t *Term) attributes() string {
	if of := t.attribute(); of != nil && of.Op == Num && of.Rat.IsInt() {
		if f := atom.MatrixFunction(int(of.Rat.Num().Int64())); f.Name != "" {
			return "[" + f.Name + "]"
		}
	}
	return printAttrs(t.Attrs)
}

func printAttrs(attrs []*Term) string {
	if len(attrs) == 0 {
		return ""
	}
	parts := lists.Map(attrs, printAttr)
	return "[" + strings.Join(parts, ",") + "]"
}

// Attr prints an attribute expression: n-k+1, 2*c.
func Attr(t *Term) string { return printAttr(t) }

// printAttr prints an attribute expression without blanks: n-k+1, 2*c. Its depth is bounded by the
// parser's nesting.
func printAttr(t *Term) string { return attrAt(t, 1) }

func attrAt(t *Term, level int) string {
	s, prec := "", 4
	switch t.Op {
	case Num:
		if s = t.Rat.RatString(); t.Rat.Sign() < 0 {
			prec = 3
		}
	case Neg:
		s, prec = "-"+attrAt(t.Args[0], 3), 3
	case Add, Sub:
		s = attrAt(t.Args[0], 1) + map[Op]string{Add: "+", Sub: "-"}[t.Op] + attrAt(t.Args[1], 2)
		prec = 1
	case Mul:
		s, prec = attrAt(t.Args[0], 2)+"*"+attrAt(t.Args[1], 3), 2
	case Div:
		l, r := attrAt(t.Args[0], 2), attrAt(t.Args[1], 3)
		op := "/"
		if digit(l[len(l)-1]) && digit(r[0]) {
			op = " / " // 1/2 without blanks is one number
		}
		s, prec = l+op+r, 2
	case Call:
		parts := lists.Map(t.Args, printAttr)
		s = t.Name + "(" + strings.Join(parts, ",") + ")"
	default:
		s = t.Name
	}
	if prec < level {
		return "(" + s + ")"
	}
	return s
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// decimal writes a rational as a fraction, or as a decimal number where that is exact and the fraction is long.
func decimal(r *big.Rat) string {
	if s := r.RatString(); len(s) < 12 {
		return s
	}
	if digits, exact := r.FloatPrec(); exact {
		return r.FloatString(digits)
	}
	return r.RatString()
}
