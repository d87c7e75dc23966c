package verify

import (
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/lists"
	"frechet/rewrite/verify/maps"
)

// concreteDomain says where the sides of a rule without unknown maps have values, for maps of tensors:
// at points of both signs, with 0 and 1 and -1 among them. The left side may be D(f)(x): it has a
// value where f has one, around x too. Where the model does not know an operation, the values are
// compared as well, at random points.
func concreteDomain(t *maps.Rule, rep *Report, r *text.Rule) {
	if len(t.Types.Maps) > 0 {
		return
	}
	sides := nodes(t, r)
	if sides == nil {
		return
	}
	trial := newTrial(&signature{rule: r}, rep)
	widened, narrowed := (*Witness)(nil), (*Witness)(nil)
	tried, agreed := false, 0
	for k := range floatTrials + maxFurther {
		env := trial.point(&instance{vars: sides.vars}, k)
		random := k >= 10 && k < 14 || k >= 16 // away from kinks
		if k >= floatTrials {
			if agreed >= enoughPoints || agreed == 0 && k >= 2*floatTrials {
				break
			}
			shrinkTo(env, 1) // few points have a value: arcsin has them in [-1, 1]
		}
		left, right := sides.values(env)
		tried = tried || left != nil && right != nil
		differ := random && left != nil && right != nil && !close(right, left, sides.tolerance())
		if random && left != nil && right != nil && !differ {
			agreed++
		}
		if (left == nil) == (right == nil) && !differ {
			continue
		}
		w := sides.witness(env, left, right)
		if differ {
			if rep.Equality == Assumed {
				rep.Equality, rep.Witness = Refuted, w
				return
			}
			continue
		}
		if left == nil && widened == nil {
			widened = w
		} else if right == nil && narrowed == nil {
			narrowed = w
		}
	}
	if rep.Equality == Assumed && agreed > 0 {
		rep.Equality, rep.Trials, rep.Reason = FloatTested, agreed, ""
		rep.Shapes = []string{maps.Describe(sides.sizes, t.Types.Count)}
	}
	switch {
	case !tried:
	case widened != nil && !(narrowed != nil && rep.Declared == Widened): // of two changes the one that is not declared
		rep.Domain, rep.DomainWitness = Widened, widened
	case narrowed != nil:
		rep.Domain, rep.DomainWitness = Narrowed, narrowed
	default:
		rep.Domain = Kept
	}
}

// enoughPoints is how many points with values are looked for, among at most so many further ones.
const (
	enoughPoints = 12
	maxFurther   = 100
)

// shrinkTo multiplies random entries, which are below 2.2, so that they are below most.
func shrinkTo(env map[string]*eval.Tensor, most float64) {
	for _, x := range env {
		for i := range x.Data {
			x.Data[i] *= most / 2.2
		}
	}
}

// numbersWitness is a point at which numbers refute a rule with functions whose values in the field say
// nothing to a reader, such as sin; nil where the rule has no such functions, or has unknown maps.
func numbersWitness(t *maps.Rule, r *text.Rule) *Witness {
	if len(t.Types.Maps) > 0 {
		return nil
	}
	transcendental := false
	for _, side := range []*text.Term{r.Left, r.Right} {
		text.Walk(side, func(t *text.Term) bool {
			at := atom.Named(t.Name)
			transcendental = transcendental || at != nil && at.Class == atom.ClassElementwise && at != atom.Power
			return true
		})
	}
	if !transcendental {
		return nil
	}
	sides := nodesAt(t, r, []int{1})
	if sides == nil {
		return nil
	}
	trial := newTrial(&signature{rule: r}, newReport(r))
	for _, k := range []int{1, 0, 3, 4, 5, 16, 17, 10, 18, 19} {
		env := trial.point(&instance{vars: sides.vars}, k)
		if left, right := sides.values(env); left != nil && right != nil && !close(right, left, sides.tolerance()) {
			w := sides.witness(env, left, right)
			w.Sizes = maps.Describe(sides.sizes, t.Types.Count)
			return w
		}
	}
	return nil
}

// values are both sides at a point; the left one may be a derivative.
func (c *closedSides) values(env map[string]*eval.Tensor) (left, right *eval.Tensor) {
	left, right = defined(c.left, env), defined(c.right, env)
	if left != nil && c.at != nil {
		left = slope(c.left, []*combinators.Node{c.at}, eval.Env(env), []*combinators.Node{c.arg}, eval.Env(env))
	}
	return left, right
}

func (c *closedSides) tolerance() float64 {
	if c.at != nil {
		return slopeTolerance
	}
	return lawTolerance
}

func (c *closedSides) witness(env map[string]*eval.Tensor, left, right *eval.Tensor) *Witness {
	w := &Witness{Left: matrix(left), Right: matrix(right)}
	for _, v := range c.vars {
		name := v.Name()
		if v == c.arg {
			name = "argument"
		}
		w.Values = append(w.Values, Named{name, matrix(env[v.Name()])})
	}
	return w
}

// closedSides are both sides at an argument, as values. Where the left side is D(f)(x), left is f(x),
// and at is x.
type closedSides struct {
	left, right, arg, at *combinators.Node
	vars                 []*combinators.Node
	sizes                map[string]int
}

func nodes(t *maps.Rule, r *text.Rule) *closedSides { return nodesAt(t, r, []int{2, 3, 2, 3}) }

// nodesAt are the sides at given sizes.
func nodesAt(t *maps.Rule, r *text.Rule, sizes []int) *closedSides {
	in := t.Instance(t.Sizes(sizes)[0], 0, nil)
	shape := func(typ *maps.Space) ([]size.Size, bool) {
		s := in.Space(typ)
		if s.Parts != nil {
			return nil, false
		}
		out := []size.Size{}
		out = lists.Append(out, s.Shape, func(d int) size.Size { return size.Const(int64(d)) })
		return out, true
	}
	dom, ok := shape(t.Left.Dom)
	cod, okCod := shape(t.Left.Cod)
	if !ok || !okCod {
		return nil
	}
	s := combinators.NewStore()
	env, ok := t.Env(s, shape, func(d *maps.Dim) size.Size { return size.Const(int64(in.Size(d))) })
	if !ok {
		return nil
	}
	out := &closedSides{arg: s.Var("#", dom), sizes: in.Sizes}
	for _, b := range env.Values {
		out.vars = append(out.vars, b.Value)
	}
	out.vars = append(out.vars, out.arg)
	u, w := combinators.TensorSpace(dom), combinators.TensorSpace(cod)
	value := func(term *text.Term, x *combinators.Node) *combinators.Node {
		m, err := denote.ReadMap(s, term, &u, &w, env)
		if err != nil {
			return nil
		}
		y, err := s.ApplyMap(m, s.Value(x))
		if err != nil {
			return nil
		}
		return y.Node()
	}
	left, x := r.Left, out.arg
	if left.Op == text.Apply && left.Args[0].Name == "D" && len(left.Args) == 2 {
		for _, b := range env.Values {
			if left.Args[1].Op == text.Name && b.Name == left.Args[1].Name {
				out.at = b.Value
			}
		}
		if out.at == nil {
			return nil
		}
		left, x = left.Args[0].Args[0], out.at
	}
	out.left, out.right = value(left, x), value(r.Right, out.arg)
	if out.left == nil || out.right == nil {
		return nil
	}
	return out
}
