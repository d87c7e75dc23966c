package syntax

import (
	"math/big"
	"slices"

	"frechet/combinators/atom"
)

// Span is a range of bytes of the source text, End excluded.
type Span struct{ Start, End int }

// To returns the span from the start of s to the end of t.
func (s Span) To(t Span) Span { return Span{s.Start, t.End} }

// File is a parsed program.
type File struct {
	Src   string
	Stmts []Stmt
	// Functions are those that the program declares, and those that it may use besides; nil where there are none.
	Functions *atom.Scope
}

// StmtKind tells the statements apart.
type StmtKind uint8

const (
	Declare     StmtKind = iota // declare X[m,n] y 1
	Let                         // let p = EXPR
	Expression                  // expression [f =] EXPR
	Request                     // derivative wrt w
	Map                         // map L : R[n] -o R[m] = TERM, in combinator notation
	Primitive                   // primitive h : R -> R derivative h1
	LetFunction                 // let f(x, A) = EXPR
)

// Stmt is one statement. Declares is set for Declare, Request for Request; Name
// (empty if the expression has none) and Expr for Let, Expression and LetFunction, of which Params are the parameters. Index is set
// instead of Expr where the right side is in index notation: the span of
// `NAME[indices] = expression`, which package syntax/index reads; Text is that text. Of Map it is the
// span of `NAME : TYPE = TERM`, which package combinators/program reads. Of Primitive, Text is the declaration.
type Stmt struct {
	Kind     StmtKind
	Span     Span
	Declares []Declaration
	Name     Ident
	Params   []Ident
	Expr     *Expr
	Request  *DerivativeRequest
	Index    *Span
	Text     string
}

// Ident is a name with its place.
type Ident struct {
	Name string
	Span Span
}

// Declaration declares a tensor by its order, `x 1`, or by its sizes, `x[n]`, with
// attributes, `x[n] positive`; then Sized is set and len(Sizes) is the order. `i[m] index(n)` has the sizes m and n.
type Declaration struct {
	Ident
	Order     int
	OrderSpan Span
	Sized     bool
	Sizes     []*Expr
	Of        []Ident // attributes as they are written: names of the table
}

// Bounds is the number of sizes that are no axes of the array that is declared: the bound of an array of whole numbers.
func (d *Declaration) Bounds() int {
	if d != nil && slices.ContainsFunc(d.Of, func(a Ident) bool { return atom.AttributeNamed(a.Name).Has(atom.Index) }) {
		return 1
	}
	return 0
}

// DerivativeRequest asks for derivatives of all expressions of a program.
type DerivativeRequest struct {
	Kind  string // derivative, gradient, hessian, jvp, vjp, hvp, diag-hessian, gauss-newton
	Wrt   []Ident
	Order int   // as written after "order"; 1 if not, 2 for hessian
	Along Ident // jvp, vjp, hvp: the direction or cotangent
	Via   Ident // gauss-newton: the let at which the expression is split, if it is named
	Span  Span
}

// Operation reports whether the request is for a product with a derivative or a part of
// it, and not for a derivative.
func (r *DerivativeRequest) Operation() bool {
	switch r.Kind {
	case "jvp", "vjp", "hvp", "diag-hessian", "gauss-newton":
		return true
	}
	return false
}

// Op is the kind of an expression.
type Op uint8

const (
	OpNum       Op = iota + 1 // Num: an unsigned literal, perhaps with Sizes: 2, 2[m,n]
	OpName                    // Name
	OpDelta                   // delta(Order), or delta[Sizes] with Order = len(Sizes)
	OpCall                    // Name(Args...), perhaps with Axis
	OpEinsum                  // einsum(Spec; Args...)
	OpNeg                     // -Args[0]
	OpTranspose               // Args[0]'
	OpPower                   // Args[0] ^ Args[1], the exponent of order 0
	OpElemPower               // Args[0] .^ Args[1]
	OpSum                     // Args[0] and Steps of + and -
	OpProduct                 // Args[0] and Steps of products and quotients
	OpCompare                 // Args[0] Name Args[1], Name one of > >= < <= == !=
	OpIndex                   // Args[0][Args[1], ...], a subscript for each axis
	OpRange                   // a subscript Args[0]:Args[1]:Args[2], each nil where it is not written
	OpBlocks                  // [Args[0]; ...], each an OpRow
	OpRow                     // the blocks Args of one row
	OpScan                    // a recurrence, Name one of scan, iterate, states, or an implicit function: see Loop
)

