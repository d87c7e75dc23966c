package order

import (
	"cmp"
	"container/heap"
	"slices"
)

// maxHolders is the number of operands with one variable up to which each two of them are looked at.
// Of more, neighbours are.
const maxHolders = 16

// long is an order of a network with more variables than a set has room for, the better of two greedy
// runs: the next step is the one that adds the fewest entries, or the one with the fewest
// multiplications. It takes a time that grows little faster than the number of operands.
func (n Network) long() Order {
	best := n.order(n.longBy(longStep.byEntries), false)
	if o := n.order(n.longBy(longStep.byMults), false); (cost{o.Mults, o.Entries}).less(cost{best.Mults, best.Entries}) {
		best = o
	}
	return best
}

func (n Network) longBy(compare func(s, t longStep) int) []Pair {
	l := &long{n: n, steps: longSteps{compare: compare}, kept: make([]bool, len(n.Size)), holders: make([][]int, len(n.Size))}
	for _, v := range n.Out {
		l.kept[v] = true
	}
	for i := range n.In {
		l.put(slices.DeleteFunc(unique(n.In[i]), func(v int) bool { return n.Size[v] == 1 }))
	}
	for i, g := range l.live { // what one operand alone has is summed
		l.live[i] = slices.DeleteFunc(g, func(v int) bool { return len(l.holders[v]) == 1 && !l.kept[v] })
		l.points[i] = n.points(l.live[i])
	}
	for v := range l.holders {
		l.consider(v)
	}
	for len(l.pairs) < len(n.In)-1 {
		l.join(l.next())
	}
	return l.pairs
}

// long is the search: live has the variables of operands and results, nil for those that are gone,
// and holders the operands that have a variable, in order.
type long struct {
	n       Network
	kept    []bool
	live    [][]int
	gone    []bool
	points  []float64
	holders [][]int
	steps   longSteps
	pairs   []Pair
	apart   []int // what is left when no two operands have a variable in common, the largest first
}

// A longStep is a step that may come next.
type longStep struct {
	Pair
	added, mults float64
}

func (s longStep) byEntries(t longStep) int {
	return cmp.Or(cmp.Compare(s.added, t.added), cmp.Compare(s.mults, t.mults), s.A-t.A, s.B-t.B)
}

func (s longStep) byMults(t longStep) int {
	return cmp.Or(cmp.Compare(s.mults, t.mults), cmp.Compare(s.added, t.added), s.A-t.A, s.B-t.B)
}

// longSteps is a heap.
type longSteps struct {
	all     []longStep
	compare func(s, t longStep) int
}

func (s *longSteps) Len() int           { return len(s.all) }
func (s *longSteps) Less(i, j int) bool { return s.compare(s.all[i], s.all[j]) < 0 }
func (s *longSteps) Swap(i, j int)      { s.all[i], s.all[j] = s.all[j], s.all[i] }
func (s *longSteps) Push(x any)         { s.all = append(s.all, x.(longStep)) }
func (s *longSteps) Pop() any {
	last := len(s.all) - 1
	x := s.all[last]
	s.all = s.all[:last]
	return x
}

// put adds an operand or a result.
func (l *long) put(vars []int) int {
	at := len(l.live)
	l.live, l.gone, l.points = append(l.live, vars), append(l.gone, false), append(l.points, l.n.points(vars))
	for _, v := range vars {
		l.holders[v] = append(l.holders[v], at)
	}
	return at
}

// consider looks at the steps between holders of a variable.
func (l *long) consider(v int) {
	h := l.holders[v]
	for i := range h {
		for k := range i {
			if len(h) <= maxHolders || k == i-1 {
				l.step(h[k], h[i])
			}
		}
	}
}

func (l *long) step(a, b int) {
	result, loop := l.result(a, b)
	added := l.n.points(result) - l.points[a] - l.points[b]
	heap.Push(&l.steps, longStep{Pair{a, b}, added, l.n.points(loop)})
}

// result has the variables of a step's result, and those that it runs over.
func (l *long) result(a, b int) (result, loop []int) {
	loop = unique(slices.Concat(l.live[a], l.live[b]))
	return slices.DeleteFunc(slices.Clone(loop), func(v int) bool {
		others := len(l.holders[v])
		for _, g := range [][]int{l.live[a], l.live[b]} {
			if slices.Contains(g, v) {
				others--
			}
		}
		return others == 0 && !l.kept[v]
	}), loop
}

// next is the best step between operands that are still there; where no two of these have a variable
// in common, the two smallest are next.
func (l *long) next() Pair {
	if p, ok := l.pop(); ok {
		return p
	}
	if l.apart == nil {
		for v := range l.holders { // neighbours may have gone between two holders
			l.consider(v)
		}
		if p, ok := l.pop(); ok {
			return p
		}
		for i := range l.live {
			if !l.gone[i] {
				l.apart = append(l.apart, i)
			}
		}
		slices.SortStableFunc(l.apart, l.larger)
	} else { // what was joined last
		at := len(l.live) - 1
		i, _ := slices.BinarySearchFunc(l.apart, at, l.larger)
		l.apart = slices.Insert(l.apart, i, at)
	}
	last := len(l.apart) - 2
	p := Pair{l.apart[last+1], l.apart[last]}
	l.apart = l.apart[:last]
	return p
}

func (l *long) larger(a, b int) int { return cmp.Compare(l.points[b], l.points[a]) }

func (l *long) pop() (Pair, bool) {
	for len(l.steps.all) > 0 {
		if s := heap.Pop(&l.steps).(longStep); !l.gone[s.A] && !l.gone[s.B] {
			return s.Pair, true
		}
	}
	return Pair{}, false
}

// join makes a step. A result changes what its variables' other holders leave, which is seen when
// they are looked at next.
func (l *long) join(p Pair) {
	result, _ := l.result(p.A, p.B)
	for _, a := range []int{p.A, p.B} {
		l.gone[a] = true
		for _, v := range l.live[a] {
			l.holders[v] = slices.DeleteFunc(l.holders[v], func(i int) bool { return i == a })
		}
		l.live[a] = nil
	}
	at := l.put(result)
	l.pairs = append(l.pairs, p)
	for _, v := range result {
		h := l.holders[v] // at is the last
		for _, b := range h[max(0, len(h)-1-maxHolders) : len(h)-1] {
			l.step(at, b)
		}
	}
}
