package eval

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/words"
)

// A Verdict is what a check of a derivative found.
type Verdict uint8

const (
	// Agrees: every checked entry agrees within its tolerance.
	Agrees Verdict = iota
	// Differs: some entry is wrong by more than differences can be.
	Differs
	// Inconclusive: no entry could be checked, since there is none, or the function is not finite
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
	// the function is not finite, of which SkippedOutput and SkippedArgument is the first.
	Entries, Kinks, Skipped        int
	SkippedOutput, SkippedArgument int
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
	// singleTolerance is that of a derivative in single precision, relative to the entry or the largest one, and of its
	// adjoint: some hundred times the rounding error.
	singleTolerance = 1e-5
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
	return check(ctx, y, x, jacobian, false, env, opts)
}

// CheckDiagonal compares the entries of a derivative of y by x at equal indices, where both have
// one shape. It says nothing of the Taylor remainder.
func CheckDiagonal(ctx context.Context, y, x, diagonal *combinators.Node, env Env, opts ...Option) (*Report, error) {
	return check(ctx, y, x, diagonal, true, env, opts)
}

func check(ctx context.Context, y, x, jacobian *combinators.Node, diagonal bool, env Env, opts []Option) (*Report, error) {
	o := collect(opts)
	double := append(slices.Clip(opts), WithSingle(false)) // differences are of values in double precision
	f, err := Compile([]*combinators.Node{y}, env.shapes(), double...)
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
	c := &checker{ctx: ctx, f: f, of: y, opts: double, tolerance: relativeTolerance, env: env, name: x.Name(), point: point, jac: js[0].Data, diagonal: diagonal,
		rng: rand.New(rand.NewPCG(1, 2)), report: Report{Order: math.NaN()}}
	if c.y, err = c.at(func(Env) {}); err != nil {
		return nil, err
	}
	c.all = einsum.UpTo(len(c.y))
	claims := len(c.y) * point.Len()
	if diagonal {
		claims = point.Len()
	}
	if claims != len(c.jac) {
		return nil, &SizeError{Msg: fmt.Sprintf("a derivative of %s by %s has %s", words.Count(len(c.y), "entry"), words.Count(point.Len(), "entry"), words.Count(len(c.jac), "entry"))}
	}
	for _, x := range c.jac {
		if a := math.Abs(x); a-a == 0 {
			c.floor = math.Max(c.floor, negligible*a)
		}
	}
	if o.single {
		c.tolerance, c.floor = singleTolerance, singleTolerance*c.floor/negligible
	}
	if err := c.columns(); err != nil {
		return nil, err
	}
	if !diagonal && !o.single { // its rounding hides the remainder
		if err := c.taylor(); err != nil {
			return nil, err
		}
	}
	if c.report.Verdict == Agrees && c.report.Entries+c.report.Kinks == 0 {
		c.report.Verdict = Inconclusive
	}
	return &c.report, nil
}

