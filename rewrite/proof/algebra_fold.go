package proof

import (
	"math/big"
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
	switch n.Atom().Name {
	case "power":
		return ratPow(x, n.Rat())
	case "pow":
		return ratPow(x, args[1])
	case "abs":
		return new(big.Rat).Abs(x)
	case "sign":
		return big.NewRat(int64(x.Sign()), 1)
	case "relu":
		if x.Sign() < 0 {
			return zero
		}
		return x
	case "step", "gt", "ge", "lt", "le", "eq", "ne", "max", "min":
		y := zero
		if len(args) > 1 {
			y = args[1]
		}
		c := x.Cmp(y)
		switch n.Atom().Name {
		case "step", "gt":
			return truth(c > 0)
		case "ge":
			return truth(c >= 0)
		case "lt":
			return truth(c < 0)
		case "le":
			return truth(c <= 0)
		case "eq":
			return truth(c == 0)
		case "ne":
			return truth(c != 0)
		case "max":
			if c < 0 {
				return y
			}
			return x
		}
		if c > 0 {
			return y
		}
		return x
	case "exp", "cos", "cosh":
		return at(zero, one)
	case "sin", "tan", "arcsin", "arctan", "sinh", "tanh", "expm1", "log1p", "erf", "gelu":
		return at(zero, zero)
	case "log":
		return at(one, zero)
	case "sigmoid":
		return at(zero, big.NewRat(1, 2))
	}
	return nil
}
