package confluence

import (
	"math/rand/v2"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// Build makes t in a store: as it is written where r is nil, else in a random other writing.
func (t *Term) Build(s *combinators.Store, r *rand.Rand) *Node {
	b := &builder{s: s, Rand: r, of: map[*Term]*Node{}}
	for _, u := range b.order(t) {
		b.of[u] = b.wrapped(u)
	}
	return b.of[t]
}

type builder struct {
	s *combinators.Store
	*rand.Rand
	of map[*Term]*Node
}

// chance is true once in n times, in another writing.
func (b *builder) chance(n int) bool { return b.Rand != nil && b.IntN(n) == 0 }

func (b *builder) shuffle(n int, swap func(i, j int)) {
	if b.Rand != nil {
		b.Shuffle(n, swap)
	}
}

// order is the order in which the terms are built: any in which operands come first.
func (b *builder) order(t *Term) []*Term {
	all := t.Topo()
	if b.Rand == nil {
		return all
	}
	waiting := map[*Term]int{}
	users := map[*Term][]*Term{}
	var ready, out []*Term
	for _, u := range all {
		distinct := map[*Term]bool{}
		for _, a := range u.Args {
			if !distinct[a] {
				distinct[a] = true
				users[a] = append(users[a], u)
			}
		}
		if waiting[u] = len(distinct); len(distinct) == 0 {
			ready = append(ready, u)
		}
	}
	for len(ready) > 0 {
		i := b.IntN(len(ready))
		u := ready[i]
		ready = slices.Delete(ready, i, i+1)
		out = append(out, u)
		for _, v := range users[u] {
			if waiting[v]--; waiting[v] == 0 {
				ready = append(ready, v)
			}
		}
	}
	return out
}

// wrapped builds u, now and then with a transpose pushed through it.
func (b *builder) wrapped(u *Term) *Node {
	args := make([]*Node, len(u.Args))
	for k, a := range u.Args {
		args[k] = b.of[a]
	}
	through := false
	switch u.Op {
	case Sum, Elementwise:
		through = len(u.Shape) > 1
	case Primitive:
		through = u.Name == "inv" || u.Name == "minor" && u.Attr == 1
	}
	if !through || !b.chance(3) {
		return b.plain(u, args)
	}
	perm := einsum.UpTo(len(u.Shape))
	if u.Op == Primitive {
		perm[len(perm)-1], perm[len(perm)-2] = perm[len(perm)-2], perm[len(perm)-1]
	} else {
		perm = b.Perm(len(perm))
	}
	for k, a := range args {
		args[k] = b.s.Contract([][]int{einsum.UpTo(len(perm))}, perm, a.Shape(), a)
	}
	v := b.plain(u, args)
	return b.s.Contract([][]int{perm}, einsum.UpTo(len(perm)), u.Shape, v)
}

func (b *builder) plain(u *Term, args []*Node) *Node {
	switch u.Op {
	case Variable:
		return b.s.Var(u.Name, u.Shape)
	case Number:
		return b.s.Fill(u.Coef, u.Shape)
	case Sum:
		return b.sum(u, args)
	case Product:
		return b.product(u, args)
	case General:
		return b.general(u, args)
	case Elementwise:
		if u.Coef != nil {
			m := b.s.Power(args[0], u.Coef)
			if m.Is(atom.Power) {
				m = m.WithGuard(u.Guard)
			}
			return m
		}
	case Redex:
		return b.left(u, args)
	}
	if u.Name == "split" {
		return b.s.Split(u.Attr, u.Dims[0], u.Dims[1], args[0])
	}
	return b.s.Apply(atom.Named(u.Name), u.Attr, args...)
}

// sum adds the terms up in any order and association.
func (b *builder) sum(u *Term, args []*Node) *Node {
	terms := make([]*Node, len(args))
	for k, a := range args {
		terms[k] = a
		if u.Coefs[k].Cmp(ratio(1, 1)) != 0 {
			terms[k] = b.s.Scale(b.s.Const(u.Coefs[k]), a)
		}
	}
	b.shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	for len(terms) > 1 {
		i := 0
		if b.Rand != nil {
			i = b.IntN(len(terms) - 1)
		}
		terms[i] = b.s.Add(terms[i], terms[i+1])
		terms = slices.Delete(terms, i+1, i+2)
	}
	return terms[0]
}

// product multiplies the operands in any order, all at once or some first, under other
// letters, with the number anywhere.
func (b *builder) product(u *Term, args []*Node) *Node {
	in, out, dims := slices.Clone(u.In), slices.Clone(u.Out), slices.Clone(u.Dims)
	args = slices.Clone(args)
	if u.Coef.Cmp(ratio(1, 1)) != 0 {
		in, args = append(in, nil), append(args, b.s.Const(u.Coef))
	}
	if b.Rand == nil {
		return b.s.Contract(in, out, dims, args...)
	}
	// A[i] x[i] = A[i] delta[i,j] x[j]
	if k := b.IntN(len(in) + 3); k < len(in) && len(in[k]) > 0 {
		i := b.IntN(len(in[k]))
		l, n := in[k][i], len(dims)
		in[k] = slices.Clone(in[k])
		in[k][i] = n
		dims = append(dims, dims[l])
		in, args = append(in, []int{l, n}), append(args, b.s.Eye([]size.Size{dims[l]}))
	}
	to := b.Perm(len(dims))
	renamed := make([]size.Size, len(dims))
	for v, n := range to {
		renamed[n] = dims[v]
	}
	dims = renamed
	for k, g := range in {
		in[k] = mapped(g, to)
	}
	out = mapped(out, to)
	b.Shuffle(len(args), func(i, j int) {
		args[i], args[j] = args[j], args[i]
		in[i], in[j] = in[j], in[i]
	})
	for len(args) > 2 && b.IntN(2) == 0 {
		in, dims, args = b.first(in, out, dims, args)
	}
	return b.s.Contract(in, out, dims, args...)
}

// first multiplies the first two operands, over the letters that only they have.
func (b *builder) first(in [][]int, out []int, dims []size.Size, args []*Node) ([][]int, []size.Size, []*Node) {
	elsewhere := func(v int) bool {
		for _, g := range in[2:] {
			if slices.Contains(g, v) {
				return true
			}
		}
		return slices.Contains(out, v)
	}
	var inner, kept []int // letters of the two, of which kept go on
	for _, v := range slices.Concat(in[0], in[1]) {
		if !slices.Contains(inner, v) {
			inner = append(inner, v)
			if elsewhere(v) {
				kept = append(kept, v)
			}
		}
	}
	b.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
	local := make([]int, len(dims))
	var sizes []size.Size
	for i, v := range inner {
		local[v] = i
		sizes = append(sizes, dims[v])
	}
	x := b.s.Contract([][]int{mapped(in[0], local), mapped(in[1], local)}, mapped(kept, local), sizes, args[0], args[1])
	// The letters that are gone must not be left as variables that nothing uses.
	to := make([]int, len(dims))
	var rest []size.Size
	for v, n := range dims {
		to[v] = len(rest)
		if !slices.Contains(inner, v) || slices.Contains(kept, v) {
			rest = append(rest, n)
		}
	}
	next := [][]int{mapped(kept, to)}
	for _, g := range in[2:] {
		next = append(next, mapped(g, to))
	}
	for i, v := range out {
		out[i] = to[v]
	}
	return next, rest, append([]*Node{x}, args[2:]...)
}

func mapped(g, to []int) []int {
	out := make([]int, len(g))
	for i, v := range g {
		out[i] = to[v]
	}
	return out
}

// general permutes the operands and the variables of a contraction that is not plain.
func (b *builder) general(u *Term, args []*Node) *Node {
	c := u.Ein
	if b.Rand == nil {
		return b.s.Ein(c, args...)
	}
	perm := b.Perm(len(args))
	to := b.Perm(len(c.Vars))
	vars := make([]size.Size, len(c.Vars))
	for v, n := range to {
		vars[n] = c.Vars[v]
	}
	rename := func(a einsum.Affine) einsum.Affine {
		f := einsum.Affine{Off: a.Off}
		for _, t := range a.Terms {
			f.Terms = append(f.Terms, einsum.Term{Var: to[t.Var], Coef: t.Coef})
		}
		slices.SortFunc(f.Terms, func(x, y einsum.Term) int { return x.Var - y.Var })
		return f
	}
	access := func(a einsum.Access) einsum.Access {
		f := einsum.Access{Shape: a.Shape}
		for _, x := range a.Index {
			f.Index = append(f.Index, rename(x))
		}
		return f
	}
	in, moved := make([]einsum.Access, len(args)), make([]*Node, len(args))
	for k, p := range perm {
		in[k], moved[k] = access(c.In[p]), args[p]
	}
	var ge []einsum.Affine
	for _, a := range c.Ge {
		ge = append(ge, rename(a))
	}
	d, err := einsum.New(vars, in, access(c.Out), nil, ge)
	if err != nil {
		panic(err)
	}
	return b.s.Ein(d, moved...)
}
