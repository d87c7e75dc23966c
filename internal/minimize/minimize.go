// Package minimize finds minima of programs: it compiles value, gradient and the systems of Newton's
// method, and leaves the search to eval/optimize.
package minimize

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"frechet/adjoint/jacobian"
	"frechet/adjoint/structured"
	"frechet/combinators"
	"frechet/eval"
	"frechet/eval/data"
	"frechet/eval/optimize"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/query"
)

// Options say how to minimise. The zero value minimises by the variables that the
// program names, by L-BFGS.
type Options struct {
	Wrt     []string // nil: the variables that the program names
	Method  string   // of Methods; "": "lbfgs"
	Through string   // gauss-newton: the let at which the expression is split

	// Start is where variables begin that env has no values for: "zeros", or "random"
	// (also ""), from the normal distribution with deviation 0.1.
	Start string
	Seed  uint64        // of random starts
	Sizes program.Sizes // numbers for size symbols that env leaves open

	Tol     float64 // on the largest entry of the gradient, relative to max(1, the smaller of |value| at the start and now); 0: 1e-8
	MaxIter int     // 0: 1000

	Progress func(Step) // called after every iteration; may be nil
}

// Methods lists the names of the methods: L-BFGS; Newton's method, with the Hessian
// of each variable in turn, and with the Gauss-Newton matrix in its place; steepest descent.
func Methods() []string { return []string{"lbfgs", "newton", "gauss-newton", "gradient"} }

// A Step tells how far a minimisation is.
type Step = optimize.Iteration

// A Minimum is where a minimisation ended.
type Minimum struct {
	Method      string
	Converged   bool
	Reason      string // why it ended, where it did not converge
	Value       float64
	Gradient    float64 // the largest entry of the gradient, without its sign
	Iterations  int
	Evaluations int          // of value and gradient
	At          []data.Array // the variables, in the order of Wrt
	Systems     []string     // newton: how the system of each variable is solved
	Regularised int          // newton: steps with a multiple of the identity added to the matrix
	Steepest    int          // newton: steps that were replaced by the negative gradient
}

// Run finds a local minimum of the program's one expression, a scalar, by the
// variables of the options; the others have their values in env, and so do starts. Value,
// gradient and Newton systems are compiled once, in the sizes of the data. Newton's steps
// are solved by the structure of the Hessian, so that a Hessian that is a core times an
// identity, block diagonal, or a diagonal with a term of low rank is never formed.
//
// Where ctx ends, the last point is returned beside its error. Other errors are those of
// the program, its sizes and its values.
func Run(ctx context.Context, f *program.Program, env program.Env, opts Options) (min *Minimum, err error) {
	defer fault.Guard(&err)
	m, err := fault.Within(ctx, func() (m *minimization, err error) {
		defer fault.Guard(&err)
		return prepare(f, env, opts)
	})
	if err != nil {
		return nil, err
	}
	return m.run(ctx)
}

// minimization is a problem compiled: all variables in one flat vector.
type minimization struct {
	f       *program.Program
	opts    Options
	ctx     context.Context
	env     program.Env // the tensors of the variables share the flat vector
	vars    []*combinators.Node
	shapes  [][]int
	lengths []int
	start   []float64

	onto    []*combinators.Node // for each variable the value with its attributes that its entries in the vector stand for; nil: these themselves
	value   *eval.Program       // value and gradients
	outs    []*eval.Tensor
	systems []*newtonSystem
}

// newtonSystem finds the step of one variable.
type newtonSystem struct {
	matrix   *structured.Map
	gradient *combinators.Node
	how      string
	plain    *eval.Program
	tau      *combinators.Node
	shifted  *eval.Program // with tau times the identity; compiled when first needed
	failed   bool          // it cannot be formed
}

