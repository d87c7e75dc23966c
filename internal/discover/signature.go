package discover

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/combinators/denote"
	"frechet/combinators/text"
	"frechet/internal/words"
	"frechet/rewrite/verify"
)

// Words are names in a signature that are no functions of the table, with the terms of operands a and b that they mean: the
// first of them that has a type. @ stands for the batch axes that metavariables have.
var Words = map[string][]string{
	"+":     {"a + b"},
	"-":     {"-a"},
	"minus": {"a - b"},
	"*":     {"ein(@ij,@jk->@ik; a, b)", "ein(@ij,@j->@i; a, b)", "a .* b"},
	".*":    {"a .* b"},
	"/":     {"power[-1](a)"},
	"'":     {"ein(@ij->@ji; a)"},
	"sqrt":  {"power[1/2](a)"},
	"tr":    {"ein(@ii->@; a)"},
	"sum":   {"ein(@i->@; a)"},
	"diag":  {"ein(@i->@ii; a)"},
	"dot":   {"ein(~,~->; a, b)"},
	"outer": {"ein(@i,@j->@ij; a, b)"},
	"det":   {"minor[0](a)"},
	"adj":   {"ein(@ij->@ji; minor[1](a))"},
	"prod":  {"product[0](a)"},
	"eye":   {"eye[n]"},
}

// An operation makes terms of operands a and b: the first of its forms that has a type does.
type operation struct {
	name  string
	arity int
	forms []*text.Term
}

// nodes counts the nodes of a term.
func nodes(t *text.Term) (n int) {
	text.Walk(t, func(*text.Term) bool { n++; return true })
	return n
}

// arity counts the operands among a and b that stand in a term.
func arity(t *text.Term) (n int) {
	for _, x := range operands {
		n += min(1, occurrences(t, x))
	}
	return n
}

func occurrences(t *text.Term, name string) (n int) {
	text.Walk(t, func(u *text.Term) bool {
		if u.Op == text.Name && u.Name == name {
			n++
		}
		return true
	})
	return n
}

var operands = []string{"a", "b"}

// operations reads a signature.
func operations(over string, vars []text.Var) (ops []operation, err error) {
	batch := ""
	if slices.ContainsFunc(vars, func(v text.Var) bool { return strings.Contains(v.Type.String(), "...") }) {
		batch = "..."
	}
	for _, word := range strings.Fields(over) {
		o := operation{name: word}
		for _, form := range forms(word) {
			t, err := text.Parse(strings.ReplaceAll(form, "@", batch))
			if err != nil {
				return nil, fmt.Errorf("%s in the signature: %w", word, err)
			}
			o.arity, o.forms = arity(t), append(o.forms, t)
		}
		if o.forms == nil {
			var names []string
			for _, at := range atom.Rows() {
				names = append(names, at.Name, at.Spoken())
			}
			if near := words.Nearest(word, names); near != "" {
				return nil, fmt.Errorf("%s in the signature is no function; is %s meant?", word, near)
			}
			return nil, fmt.Errorf("%s in the signature is no function, contraction or number", word)
		}
		ops = append(ops, o)
	}
	if len(ops) == 0 {
		return nil, fmt.Errorf("the signature names nothing: exp log + 1")
	}
	return ops, nil
}

// forms are the texts of the terms that a word means; nil where it means none.
func forms(word string) []string {
	if f := Words[word]; f != nil {
		return f
	}
	if index := strings.TrimSuffix(strings.TrimPrefix(word, "ein("), ")"); strings.Contains(index, "->") && !strings.Contains(index, ";") {
		in, _, _ := strings.Cut(index, "->")
		if strings.Count(in, ",") >= len(operands) {
			return nil
		}
		return []string{fmt.Sprintf("ein(%s; %s)", index, strings.Join(operands[:1+strings.Count(in, ",")], ", "))}
	}
	t, err := text.Parse(word)
	if err != nil {
		return nil
	}
	at := atom.Named(t.Name)
	if at == nil {
		at = spoken(t.Name)
	}
	switch {
	case t.Op == text.Num, t.Op == text.Name && at != nil && at.Arity == 0:
		return []string{word}
	case t.Op == text.Name && at != nil && at.Arity <= 2:
		attrs := strings.TrimPrefix(word, t.Name)
		return []string{at.Name + attrs + "(" + strings.Join(operands[:at.Arity], ", ") + ")"}
	case arity(t) > 0:
		return []string{word}
	}
	return nil
}

func spoken(name string) *atom.Row {
	for _, at := range atom.Rows() {
		if at.Spoken() == name {
			return at
		}
	}
	return nil
}

// variables reads metavariables; where none are declared, they are two of each kind that an operation of the signature has a
// use for: x and y of any order, A and B of square matrices.
func variables(declared, over string) ([]text.Var, error) {
	const entries, matrices = "x y: S", "A B: R[n,n]"
	read := func(declared string) ([]text.Var, error) {
		f, err := text.ParseRules("lemma signature [" + declared + "] 0 => 0")
		if err != nil {
			return nil, fmt.Errorf("%q does not declare metavariables, as x y: S, A: R[n,n] does", declared)
		}
		for _, v := range f.Rules[0].Vars {
			switch {
			case v.Type == nil || v.Type.Arrow != text.NoArrow || v.Type.Cod.IsNumber():
				return nil, fmt.Errorf("the metavariable %s is no value; laws in which a number is open are found by themselves", v.Name)
			case slices.Contains(append([]string{number}, operands...), v.Name):
				return nil, fmt.Errorf("no metavariable is called %s, which has a meaning of its own", v.Name)
			}
		}
		return f.Rules[0].Vars, nil
	}
	if declared != "" {
		return read(declared)
	}
	var kinds []string
	for _, kind := range []string{entries, matrices} {
		vars, err := read(kind)
		if err != nil {
			return nil, err
		}
		ops, err := operations(over, vars)
		if err != nil {
			return nil, err
		}
		s := combinators.NewStore()
		env, err := verify.Metavariables(s, vars, nil)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(ops, func(o operation) bool {
			return o.arity == 1 && o.name != "-" && o.name != "/" && o.reads(s, env, kinds)
		}) {
			kinds = append(kinds, kind)
		}
	}
	if kinds == nil {
		kinds = []string{entries}
	}
	return read(strings.Join(kinds, ", "))
}

// reads reports whether the operation has a type at the first value of env, which is no function of entries where there are
// variables for these.
func (o *operation) reads(s *combinators.Store, env *denote.Env, have []string) bool {
	at := *env
	at.Values = append(slices.Clone(env.Values), denote.Binding{Name: "a", Value: env.Values[0].Value})
	for _, f := range o.forms {
		if n, err := denote.ReadNode(s, f, &at); err == nil {
			return have == nil || n.Atom().Class != atom.ClassElementwise
		}
	}
	return false
}
