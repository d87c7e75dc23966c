package frechet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval"
	"frechet/eval/optimize"
)

// MinimizeOptions say how to minimise. The zero value minimises by the variables that the
// program names, by L-BFGS.
type MinimizeOptions struct {
	Wrt     []string // nil: the variables that the program names
	Method  string   // of MinimizeMethods; "": "lbfgs"
	Through string   // gauss-newton: the let at which the expression is split

	// Start is where variables begin that env has no values for: "zeros", or "random"
	// (also ""), from the normal distribution with deviation 0.1.
	Start string
	Seed  uint64 // of random starts
	Sizes Sizes  // numbers for size symbols that env leaves open

	Tol     float64 // on the largest entry of the gradient, relative to max(1, the smaller of |value| at the start and now); 0: 1e-8
	MaxIter int     // 0: 1000

	Progress func(MinimizeStep) // called after every iteration; may be nil
}

// MinimizeMethods lists the names of the methods: L-BFGS; Newton's method, with the Hessian
// of each variable in turn, and with the Gauss-Newton matrix in its place; steepest descent.
func MinimizeMethods() []string { return []string{"lbfgs", "newton", "gauss-newton", "gradient"} }

// A MinimizeStep tells how far a minimisation is.
type MinimizeStep = optimize.Iteration

// A Minimum is where a minimisation ended.
type Minimum struct {
	Method      string
	Converged   bool
	Reason      string // why it ended, where it did not converge
	Value       float64
	Gradient    float64 // the largest entry of the gradient, without its sign
	Iterations  int
	Evaluations int           // of value and gradient
	At          []NamedTensor // the variables, in the order of Wrt
	Systems     []string      // newton: how the system of each variable is solved
	Regularised int           // newton: steps with a multiple of the identity added to the matrix
	Steepest    int           // newton: steps that were replaced by the negative gradient
}

// Minimize finds a local minimum of the program's one expression, a scalar, by the
// variables of the options; the others have their values in env, and so do starts. Value,
// gradient and Newton systems are compiled once, in the sizes of the data. Newton's steps
// are solved by the structure of the Hessian, so that a Hessian that is a core times an
// identity, block diagonal, or a diagonal with a term of low rank is never formed.
//
// Where ctx ends, the last point is returned beside its error. Other errors are those of
// the program, its sizes and its values.
func (f *Func) Minimize(ctx context.Context, env Env, opts MinimizeOptions) (min *Minimum, err error) {
	defer guard(&err)
	m, err := bounded(ctx, func() (m *minimization, err error) {
		defer guard(&err)
		return f.prepare(env, opts)
	})
	if err != nil {
		return nil, err
	}
	return m.run(ctx)
}

// minimization is a problem compiled: all variables in one flat vector.
type minimization struct {
	f       *Func
	opts    MinimizeOptions
	ctx     context.Context
	env     Env // the tensors of the variables share the flat vector
	vars    []*combinators.Node
	shapes  [][]int
	lengths []int
	start   []float64

	value   *eval.Program // value and gradients
	outs    []*Tensor
	systems []*newtonSystem
}

// newtonSystem finds the step of one variable.
type newtonSystem struct {
	matrix   *adjoint.Map
	gradient *combinators.Node
	how      string
	plain    *eval.Program
	tau      *combinators.Node
	shifted  *eval.Program // with tau times the identity; compiled when first needed
	failed   bool          // it cannot be formed
}

