package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"frechet/internal/words"
)

// A Request is one decoded line. Absent fields are nil, empty or -1, as noted.
type Request struct {
	ID        json.RawMessage // a string, a number or null, as it was written
	Input     string
	Language  string // auto, einstein, index or combinators
	Dims      map[string][]int64
	Sizes     map[string]int64
	Values    map[string]Numbers // nil: no values, the program is only checked
	Wrt       []string           // nil: what the program says
	WrtList   bool               // wrt was a list, so derivatives are objects by variable
	Order     int                // -1: what the program says
	Mode      string             // planned, reverse or forward
	Cotangent *Numbers           // nil: no grads
	Format    string
	Want      []string // nil: all that the request implies
	Rules     string   // the text of a rule file; "" for none

	// Equals is the text that Input is compared with, Declare what both declare; "" for none.
	Equals, Declare string

	Keep  string             // the name under which the program stays compiled; "" for none
	Run   string             // the name of a program that was kept; then Input is empty
	Store map[string]Numbers // tensors that stay, by the names that values call them by
	Drop  []string           // names of programs and tensors that stay no longer
	Out   string             // where tensors of more than OutEntries go, as files; "" for the answer
}

// OutEntries is the number of entries from which on a tensor is written to a file, where files are asked for.
const OutEntries = 1024

// Numbers are the row-major entries of a tensor: as they are written, in a file, or stored by an earlier request.
type Numbers struct {
	Data   []float64
	Scalar bool    // written as a bare number, which only a tensor of order 0 may be
	Shape  []int64 // nil: the list is flat, and the shape follows from elsewhere
	File   string  // of type .npy; then there is no Data yet
	Stored string  // the name of a stored tensor; then there is no Data yet
}

// Wants reports whether the answer is to hold the field.
func (r *Request) Wants(field string) bool {
	return r.Want == nil || slices.Contains(r.Want, field)
}

// Names reports whether the request asks for the field in so many words.
func (r *Request) Names(field string) bool { return slices.Contains(r.Want, field) }

// The closed word lists of the protocol.
var (
	Languages = []string{"auto", "einstein", "index", "combinators", "numpy"}
	Modes     = []string{"planned", "reverse", "forward"}
	Formats   = []string{"text", "matrix", "einstein", "thesis", "index", "combinators", "latex", "dot", "tree"}
	Fields    = []string{"value", "derivative", "hessian", "derivatives", "grads", "text", "joint", "conventions", "outputs",
		"jvp", "vjp", "hvp", "diag-hessian", "gauss-newton"}
)

var requestFields = []string{"id", "input", "language", "dims", "sizes", "values", "wrt",
	"order", "mode", "cotangent", "format", "want", "rules", "equals", "declare", "keep", "run", "store", "drop", "out"}

