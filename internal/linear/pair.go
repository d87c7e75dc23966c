package linear

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/eval/data"
	"frechet/internal/fault"
	"frechet/internal/program"
)

// WithValue is the affine pair of the value of the program's one expression and a linear map, as one term: the map
// <K(f(x)), L>, which gives the value beside L at its argument. What both are made of is computed once. With variables
// named, the value is the expression's as a map of those alone, as in [ClosedDerivative].
func (c *ClosedMap) WithValue(wrt ...string) (p *ClosedMap, err error) {
	defer fault.Guard(&err)
	x, err := c.f.By(wrt)
	if err != nil {
		return nil, err
	}
	s := c.f.Store
	y, err := s.ApplyMap(x.Map, x.At)
	if err != nil {
		return nil, err
	}
	return (&ClosedMap{f: c.f, name: x.Name + "_" + c.name, m: s.Pair(s.ConstMap(c.m.Dom(), y), c.m)}).Simplify()
}

// AtData is the map with numbers for the values in it, at the values of env, and what it is over: numbers of order 0
// stand in the term, every other value is a variable, whose numbers come beside it. The program's sizes are to be those of env.
func (c *ClosedMap) AtData(ctx context.Context, env program.Env) (m *ClosedMap, values []data.Array, err error) {
	defer fault.Guard(&err)
	var nodes []*combinators.Node
	for _, n := range combinators.MapNodes(c.m) {
		if !slices.Contains(nodes, n) && slices.ContainsFunc(combinators.Topo(n), func(v *combinators.Node) bool { return v.Is(atom.Var) }) {
			nodes = append(nodes, n)
		}
	}
	tensors, err := c.f.Run(ctx, nodes, env, nil)
	if err != nil {
		return nil, nil, err
	}
	image, named := map[*combinators.Node]*combinators.Node{}, 0
	for i, n := range nodes {
		v := n
		if r, finite := new(big.Rat).SetString(strconv.FormatFloat(first(tensors[i].Data), 'g', -1, 64)); finite && n.Order() == 0 {
			image[n] = c.f.Store.Const(r)
			continue
		}
		if !n.Is(atom.Var) {
			named++
			v = c.f.Store.Fresh(fmt.Sprintf("c%d", named), n.Shape())
			image[n] = v
		}
		values = append(values, data.Array{Name: v.Name(), Tensor: tensors[i]})
	}
	replaced := combinators.ReplaceOperands(c.m, func(n *combinators.Node) *combinators.Node {
		if v := image[n]; v != nil {
			return v
		}
		return n
	})
	return &ClosedMap{f: c.f, name: c.name, m: replaced}, values, nil
}

// first is the first of some numbers, 0 where there are none.
func first(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[0]
}
