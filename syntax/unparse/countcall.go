package unparse

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"frechet/einsum"
	"frechet/syntax"
)

// call is a function. Those that are products are counted as such.
// It stays one switch: a case for each function.
func (c *counter) call(e *syntax.Expr) (counted, error) {
	switch e.Name {
	case "eye":
		return c.leaf("delta1", 2), nil
	case "ones":
		return c.num(big.NewRat(1, 1), len(e.Args)), nil
	case "zeros":
		return c.num(new(big.Rat), len(e.Args)), nil
	}
	args, err := c.exprs(e.Args)
	if err != nil {
		return counted{}, err
	}
	if e.Name == "matpow" {
		return c.matrixPower(e, args[0])
	}
	if e.Name == "minor" || e.Name == "merge" || e.Name == "split" {
		return c.attributed(e, args[0])
	}
	a := args[0]
	all := einsum.UpTo(a.order)
	axis := -1
	if e.Axis != nil {
		axis = e.Axis.Value
		if axis < 0 {
			axis += a.order
		}
	}
	name := e.Name
	if axis >= 0 {
		name += strconv.Itoa(axis)
	}
	like := a
	switch e.Name {
	case "sum":
		if axis >= 0 && axis < a.order {
			return c.ein([][]int{all}, slices.Delete(einsum.UpTo(a.order), axis, axis+1), args), nil
		}
		return c.ein([][]int{all}, nil, args), nil
	case "tr":
		return c.ein([][]int{{0, 0}}, nil, args), nil
	case "diag":
		if a.order == 1 {
			return c.ein([][]int{{0}}, []int{0, 0}, args), nil
		}
		return c.ein([][]int{{0, 0}}, []int{0}, args), nil
	case "prodexcept":
		if len(args) > 1 {
			return c.attributed(e, args[0])
		}
	case "solve":
		like = args[1]
	case "scatter":
		rows := syntax.IndexOrder(&syntax.Expr{Args: e.Args[:2]}, func(name string) int { return c.names[name].order })
		like = counted{order: a.order - rows + len(args) - 1}
	case "stack":
		like = counted{order: a.order + 1}
	default:
		f, _ := syntax.LookupFunction(e.Name)
		switch {
		case len(args) == 2 && f.Axis:
			like = wider(a, args[1])
		case f.Reduces && axis >= 0:
			like = counted{order: a.order - 1}
		case e.Name == "det" || e.Name == "logdet": // of each matrix
			like = counted{order: a.order - 2}
		case f.Reduces:
			like = counted{}
		}
	}
	return c.node(name, like, args...), nil
}

// attributed is a function whose further arguments are whole numbers or sizes: they are
// part of its name.
func (c *counter) attributed(e *syntax.Expr, a counted) (counted, error) {
	like := counted{order: a.order + 1}
	switch e.Name {
	case "merge":
		like.order = a.order - 1
	case "minor", "prodexcept":
		k := e.Args[1].Num
		if k == nil || !k.IsInt() || !k.Num().IsInt64() {
			return counted{}, fmt.Errorf("%s takes a whole number", e.Name)
		}
		if like.order = a.order - 1 + int(k.Num().Int64()); e.Name == "minor" {
			like.order = a.order - 2 + 2*int(k.Num().Int64())
		}
	}
	name := e.Name
	for _, p := range e.Args[1:] {
		name += "," + syntax.Print(p)
	}
	return c.node(name, like, a), nil
}

// matrixPower counts the products of a power that is found by squaring.
func (c *counter) matrixPower(e *syntax.Expr, a counted) (counted, error) {
	k := e.Args[1].Num
	if k == nil || !k.IsInt() || k.Sign() <= 0 || k.Num().BitLen() > 31 {
		return counted{}, fmt.Errorf("matpow is counted of whole numbers from 1 on")
	}
	power, err := a, error(nil)
	for i := k.Num().BitLen() - 2; i >= 0 && err == nil; i-- {
		if power, err = c.matrixProduct(power, power); err == nil && k.Num().Bit(i) == 1 {
			power, err = c.matrixProduct(power, a)
		}
	}
	return power, err
}
