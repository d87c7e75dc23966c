package verify

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/rewrite"
	"frechet/rewrite/verify/model"
)

const (
	modularTrials = 3
	floatTrials   = 24
	numberTrials  = 6
	numberDraws   = 8
)

// valueRule checks a rule on values, with the functions of the choice for declared ones.
func valueRule(r *text.Rule, choice model.Choice) *Report {
	rep := newReport(r)
	g, err := newSignature(r)
	if err != nil {
		return rep.illTyped(err)
	}
	g.choice = choice
	g.part = r.Left.Op == text.Name && slices.ContainsFunc(parts(), func(p *text.Rule) bool { return p.String() == r.String() })
	if err := g.typed(); err != nil {
		return rep.illTyped(err)
	}
	rep.Typing = Typed
	choices := g.numberChoices(numberTrials)
	if len(choices) == 0 {
		rep.Equality, rep.Reason = Assumed, assumption(r)
		rep.Doubt = "its conditions hold for no numbers that were tried"
		return rep
	}
	t := newTrial(g, rep)
	small := len(choices)
	if len(g.numbers) > 0 {
		choices = append(choices, g.drawnNumbers(t.rand, numberDraws)...)
		rep.Numbers = len(choices)
	}
	tried := false
	for _, l := range g.layouts() {
		shape := false
		for k, numbers := range choices {
			in, err := g.numeric(l, numbers)
			if err != nil { // an attribute that does not fit the shape: softmax over two axes of one; or it is too large
				t.tooLarge = t.tooLarge || strings.HasSuffix(err.Error(), tooLarge)
				continue
			}
			shape = true
			if k < small || decides(in.left, in.right) {
				t.modular(in)
			}
			if t.floats(in); t.refuted {
				break
			}
			if k < small && t.guard == nil {
				t.underGuards(in)
			}
		}
		if tried = tried || shape; shape {
			rep.Shapes = append(rep.Shapes, l.String())
		}
		if t.refuted {
			break
		}
	}
	if tried && !t.refuted {
		t.empty(choices)
	}
	if tried && !t.refuted {
		t.distant(choices)
	}
	if tried && !t.refuted && !(t.modOnly && t.decided > 0) {
		t.digits(choices)
	}
	if !tried {
		rep.Shapes, rep.Equality, rep.Reason = nil, Assumed, assumption(r)
		rep.Doubt = "no shape that was tried is small enough, and meets its conditions on sizes"
		return rep
	}
	t.conclude()
	return rep
}

func newReport(r *text.Rule) *Report {
	rep := &Report{Name: r.Name, Line: r.Pos.Line, Source: r.Source, Statement: r.String(), Both: r.Both, Declared: r.Domain}
	if rep.Declared == "" {
		rep.Declared = Kept
	}
	return rep
}

// assumption is the reason that a rule's comment gives for being assumed.
func assumption(r *text.Rule) string {
	for line := range strings.Lines(r.Doc) {
		if _, reason, ok := strings.Cut(line, "assumed:"); ok {
			return strings.TrimSpace(reason)
		}
	}
	return ""
}

// typed checks the rule as the engine reads it, and that both sides have one type wherever the left
// side has one: with a symbol for every size, and any number of axes where the type leaves it open.
func (g *signature) typed() error {
	if _, err := rewrite.LoadRules(g.rule.String(), g.rule.Functions); err != nil && !g.part {
		var e *text.Error
		if errors.As(err, &e) { // the rule is known: only what is wrong with it
			return &helpedError{strings.TrimPrefix(e.Message, "rule "+g.rule.Name+": "), e.Help}
		}
		return err
	}
	any := false
	var first error
	for _, o := range g.orders() {
		for _, numbers := range g.numberChoices(numberTrials) {
			in, err := g.instantiate(g.symbolic(o[0], o[1]), numbers)
			if err != nil {
				if strings.HasPrefix(err.Error(), "the left side") {
					first = cmp.Or(first, err)
					continue // the left side has no value of this order: nothing can match
				}
				return err
			}
			any = true
			if size.Shape(in.left.Shape()) != size.Shape(in.right.Shape()) {
				return fmt.Errorf("the left side has shape %s, the right side %s", size.Shape(in.left.Shape()), size.Shape(in.right.Shape()))
			}
		}
	}
	if !any && first != nil {
		return first
	}
	return nil
}

