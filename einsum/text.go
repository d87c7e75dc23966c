package einsum

import (
	"slices"
	"strconv"

	"frechet/einsum/size"
)

// Key identifies a contraction: equal keys are equal contractions. The order of the
// operands counts. Variables are written ~0, ~1, ..: no size symbol is an identifier with ~.
func (c *Contraction) Key() string {
	if k := c.key.Load(); k != nil {
		return *k
	}
	k := c.text()
	c.key.Store(&k)
	return k
}

func (c *Contraction) text() string {
	// The number of operands tells no operand from one of order 0.
	b := append(strconv.AppendInt(make([]byte, 0, 64), int64(len(c.In)), 10), ':')
	access := func(acc Access) {
		for i, a := range acc.Index {
			if i > 0 {
				b = append(b, ' ')
			}
			b = a.append(b)
			if v, ok := a.Var(); !ok || c.Vars[v] != acc.Shape[i] {
				b = append(b, '/')
				b = append(b, acc.Shape[i].String()...)
			}
		}
	}
	for k, acc := range c.In {
		if k > 0 {
			b = append(b, ',')
		}
		access(acc)
	}
	if len(c.In) == 0 {
		b = append(b, '!') // one operand of order 0 prints as nothing too
	}
	b = append(b, '>')
	access(c.Out)
	b = append(b, '|')
	for _, s := range c.Vars {
		b = append(b, s.String()...)
		b = append(b, ' ')
	}
	for _, a := range c.Eq {
		b = append(b, '=')
		b = a.append(b)
	}
	for _, a := range c.Ge {
		b = append(b, '<')
		b = a.append(b)
	}
	return string(b)
}

// String prints a contraction for people who debug: the key in letters where plain.
func (c *Contraction) String() string {
	in, out, ok := c.IsPlain()
	if !ok {
		return c.Key()
	}
	var b []byte
	letters := func(l []int) {
		for _, v := range l {
			b = append(b, Letter(v)...)
		}
	}
	for k, l := range in {
		if k > 0 {
			b = append(b, ',')
		}
		letters(l)
	}
	b = append(b, "->"...)
	letters(out)
	return string(b)
}

// Names are the names of the variables in forms beside sizes: letters that are no size symbols of c.
func (c *Contraction) Names() []string {
	taken := map[string]bool{}
	note := func(d size.Size) {
		for _, s := range d.Symbols() {
			taken[s] = true
		}
	}
	for _, d := range c.Vars {
		note(d)
	}
	for _, acc := range append(slices.Clone(c.In), c.Out) {
		for i, a := range acc.Index {
			note(acc.Shape[i])
			note(a.Off)
		}
	}
	for _, a := range append(slices.Clone(c.Eq), c.Ge...) {
		note(a.Off)
	}
	names := make([]string, 0, len(c.Vars))
	for k := 0; len(names) < len(c.Vars); k++ {
		if l := Letter(k); !taken[l] {
			names = append(names, l)
		}
	}
	return names
}

// Letter names variable v: i, j, ..., z, a, ..., h, I, ..., Z, A, ..., H, then with primes.
func Letter(v int) string {
	const order = "ijklmnopqrstuvwxyzabcdefghIJKLMNOPQRSTUVWXYZABCDEFGH"
	s := order[v%len(order) : v%len(order)+1]
	for range v / len(order) {
		s += "'"
	}
	return s
}
