package normal

import (
	"frechet/combinators"
	"frechet/combinators/atom"
)

// nativeBody is no schema that a checker of derivations knows: what has such a step is not certified.
const nativeBody = "B-step"

// bodyKey is under what the store remembers that a body is in normal form.
type bodyKey struct{ key string }

// bodied brings the body of n to normal form. A recurrence that is linear is 0 at 0.
func (z *Simplifier) bodied(n *Node, t *trace) *Node {
	if r, ok := fill(n.Arg(0)); ok && r.Sign() == 0 && n.Is(atom.LinearRecurrence) {
		t.to(nativeBody, n.Arg(0))
		return n.Arg(0)
	}
	normal := func(b *combinators.Body) *bool {
		return combinators.Memo(z.s, bodyKey{b.Key()}, func() *bool { return new(bool) })
	}
	known := normal(n.Body())
	m := n.Stepped(func(out *Node) *Node {
		if *known {
			return out
		}
		return Simplify(out)[0]
	}, true)
	*known = true
	if m.Body() != nil {
		*normal(m.Body()) = true
	}
	t.to(nativeBody, m)
	return m
}
