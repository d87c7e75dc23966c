package query

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/export/dot"
	"frechet/internal/fault"
	"frechet/internal/program"
)

// A Named is a result with the name that it has in a program of several: value, grad_w, hess_w_v.
type Named struct {
	Name string // "" for a result that is not wanted
	Deriv
	// Same is the name of the result that has its entries with axes in another order: the Hessian by v and w is that by
	// w and v. It is "" for the first one.
	Same string
}

// Names names the results of output i of a program, of which keep wants some, nil all. Names that are taken stay so.
func Names(f *program.Program, i int, out Output, keep func(Deriv) bool, taken map[string]bool) []Named {
	prefix := ""
	if out.Name != "" {
		prefix = out.Name + "_"
	} else if name := f.OutputName(i); name != "" {
		prefix = name + "_"
	}
	value := strings.TrimSuffix(prefix, "_")
	if value == "" {
		value = "value"
	}
	first := map[string]string{}
	var all []Named
	for k, d := range slices.Concat([]Deriv{{Term: out.Value}}, out.Derivs, out.Parts) {
		x := Named{Deriv: d}
		if keep == nil || keep(d) {
			if x.Name = value; k > 0 {
				x.Name = prefix + suffix(d)
			}
			for taken[x.Name] {
				x.Name += "_"
			}
			taken[x.Name] = true
			if by := slices.Sorted(slices.Values(d.Wrt)); d.Operation == nil && d.Order > 1 {
				key := strings.Join(by, " ")
				if x.Same = first[key]; x.Same == "" {
					first[key] = x.Name
				}
			}
		}
		all = append(all, x)
	}
	return all
}

// suffix names a derivative.
func suffix(d Deriv) string {
	if op := d.Operation; op != nil {
		kind := strings.ReplaceAll(op.Kind, "-", "_")
		if op.Along != "" {
			return kind + "_" + op.Along
		}
		return kind + "_" + op.Wrt
	}
	wrt := strings.Join(d.Wrt, "_")
	switch d.Name() {
	case "gradient":
		return "grad_" + wrt
	case "Jacobian":
		return "jac_" + wrt
	case "Hessian":
		return "hess_" + strings.Join(slices.Compact(slices.Clone(d.Wrt)), "_")
	}
	return fmt.Sprintf("d%d_%s", d.Order, wrt)
}

// Joint are the results of a reply that keep wants, named, and one program of all in a notation of Formats: what they
// share stands once, in lets, those of the values first. A result that is another one with its axes exchanged is not printed
// again. In combinators the program is one map into all results.
func (r *Reply) Joint(format string, keep func(Deriv) bool) (all []Named, text string, err error) {
	defer fault.Guard(&err)
	taken := maps.Clone(r.f.Names())
	for _, o := range r.f.Outputs {
		delete(taken, o.Name)
	}
	w := writing{f: r.f, joint: true, lefts: map[string]string{}}
	for i, out := range r.Outputs {
		for _, x := range Names(r.f, i, out, keep, taken) {
			if x.Name == "" {
				continue
			}
			if all = append(all, x); x.Same == "" {
				w.names, w.values = append(w.names, x.Name), append(w.values, x.Term.written())
				w.lefts[x.Name] = x.symbol()
			}
		}
	}
	if len(all) == 0 {
		return nil, "", fault.New(fault.Request, "there is no result to print")
	}
	text, err = w.text(format)
	return all, text, err
}

// graph is the picture of the values for Graphviz.
func (w writing) graph() string {
	results := make([]dot.Result, len(w.values))
	for i, n := range combinators.Arrange(w.values...) {
		if results[i].Node = n; w.joint {
			results[i].Name = w.names[i]
		}
	}
	return dot.Graph(results...)
}
