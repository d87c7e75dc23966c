package json

import (
	"fmt"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/words"
	"frechet/rewrite/proof"
)

func (r *decoder) value(j valueJSON) (*proof.Value, error) {
	if j.Node != nil {
		n, err := r.at(*j.Node)
		if err != nil {
			return nil, err
		}
		return r.s.Value(n), nil
	}
	parts, err := each(j.Parts, r.valueAt)
	if err != nil {
		return nil, err
	}
	return r.s.Tuple(parts...), nil
}

func parseSpace(j *spaceJSON) (combinators.Space, error) {
	if j == nil {
		return combinators.Space{}, fmt.Errorf("a map without its space")
	}
	if j.Product {
		fs, err := each(j.Factors, func(f spaceJSON) (combinators.Space, error) { return parseSpace(&f) })
		return combinators.ProductSpace(fs...), err
	}
	sh, err := shape(j.Shape)
	return combinators.TensorSpace(sh), err
}

// mapParts is the number of parts of each constructor, -1 for any positive number.
var mapParts = map[string]int{"id": 0, "compose": 2, "pair": -1, "product": -1, "copair": -1, "sum": 2, "pi": 0, "iota": 0,
	"K": 0, "zero": 0, "ein": 0, "atom": 0, "copower": 1, "D": 1, "adjoint": 1, "unknown": 0}

func (r *decoder) mapOf(j *mapJSON) (m proof.Map, err error) {
	s := r.s
	fs, err := each(j.Maps, r.mapAt)
	if err != nil {
		return m, err
	}
	want, ok := mapParts[j.Op]
	if !ok || want >= 0 && len(fs) != want || want < 0 && len(fs) == 0 {
		return m, fmt.Errorf("%.40q of %s", j.Op, words.Count(len(fs), "map"))
	}
	linear := make([]combinators.PointFreeLinear, len(fs))
	for i, f := range fs {
		if linear[i], ok = f.Linear(); !ok && (j.Op == "copair" || j.Op == "adjoint") {
			return m, fmt.Errorf("%s of a map that is not linear", j.Op)
		}
	}
	var v *proof.Value
	if j.Op == "K" || j.Op == "D" || j.Op == "unknown" {
		if j.Value == nil {
			return m, fmt.Errorf("%s without a value", j.Op)
		}
		if v, err = r.valueAt(*j.Value); err != nil {
			return m, err
		}
	}
	switch j.Op {
	case "compose":
		return s.Compose(fs[0], fs[1]), nil
	case "pair":
		return s.Pair(fs...), nil
	case "product":
		return s.Product(fs...), nil
	case "copair":
		return s.Copair(linear...).Map, nil
	case "sum":
		return s.SumMaps(fs[0], fs[1]), nil
	case "D":
		return s.Derivative(fs[0], v).Map, nil
	case "adjoint":
		return s.Adjoint(linear[0]).Map, nil
	case "copower":
		x, err := shape(j.Power)
		return s.Copower(fs[0], x), err
	case "ein", "atom":
		return r.leaf(j)
	case "iota":
		w, err := parseSpace(j.Cod)
		if err != nil {
			return m, err
		}
		return s.Inj(w, j.K-1).Map, nil
	}
	u, err := parseSpace(j.Dom)
	if err != nil {
		return m, err
	}
	switch j.Op {
	case "id":
		return s.ID(u).Map, nil
	case "pi":
		return s.Proj(u, j.K-1).Map, nil
	case "K":
		return s.ConstMap(u, v), nil
	case "unknown":
		if j.Linear {
			return s.UnknownLinear(u, v).Map, nil
		}
		return s.Unknown(u, v), nil
	}
	w, err := parseSpace(j.Cod)
	return s.ZeroMap(u, w).Map, err
}

// leaf is a contraction or another atom in its open operands.
func (r *decoder) leaf(j *mapJSON) (m proof.Map, err error) {
	n := j.Node
	if n == nil {
		return m, fmt.Errorf("%s without its operation", j.Op)
	}
	fixed, err := each(n.Args, func(i int) (*proof.Node, error) {
		if i == -1 {
			return nil, nil
		}
		return r.at(i)
	})
	if err != nil {
		return m, err
	}
	if j.Op == "ein" {
		c, err := parseContraction(n.Ein)
		if err != nil {
			return m, err
		}
		return r.s.EinMap(c, fixed), nil
	}
	at := r.functions.Named(n.Op)
	if at == nil || at.Class < atom.ClassLinear || at.Arity != len(fixed) || n.Attr < 0 || n.Attr > maxArgs {
		return m, fmt.Errorf("%.40q of %s", n.Op, words.Count(len(fixed), "operand"))
	}
	shapes := make([][]size.Size, len(fixed))
	open := 0
	for k, a := range fixed {
		if a != nil {
			shapes[k] = a.Shape()
			continue
		}
		if open >= len(j.Shapes) {
			return m, fmt.Errorf("an open operand without its shape")
		}
		if shapes[k], err = shape(j.Shapes[open]); err != nil {
			return m, err
		}
		open++
	}
	var x *big.Rat
	if at == atom.Power {
		if x, err = rational(n.Rat); err != nil {
			return m, err
		}
	}
	var d []size.Size
	switch {
	case at == atom.Split:
		d, err = two(n.Sizes)
	case at.Signature() != nil:
		d, err = r.openSizes(at, n.Sizes)
	}
	if err != nil {
		return m, err
	}
	g, err := guardOf(at, n.Guard)
	if err != nil {
		return m, err
	}
	return r.s.AtomMap(at, n.Attr, x, d, fixed, shapes).WithGuard(g), nil
}
