package model

import (
	"errors"
	"fmt"
	"math/big"
	"sync"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum"
	"frechet/internal/lists"
)

// errUndefined says that an operation has no value at the chosen point.
var errUndefined = errors.New("not defined at this point")

// Array is a tensor over the model.
type Array struct {
	Shape []int
	Data  []Element
}

func NewArray(shape []int) *Array {
	n := 1
	for _, d := range shape {
		n *= d
	}
	a := &Array{shape, make([]Element, n)}
	for i := range a.Data {
		a.Data[i] = Zero
	}
	return a
}

// Attribute changes a matrix into one of the subspace of the attributes; it reports whether these are all of them.
func (a *Array) Attribute(of atom.Attributes) bool {
	row, ok := of.Subspace()
	subspace := atom.Attributes(0).With(row.Set)
	if !ok || of&^subspace != 0 || len(a.Shape) != 2 {
		return false
	}
	n := a.Shape[0]
	for i := range n {
		for j := range n {
			switch {
			case subspace.Has(atom.Lower) && i < j, subspace.Has(atom.Upper) && i > j, subspace.Has(atom.Antisymmetric) && i == j:
				a.Data[i*n+j] = Zero
			case subspace.Has(atom.Symmetric) && i < j:
				a.Data[i*n+j] = a.Data[j*n+i]
			case subspace.Has(atom.Antisymmetric) && i < j:
				a.Data[i*n+j] = constant(big.NewRat(-1, 1)).Times(a.Data[j*n+i])
			}
		}
	}
	return true
}

var Zero = Element{Has: HasValue | HasTangent | hasExponent | hasAngle | HasNumber}

func ShapeOf(n *combinators.Node) []int {
	out := make([]int, n.Order())
	for i, d := range n.Shape() {
		v, _ := d.Int() // instances have sizes in numbers
		out[i] = int(v)
	}
	return out
}

// Evaluate gives the node's value over the model, where the variables have the values of env. What
// the model does not know stays unknown; the error is errUndefined. For declared functions stand random ones.
func Evaluate(root *combinators.Node, env map[string]*Array) (*Array, error) {
	values := map[*combinators.Node]*Array{}
	for _, n := range combinators.Topo(root) {
		args := lists.Map(n.Args(), func(a *combinators.Node) *Array { return values[a] })
		out := NewArray(ShapeOf(n))
		var err error
		if n.Atom().Signature() != nil {
			declaredAt(n, args, out)
			values[n] = out
			continue
		}
		switch n.Atom().Class {
		case atom.ClassVariable:
			out = env[n.Name()]
		case atom.ClassConstant:
			out.Data[0] = pi
			if n.Rat() != nil {
				out.Data[0] = constant(n.Rat())
			}
		case atom.ClassContraction:
			contract(n.Ein(), args, out)
		case atom.ClassSum:
			for i := range out.Data {
				out.Data[i] = args[0].Data[i].Plus(args[1].Data[i])
			}
		case atom.ClassLinear:
			copy(out.Data, args[0].Data) // merge and split keep the order of entries
		case atom.ClassElementwise:
			for i := range out.Data {
				at := []Element{args[0].Data[i]}
				if len(args) > 1 {
					at = append(at, args[1].Data[i])
				}
				if out.Data[i], err = function(n.Atom(), n.Rat(), at...); err != nil {
					return nil, err
				}
			}
		default:
			err = primitive(n, args, out)
		}
		if err != nil {
			return nil, err
		}
		values[n] = out
	}
	return values[root], nil
}

