package plan

import (
	"math"
	"slices"
)

// A Group computes element-wise values of N entries together, block by block, so that what
// they pass on to each other stays in cache.
type Group struct {
	N     int
	Block int // entries that are computed at a time
	Loads []Load
	Ops   []Op
	Regs  int // blocks of scratch memory: for results that are not stored, and for gathered loads
	// Uniform operations, the first ones, have the same value at every entry.
	Uniform int
	// Copy says that the group stores its one operand, entry by entry of a view.
	Copy bool

	values []*Value
	unit   int // its number among the steps, from 1 on
}

// A Load reads an operand that is computed outside of the group.
type Load struct {
	View View
	Slot Slot
	Reg  int // where a load that does not lie as the block does is gathered; -1 for none
	// Inside each stretch of Segment entries the load repeats with period Inner, so that what
	// was gathered for one block serves the next; Segment is 0 where nothing repeats.
	Inner, Segment int
}

// repeats finds Inner and Segment: a row that is used again and again, or one entry.
func (l *Load) repeats() {
	v := l.View
	inner, d := 1, len(v.Dims)-1
	for ; d >= 0 && v.Stride[d] != 0; d-- {
		inner *= v.Dims[d]
	}
	segment := inner
	for ; d >= 0 && v.Stride[d] == 0; d-- {
		segment *= v.Dims[d]
	}
	if l.Reg >= 0 && segment > inner {
		l.Inner, l.Segment = inner, segment
	}
}

// blockSize is the number of entries that a group computes at a time: a dozen blocks fit the
// first-level cache.
const blockSize = 512

// block chooses the group's block: whole periods of the loads that repeat, if there is one
// such number.
func (g *Group) block() {
	g.Block = blockSize
	all := 1
	for i := range g.Loads {
		l := &g.Loads[i]
		l.repeats()
		if l.Segment == 0 || l.Inner > blockSize {
			continue
		}
		a, b := all, l.Inner
		for b != 0 {
			a, b = b, a%b
		}
		if all = all / a * l.Inner; all > blockSize {
			return
		}
	}
	g.Block = blockSize / all * all
}

// An Op is one element-wise operation.
type Op struct {
	V     *Value
	Args  []Source
	Reg   int  // where the result goes; -1 where it is stored
	Slot  Slot // where the result is stored, if it is
	Store bool
}

// A Source is the result of an operation of the group or a load.
type Source struct {
	Load  bool
	Index int
}

// assignGroups finds the groups. A value's level counts the steps that are not element-wise
// before it; values of one level that feed each other entry by entry form a group. A path that
// leaves a group passes to a higher level, so groups cannot wait for each other in a circle.
func assignGroups(values []*Value, outs []*Value) {
	for _, v := range outs {
		v.isOut, v.store = true, true
	}
	assignLevels(values)
	connect(values)
	// what leaves its group is stored
	for _, v := range values {
		for _, a := range v.Args {
			if a.V.Kind == KindMap && (v.group != a.V.group || !a.dense(v.N)) {
				a.V.store = true
			}
		}
		if v.Kind != KindMap {
			v.store = !v.leaf()
		}
	}
}

func (v *Value) leaf() bool { return v.Kind == KindInput || v.Kind == KindConst }

// fused reports whether v reads a entry by entry, and both are element-wise.
func (v *Value) fused(a View) bool {
	return v.Kind == KindMap && a.V.Kind == KindMap && a.dense(v.N)
}

func assignLevels(values []*Value) {
	for _, v := range values {
		v.bound = math.MaxInt
		for _, a := range v.Args {
			switch {
			case a.V.leaf():
			case v.fused(a):
				v.level = max(v.level, a.V.level)
			default:
				v.level = max(v.level, a.V.level+1)
			}
		}
	}
	// move element-wise values to their users, unless something needs them earlier
	for _, v := range slices.Backward(values) {
		if v.Kind == KindMap && !v.isOut && v.bound != math.MaxInt {
			v.level = max(v.level, v.bound)
		}
		for _, a := range v.Args {
			switch {
			case a.V.Kind != KindMap:
			case v.fused(a):
				a.V.bound = min(a.V.bound, v.level)
			default:
				a.V.bound = min(a.V.bound, v.level-1)
			}
		}
	}
}

