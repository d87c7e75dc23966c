package syntax

import (
	"slices"
	"strings"

	"frechet/combinators/atom"
)

// Function describes a function's notation: its name, how many arguments it
// takes, and whether it works along an axis.
type Function struct {
	Name     string
	Reserved bool // always a function; the others are functions only before "("
	Min, Max int  // number of arguments; Max < 0: any
	Axis     bool // takes axis=
	Reduces  bool // of one argument, it is a number, or has no axis along which it works
	Ddof     bool // takes ddof=
}

// Options are the names of the options that the function takes.
func (f Function) Options() (names []string) {
	for _, o := range []struct {
		name  string
		takes bool
	}{{"axis", f.Axis}, {"keepdims", f.Axis && f.Reduces}, {"ddof", f.Ddof}} {
		if o.takes {
			names = append(names, o.name)
		}
	}
	return names
}

// usage is a call of the function with as few arguments as it takes: dot(x, y).
func (f Function) usage() string {
	if d, ok := LookupDerived(f.Name); ok {
		return f.Name + "(" + strings.Join(d.Params, ", ") + ")"
	}
	switch f.Name {
	case "solve":
		return "solve(A, y), which is inv(A)*y"
	case "eye", "ones", "zeros":
		return f.Name + "(n)"
	case "split":
		return "split(x, axis, m, n)"
	}
	along := map[bool]string{true: ", axis=0"}[f.Axis && f.Max == 1]
	return f.Name + "(" + strings.Join([]string{"a", "b", "c"}[:max(1, min(f.Min, 3))], ", ") + along + ")"
}

// functions lists every function of the language: those of the table of operations, then the
// others. Those of the thesis (Lippmann, section 2.3) are reserved names.
var functions = func() map[string]Function {
	table := map[string]Function{}
	for _, f := range atom.Functions() {
		if f.Row.Infix == "" {
			table[f.Name] = Function{Name: f.Name, Reserved: f.Row.Reserved, Min: f.Row.Arity, Max: f.Row.Arity}
		}
		if n := f.OfMatrices(); n != "" { // expm(A), and its derivatives expm(A, H, ..)
			table[n] = Function{Name: n, Min: 1, Max: 1 + atom.Directions}
		}
	}
	for _, r := range atom.Rows() {
		n := r.Spoken()
		switch {
		case slices.Contains(atom.Matfun[:], r): // matfun(f, A, H, ..)
			table[n] = Function{Name: n, Min: 2, Max: 2 + atom.Directions}
		case r.Over == atom.OverLast:
			table[n] = Function{Name: n, Min: 1, Max: max(1, table[n].Max), Axis: true, Reduces: r != atom.Softmax}
		case r == atom.Prod:
			table[n] = Function{Name: n, Min: 1, Max: 1, Axis: true, Reduces: true}
			table["prodexcept"] = Function{Name: "prodexcept", Min: 1, Max: 2, Axis: true}
		case r == atom.Split:
			table[n] = Function{Name: n, Min: 4, Max: 4} // split(X, axis, m, n): one axis made two, in C order
		case r.Class >= atom.ClassLinear && r.Class != atom.ClassElementwise:
			args := r.Arity
			if r.Attr { // the k-th derivative of det, minor(X, k); two adjacent axes made one, merge(X, axis)
				args++
			}
			table[n] = Function{Name: n, Reserved: r.Reserved, Min: args, Max: args, Reduces: r == atom.LogDet || r == atom.Norm2}
		}
	}
	for _, n := range []string{"sum", "mean"} {
		table[n] = Function{Name: n, Min: 1, Max: 1, Axis: true, Reduces: true}
	}
	for _, n := range []string{"det", "adj", "tr", "diag", "norm1", "eye"} {
		table[n] = Function{Name: n, Min: 1, Max: 1, Reserved: n == "det" || n == "adj", Reduces: n == "det" || n == "tr" || n == "norm1"}
	}
	for _, n := range []string{"kron", "matpow"} {
		table[n] = Function{Name: n, Min: 2, Max: 2}
	}
	for _, n := range []string{"ones", "zeros"} {
		table[n] = Function{Name: n, Min: 1, Max: -1}
	}
	for _, d := range derived {
		table[d.Name] = Function{Name: d.Name, Min: len(d.Params), Max: len(d.Params), Axis: d.Over != OverWhole, Reduces: d.Over > OverAxis, Ddof: d.Ddof}
	}
	table["cumsum"] = Function{Name: "cumsum", Min: 1, Max: 1, Axis: true}
	table["tril"] = Function{Name: "tril", Min: 1, Max: 2}
	table["triu"] = Function{Name: "triu", Min: 1, Max: 2}
	table["reshape"] = Function{Name: "reshape", Min: 2, Max: -1}
	table["onehot"] = Function{Name: "onehot", Min: 1, Max: 1}
	table["scatter"] = Function{Name: "scatter", Min: 2, Max: -1}
	for _, n := range []string{"concat", "stack"} {
		table[n] = Function{Name: n, Min: 1, Max: -1, Axis: true}
	}
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
