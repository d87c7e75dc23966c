package json

import (
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/must"
	"frechet/internal/words"
	"frechet/rewrite/proof"
)

func (r *decoder) node(j *nodeJSON) *proof.Node {
	s, args := r.s, each(j.Args, r.at)
	at := r.functions.Named(j.Op)
	switch {
	case at == nil:
		panic(must.Errorf("there is no operation %.40q", j.Op))
	case at != atom.Ein && len(args) != at.Arity:
		panic(must.Errorf("%s of %s", j.Op, words.Count(len(args), "operand")))
	case j.Attr < 0 || j.Attr > maxArgs:
		panic(must.Errorf("%s[%d]", j.Op, j.Attr))
	}
	var n *proof.Node
	switch {
	case at == atom.Var:
		must.Hold(j.Name != "", "a variable without a name")
		of, unknown := atom.ReadAttributes(strings.Fields(j.Of))
		must.Hold(unknown == "", "there is no attribute %.40q", unknown)
		return s.Member(j.Name, shape(j.Shape), of)
	case at == atom.Const:
		return s.Const(rational(j.Rat))
	case at == atom.Pi:
		return s.Pi()
	case at == atom.Ein:
		return s.Ein(parseContraction(j.Ein), args...)
	case at == atom.Add:
		return s.Add(args[0], args[1])
	case at == atom.Power:
		n = s.Power(args[0], rational(j.Rat))
	case at == atom.Split:
		d := two(j.Sizes)
		n = s.Split(j.Attr, d[0], d[1], args[0])
	case at.Signature() != nil:
		n = s.Declared(at, j.Attr, r.openSizes(at, j.Sizes), args...)
	case at.Class >= atom.ClassLinear:
		n = s.Apply(at, j.Attr, args...)
	default:
		panic(must.Errorf("%s is no operation on values", j.Op))
	}
	return n.WithGuard(guardOf(n.Atom(), j.Guard))
}

// openSizes are the sizes that a declared function leaves open.
func (r *decoder) openSizes(at *atom.Row, given []string) []size.Size {
	must.Hold(len(given) == len(at.Signature().Open()), "%s with %s", at.Name, words.Count(len(given), "open size"))
	return shape(given)
}

// guardOf reads the guard of an operation. What can be infinite has one; powers alone are made 0 at 0.
func guardOf(at *atom.Row, name string) combinators.Guard {
	g := guardNamed(name)
	must.Hold(g == combinators.GuardNone || at == atom.Power || at.Guarded && g != combinators.GuardZero, "the guard %s on %s", name, at.Name)
	return g
}

func parseContraction(j *contractionJSON) *einsum.Contraction {
	must.Hold(j != nil, "a contraction without index maps")
	must.Hold(len(j.Vars) <= maxVars && len(j.Eq)+len(j.Ge) <= maxVars && len(j.In) <= maxArgs, "a contraction with more than %d variables or conditions", maxVars)
	vars := shape(j.Vars)
	form := func(a affine) einsum.Affine {
		f := einsum.Affine{Off: parseSize(a.Off)}
		last := -1
		for _, t := range a.Terms {
			must.Hold(t[0] > int64(last) && t[0] < int64(len(vars)) && t[1] != 0 && t[1] <= 1<<31 && t[1] >= -1<<31, "%d times variable %d in an index", t[1], t[0])
			last = int(t[0])
			f.Terms = append(f.Terms, einsum.Term{Var: last, Coef: t[1]})
		}
		return f
	}
	var in []einsum.Access
	for k, f := range append(j.In[:len(j.In):len(j.In)], j.Out) {
		acc := einsum.Access{Index: each(f, form)}
		switch {
		case j.Shapes != nil && k >= len(j.Shapes):
			panic(must.Errorf("a contraction of %s with %s", words.Count(len(j.In), "operand"), words.Count(len(j.Shapes), "shape")))
		case j.Shapes != nil:
			acc.Shape = shape(j.Shapes[k])
		default:
			for _, a := range acc.Index {
				v, ok := a.Var()
				must.Hold(ok, "an index that is no variable, without the shape of its operand")
				acc.Shape = append(acc.Shape, vars[v])
			}
		}
		in = append(in, acc)
	}
	c, err := einsum.New(vars, in[:len(in)-1], in[len(in)-1], each(j.Eq, form), each(j.Ge, form))
	must.Hold(err == nil, "%v", err)
	return c
}
