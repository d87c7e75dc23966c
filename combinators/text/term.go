package text

import (
	"math/big"
	"slices"
	"strings"

	"frechet/combinators/atom"
	"frechet/internal/lists"
)

// Op says which construction a [Term] is.
type Op uint8

// The constructions of the grammar. The comment shows each one's text.
const (
	Num     Op = iota // 1/2; 2[m,n] is the tensor of that shape filled with 2
	Name              // x, pi1, f[k]: a name with its attributes
	Call              // f[a](t, u): a named head applied to arguments
	Apply             // t(u, v): Args[0] applied to the rest
	Ein               // ein(ij,j->i; t, u); without operands the contraction as a map: *(ij,j->i)
	Neg               // -t
	Add               // t + u
	Sub               // t - u
	Mul               // t .* u in a value, t * u in an attribute
	Div               // t ./ u in a value, t / u in an attribute
	Pow               // t .^ u
	Let               // let x = t; y = u in v: Names x y, Args t u v
	Tuple             // (t, u)
	Hole              // _
	Compose           // h . g . f: Args h g f
	Product           // f x g x h
	Pair              // <f, g>
	Copair            // [f, g]
	Copower           // f^[m,n]: Args f, Attrs m n
	Family            // prod{k}(t): Name prod, Names k, Args t
	Typed             // (f : U -> V): Args f, Type
	Blocks            // [A, B; C, D] of values: Args its rows, each a Copair
)

// A Term is a syntax tree. It is never changed once built; share subtrees freely.
type Term struct {
	Op    Op
	Name  string   // Name, Call, Family
	Rat   *big.Rat // Num
	Attrs []*Term  // what stands in brackets
	Index *Index   // Ein
	Names []string // Let, Family: what is bound
	Args  []*Term
	Type  *Type // Typed
	// Function is the declared function that a Name or Call means, nil for those of the table; see [Term.Row].
	Function *atom.Row
	Pos      Pos // where the term was read; not part of its identity
}

// Pos is a place in a text, counted in characters from 1; the zero Pos is no place.
type Pos struct{ Line, Column int }

// NewNum returns the number r.
func NewNum(r *big.Rat) *Term { return &Term{Op: Num, Rat: r} }

// NewInt returns the number n.
func NewInt(n int64) *Term { return NewNum(big.NewRat(n, 1)) }

// NewName returns a name with attributes.
func NewName(name string, attrs ...*Term) *Term {
	return &Term{Op: Name, Name: name, Attrs: attrs}
}

// Contract is the head of a section (v *) or (* w), which no name is: the tensor contraction of what is open
// with a value.
const Contract = "*"

// NewCall applies a named head to arguments.
func NewCall(name string, args ...*Term) *Term { return &Term{Op: Call, Name: name, Args: args} }

// OfRow names the function of a row; with arguments it is a call.
func OfRow(at *atom.Row, args ...*Term) *Term {
	t := NewName(at.Name)
	if len(args) > 0 {
		t = NewCall(at.Name, args...)
	}
	if at.Signature() != nil {
		t.Function = at
	}
	return t
}

// Relational is the map of t, a relation or a scan with its type that is applied to a value: (red{(i,j) | i <= j} : R[m] -o R[n])(x). It is nil
// of others.
func Relational(t *Term) *Term {
	if t.Op != Apply || len(t.Args) != 2 || t.Args[0].Op != Typed || t.Args[0].Type.Dom == nil {
		return nil
	}
	f := t.Args[0].Args[0]
	if f.Op != Name || f.Name != "scan" && !strings.HasPrefix(f.Name, "red{") {
		return nil
	}
	return t.Args[0]
}

// NewApply applies f. The application of a bare name is a Call, so that every term has one form.
func NewApply(f *Term, args ...*Term) *Term {
	if f.Op == Name {
		return &Term{Op: Call, Name: f.Name, Attrs: f.Attrs, Args: args, Pos: f.Pos, Function: f.Function}
	}
	return &Term{Op: Apply, Args: append([]*Term{f}, args...), Pos: f.Pos}
}

