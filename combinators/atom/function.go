package atom

import "math/big"

// A Function is an element-wise function by the name that programs call it: a row, or sqrt or
// square, which are powers.
type Function struct {
	Name  string
	Row   *Row
	Power *big.Rat // the exponent of sqrt and square, else nil
	LaTeX string   // of these
}

var powers = []Function{{"sqrt", Power, big.NewRat(1, 2), `\sqrt{#}`}, {"square", Power, big.NewRat(2, 1), "#^{2}"}}

// Functions lists the element-wise functions.
func Functions() []Function {
	out := append([]Function{}, powers...)
	for _, r := range rows {
		if r.Class == ClassElementwise && r != Power {
			out = append(out, Function{Name: r.Name, Row: r})
		}
	}
	return out
}

// FunctionNamed is the element-wise function of a name.
func FunctionNamed(name string) (f Function, ok bool) {
	for _, p := range powers {
		if p.Name == name {
			return p, true
		}
	}
	r := Named(name)
	if r == nil || r.Class != ClassElementwise || r == Power {
		return f, false
	}
	return Function{Name: name, Row: r}, true
}
