package adjoint

import (
	"frechet/combinators"
	"frechet/rewrite"
	"frechet/rewrite/normal"
)

// A Record is told what a walk over a graph of values does, in order, so that it can be printed and
// checked.
type Record struct {
	// Value is told how values are rewritten before they are differentiated: functions are computed at
	// the entries that are read, and wide products are multiplied by twos.
	Value func(normal.Step)
	// Outs are the outputs as they are differentiated.
	Outs []*Node
	// Step is told of each value at which the walk applies a template.
	Step func(WalkStep)
}

// A WalkStep is a template at one value: the derivative of Node at the tangents of its operands, or the
// adjoint of Node, which is linear in some of its operands, at a cotangent.
type WalkStep struct {
	Node    *Node
	Inputs  []*Node // the tangents of the operands that depend; of an adjoint, the cotangent of Node
	Tangent *Node   // of Node; nil where it is zero, and of an adjoint

	calculus *Calculus
	open     openings
	way      way
}

// Open are the positions of the operands that depend on what is differentiated.
func (w WalkStep) Open() []int { return w.open.list() }

// Key is the same for steps with one [Law].
func (w WalkStep) Key() string { return operationOf(w.Node).key(w.open, w.way) }

// A Law is how the rules come to the derivative or the adjoint of an operation c of operands, of which those that
// depend are unknown maps: from D(c . <f1, .., fk>)(x), or from adjoint(c . <f1, .., fk>), which may be composed with
// an unknown map, to a map in which D(f1)(x), .., or adjoint(f1), .., are left. The operands are the
// variables Points; fi gives the i-th of those that depend.
type Law struct {
	Start, End combinators.Map
	Fired      []rewrite.ClosedFiring
	Points     []*Node
}

// Law works the template of the step out again, in a store of its own.
func (w WalkStep) Law() (l *Law, err error) {
	defer Recover(&err)
	l = &Law{}
	w.calculus.derive(operationOf(w.Node), w.open, w.way, l)
	return l, nil
}

func operationOf(n *Node) operation {
	if n.Ein() != nil {
		return operation{ein: n.Ein()}
	}
	return operation{node: n}
}

// Recorded is [Calculus.D] in the tangents given, one for each of wrt, of which rec is told.
func (c *Calculus) Recorded(b *combinators.Block, wrt, tangents []*Node, rec *Record) (l *LinearProgram, err error) {
	defer Recover(&err)
	l = &LinearProgram{calculus: c, store: b.Store, In: tangents, record: rec}
	l.walk(b, wrt)
	return l, nil
}

// At is the adjoint of the map at cotangents, one for each output, of which rec is told: one value for each
// input, nil for zero.
func (l *LinearProgram) At(cotangents []*Node, rec *Record) ([]*Node, error) {
	l.record = rec
	return l.Pull(cotangents, nil)
}
