package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"frechet/combinators"
	"frechet/internal/words"
)

// A Verdict is what a check of a derivative found.
type Verdict uint8

const (
	// Agrees: every checked entry agrees within its tolerance.
	Agrees Verdict = iota
	// Differs: some entry is wrong by more than differences can be.
	Differs
	// Inconclusive: no entry could be checked, since the function is not finite or too noisy
	// around the point.
	Inconclusive
)

func (v Verdict) String() string {
	return [...]string{"agrees", "differs", "inconclusive"}[v]
}

// A Report is the result of Check.
type Report struct {
	Verdict Verdict
	// MaxError is the largest relative error |D - J| / max(|D|, |J|, floor) of an entry, where
	// D is the difference quotient and floor the size below which D is rounding noise.
	MaxError float64
	// Output and Argument are the flat indices of that entry, Claimed its value and Measured
	// the difference quotient.
	Output, Argument  int
	Claimed, Measured float64
	// Step is the step of the difference quotient of that entry.
	Step float64
	// Order is the order at which the remainder |y(x+hv) - y(x-hv) - 2h J v| of a random
	// direction v vanishes with h: 3 for a right derivative, 1 for a wrong one. It is NaN where
	// the remainder is rounding noise throughout, as for polynomials of degree 2.
	Order float64
	// Entries counts the entries that were compared; Kinks those at which the function has
	// two one-sided derivatives and the claim lies between them; Skipped those around which
	// the function is not finite.
	Entries, Kinks, Skipped int
}

func (r *Report) String() string {
	s := fmt.Sprintf("%s: %s, largest relative error %.2g", r.Verdict, words.Count(r.Entries, "entry"), r.MaxError)
	if r.Verdict == Differs {
		s += fmt.Sprintf(" (entry %d by %d: %.9g, by differences %.9g, step %.2g)", r.Output, r.Argument, r.Claimed, r.Measured, r.Step)
	}
	if !math.IsNaN(r.Order) {
		s += fmt.Sprintf(", remainder of order %.2f", r.Order)
	}
	if r.Kinks > 0 {
		s += fmt.Sprintf(", %d at kinks", r.Kinks)
	}
	if r.Skipped > 0 {
		s += fmt.Sprintf(", %d skipped", r.Skipped)
	}
	return s
}

const (
	// relativeStep is the step of central differences relative to max(1, |x|): the cube root
	// of the rounding error balances it against the truncation error.
	relativeStep = 6e-6
	// relativeTolerance is the relative error that is always accepted.
	relativeTolerance = 1e-6
	// negligible is how small an entry may be beside the largest one and still be compared. Where 1 + erf(x)
	// has come to 0, as in the derivative of gelu at -34, a value of 1e-245 is wrong in its third digit,
	// and no change of x shows it.
	negligible = 1e-60
	// checkedColumns is the number of argument entries that are checked one by one.
	checkedColumns = 128
	epsilon        = 0x1p-52
)

// Check compares a derivative with central differences: jacobian, of shape y's axes and then
// x's, at the values of env. Up to 128 entries of x, chosen at random beyond that, are varied
// one by one, with a step scaled to each; a random direction gives the order of the Taylor
// remainder. The tolerance of an entry is a relative 1e-6, and what rounding and the change
// of the quotient when its step is halved show to be uncertain.
//
// Errors are those of Run.
func Check(ctx context.Context, y, x, jacobian *combinators.Node, env Env, opts ...Option) (*Report, error) {
	f, err := Compile([]*combinators.Node{y}, env.shapes(), opts...)
	if err != nil {
		return nil, err
	}
	jac, err := Compile([]*combinators.Node{jacobian}, env.shapes(), opts...)
	if err != nil {
		return nil, err
	}
	js, err := jac.Run(ctx, env)
	if err != nil {
		return nil, err
	}
	point, ok := env[x.Name()]
	if !ok { // y does not depend on x, and neither does the program
		return &Report{Order: math.NaN(), Verdict: Inconclusive}, nil
	}
	c := &checker{ctx: ctx, f: f, env: env, name: x.Name(), point: point, jac: js[0].Data,
		rng: rand.New(rand.NewPCG(1, 2)), report: Report{Order: math.NaN()}}
	if c.y, err = c.at(func(Env) {}); err != nil {
		return nil, err
	}
	if len(c.y)*point.Len() != len(c.jac) {
		return nil, &SizeError{Msg: fmt.Sprintf("a derivative of %s by %s has %s", words.Count(len(c.y), "entry"), words.Count(point.Len(), "entry"), words.Count(len(c.jac), "entry"))}
	}
	for _, x := range c.jac {
		if a := math.Abs(x); a-a == 0 {
			c.floor = math.Max(c.floor, negligible*a)
		}
	}
	if err := c.columns(); err != nil {
		return nil, err
	}
	if err := c.taylor(); err != nil {
		return nil, err
	}
	if c.report.Verdict == Agrees && c.report.Entries == 0 && len(c.jac) > 0 {
		c.report.Verdict = Inconclusive
	}
	return &c.report, nil
}

