package latex

import (
	"strings"

	terms "frechet/combinators/text"
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

func closedParts(t *terms.Term) (string, int) {
	join := func(sep string, strength int) string {
		parts := make([]string, len(t.Args))
		for i, a := range t.Args {
			parts[i] = closedTerm(a, strength+min(i, 1))
		}
		return strings.Join(parts, sep)
	}
	list := func(args []*terms.Term) string {
		parts := make([]string, len(args))
		for i, a := range args {
			parts[i] = closedTerm(a, 0)
		}
		return strings.Join(parts, `,\ `)
	}
	switch t.Op {
	case terms.Num:
		s := t.Rat.RatString()
		if t.Rat.IsInt() && t.Rat.Sign() >= 0 {
			return s + brackets(t.Attrs), looseAtom
		}
		num, den := t.Rat.Num().String(), t.Rat.Denom().String()
		if !t.Rat.IsInt() {
			s = `\tfrac{` + strings.TrimPrefix(num, "-") + "}{" + den + "}"
			if t.Rat.Sign() < 0 {
				s = "-" + s
			}
		}
		return s + brackets(t.Attrs), looseMinus
	case terms.Name:
		return closedName(t), looseAtom
	case terms.Call:
		if t.Name == "adjoint" && len(t.Args) == 1 {
			return closedTerm(t.Args[0], looseAtom) + `^{\dagger}`, loosePost
		}
		return closedName(t) + `\left(` + list(t.Args) + `\right)`, loosePost
	case terms.Apply:
		return closedTerm(t.Args[0], loosePost) + `\left(` + list(t.Args[1:]) + `\right)`, loosePost
	case terms.Ein:
		spec := `\star_{\mathtt{` + strings.NewReplacer("{", `\{`, "}", `\}`, "_", `\_`, "->", `\to `).Replace(t.Index.String()) + `}}`
		switch {
		case len(t.Args) == 2 && len(t.Index.In) == 2:
			return `\left(` + closedTerm(t.Args[0], looseAtom) + " " + spec + " " + closedTerm(t.Args[1], looseAtom) + `\right)`, looseAtom
		case len(t.Args) > 0:
			return spec + `\left(` + list(t.Args) + `\right)`, loosePost
		}
		return "(" + spec + ")", looseAtom
	case terms.Neg:
		return "-" + closedTerm(t.Args[0], looseMinus), looseMinus
	case terms.Add:
		return join(" + ", looseSum), looseSum
	case terms.Sub:
		return join(" - ", looseSum), looseSum
	case terms.Mul:
		s := join(` \cdot `, looseTimes)
		if open(t) {
			return `\left(` + s + `\right)`, looseAtom
		}
		return s, looseTimes
	case terms.Div:
		if open(t) {
			return `\left(` + join(" / ", looseTimes) + `\right)`, looseAtom
		}
		return `\frac{` + closedTerm(t.Args[0], 0) + "}{" + closedTerm(t.Args[1], 0) + "}", looseAtom
	case terms.Pow:
		return closedTerm(t.Args[0], looseAtom) + "^{" + closedTerm(t.Args[1], 0) + "}", loosePost
	case terms.Let:
		var b strings.Builder
		b.WriteString(`\mathbf{let}\ `)
		for i, n := range t.Names {
			if i > 0 {
				b.WriteString(`;\ `)
			}
			b.WriteString(symbol(n) + " = " + closedTerm(t.Args[i], 0))
		}
		return b.String() + `\ \mathbf{in}\ ` + closedTerm(t.Args[len(t.Args)-1], 0), looseLet
	case terms.Tuple:
		return `\left(` + list(t.Args) + `\right)`, looseAtom
	case terms.Typed:
		return closedTerm(t.Args[0], looseAtom), looseAtom
	case terms.Hole:
		return `\_`, looseAtom
	case terms.Compose:
		return join(` \circ `, looseCompose), looseCompose
	case terms.Product:
		return join(` \times `, looseProduct), looseProduct
	case terms.Pair:
		return `\left\langle ` + list(t.Args) + `\right\rangle`, looseAtom
	case terms.Copair:
		return `\left[` + list(t.Args) + `\right]`, looseAtom
	case terms.Copower:
		return closedTerm(t.Args[0], looseAtom) + "^{" + strings.Trim(brackets(t.Attrs), "[]") + "}", loosePost
	}
	return `\mathtt{` + Words(t.String()) + "}", looseAtom
}

// open reports whether an operand is open: a section.
func open(t *terms.Term) bool { return t.Args[0].Op == terms.Hole || t.Args[1].Op == terms.Hole }

func brackets(attrs []*terms.Term) string {
	if len(attrs) == 0 {
		return ""
	}
	parts := make([]string, len(attrs))
	for i, a := range attrs {
		parts[i] = a.String()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// closedName writes a name: constructors and functions upright or as symbols, values in italics.
func closedName(t *terms.Term) string {
	switch n := t.Name; {
	case n == "log" || n == "ln":
		return `\ln`
	case n == "sin", n == "cos", n == "tan", n == "exp", n == "tanh", n == "sinh", n == "cosh":
		return `\` + n
	case strings.HasPrefix(n, "pi") && digits(n[2:]):
		return `\pi_{` + n[2:] + "}"
	case strings.HasPrefix(n, "iota") && digits(n[4:]):
		return `\iota_{` + n[4:] + "}"
	case n == "D" || n == "K":
		return n
	case n == "id" || len(n) > 2 && !strings.ContainsAny(n, "0123456789") || len(t.Attrs) > 0:
		return `\operatorname{` + Words(n) + "}" + brackets(t.Attrs)
	}
	return symbol(t.Name)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
