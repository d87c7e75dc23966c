package normal

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/internal/lists"
)

// A product whose operands are shared is not flattened, and a factored sum is not multiplied out. So one
// polynomial has many normal forms: with P = A*A shared, A*P and P*A; and A*(A + B) and A*A + A*B. In a sum
// they are like terms all the same. Every product and sum is a polynomial in atoms, which are the nodes that
// are neither; terms are like where their polynomials are equal.
//
// Polynomials are compared by their values first, at random points modulo a prime: where every axis has size 1,
// which is one number, and then where every axis has size 2. Those that agree are multiplied out within bounds, and
// compared exactly.

// modulus is a Mersenne prime, 2^61 - 1, by which values are reduced.
const modulus = 1<<61 - 1

func timesMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	r := lo&modulus + (lo>>61 | hi<<3)
	return plusMod(r&modulus, r>>61)
}

func plusMod(a, b uint64) uint64 {
	if a += b; a >= modulus {
		a -= modulus
	}
	return a
}

// residue is c modulo the modulus, as numerator times the inverse of the denominator.
func (c number) residue() uint64 {
	switch {
	case c.large != nil || c.den != 1:
	case c.num >= 0:
		return uint64(c.num) % modulus
	default:
		return modulus - uint64(-c.num)%modulus
	}
	if c.large == nil { // by Fermat's theorem
		inverse, square := uint64(1), uint64(c.den)%modulus
		for e := uint64(modulus - 2); e > 0; e >>= 1 {
			if e&1 == 1 {
				inverse = timesMod(inverse, square)
			}
			square = timesMod(square, square)
		}
		return timesMod(whole(c.num).residue(), inverse)
	}
	p := big.NewInt(modulus)
	num, den := new(big.Int).Mod(c.rat().Num(), p), new(big.Int).Mod(c.rat().Denom(), p)
	if den.Sign() == 0 {
		return 0 // no inverse
	}
	return num.Mul(num, den.ModInverse(den, p)).Mod(num, p).Uint64()
}

// point is the value of the polynomial n at the random point.
func (z *Simplifier) point(n *Node) uint64 {
	if v, ok := z.pointKnown(n); ok {
		return v
	}
	var room [16]*Node
	for stack := append(room[:0], n); len(stack) > 0; {
		m := stack[len(stack)-1]
		waiting, sum, product := len(stack), uint64(0), uint64(1)
		for _, a := range m.Args() {
			v, ok := z.pointKnown(a)
			if !ok {
				stack = append(stack, a)
			}
			sum, product = plusMod(sum, v), timesMod(product, v)
		}
		if len(stack) > waiting {
			continue
		}
		if stack = stack[:len(stack)-1]; isSum(m) {
			product = sum
		}
		*z.points.At(m) = product + 1
	}
	return z.points.Get(n) - 1
}

// pointKnown is point of an atom, which is a random number, of a number, and of what was seen before.
func (z *Simplifier) pointKnown(n *Node) (uint64, bool) {
	switch {
	case isConst(n):
		return numberOf(n.Rat()).residue(), true
	case !polynomial(n):
		return einsum.Mix(uint64(n.ID()), 1) & (modulus >> 1), true
	}
	v := z.points.Get(n)
	return v - 1, v != 0
}

// entriesOf are the entries of n where every axis has size 2 and every entry of an atom is a random number: they
// tell A*x from A'*x, and A*B from B*A. They are nil where there are too many.
func (z *Simplifier) entriesOf(n *Node) []uint64 {
	stack := []*Node{n}
	for len(stack) > 0 {
		m := stack[len(stack)-1]
		waiting := len(stack)
		if polynomial(m) {
			for _, a := range m.Args() {
				if _, ok := z.entries[a]; !ok {
					stack = append(stack, a)
				}
			}
		}
		if len(stack) == waiting {
			stack = stack[:len(stack)-1]
			if _, ok := z.entries[m]; !ok {
				z.entries[m] = z.entriesFrom(m)
			}
		}
	}
	return z.entries[n]
}

// maxEvaluated bounds the variables of a product that is evaluated.
const maxEvaluated = 8

