package conformance_test

import (
	"encoding/json"
	"fmt"
	"frechet/internal/requests"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestValuesKeepTheirDomain: simplification does not define a value where the program as
// written is not a number, nor change it elsewhere.
func TestValuesKeepTheirDomain(t *testing.T) {
	for _, c := range []struct {
		expr string
		x    float64
		want string
	}{
		{"sqrt(x)^4", -1, `"NaN"`},
		{"sqrt(x)^4", 4, "16"},
		{"(x^(1/3))^3", -8, `"NaN"`},
		{"(x^3)^(1/3)", -8, `"NaN"`},
		{"(x^3)^(1/3)", 1, "1"},
		{"(x^2)^(1/2)", -8, "8"},
		{"(x^-2)^0.5", -4, "0.25"},
		{"(x^3)^0.5", -1, `"NaN"`},
		{"sqrt(x)*sqrt(x)", -1, `"NaN"`},
		{"x/x", 0, `"NaN"`},
		{"softplus(log(x))/softplus(log(x))", -1, `"NaN"`},
		{"softplus(log(x))/softplus(log(x))", 2, "1"},
		{"sigmoid(sqrt(x))^0.5*sigmoid(sqrt(x))^-0.5", -1, `"NaN"`},
	} {
		line := fmt.Sprintf(`{"input":"declare x 0 expression %s","values":{"x":%g},"want":["value"]}`, c.expr, c.x)
		got, err := json.Marshal(requests.At(requests.Ask(t, nil, line)[0], "value.data.0"))
		require.NoError(t, err)
		require.Equal(t, c.want, string(got), "%s at %g", c.expr, c.x)
	}
}

// TestEmptyDimsSayNothing: with an empty object of sizes they stay symbols, as without one.
func TestEmptyDimsSayNothing(t *testing.T) {
	with := requests.Ask(t, nil, `{"input":"declare x 1 expression x'*x gradient wrt x","dims":{},"sizes":{}}`)
	require.Equal(t, requests.Ask(t, nil, `{"input":"declare x 1 expression x'*x gradient wrt x"}`), with)
	require.Equal(t, "2*x", requests.At(with[0], "text.derivative"))
}
