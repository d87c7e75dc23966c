package plans

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"frechet/einsum/size"
	"frechet/internal/words"
)

// polynomial prints a size with powers: m*n^2 + 2*m*n.
func polynomial(d size.Size) string {
	if n, ok := d.Int(); ok {
		return fmt.Sprint(n)
	}
	var b strings.Builder
	for i, t := range d.Monomials() {
		c := new(big.Int).Set(t.Coef)
		switch {
		case i > 0 && c.Sign() < 0:
			b.WriteString(" - ")
			c.Neg(c)
		case i > 0:
			b.WriteString(" + ")
		}
		var parts []string
		if len(t.Symbols) == 0 || c.Cmp(big.NewInt(1)) != 0 {
			parts = append(parts, c.String())
		}
		for k := 0; k < len(t.Symbols); {
			n := k
			for n < len(t.Symbols) && t.Symbols[n] == t.Symbols[k] {
				n++
			}
			s := t.Symbols[k]
			if n-k > 1 {
				s += fmt.Sprintf("^%d", n-k)
			}
			parts = append(parts, s)
			k = n
		}
		b.WriteString(strings.Join(parts, "*"))
	}
	return b.String()
}

func join(names []string) string { return strings.Join(names, ", ") }

// String prints the cost in words.
func (c Cost) String() string {
	parts := []string{amount(c.Multiplications, "multiplication")}
	if n, ok := c.Additions.Number(); !ok || n != 0 {
		parts = append(parts, amount(c.Additions, "addition"))
	}
	if n, ok := c.Functions.Number(); !ok || n != 0 {
		parts = append(parts, amount(c.Functions, "function value"))
	}
	return strings.Join(append(parts, amount(c.Bytes, "byte")), ", ")
}

// amount is so many of what.
func amount(c Count, what string) string {
	if n, ok := c.Number(); ok && n == 1 {
		return "1 " + what
	}
	return c.String() + " " + what + "s"
}

// String prints the plan as a table of steps with its totals, then the structure of
// derivatives, then the alternatives.
func (p *Plan) String() string {
	var b strings.Builder
	var titles []string
	for _, r := range p.Results {
		titles = append(titles, r.Title+": "+r.Name)
	}
	fmt.Fprintf(&b, "# %s\n", strings.Join(titles, "; "))
	writeSteps(&b, p.Steps)
	fmt.Fprintf(&b, "total: %s written, at most %s bytes stored at a time\n", p.Total, p.Memory)
	if n, ok := p.Linear.Multiplications.Number(); !ok || n > 0 {
		fmt.Fprintf(&b, "of these for each direction: %s\n", p.Linear)
	}
	writeMaps(&b, p.Maps)
	for _, a := range p.Alternatives {
		fmt.Fprintf(&b, "alternative %s: %s written\n", a.Name, a.Total)
	}
	for _, r := range p.Results {
		if r.Structure == nil {
			continue
		}
		fmt.Fprintf(&b, "\n# structure of the %s\n%s", r.Title, r.Structure)
	}
	return b.String()
}

// String prints the derivative over its factors, each factor, and what they cost beside the
// derivative multiplied out.
func (s *Structure) String() string {
	var b strings.Builder
	b.WriteString(s.Text + "\n")
	for _, x := range s.Factors {
		if strings.Contains(x.Text, "\n") {
			fmt.Fprintf(&b, "%s%s =\n    %s\n", x.Name, x.Axes, strings.ReplaceAll(x.Text, "\n", "\n    "))
		} else {
			fmt.Fprintf(&b, "%s%s = %s\n", x.Name, x.Axes, x.Text)
		}
		fmt.Fprintf(&b, "    %s\n", x.Cost)
	}
	fmt.Fprintf(&b, "factors: %s\n", s.Cost)
	fmt.Fprintf(&b, "multiplied out: %s\n", s.Full)
	return b.String()
}

// writeSteps prints steps in columns. Steps that are computed where they are read say so.
func writeSteps(b *strings.Builder, steps []Step) {
	wide := 0
	for _, s := range steps {
		wide = max(wide, len(s.Name)+3+len(s.Text))
	}
	wide = min(wide, 48)
	for _, s := range steps {
		cost := s.Cost.String()
		if s.Fused {
			cost = strings.TrimSuffix(cost, ", "+amount(s.Cost.Bytes, "byte")) + ", fused"
		}
		cost = strings.TrimPrefix(cost, "0 multiplications, ")
		if s.Product && s.Readers > 1 && !s.Fused {
			cost += fmt.Sprintf(", for %s", words.Steps(s.Readers))
		}
		fmt.Fprintf(b, "  %-*s  [%s]  %s\n", wide, s.Name+" = "+s.Text, strings.Join(slices.Clone(s.Shape), ","), cost)
	}
}
