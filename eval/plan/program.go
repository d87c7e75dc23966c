// Package plan turns value nodes and concrete sizes into programs: lists of steps over
// memory that is laid out beforehand. Package eval runs them.
//
// The stages are:
//
//   - form: products of products become one contraction, whose equalities are solved, so
//     that identities, diagonals and broadcasts are never stored (build.go);
//   - product: a contraction with numbers for sizes becomes loops over flat arrays, and
//     these are ordered pairwise by cost; a pair is a matrix product where its layout
//     allows, a product over windows where the operands or the result overlap, running
//     sums where one condition bounds one sum from one side, element-wise where nothing
//     is summed, loops elsewhere (nest.go, product.go, gemm.go, tile.go, scan.go);
//   - reduce: element-wise values that only sums over as many points read are computed
//     inside these (reduce.go);
//   - group: element-wise values that feed each other are computed together, block by
//     block, and only what leaves the group is stored (group.go);
//   - schedule: steps are put in an order, and the memory of a value is reused after its
//     last use (schedule.go).
package plan

import (
	"errors"

	"frechet/combinators"
)

// MaxOrder is the largest order (number of axes) of a tensor.
const MaxOrder = 64

// MaxDims is the largest number of axes of a view: the loop variables of one product.
const MaxDims = maxLoops

// A Program computes values for one choice of sizes. It is immutable.
type Program struct {
	Steps   []Step
	Inputs  []Input
	Outputs []Output
	Arena   int     // numbers of working memory
	Bytes   int64   // memory of one run: results and working memory
	Flops   float64 // an estimate of the arithmetic
}

// An Input is a variable that the program reads.
type Input struct {
	Name  string
	Shape []int
	N     int
}

// An Output is a result: where it is computed, and its shape.
type Output struct {
	Slot  Slot
	Shape []int
	N     int
	Own   bool // computed in the result's own memory; else it is copied there
}

// A SlotKind says which memory a slot is in.
type SlotKind uint8

const (
	// SlotArena is working memory.
	SlotArena SlotKind = iota
	// SlotInput is the memory of a variable.
	SlotInput
	// SlotOutput is the memory of a result.
	SlotOutput
	// SlotConst is a number.
	SlotConst
)

// A Slot is where a value lies: N numbers from Offset in the working memory, or all of
// input or output number Offset, or a constant.
type Slot struct {
	Kind   SlotKind
	Offset int
	N      int
	Const  float64
}

// A Step computes one value or one group of element-wise values.
type Step struct {
	V     *Value // nil for a group
	Group *Group
	Out   Slot
	Args  []Slot // memory of V.Args
}

// Make plans the evaluation of nodes with the given shapes of variables and numbers of size
// symbols. Errors are *MissingError, *SizeError and *LimitError.
func Make(nodes []*combinators.Node, shapes map[string][]int, sizes map[string]int64, limits Limits) (*Program, error) {
	bound, err := Bind(nodes, shapes, sizes)
	if err != nil {
		return nil, err
	}
	p, err := makeBound(nodes, shapes, bound, limits.withDefaults(), true)
	var limit *LimitError
	if errors.As(err, &limit) { // what is shared is kept longer
		p, err = makeBound(nodes, shapes, bound, limits.withDefaults(), false)
	}
	return p, err
}

// makeBound is Make with all sizes known. Unless shared, every product is ordered for itself.
func makeBound(nodes []*combinators.Node, shapes map[string][]int, bound *Sizes, limits Limits, shared bool) (*Program, error) {
	l, err := listed(nodes, bound, shared)
	if err != nil {
		return nil, err
	}
	b, err := build(l, bound, limits)
	if err != nil {
		return nil, err
	}
	p := &Program{Flops: b.flops}
	outs := make([]*Value, len(nodes))
	for i, n := range nodes {
		outs[i] = b.made(n)
		shape, err := Shape(n, bound)
		if err != nil {
			return nil, err
		}
		p.Outputs = append(p.Outputs, Output{Shape: shape, N: outs[i].N})
	}
	for _, v := range b.values {
		if v.Kind == KindInput {
			v.slot = Slot{Kind: SlotInput, Offset: len(p.Inputs), N: v.N}
			p.Inputs = append(p.Inputs, Input{v.Name, shapes[v.Name], v.N})
		}
		if v.Kind == KindConst {
			v.slot = Slot{Kind: SlotConst, N: 1, Const: v.Const}
		}
	}
	if err := schedule(p, b.values, outs, limits); err != nil {
		return nil, err
	}
	return p, nil
}
