package coq

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/rewrite/proof"
)

// Print is the file of a derivation that was checked. The error is a *[Withheld] where something has no term in Coq.
func Print(d *proof.Derivation, rules *proof.Rules) (text string, err error) {
	text, _, err = printed(d, rules, false)
	return text, err
}

// Altered is Print with wrong gradients, and how many there are: the proof of each must fail, and that of the right one by
// the same tactic must not.
func Altered(d *proof.Derivation, rules *proof.Rules) (text string, altered int, err error) {
	return printed(d, rules, true)
}

func printed(d *proof.Derivation, rules *proof.Rules, alter bool) (text string, altered int, err error) {
	return printedAs(d, rules, alter, func(text string) string { return text })
}

// printedAs has the file that written makes of the text read back.
func printedAs(d *proof.Derivation, rules *proof.Rules, alter bool, written func(string) string) (text string, altered int, err error) {
	s := &script{alter: alter, rules: rules, printer: printer{names: map[*Node]string{}, depends: map[*Node][]*Node{}, sizes: map[string]string{}},
		defined: map[*Node]bool{}, laws: map[[2]*Node][]*Node{}, facts: map[string][]*Node{}, assumed: map[string]bool{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Withheld:
			text, altered, err = "", 0, e
		default:
			panic(e)
		}
	}()
	s.print(d)
	text = written(s.String())
	if err := s.readBack(d, text); err != nil {
		return "", 0, err
	}
	return text, s.altered, nil
}

// Header is what each file begins with.
const Header = `From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp reals signed topology normedtype derive sequences exp trigo.
From Frechet Require Import Derivative Sums Rules Functions Matrices Tactics.
Import GRing.Theory Num.Theory numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope ring_scope.
`

func (s *script) print(d *proof.Derivation) {
	if d.Parts[0].Kind != proof.KindProgram {
		panic(withheld("a derivation that does not begin with a program of values"))
	}
	s.isSymmetric, s.signOf = proof.Forms(d.Parts[0].Start.Nodes[0].Store())
	s.WriteString(Header)
	s.linef("(* %s *)", strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(d.Program.Text), "(*", "( *"), "*)", "* )"))
	s.linef("Module derivation.\nSection S.")
	s.variables(d)
	s.general = true
	s.chain(&d.Parts[0])
	s.general = false
	s.values("value", &d.Parts[0])
	order := 0
	for i := 1; i < len(d.Parts); i++ {
		switch p := &d.Parts[i]; p.Kind {
		case proof.KindDerivativeAt:
			order++
			s.direction(d, i, order)
		case proof.KindGradient, proof.KindAdjointAt:
			s.adjoint(d, i)
		case proof.KindEntries:
			s.entries(d, i, order)
		default:
			panic(withheld("a derivation of a map"))
		}
	}
	s.linef("End S.\nDefinition theorems := (%s).\nPrint Assumptions theorems.\nEnd derivation.", strings.Join(s.theorems, ", "))
}

// parameters notes the variables by which is differentiated, and gives all terms of the derivation.
func (s *script) parameters(d *proof.Derivation) []*Node {
	var roots []*Node
	for i := range d.Parts {
		p := &d.Parts[i]
		for _, x := range slices.Concat(p.Point, p.Fresh) {
			if !slices.Contains(s.params, x) {
				s.params = append(s.params, x)
			}
		}
		roots = append(append(roots, p.Start.Nodes...), p.End.Nodes...)
		for _, t := range p.Steps {
			roots = append(append(roots, t.Before.Nodes...), t.After.Nodes...)
		}
	}
	return combinators.Topo(append(roots, s.params...)...)
}

// sizesOf are the sizes in a term: of its axes, and of the variables and indices of a contraction.
func sizesOf(n *Node) []size.Size {
	e := n.Ein()
	if e == nil {
		return n.Shape()
	}
	out := slices.Concat(n.Shape(), e.Vars)
	forms := slices.Concat(e.Eq, e.Ge)
	for _, acc := range append(slices.Clone(e.In), e.Out) {
		forms = append(forms, acc.Index...)
	}
	return lists.Append(out, forms, func(a einsum.Affine) size.Size { return a.Off })
}