// prepare elaborates the program in numbers, differentiates and compiles.
func (f *Func) prepare(env Env, opts MinimizeOptions) (*minimization, error) {
	if opts.Method == "" {
		opts.Method = "lbfgs"
	}
	if !slices.Contains(MinimizeMethods(), opts.Method) {
		return nil, fmt.Errorf("unknown method %q; known are %s", opts.Method, strings.Join(MinimizeMethods(), ", "))
	}
	if opts.Tol == 0 {
		opts.Tol = 1e-8
	}
	if opts.MaxIter == 0 {
		opts.MaxIter = 1000
	}
	if opts.Wrt == nil {
		if opts.Wrt = f.Wrt(); len(opts.Wrt) == 0 {
			return nil, fmt.Errorf("the program does not say which variables to minimise by; name them")
		}
	}
	for i, name := range opts.Wrt {
		if f.param(name) == nil {
			return nil, f.undeclared(name)
		}
		if slices.Contains(opts.Wrt[:i], name) {
			return nil, fmt.Errorf("%s is named twice among the variables to minimise by", name)
		}
	}
	g, err := f.source().elaborate(DimsOf(env), opts.Sizes)
	if err != nil {
		return nil, err
	}
	m := &minimization{f: g, opts: opts, env: maps.Clone(env)}
	if err := m.begin(); err != nil {
		return nil, err
	}
	r, err := g.one(Query{Wrt: opts.Wrt, Order: 1, Mode: Reverse})
	if err != nil {
		return nil, err
	}
	if err := r.RequireScalar(); err != nil {
		return nil, err
	}
	nodes := []*combinators.Node{r.Outputs[0].Value.node}
	for _, d := range r.Outputs[0].Derivs {
		nodes = append(nodes, d.Term.node)
	}
	if m.value, err = g.compile(nodes, m.env, opts.Sizes); err != nil {
		return nil, err
	}
	m.outs = []*Tensor{{Data: make([]float64, 1)}}
	for i, s := range m.shapes {
		m.outs = append(m.outs, &Tensor{Shape: s, Data: make([]float64, m.lengths[i])})
	}
	if opts.Method == "newton" || opts.Method == "gauss-newton" {
		return m, m.prepareNewton(nodes[1:])
	}
	return m, nil
}

// keptVectors is how many vectors as long as all variables a minimisation keeps: L-BFGS has
// two for each of 15 steps.
const keptVectors = 40

// begin lays the variables out in one vector, with their starts.
func (m *minimization) begin() error {
	rng := rand.New(rand.NewPCG(m.opts.Seed, 1))
	total, most := 0, m.f.opt.limits.Memory/(8*keptVectors)
	for _, name := range m.opts.Wrt {
		x := m.f.param(name)
		shape, err := m.f.numericShapeAt(x, m.env)
		if err != nil {
			return err
		}
		n := volume(shape)
		if total += n; int64(n) > most || int64(total) > most {
			return placeless(codeSize, "the variables up to %s have %d entries; within %s of memory at most %d can be minimised by",
				name, total, FormatBytes(m.f.opt.limits.Memory), most).Helpf("--limit-memory raises the limit")
		}
		data := make([]float64, n)
		switch t := m.env[name]; {
		case t != nil:
			copy(data, t.Data)
		case m.opts.Start == "random" || m.opts.Start == "":
			for i := range data {
				data[i] = 0.1 * rng.NormFloat64()
			}
		case m.opts.Start != "zeros":
			return fmt.Errorf("unknown start %q; known are zeros and random", m.opts.Start)
		}
		m.env[name] = &Tensor{Shape: shape, Data: data}
		m.vars, m.shapes, m.lengths = append(m.vars, x), append(m.shapes, shape), append(m.lengths, n)
		m.start = append(m.start, data...)
	}
	if len(m.start) == 0 {
		return fmt.Errorf("there is nothing to minimise by: %s has no entries", strings.Join(m.opts.Wrt, ", "))
	}
	return nil
}

// prepareNewton forms the system H d = -g of every variable.
func (m *minimization) prepareNewton(gradients []*combinators.Node) error {
	y := m.f.prog.Outputs[0].Node
	for i, x := range m.vars {
		s := &newtonSystem{gradient: gradients[i]}
		var err error
		if m.opts.Method == "newton" {
			s.matrix, err = m.f.planner(Planned, nil).Hessian(y, x, x)
		} else {
			var z split
			if z, err = m.f.splitAt(Operation{Kind: "gauss-newton", Wrt: m.opts.Wrt[i], Through: m.opts.Through}, y, m.f.prog.Outputs[0].Span); err == nil {
				s.matrix, err = m.f.planner(Planned, nil).GaussNewton(z.y, z.at, x)
			}
		}
		if err != nil {
			return err
		}
		sol, err := s.matrix.Solve(gradients[i], Sizes{})
		if err != nil {
			return err
		}
		s.how = sol.How
		if s.plain, err = m.f.compile([]*combinators.Node{sol.Value}, m.env, m.opts.Sizes); ErrorKind(err) == "limit" {
			return WithHelp(wrap(err), fmt.Sprintf("the system of %s needs %s; method lbfgs needs no matrix", m.opts.Wrt[i], sol.How))
		} else if err != nil {
			return err
		}
		s.tau = m.f.prog.Store.Fresh("tau", nil)
		m.env[s.tau.Name()] = &Tensor{Data: make([]float64, 1)}
		m.systems = append(m.systems, s)
	}
	return nil
}

