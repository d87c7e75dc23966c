package combinators

import (
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// Blocks is the matrix of blocks, [A, B; C, D]: the sum of its blocks, each in its place. A number fills the place that the blocks
// beside and above it leave. The rows have equally many blocks. It panics with a *[TypeError].
func (s *Store) Blocks(rows [][]*Node) *Node {
	columns := make([][]*Node, len(rows[0]))
	for _, r := range rows {
		for j, c := range r {
			columns[j] = append(columns[j], c)
		}
	}
	down, right := bounds(rows, 0), bounds(columns, 1)
	shape := []size.Size{down[len(rows)], right[len(columns)]}
	sum := s.Zero(shape)
	for i, r := range rows {
		for j, c := range r {
			if v, ok := c.Filled(); ok && v.Sign() == 0 {
				continue
			}
			at := einsum.Access{Shape: shape, Index: []einsum.Affine{
				einsum.Affine{Off: down[i]}.Plus(1, einsum.Variable(0)), einsum.Affine{Off: right[j]}.Plus(1, einsum.Variable(1))}}
			in := einsum.Access{Shape: c.Shape()}
			for k := range c.Shape() {
				in.Index = append(in.Index, einsum.Variable(k))
			}
			placed, err := einsum.New([]size.Size{down[i+1].Sub(down[i]), right[j+1].Sub(right[j])}, []einsum.Access{in}, at, nil, nil)
			if err != nil {
				panic(err) // the accesses are over the variables
			}
			if n := s.Ein(placed, c); isZero(sum) {
				sum = n
			} else {
				sum = s.Add(sum, n)
			}
		}
	}
	return sum
}

// bounds are where each row, or column, of blocks begins, and where the last one ends; numbers have the size of the others.
func bounds(lines [][]*Node, axis int) []size.Size {
	out := make([]size.Size, 1, len(lines)+1)
	for _, line := range lines {
		k := slices.IndexFunc(line, func(c *Node) bool { return !c.Is(atom.Const) })
		if k < 0 {
			panic(TypeErrorf("a row or a column of numbers alone has no size"))
		}
		for _, c := range line {
			switch {
			case c.Is(atom.Const):
			case c.Order() != 2:
				panic(TypeErrorf("a block is a matrix or a number, not one of shape %s", size.Shape(c.Shape())))
			case c.Shape()[axis] != line[k].Shape()[axis]:
				panic(TypeErrorf("sizes differ in blocks: %s and %s", line[k].Shape()[axis], c.Shape()[axis]))
			}
		}
		out = append(out, out[len(out)-1].Add(line[k].Shape()[axis]))
	}
	return out
}
