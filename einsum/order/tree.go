package order

// A tree is an order while it is changed: leaves are the operands 0, ..., k-1, and the inner
// node k+i has the children kids[i].
type tree struct {
	leaves int
	kids   [][2]int
	root   int
}

// pairs lists the inner nodes, each after its children.
func (t *tree) pairs() []Pair {
	number := make([]int, t.leaves+len(t.kids))
	for i := range t.leaves {
		number[i] = i
	}
	var out []Pair
	t.walk(func(v int) {
		kids := t.kids[v-t.leaves]
		out = append(out, Pair{number[kids[0]], number[kids[1]]})
		number[v] = t.leaves + len(out) - 1
	})
	return out
}

// walk visits the inner nodes, each after its children.
func (t *tree) walk(visit func(v int)) {
	type frame struct{ v, next int }
	stack := []frame{{t.root, 0}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		switch {
		case f.v < t.leaves:
			stack = stack[:len(stack)-1]
		case f.next == 2:
			visit(f.v)
			stack = stack[:len(stack)-1]
		default:
			f.next++
			stack = append(stack, frame{t.kids[f.v-t.leaves][f.next-1], 0})
		}
	}
}

// labels has, for every node of a tree, the variables of its result, those that are needed
// outside of it, and the cost of its step.
type labels struct {
	result, outside []set
	cost            []cost
	total           cost
}

func (g *graph) label(t *tree) *labels {
	n := t.leaves + len(t.kids)
	l := &labels{make([]set, n), make([]set, n), make([]cost, n), cost{}}
	all := make([]set, n)
	copy(all, g.ops)
	var order []int
	t.walk(func(v int) {
		kids := t.kids[v-t.leaves]
		all[v] = all[kids[0]].or(all[kids[1]])
		order = append(order, v)
	})
	l.outside[t.root] = g.keep
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		a, b := t.kids[v-t.leaves][0], t.kids[v-t.leaves][1]
		l.outside[a] = l.outside[v].or(all[b])
		l.outside[b] = l.outside[v].or(all[a])
	}
	for v := range all {
		l.result[v] = all[v].and(l.outside[v])
	}
	for _, v := range order {
		kids := t.kids[v-t.leaves]
		l.cost[v] = cost{g.size.of(l.result[kids[0]].or(l.result[kids[1]])), g.size.of(l.result[v])}
		l.total = l.total.plus(l.cost[v])
	}
	return l
}

func (g *graph) cost(t *tree) cost { return g.label(t).total }
