package size

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSolve(t *testing.T) {
	m, n, k := Sym("m"), Sym("n"), Sym("k")
	for _, c := range []struct {
		name string
		eqs  []Equation
		want map[string]int64
		err  string
	}{
		{"the simple one last", []Equation{{n.Mul(k), 6}, {Const(2).Mul(n), 4}}, map[string]int64{"n": 2, "k": 3}, ""},
		{"linear equations", []Equation{{m.Add(n), 7}, {m.Sub(n), 1}}, map[string]int64{"m": 4, "n": 3}, ""},
		{"monomials", []Equation{{m.Mul(n).Add(m), 8}, {m.Mul(n).Sub(m), 4}}, map[string]int64{"m": 2, "n": 3}, ""},
		{"square", []Equation{{n.Mul(n), 1 << 40}}, map[string]int64{"n": 1 << 20}, ""},
		{"product", []Equation{{m.Mul(n), 6}}, map[string]int64{}, ""},
		{"searched", []Equation{{m.Mul(m).Mul(n), 12}, {n.Mul(k), 3}, {m.Add(k), 3}}, map[string]int64{"m": 2, "n": 3, "k": 1}, ""},
		{"empty", []Equation{{m.Add(n), 0}}, map[string]int64{"m": 0, "n": 0}, ""},
		{"two roots", []Equation{{n.Mul(n).Sub(Const(3).Mul(n)), -2}}, map[string]int64{}, ""},
		{"odd", []Equation{{Const(2).Mul(n), 3}}, nil, "no n has 2*n = 3"},
		{"negative", []Equation{{n.Add(Const(3)), 2}}, nil, "no n has n+3 = 2"},
		{"two of them", []Equation{{m.Mul(n), 8}, {m.Add(n), 5}}, nil, "no m and n have m*n = 8 and m+n = 5"},
		{"known", []Equation{{n, 2}, {n.Add(Const(1)), 4}}, nil, "n+1 is 3, not 4"},
		{"contradiction", []Equation{{m.Add(n), 4}, {m.Add(n), 5}}, nil, "no m and n have m+n = 4 and m+n = 5"},
	} {
		got, err := Solve(c.eqs, nil)
		if c.err != "" {
			require.EqualError(t, err, c.err, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got.Values, c.name)
	}
}

// Equations that hold for some sizes never give others; where a search over all small sizes finds one value
// for a symbol of linear equations, it is found, and contradictions are real.
func TestSolveRandom(t *testing.T) {
	names := []string{"a", "b", "c"}
	rapid.Check(t, func(t *rapid.T) {
		hidden := map[string]int64{}
		for _, s := range names {
			hidden[s] = rapid.Int64Range(0, 5).Draw(t, s)
		}
		var eqs []Equation
		for range rapid.IntRange(1, 4).Draw(t, "equations") {
			p := Const(rapid.Int64Range(-2, 2).Draw(t, "constant"))
			for range rapid.IntRange(1, 3).Draw(t, "monomials") {
				mono := Const(rapid.Int64Range(-2, 3).Draw(t, "coefficient"))
				for range rapid.IntRange(1, 2).Draw(t, "degree") {
					mono = mono.Mul(Sym(rapid.SampledFrom(names).Draw(t, "symbol")))
				}
				p = p.Add(mono)
			}
			v, err := p.Eval(hidden)
			require.NoError(t, err)
			eqs = append(eqs, Equation{p, v})
		}
		if rapid.Bool().Draw(t, "altered") {
			eqs[len(eqs)-1].Value++
		}
		got, err := Solve(eqs, nil)
		for at := range 1000 { // all sizes below 10
			env := map[string]int64{"a": int64(at / 100), "b": int64(at / 10 % 10), "c": int64(at % 10)}
			if !holds(eqs, env) {
				continue
			}
			require.NoError(t, err, "%v solves %v", env, eqs)
			for s, v := range got.Values {
				require.Equal(t, env[s], v, "%s of %v in %v", s, env, eqs)
			}
		}
	})
}

func holds(eqs []Equation, env map[string]int64) bool {
	for _, q := range eqs {
		if v, err := q.Size.Eval(env); err != nil || v != q.Value {
			return false
		}
	}
	return true
}

func TestNaturalRoots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := polynomial{"": big.NewInt(1)}
		want := map[int64]bool{}
		for range rapid.IntRange(1, 5).Draw(t, "degree") {
			root := rapid.Int64Range(-3, 30).Draw(t, "root")
			if root >= 0 {
				want[root] = true
			}
			q := polynomial{}
			for mono, c := range p { // times n - root
				q.plus(joinMonomials(mono, "n"), c)
				q.plus(mono, new(big.Int).Mul(c, big.NewInt(-root)))
			}
			p = q
		}
		got := map[int64]bool{}
		for _, n := range naturalRoots(p) {
			got[n.Int64()] = true
		}
		require.Equal(t, want, got, fmt.Sprint(p))
	})
}
