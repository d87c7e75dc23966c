package fault

import (
	"cmp"
	"slices"

	"frechet/syntax"
)

// Code documents an error code.
type Code = syntax.CodeDoc

// Codes of the errors that arise once a program is typed: in requests, values and
// derivatives, and at limits of what they cost. Those of package syntax come before.
const (
	Request        syntax.Code = "R001"
	Target         syntax.Code = "R002"
	NoForm         syntax.Code = "R003"
	NoProof        syntax.Code = "R004"
	NoTheorem      syntax.Code = "R006"
	MissingValue   syntax.Code = "V001"
	ValueShape     syntax.Code = "V002"
	Singular       syntax.Code = "V003"
	NoNumbers      syntax.Code = "V006"
	NotDeclared    syntax.Code = "V007"
	Unsolved       syntax.Code = "V008"
	CotangentOrder syntax.Code = "V004"
	CotangentSize  syntax.Code = "V005"
	NotDiff        syntax.Code = "D001"
	NotScalar      syntax.Code = "D002"
	Size           syntax.Code = "L007"
	Time           syntax.Code = "L008"
	Many           syntax.Code = "L009"
	Internal       syntax.Code = "X001"

	Input              syntax.Code = "L001"
	Axes               syntax.Code = "L003"
	UndeclaredArgument syntax.Code = "N003"
	GivenSize          syntax.Code = "T014"
	Undetermined       syntax.Code = "T015"
)