type checker struct {
	ctx    context.Context
	f      *Program
	env    Env
	name   string
	point  *Tensor
	y, jac []float64
	rng    *rand.Rand
	noise  []float64 // of y, where it was measured
	floor  float64   // below which an entry says nothing
	report Report
}

// at evaluates the function where move has changed a copy of the point.
func (c *checker) at(move func(Env)) ([]float64, error) {
	env := Env{}
	for name, t := range c.env {
		env[name] = t
	}
	env[c.name] = c.point.Clone()
	move(env)
	out, err := c.f.Run(c.ctx, env)
	if err != nil {
		return nil, err
	}
	return out[0].Data, nil
}

// columns checks the entries of x one by one. Where rounding hides the digits of a quotient, as in
// x + 1e9, larger steps are tried; where a step is too large, as for sin(1e6*x), or a claim seems
// wrong, smaller ones. The quotient that is least uncertain counts.
func (c *checker) columns() error {
	n := c.point.Len()
	order := c.rng.Perm(n)
	best := make([]quotient, len(c.y))
	for _, j := range order[:min(n, checkedColumns)] {
		for i := range best {
			best[i] = quotient{tolerance: math.Inf(1)}
		}
		if err := c.column(j, 1, best); err != nil {
			return err
		}
		steps := []float64{256, 65536}
		again := quotient.hidden
		if slices.ContainsFunc(best, quotient.rough) {
			steps, again = []float64{1. / 256, 1. / 65536}, quotient.rough
			if err := c.measureNoise(); err != nil {
				return err
			}
		}
		for _, times := range steps {
			if !slices.ContainsFunc(best, again) {
				break
			}
			if err := c.column(j, times, best); err != nil {
				return err
			}
		}
		for i := range c.y {
			c.entry(i, j, best[i])
		}
	}
	return nil
}

// measureNoise finds how much the values change where the last digits of all variables do.
func (c *checker) measureNoise() error {
	if c.noise != nil {
		return nil
	}
	c.noise = make([]float64, len(c.y))
	for range trials {
		y, err := c.at(func(e Env) {
			for name, t := range e {
				e[name] = nearby(t, c.rng)
			}
		})
		if _, singular := err.(*SingularError); err != nil && !singular {
			return err
		}
		for i := range y {
			if d := math.Abs(y[i] - c.y[i]); d-d == 0 {
				c.noise[i] = math.Max(c.noise[i], d)
			}
		}
	}
	return nil
}

// trials is how often rounding is measured.
const trials = 4

// nearby is a tensor with other last digits.
func nearby(t *Tensor, rng *rand.Rand) *Tensor {
	t = t.Clone()
	for i := range t.Data {
		t.Data[i] *= 1 + 4*epsilon*rng.NormFloat64()
	}
	return t
}

// column measures the entries by x[j] with one step, and keeps what is better than the best so far.
func (c *checker) column(j int, times float64, best []quotient) error {
	x := c.point.Data[j]
	h := times * relativeStep * math.Max(1, math.Abs(x))
	h = (x + h) - x // a step that x + h takes exactly
	var y [4][]float64
	for l, step := range []float64{h, -h, h / 2, -h / 2} {
		var err error
		if y[l], err = c.at(func(e Env) { e[c.name].Data[j] += step }); err != nil {
			if _, ok := err.(*SingularError); !ok {
				return err
			}
			y[l] = make([]float64, len(c.y))
			fillNaN(y[l])
		}
	}
	for i := range c.y {
		q := c.quotient(i, j, h, y[0][i], y[1][i], y[2][i], y[3][i])
		if best[i].h == 0 || q.tolerance < best[i].tolerance && !best[i].kink {
			best[i] = q
		}
	}
	return nil
}

