package rewrite

import (
	"slices"
	"sync"

	"frechet/combinators"
)

// Used collects the names of a user's rules that were applied. It may be used from several goroutines.
type Used struct {
	mu    sync.Mutex
	names []string
	into  *Used
}

type usedKey struct{}

// UsedIn has the user's rules that were applied to terms of the store.
func UsedIn(s *combinators.Store) *Used {
	return combinators.Memo(s, usedKey{}, func() *Used { return &Used{} })
}

// Add notes rules.
func (u *Used) Add(names ...string) {
	if len(names) == 0 {
		return
	}
	u.mu.Lock()
	for _, n := range names {
		if !slices.Contains(u.names, n) {
			u.names = append(u.names, n)
		}
	}
	into := u.into
	u.mu.Unlock()
	if into != nil {
		into.Add(names...)
	}
}

// Into adds what u has, and what it will have, to v.
func (u *Used) Into(v *Used) {
	u.mu.Lock()
	u.into = v
	names := u.names
	u.mu.Unlock()
	v.Add(names...)
}

// Names lists the rules, sorted.
func (u *Used) Names() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Sorted(slices.Values(u.names))
}
