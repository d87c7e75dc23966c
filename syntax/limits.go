package syntax

// Limits bound what a program may cost before any number is computed. A field
// that is zero means its default.
type Limits struct {
	Bytes   int // length of the program's text: 64 MB
	Nesting int // parentheses, exponents and signs inside one another: 10,000
	Tokens  int // tokens in a program: 2,000,000
	Order   int // order of a tensor: 64
	Digits  int // digits of a number, and its decimal exponent: 10,000
}

// DefaultLimits are the limits in force where none are given.
var DefaultLimits = Limits{Bytes: 64 << 20, Nesting: 10_000, Tokens: 2_000_000, Order: 64, Digits: 10_000}

// WithDefaults returns l with every zero field set to its default.
func (l Limits) WithDefaults() Limits {
	or := func(n, def int) int {
		if n == 0 {
			return def
		}
		return n
	}
	d := DefaultLimits
	return Limits{
		Bytes:   or(l.Bytes, d.Bytes),
		Nesting: or(l.Nesting, d.Nesting),
		Tokens:  or(l.Tokens, d.Tokens),
		Order:   or(l.Order, d.Order),
		Digits:  or(l.Digits, d.Digits),
	}
}
