// Package growth makes programs whose derivatives blow up where sharing is lost, as text
// and as terms, and measures what differentiation makes of them.
//
// Each family has one `let` a step, so that the text, the term and, if all is well, every
// derivative grow linearly with the number of steps: as trees most of them grow
// exponentially, and with environments copied at each step quadratically.
package growth

import (
	"fmt"
	"math/big"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// Node is a value of the calculus.
type Node = combinators.Node

// Family is a program x0, x1 = step(x0), ..., xn. Step k, counted from 1, builds x_k
// from the variable and x_{k-1}; Line is the same as text. Both multiply by the
// operator `*`, so the variable has order 0.
type Family struct {
	Name string
	What string
	Step func(s *combinators.Store, k int, x, prev *Node) *Node
	Line func(k int, prev string) string
	// Steps is the largest number of steps at which sizes are measured.
	Steps int
}

// Families lists the programs.
func Families() []Family {
	return []Family{
		{
			Name: "chain", What: "x <- sin(x)", Steps: 100_000,
			Step: func(s *combinators.Store, _ int, _, p *Node) *Node { return s.Unary(atom.Sin, p) },
			Line: func(_ int, p string) string { return "sin(" + p + ")" },
		},
		{
			Name: "sincos", What: "x <- sin(x)*cos(x)", Steps: 100_000,
			Step: func(s *combinators.Store, _ int, _, p *Node) *Node {
				return s.Mul(s.Unary(atom.Sin, p), s.Unary(atom.Cos, p))
			},
			Line: func(_ int, p string) string { return "sin(" + p + ") * cos(" + p + ")" },
		},
		{
			Name: "sum", What: "x <- x + sin(x)", Steps: 100_000,
			Step: func(s *combinators.Store, _ int, _, p *Node) *Node { return s.Add(p, s.Unary(atom.Sin, p)) },
			Line: func(_ int, p string) string { return p + " + sin(" + p + ")" },
		},
		{
			// Values overflow after ten steps or so, terms do not.
			Name: "square", What: "x <- x*x", Steps: 100_000,
			Step: func(s *combinators.Store, _ int, _, p *Node) *Node { return s.Mul(p, p) },
			Line: func(_ int, p string) string { return p + " * " + p },
		},
		{
			Name: "product", What: "p <- p*sin(x)^k", Steps: 100_000,
			Step: func(s *combinators.Store, k int, x, p *Node) *Node {
				return s.Mul(p, s.Power(s.Unary(atom.Sin, x), big.NewRat(int64(k), 1)))
			},
			Line: func(k int, p string) string { return fmt.Sprintf("%s * sin(x)^%d", p, k) },
		},
	}
}

// Build is the family's program of n steps over the variable x, as a term.
func (f Family) Build(s *combinators.Store, n int) (x, y *Node) {
	x = s.Var("x", nil)
	y = x
	for k := 1; k <= n; k++ {
		y = f.Step(s, k, x, y)
	}
	return x, y
}

// Text is the same program in the Einstein language.
func (f Family) Text(n int) string {
	var b strings.Builder
	b.WriteString("declare x 0\n")
	prev := "x"
	for k := 1; k <= n; k++ {
		name := fmt.Sprintf("x%d", k)
		fmt.Fprintf(&b, "let %s = %s\n", name, f.Line(k, prev))
		prev = name
	}
	fmt.Fprintf(&b, "expression %s\nderivative wrt x\n", prev)
	return b.String()
}

// Size is how large terms are whose equal parts are one.
type Size struct{ Nodes, Edges int }

// Measure counts the nodes that ys reach, and their argument slots. The exponent of a
// power is a constant with a slot of its own, as it is in text.
func Measure(ys ...*Node) Size {
	var z Size
	constants := map[string]bool{}
	for _, n := range combinators.Topo(ys...) {
		z.Edges += len(n.Args())
		if n.Rat() == nil {
			z.Nodes++
			continue
		}
		constants[n.Rat().RatString()] = true
		if len(n.Args()) > 0 { // a power
			z.Nodes++
			z.Edges++
		}
	}
	z.Nodes += len(constants)
	return z
}

// Over is the larger of the ratios of nodes and of edges to those of a.
func (z Size) Over(a Size) float64 {
	return max(float64(z.Nodes)/float64(a.Nodes), float64(z.Edges)/float64(a.Edges))
}

func (z Size) String() string { return fmt.Sprintf("%d, %d", z.Nodes, z.Edges) }
