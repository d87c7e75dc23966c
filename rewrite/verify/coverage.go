package verify

import (
	"fmt"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
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
	differentiated, missing := operations()
	return fmt.Sprintf("%d constructors of linear maps have adjoints, %d operations have derivatives", covered, differentiated), append(gaps, missing...)
}

// operations differentiates every operation of the table at variables.
func operations() (count int, missing []string) {
	s := combinators.NewStore()
	p := &pool{s: s}
	nodes := p.atoms()
	c, b := s.Var("C", []size.Size{size.Const(2), size.Const(2)}), s.Var("B", []size.Size{size.Const(2), size.Const(3)})
	nodes = append(nodes, s.Add(b, s.Var("B2", b.Shape())), s.Solve(c, b), s.Merge(0, b),
		s.Split(0, size.Const(2), size.Const(3), s.Var("z", []size.Size{size.Const(6)})), s.Einsum("ij,jk->ik", c, b))
	seen := map[*combinators.Atom]bool{combinators.AtomVar: true, combinators.AtomConst: true}
	for _, n := range nodes {
		seen[n.Atom()] = true
		block := &combinators.Block{Store: s, Params: n.Args(), Outs: []*combinators.Node{n}}
		if _, err := adjoint.D(block, block.Params); err != nil {
			missing = append(missing, err.Error())
		}
	}
	for _, at := range combinators.Atoms() {
		if !seen[at] {
			missing = append(missing, "no test of the operation "+at.Name)
		}
	}
	return len(seen) - 2, missing
}
