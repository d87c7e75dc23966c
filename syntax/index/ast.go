package index

import (
	"math/big"
	"slices"

	"frechet/syntax"
)

// Definition is NAME[indices] = expression.
type Definition struct {
	Name    syntax.Ident
	Indices []Declared
	Expr    *Expr
	Span    syntax.Span
}

// Declared is an index of the defined tensor; Size is its axis's size, nil where the
// text does not give it.
type Declared struct {
	syntax.Ident
	Size *Expr
}

// Op is the kind of an expression.
type Op uint8

const (
	Num     Op = iota + 1 // Num: an unsigned literal
	Name                  // Name: an index, a size symbol, or a tensor of order 0
	Access                // Name[Args...]; in a bound also max[Args...] and min[Args...]
	Call                  // Name(Args...)
	Neg                   // -Args[0]
	Power                 // Args[0] ** Args[1]
	Sum                   // Args[0] and Steps of + and -
	Product               // Args[0] and Steps of * and /
	Total                 // sum{Name}_Args[0]^Args[1] Args[2]
	If                    // if {Rels[0]} then Args[0] else Args[1]
	Where                 // [Rels...]
)

// Step is one operator of a chain with the operand to its right.
type Step struct {
	Op  byte        // '+', '-', '*' or '/'
	At  syntax.Span // the operator
	Arg *Expr
}

// Relation compares two affine forms; Op is one of = <= >= < >.
type Relation struct {
	Op          string
	At          syntax.Span
	Left, Right *Expr
}

// Expr is a node of an expression. Which fields are set depends on Op. Span covers the
// node's text without parentheses around it; At is the token that a message about this
// node points at: a name, an operator, the index of a sum.
type Expr struct {
	Op    Op
	Span  syntax.Span
	At    syntax.Span
	Name  string
	Num   *big.Rat
	Args  []*Expr
	Steps []Step
	Rels  []Relation
}

// Equal reports whether two expressions are the same tree, places aside.
func Equal(a, b *Expr) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return a.Op == b.Op && a.Name == b.Name &&
		(a.Num == nil) == (b.Num == nil) && (a.Num == nil || a.Num.Cmp(b.Num) == 0) &&
		slices.EqualFunc(a.Args, b.Args, Equal) &&
		slices.EqualFunc(a.Steps, b.Steps, func(s, t Step) bool { return s.Op == t.Op && Equal(s.Arg, t.Arg) }) &&
		slices.EqualFunc(a.Rels, b.Rels, func(r, s Relation) bool {
			return r.Op == s.Op && Equal(r.Left, s.Left) && Equal(r.Right, s.Right)
		})
}

// Mentions reports whether x has the name.
func Mentions(x *Expr, name string) bool {
	if x == nil {
		return false
	}
	in := func(y *Expr) bool { return Mentions(y, name) }
	return x.Op == Name && x.Name == name || slices.ContainsFunc(x.Args, in) ||
		slices.ContainsFunc(x.Steps, func(s Step) bool { return in(s.Arg) }) ||
		slices.ContainsFunc(x.Rels, func(r Relation) bool { return in(r.Left) || in(r.Right) })
}

// EqualDefinitions reports whether two definitions are the same, places aside.
func EqualDefinitions(a, b *Definition) bool {
	return a.Name.Name == b.Name.Name && Equal(a.Expr, b.Expr) &&
		slices.EqualFunc(a.Indices, b.Indices, func(x, y Declared) bool { return x.Name == y.Name && Equal(x.Size, y.Size) })
}

// Constructors for trees that are built to be printed.

// Ident is the name alone.
func Ident(name string) *Expr { return &Expr{Op: Name, Name: name} }

// At is the tensor name at the given indices.
func At(name string, indices ...*Expr) *Expr { return &Expr{Op: Access, Name: name, Args: indices} }

// Fn is the function name of args.
func Fn(name string, args ...*Expr) *Expr { return &Expr{Op: Call, Name: name, Args: args} }

// Int is a whole number.
func Int(n int64) *Expr { return Number(new(big.Rat).SetInt64(n)) }

// Number is a rational number: literals are unsigned, so a negative one becomes a
// negation, and one without a finite decimal form a quotient.
func Number(r *big.Rat) *Expr {
	if r.Sign() < 0 {
		return Minus(Number(new(big.Rat).Neg(r)))
	}
	if !decimal(r) {
		n, d := new(big.Rat).SetInt(r.Num()), new(big.Rat).SetInt(r.Denom())
		return Chain('/', Number(n), Number(d))
	}
	return &Expr{Op: Num, Num: r}
}

// Minus is -a.
func Minus(a *Expr) *Expr { return &Expr{Op: Neg, Args: []*Expr{a}} }

// Pow is a ** b.
func Pow(a, b *Expr) *Expr { return &Expr{Op: Power, Args: []*Expr{a, b}} }

// Chain is a op b for op one of + - * /. A left operand that is a chain of the same
// level is extended by copying.
func Chain(op byte, a, b *Expr) *Expr {
	kind := Product
	if op == '+' || op == '-' {
		kind = Sum
	}
	if a.Op == kind {
		return &Expr{Op: kind, Args: a.Args, Steps: append(slices.Clone(a.Steps), Step{Op: op, Arg: b})}
	}
	return &Expr{Op: kind, Args: []*Expr{a}, Steps: []Step{{Op: op, Arg: b}}}
}

// SumOver is sum{index}_lo^hi (body).
func SumOver(index string, lo, hi, body *Expr) *Expr {
	return &Expr{Op: Total, Name: index, Args: []*Expr{lo, hi, body}}
}

// Holds is the condition [left op right] as a factor.
func Holds(left *Expr, op string, right *Expr) *Expr {
	return &Expr{Op: Where, Rels: []Relation{{Op: op, Left: left, Right: right}}}
}
