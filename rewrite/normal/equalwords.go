package normal

import (
	"slices"

	"frechet/einsum"
)

// Words that share their parts with others are not flattened, and so one word may stand in a term under two
// bracketings: (A*B)*C where A*B is used elsewhere, and A*(B*C). A pass takes the first of them for all. They
// are found by a hash of the word, which is that of its parts one after the other, whatever the parts are.

// wordHash is the hash of a word and of its transpose, and what shifts the hash of what follows.
type wordHash struct{ hash, transposed, shift uint64 }

const wordBase = 0x1d3c5b7a9f6e8241 % modulus

// then is the hash of a followed by b.
func (a wordHash) then(b wordHash) wordHash {
	return wordHash{
		plusMod(a.hash, timesMod(a.shift, b.hash)),
		plusMod(b.transposed, timesMod(b.shift, a.transposed)),
		timesMod(a.shift, b.shift),
	}
}

// turned is the hash of the transpose.
func (a wordHash) turned() wordHash { return wordHash{a.transposed, a.hash, a.shift} }

// equalWords are the words among order, operands first, that are another word met before.
func (z *Simplifier) equalWords(order []*Node) (first map[*Node]*Node) {
	nested := func(n *Node) bool { return isMatrixProduct(n) && slices.ContainsFunc(n.Args(), isMatrixProduct) }
	k := 0
	for k < len(order) && (order[k].Order() != 2 || !nested(order[k])) {
		k++
	}
	if k == len(order) { // words of letters are what they are
		return nil
	}
	z.words.Clear()
	met := map[uint64]*Node{}
	for _, n := range order {
		w := z.hashOf(n)
		if w.shift == 0 {
			continue
		}
		z.words.Set(n, w)
		m := met[w.hash]
		if m == nil {
			met[w.hash] = n
			continue
		}
		if rest, ok := z.monomials(maxSteps, term{coef: unit, core: n}, term{coef: whole(-1), core: m}); ok && len(rest) == 0 {
			if first == nil {
				first = map[*Node]*Node{}
			}
			first[n] = m
		}
	}
	return first
}

// hashOf is the hash of the word n from those of its factors. The shift is 0 where n is no word of two letters or more.
func (z *Simplifier) hashOf(n *Node) (w wordHash) {
	if !isMatrixProduct(n) {
		return w
	}
	in, out, plain := n.Ein().IsPlain()
	if !plain || out[0] == out[1] {
		return w
	}
	w.shift = 1
	for at, last, left := out[0], -1, len(in); left > 0; left-- {
		k := einsum.Follows(in, at, last)
		if k < 0 {
			return wordHash{}
		}
		v := z.words.Get(n.Arg(k))
		if v.shift == 0 {
			id := uint64(n.Arg(k).ID())
			v = wordHash{einsum.Mix(id, 1) % modulus, einsum.Mix(id, 2) % modulus, wordBase}
			if z.symmetric(n.Arg(k)) {
				v.transposed = v.hash
			}
		}
		if in[k][0] != at {
			v = v.turned()
		}
		w = w.then(v)
		at, last = in[k][0]+in[k][1]-at, k
	}
	return w
}

// isMatrixProduct reports whether n may be a word of two letters or more.
func isMatrixProduct(n *Node) bool {
	return n.Order() == 2 && len(n.Args()) > 1 && n.Ein() != nil && len(n.Ein().Vars) == len(n.Args())+1
}
