package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/eval"
	"frechet/internal/lists"
	"frechet/internal/must"
	"frechet/rewrite/verify/model"
)

// What a row of the table of operations promises, tested at points of both signs where the operation
// has values, away from its kinks:
//
//	its derivative, and that of the derivative, against central differences;
//	<D f(x) v, w> = <v, D f(x)* w>;
//	its class: a contraction is linear in each operand, a sum and a linear operation in all at once,
//	an element-wise function acts entry by entry, the derivative of any other is linear;
//	f(x, y) = f(y, x) where it says so.

const (
	operationPoints = 12
	step            = 1e-5 // of central differences
	slopeTolerance  = 1e-5
	lawTolerance    = 1e-9
)

// operationCases are values of every operation of the table at variables of small shapes.
func operationCases(s *combinators.Store) []*combinators.Node {
	p := &pool{s: s}
	two, three := size.Const(2), size.Const(3)
	c, b := s.Var("C", []size.Size{two, two}), s.Var("B", []size.Size{two, three})
	return append(p.atoms(), s.Add(b, s.Var("B2", b.Shape())), s.Solve(c, b), s.Merge(0, b),
		s.Split(0, two, three, s.Var("z", []size.Size{size.Const(6)})),
		s.Einsum("ij,jk->ik", c, b), s.Einsum("ij,ij->j", b, s.Var("B2", b.Shape())), s.Einsum("ij->jii", b))
}

// operations tests every operation of the table. The gaps are what has no test, or does not hold.
func operations() (line string, gaps []string) {
	s := combinators.NewStore()
	seen := map[*atom.Row]bool{atom.Var: true, atom.Const: true, atom.Pi: true, atom.Matfun[atom.Directions-1]: true, atom.Matfun[atom.Directions]: true}
	points := 0
	for _, n := range operationCases(s) {
		seen[n.Atom()] = true
		o, err := newOperation(n)
		if err != nil {
			gaps = append(gaps, err.Error())
			continue
		}
		count, faults := o.check()
		points += count
		gaps = append(gaps, faults...)
	}
	for _, at := range atom.Rows() {
		if !seen[at] {
			gaps = append(gaps, "no test of the operation "+at.Name)
		}
	}
	return fmt.Sprintf("%d operations have derivatives to second order, adjoints and the laws of their classes, at %d points", len(seen)-5, points), gaps
}

// operation is one value with its derivatives: first has tangents v, second differentiates that along
// u, and pulled is the adjoint of the first at the cotangent w.
type operation struct {
	node          *combinators.Node
	args          []*combinators.Node // each once
	first, second *adjoint.LinearProgram
	w             *combinators.Node
	pulled        []*combinators.Node
	rand          *rand.Rand
}

func newOperation(n *combinators.Node) (_ *operation, err error) {
	defer must.Recover(&err)
	s := n.Store()
	o := &operation{node: n, rand: rand.New(rand.NewPCG(13, 14))}
	for _, a := range combinators.Topo(n) {
		if a.Atom().Class == atom.ClassVariable {
			o.args = append(o.args, a)
		}
	}
	o.first = must.Get(adjoint.Standard().D(&combinators.Block{Store: s, Params: o.args, Outs: []*combinators.Node{n}}, o.args))
	if t := o.first.Outs[0]; t != nil {
		o.second = must.Get(adjoint.Standard().D(&combinators.Block{Store: s, Params: o.args, Outs: []*combinators.Node{t}}, o.args))
	}
	o.w = s.Fresh("w", n.Shape())
	o.pulled = must.Get(adjoint.Standard().Pullback([]*combinators.Node{n}, o.args, []*combinators.Node{o.w}))
	return o, nil
}

