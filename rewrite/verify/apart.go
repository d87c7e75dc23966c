package verify

import (
	"math"
	"math/rand/v2"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/rewrite/verify/model"
)

// Apart compares two values of one shape, whose sizes are numbers, at points of their variables, and gives the first point
// found at which both have a value and these differ: with entries that are 0, 1 and -1 where there is one. common counts
// the points at which both have a value. exact says that the difference at the point is one of rational numbers, and not of
// floating-point numbers alone.
func Apart(left, right *combinators.Node, vars []*combinators.Node, r *rand.Rand) (w *Witness, exact bool, common int) {
	in := &instance{layout: &layout{}, vars: vars, left: left, right: right}
	t := &trial{rand: r}
	for k := range floatTrials {
		env := t.point(in, k)
		switch compare(in, env) {
		case model.SidesEqual:
			common++
		case model.SidesDiffer:
			differ := func() bool { return compare(in, env) == model.SidesDiffer }
			var entries []*float64
			for _, v := range vars {
				for j := range env[v.Name()].Data {
					p := &env[v.Name()].Data[j]
					old := *p
					if *p = math.Round(2**p) / 2; !differ() {
						*p = old
					}
					entries = append(entries, p)
				}
			}
			shrink(entries, differ)
			return witness(in, env), differInField(in, env), common + 1
		}
	}
	return nil, false, common
}

// rational reports whether the value is a rational function of its variables.
func rational(n *combinators.Node) bool {
	return !slices.ContainsFunc(combinators.Topo(n), func(m *combinators.Node) bool {
		return m.Atom().Class >= atom.ClassElementwise && !(m.Is(atom.Power) && m.Rat().IsInt() || m.Is(atom.Inv) || m.Is(atom.Minor) || m.Is(atom.Solve)) || m.Is(atom.Pi)
	})
}

// differInField: the sides differ at a point with entries that are halves of whole numbers, modulo a prime, and so as
// rational numbers.
func differInField(in *instance, env map[string]*eval.Tensor) bool {
	_, _, differ := residues(in, env)
	return differ
}

// residues are the numbers modulo p at the first entry in which the sides differ there.
func residues(in *instance, env map[string]*eval.Tensor) (left, right uint64, differ bool) {
	if !rational(in.left) || !rational(in.right) {
		return 0, 0, false
	}
	half := model.Inverse(2)
	at := map[string]*model.Array{}
	for _, v := range in.vars {
		a := model.NewArray(model.ShapeOf(v))
		for i, x := range env[v.Name()].Data {
			if v.Attributes().Has(atom.Index) {
				shape := model.ShapeOf(v)
				a.Data[i*shape[len(shape)-1]+int(x)] = model.Of(1)
				continue
			}
			twice := math.Abs(2 * x)
			if twice != math.Trunc(twice) || twice > 1e6 {
				return 0, 0, false
			}
			e := model.Mul(uint64(twice), half)
			if x < 0 {
				e = model.Sub(0, e)
			}
			a.Data[i] = model.Of(e)
		}
		at[v.Name()] = a
	}
	l, errL := model.Evaluate(in.left, at)
	r, errR := model.Evaluate(in.right, at)
	if errL != nil || errR != nil {
		return 0, 0, false
	}
	for i := range l.Data {
		if !l.Data[i].Is(model.HasValue) || !r.Data[i].Is(model.HasValue) {
			return 0, 0, false
		}
		if !differ && l.Data[i].V != r.Data[i].V {
			left, right, differ = l.Data[i].V, r.Data[i].V, true
		}
	}
	return left, right, differ
}
