package closed

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"frechet/internal/corpus"
	"frechet/internal/golden"
	"frechet/syntax"
	"frechet/syntax/unparse"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the scores of testdata/oracles")

func forms(t *testing.T) []*corpus.Form {
	all, err := corpus.LoadForms("../../testdata/closed/forms.jsonl")
	require.NoError(t, err)
	return all
}

// TestDerivativesAreShort: of the functions whose closed form assumes nothing, nearly all
// derivatives have no more nodes than the shortest form known, and on average they are as
// short; not by larger intermediates than that form has. The score is that of testdata/oracles.
func TestDerivativesAreShort(t *testing.T) {
	var table Table
	var each strings.Builder
	for _, f := range forms(t) {
		if f.Assumes != "" {
			continue
		}
		d, err := Derive(f, f.Einstein)
		require.NoError(t, err, f.ID)
		table.Add(d)
		fmt.Fprintf(&each, "%s: %d nodes, reference %d, intermediates of order %d\n", f.ID, d.Nodes, f.Nodes, d.Order)
		if d.Nodes <= f.Nodes && d.Order > max(f.MaxOrder, given(f)) {
			t.Errorf("%s has an intermediate of order %d, its closed form one of %d:\n    %s\n    %s", f.ID, d.Order, f.MaxOrder, d.Text, f.ClosedEinstein)
		}
	}
	var b strings.Builder
	require.NoError(t, table.Write(&b))
	golden.Blocks(t, "../../testdata/oracles/score.txt", fmt.Sprintf("%sgroups\n%s%sforms\n%s", golden.Head, b.String(), golden.Head, each.String()), *update)
	for _, d := range table.Longer() {
		b.WriteString(describe(d))
	}
	t.Logf("\n%s", b.String())
	groups, all := table.ByGroup(), table.All()
	require.GreaterOrEqual(t, groups.Share, 0.85, "share of derivatives that are no longer than known, by group")
	require.LessOrEqual(t, groups.Mean, 1.05, "geometric mean of the node ratio, by group")
	require.LessOrEqual(t, all.Mean, 1.05, "geometric mean of the node ratio")
}

// TestAssumedFormsAreShort: with what they assume declared, so far as it is more than that the program is defined, all derivatives
// are as short as the shortest form known, and right at values that are as declared.
func TestAssumedFormsAreShort(t *testing.T) {
	assumed := 0
	for _, f := range forms(t) {
		if f.Assumes == "" {
			continue
		}
		assumed++
		d, err := Derive(f, f.Einstein)
		require.NoError(t, err, f.ID)
		require.LessOrEqual(t, d.Nodes, f.Nodes, "%s\n%s\n%s", f.ID, d.Text, f.ClosedEinstein)
		raw, closed, err := Check(f, f.Einstein, f.ClosedEinstein, 1)
		require.NoError(t, err, f.ID)
		require.LessOrEqual(t, max(raw, closed), 1e-8, f.ID)
	}
	require.Equal(t, 35, assumed)
}

// TestLiterature and TestTextbook: forms that were written from the literature before any of our derivatives of them was seen. The
// derivatives are right, and their score is that of testdata/oracles.
func TestLiterature(t *testing.T) { unseen(t, "literature", 96) }
func TestTextbook(t *testing.T)   { unseen(t, "textbook", 90) }

func unseen(t *testing.T, name string, cases int) {
	all, err := corpus.LoadForms("../../testdata/closed/" + name + ".jsonl")
	require.NoError(t, err)
	var table Table
	for _, f := range all {
		if f.Assumes != "" {
			continue
		}
		d, err := Derive(f, f.Einstein)
		require.NoError(t, err, f.ID)
		table.Add(d)
		raw, closed, err := Check(f, f.Einstein, f.ClosedEinstein, 1)
		require.NoError(t, err, f.ID)
		require.LessOrEqual(t, max(raw, closed), 1e-8, "%s\n%s", f.ID, d.Text)
	}
	var b strings.Builder
	require.NoError(t, table.Write(&b))
	golden.Blocks(t, "../../testdata/oracles/"+name+".txt", fmt.Sprintf("%sgroups\n%s", golden.Head, b.String()), *update)
	require.Equal(t, cases, table.All().Cases)
}

// given is the largest order of a variable: what is given is no intermediate.
func given(f *corpus.Form) int {
	most := 0
	for d := range strings.FieldsSeq(f.Declare) {
		if !strings.HasSuffix(d, "[]") {
			most = max(most, strings.Count(d, ",")+1)
		}
	}
	return most
}

func describe(d *Derivation) string {
	return "\n" + d.Form.ID + " is longer:\n    " + strings.ReplaceAll(d.Text, "\n", "\n    ") + "\n    " +
		d.Form.ClosedEinstein + "\n    missing of: " + strings.Join(d.Form.Rules, ", ") + "\n"
}

// TestBothNotationsGiveOneDerivative: what the matrix notation says has a derivative of
// the same length. Where a form assumes symmetry, which we cannot state, the two may share
// differently.
func TestBothNotationsGiveOneDerivative(t *testing.T) {
	for _, f := range forms(t) {
		if f.Matrix == "" || f.Assumes != "" {
			continue
		}
		a, err := Derive(f, f.Einstein)
		require.NoError(t, err, f.ID)
		b, err := Derive(f, f.Matrix)
		require.NoError(t, err, f.ID)
		if a.Nodes != b.Nodes {
			t.Errorf("%s: %d nodes from\n    %s\n  %s\n%d nodes from\n    %s\n  %s", f.ID, a.Nodes, f.Einstein, a.Text, b.Nodes, f.Matrix, b.Text)
		}
	}
}

// TestCountsAreTheCorpus: nodes are counted as the corpus counts them.
func TestCountsAreTheCorpus(t *testing.T) {
	for _, f := range forms(t) {
		for _, c := range []struct {
			text  string
			nodes int
		}{{f.ClosedEinstein, f.Nodes}, {f.ClosedMatrix, f.NodesMatrix}, {f.Einstein, f.NodesFunction}} {
			if c.text == "" {
				continue
			}
			file, err := syntax.Parse(f.Program(c.text), syntax.Limits{})
			require.NoError(t, err, c.text)
			n, err := unparse.Count(file.Stmts, nil)
			require.NoError(t, err, c.text)
			if n != c.nodes {
				t.Errorf("%s: %s has %d nodes, the corpus says %d", f.ID, c.text, n, c.nodes)
			}
		}
	}
}
