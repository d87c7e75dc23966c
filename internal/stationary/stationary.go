// Package stationary solves gradient = 0 where the gradient of a scalar is affine in a variable, or is once it is multiplied by
// that variable: least squares has w = inv(X'*X)*X'*y, and logdet(S) + tr(inv(S)*C) has S = C.
package stationary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"frechet/adjoint/structured"
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval"
	"frechet/export/latex"
	"frechet/internal/check"
	"frechet/internal/derivation"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/query"
	"frechet/internal/reading"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
)

// A Solution is where the gradient by one variable is 0.
type Solution struct {
	Wrt  string
	Term *query.Term // of the variable's shape
	How  string      // how the linear system is solved: "a dense solve"
	// Times is what the gradient was multiplied by to be affine, S*G*S for a gradient G by S; "" where it is as it stands.
	Times string
	// Conditions are where the solution holds beside the domain of the program: "X'*X is invertible".
	Conditions []string

	x, gradient *combinators.Node
}

// Text is the solution as an equation in a notation of the formats: w = inv(X'*X)*X'*y, with lets in front where it has some.
func (s Solution) Text(format string) (string, error) {
	text, err := query.Equation(s.Term, format, latex.Symbol(s.Wrt))
	if err != nil || !slices.Contains([]string{"text", "matrix", "einstein", "thesis"}, format) || strings.Contains(text, "] =") {
		return text, err
	}
	if lets, value, ok := strings.Cut(text, "\nexpression "); ok {
		return lets + "\n" + s.Wrt + " = " + value, nil
	}
	return s.Wrt + " = " + text, nil
}

// MarshalJSON writes the solution as text.
func (s Solution) MarshalJSON() ([]byte, error) {
	text, err := s.Text("text")
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Wrt        string   `json:"wrt"`
		Text       string   `json:"text"`
		How        string   `json:"how"`
		Times      string   `json:"times,omitempty"`
		Conditions []string `json:"conditions"`
	}{s.Wrt, text, s.How, s.Times, append([]string{}, s.Conditions...)})
}

