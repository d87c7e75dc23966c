package adjoint

import (
	"slices"
	"sync"

	"frechet/combinators"
	"frechet/combinators/denote"
	algebra "frechet/combinators/rules"
	"frechet/combinators/text"
	"frechet/rewrite"
	"frechet/rewrite/normal"
)

// subspaces are the rules of variables that are their part in a subspace, by name.
var subspaces = sync.OnceValue(func() map[string]*text.Rule {
	f, err := text.ParseRules(algebra.Attributes)
	if err != nil {
		panic(err)
	}
	rules := map[string]*text.Rule{}
	for _, r := range f.Rules {
		rules[r.Name] = r
	}
	return rules
})

// Part is the part of the variable x in the subspace of its attributes, a value that equals it: the symmetric part of a
// symmetric matrix. The step is the rule by which it is; ok is false where the values of x are no subspace.
func Part(x *Node) (step normal.Step, ok bool) { return partOf(x, x) }

// partOf is the part of a value z in the subspace of the attributes of x.
func partOf(x, z *Node) (step normal.Step, ok bool) {
	r, s := subspaces()[x.Attributes().PartRule(x.Order())], x.Store()
	if r == nil {
		return step, false
	}
	f := rewrite.Firing{Rule: r, Before: x, Values: []denote.Binding{{Name: r.Vars[0].Name, Value: z}}}
	for k, d := range r.Vars[0].Type.Cod.Dims {
		f.Sizes = append(f.Sizes, denote.SizeBinding{Name: d.Name, Size: x.Shape()[k]})
	}
	after, err := denote.ReadNode(s, r.Right, &denote.Env{Values: f.Values, Sizes: f.Sizes})
	if err != nil {
		panic(err)
	}
	f.After, f.Hole = after, s.Var("#hole", x.Shape())
	f.Context = f.Hole
	return normal.Step{Rule: r.Name, Before: x, After: after, Firing: &f}, true
}

// Restrict is outs, values of one store, with the part in its subspace in the place of each variable that has one. The derivative of
//
//	f(S)  at symmetric S, that of  f(P(S))  with P(S) = (S + S')/2,
//
// is then that of f on the subspace: D f . P, whose adjoint is P . adjoint(D f), the gradient's part in the subspace.
// What is restricted already stays. told, where it is not nil, is told of the steps.
func Restrict(outs, wrt []*Node, told func(normal.Step)) []*Node {
	for _, x := range wrt {
		step, ok := Part(x)
		if !ok {
			continue
		}
		next := combinators.Rebuild(outs, func(n *Node, args []*Node) *Node {
			if n == x || n == step.After {
				return step.After
			}
			return n.With(args)
		})
		if told != nil && !slices.Equal(next, outs) {
			told(step)
		}
		outs = next
	}
	return outs
}