// contract follows the definition of a contraction, whose sizes are numbers.
func contract(c *einsum.Contraction, args []*Array, out *Array) {
	t := make([]int64, len(c.Vars))
	limits := make([]int64, len(c.Vars))
	for k, v := range c.Vars {
		if limits[k], _ = v.Int(); limits[k] == 0 {
			return
		}
	}
	value := func(a einsum.Affine) int64 {
		v, _ := a.Off.Int()
		for _, term := range a.Terms {
			v += term.Coef * t[term.Var]
		}
		return v
	}
	offset := func(index []einsum.Affine, shape []int) int {
		o := 0
		for k, a := range index {
			i := value(a)
			if i < 0 || i >= int64(shape[k]) {
				return -1
			}
			o = o*shape[k] + int(i)
		}
		return o
	}
	point := func() {
		for _, a := range c.Eq {
			if value(a) != 0 {
				return
			}
		}
		for _, a := range c.Ge {
			if value(a) < 0 {
				return
			}
		}
		o := offset(c.Out.Index, out.Shape)
		if o < 0 {
			return
		}
		p := One
		for k, x := range args {
			i := offset(c.In[k].Index, x.Shape)
			if i < 0 {
				return
			}
			p = p.Times(x.Data[i])
		}
		out.Data[o] = out.Data[o].Plus(p)
	}
	for {
		point()
		k := len(t) - 1
		for ; k >= 0; k-- {
			if t[k]++; t[k] < limits[k] {
				break
			}
			t[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

var One = Element{Has: Zero.Has, V: 1, x: 1, angle: 1, number: 1}

// function is an element-wise function at numbers; r is the exponent of a power. exp, sin and cos are the model's
// homomorphisms, log is the inverse of exp; what the table of operations defines by these is computed; everything else is
// unknown.
func function(at *atom.Row, r *big.Rat, args ...Element) (Element, error) {
	a := args[0]
	switch at {
	case atom.Power:
		if !r.IsInt() {
			return Element{}, nil
		}
		out, ok := a.power(r.Num())
		if !ok {
			return out, errUndefined
		}
		return out, nil
	case atom.Exp:
		e, ok := a.exp()
		return a.function(e, e, ok), nil
	case atom.Log:
		switch {
		case !a.Is(HasValue):
			return Element{}, nil
		case a.V == 0:
			return Element{}, errUndefined
		}
		return a.logarithm(a.V, Inverse(a.V), true), nil
	case atom.Sin, atom.Cos:
		c, s := Circle(a.angle)
		if at == atom.Cos {
			c, s = Sub(0, s), c
		}
		return a.function(s, c, a.Is(hasAngle)), nil
	}
	if d := definitions()[at]; d != nil {
		env := map[string]*Array{}
		for i, a := range args {
			env["xy"[i:i+1]] = &Array{Data: []Element{a}}
		}
		out, err := Evaluate(d, env)
		if err != nil {
			return Element{}, err
		}
		return out.Data[0], nil
	}
	return Element{}, nil
}

// definitions are those of the table of operations, in scalars x and y.
var definitions = sync.OnceValue(func() map[*atom.Row]*combinators.Node {
	out, s := map[*atom.Row]*combinators.Node{}, combinators.NewStore()
	env := &denote.Env{Values: []denote.Binding{{Name: "x", Value: s.Var("x", nil)}, {Name: "y", Value: s.Var("y", nil)}}}
	for _, at := range atom.Rows() {
		if at.Definition == "" {
			continue
		}
		t, err := text.Parse(at.Definition)
		if err == nil {
			out[at], err = denote.ReadNode(s, t, env)
		}
		if err != nil {
			panic(fmt.Sprintf("the definition of %s: %v", at.Name, err))
		}
	}
	return out
})

// primitive evaluates functions of matrices and of axes.
func primitive(n *combinators.Node, args []*Array, out *Array) error {
	x := args[0]
	switch n.Atom() {
	case atom.LogSumExp, atom.Softmax:
		return exponentials(n, x, out)
	case atom.Prod:
		products(n.Attr(), x, out)
		return nil
	case atom.Inv, atom.Minor, atom.LogDet, atom.Solve:
	default:
		for i := range out.Data {
			out.Data[i] = Element{}
		}
		return nil
	}
	size := x.Shape[len(x.Shape)-1]
	each := size * size
	if each == 0 {
		return errUndefined
	}
	if size > maxRows {
		for i := range out.Data {
			out.Data[i] = Element{}
		}
		return nil
	}
	batch := len(x.Data) / each
	for b := range batch {
		width := len(out.Data) / batch
		var rhs []Element
		if n.Is(atom.Solve) {
			rhs = args[1].Data[b*width : (b+1)*width]
		}
		if err := ofMatrix(n, size, x.Data[b*each:(b+1)*each], rhs, out.Data[b*width:(b+1)*width]); err != nil {
			return err
		}
	}
	return nil
}

// ofMatrix is a function of the matrix m; rhs are the right sides that it is solved for.
func ofMatrix(n *combinators.Node, size int, m, rhs, dst []Element) error {
	switch n.Atom() {
	case atom.Minor:
		minors(n.Attr(), size, m, dst)
		return nil
	case atom.LogDet:
		d := determinant(size, m)
		switch {
		case !d.Is(HasValue):
			dst[0] = Element{}
		case d.V == 0:
			return errUndefined
		default:
			dst[0] = d.logarithm(d.V, Inverse(d.V), true)
		}
		return nil
	}
	inv := make([]Element, len(m))
	if err := invert(size, m, inv); err != nil {
		return err
	}
	if n.Is(atom.Inv) {
		copy(dst, inv)
		return nil
	}
	columns := len(dst) / size
	for i := range size {
		for j := range columns {
			sum := Zero
			for k := range size {
				sum = sum.Plus(inv[i*size+k].Times(rhs[k*columns+j]))
			}
			dst[i*columns+j] = sum
		}
	}
	return nil
}

// products has the k-th derivatives of the product over the last axis, each entry by itself.
func products(k int, x, out *Array) {
	n := x.Shape[len(x.Shape)-1]
	each := 1
	for range k {
		each *= n
	}
	for o := range out.Data {
		left := map[int]bool{}
		for rest, t := o%each, 0; t < k; t++ {
			left[rest%n] = true
			rest /= n
		}
		if out.Data[o] = Zero; len(left) < k {
			continue
		}
		out.Data[o] = One
		for i, v := range x.Data[o/each*n : (o/each+1)*n] {
			if !left[i] {
				out.Data[o] = out.Data[o].Times(v)
			}
		}
	}
}

// exponentials is logsumexp or softmax over the last axes.
func exponentials(n *combinators.Node, x, out *Array) error {
	row := 1
	for _, d := range x.Shape[len(x.Shape)-n.Attr():] {
		row *= d
	}
	for r := range len(x.Data) / max(row, 1) {
		in := x.Data[r*row : (r+1)*row]
		sum := Zero
		exps := make([]Element, row)
		for i, a := range in {
			e, ok := a.exp()
			exps[i] = a.function(e, e, ok)
			sum = sum.Plus(exps[i])
		}
		inv, ok := sum.power(big.NewInt(-1))
		if !ok {
			return errUndefined
		}
		if n.Is(atom.Softmax) {
			for i := range in {
				out.Data[r*row+i] = exps[i].Times(inv)
			}
			continue
		}
		out.Data[r] = sum.logarithm(sum.V, inv.V, sum.Is(HasValue))
	}
	return nil
}

// maxRows bounds the matrices whose determinant is expanded; that of larger ones is unknown.
const maxRows = 6

// determinant is the sum over permutations: matrices of instances are small.
func determinant(n int, m []Element) Element {
	if n == 0 {
		return One
	}
	det := Zero
	rest := make([]Element, (n-1)*(n-1))
	for j := range n {
		k := 0
		for r := 1; r < n; r++ {
			for c := range n {
				if c != j {
					rest[k] = m[r*n+c]
					k++
				}
			}
		}
		t := m[j].Times(determinant(n-1, rest))
		if j%2 == 1 {
			t = minusOne.Times(t)
		}
		det = det.Plus(t)
	}
	return det
}

var minusOne = Zero.minusOne()

func (Element) minusOne() Element {
	e := One
	e.V, e.x, e.angle, e.number = Prime-1, Prime-2, angleMask, -1
	return e
}

// minors is the k-th derivative of det: by the entries (i1, j1), ..., (ik, jk) of different rows it
// is the determinant with row i_r replaced by the unit vector of j_r.
func minors(k, n int, m []Element, out []Element) {
	index := make([]int, 2*k)
	for o := range out {
		rest := o
		for a := 2*k - 1; a >= 0; a-- {
			index[a] = rest % n
			rest /= n
		}
		changed := append([]Element{}, m...)
		seen := map[int]bool{}
		twice := false
		for r := range k {
			i, j := index[2*r], index[2*r+1]
			twice = twice || seen[i]
			seen[i] = true
			for c := range n {
				changed[i*n+c] = Zero
			}
			changed[i*n+j] = One
		}
		if out[o] = Zero; !twice {
			out[o] = determinant(n, changed)
		}
	}
}

// invert is the adjugate over the determinant.
func invert(n int, m, out []Element) error {
	q, ok := determinant(n, m).power(big.NewInt(-1))
	if !ok {
		return errUndefined
	}
	cof := make([]Element, n*n)
	minors(1, n, m, cof)
	for i := range n {
		for j := range n {
			out[i*n+j] = cof[j*n+i].Times(q)
		}
	}
	return nil
}
