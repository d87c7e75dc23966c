package proof

import (
	"math/big"

	"frechet/combinators"
	"frechet/einsum/size"
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
	Parts   []Part
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

// The kinds of parts, in the order in which they stand.
const (
	KindProgram      Kind = "program"       // with the program's expression
	KindDerivative   Kind = "derivative"    // with D(f)(x), where f(x) is the last line of the program
	KindDerivativeAt Kind = "derivative at" // with the derivative, applied to fresh variables
	KindAdjoint      Kind = "adjoint"       // with the adjoint of the derivative, or of a linear map
	KindAdjointAt    Kind = "adjoint at"    // with the adjoint, applied to fresh variables
	KindGradient     Kind = "gradient"      // with the adjoint, applied to 1
)

// A Part is a calculation: a line, and steps that lead from each line to the next.
type Part struct {
	Kind  Kind
	Fresh []*Node // variables that occur in no part before
	// Point is the argument of the program's map, where the part is the first on maps.
	Point []*Node
	Start Line
	Steps []Step
}

// Last is the last line.
func (p *Part) Last() Line {
	if len(p.Steps) == 0 {
		return p.Start
	}
	return p.Steps[len(p.Steps)-1].Line
}

// lines are the first line and those after the steps.
func (p *Part) lines() []Line {
	out := []Line{p.Start}
	for i := range p.Steps {
		out = append(out, p.Steps[i].Line)
	}
	return out
}

// A Line is a map, or a list of values.
type Line struct {
	Map   *Map
	Nodes []*Node
}

// A Step rewrites Before, wherever it stands in the line before, and Line is what comes out.
type Step struct {
	Rule          string
	Before, After Line // of one map or one node
	Subst         Subst
	Operands      []int // of E-fuse: the operands substituted, one after the other
	// Context is the term Before with Hole in the place of what a rule on factors of a product
	// rewrites.
	Context, Hole *Node
	Facts         []Fact
	Line          Line
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
