package frechet_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/eval"
)

// sines are the derivatives of sin by name: h, h', h”. weights is a function from space to space, G sin(x) for
// the matrix G[i,j] = 1 + i - 2 j, with its derivatives.
func sines() map[string]frechet.Function {
	fs := map[string]frechet.Function{}
	derivative := func(k int) func(float64) float64 {
		return func(x float64) float64 { return math.Sin(x + float64(k)*math.Pi/2) }
	}
	for k := range 5 {
		f := derivative(k)
		fs["h"+strings.Repeat("'", k)] = frechet.Entrywise(f)
		fs["g"+strings.Repeat("'", k)] = func(out *frechet.Tensor, args ...*frechet.Tensor) error {
			n := len(args[0].Data)
			m := out.Shape[0]
			diagonal := 0 // the step between entries with all of the last k indices equal
			for range k {
				diagonal = diagonal*n + 1
			}
			each := len(out.Data) / max(m, 1)
			for i := range m {
				for j, x := range args[0].Data {
					w := float64(1+i-2*j) * f(x)
					if k == 0 {
						out.Data[i] += w
					} else {
						out.Data[i*each+j*diagonal] = w
					}
				}
			}
			return nil
		}
	}
	// l(x, y) = sin(x) y
	for _, d := range []string{"", "'1", "'2", "'11", "'12", "'22", "'111", "'112", "'122", "'222"} {
		k := strings.Count(d, "1")
		fs["l"+d] = func(out *frechet.Tensor, args ...*frechet.Tensor) error {
			for i, x := range args[0].Data {
				switch strings.Count(d, "2") {
				case 0:
					out.Data[i] = derivative(k)(x) * args[1].Data[i]
				case 1:
					out.Data[i] = derivative(k)(x)
				}
			}
			return nil
		}
	}
	return fs
}

const declaring = `declare A[n,n] x[n] y[n] G[n,n]
primitive h : R -> R
primitive l : R x R -> R
primitive g : R[n] -> R[n]
`

// A program with declared functions has, in all modes and to the third order, the derivatives of the program in which what they
// are is written out; and what is printed is read as what it is.
func TestDeclaredFunctionsAreWhatTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var declared func(depth int) (string, string) // an expression, and the same without declared functions
		declared = func(depth int) (string, string) {
			if depth == 0 {
				v := rapid.SampledFrom([]string{"x", "y", "A*x", "2*x"}).Draw(t, "leaf")
				return v, v
			}
			a, b := declared(depth - 1)
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				return "h(" + a + ")", "sin(" + b + ")"
			case 1:
				return "g(" + a + ")", "(G*sin(" + b + "))"
			case 2:
				c, d := declared(depth - 1)
				return "l(" + a + ", " + c + ")", "(sin(" + b + ") .* (" + d + "))"
			case 3:
				return "h'(" + a + ")", "cos(" + b + ")"
			case 4:
				return "(x .* (" + a + "))", "(x .* (" + b + "))"
			default:
				return "(A'*(" + a + ") + y)", "(A'*(" + b + ") + y)"
			}
		}
		a, b := declared(rapid.IntRange(1, 3).Draw(t, "depth"))
		order := rapid.IntRange(1, 3).Draw(t, "order")
		n := rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "n")
		env := frechet.Env{}
		for _, name := range []string{"A", "x", "y", "G"} {
			shape := []int{n}
			if name == "A" || name == "G" {
				shape = []int{n, n}
			}
			v := eval.NewTensor(shape...)
			for i := range v.Data {
				v.Data[i] = rapid.Float64Range(-1, 1).Draw(t, name)
				if name == "G" {
					v.Data[i] = float64(1 + i/n - 2*(i%n))
				}
			}
			env[name] = v
		}
		values := func(src string) []*frechet.Tensor {
			f, err := frechet.Parse(declaring+"expression sum("+src+" .* y)", frechet.WithFunctions(sines()))
			require.NoError(t, err, src)
			mode, err := frechet.ParseMode(rapid.SampledFrom(frechet.Modes()).Draw(t, "mode"))
			require.NoError(t, err)
			r, err := f.Derive(context.Background(), frechet.Query{Wrt: []string{"x"}, Order: order, Mode: mode})
			require.NoError(t, err, src)
			var terms []*frechet.Term
			for _, d := range r.Outputs[0].Derivs {
				terms = append(terms, d.Term)
			}
			out, _, err := r.Evaluate(context.Background(), terms, env)
			require.NoError(t, err, src)
			last := terms[len(terms)-1]
			for _, format := range []string{"matrix", "einstein"} {
				text, err := last.Text(format)
				if err != nil {
					continue // no form in the notation
				}
				if !strings.Contains(text, "expression ") {
					text = "expression " + text
				}
				back, err := frechet.Parse(declaring+text, frechet.WithFunctions(sines()))
				require.NoError(t, err, "%s\n%s", src, text)
				p, err := frechet.Compile(back.Value(), frechet.Sizes{"n": int64(n)})
				require.NoError(t, err)
				got, err := p.Run(context.Background(), env)
				require.NoError(t, err, text)
				near(t, out[len(out)-1], got, text)
			}
			return out
		}
		got := values(a)
		want := values(b)
		for i := range got {
			near(t, want[i], got[i], a)
		}
	})
}