// StepOp is an operator of a chain.
type StepOp uint8

const (
	StepAdd     StepOp = iota + 1 // +
	StepSub                       // -
	StepMul                       // *, the matrix product
	StepDiv                       // /, element-wise
	StepElemMul                   // .*
	StepElemDiv                   // ./
	StepIndex                     // *(ij,j->i)
	StepUnary                     // *(ij->ji): no Arg
)

// Step is one operator of a chain with the operand to its right.
type Step struct {
	Op   StepOp
	At   Span  // the operator
	Spec *Spec // StepIndex, StepUnary
	Arg  *Expr // nil for StepUnary
}

// Spec is what an index group or the head of einsum says: the index letters of
// every operand and of the result.
type Spec struct {
	In  []Indices
	Out Indices
}

// Indices is a string of index letters, each an ASCII letter with its primes:
// "ij'k" is i, j', k. Span is where they stand; for an empty string it is the
// character that stands there instead.
type Indices struct {
	Letters []string
	Span    Span
}

// At returns the place of letter k.
func (ix Indices) At(k int) Span {
	start := ix.Span.Start
	for _, l := range ix.Letters[:k] {
		start += len(l)
	}
	return Span{start, start + len(ix.Letters[k])}
}

// Axis is the axis=VALUE of a call; negative counts from the end.
type Axis struct {
	Value int
	Span  Span
}

// Expr is a node of an expression. Which fields are set depends on Op. Span
// covers the node's text without the parentheses around it; At is the token that
// a message about this node points at: the function's name, the operator, the
// start of a literal.
type Expr struct {
	Op    Op
	Span  Span
	At    Span
	Name  string
	Num   *big.Rat
	Order int
	Args  []*Expr
	Steps []Step
	Sizes []*Expr
	Spec  *Spec
	Axis  *Axis
	Keep  bool // keepdims: axes that a call sums over stay, with size 1
	Ddof  int  // of var and std: what is subtracted from the number of entries
	Loop  *Loop
}

// A Loop has the names in a recurrence: of Args, the first is the number of steps, the second what it begins with, the last the
// step, and those before it the values of Lets. Adds: what it begins with is added to every state, h += B. An implicit function, root,
// fixpoint or argmin, has no Counter, and nil for steps.
type Loop struct {
	Counter, State Ident
	Lets           []Ident
	Reverse, Adds  bool
}

// SizeAt reports whether argument i of x is a size.
func (x *Expr) SizeAt(i int) bool {
	switch {
	case x.Op != OpCall:
		return false
	case x.Name == "eye", x.Name == "ones", x.Name == "zeros":
		return true
	}
	return x.Name == "reshape" && i > 0 || x.Name == "split" && i > 1
}

// Equal reports whether two expressions are the same tree, places aside.
func Equal(a, b *Expr) bool { return equal(a, b, nil) }

// equal is Equal where names in a stand for the given values.
// It stays one comparison: a condition for each field.
func equal(a, b *Expr, names map[string]*Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	if x := names[a.Name]; a.Op == OpName && x != nil && (b.Op != OpName || b.Name != a.Name) {
		return equal(x, b, names)
	}
	if a.Op != b.Op || a.Name != b.Name || a.Order != b.Order || len(a.Steps) != len(b.Steps) ||
		(a.Num == nil) != (b.Num == nil) || a.Num != nil && a.Num.Cmp(b.Num) != 0 ||
		a.Keep != b.Keep || (a.Loop == nil) != (b.Loop == nil) || a.Loop != nil && !a.Loop.equal(b.Loop) || a.Ddof != b.Ddof || (a.Axis == nil) != (b.Axis == nil) || a.Axis != nil && a.Axis.Value != b.Axis.Value ||
		!equalSpec(a.Spec, b.Spec) {
		return false
	}
	for i, s := range a.Steps {
		t := b.Steps[i]
		if s.Op != t.Op || !equalSpec(s.Spec, t.Spec) || !equal(s.Arg, t.Arg, names) {
			return false
		}
	}
	same := func(x, y *Expr) bool { return equal(x, y, names) }
	return slices.EqualFunc(a.Args, b.Args, same) && slices.EqualFunc(a.Sizes, b.Sizes, same)
}

func equalSpec(a, b *Spec) bool {
	if a == nil || b == nil {
		return a == b
	}
	same := func(x, y Indices) bool { return slices.Equal(x.Letters, y.Letters) }
	return slices.EqualFunc(a.In, b.In, same) && same(a.Out, b.Out)
}
