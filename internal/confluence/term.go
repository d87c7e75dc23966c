// Package confluence counts how often simplification gives one normal form to several
// writings of one value.
//
// A [Term] is a value before it is in a store: its sums and products are as wide as they are,
// and an index is a number. [Term.Build] makes it in a store, plainly or, given a source of
// randomness, in another writing: operands in another order and associated in another way,
// indices under other names, nodes made in another order, transposes pushed through
// functions, an index substituted by another one and delta. All writings have one value by
// the laws that a normal form claims to decide: commutativity, associativity, the renaming of
// bound indices, and f(x)' = f(x').
package confluence

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// Node is a value in a store.
type Node = combinators.Node

// Op is the operation of a term.
type Op uint8

// The operations. Sum and Product have any number of operands.
const (
	Variable    Op = iota
	Number         // Coef, in every entry
	Sum            // of Args, with the factors Coefs
	Product        // Coef times the contraction of Args over letters
	General        // the contraction Ein of Args, with affine index maps
	Elementwise    // the function Name, or the power Coef
	Primitive      // the matrix function, reduction or reshape Name with attribute Attr
	Redex          // the left side of the rule Name, with the numbers Coefs and Attr leading axes
)

// Term is a value that is in no store yet. Terms are immutable; one that stands in two
// places is shared, as a let is.
type Term struct {
	Op    Op
	Name  string
	Attr  int
	Guard combinators.Guard
	Coef  *big.Rat
	Coefs []*big.Rat
	Args  []*Term
	In    [][]int
	Out   []int
	Dims  []size.Size // of the letters; of a split, the two axes
	Ein   *einsum.Contraction
	Shape []size.Size
}

// Topo lists the terms that t reaches, operands first.
func (t *Term) Topo() []*Term {
	seen := map[*Term]bool{}
	var out []*Term
	var visit func(*Term)
	visit = func(t *Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, a := range t.Args {
			visit(a)
		}
		out = append(out, t)
	}
	visit(t)
	return out
}

// String writes a term as let lines, for people who read a failure.
func (t *Term) String() string {
	var b strings.Builder
	names := map[*Term]string{}
	for i, u := range t.Topo() {
		if u.Op == Variable {
			names[u] = u.Name
			continue
		}
		names[u] = fmt.Sprintf("t%d", i)
		args := make([]string, len(u.Args))
		for k, a := range u.Args {
			args[k] = names[a]
			if u.Op == Sum && u.Coefs[k].RatString() != "1" {
				args[k] = u.Coefs[k].RatString() + "*" + args[k]
			}
		}
		fmt.Fprintf(&b, "%s%s = %s\n", names[u], size.Shape(u.Shape), u.head()+strings.Join(args, ", ")+")")
	}
	return b.String()
}

func (t *Term) head() string {
	switch t.Op {
	case Number:
		return t.Coef.RatString() + "("
	case Sum:
		return "sum("
	case Product:
		var groups []string
		for _, g := range t.In {
			groups = append(groups, letters(g))
		}
		return fmt.Sprintf("%s*(%s->%s over %s; ", t.Coef.RatString(), strings.Join(groups, ","), letters(t.Out), size.Shape(t.Dims))
	case General:
		return "ein[" + t.Ein.Key() + "]("
	case Elementwise:
		if t.Coef != nil {
			return fmt.Sprintf("power[%s guard %d](", t.Coef.RatString(), t.Guard)
		}
	}
	return fmt.Sprintf("%s[%d](", t.Name, t.Attr)
}

func letters(g []int) string {
	var b strings.Builder
	for _, v := range g {
		b.WriteString(einsum.Letter(v))
	}
	return b.String()
}

// replace is t with the term old replaced by x, which has its shape.
func (t *Term) replace(old, x *Term) *Term {
	image := map[*Term]*Term{}
	for _, u := range t.Topo() {
		v := u
		for k, a := range u.Args {
			if b := image[a]; b != a {
				if v == u {
					c := *u
					c.Args = slices.Clone(u.Args)
					v = &c
				}
				v.Args[k] = b
			}
		}
		if u == old {
			v = x
		}
		image[u] = v
	}
	return image[t]
}

func ratio(a, b int64) *big.Rat { return big.NewRat(a, b) }

// without is t without operand k; letters that only it has stay, as axes of ones.
func (t *Term) without(k int) *Term {
	u := *t
	u.Args = slices.Delete(slices.Clone(t.Args), k, k+1)
	if t.Op == Sum {
		u.Coefs = slices.Delete(slices.Clone(t.Coefs), k, k+1)
	} else {
		u.In = slices.Delete(slices.Clone(t.In), k, k+1)
	}
	return &u
}
