package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"frechet"
)

// A question is what a page or a model asks: a command on a program that stands in it. It names no files.
type question struct {
	Program  string           `json:"program" jsonschema:"the program or formula, such as norm2(X*w - y)^2, or: declare x[n] expression sum(sin(x))"`
	Language string           `json:"language,omitempty" jsonschema:"auto (the default), einstein, index, combinators or numpy"`
	Wrt      []string         `json:"wrt,omitempty" jsonschema:"the variables to differentiate by; default: those the program names"`
	Order    int              `json:"order,omitempty" jsonschema:"the order of the derivative; default 1"`
	Format   string           `json:"format,omitempty" jsonschema:"the notation of formulas: text, matrix, einstein, index, combinators or latex"`
	Target   string           `json:"target,omitempty" jsonschema:"code: the system, such as numpy, torch, jax, c, go"`
	Of       string           `json:"of,omitempty" jsonschema:"plan: value, gradient, jacobian, hessian, jvp, vjp, hvp"`
	Sizes    map[string]int64 `json:"sizes,omitempty" jsonschema:"numbers for size symbols"`
	Values   map[string]any   `json:"values,omitempty" jsonschema:"values of variables: numbers or nested lists of numbers"`
	JSON     bool             `json:"json,omitempty" jsonschema:"the answer as JSON"`
}

// An answer is what a command printed, or why it did not.
type answer struct {
	Output string     `json:"output"`
	Notes  string     `json:"notes,omitempty"` // warnings
	Error  *jsonError `json:"error,omitempty"`
	False  bool       `json:"false,omitempty"` // what was checked is false
}

// A service is a command that answers questions.
type service struct {
	name, doc string
	command   []string
	flags     func(question) []string
}

// services are the commands that answer questions, by the names under which pages and models know them. Each reads the program
// from standard input.
var services = []service{
	{"simplify", "The value of a program in normal form.", []string{"simplify", "-"}, question.formula},
	{"derive", "The derivative of a tensor expression, as a formula; with values also as numbers.", []string{"diff", "-"}, question.derivative},
	{"hessian", "Gradient (or Jacobian) and Hessian of a tensor expression.", []string{"hess", "-"}, func(q question) []string { q.Order = 0; return q.derivative() }},
	{"evaluate", "The numbers of a program and of what it asks for, at values.", []string{"eval", "-"}, func(q question) []string { q.Format = ""; return q.derivative() }},
	{"check", "Derivatives beside central differences, at values or at random points.", []string{"check", "-"}, func(q question) []string { q.Format = ""; return q.derivative() }},
	{"steps", "The derivation of a derivative and its adjoint, each step with the law that allows it.", []string{"steps", "-"},
		func(q question) []string { return slices.Concat(q.of("wrt"), q.of("format")) }},
	{"plan", "How a result is computed, and how many multiplications and bytes that takes.", []string{"plan", "-"},
		func(q question) []string { return slices.Concat(q.of("wrt"), q.of("of"), q.of("size")) }},
	{"stationary", "Where the gradient of a scalar is 0, as a formula, where the gradient is affine in a variable.", []string{"stationary", "-"},
		func(q question) []string { return slices.Concat(q.of("wrt"), q.formula()) }},
	{"definite", "Whether the Hessian of a scalar is positive semidefinite: a proof, or a point.", []string{"definite", "-"},
		func(q question) []string { return q.of("wrt") }},
	{"code", "One function for another system that returns value and derivatives.", []string{"export", "-"},
		func(q question) []string {
			return slices.Concat(q.of("wrt"), q.of("order"), q.of("target"), q.of("size"))
		}},
	{"verify_rule", "Puts rewrite rules, which are the program here, to the test: typed, tried in a finite field, refuted with the smallest counterexample.",
		[]string{"rules", "verify", "-"}, func(question) []string { return nil }},
}

func (q question) formula() []string { return slices.Concat(q.of("format"), q.of("size"), q.data()) }

func (q question) derivative() []string {
	return slices.Concat(q.of("wrt"), q.of("order"), q.formula())
}

// of is a flag, where the question says something of it.
func (q question) of(flag string) []string {
	text := map[string]string{"wrt": strings.Join(q.Wrt, ","), "format": q.Format, "target": q.Target, "of": q.Of, "size": sizesText(q.Sizes)}[flag]
	if flag == "order" && q.Order != 0 {
		text = fmt.Sprint(q.Order)
	}
	if text == "" {
		return nil
	}
	return []string{"--" + flag + "=" + text}
}

