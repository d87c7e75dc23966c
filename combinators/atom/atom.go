// Package atom is the table of operations: a row for each, with all that is known of it and is no code.
//
// Everything else reads the table: the languages the names, differentiation and its rules the calculus columns, the
// normal form, the facts and the checker of derivations the domains, signs and exact values, the printers the notation.
// A test compares each column with the others, and with the function on numbers.
package atom

import (
	"math"
	"math/big"
	"slices"
)

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
	// Over says on which axes a primitive acts; Attr that it has a whole number k besides its operands.
	Over Over
	Attr bool
	// Turns: of matrices that are their transposes, the value is its transpose, where it is a matrix.
	Turns bool
	// Infix is the sign between the operands of a function that programs do not call by its name.
	Infix string
	// Reserved: the name can name no tensor in a program. Foreign is the function's name in other systems.
	Reserved bool
	Foreign  string
	Doc      string // a line for people
	// Called is the name in programs, where it is another; see [Row.Spoken].
	Called string

	// Deriv has the derivative by argument: see Class. Adjoint, for an argument in
	// which the atom is linear, is the adjoint applied to w.
	Deriv   []string
	Adjoint []string
	// Definition is the function by exp, log, sin, cos and arithmetic, where it can be written so: a row may stand for
	// a stable form of it.
	Definition string

	// Value is the number that a constant with a name is, rounded.
	Value float64
	// F1 and F2 are the function on numbers, for element-wise atoms.
	F1 func(x float64) float64
	F2 func(x, y float64) float64
	// Exact is the value at rational numbers where that is a rational number, else nil; y is nil for a function of one. It
	// is nil for a function without such values, and for powers: see [RatPow].
	Exact func(x, y *big.Rat) *big.Rat
	// Low and High bound the sample points of tests, inside the domain.
	Low, High float64

	// Domain is where the function has a value: of the first operand, entry by entry. Where is what must hold besides, as
	// a condition of rules. Guarded: a value can be infinite at the edge of the domain, and a derivative may put a
	// guard on it.
	Domain  Interval
	Where   string
	Guarded bool
	// Range has the values, and is the least interval that does. Zeros has the arguments at which the value is 0, where
	// these are an interval and all of them.
	Range, Zeros Interval
	// Increasing: f(x) <= f(y) for x < y in the domain. Picks: each entry of the value is an entry of the operand.
	Increasing, Picks bool
	// Parity is that in the first operand. Homogeneous is d where f(c x) = c^d f(x) for numbers c > 0, for all
	// operands together, "" where there is none. Period is the least period of a function of an angle, else 0.
	Parity      Parity
	Homogeneous string
	Period      float64
	// Kink is the id of the convention at a point where the function is not smooth,
	// with KinkAt the argument's value there; "" for a smooth function. KinkEvery is the distance from one kink to
	// the next, 0 where there is one only.
	Kink              string
	KinkAt, KinkEvery float64

	// LaTeX is the notation, with # for the argument.
	LaTeX string
	// Precedence is the place in the order of symbols by which rules decrease: 1 is above all others, 0 below.
	Precedence int

	number   uint8     // of the row
	declared *declared // of a function that a program declares, else nil; see Declaration
	// what follows from the columns Zeros and Increasing
	vanishesAt0, vanishesBelow, risesFrom0 bool
}

// Over says on which axes of its operands a primitive acts; it repeats over those before.
type Over uint8

const (
	OverAll      Over = iota // all axes
	OverMatrices             // the last two, as square matrices
	OverVectors              // the last one
	OverLast                 // the last k, where k is the attribute
	OverParams               // those of the arguments' types, of a declared function
)

// Parity is Even where f(-x) = f(x), and Odd where f(-x) = -f(x).
type Parity uint8

const (
	NoParity Parity = iota
	Even
	Odd
)

// rows has the rows in the order in which they are declared.
var rows []*Row

var byName = map[string]*Row{}

// Numbers is how many numbers of rows there are.
const Numbers = 256

// byNumber has them by their numbers: a node has a number in place of a pointer.
var byNumber [Numbers]*Row

// row adds a row to the table.
func row(r Row) *Row {
	r.number = uint8(len(rows))
	r.derive()
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

// Numbered is the row of a number, of those in the table.
func Numbered(n uint8) *Row { return byNumber[n] }

// Spoken is the name in programs: max both of two values and along axes.
func (r *Row) Spoken() string {
	if r.Called != "" {
		return r.Called
	}
	return r.Name
}

// Number is the place of the row in the table: of [Rows]. Declared functions have one number: DeclaredNumber.
func (r *Row) Number() int { return int(r.number) }

// KinkNear is the kink of a function of one operand that is nearest to x.
func (r *Row) KinkNear(x float64) float64 {
	if r.KinkEvery == 0 {
		return r.KinkAt
	}
	return r.KinkAt + r.KinkEvery*math.Round((x-r.KinkAt)/r.KinkEvery)
}

// Kind is a bit for the operation, which few others have; only variables have theirs.
func (r *Row) Kind() uint32 {
	if r == Var {
		return 1
	}
	return 2 << (r.number % 30)
}

// Square is the kind of a product of which two operands have one kind.
const Square uint32 = 1 << 31