// prepare elaborates the program in numbers, differentiates and compiles.
func prepare(f *program.Program, env program.Env, opts Options) (*minimization, error) {
	if opts.Method == "" {
		opts.Method = "lbfgs"
	}
	if !slices.Contains(Methods(), opts.Method) {
		return nil, fmt.Errorf("unknown method %q; known are %s", opts.Method, strings.Join(Methods(), ", "))
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
		if _, err := f.Argument(name); err != nil {
			return nil, err
		}
		if slices.Contains(opts.Wrt[:i], name) {
			return nil, fmt.Errorf("%s is named twice among the variables to minimise by", name)
		}
	}
	g, err := f.Source().Elaborate(program.DimsOf(env), opts.Sizes)
	if err != nil {
		return nil, err
	}
	m := &minimization{f: g, opts: opts, env: program.Env{}}
	maps.Copy(m.env, env)
	if err := m.begin(); err != nil {
		return nil, err
	}
	if err := m.keepTo(env); err != nil {
		return nil, err
	}
	r, err := query.One(g, query.Query{Wrt: opts.Wrt, Order: 1, Mode: jacobian.Reverse})
	if err != nil {
		return nil, err
	}
	if err := r.RequireScalar(); err != nil {
		return nil, err
	}
	nodes := []*combinators.Node{query.Node(r.Outputs[0].Value)}
	for _, d := range r.Outputs[0].Derivs {
		nodes = append(nodes, query.Node(d.Term))
	}
	if m.value, err = g.Compile(nodes, m.env, opts.Sizes); err != nil {
		return nil, err
	}
	m.outs = []*eval.Tensor{{Data: make([]float64, 1)}}
	for i, s := range m.shapes {
		m.outs = append(m.outs, &eval.Tensor{Shape: s, Data: make([]float64, m.lengths[i])})
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
	total, most := 0, m.f.Options.Limits.Memory/(8*keptVectors)
	for _, name := range m.opts.Wrt {
		x := m.f.Param(name)
		shape, err := m.f.NumericShape(x, m.env)
		if err != nil {
			return err
		}
		n := program.Volume(shape)
		if total += n; int64(n) > most || int64(total) > most {
			return fault.New(fault.Size, "the variables up to %s have %d entries; within %s of memory at most %d can be minimised by",
				name, total, fault.FormatBytes(m.f.Options.Limits.Memory), most).Helpf("--limit-memory raises the limit")
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
		m.env[name] = &eval.Tensor{Shape: shape, Data: data}
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
	y := m.f.Outputs[0].Node
	for i, x := range m.vars {
		s := &newtonSystem{gradient: gradients[i]}
		var err error
		if m.opts.Method == "newton" {
			s.matrix, err = query.Planner(m.f, jacobian.Planned, nil).Hessian(y, x, x)
		} else {
			var z query.Split
			if z, err = query.SplitAt(m.f, program.Operation{Kind: "gauss-newton", Wrt: m.opts.Wrt[i], Through: m.opts.Through}, y, m.f.Outputs[0].Span); err == nil {
				s.matrix, err = query.Planner(m.f, jacobian.Planned, nil).GaussNewton(z.Y, z.At, x)
			}
		}
		if err != nil {
			return err
		}
		sol, err := s.matrix.Solve(gradients[i], program.Sizes{})
		if err != nil {
			return err
		}
		s.how = sol.How
		if s.plain, err = m.f.Compile([]*combinators.Node{sol.Value}, m.env, m.opts.Sizes); fault.KindOf(err) == "limit" {
			return fault.WithHelp(fault.Wrap(err), fmt.Sprintf("the system of %s needs %s; method lbfgs needs no matrix", m.opts.Wrt[i], sol.How))
		} else if err != nil {
			return err
		}
		s.tau = m.f.Store.Fresh("tau", nil)
		m.env[s.tau.Name()] = &eval.Tensor{Data: make([]float64, 1)}
		m.systems = append(m.systems, s)
	}
	return nil
}

// shift compiles the system (H + tau I) d = g. It may lack the structure of H, and then be
// too large to form.
func (m *minimization) shift(s *newtonSystem) (err error) {
	defer fault.Guard(&err)
	st := m.f.Store
	h := s.matrix.Add(structured.New(st.Scale(s.tau, st.Eye(s.matrix.Out)), len(s.matrix.Out)))
	sol, err := h.Solve(s.gradient, program.Sizes{})
	if err != nil {
		return err
	}
	s.shifted, err = m.f.Compile([]*combinators.Node{sol.Value}, m.env, m.opts.Sizes)
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
		return 0, m.f.Explain(err)
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
	out := &eval.Tensor{Shape: m.shapes[block], Data: direction}
	err := program.RunInto(m.ctx, []*eval.Tensor{out}, eval.Env(m.env))
	if isSingular(err) {
		return optimize.ErrNoStep
	}
	for i := range direction {
		direction[i] = -direction[i]
	}
	return err
}

var methods = map[string]optimize.Method{
	"lbfgs": optimize.LBFGS, "newton": optimize.Newton, "gauss-newton": optimize.Newton, "gradient": optimize.Gradient,
}

var reasons = map[optimize.Status]string{
	optimize.Stalled:   "no step along the direction lowers the value further",
	optimize.Unbounded: "the value has no lower bound",
}

func (m *minimization) run(ctx context.Context) (*Minimum, error) {
	m.ctx = ctx
	res, err := optimize.Minimize(ctx, optimize.Problem{Evaluate: m.evaluate, Step: m.step, Blocks: m.lengths}, m.start,
		optimize.Settings{Method: methods[m.opts.Method], Tol: m.opts.Tol, MaxIter: m.opts.MaxIter, Progress: m.opts.Progress})
	if res == nil {
		return nil, err
	}
	out := &Minimum{
		Method: m.opts.Method, Converged: res.Status == optimize.Converged, Reason: reasons[res.Status],
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
	for i, t := range m.values(context.WithoutCancel(ctx)) {
		out.At = append(out.At, data.Array{Name: m.opts.Wrt[i], Tensor: t})
	}
	return out, err
}
