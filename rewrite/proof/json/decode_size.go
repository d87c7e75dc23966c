package json

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/words"
)

func rational(s string) (*big.Rat, error) {
	if len(s) == 0 || len(s) > 4096 || strings.ContainsAny(s, "eE.xpP_") {
		return nil, fmt.Errorf("%.40q is no rational number", s)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("%.40q is no rational number", s)
	}
	return r, nil
}

// parseSize reads what Size.String prints: a polynomial without parentheses.
func parseSize(s string) (size.Size, error) {
	if len(s) == 0 || len(s) > 512 {
		return size.Size{}, fmt.Errorf("%.40q is no size", s)
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
				return size.Size{}, fmt.Errorf("%.40q is no size", s)
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
				return size.Size{}, fmt.Errorf("%.40q is no size", s)
			} else {
				term = term.Mul(size.Sym(f))
			}
		}
		sum = sum.Add(term)
		at = end
	}
	return sum, nil
}

// shape reads the sizes of axes. A number among them is not negative; what a polynomial in symbols
// is, numbers for these decide.
func shape(ss []string) ([]size.Size, error) { return each(ss, parseExtent) }

// two are the sizes of a split.
func two(ss []string) ([]size.Size, error) {
	if len(ss) != 2 {
		return nil, fmt.Errorf("split into %s", words.Count(len(ss), "size"))
	}
	return shape(ss)
}

func parseExtent(s string) (size.Size, error) {
	d, err := parseSize(s)
	if n, ok := d.Int(); err == nil && ok && n < 0 {
		return d, fmt.Errorf("the size %d is negative", n)
	}
	return d, err
}

func guardNamed(s string) (combinators.Guard, error) {
	for g, name := range guards {
		if name == s {
			return g, nil
		}
	}
	return 0, fmt.Errorf("there is no guard %.40q", s)
}