func sizesText(sizes map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, sizes[name]))
	}
	return strings.Join(parts, ",")
}

// data are the values as flags.
func (q question) data() (flags []string) {
	for _, name := range slices.Sorted(maps.Keys(q.Values)) {
		text, err := json.Marshal(q.Values[name])
		if err != nil {
			continue // check has refused it
		}
		flags = append(flags, "--data="+name+"="+string(text))
	}
	return flags
}

// check refuses values that are no numbers, which a flag would take for the name of a file.
func (q question) check() error {
	for _, name := range slices.Sorted(maps.Keys(q.Values)) {
		switch {
		case !isNumbers(q.Values[name]):
			return fmt.Errorf("the value of %s is to be a number or nested lists of numbers", name)
		case strings.ContainsAny(name, "=,[]{}\"") || name == "":
			return fmt.Errorf("%q is no name of a variable", name)
		}
	}
	return nil
}

func isNumbers(v any) bool {
	list, ok := v.([]any)
	if !ok {
		_, number := v.(float64)
		return number
	}
	return !slices.ContainsFunc(list, func(x any) bool { return !isNumbers(x) })
}

// answer asks the command. It never fails: what goes wrong is in the answer.
func (s service) answer(ctx context.Context, limits frechet.Limits, q question) answer {
	var out, notes bytes.Buffer
	a := newApp(streams{strings.NewReader(q.Program), &out, &notes})
	a.limits = limits
	if err := q.check(); err != nil {
		e := a.describe(err)
		return answer{Error: &e}
	}
	args := slices.Concat(s.command, s.flags(q))
	if s.command[0] != "rules" && q.Language != "" {
		args = append(args, "--language="+q.Language)
	}
	if q.JSON && s.name != "code" {
		args = append(args, "--json")
	}
	a.json = true
	switch code := a.run(ctx, args); code {
	case exitDone, exitFalse:
		return answer{Output: out.String(), Notes: strings.TrimRight(notes.String(), "\n"), False: code == exitFalse}
	case exitInterrupted:
		return answer{Error: &jsonError{Message: "interrupted", Rendered: "interrupted"}}
	}
	lines := strings.Split(strings.TrimSpace(notes.String()), "\n")
	var told struct{ Error *jsonError }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &told); err != nil || told.Error == nil {
		return answer{Error: &jsonError{Message: notes.String(), Rendered: notes.String()}}
	}
	return answer{Error: told.Error}
}

// answerText answers a question in JSON to the service of a name.
func answerText(ctx context.Context, limits frechet.Limits, name string, text []byte) answer {
	fail := func(format string, args ...any) answer {
		m := fmt.Sprintf(format, args...)
		return answer{Error: &jsonError{Message: m, Rendered: "error: " + m}}
	}
	s, ok := findService(name)
	if !ok {
		return fail("there is no service %q; there are %s", name, serviceNames())
	}
	var q question
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	if err := read.Decode(&q); err != nil {
		return fail("the question is not understood: %v", err)
	}
	return s.answer(ctx, limits, q)
}

// serviceNames lists the services for help.
func serviceNames() string {
	var names []string
	for _, s := range services {
		names = append(names, s.name)
	}
	return join(names)
}

func findService(name string) (service, bool) {
	for _, s := range services {
		if s.name == name {
			return s, true
		}
	}
	return service{}, false
}

// serviceLimits are those of commands that answer others: smaller than those of a command that a person runs, where no flag says
// otherwise.
func (a *app) serviceLimits(cmd *cobra.Command) frechet.Limits {
	l := a.limits
	for name, set := range map[string]func(){
		"limit-time":     func() { l.Time = 20 * time.Second },
		"limit-input":    func() { l.Input = 200 << 10 },
		"limit-tokens":   func() { l.Tokens = 50_000 },
		"limit-nodes":    func() { l.Nodes = 1_000_000 },
		"limit-elements": func() { l.Elements = 1 << 22 },
		"limit-memory":   func() { l.Memory = 1 << 30 },
	} {
		if f := cmd.Flags().Lookup(name); f == nil || !f.Changed {
			set()
		}
	}
	return l
}
