package conformance_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"frechet/adjoint"
	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/internal/corpus"
	"frechet/rewrite/normal"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/unparse"

	"github.com/stretchr/testify/require"
)

var appendixInput = regexp.MustCompile(`^declare (.*?) expression (.*) derivative wrt (\w+)$`)

// unequalForms are printed derivatives with another normal form than ours, each with the
// reason. Their values are compared like all others by TestThesisAppendix.
var unequalForms = map[string]string{
	"appendix/a43": "x^x * x * (1/x) for x * x^(x-1): they differ at 0, where only the second has no pole",
	"appendix/a46": "the thesis writes the derivative of adj with inv, which singular matrices do not have; ours is the second derivative of det",
}

// TestPrintedDerivatives: the derivative that the thesis prints is ours, as a term in
// normal form. Printed constants leave their order and sizes to the reader, (1 + 1) for
// the derivative of sum(X + X), so both are compared with a variable Z added.
func TestPrintedDerivatives(t *testing.T) {
	cases, err := corpus.Load("../../testdata/einstein/appendix.jsonl")
	require.NoError(t, err)
	equal := 0
	for _, c := range cases {
		if c.Printed == "" {
			continue
		}
		ours, printed, err := bothForms(c)
		_, exempt := unequalForms[c.ID]
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.ID, err)
		case ours == printed:
			equal++
			if exempt {
				t.Errorf("%s has become equal: take it from the list", c.ID)
			}
		case !exempt:
			t.Errorf("%s: %s\n    ours     %s\n    printed  %s", c.ID, c.Request["input"], nodeText(ours), nodeText(printed))
		}
	}
	t.Logf("%d printed derivatives are ours, %d have another form", equal, len(unequalForms))
}

// bothForms are our derivative and the printed one, in one store.
func bothForms(c *corpus.Case) (ours, printed *combinators.Node, err error) {
	var input string
	dims := map[string][]int64{}
	if err := json.Unmarshal(c.Request["input"], &input); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(c.Request["dims"], &dims); err != nil {
		return nil, nil, err
	}
	m := appendixInput.FindStringSubmatch(input)
	if m == nil {
		return nil, nil, fmt.Errorf("unexpected form of %q", input)
	}
	shape := c.Expect.Derivative.(map[string]any)["shape"].([]any)
	dims["Z"] = make([]int64, len(shape))
	for i, n := range shape {
		dims["Z"][i] = int64(n.(float64))
	}
	src := fmt.Sprintf("declare %s Z %d expression f = %s expression g = %s + Z", m[1], len(shape), m[2], c.Printed)
	file, err := syntax.Parse(src, syntax.Limits{})
	if err != nil {
		return nil, nil, err
	}
	prog, err := elab.Elaborate(file, elab.Options{Dims: dims})
	if err != nil {
		return nil, nil, err
	}
	var x, z *combinators.Node
	for _, p := range prog.Params {
		switch p.Name {
		case m[3]:
			x = p.Node
		case "Z":
			z = p.Node
		}
	}
	f := normal.Simplify(prog.Outputs[0].Node)[0]
	js, err := jacobian.Of(adjoint.Standard(), f, []*combinators.Node{x}, jacobian.Planned)
	if err != nil {
		return nil, nil, err
	}
	forms := normal.Simplify(prog.Store.Add(normal.Simplify(js[0])[0], z), prog.Outputs[1].Node)
	forms = withoutGuards(forms...)
	return forms[0], forms[1], nil
}

// withoutGuards makes all nodes ordinary functions, as text shows them.
func withoutGuards(nodes ...*combinators.Node) []*combinators.Node {
	return combinators.Rebuild(nodes, func(n *combinators.Node, args []*combinators.Node) *combinators.Node {
		return n.With(args).WithGuard(combinators.GuardNone)
	})
}

func nodeText(n *combinators.Node) string {
	stmts, err := unparse.Program([]*combinators.Node{n}, unparse.Options{Notation: unparse.Einstein})
	if err != nil {
		return err.Error()
	}
	return syntax.PrintFile(&syntax.File{Stmts: stmts})
}