// entriesFrom are the entries of n from those of its operands.
func (z *Simplifier) entriesFrom(n *Node) []uint64 {
	if n.Order() > maxEvaluated {
		return nil
	}
	out := make([]uint64, 1<<n.Order())
	switch {
	case isConst(n):
		out[0] = numberOf(n.Rat()).residue()
	case !polynomial(n):
		for i := range out {
			out[i] = einsum.Mix(uint64(n.ID()), uint64(i)) % modulus
		}
	case slices.ContainsFunc(n.Args(), func(a *Node) bool { return z.entries[a] == nil }):
		return nil
	case isSum(n):
		for i := range out {
			out[i] = plusMod(z.entries[n.Arg(0)][i], z.entries[n.Arg(1)][i])
		}
	default:
		in, axes, _ := n.Ein().IsPlain()
		if len(n.Ein().Vars) > maxEvaluated {
			return nil
		}
		for point := range 1 << len(n.Ein().Vars) {
			v := uint64(1)
			for k, a := range n.Args() {
				v = timesMod(v, z.entries[a][place(in[k], point)])
			}
			at := place(axes, point)
			out[at] = plusMod(out[at], v)
		}
	}
	return out
}

// place is that of the entry at the index map g, of a tensor of axes of size 2, where the bits of point are the
// values of the variables.
func place(g []int, point int) (at int) {
	for _, v := range g {
		at = at<<1 | point>>v&1
	}
	return at
}

// polynomial reports whether n is a sum or a plain product.
func polynomial(n *Node) bool { return isSum(n) || n.Ein() != nil && !opaque(n) }

// nested reports whether the term t is a product with a product or a short sum among its factors: others are
// not multiplied out.
func (t term) nested() bool { return t.product() && slices.ContainsFunc(t.core.Args(), multiplies) }

func (t term) product() bool { return t.core.Ein() != nil && !opaque(t.core) }

// multiplies reports whether the factor a of a product is multiplied out: it is a product, or a short sum.
func multiplies(a *Node) bool {
	return isSum(a) && a.Addends() <= maxFactored || len(a.Args()) > 0 && a.Ein() != nil && !opaque(a)
}

// mayBeLike reports whether a factor is multiplied out that is not in all terms, or two terms that have one have
// the same factors. Else terms are different monomials times what is in all, or functions and variables, which are no products.
func mayBeLike(terms []term) bool {
	for i, t := range terms {
		if !t.product() {
			continue
		}
		own := t.core.Args()
		for _, a := range own {
			if !isSum(a) && a.Ein() == nil || !multiplies(a) {
				continue
			}
			for j, u := range terms {
				if j != i && (!u.product() && isSum(u.core) || u.product() && (occurrences(u.core.Args(), a) != occurrences(own, a) || permuted(own, u.core.Args()))) {
					return true
				}
			}
		}
	}
	return false
}

// permuted reports whether a and b are the same nodes, each as often, but for numbers.
func permuted(a, b []*Node) bool {
	differs := func(x *Node) bool { return !isConst(x) && occurrences(a, x) != occurrences(b, x) }
	return !slices.ContainsFunc(a, differs) && !slices.ContainsFunc(b, differs)
}

// likeTerms collects terms of which the polynomials are equal. It leaves out all where their sum is 0.
func (z *Simplifier) likeTerms(terms []term) []term {
	if len(terms) < 2 || len(terms) > maxFactored || !mayBeLike(terms) {
		return terms
	}
	var room [maxFactored]uint64
	points, total := room[:0], uint64(0)
	for _, t := range terms {
		v := z.point(t.core)
		points = append(points, v)
		total = plusMod(total, timesMod(t.coef.residue(), v))
	}
	if total == 0 {
		if all, ok := z.monomials(maxSteps, terms...); ok && len(all) == 0 {
			return nil
		}
	}
	for i := 0; i < len(terms); i++ {
		for j := len(terms) - 1; j > i; j-- {
			if points[i] != points[j] || z.wide.Get(terms[i].core) || z.wide.Get(terms[j].core) || !terms[i].nested() && !terms[j].nested() || !slices.Equal(z.entriesOf(terms[i].core), z.entriesOf(terms[j].core)) {
				continue
			}
			difference, ok := z.monomials(maxSteps, term{coef: unit, core: terms[i].core}, term{coef: whole(-1), core: terms[j].core})
			if !ok || len(difference) > 0 {
				continue
			}
			terms = slices.Clone(terms)
			coef := terms[i].coef.plus(terms[j].coef)
			if t := terms[j]; cmp.Or(-cmp.Compare(len(t.core.Args()), len(terms[i].core.Args())), z.byFingerprint(t, terms[i])) < 0 {
				terms[i] = t
			}
			terms[i].coef, terms[i].whole = coef, nil
			terms = slices.Delete(terms, j, j+1)
			points = slices.Delete(points, j, j+1)
		}
	}
	return slices.DeleteFunc(terms, func(t term) bool { return t.coef.sign() == 0 })
}

