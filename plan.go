package frechet

import (
	"context"

	"frechet/internal/plans"
)

type (
	// A Plan tells how results are computed: which contractions, in which order, what is not
	// stored, what it costs, and in which factors a derivative stays where one does not multiply
	// it out. It is made without any data, and needs no memory for what it describes.
	Plan = plans.Plan
	// A PlanResult is a result, where it stands, and the structure that it has as a linear map.
	PlanResult = plans.Result
	// A PlanStep is one step of a plan.
	PlanStep = plans.Step
	// PlanCost is what a step or a program costs.
	PlanCost = plans.Cost
	// A PlanAlternative is another way to the same results.
	PlanAlternative = plans.Alternative
	// A PlanMap says how the derivatives of an expression, as linear maps, were found.
	PlanMap = plans.Map
	// A PlanSegment is a part of a linear map between two cuts, values that every path passes.
	PlanSegment = plans.Segment
	// A PlanCut is a value at which a linear map is cut.
	PlanCut = plans.Cut
	// Structure is a derivative as a sum of products of factors and deltas, its compressed form.
	Structure = plans.Structure
	// A StructureFactor is a factor that has to be computed.
	StructureFactor = plans.Factor
	// A Count is a number, or a polynomial in size symbols.
	Count = plans.Count
)

// PlanKinds lists what a plan may be of: the value, derivatives, and the operations.
func PlanKinds() []string { return plans.Kinds() }

// Plan plans the evaluation of what of names, by the variables and in the mode of the query,
// whose Order is not looked at. sizes has numbers for size symbols, as far as they are known;
// where they are not, orders are chosen as if all symbols were equal. It may be nil.
func (f *Func) Plan(ctx context.Context, of string, q Query, sizes Sizes) (*Plan, error) {
	return plans.Of(ctx, f.prog, of, q, sizes)
}