// root is the element-wise value that stands for those which v is connected with.
func (v *Value) root() *Value {
	root := v
	for root.parent != nil {
		root = root.parent
	}
	for v.parent != nil {
		v, v.parent = v.parent, root
	}
	return root
}

// connect makes groups of connected values of one level.
func connect(values []*Value) {
	for _, v := range values {
		for _, a := range v.Args {
			if v.fused(a) && a.V.level == v.level {
				if x, y := v.root(), a.V.root(); x != y {
					x.parent = y
				}
			}
		}
	}
	for _, v := range values {
		if v.Kind != KindMap {
			continue
		}
		root := v.root()
		if root.group == nil {
			root.group = &Group{N: v.N}
		}
		v.group = root.group
		v.group.values = append(v.group.values, v)
	}
}

// maxUniform bounds the uniform operations of a group, since each keeps a block of memory.
const maxUniform = 64

// compile lists the operations and gives blocks of scratch memory to results that are not stored.
func (g *Group) compile() {
	loads := map[string]int{}
	var key []byte
	hoisted := 0
	for _, v := range g.values {
		u := true
		for _, a := range v.Args {
			u = u && (a.V.group == g && a.dense(g.N) && a.V.uniform || a.V.group != g && a.Uniform())
		}
		if v.uniform = u && g.N > 1 && hoisted < maxUniform; v.uniform {
			hoisted++
		}
	}
	ordered := slices.Clone(g.values)
	slices.SortStableFunc(ordered, func(a, b *Value) int {
		switch {
		case a.uniform == b.uniform:
			return 0
		case a.uniform:
			return -1
		}
		return 1
	})
	for _, v := range ordered {
		op := Op{V: v, Reg: -1, Store: v.store, Slot: v.slot}
		for _, a := range v.Args {
			if a.V.group == g && a.dense(g.N) {
				op.Args = append(op.Args, a.V.at)
				continue
			}
			key = (&Value{Args: []View{a}}).appendKey(key[:0])
			l, ok := loads[string(key)]
			if !ok {
				l = len(g.Loads)
				loads[string(key)] = l
				g.Loads = append(g.Loads, Load{View: a, Slot: a.V.slot, Reg: -1})
			}
			op.Args = append(op.Args, Source{Load: true, Index: l})
		}
		if v.identity() && !v.store { // its readers read what it copies
			v.at = op.Args[0]
			continue
		}
		v.at = Source{Index: len(g.Ops)}
		if v.uniform {
			g.Uniform++
		}
		g.Ops = append(g.Ops, op)
	}
	for l := range g.Loads {
		if !g.Loads[l].View.dense(g.N) && g.N > 1 {
			g.Loads[l].Reg = g.Regs
			g.Regs++
		}
	}
	g.block()
	g.Copy = len(g.Ops) == 1 && g.Ops[0].V.identity() && g.Ops[0].Store && g.Loads[0].Reg >= 0
	g.assignRegisters()
}

// assignRegisters is a linear scan: a block is free again after the last use of its result.
// Blocks of uniform results are filled once and never reused.
func (g *Group) assignRegisters() {
	last := make([]int, len(g.Ops))
	for i, op := range g.Ops {
		last[i] = i
		for _, a := range op.Args {
			if !a.Load {
				last[a.Index] = i
			}
		}
	}
	var free []int
	ending := make([][]int, len(g.Ops))
	for i := range g.Ops {
		op := &g.Ops[i]
		if !op.Store || i < g.Uniform { // a uniform result is computed in a block, and stored from there
			if len(free) > 0 && i >= g.Uniform {
				op.Reg = free[len(free)-1]
				free = free[:len(free)-1]
			} else {
				op.Reg = g.Regs
				g.Regs++
			}
			if i >= g.Uniform {
				ending[last[i]] = append(ending[last[i]], op.Reg)
			}
		}
		free = append(free, ending[i]...)
	}
}
