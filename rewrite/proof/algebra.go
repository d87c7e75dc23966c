package proof

import (
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// An algebra decides whether two terms are equal: it brings both to a sum of products
//
//	sum of c_k * contraction_k(atoms)
//
// by the laws that theory allows, and compares the sums as nodes. Contractions are always fused,
// by package einsum, and numbers always multiplied; what is no product is an atom over operands in
// the same form. Terms with one form are equal; the converse is not claimed.
type algebra struct {
	s         *combinators.Store
	theory    theory
	signs     *signs
	work      *work
	until     int            // the work at which the search for a form ends
	frozen    map[*Node]bool // atoms as they are
	apart     *Node          // an atom that stands in one of two forms that are not one, see difference
	whole     bool           // powers of sums and contractions are merged before these are expanded
	forms     map[*Node]form
	lost      map[presumption]bool // what vanishes from the form in the making
	widened   bool                 // what is after has a value where what is before need not have one
	symmetric map[*Node]bool       // matrices that are known to be, or not
	tied      map[uint64][]written // products that have no one form in the store, by an invariant
}

// theory says which laws may be used besides the fusion of contractions.
type theory struct {
	sums      bool // contractions are linear; like terms are counted
	powers    bool // x^a x^b = x^(a+b), and powers of powers and of products, on one domain
	norms     bool // x'x = |x| |x|
	pick      bool // f(M x) = M f(x) where M picks entries
	fold      bool // functions of numbers
	reshape   bool // merge and split are linear
	symmetric bool // symmetric matrices equal their transposes
	transpose bool // inv(X') = inv(X)', and so for cofactors; det(X') = det(X)
}

// monomial is coef times the contraction of args; pays is what it presumes besides, of what its factors
// were made from: x x^-1 is 1, and presumes that x is not 0.
type monomial struct {
	coef *big.Rat
	c    *einsum.Contraction
	args []*Node
	pays map[presumption]bool
}

// form is a sum of monomials, and what was presumed by those that vanished: 0 u is 0, and presumes that
// u has a value.
type form struct {
	terms []monomial
	lost  map[presumption]bool
}

// Bounds of a form: beyond them a step counts as not checked.
const (
	maxMonomials = 4000
	maxFactors   = 256
)

// tooWide ends the search for a form, which is wide, or takes long.
type tooWide struct{}

// formed are the signs with the facts in the forms of z, too: where a value is defined, it is its form.
func (z *algebra) formed() *signs {
	facts := []Fact{}
	for f := range z.signs.facts {
		facts = append(facts, f, Fact{f.Sign, z.node(z.formOf(f.Value).terms, f.Value.Shape())})
	}
	return newSigns(facts, z.work)
}

// sizeOf reports whether n is the size of an axis of a shape, as a number, or divides one.
func sizeOf(n *Node, shape []size.Size) bool {
	if n.Ein() == nil || n.Order() > 0 || len(n.Args()) > 0 || len(n.Ein().Vars) != 1 || len(n.Ein().Eq)+len(n.Ein().Ge) > 0 {
		return false
	}
	d := n.Ein().Vars[0]
	symbol, ok := d.Symbol()
	return slices.ContainsFunc(shape, func(e size.Size) bool {
		all := e.Monomials()
		return d == e || ok && len(all) == 1 && slices.Contains(all[0].Symbols, symbol)
	})
}

// formOf is computed bottom-up, with a stack of its own.
func (z *algebra) formOf(n *Node) form {
	if z.forms == nil {
		z.forms = map[*Node]form{}
	}
	stack := []*Node{n}
	for len(stack) > 0 {
		m := stack[len(stack)-1]
		if _, ok := z.forms[m]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		waiting := len(stack)
		if !z.frozen[m] {
			for _, a := range m.Args() {
				if _, ok := z.forms[a]; !ok {
					stack = append(stack, a)
				}
			}
		}
		if len(stack) > waiting {
			continue
		}
		z.visit()
		outer := z.lost
		z.lost = nil
		terms := z.step(m)
		if !z.frozen[m] {
			terms = z.inherited(m, terms)
		}
		z.forms[m] = form{terms, z.lost}
		z.lost = outer
	}
	return z.forms[n]
}

func (z *algebra) visit() {
	if z.work.add(1); z.work.done > z.until {
		panic(tooWide{})
	}
}

func (z *algebra) step(n *Node) []monomial {
	if z.frozen[n] {
		return z.atom(n)
	}
	switch n.Atom().Class {
	case atom.ClassVariable:
		return z.atom(n)
	case atom.ClassConstant:
		if n.Rat() == nil {
			return z.atom(n)
		}
		return z.number(n.Rat(), nil)
	case atom.ClassContraction:
		return z.product(n)
	case atom.ClassSum:
		a, b := z.forms[n.Arg(0)].terms, z.forms[n.Arg(1)].terms
		if z.theory.sums {
			return z.collected(append(slices.Clone(a), b...))
		}
		return z.atom(z.s.Add(z.operand(n, 0), z.operand(n, 1)))
	case atom.ClassLinear:
		if z.theory.reshape {
			var out []monomial
			for _, m := range z.forms[n.Arg(0)].terms {
				x := z.atom(n.With([]*Node{z.core(m)}))[0]
				x.coef = m.coef
				out = append(out, x)
			}
			return out
		}
	case atom.ClassElementwise:
		if f := z.elementwise(n); f != nil {
			return f
		}
	}
	if z.theory.transpose && (n.Is(atom.LogDet) || n.Atom().Over == atom.OverMatrices && n.Atom().Turns && len(n.Args()) == 1 && n.Attr() <= 1) {
		return z.inverse(n)
	}
	args := lists.Make(len(n.Args()), func(i int) *Node { return z.operand(n, i) })
	if n.Atom().Class == atom.ClassElementwise && len(args) == 2 {
		return z.atom(guarded(z.s.Binary(n.Atom(), args[0], args[1]), n.Guard()))
	}
	return z.atom(guarded(n.With(args), n.Guard()))
}

// inverse is f(X) or f(X')', whichever of X and X' was built first, for an f that keeps transposes; f(X) or f(X')
// for one that does not see them.
func (z *algebra) inverse(n *Node) []monomial {
	sh := n.Arg(0).Shape()
	all := einsum.UpTo(len(sh))
	turned := slices.Clone(all)
	turned[len(all)-2], turned[len(all)-1] = all[len(all)-1], all[len(all)-2]
	turn := einsum.Plain([][]int{all}, turned, sh)
	x := z.operand(n, 0)
	y := z.node(z.fused(product(turn, x), [][]monomial{z.forms[n.Arg(0)].terms}), sh)
	if x.ID() <= y.ID() {
		return z.atom(n.With([]*Node{x}))
	}
	m := n.With([]*Node{y})
	if n.Order() < len(sh) {
		return z.atom(m)
	}
	return z.fused(product(turn, m), [][]monomial{z.atom(m)})
}

func guarded(n *Node, g combinators.Guard) *Node {
	if n.Atom().Guarded {
		return n.WithGuard(g)
	}
	return n
}

func (z *algebra) operand(n *Node, i int) *Node {
	return z.node(z.forms[n.Arg(i)].terms, n.Arg(i).Shape())
}

// atom is 1 times n.
func (z *algebra) atom(n *Node) []monomial {
	all := einsum.UpTo(n.Order())
	return z.powers(product(einsum.Plain([][]int{all}, all, n.Shape()), n))
}

// product is a contraction of args.
func product(c *einsum.Contraction, args ...*Node) monomial {
	return monomial{big.NewRat(1, 1), c, args, nil}
}

// number is the tensor filled with r.
func (z *algebra) number(r *big.Rat, shape []size.Size) []monomial {
	if r.Sign() == 0 {
		return nil
	}
	return []monomial{{r, einsum.Plain(nil, einsum.UpTo(len(shape)), shape), nil, nil}}
}

// product fuses the forms of the operands into the contraction.
func (z *algebra) product(n *Node) []monomial {
	m := product(n.Ein(), n.Args()...)
	if z.whole {
		m.args = make([]*Node, len(m.args))
		for k := range m.args {
			m.args[k] = z.operand(n, k)
			for _, f := range z.forms[n.Arg(k)].terms {
				m.pays = z.joined(m.pays, f.pays, func(p presumption) presumption { return z.read(n.Ein(), k, p) })
			}
		}
		if m = z.powers(m)[0]; len(m.args) == len(n.Args()) {
			m.args = n.Args()
		}
	}
	forms := lists.Map(m.args, func(a *Node) []monomial { return z.formOf(a).terms })
	return z.fused(m, forms)
}

// fused is the contraction of sums. A product with 0 is 0, unless another factor divides by 0: then
// the number 0 stays in it.
func (z *algebra) fused(n monomial, forms [][]monomial) []monomial {
	args := n.args
	if slices.ContainsFunc(forms, func(f []monomial) bool { return slices.ContainsFunc(f, divides) }) {
		forms = slices.Clone(forms)
		for k, f := range forms {
			if len(f) == 0 {
				sh := args[k].Shape()
				forms[k] = []monomial{{new(big.Rat), einsum.Plain(nil, einsum.UpTo(len(sh)), sh), nil, nil}}
			}
		}
	}
	if slices.ContainsFunc(forms, func(f []monomial) bool { return len(f) == 0 }) {
		z.lost = z.joined(z.lost, n.pays, nil)
		z.vanishWith(n, forms)
		return nil
	}
	all := []monomial{n}
	for k := len(args) - 1; k >= 0; k-- {
		var next []monomial
		for _, m := range all {
			for _, f := range forms[k] {
				z.visit()
				z.work.product(m.c, f.c)
				if len(f.args)+len(m.args) > maxFactors || len(next) > maxMonomials {
					panic(tooWide{})
				}
				next = append(next, monomial{
					new(big.Rat).Mul(m.coef, f.coef),
					m.c.Fuse(k, f.c).Solve(),
					slices.Concat(m.args[:k], f.args, m.args[k+1:]),
					z.joined(m.pays, f.pays, func(p presumption) presumption { return z.read(n.c, k, p) }),
				})
			}
		}
		all = next
	}
	var out []monomial
	for _, m := range all {
		out = append(out, z.powers(z.norms(z.counted(m)))...)
	}
	return z.collected(out)
}
