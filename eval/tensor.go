package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"frechet/eval/plan"
	"frechet/internal/words"
)

// The errors of evaluation. They carry no source positions: whoever knows the program's
// text adds them.
type (
	SizeError     = plan.SizeError
	LimitError    = plan.LimitError
	SingularError = plan.SingularError
)

// MaxOrder is the largest order (number of axes) of a tensor.
const MaxOrder = plan.MaxOrder

// A Tensor is a dense array of numbers in row-major order: the last axis varies fastest.
// A tensor of order 0 has an empty shape and one entry; an axis may have size 0.
type Tensor struct {
	Shape []int
	Data  []float64
}

// NewTensor returns the zero tensor of a shape. It panics where the shape is no shape
// (negative sizes, or more entries than an int counts); use Elements to check first.
func NewTensor(shape ...int) *Tensor {
	n, err := Elements(shape, math.MaxInt)
	if err != nil {
		panic(err)
	}
	return &Tensor{Shape: slices.Clone(shape), Data: make([]float64, n)}
}

// Scalar returns the tensor of order 0 whose entry is v.
func Scalar(v float64) *Tensor { return &Tensor{Shape: []int{}, Data: []float64{v}} }

// Vector returns the tensor of order 1 that holds v; the slice is not copied.
func Vector(v ...float64) *Tensor { return &Tensor{Shape: []int{len(v)}, Data: v} }

// Of returns the tensor with this shape and data, neither copied. The error is a *SizeError
// where the shape does not have as many entries as there are data.
func Of(shape []int, data []float64) (*Tensor, error) {
	n, err := Elements(shape, math.MaxInt)
	if err != nil {
		return nil, err
	}
	if n != len(data) {
		return nil, &SizeError{Msg: fmt.Sprintf("shape %s has %s, but %d are given", ShapeString(shape), words.Count(n, "entry"), len(data))}
	}
	if shape == nil {
		shape = []int{}
	}
	return &Tensor{Shape: shape, Data: data}, nil
}

// Elements returns the number of entries of a shape. The error is a *SizeError for a
// negative size, and a *LimitError for an order above MaxOrder or for more than limit entries.
func Elements(shape []int, limit int) (int, error) {
	if len(shape) > MaxOrder {
		return 0, &LimitError{What: "axes of one tensor", Need: float64(len(shape)), Limit: MaxOrder}
	}
	n, zero, over := 1, false, false
	f := 1.0
	for _, d := range shape {
		switch {
		case d < 0:
			return 0, &SizeError{Msg: fmt.Sprintf("shape %s has a negative size", ShapeString(shape))}
		case d == 0:
			zero = true
		case n > math.MaxInt/d:
			over = true
		default:
			n *= d
		}
		f *= float64(d)
	}
	switch {
	case zero:
		return 0, nil
	case over || n > limit:
		return 0, &LimitError{What: "elements in one tensor", Need: f, Limit: int64(limit)}
	}
	return n, nil
}

// ShapeString prints a shape as [2,3].
func ShapeString(shape []int) string {
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = strconv.Itoa(d)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// Order returns the number of axes.
func (t *Tensor) Order() int { return len(t.Shape) }

// Len returns the number of entries.
func (t *Tensor) Len() int { return len(t.Data) }

// Clone returns a copy that shares nothing with t.
func (t *Tensor) Clone() *Tensor {
	return &Tensor{Shape: slices.Clone(t.Shape), Data: slices.Clone(t.Data)}
}

// offset returns where the entry at an index stands in Data.
func (t *Tensor) offset(index []int) int {
	if len(index) != len(t.Shape) {
		panic(fmt.Sprintf("eval: %s for a tensor of order %d", words.Count(len(index), "index"), len(t.Shape)))
	}
	o := 0
	for k, i := range index {
		if i < 0 || i >= t.Shape[k] {
			panic(fmt.Sprintf("eval: index %d is outside axis %d of size %d", i, k, t.Shape[k]))
		}
		o = o*t.Shape[k] + i
	}
	return o
}

// Index is the index of an entry by its place in the row-major order of a shape.
func Index(at int, shape []int) []int {
	index := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		index[k] = at % shape[k]
		at /= shape[k]
	}
	return index
}

// At returns the entry at an index; it panics where the index is out of range, as a slice does.
func (t *Tensor) At(index ...int) float64 { return t.Data[t.offset(index)] }

// Set sets the entry at an index; it panics where the index is out of range, as a slice does.
func (t *Tensor) Set(v float64, index ...int) { t.Data[t.offset(index)] = v }

// MaxDiff returns the largest |a-b| / (1+|b|) over the entries of two tensors of one shape;
// it is infinite where the shapes differ or where only one of two entries is finite. Equal
// infinities, and two NaNs, differ by 0.
func MaxDiff(a, b *Tensor) float64 {
	if !slices.Equal(a.Shape, b.Shape) {
		return math.Inf(1)
	}
	worst := 0.0
	for i, x := range a.Data {
		y := b.Data[i]
		switch {
		case x == y || (math.IsNaN(x) && math.IsNaN(y)):
		case math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0):
			return math.Inf(1)
		default:
			worst = max(worst, math.Abs(x-y)/(1+math.Abs(y)))
		}
	}
	return worst
}

// String prints the shape and, of a small tensor, the entries.
func (t *Tensor) String() string {
	if len(t.Data) > 64 {
		return fmt.Sprintf("%s of %s", ShapeString(t.Shape), words.Count(len(t.Data), "entry"))
	}
	return fmt.Sprintf("%s%v", ShapeString(t.Shape), t.Data)
}
