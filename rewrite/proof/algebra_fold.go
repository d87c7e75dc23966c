package proof

import (
	"math/big"

	"frechet/combinators/atom"
)

// maxBits bounds the numbers that exact arithmetic makes.
const maxBits = 4096

// ratPow is x^e where that is a rational number of bounded size, else nil.
func ratPow(x, e *big.Rat) *big.Rat {
	if x.Cmp(big.NewRat(1, 1)) == 0 {
		return x
	}
	if !e.IsInt() {
		if e.Denom().Cmp(big.NewInt(2)) != 0 || x.Sign() <= 0 {
			return nil
		}
		p, q := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
		root := new(big.Rat).SetFrac(p, q)
		if new(big.Rat).Mul(root, root).Cmp(x) != 0 {
			return nil
		}
		return ratPow(root, new(big.Rat).SetInt(e.Num()))
	}
	if !e.Num().IsInt64() || x.Sign() == 0 && e.Sign() < 0 {
		return nil
	}
	k := e.Num().Int64()
	if k > maxBits || k < -maxBits || int64(max(x.Num().BitLen(), x.Denom().BitLen()))*max(k, -k) > maxBits {
		return nil
	}
	if k < 0 {
		x, k = new(big.Rat).Inv(x), -k
	}
	n := big.NewInt(k)
	return new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), n, nil), new(big.Int).Exp(x.Denom(), n, nil))
}

// folded is the value of a function of numbers where that is exact, else nil.
func (z *algebra) folded(n *Node) *big.Rat {
	args := make([]*big.Rat, len(n.Args()))
	for i, a := range n.Args() {
		f := z.forms[a]
		switch {
		case len(f) == 0:
			args[i] = new(big.Rat)
			continue
		case len(f) > 1 || len(f[0].args) > 0:
			return nil
		}
		_, out, ok := f[0].c.IsPlain()
		if !ok || !entrywise(f[0].c.Vars, out) {
			return nil
		}
		args[i] = f[0].coef
	}
	x, zero, one := args[0], new(big.Rat), big.NewRat(1, 1)
	truth := func(b bool) *big.Rat {
		if b {
			return one
		}
		return zero
	}
	at := func(point, value *big.Rat) *big.Rat {
		if x.Cmp(point) == 0 {
			return value
		}
		return nil
	}
	switch n.Atom() {
	case atom.Power:
		return ratPow(x, n.Rat())
	case atom.Pow:
		return ratPow(x, args[1])
	case atom.Abs:
		return new(big.Rat).Abs(x)
	case atom.Sign:
		return big.NewRat(int64(x.Sign()), 1)
	case atom.Relu:
		if x.Sign() < 0 {
			return zero
		}
		return x
	case atom.Step, atom.Gt, atom.Ge, atom.Lt, atom.Le, atom.Eq, atom.Ne, atom.Max, atom.Min:
		y := zero
		if len(args) > 1 {
			y = args[1]
		}
		c := x.Cmp(y)
		switch n.Atom() {
		case atom.Step, atom.Gt:
			return truth(c > 0)
		case atom.Ge:
			return truth(c >= 0)
		case atom.Lt:
			return truth(c < 0)
		case atom.Le:
			return truth(c <= 0)
		case atom.Eq:
			return truth(c == 0)
		case atom.Ne:
			return truth(c != 0)
		case atom.Max:
			if c < 0 {
				return y
			}
			return x
		}
		if c > 0 {
			return y
		}
		return x
	case atom.Exp, atom.Cos, atom.Cosh:
		return at(zero, one)
	case atom.Sin, atom.Tan, atom.Arcsin, atom.Arctan, atom.Sinh, atom.Tanh, atom.Expm1, atom.Log1p, atom.Erf, atom.Gelu:
		return at(zero, zero)
	case atom.Log:
		return at(one, zero)
	case atom.Sigmoid:
		return at(zero, big.NewRat(1, 2))
	}
	return nil
}
