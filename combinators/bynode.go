package combinators

// ByNode has a value for every node of one store, zero where none was set. It is a slice, since
// nodes are numbered: passes over terms look into it at every step.
type ByNode[T any] struct {
	vals []T
	none T // of the nodes that have no place yet
}

// Get is the value for n.
func (b *ByNode[T]) Get(n *Node) T {
	if i := int(n.id); i < len(b.vals) {
		return b.vals[i]
	}
	var zero T
	return zero
}

// Look is Get in place, which must not be changed: large values are not copied.
func (b *ByNode[T]) Look(n *Node) *T {
	if i := int(n.id); i < len(b.vals) {
		return &b.vals[i]
	}
	return &b.none
}

// Set sets the value for n.
func (b *ByNode[T]) Set(n *Node, v T) { *b.At(n) = v }

// At is the place of the value for n, until another node of a larger number is set.
func (b *ByNode[T]) At(n *Node) *T {
	if i := int(n.id); i < len(b.vals) {
		return &b.vals[i]
	}
	vals := make([]T, max(n.store.count+n.store.count/4+8, 2*len(b.vals)))
	copy(vals, b.vals)
	b.vals = vals
	return &b.vals[n.id]
}

// All are the values of nodes 0, 1, .. as far as any was set.
func (b *ByNode[T]) All() []T { return b.vals }

// Clear makes all values zero.
func (b *ByNode[T]) Clear() { clear(b.vals) }

// Later has a value for each of the nodes from a first one to a last one: of a small part of a large store.
type Later[T any] struct {
	first int
	vals  []T
}

// NewLater is for nodes whose numbers are at least first, up to the last of order.
func NewLater[T any](first int, order []*Node) Later[T] {
	if len(order) == 0 {
		return Later[T]{first: first}
	}
	return Later[T]{first, make([]T, order[len(order)-1].ID()-first+1)}
}

// Get is the value for n, zero where it is none of the nodes.
func (l *Later[T]) Get(n *Node) (v T) {
	if i := uint(n.ID() - l.first); i < uint(len(l.vals)) {
		v = l.vals[i]
	}
	return v
}

// Set sets the value for n where it is one of the nodes.
func (l *Later[T]) Set(n *Node, v T) {
	if i := uint(n.ID() - l.first); i < uint(len(l.vals)) {
		l.vals[i] = v
	}
}

// At is the place of the value for n, one of the nodes.
func (l *Later[T]) At(n *Node) *T { return &l.vals[n.ID()-l.first] }

// Images maps nodes of one store to nodes of the same store. Images are kept by their numbers, from 1,
// so that collecting garbage does not look at them.
type Images struct{ numbers ByNode[int32] }

// Get is the image of n, nil where none was set.
func (m *Images) Get(n *Node) *Node {
	if i := m.numbers.Get(n); i > 0 {
		return n.store.Node(int(i - 1))
	}
	return nil
}

// Set makes image, which may be nil, that of n.
func (m *Images) Set(n, image *Node) {
	number := int32(0)
	if image != nil {
		number = image.id + 1
	}
	m.numbers.Set(n, number)
}
