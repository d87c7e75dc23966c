// Package atom is the table of operations: a row for each, with all that is known of it and is no code.
//
// Everything else reads the table: the languages the names, differentiation and its rules the calculus columns, the
// normal form, the facts and the checker of derivations the domains, signs and exact values, the printers the notation.
// A test compares each column with the others, and with the function on numbers.
package atom

import "slices"

// Class says how an atom depends on its arguments; the derivative follows from it.
type Class uint8

const (
	// ClassVariable is a variable: its derivative is what it is asked for.
	ClassVariable Class = iota
	// ClassConstant has no arguments: derivative 0.
	ClassConstant
	// ClassContraction is linear in every operand: the product rule.
	ClassContraction
	// ClassSum is linear in all arguments at once: the sum rule.
	ClassSum
	// ClassLinear is a linear map in its one argument that is no contraction: its
	// derivative is itself, its adjoint is the row's.
	ClassLinear
	// ClassElementwise acts entry by entry on arguments of one shape: Deriv[k] is the
	// partial derivative in argument k, a value of the same shape.
	ClassElementwise
	// ClassPrimitive is any other differentiable atom: Deriv[k] is its differential in
	// argument k applied to the tangent dx or dy.
	ClassPrimitive
)

// Row is a row of the table of operations. The calculus columns are text in the term
// syntax of package combinators/text; x and y are the arguments, dx and dy their
// tangents, w a cotangent, one the tensor of ones of the shape of x, r the exponent and
// k the attribute; m and n are the sizes of the two axes that merge makes one. In a contraction
// "..." stands for the batch axes, of which there are BatchAxes, and "~" for all axes that are left.
type Row struct {
	Name     string
	Arity    int
	Class    Class
	Commutes bool // a binary function with f(x, y) = f(y, x)
	// Infix is the sign between the operands of a function that programs do not call by its name.
	Infix string

	// Deriv has the derivative by argument: see Class. Adjoint, for an argument in
	// which the atom is linear, is the adjoint applied to w.
	Deriv   []string
	Adjoint []string

	// Value is the number that a constant with a name is, rounded.
	Value float64
	// F1 and F2 are the function on numbers, for element-wise atoms.
	F1 func(x float64) float64
	F2 func(x, y float64) float64

	// Domain says where the function is real and smooth; Low and High bound the sample
	// points of tests, inside the domain.
	Domain    string
	Low, High float64

	// Kink is the id of the convention at a point where the function is not smooth,
	// with KinkAt the argument's value there; "" for a smooth function.
	Kink   string
	KinkAt float64

	// LaTeX is the notation, with # for the argument.
	LaTeX string
	// Doc is a line for people.
	Doc string

	number uint8 // of the row
}

// rows has the rows in the order in which they are declared.
var rows []*Row

var byName = map[string]*Row{}

// byNumber has them by their numbers: a node has a number in place of a pointer.
var byNumber [256]*Row

// row adds a row to the table.
func row(r Row) *Row {
	r.number = uint8(len(rows))
	rows = append(rows, &r)
	byNumber[r.number], byName[r.Name] = &r, &r
	return &r
}

// Rows lists the table.
func Rows() []*Row { return slices.Clone(rows) }

// Named is the row with the given name, or nil.
func Named(name string) *Row { return byName[name] }

// InfixNamed is the row of a sign between operands, or nil.
func InfixNamed(sign string) *Row {
	i := slices.IndexFunc(rows, func(r *Row) bool { return r.Infix == sign })
	if i < 0 {
		return nil
	}
	return rows[i]
}

// Numbered is the row of a number.
func Numbered(n uint8) *Row { return byNumber[n] }

// Number is the place of the row in the table: of [Rows].
func (r *Row) Number() int { return int(r.number) }

// Kind is a bit for the operation, which few others have; only variables have theirs.
func (r *Row) Kind() uint32 {
	if r == Var {
		return 1
	}
	return 2 << (r.number % 31)
}
