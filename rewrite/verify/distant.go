package verify

import (
	"math"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/eval"
	"frechet/rewrite/verify/model"
)

// What holds at all small numbers may fail far out, close to 0, or beyond a number that the rule has:
// tanh(1000 .* x) is sign(x) up to 11 digits but for small x, and relu(x - 10) is 0 up to 10. Both sides
// are therefore compared at scalars of all magnitudes, too, in intervals of many digits, as exp overflows there and differences
// cancel. Of domains nothing is said.

const (
	distantPoints = 160
	windowPoints  = 4
	longest       = 1e4 // of turns
)

// core are entries that are tried together in all ways, far others that are drawn.
var (
	core = []float64{-1, 0.5, 2, -2}
	far  = []float64{1e-6, -1e-6, 1e-3, -1e-3, 0.03, -0.03, 0.3, -0.3, 3, -3, 10, -10, 40, -40, 200, -200}
)

// distant compares both sides at the layout with the fewest entries.
func (t *trial) distant(choices [][]denote.Number) {
	for _, l := range t.g.smallLayouts() {
		tried := false
		for _, numbers := range choices {
			in, err := t.g.numeric(l, numbers)
			if err != nil {
				continue
			}
			tried = true
			if t.distantPoints(in, max(distantPoints/len(choices), 1)); t.refuted {
				return
			}
		}
		if tried {
			return
		}
	}
}

func (t *trial) distantPoints(in *instance, most int) {
	env := map[string]*eval.Tensor{}
	var entries []*float64
	for _, v := range in.vars {
		x := eval.NewTensor(model.ShapeOf(v)...)
		env[v.Name()] = x
		for i := range x.Data {
			entries = append(entries, &x.Data[i])
		}
	}
	numbers := slices.Concat(t.g.literals(in.numbers), reciprocals(in), far, core)
	together := 1
	for range entries {
		together = min(together*len(core), distantPoints+1)
	}
	try := func() bool {
		if t.g.holds(in, env) && compare(in, env) != model.SidesEqual {
			if d := t.compareDigits(in, env, fewBits); d.outcome == model.SidesDiffer {
				t.refute(d, in, env)
			}
		}
		return t.refuted
	}
	if together <= distantPoints {
		for k := range together {
			for _, p := range entries {
				*p = core[k%len(core)]
				k /= len(core)
			}
			if try() {
				return
			}
		}
	}
	if len(entries) == 1 {
		for _, v := range numbers {
			if *entries[0] = v; try() {
				return
			}
		}
		most = 0
	}
	for range most {
		for _, p := range entries {
			*p = numbers[t.rand.IntN(len(numbers))]
		}
		if try() {
			return
		}
	}
	at, g := func() bool { return t.atTurn(in, env) }, turningOf(in, env)
	for k := range windowPoints {
		for i, p := range entries {
			*p = core[(k+i)%len(core)]
		}
		if t.windows(g, entries, at) {
			return
		}
	}
	t.peaks(g, entries, at)
}

// atTurn compares both sides, and where they have values, at one of the cases: of a side that has one, its first digits are right.
func (t *trial) atTurn(in *instance, env map[string]*eval.Tensor) bool {
	if !t.g.holds(in, env) || compare(in, env) == model.SidesEqual {
		return false
	}
	switch d := t.compareDigits(in, env, fewBits); d.outcome {
	case model.SidesDiffer:
		t.refute(d, in, env)
	case model.LeftOnly, model.RightOnly:
		if t.pole[d.outcome] == nil {
			t.pole[d.outcome] = witness(in, env)
		}
		t.narrow, t.widened = t.narrow || d.outcome == model.LeftOnly, t.widened || d.outcome == model.RightOnly
	}
	return t.refuted
}

// literals are the numbers on both sides, and those next to them.
func (g *signature) literals(numbers []denote.Number) (out []float64) {
	seen := map[float64]bool{}
	for _, v := range slices.Concat(core, far) {
		seen[v] = true
	}
	add := func(r *big.Rat) {
		v, _ := r.Float64()
		for _, w := range []float64{v, -v, v + 1, v - 1, 1 - v, -v - 1, 2 * v, -2 * v, 1 / v} {
			if !seen[w] && math.Abs(w) < 1e12 && len(out) < 100 {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	for _, n := range numbers {
		add(n.Value)
	}
	for _, side := range []*text.Term{g.rule.Left, g.rule.Right} {
		text.Walk(side, func(t *text.Term) bool {
			if t.Op == text.Num {
				add(t.Rat)
			}
			return true
		})
	}
	return out
}

// reciprocals are 1 over the large numbers of both sides: where sin(1e19 .* x) and its like are told apart.
func reciprocals(in *instance) (out []float64) {
	for _, n := range combinators.Topo(in.left, in.right) {
		if !n.Is(atom.Const) {
			continue
		}
		if v, _ := n.Rat().Float64(); math.Abs(v) > 100 && len(out) < 20 {
			out = append(out, 1/v, -0.7/v)
		}
	}
	return out
}
