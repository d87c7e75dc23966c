package latex

import (
	"strings"

	terms "frechet/combinators/text"
	"frechet/internal/lists"
)

// Closed writes a term of combinator notation: closed maps and the values in them.
func Closed(t *terms.Term) string { return closedTerm(t, 0) }

// Words writes plain words inside \text.
func Words(s string) string {
	return strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "_", `\_`, "^", `\^{}`, "&", `\&`, "%", `\%`,
		"#", `\#`, "$", `\$`, "<", `\(<\)`, ">", `\(>\)`, "~", `\~{}`).Replace(s)
}

// The strengths of the operators, loosest first.
const (
	looseLet = iota
	looseSum
	looseProduct
	looseTimes
	looseMinus
	looseCompose
	loosePost
	looseAtom
)

// closedTerm writes t where an operator of the given strength stands around it.
func closedTerm(t *terms.Term, around int) string {
	s, strength := closedParts(t)
	if strength < around {
		return `\left(` + s + `\right)`
	}
	return s
}

// joined are the operands with a separator between them, for an operator of the given strength.
func joined(t *terms.Term, sep string, strength int) (string, int) {
	parts := make([]string, len(t.Args))
	for i, a := range t.Args {
		parts[i] = closedTerm(a, strength+min(i, 1))
	}
	return strings.Join(parts, sep), strength
}

func closedList(args []*terms.Term) string {
	return strings.Join(lists.Map(args, func(a *terms.Term) string { return closedTerm(a, 0) }), `,\ `)
}

// closedParts writes t, with the strength of its operator: one case for each, which stays one switch.
func closedParts(t *terms.Term) (string, int) {
	switch t.Op {
	case terms.Num:
		return closedNumber(t)
	case terms.Name:
		return closedName(t), looseAtom
	case terms.Call:
		if t.Name == "adjoint" && len(t.Args) == 1 {
			return closedTerm(t.Args[0], looseAtom) + `^{\dagger}`, loosePost
		}
		return closedName(t) + `\left(` + closedList(t.Args) + `\right)`, loosePost
	case terms.Apply:
		return closedTerm(t.Args[0], loosePost) + `\left(` + closedList(t.Args[1:]) + `\right)`, loosePost
	case terms.Ein:
		return closedProduct(t)
	case terms.Neg:
		return "-" + closedTerm(t.Args[0], looseMinus), looseMinus
	case terms.Add:
		return joined(t, " + ", looseSum)
	case terms.Sub:
		return joined(t, " - ", looseSum)
	case terms.Mul, terms.Div:
		if open(t) {
			s, _ := joined(t, map[terms.Op]string{terms.Mul: ` \cdot `, terms.Div: " / "}[t.Op], looseTimes)
			return `\left(` + s + `\right)`, looseAtom
		}
		if t.Op == terms.Mul {
			return joined(t, ` \cdot `, looseTimes)
		}
		return `\frac{` + closedTerm(t.Args[0], 0) + "}{" + closedTerm(t.Args[1], 0) + "}", looseAtom
	case terms.Pow:
		return closedTerm(t.Args[0], looseAtom) + "^{" + closedTerm(t.Args[1], 0) + "}", loosePost
	case terms.Let:
		bound := lists.Indexed(t.Names, func(i int, n string) string { return Symbol(n) + " = " + closedTerm(t.Args[i], 0) })
		return `\mathbf{let}\ ` + strings.Join(bound, `;\ `) + `\ \mathbf{in}\ ` + closedTerm(t.Args[len(t.Args)-1], 0), looseLet
	case terms.Tuple:
		return `\left(` + closedList(t.Args) + `\right)`, looseAtom
	case terms.Typed:
		return `\left(` + closedTerm(t.Args[0], 0) + ` \colon ` + Type(t.Type) + `\right)`, looseAtom
	case terms.Hole:
		return `\_`, looseAtom
	case terms.Compose:
		return joined(t, " "+op(".")+" ", looseCompose)
	case terms.Product:
		return joined(t, " "+op("x")+" ", looseProduct)
	case terms.Pair:
		return `\left` + op("<") + ` ` + closedList(t.Args) + `\right` + op(">"), looseAtom
	case terms.Copair:
		return `\left[` + closedList(t.Args) + `\right]`, looseAtom
	case terms.Copower:
		return closedTerm(t.Args[0], looseAtom) + "^{" + strings.Trim(brackets(t.Attrs), "[]") + "}", loosePost
	}
	return `\mathtt{` + Words(t.String()) + "}", looseAtom
}

func closedNumber(t *terms.Term) (string, int) {
	s := t.Rat.RatString()
	if t.Rat.IsInt() && t.Rat.Sign() >= 0 {
		return s + brackets(t.Attrs), looseAtom
	}
	if !t.Rat.IsInt() {
		num, negative := strings.CutPrefix(t.Rat.Num().String(), "-")
		s = map[bool]string{true: "-"}[negative] + `\tfrac{` + num + "}{" + t.Rat.Denom().String() + "}"
	}
	return s + brackets(t.Attrs), looseMinus
}

