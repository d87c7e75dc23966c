// Package program elaborates programs in combinator notation. A text of maps without variables, given by terms
// with types (package combinators/text), comes in; the typed values of package elab go out, with the closed
// maps of which they are. It never differentiates: a map with a derivative in it that is applied is given
// to the [denote.Calculus] of the caller.
//
//	declare A[m,n] b[m]
//	layer(x) : R[n] -> R[m] = tanh . (id + K(b)) . (A *(ij,j->i) _)
//	derivative wrt x
//
// A definition that no later one uses is an expression of the program: its map, applied to its
// argument. The components of the argument are variables like the declared ones, named by the
// definition, else x, or x1, x2, ... where there are several.
package program

import (
	"fmt"
	"slices"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/syntax"
	"frechet/syntax/elab"
)

// A Source is a program that is parsed.
type Source struct {
	File *syntax.File // declarations and expressions, for those who ask for names and orders
	prog *text.Program

	marks []mark
}

// A Program is elaborated: Maps has an entry for each output's definition.
type Program struct {
	*elab.Program
	Source *Source
	Maps   []Expression
}

// An Expression is a map at its argument. Outputs are the outputs that it gives: one, or, where it
// gives a tuple, one for each tensor.
type Expression struct {
	Name     string
	Map      combinators.Map
	Argument *combinators.Value
	Outputs  []int
}

// Parse reads the program's text, whose tokens are given where it was split before, else nil. It may use the functions of
// parent beside those that it declares. An error
// is a *[syntax.Error].
func Parse(src string, tokens *text.Lexed, parent *atom.Scope, lim syntax.Limits) (*Source, error) {
	s := &Source{File: &syntax.File{Src: src}, marks: marks(src)}
	if lim.Bytes > 0 && len(src) > lim.Bytes {
		return nil, syntax.NewError("L001", "the program is %d bytes long; the limit is %d", len(src), lim.Bytes)
	}
	if tokens == nil {
		tokens = text.Lex(src)
	}
	var err error
	if s.prog, err = tokens.Program(); err != nil {
		return nil, s.place("S002", err, text.Pos{Line: 1, Column: 1})
	}
	s.File.Functions = atom.NewScope(parent)
	if err := s.prog.Resolve(s.File.Functions, known); err != nil {
		return nil, s.place("P001", err, text.Pos{Line: 1, Column: 1})
	}
	declare := syntax.Stmt{Kind: syntax.Declare}
	var refused *syntax.Error
	add := func(name string, pos text.Pos, order int) {
		id := syntax.Ident{Name: name, Span: s.span(pos, len(name))}
		if e := s.File.Nameable(id); refused == nil {
			refused = e
		}
		declare.Declares = append(declare.Declares, syntax.Declaration{Ident: id, Order: order, Sized: true, Sizes: make([]*syntax.Expr, order)})
	}
	for _, d := range s.prog.Declares {
		add(d.Name, d.Pos, len(d.Dims))
	}
	for _, d := range s.expressions() {
		if d.Type != nil && d.Type.Dom != nil {
			leaves := spaces(d.Type.Dom)
			for i, name := range names(d, len(leaves)) {
				add(name, d.Pos, len(leaves[i].Dims))
			}
		}
	}
	if refused != nil {
		return nil, refused
	}
	s.File.Stmts = append(s.File.Stmts, declare)
	for _, d := range s.expressions() {
		s.File.Stmts = append(s.File.Stmts, syntax.Stmt{Kind: syntax.Expression, Span: s.span(d.Pos, len(d.Name)), Name: syntax.Ident{Name: d.Name}})
	}
	return s, nil
}

// expressions are the definitions that no later one names.
func (s *Source) expressions() []text.Def {
	used := map[string]bool{}
	var out []text.Def
	for _, d := range slices.Backward(s.prog.Defs) {
		if d.Name == "" || !used[d.Name] {
			out = append(out, d)
		}
		text.Walk(d.Body, func(t *text.Term) bool {
			used[t.Name] = true
			return true
		})
	}
	slices.Reverse(out)
	return out
}

// spaces are the tensor spaces of which a space is built, in order.
func spaces(s *text.Space) (out []*text.Space) {
	if len(s.Factors) == 0 {
		return []*text.Space{s}
	}
	for _, f := range s.Factors {
		out = append(out, spaces(f)...)
	}
	return out
}

// names are those of the components of a definition's argument. What a term speaks of is no
// argument: at D(f)(x) a linear map is applied to dx.
func names(d text.Def, n int) []string {
	if len(d.Params) == n {
		return d.Params
	}
	spoken := map[string]bool{}
	text.Walk(d.Body, func(t *text.Term) bool {
		spoken[t.Name] = true
		return true
	})
	for stem := "x"; ; stem = "d" + stem {
		out := []string{stem}
		if n != 1 {
			out = lists.Make(n, func(i int) string { return fmt.Sprintf("%s%d", stem, i+1) })
		}
		if !slices.ContainsFunc(out, func(s string) bool { return spoken[s] }) {
			return out
		}
	}
}
