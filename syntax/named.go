package syntax

import "slices"

// Named puts the names of lets where their values stand in statements, and these lets in front, each once. Lets of the
// statements themselves are looked through. A let is kept for a part of an expression, not for the whole of one.
func Named(stmts, lets []Stmt) []Stmt {
	n := &naming{own: map[string]*Expr{}}
	for _, s := range stmts {
		if s.Kind == Let {
			n.own[s.Name.Name] = s.Expr
		}
	}
	var kept []Stmt
	for i := len(lets) - 1; i >= 0; i-- {
		n.let, n.found = lets[i], false
		for j, s := range stmts {
			if s.Kind == Let && equal(s.Expr, n.let.Expr, n.own) {
				n.found = true
				stmts[j].Expr = Name(n.let.Name.Name) // which is put for the name of this let below
			} else {
				n.parts(s.Expr)
			}
		}
		for _, s := range kept {
			n.parts(s.Expr)
		}
		if n.found {
			kept = append([]Stmt{n.let}, kept...)
		}
	}
	return n.joined(kept, stmts)
}

// naming puts one let after the other.
type naming struct {
	own   map[string]*Expr // the lets of the statements
	let   Stmt
	found bool
	seen  map[*Expr]bool
}

// parts puts the name of the let for all parts of x that are its value.
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
		if a == nil || a.Op == OpName || !equal(a, n.let.Expr, n.own) {
			n.walk(a)
			return a
		}
		n.found = true
		return Name(n.let.Name.Name)
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
func (n *naming) joined(kept, stmts []Stmt) []Stmt {
	if len(kept) == 0 {
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

// eachName visits the names in an expression, at all their places.
func eachName(x *Expr, visit func(x *Expr)) {
	if x == nil {
		return
	}
	if x.Op == OpName {
		visit(x)
	}
	for _, a := range x.Args {
		eachName(a, visit)
	}
	for _, s := range x.Steps {
		eachName(s.Arg, visit)
	}
}
