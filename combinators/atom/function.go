package atom

import (
	"math/big"
	"slices"
)

// A Function is an element-wise function by the name that programs call it: a row, or sqrt or
// square, which are powers.
type Function struct {
	Name  string
	Row   *Row
	Power *big.Rat // the exponent of sqrt and square, else nil
	LaTeX string   // of these
}

// functions has sqrt and square, then the rows.
var functions = []Function{{"sqrt", Power, big.NewRat(1, 2), `\sqrt{#}`}, {"square", Power, big.NewRat(2, 1), "#^{2}"}}

func init() {
	for _, r := range rows {
		if r.Class == ClassElementwise && r != Power {
			functions = append(functions, Function{Name: r.Name, Row: r})
		}
	}
}

// Functions lists the element-wise functions.
func Functions() []Function { return slices.Clone(functions) }

// FunctionNamed is the element-wise function of a name.
func FunctionNamed(name string) (f Function, ok bool) {
	i := slices.IndexFunc(functions, func(f Function) bool { return f.Name == name })
	if i < 0 {
		return f, false
	}
	return functions[i], true
}

// MatrixFunction is the function of one number that a function of matrices with the number k is, the zero value where there is none.
func MatrixFunction(k int) (f Function) {
	if k < 0 || k >= len(functions) || functions[k].Row != nil && functions[k].Row.Arity != 1 {
		return f
	}
	return functions[k]
}

// MatrixFunctionNamed is the number of the function of one number with a name, -1 where there is none.
func MatrixFunctionNamed(name string) int {
	k := slices.IndexFunc(functions, func(f Function) bool { return f.Name == name })
	if k >= 0 && MatrixFunction(k).Name == "" {
		return -1
	}
	return k
}

// OfMatrices is the name of the function of matrices: expm, logm or sqrtm, those that are of all square matrices; "" of others.
func (f Function) OfMatrices() string {
	if f.Row == Exp || f.Row == Log || f.Power != nil && !f.Power.IsInt() {
		return f.Name + "m"
	}
	return ""
}
