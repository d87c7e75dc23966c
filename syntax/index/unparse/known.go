package unparse

import (
	"slices"

	"frechet/einsum"
	"frechet/einsum/gather"
	"frechet/einsum/size"
)

// known reports whether what is known of the indices gives a >= 0: conditions that the
// sums around a value imply are not written again.
func (s *scope) known(a einsum.Affine) bool {
	forms := slices.Clone(s.ge)
	for _, e := range s.eq {
		forms = append(forms, e, einsum.Affine{}.Plus(-1, e))
	}
	for v, d := range s.sizes {
		if d != (size.Size{}) && s.names[v] != "" {
			forms = append(forms, gather.Bounds(einsum.Variable(v), d)...)
		}
	}
	forms = append(forms, einsum.Affine{Off: size.Const(-1)}.Plus(-1, a))
	return gather.Empty(len(s.names), forms)
}

func (s *scope) knownZero(a einsum.Affine) bool {
	if len(a.Terms) == 0 && a.Off == (size.Size{}) {
		return true
	}
	if len(s.eq) == 0 && !slices.ContainsFunc(a.Terms, func(t einsum.Term) bool { return s.sizes[t.Var] == size.Const(1) }) {
		return false
	}
	return s.known(a) && s.known(einsum.Affine{}.Plus(-1, a))
}
