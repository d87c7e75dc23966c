package maps

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The free model: values are sums of words, a word being linear maps applied one after the other to a
// leaf, which is a variable, or an unknown function or multilinear map of values. Nothing holds in it
// but what holds for all linear maps and all functions, in all spaces: two maps that take an arbitrary
// argument to one value are equal. D(f)(x) is the part at eps of f(x + eps v), where the derivative of
// an unknown f at x is a linear map of its own; adjoint(L) is the matrix of L, transposed, and its
// words reversed.
type freeValue struct {
	parts []*freeValue // of a tuple
	words map[string]freeWord
}

type freeWord struct {
	letters []string // applied last first
	leaf    string
	coef    int64
}

func (w freeWord) key() string { return strings.Join(append(slices.Clone(w.letters), w.leaf), " ") }

func freeLeaf(name string) *freeValue {
	w := freeWord{leaf: name, coef: 1}
	return &freeValue{words: map[string]freeWord{w.key(): w}}
}

func freeZero() *freeValue { return &freeValue{words: map[string]freeWord{}} }

// part is component k; every component of 0 is 0.
func (v *freeValue) part(k int) *freeValue {
	if v.parts == nil {
		return freeZero()
	}
	return v.parts[k]
}

func (v *freeValue) plus(u *freeValue, coef int64) *freeValue {
	if v.parts == nil && u.parts == nil {
		out := &freeValue{words: maps.Clone(v.words)}
		for k, w := range u.words {
			w.coef = coef*w.coef + out.words[k].coef
			if out.words[k] = w; w.coef == 0 {
				delete(out.words, k)
			}
		}
		return out
	}
	out := &freeValue{parts: make([]*freeValue, max(len(v.parts), len(u.parts)))}
	for k := range out.parts {
		out.parts[k] = v.part(k).plus(u.part(k), coef)
	}
	return out
}

// String is one text for equal values.
func (v *freeValue) String() string {
	if v.parts != nil {
		parts := make([]string, len(v.parts))
		zero := true
		for i, p := range v.parts {
			parts[i] = p.String()
			zero = zero && parts[i] == "0"
		}
		if zero {
			return "0"
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	var terms []string
	for k, w := range v.words {
		if w.coef != 1 {
			k = fmt.Sprint(w.coef, " ", k)
		}
		terms = append(terms, k)
	}
	if len(terms) == 0 {
		return "0"
	}
	slices.Sort(terms)
	return strings.Join(terms, " + ")
}

// generic is an arbitrary value of a space: a variable for every factor. One of a copower stands for
// each of its entries.
func generic(t *Space, name string) *freeValue {
	switch t = t.resolve(); t.kind {
	case spaceProduct:
		v := &freeValue{parts: make([]*freeValue, len(t.parts))}
		for i, p := range t.parts {
			v.parts[i] = generic(p, fmt.Sprintf("%s.%d", name, i+1))
		}
		return v
	case spacePower:
		return generic(t.base, name)
	}
	return freeLeaf(name)
}

// flat lists the components of a value that are no tuples, with their places.
func flat(v *freeValue, t *Space, at string, visit func(at string, v *freeValue)) {
	t = t.resolve()
	if t.kind == spacePower {
		flat(v, t.base, at, visit)
		return
	}
	if t.kind != spaceProduct {
		visit(at, v)
		return
	}
	for i, p := range t.parts {
		flat(v.part(i), p, fmt.Sprintf("%s.%d", at, i+1), visit)
	}
}

// build makes a value of a space from its components.
func build(t *Space, at string, leaf func(at string) *freeValue) *freeValue {
	t = t.resolve()
	if t.kind == spacePower {
		return build(t.base, at, leaf)
	}
	if t.kind != spaceProduct {
		return leaf(at)
	}
	v := &freeValue{parts: make([]*freeValue, len(t.parts))}
	for i, p := range t.parts {
		v.parts[i] = build(p, fmt.Sprintf("%s.%d", at, i+1), leaf)
	}
	return v
}

func (v *freeValue) under(letters ...string) *freeValue {
	out := freeZero()
	for _, w := range v.words {
		w.letters = slices.Concat(letters, w.letters)
		out.words[w.key()] = w
	}
	return out
}
