package unparse

import (
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// What follows on itself in a chain of matrices is a power, as one matrix that does is:
//
//	X*X'*(X*X')*X = X*(X'*X)*(X'*X) = X*matpow(X'*X, 2)
//
// Products that nothing else needs are read as what they are made of.

const maxWord = 32 // operands among which repetitions are looked for

// spelling is a contraction of which products are written out.
type spelling struct {
	ops   []*combinators.Node
	in    [][]int
	out   []int
	sizes []size.Size
}

// spelled writes parts of chains that follow on themselves as one operand each, as often as they do.
func (a *associator) spelled(s *spelling) {
	if !slices.ContainsFunc(s.ops, func(x *combinators.Node) bool { return count(s.ops, x) > 1 }) {
		return
	}
	flat := &spelling{slices.Clone(s.ops), slices.Clone(s.in), s.out, slices.Clone(s.sizes)}
	inside := slices.Clone(s.ops) // a place for each use that is seen here
	var opened []*combinators.Node
	for k := 0; k < len(flat.ops); k++ {
		x := flat.ops[k]
		if !a.powers.isProduct(x) || a.powers.uses[x] != count(inside, x) {
			continue
		}
		if !slices.Contains(opened, x) {
			opened, inside = append(opened, x), append(inside, x.Args()...)
		}
		flat.open(k)
		if len(flat.ops) > maxWord || len(flat.sizes) > maxLetters {
			return
		}
		k = -1
	}
	found := false
	for {
		run, times := flat.repeated()
		if times == 0 {
			break
		}
		a.join(flat, run, times)
		found = true
	}
	if found {
		*s = *flat
	}
}

// open puts what operand k is a product of in its place.
func (s *spelling) open(k int) {
	x := s.ops[k]
	in, out, _ := x.Ein().IsPlain()
	axis := make([]int, len(x.Ein().Vars))
	for v, d := range x.Ein().Vars {
		if axis[v] = slices.Index(out, v); axis[v] >= 0 {
			axis[v] = s.in[k][axis[v]]
		} else {
			axis[v], s.sizes = len(s.sizes), append(s.sizes, d)
		}
	}
	parts := make([][]int, len(in))
	for i, g := range in {
		for _, v := range g {
			parts[i] = append(parts[i], axis[v])
		}
	}
	s.ops, s.in = slices.Replace(s.ops, k, k+1, x.Args()...), slices.Replace(s.in, k, k+1, parts...)
}

// letter is a factor of a chain: an operand, as it is or transposed.
type letter struct {
	op         int
	transposed bool
}

// chains are the products of matrices among the operands, each read from an end; not those that close.
func (s *spelling) chains() (all [][]letter) {
	places := slices.Concat(s.in...)
	seen := make([]bool, len(s.ops))
	next := func(at, last int) int {
		if count(places, at) != 2 || slices.Contains(s.out, at) {
			return -1
		}
		return einsum.Follows(s.in, at, last)
	}
	for k, g := range s.in {
		if len(g) != 2 || g[0] == g[1] || seen[k] {
			continue
		}
		at := -1
		for _, end := range g {
			if next(end, k) < 0 {
				at = end
			}
		}
		var chain []letter
		for op := k; at >= 0 && op >= 0; op = next(at, op) {
			h := s.in[op]
			chain = append(chain, letter{op, h[0] != at})
			seen[op] = true
			at = h[0] + h[1] - at
		}
		all = append(all, chain)
	}
	return all
}

// repeated is the run of a chain in which a word follows on itself, and how often it does: the longest, of the shortest word,
// and X'*X before X*X'.
func (s *spelling) repeated() (run []letter, times int) {
	equal := func(a, b []letter) bool {
		return slices.EqualFunc(a, b, func(l, m letter) bool { return s.ops[l.op] == s.ops[m.op] && l.transposed == m.transposed })
	}
	for _, chain := range s.chains() {
		for width := 2; width <= len(chain)/2; width++ {
			for i := 0; i+2*width <= len(chain); i++ {
				word, n := chain[i:i+width], 1
				for i+(n+1)*width <= len(chain) && equal(word, chain[i+n*width:i+(n+1)*width]) {
					n++
				}
				if n == 1 || equal(word[1:], word[:width-1]) { // one matrix is no word
					continue
				}
				more := n*width - len(run)
				if more > 0 || more == 0 && n == times && word[0].transposed && !run[0].transposed {
					run, times = chain[i:i+n*width], n
				}
			}
		}
	}
	return run, times
}

// join makes one operand of each of the words, as many as times, of which the run is made.
func (a *associator) join(s *spelling, run []letter, times int) {
	width := len(run) / times
	word := run[:width]
	turned := 2*count(transposes(word), 1) > width // matpow(A*B, 2)', and not matpow(B'*A', 2)
	var in [][]int
	var factors []*combinators.Node
	var sizes []size.Size
	for i, l := range word {
		g := []int{i, i + 1}
		if l.transposed {
			g = []int{i + 1, i}
		}
		x := s.ops[l.op]
		in, factors = append(in, g), append(factors, x)
		sizes = append(sizes, x.Shape()[count(transposes(word[i:i+1]), 1)])
	}
	out := []int{0, width}
	if turned {
		out = []int{width, 0}
	}
	sizes = append(sizes, sizes[0])
	base := a.store.Ein(einsum.Plain(in, out, sizes), factors...)
	if a.powers.uses[base] == 0 {
		a.powers.uses[base] = times
	}
	if p := a.problem(base); p != nil {
		a.probs[base] = p
		a.know(p) // and not its transpose
	}
	end := func(l letter, last bool) int {
		if l.transposed != last {
			return s.in[l.op][1]
		}
		return s.in[l.op][0]
	}
	for k := range times {
		part := run[k*width : (k+1)*width]
		ends := []int{end(part[0], false), end(part[width-1], true)}
		if turned {
			slices.Reverse(ends)
		}
		s.ops, s.in = append(s.ops, base), append(s.in, ends)
	}
	used := make([]bool, len(s.ops))
	for _, l := range run {
		used[l.op] = true
	}
	rest := &spelling{out: s.out, sizes: s.sizes}
	for k, x := range s.ops {
		if !used[k] {
			rest.ops, rest.in = append(rest.ops, x), append(rest.in, s.in[k])
		}
	}
	*s = *rest
}

// transposes has a 1 for each letter that is transposed, and else a 0.
func transposes(word []letter) []int {
	out := make([]int, len(word))
	for i, l := range word {
		if l.transposed {
			out[i] = 1
		}
	}
	return out
}
