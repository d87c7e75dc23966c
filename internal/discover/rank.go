package discover

import (
	"context"
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/internal/program"
	"frechet/rewrite"
	"frechet/rewrite/normal"
	"frechet/rewrite/search"
	"frechet/rewrite/verify"
)

// valuesOf are the values of programs, in normal form.
func valuesOf(programs []string) (values []*combinators.Node, err error) {
	for _, src := range programs {
		f, err := program.Read(src, program.Options{})
		if err != nil {
			return nil, err
		}
		for _, out := range f.Outputs {
			if out.Node != nil {
				values = append(values, normal.Simplify(out.Node)...)
			}
		}
	}
	return values, nil
}

// shortens counts the values that a rule makes smaller.
func shortens(ctx context.Context, r *text.Rule, values []*combinators.Node) (n int) {
	rs, err := rewrite.CompileRules(&text.File{Rules: []*text.Rule{r}})
	if err != nil || verify.AddForms(rs, func(*text.Rule, string) {}) != nil {
		return 0
	}
	for _, v := range values {
		if ctx.Err() == nil && slices.ContainsFunc(combinators.Topo(v), func(m *combinators.Node) bool { return shortened(rs, v, m) }) {
			n++
		}
	}
	return n
}

// shortened reports whether a rule that is applied to a part makes a value smaller.
func shortened(rs *rewrite.Rules, v, part *combinators.Node) (is bool) {
	rs.Each(part, nil, func(f rewrite.Firing) bool {
		after := normal.Simplify(combinators.Replace([]*combinators.Node{v}, part, f.After)[0])[0]
		is = search.Size(after) < search.Size(v)
		return !is
	})
	return is
}
