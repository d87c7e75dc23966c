package eval

import (
	"math/rand/v2"
	"testing"

	"frechet/combinators/atom"

	"github.com/stretchr/testify/require"
)

// fits are the sets of at most two attributes that a square matrix, or a vector, may have.
func fits(order int) (sets []atom.Attributes) {
	for _, r := range atom.AttributeRows {
		for _, s := range atom.AttributeRows {
			of := atom.AttributeNamed(r.Name).With(atom.AttributeNamed(s.Name))
			_, _, clash := of.Clash()
			_, misfit := of.Misfit(order, true, true)
			if !clash && !misfit {
				sets = append(sets, of)
			}
		}
	}
	return sets
}

// hard are combinations that random tensors are not brought to: values that many conditions leave are few.
const hard = atom.Orthogonal | atom.Unit | atom.Simplex | atom.Binary | atom.Antisymmetric

// TestAttributesOfRandomTensors: what is made to have attributes has them.
func TestAttributesOfRandomTensors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(shape ...int) *Tensor {
		x := NewTensor(shape...)
		for i := range x.Data {
			x.Data[i] = 4*r.Float64() - 2
		}
		return x
	}
	for _, shape := range [][]int{{4}, {1, 1}, {3, 3}, {4, 4}} {
		for _, of := range fits(len(shape)) {
			if len(of.Names()) > 1 && of&hard != 0 {
				continue
			}
			if of == atom.Antisymmetric && shape[0] == 1 {
				continue
			}
			x := random(shape...)
			Attribute(of, x)
			require.Empty(t, Breach(of, x), "%s %v", of, x.Data)
		}
	}
}

// TestBreaches: the message names an entry.
func TestBreaches(t *testing.T) {
	for _, c := range []struct {
		of   atom.Attributes
		t    *Tensor
		says string
	}{
		{atom.Symmetric, &Tensor{[]int{2, 2}, []float64{1, 2, 3, 4}}, "[0,1] is 2 and [1,0] is 3"},
		{atom.Antisymmetric, &Tensor{[]int{2, 2}, []float64{5, 1, -1, 0}}, "[0,0] is 5"},
		{atom.Lower, &Tensor{[]int{2, 2}, []float64{1, 2, 3, 4}}, "[0,1] is 2"},
		{atom.AttributeNamed("diagonal"), &Tensor{[]int{2, 2}, []float64{1, 0, 3, 4}}, "[1,0] is 3"},
		{atom.AttributeNamed("positive definite"), &Tensor{[]int{2, 2}, []float64{1, 2, 2, 1}}, "the least eigenvalue is -1"},
		{atom.Invertible, &Tensor{[]int{2, 2}, []float64{1, 2, 2, 4}}, "it is singular"},
		{atom.Orthogonal, &Tensor{[]int{2, 2}, []float64{1, 1, 0, 1}}, "the product of columns 0 and 1 is 1"},
		{atom.AttributeNamed("positive"), &Tensor{[]int{2}, []float64{1, 0}}, "[1] is 0"},
		{atom.AttributeNamed("simplex"), &Tensor{[]int{2}, []float64{1, 1}}, "the sum is 2"},
		{atom.Unit, &Tensor{[]int{2}, []float64{3, 4}}, "the norm is 5"},
		{atom.AttributeNamed("binary"), &Tensor{[]int{2}, []float64{1, 0.5}}, "[1] is 0.5"},
	} {
		require.Equal(t, c.says, Breach(c.of, c.t), c.of)
	}
}

// TestProjections: the projection on each subspace is idempotent, and its own adjoint.
func TestProjections(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, of := range fits(2) {
		row, ok := of.Subspace()
		if !ok {
			continue
		}
		of := atom.Attributes(0).With(row.Set)
		draw := func() (x, p *Tensor) {
			x = NewTensor(3, 3)
			for i := range x.Data {
				x.Data[i] = r.NormFloat64()
			}
			p = &Tensor{x.Shape, append([]float64(nil), x.Data...)}
			project(of, p)
			return x, p
		}
		dot := func(a, b *Tensor) (s float64) {
			for i := range a.Data {
				s += a.Data[i] * b.Data[i]
			}
			return s
		}
		x, px := draw()
		y, py := draw()
		require.InDelta(t, dot(px, y), dot(x, py), 1e-12, of)
		again := &Tensor{px.Shape, append([]float64(nil), px.Data...)}
		project(of, again)
		require.Equal(t, px.Data, again.Data, of)
	}
}
