package syntax

import (
	"slices"
	"strings"
)

// Function describes a function's notation: its name, how many arguments it
// takes, and whether it works along an axis.
type Function struct {
	Name     string
	Reserved bool // always a function; the others are functions only before "("
	Min, Max int  // number of arguments; Max < 0: any
	Axis     bool // takes axis=
}

// functions lists every function of the language. Those of the thesis
// (Lippmann, section 2.3) are reserved names.
var functions = func() map[string]Function {
	table := map[string]Function{}
	for _, n := range []string{"sin", "cos", "tan", "arcsin", "arccos", "arctan", "tanh", "exp",
		"log", "sign", "relu", "abs", "det", "inv", "adj"} {
		table[n] = Function{Name: n, Reserved: true, Min: 1, Max: 1}
	}
	for _, n := range []string{"sqrt", "sinh", "cosh", "erf", "sigmoid", "softplus", "gelu", "step",
		"log1p", "expm1", "square", "logdet", "tr", "diag", "norm1", "norm2", "eye"} {
		table[n] = Function{Name: n, Min: 1, Max: 1}
	}
	for _, n := range []string{"sum", "mean", "logsumexp", "softmax"} {
		table[n] = Function{Name: n, Min: 1, Max: 1, Axis: true}
	}
	for _, n := range []string{"min", "max"} {
		table[n] = Function{Name: n, Min: 1, Max: 2, Axis: true}
	}
	for _, n := range []string{"solve", "kron", "matpow", "logaddexp"} {
		table[n] = Function{Name: n, Min: 2, Max: 2}
	}
	// For derivatives: the k-th derivative of det, minor(X, k); two adjacent axes made
	// one, merge(X, axis), and one axis made two, split(X, axis, m, n), both in C order.
	table["minor"] = Function{Name: "minor", Min: 2, Max: 2}
	table["merge"] = Function{Name: "merge", Min: 2, Max: 2}
	table["split"] = Function{Name: "split", Min: 4, Max: 4}
	table["ones"] = Function{Name: "ones", Min: 1, Max: -1}
	return table
}()

// LookupFunction finds a function by its name.
func LookupFunction(name string) (Function, bool) {
	f, ok := functions[name]
	return f, ok
}

// Functions returns the names of all functions, einsum among them, unsorted.
func Functions() []string {
	names := []string{"einsum"}
	for n := range functions {
		names = append(names, n)
	}
	return names
}

// foreign says how functions of other systems are written here.
var foreign = map[string]string{
	"ln": "log(...)", "log2": "log(x)/log(2)", "log10": "log(x)/log(10)", "exp2": "2^x",
	"asin": "arcsin(...)", "acos": "arccos(...)", "atan": "arctan(...)", "logistic": "sigmoid(...)",
	"trace": "tr(...)", "transpose": "A'", "inverse": "inv(...)", "determinant": "det(...)",
	"norm": "norm2(...), or norm1(...)", "dot": "x'*y", "outer": "x*y'", "matmul": "A*B", "hadamard": "A .* B",
	"power": "x^y", "pow": "x^y", "maximum": "max(a, b)", "minimum": "min(a, b)",
	"identity": "eye(n)", "zeros": "0[n], or 0[m,n]", "vec": "merge(A, 0)", "reshape": "merge and split",
	"vector": "ones(n), or a literal, which takes the order of its place", "matrix": "ones(m,n), or a literal, which takes the order of its place",
}

// Foreign says how a function of another system is written here, "" where none has the name.
func Foreign(name string) string { return foreign[strings.ToLower(name)] }

// Reserved reports whether name can never name a tensor: a keyword or a
// function of the thesis's language.
func Reserved(name string) bool {
	switch name {
	case "declare", "expression", "derivative", "wrt", "delta":
		return true
	}
	return functions[name].Reserved
}

// requestWords are the statements that ask for a derivative.
func isRequestWord(w string) bool {
	return w == "derivative" || slices.Contains(requests, w)
}
