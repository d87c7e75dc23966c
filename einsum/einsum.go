// Package einsum has the contraction, the one form of every multilinear map:
//
//	out[O(t)] += in1[I1(t)] * ... * inn[In(t)]   for every t in D
//
// The iteration variables t each have a size and run from 0; O and I1..In are affine
// index maps with whole coefficients; the domain D is a conjunction of affine
// equalities and inequalities that includes every access being in range. Points of D
// count with multiplicity, and points outside D are never read.
//
// Matrix products, transposes, diagonals, traces, sums, broadcasts, the identity
// (delta) and tensors of ones are contractions, and so are Elsman's relational
// reductions and Urban's element-wise definitions. The laws of the form are steps:
// Swap gives the adjoint in an operand, Fuse substitutes one contraction into another,
// Solve removes equalities in which some variable has coefficient 1 or -1, Lift adds
// batch axes. The package knows no operands, only their shapes.
package einsum

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
)

// Access is an index map into a tensor of the given shape, one form an axis. The
// shape is stored since a tensor may be larger than what is reached.
type Access struct {
	Shape []size.Size
	Index []Affine
}

// Contraction is the form of the package comment. Contractions are immutable.
type Contraction struct {
	Vars   []size.Size // variable k runs over 0 <= t_k < Vars[k]
	In     []Access
	Out    Access
	Eq, Ge []Affine // conditions of D: each of Eq is 0, each of Ge is at least 0

	key     atomic.Pointer[string] // see Key
	plain   bool
	lettIn  [][]int // of a plain contraction: see IsPlain
	lettOut []int
	covered bool   // see Covered
	selects bool   // see Selects
	hash    uint64 // equal for equal contractions
	table   *Table // that has it, with its number there; nil for none
	id      int32
}

