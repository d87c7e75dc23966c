package protocol

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// RequestCode is the code of every error of kind "request".
const RequestCode = "R001"

// An Error is the `error` field of an answer. Line and Column count characters
// from 1; they are 0, and left out, where the error has no place in the input.
type Error struct {
	Code, Kind   string
	Line, Column int
	Message      string
	Hint         string
}

// A Tensor is a dense array in row-major order.
type Tensor struct {
	Shape []int
	Data  []float64
	File  string // where the entries are; "" where they are here
}

// A Nest is a leaf, or an object by variable whose members are nests: what
// `derivative` and `hessian` are when wrt is a list.
type Nest[T any] struct {
	Leaf T
	Keys []string // nil: this is a leaf
	Kids []Nest[T]
}

// Leaf makes a nest of one value.
func Leaf[T any](x T) Nest[T] { return Nest[T]{Leaf: x} }

// Object adds a member.
func (n *Nest[T]) Object(key string, kid Nest[T]) {
	n.Keys = append(n.Keys, key)
	n.Kids = append(n.Kids, kid)
}

// Derived is the value of one expression and what is derived of it, as tensors or as texts. What is zero is
// left out.
type Derived[T comparable] struct {
	Value       T
	Derivative  *Nest[T]
	Hessian     *Nest[T]
	Derivatives []Nest[T] // of order 1, 2, ..., n
	Grads       *Nest[T]
	Parts       []Part[T] // of operations: jvp, hvp, ...
}

// A Result holds the fields that belong to one expression, and their printed formulas.
type Result struct {
	Derived[*Tensor]
	Text *Text
}

// Text holds formulas.
type Text = Derived[string]

// A Part is the field of an operation, named after its kind.
type Part[T any] struct {
	Kind string
	Nest *Nest[T]
}

// An Output is the result of one named expression.
type Output struct {
	Name string
	Result
}

// An Answer is one line of output.
type Answer struct {
	ID json.RawMessage
	Result
	Outputs     []Output        // several named expressions; then Result is empty
	Params      []Param         // of a program that is kept, its variables
	Axes        []string        // of a program that is kept, the sizes of the axes of its one value; nil for several
	Assumed     string          // of a program that is kept, the declaration that was found for its letters
	Conventions []string        // nil: nothing was differentiated, the field is left out
	Outside     []string        // where data leave the domain of the program; the field is left out where they do not
	Rules       []RuleClaim     // of the user's rules that were applied
	Joint       string          // one program of all results
	Verdict     json.RawMessage // whether the input equals another text
	Error       *Error
}

// A Param is a variable, with the sizes of its axes: numbers, or expressions in size symbols.
type Param struct {
	Name string
	Axes []string
}

// A RuleClaim is what is claimed of a rule.
type RuleClaim struct{ Rule, Claim string }

// Append appends the answer as one line, without the newline.
func (a *Answer) Append(b []byte) []byte {
	b = append(b, `{"id":`...)
	if a.ID == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, a.ID...)
	}
	b = a.Result.append(b)
	if a.Outputs != nil {
		b = append(b, `,"outputs":{`...)
		for i := range a.Outputs {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, a.Outputs[i].Name)
			b = append(b, ':', '{')
			start := len(b)
			b = a.Outputs[i].Result.append(b)
			b = dropComma(b, start)
			b = append(b, '}')
		}
		b = append(b, '}')
	}
	b = a.appendParams(b)
	if a.Conventions != nil {
		b = appendStrings(append(b, `,"conventions":`...), a.Conventions)
	}
	if a.Outside != nil {
		b = appendStrings(append(b, `,"outside":`...), a.Outside)
	}
	for i, c := range a.Rules {
		b = append(b, []string{`,"rules":[`, ","}[min(i, 1)]...)
		b = appendString(append(b, `{"rule":`...), c.Rule)
		b = append(appendString(append(b, `,"claim":`...), c.Claim), '}')
	}
	if len(a.Rules) > 0 {
		b = append(b, ']')
	}
	if a.Joint != "" {
		b = appendString(append(b, `,"joint":`...), a.Joint)
	}
	if a.Verdict != nil {
		b = append(append(b, `,"verdict":`...), a.Verdict...)
	}
	if a.Error != nil {
		b = append(b, `,"error":`...)
		b = a.Error.append(b)
	}
	return append(b, '}')
}