// closedProduct writes an index product, with its operands where it has any.
func closedProduct(t *terms.Term) (string, int) {
	spec := `\star_{\mathtt{` + strings.NewReplacer("{", `\{`, "}", `\}`, "_", `\_`, "->", `\to `).Replace(t.Index.String()) + `}}`
	switch {
	case len(t.Args) == 2 && len(t.Index.In) == 2:
		return `\left(` + closedTerm(t.Args[0], looseAtom) + " " + spec + " " + closedTerm(t.Args[1], looseAtom) + `\right)`, looseAtom
	case len(t.Args) > 0:
		return spec + `\left(` + closedList(t.Args) + `\right)`, loosePost
	}
	return "(" + spec + ")", looseAtom
}

// open reports whether an operand is open: a section.
func open(t *terms.Term) bool { return t.Args[0].Op == terms.Hole || t.Args[1].Op == terms.Hole }

func brackets(attrs []*terms.Term) string {
	if len(attrs) == 0 {
		return ""
	}
	return "[" + strings.Join(lists.Map(attrs, sizeText), ",") + "]"
}

// sizeText writes a size or another attribute.
func sizeText(t *terms.Term) string { return strings.ReplaceAll(terms.Attr(t), "*", " ") }

var relationSigns = strings.NewReplacer("<=", `\le`, ">=", `\ge`, "!=", `\ne`, "*", ` `, " | ", ` \mid `, ", ", `,\ `, "; ", `;\ `)

// closedName writes a name: combinators by their symbol or upright, values in italics.
func closedName(t *terms.Term) string {
	if relation, ok := strings.CutPrefix(t.Name, "red{"); ok {
		return `\mathrm{red}_{\{` + relationSigns.Replace(strings.TrimSuffix(relation, "}")) + `\}}`
	}
	s, number, ok := terms.Named(t.Name)
	switch {
	case t.Function != nil:
		s, _, _ := strings.Cut(t.Function.LaTeX, "(#")
		return s + brackets(t.Attrs)
	case ok && number != "":
		return s.LaTeX + "_{" + number + "}"
	case ok:
		return s.LaTeX + brackets(t.Attrs)
	case len(t.Name) > 2 && !strings.ContainsAny(t.Name, "0123456789") || len(t.Attrs) > 0:
		return `\operatorname{` + Words(t.Name) + "}" + brackets(t.Attrs)
	}
	return Symbol(t.Name)
}

// op is the LaTeX of an operator.
func op(ascii string) string { return terms.Operator(ascii).LaTeX }

// Space writes a space: \mathbb{R}^{m \times n}, products and tensor products of spaces.
func Space(s *terms.Space) string {
	switch {
	case len(s.Factors) > 0:
		parts := make([]string, len(s.Factors))
		for i, f := range s.Factors {
			if parts[i] = Space(f); len(f.Factors) > 0 {
				parts[i] = `\left(` + parts[i] + `\right)`
			}
		}
		if s.Name == "Prod" {
			return `\Pi\left(` + strings.Join(parts, "") + `\right)`
		}
		return strings.Join(parts, " "+op("x")+" ")
	case s.Name == "Prod":
		return `\{0\}`
	case !s.Bracket:
		return Symbol(s.Name)
	}
	dims := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		dims[i] = sizeText(d)
		if len(s.Dims) > 1 && (d.Op == terms.Add || d.Op == terms.Sub) {
			dims[i] = "(" + dims[i] + ")"
		}
	}
	r := s.Name
	if r == "R" {
		r = `\mathbb{R}`
	}
	if len(dims) == 0 {
		return r
	}
	return r + "^{" + strings.Join(dims, ` \times `) + "}"
}

// Type writes the type of a value or a map.
func Type(t *terms.Type) string {
	arrows := map[terms.Arrow]string{terms.MapTo: "->", terms.LinearTo: "-o", terms.BilinearTo: "->2"}
	if t.Arrow == terms.NoArrow {
		return Space(t.Cod)
	}
	return Space(t.Dom) + " " + op(arrows[t.Arrow]) + " " + Space(t.Cod)
}

// Definition writes a map with its type, as rows of an align environment; what is used more than once
// has a row of its own.
func Definition(name string, typ *terms.Type, t *terms.Term) string {
	if f, ok := strings.CutSuffix(name, "_adj"); ok {
		name = Symbol(f) + `^{\dagger}`
	} else {
		name = Symbol(name)
	}
	rows := []string{name + ` &\colon ` + Type(typ)}
	body := t
	if t.Op == terms.Let {
		body = t.Args[len(t.Args)-1]
	}
	rows = append(rows, name+" &= "+closedTerm(body, 0))
	if t.Op == terms.Let {
		for i, n := range t.Names {
			row := Symbol(n) + " &= " + closedTerm(t.Args[i], 0)
			if i == 0 {
				row = `\text{where}\quad ` + row
			}
			rows = append(rows, row)
		}
	}
	return "\\begin{align*}\n" + strings.Join(rows, " \\\\\n") + "\n\\end{align*}"
}
