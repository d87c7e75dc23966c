package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"frechet"
)

// schema numbers the form of --json output; it grows when a field changes its meaning.
const schema = 1

// A report is what a command found, printed as text or as JSON.
type report struct {
	command     string
	format      string // of the formulas
	sections    []section
	conventions []frechet.Convention
	outside     []string            // where data leave the domain of the program
	claims      []frechet.RuleClaim // of the user's rules that were applied
	domain      []string            // of the program, where it is asked for
	check       *frechet.CheckReport
	random      bool   // the check was made at random points
	assumed     string // the declaration that a formula does without
	digits      int    // of printed numbers; 0 for all
	joint       string // the program of all results, in place of their texts
}

// A section is one result: a value or a derivative, as a formula, as numbers, or both.
type section struct {
	output string // the name of the expression, "" where there is one
	deriv  frechet.Deriv
	text   string
	name   string // in the joint program
	same   string // the name of the result that it has in it, with its axes exchanged
	note   string // why there is no text
	value  *frechet.Tensor
}

// newReport has a section for every value and derivative of the reply that keep wants.
func newReport(command string, reply *frechet.Reply, keep func(frechet.Deriv) bool) *report {
	r := &report{command: command}
	for _, out := range reply.Outputs {
		for _, d := range slices.Concat([]frechet.Deriv{{Term: out.Value}}, out.Derivs, out.Parts) {
			if keep(d) {
				r.sections = append(r.sections, section{output: out.Name, deriv: d})
			}
		}
	}
	return r
}

// print adds the formulas. Where numbers will follow, a formula without a form in the notation is a note.
func (r *report) print(format string, numbers bool) error {
	r.format = format
	for i := range r.sections {
		s := &r.sections[i]
		var err error
		s.text, err = s.deriv.Text(format)
		if e := (*frechet.Error)(nil); numbers && errors.As(err, &e) && (e.Code == "R002" || e.Code == "R003") { // no form in the language or notation
			s.note, err = e.Message, nil
		}
		if err != nil {
			return err
		}
		s.text = r.declared(s.deriv.Term, s.text)
	}
	return nil
}

// declared is a text with the declarations without which it cannot be read.
func (r *report) declared(t *frechet.Term, text string) string {
	if r.assumed != "" || !slices.Contains([]string{"text", "einstein", "matrix", "index"}, r.format) {
		return text
	}
	d := t.Declaration(text)
	if d == "" {
		return text
	}
	if !strings.HasPrefix(text, "let ") && !strings.Contains(text, "] =") && r.joint == "" {
		text = "expression " + text
	}
	return d + "\n" + text
}

// printJoint adds the program of all formulas, and their names in it.
func (r *report) printJoint(format string, reply *frechet.Reply, keep func(frechet.Deriv) bool) (err error) {
	var all []frechet.Named
	if all, r.joint, err = reply.Joint(format, keep); err != nil {
		return err
	}
	r.format = format
	for i, x := range all {
		r.sections[i].name, r.sections[i].same = x.Name, x.Same
	}
	r.joint = r.declared(all[0].Term, r.joint)
	return nil
}

// evaluate adds numbers: those of the same sections of a reply with numeric sizes, all in
// one program, and the conventions that the data met.
func (r *report) evaluate(ctx context.Context, reply *frechet.Reply, env frechet.Env, keep func(frechet.Deriv) bool) error {
	var terms []*frechet.Term
	for _, s := range newReport(r.command, reply, keep).sections {
		terms = append(terms, s.deriv.Term)
	}
	values, met, err := reply.Evaluate(ctx, terms, env)
	if err != nil {
		return err
	}
	for i, v := range values {
		r.sections[i].value = v
	}
	r.conventions, r.outside = met.Conventions, texts(met.Departures)
	return nil
}

// emit writes the report to standard output or to --out.
func (a *app) emit(r *report, o *deriveOptions) error {
	if r.claims, r.digits = a.claims(), a.digits; r.digits == 0 && a.single() {
		r.digits = shortestSingle
	}
	write := r.text
	if o.json || r.format == "tree" {
		write = r.json
	}
	switch {
	case o.out == "":
		return write(a.out)
	case frechet.IsDataFile(o.out):
		var ts []frechet.NamedTensor
		for _, s := range r.sections {
			if s.value == nil {
				return fmt.Errorf("--out %s: there are no numbers to write; give data with -d", o.out)
			}
			ts = append(ts, frechet.NamedTensor{Name: s.fileName(), Tensor: s.value, Single: a.single()})
		}
		if err := frechet.WriteTensors(o.out, ts); err != nil {
			return err
		}
		// what is not numbers still goes to standard output
		for i := range r.sections {
			r.sections[i].value = nil
		}
		if r.command == "eval" && r.check == nil && len(r.outside) == 0 {
			return nil
		}
		return write(a.out)
	}
	return a.writeTo(o.out, write)
}

