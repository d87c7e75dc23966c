package verify

import (
	"fmt"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/einsum/size"
	"frechet/internal/must"
	"frechet/rewrite"
	"frechet/rewrite/normal"
)

// An instance of a rule that names a native step or all atoms is no example of it: what such rules do
// is shown by a term on which the program applies them.

// mapExamples are maps, with the spaces where they need them; the values in them are A : R[m,n],
// u : R[m], x, v : R[n], C : R[m,n].
var mapExamples = map[string]struct{ dom, cod, term string }{
	"C-copower-leaf": {"R[k,n]", "", "(A *(ij,j->i) _)^[k]"},
	"C-lift":         {"R[k,n]", "", "(A *(ij,j->i) _)^[k]"},
	"C-share-pair":   {"R[n]", "", "<sin . (x .* _), exp . (x .* _)>"},
	"C-share-sum":    {"R[n]", "", "sin . (x .* _) + exp . (x .* _)"},
	"C-share":        {"R[n]", "", "sin . (x .* _) + exp . (x .* _)"},
	"D-multilinear":  {"R[m] x R[m,n] x R[n]", "", "D(*(i,ij,j->))(u, A, v)"},
	"D-atom":         {"R[n]", "", "D(sin)(x)"},
	"D-row":          {"R[n]", "", "D(softmax[1])(x)"},
	"A-contraction":  {"R[m]", "R[n]", "adjoint((A *(ij,j->i) _))"},
	"A-swap":         {"R[m,n]", "R[m]", "adjoint((x *(j,i->ij) _))"},
	"A-atom":         {"R[m*n]", "R[m,n]", "adjoint((merge[0] : R[m,n] -o R[m*n]))"},
	"A-row":          {"R[m*n]", "R[m,n]", "adjoint((merge[0] : R[m,n] -o R[m*n]))"},

	"L-join":            {"R[n]", "", "(x .* _) . (v .* _)"},
	"L-join-chain":      {"R[2,n]", "", "(x .* _) . (v .* _) . sum[2]"},
	"L-join-step":       {"R[n]", "", "(x .* _) . (v .* _)"},
	"L-front":           {"R[n]", "", "scan . (2 .* _)"},
	"L-front-chain":     {"R[n]", "", "scan . (2 .* _) . scan"},
	"L-front-step":      {"R[n]", "", "scan . (2 .* _)"},
	"L-number":          {"R[n]", "R[n-1]", "ein([i:n],[]->[i:n-1]|i=n-1; _, 2)"},
	"L-number-step":     {"R[n]", "R[n-1]", "ein([i:n],[]->[i:n-1]|i=n-1; _, 2)"},
	"L-collect":         {"R[n]", "", "(x .* _) + id"},
	"L-collect-step":    {"R[n]", "", "(x .* _) + id"},
	"L-select":          {"R[n] x R[n]", "", "(scan . pi1 + pi2) . <pi2, scan . pi1>"},
	"L-select-chain":    {"R[n] x R[n]", "", "(scan . pi1 + pi2) . <pi2, scan . pi1> . [<scan, id>, <id, scan>]"},
	"L-select-step":     {"R[n] x R[n]", "", "(scan . pi1 + pi2) . <pi2, scan . pi1>"},
	"L-push-sum":        {"R[n]", "R[n]", "((red{(0,i,i)} : R[2,n] -o R[n]) + (red{(1,i,i)} : R[2,n] -o R[n])) . rep[2]"},
	"L-push-sum-chain":  {"R[n]", "R[n]", "((red{(0,i,i)} : R[2,n] -o R[n]) + (red{(1,i,i)} : R[2,n] -o R[n])) . rep[2] . scan"},
	"L-push-pair":       {"R[n]", "", "<(red{(0,i,i)} : R[2,n] -o R[n]), (red{(1,i,i)} : R[2,n] -o R[n])> . rep[2]"},
	"L-push-pair-chain": {"R[n]", "", "<(red{(0,i,i)} : R[2,n] -o R[n]), (red{(1,i,i)} : R[2,n] -o R[n])> . rep[2] . scan"},
	"L-push-step":       {"R[n]", "R[n]", "((red{(0,i,i)} : R[2,n] -o R[n]) + (red{(1,i,i)} : R[2,n] -o R[n])) . rep[2]"},
}

