package combinators

import (
	"fmt"
	"slices"

	"frechet/einsum/size"
	"frechet/internal/lists"
)

// applyKey identifies an application: a term, an argument, and the index set at each of whose
// elements the term is applied.
type applyKey struct{ term, value, batch int32 }

// application is one step of ApplyMap: the term at the value, whose tensors have the axes batch in
// front.
type application struct {
	t     *closedTerm
	v     *Value
	batch []size.Size
}

// ApplyMap is the stratum "apply": the map m at the value v, as nodes. Composition, pairing,
// projections, injections and copowers vanish. Results are remembered in the store, so that what
// is shared is applied once; the stack is its own. The error says that m holds a derivative or an
// adjoint that is not worked out.
func (s *Store) ApplyMap(m Map, v *Value) (*Value, error) {
	if !m.Dom().Equal(v.space) {
		return nil, TypeErrorf("a map on %s is applied to a value of %s", m.Dom(), v.space)
	}
	c := s.closedTerms()
	root := application{m.t, v, nil}
	stack := []application{root}
	for len(stack) > 0 {
		a := stack[len(stack)-1]
		key := s.applyKey(a)
		if c.applied[key] != nil {
			stack = stack[:len(stack)-1]
			continue
		}
		waiting := len(stack)
		r, err := s.applyStep(a, func(b application) *Value {
			r := c.applied[s.applyKey(b)]
			if r == nil {
				stack = append(stack, b)
			}
			return r
		})
		if err != nil {
			return nil, err
		}
		if len(stack) == waiting {
			c.applied[key] = r
			stack = stack[:waiting-1]
		}
	}
	return c.applied[s.applyKey(root)], nil
}

func (s *Store) applyKey(a application) applyKey {
	k := applyKey{a.t.id, a.v.id, 0}
	if len(a.batch) > 0 {
		c, name := s.closedTerms(), size.Shape(a.batch)
		id, ok := c.batches[name]
		if !ok {
			id = int32(len(c.batches) + 1)
			c.batches[name] = id
		}
		k.batch = id
	}
	return k
}

// applyStep is the law of each constructor. get gives the result of another application, or nil
// where it is not known yet; then the result of the step does not count.
// It stays one switch: a case for each operation.
func (s *Store) applyStep(a application, get func(application) *Value) (*Value, error) {
	t, v := a.t, a.v
	at := func(m Map, v *Value) *Value { return get(application{m.t, v, a.batch}) }
	all := func(v func(k int) *Value) []*Value {
		out := make([]*Value, len(t.maps))
		known := true
		for k := len(out) - 1; k >= 0; k-- { // the first is on top of the stack: it is built first
			out[k] = at(t.maps[k], v(k))
			known = known && out[k] != nil
		}
		if !known {
			return nil
		}
		return out
	}
	same := func(int) *Value { return v }
	component := func(k int) *Value { return v.parts[k] }
	switch t.op {
	case MapID:
		return v, nil
	case MapCompose:
		// (g . f)(v) = g(f(v))
		if y := at(t.maps[1], v); y != nil {
			return at(t.maps[0], y), nil
		}
		return nil, nil
	case MapPair:
		if out := all(same); out != nil {
			return s.Tuple(out...), nil
		}
		return nil, nil
	case MapProduct:
		if out := all(component); out != nil {
			return s.Tuple(out...), nil
		}
		return nil, nil
	case MapSum:
		if out := all(same); out != nil {
			return s.addExactly(out[0], out[1]), nil
		}
		return nil, nil
	case MapCopair:
		out := all(component)
		if out == nil {
			return nil, nil
		}
		sum := out[0]
		for _, w := range out[1:] {
			sum = s.AddValues(sum, w)
		}
		return sum, nil
	case MapProj:
		return v.parts[t.k], nil
	case MapInj:
		parts := lists.Map(t.cod.factors, func(f Space) *Value { return s.ZeroValue(f.Power(a.batch)) })
		parts[t.k] = v
		return s.Tuple(parts...), nil
	case MapUnknown:
		return t.value, nil
	case MapConst:
		return s.repeatValue(t.value, a.batch), nil
	case MapZero:
		return s.ZeroValue(t.cod.Power(a.batch)), nil
	case MapCopower:
		return get(application{t.maps[0].t, v, slices.Concat(a.batch, t.shape)}), nil
	case MapEin, MapAtom:
		args := []*Node{v.node}
		if v.parts != nil {
			args = lists.Map(v.parts, func(p *Value) *Node { return p.node })
		}
		return s.Value(t.close(args, a.batch)), nil
	}
	return nil, fmt.Errorf("%s is not worked out: it cannot be applied", t.op)
}

// addExactly is the sum as it is written, zeros kept: what was read back is to be the same node.
func (s *Store) addExactly(a, b *Value) *Value {
	if a.node != nil {
		return s.Value(s.Add(a.node, b.node))
	}
	parts := lists.Make(len(a.parts), func(i int) *Value { return s.addExactly(a.parts[i], b.parts[i]) })
	return s.Tuple(parts...)
}

// repeatValue puts the axes batch in front of every component.
func (s *Store) repeatValue(v *Value, batch []size.Size) *Value {
	if len(batch) == 0 {
		return v
	}
	if v.node != nil {
		return s.Value(s.repeat(v.node, batch))
	}
	parts := lists.Map(v.parts, func(p *Value) *Value { return s.repeatValue(p, batch) })
	return s.Tuple(parts...)
}
