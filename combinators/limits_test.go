package combinators_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/einsum/size"
)

// limited is the limit that work reaches, "" for none.
func limited(work func()) (what string) {
	defer func() {
		if e, ok := recover().(*combinators.LimitError); ok {
			what = e.What
		}
	}()
	work()
	return ""
}

// Spaces and tuples are as long as written out: what doubles them ends at a limit that is named.
func TestSpacesAreBounded(t *testing.T) {
	n := []size.Size{size.Sym("n")}
	s := combinators.NewStore()
	id := s.ID(combinators.TensorSpace(n)).Map
	const space = "tensors and axes of one space"
	require.Equal(t, space, limited(func() {
		m := id
		for range 60 {
			m = s.Pair(m, m)
		}
	}))
	require.Equal(t, space, limited(func() {
		v := s.Value(s.Var("x", n))
		for range 60 {
			v = s.Tuple(v, v)
		}
	}))
	require.Equal(t, space, limited(func() {
		sp := combinators.TensorSpace(n)
		for range combinators.MaxSpace {
			sp = combinators.ProductSpace(sp)
		}
	}))
	require.Equal(t, "axes of one tensor", limited(func() {
		m := id
		for range 2 * combinators.MaxOrder {
			m = s.Copower(m, n)
		}
	}))
	require.Equal(t, "axes of one tensor", limited(func() {
		s.Ones(make([]size.Size, combinators.MaxOrder+1))
	}))
	require.Empty(t, limited(func() {
		m := id
		for range 1000 {
			m = s.Product(m, id)
		}
	}))
}

// Closed terms and shapes count against the limit of nodes.
func TestClosedTermsCount(t *testing.T) {
	s := combinators.NewStore()
	s.MaxNodes = 1000
	n := []size.Size{size.Sym("n")}
	x := s.Var("x", n)
	require.Equal(t, combinators.LimitNodes, limited(func() {
		for range 2000 {
			m := s.ID(combinators.TensorSpace(n)).Map
			for range 100 {
				m = s.Compose(s.ConstMap(m.Cod(), s.Value(x)), m)
			}
			n = append(n, n[0])
		}
	}))
	require.Less(t, s.Len(), 10)
	// a map of many parts takes room for each of them, however short its type is
	w := combinators.NewStore()
	w.MaxNodes = 1000
	parts := make([]combinators.Map, 2000)
	for i := range parts {
		parts[i] = w.ID(combinators.Space{}).Map
	}
	require.Equal(t, combinators.LimitNodes, limited(func() { w.Pair(parts...) }))
	u := combinators.NewStore()
	u.MaxNodes = 1000
	v := u.Var("x", make([]size.Size, combinators.MaxOrder))
	require.Equal(t, combinators.LimitNodes, limited(func() {
		for k := range 100 {
			u.Merge(k, v)
		}
	}))
	require.Less(t, u.Len(), 20)
}

// A store that is stopped builds no more maps.
func TestStoppedMaps(t *testing.T) {
	s := combinators.NewStore()
	stop := make(chan struct{})
	s.Stop = stop
	close(stop)
	require.PanicsWithError(t, (&combinators.Stopped{}).Error(), func() {
		s.ID(combinators.TensorSpace([]size.Size{size.Sym("n")}))
	})
}
