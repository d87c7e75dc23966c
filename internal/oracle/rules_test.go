package oracle

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/adjoint"
	"frechet/combinators"
	closed "frechet/combinators/program"
	algebra "frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/internal/golden"
	"frechet/rewrite"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
	"frechet/rewrite/verify"
	"frechet/syntax"
	"frechet/syntax/elab"
	"frechet/syntax/unparse"
)

// An example is a program and what simplification makes of it, by the rule or native step of the name. Of
// several expressions the last one is simplified where the others have values.
type example struct{ rule, program, result string }

// examplesOf reads testdata/rules: a file of blocks beside each rule file. A block is the name of a rule, a
// program, and behind => the result.
func examplesOf(t *testing.T, path string) (out []example) {
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, block := range strings.Split("\n"+string(src), "\n"+golden.Head)[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		source, result, _ := strings.Cut(rest, "\n=> ")
		out = append(out, example{name, strings.TrimSpace(source), strings.TrimSpace(result)})
	}
	return out
}

// Every rule and every native step that is shipped has an example, in which it fires, with the result that
// is stated.
func TestRules(t *testing.T) {
	for _, file := range verify.Shipped() {
		t.Run(file.Name, func(t *testing.T) {
			t.Parallel()
			rules, err := text.ParseRules(file.Text)
			require.NoError(t, err)
			var names []string
			for _, r := range rules.Rules {
				names = append(names, r.Name)
			}
			for _, n := range rules.Natives {
				names = append(names, n.Name)
			}
			path := examplesFile(file.Name)
			examples := examplesOf(t, path)
			var stated []string
			var b strings.Builder
			for _, e := range examples {
				stated = append(stated, e.rule)
				got, fired, err := run(e.program, nil, adjoint.Standard())
				if !assert.NoError(t, err, e.rule) {
					got = e.result
				} else if !slices.ContainsFunc(fired, func(r *text.Rule) bool { return r.Name == e.rule || uses(r, rules.Natives, e.rule) }) {
					t.Errorf("%s: no step is made by it:\n%s\n=> %s\nby %s", e.rule, e.program, got, ruleNames(fired))
				}
				fmt.Fprintf(&b, "%s%s\n%s\n=> %s\n", golden.Head, e.rule, e.program, got)
			}
			require.Equal(t, names, slices.Compact(stated), "%s has examples of each rule and native step, in their order", path)
			golden.Blocks(t, path, b.String(), *update)
		})
	}
}

// alsoBy are rules whose examples have the same result by others, in more steps or by native ones; with them
// critical pairs join, and adjoints are not worked out twice.
var alsoBy = map[string]string{"softplus": "logaddexp-softplus", "cofactor-transpose": "M-transpose", "A-copower": "C-copower-leaf", "A-adjoint": "A-contraction"}

// Without the rule, its example has another result, but for alsoBy.
func TestRulesAreNeeded(t *testing.T) {
	values, err := text.ParseRules(algebra.Algebra + algebra.Spectral)
	require.NoError(t, err)
	for _, file := range verify.Shipped() {
		parsed, err := text.ParseRules(file.Text)
		require.NoError(t, err)
		for _, e := range examplesOf(t, examplesFile(file.Name)) {
			i := slices.IndexFunc(parsed.Rules, func(r *text.Rule) bool { return r.Name == e.rule })
			if i < 0 {
				continue // a native step
			}
			laws, calculus := (*rewrite.Rules)(nil), adjoint.Standard()
			if !parsed.Rules[i].OnMaps() {
				laws, err = rewrite.CompileRules(&text.File{Rules: slices.DeleteFunc(slices.Clone(values.Rules), func(r *text.Rule) bool { return r.Name == e.rule })})
			} else {
				calculus, err = adjoint.NewCalculus(nil, adjoint.RuleFile{Name: file.Name, Text: without(file.Text, parsed.Rules[i])})
			}
			if !assert.NoError(t, err, e.rule) {
				continue
			}
			got, fired, err := run(e.program, laws, calculus)
			if rules := alsoBy[e.rule]; rules != "" {
				assert.Equal(t, e.result, got)
				assert.Contains(t, ruleNames(fired), rules)
			} else if err == nil {
				assert.NotEqual(t, e.result, got, "%s has the result without %s", e.program, e.rule)
			}
		}
	}
}

// without is a rule file without a rule: the line on which it begins, and those that go on with it.
func without(src string, r *text.Rule) string {
	lines := strings.SplitAfter(src, "\n")
	end := r.Pos.Line
	for end < len(lines) && strings.HasPrefix(lines[end], " ") {
		end++
	}
	return strings.Join(slices.Concat(lines[:r.Pos.Line-1], lines[end:]), "")
}

func examplesFile(rules string) string {
	return testdata + "rules/" + strings.NewReplacer("/rules/", "/", ".rules", ".txt").Replace(rules)
}

func ruleNames(rules []*text.Rule) string {
	names := map[string]bool{}
	for _, r := range rules {
		names[r.Name] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// uses reports whether what rule r makes is the native step of the name.
func uses(r *text.Rule, natives []*text.Native, name string) (found bool) {
	i := slices.IndexFunc(natives, func(n *text.Native) bool { return n.Name == name })
	if i >= 0 && r.Right != nil {
		text.Walk(r.Right, func(t *text.Term) bool {
			found = found || t.Op == text.Call && t.Name == natives[i].Step
			return true
		})
	}
	return found
}

// run simplifies the value of a program, or the map of one in combinator notation, and lists the rules by
// which it does: by those of laws on values, the program's where they are nil, or by those of a calculus on maps.
func run(src string, laws *rewrite.Rules, calculus *adjoint.Calculus) (result string, fired []*text.Rule, err error) {
	if strings.Contains(src, " : ") {
		p, err := closed.Parse(src, nil, nil, syntax.Limits{})
		if err != nil {
			return "", nil, err
		}
		q, err := p.Elaborate(elab.Options{}, func(m combinators.Map) (combinators.Map, error) { return calculus.ClosedSimplify(m, nil) })
		if err != nil {
			return "", nil, err
		}
		m, err := calculus.ClosedForm(q.Maps[0].Map, func(f rewrite.ClosedFiring) { fired = append(fired, f.Rule) })
		return text.PrintClosed(m, false), fired, err
	}
	f, err := syntax.Parse(src, syntax.Limits{})
	if err != nil {
		return "", nil, err
	}
	p, err := elab.Elaborate(f, elab.Options{})
	if err != nil {
		return "", nil, err
	}
	facts := assumptions.New()
	last := len(p.Outputs) - 1
	for _, o := range p.Outputs[:last] {
		facts.Assume(o.Node)
	}
	z := normal.New(p.Store, facts)
	if laws != nil {
		z = normal.NewBy(p.Store, facts, laws)
	}
	z.Trace = func(s normal.Step) { fired = append(fired, &text.Rule{Name: s.Rule}) }
	stmts, err := unparse.Program(z.Simplify(p.Outputs[last].Node), unparse.Options{ShapesKnown: true})
	if err != nil {
		return "", nil, err
	}
	if len(stmts) == 1 {
		return syntax.Print(stmts[0].Expr), fired, nil
	}
	return strings.TrimSpace(syntax.PrintFile(&syntax.File{Stmts: stmts})), fired, nil
}