// writeTo writes to a file, or to standard output where the name is - or there is none.
func (a *app) writeTo(name string, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(a.out)
	}
	return frechet.WriteFile(name, write)
}

// title names a section: "gradient of f wrt w".
func (s section) title() string {
	name := s.deriv.Name()
	if s.output != "" {
		name += " of " + s.output
	}
	if len(s.deriv.Wrt) > 0 {
		name += " wrt " + strings.Join(uniq(s.deriv.Wrt), ", ")
	}
	return name
}

// fileName names a section's array in a file: "hessian_w_w", "f_value".
func (s section) fileName() string {
	name := s.deriv.Name()
	if op := s.deriv.Operation; op != nil {
		name = op.Kind
	}
	parts := append([]string{name}, s.deriv.Wrt...)
	if s.output != "" {
		parts = append([]string{s.output}, parts...)
	}
	return strings.ToLower(strings.Join(parts, "_"))
}

func uniq(names []string) []string {
	out := names[:0:0]
	for i, n := range names {
		if i == 0 || n != names[i-1] {
			out = append(out, n)
		}
	}
	return out
}

func (r *report) text(w io.Writer) error {
	var b strings.Builder
	comment := commentOf(r.format)
	gap := func() {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
	}
	if r.assumed != "" {
		fmt.Fprintf(&b, "%s assumed: %s\n", comment, r.assumed)
	}
	if r.joint != "" {
		gap()
		r.heading(&b, comment)
	}
	for _, s := range r.sections {
		if r.joint != "" && s.value == nil {
			continue
		}
		gap()
		fmt.Fprintf(&b, "%s %s\n", comment, s.title())
		if s.text != "" {
			b.WriteString(strings.TrimRight(s.text, "\n") + "\n")
		}
		if s.note != "" {
			b.WriteString(comment + " no formula: " + s.note + "\n")
		}
		if axes := s.deriv.Term.Axes(); len(s.deriv.Wrt) > 0 && r.joint == "" {
			fmt.Fprintf(&b, "%s axes %s\n", comment, legend(axes))
		}
		if s.value != nil {
			if s.text != "" {
				b.WriteString(comment + " value\n")
			}
			b.WriteString(formatTensor(s.value.Shape, s.value.Data, r.digits) + "\n")
		}
	}
	if len(r.conventions) > 0 {
		gap()
		b.WriteString(conventionsText(comment, r.conventions))
	}
	if len(r.outside) > 0 {
		gap()
		b.WriteString(outsideText(comment, r.outside))
	}
	if len(r.claims) > 0 {
		gap()
		b.WriteString(claimsText(comment, r.claims))
	}
	if len(r.domain) > 0 {
		gap()
		b.WriteString(domainText(comment, r.domain))
	}
	if r.check != nil {
		gap()
		b.WriteString(comment + " check")
		if r.random {
			b.WriteString(" at random points: " + dimsText(r.check.Dims))
		}
		b.WriteByte('\n')
		for line := range strings.Lines(r.check.String()) {
			b.WriteString(comment + " " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heading writes the joint program, and what each of its names is.
func (r *report) heading(b *strings.Builder, comment string) {
	b.WriteString(strings.TrimRight(r.joint, "\n") + "\n")
	for _, s := range r.sections {
		fmt.Fprintf(b, "%s %s: %s", comment, s.name, s.title())
		if s.same != "" {
			fmt.Fprintf(b, ", which is %s with its axes exchanged", s.same)
		}
		if len(s.deriv.Wrt) > 0 {
			fmt.Fprintf(b, "; axes %s", legend(s.deriv.Term.Axes()))
		}
		b.WriteByte('\n')
	}
}

// commentOf begins the lines of a notation that are no formulas.
func commentOf(format string) string {
	if format == "latex" {
		return "%"
	}
	return "#"
}

func dimsText(dims frechet.Dims) string {
	var parts []string
	for name, d := range dims {
		parts = append(parts, name+strings.ReplaceAll(fmt.Sprint(d), " ", ","))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// legend explains the axes of a derivative: "[m,n]: output, w" has the output's axis of
// size m, then w's of size n.
func legend(axes []frechet.Axis) string {
	if len(axes) == 0 {
		return "[]: none, it is a number"
	}
	sizes, owners := make([]string, len(axes)), make([]string, len(axes))
	for i, a := range axes {
		sizes[i], owners[i] = a.Size, a.Var
		if a.Var == "" {
			owners[i] = "output"
		}
	}
	return "[" + strings.Join(sizes, ",") + "]: " + join(owners)
}

type jsonSection struct {
	Output    string          `json:"output,omitempty"`
	Operation string          `json:"operation,omitempty"` // jvp, vjp, hvp, diag-hessian, gauss-newton
	Order     int             `json:"order"`
	Wrt       []string        `json:"wrt,omitempty"`
	Axes      []jsonAxis      `json:"axes"`
	Text      string          `json:"text,omitempty"`
	Name      string          `json:"name,omitempty"` // in the joint program
	Same      string          `json:"same,omitempty"` // the result that it has there, with its axes exchanged
	Format    string          `json:"format,omitempty"`
	Tree      json.RawMessage `json:"tree,omitempty"` // instead of a text, in the format tree
	Note      string          `json:"note,omitempty"` // why there is no text
	Value     *jsonTensor     `json:"value,omitempty"`
}

type jsonAxis struct {
	Variable string `json:"variable,omitempty"` // none: an axis of the output
	Axis     int    `json:"axis"`
	Size     string `json:"size"`
}

// jsonTensor writes a tensor as the batch protocol does.
type jsonTensor struct{ *frechet.Tensor }

func (t jsonTensor) MarshalJSON() ([]byte, error) { return frechet.AppendJSON(nil, t.Tensor), nil }

func (r *report) json(w io.Writer) error {
	out := struct {
		Schema      int                  `json:"schema"`
		Command     string               `json:"command"`
		Assumed     string               `json:"assumed,omitempty"` // the declaration that a formula does without
		Joint       string               `json:"joint,omitempty"`   // the program of all results
		Results     []jsonSection        `json:"results"`
		Conventions []string             `json:"conventions"`
		Outside     []string             `json:"outside,omitempty"` // where data leave the domain of the program
		Rules       []frechet.RuleClaim  `json:"rules,omitempty"`   // of the user's that were applied
		Domain      []string             `json:"domain,omitempty"`
		Check       *frechet.CheckReport `json:"check,omitempty"`
		Random      bool                 `json:"random,omitempty"` // the check was at random points
	}{Schema: schema, Command: r.command, Assumed: r.assumed, Joint: r.joint, Results: []jsonSection{}, Conventions: conventionIDs(r.conventions), Outside: r.outside, Rules: r.claims, Domain: r.domain, Check: r.check, Random: r.random}
	for _, s := range r.sections {
		j := jsonSection{Output: s.output, Order: s.deriv.Order, Wrt: s.deriv.Wrt, Axes: []jsonAxis{}, Text: s.text, Note: s.note, Name: s.name, Same: s.same}
		if s.text != "" {
			j.Format = r.format
		}
		if r.format == "tree" {
			j.Tree, j.Text = json.RawMessage(s.text), ""
		}
		if op := s.deriv.Operation; op != nil {
			j.Operation = op.Kind
		}
		for _, a := range s.deriv.Term.Axes() {
			j.Axes = append(j.Axes, jsonAxis{a.Var, a.Index, a.Size})
		}
		if s.value != nil {
			j.Value = &jsonTensor{s.value}
		}
		out.Results = append(out.Results, j)
	}
	return encode(w, "", out)
}

// encode writes JSON; indent is that of a level, "" for one line.
func encode(w io.Writer, indent string, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(v)
}

// conventionsText names conventions in comment lines.
func conventionsText(comment string, cs []frechet.Convention) string {
	var b strings.Builder
	b.WriteString(comment + " conventions used\n")
	for _, c := range cs {
		fmt.Fprintf(&b, "%s   %s: %s\n", comment, c.ID, c.Doc)
	}
	return b.String()
}

// outsideText says where data leave the domain of the program, in comment lines.
func outsideText(comment string, places []string) string {
	return fmt.Sprintf("%s outside of the domain of the program: numbers follow floating point, nothing is claimed\n%s   %s\n", comment, comment,
		strings.Join(places, "\n"+comment+"   "))
}

func texts[T fmt.Stringer](values []T) (out []string) {
	for _, v := range values {
		out = append(out, v.String())
	}
	return out
}

// domainText says where results hold, in comment lines.
func domainText(comment string, conditions []string) string {
	return fmt.Sprintf("%s holds where\n%s   %s\n", comment, comment, strings.Join(conditions, ", "))
}

// conventionIDs are the names of conventions; none is an empty list, in JSON too.
func conventionIDs(cs []frechet.Convention) []string {
	ids := []string{}
	for _, c := range cs {
		ids = append(ids, c.ID)
	}
	return ids
}
