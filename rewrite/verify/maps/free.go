package maps

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"frechet/combinators/text"
)

// freeModel evaluates the sides of a rule. calls are the values of unknown functions, and of their
// derivatives, that an evaluation asks for.
type freeModel struct {
	types *Types
	let   map[string]*freeValue
	calls map[string]bool
	depth int  // of adjoints
	known bool // no operation occurred that the model does not have
}

// CompareFreely compares both sides in the free model. lost is a value of an unknown function that the left
// side alone asks for, gained one that the right side does: a side has a value where all that it
// asks for has one.
func (t *Rule) CompareFreely(r *text.Rule) (equal bool, lost, gained string, known bool) {
	side := func(s *text.Term) (string, map[string]bool) {
		m := &freeModel{types: t.Types, let: map[string]*freeValue{}, calls: map[string]bool{}, known: true}
		v := m.apply(s, generic(t.Left.Dom, "argument"))
		known = known && m.known
		return v.String(), m.calls
	}
	known = true
	left, onLeft := side(r.Left)
	right, onRight := side(r.Right)
	first := func(in, other map[string]bool) string {
		for _, c := range slices.Sorted(maps.Keys(in)) {
			if !other[c] {
				return strings.NewReplacer("#", "", "|", "", "value ", "").Replace(c)
			}
		}
		return ""
	}
	return known && left == right, first(onLeft, onRight), first(onRight, onLeft), known
}

func (m *freeModel) unknown() *freeValue {
	m.known = false
	return freeZero()
}

// metavariable is the map that a name stands for.
func (m *freeModel) metavariable(t *text.Term) *Expr {
	if len(t.Attrs) == 0 {
		return m.types.Maps[t.Name]
	}
	if k, err := m.types.componentOf(t.Attrs[0]); err == nil {
		return m.types.Maps[fmt.Sprintf("%s#%d", t.Name, k)]
	}
	return nil
}

// apply is the value of the map t at v.
func (m *freeModel) apply(t *text.Term, v *freeValue) *freeValue {
	y, _ := m.dual(t, v, nil)
	return y
}

