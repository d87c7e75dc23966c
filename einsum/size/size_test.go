package size

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func gen(t *rapid.T, name string) Size {
	s := Const(rapid.Int64Range(-3, 3).Draw(t, name))
	for range rapid.IntRange(0, 3).Draw(t, name+"terms") {
		m := Const(rapid.Int64Range(-3, 3).Draw(t, name+"c"))
		for range rapid.IntRange(1, 2).Draw(t, name+"deg") {
			m = m.Mul(Sym(rapid.SampledFrom([]string{"m", "n", "k"}).Draw(t, name+"s")))
		}
		s = s.Add(m)
	}
	return s
}

func TestSizesPrintAsPolynomials(t *testing.T) {
	n, k, m := Sym("n"), Sym("k"), Sym("m")
	require.Equal(t, "n-k+1", n.Sub(k).Add(Const(1)).String())
	require.Equal(t, "m*n", n.Mul(m).String())
	require.Equal(t, "0", n.Sub(n).String())
	require.Equal(t, n.Add(Const(1)), Const(1).Add(n))
	name, ok := n.Symbol()
	require.True(t, ok)
	require.Equal(t, "n", name)
	_, err := n.Mul(Const(1 << 62)).Eval(map[string]int64{"n": 4})
	require.Error(t, err)
	require.Equal(t, Const(6), Const(1<<62).Mul(Const(4)).Sub(Const(1<<62).Mul(Const(4))).Add(Const(6)))
}

func TestEqualPolynomialsAreIdenticalAndEvaluationIsARingMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := gen(t, "a"), gen(t, "b"), gen(t, "c")
		if a.Add(b).Mul(c) != a.Mul(c).Add(c.Mul(b)) {
			t.Fatal("not distributive")
		}
		env := map[string]int64{"m": 2, "n": -3, "k": 5}
		va, _ := a.Eval(env)
		vb, _ := b.Eval(env)
		vp, _ := a.Mul(b).Sub(b).Eval(env)
		if vp != va*vb-vb {
			t.Fatalf("%s %s", a, b)
		}
		if s := a.Subst(map[string]Size{"m": b}); s.String() == "" {
			t.Fatal("empty print")
		}
	})
}

// Polynomials that products would blow up are refused before they are multiplied out.
func TestProductsAreBounded(t *testing.T) {
	limit := func(work func(a Size) Size, a Size) string {
		before := len(table)
		defer func() { require.Less(t, len(table)-before, 2*maxDegree) }()
		for range 2 * maxDegree {
			what := ""
			func() {
				defer func() {
					if e, ok := recover().(*LimitError); ok {
						what = e.What
					}
				}()
				a = work(a)
			}()
			if what != "" {
				return what
			}
		}
		return ""
	}
	sum := Size{}
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		sum = sum.Add(Sym(string(c)))
	}
	times := func(b Size) func(Size) Size { return func(a Size) Size { return a.Mul(b) } }
	require.Equal(t, "terms of one size", limit(times(sum), sum))
	require.Equal(t, "terms of one size", limit(func(a Size) Size { return a.Mul(a.Subst(map[string]Size{"a": sum})) }, sum))
	require.Equal(t, "factors in a term of a size", limit(times(Sym("n")), Const(1)))
	require.Equal(t, "bits of a coefficient of a size", limit(times(Const(1<<62)), Const(1)))
}

func TestSumAddsUp(t *testing.T) {
	n, m := Sym("n"), Sym("m")
	var all Sum
	want := Size{}
	for k, a := range []Size{n, Const(3), n.Mul(m), Const(-3), m.Sub(n), Size{}, n.Mul(n).Sub(m)} {
		all.Add(a)
		want = want.Add(a)
		part := Sum{}
		part.Add(want)
		part.Add(Const(int64(k)))
		require.Equal(t, want.Add(Const(int64(k))), part.Size())
	}
	require.Equal(t, want, all.Size())
	require.Equal(t, Size{}, all.Size(), "it has ended")
	require.Equal(t, n, Sym("n"), "what was added stays as it is")
}

func TestLinear(t *testing.T) {
	m, n := Sym("m"), Sym("n")
	factor, rest, ok := m.Mul(n).Add(n).Add(Const(2).Mul(m)).Sub(Const(3)).Linear("m")
	require.True(t, ok)
	require.Equal(t, n.Add(Const(2)), factor)
	require.Equal(t, n.Sub(Const(3)), rest)
	_, _, ok = n.Mul(n).Linear("n")
	require.False(t, ok)
	_, _, ok = n.Linear("m")
	require.False(t, ok)
}
