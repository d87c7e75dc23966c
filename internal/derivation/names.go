package derivation

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"frechet/combinators"
	"frechet/internal/program"
)

// names are those of values that lines show by name: the values of a walk are v1, v2, .., their tangents
// dv1, .., and the cotangents of these wv1, ... What else would be long where it stands gets a name where it is shown first,
// and its definition stands behind that line.
type names struct {
	of     map[*combinators.Node]string
	weight map[*combinators.Node]int // nodes in the text of a value
	base   string
	count  int
	taken  map[string]bool
}

// heaviest is the weight of what has no name.
const heaviest = 12

func newNames(f *program.Program) *names {
	m := &names{of: map[*combinators.Node]string{}, weight: map[*combinators.Node]int{}, taken: map[string]bool{}, base: "v"}
	numbered := func(name string) bool {
		name = strings.TrimLeft(name, "dw")
		rest, ok := strings.CutPrefix(name, m.base)
		_, err := strconv.Atoi(rest)
		return ok && err == nil
	}
	for slices.ContainsFunc(slices.Collect(maps.Keys(f.Names())), numbered) {
		m.base += "v"
	}
	for name := range f.Names() {
		if len(name) == 1 { // what a line of little weight may call a part of its own
			m.taken[name] = true
		}
	}
	return m
}

// number names a value of a walk.
func (m *names) number(n *combinators.Node, i int) {
	if m.of[n] == "" {
		m.of[n] = m.base + strconv.Itoa(i)
	}
	m.count = max(m.count, i)
}

// named is the name of a value, which gets one.
func (m *names) named(n *combinators.Node) string {
	if m.of[n] == "" {
		m.number(n, m.count+1)
	}
	return m.of[n]
}

// inside are the values from which a line for root is made, and those of them that are written out in it.
func (m *names) inside(root *combinators.Node) (local []*combinators.Node, written map[*combinators.Node]bool) {
	local, written = []*combinators.Node{root}, map[*combinators.Node]bool{}
	met := map[*combinators.Node]bool{root: true}
	for i := 0; i < len(local); i++ {
		n := local[i]
		if n != root && !m.open(n) {
			continue
		}
		written[n] = true
		for _, a := range n.Args() {
			if !met[a] {
				met[a] = true
				local = append(local, a)
			}
		}
	}
	return local, written
}

// open reports whether a value that a line does not define is written out in it: it has no name, and little
// weight.
func (m *names) open(n *combinators.Node) bool {
	if m.of[n] != "" || len(n.Args()) == 0 {
		return false
	}
	stack := []*combinators.Node{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		w := 1
		for _, a := range n.Args() {
			switch k := m.weight[a]; {
			case m.of[a] != "" || len(a.Args()) == 0 || k > heaviest:
				w++
			case k > 0:
				w += k
			default:
				stack = append(stack, a)
			}
		}
		if stack[len(stack)-1] == n {
			m.weight[n] = w
			stack = stack[:len(stack)-1]
		}
	}
	return m.weight[n] <= heaviest
}

// A definition is a value under a name, in a store of its own: what it is made of has names, too.
type definition struct {
	name  string
	value *combinators.Node
}

// line is a line that shows a value with its parts by name, and the definitions of those that it names.
func (m *names) line(f *program.Program, s Step, n *combinators.Node) Step {
	s.f, s.name, s.taken = f, m.of[n], m.taken
	queue := []*combinators.Node{n}
	for i := 0; i < len(queue); i++ {
		v, more := m.cut(queue[i])
		if queue = append(queue, more...); i == 0 {
			s.ns = []*combinators.Node{v}
		} else {
			s.where = append(s.where, definition{m.of[queue[i]], v})
		}
	}
	return s
}

// under is a line that shows a value under a name, by that which it has besides.
func (m *names) under(name string, f *program.Program, s Step, n *combinators.Node) Step {
	other := m.of[n]
	if s = m.line(f, s, n); other != "" && other != name {
		s.ns, s.where = []*combinators.Node{combinators.NewStore().Var(other, n.Shape())}, nil
	}
	s.name = name
	return s
}

// cut is a value in a store of its own, with variables for its parts that have names; more are those that
// have just got theirs: what is heavy, and what stands in it twice. Operands keep their order.
func (m *names) cut(root *combinators.Node) (out *combinators.Node, more []*combinators.Node) {
	var local []*combinators.Node
	for named := -1; named < len(more); { // a name may make what stands above it light
		named = len(more)
		var written map[*combinators.Node]bool
		local, written = m.inside(root)
		uses := map[*combinators.Node]int{}
		for n := range written {
			for _, a := range n.Args() {
				uses[a]++
			}
		}
		for _, n := range local {
			if n != root && m.of[n] == "" && len(n.Args()) > 0 && (uses[n] > 1 || !written[n]) {
				m.named(n)
				more = append(more, n)
			}
		}
	}
	slices.SortFunc(local, func(a, b *combinators.Node) int { return a.ID() - b.ID() })
	s := combinators.NewStore()
	image := map[*combinators.Node]*combinators.Node{}
	for _, n := range local {
		args := make([]*combinators.Node, len(n.Args()))
		for i, a := range n.Args() {
			args[i] = image[a]
		}
		switch {
		case n != root && m.of[n] != "":
			image[n] = s.Var(m.of[n], n.Shape())
		case n.Ein() != nil:
			image[n] = s.Ein(n.Ein(), args...)
		default:
			image[n] = s.Make(n.Operation(), args...)
		}
	}
	return image[root], more
}
