package unparse

import (
	"slices"

	"frechet/internal/lists"
)

// context finds which axes of which terms have their size fixed by the text around
// them. A constant in a place where they are not is written with its sizes. The
// analysis is what elaboration will find by unification, from below: an axis is known
// where a variable's axis is, or one that must be equal to it.
//
// It fills in the fields below and around of the reachable terms, which come arguments
// first. A term that stands in several places has only what all places give it.
func context(terms []*term, outs []*term, shapesKnown bool) {
	for _, t := range terms {
		t.below = t.knownBelow()
		t.around = nil
	}
	for _, o := range outs {
		o.meet(slices.Repeat([]bool{shapesKnown}, o.order()))
	}
	for i := len(terms) - 1; i >= 0; i-- {
		terms[i].inform()
	}
}

// meet adds a place in which the axes are known or not.
func (t *term) meet(known []bool) {
	if t.around == nil {
		t.around = slices.Clone(known)
		return
	}
	for i := range t.around {
		t.around[i] = t.around[i] && known[i]
	}
}

// square reports whether the last two axes of the function's argument are equal.
func (t *term) square() bool {
	switch t.name {
	case "inv", "det", "adj", "logdet", "minor", "matpow":
		return t.op == opCall
	}
	return false
}

func (t *term) knownBelow() []bool {
	known := make([]bool, t.order())
	switch t.op {
	case opVar, opScan:
		return slices.Repeat([]bool{true}, t.order())
	case opProd:
		for p, v := range t.out {
			known[p] = t.letterKnown(v)
		}
	case opNum, opSize, opPi, opFill, opDelta:
	case opIndex:
		at, arrays := 0, 0
		for i, s := range t.subs {
			if s.by > 0 { // the first one has the axes of all
				for range (t.args[s.by].order() - 1) * max(0, 1-arrays) {
					known[at] = true
					at++
				}
				arrays++
				continue
			}
			if !s.one {
				known[at] = t.args[0].below[i]
				at++
			}
		}
	case opJoin: // the zeros are written with their sizes
		for i := range known {
			known[i] = !slices.ContainsFunc(t.args, func(a *term) bool { return a.order() == len(known) && a.op != opFill && !a.below[i] })
		}
	case opCall:
		if !t.space {
			t.callKnows(known)
		}
	default:
		t.anyKnows(known)
	}
	return known
}

// anyKnows: the operands of an operation entry by entry have its axes.
func (t *term) anyKnows(known []bool) {
	for _, a := range t.args {
		if a.order() == t.order() {
			for i := range known {
				known[i] = known[i] || a.below[i]
			}
		}
	}
}

// callKnows: what a function makes of the axes of its operands.
func (t *term) callKnows(known []bool) {
	a := t.args[0].below
	switch {
	case t.name == "scatter":
	case t.square():
		copy(known, a)
		any := slices.Contains(a[len(a)-2:], true)
		for i := len(a) - 2; i < t.order(); i++ {
			known[i] = any
		}
	case t.name == "solve":
		copy(known, t.args[1].below)
		known[len(a)-2] = known[len(a)-2] || a[len(a)-2] || a[len(a)-1]
	case t.name == "split":
		copy(known, a[:t.attr])
		known[t.attr], known[t.attr+1] = true, true
		copy(known[t.attr+2:], a[t.attr+1:])
	case t.name == "merge":
		copy(known, a[:t.attr])
		known[t.attr] = a[t.attr] && a[t.attr+1]
		copy(known[t.attr+1:], a[t.attr+2:])
	case t.name == "kron":
		for i := range known {
			known[i] = a[i] && t.args[1].below[i]
		}
	case len(t.args) == 1 && axial(t.name) && t.name != "softmax":
		if axis, ok := t.axis(); ok {
			copy(known, slices.Concat(a[:axis], a[axis+1:]))
		}
	default:
		t.anyKnows(known)
	}
}

// letterKnown reports whether an operand of a product fixes the size of letter v.
func (t *term) letterKnown(v int) bool {
	for k, a := range t.args {
		for p, u := range t.in[k] {
			if u == v && (a.below[p] || a.op == opDelta && a.below[(p+len(a.sizes))%(2*len(a.sizes))]) {
				return true
			}
		}
	}
	return false
}

// inform tells the operands of t what t's place and the other operands fix.
// It stays one list of cases, the first of which holds.
func (t *term) inform() {
	if t.around == nil {
		return
	}
	here := lists.Make(t.order(), func(i int) bool { return t.below[i] || t.around[i] })
	for k, a := range t.args {
		known := make([]bool, a.order())
		switch {
		case t.op == opIndex || t.op == opJoin || t.op == opScan:
		case t.op == opProd:
			for p, v := range t.in[k] {
				q := slices.Index(t.out, v)
				known[p] = q >= 0 && here[q] || t.letterKnown(v)
			}
		case t.square():
			n := a.order() - 2
			any := slices.Contains(a.below[n:], true) || t.order() > n && slices.Contains(here[n:], true)
			known[n], known[n+1] = any, any
		case t.space:
		case t.op == opCall && (t.name == "solve" || t.name == "split" || t.name == "merge" || t.name == "kron" || t.name == "scatter"):
		case a.order() == t.order():
			copy(known, here)
		default:
			if axis, ok := t.axis(); ok { // a reduction keeps the other axes
				copy(known, slices.Insert(slices.Clone(here), axis, false))
			}
		}
		a.meet(known)
	}
}

// sized reports whether the constant t must be written with its sizes.
func (t *term) sized() bool {
	if t.op == opDelta {
		k := len(t.sizes)
		for i := range k {
			if !t.around[i] && !t.around[i+k] {
				return true
			}
		}
		return false
	}
	return slices.Contains(t.around, false)
}
