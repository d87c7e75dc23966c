package plan

import (
	"slices"
	"sort"
)

// schedule puts the values into steps, each after what it reads, and lays out the memory.
func schedule(p *Program, values, outs []*Value, limits Limits) error {
	kept := reachable(values, outs)
	fuseReductions(kept, outs)
	kept = reachable(values, outs)
	assignGroups(kept, outs)
	steps := sequence(kept, outs)
	// results that are computed get memory of their own at once, the others are copied
	for i, v := range outs {
		if v.Kind == KindInput || v.Kind == KindConst || v.slot.Kind == SlotOutput {
			continue
		}
		v.slot = Slot{Kind: SlotOutput, Offset: i, N: v.N}
		p.Outputs[i].Own = true
	}
	inPlace(kept)
	p.Arena = layout(steps)
	p.Bytes = 8 * int64(p.Arena)
	for i, v := range outs {
		p.Outputs[i].Slot = v.slot
		p.Bytes += 8 * int64(v.N)
	}
	scratch := 0.0
	for _, v := range kept {
		scratch = max(scratch, v.scratch())
	}
	p.Bytes += 8 * int64(min(scratch, 1<<58))
	if p.Bytes > limits.MaxBytes {
		return &LimitError{What: "bytes of memory", Need: float64(p.Bytes), Limit: limits.MaxBytes,
			Help: "ask for a product with a vector instead, or for fewer entries"}
	}
	for _, s := range steps {
		step := Step{V: s.v, Group: s.g}
		if s.g != nil {
			s.g.compile()
		} else {
			step.Out = s.v.slot
			for _, a := range s.v.Args {
				step.Args = append(step.Args, a.V.slot)
			}
			if r := s.v.Reduce; r != nil {
				for i := range r.Group.Loads {
					r.Group.Loads[i].Slot = step.Args[i]
				}
			}
		}
		p.Steps = append(p.Steps, step)
	}
	return nil
}

// inPlace finds the values that are added to their last operand, a value that nothing else
// reads, where that lies. An operand of a result is computed where the result is to be.
func inPlace(values []*Value) {
	uses := map[*Value]int{}
	for _, v := range values {
		for _, a := range v.Args {
			uses[a.V]++
		}
	}
	for _, v := range slices.Backward(values) {
		if !v.Onto {
			continue
		}
		if b := v.Args[len(v.Args)-1].V; uses[b] == 1 && b.store && !b.isOut {
			v.inPlace = true
			if v.slot.Kind == SlotOutput {
				b.slot = v.slot
			}
		}
	}
}

// reachable keeps the values that the results need; they keep their order, which is topological.
func reachable(values, outs []*Value) []*Value {
	seen := make([]bool, len(values))
	for _, v := range outs {
		seen[v.ID] = true
	}
	var kept []*Value
	for _, v := range slices.Backward(values) {
		if !seen[v.ID] {
			continue
		}
		kept = append(kept, v)
		for _, a := range v.Args {
			seen[a.V.ID] = true
		}
	}
	slices.Reverse(kept)
	return kept
}

// unit is a step before it has memory: a value or a group.
type unit struct {
	v *Value
	g *Group
}

func (u unit) values() []*Value {
	if u.g != nil {
		return u.g.values
	}
	return []*Value{u.v}
}

// sequence lists the units depth first from the results, so that a value is used soon after it
// is computed.
func sequence(values, outs []*Value) []unit {
	units := []unit{}
	for _, v := range values {
		switch {
		case v.Kind == KindInput || v.Kind == KindConst:
			v.unit = -1
		case v.group != nil:
			if v.group.unit == 0 {
				units = append(units, unit{g: v.group})
				v.group.unit = len(units)
			}
			v.unit = v.group.unit - 1
		default:
			v.unit = len(units)
			units = append(units, unit{v: v})
		}
	}
	state := make([]uint8, len(units)) // 0 new, 1 open, 2 done
	var out []unit
	for _, root := range outs {
		stack := []int{root.unit}
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			if i < 0 || state[i] == 2 {
				stack = stack[:len(stack)-1]
				continue
			}
			if state[i] == 1 {
				state[i] = 2
				out = append(out, units[i])
				stack = stack[:len(stack)-1]
				continue
			}
			state[i] = 1
			for _, v := range units[i].values() {
				for _, a := range v.Args {
					if j := a.V.unit; j >= 0 && j != i && state[j] == 0 {
						stack = append(stack, j)
					}
				}
			}
		}
	}
	return out
}

// layout gives every stored value a place in the working memory that is free from the step
// that computes it to the last step that reads it, and returns the size of that memory.
func layout(steps []unit) int {
	for i, s := range steps {
		for _, v := range s.values() {
			v.last = max(v.last, i)
			for _, a := range v.Args {
				a.V.last = i
			}
		}
	}
	ending := make([][]*Value, len(steps))
	var a arena
	for i, s := range steps {
		for _, v := range s.values() {
			if !v.store || v.slot.Kind == SlotOutput {
				continue
			}
			if v.inPlace { // it ends where its operand would
				b := v.Args[len(v.Args)-1].V
				v.slot = b.slot
				ending[i] = slices.DeleteFunc(ending[i], func(w *Value) bool { return w == b })
			} else {
				v.slot = Slot{Kind: SlotArena, Offset: a.take(v.N), N: v.N}
			}
			ending[v.last] = append(ending[v.last], v)
		}
		for _, v := range ending[i] {
			a.release(v.slot.Offset, v.N)
		}
	}
	return a.size
}

// An arena hands out ranges of memory, lowest first.
type arena struct {
	size int
	free []hole // sorted by offset, never adjacent
}

type hole struct{ at, n int }

// round keeps ranges on cache lines of their own.
func round(n int) int { return (n + 7) &^ 7 }

func (a *arena) take(n int) int {
	n = round(n)
	for i := range a.free {
		h := &a.free[i]
		if h.n < n {
			continue
		}
		at := h.at
		h.at, h.n = h.at+n, h.n-n
		if h.n == 0 {
			a.free = slices.Delete(a.free, i, i+1)
		}
		return at
	}
	// extend the last hole where it ends the memory
	if k := len(a.free) - 1; k >= 0 && a.free[k].at+a.free[k].n == a.size {
		at := a.free[k].at
		a.free = a.free[:k]
		a.size = at + n
		return at
	}
	at := a.size
	a.size += n
	return at
}

func (a *arena) release(at, n int) {
	n = round(n)
	if n == 0 {
		return
	}
	i := sort.Search(len(a.free), func(i int) bool { return a.free[i].at > at })
	a.free = slices.Insert(a.free, i, hole{at, n})
	if i+1 < len(a.free) && at+n == a.free[i+1].at {
		a.free[i].n += a.free[i+1].n
		a.free = slices.Delete(a.free, i+1, i+2)
	}
	if i > 0 && a.free[i-1].at+a.free[i-1].n == at {
		a.free[i-1].n += a.free[i].n
		a.free = slices.Delete(a.free, i, i+1)
	}
}
