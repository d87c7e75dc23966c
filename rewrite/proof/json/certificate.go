package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"frechet/rewrite/proof"
)

// Format and Version identify certificates.
const (
	Format  = "frechet certificate"
	Version = 1
)

// A Certificate is a derivation as JSON. Terms are numbered by their place in the tables Nodes,
// Values and Maps; a term refers to earlier ones only.
type Certificate struct {
	Format  string                `json:"format"`
	Version int                   `json:"version"`
	Rules   table[proof.RuleFile] `json:"rules"`
	Program proof.Program         `json:"program"`
	// Primitives are the declarations of the functions in the terms: primitive h : R -> R.
	Primitives table[string]    `json:"primitives,omitempty"`
	Nodes      table[nodeJSON]  `json:"nodes"`
	Values     table[valueJSON] `json:"values"`
	Maps       table[mapJSON]   `json:"maps"`
	Laws       table[lawJSON]   `json:"laws,omitempty"`
	Parts      table[partJSON]  `json:"parts"`
}

type nodeJSON struct {
	Op    string           `json:"op"`
	Name  string           `json:"name,omitempty"`  // of a variable
	Shape []string         `json:"shape,omitempty"` // of a variable
	Of    string           `json:"of,omitempty"`    // its attributes
	Rat   string           `json:"rat,omitempty"`   // a constant, or the exponent of a power
	Attr  int              `json:"attr,omitempty"`
	Sizes []string         `json:"sizes,omitempty"` // of split, and those that a declared function leaves open
	Guard string           `json:"guard,omitempty"`
	Ein   *contractionJSON `json:"ein,omitempty"`
	Args  []int            `json:"args,omitempty"` // -1 for an open operand of a map
}

// contractionJSON has its index maps by operand, and then that of the result. An index is the
// number of a variable, or an affine form. Shapes is left out where all indices are variables over
// whole axes.
type contractionJSON struct {
	Vars   []string   `json:"vars"`
	In     [][]affine `json:"in"`
	Out    []affine   `json:"out"`
	Shapes [][]string `json:"shapes,omitempty"`
	Eq     []affine   `json:"eq,omitempty"`
	Ge     []affine   `json:"ge,omitempty"`
}

type affine struct {
	Terms [][2]int64 `json:"terms"` // variable, coefficient
	Off   string     `json:"off"`
}

// MarshalJSON writes a variable alone as its number.
func (a affine) MarshalJSON() ([]byte, error) {
	if len(a.Terms) == 1 && a.Terms[0][1] == 1 && a.Off == "0" {
		return json.Marshal(a.Terms[0][0])
	}
	type plain affine
	return json.Marshal(plain(a))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (a *affine) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		var v int64
		err := json.Unmarshal(b, &v)
		*a = affine{[][2]int64{{v, 1}}, "0"}
		return err
	}
	type plain affine
	return json.Unmarshal(b, (*plain)(a))
}

type valueJSON struct {
	Node  *int  `json:"node,omitempty"`
	Parts []int `json:"parts,omitempty"`
}

type spaceJSON struct {
	Shape   []string    `json:"shape,omitempty"`
	Factors []spaceJSON `json:"factors,omitempty"`
	Product bool        `json:"product,omitempty"`
}

type mapJSON struct {
	Op     string     `json:"op"`
	Maps   []int      `json:"maps,omitempty"`
	Value  *int       `json:"value,omitempty"`  // of a constant or an unknown map, or the point of a derivative
	Linear bool       `json:"linear,omitempty"` // of an unknown map
	K      int        `json:"k,omitempty"`      // of projections and injections, from 1
	Dom    *spaceJSON `json:"dom,omitempty"`
	Cod    *spaceJSON `json:"cod,omitempty"`
	Power  []string   `json:"power,omitempty"` // of a copower
	Node   *nodeJSON  `json:"node,omitempty"`  // of a contraction or atom
	Shapes [][]string `json:"shapes,omitempty"`
}

type lineJSON struct {
	Map   *int  `json:"map,omitempty"`
	Nodes []int `json:"nodes,omitempty"`
}

type partJSON struct {
	Kind  proof.Kind      `json:"kind"`
	Fresh []int           `json:"fresh,omitempty"`
	Point []int           `json:"point,omitempty"`
	Walk  table[walkJSON] `json:"walk,omitempty"`
	// Factor is that of a product.
	Factor *int            `json:"factor,omitempty"`
	Start  lineJSON        `json:"start"`
	Steps  table[stepJSON] `json:"steps"`
	End    lineJSON        `json:"end"`
}

type lawJSON struct {
	Points []int      `json:"points"`
	Start  int        `json:"start"`
	Steps  []stepJSON `json:"steps"`
	End    int        `json:"end"`
}

type walkJSON struct {
	Node int  `json:"node"`
	Law  int  `json:"law"`
	Gets *int `json:"gets,omitempty"`
}

type stepJSON struct {
	Rule     string     `json:"rule"`
	Back     bool       `json:"back,omitempty"` // read from right to left
	Before   int        `json:"before"`
	After    int        `json:"after"`
	Subst    *substJSON `json:"subst,omitempty"`
	Operands []int      `json:"operands,omitempty"`
	Context  *int       `json:"context,omitempty"`
	Hole     *int       `json:"hole,omitempty"`
	Facts    []factJSON `json:"facts,omitempty"`
}

type factJSON struct {
	Sign proof.Sign `json:"sign"`
	Node int        `json:"node"`
}

