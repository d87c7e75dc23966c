package protocol

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAnswer(t *testing.T) {
	x := &Tensor{Shape: []int{2}, Data: []float64{1, math.NaN()}}
	byName := Nest[*Tensor]{}
	byName.Object("U", Leaf(x))
	byName.Object("V", Leaf(&Tensor{Shape: []int{0, 3}}))
	leaf, text := Leaf(x), Leaf("A *(ij->ji) & b")
	tensors := func(f Derived[*Tensor]) Result { return Result{Derived: f} }
	for _, c := range []struct {
		name string
		a    Answer
		want string
	}{
		{"empty", Answer{}, `{"id":null}`},
		{"value", Answer{ID: json.RawMessage(`"q"`), Result: tensors(Derived[*Tensor]{Value: x})},
			`{"id":"q","value":{"shape":[2],"data":[1,"NaN"]}}`},
		{"by variable", Answer{Result: tensors(Derived[*Tensor]{Derivative: &byName})},
			`{"id":null,"derivative":{"U":{"shape":[2],"data":[1,"NaN"]},"V":{"shape":[0,3],"data":[]}}}`},
		{"list", Answer{Result: tensors(Derived[*Tensor]{Derivatives: []Nest[*Tensor]{leaf, leaf}})},
			`{"id":null,"derivatives":[{"shape":[2],"data":[1,"NaN"]},{"shape":[2],"data":[1,"NaN"]}]}`},
		{"text", Answer{Result: Result{Text: &Text{Derivative: &text}}, Conventions: []string{}},
			`{"id":null,"text":{"derivative":"A *(ij->ji) & b"},"conventions":[]}`},
		{"outputs", Answer{Outputs: []Output{{"f", tensors(Derived[*Tensor]{Value: x})}, {"g", Result{}}}, Conventions: []string{"relu-at-0"}},
			`{"id":null,"outputs":{"f":{"value":{"shape":[2],"data":[1,"NaN"]}},"g":{}},"conventions":["relu-at-0"]}`},
		{"error", Answer{Error: &Error{Code: "T012", Kind: "dimension-mismatch", Line: 1, Column: 30, Message: "m", Hint: "h"}},
			`{"id":null,"error":{"code":"T012","kind":"dimension-mismatch","line":1,"column":30,"message":"m","hint":"h"}}`},
		{"error without a place", Answer{Error: Errorf("no")},
			`{"id":null,"error":{"code":"R001","kind":"request","message":"no"}}`},
	} {
		got := string(c.a.Append(nil))
		assert.Equal(t, c.want, got, c.name)
		assert.True(t, json.Valid([]byte(got)), c.name)
	}
}

// Whatever is written reads back as the same number, bit for bit.
func TestNumbersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		got, ok := number(AppendNumber(nil, x))
		if !ok || math.Float64bits(got) != math.Float64bits(x) {
			t.Fatalf("%s read back as %s", strconv.FormatFloat(x, 'g', -1, 64), strconv.FormatFloat(got, 'g', -1, 64))
		}
	})
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1e21, 5e-324} {
		got, ok := number(AppendNumber(nil, x))
		require.True(t, ok)
		require.Equal(t, math.Signbit(x), math.Signbit(got))
	}
}
