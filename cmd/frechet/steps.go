package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"frechet"
)

// stepsOptions are the flags of steps.
type stepsOptions struct {
	wrt    []string
	all    bool
	full   bool
	json   bool
	format string

	certificate string
	coq         string
}

// stepFormats are the notations of a derivation.
var stepFormats = []string{"text", "unicode", "latex", "json"}

func (a *app) stepsCommand() *cobra.Command {
	o := &stepsOptions{}
	cmd := &cobra.Command{
		Use:   "steps FILE|PROGRAM|-",
		Short: "Print the derivation of a derivative and its adjoint, rule by rule",
		Long: `Prints a calculation: the derivative of the program's expression, then its adjoint, each applied
to a variable and simplified. Of a map in combinator notation they are worked out as maps. Of any other
program each value is shown, v1, with its tangent, dv1, and then the cotangents backwards, wv1.
Where the program asks for a Hessian or a derivative of higher order, the gradient is differentiated
in turn, at a direction and then as entries. Every line has the names of its rules and where they are stated; frechet rules show prints a
rule. Steps that only change an order are shown with --all. A long part shows its beginning and its
end, and all of it with --full.

With --certificate the derivation is written as a proof, too, which frechet replay checks; with --coq as
theorems for all sizes, which Coq checks, with the lemmas that they need in files beside it.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.steps(programArg(args), o)
			})
		},
	}
	a.sourceFlags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.wrt, "wrt", nil, "variables to differentiate by; default: those the program names, or all arguments")
	f.BoolVar(&o.all, "all", false, "show steps that only change an order")
	f.BoolVar(&o.full, "full", false, "show all steps of a long part, not its beginning and its end")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.StringVar(&o.format, "format", "text", "notation: "+join(stepFormats))
	f.StringVar(&o.certificate, "certificate", "", "a file to write the proof to, as JSON; - is standard output, and then nothing else is printed")
	f.StringVar(&o.coq, "coq", "", "a file to write theorems to, for Coq, and beside it the lemmas that they need; - is standard output, for the theorems alone")
	complete(cmd, "format", stepFormats)
	return cmd
}

func (a *app) steps(arg string, o *stepsOptions) error {
	if !slices.Contains(stepFormats, o.format) {
		return fmt.Errorf("unknown format %q; known are %s", o.format, join(stepFormats))
	}
	if err := a.readSource(arg); err != nil {
		return err
	}
	f, err := a.parse()
	if err != nil {
		return err
	}
	wrt := o.wrt
	if wrt == nil {
		wrt = f.Wrt()
	}
	d, err := f.Steps(wrt...)
	if err != nil {
		return err
	}
	if o.certificate != "" {
		if err := a.writeTo(o.certificate, d.Certificate); err != nil || o.certificate == "-" {
			return err
		}
	}
	if o.coq != "" {
		if err := a.writeTheorems(o.coq, d); err != nil || o.coq == "-" {
			return err
		}
	}
	used, err := f.Conventions(wrt...)
	if err != nil {
		return err
	}
	domain := f.Domain()
	if !o.json && o.format != "json" {
		comment := commentOf(o.format)
		_, err := fmt.Fprint(a.out, assumed(comment, f))
		if err == nil {
			err = d.Write(a.out, o.format, o.all, o.full)
		}
		if err == nil && len(domain) > 0 {
			_, err = fmt.Fprint(a.out, "\n", domainText(comment, domain))
		}
		if err == nil && len(used) > 0 {
			_, err = fmt.Fprint(a.out, "\n", conventionsText(comment, used))
		}
		if claims := a.claims(); err == nil && len(claims) > 0 {
			_, err = fmt.Fprint(a.out, "\n", claimsText(comment, claims))
		}
		return err
	}
	type law struct {
		Rule   string `json:"rule,omitempty"`
		Detail string `json:"detail,omitempty"`
		Source string `json:"source,omitempty"`
	}
	type line struct {
		Part string `json:"part"`
		law
		Before   []law  `json:"before,omitempty"` // rules applied before it in the same line
		Ordering bool   `json:"ordering,omitempty"`
		Term     string `json:"term"`
	}
	lines := []line{}
	for s := range d.Steps() {
		if o.all || !s.Ordering {
			l := line{Part: s.Part, law: law(s.Law), Ordering: s.Ordering, Term: s.Text("text")}
			for _, b := range s.Before {
				l.Before = append(l.Before, law(b))
			}
			lines = append(lines, l)
		}
	}
	return encode(a.out, "", withClaims(map[string]any{"schema": schema, "command": "steps", "steps": lines, "domain": append([]string{}, domain...), "conventions": conventionIDs(used)}, a.claims()))
}

// writeTheorems writes a derivation for Coq, and the files of lemmas where they are not there as they are here.
func (a *app) writeTheorems(name string, d *frechet.Derivation) error {
	if err := a.writeTo(name, d.Coq); err != nil || name == "-" {
		return err
	}
	for file, text := range frechet.CoqPrelude() {
		path := filepath.Join(filepath.Dir(name), file)
		if old, err := os.ReadFile(path); err == nil && string(old) == text {
			continue
		}
		if err := frechet.WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			return err
		}
	}
	return nil
}
