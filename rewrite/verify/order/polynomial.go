package order

import (
	"maps"
	"slices"
	"strings"
)

// A polynomial with whole coefficients, by monomial: the names of its variables, sorted, one for each
// power. Every variable stands for a number that is at least 0.
type polynomial map[string]int64

func whole(n int64) polynomial {
	if n == 0 {
		return polynomial{}
	}
	return polynomial{"": n}
}

func variable(name string) polynomial { return polynomial{name: 1} }

func monomial(names ...string) string {
	slices.Sort(names)
	return strings.Join(names, "*")
}

func factors(m string) []string {
	if m == "" {
		return nil
	}
	return strings.Split(m, "*")
}

func (p polynomial) plus(q polynomial) polynomial {
	out := maps.Clone(p)
	for m, c := range q {
		if out[m] += c; out[m] == 0 {
			delete(out, m)
		}
	}
	return out
}

func (p polynomial) minus(q polynomial) polynomial { return p.plus(q.times(whole(-1))) }

// times multiplies out. A product of two sums over members is the sum of the products at one member,
// and the rest, which is a variable of its own: sum(x) sum(y) = sum(x y) + cross(x, y).
func (p polynomial) times(q polynomial) polynomial {
	out := polynomial{}
	for a, x := range p {
		for b, y := range q {
			for _, m := range multiply(append(factors(a), factors(b)...)) {
				if out[m] += x * y; out[m] == 0 {
					delete(out, m)
				}
			}
		}
	}
	return out
}

func multiply(names []string) []string {
	slices.Sort(names)
	for i := range len(names) - 1 {
		x, ok := sumOf(names[i])
		y, also := sumOf(names[i+1])
		if !ok || !also {
			continue
		}
		rest := slices.Concat(names[:i], names[i+2:])
		return append(multiply(append(slices.Clone(rest), sumName(append(x, y...)))),
			multiply(append(rest, "cross("+strings.Join(append(x, y...), " ")+")"))...)
	}
	return []string{monomial(names...)}
}

// sumName is the variable that stands for a sum over the members of a family.
func sumName(names []string) string {
	slices.Sort(names)
	return "sum(" + strings.Join(names, " ") + ")"
}

func sumOf(name string) ([]string, bool) {
	inside, ok := strings.CutPrefix(name, "sum(")
	return strings.Fields(strings.TrimSuffix(inside, ")")), ok
}

func (p polynomial) power(n int) polynomial {
	out := whole(1)
	for range n {
		out = out.times(p)
	}
	return out
}

// nonneg reports whether p is nowhere negative: no coefficient is. positive adds a constant of at
// least 1. Both are proofs; a polynomial may be positive without them.
func (p polynomial) nonneg() bool {
	for _, c := range p {
		if c < 0 {
			return false
		}
	}
	return true
}

func (p polynomial) positive() bool { return p.nonneg() && p[""] > 0 }
