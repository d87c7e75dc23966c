package syntax

import (
	"fmt"
	"strings"
)

// CodeDoc documents an error code. Example is a program that gives this very error:
// in Parse, or where Typed is set when it is elaborated, with the sizes Dims and Sizes
// given for it. Limits and Nodes stand for the defaults where these would need a
// program too long to show.
type CodeDoc struct {
	Code    Code
	Kind    Kind
	Title   string
	Text    string
	Example string
	Typed   bool
	Dims    map[string][]int64
	Sizes   map[string]int64
	Limits  Limits
	Nodes   int
}

// Under says what the example needs beside its text: " under a nesting limit of 3",
// " with X = [2,4]"; empty if nothing.
func (d CodeDoc) Under() string {
	l := d.Limits
	for _, c := range []struct {
		what string
		n    int
	}{{"an input", l.Bytes}, {"a nesting", l.Nesting}, {"a token", l.Tokens}, {"a digit", l.Digits}, {"an order", l.Order}, {"a node", d.Nodes}} {
		if c.n != 0 {
			return fmt.Sprintf(" under %s limit of %d", c.what, c.n)
		}
	}
	for name, sizes := range d.Dims {
		return fmt.Sprintf(" with %s = %s", name, strings.ReplaceAll(fmt.Sprint(sizes), " ", ","))
	}
	return ""
}

// Kind returns the kind of a documented code; empty if it is none.
func (c Code) Kind() Kind {
	if d, ok := codeIndex[c]; ok {
		return Codes[d].Kind
	}
	return ""
}

// LookupCode finds the documentation of a code.
func LookupCode(c Code) (CodeDoc, bool) {
	i, ok := codeIndex[c]
	if !ok {
		return CodeDoc{}, false
	}
	return Codes[i], true
}

var codeIndex = func() map[Code]int {
	index := map[Code]int{}
	for i, d := range Codes {
		index[d.Code] = i
	}
	return index
}()

