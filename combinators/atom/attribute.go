package atom

import (
	"math/bits"
	"slices"
	"strings"

	"frechet/internal/lists"
	"frechet/internal/words"
)

// Attributes are what a declaration says of the values of a variable: `declare S[n,n] symmetric`. A set is closed: it
// has what its members imply.
type Attributes uint16

// The attributes, a bit each, in the order of the table.
const (
	Symmetric Attributes = 1 << iota
	Antisymmetric
	Diagonal
	Lower
	Upper
	Definite
	Invertible
	Orthogonal
	Positive
	Nonneg
	Unit
	Simplex
	Binary
	Major
	Index // of the 0/1 matrix of an array of whole numbers: x[k,p] is 1 where entry k is p
)

// An AttributeRow is what is known of an attribute.
type AttributeRow struct {
	Name     string // as it is declared, behind the sizes of a variable
	Cond     string // as a condition of rules
	Says     string // of x, the variable
	LaTeX    string // a set of which the variable is an element, of n rows
	Set      Attributes
	Implies  Attributes
	Excludes Attributes // with one of these no value is left, or the number 0 alone
	Square   bool       // it is of matrices with as many rows as columns; of symmetric tensors, of axes of one size
	Vector   bool       // it is of vectors
	// Part names the rule by which a value is its projection on the subspace; "" where the values are no subspace.
	Part string
	// Manifold has the derivatives of functions on the values; zero where these are no curved manifold.
	Manifold
}

// A Manifold is what derivatives on a manifold are made of, as terms in the point x, the derivative g there in the space around, a tangent
// vector v and h, the derivative of g along v.
type Manifold struct {
	Metric   string // its name
	Tangent  string // the projection of z on the tangent space
	Gradient string // what the gradient is the projection of
	Hessian  string // what the Hessian times v, the covariant derivative of the gradient, is the projection of
	Onto     string // a value of the manifold for nearly every z of the space around, by which functions on it are minimised
	Start    string // a z of which x is the value
}

