package eval

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// axesOf draws letters with sizes, each once.
func axesOf(t *rapid.T, sizes []size.Size, name string) (letters []int, shape []size.Size, dims []int) {
	for _, l := range rapid.Permutation(einsum.UpTo(len(sizes))).Draw(t, name)[:rapid.IntRange(0, len(sizes)).Draw(t, name+" axes")] {
		n, _ := sizes[l].Int()
		letters, shape, dims = append(letters, l), append(shape, sizes[l]), append(dims, int(n))
	}
	return
}

// numbersOfAllSizes are normal and subnormal numbers, tiny and huge.
func numbersOfAllSizes(r *rand.Rand, shape ...int) *Tensor {
	t := randomTensor(r, shape...)
	for i := range t.Data {
		if r.IntN(3) == 0 {
			t.Data[i] = math.Ldexp(t.Data[i], r.IntN(2090)-1065)
		}
	}
	return t
}

// A quotient is a division, rounded once: of numbers, arrays and what is spread over these, by a power, and by a whole number; where
// it is summed, too.
func TestQuotientsAreDivisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		sizes := []size.Size{size.Const(3), size.Const(int64(rapid.SampledFrom([]int{1, 5, 40}).Draw(t, "n"))), size.Const(2)}
		s := combinators.NewStore()
		lx, sx, dx := axesOf(t, sizes, "x")
		ly, sy, dy := axesOf(t, sizes, "y")
		env := Env{"x": numbersOfAllSizes(r, dx...), "y": numbersOfAllSizes(r, dy...)}
		x, y := s.Var("x", sx), s.Var("y", sy)
		at := func(v *Tensor, letters, of []int) float64 {
			index := make([]int, len(letters))
			for k, l := range letters {
				index[k] = of[l]
			}
			return v.At(index...)
		}
		power := rapid.SampledFrom([]float64{-1, -2, -0.5}).Draw(t, "power")
		by := func(y float64) float64 {
			return map[float64]float64{-1: y, -2: y * y, -0.5: math.Sqrt(y)}[power]
		}
		e := new(big.Rat)
		e.SetFloat64(power)
		all := s.Contract([][]int{lx, ly}, einsum.UpTo(3), sizes, x, s.Power(y, e))
		q := rapid.SampledFrom([]int64{3, 7, 10, 8, -49}).Draw(t, "q")
		third := s.Scale(s.Const(big.NewRat(1, q)), x)
		total := s.Contract([][]int{lx, ly}, []int{0, 1}, sizes, x, s.Power(y, e)) // two entries are summed
		out, err := Run(context.Background(), []*combinators.Node{all, third, total}, env)
		require.NoError(t, err)
		same := func(want, got float64) {
			if want != got && !(math.IsNaN(want) && math.IsNaN(got)) {
				t.Fatalf("%g, not %g", got, want)
			}
		}
		for i := range 3 {
			for j := range out[0].Shape[1] {
				var part [2]float64
				for k := range 2 {
					a, b := at(env["x"], lx, []int{i, j, k}), at(env["y"], ly, []int{i, j, k})
					part[k] = a / by(b)
					same(part[k], out[0].At(i, j, k))
				}
				if len(lx) == 3 && len(ly) == 3 {
					same(part[0]+part[1], out[2].At(i, j))
				}
			}
		}
		for i, v := range env["x"].Data {
			same(v/float64(q), out[1].Data[i])
		}
	})
}
