package verify

import (
	"errors"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
)

// errUndefined says that an operation has no value at the chosen point.
var errUndefined = errors.New("not defined at this point")

// array is a tensor over the model.
type array struct {
	shape []int
	data  []element
}

func newArray(shape []int) *array {
	n := 1
	for _, d := range shape {
		n *= d
	}
	a := &array{shape, make([]element, n)}
	for i := range a.data {
		a.data[i] = zeroElement
	}
	return a
}

var zeroElement = element{has: hasValue | hasTangent | hasExponent | hasAngle | hasNumber}

func shapeOf(n *combinators.Node) []int {
	out := make([]int, n.Order())
	for i, d := range n.Shape() {
		v, _ := d.Int() // instances have sizes in numbers
		out[i] = int(v)
	}
	return out
}

// evaluate gives the node's value over the model, where the variables have the values of env. What
// the model does not know stays unknown; the error is errUndefined.
func evaluate(root *combinators.Node, env map[string]*array) (*array, error) {
	values := map[*combinators.Node]*array{}
	for _, n := range combinators.Topo(root) {
		args := make([]*array, len(n.Args()))
		for k, a := range n.Args() {
			args[k] = values[a]
		}
		out := newArray(shapeOf(n))
		var err error
		switch n.Atom().Class {
		case atom.ClassVariable:
			out = env[n.Name()]
		case atom.ClassConstant:
			out.data[0] = pi
			if n.Rat() != nil {
				out.data[0] = constant(n.Rat())
			}
		case atom.ClassContraction:
			contract(n.Ein(), args, out)
		case atom.ClassSum:
			for i := range out.data {
				out.data[i] = args[0].data[i].plus(args[1].data[i])
			}
		case atom.ClassLinear:
			copy(out.data, args[0].data) // merge and split keep the order of entries
		case atom.ClassElementwise:
			for i := range out.data {
				if len(args) > 1 {
					out.data[i] = element{} // pow, max, min and comparisons are not algebraic
				} else if out.data[i], err = unary(n, args[0].data[i]); err != nil {
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
func contract(c *einsum.Contraction, args []*array, out *array) {
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
		o := offset(c.Out.Index, out.shape)
		if o < 0 {
			return
		}
		p := oneElement
		for k, x := range args {
			i := offset(c.In[k].Index, x.shape)
			if i < 0 {
				return
			}
			p = p.times(x.data[i])
		}
		out.data[o] = out.data[o].plus(p)
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

var oneElement = element{has: zeroElement.has, v: 1, x: 1, angle: 1, number: 1}

// unary is an element-wise function. exp, sin and cos are the model's homomorphisms; what is
// algebraic in them is computed; everything else is unknown.
func unary(n *combinators.Node, a element) (element, error) {
	e, ok := a.exp()
	div := func(x, y uint64) (uint64, error) {
		if y == 0 {
			return 0, errUndefined
		}
		return mul(x, inverse(y)), nil
	}
	switch n.Atom() {
	case atom.Power:
		if !n.Rat().IsInt() || n.Rat().Num().BitLen() > 8 {
			return element{}, nil
		}
		out, ok := a.power(n.Rat().Num().Int64())
		if !ok {
			return out, errUndefined
		}
		return out, nil
	case atom.Exp:
		return a.function(e, e, ok), nil
	case atom.Expm1:
		return a.function(sub(e, 1), e, ok), nil
	case atom.Log:
		if !a.is(hasValue) {
			return element{}, nil
		}
		q, err := div(1, a.v)
		return a.logarithm(a.v, q, true), err
	case atom.Log1p:
		if !a.is(hasValue) {
			return element{}, nil
		}
		q, err := div(1, add(1, a.v))
		return a.logarithm(add(1, a.v), q, true), err
	case atom.Sigmoid, atom.Softplus:
		if !ok {
			return element{}, nil
		}
		s, err := div(e, add(1, e))
		if n.Is(atom.Softplus) {
			return a.logarithm(add(1, e), s, true), err
		}
		return a.function(s, mul(s, sub(1, s)), true), err
	case atom.Sinh, atom.Cosh, atom.Tanh:
		if !ok || e == 0 {
			return element{}, nil
		}
		q, half := inverse(e), inverse(2)
		sinh, cosh := mul(half, sub(e, q)), mul(half, add(e, q))
		switch n.Atom() {
		case atom.Sinh:
			return a.function(sinh, cosh, true), nil
		case atom.Cosh:
			return a.function(cosh, sinh, true), nil
		}
		// tanh' = 1 - tanh^2
		t, err := div(sinh, cosh)
		return a.function(t, sub(1, mul(t, t)), true), err
	case atom.Sin, atom.Cos, atom.Tan:
		if !a.is(hasAngle) {
			return element{}, nil
		}
		c, s := circle(a.angle)
		switch n.Atom() {
		case atom.Sin:
			return a.function(s, c, true), nil
		case atom.Cos:
			return a.function(c, sub(0, s), true), nil
		}
		t, err := div(s, c)
		return a.function(t, add(1, mul(t, t)), true), err
	}
	return element{}, nil
}

// primitive evaluates functions of matrices and of axes.
func primitive(n *combinators.Node, args []*array, out *array) error {
	x := args[0]
	switch n.Atom() {
	case atom.LogSumExp, atom.Softmax:
		return exponentials(n, x, out)
	case atom.Inv, atom.Minor, atom.LogDet, atom.Solve:
	default:
		for i := range out.data {
			out.data[i] = element{}
		}
		return nil
	}
	size := x.shape[len(x.shape)-1]
	each := size * size
	if each == 0 {
		return errUndefined
	}
	if size > maxRows {
		for i := range out.data {
			out.data[i] = element{}
		}
		return nil
	}
	batch := len(x.data) / each
	for b := range batch {
		m := x.data[b*each : (b+1)*each]
		width := len(out.data) / batch
		dst := out.data[b*width : (b+1)*width]
		switch n.Atom() {
		case atom.Minor:
			minors(n.Attr(), size, m, dst)
			continue
		case atom.LogDet:
			d := determinant(size, m)
			if !d.is(hasValue) {
				dst[0] = element{}
				continue
			}
			if d.v == 0 {
				return errUndefined
			}
			dst[0] = d.logarithm(d.v, inverse(d.v), true)
			continue
		}
		inv := make([]element, each)
		if err := invert(size, m, inv); err != nil {
			return err
		}
		if n.Is(atom.Inv) {
			copy(dst, inv)
			continue
		}
		columns := width / size
		rhs := args[1].data[b*width : (b+1)*width]
		for i := range size {
			for j := range columns {
				sum := zeroElement
				for k := range size {
					sum = sum.plus(inv[i*size+k].times(rhs[k*columns+j]))
				}
				dst[i*columns+j] = sum
			}
		}
	}
	return nil
}

// exponentials is logsumexp or softmax over the last axes.
func exponentials(n *combinators.Node, x, out *array) error {
	row := 1
	for _, d := range x.shape[len(x.shape)-n.Attr():] {
		row *= d
	}
	for r := range len(x.data) / max(row, 1) {
		in := x.data[r*row : (r+1)*row]
		sum := zeroElement
		exps := make([]element, row)
		for i, a := range in {
			e, ok := a.exp()
			exps[i] = a.function(e, e, ok)
			sum = sum.plus(exps[i])
		}
		inv, ok := sum.power(-1)
		if !ok {
			return errUndefined
		}
		if n.Is(atom.Softmax) {
			for i := range in {
				out.data[r*row+i] = exps[i].times(inv)
			}
			continue
		}
		out.data[r] = sum.logarithm(sum.v, inv.v, sum.is(hasValue))
	}
	return nil
}

// maxRows bounds the matrices whose determinant is expanded; that of larger ones is unknown.
const maxRows = 6

// determinant is the sum over permutations: matrices of instances are small.
func determinant(n int, m []element) element {
	if n == 0 {
		return oneElement
	}
	det := zeroElement
	rest := make([]element, (n-1)*(n-1))
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
		t := m[j].times(determinant(n-1, rest))
		if j%2 == 1 {
			t = minusOne.times(t)
		}
		det = det.plus(t)
	}
	return det
}

var minusOne = zeroElement.minusOne()

func (element) minusOne() element {
	e := oneElement
	e.v, e.x, e.angle, e.number = prime-1, prime-2, angleMask, -1
	return e
}

// minors is the k-th derivative of det: by the entries (i1, j1), ..., (ik, jk) of different rows it
// is the determinant with row i_r replaced by the unit vector of j_r.
func minors(k, n int, m []element, out []element) {
	index := make([]int, 2*k)
	for o := range out {
		rest := o
		for a := 2*k - 1; a >= 0; a-- {
			index[a] = rest % n
			rest /= n
		}
		changed := append([]element{}, m...)
		seen := map[int]bool{}
		twice := false
		for r := range k {
			i, j := index[2*r], index[2*r+1]
			twice = twice || seen[i]
			seen[i] = true
			for c := range n {
				changed[i*n+c] = zeroElement
			}
			changed[i*n+j] = oneElement
		}
		if out[o] = zeroElement; !twice {
			out[o] = determinant(n, changed)
		}
	}
}

// invert is the adjugate over the determinant.
func invert(n int, m, out []element) error {
	q, ok := determinant(n, m).power(-1)
	if !ok {
		return errUndefined
	}
	cof := make([]element, n*n)
	minors(1, n, m, cof)
	for i := range n {
		for j := range n {
			out[i*n+j] = cof[j*n+i].times(q)
		}
	}
	return nil
}
