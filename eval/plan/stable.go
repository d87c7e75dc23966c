package plan

import (
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/rules"
	"frechet/rewrite"
)

// What is read is not always what computes best: exp(x) - 1 has no digits near 0, log(exp(x) - exp(y)) no value at 1000. The
// rules of combinators/rules/stable.rules give such terms forms that have; those of the algebra take these on, as log(2*exp(x))
// to log(2) + x.
var (
	stableRules  = sync.OnceValue(func() *rewrite.Rules { return rewrite.MustLoadRules(rules.Stable) })
	algebraRules = sync.OnceValue(func() *rewrite.Rules { return rewrite.MustLoadRules(rules.Algebra) })
)

// stable gives nodes in stable forms, in a store of their own; nil where they have these already.
func stable(nodes []*combinators.Node) []*combinators.Node {
	all := combinators.Topo(nodes...)
	of := stableRules()
	if !slices.ContainsFunc(all, func(n *combinators.Node) bool { return of.Matches(n, nil) }) {
		return nil
	}
	s := combinators.NewStore()
	var image combinators.ByNode[*combinators.Node]
	for _, n := range all {
		args := make([]*combinators.Node, len(n.Args()))
		for k, a := range n.Args() {
			args[k] = image.Get(a)
		}
		image.Set(n, s.Copy(n, args, n.Ein()))
	}
	out := make([]*combinators.Node, len(nodes))
	for i, n := range nodes {
		out[i] = image.Get(n)
	}
	written := s.Len()
	engine := &rewrite.Engine{Rules: []*rewrite.Rules{algebraRules(), of}, Budget: 100 + 4*len(all), Native: func(n *combinators.Node) *combinators.Node { return flat(n, written) }}
	return engine.Normalize(out...)
}

// flat is n with what rules made of its operands in their places, where these are products, and numbers.
func flat(n *combinators.Node, written int) *combinators.Node {
	for k, a := range n.Args() {
		if n.Ein() == nil || a.Ein() == nil || sums(a.Ein()) || int(a.ID()) < written && !slices.ContainsFunc(a.Args(), isNumber) {
			continue
		}
		args := slices.Concat(n.Args()[:k], a.Args(), n.Args()[k+1:])
		return flat(n.Store().Ein(n.Ein().Fuse(k, a.Ein()).Solve(), args...), written)
	}
	return n
}

func isNumber(n *combinators.Node) bool { return n.Is(atom.Const) }
