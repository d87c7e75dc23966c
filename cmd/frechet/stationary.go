package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
)

// stationaryOptions are the flags of stationary.
type stationaryOptions struct {
	deriveOptions
	together bool
}

func (a *app) stationaryCommand() *cobra.Command {
	o := &stationaryOptions{}
	cmd := &cobra.Command{
		Use:   "stationary FILE|PROGRAM|-",
		Short: "Solve gradient = 0 as a formula",
		Long: `Prints where the gradient of a scalar is 0, for each variable given the others, or for all together: least
squares has w = inv(X'*X)*X'*y. It is found where the gradient is affine in the variable, or is once it is
multiplied by it, as that of logdet(S) + tr(inv(S)*C); what is not affine is an error. The conditions under
which the solution holds stand below it.

With data (-d) the numbers follow; --check evaluates the gradient there, on the data or at a random point.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.stationary(ctx, programArg(args), o)
			})
		},
	}
	a.programFlags(cmd, &o.deriveOptions)
	f := cmd.Flags()
	f.StringSliceVar(&o.wrt, "wrt", nil, "variables to solve for; default: those the program names")
	f.BoolVar(&o.together, "together", false, "solve for all variables of --wrt together, not for each given the others")
	f.StringVar(&o.format, "format", "text", "notation of formulas: "+join(frechet.Formats()))
	f.BoolVar(&o.check, "check", false, "evaluate the gradient at the solution, on the data or else at a random point")
	complete(cmd, "format", frechet.Formats())
	return cmd
}

// A solved is a solution with its text and its numbers.
type solved struct {
	frechet.StationarySolution
	text  string
	value *frechet.Tensor
}

func (a *app) stationary(ctx context.Context, arg string, o *stationaryOptions) error {
	if !slices.Contains(frechet.Formats(), o.format) {
		return fmt.Errorf("unknown format %q; known are %s", o.format, join(frechet.Formats()))
	}
	a.scalar = true
	p, err := a.load(arg, &o.deriveOptions)
	if err != nil {
		return err
	}
	if len(o.wrt) == 0 {
		if o.wrt = p.f.Wrt(); len(o.wrt) == 0 {
			if o.wrt = p.f.Arguments(); len(o.wrt) != 1 {
				return byNothing(p.f)
			}
		}
	}
	found, err := p.f.Stationary(ctx, o.together, o.wrt...)
	if err != nil {
		return err
	}
	all := make([]solved, len(found))
	for i, s := range found {
		all[i].StationarySolution = s
		if all[i].text, err = s.Text(o.format); err != nil {
			return err
		}
	}
	check, err := a.stationaryNumbers(ctx, p, all, o)
	if err != nil {
		return err
	}
	err = a.writeTo(o.out, func(w io.Writer) error {
		if o.json {
			return a.stationaryJSON(w, p, all, check)
		}
		return a.stationaryText(w, p, all, check, o)
	})
	if err == nil && check != nil && !check.OK() {
		return errFalse
	}
	return err
}

// stationaryNumbers adds the numbers of solutions where there are data, and the check where it is asked for.
func (a *app) stationaryNumbers(ctx context.Context, p *problem, all []solved, o *stationaryOptions) (*frechet.CheckReport, error) {
	env := p.env
	if env == nil && !o.check {
		return nil, nil
	}
	if env == nil {
		return a.checkAnywhere(ctx, p, o)
	}
	f, err := p.numbers(env)
	if err != nil {
		return nil, err
	}
	found, err := f.Stationary(ctx, o.together, o.wrt...)
	if err != nil {
		return nil, err
	}
	for i, s := range found {
		c, err := frechet.Compile(s.Term, nil)
		if err != nil {
			return nil, err
		}
		if all[i].value, err = c.Run(ctx, env); err != nil {
			return nil, err
		}
	}
	if !o.check {
		return nil, nil
	}
	return f.CheckStationary(ctx, found, o.together, env)
}

// checkAnywhere checks the solutions at a random point; at one with the sizes exchanged where a matrix is singular at the first, as
// X'*X is for a wide X.
func (a *app) checkAnywhere(ctx context.Context, p *problem, o *stationaryOptions) (report *frechet.CheckReport, err error) {
	for _, turn := range []bool{false, true} {
		sizes := p.f.RandomSizes(p.sizes, o.seed)
		if names := p.f.Symbols(); turn {
			for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
				sizes[names[i]], sizes[names[j]] = sizes[names[j]], sizes[names[i]]
			}
		}
		env, e := p.f.RandomEnv(ctx, sizes, o.seed)
		if e != nil {
			return nil, cmp.Or(err, e)
		}
		f, e := (&problem{p.f, env, sizes}).numbers(env)
		if e != nil {
			return nil, cmp.Or(err, e)
		}
		found, e := f.Stationary(ctx, o.together, o.wrt...)
		if e == nil {
			report, e = f.CheckStationary(ctx, found, o.together, env)
		}
		var singular *frechet.Error
		if err = e; !errors.As(err, &singular) || singular.Code != "V003" {
			break
		}
	}
	return report, err
}

func (a *app) stationaryText(w io.Writer, p *problem, all []solved, check *frechet.CheckReport, o *stationaryOptions) error {
	var b strings.Builder
	comment := commentOf(o.format)
	if assumed := p.f.Assumed(); assumed != "" {
		fmt.Fprintf(&b, "%s assumed: %s\n\n", comment, assumed)
	}
	for i, s := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s gradient wrt %s = 0\n%s\n%s by %s", comment, s.Wrt, strings.TrimRight(s.text, "\n"), comment, s.How)
		if s.Times != "" {
			fmt.Fprintf(&b, ", once the gradient G is multiplied: %s", s.Times)
		}
		b.WriteByte('\n')
		if len(s.Conditions) > 0 {
			b.WriteString(domainText(comment, s.Conditions))
		}
		if s.value != nil {
			b.WriteString(comment + " value\n" + formatTensor(s.value.Shape, s.value.Data, a.digits) + "\n")
		}
	}
	if check != nil {
		fmt.Fprintf(&b, "\n%s check", comment)
		if p.env == nil {
			b.WriteString(" at a random point: " + dimsText(check.Dims))
		}
		fmt.Fprintf(&b, "\n%s %s\n", comment, strings.ReplaceAll(strings.TrimRight(check.String(), "\n"), "\n", "\n"+comment+" "))
	}
	b.WriteString(claimsText(comment, a.claims()))
	_, err := io.WriteString(w, b.String())
	return err
}

func (a *app) stationaryJSON(w io.Writer, p *problem, all []solved, check *frechet.CheckReport) error {
	type result struct {
		Wrt        string      `json:"wrt"`
		Text       string      `json:"text"`
		How        string      `json:"how"`
		Times      string      `json:"times,omitempty"` // what the gradient G was multiplied by
		Conditions []string    `json:"conditions"`
		Value      *jsonTensor `json:"value,omitempty"`
	}
	out := struct {
		Schema  int                  `json:"schema"`
		Command string               `json:"command"`
		Assumed string               `json:"assumed,omitempty"`
		Results []result             `json:"results"`
		Check   *frechet.CheckReport `json:"check,omitempty"`
		Rules   []frechet.RuleClaim  `json:"rules,omitempty"`
	}{Schema: schema, Command: "stationary", Assumed: p.f.Assumed(), Check: check, Rules: a.claims()}
	for _, s := range all {
		r := result{s.Wrt, s.text, s.How, s.Times, append([]string{}, s.Conditions...), nil}
		if s.value != nil {
			r.Value = &jsonTensor{s.value}
		}
		out.Results = append(out.Results, r)
	}
	return encode(w, "", out)
}
