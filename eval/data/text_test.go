package data

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/eval"
)

func TestReadCSV(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		order Order
		shape []int
		data  []float64
	}{
		"matrix":        {"1,2\n3,4\n", Natural, []int{2, 2}, []float64{1, 2, 3, 4}},
		"no last line":  {"1,2\n3,4", Natural, []int{2, 2}, []float64{1, 2, 3, 4}},
		"header":        {"a,b c\n1,2\n", WithOrder(2), []int{1, 2}, []float64{1, 2}},
		"quoted header": {"\"a,1\",\"b\"\n1,2\n3,4\n", Natural, []int{2, 2}, []float64{1, 2, 3, 4}},
		"column":        {"y\n1\n2\n3\n", Natural, []int{3}, []float64{1, 2, 3}},
		"column matrix": {"1\n2\n", WithOrder(2), []int{2, 1}, []float64{1, 2}},
		"row":           {"1,2,3\n", WithOrder(1), []int{3}, []float64{1, 2, 3}},
		"row matrix":    {"1,2,3\n", WithOrder(2), []int{1, 3}, []float64{1, 2, 3}},
		"scalar":        {"2.5\n", WithOrder(0), []int{}, []float64{2.5}},
		"crlf, bom":     {"\ufeffx,y\r\n1,2\r\n\r\n3,4\r\n", Natural, []int{2, 2}, []float64{1, 2, 3, 4}},
		"comments":      {"# made by hand\n1,2\n# more\n3,4\n", Natural, []int{2, 2}, []float64{1, 2, 3, 4}},
		"blanks":        {" 1 ,\t2e-3\n", Natural, []int{2}, []float64{1, 2e-3}},
		"tabs":          {"1\t2\n3\t4\n", Natural, []int{2, 2}, []float64{1, 2, 3, 4}},
		"semicolons":    {"1;2\n3;4\n", Natural, []int{2, 2}, []float64{1, 2, 3, 4}},
		"infinities":    {"inf,-Infinity\n1,\"+2\"\n", Natural, []int{2, 2}, []float64{math.Inf(1), math.Inf(-1), 1, 2}},
		"header alone":  {"a,b\n", Natural, []int{0, 2}, nil},
	} {
		x, err := ReadCSV(strings.NewReader(c.text), Options{Order: c.order})
		require.NoError(t, err, name)
		require.Equal(t, c.shape, x.Shape, name)
		require.ElementsMatch(t, c.data, x.Data, name)
	}
	x, err := ReadCSV(strings.NewReader("NaN,1\n"), Options{})
	require.NoError(t, err)
	require.True(t, math.IsNaN(x.Data[0]))
}

func TestReadCSVErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                "holds no numbers",
		"1,2\n3,x\n":      `2:3: "x" is not a number`,
		"1,2\n3,  4y\n":   `2:5: "4y" is not a number`,
		"é,ü\né,2\n":      `2:1: "é" is not a number`,
		"1,2\n3\n":        "2:1: has 1 cell where the rows above have 2",
		"a,b\n1,2,3\n":    "2:1: has 3 cells",
		"1,2\n3,\n":       "2:3: an empty cell",
		"a,1\n2,3\n":      `1:1: "a" is not a number`,
		"1,1e999\n":       "too large",
		"1,0x10\n":        "is not a number",
		"1,1_0\n":         "is not a number",
		"1,2,3,4,5,6,7\n": "1:9: limit reached",
	} {
		_, err := ReadCSV(strings.NewReader(text), Options{MaxElements: 2 + 2*strings.Count(text, "\n")})
		require.ErrorContains(t, err, want, text)
	}
	_, err := ReadCSV(strings.NewReader(strings.Repeat("1\n", 1000)), Options{MaxBytes: 100})
	var limit *eval.LimitError
	require.ErrorAs(t, err, &limit)
}

func TestReadJSON(t *testing.T) {
	for text, want := range map[string]*eval.Tensor{
		`3`:                            eval.Scalar(3),
		`"Infinity"`:                   eval.Scalar(math.Inf(1)),
		` [1, -2.5e1, "-Infinity"] `:   eval.Vector(1, -25, math.Inf(-1)),
		`[[1,2],[3,4],[5,6]]`:          {Shape: []int{3, 2}, Data: []float64{1, 2, 3, 4, 5, 6}},
		`[[[1]],[[2]]]`:                {Shape: []int{2, 1, 1}, Data: []float64{1, 2}},
		`[1, 2; 3, 4;5,6]`:             {Shape: []int{3, 2}, Data: []float64{1, 2, 3, 4, 5, 6}},
		`[1;2; 3]`:                     eval.Vector(1, 2, 3),
		`[]`:                           {Shape: []int{0}},
		`[[],[]]`:                      {Shape: []int{2, 0}},
		`{"shape":[2,1],"data":[1,2]}`: {Shape: []int{2, 1}, Data: []float64{1, 2}},
		`{"data":[1],"shape":[]}`:      {Shape: []int{}, Data: []float64{1}},
		`{"data":[],"shape":[3,0,2]}`:  {Shape: []int{3, 0, 2}},
	} {
		x, err := ReadJSON(strings.NewReader(text), Options{})
		require.NoError(t, err, text)
		require.Equal(t, want.Shape, x.Shape, text)
		require.ElementsMatch(t, want.Data, x.Data, text)
	}
}

func TestReadJSONErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                                   "1:1: ends where a number should follow",
		"[[1,2],\n [3]]":                     "2:4: a list of 1 element where those before have 2",
		`[1,[2]]`:                            "1:4: a list where the lists before have numbers",
		`[[1],2]`:                            "1:6: a number where the lists before have a list",
		`[[],[1]]`:                           "1:7: a list of 1 element where those before have 0",
		`[[1],[]]`:                           "a list of 0 elements",
		`[[[1]],[]]`:                         "a list of 0 elements",
		`[[],[[]]]`:                          "a list where the lists before have numbers",
		`[1,]`:                               `']' where a number should stand`,
		`[1 2]`:                              `'2' where a comma or ] should stand`,
		`[1`:                                 "ends where a comma or ] should follow",
		`[1]x`:                               "something follows",
		`[1,2;3]`:                            "1:7: a list of 1 element where those before have 2",
		`[1,2;3;4]`:                          "1:7: a row of 1 element where those before have 2",
		`[1,2;[3,4]]`:                        "1:6: a list where the lists before have numbers",
		`[[1,2;3,4]]`:                        `1:6: ';' where a comma or ] should stand`,
		`[1;]`:                               `']' where a number should stand`,
		`[01]`:                               `"01" is not a number`,
		`[1e999]`:                            "too large",
		`["nan"]`:                            "NaN, Infinity and -Infinity are",
		`[null]`:                             `'n' where a number`,
		`[1e]`:                               "is not a number",
		`{"shape":[2]}`:                      "needs both shape and data",
		`{"shape":[2],"data":[1]}`:           "shape [2] has 2 entries, but data has 1",
		`{"shape":[-1],"data":[1]}`:          "-1 in shape is not a size",
		`{"shape":[1e9,1e9,1e9],"data":[1]}`: "limit reached",
		`{"shape":2,"data":[1]}`:             "shape is not a list",
		`{"x":2}`:                            `the key "x" is unknown`,
		`{"shape":[1],"shape":[1]}`:          "twice",
		`["a`:                                "a string without an end",
		strings.Repeat("[", 100000):          "1:65: limit reached: 65 axes",
	} {
		_, err := ReadJSON(strings.NewReader(text), Options{})
		require.ErrorContains(t, err, want, "%.60s", text)
	}
}

func TestTextRoundTrip(t *testing.T) {
	for _, x := range []*eval.Tensor{eval.Scalar(1.0 / 3), eval.Vector(1, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -1e300),
		{Shape: []int{2, 3}, Data: []float64{1, 2, 3, 4, 5, 6.25}}} {
		var b bytes.Buffer
		require.NoError(t, WriteJSON(&b, x))
		y, err := ReadJSON(&b, Options{})
		require.NoError(t, err)
		require.Zero(t, eval.MaxDiff(x, y))
		require.NoError(t, WriteCSV(&b, x))
		y, err = ReadCSV(&b, Options{Order: WithOrder(x.Order())})
		require.NoError(t, err)
		require.Zero(t, eval.MaxDiff(x, y))
	}
	require.Error(t, WriteCSV(&bytes.Buffer{}, eval.NewTensor(1, 1, 1)))
}

func FuzzReadText(f *testing.F) {
	f.Add("1,2\n3,4\n")
	f.Add(`[[1,2],[3,4]]`)
	f.Add(`{"shape":[1],"data":["NaN"]}`)
	f.Fuzz(func(t *testing.T, s string) {
		o := Options{MaxElements: 1 << 12, MaxBytes: 1 << 16}
		for _, read := range []func() (*eval.Tensor, error){
			func() (*eval.Tensor, error) { return ReadCSV(strings.NewReader(s), o) },
			func() (*eval.Tensor, error) { return ReadJSON(strings.NewReader(s), o) },
		} {
			if x, err := read(); err == nil {
				n, err := eval.Elements(x.Shape, o.MaxElements)
				require.NoError(t, err)
				require.Len(t, x.Data, n)
			}
		}
	})
}