// shift compiles the system (H + tau I) d = g. It may lack the structure of H, and then be
// too large to form.
func (m *minimization) shift(s *newtonSystem) (err error) {
	defer guard(&err)
	st := m.f.prog.Store
	h := s.matrix.Add(adjoint.NewMap(st.Scale(s.tau, st.Eye(s.matrix.Out)), len(s.matrix.Out)))
	sol, err := h.Solve(s.gradient, Sizes{})
	if err != nil {
		return err
	}
	s.shifted, err = m.f.compile([]*combinators.Node{sol.Value}, m.env, m.opts.Sizes)
	return err
}

// place lets the variables have the entries of x.
func (m *minimization) place(x []float64) {
	for i, name := range m.opts.Wrt {
		m.env[name].Data = x[:m.lengths[i]:m.lengths[i]]
		x = x[m.lengths[i]:]
	}
}

// evaluate gives value and gradient; where a matrix is singular, x is outside the domain.
func (m *minimization) evaluate(x, gradient []float64) (float64, error) {
	m.place(x)
	err := m.value.RunInto(m.ctx, m.outs, eval.Env(m.env))
	if isSingular(err) {
		return math.NaN(), nil
	}
	if err != nil {
		return 0, m.f.explain(err)
	}
	for _, t := range m.outs[1:] {
		gradient = gradient[copy(gradient, t.Data):]
	}
	return m.outs[0].Data[0], nil
}

func isSingular(err error) bool {
	var singular *eval.SingularError
	return errors.As(err, &singular)
}

// step writes the solution of (H + tau I) d = -g for one variable.
func (m *minimization) step(block int, direction, x []float64, tau float64) error {
	s := m.systems[block]
	program := s.plain
	if tau > 0 {
		if s.shifted == nil && !s.failed {
			s.failed = m.shift(s) != nil
		}
		if s.failed {
			return optimize.ErrNoStep
		}
		program = s.shifted
		m.env[s.tau.Name()].Data[0] = tau
	}
	m.place(x)
	out := &Tensor{Shape: m.shapes[block], Data: direction}
	err := program.RunInto(m.ctx, []*Tensor{out}, eval.Env(m.env))
	if isSingular(err) {
		return optimize.ErrNoStep
	}
	for i := range direction {
		direction[i] = -direction[i]
	}
	return err
}

var minimizeMethods = map[string]optimize.Method{
	"lbfgs": optimize.LBFGS, "newton": optimize.Newton, "gauss-newton": optimize.Newton, "gradient": optimize.Gradient,
}

var minimizeReasons = map[optimize.Status]string{
	optimize.Stalled:   "no step along the direction lowers the value further",
	optimize.Unbounded: "the value has no lower bound",
}

func (m *minimization) run(ctx context.Context) (*Minimum, error) {
	m.ctx = ctx
	res, err := optimize.Minimize(ctx, optimize.Problem{Evaluate: m.evaluate, Step: m.step, Blocks: m.lengths}, m.start,
		optimize.Settings{Method: minimizeMethods[m.opts.Method], Tol: m.opts.Tol, MaxIter: m.opts.MaxIter, Progress: m.opts.Progress})
	if res == nil {
		return nil, err
	}
	out := &Minimum{
		Method: m.opts.Method, Converged: res.Status == optimize.Converged, Reason: minimizeReasons[res.Status],
		Value: res.Value, Gradient: res.Gradient, Iterations: res.Number, Evaluations: res.Evaluations,
		Regularised: res.Regularised, Steepest: res.Steepest,
	}
	switch {
	case res.Status == optimize.IterationLimit:
		out.Reason = fmt.Sprintf("the limit of %d iterations is reached", m.opts.MaxIter)
	case errors.Is(err, context.Canceled):
		out.Reason = "it was interrupted"
	case errors.Is(err, context.DeadlineExceeded):
		out.Reason = "the time limit was reached"
	case err != nil:
		out.Reason = err.Error()
	}
	for _, s := range m.systems {
		out.Systems = append(out.Systems, s.how)
	}
	m.place(res.X)
	for _, name := range m.opts.Wrt {
		out.At = append(out.At, NamedTensor{name, m.env[name]})
	}
	return out, err
}
