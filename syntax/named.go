package syntax

import "slices"

// Part is a value that has a name in a program: where Value stands, As is put, and Stmt defines it. Of a let As is its name, of a function a
// use of it.
type Part struct {
	Stmt  Stmt
	Value *Expr
	As    *Expr
}

// Named puts the names of lets and uses of functions where their values stand in statements, and their definitions in front, each once. Lets of the
// statements themselves are looked through. A let is kept for a part of an expression, not for the whole of one.
func Named(stmts []Stmt, parts []Part) []Stmt {
	n := &naming{own: map[string]*Expr{}}
	for _, s := range stmts {
		if s.Kind == Let {
			n.own[s.Name.Name] = s.Expr
		}
	}
	var kept, functions []Stmt
	for i := len(parts) - 1; i >= 0; i-- {
		n.part, n.found = parts[i], false
		for j, s := range stmts {
			if s.Kind == Let && equal(s.Expr, n.part.Value, n.own) {
				n.found = true
				stmts[j].Expr = n.part.As // which is put for the name of this let below
			} else {
				n.parts(s.Expr)
			}
		}
		function, found := n.part.Stmt.Kind == LetFunction, n.found
		for _, p := range parts[:i] {
			if p.Stmt.Kind == LetFunction && found { // which comes later, and is looked for with the names of lets
				n.parts(p.Value)
				n.parts(p.As)
			}
		}
		n.found = found
		for j, s := range kept {
			if n.parts(s.Expr); function && equal(s.Expr, n.part.Value, n.own) {
				kept[j].Expr, n.found = n.part.As, true
			}
		}
		switch {
		case n.found && !function:
			kept = append([]Stmt{n.part.Stmt}, kept...)
		case n.found && !slices.ContainsFunc(functions, func(s Stmt) bool { return s.Name.Name == n.part.Stmt.Name.Name }):
			functions = append(functions, n.part.Stmt)
		}
	}
	return append(functions, n.joined(kept, stmts, len(functions) > 0)...)
}

// naming puts one part after the other.
type naming struct {
	own   map[string]*Expr // the lets of the statements
	part  Part
	found bool
	seen  map[*Expr]bool
}

// parts puts the name of the part for all parts of x that are its value.
func (n *naming) parts(x *Expr) {
	n.seen = map[*Expr]bool{}
	n.walk(x)
}

func (n *naming) walk(x *Expr) {
	if x == nil || n.seen[x] {
		return
	}
	n.seen[x] = true
	put := func(a *Expr) *Expr {
		if a == nil || a.Op == OpName || !equal(a, n.part.Value, n.own) {
			n.walk(a)
			return a
		}
		n.found = true
		return n.part.As
	}
	for i, a := range x.Args {
		x.Args[i] = put(a)
	}
	for i, s := range x.Steps {
		x.Steps[i].Arg = put(s.Arg)
	}
}

// joined is the kept lets and the statements, without lets of these that are another name only, or stand in one place and
// are no quotient, which would often be read there as part of another one.
func (n *naming) joined(kept, stmts []Stmt, changed bool) []Stmt {
	if len(kept) == 0 && !changed {
		return stmts
	}
	out := append(kept, stmts...)
	uses := map[string]int{}
	for _, s := range out {
		eachName(s.Expr, func(x *Expr) { uses[x.Name]++ })
	}
	gone := map[string]*Expr{}
	for _, s := range stmts {
		eachName(s.Expr, func(x *Expr) {
			if by := gone[x.Name]; by != nil {
				*x = *by
			}
		})
		if s.Kind == Let && (s.Expr.Op == OpName || uses[s.Name.Name] == 1 && !quotient(s.Expr)) {
			gone[s.Name.Name] = s.Expr
		}
	}
	return slices.DeleteFunc(out, func(s Stmt) bool { return s.Kind == Let && gone[s.Name.Name] != nil })
}

func quotient(x *Expr) bool {
	return slices.ContainsFunc(x.Steps, func(s Step) bool { return s.Op == StepDiv || s.Op == StepElemDiv })
}

// Replaced is x with expressions in the places of names.
func Replaced(x *Expr, by map[string]*Expr) *Expr {
	if x == nil {
		return nil
	}
	if to := by[x.Name]; x.Op == OpName && to != nil {
		return Replaced(to, by)
	}
	out := *x
	out.Args, out.Steps = slices.Clone(x.Args), slices.Clone(x.Steps)
	for i, a := range out.Args {
		out.Args[i] = Replaced(a, by)
	}
	for i, s := range out.Steps {
		out.Steps[i].Arg = Replaced(s.Arg, by)
	}
	return &out
}

// Each visits an expression and all its parts.
func Each(x *Expr, visit func(x *Expr)) {
	if x == nil {
		return
	}
	visit(x)
	for _, a := range x.Args {
		Each(a, visit)
	}
	for _, s := range x.Steps {
		Each(s.Arg, visit)
	}
}

// eachName visits the names in an expression, at all their places.
func eachName(x *Expr, visit func(x *Expr)) {
	Each(x, func(x *Expr) {
		if x.Op == OpName {
			visit(x)
		}
	})
}
