package latex

import (
	"strings"

	"frechet/combinators/atom"
	"frechet/syntax/index"
)

// definition writes a definition in index notation as a line of an align* environment. A
// condition is written in brackets, which are 1 where it holds and 0 elsewhere.
func definition(d *index.Definition) string {
	var idx []*index.Expr
	for _, x := range d.Indices {
		idx = append(idx, index.Ident(x.Name))
	}
	return entry(d.Name.Name, idx) + " &= " + indexed(d.Expr).s
}

// entry is x_{i,2j+1}.
func entry(name string, idx []*index.Expr) string {
	if len(idx) == 0 {
		return Symbol(name)
	}
	return Symbol(name) + "_{" + form(idx...) + "}"
}

// form writes index expressions without blanks.
func form(xs ...*index.Expr) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(affine(x).s, " + ", "+"), " - ", "-")
	}
	return strings.Join(parts, ",")
}

// affine writes an index, a bound or a side of a condition: 2*i is 2i.
func affine(x *index.Expr) text {
	switch x.Op {
	case index.Name:
		return text{Symbol(x.Name), levelFactor}
	case index.Call, index.Access:
		inner := make([]string, len(x.Args))
		for i, a := range x.Args {
			inner[i] = affine(a).s
		}
		all := strings.Join(inner, `,\,`)
		switch x.Name {
		case atom.Max.Name, atom.Min.Name:
			return text{`\` + x.Name + `(` + all + `)`, levelFactor}
		case atom.Floor.Name, atom.Ceil.Name:
			return text{`\l` + x.Name + ` ` + all + ` \r` + x.Name, levelFactor}
		}
	case index.Product:
		t := affine(x.Args[0])
		for _, s := range x.Steps {
			if s.Op == '/' {
				t = text{t.as(levelProduct) + "/" + affine(s.Arg).as(levelFactor), levelProduct}
			} else {
				t = text{t.as(levelProduct) + " " + affine(s.Arg).as(levelFactor), levelProduct}
			}
		}
		return t
	case index.Sum:
		return sumOf(x, affine)
	case index.Neg:
		return text{"-" + affine(x.Args[0]).as(levelProduct), levelProduct}
	}
	return indexed(x)
}

func sumOf(x *index.Expr, part func(*index.Expr) text) text {
	s := part(x.Args[0]).s
	for _, step := range x.Steps {
		t := part(step.Arg)
		y := t.as(levelProduct)
		if strings.HasPrefix(y, "-") {
			y = bracket(y)
		}
		s += " " + string(step.Op) + " " + y
	}
	return text{s, levelSum}
}

// indexed writes an expression.
func indexed(x *index.Expr) text {
	switch x.Op {
	case index.Num:
		return text{index.Print(x), levelFactor}
	case index.Name:
		return text{Symbol(x.Name), levelFactor}
	case index.Access:
		return text{entry(x.Name, x.Args), levelFactor}
	case index.Call:
		args := make([]text, len(x.Args))
		for i, a := range x.Args {
			args[i] = indexed(a)
		}
		return function(x.Name, args...)
	case index.Neg:
		return text{"-" + indexed(x.Args[0]).as(levelProduct), levelProduct}
	case index.Power:
		base := indexed(x.Args[0])
		s := base.as(levelFactor)
		if x.Args[0].Op != index.Name && x.Args[0].Op != index.Access && x.Args[0].Op != index.Num && base.level == levelFactor {
			s = bracket(s)
		}
		return text{s + "^{" + indexed(x.Args[1]).s + "}", levelFactor}
	case index.Sum:
		return sumOf(x, indexed)
	case index.Product:
		return fraction(x)
	case index.Total:
		head := `\sum_{` + Symbol(x.Name) + "=" + affine(x.Args[0]).s + "}^{" + affine(x.Args[1]).s + "} "
		return text{head + indexed(x.Args[2]).as(levelProduct), levelSum}
	case index.If:
		return text{`\begin{cases} ` + indexed(x.Args[0]).s + ` & \text{if } ` + conditions(x.Rels) + ` \\ ` +
			indexed(x.Args[1]).s + ` & \text{else} \end{cases}`, levelFactor}
	}
	return text{"[" + conditions(x.Rels) + "]", levelFactor}
}

func conditions(rs []index.Relation) string {
	parts := make([]string, len(rs))
	for i, r := range rs {
		op := map[string]string{"<=": `\le`, ">=": `\ge`, "!=": `\ne`}[r.Op]
		if op == "" {
			op = r.Op
		}
		parts[i] = affine(r.Left).s + " " + op + " " + affine(r.Right).s
	}
	return strings.Join(parts, `,\ `)
}

// fraction writes a product; its divisors stand below a line.
func fraction(x *index.Expr) text {
	above, below := []*index.Expr{x.Args[0]}, []*index.Expr(nil)
	for _, s := range x.Steps {
		if s.Op == '/' {
			below = append(below, s.Arg)
		} else {
			above = append(above, s.Arg)
		}
	}
	if len(below) == 0 {
		return factors(above)
	}
	return text{`\frac{` + factors(above).s + "}{" + factors(below).s + "}", levelFactor}
}

func factors(xs []*index.Expr) text {
	if len(xs) == 1 {
		return indexed(xs[0])
	}
	var parts []string
	for i, x := range xs {
		t := indexed(x)
		s := t.as(levelProduct)
		if x.Op == index.Total && i == len(xs)-1 {
			s = t.s // a sum at the end reaches no further
		}
		if i > 0 && strings.HasPrefix(s, "-") {
			s = bracket(s)
		}
		if i > 0 && x.Op == index.Num && xs[i-1].Op == index.Num {
			s = `\cdot ` + s
		}
		parts = append(parts, s)
	}
	return text{strings.Join(parts, " "), levelProduct}
}
