package plan

import (
	"fmt"
	"strconv"

	"frechet/combinators/atom"
)

// A Kind says how a value of a program is computed.
type Kind uint8

const (
	// KindInput is a variable's tensor.
	KindInput Kind = iota
	// KindConst is one number.
	KindConst
	// KindMap is element-wise: entry i is an operation on entry i of each view.
	KindMap
	// KindNest is a loop nest over a product of operands.
	KindNest
	// KindGemm is a matrix product, matrix-vector product or a batch of them.
	KindGemm
	// KindPrim is a function of whole matrices or axes.
	KindPrim
	// KindFix corrects, in place, the product Args[0] where weak operands are infinite.
	KindFix
	// KindTile is a matrix product over windows of its operands
	KindTile
	// KindScan is running sums along rows.
	KindScan
	// KindBodied is all states of a recurrence, or an implicit function.
	KindBodied
	// KindReduce is a sum of element-wise values that are not stored; scalars follow its loads in Args
	KindReduce
	// KindIndexed is a contraction with arrays of whole numbers: Args are its operands and then the arrays
	KindIndexed
)

// A Code is an element-wise operation.
type Code uint8

const (
	// CodeMul is Scale times the product of the operands, of which some divide.
	CodeMul Code = iota
	// CodeAdd is the sum of two operands.
	CodeAdd
	// CodePower is the constant power Scale of one operand.
	CodePower
	// CodeF1 and CodeF2 apply the function of an atom.
	CodeF1
	CodeF2
)

// A Value is an intermediate result: N numbers, in row-major order of the node's axes.
type Value struct {
	ID   int
	Kind Kind
	N    int
	Args []View

	// KindInput
	Name string
	// KindConst
	Const float64

	Packed bool // a second copy of a value, in the layout of a matrix product

	// KindMap
	Code     Code
	Scale    float64   // also of KindNest, KindGemm and KindTile
	Atom     *atom.Row // also of KindPrim
	ZeroAt0  bool      // the value is 0 where the operand is exactly 0
	Divides  []bool    // operands that divide, for CodeMul; nil for none
	WeakArgs []bool    // operands whose infinities lose against an exact zero; nil for none

	// KindNest and KindFix; Scalars follow the nest's operands in Args
	Nest *Nest
	Onto bool // KindNest adds to the value of the last of Args
	// KindGemm: Args are A, B and then scalars
	Gemm *Gemm

	Tile   *Tile
	Scan   *Scan
	Reduce *Reduce

	Indexed *Indexed
	Bodied  *Bodied

	// KindPrim
	Attr   int
	Shapes [][]int // of the arguments, then of the result

	// what group and schedule find out
	level, bound int // see assignGroups
	group        *Group
	parent       *Value // towards the representative of a group in the making
	at           Source // the operation in its group, or what it copies
	uniform      bool
	unit         int
	last         int // the last step that reads it
	isOut        bool
	store        bool // needs memory of its own
	slot         Slot
	inPlace      bool // Onto: where the last of Args lies
}

// A View reads a value: entry i of an element-wise operation reads the flat offset of i,
// counted in Dims, under Stride. It is collapsed: no size is 1, and axes that one stride
// can walk are one axis.
type View struct {
	V            *Value
	Base         int
	Dims, Stride []int
}

// dense reports whether the view has n entries and entry i reads entry i.
func (v View) dense(n int) bool {
	return v.Base == 0 && v.V.N == n && (len(v.Dims) == 0 && n == 1 || len(v.Dims) == 1 && v.Stride[0] == 1 && v.Dims[0] == n)
}

// Uniform reports whether every entry reads the same number.
func (v View) Uniform() bool { return len(v.Dims) == 0 || len(v.Dims) == 1 && v.Stride[0] == 0 }

// whole is the view of a value as it lies.
func whole(v *Value) View {
	if v.N == 1 {
		return View{V: v}
	}
	return View{V: v, Dims: []int{v.N}, Stride: []int{1}}
}

// makeView collapses axes.
func makeView(v *Value, base int, dims, stride []int) View {
	w := View{V: v, Base: base}
	for k, d := range dims {
		if d == 1 {
			continue
		}
		last := len(w.Dims) - 1
		if last >= 0 && w.Stride[last] == stride[k]*d {
			w.Dims[last] *= d
			w.Stride[last] = stride[k]
			continue
		}
		w.Dims, w.Stride = append(w.Dims, d), append(w.Stride, stride[k])
	}
	return w
}

// Gemm is C[b,i,j] += A[b,i,k] * B[b,k,j] in row-major or transposed layout: a batch of
// matrix products over the loops Batch. M, N and K may be 1.
type Gemm struct {
	M, N, K        int
	LDA, LDB, LDC  int
	TransA, TransB bool  // A is stored as [k,i], B as [j,k]
	Batch          []int // sizes of the batch loops
	A, B, C        Walk  // offsets of the matrices, strides by batch loop
	Symmetric      bool  // C is symmetric: one triangle is computed and mirrored
	IncX, IncY     int   // of the vector operand and the result, where N is 1
	Vector         bool  // N is 1: B and C are vectors with increments IncX and IncY
}

// appendKey identifies what a value computes, so that equal values are computed once.
func (v *Value) appendKey(b []byte) []byte {
	num := func(n int) { b = append(strconv.AppendInt(b, int64(n), 10), ' ') }
	nums := func(ns []int) {
		for _, n := range ns {
			num(n)
		}
		b = append(b, ';')
	}
	num(int(v.Kind))
	num(v.N)
	num(int(v.Code))
	b = append(append(b, v.Name...), ' ')
	b = strconv.AppendFloat(b, v.Const, 'g', -1, 64)
	b = append(b, ',')
	b = strconv.AppendFloat(b, v.Scale, 'g', -1, 64)
	if v.Atom != nil {
		b = append(append(b, v.Atom.Name...), ' ')
	}
	num(v.Attr)
	b = strconv.AppendBool(b, v.ZeroAt0)
	b = strconv.AppendBool(b, v.Onto)
	for _, w := range v.Divides {
		b = strconv.AppendBool(b, w)
	}
	b = append(b, ';')
	for _, w := range v.WeakArgs {
		b = strconv.AppendBool(b, w)
	}
	for _, a := range v.Args {
		num(a.V.ID)
		num(a.Base)
		nums(a.Dims)
		nums(a.Stride)
	}
	if v.Nest != nil {
		b = fmt.Appendf(b, "%v", *v.Nest)
	}
	if v.Gemm != nil {
		b = fmt.Appendf(b, "%v", *v.Gemm)
	}
	if v.Tile != nil {
		b = fmt.Appendf(b, "%v", *v.Tile)
	}
	if v.Scan != nil {
		b = fmt.Appendf(b, "%v", *v.Scan)
	}
	if v.Indexed != nil {
		b = fmt.Appendf(b, "%v", *v.Indexed)
	}
	if v.Bodied != nil {
		b = append(append(b, v.Bodied.Body.Key()...), ' ')
	}
	for _, s := range v.Shapes {
		nums(s)
	}
	return b
}