// AttributeRows is the table of attributes.
var AttributeRows = []AttributeRow{
	{Name: "symmetric", Cond: "symmetric", Says: "x' = x", LaTeX: `\mathbb{S}`, Set: Symmetric, Excludes: Antisymmetric, Square: true, Part: "symmetric-part"},
	{Name: "antisymmetric", Cond: "antisymmetric", Says: "x' = -x", LaTeX: `\mathfrak{so}`, Set: Antisymmetric, Excludes: Symmetric | Diagonal | Lower | Upper | Definite | Positive | Nonneg, Square: true, Part: "antisymmetric-part"},
	{Name: "diagonal", Cond: "diagonal", Says: "entries off the diagonal are 0", LaTeX: `\mathbb{D}`, Set: Diagonal, Implies: Symmetric | Lower | Upper, Excludes: Positive, Square: true, Part: "diagonal-part"},
	{Name: "lower", Cond: "lower", Says: "entries above the diagonal are 0", LaTeX: `\mathbb{L}`, Set: Lower, Excludes: Positive, Square: true, Part: "lower-part"},
	{Name: "upper", Cond: "upper", Says: "entries below the diagonal are 0", LaTeX: `\mathbb{U}`, Set: Upper, Excludes: Positive, Square: true, Part: "upper-part"},
	{Name: "positive definite", Cond: "definite", Says: "x is symmetric, and v'*x*v > 0 for all v but 0", LaTeX: `\mathbb{S}_{++}`, Set: Definite, Implies: Symmetric | Invertible, Square: true, Manifold: Manifold{
		Metric: "the affine-invariant one", Tangent: "1/2 .* (z + ein(ij->ji; z))", Gradient: "ein(ij,jk,kl->il; x, g, x)",
		Hessian: "ein(ij,jk,kl->il; x, h, x) + ein(ij,jk,kl->il; v, g, x)",
		Onto:    "matfun[exp](1/2 .* (z + ein(ij->ji; z)))", Start: "matfun[log](x)",
	}},
	{Name: "invertible", Cond: "invertible", Says: "inv(x) exists", LaTeX: `\mathrm{GL}`, Set: Invertible, Square: true},
	{Name: "orthogonal", Cond: "orthogonal", Says: "x'*x is the identity", LaTeX: `\mathrm{O}`, Set: Orthogonal, Implies: Invertible, Square: true, Manifold: Manifold{
		Metric: "that of the space of matrices", Tangent: "1/2 .* (z - ein(ij,kj,kl->il; x, z, x))", Gradient: "g",
		Hessian: "h - 1/2 .* (ein(ij,kj,kl->il; v, x, g) + ein(ij,kj,kl->il; v, g, x))",
		Onto:    "ein(ij,jk->ik; z, inv(matfun[sqrt](ein(ki,kj->ij; z, z))))", Start: "x",
	}},
	{Name: "positive", Cond: "positive", Says: "every entry is above 0", LaTeX: `\mathbb{R}_{>0}`, Set: Positive, Implies: Nonneg, Manifold: Manifold{Onto: "exp(z)", Start: "log(x)"}},
	{Name: "nonnegative", Cond: "nonneg", Says: "no entry is below 0", LaTeX: `\mathbb{R}_{\ge 0}`, Set: Nonneg},
	{Name: "unit", Cond: "normed", Says: "norm2(x) is 1", LaTeX: `\mathcal{S}`, Set: Unit, Manifold: Manifold{
		Metric: "that of the space around the sphere", Tangent: "z - ein(,~->~; ein(~,~->; x, z), x)", Gradient: "g",
		Hessian: "h - ein(,~->~; ein(~,~->; x, g), v)",
		Onto:    "ein(,~->~; power[-1](norm2(z)), z)", Start: "x",
	}},
	{Name: "simplex", Cond: "simplex", Says: "no entry is below 0, and sum(x) is 1", LaTeX: `\Delta`, Set: Simplex, Implies: Nonneg, Vector: true, Manifold: Manifold{
		Metric: "that of Fisher", Tangent: "z - ein(,i->i; ein(i->; z), x)", Gradient: "x .* g",
		Hessian: "x .* h + 1/2 .* (v .* g - ein(,i->i; ein(i,i->; x, g), v))",
		Onto:    "ein(,i,i->i; power[-1](ein(i,i->; z, z)), z, z)", Start: "power[1/2](x)",
	}},
	{Name: "binary", Cond: "binary", Says: "every entry is 0 or 1", LaTeX: `\{0,1\}`, Set: Binary, Implies: Nonneg},
	{Name: "major symmetric", Cond: "major", Says: "x[i,j,k,l] = x[k,l,i,j]", LaTeX: `\mathbb{S}`, Set: Major, Part: "major-part"},
	{Name: "index", Cond: "onehot", Says: "entries are whole numbers from 0 to below the bound", LaTeX: `\{0,1\}`, Set: Index, Implies: Binary, Excludes: Symmetric | Antisymmetric | Definite | Invertible | Orthogonal | Positive | Unit | Simplex | Lower | Upper},
}

// Has reports whether all of b are in the set.
func (a Attributes) Has(b Attributes) bool { return a&b == b }

// With is the closed set that has b, too.
func (a Attributes) With(b Attributes) Attributes {
	a |= b
	if a&(Lower|Upper) != 0 && a.Has(Symmetric) || a.Has(Lower|Upper) {
		a |= Diagonal
	}
	for _, r := range AttributeRows {
		if a.Has(r.Set) {
			a |= r.Implies
		}
	}
	return a
}

// rows are those of the set.
func (a Attributes) rows() (out []AttributeRow) {
	for s := a; s != 0; s &= s - 1 {
		out = append(out, AttributeRows[bits.TrailingZeros16(uint16(s))])
	}
	return out
}

// Names are those of the set that no other implies, in the order of the table.
func (a Attributes) Names() (names []string) {
	implied := Attributes(0)
	for _, r := range a.rows() {
		implied |= r.Implies
	}
	names = lists.Append(names, (a &^ implied).rows(), func(r AttributeRow) string { return r.Name })
	return names
}

// closed is the least closed set that has the members of a.
func (a Attributes) closed() Attributes { return Attributes(0).With(a).With(0) }

// String is the set as it is declared.
func (a Attributes) String() string { return strings.Join(a.Names(), " ") }

