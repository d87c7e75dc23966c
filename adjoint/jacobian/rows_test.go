package jacobian

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"
)

// rowInstances are values of every atom of the table, on arguments of all-different sizes
// where the row allows it.
func rowInstances(s *combinators.Store, at *atom.Row) (ys, xs []*Node) {
	m, n, p := size.Const(2), size.Const(3), size.Const(4)
	x, y := s.Var("x", []size.Size{m, n}), s.Var("y", []size.Size{m, n})
	square, rhs := s.Var("x", []size.Size{m, n, n}), s.Var("y", []size.Size{m, n, p})
	switch at.Name {
	case "var":
		return []*Node{x}, []*Node{x}
	case "const":
		return []*Node{s.Const(big.NewRat(2, 3))}, []*Node{x}
	case "pi":
		return []*Node{s.Pi()}, []*Node{x}
	case "ein":
		z := s.Var("z", []size.Size{n, p})
		return []*Node{s.Einsum("ij,jk->ik", x, z), s.Einsum("ij,ij->", x, y), s.Einsum("ij->jii", x), s.Einsum("ij,jk->", x, z)}, []*Node{x, y, z}
	case "add":
		return []*Node{s.Add(x, y), s.Add(x, x)}, []*Node{x, y}
	case "power":
		for _, r := range []*big.Rat{big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(-3, 2)} {
			ys = append(ys, s.Power(x, r))
		}
		return ys, []*Node{x}
	case "matfun", "matfun'", "matfun''":
		m := s.Var("z", []size.Size{n, n})
		args := append([]*Node{m}, slices.Repeat([]*Node{s.Var("h", m.Shape())}, at.Arity-1)...)
		return []*Node{s.Apply(at, atom.MatrixFunctionNamed(atom.Exp.Name), args...)}, args[:min(2, len(args))]
	case "matfun'''", "matfun''''":
		return nil, nil // their first derivatives are those of others to the second order
	case "eigvals", "eigvecs", "chol":
		m := s.Var("z", []size.Size{n, n})
		spd := s.Add(m, s.Einsum("ij->ji", m))
		return []*Node{s.Apply(at, 0, spd)}, []*Node{m}
	case "inv", "logdet", "pinv":
		return []*Node{s.Apply(at, 0, square)}, []*Node{square}
	case "minor":
		square = s.Var("z", square.Shape())
		one := s.Var("x", []size.Size{n, n})
		return []*Node{s.Minor(0, square), s.Minor(1, square), s.Minor(2, one)}, []*Node{square, one}
	case "solve":
		vec := s.Var("z", []size.Size{m, n})
		return []*Node{s.Solve(square, rhs), s.Solve(square, vec)}, []*Node{square, rhs, vec}
	case "norm2":
		return []*Node{s.Norm2(x)}, []*Node{x}
	case "merge":
		return []*Node{s.Merge(0, square), s.Merge(1, square)}, []*Node{square}
	case "split":
		six := s.Var("x", []size.Size{m, size.Const(6), p})
		return []*Node{s.Split(1, size.Const(2), size.Const(3), six)}, []*Node{six}
	}
	if at.Class == atom.ClassElementwise {
		if at.Arity == 2 {
			return []*Node{s.Binary(at, x, y)}, []*Node{x, y}
		}
		return []*Node{s.Unary(at, x)}, []*Node{x}
	}
	return []*Node{s.Apply(at, 1, x), s.Apply(at, 2, x)}, []*Node{x} // reductions
}

// draw is a value for every variable, inside the row's sample domain; square matrices are
// far from singular, with a positive determinant.
func draw(rng *rand.Rand, at *atom.Row, vars []*Node) eval.Env {
	low, high := at.Low, at.High
	if low == 0 && high == 0 {
		low, high = -1, 1
	}
	env := eval.Env{}
	for _, v := range vars {
		shape := make([]int, v.Order())
		for i, d := range v.Shape() {
			n, _ := d.Int()
			shape[i] = int(n)
		}
		t := eval.NewTensor(shape...)
		for i := range t.Data {
			t.Data[i] = low + (high-low)*rng.Float64()
		}
		if k := len(shape); k >= 2 && shape[k-1] == shape[k-2] {
			for i := range t.Data {
				if i/shape[k-1]%shape[k-2] == i%shape[k-1] {
					t.Data[i] += 3
				}
			}
		}
		env[v.Name()] = t
	}
	return env
}

func TestEveryRowAgreesWithDifferencesToSecondOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, at := range atom.Rows() {
		t.Run(at.Name, func(t *testing.T) {
			s := combinators.NewStore()
			ys, xs := rowInstances(s, at)
			env := draw(rng, at, xs)
			for _, y := range ys {
				require.True(t, y.Atom() == at || at == atom.Power)
				for _, x := range xs {
					var first *Node
					for _, mode := range []Mode{Reverse, Forward} {
						j, err := Of(adjoint.Standard(), y, []*Node{x}, mode)
						require.NoError(t, err)
						differences(t, y, x, j[0], env)
						first = j[0]
					}
					h, err := Of(adjoint.Standard(), first, []*Node{x}, Reverse)
					require.NoError(t, err)
					differences(t, first, x, h[0], env)
				}
			}
		})
	}
}

// differences compares j, the derivative of y by x, with central differences at env.
func differences(t *testing.T, y, x, j *Node, env eval.Env) {
	shapes := map[string][]int{}
	for name, v := range env {
		shapes[name] = v.Shape
	}
	run := func(n *Node) func(env eval.Env) *eval.Tensor {
		p, err := eval.Compile([]*Node{n}, shapes)
		require.NoError(t, err)
		return func(env eval.Env) *eval.Tensor {
			out, err := p.Run(context.Background(), env)
			require.NoError(t, err)
			return out[0]
		}
	}
	got, at := run(j)(env), run(y)
	xs := env[x.Name()]
	const h = 1e-5
	for k := range xs.Data {
		moved := func(by float64) *eval.Tensor {
			e := eval.Env{}
			for name, v := range env {
				e[name] = v
			}
			u, _ := eval.Of(xs.Shape, append([]float64(nil), xs.Data...))
			u.Data[k] += by
			e[x.Name()] = u
			return at(e)
		}
		up, down := moved(h), moved(-h)
		for i := range up.Data {
			want := (up.Data[i] - down.Data[i]) / (2 * h)
			have := got.Data[i*len(xs.Data)+k]
			require.LessOrEqual(t, math.Abs(want-have), 1e-6*(1+math.Abs(want)+math.Abs(up.Data[i])),
				"%s: entry %d by entry %d is %v, differences say %v", y.Atom().Name, i, k, have, want)
		}
	}
}
