package normal

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators"
	"frechet/combinators/atom"
	terms "frechet/combinators/text"
	"frechet/einsum/size"
)

// writings draws words over two square matrices and their transposes, a and b, and ways to write them.
type writings struct {
	*rand.Rand
	s    *combinators.Store
	A, B *Node
}

func drawWritings(seed int) *writings {
	s := combinators.NewStore()
	n := size.Sym("n")
	shape := []size.Size{n, n}
	return &writings{rand.New(rand.NewSource(int64(seed))), s, s.Var("A", shape), s.Var("B", shape)}
}

func (w *writings) word(most int) string {
	var b strings.Builder
	for range 1 + w.Intn(most) {
		b.WriteByte("AAABBaab"[w.Intn(8)])
	}
	return b.String()
}

func (w *writings) transpose(x *Node) *Node { return w.s.Einsum("ij->ji", x) }

func (w *writings) times(x, y *Node) *Node { return w.s.Einsum("ij,jk->ik", x, y) }

// write brackets a word, with some parts as transposes of their transposes.
func (w *writings) write(word string) *Node {
	if len(word) == 1 {
		x := map[byte]*Node{'A': w.A, 'B': w.B}[strings.ToUpper(word)[0]]
		if word >= "a" {
			x = w.transpose(x)
		}
		return x
	}
	if w.Intn(8) == 0 {
		turned := []byte(word)
		for i := range turned {
			turned[i] = word[len(word)-1-i] ^ ('a' - 'A')
		}
		return w.transpose(w.write(string(turned)))
	}
	k := 1 + w.Intn(len(word)-1)
	return w.times(w.write(word[:k]), w.write(word[k:]))
}

// sum adds words in some order.
func (w *writings) sum(words []string) (sum *Node) {
	for _, i := range w.Perm(len(words)) {
		if x := w.write(words[i]); sum == nil {
			sum = x
		} else {
			sum = w.s.Add(sum, x)
		}
	}
	return sum
}

// All bracketings of a word have one normal form, and meet wherever they stand in one term.
func TestBracketingsOfWordsMeet(t *testing.T) {
	for seed := range 1000 {
		w := drawWritings(seed)
		s := w.s
		word := w.word(10)
		x, y := w.write(word), w.write(word)
		require.Same(t, New(s, nil).Simplify(x)[0], New(s, nil).Simplify(y)[0], word)
		v := s.Var("v", w.A.Shape()[:1])
		for i, f := range []func(*Node) *Node{
			func(m *Node) *Node { return m },
			func(m *Node) *Node { return s.Einsum("ij,j->i", m, v) },
			func(m *Node) *Node { return s.Einsum("ii->", m) },
			func(m *Node) *Node { return s.Unary(atom.Exp, m) },
			func(m *Node) *Node { return s.Inv(s.Add(m, w.A)) },
			func(m *Node) *Node { return s.Mul(m, w.B) },
		} {
			m := New(s, nil).Simplify(s.Sub(f(x), f(y)))[0]
			require.True(t, IsZero(m), "%s in place %d: %s - %s is %s", word, i, terms.Value(x), terms.Value(y), terms.Value(m))
		}
	}
}

// A product of sums of words is the sum of their products.
func TestExpandedAndFactoredWordsMeet(t *testing.T) {
	for seed := range 1000 {
		w := drawWritings(seed)
		expanded := []string{""}
		var factored *Node
		for range 2 + w.Intn(2) {
			factor := []string{w.word(2)}
			if w.Intn(3) > 0 {
				factor = append(factor, w.word(2))
			}
			var products []string
			for _, u := range expanded {
				for _, v := range factor {
					products = append(products, u+v)
				}
			}
			if expanded = products; factored == nil {
				factored = w.sum(factor)
			} else {
				factored = w.times(factored, w.sum(factor))
			}
		}
		m := New(w.s, nil).Simplify(w.s.Sub(factored, w.sum(expanded)))[0]
		require.True(t, IsZero(m), "%s is not %v: %s", terms.Value(factored), expanded, terms.Value(m))
	}
}

// Words that differ stay apart, also where they have the same letters.
func TestDifferentWordsStayApart(t *testing.T) {
	for seed := range 300 {
		w := drawWritings(seed)
		word := w.word(8)
		other := []byte(word)
		w.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		if string(other) == word {
			continue
		}
		m := New(w.s, nil).Simplify(w.s.Sub(w.write(word), w.write(string(other))))[0]
		require.False(t, IsZero(m), "%s and %s", word, other)
	}
}