// Find solves for each variable given the others, or for all together. Without variables it solves for those that the program
// names, or its only one.
func Find(ctx context.Context, f *program.Program, wrt []string, together bool) (found []Solution, err error) {
	f.Store.Stop = ctx.Done()
	defer func() { f.Store.Stop = nil }()
	defer fault.Guard(&err)
	r, err := query.Derive(ctx, f, query.Query{Wrt: wrt, Order: 1})
	if err != nil {
		return nil, err
	}
	if len(f.Outputs) != 1 {
		return nil, fault.New(fault.Request, "the program has %d expressions; the gradient of one is solved for", len(f.Outputs))
	}
	if err := r.RequireScalar(); err != nil {
		return nil, err
	}
	f.Store.Stop = ctx.Done()
	for _, d := range r.Outputs[0].Derivs {
		x := f.Param(d.Wrt[0])
		s := Solution{Wrt: d.Wrt[0], x: x, gradient: query.Node(d.Term)}
		g := s.gradient
		for _, before := range found {
			if together {
				g = normal.Simplify(combinators.Replace([]*combinators.Node{g}, before.x, inverses(query.Node(before.Term)))...)[0]
			}
		}
		if err := s.solve(f, g); err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	if together {
		substituteBack(f, found)
	}
	for i := range found {
		found[i].Conditions = conditions(f, found, i)
	}
	return found, ctx.Err()
}

// substituteBack puts the later solutions, which have fewer variables, into the ones before.
func substituteBack(f *program.Program, found []Solution) {
	for i := len(found) - 1; i >= 0; i-- {
		n := query.Node(found[i].Term)
		for _, later := range found[i+1:] {
			n = combinators.Replace([]*combinators.Node{n}, later.x, query.Node(later.Term))[0]
		}
		n = forms(f, n)[0]
		found[i].Term = written(f, n, found[i].Wrt)
	}
}

// conditions are where a solution has a value, and the program has one there: those of them that the domain of the program does not
// have.
func conditions(f *program.Program, found []Solution, i int) []string {
	s := found[i]
	there := combinators.Replace([]*combinators.Node{f.Outputs[0].Node}, s.x, inverses(query.Node(s.Term)))
	of := derivation.Domain(f)
	all := derivation.DomainOf(f, append(normal.Simplify(there...), inverses(query.Node(s.Term)))...)
	return slices.DeleteFunc(all, func(c string) bool { return slices.Contains(of, c) })
}

// A multiple is an equation that has the solutions of gradient = 0, where the variable is invertible or not 0.
type multiple struct {
	times string // with # for the variable
	value *combinators.Node
}

// multiples are the gradient itself, and its products with the variable where the program, or its domain, says that this is
// invertible.
func multiples(f *program.Program, g, x *combinators.Node) []multiple {
	s, all := f.Store, []multiple{{"", g}}
	facts := domain(f)
	if shape := x.Shape(); len(shape) == 2 && shape[0] == shape[1] && facts.Invertible(x) {
		return append(all, multiple{"#*G*#", s.Einsum("ij,jk,kl->il", x, g, x)}, multiple{"#'*G*#'", s.Einsum("ji,jk,lk->il", x, g, x)},
			multiple{"#'*G", s.Einsum("ji,jk->ik", x, g)}, multiple{"G*#'", s.Einsum("ij,kj->ik", g, x)})
	}
	for power, n := 1, x; power <= maxPower && facts.Nonzero(x); power, n = power+1, s.Mul(n, x) {
		all = append(all, multiple{strings.TrimSuffix(fmt.Sprintf("#^%d", power), "^1") + " .* G", s.Mul(n, g)})
	}
	return all
}

// domain is what is known where the program is defined.
func domain(f *program.Program) *assumptions.Facts {
	facts := assumptions.New()
	facts.Assume(f.Outputs[0].Node)
	return facts
}

// maxPower bounds the powers of a variable by which its gradient is multiplied: 3 for x^3 in a denominator.
const maxPower = 3

// solve finds the solution of g = 0 for the variable.
func (s *Solution) solve(f *program.Program, g *combinators.Node) error {
	for _, m := range multiples(f, g, s.x) {
		for _, y := range forms(f, m.value) {
			value, how, err := affine(f, y, s.x)
			if err == nil && value == nil {
				value, how, err = bySquare(f, y, s.x)
			}
			if err != nil {
				return err
			}
			if value != nil {
				value = forms(f, value)[0]
				s.Times, s.How = strings.ReplaceAll(m.times, "#", s.Wrt), how
				s.Term = written(f, value, s.Wrt)
				return nil
			}
		}
	}
	text, _ := query.New(f, g, query.AxesOf(s.x, s.Wrt)).Text("text")
	if !slices.Contains(combinators.Topo(g), s.x) {
		return fault.New(fault.Request, "the gradient by %s is the same for every %s, so it has no solution: %s", s.Wrt, s.Wrt, text)
	}
	return fault.New(fault.Request, "the gradient by %s is not affine in it, nor once it is multiplied by %s: %s", s.Wrt, s.Wrt, oneLine(text)).
		Helpf("frechet minimize finds a minimum on data")
}

// forms are the normal form of a value, and that of it multiplied out, where it and the program are defined.
func forms(f *program.Program, n *combinators.Node) []*combinators.Node {
	source := []*combinators.Node{f.Outputs[0].Node, n}
	z := normal.SimplifyWithin(source, n)
	if e := normal.Expanded(z[0], true, true); e != nil {
		z = append(z, normal.SimplifyWithin(source, e)...)
	}
	return z
}

// oneLine is a text of several lines on one.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// affine solves y = 0 for x, where y is affine in x and its linear part is no 0: nil elsewhere.
func affine(f *program.Program, y, x *combinators.Node) (value *combinators.Node, how string, err error) {
	s := f.Store
	h := s.Member(s.Fresh("h", x.Shape()).Name(), x.Shape(), x.Attributes())
	d, err := f.Calculus().JVP([]*combinators.Node{y}, []*combinators.Node{x}, []*combinators.Node{h})
	if err != nil {
		return nil, "", err
	}
	linear := constant(f, d[0], x)
	if linear == nil || normal.IsZero(linear) {
		return nil, "", nil
	}
	right := constant(f, s.Sub(combinators.Replace([]*combinators.Node{linear}, h, x)[0], y), x)
	if right == nil {
		return nil, "", nil
	}
	if x.Attributes().Has(atom.Unit) || x.Attributes().Has(atom.Simplex) || x.Attributes().Has(atom.Orthogonal) { // no linear space
		return nil, "", nil
	}
	if n := multipleOf(f, linear, h); n != nil {
		return normal.Simplify(s.Scale(s.Const(new(big.Rat).Inv(n)), right))[0], "a number", nil
	}
	if x.Order() > 1 && x.Attributes()&^(atom.Positive|atom.Nonneg|atom.Invertible) != 0 { // the system is one on a subspace
		return nil, "", nil
	}
	j, err := query.Planner(f, 0, nil).Jacobian(y, x)
	if err != nil {
		return nil, "", err
	}
	sol, err := structured.New(normal.Simplify(j.Entries)[0], x.Order()).Solve(right, nil)
	if err != nil {
		return nil, "", err
	}
	return sol.Value, sol.How, nil
}

// bySquare solves y = 0 for x where x is positive in the domain, and y is affine in its square.
func bySquare(f *program.Program, y, x *combinators.Node) (value *combinators.Node, how string, err error) {
	if !domain(f).Positive(x) {
		return nil, "", nil
	}
	half, square := big.NewRat(1, 2), f.Store.Member(f.Store.Fresh("t", x.Shape()).Name(), x.Shape(), atom.Positive)
	for _, z := range forms(f, combinators.Replace([]*combinators.Node{y}, x, f.Store.Power(square, half))[0]) {
		if value, how, err = affine(f, z, square); value != nil || err != nil {
			return f.Store.Power(value, half), how, err
		}
	}
	return nil, "", nil
}

// written is a solution as one writes it, with inverses in place of solves.
func written(f *program.Program, n *combinators.Node, name string) *query.Term {
	return query.Written(f, n, reading.Shortest([]*combinators.Node{f.Outputs[0].Node, n}, forms(f, inverses(n))[0]), name)
}

// constant is a form of a value in which x does not stand, nil where none is found.
func constant(f *program.Program, n, x *combinators.Node) *combinators.Node {
	for _, m := range forms(f, n) {
		if !slices.Contains(combinators.Topo(m), x) {
			return m
		}
	}
	return nil
}

// multipleOf is the number r where n is r times h, else nil.
func multipleOf(f *program.Program, n, h *combinators.Node) *big.Rat {
	for _, m := range forms(f, n) {
		if core, r := split(m); core == h {
			return r
		}
	}
	return nil
}

// split is a value without the number that multiplies it, and that.
func split(n *combinators.Node) (core *combinators.Node, number *big.Rat) {
	cores, numbers, ok := normal.Monomials(n)
	if !ok || len(cores) != 1 {
		return n, big.NewRat(1, 1)
	}
	return cores[0], numbers[0]
}

// inverses is a value with products with inverses in place of solves, as one writes it.
func inverses(n *combinators.Node) *combinators.Node {
	for {
		topo := combinators.Topo(n)
		i := slices.IndexFunc(topo, func(m *combinators.Node) bool { return m.Is(atom.Solve) && m.Arg(0).Order() == 2 && m.Order() <= 2 })
		if i < 0 {
			return n
		}
		m, s := topo[i], n.Store()
		n = combinators.Replace([]*combinators.Node{n}, m, s.Einsum([]string{"ij,j->i", "ij,jk->ik"}[m.Order()-1], s.Inv(m.Arg(0)), m.Arg(1)))[0]
	}
}

// Check compares the gradients at the solutions with 0, at the values of env: relative to what the gradient is at the values that env
// has for the variables, or 1 where that is less.
func Check(ctx context.Context, f *program.Program, found []Solution, together bool, env program.Env) (*check.Report, error) {
	report := &check.Report{Dims: program.DimsOf(env), Items: []check.Item{}}
	at := maps.Clone(env)
	values := make([]*eval.Tensor, len(found))
	for i, s := range found {
		v, err := run(ctx, f, s.Term, env)
		if err != nil {
			return nil, err
		}
		values[i] = v
		if at[s.Wrt] = v; !together {
			at[s.Wrt] = env[s.Wrt]
		}
	}
	for i, s := range found {
		here := maps.Clone(at)
		here[s.Wrt] = values[i]
		g, scale := query.New(f, s.gradient, s.Term.Axes()), 1.0
		if env[s.Wrt] != nil {
			before, err := run(ctx, f, g, env)
			if err != nil {
				return nil, err
			}
			scale = max(scale, largest(before))
		}
		what := "gradient wrt " + s.Wrt + " at the solution is 0"
		zero, err := run(ctx, f, g, here)
		if outside := (*fault.Error)(nil); errors.As(err, &outside) && outside.Code == fault.NotDeclared {
			report.Items = append(report.Items, check.Item{What: what, Open: true, Note: "the solution is none: " + outside.Message})
			continue
		}
		if err != nil {
			return nil, err
		}
		e := largest(zero) / scale
		report.Items = append(report.Items, check.Item{What: what, OK: e <= tolerance, Error: e, Entries: len(zero.Data)})
	}
	return report, nil
}

// tolerance is the largest entry of a gradient that counts as 0.
const tolerance = 1e-7

func run(ctx context.Context, f *program.Program, t *query.Term, env program.Env) (*eval.Tensor, error) {
	p, err := query.CompileAll([]*query.Term{t}, nil)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx, env)
}

func largest(t *eval.Tensor) (most float64) {
	for _, v := range t.Data {
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		most = max(most, math.Abs(v))
	}
	return most
}
