package equality

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/derivation"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/words"
	"frechet/rewrite/proof"
	"frechet/rewrite/proof/json"
)

// A Question is two values of one shape, in one store.
type Question struct {
	Program *program.Program // of which both are expressions; of the left one alone where the right one has a text of its own
	Left    *combinators.Node
	Right   *combinators.Node
	assumed string              // the declaration that formulas do without
	apart   bool                // the sides are not the program's two expressions as they stand
	sources []*combinators.Node // that were differentiated for the left side
}

// Ask reads two texts with the declarations that they share: formulas, definitions in index notation, or programs with one
// expression each. Without declarations, the orders and sizes of variables are those that give both sides a type together.
// The left side is differentiated by the variables wrt, in turn.
func Ask(left, right, declare string, wrt []string, o program.Options) (*Question, error) {
	both, err := program.Read(Joined(left, right, declare), o)
	if err == nil && both.Closed == nil {
		return shared(both, left, right, wrt, o)
	}
	q, apart := separate(left, right, declare, wrt, o)
	if err != nil && apart != nil && !stands(left) && !stands(right) {
		return nil, err
	}
	return q, apart
}

// Joined is the program of both sides.
func Joined(left, right, declare string) string {
	return join(declaration(declare), side(left), side(right))
}

// Of is the question whether the two expressions of a program are equal.
func Of(f *program.Program, wrt []string) (*Question, error) {
	if n := len(f.Outputs); n != 2 {
		return nil, fault.New(fault.Request, "the program has %s; two are compared", words.Count(n, "expression"))
	}
	return question(f, f.Outputs[0].Node, f.Outputs[1].Node, wrt)
}

// question is that whether the derivative of left by variables, in turn, is right. A number stands for a tensor of the
// other side's shape.
func question(f *program.Program, left, right *combinators.Node, wrt []string) (*Question, error) {
	q := &Question{Program: f, apart: len(wrt) > 0, assumed: f.Assumed()}
	for _, name := range wrt {
		x, err := f.Argument(name)
		if err != nil {
			return nil, err
		}
		q.sources = append(q.sources, left)
		d, err := (&jacobian.Planner{Calculus: f.Calculus()}).Derive(left, []*combinators.Node{x}, 1)
		if err != nil {
			return nil, err
		}
		left = d.ByOrder[0][0]
	}
	right, err := fitted(f, left, right)
	if err != nil {
		return nil, err
	}
	q.Left, q.Right, err = derivation.Alike(left, right)
	return q, err
}

// fitted is right with sizes of the left side's shape for those that are on no variable, as those of delta(2).
func fitted(f *program.Program, left, right *combinators.Node) (*combinators.Node, error) {
	sizes := map[string]size.Size{}
	if left.Order() != right.Order() || !combinators.MatchSizes(right.Shape(), left.Shape(), sizes) {
		return right, nil
	}
	for _, s := range f.Symbols {
		if s.Determined {
			delete(sizes, s.Name)
		}
	}
	out, err := f.Store.AtSizes(sizes, right)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// A statement begins a text that is more than an expression.
var (
	statement  = regexp.MustCompile(`^\s*(declare|let|primitive|expression|linear)\b`)
	definition = regexp.MustCompile(`^\s*\pL\w*\s*(\[[^\]]*\]\s*=|\([^)]*\)\s*:)`)
)

// stands reports whether a side is a program by itself.
func stands(text string) bool { return statement.MatchString(text) || definition.MatchString(text) }

func side(text string) string {
	if stands(text) {
		return text
	}
	return "expression " + text
}

func declaration(text string) string {
	if text = strings.TrimSpace(text); text == "" || statement.MatchString(text) {
		return text
	}
	return "declare " + text
}

// shared is the question of a program of both sides. Sizes that the sides leave open are those by which they have one shape.
func shared(f *program.Program, left, right string, wrt []string, o program.Options) (*Question, error) {
	q, err := Of(f, wrt)
	if err == nil || len(wrt) > 0 || len(f.Outputs) != 2 || stands(left) || stands(right) {
		return q, err
	}
	typed, other := program.Read(join(declarations(f, true), "expression ("+left+"\n) - ("+right+"\n)"), o)
	if other != nil {
		return nil, err
	}
	assumed := declarations(typed, false)
	if f, other = program.Read(join(assumed, side(left), side(right)), o); other != nil {
		return nil, err
	}
	q, err = Of(f, nil)
	if err == nil {
		q.assumed = assumed
	}
	return q, err
}

// declarations declare the variables of a program by their sizes; where open is set, those with a size that the program
// leaves open by their orders.
func declarations(f *program.Program, open bool) string {
	if len(f.Params) == 0 {
		return ""
	}
	left := f.Open()
	isOpen := func(d size.Size) bool {
		return open && slices.ContainsFunc(d.Symbols(), func(s string) bool { return slices.Contains(left, s) })
	}
	text := "declare"
	for _, p := range f.Params {
		switch shape := p.Node.Shape(); {
		case slices.ContainsFunc(shape, isOpen):
			text += fmt.Sprintf(" %s %d", p.Name, len(shape))
		default:
			text += " " + p.Name + size.Shape(shape)
		}
	}
	return text
}

// separate reads each side by itself: in combinator notation, or with declarations of its own.
func separate(left, right, declare string, wrt []string, o program.Options) (*Question, error) {
	read := func(text string) (*program.Program, []*combinators.Node, error) {
		f, err := program.Read(text, o)
		if err != nil {
			if f, err = program.Read(join(declaration(declare), side(text)), o); err != nil {
				return nil, nil, err
			}
		}
		n, err := value(f)
		return f, []*combinators.Node{n}, err
	}
	f, a, err := read(left)
	if err != nil {
		return nil, err
	}
	g, b, err := read(right)
	if err != nil {
		return nil, err
	}
	l, err := json.Import(f.Store, proof.Line{Nodes: b})
	if err != nil {
		return nil, err
	}
	for _, p := range f.Params {
		if r := g.Param(p.Name); r != nil && !slices.Equal(r.Shape(), p.Node.Shape()) {
			return nil, fault.New(fault.Request, "%s has the shape %s on the left side, and %s on the right side", p.Name, size.Shape(p.Node.Shape()), size.Shape(r.Shape()))
		}
	}
	q, err := question(f, a[0], l.Nodes[0], wrt)
	if err == nil {
		q.apart = true
	}
	return q, err
}

// value is the one expression of a program as a value.
func value(f *program.Program) (*combinators.Node, error) {
	x, err := f.Expression()
	if err != nil {
		return nil, err
	}
	y, err := f.Store.ApplyMap(x.Map, x.At)
	if err != nil {
		return nil, err
	}
	if leaves := y.Leaves(); len(leaves) == 1 {
		return leaves[0], nil
	}
	return nil, fault.New(fault.Request, "a side has several components; values are compared one by one")
}
