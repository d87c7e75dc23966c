package order

import "slices"

// maxMatrices is the number of operands beyond which a chain of matrices is not ordered by dynamic
// programming, which takes cubic time and square memory.
const maxMatrices = 1000

// matrices is the best order of one chain of matrices with vectors on its diagonals, ok whether the
// network is one: operands have two variables at most, every variable is in two matrices at most, and
// those form one path, between whose ends the result has no variable.
//
// Every step of the best order joins two neighbouring intervals of the path. The result of an interval
// has its two ends, so that a step costs the points of three variables.
func (n Network) matrices() (pairs []Pair, ok bool) {
	sequence, ends, ok := n.path()
	if !ok {
		return nil, false
	}
	size := func(v int) float64 {
		if v < 0 {
			return 1
		}
		return float64(n.Size[v])
	}
	k := len(sequence)
	type interval struct {
		cost cost
		at   int32
	}
	best := make([]interval, k*(k+1)) // of [i, j) at i*(k+1)+j
	for length := 2; length <= k; length++ {
		for i := 0; i+length <= k; i++ {
			j := i + length
			entries := size(ends[i])
			if ends[j] != ends[i] {
				entries *= size(ends[j])
			}
			b := interval{at: -1}
			for m := i + 1; m < j; m++ {
				c := best[i*(k+1)+m].cost.plus(best[m*(k+1)+j].cost)
				if b.at >= 0 && !c.less(b.cost) {
					continue
				}
				points := entries
				if ends[m] != ends[i] && ends[m] != ends[j] {
					points *= size(ends[m])
				}
				if c.mults += points; b.at < 0 || c.less(b.cost) {
					b = interval{c, int32(m)}
				}
			}
			b.cost.entries += entries
			best[i*(k+1)+j] = b
		}
	}
	var build func(i, j int) int // as deep as there are operands at most
	build = func(i, j int) int {
		if j == i+1 {
			return sequence[i]
		}
		m := int(best[i*(k+1)+j].at)
		pairs = append(pairs, Pair{build(i, m), build(m, j)})
		return k + len(pairs) - 1
	}
	build(0, k)
	return pairs, true
}

// path lists the operands of a chain of matrices along it, and the variables at which these meet: of
// operand i ends[i] and ends[i+1], which are one for a vector. An end that is summed is -1.
func (n Network) path() (sequence, ends []int, ok bool) {
	k := len(n.In)
	if k > maxMatrices {
		return nil, nil, false
	}
	kept := make([]bool, len(n.Size))
	for _, v := range n.Out {
		kept[v] = true
	}
	holders := make([]int, len(n.Size))
	sets := make([][]int, k)
	for i, g := range n.In {
		sets[i] = unique(g)
		for _, v := range sets[i] {
			holders[v]++
		}
	}
	matrices, vectors := make([][]int, len(n.Size)), make([][]int, len(n.Size))
	number := 0
	for i, g := range sets {
		g = slices.DeleteFunc(g, func(v int) bool { return n.Size[v] == 1 || holders[v] == 1 && !kept[v] })
		switch sets[i] = g; len(g) {
		case 1:
			vectors[g[0]] = append(vectors[g[0]], i)
		case 2:
			number++
			for _, v := range g {
				if matrices[v] = append(matrices[v], i); len(matrices[v]) > 2 {
					return nil, nil, false
				}
			}
		default:
			return nil, nil, false
		}
	}
	at := slices.IndexFunc(matrices, func(m []int) bool { return len(m) == 1 })
	if at < 0 {
		return nil, nil, false
	}
	add := func(operand, end int) {
		sequence, ends = append(sequence, operand), append(ends, end)
	}
	ends = []int{-1}
	if kept[at] {
		ends[0] = at
	}
	for from := -1; ; {
		for _, v := range vectors[at] {
			add(v, at)
		}
		next := slices.IndexFunc(matrices[at], func(m int) bool { return m != from })
		if next < 0 {
			break
		}
		if from >= 0 && kept[at] {
			return nil, nil, false
		}
		from = matrices[at][next]
		at = sets[from][0] + sets[from][1] - at
		add(from, at)
		number--
	}
	if !kept[at] {
		ends[len(ends)-1] = -1
	}
	if slices.Index(sequence, 0) < k/2 { // from the end that is farther from the first operand
		slices.Reverse(sequence)
		slices.Reverse(ends)
	}
	return sequence, ends, number == 0 && len(sequence) == k
}