// Decode reads one line. The request that comes with an error holds the id, so
// that the answer can carry it.
func Decode(line []byte) (*Request, *Error) {
	r := &Request{ID: null, Language: "auto", Order: -1, Mode: "planned", Format: "text"}
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	if len(trimmed) == 0 {
		return r, Errorf("an empty line is no request")
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(trimmed, &top); err != nil {
		return r, jsonError(trimmed, err)
	}
	if top == nil { // the literal null
		return r, Errorf("a request is a JSON object, not null")
	}
	if err := r.decodeID(top["id"]); err != nil {
		return r, err
	}
	for _, name := range sortedKeys(top) {
		if !slices.Contains(requestFields, name) {
			return r, unknownWord("field", name, requestFields)
		}
	}
	for _, name := range requestFields[1:] {
		raw, ok := top[name]
		if !ok || isNull(raw) && name != "input" {
			continue
		}
		if err := r.decodeField(name, raw); err != nil {
			return r, err
		}
	}
	return r, r.checkKind(top)
}

// checkKind checks that the request has a program, or does without one.
func (r *Request) checkKind(top map[string]json.RawMessage) *Error {
	_, input := top["input"]
	switch {
	case r.Run == "" && !input && r.Store == nil && r.Drop == nil:
		return Errorf("the request has no input: give the program's text as \"input\"")
	case r.Run == "" && !input && r.Keep != "":
		return Errorf("keep needs an input: the program that stays")
	case r.Keep != "" && (r.Values != nil || r.Dims != nil || r.Sizes != nil || r.Cotangent != nil):
		return Errorf("a program is kept for all sizes: dims, sizes, values and cotangent do not go with keep")
	case r.Equals != "" && (r.Values != nil || r.Dims != nil || r.Sizes != nil || r.Cotangent != nil || r.Keep != "" || r.Want != nil):
		return Errorf("equals compares formulas at all sizes: beside it stand wrt, declare, rules and language alone")
	case r.Declare != "" && r.Equals == "":
		return Errorf("declare stands beside equals: a program declares its variables itself")
	case r.Run == "":
		return nil
	}
	for name, raw := range top {
		if !slices.Contains([]string{"id", "run", "values", "want", "store", "drop", "out"}, name) && !isNull(raw) {
			return Errorf("%s goes with the request that kept the program, not with run", name)
		}
	}
	return nil
}

func (r *Request) decodeID(raw json.RawMessage) *Error {
	if raw == nil || isNull(raw) {
		return nil
	}
	if c := raw[0]; c == '{' || c == '[' || c == 't' || c == 'f' {
		return Errorf("id is to be a string or a number, not %s", kindOf(raw))
	}
	r.ID = bytes.Clone(raw)
	return nil
}

func (r *Request) decodeField(name string, raw json.RawMessage) *Error {
	var err *Error
	switch name {
	case "input":
		r.Input, err = text(name, raw)
	case "rules":
		r.Rules, err = text(name, raw)
	case "keep":
		r.Keep, err = text(name, raw)
	case "equals":
		r.Equals, err = text(name, raw)
	case "declare":
		r.Declare, err = text(name, raw)
	case "run":
		r.Run, err = text(name, raw)
	case "out":
		r.Out, err = text(name, raw)
	case "store":
		r.Store, err = object(name, raw, tensor)
	case "drop":
		r.Drop, err = names(name, raw)
	case "language":
		r.Language, err = word(name, raw, Languages)
	case "mode":
		r.Mode, err = word(name, raw, Modes)
	case "format":
		r.Format, err = word(name, raw, Formats)
	case "order":
		r.Order, err = order(raw)
	case "dims":
		r.Dims, err = object(name, raw, sizeList)
	case "sizes":
		r.Sizes, err = object(name, raw, size)
	case "values":
		r.Values, err = object(name, raw, tensor)
	case "cotangent":
		var n Numbers
		n, err = numbers(name, raw)
		r.Cotangent = &n
	case "wrt":
		r.Wrt, r.WrtList, err = variables(raw)
	case "want":
		r.Want, err = wordList(name, raw, Fields)
	}
	return err
}

func text(name string, raw json.RawMessage) (string, *Error) {
	if raw[0] != '"' {
		return "", Errorf("%s is to be a string, not %s", name, kindOf(raw))
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", Errorf("%s: %v", name, err)
	}
	return s, nil
}

func word(name string, raw json.RawMessage, allowed []string) (string, *Error) {
	s, err := text(name, raw)
	if err != nil {
		return "", err
	}
	if !slices.Contains(allowed, s) {
		return "", unknownWord(name, s, allowed)
	}
	return s, nil
}

func list(name string, raw json.RawMessage) ([]json.RawMessage, *Error) {
	if raw[0] != '[' {
		return nil, Errorf("%s is to be a list, not %s", name, kindOf(raw))
	}
	var l []json.RawMessage
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, Errorf("%s: %v", name, err)
	}
	return l, nil
}

