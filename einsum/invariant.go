package einsum

// Invariant is a number that a contraction shares with all that differ from it in the order
// of the operands and the names of the variables only. labels says what the operands are.
// Contractions with different numbers differ; those with one number are, as a rule, one.
func (c *Contraction) Invariant(labels []uint64) uint64 {
	z := c.colouring()
	var total uint64
	const rounds = 3 // colours reach this far along operands that share variables
	for range rounds {
		total = z.access(c.Out, 1) + z.conditions(c.Eq, 2) + z.conditions(c.Ge, 3)
		for k, acc := range c.In {
			total += z.access(acc, Mix(labels[k], 4))
		}
		z.settle()
	}
	for _, h := range z.vars {
		total += Mix(h, 5)
	}
	return total
}

// A colouring gives the variables of a contraction colours, which are refined round by round: a colour
// tells in which places of what the variable stands, and depends on no name and no order of operands.
type colouring struct {
	vars []uint64
	next []uint64 // what the places of a variable add up to in this round
}

// colouring begins with the sizes of the variables.
func (c *Contraction) colouring() colouring {
	z := colouring{make([]uint64, len(c.Vars)), make([]uint64, len(c.Vars))}
	for v, d := range c.Vars {
		z.vars[v] = d.Hash()
	}
	return z
}

// form is the colour of an index form.
func (z colouring) form(a Affine) uint64 {
	h := a.Off.Hash()
	for _, t := range a.Terms {
		h += Mix(z.vars[t.Var], uint64(t.Coef))
	}
	return h
}

// tell tells the variables of a where they stand.
func (z colouring) tell(a Affine, place uint64) {
	for _, t := range a.Terms {
		z.next[t.Var] += Mix(place, uint64(t.Coef))
	}
}

// access is the colour of what is read under a label, and tells its variables so.
func (z colouring) access(acc Access, label uint64) uint64 {
	for _, a := range acc.Index {
		label = Mix(label, z.form(a))
	}
	for i, a := range acc.Index {
		z.tell(a, Mix(label, uint64(i)))
	}
	return label
}

// conditions is the sum of the colours of conditions of one kind.
func (z colouring) conditions(as []Affine, kind uint64) (total uint64) {
	for _, a := range as {
		h := Mix(z.form(a), kind)
		z.tell(a, h)
		total += h
	}
	return total
}

// settle ends a round.
func (z colouring) settle() {
	for v, h := range z.next {
		z.vars[v] = Mix(z.vars[v], h)
	}
	clear(z.next)
}

// Mix is a number that depends on both and on their order.
func Mix(a, b uint64) uint64 {
	h := (a ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h ^= h>>29 ^ b*0x94d049bb133111eb
	h *= 0x9fb21c651e98df25
	return h ^ h>>32
}