// A quotient is what differences say of one entry.
type quotient struct {
	d, h             float64
	claim            float64
	scale, tolerance float64
	noise            float64 // by rounding
	change           float64 // between two steps
	skip, kink       bool
}

// hidden reports whether rounding hides the digits of the quotient.
func (q quotient) hidden() bool { return 4*q.noise > 1e-4*q.scale && !q.skip && !q.kink }

// rough reports whether the step may be too large.
func (q quotient) rough() bool {
	return (4*q.change > 1e-4*q.scale && !q.hidden() || q.wrong()) && !q.skip && !q.kink
}

// wrong reports whether the claim is beyond what is uncertain.
func (q quotient) wrong() bool {
	return !(math.Abs(q.d-q.claim) <= q.tolerance) && !q.skip && !q.kink
}

// quotient measures d y[i] / d x[j] from values at +-h and +-h/2.
func (c *checker) quotient(i, j int, h, p, m, p2, m2 float64) quotient {
	claim, y := c.jac[i*c.point.Len()+j], c.y[i]
	coarse, fine := (p-m)/(2*h), (p2-m2)/h
	q := quotient{d: (4*fine - coarse) / 3, h: h, claim: claim} // Richardson: the h^2 term cancels
	if q.d-q.d != 0 || y-y != 0 || math.IsInf(claim, 0) {
		q.skip = !(math.IsNaN(claim) && q.d-q.d == 0)
		q.tolerance = math.Inf(1)
		return q
	}
	noise := 8 * epsilon * math.Max(math.Abs(y), math.Max(math.Abs(p), math.Abs(m))) / h
	if p == m && p2 == m2 && p == y {
		noise = epsilon * math.Abs(y) / (4 * h) // what depends on x[j] does not reach the last digit
	}
	if c.noise != nil {
		noise = math.Max(noise, c.noise[i]/h)
	}
	q.noise, q.change = noise, math.Abs(fine-coarse)
	q.scale = math.Max(math.Abs(q.d), math.Abs(claim))
	q.tolerance = relativeTolerance*q.scale + 4*noise + 4*q.change + c.floor
	q.kink = q.wrong() && c.kink(h, claim, y, p, m, p2, m2, noise)
	return q
}

// entry compares the claim with the quotient.
func (c *checker) entry(i, j int, q quotient) {
	switch {
	case q.skip:
		c.report.Skipped++
		return
	case q.kink:
		c.report.Kinks++
		return
	}
	c.report.Entries++
	diff := math.Abs(q.d - q.claim)
	e := diff / math.Max(q.scale, math.Max(q.noise/relativeTolerance, 1e-300))
	if math.IsNaN(e) {
		e = math.Inf(1)
	}
	// what is beyond its tolerance comes before what is merely least exact
	wrong := q.wrong()
	if wrong == (c.report.Verdict == Differs) && e > c.report.MaxError || wrong && c.report.Verdict != Differs {
		c.report.MaxError, c.report.Output, c.report.Argument = e, i, j
		c.report.Claimed, c.report.Measured, c.report.Step = q.claim, q.d, q.h
	}
	if wrong {
		c.report.Verdict = Differs
	}
}

// kink reports whether the one-sided derivatives differ, by as much with half the step, with
// the claim between them.
func (c *checker) kink(h, claim, y, p, m, p2, m2, noise float64) bool {
	right, left := (p-y)/h, (y-m)/h
	right2, left2 := (p2-y)/(h/2), (y-m2)/(h/2)
	gap, gap2 := math.Abs(right-left), math.Abs(right2-left2)
	if gap2 < 0.75*gap || gap2 < 20*noise || gap2 < 1e-3*math.Max(math.Abs(left2), math.Abs(right2)) {
		return false
	}
	slack := 1e-6*(math.Abs(right2)+math.Abs(left2)) + noise
	return claim >= math.Min(right2, left2)-slack && claim <= math.Max(right2, left2)+slack
}