// NewNeg returns -t, and the number for a number: -(2) is the literal -2.
func NewNeg(t *Term) *Term {
	if t.Op == Num {
		return &Term{Op: Num, Rat: new(big.Rat).Neg(t.Rat), Attrs: t.Attrs, Pos: t.Pos}
	}
	return New(Neg, t)
}

// New returns a term that has only arguments: Add, Sub, Mul, Div, Pow, Tuple, Compose, Product,
// Pair, Copair, Hole.
func New(op Op, args ...*Term) *Term {
	t := &Term{Op: op, Args: args}
	if len(args) > 0 {
		t.Pos = args[0].Pos
	}
	return t
}

// NewEin returns a contraction of args, or, without args, the contraction as a map.
func NewEin(x *Index, args ...*Term) *Term { return &Term{Op: Ein, Index: x, Args: args} }

// NewLet binds names[i] to bound[i], in this order, in body.
func NewLet(names []string, bound []*Term, body *Term) *Term {
	return &Term{Op: Let, Names: names, Args: append(slices.Clone(bound), body)}
}

// Equal reports whether two terms are the same text, wherever they were read.
func Equal(a, b *Term) bool {
	for {
		if a == b {
			return true
		}
		if a == nil || b == nil || a.Op != b.Op || a.Name != b.Name || len(a.Args) != len(b.Args) ||
			!slices.Equal(a.Names, b.Names) || !slices.EqualFunc(a.Attrs, b.Attrs, Equal) {
			return false
		}
		if a.Op == Typed && a.Type.String() != b.Type.String() || a.Op == Num && a.Rat.Cmp(b.Rat) != 0 || a.Op == Ein && !a.Index.Equal(b.Index) {
			return false
		}
		if len(a.Args) == 0 {
			return true
		}
		// the first argument last: chains of + and .* are deep there
		if !slices.EqualFunc(a.Args[1:], b.Args[1:], Equal) {
			return false
		}
		a, b = a.Args[0], b.Args[0]
	}
}

// Substitute puts terms for names, in attributes too; the heads of applications are names.
func Substitute(t *Term, by map[string]*Term) *Term {
	if t.Op == Name && len(t.Attrs) == 0 {
		if u := by[t.Name]; u != nil {
			return Substitute(u, by) // a binding may hold metavariables that are bound later
		}
		return t
	}
	u := *t
	if t.Op == Call {
		if h := by[t.Name]; h != nil && h.Op == Name {
			u.Name = h.Name
		} else if h != nil {
			return NewApply(Substitute(h, by), substituteAll(t.Args, by)...)
		}
	}
	u.Args, u.Attrs = substituteAll(t.Args, by), substituteAll(t.Attrs, by)
	return &u
}

func substituteAll(ts []*Term, by map[string]*Term) []*Term {
	if ts == nil {
		return nil
	}
	return lists.Map(ts, func(t *Term) *Term { return Substitute(t, by) })
}

// Walk calls f on t and, while f returns true, on what is below, attributes included.
func Walk(t *Term, f func(*Term) bool) {
	stack := []*Term{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !f(t) {
			continue
		}
		for i := len(t.Args) - 1; i >= 0; i-- {
			stack = append(stack, t.Args[i])
		}
		for i := len(t.Attrs) - 1; i >= 0; i-- {
			stack = append(stack, t.Attrs[i])
		}
	}
}

// Cells are the values of the blocks of a matrix of blocks, which may have one row.
func Cells[V any](t *Term, value func(*Term) V) (rows [][]V) {
	of := t.Args
	if t.Op == Copair {
		of = []*Term{t}
	}
	for _, r := range of {
		var row []V
		row = lists.Append(row, r.Args, value)
		rows = append(rows, row)
	}
	return rows
}
