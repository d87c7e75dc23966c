package syntax

// Derived is a function that is defined by others: its value is that of Is, with its arguments for Params.
type Derived struct {
	Name   string
	Params []string
	Is     string
	Over   Over
	Order  int  // the order that each argument has, 0 where any will do
	Ddof   bool // it takes ddof=, which is d in Is
}

// Over says on what of its first argument a derived function acts, and how it repeats over other axes.
type Over uint8

const (
	// OverWhole: on the argument as it is.
	OverWhole Over = iota
	// OverAxis: on a vector; of a tensor along axis=, along the first one where none is named.
	OverAxis
	// OverEntries: on all entries, or along axis=.
	OverEntries
	// OverList: on a vector, which has all entries in C order, or those along axis=.
	OverList
)

// derived has the functions that other systems have and that are short texts here; they are printed as
// these. Where a function acts on axes, n is how many entries there are, and further parameters are places of subscripts.
var derived = []Derived{
	{Name: "dot", Params: []string{"x", "y"}, Is: "x'*y", Order: 1},
	{Name: "outer", Params: []string{"x", "y"}, Is: "x*y'", Order: 1},
	{Name: "vec", Params: []string{"A"}, Is: "merge(A', 0)", Order: 2},
	{Name: "clip", Params: []string{"x", "a", "b"}, Is: "min(max(x, a), b)"},
	{Name: "where", Params: []string{"c", "a", "b"}, Is: "c .* a + (1 - c) .* b"},
	{Name: "digamma", Params: []string{"x"}, Is: "polygamma(0, x)"},
	{Name: "flip", Params: []string{"x"}, Is: "x[::-1]", Over: OverAxis},
	{Name: "roll", Params: []string{"x", "k"}, Is: "concat(x[-k:], x[:-k])", Over: OverAxis},
	{Name: "cumprod", Params: []string{"x"}, Is: "prod(where(tril(ones(n, n)) > 0, x', 1), axis=1)", Over: OverAxis},
	{Name: "var", Params: []string{"x"}, Is: "sum((x - mean(x)) .^ 2)/(n - d)", Over: OverEntries, Ddof: true},
	{Name: "std", Params: []string{"x"}, Is: "sqrt(sum((x - mean(x)) .^ 2)/(n - d))", Over: OverEntries, Ddof: true},
	// the eigenvalues of [0, A; A', 0] are the singular values of A, their negatives, and zeros
	{Name: "svdvals", Params: []string{"A"}, Is: "eigvals([0, A; A', 0])[::-1][:n]", Order: 2},
	{Name: "nucnorm", Params: []string{"A"}, Is: "0.5*tr(matfun(abs, [0, A; A', 0]))", Order: 2},
	{Name: "opnorm", Params: []string{"A"}, Is: "eigvals([0, A; A', 0])[-1]", Order: 2},
	// how many entries stand before the first one that attains the maximum
	{Name: "argmax", Params: []string{"x"}, Is: "sum(cumsum(x == max(x)) == 0)", Over: OverList},
	{Name: "argmin", Params: []string{"x"}, Is: "sum(cumsum(x == min(x)) == 0)", Over: OverList},
}

// LookupDerived finds a derived function by its name.
func LookupDerived(name string) (Derived, bool) {
	for _, d := range derived {
		if d.Name == name {
			return d, true
		}
	}
	return Derived{}, false
}