func near(t require.TestingT, want, got *frechet.Tensor, src string) {
	require.Equal(t, want.Shape, got.Shape, src)
	for i := range want.Data {
		require.InDelta(t, want.Data[i], got.Data[i], 1e-9*(1+math.Abs(want.Data[i])), src)
	}
}

// Programs and rules do not see each other's functions, however many are read at a time.
func TestDeclaredFunctionsAreTheirPrograms(t *testing.T) {
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			derivative := []string{"", " derivative exp", " derivative h1 primitive h1 : R -> R"}[i%3]
			want := []string{"h'(x)", "exp(x)", "h1(x)"}[i%3]
			f, err := frechet.Parse("declare x[n] primitive h : R -> R" + derivative + " expression sum(h(x))")
			if assert.NoError(t, err) {
				g, err := f.Gradient("x")
				assert.NoError(t, err)
				assert.Equal(t, want, fmt.Sprint(g))
			}
			_, err = frechet.Parse("declare x[n] expression sum(h(x))")
			assert.Error(t, err)
		}()
	}
	wait.Wait()
}

// The claims of the rules that were applied are those, and no others.
func TestClaims(t *testing.T) {
	rules, err := frechet.CheckRules(context.Background(), frechet.RuleFile{Name: "own.rules", Text: `
primitive h : R -> R
rule odd [x: S] h(-x) => -h(x)
rule equation [x: S] D(h)(x) => ((1 - h(x) .^ 2) .* _)`}, false)
	require.NoError(t, err)
	claims := func(src string, derive bool) (names []string) {
		f, err := frechet.Parse(src, frechet.WithRules(rules))
		require.NoError(t, err)
		order := 0
		if derive {
			order = 1
		}
		_, err = f.Derive(context.Background(), frechet.Query{Wrt: []string{"x"}, Order: order})
		require.NoError(t, err)
		for _, c := range f.Claims() {
			assert.Contains(t, c.Claim, "assumed")
			names = append(names, c.Rule)
		}
		return names
	}
	assert.Equal(t, []string{"odd"}, claims("declare x[n] expression h(-x)", false))
	assert.Empty(t, claims("declare x[n] expression h(x)", false))
	assert.Equal(t, []string{"equation"}, claims("declare x[n] expression h(x)", true))
	assert.Equal(t, []string{"equation", "odd"}, claims("declare x[n] expression h(-x)", true))
}

// The sizes in the type of a function are its own: those of its calls have other names.
func TestSizesOfDeclaredFunctions(t *testing.T) {
	for src, want := range map[string]string{
		"primitive g : R[n] -> R[m] f : R[k] -> R[p] = g . sin":                                            "g'(sin(x))*diag(cos(x))",
		"primitive L : R[n] -o R[m] f : R[q] -> R[m] = exp . L":                                            "L'(diag(exp(L(x))))'",
		"declare x[k] primitive g : R[n] -> R[2*n] expression g(g(x))":                                     "g'(g(x))*g'(x)",
		"declare x[k] primitive g : R[n] -> R[] expression g(x)":                                           "g'(x)",
		"declare x[k] y[l] primitive g : R[n] x R[m] -> R[m] expression g(x, y)":                           "g'1(x, y)",
		"declare x[k] primitive L : R[n] -o R[m] map f : R[k] -> R[m] = exp . L expression sum(f(x))":      "L'(exp(L(x)))",
		"declare x[k] primitive h : R -> R map f : R[k] -> R[k] = h . (2 .* _) expression sum(f(x))":       "2*h'(2*x)",
		"declare x[k] primitive h : R -> R derivative exp expression sum(h(x .* x))":                       "2*(x .* exp(x^2))",
		"declare x[k] primitive s : R -> R derivative c primitive c : R -> R expression sum(s(x) .* s(x))": "2*(s(x) .* c(x))",
	} {
		f, err := frechet.Parse(src)
		require.NoError(t, err, src)
		d, err := f.Jacobian("x", frechet.Planned)
		require.NoError(t, err, src)
		assert.Equal(t, want, fmt.Sprint(d), src)
	}
}
