package rewrite

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"frechet/combinators/atom"
	"frechet/combinators/text"
	"frechet/internal/words"
)

// Errors in rules, with their places and what may have been meant.

// wrong is an error at a term.
func wrong(t *text.Term, help, format string, args ...any) error {
	word := t.Name
	if t.Op == text.Ein {
		word = "ein"
	}
	return wrongAt(t.Pos, word, help, format, args...)
}

// wrongAt is an error at a word.
func wrongAt(pos text.Pos, word, help, format string, args ...any) error {
	return &text.Error{Pos: pos, Width: utf8.RuneCountInString(word), Message: fmt.Sprintf(format, args...), Help: help}
}

// ofRule says in which rule an error is, and gives it the place of the rule where it has none.
func ofRule(t *text.Rule, err error) error {
	e := text.Error{Pos: t.Pos, Message: err.Error()}
	var placed *text.Error
	if errors.As(err, &placed) {
		e = *placed
		if e.Pos == (text.Pos{}) {
			e.Pos, e.Width = t.Pos, 0
		}
	}
	e.Message = fmt.Sprintf("rule %s: %s", t.Name, e.Message)
	return &e
}

// undeclared says why a name stands for nothing.
func (c *compiler) undeclared(t *text.Term, where string) error {
	bare, prime := strings.CutSuffix(t.Name, "'")
	switch {
	case c.free[t.Name]:
		return wrong(t, fmt.Sprintf("its type follows a colon: [%s: S] for a value of any shape, [%s: R[n]] for a vector", t.Name, t.Name),
			"%s has no type, so it is a size, not a value", t.Name)
	case prime && c.vars[bare] != nil:
		return wrong(t, fmt.Sprintf("a transpose is written ein(ij->ji; %s)", bare), "%s%s is not declared", t, where)
	case len(t.Attrs) > 0 && where == "" && slices.Contains(made, t.Name):
		return wrong(t, "tensors of given entries are made by right sides; a number stands for one of any shape",
			"%s cannot stand on a left side", t)
	case len(t.Attrs) > 0:
		return wrong(t, "", "%s stands for no value%s", t, where)
	}
	declared := slices.Sorted(maps.Keys(c.vars))
	return wrong(t, fmt.Sprintf("%smetavariables are declared in the brackets behind the rule's name: [%s: S]", meant(t.Name, declared), t.Name), "%s%s is not declared", t, where)
}

// meant asks for the name that is most like one that there is not.
func meant(name string, names []string) string {
	if n := words.Nearest(name, names); n != "" {
		return "did you mean " + n + "? "
	}
	return ""
}

// written are functions of programs that rules write in another way.
var written = map[string]string{
	"tr": "ein(ii->; A)", "trace": "ein(ii->; A)", "det": "minor[0](A)", "adj": "ein(ij->ji; minor[1](A))",
	"sum": "ein(~->; x)", "diag": "ein(ii->i; A)", "sqrt": "power[1/2](x)", "square": "power[2](x)",
	"norm1": "ein(~->; abs(x))", "ln": "log(x)", "transpose": "ein(ij->ji; A)",
	"kron": "merge[1](merge[0](ein(ij,kl->ikjl; A, B)))", "dot": "ein(i,i->; x, y)", "matmul": "ein(ij,jk->ik; A, B)",
	"outer": "ein(i,j->ij; x, y)", "tensor": "ein(i,j->ij; x, y)", "recip": "power[-1](x)", "asin": "arcsin(x)", "acos": "arccos(x)", "atan": "arctan(x)",
}

// hintFor says how a function is written that rules do not have.
func hintFor(name string) string {
	if w := written[name]; w != "" {
		return fmt.Sprintf("in rules it is written %s", w)
	}
	names := slices.Collect(maps.Keys(written))
	best := ""
	for _, a := range atom.Rows() {
		if a.Class < atom.ClassLinear {
			continue
		}
		names = append(names, a.Name)
		if strings.HasPrefix(a.Name, name) || strings.HasPrefix(name, a.Name) && len(a.Name) > 2 {
			best = a.Name
		}
	}
	if near := words.Nearest(name, names); near != "" {
		best = near
	}
	if w := written[best]; w != "" {
		return fmt.Sprintf("did you mean %s? In rules it is written %s", best, w)
	}
	if best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "a rule's functions are those of combinators: frechet rules list has rules to follow"
}
