package normal

import "frechet/combinators"

// Facts is what is known of the signs of values: from their form, and from the program
// whose derivative is simplified, which is undefined elsewhere.
type Facts struct {
	positive, nonneg, nonzero map[*Node]bool
	signs                     map[*Node]sign
}

type sign uint8

const (
	unknown sign = iota
	nonneg
	positive
)

// NewFacts knows nothing but what the form of a value says.
func NewFacts() *Facts {
	return &Facts{map[*Node]bool{}, map[*Node]bool{}, map[*Node]bool{}, map[*Node]sign{}}
}

// Learn records that the program outs is defined: logarithms have positive arguments,
// roots non-negative ones, and divisors are not zero.
func (f *Facts) Learn(outs ...*Node) {
	for _, n := range combinators.Topo(outs...) {
		switch {
		case n.Is("log"):
			f.positive[n.Arg(0)] = true
		case n.Is("power"):
			x := n.Arg(0)
			integer, negative := n.Rat().IsInt(), n.Rat().Sign() < 0
			if negative {
				f.nonzero[x] = true
			}
			if !integer {
				f.nonneg[x] = true
			}
			if negative && !integer {
				f.positive[x] = true
			}
		}
	}
	clear(f.signs)
}

// Positive reports whether every entry of n is known to be greater than 0.
func (f *Facts) Positive(n *Node) bool { return f.sign(n) == positive }

// Nonneg reports whether no entry of n is negative.
func (f *Facts) Nonneg(n *Node) bool { return f.sign(n) >= nonneg }

// Nonzero reports whether no entry of n is known to be 0.
func (f *Facts) Nonzero(n *Node) bool { return f.nonzero[n] || f.Positive(n) }

// sign decides by the form of n. Each node is visited once; the recursion is bounded
// since deep nodes are decided when their users ask, bottom-up.
func (f *Facts) sign(n *Node) sign {
	if s, ok := f.signs[n]; ok {
		return s
	}
	s := f.decide(n, 12)
	f.signs[n] = s
	return s
}

func (f *Facts) decide(n *Node, fuel int) sign {
	if f.positive[n] {
		return positive
	}
	if s, ok := f.signs[n]; ok {
		return s
	}
	s := unknown
	if f.nonneg[n] {
		s = nonneg
		if f.nonzero[n] {
			return positive
		}
	}
	if fuel == 0 {
		return s
	}
	arg := func(k int) sign { return f.decide(n.Arg(k), fuel-1) }
	switch n.Atom().Name {
	case "exp", "sigmoid", "softplus", "cosh", "softmax":
		return positive
	case "abs", "norm2":
		if n.Is("abs") && f.nonzero[n.Arg(0)] {
			return positive
		}
		return max(s, nonneg)
	case "relu", "step", "gt", "ge", "lt", "le", "eq", "ne":
		return max(s, nonneg)
	case "const":
		switch n.Rat().Sign() {
		case 1:
			return positive
		case 0:
			return nonneg
		}
	case "power":
		switch a := arg(0); {
		case a != unknown:
			if a == nonneg && n.Rat().Sign() < 0 {
				return positive // where it is defined at all
			}
			return a
		case n.Rat().IsInt() && n.Rat().Num().Bit(0) == 0:
			return max(s, nonneg)
		case !n.Rat().IsInt():
			return max(s, nonneg)
		}
	case "pow":
		return max(s, arg(0))
	case "add":
		a, b := arg(0), arg(1)
		switch {
		case a == unknown || b == unknown:
		case a == positive || b == positive:
			return positive
		default:
			return max(s, nonneg)
		}
	case "ein":
		return max(s, f.product(n, fuel))
	}
	return s
}

// product: squares at one index map are non-negative, so are products of non-negative
// factors; they are positive where nothing is summed and nothing is off a diagonal.
func (f *Facts) product(n *Node, fuel int) sign {
	in, out, ok := n.Ein().IsPlain()
	if !ok {
		return unknown
	}
	res := positive
	if !coversAll(out, len(n.Ein().Vars)) || !distinct(out) {
		res = nonneg
	}
	for k := 0; k < len(in); k++ {
		a := f.decide(n.Arg(k), fuel-1)
		if a == unknown {
			if k+1 < len(in) && n.Arg(k) == n.Arg(k+1) && equalInts(in[k], in[k+1]) {
				k++
				a = nonneg
				if f.nonzero[n.Arg(k)] {
					a = positive
				}
			} else {
				return unknown
			}
		}
		res = min(res, a)
	}
	return res
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