// The Example of a code here is a line for `frechet batch`.
var ownCodes = []Code{
	{Code: NotDiff, Kind: syntax.KindNotDifferentiable, Title: "no derivative",
		Text: "The derivative of the function that the message names is not known. No result is given rather than a wrong one."},
	{Code: NotScalar, Kind: syntax.KindOrderMismatch, Title: "gradient of something that is no scalar",
		Text:    "A gradient is the derivative of a scalar. A tensor-valued expression has a Jacobian: frechet jac, or derivative wrt.",
		Example: `{"input": "declare x 1 expression x gradient wrt x"}`},
	{Code: Size, Kind: syntax.KindLimit, Title: "tensor or evaluation too large",
		Text:    "A tensor would have more elements, or an evaluation take more memory, than the limits allow; nothing of that size was allocated. Ask for a product with a vector, such as grads by a cotangent, in place of a whole Jacobian, or keep the result as a formula.",
		Example: `{"input": "declare s 0 expression s * ones(1000000000000)", "values": {"s": [1]}}`},
	{Code: Time, Kind: syntax.KindLimit, Title: "out of time",
		Text: "The request took longer than --limit-time."},
	{Code: Many, Kind: syntax.KindLimit, Title: "too many derivatives",
		Text:    "At order n by k variables there are k^n derivatives, more than are computed at once.",
		Example: `{"input": "declare a 0 b 0 expression a*b", "wrt": ["a", "b"], "order": 20}`},
	{Code: Request, Kind: syntax.KindRequest, Title: "not a valid request",
		Text:    "A line of a batch is one JSON object with the fields that docs/batch.md lists, of the types that it gives; the number of values fits the dims beside them.",
		Example: `{"input": "declare x 1 expression x", "want": ["gradient"]}`},
	{Code: Target, Kind: syntax.KindRequest, Title: "no words in the target",
		Text: "The system that a function is exported to cannot state what the message names. Nothing is printed rather than code that is wrong; docs/export.md says what each target states."},
	{Code: NoProof, Kind: syntax.KindRequest, Title: "no certificate",
		Text: "The derivation has a step that the checker does not follow; the message names it. Nothing is written rather than a proof that is none. The derivation itself is printed without --certificate; one of a part of the program, or of other variables, may have a certificate."},
	{Code: NoTheorem, Kind: syntax.KindRequest, Title: "no theorem",
		Text: "The derivation has a value, a step or a size that the theorems of steps --coq have no term for; the message names it. Nothing is written rather than a theorem about something else. docs/theorems.md says what can be stated."},
	{Code: NoForm, Kind: syntax.KindRequest, Title: "no form in this notation",
		Text:    "A result has no form in the notation that is asked for: a sum over affine indices has none in matrix notation. Format text takes a notation that has it, and combinators has a form of everything. Numbers are printed all the same.",
		Example: `{"input": "declare x[8] w[3] let y[i:6] = sum{k}_0^2 (x[i+k]*w[k]) expression y", "format": "matrix", "want": ["text"]}`},
	{Code: MissingValue, Kind: syntax.KindMissingValue, Title: "variable without a value",
		Text:    "Numbers are asked for that depend on a variable for which there are none.",
		Example: `{"input": "declare x 1 y 1 expression x + y", "values": {"x": [1]}}`},
	{Code: ValueShape, Kind: syntax.KindDimensionMismatch, Title: "values of the wrong shape",
		Text:    "The shapes of values contradict each other or the program.",
		Example: ""},
	{Code: Singular, Kind: syntax.KindSingular, Title: "singular matrix",
		Text:    "inv or solve met a matrix that is singular, exactly or to working precision. det, adj and their derivatives are computed at singular matrices too.",
		Example: `{"input": "declare A 2 expression inv(A)", "dims": {"A": [2, 2]}, "values": {"A": [1, 2, 2, 4]}}`},
	{Code: NoNumbers, Kind: syntax.KindMissingValue, Title: "function without numbers",
		Text:    "Numbers are asked for of a function that the program declares by its type alone. In formulas it stands for itself; a Go program gives it, and its derivatives, in numbers.",
		Example: `{"input": "declare x[n] primitive h : R -> R expression h(x)", "values": {"x": [1, 2]}}`},
	{Code: NotDeclared, Kind: "not-as-declared", Title: "values that are not as declared",
		Text:    "The values of a variable are not what its declaration says: symmetric, positive, .... They are compared within 1e-8 of the largest entry. Formulas that use the declaration would be wrong at them.",
		Example: `{"input": "declare S[n,n] symmetric expression S", "dims": {"S": [2, 2]}, "values": {"S": [1, 2, 3, 4]}}`},
	{Code: Unsolved, Kind: syntax.KindSingular, Title: "implicit function without a value",
		Text:    "root, fixpoint and argmin look for a value by Newton's method, argmin by minimisation first. None was found from where the search begins, or the derivative by the value is singular at it, so that there is no implicit function. The message says where. Another start may have a value: root(x = x0).",
		Example: `{"input": "declare a 0 expression root(x = 1) x^2 + a", "values": {"a": [1]}}`},
	{Code: CotangentOrder, Kind: syntax.KindOrderMismatch, Title: "scalar cotangent for a tensor",
		Text:    "A cotangent has the shape of the output: a tensor-valued expression needs one number for each entry.",
		Example: `{"input": "declare a 1 x 1 expression a *(i,j->ij) x", "values": {"a": [1, 2], "x": [1, 2, 3]}, "cotangent": [1]}`},
	{Code: CotangentSize, Kind: syntax.KindDimensionMismatch, Title: "cotangent of the wrong size",
		Text:    "A cotangent has one number for each entry of the output, in row-major order.",
		Example: `{"input": "declare x 1 expression x", "values": {"x": [1, 2]}, "cotangent": [1, 2, 3]}`},
	{Code: Internal, Kind: "internal", Title: "bug in frechet",
		Text: "Something went wrong that is not the input's fault. Please report it with the input."},
}

// Codes lists all error codes in order.
func Codes() []Code {
	all := slices.Concat(syntax.Codes, ownCodes)
	slices.SortStableFunc(all, func(a, b Code) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

// Explain finds an error code.
func Explain(code string) (Code, bool) {
	for _, c := range Codes() {
		if string(c.Code) == code {
			return c, true
		}
	}
	return Code{}, false
}

func kind(code syntax.Code) syntax.Kind {
	for _, c := range ownCodes {
		if c.Code == code {
			return c.Kind
		}
	}
	return code.Kind()
}
