package normal

// arena has room for slices that are given back in the reverse order.
type arena[T any] struct{ free []T }

// take is an empty slice with room for n; that is new where a is nil.
func (a *arena[T]) take(n int) []T {
	if a == nil {
		return make([]T, 0, n)
	}
	if cap(a.free)-len(a.free) < n {
		a.free = make([]T, 0, max(n, 2*cap(a.free), 64))
	}
	at := len(a.free)
	a.free = a.free[:at+n]
	return a.free[at : at : at+n]
}

// keep gives back what is behind s of room that was taken last.
func (a *arena[T]) keep(s, room []T) []T {
	if n := cap(room); len(s) > 0 && cap(s) == n && &s[0] == &room[:1][0] {
		a.free = a.free[:len(a.free)-n+len(s)]
		return s[:len(s):len(s)]
	}
	return s
}

// giveBack gives back what was taken since free was what it says.
func (a *arena[T]) giveBack(free []T) {
	if cap(free) == cap(a.free) {
		a.free = free
	} else {
		a.free = a.free[:0] // a new block, of which nothing older was taken
	}
}
