package json

import (
	"fmt"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/internal/words"
	"frechet/rewrite/proof"
)

func (r *decoder) node(j *nodeJSON) (*proof.Node, error) {
	s := r.s
	args, err := each(j.Args, r.at)
	if err != nil {
		return nil, err
	}
	at := r.functions.Named(j.Op)
	if at == nil {
		return nil, fmt.Errorf("there is no operation %.40q", j.Op)
	}
	if at != atom.Ein && len(args) != at.Arity {
		return nil, fmt.Errorf("%s of %s", j.Op, words.Count(len(args), "operand"))
	}
	if j.Attr < 0 || j.Attr > maxArgs {
		return nil, fmt.Errorf("%s[%d]", j.Op, j.Attr)
	}
	var n *proof.Node
	switch at {
	case atom.Var:
		if j.Name == "" {
			return nil, fmt.Errorf("a variable without a name")
		}
		sh, err := shape(j.Shape)
		if err != nil {
			return nil, err
		}
		of, wrong := atom.ReadAttributes(strings.Fields(j.Of))
		if wrong != "" {
			return nil, fmt.Errorf("there is no attribute %.40q", wrong)
		}
		return s.Member(j.Name, sh, of), nil
	case atom.Const:
		x, err := rational(j.Rat)
		if err != nil {
			return nil, err
		}
		return s.Const(x), nil
	case atom.Pi:
		return s.Pi(), nil
	case atom.Ein:
		c, err := parseContraction(j.Ein)
		if err != nil {
			return nil, err
		}
		return s.Ein(c, args...), nil
	case atom.Add:
		return s.Add(args[0], args[1]), nil
	case atom.Power:
		x, err := rational(j.Rat)
		if err != nil {
			return nil, err
		}
		n = s.Power(args[0], x)
	default:
		switch {
		case at == atom.Split:
			d, err := two(j.Sizes)
			if err != nil {
				return nil, err
			}
			n = s.Split(j.Attr, d[0], d[1], args[0])
		case at.Signature() != nil:
			sizes, err := r.openSizes(at, j.Sizes)
			if err != nil {
				return nil, err
			}
			n = s.Declared(at, j.Attr, sizes, args...)
		case at.Class >= atom.ClassLinear:
			n = s.Apply(at, j.Attr, args...)
		default:
			return nil, fmt.Errorf("%s is no operation on values", j.Op)
		}
	}
	g, err := guardOf(n.Atom(), j.Guard)
	return n.WithGuard(g), err
}

// openSizes are the sizes that a declared function leaves open.
func (r *decoder) openSizes(at *atom.Row, given []string) ([]size.Size, error) {
	if len(given) != len(at.Signature().Open()) {
		return nil, fmt.Errorf("%s with %s", at.Name, words.Count(len(given), "open size"))
	}
	return shape(given)
}

// guardOf reads the guard of an operation. What can be infinite has one; powers alone are made 0 at 0.
func guardOf(at *atom.Row, name string) (combinators.Guard, error) {
	g, err := guardNamed(name)
	if g != combinators.GuardNone && at != atom.Power && (!at.Guarded || g == combinators.GuardZero) {
		return 0, fmt.Errorf("the guard %s on %s", name, at.Name)
	}
	return g, err
}

func parseContraction(j *contractionJSON) (*einsum.Contraction, error) {
	if j == nil {
		return nil, fmt.Errorf("a contraction without index maps")
	}
	if len(j.Vars) > maxVars || len(j.Eq)+len(j.Ge) > maxVars || len(j.In) > maxArgs {
		return nil, fmt.Errorf("a contraction with more than %d variables or conditions", maxVars)
	}
	vars, err := shape(j.Vars)
	if err != nil {
		return nil, err
	}
	forms := func(in []affine) ([]einsum.Affine, error) {
		return each(in, func(a affine) (f einsum.Affine, err error) {
			if f.Off, err = parseSize(a.Off); err != nil {
				return f, err
			}
			last := -1
			for _, t := range a.Terms {
				if t[0] <= int64(last) || t[0] >= int64(len(vars)) || t[1] == 0 || t[1] > 1<<31 || t[1] < -1<<31 {
					return f, fmt.Errorf("%d times variable %d in an index", t[1], t[0])
				}
				last = int(t[0])
				f.Terms = append(f.Terms, einsum.Term{Var: last, Coef: t[1]})
			}
			return f, nil
		})
	}
	var in []einsum.Access
	for k, f := range append(j.In[:len(j.In):len(j.In)], j.Out) {
		acc := einsum.Access{}
		if acc.Index, err = forms(f); err != nil {
			return nil, err
		}
		if j.Shapes != nil {
			if k >= len(j.Shapes) {
				return nil, fmt.Errorf("a contraction of %s with %s", words.Count(len(j.In), "operand"), words.Count(len(j.Shapes), "shape"))
			}
			if acc.Shape, err = shape(j.Shapes[k]); err != nil {
				return nil, err
			}
		} else {
			for _, a := range acc.Index {
				v, ok := a.Var()
				if !ok {
					return nil, fmt.Errorf("an index that is no variable, without the shape of its operand")
				}
				acc.Shape = append(acc.Shape, vars[v])
			}
		}
		in = append(in, acc)
	}
	eq, err := forms(j.Eq)
	if err != nil {
		return nil, err
	}
	ge, err := forms(j.Ge)
	if err != nil {
		return nil, err
	}
	return einsum.New(vars, in[:len(in)-1], in[len(in)-1], eq, ge)
}