type substJSON struct {
	Values     map[string]int    `json:"values,omitempty"`
	Numbers    map[string]string `json:"numbers,omitempty"`
	Sizes      map[string]string `json:"sizes,omitempty"`
	Batch      int               `json:"batch,omitempty"`
	Guard      string            `json:"guard,omitempty"`
	Maps       map[string]int    `json:"maps,omitempty"`
	Families   map[string][]int  `json:"families,omitempty"`
	Points     map[string]int    `json:"points,omitempty"`
	Components map[string]int    `json:"components,omitempty"`
	Index      []string          `json:"index,omitempty"`
	Count      int               `json:"count,omitempty"`
}

// A FormatError says that a file is no certificate, or is larger than may be.
type FormatError struct{ Message string }

func (e *FormatError) Error() string { return e.Message }

func malformed(format string, args ...any) error { return &FormatError{fmt.Sprintf(format, args...)} }

// Limits bound what a certificate may hold.
const (
	maxBytes = 64 << 20
	maxTerms = 500_000 // nodes, values and maps, each
	maxSteps = 200_000 // and values that walks come to
	maxArgs  = 4096    // of a term
	maxVars  = 256     // of a contraction

	// JSON values in a file: a value of three bytes takes up to fifty when it is read
	maxValues = 4_000_000
	maxDepth  = 1000
)

// A table is a list of bounded length, which is counted while it is read.
type table[T any] []T

// UnmarshalJSON reads a list.
func (t *table[T]) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		if start == nil { // null
			return err
		}
		return fmt.Errorf("a list begins with %v", start)
	}
	for d.More() {
		if len(*t) == maxTerms {
			return fmt.Errorf("a list has more than %d entries", maxTerms)
		}
		var item T
		if err := d.Decode(&item); err != nil {
			return err
		}
		*t = append(*t, item)
	}
	return nil
}

// named are the objects whose keys are names of the program or of a rule; those of all others are fields.
var named = []string{"values", "numbers", "sizes", "maps", "families", "points", "components", "dims"}

// scan counts the values of a JSON text, before anything is made of them. An object has each key once, and fields are written as the
// format has them: what is checked is what any other reader sees.
func scan(b []byte) error {
	type object struct {
		keys  map[string]bool // nil of a list
		named bool
	}
	var open []object
	n := 0
	key, isKey := "", false // the last key, directly before what comes; whether a key comes
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '"':
			from := i + 1
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if !isKey || i >= len(b) {
				key = ""
				continue
			}
			key, isKey = string(b[from:i]), false
			in := open[len(open)-1]
			if in.keys[key] || strings.ContainsRune(key, '\\') || !in.named && strings.ToLower(key) != key {
				return malformed("the key %.40q stands in an object for the second time, or is written otherwise than the format has it", key)
			}
			in.keys[key] = true
		case '{':
			open = append(open, object{map[string]bool{}, slices.Contains(named, key)})
			key, isKey = "", true
			n++
		case '[':
			open = append(open, object{})
			key, isKey = "", false
			n++
		case '}', ']':
			open, isKey = open[:max(0, len(open)-1)], false
		case ',':
			key, isKey = "", len(open) > 0 && open[len(open)-1].keys != nil
			n++
		}
		if len(open) > maxDepth {
			return malformed("values of the certificate stand more than %d deep", maxDepth)
		}
		if n > maxValues {
			return malformed("the certificate has more than %d values", maxValues)
		}
	}
	return nil
}

// Read reads a certificate. The error is a *[FormatError] where it is none.
func Read(r io.Reader) (*Certificate, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxBytes {
		return nil, malformed("the certificate has more than %d bytes", maxBytes)
	}
	if err := scan(b); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	c := &Certificate{}
	if err := d.Decode(c); err != nil {
		return nil, malformed("%v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, malformed("something stands behind the certificate")
	}
	switch {
	case c.Format != Format:
		return nil, malformed("the format is %q, not %q", c.Format, Format)
	case c.Version != Version:
		return nil, malformed("version %d of certificates is not known; this is version %d", c.Version, Version)
	}
	steps := 0
	for _, l := range c.Laws {
		steps += len(l.Steps)
	}
	for _, p := range c.Parts {
		steps += len(p.Steps) + len(p.Walk)
	}
	if steps > maxSteps {
		return nil, malformed("the certificate has more than %d steps", maxSteps)
	}
	return c, nil
}

// Write writes the certificate, a term and a step on each line.
func (c *Certificate) Write(w io.Writer) error {
	b, err := inLines(c)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// inLines writes a value as JSON with a line for each field, for each entry of a table, and for each object in a list of an entry.
func inLines(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	var out []byte
	var open []byte // brackets
	quoted := false
	for i, c := range bytes.TrimSpace(b.Bytes()) {
		if depth := len(open); !quoted && i > 0 && depth > 0 && (out[len(out)-1] == ',' || out[len(out)-1] == open[depth-1]) {
			if list := open[depth-1] == '['; c != ']' && (depth == 1 || list && depth == 2 || list && depth == 4 && c == '{') {
				out = append(append(out, '\n'), strings.Repeat(" ", depth)...)
			}
		}
		switch out = append(out, c); {
		case c == '"' && !escaped(out):
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open = append(open, c)
		case c == '}' || c == ']':
			open = open[:len(open)-1]
		}
	}
	return out, nil
}

// escaped reports whether the last character of a string is escaped: an odd number of backslashes stands before it.
func escaped(b []byte) bool {
	before := b[:len(b)-1]
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}
