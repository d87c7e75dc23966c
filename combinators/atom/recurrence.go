package atom

// Recurrence and LinearRecurrence are the operations of nodes with a body, combinators.Body, which says what they are:
// they stand in no table. The second has a body that is linear in the state, and is linear in its first operand.
var (
	Recurrence       = &Row{Name: "recurrence", Class: ClassPrimitive, number: 254}
	LinearRecurrence = &Row{Name: "linear recurrence", Class: ClassPrimitive, number: 253, Adjoint: []string{"the recurrence backwards"}}
)

func init() {
	byNumber[Recurrence.number], byNumber[LinearRecurrence.number] = Recurrence, LinearRecurrence
}