func (a *Answer) appendParams(b []byte) []byte {
	for i, p := range a.Params {
		b = append(b, []string{`,"params":[`, ","}[min(i, 1)]...)
		b = appendString(append(b, `{"name":`...), p.Name)
		b = append(appendStrings(append(b, `,"axes":`...), p.Axes), '}')
	}
	if len(a.Params) > 0 {
		b = append(b, ']')
	}
	if a.Axes != nil {
		b = appendStrings(append(b, `,"axes":`...), a.Axes)
	}
	if a.Assumed != "" {
		b = appendString(append(b, `,"assumed":`...), a.Assumed)
	}
	return b
}

func appendStrings(b []byte, l []string) []byte {
	b = append(b, '[')
	for i, s := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

// append writes the fields present, each after a comma.
func (r *Result) append(b []byte) []byte {
	b = r.Derived.append(b, AppendTensor)
	if r.Text != nil {
		b = append(b, `,"text":{`...)
		start := len(b)
		b = r.Text.append(b, appendString)
		b = dropComma(b, start)
		b = append(b, '}')
	}
	return b
}

func (f *Derived[T]) append(b []byte, leaf func([]byte, T) []byte) []byte {
	var none T
	if f.Value != none {
		b = append(b, `,"value":`...)
		b = leaf(b, f.Value)
	}
	b = appendField(b, "derivative", f.Derivative, leaf)
	b = appendField(b, "hessian", f.Hessian, leaf)
	b = appendList(b, "derivatives", f.Derivatives, leaf)
	b = appendField(b, "grads", f.Grads, leaf)
	for _, p := range f.Parts {
		b = appendField(b, p.Kind, p.Nest, leaf)
	}
	return b
}

func (e *Error) append(b []byte) []byte {
	b = append(b, `{"code":`...)
	b = appendString(b, e.Code)
	b = append(b, `,"kind":`...)
	b = appendString(b, e.Kind)
	if e.Line > 0 {
		b = append(b, `,"line":`...)
		b = strconv.AppendInt(b, int64(e.Line), 10)
		b = append(b, `,"column":`...)
		b = strconv.AppendInt(b, int64(e.Column), 10)
	}
	b = append(b, `,"message":`...)
	b = appendString(b, e.Message)
	if e.Hint != "" {
		b = append(b, `,"hint":`...)
		b = appendString(b, e.Hint)
	}
	return append(b, '}')
}

func appendField[T any](b []byte, name string, n *Nest[T], leaf func([]byte, T) []byte) []byte {
	if n == nil {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return appendNest(b, n, leaf)
}

func appendList[T any](b []byte, name string, l []Nest[T], leaf func([]byte, T) []byte) []byte {
	if l == nil {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":[`...)
	for i := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNest(b, &l[i], leaf)
	}
	return append(b, ']')
}

// appendNest recurses as deep as the order of the derivative, which is bounded.
func appendNest[T any](b []byte, n *Nest[T], leaf func([]byte, T) []byte) []byte {
	if n.Keys == nil {
		return leaf(b, n.Leaf)
	}
	b = append(b, '{')
	for i, k := range n.Keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, k)
		b = append(b, ':')
		b = appendNest(b, &n.Kids[i], leaf)
	}
	return append(b, '}')
}

// AppendTensor appends {"shape":[...],"data":[...]}.
func AppendTensor(b []byte, t *Tensor) []byte {
	b = append(b, `{"shape":[`...)
	for i, n := range t.Shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	if t.File != "" {
		return append(appendString(append(b, `],"file":`...), t.File), '}')
	}
	b = append(b, `],"data":[`...)
	for i, x := range t.Data {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendNumber(b, x)
	}
	return append(b, "]}"...)
}

// AppendNumber appends the shortest text that reads back as x.
func AppendNumber(b []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(b, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(b, `"-Infinity"`...)
	}
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.AppendFloat(b, x, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, x, 'f', -1, 64)
}

// appendString keeps <, > and & as they are: a formula is full of them.
func appendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always encodes
		return append(b, `""`...)
	}
	return append(b, bytes.TrimRight(buf.Bytes(), "\n")...)
}

// dropComma removes the comma before the first member of an object.
func dropComma(b []byte, start int) []byte {
	if len(b) > start && b[start] == ',' {
		return append(b[:start], b[start+1:]...)
	}
	return b
}
