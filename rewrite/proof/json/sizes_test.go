package json

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A number that is the size of an axis is not negative.
func TestNegativeSizes(t *testing.T) {
	const head = `{"format": "frechet certificate", "version": 1, "maps": [], "values": [], "parts": [], "nodes": [`
	read := func(nodes string) error {
		c, err := Read(strings.NewReader(head + nodes + "]}"))
		require.NoError(t, err)
		_, err = c.Decode(NewStore())
		return err
	}
	for _, nodes := range []string{
		`{"op": "var", "name": "x", "shape": ["n", "-3"]}`,
		`{"op": "var", "name": "x", "shape": ["2-3"]}`,
		`{"op": "ein", "ein": {"vars": ["-5"], "in": [], "out": []}}`,
		`{"op": "ein", "ein": {"vars": ["n"], "in": [], "out": [{"terms": [[0, 1]], "off": "0"}], "shapes": [["-2"]]}}`,
		`{"op": "var", "name": "x", "shape": ["0"]}, {"op": "split", "attr": 0, "sizes": ["0", "-1"], "args": [0]}`,
	} {
		err := read(nodes)
		var f *FormatError
		require.ErrorAs(t, err, &f, nodes)
		require.Contains(t, err.Error(), "is negative", nodes)
	}
	// an offset may be negative, and a size of symbols is what they make of it
	require.NoError(t, read(`{"op": "var", "name": "x", "shape": ["n-5", "0"]},
		{"op": "ein", "ein": {"vars": ["n"], "in": [], "out": [{"terms": [[0, 1]], "off": "-2"}], "shapes": [["n"]]}}`))
}
