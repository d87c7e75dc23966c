package reading

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/rewrite/assumptions"
	"frechet/rewrite/normal"
)

// A monomial is coef times a product of factors: operand k has the variables in[k], and the product the variables out, of
// which one may stand several times, as in a diagonal.
type monomial struct {
	coef *big.Rat
	ops  []*Node
	in   [][]int
	out  []int
	// shape is that of the product: a variable of the output that no factor has makes it constant along an axis, or a diagonal.
	shape []size.Size
}

// factoring finds ways to take common factors out of a sum.
type factoring struct {
	store *combinators.Store
	facts *assumptions.Facts
	kept  *kept
	known map[string]*Node // the shortest form of a sum of monomials
	most  int              // terms
	left  int              // steps
	order int              // that a sum may have

	nested bool // what is below a fraction bar is being multiplied out
}

// monomials are the terms of n multiplied out; it reports false where they are too many.
func (f *factoring) monomials(n *Node) (out []monomial, ok bool) {
	cores, numbers, ok := normal.Monomials(n)
	if !ok || len(cores) > f.most {
		return nil, false
	}
	for k, c := range cores {
		ops, in, to, coef := normal.Factors(c)
		m := monomial{coef: new(big.Rat).Mul(coef, numbers[k]), out: to, shape: c.Shape()}
		for i, a := range ops {
			unit, times := normal.Unit(a)
			for range times {
				m.ops, m.in = append(m.ops, unit), append(m.in, in[i])
			}
		}
		for _, d := range unused(c) {
			m.ops, m.in = append(m.ops, f.store.SizeOf(d)), append(m.in, nil)
		}
		out = append(out, f.reduced(m))
	}
	return out, true
}

// unused are the sizes of the variables over which n sums, and of which no operand depends.
func unused(n *Node) (sizes []size.Size) {
	if n.Ein() == nil {
		return nil
	}
	in, out, plain := n.Ein().IsPlain()
	for v, d := range n.Ein().Vars {
		if plain && !slices.Contains(out, v) && !slices.ContainsFunc(in, func(g []int) bool { return slices.Contains(g, v) }) {
			sizes = append(sizes, d)
		}
	}
	return sizes
}

// spend takes steps from those that are left; it reports false where there are none.
func (f *factoring) spend(steps int) bool {
	f.left -= steps
	return f.left > 0
}

// sum is the shortest form of a sum of monomials with one shape that is found.
func (f *factoring) sum(terms []monomial) *Node {
	key := string(key(nil, terms))
	if n := f.known[key]; n != nil {
		return n
	}
	best := f.plain(terms)
	if f.spend(perSum) && len(terms) > 1 {
		for _, n := range f.factored(terms) {
			if length(n) < length(best) {
				best = n
			}
		}
		for _, all := range f.together(terms) {
			if n := f.sum(all); length(n) < length(best) {
				best = n
			}
		}
	}
	f.known[key] = best
	return best
}

// ways are forms of a sum: one for each set of factors that is taken out first, and each common denominator.
func (f *factoring) ways(terms []monomial) (out []*Node) {
	if len(terms) == 0 {
		return nil
	}
	for _, all := range f.together(terms) {
		if len(all) > 0 {
			out = append(out, append(f.factored(all), f.plain(all))...)
		}
	}
	return append(append(out, f.factored(terms)...), f.plain(terms))
}

// factored takes each of the common factors of two terms out of all that have them.
func (f *factoring) factored(terms []monomial) (out []*Node) {
	factors, tried := map[string]bool{}, map[string]bool{}
	again := func(seen map[string]bool, k []byte) bool {
		was := seen[string(k)]
		seen[string(k)] = true
		return was
	}
	var room []byte
	for i, a := range terms {
		for _, b := range terms[:i] {
			for _, c := range f.commonFactors(a, b) {
				if room = key(room[:0], []monomial{c.monomial}); len(c.edges) > f.order || again(factors, fmt.Append(room, c.edges)) {
					continue
				}
				var with, without []monomial
				for _, t := range terms {
					if rest, ok := f.quotient(t, c); ok {
						with = append(with, rest)
					} else {
						without = append(without, t)
					}
				}
				room = key(append(key(append(room, '*'), with), '+'), without)
				if len(with) < 2 || again(tried, room) {
					continue
				}
				n := f.times(c, f.sum(with))
				if len(without) > 0 {
					n = f.store.Add(n, f.sum(without))
				}
				out = append(out, n)
			}
		}
	}
	return out
}

// plain is the sum as it is multiplied out.
func (f *factoring) plain(terms []monomial) (sum *Node) {
	for _, t := range terms {
		n := f.build(t)
		if sum == nil {
			sum = n
		} else {
			sum = f.store.Add(sum, n)
		}
	}
	return sum
}

// build is the value of m.
func (f *factoring) build(m monomial) *Node {
	dims := map[int]size.Size{}
	for k, g := range m.in {
		for i, v := range g {
			dims[v] = m.ops[k].Shape()[i]
		}
	}
	for i, v := range m.out {
		dims[v] = m.shape[i]
	}
	number := map[int]int{}
	var sizes []size.Size
	numbered := func(g []int) []int {
		h := make([]int, len(g))
		for i, v := range g {
			if _, ok := number[v]; !ok {
				number[v] = len(sizes)
				sizes = append(sizes, dims[v])
			}
			h[i] = number[v]
		}
		return h
	}
	var groups [][]int
	for _, g := range m.in {
		groups = append(groups, numbered(g))
	}
	to := numbered(m.out)
	ops := m.ops
	if !atom.IsOne(m.coef) {
		ops, groups = append(slices.Clip(ops), f.store.Const(m.coef)), append(groups, nil)
	}
	return f.store.Contract(groups, to, sizes, ops...)
}

// key appends what tells sums of monomials apart to b. Two that differ in the names of variables may have two keys.
func key(b []byte, terms []monomial) []byte {
	var names []int // of variables, as they appear
	name := func(g []int) {
		for _, v := range g {
			k := slices.Index(names, v)
			if k < 0 {
				k, names = len(names), append(names, v)
			}
			b = append(strconv.AppendInt(b, int64(k), 10), ' ')
		}
	}
	for _, t := range terms {
		names = names[:0]
		if t.coef.IsInt() {
			b = t.coef.Num().Append(b, 10)
		} else {
			b = append(b, t.coef.String()...)
		}
		b = append(b, ':')
		for k, a := range t.ops {
			b = append(strconv.AppendInt(b, int64(a.ID()), 10), '(')
			name(t.in[k])
		}
		b = append(b, '>')
		name(t.out)
		for _, d := range t.shape {
			b = append(append(b, d.String()...), ',')
		}
		b = append(b, ';')
	}
	return b
}
