package proof

import (
	"slices"

	"frechet/internal/lists"
)

// A closure is the terms that a calculation comes to, with what equals them. It begins with some terms and
// their parts; a step at one of the terms there makes both its sides one. Terms of one constructor whose parts
// are equal, one by one, are equal (congruence closure, Nelson and Oppen, 1980). So steps need not be made in the
// whole term, and what checking takes is in proportion to what they rewrite, but for a logarithm.
//
// A step has a value wherever its left side has one, and not the other way round: 0 u becomes 0. It counts only
// where its left side is there, as an operand of what the calculation began with or came to, and so has a value.
// Once a step has widened, what equals its left side is gone with all that it is a part of: what equals the right side elsewhere
// need not have that value, so that 0 does not become 0 u.
type closure[T comparable] struct {
	parts  func(T) []T
	with   func(T, []T) T // the constructor of a term on other parts
	work   *work
	parent map[T]T
	uses   map[T][]T  // of each class: the terms that have a part in it
	later  []T        // terms of which the class of a part has changed
	there  map[T]bool // classes with a term that the calculation has come to
	terms  map[T][]T  // of classes
	left   map[T]bool // what a step that widens has left behind
	gone   map[T]bool // and what has such a part
}

func newClosure[T comparable](w *work, start []T, parts func(T) []T, with func(T, []T) T) *closure[T] {
	c := &closure[T]{parts: parts, with: with, work: w, parent: map[T]T{}, uses: map[T][]T{}, there: map[T]bool{}, terms: map[T][]T{}, left: map[T]bool{}, gone: map[T]bool{}}
	for _, t := range start {
		c.arrive(c.class(t))
	}
	return c
}

// class is the term that stands for all that equal t.
func (c *closure[T]) class(t T) T {
	c.add(t)
	root := t
	for c.parent[root] != root {
		root = c.parent[root]
	}
	for c.parent[t] != root {
		t, c.parent[t] = c.parent[t], root
	}
	return root
}

// add takes in a term. What it is made of is taken in before it: terms may be deep.
func (c *closure[T]) add(t T) {
	stack := []T{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		if _, known := c.parent[t]; known {
			stack = stack[:len(stack)-1]
			continue
		}
		waiting := len(stack)
		for _, p := range c.parts(t) {
			if _, known := c.parent[p]; !known {
				stack = append(stack, p)
			}
		}
		if len(stack) > waiting {
			continue
		}
		c.work.add(1)
		c.parent[t], c.terms[t] = t, []T{t}
		for _, p := range c.parts(t) {
			r := c.class(p)
			c.uses[r] = append(c.uses[r], t)
			c.gone[t] = c.gone[t] || c.gone[p]
		}
		c.later = append(c.later, t)
	}
}

// step makes both sides equal, with all that follows, where the left one is there.
func (c *closure[T]) step(left, right T, widens bool) {
	c.class(left)
	c.class(right)
	c.settle()
	if !c.there[c.class(left)] || c.gone[left] || c.class(left) == c.class(right) {
		return
	}
	if widens {
		for _, t := range c.terms[c.class(left)] {
			c.leave(t)
		}
	}
	c.join(left, right)
	c.settle()
}

// leave says that t is no more what the calculation has.
func (c *closure[T]) leave(t T) {
	c.left[t] = true
	stack := []T{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		if stack = stack[:len(stack)-1]; c.gone[t] {
			continue
		}
		c.work.add(1)
		c.gone[t] = true
		for _, u := range c.uses[c.class(t)] {
			if slices.Contains(c.parts(u), t) {
				stack = append(stack, u)
			}
		}
	}
}

// settle makes terms equal whose parts have become so.
func (c *closure[T]) settle() {
	for len(c.later) > 0 {
		t := c.later[len(c.later)-1]
		c.later = c.later[:len(c.later)-1]
		old := c.parts(t)
		parts := make([]T, len(old))
		same := true
		for i, p := range old {
			parts[i] = c.class(p)
			same = same && parts[i] == p
		}
		if c.work.add(1); !same {
			now := c.with(t, parts)
			if c.join(t, now); c.left[t] != c.left[now] {
				c.leave(t)
				c.leave(now)
			}
		}
	}
}

func (c *closure[T]) join(a, b T) {
	a, b = c.class(a), c.class(b)
	if a == b {
		return
	}
	if c.there[a] {
		c.arrive(b)
	} else if c.there[b] {
		c.arrive(a)
	}
	if c.gone[b] && !c.gone[a] || c.gone[a] == c.gone[b] && len(c.uses[a]) > len(c.uses[b]) {
		a, b = b, a
	}
	c.parent[a] = b
	c.later = append(c.later, c.uses[a]...)
	c.uses[b] = append(c.uses[b], c.uses[a]...)
	c.terms[b] = append(c.terms[b], c.terms[a]...)
	delete(c.uses, a)
	delete(c.terms, a)
}

// arrive says that the calculation has come to a class, and so to the parts of its terms.
func (c *closure[T]) arrive(class T) {
	stack := []T{class}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c.there[r] {
			continue
		}
		c.there[r] = true
		for _, t := range c.terms[r] {
			stack = lists.Append(stack, c.parts(t), c.class)
		}
	}
}

// follows reports whether each of a equals the one of b in its place.
func (c *closure[T]) follows(a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		c.add(b[i])
		if c.settle(); c.class(a[i]) != c.class(b[i]) || c.gone[b[i]] {
			return false
		}
	}
	return true
}