// stepsShown names the rule that makes a native step on closed combinators.
var stepsShown = map[string]string{"C-lift": "C-copower-leaf", "C-share": "C-share-sum", "D-row": "D-atom", "A-swap": "A-contraction", "A-row": "A-atom",
	"L-join-step": "L-join", "L-front-step": "L-front", "L-number-step": "L-number", "L-collect-step": "L-collect", "L-select-step": "L-select", "L-push-step": "L-push-sum"}

// workedMap is a map of mapExamples before and after the rule or native step; "" where there is none.
func workedMap(name string) (before, after string) {
	x, ok := mapExamples[name]
	if !ok {
		return "", ""
	}
	rule := name
	if by := stepsShown[name]; by != "" {
		rule = by
	}
	s := combinators.NewStore()
	env := &denote.Env{}
	dims := map[string]size.Size{}
	for _, n := range []string{"k", "m", "n"} {
		dims[n] = size.Sym(n)
		env.Sizes = append(env.Sizes, denote.SizeBinding{Name: n, Size: dims[n]})
	}
	for name, shape := range map[string][]size.Size{"A": {dims["m"], dims["n"]}, "u": {dims["m"]}, "x": {dims["n"]}, "v": {dims["n"]}} {
		env.Values = append(env.Values, denote.Binding{Name: name, Value: s.Var(name, shape)})
	}
	m, err := readMap(s, x.term, x.dom, x.cod, env)
	if err != nil {
		panic(fmt.Sprintf("the example of %s: %v", name, err)) // the texts are those above
	}
	_, err = adjoint.Standard().ClosedForm(m, func(f rewrite.ClosedFiring) {
		if f.Rule.Name == rule && before == "" {
			before, after = text.PrintClosed(f.Before, false), text.PrintClosed(f.After, false)
		}
	})
	if err != nil {
		return "", ""
	}
	return before, after
}

func readMap(s *combinators.Store, term, dom, cod string, env *denote.Env) (m combinators.Map, err error) {
	defer must.Recover(&err)
	defer must.Recover(&err)
	t := must.Get(text.Parse(term))
	spaces := make([]*combinators.Space, 2)
	for i, src := range []string{dom, cod} {
		if src == "" {
			continue
		}
		sp := must.Get(denote.ReadSpace(must.Get(text.ParseType(src)).Cod, env))
		spaces[i] = &sp
	}
	return denote.ReadMap(s, t, spaces[0], spaces[1], env)
}

// nativeExamples are values on which the program makes a native step that passSteps has not; the
// values in them are those of passSteps.
var nativeExamples = map[string][]string{
	"fuse": {"ein(ij,j->i; A, ein(ij,j->i; B, x))"},
}

// workedValue is a value before and after a native step of the normal form.
func workedValue(n *text.Native) (before, after string) {
	sources := passSteps[n.Step]
	if sources == nil {
		sources = nativeExamples[n.Step]
	}
	s := combinators.NewStore()
	p := text.Printer{}
	env := passValues(s)
	for _, src := range sources {
		steps, err := stepsOf(s, src, env, n.Name)
		if err == nil && len(steps) > 0 {
			return p.Print(text.Value(steps[0].Before)), p.Print(text.Value(steps[0].After))
		}
	}
	return "", ""
}

// passValues are the values that the texts of passSteps name.
func passValues(s *combinators.Store) *denote.Env {
	three := size.Const(3)
	env := &denote.Env{Sizes: []denote.SizeBinding{}}
	for name, shape := range map[string][]size.Size{
		"x": {three}, "y": {three}, "s": {}, "A": {three, three}, "B": {three, three}, "C": {size.Const(2), three},
	} {
		env.Values = append(env.Values, denote.Binding{Name: name, Value: s.Var(name, shape)})
	}
	return env
}

// stepsOf are the steps with a name that the normal form of a value takes.
func stepsOf(s *combinators.Store, src string, env *denote.Env, name string) (made []normal.Step, err error) {
	defer must.Recover(&err)
	n := must.Get(denote.ReadNode(s, must.Get(text.Parse(src)), env))
	z := normal.New(s, nil)
	z.Trace = func(step normal.Step) {
		if step.Rule == name {
			made = append(made, step)
		}
	}
	z.Simplify(n)
	return made, nil
}
