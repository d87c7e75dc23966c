package einsum

import (
	"cmp"
	"slices"

	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Swap exchanges the output and operand k: the adjoint of the contraction in operand k.
//
//	<out, c(.., x, ..)> = <swap(c, k)(.., out, ..), x>
//
// No side condition is needed: an index missing from the other operands and the
// output is a variable that only the new output uses (Lippmann 4.6 prints it as a
// product with ones).
func (c *Contraction) Swap(k int) *Contraction {
	if c.plain {
		var l letters
		l.swap(c, k)
		return l.contraction()
	}
	in := slices.Clone(c.In)
	in[k] = c.Out
	return canonical(c.Vars, in, c.In[k], c.Eq, c.Ge)
}

// Fuse substitutes the contraction inner for operand k of c. The operands of the
// result are those of c before k, those of inner, and those of c after k. The
// intermediate's index maps become equalities and its range becomes inequalities;
// nothing is projected, so points keep their multiplicity.
func (c *Contraction) Fuse(k int, inner *Contraction) *Contraction {
	n := len(c.Vars)
	vars := append(slices.Clone(c.Vars), inner.Vars...)
	shift := lists.Make(len(inner.Vars), func(v int) int { return n + v })
	in := append([]Access{}, c.In[:k]...)
	in = lists.Append(in, inner.In, func(acc Access) Access { return acc.rename(shift) })
	in = append(in, c.In[k+1:]...)
	eq := append(slices.Clone(c.Eq), renameAll(inner.Eq, shift)...)
	ge := append(slices.Clone(c.Ge), renameAll(inner.Ge, shift)...)
	mid := c.In[k]
	innerOut := inner.Out.rename(shift)
	for a, outer := range mid.Index {
		eq = append(eq, outer.Plus(-1, innerOut.Index[a]))
		// The range of the intermediate, unless the inner index is one variable over it.
		if v, ok := innerOut.Index[a].Var(); ok && vars[v] == mid.Shape[a] {
			continue
		}
		ge = append(ge, bounds(innerOut.Index[a], mid.Shape[a])...)
	}
	return canonical(vars, in, c.Out, eq, ge)
}

// Pick is Fuse read from right to left, for the index map of operand k alone: inner has the entries of that
// operand along the variables of the map, where the conditions on these variables hold, and outer reads them by these
// variables. outer.Fuse(k, inner) is c, once its equalities are solved.
//
//	v[i]*A[i,i] = v[i]*d[i] with d[i] = A[i,i]
func (c *Contraction) Pick(k int) (outer, inner *Contraction) {
	to := lists.Make(len(c.Vars), func(v int) int { return -1 })
	var sizes []size.Size
	var index []Affine
	for _, a := range c.In[k].Index {
		for _, t := range a.Terms {
			if to[t.Var] < 0 {
				to[t.Var] = len(sizes)
				sizes, index = append(sizes, c.Vars[t.Var]), append(index, Variable(t.Var))
			}
		}
	}
	within := func(as []Affine) (out []Affine) {
		for _, a := range as {
			if !slices.ContainsFunc(a.Terms, func(t Term) bool { return to[t.Var] < 0 }) {
				out = append(out, a.rename(to))
			}
		}
		return out
	}
	ge := c.Ge
	for j, acc := range append(slices.Clone(c.In), c.Out) {
		if j != k {
			ge = slices.Concat(ge, acc.needed(c.Vars))
		}
	}
	inner = canonical(sizes, []Access{c.In[k].rename(to)}, Access{sizes, index}.rename(to), within(c.Eq), within(ge))
	in := slices.Clone(c.In)
	in[k] = Access{sizes, index}
	outer = canonical(c.Vars, in, c.Out, c.Eq, slices.Concat(c.Ge, c.In[k].needed(c.Vars)))
	return outer, inner
}

// Entries is the identity on the entries of c's result that are one of its operand's, and 0 on the others: c has one
// operand, and picks entries, each at most once.
//
//	c(f(x)) = c.Entries()(f(c(x))) for every function f of single entries
func (c *Contraction) Entries() *Contraction {
	return canonical(c.Vars, []Access{c.Out}, c.Out, c.Eq, slices.Concat(c.Ge, c.In[0].needed(c.Vars))).Solve()
}

// Leading is c, which has one operand and picks entries of it, on the leading axes alone, with the identity on further ones
// behind these; nil where c does anything to the last of its operand's axes, so many, or has conditions.
func (c *Contraction) Leading(last int, further []size.Size) *Contraction {
	in, out := c.In[0], c.Out
	n, m := len(in.Index)-last, len(out.Index)-last
	if m < 0 || len(c.Eq)+len(c.Ge)+len(in.needed(c.Vars)) > 0 || len(c.Vars) != len(out.Index) {
		return nil
	}
	for i := range last {
		v, ok := in.Index[n+i].Var()
		w, same := out.Index[m+i].Var()
		if !ok || !same || v != w || slices.ContainsFunc(in.Index[:n+i], func(a Affine) bool { return a.Coef(v) != 0 }) {
			return nil
		}
	}
	to, sizes := make([]int, len(c.Vars)), []size.Size{}
	for i, a := range out.Index[:m] {
		v, ok := a.Var()
		if !ok {
			return nil
		}
		to[v], sizes = i, append(sizes, c.Vars[v])
	}
	behind := func(acc Access, n int) Access {
		acc = Access{acc.Shape[:n], acc.Index[:n]}.rename(to)
		for i := range further {
			acc.Index = append(acc.Index, Variable(m+i))
		}
		return Access{slices.Concat(acc.Shape, further), acc.Index}
	}
	return canonical(slices.Concat(sizes, further), []Access{behind(in, n)}, behind(out, m), nil, nil)
}

// needed states that acc is in range, as far as the sizes of variables do not imply it.
func (acc Access) needed(vars []size.Size) (out []Affine) {
	for i, a := range acc.Index {
		for _, b := range bounds(a, acc.Shape[i]) {
			if !implied(b, vars) {
				out = append(out, b)
			}
		}
	}
	return out
}

// ReadsAll reports whether it is known that c reads all entries of operand k: those of axes that are not empty.
func (c *Contraction) ReadsAll(k int) bool {
	if c.plain {
		for i, v := range c.lettIn[k] {
			if slices.Contains(c.lettIn[k][:i], v) {
				return false
			}
		}
		return true
	}
	if len(c.Eq)+len(c.Ge) > 0 {
		return false
	}
	seen := make([]bool, len(c.Vars))
	for i, a := range c.In[k].Index {
		if !covers(a, c.Vars, c.In[k].Shape[i]) {
			return false
		}
		for _, t := range a.Terms {
			if seen[t.Var] {
				return false
			}
			seen[t.Var] = true
		}
	}
	for j, acc := range append(slices.Clone(c.In), c.Out) {
		if j != k && len(acc.needed(c.Vars)) > 0 {
			return false
		}
	}
	return true
}

// covers reports whether a, over the whole boxes of its variables, is known to have every value 0 <= a < n: from
// the smallest coefficient on, none is larger than the number of values that the others give.
func covers(a Affine, vars []size.Size, n size.Size) bool {
	terms := slices.Clone(a.Terms)
	slices.SortFunc(terms, func(s, t Term) int { return cmp.Compare(max(s.Coef, -s.Coef), max(t.Coef, -t.Coef)) })
	low, count := a.Off, size.Const(1)
	for _, t := range terms {
		step := size.Const(max(t.Coef, -t.Coef))
		if values, ok := count.Int(); step != size.Const(1) && step != count && (!ok || values < max(t.Coef, -t.Coef)) {
			return false
		}
		reach := vars[t.Var].Sub(size.Const(1))
		if t.Coef < 0 {
			low = low.Sub(step.Mul(reach))
		}
		count = count.Add(step.Mul(reach))
	}
	return low == (size.Size{}) && count == n
}

// bounds states 0 <= a < n.
func bounds(a Affine, n size.Size) []Affine {
	return []Affine{a, Affine{Off: n.Sub(size.Const(1))}.Plus(-1, a)}
}

// Solve removes every equality in which a variable has coefficient 1 or -1 by
// substituting that variable, and keeps its bounds as inequalities where the other
// variables do not imply them. Equalities without a unit coefficient stay.
func (c *Contraction) Solve() *Contraction {
	if len(c.Eq) == 0 {
		return c
	}
	in, out := slices.Clone(c.In), c.Out
	eq, ge := slices.Clone(c.Eq), slices.Clone(c.Ge)
	gone := make([]bool, len(c.Vars))
	var kept []Affine
	for len(eq) > 0 {
		i := pickEquality(eq)
		e := eq[i]
		eq = slices.Delete(eq, i, i+1)
		if len(e.Terms) == 0 && e.Off == (size.Size{}) {
			continue
		}
		e = primitive(e)
		v, ok := unitVariable(e, c.Vars)
		if !ok {
			kept = append(kept, e)
			continue
		}
		// e = s*v + rest = 0 with s*s = 1, so v = -s*rest.
		s := e.Coef(v)
		value := Affine{}.Plus(-s, e.Subst(v, Affine{}))
		gone[v] = true
		substAll := func(as []Affine) []Affine {
			for j, a := range as {
				if a.Coef(v) != 0 {
					as[j] = a.Subst(v, value)
				}
			}
			return as
		}
		for k := range in {
			in[k] = Access{in[k].Shape, substAll(slices.Clone(in[k].Index))}
		}
		out = Access{out.Shape, substAll(slices.Clone(out.Index))}
		eq, ge, kept = substAll(eq), substAll(ge), substAll(kept)
		if w, ok := value.Var(); !ok || c.Vars[w] != c.Vars[v] {
			ge = append(ge, bounds(value, c.Vars[v])...)
		}
	}
	// Drop the solved variables and what the sizes already imply.
	to, vars := make([]int, len(c.Vars)), []size.Size{}
	for v := range c.Vars {
		to[v] = len(vars)
		if !gone[v] {
			vars = append(vars, c.Vars[v])
		}
	}
	for k := range in {
		in[k] = in[k].rename(to)
	}
	var needed []Affine
	for _, a := range renameAll(ge, to) {
		if !implied(a, vars) && !slices.ContainsFunc(needed, func(b Affine) bool { return sameAffine(a, b) }) {
			needed = append(needed, a)
		}
	}
	return canonical(vars, in, out.rename(to), renameAll(kept, to), needed)
}

// primitive divides an equality by the common divisor of its coefficients, where that
// divides the offset too: 2*i - 2*j = 0 is i = j. Where it does not, no point satisfies
// the equality, which stays as it is.
func primitive(e Affine) Affine {
	g := int64(0)
	for _, t := range e.Terms {
		for a, b := t.Coef, g; ; a, b = b, a%b {
			if b == 0 {
				g = max(a, -a)
				break
			}
		}
	}
	off, ok := e.Off.Int()
	if g <= 1 || !ok || off%g != 0 {
		return e
	}
	out := Affine{Terms: make([]Term, len(e.Terms)), Off: size.Const(off / g)}
	for i, t := range e.Terms {
		out.Terms[i] = Term{t.Var, t.Coef / g}
	}
	return out
}

// pickEquality prefers an equality between two variables: it leaves plain index maps.
func pickEquality(eq []Affine) int {
	for i, e := range eq {
		if len(e.Terms) == 2 && e.Off == (size.Size{}) && e.Terms[0].Coef == -e.Terms[1].Coef && e.Terms[0].Coef*e.Terms[0].Coef == 1 {
			return i
		}
	}
	return 0
}

// unitVariable picks the variable to solve for: one of coefficient 1 or -1, the last of
// them, unless both sides are variables and the other one's axis is smaller.
func unitVariable(e Affine, vars []size.Size) (int, bool) {
	pick := -1
	for _, t := range e.Terms {
		if t.Coef != 1 && t.Coef != -1 {
			continue
		}
		if pick >= 0 {
			a, okA := vars[pick].Int()
			b, okB := vars[t.Var].Int()
			if okA && okB && b < a {
				continue // keep the variable of the smaller axis: its bounds imply the other's
			}
		}
		pick = t.Var
	}
	return pick, pick >= 0
}

func sameAffine(a, b Affine) bool { return a.Off == b.Off && slices.Equal(a.Terms, b.Terms) }

// implied reports whether 0 <= t_k < vars[k] already gives a >= 0. It is decided for
// numbers, and for a form that is a variable, or a size less one minus its variable.
func implied(a Affine, vars []size.Size) bool {
	low := a.Off
	for _, t := range a.Terms {
		if t.Coef < 0 {
			// The least value of coef*t is coef*(n-1).
			low = low.Add(size.Const(t.Coef).Mul(vars[t.Var].Sub(size.Const(1))))
		}
	}
	n, ok := low.Int()
	return ok && n >= 0
}

// Lift gives the contraction over extra axes: the operands in dependent and the output
// get the batch axes in front, or behind where trailing is set. The other operands are
// shared by all batch points. A contraction that is linear in one operand is lifted in
// that operand: the copower of Elsman, section 3.3.
func (c *Contraction) Lift(batch []size.Size, dependent []int, trailing bool) *Contraction {
	if len(batch) == 0 {
		return c
	}
	vars := append(slices.Clone(c.Vars), batch...)
	index := lists.Make(len(batch), func(i int) Affine { return Variable(len(c.Vars) + i) })
	extend := func(acc Access) Access {
		if trailing {
			return Access{slices.Concat(acc.Shape, batch), slices.Concat(acc.Index, index)}
		}
		return Access{slices.Concat(batch, acc.Shape), slices.Concat(index, acc.Index)}
	}
	in := slices.Clone(c.In)
	for _, k := range dependent {
		in[k] = extend(in[k])
	}
	return canonical(vars, in, extend(c.Out), c.Eq, c.Ge)
}

// Canon orders operands that carry labels: operands are sorted by label, and among
// operands of one label that order is taken which gives the least key, so that
// contractions that differ by a permutation of equal operands and the names of their
// variables get one form. It returns the form and the permutation: operand k of the
// form is operand perm[k] of c. Beyond maxTies permutations, operands are told apart by what they
// are connected to, and only those that are not are tried in all orders; see search.
func (c *Contraction) Canon(labels []int) (*Contraction, []int) {
	perm := lists.Make(len(labels), func(i int) int { return i })
	slices.SortStableFunc(perm, func(a, b int) int { return labels[a] - labels[b] })
	sorted := slices.IsSorted(perm)
	count := orders(perm, labels)
	if count == 1 {
		if sorted {
			return c, perm
		}
		return c.Permute(perm), perm
	}
	if count > maxTies {
		perm = c.search(perm, labels)
		return c.Permute(perm), perm
	}
	var best *Contraction
	var bestPerm []int
	eachOrder(perm, labels, 0, func(p []int) {
		if d := c.Permute(p); best == nil || d.Key() < best.Key() {
			best, bestPerm = d, slices.Clone(p)
		}
	})
	return best, bestPerm
}

const maxTies = 24

// orders counts the orders of perm, sorted by label, that permute operands of one label only; as
// far as maxTies.
func orders(perm, labels []int) int {
	count := 1
	for i := 0; i < len(perm); {
		j := i + 1
		for j < len(perm) && labels[perm[j]] == labels[perm[i]] {
			j++
			if count <= maxTies {
				count *= j - i
			}
		}
		i = j
	}
	return count
}

// eachOrder visits the orders of perm that permute operands of one label only.
func eachOrder(perm, labels []int, at int, visit func([]int)) {
	if at == len(perm) {
		visit(perm)
		return
	}
	for i := at; i < len(perm) && labels[perm[i]] == labels[perm[at]]; i++ {
		perm[at], perm[i] = perm[i], perm[at]
		eachOrder(perm, labels, at+1, visit)
		perm[at], perm[i] = perm[i], perm[at]
	}
}