// Codes are all error codes of the languages, in order.
var Codes = []CodeDoc{
	// S: the notation.
	{Code: "S001", Kind: KindLexical, Title: "unknown character",
		Text:    "A character stands here that begins no token of the language. Outside of comments a program is plain ASCII.",
		Example: "declare x 1 expression x $ x derivative wrt x"},
	{Code: "S002", Kind: KindSyntax, Title: "unexpected token",
		Text:    "The text cannot go on like this here. The message says what could stand in this place.",
		Example: "declare x 1 expression x -> 1"},
	{Code: "S003", Kind: KindSyntax, Title: "operand missing",
		Text:    "An operator, a comma or an opening parenthesis has nothing after it to work on.",
		Example: "declare x 1 expression x + derivative wrt x"},
	{Code: "S004", Kind: KindSyntax, Title: "operator or parenthesis missing",
		Text:    "Two operands stand side by side, or a parenthesis has no partner. Products are always written: x*y, x .* y, or x *(i,i->) y with indices.",
		Example: "declare x 1 expression x x derivative wrt x"},
	{Code: "S005", Kind: KindSyntax, Title: "broken index group",
		Text:    "A `*(` with a comma or an arrow directly inside is an index group: index strings of letters, one for each operand, `->`, and the index string of the result. Blanks may stand between the strings, not inside them.",
		Example: "declare x 1 expression x *(i,i i) x"},
	{Code: "S006", Kind: KindSyntax, Title: "parentheses of a function",
		Text:    "A function is followed by its arguments in parentheses, of which there is at least one.",
		Example: "declare x 1 expression sin x"},
	{Code: "S007", Kind: KindSyntax, Title: "order missing",
		Text:    "A declared tensor is followed by its order, a whole number from 0 (a scalar), or by its sizes in brackets.",
		Example: "declare x expression x"},
	{Code: "S008", Kind: KindSyntax, Title: "expression missing",
		Text:    "A program has at least one `expression` statement, and it is not empty.",
		Example: "declare x 1"},
	{Code: "S009", Kind: KindSyntax, Title: "incomplete request",
		Text:    "A request names the variables after `wrt`, separated by commas.",
		Example: "declare x 1 expression x derivative x"},
	{Code: "S010", Kind: KindReservedName, Title: "reserved name",
		Text:    "Keywords and the functions sin, cos, tan, arcsin, arccos, arctan, tanh, exp, log, sign, relu, abs, det, inv and adj cannot name a tensor. All other function names can.",
		Example: "declare sin 1 expression sin(sin) derivative wrt sin"},
	{Code: "S011", Kind: KindSyntax, Title: "request with too much or too little",
		Text:    "A request ends after its variables, but for `order` and a number after a derivative, and `along` and a name, which jvp, vjp and hvp need.",
		Example: "declare x 1 y 1 expression x derivative wrt x y"},
	{Code: "S012", Kind: KindSyntax, Title: "chained comparison",
		Text:    "Comparisons give the numbers 0 and 1 and do not chain: a > b > c has no meaning that everyone agrees on.",
		Example: "declare a 0 b 0 c 0 expression a > b > c"},
	{Code: "S013", Kind: KindSyntax, Title: "wrong arguments",
		Text:    "A function, or einsum, has more or fewer arguments than it takes, or an option that it does not know.",
		Example: "declare A 2 expression kron(A)"},
	{Code: "S014", Kind: KindUnknownFunction, Title: "unknown function",
		Text:    "A name that is no function and no variable stands before a parenthesis.",
		Example: "declare x 1 expression sine(x)", Typed: true},

	// N: names.
	{Code: "N001", Kind: KindDuplicateDeclaration, Title: "name used twice",
		Text:    "Variables, size symbols, lets and named expressions share one set of names, each used once.",
		Example: "declare x 1 x 2 expression x", Typed: true},
	{Code: "N002", Kind: KindUndeclaredVariable, Title: "undeclared name",
		Text:    "A name in an expression must be declared, or defined by let, before it is used.",
		Example: "declare x 1 expression x + y", Typed: true},
	{Code: "N003", Kind: KindUndeclaredArgument, Title: "derivative with respect to an undeclared variable",
		Text:    "The variables after `wrt` and `along` must be declared. The derivative with respect to a declared variable that does not occur is zero.",
		Example: "declare x 1 expression x derivative wrt a", Typed: true},

	// T: types, that is orders and sizes.
	{Code: "T001", Kind: KindOrderMismatch, Title: "operands of different order",
		Text:    "The operands of +, -, /, .*, ./, .^, of comparisons and of min and max have the same order, or one of them has order 0 and is used for every entry of the other, or one is a matrix and the other a vector, which is used for every column, as a row for every row.",
		Example: "declare x 1 T 3 expression T + x", Typed: true},
	{Code: "T002", Kind: KindIndexCount, Title: "wrong number of indices",
		Text:    "An index string names each axis of its operand by one letter, so it has as many letters as the operand's order.",
		Example: "declare A 2 x 1 expression A *(i,i->i) x", Typed: true},
	{Code: "T003", Kind: KindUnknownOutputIndex, Title: "output index that no operand has",
		Text:    "A letter of the result occurs in an operand, because its size is found there. Only an index product of one operand may have a new letter, along which it repeats its operand.",
		Example: "declare A 2 v 1 expression A *(ii,i->ij) v", Typed: true},
	{Code: "T004", Kind: KindExponentNotScalar, Title: "exponent that is no scalar",
		Text:    "The exponent of ^ has order 0. An exponent for each entry is written x .^ y. In 2.^x the number takes the dot, as in 2.0^x; write 2 .^ x.",
		Example: "declare x 1 y 1 expression x^y", Typed: true},
	{Code: "T005", Kind: KindMatrixFunctionOrder, Title: "matrix function of something else",
		Text:    "inv, det, adj, logdet, tr, matpow and the first argument of solve have order 2.",
		Example: "declare x 1 expression det(x)", Typed: true},
	{Code: "T006", Kind: KindOrderMismatch, Title: "matrix product that does not fit",
		Text:    "In * without indices a tensor of order 1 is a column, and x' a row. Two columns have no product, nor do two rows, nor tensors of order above 2.",
		Example: "declare x[n] y[n] expression x*y", Typed: true},
	{Code: "T007", Kind: KindOrderMismatch, Title: "argument of the wrong order",
		Text:    "A function does not take an argument of this order: diag takes order 1 or 2, kron 2, solve a right side of order 1 or 2, a transpose at most 2, softmax without an axis 1; an axis must be one that the argument has.",
		Example: "declare T 3 expression diag(T)", Typed: true},
	{Code: "T008", Kind: KindSyntax, Title: "argument that must be a whole number",
		Text:    "The power of matpow is a number, the function of matfun a name; the number of derivatives of minor, the axis of merge and split, and the sizes of eye, ones, delta[...] and of literals are whole numbers or, for sizes, size symbols, sums and products of these.",
		Example: "declare A 2 x 1 expression matpow(A, x)", Typed: true},
	{Code: "T011", Kind: KindDimensionMismatch, Title: "sizes differ in an element-wise operation",
		Text:    "Operands that are combined entry by entry have the same size along each axis. An axis of size 1 is not repeated.",
		Example: "declare x[2] y[3] expression x + y", Typed: true},
	{Code: "T012", Kind: KindDimensionMismatch, Title: "sizes differ in a product",
		Text:    "A letter of an index product, like an inner axis of a matrix product, stands for one size wherever it occurs.",
		Example: "declare A[2,3] x[2] expression A *(ij,j->i) x", Typed: true},
	{Code: "T013", Kind: KindDimensionMismatch, Title: "matrix that must be square",
		Text:    "inv, det, adj, logdet, tr, matpow and solve need as many rows as columns.",
		Example: "declare X[2,3] expression inv(X)", Typed: true},
	{Code: "T014", Kind: KindDimensionMismatch, Title: "sizes that contradict a declaration",
		Text:    "The sizes given for a variable, or the number given for a size symbol, are not those that the program declares.",
		Example: "declare X[2,3] expression X", Dims: map[string][]int64{"X": {2, 4}}, Typed: true},
	{Code: "T015", Kind: KindUndetermined, Title: "size that nothing determines",
		Text:    "Numbers are asked for, and the size of a literal or of a new index follows from no variable. Write the size: delta[n], 2[m,n].",
		Example: "declare x 0 expression delta(1) *(ii,->) x", Dims: map[string][]int64{"x": {}}, Typed: true},
	{Code: "T016", Kind: KindOrderMismatch, Title: "sizes for another order",
		Text:    "The sizes given for a variable are more or fewer than its declared order.",
		Example: "declare X 2 expression X", Dims: map[string][]int64{"X": {2}}, Typed: true},
	{Code: "T017", Kind: KindRequest, Title: "size for something unknown",
		Text:    "A size was given for a variable or a size symbol that the program does not have.",
		Example: "declare X 2 expression X", Dims: map[string][]int64{"Y": {2}}, Typed: true},

	{Code: "T018", Kind: KindDimensionMismatch, Title: "attribute that a variable cannot have",
		Text:    "An attribute behind the sizes of a declared tensor fits its axes, and the other attributes there: symmetric, antisymmetric, diagonal, lower, upper, positive definite, invertible and orthogonal are of matrices with as many rows as columns, simplex is of vectors, and what is symmetric and antisymmetric is 0.",
		Example: "declare S[2,3] symmetric expression S", Typed: true},

	{Code: "T019", Kind: KindDimensionMismatch, Title: "array of whole numbers in another place",
		Text:    "An array that is declared as `i[m] index(n)` stands in subscripts of an axis of size n, X[i, :], in scatter(Y, i), Y having m rows, and in onehot(i). Two of them in one subscript, X[i, j], pick pairs, and have the same axes.",
		Example: "declare i[m] index(n) x[n] expression i + x", Typed: true},

	// I: index notation.
	{Code: "I001", Kind: KindUnboundIndex, Title: "index that nothing binds",
		Text:    "An index in brackets is one of the defined tensor's, the index of a sum around it, or a size symbol.",
		Example: "declare x[3] f[i:3] = x[j]", Typed: true},
	{Code: "I002", Kind: KindDuplicateIndex, Title: "index bound twice",
		Text:    "The indices of the defined tensor have different names. A diagonal is written with a condition: f[i; j] = [i = j] * x[i].",
		Example: "declare x[2] f[i; i] = x[i]", Typed: true},
	{Code: "I003", Kind: KindShadowedIndex, Title: "index of a sum that is in use",
		Text:    "The index of a sum has another name than the defined tensor's indices and the sums around it. Sums beside each other may share a name.",
		Example: "declare x[3] f[i:3] = sum{i}_0^2 (x[i])", Typed: true},
	{Code: "I004", Kind: KindNonAffineIndex, Title: "index expression that is not affine",
		Text:    "An index expression is a sum of indices with whole coefficients, whole numbers and sizes. A symbolic stride is understood where it flattens or splits an axis: x[M*i + j] with 0 <= j < M and an axis of size M*n.",
		Example: "declare x[4] f[i:2; j:2] = x[i * j]", Typed: true},
	{Code: "I005", Kind: KindOutOfRange, Title: "access out of range",
		Text:    "Every access is proved to lie in its tensor for all values of the indices, before anything runs. The message names values for which it does not. What holds for some sizes only is decided with their numbers; what leaves the tensor whatever the sizes are is an error in symbols.",
		Example: "declare x[3] f[i:3] = x[i + 1]", Typed: true},
	{Code: "I006", Kind: KindMissingShape, Title: "shape that is not given",
		Text:    "The shapes of the arguments of index notation are given, by a declaration or in the request. The defined tensor's own may follow from the accesses; where it does not, it is written f[i:3] or given.",
		Example: "declare x[3] f[i] = x[i] * w[i]", Typed: true},
	{Code: "I007", Kind: KindSyntax, Title: "expression that cannot stand here",
		Text:    "Bounds of sums, conditions and indices are affine forms; max and floor, min and ceil stand in bounds, max and ceil in the lower one and min and floor in the upper one.",
		Example: "declare x[3] f[i:3] = sum{k}_(min(0, i))^2 (x[k])", Typed: true},
	{Code: "I008", Kind: KindDimensionMismatch, Title: "shape that contradicts the definition",
		Text:    "The shape given for the defined tensor is not the one that the program writes, or an index that stands alone in two accesses meets axes of two sizes.",
		Example: "declare x[3] y[4] f[i] = x[i] * y[i]", Typed: true},

	// P: functions that are declared. The examples are lines for `frechet batch`.
	{Code: "P001", Kind: KindSyntax, Title: "declaration of a function that cannot be",
		Text:    "A function is declared by its type, `primitive h : R -> R` or `primitive g : R[n] x R[m] -> R[m]`, and by the names of its derivatives, one for each argument, and of its adjoint where it is linear, `primitive L : R[n] -o R[m] adjoint Lt`. Each size of an argument stands alone on one of its axes.",
		Example: `{"input": "declare x[n] primitive h : R -> R adjoint k expression h(x)"}`},
	{Code: "P002", Kind: KindDuplicateDeclaration, Title: "name that a function cannot have",
		Text:    "The name of a declared function is no function of the language and no keyword, and it is declared once, in the program or in its rule file.",
		Example: `{"input": "declare x[n] primitive sin : R -> R expression sin(x)"}`},
	{Code: "P003", Kind: KindDimensionMismatch, Title: "derivative or adjoint of another type",
		Text:    "What a declaration names as its derivative or adjoint is a function of their type: the derivative of `g : R[n] -> R[m]` is of type `R[n] -> R[m,n]`, its adjoint, of `g : R[n] -o R[m]`, of type `R[m] -o R[n]`.",
		Example: `{"input": "declare x[n] primitive h : R -> R derivative h1 primitive h1 : R[n] -> R expression h(x)"}`},

	// L: limits.
	{Code: "L001", Kind: KindLimit, Title: "program too long",
		Text:    "The text of a program is longer than the limit on input, 64 MB unless set otherwise. Data belongs in files.",
		Example: "declare x 1 expression x", Limits: Limits{Bytes: 16}},
	{Code: "L002", Kind: KindLimit, Title: "nested too deeply",
		Text:    "Parentheses, signs and exponents stand inside one another more than 10,000 deep, unless the limit is set otherwise. Name inner parts by let; a chain of sums or products may have any length.",
		Example: "declare x 0 expression ((((x))))", Limits: Limits{Nesting: 3}},
	{Code: "L003", Kind: KindLimit, Title: "order too high",
		Text:    "A tensor has more than 64 axes, or the limit set instead; or the space of a map has more than 32768 tensors and axes, however they are shared where the map is written.",
		Example: "declare x 1000 expression x"},
	{Code: "L004", Kind: KindLimit, Title: "number too long",
		Text:    "A number has more than 10,000 digits, or a power of literals has a value beyond the range of floating-point numbers.",
		Example: "declare x 0 expression 123456 * x", Limits: Limits{Digits: 5}},
	{Code: "L005", Kind: KindLimit, Title: "too many tokens",
		Text:    "A program has more than 2,000,000 tokens, unless the limit is set otherwise.",
		Example: "declare x 1 expression x + x + x", Limits: Limits{Tokens: 5}},
	{Code: "L006", Kind: KindLimit, Title: "too many nodes",
		Text:    "The terms of a program, or of a derivative of it, each counted once however often it occurs, are more than the limit on nodes; or rules of one's own are applied without end.",
		Example: "declare x 0 expression sin(sin(sin(x)))", Nodes: 2, Typed: true},
	{Code: "L010", Kind: KindLimit, Title: "size too large",
		Text:    "A size, such as that of a Kronecker product, is larger than 2^63, or a polynomial in size symbols of too high a degree or of too many terms.",
		Example: "declare A[9223372036854775807,2] expression kron(A, A)", Typed: true},
	{Code: "L011", Kind: KindLimit, Title: "power too large",
		Text:    "The power of matpow is larger than 2^30.",
		Example: "declare A[n,n] expression matpow(A, 10000000000)", Typed: true},
}