// trial collects what is found of a rule at the instances tried.
type trial struct {
	g            *signature
	rep          *Report
	rand         *rand.Rand
	modOnly      bool // every comparison so far was decided in the field
	decided      int  // comparisons that the model decided
	defined      int  // points at which both sides have a value
	generic      bool // one of them is no choice of 0, 1, -1 and 2
	refuted      bool
	hidden       bool                       // floating-point numbers do not show it
	at           *Witness                   // the first point found at which the sides differ
	guard        *Witness                   // a point at which they differ under a guard,
	guardDiffers bool                       // where both have values
	pole         map[model.Outcome]*Witness // points next to poles at which one side has a value
	widened      bool                       // the right side has a value where the left has none
	narrow       bool
	lost         []string // metavariables without which the right side has a value where they have none
	nonzero      bool     // some entry was not 0
	tooLarge     bool     // a shape was not tried as it is too large
	seen         bool     // a point of many digits at which the sides are equal, and all operands arrive
	doubt        bool     // the sides differ in the model, where no condition explains it
}

func newTrial(g *signature, rep *Report) *trial {
	return &trial{g: g, rep: rep, rand: rand.New(rand.NewPCG(1, 2)), modOnly: true, pole: map[model.Outcome]*Witness{}}
}

// modular compares both sides at random points of the model.
func (t *trial) modular(in *instance) {
	if !t.modOnly {
		return
	}
	t.rep.Degree = max(t.rep.Degree, degree(in.left)+degree(in.right))
	// what differs in the field differs; what agrees there is equal only if its numbers are small
	defer func() {
		if t.rep.Degree >= maxDegree || !decides(in.left, in.right) {
			t.modOnly = false
		}
	}()
	for done, tries := 0, 0; done < modularTrials; tries++ {
		if tries > 8*modularTrials {
			t.modOnly = false // the sides have no value in the field
			return
		}
		env := map[string]*model.Array{}
		for _, v := range in.vars {
			a := model.NewArray(model.ShapeOf(v))
			for i := range a.Data {
				a.Data[i] = model.RandomElement(t.rand)
			}
			if of := t.g.attributes(v.Name()) & drawn; of != 0 && !a.Attribute(of) {
				t.modOnly = false
				return
			}
			env[v.Name()] = a
		}
		l, errL := model.Evaluate(in.left, env)
		r, errR := model.Evaluate(in.right, env)
		if errL != nil || errR != nil {
			continue
		}
		done++
		for i := range l.Data {
			equal, ok := model.Agree(l.Data[i], r.Data[i])
			if t.nonzero = t.nonzero || l.Data[i].V != 0 || !l.Data[i].Is(model.HasValue); !ok {
				t.modOnly = false
				return
			}
			if t.decided++; !equal {
				// a difference in the model is a witness once numbers confirm it; conditions on
				// values do not restrict the model, so that under them it says nothing
				t.modOnly, t.doubt = false, t.doubt || !t.g.restricted()
				return
			}
		}
	}
}

// floats compares both sides at points of both signs, with 0 and 1 and -1 among them, and notes
// where one side alone has a value.
func (t *trial) floats(in *instance) {
	for k := range floatTrials {
		env := t.point(in, k)
		if !t.g.holds(in, env) {
			continue
		}
		switch compare(in, env) {
		case model.SidesDiffer:
			if t.refuted = true; in.layout != nil {
				t.at = witness(in, env)
			}
			return
		case model.SidesEqual:
			t.defined++
			t.generic = t.generic || !chosen(k)
		case model.LeftOnly:
			t.narrow = true
		case model.RightOnly:
			t.widened = true
		case model.NoSide:
			t.byEntries(in, env)
		}
	}
	t.poles(in)
	t.undefined(in)
}