// check gives the number of points that were tried, and what does not hold.
func (o *operation) check() (points int, faults []string) {
	at := o.node.Atom()
	fault := func(format string, args ...any) {
		faults = append(faults, show(o.node)+": "+fmt.Sprintf(format, args...))
	}
	negative := 0
	for k := 0; k < 4*operationPoints && points < operationPoints && len(faults) == 0; k++ {
		env := samplePoint(at, o.args, o.rand, k)
		if atKink(at, o.args, env) || number(o.node, env) == nil {
			continue
		}
		points++
		if k%2 == 1 {
			negative++
		}
		v, u := o.direction(o.first.In), o.direction(o.args)
		if o.second != nil {
			u = o.direction(o.second.In)
		}
		if want, got := slope(o.node, o.args, v, o.first.In, env), linearValue(o.first, env, v); !close(want, got, slopeTolerance) {
			fault("the derivative is %s at %s, central differences say %s", matrix(got), describePoint(o.args, env), matrix(want))
			continue
		}
		if o.second != nil {
			both := with(env, v)
			if want, got := slope(o.first.Outs[0], o.args, u, o.second.In, both), linearValue(o.second, both, u); !close(want, got, slopeTolerance) {
				fault("the second derivative is %s at %s, central differences say %s", matrix(got), describePoint(o.args, env), matrix(want))
			}
		}
		if a, b := o.adjointLaw(env, v); math.Abs(a-b) > lawTolerance*(1+math.Abs(a)) {
			fault("<D f(x) v, w> = %g, <v, D f(x)* w> = %g", a, b)
		}
		if law := o.class(env, v); law != "" {
			fault("%s", law)
		}
	}
	switch {
	case len(faults) > 0:
	case points < 4:
		fault("has values at %d points only", points)
	case negative == 0 && at.Where == "" && !at.Domain.Bounded():
		fault("has no values of the other sign, and states no domain")
	}
	return points, faults
}

// samplePoint draws arguments from the row's sample range, every second time with the other sign;
// square matrices are away from singular ones.
func samplePoint(at *atom.Row, vars []*combinators.Node, r *rand.Rand, k int) eval.Env {
	low, high := at.Low, at.High
	if low == high {
		low, high = -2, 2
	}
	sign := 1 - 2*float64(k%2)
	env := eval.Env{}
	for _, v := range vars {
		x := eval.NewTensor(model.ShapeOf(v)...)
		for i := range x.Data {
			x.Data[i] = sign * (low + (high-low)*r.Float64())
		}
		if n := v.Order(); n >= 2 && x.Shape[n-1] == x.Shape[n-2] {
			d := x.Shape[n-1]
			for i := 0; i < len(x.Data); i += d * d {
				for j := range d {
					x.Data[i+j*d+j] += 2 * sign
				}
			}
		}
		env[v.Name()] = x
	}
	return env
}

// kinkMargin is how near to a kink no point is tried.
const kinkMargin = 0.02

// atKink reports whether an argument is near a point where the operation is not smooth.
func atKink(at *atom.Row, vars []*combinators.Node, env eval.Env) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) < kinkMargin }
	switch {
	case at.Kink == "":
		return false
	case at.Arity == 2: // at a tie
		if len(vars) < 2 {
			return true
		}
		x, y := env[vars[0].Name()], env[vars[1].Name()]
		for i := range x.Data {
			if near(x.Data[i], y.Data[i]) {
				return true
			}
		}
		return false
	}
	x := env[vars[0].Name()]
	for i, a := range x.Data {
		if at.Class == atom.ClassElementwise && near(a, at.KinkNear(a)) {
			return true
		}
		for _, b := range x.Data[:i] {
			if at.Class == atom.ClassPrimitive && near(a, b) {
				return true
			}
		}
	}
	return false
}

func (o *operation) direction(vars []*combinators.Node) eval.Env {
	env := eval.Env{}
	for _, v := range vars {
		x := eval.NewTensor(model.ShapeOf(v)...)
		for i := range x.Data {
			x.Data[i] = 2*o.rand.Float64() - 1
		}
		env[v.Name()] = x
	}
	return env
}

func with(envs ...eval.Env) eval.Env {
	out := eval.Env{}
	for _, e := range envs {
		for n, x := range e {
			out[n] = x
		}
	}
	return out
}

// slope is the central difference of n where each of vars moves along the tangent of its place.
func slope(n *combinators.Node, vars []*combinators.Node, v eval.Env, tangents []*combinators.Node, env eval.Env) *eval.Tensor {
	at := func(h float64) *eval.Tensor {
		moved := with(env)
		for i, x := range vars {
			y := eval.NewTensor(env[x.Name()].Shape...)
			for j := range y.Data {
				y.Data[j] = env[x.Name()].Data[j] + h*v[tangents[i].Name()].Data[j]
			}
			moved[x.Name()] = y
		}
		return number(n, moved)
	}
	hi, lo := at(step), at(-step)
	if hi == nil || lo == nil {
		return nil
	}
	for i := range hi.Data {
		hi.Data[i] = (hi.Data[i] - lo.Data[i]) / (2 * step)
	}
	return hi
}

