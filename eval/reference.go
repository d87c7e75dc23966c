package eval

import (
	"context"
	"fmt"
	"maps"
	"math"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/eval/plan"
	"frechet/eval/vecmath"
	"frechet/internal/lists"
)

// Env gives the variables their values.
type Env map[string]*Tensor

func (e Env) shapes() map[string][]int {
	shapes := make(map[string][]int, len(e))
	for name, t := range e {
		shapes[name] = t.Shape
	}
	return shapes
}

// Reference evaluates nodes by their definitions: one node at a time, every contraction by
// nested loops over its iteration variables. It is slow and simple, and the fast evaluator
// is tested against it. sizes gives numbers to size symbols that the shapes of the values
// leave open, functions computes the declared functions. Errors are those of Run.
func Reference(ctx context.Context, nodes []*combinators.Node, env Env, sizes map[string]int64, functions ...map[string]Function) ([]*Tensor, error) {
	fs := map[string]Function{}
	for _, f := range functions {
		maps.Copy(fs, f)
	}
	if err := unknown(nodes, fs); err != nil {
		return nil, err
	}
	bound, err := plan.Bind(nodes, env.shapes(), sizes)
	if err != nil {
		return nil, err
	}
	values := map[*combinators.Node]*Tensor{}
	weak := map[*combinators.Node]bool{}
	for _, n := range combinators.Topo(nodes...) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		shape, err := plan.Shape(n, bound)
		if err != nil {
			return nil, err
		}
		if _, err := Elements(shape, int(plan.DefaultLimits.MaxElements)); err != nil {
			return nil, err
		}
		args := make([]*Tensor, len(n.Args()))
		for k, a := range n.Args() {
			args[k] = values[a]
		}
		weak[n] = plan.Weak(n, func(a *combinators.Node) bool { return weak[a] })
		var out *Tensor
		switch n.Atom().Class {
		case atom.ClassVariable:
			if out = env[n.Name()]; n.Attributes().Has(atom.Index) {
				out, err = matrixOf(out, shape)
			}
		case atom.ClassContraction:
			weakArgs := make([]bool, len(args))
			for k, a := range n.Args() {
				weakArgs[k] = weak[a]
			}
			out = NewTensor(shape...)
			err = referenceContraction(ctx, n.Ein(), bound, args, weakArgs, out, exact)
		default:
			out = NewTensor(shape...)
			if n.Body() != nil {
				err = bodyBy(ctx, n, bound, args, out, func(env Env) ([]*Tensor, error) {
					return Reference(ctx, plan.Parts(n.Body()), env, bound.Known(), fs)
				})
			} else if n.Atom().Signature() != nil {
				err = declared(n.Atom(), n.Attr(), fs[n.Atom().Name], args, out)
			} else {
				err = referenceAtom(n, args, out)
			}
		}
		if err != nil {
			return nil, err
		}
		values[n] = out
	}
	outs := make([]*Tensor, len(nodes))
	for i, n := range nodes {
		outs[i] = values[n].Clone()
	}
	return outs, nil
}

// referenceContraction follows the definition: for every t with 0 <= t_k < Vars[k] that
// satisfies the conditions and whose accesses are all in range,
//
//	out[O(t)] += product of in_k[I_k(t)]
//
// which is 0 where a weak factor is infinite and the product of the factors that are not
// infinite and weak is exactly 0. Each product and each sum is rounded.
func referenceContraction(ctx context.Context, c *einsum.Contraction, sizes *plan.Sizes, args []*Tensor, weak []bool, out *Tensor, round func(float64) float64) error {
	c, err := plan.Concrete(c, sizes)
	if err != nil {
		return err
	}
	factors := make([]float64, len(args))
	shapes := lists.Map(args, func(x *Tensor) []int { return x.Shape })
	return EachProduct(ctx, c, shapes, out.Shape, func(to int, from []int) {
		for k, i := range from {
			factors[k] = args[k].Data[i]
		}
		out.Data[to] = round(out.Data[to] + round(product(factors, weak)))
	})
}

// EachProduct visits the products of a contraction over sizes that are numbers: the entries of the operands, and that of the result
// to which their product is added.
func EachProduct(ctx context.Context, c *einsum.Contraction, shapes [][]int, shape []int, visit func(to int, from []int)) error {
	t := make([]int64, len(c.Vars))
	value := func(a einsum.Affine) int64 {
		v, _ := a.Off.Int()
		for _, term := range a.Terms {
			v += term.Coef * t[term.Var]
		}
		return v
	}
	// offset is -1 where an access is out of range
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
	from := make([]int, len(shapes))
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
		o := offset(c.Out.Index, shape)
		if o < 0 {
			return
		}
		for k, s := range shapes {
			if from[k] = offset(c.In[k].Index, s); from[k] < 0 {
				return
			}
		}
		visit(o, from)
	}
	for k := range c.Vars {
		if n, _ := c.Vars[k].Int(); n == 0 {
			return nil
		}
	}
	for count := 0; ; count++ {
		if count%(1<<20) == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		point()
		k := len(t) - 1
		for ; k >= 0; k-- {
			t[k]++
			if n, _ := c.Vars[k].Int(); t[k] < n {
				break
			}
			t[k] = 0
		}
		if k < 0 {
			return nil
		}
	}
}

// product multiplies factors; see referenceContraction for weak ones.
func product(factors []float64, weak []bool) float64 {
	infinite, others := 1.0, 1.0
	for k, f := range factors {
		if weak[k] && math.IsInf(f, 0) {
			infinite *= f
		} else {
			others *= f
		}
	}
	if others == 0 && infinite != 1 {
		return 0
	}
	return infinite * others
}

