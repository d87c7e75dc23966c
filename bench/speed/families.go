package main

import (
	"fmt"
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum/size"
)

// family is a kind of program of any length. build makes the one of n steps, a number, and says
// by which variables it is differentiated.
type family struct {
	name  string
	nodes int // about how many a step has
	most  int // nodes of a program, at most
	build func(s *combinators.Store, n int) (*combinators.Node, []*combinators.Node)
}

type node = combinators.Node

var n = size.Sym("n")

// iterated is sum(x_n) with x_k = step(k, x_(k-1)), by the vector x_0.
func iterated(step func(s *combinators.Store, k int, x *node) *node) func(*combinators.Store, int) (*node, []*node) {
	return func(s *combinators.Store, steps int) (*node, []*node) {
		x := s.Var("x", []size.Size{n})
		y := x
		for k := range steps {
			y = step(s, k, y)
		}
		return s.Einsum("i->", y), []*node{x}
	}
}

var families = []family{
	{"`x <- sin(x) .* cos(x)`", 3, 100_000, iterated(func(s *combinators.Store, _ int, x *node) *node {
		return s.Mul(s.Unary(atom.Sin, x), s.Unary(atom.Cos, x))
	})},
	{"`x <- x + sin(x)`", 2, 100_000, iterated(func(s *combinators.Store, _ int, x *node) *node {
		return s.Add(x, s.Unary(atom.Sin, x))
	})},
	{"`x <- (exp(x) + x.^2) ./ (1 + exp(x))`", 8, 100_000, iterated(func(s *combinators.Store, _ int, x *node) *node {
		e := s.Unary(atom.Exp, x)
		return s.Mul(s.Add(e, s.Mul(x, x)), s.Recip(s.Add(s.Fill(big.NewRat(1, 1), x.Shape()), e)))
	})},
	{"`x <- A_k*x`", 1, 100_000, iterated(func(s *combinators.Store, k int, x *node) *node {
		return s.Einsum("ij,j->i", s.Var(fmt.Sprintf("A%d", k%7), []size.Size{n, n}), x)
	})},
	{"`x <- A_k*x`, by all `A_k`", 2, 10_000, func(s *combinators.Store, steps int) (*node, []*node) {
		y := s.Var("x", []size.Size{n})
		var wrt []*node
		for k := range steps {
			a := s.Var(fmt.Sprintf("A%d", k), []size.Size{n, n})
			wrt = append(wrt, a)
			y = s.Einsum("ij,j->i", a, y)
		}
		return s.Einsum("i->", y), wrt
	}},
	{"`x <- tanh(W_k*x + b_k)`, by all `W_k`", 5, 100_000, func(s *combinators.Store, steps int) (*node, []*node) {
		y := s.Var("x", []size.Size{n})
		var wrt []*node
		for k := range steps {
			w, b := s.Var(fmt.Sprintf("W%d", k), []size.Size{n, n}), s.Var(fmt.Sprintf("b%d", k), []size.Size{n})
			wrt = append(wrt, w)
			y = s.Unary(atom.Tanh, s.Add(s.Einsum("ij,j->i", w, y), b))
		}
		return s.Einsum("i->", y), wrt
	}},
	{"`X <- relu(X*W_k)`, by all `W_k`", 3, 100_000, func(s *combinators.Store, steps int) (*node, []*node) {
		y := s.Var("X", []size.Size{size.Sym("m"), n})
		var wrt []*node
		for k := range steps {
			w := s.Var(fmt.Sprintf("W%d", k), []size.Size{n, n})
			wrt = append(wrt, w)
			y = s.Unary(atom.Relu, s.Einsum("ij,jk->ik", y, w))
		}
		return s.Einsum("ij->", y), wrt
	}},
	{"diamonds `x <- sin(x) + cos(x) .* exp(x)`", 5, 100_000, iterated(func(s *combinators.Store, _ int, x *node) *node {
		return s.Add(s.Unary(atom.Sin, x), s.Mul(s.Unary(atom.Cos, x), s.Unary(atom.Exp, x)))
	})},
	{"sum over k of `sin(k*x)`", 4, 10_000, func(s *combinators.Store, steps int) (*node, []*node) {
		x := s.Var("x", []size.Size{n})
		var y *node
		for k := range steps {
			t := s.Unary(atom.Sin, s.Scale(s.Int(int64(k+2)), x))
			if y == nil {
				y = t
			} else {
				y = s.Add(y, t)
			}
		}
		return s.Einsum("i->", y), []*node{x}
	}},
	{"sum over k of `x'*A_k*x`", 3, 10_000, func(s *combinators.Store, steps int) (*node, []*node) {
		x := s.Var("x", []size.Size{n})
		var y *node
		for k := range steps {
			t := s.Einsum("i,ij,j->", x, s.Var(fmt.Sprintf("A%d", k), []size.Size{n, n}), x)
			if y == nil {
				y = t
			} else {
				y = s.Add(y, t)
			}
		}
		return y, []*node{x}
	}},
}
