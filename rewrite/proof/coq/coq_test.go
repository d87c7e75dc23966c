package coq_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet"
	"frechet/rewrite/proof"
	"frechet/rewrite/proof/coq"
	"frechet/rewrite/proof/json"
)

var update = flag.Bool("update", false, "write the theorems of testdata anew")

// theorems are the text of a program's derivation.
func theorems(t require.TestingT, src string) (string, error) {
	f, err := frechet.Parse(src)
	require.NoError(t, err)
	d, err := f.Steps(f.Wrt()...)
	require.NoError(t, err)
	var b strings.Builder
	err = d.Coq(&b)
	return b.String(), err
}

// The theorems of the programs of testdata are as they stand there; internal/coq has them checked.
func TestTheorems(t *testing.T) {
	files, err := filepath.Glob("testdata/*.fr")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			got, err := theorems(t, string(src))
			require.NoError(t, err)
			golden := strings.TrimSuffix(file, ".fr") + ".v"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// A file that states something else is found when it is read back.
func TestChangedTheorems(t *testing.T) {
	src, err := os.ReadFile("testdata/quadratic.fr")
	require.NoError(t, err)
	f, err := frechet.Parse(string(src))
	require.NoError(t, err)
	steps, err := f.Steps(f.Wrt()...)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, steps.Certificate(&b))
	c, err := json.Read(&b)
	require.NoError(t, err)
	d, err := c.Decode(json.NewStore())
	require.NoError(t, err)
	rules, err := proof.LoadRules()
	require.NoError(t, err)
	require.NoError(t, coq.Changed(d, rules, func(text string) string { return text }))
	for _, change := range [][2]string{
		{"(A j i) * (x j)", "(A i j) * (x j)"},           // a transpose
		{"((x i) * (n2 x i))", "((x i) * (n14 x i))"},    // another value
		{"(\\sum_(j < n) ((x j) * (n10 i j)))", "(x i)"}, // no product
		{"(x i) + s * (d i)", "(x i) + s * (x i)"},       // another direction
		{"(fun s => (n3 (along_x s)))", "(fun s => (n4 (along_x s)))"},
		{"(fun s => (n3 (along_x s)))", "(fun s => (n3 x))"},
		{"(n12 x d).\nProof. rewrite", "(n11 x d).\nProof. rewrite"},
		{"(n17 x i) * (d i)).\nProof. apply", "(n16 x i) * (d i)).\nProof. apply"},
		{"Theorem adjoint2", "Lemma adjoint2"},
		{"Theorem value (x : nat -> R) : (n3 x) = (n4 x)", "Theorem value (x : nat -> R) : (n4 x) = (n3 x)"},
		{"Variable x :", "Axiom x :"},
	} {
		err := coq.Changed(d, rules, func(text string) string {
			require.Contains(t, text, change[0])
			return strings.Replace(text, change[0], change[1], 1)
		})
		require.ErrorContains(t, err, "does not state", change[0])
	}
}

// What has no term is withheld with the reason, and nothing is written.
func TestWithheld(t *testing.T) {
	for src, why := range map[string]string{
		"declare x[n] expression sum(lgamma(x)) derivative wrt x":     "lgamma has no definition in the prelude",
		"declare x[n] expression 123456*sum(x .* x) derivative wrt x": "a number with more than 1000 in it",
	} {
		got, err := theorems(t, src)
		require.ErrorContains(t, err, why)
		require.Empty(t, got)
	}
}
