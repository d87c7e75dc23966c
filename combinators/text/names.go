package text

import (
	"strconv"
	"strings"

	"frechet/combinators/atom"
)

// Constructors are the names that mean a constructor wherever they stand.
var Constructors = map[string]bool{
	"id": true, "D": true, "adjoint": true, "K": true, "pi": true, "iota": true, "section": true,
	"contraction": true, "atom": true, "leaf": true,
}

// Component splits pi[k] and pi2 into pi and its component.
func Component(t *Term) (head string, k *Term) {
	if t.Op != Name {
		return "", nil
	}
	if (t.Name == "pi" || t.Name == "iota") && len(t.Attrs) == 1 {
		return t.Name, t.Attrs[0]
	}
	head = strings.TrimRight(t.Name, "0123456789")
	if head != "pi" && head != "iota" || len(t.Attrs) > 0 {
		return "", nil
	}
	n, err := strconv.Atoi(t.Name[len(head):])
	if err != nil {
		return "", nil
	}
	return head, NewInt(int64(n))
}

// IsPi reports whether t is the number pi, where nothing else has the name.
func IsPi(t *Term) bool {
	return t.Op == Name && t.Name == atom.Pi.Name && len(t.Attrs) == 0
}
