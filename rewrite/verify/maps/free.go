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
	if k := m.types.componentOf(t.Attrs[0]); k > 0 {
		return m.types.Maps[fmt.Sprintf("%s#%d", t.Name, k)]
	}
	return nil
}

// apply is the value of the map t at v.
func (m *freeModel) apply(t *text.Term, v *freeValue) *freeValue {
	return m.dual(t, dual{v: v}).v
}

// A dual is a value, and its derivative along a tangent; d is nil where none is asked for.
type dual struct{ v, d *freeValue }

// linear is f(x) for a linear map, which is its own derivative.
func (x dual) linear(f func(*freeValue) *freeValue) dual {
	if x.d != nil {
		x.d = f(x.d)
	}
	return dual{f(x.v), x.d}
}

// constant is v, whose derivative along the tangent of x is 0.
func (x dual) constant(v *freeValue) dual {
	return dual{v, x.linear(func(*freeValue) *freeValue { return freeZero() }).d}
}

func (x dual) part(k int) dual {
	return x.linear(func(v *freeValue) *freeValue { return v.part(k) })
}

// plus is x + coef*y.
func (x dual) plus(y dual, coef int64) dual {
	out := dual{v: x.v.plus(y.v, coef)}
	if x.d != nil && y.d != nil {
		out.d = x.d.plus(y.d, coef)
	}
	return out
}

// tuple is the tuple of n members, with a derivative where x has one.
func (x dual) tuple(n int, member func(k int) dual) dual {
	v, d := &freeValue{parts: make([]*freeValue, n)}, &freeValue{parts: make([]*freeValue, n)}
	for k := range n {
		y := member(k)
		v.parts[k], d.parts[k] = y.v, y.d
	}
	if x.d == nil {
		d = nil
	}
	return dual{v, d}
}

// dual is t(x), with D(t)(x)(dx).
func (m *freeModel) dual(t *text.Term, x dual) dual {
	switch t.Op {
	case text.Num:
		return x.linear(func(*freeValue) *freeValue { return freeZero() })
	case text.Let:
		for i, n := range t.Names {
			m.let[n] = m.value(t.Args[i])
		}
		return m.dual(t.Args[len(t.Args)-1], x)
	case text.Compose:
		for _, f := range slices.Backward(t.Args) {
			x = m.dual(f, x)
		}
		return x
	case text.Add:
		return m.dual(t.Args[0], x).plus(m.dual(t.Args[1], x), 1)
	case text.Sub:
		return m.dual(t.Args[0], x).plus(m.dual(t.Args[1], x), -1)
	case text.Neg:
		return x.constant(freeZero()).plus(m.dual(t.Args[0], x), -1)
	case text.Pair:
		return x.tuple(len(t.Args), func(k int) dual { return m.dual(t.Args[k], x) })
	case text.Product:
		return x.tuple(len(t.Args), func(k int) dual { return m.dual(t.Args[k], x.part(k)) })
	case text.Copair:
		y := x.constant(freeZero())
		for k, f := range t.Args {
			y = y.plus(m.dual(f, x.part(k)), 1)
		}
		return y
	case text.Family:
		return m.family(t, x)
	case text.Copower: // entry by entry
		return m.dual(t.Args[0], x)
	case text.Apply:
		if d := t.Args[0]; d.Op == text.Call && d.Name == "D" {
			at := m.tuple(t.Args[1:])
			return x.linear(func(v *freeValue) *freeValue { return m.dual(d.Args[0], dual{at, v}).d })
		}
	case text.Call:
		return m.call(t, x)
	case text.Name:
		if e := m.metavariable(t); e != nil {
			return m.open(e, x)
		}
		return m.named(t, x)
	}
	return x.constant(m.unknown())
}

// call is adjoint(f), K(v), or a multilinear map with all operands but one fixed.
func (m *freeModel) call(t *text.Term, x dual) dual {
	switch t.Name {
	case "adjoint":
		return x.linear(func(v *freeValue) *freeValue { return m.transposed(t, v) })
	case "K":
		return x.constant(m.tuple(t.Args))
	case "section":
		if b := m.types.Maps[t.Args[0].Name]; b != nil {
			if k := m.types.componentOf(t.Attrs[0]); k > 0 {
				fixed := m.value(t.Args[1])
				return x.linear(func(v *freeValue) *freeValue { return m.multilinear(b, fixed, k-1, v) })
			}
		}
	}
	b := m.types.Maps[t.Name]
	if b == nil || b.sort != text.BilinearTo {
		return x.constant(m.unknown())
	}
	hole := slices.IndexFunc(t.Args, func(a *text.Term) bool { return a.Op == text.Hole })
	fixed := &freeValue{parts: make([]*freeValue, len(t.Args))}
	for i, a := range t.Args {
		if i != hole {
			fixed.parts[i] = m.value(a)
		}
	}
	return x.linear(func(v *freeValue) *freeValue { return m.multilinear(b, fixed, hole, v) })
}

// open is a metavariable at x: a multilinear map, a linear one, or an unknown function, whose value and
// derivative are asked for.
func (m *freeModel) open(e *Expr, x dual) (y dual) {
	switch {
	case e.sort == text.BilinearTo:
		if x.d != nil {
			y.d = freeZero()
			for k := range e.Dom.resolve().parts {
				y.d = y.d.plus(m.multilinear(e, x.v, k, x.d.part(k)), 1)
			}
		}
		y.v = m.multilinear(e, x.v, 0, x.v.part(0))
		return y
	case e.linear:
		return x.linear(func(v *freeValue) *freeValue { return m.letter(e.name, e, v) })
	}
	call := e.name + "(" + x.v.String() + ")"
	m.calls[call] = true
	if x.d != nil {
		m.calls["D "+call] = true
		y.d = m.letter("D"+strings.ReplaceAll(call, " ", "_"), e, x.d)
	}
	y.v = generic(e.Cod, call)
	return y
}

// named is id, dup, a projection or an injection.
func (m *freeModel) named(t *text.Term, x dual) dual {
	head, k := text.Component(t)
	switch {
	case t.Name == "id":
		return x
	case t.Name == "dup":
		return x.tuple(2, func(int) dual { return x })
	case head != "":
		n := m.types.componentOf(k)
		if n == 0 {
			break
		}
		if head == "pi" {
			return x.part(n - 1)
		}
		return x.linear(func(v *freeValue) *freeValue {
			out := &freeValue{parts: make([]*freeValue, m.types.Count)}
			for i := range out.parts {
				if out.parts[i] = freeZero(); i == n-1 {
					out.parts[i] = v
				}
			}
			return out
		})
	}
	return x.constant(m.unknown())
}

// family applies each member.
func (m *freeModel) family(t *text.Term, x dual) dual {
	binder := t.Names[0]
	outer, had := m.types.components[binder]
	defer func() {
		if delete(m.types.components, binder); had {
			m.types.components[binder] = outer
		}
	}()
	member := func(k int, x dual) dual {
		m.types.components[binder] = k + 1
		return m.dual(t.Args[0], x)
	}
	switch t.Name {
	case "pair":
		return x.tuple(m.types.Count, func(k int) dual { return member(k, x) })
	case "prod", "delta":
		return x.tuple(m.types.Count, func(k int) dual { return member(k, x.part(k)) })
	}
	y := x.constant(freeZero())
	for k := range m.types.Count {
		at := x
		if t.Name == "copair" {
			at = x.part(k)
		}
		y = y.plus(member(k, at), 1)
	}
	return y
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
		if k := m.types.componentOf(t.Attrs[0]); k > 0 {
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
