package verify

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/rewrite"
	"frechet/rewrite/normal"
	"frechet/rewrite/proof"
)

// A Join is a proof that both results of a critical pair are equal.
type Join string

const (
	NoJoin       Join = ""
	OneForm      Join = "one normal form"
	ByCases      Join = "one normal form for positive entries, for 0 and for negative ones"
	ByDefinition Join = "one sum of products when softplus, sigmoid and their like are written out"
)

// Joins lists the proofs, strongest first.
func Joins() []Join { return []Join{OneForm, ByCases, ByDefinition} }

//go:embed definitions.rules
var definitionLaws string

// definitionRules write functions out: those that the table of operations defines, and those along axes, with the laws. sinh
// and cosh stay: cosh(x) is what stands for a positive value.
var definitionRules = func() string {
	var b strings.Builder
	for _, at := range atom.Rows() {
		if at.Definition != "" && at != atom.Sinh && at != atom.Cosh {
			x := []string{"x", "y"}[:at.Arity]
			fmt.Fprintf(&b, "rule %s \"definition\" [%s: S] %s(%s) => %s\n", at.Name, strings.Join(x, " "), at.Name, strings.Join(x, ", "), at.Definition)
		}
	}
	return b.String() + definitionLaws
}()

// definitions unfold what the rules of the program fold.
var definitions = sync.OnceValue(func() *rewrite.Rules { return rewrite.MustLoadRules(definitionRules) })

// join looks for a proof that a and b are equal.
func join(a, b *combinators.Node) Join {
	if a != b {
		forms := normal.New(a.Store(), nil).Simplify(a, b)
		a, b = forms[0], forms[1]
	}
	switch {
	case a == b:
		return OneForm
	case joinByCases(a, b):
		return ByCases
	case joinByDefinition(a, b):
		return ByDefinition
	}
	return NoJoin
}

// joinByDefinition compares the terms written out, as sums of products where their normal forms are
// factored in different ways.
func joinByDefinition(a, b *combinators.Node) bool {
	form := func(n *combinators.Node) *combinators.Node {
		z := normal.NewBy(n.Store(), nil, definitions())
		z.Flatten = true
		return z.Simplify(n)[0]
	}
	x, y := form(a), form(b)
	return x == y || proof.Equal(a.Store(), x, y)
}

// joinByCases brings a and b to normal form for a variable that is positive, 0, or negative. Both
// must work entry by entry: a case is then the sign of an entry, and other entries do not matter.
func joinByCases(a, b *combinators.Node) bool {
	var x *combinators.Node
	for _, n := range combinators.Topo(a, b) {
		switch {
		case n.Atom().Class == atom.ClassVariable:
			if x != nil {
				return false
			}
			x = n
		case !entrywise(n):
			return false
		}
	}
	s := a.Store()
	if x == nil {
		return undefined(a) && undefined(b)
	}
	up := s.Unary(atom.Cosh, x)
	for _, v := range []*combinators.Node{up, s.Zero(x.Shape()), s.Neg(up)} {
		forms := normal.New(s, nil).Simplify(replaceNode(x, v, a, b)...)
		if forms[0] != forms[1] && !(undefined(forms[0]) && undefined(forms[1])) && !joinByDefinition(forms[0], forms[1]) {
			return false
		}
	}
	return true
}

// undefined reports whether n divides by 0.
func undefined(n *combinators.Node) bool {
	for _, m := range combinators.Topo(n) {
		if m.Is(atom.Power) && m.Rat().Sign() < 0 {
			if r, ok := m.Arg(0).Filled(); ok && r.Sign() == 0 {
				return true
			}
		}
	}
	return false
}

// entrywise reports whether an entry of n is a function of the same entries of its operands.
func entrywise(n *combinators.Node) bool {
	switch n.Atom().Class {
	case atom.ClassConstant, atom.ClassSum, atom.ClassElementwise:
		return true
	case atom.ClassContraction:
		in, out, plain := n.Ein().IsPlain()
		if !plain || len(out) != len(n.Ein().Vars) {
			return false
		}
		for k := range in {
			if !slices.Equal(in[k], out) && len(in[k]) > 0 {
				return false
			}
		}
		for v := range out {
			if out[v] != v {
				return false
			}
		}
		return true
	}
	return false
}

// replaceNode puts v for the variable x.
func replaceNode(x, v *combinators.Node, outs ...*combinators.Node) []*combinators.Node {
	image := map[*combinators.Node]*combinators.Node{x: v}
	for _, n := range combinators.Topo(outs...) {
		if n == x {
			continue
		}
		args := lists.Map(n.Args(), func(a *combinators.Node) *combinators.Node { return image[a] })
		image[n] = n.With(args)
	}
	return lists.Map(outs, func(n *combinators.Node) *combinators.Node { return image[n] })
}

// claimEqual is what is found of the equality of both sides of instances: tested mod p,
// float-tested where the model does not decide, or refuted.
func claimEqual(instances []*instance) string {
	t := newTrial(&signature{rule: &text.Rule{}}, &Report{})
	for _, in := range instances {
		if t.modular(in); !t.refuted {
			t.floats(in)
		}
	}
	switch {
	case t.refuted:
		return Refuted
	case t.doubt:
		return Assumed
	case t.modOnly && t.decided > 0:
		return TestedMod
	case t.defined > 0:
		return FloatTested
	}
	return Assumed
}