// New builds a contraction in canonical form: variables are renamed by first
// occurrence in the operands, the output and the conditions. The error names an index
// map of the wrong length or a variable that does not exist.
func New(vars []size.Size, in []Access, out Access, eq, ge []Affine) (*Contraction, error) {
	check := func(a Affine) error {
		for _, t := range a.Terms {
			if t.Var < 0 || t.Var >= len(vars) {
				return fmt.Errorf("einsum: variable %d of %d", t.Var, len(vars))
			}
		}
		return nil
	}
	for _, acc := range append(slices.Clone(in), out) {
		if len(acc.Shape) != len(acc.Index) {
			return nil, fmt.Errorf("einsum: %s into a tensor of order %d", words.Count(len(acc.Index), "index"), len(acc.Shape))
		}
		for _, a := range acc.Index {
			if err := check(a); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range append(slices.Clone(eq), ge...) {
		if err := check(a); err != nil {
			return nil, err
		}
	}
	return canonical(vars, in, out, eq, ge), nil
}

// Plain builds a contraction whose index maps pick single variables: letters are
// small whole numbers, sizes[l] is the size of letter l. Every entry of sizes is a
// variable: one that occurs nowhere multiplies the result by its size.
func Plain(in [][]int, out []int, sizes []size.Size) *Contraction {
	var l letters
	l.set(in, out, sizes)
	return l.contraction()
}

// canonical renames variables by first occurrence; unused ones follow, by size.
func canonical(vars []size.Size, in []Access, out Access, eq, ge []Affine) *Contraction {
	to := lists.Make(len(vars), func(i int) int { return -1 })
	next := 0
	identity := true
	var roles []uint64
	see := func(a Affine) {
		terms := a.Terms
		if len(terms) > 1 && slices.ContainsFunc(terms, func(t Term) bool { return to[t.Var] < 0 }) {
			// Variables that a form brings in together have no order but by what they do.
			if roles == nil {
				roles = rolesOf(vars, in, out, eq, ge)
			}
			terms = slices.Clone(terms)
			slices.SortStableFunc(terms, func(x, y Term) int { return cmp.Compare(roles[x.Var], roles[y.Var]) })
		}
		for _, t := range terms {
			if to[t.Var] < 0 {
				to[t.Var] = next
				identity = identity && t.Var == next
				next++
			}
		}
	}
	seeAccess := func(acc Access) {
		for _, a := range acc.Index {
			see(a)
		}
	}
	for _, acc := range in {
		seeAccess(acc)
	}
	seeAccess(out)
	for _, a := range eq {
		see(a)
	}
	for _, a := range ge {
		see(a)
	}
	if next < len(vars) {
		var unused []int
		for v := range vars {
			if to[v] < 0 {
				unused = append(unused, v)
			}
		}
		slices.SortFunc(unused, func(a, b int) int {
			if vars[a] == vars[b] {
				return a - b
			}
			if vars[a].String() < vars[b].String() {
				return -1
			}
			return 1
		})
		for _, v := range unused {
			identity = identity && v == next
			to[v] = next
			next++
		}
	}
	c := &Contraction{Vars: vars, In: in, Out: out, Eq: eq, Ge: ge}
	if !identity {
		c.Vars = make([]size.Size, len(vars))
		for v, s := range vars {
			c.Vars[to[v]] = s
		}
		c.In = make([]Access, len(in))
		for k := range in {
			c.In[k] = in[k].rename(to)
		}
		c.Out = out.rename(to)
		c.Eq, c.Ge = renameAll(eq, to), renameAll(ge, to)
	}
	c.Eq, c.Ge = sortedForms(c.Eq), sortedForms(strongest(c.Ge))
	c.finish()
	return c
}

// rolesOf gives each variable a number that says what it does, whatever it is called: its
// size, the places in which it stands and with which coefficients, and beside whom.
func rolesOf(vars []size.Size, in []Access, out Access, eq, ge []Affine) []uint64 {
	roles := lists.Map(vars, size.Size.Hash)
	for range 2 {
		next := make([]uint64, len(vars))
		form := func(a Affine, place uint64) {
			h := place
			for _, t := range a.Terms {
				h += Mix(roles[t.Var], uint64(t.Coef))
			}
			for _, t := range a.Terms {
				next[t.Var] += Mix(h, uint64(t.Coef))
			}
		}
		for k, acc := range append(slices.Clone(in), out) {
			for i, a := range acc.Index {
				form(a, Mix(uint64(k), uint64(i)))
			}
		}
		for _, a := range eq {
			form(a, 1)
		}
		for _, a := range ge {
			form(a, 2)
		}
		for v := range roles {
			roles[v] = Mix(roles[v], next[v])
		}
	}
	return roles
}

func (acc Access) rename(to []int) Access {
	return Access{Shape: acc.Shape, Index: renameAll(acc.Index, to)}
}

// finish computes what is derived from the fields.
func (c *Contraction) finish() {
	c.plain = len(c.Eq) == 0 && len(c.Ge) == 0 && c.picks(c.Out)
	for _, acc := range c.In {
		c.plain = c.plain && c.picks(acc)
	}
	if c.plain {
		c.letters()
		c.covered = covered(len(c.Vars), c.lettIn, c.lettOut)
		c.selects = selects(c.lettIn)
		c.hash = hashLetters(c.lettIn, c.lettOut, c.Vars)
	} else {
		c.selects = true
		c.hash = hashText(c.Key())
	}
}

// picks reports whether every index of acc is one variable over its whole axis.
func (c *Contraction) picks(acc Access) bool {
	for i, a := range acc.Index {
		if v, ok := a.Var(); !ok || c.Vars[v] != acc.Shape[i] {
			return false
		}
	}
	return true
}

// Hash is a number that is equal for equal contractions.
func (c *Contraction) Hash() uint64 { return c.hash }

// IsPlain reports whether every index is one variable over its whole axis and D has no
// further condition: the products A *(s1,s2->s3) B. It gives the variables by operand
// and those of the output. The slices must not be changed.
func (c *Contraction) IsPlain() (in [][]int, out []int, ok bool) {
	return c.lettIn, c.lettOut, c.plain
}

// Covered reports whether c is plain, each variable is one of an operand, and the axes of the result have
// different ones.
func (c *Contraction) Covered() bool { return c.covered }

// Selects reports whether c may read a part of an operand only: see ReadsAll.
func (c *Contraction) Selects() bool { return c.selects }

func selects(in [][]int) bool {
	return slices.ContainsFunc(in, func(g []int) bool { return !Distinct(g) })
}

func covered(vars int, in [][]int, out []int) bool {
	if vars > 64 {
		return false
	}
	var used, of uint64
	for _, g := range in {
		for _, v := range g {
			used |= 1 << v
		}
	}
	for _, v := range out {
		if of>>v&1 != 0 {
			return false
		}
		of |= 1 << v
	}
	return used == 1<<vars-1
}

// letters fills in what IsPlain returns.
func (c *Contraction) letters() {
	n := len(c.Out.Index)
	for _, acc := range c.In {
		n += len(acc.Index)
	}
	all := make([]int, 0, n)
	read := func(acc Access) []int {
		at := len(all)
		all = lists.Append(all, acc.Index, func(a Affine) int { return a.Terms[0].Var })
		return all[at:len(all):len(all)]
	}
	c.lettIn = make([][]int, len(c.In))
	for k, acc := range c.In {
		c.lettIn[k] = read(acc)
	}
	c.lettOut = read(c.Out)
}

// Permute gives the contraction with its operands in the order perm: operand k of the
// result is operand perm[k] of c.
func (c *Contraction) Permute(perm []int) *Contraction {
	if c.plain {
		var l letters
		l.permute(c, perm)
		return l.contraction()
	}
	in := lists.Map(perm, func(p int) Access { return c.In[p] })
	return canonical(c.Vars, in, c.Out, c.Eq, c.Ge)
}

// Entrywise reports whether a plain contraction sums over nothing: every variable is one of
// the output's.
func (c *Contraction) Entrywise() bool {
	_, out, plain := c.IsPlain()
	if !plain {
		return false
	}
	for v := range c.Vars {
		if !slices.Contains(out, v) {
			return false
		}
	}
	return true
}

// Distinct reports whether the access picks a different variable for every axis.
func (acc Access) Distinct() bool {
	for i, a := range acc.Index {
		v, ok := a.Var()
		if !ok {
			return false
		}
		for _, b := range acc.Index[:i] {
			if w, _ := b.Var(); w == v {
				return false
			}
		}
	}
	return true
}
