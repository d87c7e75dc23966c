package confluence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/einsum"
)

// Kind is a derivative of a term in one of the modes.
type Kind struct {
	Name  string
	Mode  jacobian.Mode
	Order int
	Total bool // of the sum of the entries, as a gradient is
}

// kinds are the derivatives that are counted.
var kinds = []Kind{
	{"gradient", jacobian.Reverse, 1, true},
	{"Jacobian, forward", jacobian.Forward, 1, false},
	{"Jacobian, reverse", jacobian.Reverse, 1, false},
	{"Jacobian, planned", jacobian.Planned, 1, false},
	{"Hessian, forward", jacobian.Forward, 2, true},
	{"Hessian, reverse", jacobian.Reverse, 2, true},
	{"Hessian, planned", jacobian.Planned, 2, true},
}

// Derived is what was seen of one kind of derivative of a number of terms that have one normal form
// and one normal form of each derivative of lower order.
type Derived struct {
	Kind
	Terms     int
	Different int
	Failures  []Failure
}

// RunDerived counts derivatives of random terms: every writing is differentiated with respect to its
// variables in the order of their names.
func RunDerived(o Options) []Derived {
	out := make([]Derived, len(kinds))
	for i, k := range kinds {
		out[i].Kind = k
		for n := range o.Terms {
			seed := o.Seed + uint64(n)
			t := Draw(rand.New(rand.NewPCG(seed, 1)), o)
			r, ok := k.check(t, seed, o)
			if !ok {
				continue
			}
			out[i].Terms++
			if r.different {
				out[i].Different++
				if len(out[i].Failures) < o.Show {
					out[i].Failures = append(out[i].Failures, k.failure(t, seed, o, r))
				}
			}
		}
	}
	return out
}

func (k Kind) failure(t *Term, seed uint64, o Options, r result) Failure {
	o.Writings = max(o.Writings, 10)
	t = shrink(t, func(u *Term) bool {
		s, ok := k.check(u, seed, o)
		if ok = ok && s.different; ok {
			r = s
		}
		return ok
	})
	return Failure{Seed: seed, Term: t, First: show(r.first), Other: show(r.other)}
}

// check compares the derivatives of writings of t. It is not ok where t has no such derivative, or
// where t or a derivative of lower order has two normal forms.
func (k Kind) check(t *Term, seed uint64, o Options) (r result, ok bool) {
	forms := NewForms()
	first := k.derive(t, nil, forms)
	if first == nil {
		return r, false
	}
	for v := range o.Writings {
		other := k.derive(t, rand.New(rand.NewPCG(seed, uint64(v)+2)), forms)
		for order, all := range first {
			for i, n := range all {
				if other == nil || other[order][i] == n {
					continue
				}
				if order < k.Order {
					return result{}, false
				}
				if !r.different {
					r = result{different: true, first: n, other: other[order][i]}
				}
			}
		}
	}
	return r, true
}

// derive gives the forms of t and of its derivatives of every order.
func (k Kind) derive(t *Term, r *rand.Rand, forms *Forms) [][]*Node {
	s := combinators.NewStore()
	y := t.Build(s, r)
	if k.Total {
		y = s.Contract([][]int{einsum.UpTo(y.Order())}, nil, y.Shape(), y)
	}
	var wrt []*Node
	for _, n := range combinators.Topo(y) {
		if n.Name() != "" {
			wrt = append(wrt, n)
		}
	}
	slices.SortFunc(wrt, func(a, b *Node) int { return strings.Compare(a.Name(), b.Name()) })
	d, err := jacobian.Derive(y, wrt, k.Order, k.Mode)
	if err != nil || len(wrt) == 0 {
		return nil
	}
	out := [][]*Node{{forms.Of(d.Value)}}
	for _, all := range d.ByOrder {
		var level []*Node
		for _, n := range all {
			level = append(level, forms.Of(n))
		}
		out = append(out, level)
	}
	return out
}

func (d Derived) String() string {
	return fmt.Sprintf("%-18s %d terms, %d different", d.Name, d.Terms, d.Different)
}
