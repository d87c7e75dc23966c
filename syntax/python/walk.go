package python

import "frechet/internal/lists"

// walk visits the operands of an expression from left to right.
func walk(x *tuple, visit func(*postfix)) {
	items, _ := x.items()
	for _, e := range items {
		walkExpr(e, visit)
	}
}

func walkExpr(e *expr, visit func(*postfix)) {
	if e == nil || e.Lambda != nil {
		return
	}
	walkTernary(e.Ternary, visit)
}

func walkTernary(t *ternary, visit func(*postfix)) {
	if t == nil {
		return
	}
	walkLogic(t.Then, visit)
	walkLogic(t.If, visit)
	walkExpr(t.Else, visit)
}

func walkLogic(l *logic, visit func(*postfix)) {
	if l == nil {
		return
	}
	compares := []*compare{l.First}
	compares = lists.Append(compares, l.Rest, func(r *logicRest) *compare { return r.Right })
	for _, c := range compares {
		walkSum(c.Left, visit)
		for _, r := range c.Rest {
			walkSum(r.Right, visit)
		}
	}
}

func walkSum(s *sum, visit func(*postfix)) {
	terms := []*term{s.Left}
	terms = lists.Append(terms, s.Rest, func(r *sumRest) *term { return r.Right })
	for _, t := range terms {
		walkUnary(t.Left, visit)
		for _, r := range t.Rest {
			walkUnary(r.Right, visit)
		}
	}
}

func walkUnary(u *unary, visit func(*postfix)) {
	if u == nil {
		return
	}
	p := u.Power.Base
	visit(p)
	if p.Atom.Paren != nil && p.Atom.Paren.Inner != nil {
		walk(p.Atom.Paren.Inner, visit)
	}
	if p.Atom.List != nil {
		for _, e := range p.Atom.List.Items {
			walkExpr(e, visit)
		}
	}
	for _, t := range p.Trailers {
		if t.Call != nil {
			for _, a := range t.Call.List {
				if a.Named != nil {
					walkExpr(a.Named, visit)
				} else {
					walkExpr(a.First, visit)
				}
			}
		}
		for _, s := range t.Subscript {
			walkTernary(s.First, visit)
			walkTernary(s.Stop, visit)
		}
	}
	walkUnary(u.Power.Exponent, visit)
}
