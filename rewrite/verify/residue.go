package verify

import (
	"fmt"
	"math/big"

	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/eval"
	"frechet/rewrite/verify/model"
)

// Sums, products and whole powers of entries and numbers that differ in the field differ over the numbers, too, where no
// floating-point number may tell: x + 10^-30 and x, a number of a thousand digits and the next one.

// residueDraws are the points that are tried at a shape.
const residueDraws = 12

// residue is a point of small whole numbers at which both sides differ modulo p; nil where there is none, or the field does not decide.
func (t *trial) residue(numbers []denote.Number) *Witness {
	if t.g.restricted() {
		return nil
	}
	for _, l := range t.g.smallLayouts() {
		in, err := t.g.numeric(l, numbers)
		if err != nil {
			continue
		}
		for k := range residueDraws {
			env := map[string]*eval.Tensor{}
			for _, v := range in.vars {
				x := eval.NewTensor(model.ShapeOf(v)...)
				for i := range x.Data {
					x.Data[i] = float64(t.rand.IntN(k/4 + 2))
				}
				env[v.Name()] = x
			}
			if left, right, differ := residues(in, env); differ {
				w := witness(in, env)
				w.Left, w.Right = fmt.Sprint(left, " modulo 2^61-1"), fmt.Sprint(right, " modulo 2^61-1")
				return w
			}
		}
	}
	return nil
}

// longNumbers: the rule has numbers of which floating-point numbers to eleven digits could not tell what holds from what nearly does:
// 1 + 10^-13, or fractions that are next to pi.
func (g *signature) longNumbers() (long bool) {
	const longest = 100_000
	for _, side := range []*text.Term{g.rule.Left, g.rule.Right} {
		text.Walk(side, func(t *text.Term) bool {
			long = long || t.Op == text.Num && (t.Rat.Num().CmpAbs(big.NewInt(longest)) > 0 || t.Rat.Denom().Cmp(big.NewInt(longest)) > 0)
			return true
		})
	}
	return long
}
