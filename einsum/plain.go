package einsum

import (
	"slices"
	"strconv"
	"strings"

	"frechet/einsum/size"
	"frechet/internal/lists"
)

// letters is a plain contraction in the making: letters in canonical order, the groups of all
// operands and of the output behind each other. The steps of plain contractions are done on
// letters alone, since every index map picks a variable; nearly all contractions are plain.
type letters struct {
	ends []int32 // group k of all is before ends[k]; the last group is the output
	all  []int32
	vars []size.Size

	endBuf [12]int32
	buf    [40]int32
	varBuf [12]size.Size
	toBuf  [24]int32
	to     []int32 // of the letters given, to the canonical ones; -1 where not yet seen
}

// begin prepares for n letters.
func (l *letters) begin(n int) {
	if l.ends == nil {
		l.ends, l.all, l.vars, l.to = l.endBuf[:0], l.buf[:0], l.varBuf[:0], l.toBuf[:0]
	}
	l.ends, l.all, l.vars = l.ends[:0], l.all[:0], l.vars[:0]
	l.to = slices.Grow(l.to[:0], n)[:n]
	for i := range l.to {
		l.to[i] = -1
	}
}

// letter appends letter v, of size d, to the group in the making.
func (l *letters) letter(v int, d size.Size) {
	if l.to[v] < 0 {
		l.to[v] = int32(len(l.vars))
		l.vars = append(l.vars, d)
	}
	l.all = append(l.all, l.to[v])
}

func (l *letters) end() { l.ends = append(l.ends, int32(len(l.all))) }

// rest appends the variables that nothing uses, by size.
func (l *letters) rest(sizes []size.Size) {
	at := len(l.vars)
	for v, w := range l.to[:len(sizes)] {
		if w < 0 {
			l.vars = append(l.vars, sizes[v])
		}
	}
	if len(l.vars) > at+1 {
		slices.SortFunc(l.vars[at:], func(a, b size.Size) int { return strings.Compare(a.String(), b.String()) })
	}
}

func (l *letters) group(g []int, sizes []size.Size) {
	for _, v := range g {
		l.letter(v, sizes[v])
	}
	l.end()
}

// set is Plain.
func (l *letters) set(in [][]int, out []int, sizes []size.Size) {
	l.begin(len(sizes))
	for _, g := range in {
		l.group(g, sizes)
	}
	l.group(out, sizes)
	l.rest(sizes)
}

// swap is c.Swap(k).
func (l *letters) swap(c *Contraction, k int) {
	l.begin(len(c.Vars))
	for j, g := range c.lettIn {
		if j == k {
			g = c.lettOut
		}
		l.group(g, c.Vars)
	}
	l.group(c.lettIn[k], c.Vars)
	l.rest(c.Vars)
}

// permute is c.Permute(perm).
func (l *letters) permute(c *Contraction, perm []int) {
	l.begin(len(c.Vars))
	for _, p := range perm {
		l.group(c.lettIn[p], c.Vars)
	}
	l.group(c.lettOut, c.Vars)
	l.rest(c.Vars)
}

// fuse is c.Fuse(k, inner).Solve() of two plain contractions: the letters of the intermediate
// are the letters of both.
func (l *letters) fuse(c *Contraction, k int, inner *Contraction) {
	n := len(c.Vars)
	l.begin(n + len(inner.Vars))
	// same leads from a letter to one that is equal, towards smaller ones.
	var buf [24]int32
	same := buf[:0]
	for v := range n + len(inner.Vars) {
		same = append(same, int32(v))
	}
	find := func(v int) int {
		for int(same[v]) != v {
			v = int(same[v])
		}
		return v
	}
	for a, v := range c.lettIn[k] {
		x, y := find(v), find(n+inner.lettOut[a])
		same[max(x, y)] = int32(min(x, y))
	}
	group := func(g []int, from int, sizes []size.Size) {
		for _, v := range g {
			l.letter(find(from+v), sizes[v])
		}
		l.end()
	}
	for j, g := range c.lettIn {
		if j != k {
			group(g, 0, c.Vars)
			continue
		}
		for _, h := range inner.lettIn {
			group(h, n, inner.Vars)
		}
	}
	group(c.lettOut, 0, c.Vars)
	// What is not seen is a letter of its own only where it leads to itself.
	at := len(l.vars)
	for v := range l.to {
		if l.to[v] >= 0 || find(v) != v {
			continue
		}
		if v < n {
			l.vars = append(l.vars, c.Vars[v])
		} else {
			l.vars = append(l.vars, inner.Vars[v-n])
		}
	}
	if len(l.vars) > at+1 {
		slices.SortFunc(l.vars[at:], func(a, b size.Size) int { return strings.Compare(a.String(), b.String()) })
	}
}

func (l *letters) hash() uint64 {
	h := start
	from := int32(0)
	for _, to := range l.ends {
		h = mix(h, uint64(to-from))
		for _, v := range l.all[from:to] {
			h = mix(h, uint64(v))
		}
		from = to
	}
	for _, d := range l.vars {
		h = mix(h, uint64(d.ID()))
	}
	return h
}

