package eval

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// A Function computes a declared function in numbers: out gets the value at args. An element-wise function gets tensors
// of one shape; g : R[n] -> R[m] gets one of shape [n] and fills one of shape [m]. out is full of zeros; neither is to be kept.
// It may be called from several goroutines at a time.
type Function func(out *Tensor, args ...*Tensor) error

// Entrywise is the element-wise function of a function of one number.
func Entrywise(f func(x float64) float64) Function {
	return func(out *Tensor, args ...*Tensor) error {
		for i, x := range args[0].Data {
			out.Data[i] = f(x)
		}
		return nil
	}
}

// WithFunctions gives the declared functions by name, derivatives among them: h, h', l'1.
func WithFunctions(fs map[string]Function) Option { return func(o *options) { o.functions = fs } }

// An UnknownError says that a declared function is nowhere given in numbers.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return e.Name + " is declared by its type alone, so it has no numbers"
}

// unknown is the error for the first declared function in nodes that fs does not have.
func unknown(nodes []*combinators.Node, fs map[string]Function) error {
	for _, n := range combinators.Topo(nodes...) {
		if at := n.Atom(); at.Signature() != nil && fs[at.Name] == nil {
			return &UnknownError{at.Name}
		}
	}
	return nil
}

// declared evaluates a declared function, which is repeated along axes in front, and, where it is linear, along those behind;
// front is how many are in front of those of a linear one.
func declared(at *atom.Row, front int, f Function, args []*Tensor, out *Tensor) error {
	g := at.Signature()
	clear(out.Data)
	if g.Elementwise() {
		return called(at, f, out, args)
	}
	x := args[0]
	batch := len(x.Shape) - len(g.Params[0])
	if g.Linear {
		batch = front
	}
	k := batch + len(g.Params[0])
	before, inner, behind := x.Shape[:batch], x.Shape[batch:k], x.Shape[k:]
	result := out.Shape[batch : len(out.Shape)-len(behind)]
	if !g.Linear {
		behind = nil
	}
	for b := range volume(before) {
		for j := range volume(behind) {
			in := make([]*Tensor, len(args))
			for i, a := range args {
				shape := inner
				if i > 0 {
					shape = a.Shape[batch:]
				}
				in[i] = strided(a, shape, b, j, volume(behind))
			}
			y := NewTensor(result...)
			if err := called(at, f, y, in); err != nil {
				return err
			}
			n := volume(behind)
			for i, w := range y.Data {
				out.Data[(b*len(y.Data)+i)*n+j] = w
			}
		}
	}
	return nil
}

// strided copies part b of t, of entries of a shape, each n times side by side: the j-th of these.
func strided(t *Tensor, shape []int, b, j, n int) *Tensor {
	out := NewTensor(shape...)
	for i := range out.Data {
		out.Data[i] = t.Data[(b*len(out.Data)+i)*n+j]
	}
	return out
}

func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// called calls a function of the user's, and makes an error of what it panics with, and of a value of another shape.
func called(at *atom.Row, f Function, out *Tensor, args []*Tensor) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("eval: the function %s: %v", at.Name, p)
		}
	}()
	data, shape := out.Data, slices.Clone(out.Shape)
	if err := f(out, args...); err != nil {
		return fmt.Errorf("eval: the function %s: %w", at.Name, err)
	}
	if !slices.Equal(shape, out.Shape) || len(out.Data) != len(data) {
		return fmt.Errorf("eval: the function %s gave a value of shape %s, not %s", at.Name, ShapeString(out.Shape), ShapeString(shape))
	}
	if len(data) > 0 && &data[0] != &out.Data[0] {
		copy(data, out.Data)
	}
	out.Data = data
	return nil
}
