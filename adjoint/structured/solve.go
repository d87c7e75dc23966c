package structured

import (
	"fmt"
	"math/big"
	"slices"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/internal/words"
	"frechet/rewrite/normal"
)

// Solution is the solution of a linear system as a value, and how it was found.
type Solution struct {
	Value *Node
	How   string
}

// Solve is the value x with m(x) = b, for a map between spaces of equal size and b of
// shape [Out..]. It uses the structure of the map: axes that every term carries unchanged
// are left alone, a core times an identity is solved by factorising the core alone (for
// matrix factorisation O(k^3 + n k^2) instead of O((nk)^3)), a Kronecker product factor by
// factor, a block diagonal block by block. A diagonal core with a term of low rank is
// solved by the formula of Woodbury where sizes, which gives numbers to size symbols,
// shows that this is smaller. What has no structure is merged into one matrix.
//
// The value is made of the atom solve, so it prints, differentiates, and fails at a
// singular matrix like any other.
func (m *Map) Solve(b *Node, sizes map[string]int64) (*Solution, error) {
	if size.Shape(b.Shape()) != size.Shape(m.Out) {
		return nil, &adjoint.Error{Message: fmt.Sprintf("the right side has shape %s, not %s", size.Shape(b.Shape()), size.Shape(m.Out))}
	}
	sum, ok := products(m.Entries)
	if !ok || len(sum) == 0 {
		return m.solveDense(b)
	}
	k := len(m.Out)
	if len(m.In) != k {
		return m.solveDense(b)
	}
	partner, identity := carried(sum, k)
	s := m.Entries.Store()
	var block, rows, cols []int // axes of the output, of the output, of the input
	taken := make([]bool, k)
	for a := range k {
		switch {
		case partner[a] < 0:
			rows = append(rows, a)
		case !identity[a]:
			block = append(block, a)
		}
		if partner[a] >= 0 {
			taken[partner[a]] = true
		}
	}
	for j := range k {
		if !taken[j] {
			cols = append(cols, j)
		}
	}
	out := lists.Make(k, func(j int) int { // axes are named by the output's axis, the input's own ones by k+j
		if a := slices.Index(partner, j); a >= 0 {
			return a
		}
		return k + j
	})
	v := &system{s: s, value: b, axes: einsum.UpTo(k)}
	how := ""
	if len(rows) == 0 {
		// Every axis is carried: divide.
		v.divide(m.core(sum, block, nil, nil), block)
		how = "a diagonal"
	} else if len(sum) == 1 {
		how = m.solveProduct(v, sum[0], block, rows, cols, k)
	}
	if how == "" && sizes != nil && len(block) == 0 {
		how = m.woodbury(v, sum, rows, cols, k, sizes)
	}
	if how == "" {
		if !equalCount(m.Out, rows, m.In, cols) {
			return nil, &adjoint.Error{Message: "the map is not square"}
		}
		core := m.core(sum, block, rows, cols)
		how = v.solve(core, block, rows, shifted(cols, k))
	}
	return &Solution{normal.Simplify(v.permuted(out))[0], how}, nil
}

// carried finds the axes that pass through: axis a of the output is carried to axis partner[a] of the input, -1 where to none,
// where every term has one letter on both and nowhere else; it is an identity where no factor has that letter.
func carried(sum []*product, k int) (partner []int, identity []bool) {
	partner, identity = slices.Repeat([]int{-1}, k), make([]bool, k)
	for a := range k {
		partner[a] = slices.IndexFunc(einsum.UpTo(k), func(j int) bool {
			return !slices.ContainsFunc(sum, func(p *product) bool { return p.out[k+j] != p.out[a] || count2(p.out, p.out[a]) != 2 })
		})
		identity[a] = partner[a] >= 0 && !slices.ContainsFunc(sum, func(p *product) bool {
			return slices.ContainsFunc(p.in, func(g []int) bool { return slices.Contains(g, p.out[a]) })
		})
	}
	return partner, identity
}

func shifted(g []int, by int) []int {
	return lists.Map(g, func(v int) int { return v + by })
}

func count2(g []int, v int) int {
	n := 0
	for _, w := range g {
		if w == v {
			n++
		}
	}
	return n
}

func pick(shape []size.Size, axes []int) []size.Size {
	return lists.Map(axes, func(a int) size.Size { return shape[a] })
}

// equalCount reports whether the axes rows of a have as many entries as cols of b.
func equalCount(a []size.Size, rows []int, b []size.Size, cols []int) bool {
	x, y := size.Const(1), size.Const(1)
	for _, r := range rows {
		x = x.Mul(a[r])
	}
	for _, c := range cols {
		y = y.Mul(b[c])
	}
	return x == y
}