// variables declares sizes and variables; those by which is differentiated are arguments of definitions.
func (s *script) variables(d *proof.Derivation) {
	all := s.parameters(d)
	taken := map[string]bool{}
	named := func(old string) string {
		n := identifier(old)
		for reserved[n] || taken[n] {
			n += "_"
		}
		taken[n] = true
		return n
	}
	var free []*Node
	var sizes []string
	for _, n := range all {
		for _, z := range sizesOf(n) {
			sizes = append(sizes, z.Symbols()...)
		}
		if n.Is(atom.Var) && !slices.Contains(s.params, n) {
			free = append(free, n)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	for k, y := range sizes {
		s.sizes[y] = named(y)
		sizes[k] = s.sizes[y]
	}
	for _, n := range slices.Concat(free, s.params) {
		s.names[n] = named(n.Name())
	}
	for _, l := range strings.Split(letters, "") {
		if !taken[l] {
			s.letters = append(s.letters, l)
		}
	}
	s.linef("Variable R : realType.")
	if len(sizes) > 0 {
		s.linef("Variables %s : nat.", strings.Join(sizes, " "))
	}
	for _, n := range free {
		s.variableOf(n)
	}
	if slices.ContainsFunc(all, func(n *Node) bool { return n.Is(atom.Erf) || n.Is(atom.Gelu) }) {
		s.linef("Variable erf : R -> R.\nHypothesis erf_law : forall v : R, is_derive v (1 : R) erf (2 * (Num.sqrt (pi : R))^-1 * expR (- v ^+ 2)).\nHypothesis erf_zero : erf 0 = 0.")
	}
}

// letters are the names of indices.
const letters = "ijklpqrabcefghuvwyz"

// identifier is a name as Coq takes it.
func identifier(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9' && b.Len() > 0, r == '_' && b.Len() > 0, r == '\'' && b.Len() > 0:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "u%x", r)
		}
	}
	if b.Len() > 1 && strings.ContainsAny(b.String()[:1], "nDEHS") && strings.Trim(b.String()[1:], "0123456789_") == "" {
		b.WriteByte('_') // names of definitions and lemmas
	}
	return b.String()
}

// declare are the variables that hypotheses are about.
func (s *script) declare(xs []*Node) {
	for _, x := range xs {
		if !s.assumed[s.names[x]] {
			s.assumed[s.names[x]] = true
			s.variableOf(x)
		}
	}
}

// variableOf declares a variable, with what is presumed of it.
func (s *script) variableOf(x *Node) {
	s.linef("Variable %s : %s.", s.names[x], tensorType(x))
	if s.isSymmetric(x) {
		s.symmetric(x)
	}
}

// statement is a theorem about each entry of a value.
func (s *script) statement(theorem string, n *Node, claim func(ix []string) string, proof func(ix []string, at place) string) {
	ix := s.fresh(n.Order(), nil)
	s.linef("Theorem %s%s%s : %s.\nProof. %s Qed.", theorem, indices(ix), s.bounds(n, ix), claim(ix), proof(ix, placeOf(ix)))
	s.theorems = append(s.theorems, theorem)
}

// numbered is the name of a theorem about one of several values.
func numbered(name string, k, of int) string {
	if of > 1 {
		return fmt.Sprintf("%s_%d", name, k+1)
	}
	return name
}

