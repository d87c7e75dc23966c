package linear_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
	"frechet/internal/programs"
)

// The affine pair of a random program and a derivative, and of its adjoint, gives the value beside the map's; it reads
// back, at symbols and at data, and at data gives the same numbers.
func TestAffinePairs(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		p := programs.Draw(t, true)
		x := rapid.SampledFrom(p.Vars).Draw(t, "wrt")
		adjoint := rapid.Bool().Draw(t, "adjoint")
		env := frechet.Env{}
		for name, v := range p.Values {
			env[name] = &frechet.Tensor{Shape: p.Dims[name], Data: v}
		}
		dims := frechet.DimsOf(env)
		pair := func(opts ...frechet.Option) (*frechet.Func, *frechet.ClosedMap) {
			f, err := frechet.Parse(p.Text(), opts...)
			require.NoError(t, err)
			l, err := f.DerivativeMap(x)
			require.NoError(t, err)
			if adjoint {
				l, err = l.Adjoint()
				require.NoError(t, err)
			}
			l, err = l.WithValue(x)
			require.NoError(t, err)
			return f, l
		}
		_, symbols := pair()
		again, err := frechet.Parse(p.Declare+"\n"+symbols.String(), frechet.WithLanguage("combinators"))
		require.NoError(t, err, symbols.String())
		back, err := again.Map()
		require.NoError(t, err)
		require.Equal(t, symbols.Type(), back.Type())

		f, l := pair(frechet.WithDims(dims))
		m, values, err := l.AtData(ctx, env)
		require.NoError(t, err)
		declare, at := "", frechet.Env{}
		for _, v := range values {
			declare += fmt.Sprintf(" %s%s", v.Name, strings.ReplaceAll(fmt.Sprint(v.Tensor.Shape), " ", ","))
			at[v.Name] = v.Tensor
		}
		if declare != "" {
			declare = "declare" + declare + "\n"
		}
		g, err := frechet.Parse(declare+m.String(), frechet.WithLanguage("combinators"))
		require.NoError(t, err, declare+m.String())
		read, err := g.Map()
		require.NoError(t, err)
		require.Equal(t, m.String(), read.String())

		want, got := atOnes(t, l, env), atOnes(t, read, at)
		require.Len(t, got, 2)
		value, err := frechet.Compile(f.Value(), nil)
		require.NoError(t, err)
		y, err := value.Run(ctx, env)
		require.NoError(t, err)
		closeTo(t, y, want[0], p.Text())
		for i := range want {
			closeTo(t, want[i], got[i], "%s: %s", p.Text(), m)
		}
	})
}

// atOnes is a map at a direction of which every entry is 1, with values for its variables.
func atOnes(t require.TestingT, m *frechet.ClosedMap, env frechet.Env) []*frechet.Tensor {
	names, results, err := m.Apply("d")
	require.NoError(t, err)
	prog, err := frechet.CompileAll(results, nil)
	require.NoError(t, err)
	at := frechet.Env{}
	for name, v := range env {
		at[name] = v
	}
	dom, _, _ := strings.Cut(m.Type(), "] ")
	direction := &frechet.Tensor{Shape: []int{}}
	n := 1
	for _, d := range strings.FieldsFunc(strings.TrimPrefix(dom, "R["), func(r rune) bool { return r == ',' || r == ']' }) {
		var k int
		_, err := fmt.Sscan(d, &k)
		require.NoError(t, err, m.Type())
		direction.Shape, n = append(direction.Shape, k), n*k
	}
	direction.Data = make([]float64, n)
	for i := range direction.Data {
		direction.Data[i] = 1
	}
	at[names[0]] = direction
	out, err := prog.RunAll(context.Background(), at)
	require.NoError(t, err)
	return out
}

func closeTo(t require.TestingT, want, got *frechet.Tensor, message string, args ...any) {
	require.Equal(t, fmt.Sprint(want.Shape), fmt.Sprint(got.Shape))
	scale := 1.0
	for _, v := range want.Data {
		scale = max(scale, math.Abs(v))
	}
	require.InDeltaSlice(t, append([]float64{0}, want.Data...), append([]float64{0}, got.Data...), 1e-10*scale, append([]any{message}, args...)...)
}