// core is the sum of the terms along the axes block, rows and cols, the carried
// identities left out.
func (m *Map) core(sum []*product, block, rows, cols []int) *Node {
	s := m.Entries.Store()
	k := len(m.Out)
	var parts []*Node
	for _, p := range sum {
		var out []int
		out = lists.Append(out, block, func(a int) int { return p.out[a] })
		out = lists.Append(out, rows, func(a int) int { return p.out[a] })
		out = lists.Append(out, cols, func(j int) int { return p.out[k+j] })
		parts = append(parts, p.with(s, nil, nil, out))
	}
	return adjoint.Total(s, parts...)
}

// system is the right side on its way to the solution; axes names its axes: 0.. for those
// of the output, len(Out).. for those of the input.
type system struct {
	s     *combinators.Store
	value *Node
	axes  []int
}

// permuted is the value with its axes in the order of names.
func (v *system) permuted(names []int) *Node {
	return v.s.Contract([][]int{ranks(v.axes, names)}, einsum.UpTo(len(names)), pick(v.value.Shape(), positions(v.axes, names)), v.value)
}

func positions(axes, names []int) []int {
	return lists.Map(names, func(n int) int { return slices.Index(axes, n) })
}

// ranks gives each axis its place in names.
func ranks(axes, names []int) []int { return positions(names, axes) }

// divide divides by d, a value along the axes block.
func (v *system) divide(d *Node, block []int) {
	shape := v.value.Shape()
	v.value = v.s.Contract([][]int{einsum.UpTo(len(shape)), positions(v.axes, block)}, einsum.UpTo(len(shape)), shape, v.value, v.s.Recip(d))
}

// solve replaces the axes rows by cols: it solves with the core, of axes block, rows, cols.
func (v *system) solve(core *Node, block, rows, cols []int) string {
	var rest []int
	for _, a := range v.axes {
		if !slices.Contains(block, a) && !slices.Contains(rows, a) {
			rest = append(rest, a)
		}
	}
	rhs := v.permuted(slices.Concat(block, rows, rest))
	n := len(block)
	x := v.s.SolveAxes(n, len(rows), core, rhs)
	v.value, v.axes = x, slices.Concat(block, cols, rest)
	switch {
	case len(block) > 0:
		return "a solve for every block"
	case len(rest) > 0:
		return "a solve with the core, once for all other axes"
	}
	return "a dense solve"
}

// solveProduct solves with a single term, Kronecker factor by factor; "" where its
// factors are not square.
func (m *Map) solveProduct(v *system, p *product, block, rows, cols []int, k int) string {
	letterOf := func(axes []int, by int) []int {
		return lists.Map(axes, func(a int) int { return p.out[by+a] })
	}
	blocks, rowLetters, colLetters := letterOf(block, 0), letterOf(rows, 0), letterOf(cols, k)
	type factor struct {
		ops               []int
		block, rows, cols []int // axes
	}
	var factors []factor
	seenRows, seenCols := 0, 0
	for _, g := range p.groups() {
		f := factor{ops: g}
		letters := p.lettersOf(g)
		for _, l := range letters {
			switch {
			case slices.Contains(blocks, l):
				f.block = append(f.block, block[slices.Index(blocks, l)])
			case count2(rowLetters, l) == 1 && count2(p.out, l) == 1:
				f.rows = append(f.rows, rows[slices.Index(rowLetters, l)])
			case count2(colLetters, l) == 1 && count2(p.out, l) == 1:
				f.cols = append(f.cols, cols[slices.Index(colLetters, l)])
			default:
				return ""
			}
		}
		if len(f.rows) > 0 && !equalCount(m.Out, f.rows, m.In, f.cols) {
			return ""
		}
		seenRows += len(f.rows)
		seenCols += len(f.cols)
		factors = append(factors, f)
	}
	if seenRows != len(rows) || seenCols != len(cols) {
		return ""
	}
	v.value = v.s.Scale(v.s.Const(new(big.Rat).Inv(p.coef)), v.value)
	solves, how := 0, ""
	for _, f := range factors {
		var out []int
		out = lists.Append(out, slices.Concat(f.block, f.rows), func(a int) int { return p.out[a] })
		out = lists.Append(out, f.cols, func(j int) int { return p.out[k+j] })
		core := p.value(v.s, f.ops, out)
		if len(f.rows) == 0 {
			v.divide(core, f.block)
			continue
		}
		how = v.solve(core, f.block, f.rows, shifted(f.cols, k))
		solves++
	}
	if solves > 1 {
		how = fmt.Sprintf("%s, one for each Kronecker factor", words.Count(solves, "solve"))
	}
	return how
}