// dual is t(x) and, where dx is given, D(t)(x)(dx).
func (m *freeModel) dual(t *text.Term, x, dx *freeValue) (y, dy *freeValue) {
	// linear is a map that is its own derivative
	linear := func(f func(*freeValue) *freeValue) (*freeValue, *freeValue) {
		if dx != nil {
			dx = f(dx)
		}
		return f(x), dx
	}
	part := func(v *freeValue, k int) *freeValue {
		if v == nil {
			return nil
		}
		return v.part(k)
	}
	sum := func(v, u *freeValue, coef int64) *freeValue {
		if v == nil || u == nil {
			return nil
		}
		return v.plus(u, coef)
	}
	tuple := func(n int, member func(k int) (*freeValue, *freeValue)) (*freeValue, *freeValue) {
		a, b := &freeValue{parts: make([]*freeValue, n)}, &freeValue{parts: make([]*freeValue, n)}
		for k := range n {
			a.parts[k], b.parts[k] = member(k)
		}
		if dx == nil {
			return a, nil
		}
		return a, b
	}
	var zero *freeValue
	if dx != nil {
		zero = freeZero()
	}
	switch t.Op {
	case text.Num:
		return linear(func(*freeValue) *freeValue { return freeZero() })
	case text.Let:
		for i, n := range t.Names {
			m.let[n] = m.value(t.Args[i])
		}
		return m.dual(t.Args[len(t.Args)-1], x, dx)
	case text.Compose:
		for _, f := range slices.Backward(t.Args) {
			x, dx = m.dual(f, x, dx)
		}
		return x, dx
	case text.Add, text.Sub:
		a, da := m.dual(t.Args[0], x, dx)
		b, db := m.dual(t.Args[1], x, dx)
		coef := int64(1)
		if t.Op == text.Sub {
			coef = -1
		}
		return sum(a, b, coef), sum(da, db, coef)
	case text.Neg:
		a, da := m.dual(t.Args[0], x, dx)
		return freeZero().plus(a, -1), sum(zero, da, -1)
	case text.Pair:
		return tuple(len(t.Args), func(k int) (*freeValue, *freeValue) { return m.dual(t.Args[k], x, dx) })
	case text.Product:
		return tuple(len(t.Args), func(k int) (*freeValue, *freeValue) { return m.dual(t.Args[k], part(x, k), part(dx, k)) })
	case text.Copair:
		y, dy = freeZero(), zero
		for k, f := range t.Args {
			a, da := m.dual(f, part(x, k), part(dx, k))
			y, dy = y.plus(a, 1), sum(dy, da, 1)
		}
		return y, dy
	case text.Family:
		return m.family(t, x, dx, tuple, part, sum, zero)
	case text.Copower: // entry by entry
		return m.dual(t.Args[0], x, dx)
	case text.Apply:
		if d := t.Args[0]; d.Op == text.Call && d.Name == "D" {
			at := m.tuple(t.Args[1:])
			return linear(func(v *freeValue) *freeValue { _, dv := m.dual(d.Args[0], at, v); return dv })
		}
	case text.Call:
		switch t.Name {
		case "adjoint":
			return linear(func(v *freeValue) *freeValue { return m.transposed(t, v) })
		case "K":
			return m.tuple(t.Args), zero
		case "section":
			if b := m.types.Maps[t.Args[0].Name]; b != nil {
				if k, err := m.types.componentOf(t.Attrs[0]); err == nil {
					fixed := m.value(t.Args[1])
					return linear(func(v *freeValue) *freeValue { return m.multilinear(b, fixed, k-1, v) })
				}
			}
		}
		if b := m.types.Maps[t.Name]; b != nil && b.sort == text.BilinearTo {
			hole := slices.IndexFunc(t.Args, func(a *text.Term) bool { return a.Op == text.Hole })
			fixed := &freeValue{parts: make([]*freeValue, len(t.Args))}
			for i, a := range t.Args {
				if i != hole {
					fixed.parts[i] = m.value(a)
				}
			}
			return linear(func(v *freeValue) *freeValue { return m.multilinear(b, fixed, hole, v) })
		}
	case text.Name:
		switch e := m.metavariable(t); {
		case e != nil && e.sort == text.BilinearTo:
			n := len(e.Dom.resolve().parts)
			if dx != nil {
				dy = freeZero()
				for k := range n {
					dy = dy.plus(m.multilinear(e, x, k, dx.part(k)), 1)
				}
			}
			return m.multilinear(e, x, 0, x.part(0)), dy
		case e != nil && e.linear:
			return linear(func(v *freeValue) *freeValue { return m.letter(e.name, e, v) })
		case e != nil:
			call := e.name + "(" + x.String() + ")"
			m.calls[call] = true
			if dx != nil {
				m.calls["D "+call] = true
				dy = m.letter("D"+strings.ReplaceAll(call, " ", "_"), e, dx)
			}
			return generic(e.Cod, call), dy
		}
		switch head, k := text.Component(t); {
		case t.Name == "id":
			return x, dx
		case t.Name == "dup":
			return tuple(2, func(int) (*freeValue, *freeValue) { return x, dx })
		case head != "":
			if n, err := m.types.componentOf(k); err == nil && head == "pi" {
				return part(x, n-1), part(dx, n-1)
			} else if err == nil {
				return linear(func(v *freeValue) *freeValue {
					out := &freeValue{parts: make([]*freeValue, m.types.Count)}
					for i := range out.parts {
						if out.parts[i] = freeZero(); i == n-1 {
							out.parts[i] = v
						}
					}
					return out
				})
			}
		}
	}
	return m.unknown(), zero
}

// family applies each member.
func (m *freeModel) family(t *text.Term, x, dx *freeValue, tuple func(int, func(int) (*freeValue, *freeValue)) (*freeValue, *freeValue),
	part func(*freeValue, int) *freeValue, sum func(v, u *freeValue, coef int64) *freeValue, zero *freeValue) (y, dy *freeValue) {
	binder := t.Names[0]
	outer, had := m.types.components[binder]
	defer func() {
		if delete(m.types.components, binder); had {
			m.types.components[binder] = outer
		}
	}()
	member := func(k int, x, dx *freeValue) (*freeValue, *freeValue) {
		m.types.components[binder] = k + 1
		return m.dual(t.Args[0], x, dx)
	}
	switch t.Name {
	case "pair":
		return tuple(m.types.Count, func(k int) (*freeValue, *freeValue) { return member(k, x, dx) })
	case "prod", "delta":
		return tuple(m.types.Count, func(k int) (*freeValue, *freeValue) { return member(k, part(x, k), part(dx, k)) })
	}
	y, dy = freeZero(), zero
	for k := range m.types.Count {
		a, da := x, dx
		if t.Name == "copair" {
			a, da = part(x, k), part(dx, k)
		}
		a, da = member(k, a, da)
		y, dy = y.plus(a, 1), sum(dy, da, 1)
	}
	return y, dy
}