// Clash are two members of the set of which one excludes the other.
func (a Attributes) Clash() (one, other AttributeRow, found bool) {
	for _, r := range a.rows() {
		for _, s := range a.rows() {
			if r.Excludes&s.Set != 0 {
				return r, s, true
			}
		}
	}
	return one, other, false
}

// Misfit is a member of the set that no tensor of the order has, whose axes all have one size or not, and the first half of
// them the sizes of the second or not.
func (a Attributes) Misfit(order int, square, halves bool) (r AttributeRow, found bool) {
	for _, r := range a.rows() {
		if r.Vector && order != 1 || r.Set == Major && (order != 4 || !halves) ||
			r.Square && (!square || order < 2 || order > 3 || order == 3 && r.Set != Symmetric) {
			return r, true
		}
	}
	return r, false
}

// PartRule names the rule by which a value of so many axes is its projection on the least linear space of the set; "" where the
// values are no subspace.
func (a Attributes) PartRule(order int) string {
	row, _ := a.Subspace()
	if row.Set == Symmetric && order == 3 {
		return row.Part + "-3"
	}
	return row.Part
}

// Subspace is the least linear space of the set: the row of its projection.
func (a Attributes) Subspace() (AttributeRow, bool) {
	for _, s := range []Attributes{Diagonal, Symmetric, Antisymmetric, Lower, Upper, Major} {
		if a.Has(s) {
			return s.rows()[0], true
		}
	}
	return AttributeRow{}, false
}

// Manifold is the row of the set that has a manifold, a zero row where none has. It is not ok where that is not the manifold of all of the set.
func (a Attributes) Manifold() (row AttributeRow, ok bool) {
	space, flat := a.Subspace()
	ok = true
	for _, r := range a.rows() {
		if r.Onto == "" || r.Set == Positive && a.Has(Simplex) {
			continue
		}
		ok = row.Set == 0 && (!flat || r.Set == Definite && space.Set == Symmetric)
		row = r
	}
	return row, ok
}

// AttributeNamed is the attribute of a name, an empty set where there is none.
func AttributeNamed(name string) Attributes {
	if i := slices.IndexFunc(AttributeRows, func(r AttributeRow) bool { return r.Name == name }); i >= 0 {
		return AttributeRows[i].Set.closed()
	}
	return 0
}

// Turns are the orders of the axes in which a tensor of so many axes with the attributes is what it is, the first one as it
// stands; nil where there is no other.
func (a Attributes) Turns(order int) [][]int {
	switch {
	case a.Has(Symmetric) && order == 2:
		return [][]int{{0, 1}, {1, 0}}
	case a.Has(Symmetric) && order == 3:
		return [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	case a.Has(Major):
		return [][]int{{0, 1, 2, 3}, {2, 3, 0, 1}}
	}
	return nil
}

// ReadAttributes is the set of the words of names, and the word that is of no name, else "".
func ReadAttributes(words []string) (of Attributes, wrong string) {
	for i := 0; i < len(words); i++ {
		one := AttributeNamed(words[i])
		if i+1 < len(words) {
			if two := AttributeNamed(words[i] + " " + words[i+1]); two != 0 {
				one = two
				i++
			}
		}
		if one == 0 {
			return of, words[i]
		}
		of = of.With(one)
	}
	return of, ""
}

// AttributeOf is the attribute that a condition of rules is about, an empty set where there is none.
func AttributeOf(condition string) Attributes {
	if i := slices.IndexFunc(AttributeRows, func(r AttributeRow) bool { return r.Cond == condition }); i >= 0 {
		return AttributeRows[i].Set.closed()
	}
	return 0
}

// AttributeWord reports whether the name of an attribute has the word: "positive definite" has two.
func AttributeWord(word string) bool {
	return slices.ContainsFunc(AttributeRows, func(r AttributeRow) bool { return slices.Contains(strings.Fields(r.Name), word) })
}

// NearestAttribute is the attribute that a misspelt word may mean, else "".
func NearestAttribute(word string) string {
	var names []string
	names = lists.Append(names, AttributeRows, func(r AttributeRow) string { return r.Name })
	return words.Nearest(word, names)
}
