package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"frechet"
	"frechet/internal/words"
)

// minimizeOptions are the flags of minimize.
type minimizeOptions struct {
	deriveOptions
	method  string
	start   []string
	tol     float64
	maxIter int
}

func (a *app) minimizeCommand() *cobra.Command {
	o := &minimizeOptions{}
	cmd := &cobra.Command{
		Use:   "minimize FILE|PROGRAM|-",
		Short: "Find a minimum of a scalar function",
		Long: `Minimises the program's one expression by the variables of --wrt, or those that the
program names; -d gives the others their values. A variable begins at its value of -d,
else where --start says: zeros, random (entries near 0, by --seed), or a file.

Methods: lbfgs; newton, which solves with the Hessian of one variable after the other by
its structure, and adds a multiple of the identity where it is not positive definite;
gauss-newton, with J' H J in place of the Hessian, split at the let of --through;
gradient, steepest descent. It has converged when no entry of the gradient is larger
than --tol times max(1, |value|), of the value at the start or now, the smaller.

Ctrl-C stops and prints the point reached. Exit status 1 says that it did not converge.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.minimize(cmd.Context(), programArg(args), o)
		},
	}
	a.programFlags(cmd, &o.deriveOptions)
	f := cmd.Flags()
	f.Lookup("out").Usage = "write the variables to FILE: .npy .csv .json for one, .npz .json for several"
	f.Lookup("seed").Usage = "seed of random starts"
	f.StringSliceVar(&o.wrt, "wrt", nil, "variables to minimise by; default: those the program names")
	f.StringVar(&o.method, "method", frechet.MinimizeMethods()[0], "how: "+join(frechet.MinimizeMethods()))
	f.StringVar(&o.through, "through", "", "gauss-newton: the let at which the expression is split into model and loss")
	f.StringArrayVar(&o.start, "start", nil, "where variables begin: zeros, random (default), w0.npy or w=w0.npy,...")
	f.Float64Var(&o.tol, "tol", 1e-8, "largest entry of the gradient at a minimum, relative to max(1, |value|), of the value at the start or now, the smaller")
	f.IntVar(&o.maxIter, "max-iter", 1000, "most iterations")
	complete(cmd, "method", frechet.MinimizeMethods())
	return cmd
}

func (a *app) minimize(ctx context.Context, arg string, o *minimizeOptions) error {
	if !(o.tol > 0) {
		return fmt.Errorf("--tol %v: the tolerance is a positive number", o.tol)
	}
	if o.maxIter < 1 {
		return fmt.Errorf("--max-iter %d: at least one iteration is needed", o.maxIter)
	}
	var p *problem
	var opts frechet.MinimizeOptions
	err := frechet.Bounded(ctx, a.limits, func(context.Context) (err error) {
		p, opts, err = a.loadMinimize(arg, o)
		return err
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, a.limits.Time)
	defer stop()
	show, end := a.minimizeProgress()
	opts.Progress = show
	m, err := p.f.Minimize(ctx, p.env, opts)
	end()
	if m == nil {
		return err
	}
	// what ended a run does not keep its last point from being written
	if e := a.emitMinimum(m, &o.deriveOptions, opts.Wrt); e != nil {
		return e
	}
	if err == nil && !m.Converged {
		return errFalse
	}
	return err
}

// loadMinimize reads the program, its data and the starts.
func (a *app) loadMinimize(arg string, o *minimizeOptions) (*problem, frechet.MinimizeOptions, error) {
	opts := frechet.MinimizeOptions{Method: o.method, Through: o.through, Seed: o.seed, Tol: o.tol, MaxIter: o.maxIter, Wrt: o.wrt}
	a.scalar = true
	p, err := a.loadSizes(arg, &o.deriveOptions)
	if err != nil {
		return nil, opts, err
	}
	opts.Sizes = p.sizes
	if opts.Wrt == nil {
		opts.Wrt = p.f.Wrt()
	}
	data := o.data
	for _, s := range o.start {
		switch {
		case s == "zeros" || s == "random":
			if opts.Start != "" && opts.Start != s {
				return nil, opts, fmt.Errorf("--start is given as %s and as %s", opts.Start, s)
			}
			opts.Start = s
		case !strings.ContainsAny(s, "=,") && len(opts.Wrt) == 1 && !strings.HasSuffix(strings.ToLower(s), ".npz"):
			data = append(data, opts.Wrt[0]+"="+s)
		default:
			data = append(data, s)
		}
	}
	if p.env, err = a.loadData(p.f, data); p.env == nil {
		p.env = frechet.Env{}
	}
	return p, opts, err
}

// minimizeProgress shows the iterations on a terminal. The second function removes it.
func (a *app) minimizeProgress() (show func(frechet.MinimizeStep), end func()) {
	if !isTerminal(a.err) {
		return nil, func() {}
	}
	var last time.Time
	shown := false
	show = func(s frechet.MinimizeStep) {
		if time.Since(last) > 50*time.Millisecond {
			last, shown = time.Now(), true
			fmt.Fprintf(a.err, "\r\x1b[Kiteration %d: value %.10g, gradient %.2e", s.Number, s.Value, s.Gradient)
		}
	}
	return show, func() {
		if shown {
			fmt.Fprint(a.err, "\r\x1b[K")
		}
	}
}

// emitMinimum prints the report, and writes the variables to --out.
func (a *app) emitMinimum(m *frechet.Minimum, o *deriveOptions, wrt []string) error {
	write := func(w io.Writer) error { return a.minimumText(w, m, wrt, true) }
	if o.json {
		write = func(w io.Writer) error { return minimumJSON(w, m, wrt, a.claims()) }
	}
	switch {
	case o.out == "":
		return write(a.out)
	case frechet.IsDataFile(o.out):
		if err := frechet.WriteTensors(o.out, m.At); err != nil {
			return err
		}
		if o.json {
			return write(a.out)
		}
		return a.minimumText(a.out, m, wrt, false)
	}
	return a.writeTo(o.out, write)
}

// shownMinimum is the most entries of a variable that the report of a minimisation prints.
const shownMinimum = 30

// minimumText is the report of a minimisation; with the variables where they go nowhere
// else.
func (a *app) minimumText(w io.Writer, m *frechet.Minimum, wrt []string, variables bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# minimum wrt %s by %s: ", join(wrt), m.Method)
	if m.Converged {
		fmt.Fprintf(&b, "converged after %s\n", words.Count(m.Iterations, "iteration"))
	} else {
		fmt.Fprintf(&b, "not converged after %s: %s\n", words.Count(m.Iterations, "iteration"), m.Reason)
	}
	for i, how := range m.Systems {
		fmt.Fprintf(&b, "# step of %s: %s\n", wrt[i], how)
	}
	if m.Regularised > 0 {
		fmt.Fprintf(&b, "# the matrix was not positive definite in %s; a multiple of the identity was added\n", words.Steps(m.Regularised))
	}
	if m.Steepest > 0 {
		fmt.Fprintf(&b, "# the system could not be solved in %s; the negative gradient was taken\n", words.Steps(m.Steepest))
	}
	fmt.Fprintf(&b, "# largest entry of the gradient: %.1e\n", m.Gradient)
	fmt.Fprintf(&b, "# value\n%s\n", formatDigits(m.Value, a.digits))
	if variables {
		for _, x := range m.At {
			text := formatTensor(x.Tensor.Shape, x.Tensor.Data, a.digits)
			if n := len(x.Tensor.Data); n > shownMinimum {
				text = tooMany(x.Tensor.Shape, n)
			}
			fmt.Fprintf(&b, "# %s\n%s\n", x.Name, text)
		}
	}
	b.WriteString(claimsText("#", a.claims()))
	_, err := io.WriteString(w, b.String())
	return err
}

func minimumJSON(w io.Writer, m *frechet.Minimum, wrt []string, claims []frechet.RuleClaim) error {
	type variable struct {
		Name  string     `json:"name"`
		Value jsonTensor `json:"value"`
	}
	out := struct {
		Schema      int                 `json:"schema"`
		Command     string              `json:"command"`
		Method      string              `json:"method"`
		Wrt         []string            `json:"wrt"`
		Converged   bool                `json:"converged"`
		Reason      string              `json:"reason,omitempty"` // why it ended, where it did not converge
		Iterations  int                 `json:"iterations"`
		Evaluations int                 `json:"evaluations"`
		Gradient    jsonTensor          `json:"gradient"` // its largest entry
		Value       jsonTensor          `json:"value"`
		Systems     []string            `json:"systems,omitempty"`     // how Newton systems are solved, by variable
		Regularised int                 `json:"regularised,omitempty"` // Newton steps with a multiple of the identity added
		Steepest    int                 `json:"steepest,omitempty"`    // Newton steps replaced by the negative gradient
		Results     []variable          `json:"results"`
		Rules       []frechet.RuleClaim `json:"rules,omitempty"` // of the user's that were applied
	}{
		Schema: schema, Command: "minimize", Method: m.Method, Wrt: wrt, Converged: m.Converged, Reason: m.Reason,
		Iterations: m.Iterations, Evaluations: m.Evaluations, Systems: m.Systems, Regularised: m.Regularised, Steepest: m.Steepest,
		Gradient: jsonNumber(m.Gradient), Value: jsonNumber(m.Value), Rules: claims,
	}
	for _, x := range m.At {
		out.Results = append(out.Results, variable{x.Name, jsonTensor{x.Tensor}})
	}
	return encode(w, "", out)
}

// jsonNumber is a number that may be infinite.
func jsonNumber(x float64) jsonTensor {
	return jsonTensor{&frechet.Tensor{Shape: []int{}, Data: []float64{x}}}
}
