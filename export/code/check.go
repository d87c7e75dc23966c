package code

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
)

// A row is a comparison of a result with differences of another one: along a direction that is drawn, or that is given.
type row struct {
	k, of int // numbers of results
	wrt   *combinators.Node
	along *combinators.Node // of jvp, else nil
}

// rows lists the comparisons that languages of loops make: of derivatives, and along directions.
func (p *looper) rows() []row {
	var out []row
	for k, r := range p.Results {
		c := r.Check
		if c.Kind != "derivative" && c.Kind != "jvp" {
			continue
		}
		x := row{k: k, of: slices.IndexFunc(p.Results, func(r Result) bool { return r.Name == c.Of })}
		for _, v := range p.Params {
			switch v.Name() {
			case c.Wrt:
				x.wrt = v
			case c.With:
				x.along = v
			}
		}
		out = append(out, x)
	}
	return out
}

func (p *looper) resultName(k int) string { return p.names["result "+p.Results[k].Name] }

func (p *looper) resultSize(k int) string { return p.volume(p.list[p.outputs[k]].Shape) }

// checkC writes the function that compares derivatives with differences.
func (p *looper) checkC() string {
	rows := p.rows()
	if rows == nil {
		return ""
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	params := p.parametersC()
	params = append(params[:len(params)-len(p.Results):len(params)-len(p.Results)], "double h")
	line("\n/* Compares derivatives of %[1]s with central differences of step h along random directions: the largest difference,\n   relative to the derivative or to 1; NaN where %[1]s fails. */", p.Name)
	line("double %s_check(%s)\n{", p.Name, strings.Join(params, ", "))
	line("    double worst = 0.0;\n    int failed = 0;")
	var names []string
	array := func(name, n string) {
		names = append(names, name)
		line("    double *%s = malloc((%s + 1) * sizeof(double));", name, n)
	}
	for k := range p.Results {
		for _, where := range []string{"", "_up", "_down"} {
			array(p.resultName(k)+where, p.resultSize(k))
		}
	}
	for _, r := range rows {
		for _, where := range []string{"_direction", "_moved"} {
			if name := p.names[r.wrt.Name()] + where; !slices.Contains(names, name) {
				array(name, p.volume(r.wrt.Shape()))
			}
		}
	}
	line("    if (!%s)\n        failed = 1;", strings.Join(names, " || !"))
	line("    if (!failed)\n        failed = %s;", p.callC(nil, ""))
	for _, r := range rows {
		x := p.names[r.wrt.Name()]
		n, from, d := p.volume(r.wrt.Shape()), x, x+"_direction"
		if r.wrt.Order() == 0 {
			from = "&" + x
		}
		line("    if (!failed) {")
		if r.along == nil {
			line("        draw(%s, %s);", n, d)
		} else if d = p.names[r.along.Name()]; r.wrt.Order() == 0 {
			d = "&" + d
		}
		line("        move(%s, %s, h, %s, %s_moved);\n        failed |= %s;", n, from, d, x, p.callC(r.wrt, "_up"))
		line("        move(%s, %s, -h, %s, %s_moved);\n        failed |= %s;", n, from, d, x, p.callC(r.wrt, "_down"))
		if r.along != nil {
			n, d = "1", "(const double[]){1.0}"
		}
		line("        worst = larger(worst, differs(%s, %s, %s, %s, %s_up, %s_down, h));\n    }", p.resultSize(r.of), n, p.resultName(r.k), d, p.resultName(r.of), p.resultName(r.of))
	}
	for _, name := range names {
		line("    free(%s);", name)
	}
	line("    return failed ? NAN : worst;\n}")
	return b.String()
}

// callC is a call of the function, with a variable moved, into results with a suffix.
func (p *looper) callC(moved *combinators.Node, suffix string) string {
	var args []string
	for _, s := range p.symbols {
		args = append(args, p.names["size "+s.name])
	}
	for _, v := range p.Params {
		x := p.names[v.Name()]
		if v == moved {
			if x += "_moved"; v.Order() == 0 {
				x = "*" + x
			}
		}
		args = append(args, x)
	}
	for k := range p.Results {
		args = append(args, p.resultName(k)+suffix)
	}
	return p.Name + "(" + strings.Join(args, ", ") + ")"
}

// checkGo writes the function that compares derivatives with differences.
func (p *looper) checkGo(params []string) string {
	rows := p.rows()
	if rows == nil {
		return ""
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("\n// %[1]sCheck compares derivatives of %[1]s with central differences of step h along random directions: the largest\n// difference, relative to the derivative or to 1.", p.Name)
	line("func %sCheck(%s, h float64) (worst float64, err error) {", p.Name, strings.Join(params, ", "))
	line("at, err := %s\nif err != nil {\nreturn 0, err\n}", p.callGo(nil, ""))
	for _, r := range rows {
		x := p.names[r.wrt.Name()]
		from, d := listGo(x, r.wrt), fmt.Sprintf("draw(%s)", p.volume(r.wrt.Shape()))
		if r.along != nil {
			d = listGo(p.names[r.along.Name()], r.along)
		}
		line("{\nd := %s", d)
		for _, s := range []struct{ name, h string }{{"up", "h"}, {"down", "-h"}} {
			line("%s, err := %s\nif err != nil {\nreturn 0, err\n}", s.name, p.callGo(r.wrt, fmt.Sprintf("move(%s, %s, d)", from, s.h)))
		}
		if r.along != nil {
			d = "[]float64{1}"
		} else {
			d = "d"
		}
		field := func(of string, k int) string {
			return listGo(of+"."+p.field(k), p.Results[k].Node)
		}
		line("worst = math.Max(worst, differs(%s, %s, %s, %s, h))\n}", field("at", r.k), d, field("up", r.of), field("down", r.of))
	}
	line("return worst, nil\n}")
	return b.String()
}

// listGo is a value as a list of its entries.
func listGo(x string, of *combinators.Node) string {
	if of.Order() == 0 {
		return "[]float64{" + x + "}"
	}
	return x
}

// callGo is a call of the function, with other entries for a variable.
func (p *looper) callGo(moved *combinators.Node, entries string) string {
	var args []string
	for _, s := range p.symbols {
		args = append(args, p.names["size "+s.name])
	}
	for _, v := range p.Params {
		x := p.names[v.Name()]
		if v == moved {
			if x = entries; v.Order() == 0 {
				x += "[0]"
			}
		}
		args = append(args, x)
	}
	return p.Name + "(" + strings.Join(args, ", ") + ")"
}
