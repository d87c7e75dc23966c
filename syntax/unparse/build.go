package unparse

import (
	"math/big"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/lists"
	"frechet/syntax"
)

// Constructors of syntax trees beside those of package syntax. Trees are never changed once built, so they may share
// parts; chains grow by copying unless the chain is not shared.

func axisExpr(name string, axis int, args ...*syntax.Expr) *syntax.Expr {
	return &syntax.Expr{Op: syntax.OpCall, Name: name, Args: args, Axis: &syntax.Axis{Value: axis}}
}

// chain is a product of left and one more step, with left as an operand of its own.
func chain(left *syntax.Expr, step syntax.Step) *syntax.Expr {
	return &syntax.Expr{Op: syntax.OpProduct, Args: []*syntax.Expr{left}, Steps: []syntax.Step{step}}
}

// sumExpr adds a step to a sum, of the other sign where right has one. The steps of left are taken over where left stands
// nowhere else (own), so that a long sum is built in linear time; else they are copied.
func sumExpr(left *syntax.Expr, op syntax.StepOp, right *syntax.Expr, own bool) *syntax.Expr {
	step := syntax.Step{Op: op, Arg: right}
	if firstFactor(right).Op == syntax.OpNeg { // a + -b*c is a - b*c
		step.Arg = negate(right)
		if step.Op == syntax.StepAdd {
			step.Op = syntax.StepSub
		} else {
			step.Op = syntax.StepAdd
		}
	}
	if left.Op != syntax.OpSum {
		return &syntax.Expr{Op: syntax.OpSum, Args: []*syntax.Expr{left}, Steps: []syntax.Step{step}}
	}
	steps := left.Steps
	if !own {
		steps = slices.Clip(steps)
	}
	return &syntax.Expr{Op: syntax.OpSum, Args: left.Args, Steps: append(steps, step)}
}

// sizeExpr writes a size as a number: a polynomial in size symbols.
func sizeExpr(d size.Size) *syntax.Expr {
	var sum *syntax.Expr
	for _, m := range d.Monomials() {
		var t *syntax.Expr
		coef := new(big.Int).Abs(m.Coef)
		if coef.Cmp(big.NewInt(1)) != 0 || len(m.Symbols) == 0 {
			t = &syntax.Expr{Op: syntax.OpNum, Num: new(big.Rat).SetInt(coef)}
		}
		for _, s := range m.Symbols {
			if t == nil {
				t = syntax.Name(s)
			} else {
				t = syntax.Chain(syntax.StepMul, t, syntax.Name(s))
			}
		}
		switch {
		case sum == nil && m.Coef.Sign() < 0:
			sum = negate(t)
		case sum == nil:
			sum = t
		case m.Coef.Sign() < 0:
			sum = sumExpr(sum, syntax.StepSub, t, true)
		default:
			sum = sumExpr(sum, syntax.StepAdd, t, true)
		}
	}
	if sum == nil {
		return &syntax.Expr{Op: syntax.OpNum, Num: new(big.Rat)}
	}
	return sum
}

// negate writes -e with the sign at the first factor of a product, where it binds to
// the same value: -A*x is (-A)*x.
func negate(e *syntax.Expr) *syntax.Expr {
	switch e.Op {
	case syntax.OpNeg:
		return e.Args[0]
	case syntax.OpProduct:
		return &syntax.Expr{Op: syntax.OpProduct, Args: []*syntax.Expr{negate(e.Args[0])}, Steps: e.Steps}
	}
	return syntax.Neg(e)
}

func sizeExprs(ds []size.Size) []*syntax.Expr {
	return lists.Map(ds, sizeExpr)
}

// lexicon knows which size symbols a text can name, and whether something has the name pi.
type lexicon struct {
	open     map[string]bool
	pi       bool
	explicit bool // vectors beside matrices are repeated by products with ones
}

// piExpr is the number pi, as 4 arctan(1) where something else has its name.
func (l *lexicon) piExpr() *syntax.Expr {
	if l.pi {
		return syntax.Chain(syntax.StepMul, syntax.Int(4), syntax.Call(atom.Arctan.Name, syntax.Int(1)))
	}
	return syntax.Name(syntax.Pi)
}

// writable reports whether sizes can be written: their symbols are names that the
// program declares.
func (l *lexicon) writable(ds []size.Size) bool {
	for _, d := range ds {
		for _, s := range d.Symbols() {
			if l.open[s] || !isName(s) {
				return false
			}
		}
	}
	return true
}

func isName(s string) bool {
	if s == "" || strings.Trim(s, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return false
	}
	return s[0] != '_' && (s[0] < '0' || s[0] > '9') && !syntax.Reserved(s)
}

// specOf names the letters of a product. The output's first axis is i and the others
// follow in the order of the text; of tensors of order 3 and more the output's letters
// come first.
func specOf(in [][]int, out []int) *syntax.Spec {
	name := map[int]string{}
	give := func(ls []int) {
		for _, v := range ls {
			if _, ok := name[v]; !ok {
				name[v] = einsum.Letter(len(name))
			}
		}
	}
	switch {
	case len(out) >= 3 && len(in) > 1:
		give(out)
	case len(out) >= 1 && len(in) > 1:
		give(out[:1])
	}
	for _, ls := range in {
		give(ls)
	}
	give(out)
	write := func(ls []int) syntax.Indices {
		ix := syntax.Indices{}
		for _, v := range ls {
			ix.Letters = append(ix.Letters, name[v])
		}
		return ix
	}
	spec := &syntax.Spec{Out: write(out)}
	for _, ls := range in {
		spec.In = append(spec.In, write(ls))
	}
	return spec
}

func indexExpr(a, b *syntax.Expr, inA, inB, out []int) *syntax.Expr {
	return chain(a, syntax.Step{Op: syntax.StepIndex, Spec: specOf([][]int{inA, inB}, out), Arg: b})
}

func unaryExpr(a *syntax.Expr, in, out []int) *syntax.Expr {
	return chain(a, syntax.Step{Op: syntax.StepUnary, Spec: specOf([][]int{in}, out)})
}