// woodbury solves with a core that is a diagonal plus one term of low rank:
//
//	(D + U V')^-1 b = D^-1 b - D^-1 U (I + V' D^-1 U)^-1 V' D^-1 b
//
// It returns "" where the core is not of that form, or its rank is not small.
func (m *Map) woodbury(v *system, sum []*product, rows, cols []int, k int, sizes map[string]int64) string {
	if len(rows) != 1 || len(cols) != 1 || m.Out[rows[0]] != m.In[cols[0]] {
		return ""
	}
	r, c := rows[0], k+cols[0]
	var diag, others []*product
	for _, p := range sum {
		if p.out[r] == p.out[c] {
			diag = append(diag, p)
		} else {
			others = append(others, p)
		}
	}
	if len(diag) == 0 || len(others) != 1 {
		return ""
	}
	low := others[0]
	i, j := low.out[r], low.out[c]
	left, right, between, ok := low.halves(i, j)
	if !ok || len(between) > 1 {
		return ""
	}
	rank, n := size.Const(1), m.Out[rows[0]]
	for _, l := range between {
		rank = low.dims[l]
	}
	nr, err1 := rank.Eval(sizes)
	nn, err2 := n.Eval(sizes)
	if err1 != nil || err2 != nil || 2*nr > nn {
		return ""
	}
	s := v.s
	d := m.core(diag, []int{r}, nil, nil) // along the row axis
	u := low.value(s, left, append([]int{i}, between...))
	w := s.Scale(s.Const(low.coef), low.value(s, right, append([]int{j}, between...)))
	inv := s.Recip(d)
	x := v.permuted(append([]int{r}, without(v.axes, r)...))
	v.axes = append([]int{k + cols[0]}, without(v.axes, r)...)
	rest := einsum.UpTo(x.Order())
	scale := func(y *Node) *Node { // D^-1 y
		all := einsum.UpTo(y.Order())
		return s.Contract([][]int{{0}, all}, all, y.Shape(), inv, y)
	}
	dx := scale(x)
	du := scale(u)
	if len(between) == 0 {
		// rank one: 1 + v' D^-1 u is a number
		one := s.Add(s.Int(1), s.Contract([][]int{{0}, {0}}, nil, []size.Size{n}, w, du))
		t := s.Contract([][]int{{0}, rest}, rest[1:], x.Shape(), w, dx)
		all := x.Shape()
		y := s.Contract([][]int{{0}, rest[1:], nil}, rest, all, du, t, s.Recip(one))
		v.value = s.Sub(dx, y)
		return "a diagonal and a term of rank one"
	}
	rs := low.dims[between[0]]
	small := s.Add(s.Eye([]size.Size{rs}), s.Contract([][]int{{0, 1}, {0, 2}}, []int{1, 2}, []size.Size{n, rs, rs}, w, du))
	dims := slices.Concat([]size.Size{n, rs}, x.Shape()[1:])
	batch := lists.Make(x.Order()-1, func(q int) int { return q + 2 })
	t := s.Contract([][]int{{0, 1}, append([]int{0}, batch...)}, append([]int{1}, batch...), dims, w, dx)
	t = s.Solve(small, t)
	y := s.Contract([][]int{{0, 1}, append([]int{1}, batch...)}, append([]int{0}, batch...), dims, du, t)
	v.value = s.Sub(dx, y)
	return "a diagonal and a term of low rank"
}

// halves splits the operands of a term: those with the row's letter i on the left, all others on the right, and none with both
// i and the column's letter j. The letters between them are the rank.
func (p *product) halves(i, j int) (left, right, between []int, ok bool) {
	for q, g := range p.in {
		switch {
		case slices.Contains(g, i) && slices.Contains(g, j):
			return nil, nil, nil, false
		case slices.Contains(g, i):
			left = append(left, q)
		default:
			right = append(right, q)
		}
	}
	for _, q := range left {
		for _, l := range p.in[q] {
			read := slices.ContainsFunc(right, func(h int) bool { return slices.Contains(p.in[h], l) })
			if l != i && read && !slices.Contains(between, l) {
				between = append(between, l)
			}
		}
	}
	return left, right, between, true
}

func without(g []int, v int) []int {
	return slices.DeleteFunc(slices.Clone(g), func(w int) bool { return w == v })
}

// solveDense merges all axes into one matrix.
func (m *Map) solveDense(b *Node) (*Solution, error) {
	if !equalCount(m.Out, einsum.UpTo(len(m.Out)), m.In, einsum.UpTo(len(m.In))) {
		return nil, &adjoint.Error{Message: "the map is not square"}
	}
	k := len(m.Out)
	if k == 0 {
		return &Solution{normal.Simplify(b.Store().Mul(b, b.Store().Recip(m.Entries)))[0], "a division"}, nil
	}
	v := &system{s: b.Store(), value: b, axes: einsum.UpTo(k)}
	how := v.solve(m.Entries, nil, einsum.UpTo(k), shifted(einsum.UpTo(len(m.In)), k))
	return &Solution{v.value, how}, nil
}
