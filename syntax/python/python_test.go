package python

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet/syntax"
)

// readAll translates a text for a few orders of its arguments: it may fail, and not panic.
func readAll(src string) (texts []string) {
	f, err := Parse(src, syntax.DefaultLimits)
	if err != nil {
		return nil
	}
	for order := range 4 {
		orders := map[string]int{}
		for i, name := range f.Open() {
			orders[name] = (order + i) % 4
		}
		if text, err := f.Translate(orders); err == nil {
			texts = append(texts, text)
		}
	}
	return texts
}

func FuzzTranslate(f *testing.F) {
	src, err := os.ReadFile("../../testdata/python/losses.py")
	require.NoError(f, err)
	for _, part := range strings.Split(string(src), "\n# ")[1:] {
		_, def, _ := strings.Cut(part, "\n")
		f.Add(def)
	}
	for _, s := range []string{"x[::2, None, ...]", "lambda x=3, *a: x", "np.einsum('ii', x)", "x[-1:, 3]**-2", "(a, b)[0] @ (c,)", "f(x)(y)", "x.T.T.shape[0]", "a = b = c", "np.stack([x, y], 5)", "np.sum(x, axis=(0, 7))"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, src string) { readAll(src) })
}

// TestMutants: functions with parts exchanged, left out or doubled are read or refused.
func TestMutants(t *testing.T) {
	src, err := os.ReadFile("../../testdata/python/losses.py")
	require.NoError(t, err)
	pieces := regexp.MustCompile(`\w+|\s+|.`).FindAllString(string(src), -1)
	functions := strings.Split(string(src), "\n# ")[2:]
	rapid.Check(t, func(t *rapid.T) {
		_, def, _ := strings.Cut(rapid.SampledFrom(functions).Draw(t, "function"), "\n")
		parts := regexp.MustCompile(`\w+|\s+|.`).FindAllString(def, -1)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			i, j := rapid.IntRange(0, len(parts)-1).Draw(t, "at"), rapid.IntRange(0, len(pieces)-1).Draw(t, "from")
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				parts[i] = pieces[j]
			case 1:
				parts[i] = ""
			default:
				parts[i] += parts[j%len(parts)]
			}
		}
		readAll(strings.Join(parts, ""))
	})
}

// TestMeaningless: what is no function of tensors is an error at its place, which names it.
func TestMeaningless(t *testing.T) {
	for src, want := range map[string]string{
		"x if y else z":                        "if inside",
		"np.sort(x)":                           "sort has no meaning here; did you mean sqrt?",
		"x[y > 0]":                             "array as a subscript",
		"x and y":                              "truth values",
		"[v for v in x]":                       "a list that a loop makes",
		"x // 2":                               "no derivative",
		"def f(x):\n  x[0] = 1\n  return x":    "assignment to a part",
		"def f(x):\n  while x: pass\n":         "while has no meaning",
		"def f(*args): return args":            "arguments in any number",
		"np.sum(x, where=y)":                   "the argument where",
		"np.linalg.norm(X, 2, axis=None, z=1)": "",
		"F.cross_entropy(logits, classes)":     "cross_entropy with classes by number",
		"x @ 2":                                "@ needs tensors",
		"np.einsum('ij,jk', A)":                "does not fit",
		"np.einsum('...i', A)":                 "ellipsis",
		"x.reshape(k, 3)":                      "",
		"jax.nn.gelu(x)":                       "has to be written out",
		"F.gelu(x, approximate='tanh')":        "has to be written out",
		"np.inf * x":                           "inf has no meaning",
		"def f(x): pass":                       "returns nothing",
		"def f(x):\n  return x\ndef g(x):\n  return x": "two functions",
		"'text'":                     "one tensor or number",
		"x +":                        "this is no Python",
		strings.Repeat("(", 300):     "nested",
		strings.Repeat("-", 50_000):  "this is no Python",
		strings.Repeat("x**", 5000):  "nested",
		strings.Repeat("x ", 60_000): "bytes long",
		strings.Repeat("F.leaky_relu(", 100) + "x" + strings.Repeat(")", 100):                             "gets longer",
		"def f(x):\n" + strings.Repeat("  x = np.concatenate([x, x])\n", 60) + "  return np.ones_like(x)": "gets longer",
	} {
		f, err := Parse(src, syntax.DefaultLimits)
		if err == nil {
			orders := map[string]int{}
			for _, name := range f.Open() {
				orders[name] = 1
			}
			if strings.Contains(src, "A)") || strings.Contains(src, "logits") {
				orders["A"], orders["logits"] = 2, 2
			}
			_, err = f.Translate(orders)
		}
		require.Error(t, err, "%.80s", src)
		require.Contains(t, err.Error(), want, "%.80s", src)
	}
}

// TestTranslations: what is written for one argument is the same for all ways to write it.
func TestTranslations(t *testing.T) {
	for _, same := range [][]string{
		{"np.sum(x)", "x.sum()", "torch.sum(x)", "jnp.sum(x, axis=0)", "np.sum(x, axis=-1)", "lambda x: np.sum(x)", "def f(x):\n    return np.sum(x)  # all\n"},
		{"np.exp(x)", "jnp.exp( x )", "x.exp()", "np.exp(\n  x\n)"},
		{"x @ y", "np.dot(x, y)", "np.matmul(x, y)", "x.dot(y)", "np.inner(x, y)"},
		{"np.maximum(x, 0)", "np.clip(x, 0, None)", "x.clamp(min=0)"},
		{"x[:, None] * y[None, :]", "x[:, np.newaxis] * y", "np.expand_dims(x, 1) * y", "x.unsqueeze(1) * y"},
	} {
		want := ""
		for _, src := range same {
			f, err := Parse(src, syntax.DefaultLimits)
			require.NoError(t, err, src)
			text, err := f.Translate(map[string]int{"x": 1, "y": 1})
			require.NoError(t, err, src)
			_, text, _ = strings.Cut(text, "\n")
			text = strings.NewReplacer("sum(x, axis=0)", "sum(x)").Replace(text)
			if want == "" {
				want = text
			}
			require.Equal(t, want, text, src)
		}
	}
}