// taylor measures the order of the remainder along a random direction, from large steps down
// to where rounding takes over.
func (c *checker) taylor() error {
	n := c.point.Len()
	if n == 0 || len(c.y) == 0 {
		return nil
	}
	dir := make([]float64, n)
	for j := range dir {
		dir[j] = c.rng.NormFloat64() * math.Max(1, math.Abs(c.point.Data[j])) / math.Sqrt(float64(n))
	}
	jv := make([]float64, len(c.y))
	size := 0.0
	for i := range jv {
		jv[i] = dot(c.jac[i*n:(i+1)*n], dir)
		size = math.Max(size, math.Abs(c.y[i]))
	}
	var rs, hs []float64
	for h := 1e-1; h > 1e-7; h /= 2 {
		var y [2][]float64
		for k, step := range []float64{h, -h} {
			var err error
			y[k], err = c.at(func(e Env) {
				for j := range dir {
					e[c.name].Data[j] += step * dir[j]
				}
			})
			if _, singular := err.(*SingularError); singular {
				y[k] = []float64{math.NaN()}
			} else if err != nil {
				return err
			}
		}
		if len(y[0]) != len(jv) || len(y[1]) != len(jv) {
			continue
		}
		r, top := 0.0, size
		for i := range jv {
			r = math.Max(r, math.Abs(y[0][i]-y[1][i]-2*h*jv[i])) // NaN stays
			top = math.Max(top, math.Abs(y[0][i]))
		}
		if r-r != 0 {
			continue
		}
		if r < 1e3*epsilon*top {
			break
		}
		rs, hs = append(rs, r), append(hs, h)
	}
	if k := len(rs); k >= 2 {
		first := max(0, k-4) // the smallest steps show the order
		c.report.Order = math.Log(rs[first]/rs[k-1]) / math.Log(hs[first]/hs[k-1])
	}
	return nil
}

// An AdjointReport is the result of CheckAdjoint.
type AdjointReport struct {
	Left, Right float64 // <L v, w> and <v, L* w>
	Error       float64 // their difference, relative to the sum of the absolute terms
	Agree       bool
}

// CheckAdjoint compares <L v, w> with <v, L* w> for random v and w: forward is a value linear
// in the variable v, and backward one linear in the variable w, of v's shape. env has the
// other variables, and may have shapes for v and w, whose entries are not used.
func CheckAdjoint(ctx context.Context, forward, v, backward, w *combinators.Node, env Env, opts ...Option) (*AdjointReport, error) {
	rng := rand.New(rand.NewPCG(3, 4))
	all := Env{}
	for name, t := range env {
		all[name] = t
	}
	o := collect(opts)
	for _, n := range []*combinators.Node{v, w} {
		shape, err := shapeIn(n, env, o.sizes)
		if err != nil {
			return nil, err
		}
		t := NewTensor(shape...)
		for i := range t.Data {
			t.Data[i] = rng.NormFloat64()
		}
		all[n.Name()] = t
	}
	sides := func(env Env) (left, right, size float64, err error) {
		for k, n := range []*combinators.Node{forward, backward} {
			out, err := Run(ctx, []*combinators.Node{n}, env, opts...)
			if err != nil {
				return 0, 0, 0, err
			}
			by, sum := env[[]*combinators.Node{w, v}[k].Name()], []*float64{&left, &right}[k]
			if len(out[0].Data) != by.Len() {
				return 0, 0, 0, &SizeError{Msg: "the adjoint's shapes are not those of the map, exchanged"}
			}
			for i, a := range out[0].Data {
				*sum += a * by.Data[i]
				size += math.Abs(a * by.Data[i])
			}
		}
		return left, right, size, nil
	}
	left, right, size, err := sides(all)
	if err != nil {
		return nil, err
	}
	r := &AdjointReport{Left: left, Right: right, Error: math.Abs(left-right) / math.Max(size, 1e-300)}
	r.Agree = r.Error <= 1e-10 || left == right
	// A map may be zero but for rounding, as softmax along equal changes of all entries. How large
	// that is shows where the last digits of all variables change.
	for noise, k := 0.0, 0; !r.Agree && k < trials; k++ {
		near := Env{}
		for name, t := range all {
			near[name] = nearby(t, rng)
		}
		l, n, _, err := sides(near)
		if err != nil {
			return nil, err
		}
		noise = math.Max(noise, math.Max(math.Abs(l-left), math.Abs(n-right)))
		r.Agree = math.Abs(left-right) <= 64*noise
	}
	return r, nil
}

// shapeIn finds a variable's shape from env or from the sizes that env determines.
func shapeIn(n *combinators.Node, env Env, sizes map[string]int64) ([]int, error) {
	if t, ok := env[n.Name()]; ok {
		return t.Shape, nil
	}
	p, err := Compile([]*combinators.Node{n.Store().Zero(n.Shape())}, nil, WithSizes(sizes))
	if err != nil {
		return nil, err
	}
	return p.plan.Outputs[0].Shape, nil
}
