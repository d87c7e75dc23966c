package atom

import "math/big"

// MaxBits bounds the numbers that exact arithmetic makes.
const MaxBits = 4096

// BitLen is that of the longer one of numerator and denominator.
func BitLen(x *big.Rat) int { return max(x.Num().BitLen(), x.Denom().BitLen()) }

// IsOne reports whether x is 1.
func IsOne(x *big.Rat) bool { return x.IsInt() && x.Num().IsInt64() && x.Num().Int64() == 1 }

// RatPow is x^e where that is a rational number of bounded size, else nil. x^0 is 1.
func RatPow(x, e *big.Rat) *big.Rat {
	if x.Cmp(one) == 0 {
		return x
	}
	if !e.IsInt() {
		// the square root of a square
		if e.Denom().Cmp(two) != 0 || x.Sign() <= 0 {
			return nil
		}
		p, q := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
		root := new(big.Rat).SetFrac(p, q)
		if new(big.Rat).Mul(root, root).Cmp(x) != 0 {
			return nil
		}
		return RatPow(root, new(big.Rat).SetInt(e.Num()))
	}
	if !e.Num().IsInt64() || x.Sign() == 0 && e.Sign() < 0 {
		return nil
	}
	k := e.Num().Int64()
	if k > MaxBits || k < -MaxBits || int64(BitLen(x))*max(k, -k) > MaxBits {
		return nil
	}
	if k < 0 {
		x, k = new(big.Rat).Inv(x), -k
	}
	n := big.NewInt(k)
	return new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), n, nil), new(big.Int).Exp(x.Denom(), n, nil))
}

var (
	one  = big.NewRat(1, 1)
	half = big.NewRat(1, 2)
	two  = big.NewInt(2)
)

// at is the column Exact of a function whose one rational value at a rational number is num/den, at the number x.
func at(x int64, num int64, den ...int64) func(x, y *big.Rat) *big.Rat {
	value := big.NewRat(num, 1)
	if len(den) > 0 {
		value = big.NewRat(num, den[0])
	}
	point := big.NewRat(x, 1)
	return func(x, _ *big.Rat) *big.Rat {
		if x.Cmp(point) != 0 {
			return nil
		}
		return value
	}
}

// whole is the column Exact of a function that has the values pairs[1], pairs[3], .. at pairs[0], pairs[2], ..
func whole(pairs ...int64) func(x, y *big.Rat) *big.Rat {
	return func(x, y *big.Rat) *big.Rat {
		for i := 0; i < len(pairs); i += 2 {
			if v := at(pairs[i], pairs[i+1])(x, y); v != nil {
				return v
			}
		}
		return nil
	}
}

// floorOf, ceilOf and roundOf are the whole numbers next to x; of two the even one.
func floorOf(x *big.Rat) *big.Int { return new(big.Int).Div(x.Num(), x.Denom()) }

func ceilOf(x *big.Rat) *big.Int {
	n := floorOf(new(big.Rat).Neg(x))
	return n.Neg(n)
}

func roundOf(x *big.Rat) *big.Int {
	y := new(big.Rat).Add(x, half)
	n := floorOf(y)
	if y.IsInt() && n.Bit(0) == 1 {
		n.Sub(n, one.Num())
	}
	return n
}

func truth(holds bool) *big.Rat {
	if holds {
		return one
	}
	return new(big.Rat)
}

func larger(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

func smaller(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) > 0 {
		return y
	}
	return x
}
