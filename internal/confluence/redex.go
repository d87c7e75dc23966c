package confluence

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
)

// laws are the rules of the program by name.
var laws = sync.OnceValue(func() map[string]*text.Rule {
	f, err := text.ParseRules(strings.Join(ruleLines(), "\n"))
	if err != nil {
		panic(err)
	}
	byName := map[string]*text.Rule{}
	for _, r := range f.Rules {
		byName[r.Name] = r
	}
	return byName
})

// redex is the left side of a rule at values of the pool, or nil where none fit.
func (d *drawer) redex() *Term {
	names := slices.Sorted(maps.Keys(laws()))
	r := laws()[names[d.IntN(len(names))]]
	t := &Term{Op: Redex, Name: r.Name}
	spaces := map[string][]size.Size{}
	sizes := map[string]size.Size{}
	batch := -1
	for _, v := range r.Vars {
		if v.Type == nil || v.Type.Cod.Name == "Q" || v.Type.Cod.Name == "Z" {
			continue
		}
		var fit []*Term
		for _, a := range d.pool {
			if fits(v.Type.Cod, a.Shape, maps.Clone(spaces), maps.Clone(sizes), &[]int{batch}[0]) {
				fit = append(fit, a)
			}
		}
		if len(fit) == 0 {
			return nil
		}
		a := fit[max(d.IntN(len(fit)), d.IntN(len(fit)))]
		fits(v.Type.Cod, a.Shape, spaces, sizes, &batch)
		t.Args = append(t.Args, a)
	}
	t.Attr = max(batch, 0)
	for _, v := range r.Vars {
		if v.Type != nil && v.Type.Cod.Name == "Q" {
			t.Coefs = append(t.Coefs, ratio([]int64{-1, 2, -2, 3, -3, 4}[d.IntN(6)], 1+int64(d.IntN(8)/7)))
		}
	}
	s := combinators.NewStore()
	args := make([]*Node, len(t.Args))
	for k, a := range t.Args {
		args[k] = s.Var(a.Name+string(rune('a'+k)), a.Shape)
	}
	n, err := t.redex(s, args, r.Left)
	if err != nil {
		return nil
	}
	t.Shape = n.Shape()
	return t
}

// fits reports whether a shape is of the space, and binds the names in it.
func fits(sp *text.Space, shape []size.Size, spaces map[string][]size.Size, sizes map[string]size.Size, batch *int) bool {
	if !sp.Bracket {
		if s, ok := spaces[sp.Name]; ok {
			return slices.Equal(s, shape)
		}
		spaces[sp.Name] = shape
		return true
	}
	dims, lead := sp.Dims, len(shape)-len(sp.Dims)
	if len(dims) > 0 && dims[0].Name == "..." {
		dims, lead = dims[1:], lead+1
		if *batch < 0 {
			*batch = lead
		}
		if lead != *batch || lead < 0 {
			return false
		}
		if s, ok := spaces["..."]; ok && !slices.Equal(s, shape[:lead]) {
			return false
		}
		spaces["..."] = shape[:lead]
	} else if lead != 0 {
		return false
	}
	for i, d := range dims {
		if n, ok := sizes[d.Name]; ok && n != shape[lead+i] {
			return false
		}
		sizes[d.Name] = shape[lead+i]
	}
	return true
}

// redex builds the left side of t's rule, as left writes it.
func (t *Term) redex(s *combinators.Store, args []*Node, left *text.Term) (*Node, error) {
	env := &denote.Env{Batch: t.Attr}
	value, number := 0, 0
	for _, v := range laws()[t.Name].Vars {
		switch {
		case v.Type == nil:
		case v.Type.Cod.Name == "Q":
			env.Numbers = append(env.Numbers, denote.Number{Name: v.Name, Value: t.Coefs[number]})
			number++
		default:
			env.Values = append(env.Values, denote.Binding{Name: v.Name, Value: args[value]})
			value++
		}
	}
	return denote.ReadNode(s, left, env)
}

// left builds the left side of u's rule with the operands of its sums and products in any order.
func (b *builder) left(u *Term, args []*Node) *Node {
	var shuffled func(t *text.Term) *text.Term
	shuffled = func(t *text.Term) *text.Term {
		c := *t
		c.Args = nil
		for _, a := range t.Args {
			c.Args = append(c.Args, shuffled(a))
		}
		if t.Op == text.Add || t.Op == text.Mul {
			b.shuffle(len(c.Args), func(i, j int) { c.Args[i], c.Args[j] = c.Args[j], c.Args[i] })
		}
		return &c
	}
	n, err := u.redex(b.s, args, shuffled(laws()[u.Name].Left))
	if err != nil {
		panic(err)
	}
	return n
}