func wordList(name string, raw json.RawMessage, allowed []string) ([]string, *Error) {
	l, err := list(name, raw)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(l)) // an empty list stays a list: nothing is wanted
	for i, e := range l {
		if out[i], err = word(name, e, allowed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func variables(raw json.RawMessage) ([]string, bool, *Error) {
	if raw[0] == '"' {
		s, err := text("wrt", raw)
		if err == nil && s == "" {
			err = Errorf("wrt is empty: name a variable")
		}
		return []string{s}, false, err
	}
	if raw[0] != '[' {
		return nil, false, Errorf("wrt is to be a string or a list of strings, not %s", kindOf(raw))
	}
	l, err := list("wrt", raw)
	if err != nil {
		return nil, false, err
	}
	if len(l) == 0 {
		return nil, false, Errorf("wrt is an empty list: name a variable")
	}
	names := make([]string, len(l))
	for i, e := range l {
		if names[i], err = text("wrt", e); err != nil {
			return nil, false, err
		}
		if slices.Contains(names[:i], names[i]) {
			return nil, false, Errorf("wrt names %s twice", quote(names[i]))
		}
	}
	return names, true, nil
}

func order(raw json.RawMessage) (int, *Error) {
	n, ok := whole(raw)
	if !ok || n < 0 {
		return 0, Errorf("order is to be a whole number from 0, not %s", clip(raw))
	}
	return int(min(n, math.MaxInt32)), nil
}

func object[T any](name string, raw json.RawMessage, elem func(string, json.RawMessage) (T, *Error)) (map[string]T, *Error) {
	if raw[0] != '{' {
		return nil, Errorf("%s is to be an object by name, not %s", name, kindOf(raw))
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, Errorf("%s: %v", name, err)
	}
	out := make(map[string]T, len(m))
	for _, k := range sortedKeys(m) {
		v, err := elem(name+" of "+k, m[k])
		if err != nil {
			return nil, err
		}
		out[k] = v
	}
	return out, nil
}

func size(name string, raw json.RawMessage) (int64, *Error) {
	n, ok := whole(raw)
	if !ok || n < 0 {
		return 0, Errorf("%s: a size is a whole number from 0, not %s", name, clip(raw))
	}
	return n, nil
}

func sizeList(name string, raw json.RawMessage) ([]int64, *Error) {
	l, err := list(name, raw)
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(l))
	for i, e := range l {
		if out[i], err = size(name, e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// names reads a list of strings.
func names(name string, raw json.RawMessage) ([]string, *Error) {
	l, err := list(name, raw)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(l))
	for i, e := range l {
		if out[i], err = text(name, e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tensor reads a flat list or a number; {"shape": [..], "data": [..]}; {"file": "X.npy"}; or {"stored": "NAME"}.
func tensor(name string, raw json.RawMessage) (n Numbers, err *Error) {
	if raw[0] != '{' {
		return numbers(name, raw)
	}
	parts, err := object(name, raw, func(_ string, r json.RawMessage) (json.RawMessage, *Error) { return r, nil })
	if err != nil {
		return n, err
	}
	switch keys := strings.Join(sortedKeys(parts), " "); keys {
	case "file":
		n.File, err = text(name, parts["file"])
	case "stored":
		n.Stored, err = text(name, parts["stored"])
	case "data shape":
		if n, err = numbers(name, parts["data"]); err == nil {
			n.Scalar = false
			n.Shape, err = sizeList(name, parts["shape"])
		}
		if volume := product(n.Shape); err == nil && volume != float64(len(n.Data)) {
			err = Errorf("%s: %s for the shape %s", name, words.Count(len(n.Data), "number"), words.Shape(n.Shape))
		}
	default:
		err = Errorf("%s: an object has shape and data, or file, or stored; not %s", name, quote(keys))
	}
	return n, err
}

func product(shape []int64) float64 {
	n := 1.0
	for _, d := range shape {
		n *= float64(d)
	}
	return n
}

// numbers reads a flat list, scanning the raw text itself: lists of values are
// the bulk of a request, and a slice of raw messages costs five times as much.
func numbers(name string, raw json.RawMessage) (Numbers, *Error) {
	if raw[0] != '[' {
		x, ok := number(raw)
		if !ok {
			return Numbers{}, Errorf("%s: the entries are a flat list of numbers, not %s", name, clip(raw))
		}
		return Numbers{Data: []float64{x}, Scalar: true}, nil
	}
	body := raw[1 : len(raw)-1]
	data := make([]float64, 0, bytes.Count(body, []byte{','})+1)
	for {
		body = bytes.TrimLeft(body, " \t\r\n")
		if len(body) == 0 {
			return Numbers{Data: data}, nil
		}
		if c := body[0]; c == '[' || c == '{' {
			return Numbers{}, Errorf("%s: the entries are a flat list in row-major order, not nested lists or objects", name)
		}
		end := bytes.IndexByte(body, ',')
		if end < 0 {
			end = len(body)
		}
		x, ok := number(bytes.TrimRight(body[:end], " \t\r\n"))
		if !ok {
			return Numbers{}, Errorf("%s: entry %d is %s, not a number", name, len(data), clip(body[:end]))
		}
		data = append(data, x)
		body = body[min(end+1, len(body)):]
	}
}

// number reads a JSON number or one of the three strings for what JSON lacks.
// A literal beyond the range of float64 is refused, not rounded to infinity.
func number(raw []byte) (float64, bool) {
	switch string(raw) {
	case `"NaN"`:
		return math.NaN(), true
	case `"Infinity"`:
		return math.Inf(1), true
	case `"-Infinity"`:
		return math.Inf(-1), true
	}
	if len(raw) == 0 || (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	return x, err == nil
}

// whole reads a whole number; 3.0 is one.
func whole(raw []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	x, ok := number(raw)
	if !ok || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, false
	}
	return int64(x), true
}

var null = json.RawMessage("null")

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a truth value"
	case 'n':
		return "null"
	}
	return "a number"
}

// jsonError says what is wrong with a line that is not a JSON object.
func jsonError(line []byte, err error) *Error {
	if syn, ok := err.(*json.SyntaxError); ok {
		return Errorf("the line is not JSON: %v at byte %d", syn, syn.Offset)
	}
	return Errorf("a request is a JSON object, not %s", kindOf(line))
}

func unknownWord(what, got string, allowed []string) *Error {
	e := Errorf("unknown %s %s; known are %s", what, quote(got), strings.Join(allowed, ", "))
	if best := words.Nearest(got, allowed); best != "" {
		e.Hint = "did you mean " + best + "?"
	}
	return e
}

// quote and clip show a piece of the user's line, never all of a long one.
func quote(s string) string { return strconv.Quote(cut(s)) }

func clip(raw []byte) string { return cut(strings.TrimSpace(string(raw[:min(len(raw), 64)]))) }

func cut(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "..."
	}
	return s
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Errorf makes an error of kind "request".
func Errorf(format string, args ...any) *Error {
	return &Error{Code: RequestCode, Kind: "request", Message: fmt.Sprintf(format, args...)}
}
