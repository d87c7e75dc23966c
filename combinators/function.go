package combinators

import "math/big"

// A Function is an element-wise function by the name that programs call it: an atom, or sqrt or
// square, which are powers.
type Function struct {
	Name  string
	Arity int
	Power *big.Rat // the exponent of sqrt and square, else nil
}

var powers = []Function{{"sqrt", 1, big.NewRat(1, 2)}, {"square", 1, big.NewRat(2, 1)}}

// Functions lists the element-wise functions.
func Functions() []Function {
	out := append([]Function{}, powers...)
	for _, at := range Atoms() {
		if at.Class == ClassElementwise && at != AtomPower {
			out = append(out, Function{Name: at.Name, Arity: at.Arity})
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
	at := AtomNamed(name)
	if at == nil || at.Class != ClassElementwise || at == AtomPower {
		return f, false
	}
	return Function{Name: name, Arity: at.Arity}, true
}

// Call is the function of as many values of one shape as its arity says.
func (s *Store) Call(f Function, args ...*Node) *Node {
	switch {
	case f.Power != nil:
		return s.Power(args[0], f.Power)
	case f.Arity == 2:
		return s.Binary(f.Name, args[0], args[1])
	}
	return s.Unary(f.Name, args[0])
}
