package verify

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/eval"
	"frechet/eval/digits"
	"frechet/rewrite/verify/model"
)

// tanh(exp(exp(cosh(x)))) is 1 to the last of 80 digits, and 1 + 10^-30 is 1 in floating-point numbers. So what the field does not
// decide is compared in intervals of many digits. Two intervals without a common number differ; points at which an operand is below
// the last digit show nothing, and where all are such no claim is made.

const (
	fewBits     = 256
	manyBits    = 4096
	enoughBits  = 16 // that both sides share where they are equal
	digitPoints = 60
	longPoints  = 8 // at which many bits are tried
)

// digits compares both sides at points of small layouts until they differ.
func (t *trial) digits(choices [][]denote.Number) {
	few := t.g.fewest()
	for t.digitsAt(choices, few, max(digitPoints*fewBits/int(few), longPoints)); !t.refuted && !t.seen && few < manyBits; few = manyBits {
		t.digitsAt(choices, manyBits, longPoints)
	}
}

func (t *trial) digitsAt(choices [][]denote.Number, bits uint, most int) {
	for _, l := range t.g.smallLayouts() {
		for _, numbers := range choices {
			in, err := t.g.numeric(l, numbers)
			if err != nil {
				continue
			}
			for _, k := range []int{16, 10} {
				env := t.point(in, k)
				if !t.g.holds(in, env) {
					continue
				}
				d := t.compareDigits(in, env, bits)
				if d.outcome == model.SidesDiffer {
					t.refute(d, in, env)
					return
				}
				t.seen = t.seen || d.outcome == model.SidesEqual && d.seen
				if most--; most == 0 {
					return
				}
			}
		}
	}
}

// refute keeps the point at which the sides differ; where doubles do not tell, they find no smaller one.
func (t *trial) refute(d inDigits, in *instance, env map[string]*eval.Tensor) {
	t.refuted, t.at, t.hidden = true, d.witness(in, env), compare(in, env) != model.SidesDiffer
}

// fewest are the bits by which numbers of the rule are told apart.
func (g *signature) fewest() (bits uint) {
	for _, side := range []*text.Term{g.rule.Left, g.rule.Right} {
		text.Walk(side, func(t *text.Term) bool {
			if t.Op == text.Num {
				bits = max(bits, uint(t.Rat.Num().BitLen()), uint(t.Rat.Denom().BitLen()))
			}
			return true
		})
	}
	return min(fewBits+8*bits, manyBits)
}

// inDigits are both sides of an instance at a point.
type inDigits struct {
	left, right digits.Value
	outcome     model.Outcome
	seen        bool // of equal sides: all operands arrive
}

func (t *trial) compareDigits(in *instance, env map[string]*eval.Tensor, bits uint) (d inDigits) {
	nodes := combinators.Topo(in.left, in.right)
	outs, err := eval.Reference(context.Background(), nodes, eval.Env(env), nil, randomFunctions(nodes...))
	if err != nil {
		return d
	}
	doubles := map[*combinators.Node]*eval.Tensor{}
	for i, n := range nodes {
		doubles[n] = outs[i]
	}
	rounded := func(v *combinators.Node) bool {
		of := v.Attributes() | t.g.attributes(v.Name())
		return of&(atom.Orthogonal|atom.Unit|atom.Simplex) != 0 || of.Has(atom.Symmetric) && v.Order() > 2
	}
	var errL, errR error
	d.left, errL = digits.Evaluate(in.left, bits, doubles, rounded)
	d.right, errR = digits.Evaluate(in.right, bits, doubles, rounded)
	switch {
	case errors.Is(errL, digits.ErrUnknown), errors.Is(errR, digits.ErrUnknown), errL != nil && errR != nil:
		return d
	case errL != nil:
		d.outcome = model.RightOnly
		return d
	case errR != nil:
		d.outcome = model.LeftOnly
		return d
	}
	d.outcome, d.seen = model.SidesEqual, !d.left.Lost && !d.right.Lost
	for i, x := range d.left.Data {
		y := d.right.Data[i]
		if digits.Apart(x, y) {
			d.outcome = model.SidesDiffer
		}
		d.seen = d.seen && x.Bits() >= enoughBits && y.Bits() >= enoughBits
	}
	return d
}

// witness is the point, and where doubles show nothing the first entry in which the sides differ.
func (d inDigits) witness(in *instance, env map[string]*eval.Tensor) *Witness {
	w := witness(in, env)
	if w.Left != w.Right && w.Left != matrix(nil) && w.Right != matrix(nil) {
		return w
	}
	for i, x := range d.left.Data {
		if y := d.right.Data[i]; digits.Apart(x, y) {
			if w.Left, w.Right = decimal(x.Low, 17), decimal(y.Low, 17); w.Left == w.Right {
				w.Right += ", " + decimal(new(big.Float).Sub(y.Low, x.Low), 3) + " more"
			}
			break
		}
	}
	return w
}

// decimal writes a number; the digits of one that is very large or small would take long.
func decimal(x *big.Float, digits int) string {
	if e := x.MantExp(nil); e > manyBits || e < -manyBits {
		return fmt.Sprintf("about 2^%d", e)
	}
	return x.Text('g', digits)
}
