package json

import (
	"math/big"
	"strconv"
	"strings"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/must"
	"frechet/internal/words"
)

func rational(s string) *big.Rat {
	if len(s) > 0 && len(s) <= 4096 && !strings.ContainsAny(s, "eE.xpP_") {
		if r, ok := new(big.Rat).SetString(s); ok {
			return r
		}
	}
	panic(must.Errorf("%.40q is no rational number", s))
}

// parseSize reads what Size.String prints: a polynomial without parentheses.
func parseSize(s string) size.Size {
	no := must.Errorf("%.40q is no size", s)
	if len(s) == 0 || len(s) > 512 {
		panic(no)
	}
	sum, sign := size.Const(0), int64(1)
	for at := 0; at < len(s); {
		if at > 0 || s[at] == '-' {
			switch s[at] {
			case '-':
				sign = -1
			case '+':
				sign = 1
			default:
				panic(no)
			}
			at++
		}
		end := at
		for end < len(s) && s[end] != '+' && s[end] != '-' {
			end++
		}
		term := size.Const(sign)
		for _, f := range strings.Split(s[at:end], "*") {
			if n, err := strconv.ParseInt(f, 10, 63); err == nil {
				term = term.Mul(size.Const(n))
			} else if !size.IsName(f) {
				panic(no)
			} else {
				term = term.Mul(size.Sym(f))
			}
		}
		sum = sum.Add(term)
		at = end
	}
	return sum
}

// shape reads the sizes of axes. A number among them is not negative; what a polynomial in symbols
// is, numbers for these decide.
func shape(ss []string) []size.Size { return each(ss, parseExtent) }

// two are the sizes of a split.
func two(ss []string) []size.Size {
	must.Hold(len(ss) == 2, "split into %s", words.Count(len(ss), "size"))
	return shape(ss)
}

func parseExtent(s string) size.Size {
	d := parseSize(s)
	if n, ok := d.Int(); ok && n < 0 {
		panic(must.Errorf("the size %d is negative", n))
	}
	return d
}

func guardNamed(s string) combinators.Guard {
	for g, name := range guards {
		if name == s {
			return g
		}
	}
	panic(must.Errorf("there is no guard %.40q", s))
}
