package corpus

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Answer is an answer of the batch protocol, as far as cases look at it.
type Answer struct {
	ID          string                    `json:"id"`
	Value       any                       `json:"value"`
	Derivative  any                       `json:"derivative"`
	Hessian     any                       `json:"hessian"`
	Derivatives any                       `json:"derivatives"`
	Grads       any                       `json:"grads"`
	Jvp         any                       `json:"jvp"`
	Hvp         any                       `json:"hvp"`
	Outputs     map[string]map[string]any `json:"outputs"`
	Text        map[string]any            `json:"text"`
	Conventions []string                  `json:"conventions"`
	Error       *struct {
		Code, Kind, Message, Hint string
		Line, Column              int
	} `json:"error"`
}

// Check lists how the answer differs from what the case expects; none: it conforms.
func (c *Case) Check(line []byte) []string {
	var a Answer
	if err := json.Unmarshal(line, &a); err != nil {
		return []string{fmt.Sprintf("the answer is no JSON: %v: %.200s", err, line)}
	}
	if a.ID != c.ID {
		return []string{fmt.Sprintf("the answer has id %q", a.ID)}
	}
	if c.Expect.Error != nil {
		return c.checkError(&a)
	}
	if a.Error != nil {
		return []string{fmt.Sprintf("error %s at %d:%d: %s", a.Error.Kind, a.Error.Line, a.Error.Column, a.Error.Message)}
	}
	m := &matcher{tol: c.Expect.Tol, relative: c.Expect.Relative}
	if m.tol == 0 {
		m.tol = 1e-9
	}
	e := &c.Expect
	m.match("value", e.Value, a.Value)
	m.match("derivative", e.Derivative, a.Derivative)
	m.match("hessian", e.Hessian, a.Hessian)
	m.match("derivatives", e.Derivatives, a.Derivatives)
	m.match("grads", e.Grads, a.Grads)
	m.match("jvp", e.Jvp, a.Jvp)
	m.match("hvp", e.Hvp, a.Hvp)
	for name, fields := range e.Outputs {
		for field, want := range fields {
			m.match(name+"."+field, want, a.Outputs[name][field])
		}
	}
	for _, id := range e.Conventions {
		if !slices.Contains(a.Conventions, id) {
			m.fail("conventions %v lack %s", a.Conventions, id)
		}
	}
	if e.Longest > 0 {
		s, ok := a.Text["derivative"].(string)
		if !ok {
			m.fail("no text of the derivative")
		} else if len(s) > e.Longest {
			m.fail("the derivative prints with %d bytes", len(s))
		}
	}
	return m.failures
}

func (c *Case) checkError(a *Answer) []string {
	want, got := c.Expect.Error, a.Error
	if got == nil {
		return []string{fmt.Sprintf("no error, want %s", want.Kind)}
	}
	var bad []string
	if want.Kind != "" && got.Kind != want.Kind {
		bad = append(bad, fmt.Sprintf("error of kind %s, want %s", got.Kind, want.Kind))
	}
	if want.Line != nil && (*want.Line != got.Line || *want.Column != got.Column) {
		bad = append(bad, fmt.Sprintf("error at %d:%d, want %d:%d", got.Line, got.Column, *want.Line, *want.Column))
	}
	if got.Message == "" || got.Code == "" {
		bad = append(bad, "an error without code or message")
	}
	for _, part := range want.Says {
		if !strings.Contains(got.Message, part) {
			bad = append(bad, fmt.Sprintf("the message does not say %q", part))
		}
	}
	if bad != nil {
		bad = append(bad, "message: "+got.Message)
	}
	return bad
}

// matcher compares trees of tensors.
type matcher struct {
	tol      float64
	relative bool
	failures []string
}

func (m *matcher) fail(format string, args ...any) {
	m.failures = append(m.failures, fmt.Sprintf(format, args...))
}

func (m *matcher) match(at string, want, got any) {
	switch w := want.(type) {
	case nil:
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			m.fail("%s has %d parts, want %d", at, len(g), len(w))
			return
		}
		for i := range w {
			m.match(fmt.Sprintf("%s[%d]", at, i), w[i], g[i])
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			m.fail("%s is missing", at)
			return
		}
		if _, leaf := w["data"]; leaf {
			m.tensor(at, w, g)
			return
		}
		for name := range w {
			m.match(at+"."+name, w[name], g[name])
		}
	default:
		m.fail("%s: the case is malformed", at)
	}
}

func (m *matcher) tensor(at string, want, got map[string]any) {
	ws, gs := fmt.Sprint(want["shape"]), fmt.Sprint(got["shape"])
	if ws != gs {
		m.fail("%s has shape %s, want %s", at, gs, ws)
		return
	}
	w, _ := entries(want["data"]).([]any)
	g, _ := got["data"].([]any)
	if len(w) != len(g) {
		m.fail("%s has %d entries, want %d", at, len(g), len(w))
		return
	}
	bad, worst := 0, ""
	for i := range w {
		a, b := number(w[i]), number(g[i])
		if m.close(a, b) {
			continue
		}
		if bad++; bad <= 3 {
			worst += fmt.Sprintf(" [%d] %.12g, want %.12g;", i, b, a)
		}
	}
	if bad > 0 {
		m.fail("%s: %d of %d entries differ:%s", at, bad, len(w), worst)
	}
}

func (m *matcher) close(want, got float64) bool {
	switch {
	case math.IsNaN(want) || math.IsNaN(got):
		return math.IsNaN(want) && math.IsNaN(got)
	case math.IsInf(want, 0) || math.IsInf(got, 0):
		return want == got
	case m.relative:
		return math.Abs(got-want) <= m.tol*math.Abs(want)
	}
	return math.Abs(got-want) <= m.tol*(1+math.Abs(want))
}

// number reads a number of the protocol, which writes those that are not finite as strings.
func number(v any) float64 {
	switch x := v.(type) {
	case float64:
		return x
	case string:
		switch x {
		case "Infinity":
			return math.Inf(1)
		case "-Infinity":
			return math.Inf(-1)
		}
	}
	return math.NaN()
}
