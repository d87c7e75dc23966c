package einsum

// Invariant is a number that a contraction shares with all that differ from it in the order
// of the operands and the names of the variables only. labels says what the operands are.
// Contractions with different numbers differ; those with one number are, as a rule, one.
func (c *Contraction) Invariant(labels []uint64) uint64 {
	colours, next := make([]uint64, len(c.Vars)), make([]uint64, len(c.Vars))
	for v, d := range c.Vars {
		colours[v] = d.Hash()
	}
	// form is the number of an index form; it tells the form's variables where they stand.
	form := func(a Affine) uint64 {
		h := a.Off.Hash()
		for _, t := range a.Terms {
			h += Mix(colours[t.Var], uint64(t.Coef))
		}
		return h
	}
	tell := func(a Affine, place uint64) {
		for _, t := range a.Terms {
			next[t.Var] += Mix(place, uint64(t.Coef))
		}
	}
	access := func(acc Access, label uint64) uint64 {
		for _, a := range acc.Index {
			label = Mix(label, form(a))
		}
		for i, a := range acc.Index {
			tell(a, Mix(label, uint64(i)))
		}
		return label
	}
	conditions := func(as []Affine, kind uint64) (total uint64) {
		for _, a := range as {
			h := Mix(form(a), kind)
			tell(a, h)
			total += h
		}
		return total
	}
	var total uint64
	const rounds = 3 // colours reach this far along operands that share variables
	for range rounds {
		clear(next)
		total = access(c.Out, 1) + conditions(c.Eq, 2) + conditions(c.Ge, 3)
		for k, acc := range c.In {
			total += access(acc, Mix(labels[k], 4))
		}
		for v := range colours {
			colours[v] = Mix(colours[v], next[v])
		}
	}
	for _, h := range colours {
		total += Mix(h, 5)
	}
	return total
}

// Mix is a number that depends on both and on their order.
func Mix(a, b uint64) uint64 {
	h := (a ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h ^= h>>29 ^ b*0x94d049bb133111eb
	h *= 0x9fb21c651e98df25
	return h ^ h>>32
}
