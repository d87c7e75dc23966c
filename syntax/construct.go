package syntax

import "math/big"

// Constructors for trees that are built to be printed. Left operands that are
// chains of the same level are extended by copying, so that what they build is
// what Parse would make of its text; a long chain is best built as one node.

// Name is the variable, let or size symbol of that name.
func Name(name string) *Expr { return &Expr{Op: OpName, Name: name} }

// Number writes a rational: literals are unsigned, so a negative number becomes
// a negation, and a number without a finite decimal form a quotient.
func Number(r *big.Rat) *Expr {
	if _, ok := decimalPlaces(r.Denom()); !ok {
		n, d := new(big.Rat).SetInt(r.Num()), new(big.Rat).SetInt(r.Denom())
		return Chain(StepDiv, Number(n), Number(d)) // -1/3 is (-1)/3
	}
	if r.Sign() < 0 {
		return Neg(Number(new(big.Rat).Neg(r)))
	}
	return &Expr{Op: OpNum, Num: r}
}

// Int is a whole number.
func Int(n int64) *Expr { return Number(new(big.Rat).SetInt64(n)) }

// Neg is -a.
func Neg(a *Expr) *Expr { return &Expr{Op: OpNeg, Args: []*Expr{a}} }

// Transpose is a'.
func Transpose(a *Expr) *Expr { return &Expr{Op: OpTranspose, Args: []*Expr{a}} }

// Power is a ^ b.
func Power(a, b *Expr) *Expr { return &Expr{Op: OpPower, Args: []*Expr{a, b}} }

// Call is name(args...).
func Call(name string, args ...*Expr) *Expr { return &Expr{Op: OpCall, Name: name, Args: args} }

// Chain is `a op b` for an operator without indices.
func Chain(op StepOp, a, b *Expr) *Expr { return chained(a, Step{Op: op, Arg: b}) }

// IndexProduct is `a *(spec) b`.
func IndexProduct(spec *Spec, a, b *Expr) *Expr {
	return chained(a, Step{Op: StepIndex, Spec: spec, Arg: b})
}

// UnaryProduct is `a *(spec)`.
func UnaryProduct(spec *Spec, a *Expr) *Expr {
	return chained(a, Step{Op: StepUnary, Spec: spec})
}

// NewSpec makes a spec of index letters: one string of letters per operand.
func NewSpec(in [][]string, out []string) *Spec {
	s := &Spec{Out: Indices{Letters: out}}
	for _, l := range in {
		s.In = append(s.In, Indices{Letters: l})
	}
	return s
}

func chained(a *Expr, s Step) *Expr {
	op := OpProduct
	if s.Op == StepAdd || s.Op == StepSub {
		op = OpSum
	}
	if a.Op == op {
		steps := make([]Step, len(a.Steps), len(a.Steps)+1)
		copy(steps, a.Steps)
		return &Expr{Op: op, Args: a.Args, Steps: append(steps, s)}
	}
	return &Expr{Op: op, Args: []*Expr{a}, Steps: []Step{s}}
}

// Letter returns the i-th index letter of an unlimited supply: i, j, k, ... z,
// a, ... h, A, ... Z, and then the same with primes.
func Letter(i int) string {
	const supply = "ijklmnopqrstuvwxyzabcdefghABCDEFGHIJKLMNOPQRSTUVWXYZ"
	s := supply[i%len(supply) : i%len(supply)+1]
	for ; i >= len(supply); i -= len(supply) {
		s += "'"
	}
	return s
}