// letter applies an unknown linear map, which has a letter for every pair of components. A letter is
// name|from|to; its adjoint ends in *.
func (m *freeModel) letter(name string, e *Expr, v *freeValue) *freeValue {
	return build(e.Cod, "", func(to string) *freeValue {
		out := freeZero()
		flat(v, e.Dom, "", func(from string, p *freeValue) {
			out = out.plus(p.under(name+"|"+from+"|"+to), 1)
		})
		return out
	})
}

// multilinear is b at the parts of x, with v in place k.
func (m *freeModel) multilinear(b *Expr, x *freeValue, k int, v *freeValue) *freeValue {
	dom := b.Dom.resolve()
	terms := []freeWord{{coef: 1}}
	for i, t := range dom.parts {
		p := x.part(i)
		if i == k {
			p = v
		}
		var next []freeWord
		flat(p, t, "", func(at string, q *freeValue) {
			for _, w := range q.words {
				for _, old := range terms {
					next = append(next, freeWord{leaf: old.leaf + "[" + at + w.key() + "]", coef: old.coef * w.coef})
				}
			}
		})
		terms = next
	}
	return build(b.Cod, "", func(to string) *freeValue {
		out := freeZero()
		for _, w := range terms {
			w.leaf = b.name + to + w.leaf
			out = out.plus(&freeValue{words: map[string]freeWord{w.key(): w}}, 1)
		}
		return out
	})
}

// transposed is adjoint(L) at w: the matrix of L, found at an arbitrary argument, transposed.
func (m *freeModel) transposed(t *text.Term, w *freeValue) *freeValue {
	e := m.types.adjoints[m.types.adjointKey(t)]
	if e == nil {
		return m.unknown()
	}
	m.depth++
	name := fmt.Sprintf("<%d>", m.depth)
	y := m.apply(t.Args[0], generic(e.Dom, name))
	m.depth--
	columns := map[string]*freeValue{}
	flat(y, e.Cod, "", func(at string, row *freeValue) {
		var entry *freeValue
		flat(w, e.Cod, "", func(place string, v *freeValue) {
			if place == at {
				entry = v
			}
		})
		for _, word := range row.words {
			if !strings.HasPrefix(word.leaf, name) {
				m.known = false // constants of a map that is not linear by its form
				continue
			}
			reversed := make([]string, len(word.letters))
			for i, l := range word.letters {
				star, had := strings.CutSuffix(l, "*")
				if !had {
					star = l + "*"
				}
				reversed[len(reversed)-1-i] = star
			}
			at := strings.TrimPrefix(word.leaf, name)
			if columns[at] == nil {
				columns[at] = freeZero()
			}
			columns[at] = columns[at].plus(entry.under(reversed...), word.coef)
		}
	})
	return build(e.Dom, "", func(at string) *freeValue {
		if c := columns[at]; c != nil {
			return c
		}
		return freeZero()
	})
}

// value is a value that stands in a map.
func (m *freeModel) value(t *text.Term) *freeValue {
	switch t.Op {
	case text.Name:
		v := m.let[t.Name]
		if typ := m.types.values[t.Name]; v == nil && typ != nil {
			v = generic(typ, "value "+t.Name)
		}
		if v == nil {
			break
		}
		if len(t.Attrs) == 0 {
			return v
		}
		if k, err := m.types.componentOf(t.Attrs[0]); err == nil {
			return v.part(k - 1)
		}
	case text.Tuple:
		return m.tuple(t.Args)
	case text.Call:
		head := text.NewName(t.Name, t.Attrs...)
		if m.metavariable(head) != nil {
			return m.apply(head, m.tuple(t.Args))
		}
	}
	return m.unknown()
}

func (m *freeModel) tuple(ts []*text.Term) *freeValue {
	if len(ts) == 1 {
		return m.value(ts[0])
	}
	v := &freeValue{}
	for _, t := range ts {
		v.parts = append(v.parts, m.value(t))
	}
	return v
}
