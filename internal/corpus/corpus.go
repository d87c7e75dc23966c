// Package corpus reads the conformance cases under testdata and compares answers of the
// batch protocol with them.
//
// A case is one request, as JSON, and what its answer must contain. Fields that the case
// does not name are not looked at, so that an answer may say more than a case asks.
package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Case is one line of a case file.
type Case struct {
	ID      string                     `json:"id"`
	Topic   string                     `json:"topic"`
	Note    string                     `json:"note"`
	Request map[string]json.RawMessage `json:"request"`
	Expect  Expect                     `json:"expect"`
	// Printed is the derivative as the source of the case prints it, in our language.
	Printed string `json:"printed"`
	// Waits names the part of the project that the case needs and that does not exist.
	// Such a case is counted and not run.
	Waits string `json:"waits"`
	// Elsewhere names the test that states the case, where one request cannot.
	Elsewhere string `json:"elsewhere"`
}

// Expect is what an answer must contain. Tensors stand at the leaves of objects by
// variable, and null is not looked at.
type Expect struct {
	Value       any                       `json:"value"`
	Derivative  any                       `json:"derivative"`
	Hessian     any                       `json:"hessian"`
	Derivatives any                       `json:"derivatives"`
	Grads       any                       `json:"grads"`
	Jvp         any                       `json:"jvp"`
	Hvp         any                       `json:"hvp"`
	Outputs     map[string]map[string]any `json:"outputs"`
	Error       *Error                    `json:"error"`
	Conventions []string                  `json:"conventions"` // must be among the answer's
	Relative    bool                      `json:"relative"`    // |a-b| <= tol |b|, for tiny numbers
	Tol         float64                   `json:"tol"`         // 0: 1e-9
	Longest     int                       `json:"longest"`     // bytes that the text of a derivative may take
}

// Error is an expected error. Empty fields match anything.
type Error struct {
	Kind   string   `json:"kind"`
	Line   *int     `json:"line"`
	Column *int     `json:"column"`
	Says   []string `json:"says"` // parts of the message
}

// Load reads the cases of the files in order. Identifiers are unique over all files.
func Load(paths ...string) ([]*Case, error) {
	var cases []*Case
	seen := map[string]bool{}
	for _, path := range paths {
		err := eachLine(path, func(line []byte) error {
			c := new(Case)
			dec := json.NewDecoder(bytes.NewReader(line))
			dec.DisallowUnknownFields()
			if err := dec.Decode(c); err != nil {
				return err
			}
			if seen[c.ID] {
				return fmt.Errorf("%s stands twice", c.ID)
			}
			seen[c.ID] = true
			if err := c.expand(); err != nil {
				return fmt.Errorf("%s: %w", c.ID, err)
			}
			cases = append(cases, c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return cases, nil
}

// eachLine calls f with every line that is not blank.
func eachLine(path string, f func(line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	sc := bufio.NewScanner(file)
	sc.Buffer(nil, 1<<24)
	for n := 1; sc.Scan(); n++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		if err := f(sc.Bytes()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return sc.Err()
}

// expand writes out the multiples of the identity that stand for long lists of values.
func (c *Case) expand() error {
	raw, ok := c.Request["values"]
	if !ok {
		return nil
	}
	var values map[string]any
	if err := json.Unmarshal(raw, &values); err != nil {
		return err
	}
	for name, v := range values {
		values[name] = entries(v)
	}
	out, err := json.Marshal(values)
	c.Request["values"] = out
	return err
}

// entries is the flat list that v stands for: itself, or {"eye": n, "times": c}.
func entries(v any) any {
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	n, c := int(o["eye"].(float64)), o["times"]
	list := slices.Repeat([]any{0.0}, n*n)
	for i := range n {
		list[i*n+i] = c
	}
	return list
}

// Line is the request as one line of the batch protocol, with the case's identifier.
func (c *Case) Line() []byte {
	req := map[string]json.RawMessage{}
	for k, v := range c.Request {
		req[k] = v
	}
	req["id"], _ = json.Marshal(c.ID)
	line, _ := json.Marshal(req) // the parts were read as JSON
	return append(line, '\n')
}

// LoadElementwise reads definitions in index notation: each with a cotangent, the value,
// and the pullback of the cotangent to every argument.
func LoadElementwise(path string) ([]*Case, error) {
	var cases []*Case
	err := eachLine(path, func(line []byte) error {
		var e struct {
			Name         string
			Value, Grads any
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if err := json.Unmarshal(line, &fields); err != nil {
			return err
		}
		c := &Case{ID: e.Name, Request: map[string]json.RawMessage{"language": json.RawMessage(`"index"`)}}
		for _, name := range []string{"input", "dims", "values", "cotangent"} {
			c.Request[name] = fields[name]
		}
		c.Expect.Value, c.Expect.Grads = e.Value, e.Grads
		cases = append(cases, c)
		return nil
	})
	return cases, err
}