// values states that the last line of a part equals its first one.
func (s *script) values(theorem string, p *proof.Part) {
	for k, a := range p.Start.Nodes {
		b := p.End.Nodes[k]
		s.theorems = append(s.theorems, numbered(theorem, k, len(p.Start.Nodes)))
		s.linef("Theorem %s%s%s%s : %s = %s.\nProof. exact: %s. Qed.", numbered(theorem, k, len(p.Start.Nodes)), s.typed(s.both(a, b)),
			indices(s.fresh(a.Order(), nil)), s.bounds(a, s.fresh(a.Order(), nil)), s.ref(a, s.fresh(a.Order(), nil), nil), s.ref(b, s.fresh(a.Order(), nil), nil),
			s.equal(a, b, s.fresh(a.Order(), nil), placeOf(s.fresh(a.Order(), nil)), nil))
	}
}

// both are the parameters of two values.
func (s *script) both(a, b *Node) []*Node {
	return slices.DeleteFunc(slices.Clone(s.params), func(x *Node) bool {
		return !slices.Contains(s.of(a), x) && !slices.Contains(s.of(b), x)
	})
}

// direction proves the derivative along the fresh variables of part i, and its chain.
func (s *script) direction(d *proof.Derivation, i, order int) {
	p, of := &d.Parts[i], d.Parts[i-1].End.Nodes
	s.declare(slices.Concat(p.Point, p.Fresh))
	suffix := ""
	if order > 1 {
		suffix = fmt.Sprint(order)
	}
	s.moved = at{}
	for k, x := range p.Point {
		ix := s.fresh(x.Order(), nil)
		along := "along" + suffix + "_" + s.names[x]
		s.linef("Definition %s (s : R)%s : R := %s + s * %s.", along, indices(ix), s.ref(x, ix, nil), s.ref(p.Fresh[k], ix, nil))
		s.moved[x] = "(" + along + " s)"
	}
	s.derive(d, i)
	s.chain(p)
	for k, y := range p.Start.Nodes {
		out := of[k]
		first := out // the program as it is written
		if order == 1 {
			first = d.Parts[0].Start.Nodes[k]
		}
		s.statement(numbered("derivative"+suffix, k, len(of)), y, func(ix []string) string {
			return "is_derive (0 : R) (1 : R) (fun s => " + s.ref(first, ix, s.moved) + ") " + s.ref(p.End.Nodes[k], ix, nil)
		}, func(ix []string, at place) string {
			return s.along(first, out, y, p.End.Nodes[k], ix, at)
		})
	}
}

// along is the proof of a derivative: of a value that equals out, whose tangent y equals z.
func (s *script) along(first, out, y, z *Node, ix []string, at place) string {
	law := s.entry(out, ix, at)
	if s.tangent[out] != y && s.moves(out) && !combinators.IsZero(y) {
		panic(withheld("a derivative that begins with another value than the walk"))
	}
	out2 := "apply: (D_is " + law + "); "
	if first != out {
		out2 = "rewrite (_ : (fun s => " + s.ref(first, ix, s.moved) + ") = (fun s => " + s.ref(out, ix, s.moved) + ")); last by apply: funext => s; exact: " +
			s.equal(first, out, ix, at, s.moved) + ". apply: (D_is " + law + "); "
	}
	if s.tangent[out] == y {
		return out2 + "exact: " + s.equal(y, z, ix, at, nil) + "."
	}
	return out2 + "symmetry; apply: etrans (esym " + s.equal(y, z, ix, at, nil) + ") _; " + s.unfold(func(*Node) bool { return false }, y) + "sums."
}

func (s *script) dependsOn(xs []*Node) func(*Node) bool {
	return func(n *Node) bool {
		return slices.ContainsFunc(s.of(n), func(x *Node) bool { return slices.Contains(xs, x) })
	}
}

// inner is the inner product of values.
func (s *script) inner(a, b *Node, ix []string) string {
	out := s.ref(a, ix, nil) + " * " + s.ref(b, ix, nil)
	for k, i := range slices.Backward(ix) {
		out = fmt.Sprintf("\\sum_(%s < %s) %s", i, s.size(a.Shape()[k]), out)
	}
	return out
}

