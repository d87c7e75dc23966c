package replay

import (
	"fmt"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/combinators/text"
	"frechet/einsum/size"
)

// valueRule checks a step by a rule on values. What the rule rewrites stands in a context, a term
// with a hole: with the left side in the hole the context is the term before, with the right side
// in it, the term after, up to the fusion of contractions.
func (k *checker) valueRule(r *text.Rule, s *Step) error {
	before, after := s.Before.Nodes[0], s.After.Nodes[0]
	if s.Context == nil || s.Hole.Name() == "" {
		return fmt.Errorf("the step has no context with a hole")
	}
	if slices.Contains(combinators.Topo(before, after), s.Hole) {
		return fmt.Errorf("the hole %s stands in the terms themselves", s.Hole.Name())
	}
	u := &s.Subst
	if err := k.typed(r, u); err != nil {
		return err
	}
	signs := newSigns(s.Facts, k.work)
	for _, w := range r.When {
		ok, err := k.holds(w, u, signs)
		if err != nil {
			return err
		}
		if ok == w.Not {
			return fmt.Errorf("a condition of the rule does not hold")
		}
	}
	side := func(t *text.Term, g combinators.Guard) (*Node, error) {
		v := &reading{s: k.s, values: u.Values, numbers: u.Numbers, sizes: u.Sizes, batch: u.Batch, guard: g}
		n, err := v.value(t)
		if err != nil {
			return nil, err
		}
		if n.Order() == 0 && s.Hole.Order() > 0 {
			n = k.s.Broadcast(n, s.Hole.Shape())
		}
		if !slices.Equal(n.Shape(), s.Hole.Shape()) {
			return nil, fmt.Errorf("a side of the rule has shape %s, not %s", size.Shape(n.Shape()), size.Shape(s.Hole.Shape()))
		}
		return combinators.Replace([]*Node{s.Context}, s.Hole, n)[0], nil
	}
	left, err := side(r.Left, u.Guard)
	if err != nil {
		return err
	}
	right, err := side(r.Right, u.Guard)
	if err != nil {
		return err
	}
	if !k.equal(before, left, theory{}, signs) && !k.equalBare(before, left, u.Guard, signs) {
		return fmt.Errorf("the left side, instantiated, is not the term before")
	}
	if !k.equal(after, right, theory{}, signs) {
		return fmt.Errorf("the right side, instantiated, is not the term after")
	}
	return nil
}

// equalBare: a left side matches whatever the guards are; the right side has the strongest of them.
func (k *checker) equalBare(before, left *Node, g combinators.Guard, signs *signs) bool {
	if g != combinators.GuardNone && !slices.ContainsFunc(combinators.Topo(before), func(n *Node) bool { return n.Guard() == g }) {
		return false
	}
	if g == combinators.GuardNone {
		return false
	}
	k.bare = true
	defer func() { k.bare = false }()
	return k.equal(before, left, theory{}, signs)
}

// typed checks that every metavariable has a value of its type.
func (k *checker) typed(r *text.Rule, u *Subst) error {
	spaces := map[string][]size.Size{}
	for _, v := range r.Vars {
		if v.Type == nil {
			continue
		}
		sp := v.Type.Cod
		if !sp.Bracket && (sp.Name == "Q" || sp.Name == "Z") {
			x := u.Numbers[v.Name]
			if x == nil || sp.Name == "Z" && !x.IsInt() {
				return fmt.Errorf("the substitution has no number %s of its type", v.Name)
			}
			continue
		}
		n := u.Values[v.Name]
		if n == nil {
			return fmt.Errorf("the substitution has no value %s", v.Name)
		}
		if !sp.Bracket {
			if sh, ok := spaces[sp.Name]; ok && !slices.Equal(sh, n.Shape()) {
				return fmt.Errorf("the space %s is of two shapes", sp.Name)
			}
			spaces[sp.Name] = n.Shape()
			continue
		}
		if err := fitsSpace(sp, n.Shape(), u.Sizes); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	return nil
}

func fitsSpace(sp *text.Space, shape []size.Size, sizes map[string]size.Size) error {
	dims := sp.Dims
	if len(dims) > 0 && dims[0].Op == text.Name && dims[0].Name == "..." {
		dims = dims[1:]
		if len(shape) < len(dims) {
			return fmt.Errorf("the shape is %s", size.Shape(shape))
		}
		shape = shape[len(shape)-len(dims):]
	}
	if len(shape) != len(dims) {
		return fmt.Errorf("the shape is %s", size.Shape(shape))
	}
	r := &reading{sizes: sizes}
	for i, d := range dims {
		n, err := r.size(d)
		if err != nil {
			return err
		}
		if n != shape[i] {
			return fmt.Errorf("the shape is %s", size.Shape(shape))
		}
	}
	return nil
}

// holds decides a condition, but for its negation.
func (k *checker) holds(w text.Cond, u *Subst, signs *signs) (bool, error) {
	r := &reading{s: k.s, numbers: u.Numbers, sizes: u.Sizes}
	if w.Rel != "" {
		a, err := r.number(w.Args[0])
		if err != nil {
			return false, err
		}
		b, err := r.number(w.Args[1])
		if err != nil {
			return false, err
		}
		return compare(w.Rel, a.Cmp(b))
	}
	call := w.Args[0]
	if len(call.Args) == 0 {
		return false, fmt.Errorf("the condition %s has no argument", call)
	}
	x := call.Args[0]
	if call.Name == "unit" {
		d, err := r.size(x)
		n, ok := d.Int()
		return ok && n == 1, err
	}
	if n := u.Values[x.Name]; n != nil && x.Op == text.Name {
		c, filled := fill(n)
		sh := n.Shape()
		switch call.Name {
		case "const":
			return filled, nil
		case "order0":
			return n.Order() == 0, nil
		case "square":
			return len(sh) >= 2 && sh[len(sh)-1] == sh[len(sh)-2], nil
		case "positive":
			return signs.positive(n), nil
		case "nonneg":
			return signs.nonneg(n), nil
		case "nonzero":
			return signs.nonzero(n), nil
		case "notone":
			return !filled || c.Cmp(big.NewRat(1, 1)) != 0, nil
		case "same":
			return len(call.Args) == 2 && u.Values[call.Args[1].Name] == n, nil
		}
		return false, fmt.Errorf("there is no condition %s on values", call.Name)
	}
	c, err := r.number(x)
	if err != nil {
		return false, err
	}
	switch call.Name {
	case "integer":
		return c.IsInt(), nil
	case "even", "odd":
		return c.IsInt() && (c.Num().Bit(0) == 0) == (call.Name == "even"), nil
	case "positive":
		return c.Sign() > 0, nil
	case "nonneg":
		return c.Sign() >= 0, nil
	case "nonzero":
		return c.Sign() != 0, nil
	case "notone":
		return c.Cmp(big.NewRat(1, 1)) != 0, nil
	case "const":
		return true, nil
	}
	return false, fmt.Errorf("there is no condition %s on numbers", call.Name)
}

func compare(rel string, sign int) (bool, error) {
	switch rel {
	case "=":
		return sign == 0, nil
	case "!=":
		return sign != 0, nil
	case "<":
		return sign < 0, nil
	case "<=":
		return sign <= 0, nil
	case ">":
		return sign > 0, nil
	case ">=":
		return sign >= 0, nil
	}
	return false, fmt.Errorf("there is no relation %s", rel)
}