// poles compares where both sides have values next to the poles of tan, which no number hits: what is
// further than any number there counts as undefined. Of the values nothing is said, as the zero of cos is
// no number either.
func (t *trial) poles(in *instance) {
	trigonometric := false
	for _, n := range combinators.Topo(in.left, in.right) {
		trigonometric = trigonometric || n.Atom().Period > 0
	}
	if !trigonometric {
		return
	}
	for _, at := range []float64{math.Pi / 2, math.Pi} {
		env := t.point(in, 0)
		for _, x := range env {
			for i := range x.Data {
				x.Data[i] = at
			}
		}
		if !t.g.holds(in, env) {
			continue
		}
		o := compare(in, env)
		if o == model.LeftOnly || o == model.RightOnly {
			t.pole[o] = witness(in, env) // the last shapes have the fewest axes
		}
		t.narrow, t.widened = t.narrow || o == model.LeftOnly, t.widened || o == model.RightOnly
	}
}

// undefined compares both sides where one metavariable stands for what has no value, as sqrt(y) may
// have none: a right side that has lost it has one there. It meets no rule that asks for defined(x).
func (t *trial) undefined(in *instance) {
	env := t.point(in, 1)
	if !t.g.holds(in, env) {
		return
	}
	for _, v := range in.vars {
		if t.g.asked("defined", v.Name()) {
			continue
		}
		x := env[v.Name()]
		hole := eval.NewTensor(x.Shape...)
		for i := range hole.Data {
			hole.Data[i] = math.NaN()
		}
		env[v.Name()] = hole
		if len(hole.Data) > 0 && compare(in, env) == model.RightOnly {
			if !slices.Contains(t.lost, v.Name()) {
				t.lost = append(t.lost, v.Name())
			}
		}
		env[v.Name()] = x
	}
}

// empty compares both sides where sizes are 0. What is undefined inside of values without entries is
// no matter there, so that it says nothing of the domain.
func (t *trial) empty(choices [][]denote.Number) {
	for _, l := range t.g.emptyLayouts() {
		for _, numbers := range choices {
			in, err := t.g.numeric(l, numbers)
			if err != nil {
				continue
			}
			for k := range 4 {
				if env := t.point(in, 5*k); t.g.holds(in, env) && compare(in, env) == model.SidesDiffer {
					t.refuted, t.at = true, witness(in, env)
					return
				}
			}
		}
	}
}

// drawn are the attributes that values which are drawn at random do not have.
const drawn = atom.Major | atom.Symmetric | atom.Antisymmetric | atom.Diagonal | atom.Lower | atom.Upper | atom.Orthogonal | atom.Unit | atom.Simplex | atom.Binary | atom.Index

// chosen: the k-th point has entries 0, 1, -1 and 2 alone.
func chosen(k int) bool { return k < 10 || 14 <= k && k < 16 }

// point draws entries: all of {0, 1, -1}, all equal, positive, or of both signs.
func (t *trial) point(in *instance, k int) map[string]*eval.Tensor {
	special := []float64{0, 1, -1, 2}
	env := map[string]*eval.Tensor{}
	for i, v := range in.vars {
		x := eval.NewTensor(model.ShapeOf(v)...)
		for j := range x.Data {
			switch {
			case k < 3:
				x.Data[j] = special[k]
			case k < 6:
				x.Data[j] = special[(k+i)%4]
			case k < 10:
				x.Data[j] = special[t.rand.IntN(3)]
			case k < 14:
				x.Data[j] = 0.1 + 2*t.rand.Float64()
			case k < 16:
				x.Data[j] = special[t.rand.IntN(2)]
			default:
				x.Data[j] = 4*t.rand.Float64() - 2
			}
		}
		of := v.Attributes()
		if t.g != nil {
			of = of.With(t.g.attributes(v.Name()))
		}
		if t.g == nil || of&drawn != 0 {
			eval.Attribute(of, x)
		}
		if v.Attributes().Has(atom.Index) {
			x = wholeNumbers(x)
		}
		env[v.Name()] = x
	}
	return env
}

// wholeNumbers is the array of which x is the 0/1 matrix.
func wholeNumbers(x *eval.Tensor) *eval.Tensor {
	n := x.Shape[len(x.Shape)-1]
	out := eval.NewTensor(x.Shape[:len(x.Shape)-1]...)
	for i := range out.Data {
		if n > 0 {
			out.Data[i] = float64(slices.Index(x.Data[i*n:(i+1)*n], 1))
		}
	}
	return out
}