// adjoint proves that the part i is the adjoint of the derivative before it, and its chain.
func (s *script) adjoint(d *proof.Derivation, i int) {
	p, q := &d.Parts[i], &d.Parts[i-1]
	s.declare(p.Fresh)
	s.define(p.Start.Nodes...)
	y := q.Start.Nodes[0]
	left := s.ref(y, nil, nil)
	if p.Kind == proof.KindAdjointAt {
		left = s.inner(p.Fresh[0], y, s.fresh(y.Order(), nil))
	}
	sum := func(ws []*Node) string {
		var parts []string
		for k, w := range ws {
			parts = append(parts, "("+s.inner(w, q.Fresh[k], s.fresh(w.Order(), nil))+")")
		}
		return strings.Join(parts, " + ")
	}
	both := []*Node{y}
	both = append(both, p.Start.Nodes...)
	linear := append(slices.Clone(q.Fresh), p.Fresh...)
	depends := s.dependsOn(linear)
	s.linef("Lemma transposed%d : %s = %s.\nProof. %s Qed.", i, left, sum(p.Start.Nodes), s.linear(depends, both...))
	s.chain(p)
	if s.alter {
		s.alterations(p)
	}
	s.linef("Theorem adjoint%d : %s = %s.", i, s.innerEnd(p, q), sum(p.End.Nodes))
	s.WriteString("Proof. ")
	s.adjointProof(p, q, i)
	s.linef("Qed.")
	s.theorems = append(s.theorems, fmt.Sprintf("adjoint%d", i))
	if p.Kind == proof.KindGradient {
		s.moved = s.moved.clone()
		first := d.Parts[0].Start.Nodes[0]
		s.linef("Theorem gradient : is_derive (0 : R) (1 : R) (fun s => %s) (%s).\nProof. rewrite -adjoint%d; exact: derivative. Qed.",
			s.ref(first, nil, s.moved), sum(p.End.Nodes), i)
		s.theorems = append(s.theorems, "gradient")
	}
}

func (v at) clone() at { return v }

// innerEnd is the derivative, multiplied by the cotangent.
func (s *script) innerEnd(p, q *proof.Part) string {
	y := q.End.Nodes[0]
	if p.Kind == proof.KindAdjointAt {
		return s.inner(p.Fresh[0], y, s.fresh(y.Order(), nil))
	}
	return s.ref(y, nil, nil)
}

// adjointProof goes back along the chain of the derivative, transposes, and goes along the chain of the adjoint.
func (s *script) adjointProof(p, q *proof.Part, i int) {
	start, end := q.Start.Nodes[0], q.End.Nodes[0]
	if start != end {
		var by string
		if p.Kind == proof.KindAdjointAt {
			ix := s.fresh(start.Order(), nil)
			by = s.summed(start, ix, "f_equal2 (@GRing.mul _) erefl", func(ix []string, at place) string { return s.equal(start, end, ix, at, nil) })
		} else {
			by = s.equal(start, end, nil, place{}, nil)
		}
		fmt.Fprintf(s, "apply: etrans (esym %s) _. ", by)
	}
	fmt.Fprintf(s, "apply: etrans transposed%d _. ", i)
	fmt.Fprintf(s, "exact: %s. ", s.sumOf(p))
}

// sumOf is the congruence of a sum over several variables, from the left.
func (s *script) sumOf(p *proof.Part) (out string) {
	for k, a := range p.Start.Nodes {
		b := p.End.Nodes[k]
		e := "erefl"
		if a != b {
			e = s.summed(a, s.fresh(a.Order(), nil), "f_equal2 (@GRing.mul _)", func(ix []string, at place) string { return s.equal(a, b, ix, at, nil) + " erefl" })
		}
		if out == "" {
			out = e
		} else {
			out = "(f_equal2 (@GRing.add _) " + out + " " + e + ")"
		}
	}
	return out
}