// is reports whether c is the contraction.
func (l *letters) is(c *Contraction) bool {
	if !c.plain || len(c.lettIn)+1 != len(l.ends) || !slices.Equal(c.Vars, l.vars) {
		return false
	}
	from := int32(0)
	for k, to := range l.ends {
		g := c.lettOut
		if k < len(c.lettIn) {
			g = c.lettIn[k]
		}
		if len(g) != int(to-from) {
			return false
		}
		for i, v := range l.all[from:to] {
			if g[i] != int(v) {
				return false
			}
		}
		from = to
	}
	return true
}

// block is a plain contraction with the room for its parts, for most in one piece of memory.
type block struct {
	c       Contraction
	vars    [4]size.Size
	letters [8]int
	shape   [8]size.Size
	index   [8]Affine
	in      [3]Access
	lettIn  [3][]int
}

// contraction builds it.
func (l *letters) contraction() *Contraction {
	n, total := len(l.ends)-1, len(l.all)
	var c *Contraction
	var flat []int
	var shape []size.Size
	var index []Affine
	if b := new(block); len(l.vars) <= len(b.vars) && total <= len(b.letters) && n <= len(b.in) {
		c, flat, shape, index = &b.c, b.letters[:total], b.shape[:total], b.index[:total]
		c.Vars, c.In, c.lettIn = b.vars[:len(l.vars):len(l.vars)], b.in[:n:n], b.lettIn[:n:n]
	} else {
		c, flat, shape, index = &Contraction{}, make([]int, total), make([]size.Size, total), make([]Affine, total)
		c.Vars, c.In, c.lettIn = make([]size.Size, len(l.vars)), make([]Access, n), make([][]int, n)
	}
	copy(c.Vars, l.vars)
	c.plain, c.hash = true, l.hash()
	for i, v := range l.all {
		flat[i], shape[i], index[i] = int(v), l.vars[v], Variable(int(v))
	}
	from := 0
	for k, e := range l.ends {
		to := int(e)
		g, acc := flat[from:to:to], Access{shape[from:to:to], index[from:to:to]}
		if k < n {
			c.lettIn[k], c.In[k] = g, acc
		} else {
			c.lettOut, c.Out = g, acc
		}
		from = to
	}
	c.covered = covered(len(c.Vars), c.lettIn, c.lettOut)
	c.selects = selects(c.lettIn)
	return c
}

// key appends the Key of the contraction to b.
func (l *letters) key(b []byte) []byte {
	n := len(l.ends) - 1
	b = append(strconv.AppendInt(b, int64(n), 10), ':')
	from := int32(0)
	for k, to := range l.ends {
		switch {
		case k == n:
			if n == 0 {
				b = append(b, '!')
			}
			b = append(b, '>')
		case k > 0:
			b = append(b, ',')
		}
		for i, v := range l.all[from:to] {
			if i > 0 {
				b = append(b, ' ')
			}
			b = strconv.AppendInt(append(b, '~'), int64(v), 10)
		}
		from = to
	}
	b = append(b, '|')
	for _, d := range l.vars {
		b = append(append(b, d.String()...), ' ')
	}
	return b
}

func hashLetters(in [][]int, out []int, vars []size.Size) uint64 {
	h := start
	group := func(g []int) {
		h = mix(h, uint64(len(g)))
		for _, v := range g {
			h = mix(h, uint64(v))
		}
	}
	for _, g := range in {
		group(g)
	}
	group(out)
	for _, d := range vars {
		h = mix(h, uint64(d.ID()))
	}
	return h
}

func hashText(s string) uint64 {
	h := start + 1
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h
}

const start uint64 = 0x9e3779b97f4a7c15

// mix adds x to the hash h.
func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0xff51afd7ed558ccd
	return h ^ h>>32
}

// UpTo is 0, 1, .., n-1: as many variables, one after the other.
func UpTo(n int) []int {
	return lists.Make(n, func(i int) int { return i })
}

// Distinct reports whether no variable stands twice in vars.
func Distinct(vars []int) bool {
	for i, v := range vars {
		if slices.Contains(vars[:i], v) {
			return false
		}
	}
	return true
}

// Follows is the place of the one pair of variables among in, but that at last, that has the variable at; -1 where there is
// none, or several. So a product of matrices is read along the chain of its axes.
func Follows(in [][]int, at, last int) int {
	found := -1
	for k, g := range in {
		if k == last || len(g) != 2 || g[0] != at && g[1] != at {
			continue
		}
		if found >= 0 || g[0] == g[1] {
			return -1
		}
		found = k
	}
	return found
}

// Permutation reports whether each of n variables stands once in vars: an output with these axes has one
// entry for each point of the domain.
func Permutation(vars []int, n int) bool { return len(vars) == n && Distinct(vars) }

// Restrict numbers the variables that occur in index groups anew, in the order in which they do.
func Restrict(in [][]int, out []int, vars []size.Size) (rin [][]int, rout []int, dims []size.Size) {
	to := make([]int, len(vars)) // from 1
	ren := func(g []int) []int {
		r := make([]int, len(g))
		for i, v := range g {
			if to[v] == 0 {
				dims = append(dims, vars[v])
				to[v] = len(dims)
			}
			r[i] = to[v] - 1
		}
		return r
	}
	rin = lists.Map(in, ren)
	return rin, ren(out), dims
}