// domainWitness is the smallest point at which one side alone has a value, or one next to a pole.
func (t *trial) domainWitness(which model.Outcome) *Witness {
	if w := t.g.smallest(func(o model.Outcome) bool { return o == which }); w != nil {
		return w
	}
	return t.pole[which]
}

// conclude makes the claims.
// It stays one list of cases, the first of which holds.
func (t *trial) conclude() {
	rep := t.rep
	if t.refuted {
		rep.Equality, rep.Trials, rep.Degree = Refuted, 0, 0
		if rep.Witness = t.at; !t.hidden {
			rep.Witness = cmp.Or(t.g.smallest(func(o model.Outcome) bool { return o == model.SidesDiffer }), t.at)
		}
		return
	}
	if t.guard != nil && (t.guardDiffers || !t.narrow) && !t.widened {
		rep.Equality, rep.Witness, rep.Guard = Refuted, t.guard, true
		rep.Trials, rep.Degree = 0, 0
		return
	}
	switch {
	case t.widened && !(t.narrow && rep.Declared == Widened): // of two changes the one that is not declared
		rep.Domain = Widened
		rep.DomainWitness = t.domainWitness(model.RightOnly)
	case t.narrow:
		rep.Domain = Narrowed
		rep.DomainWitness = t.domainWitness(model.LeftOnly)
	default:
		rep.Domain, rep.Lost = Kept, strings.Join(t.lost, ", ")
	}
	switch {
	case t.doubt:
		rep.Equality, rep.Degree = Assumed, 0
		if rep.Reason = assumption(t.g.rule); rep.Reason == "" {
			rep.Doubt = "the sides differ over the field, and no numbers show where"
		}
	case t.g.exact():
		rep.Equality, rep.Degree = Exact, 0
	case t.modOnly && !t.nonzero && t.tooLarge:
		rep.Equality, rep.Degree = Assumed, 0
		if rep.Reason = assumption(t.g.rule); rep.Reason == "" {
			rep.Doubt = "both sides are 0 at all shapes that are small enough to be tried"
		}
	case t.modOnly && t.decided > 0:
		rep.Equality, rep.Trials = TestedMod, modularTrials
	case (t.generic || t.defined > 0) && !t.seen:
		rep.Equality, rep.Degree = Assumed, 0
		if rep.Reason = assumption(t.g.rule); rep.Reason == "" {
			rep.Doubt = "at all points that were tried something is below the last digit"
		}
	case t.generic || t.defined > 0 && len(t.g.values) == 0:
		rep.Equality, rep.Trials, rep.Degree = FloatTested, floatTrials, 0
	case t.defined > 0:
		rep.Equality, rep.Degree = Assumed, 0
		if rep.Reason = assumption(t.g.rule); rep.Reason == "" {
			rep.Doubt = "its numbers are too large to be tried at others than 0, 1, -1 and 2"
		}
	default:
		rep.Equality, rep.Reason, rep.Degree = Assumed, assumption(t.g.rule), 0
	}
}

// degree bounds the degree of a node's numerator and denominator in the entries of the variables,
// and in the units that stand for their exponentials.
func degree(root *combinators.Node) int {
	degrees := map[*combinators.Node]int{}
	for _, n := range combinators.Topo(root) {
		d := 0
		switch n.Atom().Class {
		case atom.ClassVariable:
			d = 1
		case atom.ClassContraction:
			for _, a := range n.Args() {
				d += degrees[a]
			}
		case atom.ClassElementwise, atom.ClassSum, atom.ClassLinear:
			for _, a := range n.Args() {
				d += degrees[a]
			}
			if n.Is(atom.Power) {
				k, _ := n.Rat().Float64()
				d = int(math.Min(math.Ceil(math.Abs(k)), maxDegree)) * d
			}
			if n.Is(atom.Tanh) || n.Is(atom.Sinh) || n.Is(atom.Cosh) {
				d *= 2
			}
		case atom.ClassConstant:
		default:
			if n.Atom().Signature() != nil {
				for _, a := range n.Args() {
					d += degrees[a]
				}
				break
			}
			for _, a := range n.Args() {
				d += degrees[a] * matrixRows(n)
			}
		}
		if g := n.Atom().Signature(); g != nil && !g.Linear {
			d *= model.RidgeDegree
		}
		degrees[n] = min(d, maxDegree)
	}
	return degrees[root]
}