// summed is a congruence below the sums over the entries of a value.
func (s *script) summed(a *Node, ix []string, head string, entry func([]string, place) string) string {
	at := place{}
	for _, i := range ix {
		at = at.under(i, "(ltn_ord "+i+")")
	}
	out := "(" + head + " " + entry(ix, at) + ")"
	for k, i := range slices.Backward(ix) {
		out = "(eq_bigr _ (fun (" + i + " : 'I_" + s.size(a.Shape()[k]) + ") _ => " + out + "))"
	}
	return out
}

// entries proves that a derivative is the product of its entries with the direction.
func (s *script) entries(d *proof.Derivation, i, order int) {
	p, q := &d.Parts[i], &d.Parts[i-1]
	s.define(p.Start.Nodes...)
	s.chain(p)
	n := len(q.Fresh)
	depends := s.dependsOn(q.Fresh)
	for k, y := range q.End.Nodes {
		ix := s.fresh(y.Order(), nil)
		sum := func(entries []*Node) string {
			var parts []string
			for j := range n {
				h := entries[k*n+j]
				jx := s.fresh(h.Order()-y.Order(), ix)
				out := s.ref(h, append(slices.Clone(ix), jx...), nil) + " * " + s.ref(q.Fresh[j], jx, nil)
				for a, l := range slices.Backward(jx) {
					out = fmt.Sprintf("\\sum_(%s < %s) %s", l, s.size(h.Shape()[y.Order()+a]), out)
				}
				parts = append(parts, "("+out+")")
			}
			return strings.Join(parts, " + ")
		}
		roots := append([]*Node{y}, p.Start.Nodes[k*n:(k+1)*n]...)
		name := numbered(fmt.Sprintf("entries%d", order), k, len(q.End.Nodes))
		s.linef("Lemma %s_start%s%s : %s = %s.\nProof. %s Qed.", name, indices(ix), s.bounds(y, ix), s.ref(y, ix, nil), sum(p.Start.Nodes), s.linear(depends, roots...))
		var by string
		for j := range n {
			a, b := p.Start.Nodes[k*n+j], p.End.Nodes[k*n+j]
			jx := s.fresh(a.Order()-y.Order(), ix)
			at := placeOf(ix)
			for _, l := range jx {
				at = at.under(l, "(ltn_ord "+l+")")
			}
			e := "erefl"
			if a != b {
				e = "(f_equal2 (@GRing.mul _) " + s.equal(a, b, append(slices.Clone(ix), jx...), at, nil) + " erefl)"
				for x, l := range slices.Backward(jx) {
					e = "(eq_bigr _ (fun (" + l + " : 'I_" + s.size(a.Shape()[y.Order()+x]) + ") _ => " + e + "))"
				}
			}
			if by == "" {
				by = e
			} else {
				by = "(f_equal2 (@GRing.add _) " + by + " " + e + ")"
			}
		}
		start := strings.Join(append(append([]string{name + "_start"}, ix...), placeOf(ix).below(ix)...), " ")
		of := d.Parts[i-2].End.Nodes
		theorem := numbered(fmt.Sprintf("derivative%d", order), k, len(of))
		s.linef("Theorem %s%s%s : is_derive (0 : R) (1 : R) (fun s => %s) (%s).\nProof. rewrite -(etrans (%s) %s); exact: %s. Qed.", name, indices(ix), s.bounds(y, ix),
			s.ref(of[k], ix, s.moved), sum(p.End.Nodes), start, by, strings.Join(append(append([]string{theorem}, ix...), placeOf(ix).below(ix)...), " "))
		s.theorems = append(s.theorems, name)
	}
}

// linear is the proof of an equality that is linear in directions: a function that does not depend on one is the same value on both
// sides.
func (s *script) linear(depends func(*Node) bool, roots ...*Node) string {
	return fmt.Sprintf("first [%ssums | %sfunctions].", s.unfold(func(n *Node) bool { return !depends(n) && !polynomial(n) }, roots...),
		s.unfold(func(*Node) bool { return false }, roots...))
}
