package json

import (
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
	"frechet/internal/must"
	"frechet/internal/words"
	"frechet/rewrite/proof"
)

func (r *decoder) value(j valueJSON) *proof.Value {
	if j.Node != nil {
		return r.s.Value(r.at(*j.Node))
	}
	return r.s.Tuple(each(j.Parts, r.valueAt)...)
}

func parseSpace(j *spaceJSON) combinators.Space {
	must.Hold(j != nil, "a map without its space")
	if j.Product {
		return combinators.ProductSpace(each(j.Factors, func(f spaceJSON) combinators.Space { return parseSpace(&f) })...)
	}
	return combinators.TensorSpace(shape(j.Shape))
}

// mapParts is the number of parts of each constructor, -1 for any positive number.
var mapParts = map[string]int{"id": 0, "compose": 2, "pair": -1, "product": -1, "copair": -1, "sum": 2, "pi": 0, "iota": 0,
	"K": 0, "zero": 0, "ein": 0, "atom": 0, "copower": 1, "D": 1, "adjoint": 1, "unknown": 0}

// mapOf is one switch: a case for each operation.
func (r *decoder) mapOf(j *mapJSON) proof.Map {
	s, fs := r.s, each(j.Maps, r.mapAt)
	want, ok := mapParts[j.Op]
	must.Hold(ok && (want < 0 || len(fs) == want) && (want >= 0 || len(fs) != 0), "%.40q of %s", j.Op, words.Count(len(fs), "map"))
	linear := make([]combinators.PointFreeLinear, len(fs))
	for i, f := range fs {
		if linear[i], ok = f.Linear(); !ok && (j.Op == "copair" || j.Op == "adjoint") {
			panic(must.Errorf("%s of a map that is not linear", j.Op))
		}
	}
	value := func() *proof.Value {
		must.Hold(j.Value != nil, "%s without a value", j.Op)
		return r.valueAt(*j.Value)
	}
	switch j.Op {
	case "compose":
		return s.Compose(fs[0], fs[1])
	case "pair":
		return s.Pair(fs...)
	case "product":
		return s.Product(fs...)
	case "copair":
		return s.Copair(linear...).Map
	case "sum":
		return s.SumMaps(fs[0], fs[1])
	case "D":
		return s.Derivative(fs[0], value()).Map
	case "adjoint":
		return s.Adjoint(linear[0]).Map
	case "copower":
		return s.Copower(fs[0], shape(j.Power))
	case "ein", "atom":
		return r.leaf(j)
	case "iota":
		return s.Inj(parseSpace(j.Cod), j.K-1).Map
	case "id":
		return s.ID(parseSpace(j.Dom)).Map
	case "pi":
		return s.Proj(parseSpace(j.Dom), j.K-1).Map
	case "K":
		return s.ConstMap(parseSpace(j.Dom), value())
	case "unknown":
		if j.Linear {
			return s.UnknownLinear(parseSpace(j.Dom), value()).Map
		}
		return s.Unknown(parseSpace(j.Dom), value())
	}
	return s.ZeroMap(parseSpace(j.Dom), parseSpace(j.Cod)).Map
}

// leaf is a contraction or another atom in its open operands.
func (r *decoder) leaf(j *mapJSON) proof.Map {
	n := j.Node
	must.Hold(n != nil, "%s without its operation", j.Op)
	fixed := each(n.Args, func(i int) *proof.Node {
		if i == -1 {
			return nil
		}
		return r.at(i)
	})
	if j.Op == "ein" {
		return r.s.EinMap(parseContraction(n.Ein), fixed)
	}
	at := r.functions.Named(n.Op)
	must.Hold(at != nil && at.Class >= atom.ClassLinear && at.Arity == len(fixed) && n.Attr >= 0 && n.Attr <= maxArgs, "%.40q of %s", n.Op, words.Count(len(fixed), "operand"))
	shapes := make([][]size.Size, len(fixed))
	open := 0
	for k, a := range fixed {
		if a != nil {
			shapes[k] = a.Shape()
			continue
		}
		must.Hold(open < len(j.Shapes), "an open operand without its shape")
		shapes[k] = shape(j.Shapes[open])
		open++
	}
	var x *big.Rat
	var d []size.Size
	switch {
	case at == atom.Power:
		x = rational(n.Rat)
	case at == atom.Split:
		d = two(n.Sizes)
	case at.Signature() != nil:
		d = r.openSizes(at, n.Sizes)
	}
	return r.s.AtomMap(at, n.Attr, x, d, fixed, shapes).WithGuard(guardOf(at, n.Guard))
}
