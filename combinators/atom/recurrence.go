package atom

import "slices"

// Rows of nodes with a body, combinators.Body, which says what they are: they stand in no table. A linear recurrence has a body that is
// linear in the state, and is linear in its first operand. The others are the implicit functions.
var (
	Recurrence       = &Row{Name: "recurrence", Class: ClassPrimitive, number: 254}
	LinearRecurrence = &Row{Name: "linear recurrence", Class: ClassPrimitive, number: 253, Adjoint: []string{"the recurrence backwards"}}
	Root             = &Row{Name: "root", Class: ClassPrimitive, number: 252}
	Fixpoint         = &Row{Name: "fixpoint", Class: ClassPrimitive, number: 251}
	Argmin           = &Row{Name: "argmin", Class: ClassPrimitive, number: 250}

	Bodied   = []*Row{Recurrence, LinearRecurrence, Root, Fixpoint, Argmin}
	implicit = Bodied[2:]
)

func init() {
	for _, r := range Bodied {
		byNumber[r.number] = r
	}
}

// Implicit is the row of an implicit function; nil is none.
func Implicit(name string) *Row {
	if k := slices.IndexFunc(implicit, func(r *Row) bool { return r.Name == name }); k >= 0 {
		return implicit[k]
	}
	return nil
}
