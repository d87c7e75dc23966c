package verify

import (
	"fmt"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/rewrite"
)

// Coverage checks that nothing is left out: every constructor of linear maps has an adjoint rule,
// every operation a derivative, and every class of operations a rule that states what it promises.
// The gaps are named.
func Coverage() (line string, gaps []string) {
	var rules []*text.Rule
	for _, f := range Shipped() {
		parsed, err := text.ParseRules(f.Text)
		if err != nil {
			return "", []string{f.Name + ": " + err.Error()}
		}
		rules = append(rules, parsed.Rules...)
	}
	covered := 0
	for _, op := range combinators.LinearOps() {
		if op == combinators.MapDerivative {
			covered++ // the rules for D work it out first
			continue
		}
		found := false
		for _, r := range rules {
			l := r.Left
			if l.Op == text.Call && l.Name == "adjoint" {
				head, ok := rewrite.PatternOp(l.Args[0])
				found = found || ok && head == op
			}
		}
		if covered++; !found {
			gaps = append(gaps, fmt.Sprintf("no rule for the adjoint of %s", op))
			covered--
		}
	}
	// the classes: what each promises, and the rule that is tested for it
	for class, rule := range map[string]string{"contraction": "D-multilinear", "sum": "D-sum", "linear": "D-linear",
		"element-wise and primitive": "D-atom", "adjoint of a linear atom": "A-atom", "adjoint of a contraction": "A-contraction"} {
		found := false
		for _, r := range rules {
			found = found || r.Name == rule
		}
		if !found {
			gaps = append(gaps, fmt.Sprintf("the class %s has no rule %s", class, rule))
		}
	}
	tested, faults := operations()
	return fmt.Sprintf("%d constructors of linear maps have adjoints; %s", covered, tested), append(gaps, faults...)
}
