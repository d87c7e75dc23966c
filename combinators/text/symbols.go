package text

import (
	"strings"

	"frechet/combinators/atom"
)

// A Symbol is how a combinator is written: in ASCII, with the symbols of the paper, and in LaTeX.
type Symbol struct{ ASCII, Unicode, LaTeX string }

// operators stand between terms or around them.
var operators = []Symbol{
	{".", "∘", `\circ`},
	{"x", "×", `\times`},
	{"<", "⟨", `\langle`},
	{">", "⟩", `\rangle`},
	{"->", "→", `\to`},
	{"->2", "→₂", `\to_{2}`},
	{"-o", "⊸", `\multimap`},
}

// named are the combinators whose names are written in another way somewhere. Those of others are
// written as they are, upright in LaTeX.
var named = []Symbol{
	{"pi", "π", `\pi`},
	{"iota", "ι", `\iota`},
	{"delta", "Δ", `\Delta`},
	{"prod", "Π", `\Pi`},
	{"id", "id", `\mathrm{id}`},
	{"D", "D", `D`},
	{"K", "K", `K`},
	{atom.Log.Name, atom.Log.Name, `\ln`},
	{"ln", "ln", `\ln`},
	{"det", "det", `\det`},
	{"inv", "inv", `\mathrm{inv}`},
}

// Operator is the symbol of an operator.
func Operator(ascii string) Symbol {
	for _, s := range operators {
		if s.ASCII == ascii {
			return s
		}
	}
	return Symbol{ascii, ascii, ascii}
}

// Named is the symbol of a combinator with a name; numbered ones, pi1 and iota2, have that of their
// name, and so has the number pi. ok is false for a name that is written as it is.
func Named(name string) (s Symbol, number string, ok bool) {
	head := strings.TrimRight(name, "0123456789")
	number = name[len(head):]
	for _, s := range named {
		if s.ASCII == head && (number != "" || head == "pi") == (head == "pi" || head == "iota") {
			return s, number, true
		}
	}
	if at := atom.Named(name); at != nil && at.LaTeX == `\`+name+"(#)" {
		return Symbol{name, name, `\` + name}, "", true
	}
	return s, "", false
}

// pick is an operator, as its symbol on request.
func (p Printer) pick(ascii string) string {
	if p.Unicode {
		return Operator(ascii).Unicode
	}
	return ascii
}

// name spells pi1, iota2, delta and prod as π1, ι2, Δ and Π on request.
func (p Printer) name(n string) string {
	if s, number, ok := Named(n); ok && p.Unicode {
		return s.Unicode + number
	}
	return n
}

// Type spells the arrows and products of a type with symbols on request.
func (p Printer) Type(typ string) string {
	words := strings.Split(typ, " ")
	for i, w := range words {
		words[i] = p.pick(w)
	}
	return strings.Join(words, " ")
}
