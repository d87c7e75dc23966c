package syntax

// Derived is a function that is defined by others: its value is that of Is, with its arguments for Params.
type Derived struct {
	Name   string
	Params []string
	Is     string
}

// derived has the functions that other systems have and that are short texts here; they are printed as
// these.
var derived = []Derived{
	{"dot", []string{"x", "y"}, "x'*y"},
	{"outer", []string{"x", "y"}, "x*y'"},
	{"vec", []string{"A"}, "merge(A', 0)"},
	{"clip", []string{"x", "a", "b"}, "min(max(x, a), b)"},
	{"where", []string{"c", "a", "b"}, "c .* a + (1 - c) .* b"},
	{"prod", []string{"x"}, "det(diag(x))"}, // its derivatives are right where entries are 0
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
