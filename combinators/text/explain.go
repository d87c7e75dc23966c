package text

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// unreadable says what is wrong where a rule file cannot be read: the token that cannot stand there, and
// by the part of the rule that it stands in, what may have been meant.
func unreadable(toks []lexer.Token, err error) error {
	var u *participle.UnexpectedTokenError
	if !errors.As(err, &u) {
		return placed(err)
	}
	at := 0
	for at < len(toks)-1 && place(toks[at].Pos) != place(u.Position()) {
		at++
	}
	tok := toks[at]
	e := errorf(place(tok.Pos), "%q cannot stand here", tok.Value)
	e.Width = utf8.RuneCountInString(tok.Value)
	if tok.EOF() {
		// behind what stands last, not on the empty line below
		e = errorf(Pos{1, 1}, "the text ends too early")
		if at > 0 {
			last := toks[at-1]
			e.Pos = Pos{last.Pos.Line, last.Pos.Column + utf8.RuneCountInString(last.Value)}
		}
	}
	e.Help = meant(toks[:at], tok)
	return e
}

// A stage is a part of a rule, named by what has been read of it.
type stage int

const (
	outside   stage = iota
	heading         // behind rule and its name
	variables       // in the brackets
	left
	right
	conditions
	schema // of native
)

// stageOf is the part of a rule that comes behind toks.
func stageOf(toks []lexer.Token) (at stage, start int) {
	depth := 0
	for i, t := range toks {
		switch {
		case t.Type == tokKeyword && (t.Value == "rule" || t.Value == "lemma"):
			at, start, depth = heading, i, 0
		case t.Type == tokKeyword && t.Value == "native":
			at, start = schema, i
		case t.Value == "[" && at == heading:
			at, depth = variables, 1
		case t.Value == "[" && at == variables:
			depth++
		case t.Value == "]" && at == variables:
			if depth--; depth == 0 {
				at = left
			}
		case (t.Value == "=>" || t.Value == "<=>") && t.Type == tokPunct:
			at = right
		case t.Type == tokKeyword && t.Value == "when":
			at = conditions
		}
	}
	return at, start
}

const ruleForm = `a rule is written: rule NAME "source" [x: S] LEFT => RIGHT`

// meant is what may have been meant by a token that cannot stand behind toks, "" where nothing is known.
// It stays one list of cases, the first of which holds.
func meant(toks []lexer.Token, tok lexer.Token) string {
	at, start := stageOf(toks)
	last := lexer.Token{}
	if len(toks) > 0 {
		last = toks[len(toks)-1]
	}
	switch at {
	case outside:
		return ruleForm
	case schema:
		return `a native schema is written: native NAME "source" STEP "law"`
	case heading:
		if len(toks) == start+1 {
			return "a rule has a name: rule NAME [x: S] ..."
		}
		return "metavariables stand in brackets behind the name and its source: rule NAME [x: S, A: R[m,n]] ..."
	case variables:
		switch {
		case last.Value == ":":
			return "a type follows the colon: x: S, A: R[m,n], r: Q, f: U -> V"
		case last.Value == "(" || tok.Value == "(":
			return "the axes of a space stand in brackets: R[m,n]"
		}
		return "metavariables are parted by commas, and the list ends with ]: [x y: S, A: R[m,n]]"
	}
	switch tok.Value {
	case "*":
		return "products are written .* entry by entry, and ein(ij,jk->ik; A, B) for matrices"
	case "/":
		return "quotients are written ./"
	case "^":
		return "powers are written x .^ 2, or power[r](x)"
	}
	switch {
	case last.Value == "^":
		return "powers are written x .^ 2, or power[r](x)"
	case at == conditions && last.Type == tokIdent && tok.Type == tokIdent:
		return fmt.Sprintf("a condition is written %s(%s)", last.Value, tok.Value)
	case at == conditions:
		return "conditions are parted by commas: when positive(x), r < 0"
	case at == left && (tok.Value == "=" || tok.Value == "->" || tok.Value == ":" || tok.EOF() || tok.Type == tokKeyword):
		return "the sides of a rule are parted by =>, or by <=> where it is read from both sides"
	case at == right && (last.Value == "=>" || last.Value == "<=>"):
		return "the right side follows " + last.Value
	}
	return ""
}
