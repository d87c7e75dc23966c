package unparse

import (
	"math/big"
	"math/bits"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Associate gives nodes equal to the given ones in which every contraction has at most
// two operands. Index products are associated so that, in this order,
//
//   - no intermediate has a higher order than necessary (beyond that of the operands),
//   - the fewest multiplications are made, counted by orders: a product over d letters
//     costs n^d,
//   - intermediates are shared with other contractions below the same nodes,
//   - factors of order 0 stand outermost, and matrices associate from the left.
//
// A factor of -1 always becomes the outermost product, so that sums see it. Contractions
// whose index maps are not plain keep their operands. Up to maxSubsets operands the
// choice is exact for one contraction; beyond it is greedy, and from maxGreedy on, or
// after workLimit products in all, linear.
func Associate(nodes []*combinators.Node) []*combinators.Node {
	return newAssociator(nodes).all(nodes)
}

const (
	maxSubsets = 8
	maxGreedy  = 48
	workLimit  = 4_000_000
	maxLetters = 64
)

type associator struct {
	store  *combinators.Store
	powers powers
	topo   []*combinators.Node
	done   map[*combinators.Node]*combinators.Node
	probs  map[*combinators.Node]*problem
	// known has the products that exist: contractions of the input, and intermediates
	// that were built. The key leaves out the order of the output axes.
	known map[string]*product
	// often counts the contractions of the input that have a sub-product of two or three
	// operands.
	often map[string]int
	work  int
}

// product is a contraction that may serve as an intermediate. Axis a of the value has
// the letter that is number axes[a] of the product's canonical letters.
type product struct {
	node  *combinators.Node // of the input, nil for an intermediate
	built *combinators.Node
	axes  []int
}

func newAssociator(nodes []*combinators.Node) *associator {
	a := &associator{
		topo:   combinators.Topo(nodes...),
		done:   map[*combinators.Node]*combinators.Node{},
		powers: newPowers(combinators.Uses(nodes...)),
		probs:  map[*combinators.Node]*problem{},
		known:  map[string]*product{},
		often:  map[string]int{},
	}
	if len(nodes) > 0 {
		a.store = nodes[0].Store()
	}
	return a
}

func (a *associator) all(nodes []*combinators.Node) []*combinators.Node {
	for _, n := range a.topo {
		if p := a.problem(n); p != nil {
			a.probs[n] = p
			a.register(p)
		}
	}
	for _, n := range a.topo {
		a.node(n)
	}
	return lists.Map(nodes, func(n *combinators.Node) *combinators.Node { return a.done[n] })
}

// node associates n, whose operands are done.
func (a *associator) node(n *combinators.Node) *combinators.Node {
	if d := a.done[n]; d != nil {
		return d
	}
	args := lists.Map(n.Args(), a.node)
	var d *combinators.Node
	if p := a.probs[n]; p != nil {
		d = a.solve(p)
	} else {
		d = n.With(args)
	}
	a.done[n] = d
	return d
}

// problem is a contraction to associate: a sign, operands with their letters, and the
// output's letters, which may repeat or occur in no operand.
type problem struct {
	node     *combinators.Node
	negative bool
	ops      []operand
	out      []int
	sizes    []size.Size
	core     uint64 // letters that both the operands and the output have
}

type operand struct {
	orig    *combinators.Node // nil for a factor made here: built is set
	built   *combinators.Node
	letters []int
	set     uint64
}

// problem reads a plain contraction, or gives nil where the node stays as it is.
func (a *associator) problem(n *combinators.Node) *problem {
	c := n.Ein()
	if c == nil || len(n.Args()) == 0 || len(c.Vars) > maxLetters || ofArrays(n) {
		return nil
	}
	in, out, ok := c.IsPlain()
	if power := a.powers.of(n); !ok || power.exponent >= minPower && !a.powers.isProduct(power.base) {
		return nil // a power is written as one
	}
	p := &problem{node: n, out: out, sizes: c.Vars}
	coef := big.NewRat(1, 1)
	tensors := 0
	for k, arg := range n.Args() {
		if r := arg.Rat(); r != nil && arg.Atom() == atom.Const {
			coef = new(big.Rat).Mul(coef, r)
			continue
		}
		tensors++
		p.ops = append(p.ops, operand{orig: arg, letters: in[k], set: setOf(in[k])})
	}
	if coef.Sign() < 0 {
		p.negative = true
		coef = new(big.Rat).Neg(coef)
	}
	if coef.Cmp(big.NewRat(1, 1)) != 0 {
		p.ops = append(p.ops, operand{built: a.store.Const(coef)})
	}
	used, outs := uint64(0), setOf(out)
	for _, o := range p.ops {
		used |= o.set
	}
	number := size.Const(1)
	for v, s := range c.Vars {
		if (used|outs)&(1<<v) == 0 {
			number = number.Mul(s)
		}
	}
	if number != size.Const(1) {
		p.ops = append(p.ops, operand{built: a.store.SizeOf(number)})
	}
	if tensors == 0 {
		if len(n.Args()) == 1 && number == size.Const(1) {
			return nil // a fill
		}
		if len(p.ops) == 0 {
			p.ops = append(p.ops, operand{built: a.store.Int(1)})
		}
	}
	p.core = used & outs
	a.grouped(p)
	if len(p.ops) == 1 && p.ops[0].orig == n {
		return nil // a power, of a product
	}
	if len(n.Args()) == 1 && tensors == 1 && !p.negative && number == size.Const(1) {
		return nil // one operand: a transpose, diagonal, sum or broadcast
	}
	return p
}

func setOf(letters []int) (s uint64) {
	for _, l := range letters {
		s |= 1 << l
	}
	return s
}

// plain reports whether the output is a permutation of the core letters.
func (p *problem) plain() bool {
	return len(p.out) == bits.OnesCount64(p.core) && setOf(p.out) == p.core
}

// register makes the contraction known as an intermediate of others, and counts its
// small sub-products.
func (a *associator) register(p *problem) {
	if len(p.ops) < 2 || len(p.ops) > maxSubsets || len(a.topo) > 50_000 {
		return
	}
	full := uint(1)<<len(p.ops) - 1
	itself := p.plain() && !p.negative
	if itself {
		if key, _ := p.key(full, p.core); a.known[key] == nil {
			a.know(p)
		}
	}
	// Of one contraction's sub-products, those count that do not overlap: in v v X X the
	// product v X stands twice, in 4 x x x the product 4 x once.
	here := map[string]uint{}
	for mask := uint(1); mask <= full; mask++ {
		if mask == full && itself {
			continue
		}
		if c := bits.OnesCount(mask); c == 2 || c == 3 && len(p.ops) <= 5 {
			key, _ := p.key(mask, p.kept(mask))
			if key != "" && !p.light(mask) && here[key]&mask == 0 {
				here[key] |= mask
				a.often[key]++
			}
		}
	}
}

// know makes the contraction known as an intermediate.
func (a *associator) know(p *problem) {
	if key, order := p.key(uint(1)<<len(p.ops)-1, p.core); key != "" {
		a.known[key] = &product{node: p.node, axes: positions(p.out, order)}
	}
}

// light reports whether a product is not worth a name where it stands in several places: one of numbers
// alone, or a value times a literal. Written out, these go where they read best.
func (p *problem) light(mask uint) bool {
	tensors, literals := 0, 0
	for k, o := range p.ops {
		switch {
		case mask>>k&1 == 0:
		case len(o.letters) > 0:
			tensors++
		case o.built != nil && o.built.Atom() == atom.Const:
			literals++
		}
	}
	return tensors == 0 || literals == 1 && bits.OnesCount(mask) == 2
}

// positions gives for each of letters its place in order.
func positions(letters, order []int) []int {
	return lists.Map(letters, func(l int) int { return slices.Index(order, l) })
}

// value is a partial product while one contraction is built.
type value struct {
	node    *combinators.Node
	letters []int
}

// solve builds the contraction from products of two operands.
func (a *associator) solve(p *problem) *combinators.Node {
	vals := make([]value, len(p.ops))
	for k, o := range p.ops {
		vals[k] = value{o.built, o.letters}
		if o.orig != nil {
			vals[k].node = a.node(o.orig)
		}
	}
	var v value
	switch {
	case len(vals) == 1:
		v = vals[0]
	case len(vals) <= maxSubsets && a.work < workLimit:
		v = a.search(p, vals)
	case len(vals) <= maxGreedy && a.work < workLimit:
		v = a.greedy(p, vals)
	default:
		v = a.leftToRight(p, vals)
	}
	n := v.node
	if !slices.Equal(v.letters, p.out) || !distinct(p.out) { // ii->ii takes a diagonal
		n = a.store.Ein(p.contraction([][]int{v.letters}, p.out), n)
	}
	if p.negative {
		n = a.store.Neg(n)
	}
	return n
}

// last is the order of the output axes of the last product: the contraction's own where
// its output neither repeats nor invents a letter, else nil, and any order will do.
func (p *problem) last() []int {
	if p.plain() {
		return p.out
	}
	return nil
}

// pair is the product of x and y, keeping the letters kept, in the order out or in one
// that reads well.
func (a *associator) pair(p *problem, x, y value, kept uint64, out []int) value {
	a.work++
	if out == nil {
		out = axisOrder(p, x, y, kept)
	}
	return value{a.store.Ein(p.contraction([][]int{x.letters, y.letters}, out), x.node, y.node), out}
}

// contraction is the plain contraction of those letters alone: a variable that no letter
// names would multiply by its size.
func (p *problem) contraction(in [][]int, out []int) *einsum.Contraction {
	all := letters(slices.Concat(append(slices.Clone(in), out)...))
	number := func(ls []int) []int { return positions(ls, all) }
	ins := lists.Map(in, number)
	return einsum.Plain(ins, number(out), pick(all, p.sizes))
}

// axisOrder chooses the axes of an intermediate: letters that stand first in their
// operand come first, so that matrix products need few transposes; a quotient has the
// axes of its denominator.
func axisOrder(p *problem, x, y value, kept uint64) []int {
	for _, v := range []value{x, y} {
		if reciprocal(v.node) && setOf(v.letters) == kept && bits.OnesCount64(kept) == len(v.letters) {
			return v.letters
		}
	}
	type place struct{ letter, axis, at int }
	var places []place
	for _, v := range []value{x, y} {
		for axis, l := range v.letters {
			if kept&(1<<l) != 0 && !slices.ContainsFunc(places, func(q place) bool { return q.letter == l }) {
				at := slices.Index(p.out, l)
				if at < 0 {
					at = maxLetters
				}
				places = append(places, place{l, axis, at})
			}
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if a.axis != b.axis {
			return a.axis - b.axis
		}
		return a.at - b.at
	})
	return lists.Map(places, func(q place) int { return q.letter })
}

// reciprocal reports whether n is a power with a negative exponent, which divides.
func reciprocal(n *combinators.Node) bool {
	return n.Atom() == atom.Power && n.Rat().Sign() < 0
}

// leftToRight multiplies the operands in their order: linear, for huge products.
func (a *associator) leftToRight(p *problem, vals []value) value {
	// outside[k] has the letters of the operands after k and of the output.
	outside := make([]uint64, len(vals))
	rest := p.core
	for k := len(vals) - 1; k >= 0; k-- {
		outside[k] = rest
		rest |= setOf(vals[k].letters)
	}
	v := vals[0]
	for k := 1; k < len(vals); k++ {
		var out []int
		if k == len(vals)-1 {
			out = p.last()
		}
		v = a.pair(p, v, vals[k], (setOf(v.letters)|setOf(vals[k].letters))&outside[k], out)
	}
	return v
}

// greedy joins the pair that is cheapest until one value is left.
func (a *associator) greedy(p *problem, vals []value) value {
	vals = slices.Clone(vals)
	for len(vals) > 1 {
		bi, bj := 0, 1
		var best [3]int
		for i := range vals {
			for j := i + 1; j < len(vals); j++ {
				a.work++
				union := setOf(vals[i].letters) | setOf(vals[j].letters)
				left := bits.OnesCount64(union & p.outside(vals, i, j))
				c := [3]int{left - max(len(vals[i].letters), len(vals[j].letters)), bits.OnesCount64(union), i + j}
				if i == 0 && j == 1 || slices.Compare(c[:], best[:]) < 0 {
					best, bi, bj = c, i, j
				}
			}
		}
		union := setOf(vals[bi].letters) | setOf(vals[bj].letters)
		var out []int
		if len(vals) == 2 {
			out = p.last()
		}
		v := a.pair(p, vals[bi], vals[bj], union&p.outside(vals, bi, bj), out)
		vals = slices.Delete(vals, bj, bj+1)
		vals[bi] = v
	}
	return vals[0]
}

// outside are the letters of the output and of all values but i and j.
func (p *problem) outside(vals []value, i, j int) uint64 {
	s := p.core
	for k, v := range vals {
		if k != i && k != j {
			s |= setOf(v.letters)
		}
	}
	return s
}
