package proof

import (
	"math/big"

	"frechet/combinators"
	"frechet/einsum/size"
	"frechet/internal/lists"
)

// Node, Map and Value are terms.
type (
	Node  = combinators.Node
	Map   = combinators.Map
	Value = combinators.Value
)

// A Derivation is what a certificate says, with its terms in one store.
type Derivation struct {
	Rules   []RuleFile
	Program Program
	Laws    []Law
	Parts   []Part
}

// A Law is how the rules come to the derivative or the adjoint of an operation c of operands, of which
// those that depend on something are unknown maps. It begins with D(c . <f1, .., fk>)(x), with
// adjoint(c . <f1, .., fk>), or with that composed with an unknown map, and ends with a map in which
// D(f1)(x), .., or adjoint(f1), .., are left.
type Law struct {
	Points []*Node // the operands, as variables
	Start  Map
	Steps  []Step
	End    Map
}

// A WalkStep is a law at one value.
type WalkStep struct {
	Node *Node
	Law  int   // of Derivation.Laws, from 0
	Gets *Node // the tangent of Node, nil where it is zero; where Node is transposed, its cotangent
}

// Steps are those of each law and of each part.
func (d *Derivation) Steps() (out [][]Step) {
	out = lists.Append(out, d.Laws, func(l Law) []Step { return l.Steps })
	out = lists.Append(out, d.Parts, func(p Part) []Step { return p.Steps })
	return out
}

// A Program is the text from which a derivation starts.
type Program struct {
	Language string   `json:"language"` // einstein or combinators
	Text     string   `json:"text"`
	Wrt      []string `json:"wrt,omitempty"`

	// What was said of sizes besides.
	Dims  map[string][]int64 `json:"dims,omitempty"`
	Sizes map[string]int64   `json:"sizes,omitempty"`
}

// A RuleFile is a rule file by name and by the SHA-256 sum of its text.
type RuleFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// A Kind says how a part of a derivation begins.
type Kind string

// The kinds of parts, in the order in which they stand. A derivation of a program that is a map has all of
// them. One of a graph of values has no derivative and no adjoint as maps: what the derivative is at fresh
// variables is found by a walk over the values that the part before ends with, and its adjoint by one
// over the values that the derivative begins with, backwards. It may go on with the derivative of the gradient, and its
// entries.
const (
	KindProgram      Kind = "program"       // with the program's expression
	KindDerivative   Kind = "derivative"    // with D(f)(x)
	KindDerivativeAt Kind = "derivative at" // with the derivative, applied to fresh variables
	KindAdjoint      Kind = "adjoint"       // with the adjoint of the derivative, or of a linear map
	KindAdjointAt    Kind = "adjoint at"    // with the adjoint, applied to fresh variables
	KindGradient     Kind = "gradient"      // with the adjoint, applied to 1
	KindEntries      Kind = "entries"       // with the derivative of values, applied to the identity of each variable
)

// The kinds of parts of a proof that two values are equal wherever both are defined. It has a part of each side first; a
// further part of a side goes on where the last one ended. The sides are equal where their last parts end alike; or where
// a last part says that their difference is 0, or their quotient 1.
const (
	KindLeft       Kind = "left side"  // with the left side
	KindRight      Kind = "right side" // with the right side
	KindDifference Kind = "difference" // with the left side less the right one
	KindQuotient   Kind = "quotient"   // with the left side over the right one, which is not 0
	KindProduct    Kind = "product"    // with the difference, or the product before, times a factor that is invertible or not 0
)

// A Part is a calculation: that Start equals End, since all steps do what they say.
type Part struct {
	Kind  Kind
	Fresh []*Node // variables that occur in no part before
	// Point is the argument by which is differentiated, in the first part on maps and in each
	// derivative by a walk.
	Point []*Node
	Walk  []WalkStep // how a graph of values comes to Start
	// Factor is that of a product.
	Factor *Node
	Start  Line
	Steps  []Step
	End    Line
}

// A Line is a map, or a list of values.
type Line struct {
	Map   *Map
	Nodes []*Node
}

// A Step says that After equals Before wherever that has a value. It rewrites Before wherever it stands; there it
// need not stand as it is written, since terms with equal parts are equal.
type Step struct {
	Rule          string
	Back          bool // the rule is read from right to left: it keeps the domain, and its sides have the same metavariables
	Before, After Line // of one map or one node
	Subst         Subst
	Operands      []int // of E-fuse: the operands substituted, one after the other
	// Context is the term Before with Hole in the place of what a rule on factors of a product
	// rewrites.
	Context, Hole *Node
	Facts         []Fact
}

// A Fact is what is known of the entries of a value where the program is defined.
type Fact struct {
	Sign  Sign
	Value *Node
}

// Sign is what a fact says.
type Sign string

// What facts say.
const (
	Positive Sign = "positive"
	Nonneg   Sign = "nonneg"
	Nonzero  Sign = "nonzero"
	// Invertible is of the matrices of the last two axes.
	Invertible Sign = "invertible"
)

// A Subst has the values of a rule's metavariables.
type Subst struct {
	// of a rule on values
	Values  map[string]*Node
	Numbers map[string]*big.Rat
	Sizes   map[string]size.Size
	Batch   int // how many axes "..." stands for
	Guard   combinators.Guard
	// of a rule on maps
	Maps       map[string]Map
	Families   map[string][]Map
	Points     map[string]*Value
	Components map[string]int // counted from 1
	Index      []size.Size    // the index set of copowers
	Count      int            // members of families, as the maps have them
}