func linearValue(l *adjoint.LinearProgram, env, v eval.Env) *eval.Tensor {
	if l.Outs[0] == nil {
		shape := make([]int, len(l.OutShapes[0]))
		for i, d := range l.OutShapes[0] {
			n, _ := d.Int()
			shape[i] = int(n)
		}
		return eval.NewTensor(shape...)
	}
	return number(l.Outs[0], with(env, v))
}

func close(a, b *eval.Tensor, tolerance float64) bool {
	if a == nil || b == nil {
		return false
	}
	scale := 1.0
	for i := range a.Data {
		scale = math.Max(scale, math.Abs(a.Data[i]))
	}
	for i := range a.Data {
		if !(math.Abs(a.Data[i]-b.Data[i]) <= tolerance*scale) {
			return false
		}
	}
	return true
}

// adjointLaw has both sides of <D f(x) v, w> = <v, D f(x)* w>.
func (o *operation) adjointLaw(env, v eval.Env) (float64, float64) {
	w := o.direction([]*combinators.Node{o.w})
	dot := func(a, b *eval.Tensor) (sum float64) {
		for i := range a.Data {
			sum += a.Data[i] * b.Data[i]
		}
		return sum
	}
	left := dot(linearValue(o.first, env, v), w[o.w.Name()])
	right := 0.0
	outs, err := eval.Reference(context.Background(), o.pulled, with(env, w), nil)
	if err != nil {
		return left, math.NaN()
	}
	for i, x := range outs {
		right += dot(x, v[o.first.In[i].Name()])
	}
	return left, right
}

// class says how the operation breaks the law of its class, "" where it does not.
func (o *operation) class(env, v eval.Env) string {
	at := o.node.Atom()
	combine := func(f func(eval.Env) *eval.Tensor, vars []*combinators.Node, x, y eval.Env) bool {
		// f(2 x - 3 y) = 2 f(x) - 3 f(y)
		mixed := with(x)
		for _, n := range vars {
			z := eval.NewTensor(x[n.Name()].Shape...)
			for i := range z.Data {
				z.Data[i] = 2*x[n.Name()].Data[i] - 3*y[n.Name()].Data[i]
			}
			mixed[n.Name()] = z
		}
		a, b, c := f(mixed), f(x), f(y)
		if a == nil || b == nil || c == nil {
			return false
		}
		for i := range b.Data {
			b.Data[i] = 2*b.Data[i] - 3*c.Data[i]
		}
		return close(a, b, lawTolerance)
	}
	value := func(e eval.Env) *eval.Tensor { return number(o.node, e) }
	switch at.Class {
	case atom.ClassContraction:
		for _, a := range o.args {
			if !combine(value, []*combinators.Node{a}, env, with(env, o.direction([]*combinators.Node{a}))) {
				return "is not linear in " + a.Name()
			}
		}
	case atom.ClassSum, atom.ClassLinear:
		if !combine(value, o.args, env, o.direction(o.args)) {
			return "is not linear"
		}
	case atom.ClassElementwise:
		return o.entrywise(env)
	case atom.ClassPrimitive:
		derivative := func(e eval.Env) *eval.Tensor { return linearValue(o.first, env, e) }
		if !combine(derivative, o.first.In, v, o.direction(o.first.In)) {
			return "has a derivative that is not linear"
		}
	}
	return ""
}

// entrywise: an entry of the result is the function of the same entries of the arguments.
func (o *operation) entrywise(env eval.Env) string {
	at := o.node.Atom()
	y := number(o.node, env)
	for i := range y.Data {
		args := lists.Map(o.node.Args(), func(a *combinators.Node) float64 { return env[a.Name()].Data[i] })
		var want float64
		switch {
		case at.F1 != nil:
			want = at.F1(args[0])
		case at.F2 != nil:
			want = at.F2(args[0], args[1])
			if other := at.F2(args[1], args[0]); at.Commutes && other != want {
				return "does not commute"
			}
		default:
			r, _ := o.node.Rat().Float64()
			want = math.Pow(args[0], r)
		}
		if math.Abs(y.Data[i]-want) > lawTolerance*(1+math.Abs(want)) {
			return fmt.Sprintf("is %g at %v, its row says %g", y.Data[i], args, want)
		}
	}
	return ""
}

func describePoint(vars []*combinators.Node, env eval.Env) string {
	s := ""
	for i, v := range vars {
		if i > 0 {
			s += ", "
		}
		s += v.Name() + " = " + matrix(env[v.Name()])
	}
	return s
}
