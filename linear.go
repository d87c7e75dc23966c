package frechet

import "frechet/internal/linear"

type (
	// A LinearMap is a linear map between spaces of tensors: the derivative of a program at a point, a
	// second derivative, or the adjoint of one. It is applied, added, solved and looked into by its
	// structure, and its entries are a formula. A derivative by several variables is a map on as many
	// tensors: it has inputs, outputs and an adjoint, and no entries.
	LinearMap = linear.Map
	// Linear is LinearMap.
	//
	// Deprecated: there is one type of linear maps.
	Linear = LinearMap
	// A MapTerm is one summand of a linear map: the number Coef times the product of Factors, on the
	// entries where the axes in each list of Deltas are equal, and 0 elsewhere.
	MapTerm = linear.MapTerm
	// A MapFactor is a term along axes of the map.
	MapFactor = linear.MapFactor
	// A ClosedMap is a map without variables: a term of combinator notation, with values inside.
	ClosedMap = linear.ClosedMap
)

// Derivative is the derivative of the program's one expression by the variables: the
// linear map from changes of the variables to the change of the value. It is applied, forward and by
// its adjoint in reverse, without its entries.
func (f *Func) Derivative(wrt ...string) (*LinearMap, error) {
	return linear.Derivative(f.prog, wrt...)
}

// JacobianMap is the derivative of the program's one expression by a variable, given by its entries: the
// map from changes of the variable to changes of the value.
func (f *Func) JacobianMap(wrt string) (*LinearMap, error) { return linear.Jacobian(f.prog, wrt) }

// HessianMap is the second derivative of the program's one expression, a scalar, by a
// variable: the map from changes of the variable to changes of the gradient. Both have
// the variable's shape.
func (f *Func) HessianMap(wrt string) (*LinearMap, error) { return linear.Hessian(f.prog, wrt) }

// GaussNewtonMap is J' H J, with J the Jacobian of the let through by a variable, and H
// the Hessian of the program's one expression, a scalar, by it. Without through the
// expression must be c*<r, r>, and J is the Jacobian of r.
func (f *Func) GaussNewtonMap(wrt, through string) (*LinearMap, error) {
	return linear.GaussNewton(f.prog, wrt, through)
}

// Map is the map of the program's one expression, as it is written in combinator notation; of a
// program in another language the closed map from the variables that occur to the value.
func (f *Func) Map() (*ClosedMap, error) { return linear.Closed(f.prog) }

// DerivativeMap is the derivative of the program's one expression at its argument, a linear map
// U -o V, by the rules of Elsman et al., Theorem 4.1. With variables named, it is the derivative by
// those alone.
func (f *Func) DerivativeMap(wrt ...string) (*ClosedMap, error) {
	return linear.ClosedDerivative(f.prog, wrt...)
}