// referenceAtom evaluates any other atom.
func referenceAtom(n *combinators.Node, args []*Tensor, out *Tensor) error {
	at := n.Atom()
	switch {
	case at == atom.Const:
		out.Data[0], _ = n.Rat().Float64()
	case at.Class == atom.ClassConstant:
		out.Data[0] = at.Value
	case at == atom.Add:
		for i := range out.Data {
			out.Data[i] = args[0].Data[i] + args[1].Data[i]
		}
	case at == atom.Power:
		r, _ := n.Rat().Float64()
		for i, x := range args[0].Data {
			if n.Guard() == combinators.GuardZero && x == 0 {
				continue
			}
			out.Data[i] = power(x, r)
		}
	case at.F1 != nil:
		for i, x := range args[0].Data {
			if n.Guard() == combinators.GuardZero && x == 0 {
				continue
			}
			out.Data[i] = at.F1(x)
		}
	case at.F2 != nil:
		for i := range out.Data {
			out.Data[i] = at.F2(args[0].Data[i], args[1].Data[i])
		}
	default:
		return primitive(at, n.Attr(), args, out)
	}
	return nil
}

// primitive evaluates the atoms that act on whole matrices or axes; n is the attribute.
// Both evaluators share it: its parts have tests of their own.
func primitive(at *atom.Row, n int, args []*Tensor, out *Tensor) error {
	x := args[0]
	switch at {
	case atom.Merge, atom.Split: // the entries stay in row-major order
		copy(out.Data, x.Data)
	case atom.Norm2:
		out.Data[0] = norm2(x.Data)
	case atom.AMax, atom.AMin, atom.LogSumExp, atom.Softmax:
		reduceAxes(at, n, x, out)
	case atom.Prod:
		prod(n, x, out)
	case atom.Inv, atom.Minor, atom.LogDet, atom.Solve:
		return matrices(at, n, args, out)
	case atom.Eigvals, atom.Eigvecs, atom.Chol, atom.Pinv, atom.Matfun[0], atom.Matfun[1], atom.Matfun[2], atom.Matfun[3], atom.Matfun[4]:
		return spectral(at, n, args, out)
	default:
		return fmt.Errorf("eval: the operation %q cannot be evaluated", at.Name)
	}
	return nil
}

// matrices runs a function of square matrices over the leading axes.
func matrices(at *atom.Row, k int, args []*Tensor, out *Tensor) error {
	x := args[0]
	n := x.Shape[len(x.Shape)-1]
	batch := 1
	for _, d := range x.Shape[:len(x.Shape)-2] {
		batch *= d
	}
	if batch == 0 {
		return nil
	}
	each := len(out.Data) / batch
	for b := range batch {
		m, dst := x.Data[b*n*n:(b+1)*n*n], out.Data[b*each:(b+1)*each]
		var err error
		switch at {
		case atom.Inv:
			err = Inv(dst, n, m)
		case atom.Minor:
			if each > 0 || n == 0 && k == 0 {
				Minor(dst, k, n, m)
			}
		case atom.LogDet:
			dst[0] = LogDet(n, m)
		case atom.Solve:
			if n > 0 {
				err = Solve(dst, n, each/n, m, args[1].Data[b*each:(b+1)*each])
			}
		}
		if s, ok := err.(*SingularError); ok {
			s.Batch = b
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// norm2 is the root of the sum of squares, scaled so that squares neither overflow nor underflow.
func norm2(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	if sum > 1e-280 && sum < 1e300 {
		return math.Sqrt(sum)
	}
	top := 0.0
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	if top == 0 || top-top != 0 {
		return top
	}
	sum = 0
	for _, v := range x {
		sum += (v / top) * (v / top)
	}
	return top * math.Sqrt(sum)
}

// reduceAxes runs a reduction, or softmax, over the last n axes. Over nothing, max is -Inf,
// min is +Inf and logsumexp is log 0 = -Inf. NaN wins over every number.
func reduceAxes(at *atom.Row, n int, x, out *Tensor) {
	row := 1
	for _, d := range x.Shape[len(x.Shape)-n:] {
		row *= d
	}
	rows := 1
	for _, d := range x.Shape[:len(x.Shape)-n] {
		rows *= d
	}
	for i := range rows {
		v := x.Data[i*row : (i+1)*row]
		switch at {
		case atom.AMax:
			out.Data[i] = maxOf(v)
		case atom.AMin:
			m := math.Inf(1)
			for _, e := range v {
				m = min(m, e)
			}
			out.Data[i] = m
		case atom.LogSumExp:
			out.Data[i] = logSumExp(v)
		case atom.Softmax:
			softmax(out.Data[i*row:(i+1)*row], v)
		}
	}
}

func maxOf(v []float64) float64 {
	m := math.Inf(-1)
	for _, e := range v {
		m = max(m, e)
	}
	return m
}

// logSumExp is m + log(sum of exp(v - m)) with m the largest entry, so that only negligible
// terms underflow and nothing overflows.
func logSumExp(v []float64) float64 {
	m := maxOf(v)
	if math.IsInf(m, 0) || math.IsNaN(m) {
		return m
	}
	sum := 0.0
	var buf [256]float64
	for len(v) > 0 {
		n := min(len(v), len(buf))
		e := buf[:n]
		for i, x := range v[:n] {
			e[i] = x - m
		}
		vecmath.Exp(e, e)
		for _, x := range e {
			sum += x
		}
		v = v[n:]
	}
	return m + math.Log(sum)
}

// softmax is exp(v - m) over its sum, with m the largest entry.
func softmax(dst, v []float64) {
	m := maxOf(v)
	sum := 0.0
	for i, e := range v {
		dst[i] = e - m
	}
	vecmath.Exp(dst, dst)
	for _, e := range dst {
		sum += e
	}
	for i := range dst {
		dst[i] /= sum
	}
}