// monomials multiplies out the sum of terms, each by so many steps, whose cores are then products of atoms, each once; it
// reports false where they are too many or too wide.
func (z *Simplifier) monomials(fuel int, terms ...term) (out []term, ok bool) {
	for _, t := range terms {
		left := fuel
		all, ok := z.multipliedOut(t.core, &left)
		if !ok {
			*z.wide.At(t.core) = true
			return nil, false
		}
		for _, u := range all {
			out = collect(out, u, t.coef)
		}
	}
	return out, true
}

// Unit is the factor of which n is a power, and how many there are: x of x^3, 1/x of x^-3, n itself of what is no whole power
// of few.
func Unit(n *Node) (unit *Node, times int) {
	if !n.Is(atom.Power) || !n.Rat().IsInt() || !n.Rat().Num().IsInt64() {
		return n, 1
	}
	switch e := n.Rat().Num().Int64(); {
	case e > 1 && e <= maxUnits:
		return n.Arg(0), int(e)
	case e < -1 && e >= -maxUnits:
		return n.Store().Recip(n.Arg(0)).WithGuard(n.Guard()), int(-e)
	}
	return n, 1
}

// maxUnits bounds the powers that are products.
const maxUnits = 8

// Monomials are the terms of n multiplied out, products of its atoms and their numbers; it reports false where that takes many steps.
func Monomials(n *Node) (cores []*Node, numbers []*big.Rat, ok bool) {
	terms, ok := New(n.Store(), nil).monomials(4*maxSteps, term{coef: unit, core: n})
	for _, t := range terms {
		cores, numbers = append(cores, t.core), append(numbers, t.coef.rat())
	}
	return cores, numbers, ok
}

// multipliedOut is n as a sum of products of atoms. It takes steps from the fuel.
func (z *Simplifier) multipliedOut(n *Node, fuel *int) (out []term, ok bool) {
	if *fuel--; *fuel < 0 || z.wide.Get(n) {
		return nil, false
	}
	switch {
	case isSum(n):
		for _, a := range n.Args() {
			all, ok := z.multipliedOut(a, fuel)
			if !ok {
				return nil, false
			}
			for _, u := range all {
				out = collect(out, u, unit)
			}
		}
		return out, true
	case !polynomial(n):
		return []term{{coef: unit, core: n}}, true
	}
	products := []factors{{unit, n.Ein(), n.Args()}}
	for k := len(n.Args()) - 1; k >= 0; k-- {
		all, ok := z.multipliedOut(n.Arg(k), fuel)
		if *fuel -= len(all) * len(products); !ok || *fuel < 0 {
			return nil, false
		}
		var next []factors
		for _, p := range products {
			next = lists.Append(next, all, func(u term) factors { return z.with(p, k, u) })
		}
		products = next
	}
	for _, p := range products {
		if len(p.args) > maxOperands {
			return nil, false
		}
		out = collect(out, z.split(z.s.Ein(p.c, p.args...)), p.coef)
	}
	return out, true
}

// factors is the product coef * c(args).
type factors struct {
	coef number
	c    *einsum.Contraction
	args []*Node
}

// with is p with the monomial t for operand k.
func (z *Simplifier) with(p factors, k int, t term) factors {
	by := []*Node{t.core}
	if t.core.Ein() != nil && !opaque(t.core) {
		p.c, by = z.s.Fuse(p.c, k, t.core.Ein()), t.core.Args()
	}
	return factors{p.coef.times(t.coef), p.c, slices.Concat(p.args[:k], by, p.args[k+1:])}
}

// collect adds c times t to terms.
func collect(terms []term, t term, c number) []term {
	t.coef, t.whole = t.coef.times(c), nil
	i := slices.IndexFunc(terms, func(u term) bool { return u.core == t.core })
	switch {
	case t.coef.sign() == 0:
		return terms
	case i < 0:
		return append(terms, t)
	}
	if terms[i].coef = terms[i].coef.plus(t.coef); terms[i].coef.sign() == 0 {
		return slices.Delete(terms, i, i+1)
	}
	return terms
}
