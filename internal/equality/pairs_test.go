package equality

import (
	"bytes"
	"context"
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/rules"
	"frechet/eval"
	"frechet/internal/derivation"
	"frechet/internal/program"
	"frechet/internal/programs"
	"frechet/rewrite"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var from = flag.Int("from", 0, "the first seed")
var pairs = flag.Int("pairs", 12, "random pairs of values that are compared")

// drawn is a question whose sides are one value of a random program, which rules read in either direction have rewritten.
func drawn(t *testing.T, seed int) (*Question, *programs.Program) {
	p := rapid.Custom(func(t *rapid.T) *programs.Program {
		return programs.DrawOf(t, map[string]int64{"k": 2, "m": 3, "n": 4})
	}).Example(seed)
	f, err := program.Read(p.Text(), program.Options{})
	require.NoError(t, err, p.Text())
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	left := f.Outputs[0].Node
	right := left
	for range 1 + r.IntN(4) {
		right = rewritten(r, right)
	}
	q, err := question(f, left, right, nil)
	require.NoError(t, err)
	return q, p
}

// both are the program's rules in both directions.
var both = sync.OnceValue(func() []*rewrite.Rules {
	algebra, laws := rewrite.MustLoadRules(rules.Algebra), rewrite.MustLoadRules(rules.Laws)
	return []*rewrite.Rules{algebra, laws, rewrite.Reversed(algebra.File), rewrite.Reversed(laws.File)}
})

// rewritten is n after one step by a rule, at a random place where one applies.
func rewritten(r *rand.Rand, n *combinators.Node) *combinators.Node {
	nodes := combinators.Topo(n)
	r.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	for _, m := range nodes {
		var found []rewrite.Firing
		for _, rs := range both() {
			rs.Each(m, nil, func(f rewrite.Firing) bool {
				found = append(found, f)
				return len(found) < 64
			})
		}
		if len(found) > 0 {
			return combinators.Replace([]*combinators.Node{n}, m, found[r.IntN(len(found))].After)[0]
		}
	}
	return n
}

// TestEqualPairs: of values that are equal by rules, nearly all are proved to be, and the proofs are checked; none is
// refuted.
func TestEqualPairs(t *testing.T) {
	proved := 0
	for seed := *from; seed < *from+*pairs; seed++ {
		q, p := drawn(t, seed)
		v, err := q.Decide(context.Background(), Options{})
		require.NoError(t, err, p.Text())
		require.NotEqual(t, Refuted, v.Outcome, "%s\n%s", p.Text(), v.Witness)
		if v.Outcome != Proved {
			left, _ := q.Program.Print("text", nil, q.Left)
			right, _ := q.Program.Print("text", nil, q.Right)
			t.Logf("%d: %v\n%s\n%s\n%s", seed, v, p.Declare, left, right)
			continue
		}
		proved++
		if q.Left != q.Right {
			if err := replayed(q, v); err != nil {
				var b bytes.Buffer
				v.Derivation.Write(&b, "text", true, true)
				t.Fatalf("%d: %v\n%s\n%s", seed, err, p.Text(), &b)
			}
		}
	}
	require.GreaterOrEqual(t, 100*proved, 95**pairs, "%d of %d", proved, *pairs)
}

// replayed checks the proof of a verdict without what found it.
func replayed(q *Question, v *Verdict) error {
	d, err := derivation.OfEquality(q.Program, true, v.parts...)
	if err != nil {
		return err
	}
	return d.Certificate(&bytes.Buffer{})
}

// TestUnequalPairs: a value and another one, of which a part is changed, are refuted.
func TestUnequalPairs(t *testing.T) {
	tried := 0
	for seed := 0; tried < *pairs; seed++ {
		q, p := drawn(t, seed)
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		nodes := combinators.Topo(q.Right)
		m := nodes[r.IntN(len(nodes))]
		near := misses(m)
		q.Right = combinators.Replace([]*combinators.Node{q.Right}, m, near[r.IntN(len(near))])[0]
		if !differs(t, q, p) {
			continue
		}
		tried++
		v, err := q.Decide(context.Background(), Options{})
		require.NoError(t, err, p.Text())
		require.NotEqual(t, Proved, v.Outcome, p.Text())
		if v.Outcome == Refuted {
			continue
		}
		left, _ := q.Program.Print("text", nil, q.Left)
		right, _ := q.Program.Print("text", nil, q.Right)
		t.Errorf("%d: %v\n%s\n%s\n%s\n%v", seed, v, p.Declare, left, right, v.Tried)
	}
}

// misses are values near m, which are others nearly everywhere: with another coefficient, a term more or less, another sign,
// function or exponent, a factor dropped, or transposed.
func misses(m *combinators.Node) []*combinators.Node {
	s := m.Store()
	near := []*combinators.Node{s.Add(m, m), s.Scale(s.Const(big.NewRat(9, 8)), m), s.Add(m, s.Ones(m.Shape())), s.Neg(m)}
	switch {
	case m.Is(atom.Add):
		near = append(near, m.Arg(0), m.Arg(1), s.Sub(m.Arg(0), m.Arg(1)))
	case m.Is(atom.Power):
		near = append(near, s.Power(m.Arg(0), new(big.Rat).Add(m.Rat(), big.NewRat(1, 1))))
	case m.Is(atom.Sin):
		near = append(near, s.Unary(atom.Cos, m.Arg(0)), m.Arg(0))
	case m.Is(atom.Tanh):
		near = append(near, s.Unary(atom.Sigmoid, m.Arg(0)), m.Arg(0))
	case m.Ein() != nil && len(m.Args()) == 2 && slices.Equal(m.Shape(), m.Arg(0).Shape()):
		near = append(near, m.Arg(0))
	}
	if d := m.Shape(); len(d) == 2 && d[0] == d[1] {
		near = append(near, s.Contract([][]int{{0, 1}}, []int{1, 0}, d, m))
	}
	return near
}

// differs reports whether the sides have numbers at the point of the program, and these are far apart.
func differs(t *testing.T, q *Question, p *programs.Program) bool {
	env := eval.Env{}
	for name, v := range p.Values {
		x, err := eval.Of(p.Dims[name], v)
		require.NoError(t, err)
		env[name] = x
	}
	out, err := eval.Run(context.Background(), []*combinators.Node{q.Left, q.Right}, env, eval.WithSizes(p.Sizes))
	if err != nil {
		return false
	}
	far := false
	for i, a := range out[0].Data {
		b := out[1].Data[i]
		if math.IsNaN(a) || math.IsNaN(b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
			return false
		}
		far = far || math.Abs(a-b) > 1e-3*(1+math.Abs(a))
	}
	return far
}