type checker struct {
	ctx    context.Context
	f      *Program
	of     *combinators.Node // what f computes
	opts   []Option
	env    Env
	name   string
	point  *Tensor
	y, jac []float64
	all    []int // entries of y
	// diagonal says that jac has the entries at equal indices alone
	diagonal bool
	rng      *rand.Rand
	noise    []float64 // of y, where it was measured
	rounding []float64 // of y, by its operations, where it was measured
	grain    []float64 // of y in the direction of one entry of x, where it was measured
	floor    float64   // below which an entry says nothing
	// tolerance is the relative error that is always accepted
	tolerance float64
	report    Report
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

// rows are the entries of y of whose derivative by x[j] something is claimed.
func (c *checker) rows(j int) []int {
	if c.diagonal {
		return []int{j}
	}
	return c.all
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
		clear(c.grain)
		if err := c.column(j, 1, best); err != nil {
			return err
		}
		steps := []float64{256, 65536}
		again := quotient.hidden
		if slices.ContainsFunc(best, again) {
			if err := c.measure(j); err != nil {
				return err
			}
		}
		if slices.ContainsFunc(best, quotient.rough) {
			steps, again = []float64{1. / 256, 1. / 65536}, quotient.rough
			if err := c.measure(j); err != nil {
				return err
			}
			for i := range best {
				best[i] = quotient{tolerance: math.Inf(1)}
			}
			if err := c.column(j, 1, best); err != nil { // with what is known of rounding now
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
		for _, i := range c.rows(j) {
			c.entry(i, j, best[i])
		}
	}
	return nil
}

// measure finds what rounding does to the values, and to what x[j] makes of them.
func (c *checker) measure(j int) error {
	if err := c.measureNoise(); err != nil {
		return err
	}
	return c.measureGrain(j)
}

// measureNoise finds how much the values change where the last digits of all variables do, and how much where
// those of all that is computed on the way do: log(1 - exp(-50)) is 0, and no change of x shows that it has no
// digits (Parker, Monte Carlo arithmetic, 1997).
func (c *checker) measureNoise() error {
	if c.noise != nil {
		return nil
	}
	rounded, factors := rounded(c.of)
	shapes := c.env.shapes()
	for _, v := range factors {
		shapes[v.Name()] = []int{}
	}
	f, err := Compile(rounded, shapes, c.opts...)
	if err != nil {
		return err
	}
	spread := func(f *Program, draw func(Env)) ([]float64, error) {
		most := make([]float64, len(c.y))
		for range trials {
			env := maps.Clone(c.env)
			draw(env)
			y, err := f.Run(c.ctx, env)
			if _, singular := err.(*SingularError); singular {
				continue
			} else if err != nil {
				return nil, err
			}
			for i, v := range y[0].Data {
				if d := math.Abs(v - c.y[i]); d-d == 0 {
					most[i] = math.Max(most[i], d)
				}
			}
		}
		return most, nil
	}
	if c.noise, err = spread(c.f, func(e Env) { shake(e, c.rng, c.of) }); err != nil {
		return err
	}
	c.rounding, err = spread(f, func(e Env) { drawRounding(e, c.rng, factors) })
	return err
}

// drawRounding draws the factors of rounded.
func drawRounding(e Env, rng *rand.Rand, factors []*combinators.Node) {
	for _, v := range factors {
		e[v.Name()] = Scalar(1 + epsilon*float64(2*rng.IntN(2)-1))
	}
}

// maxFactors bounds the operations whose rounding is one factor each.
const maxFactors = 64

// rounded are values with each operation times a factor, a variable near 1.
func rounded(values ...*combinators.Node) (z, factors []*combinators.Node) {
	s := values[0].Store()
	operations := 0
	z = combinators.Rebuild(values, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		m := n.With(args)
		if len(args) == 0 {
			return m
		}
		if len(factors) < maxFactors {
			factors = append(factors, s.Fresh("rounding", nil))
		}
		operations++
		return s.Scale(factors[(operations-1)%maxFactors], m)
	})
	return z, factors
}

// measureGrain finds the steps in which the values move with x[j], which may be coarser than their last digits:
// 1 - s is a multiple of 1e-16, be it as small as it may. Fourth differences have the steps, and nothing of a
// smooth function, over so short a way (Hamming, Introduction to Applied Numerical Analysis, 1971, chapter 6).
func (c *checker) measureGrain(j int) error {
	c.grain = make([]float64, len(c.y))
	moved := make([]bool, len(c.y))
	for _, d := range []float64{1e-9, 1e-8, 1e-7, 1e-6} {
		for _, times := range []float64{1, 1.37, 1.83} { // equal steps may be whole numbers of grains
			if found, err := c.grainsAt(j, d*times, moved); err != nil || !found {
				return err
			}
		}
		for i := range moved {
			moved[i] = c.grain[i] > 0
		}
		if !slices.Contains(moved, false) {
			break
		}
	}
	return nil
}

// grainsAt measures the steps of those values that have not moved at smaller changes of x[j] than d; found is false where
// the function has no value.
func (c *checker) grainsAt(j int, d float64, moved []bool) (found bool, err error) {
	var table [7][]float64
	for k := range table {
		y, err := c.at(func(e Env) { e[c.name].Data[j] += float64(k-3) * d * math.Max(1, math.Abs(c.point.Data[j])) })
		if _, singular := err.(*SingularError); singular {
			return false, nil
		} else if err != nil {
			return false, err
		}
		table[k] = y
	}
	for i := range c.y {
		for k := 0; k+4 < len(table) && !moved[i]; k++ {
			v := func(l int) float64 { return table[k+l][i] }
			if d := math.Abs(v(0)-4*v(1)+6*v(2)-4*v(3)+v(4)) / math.Sqrt(70); d-d == 0 {
				c.grain[i] = math.Max(c.grain[i], d)
			}
		}
	}
	return true, nil
}

// trials is how often rounding is measured.
const trials = 4

// shake changes the last digits of the real variables of values.
func shake(e Env, rng *rand.Rand, values ...*combinators.Node) {
	arrays := map[string]bool{}
	for _, n := range combinators.Topo(values...) {
		arrays[n.Name()] = n.Attributes().Has(atom.Index)
	}
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if !arrays[name] {
			e[name] = nearby(e[name], rng)
		}
	}
}

// nearby is a tensor with other last digits.
func nearby(t *Tensor, rng *rand.Rand) *Tensor {
	t = t.Clone()
	for i := range t.Data {
		t.Data[i] *= 1 + 4*epsilon*rng.NormFloat64()
	}
	return t
}

// entry compares the claim with the quotient.
func (c *checker) entry(i, j int, q quotient) {
	switch {
	case q.skip:
		if c.report.Skipped++; c.report.Skipped == 1 {
			c.report.SkippedOutput, c.report.SkippedArgument = i, j
		}
		return
	case q.kink:
		c.report.Kinks++
		return
	}
	c.report.Entries++
	diff := math.Abs(q.d - q.claim)
	e := diff / math.Max(q.scale, math.Max(q.noise/c.tolerance, 1e-300))
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
