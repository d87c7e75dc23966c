package coq

import (
	"regexp"
	"strings"

	"frechet/internal/lists"
	"frechet/internal/must"
)

// A tree is a term as it is read back: an operation with its operands, or a word.
//
//	(\sum_(i < n) ((A i j) * (x j)))    sum i n (* (app A i j) (app x j))
type tree struct {
	op   string
	args []*tree
}

func (t *tree) word() bool { return len(t.args) == 0 }

// String is the tree in one way of writing, by which trees are compared.
func (t *tree) String() string {
	if t.word() {
		return t.op
	}
	var words []string
	words = lists.Append(words, t.args, func(a *tree) string { return a.String() })
	return "(" + t.op + " " + strings.Join(words, " ") + ")"
}

var token = regexp.MustCompile(`\\sum_\(|\^-1|\^\+|%:R|%N|:>|:=|==|<=|=>|[A-Za-z_][\w'.]*|\d+|\S`)

// A reader reads terms from tokens. What it does not know is a failure (package must).
type termReader struct {
	tokens []string
	at     int
}

func readTerm(text string) *termReader { return &termReader{tokens: token.FindAllString(text, -1)} }

func (p *termReader) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *termReader) take(t string) bool {
	if p.peek() != t {
		return false
	}
	p.at++ // behind the last one, too, which is ""
	return true
}

func (p *termReader) expect(words ...string) {
	for _, t := range words {
		must.Hold(p.take(t), "%q stands where %q belongs", p.peek(), t)
	}
}

// relation = sum [("==" | "<=") sum [":>" "nat"] | ":" "R"]
func (p *termReader) relation() *tree {
	t := p.sum()
	if p.take(":") {
		p.expect("R")
	}
	for _, op := range []string{"==", "<="} {
		if p.take(op) {
			t = &tree{op, []*tree{t, p.sum()}}
			if p.take(":>") {
				p.expect("nat")
			}
		}
	}
	return t
}

// sum = product {("+" | "-") product}
func (p *termReader) sum() *tree {
	t := p.product()
	for p.peek() == "+" || p.peek() == "-" {
		op := p.peek()
		p.at++
		t = &tree{op, []*tree{t, p.product()}}
	}
	return t
}

// product = factor {("*" | "/") factor}
func (p *termReader) product() *tree {
	t := p.factor()
	for p.peek() == "*" || p.peek() == "/" {
		op := p.peek()
		p.at++
		t = &tree{op, []*tree{t, p.factor()}}
	}
	return t
}

// factor = "\sum_(" word "<" sum ")" product | "-" factor | applied {"^-1" | "^+" number | "%:R" | "%N"}
func (p *termReader) factor() *tree {
	switch {
	case p.take(`\sum_(`):
		i := p.atom()
		p.expect("<")
		n := p.sum()
		p.expect(")")
		return &tree{"sum", []*tree{i, n, p.product()}}
	case p.take("-"):
		return &tree{"neg", []*tree{p.factor()}}
	}
	t := p.atom()
	if first := t; isName(first.op) {
		for args := []*tree{}; p.peek() == "(" || isName(p.peek()) || isNumber(p.peek()); {
			args = append(args, p.postfix(p.atom()))
			t = &tree{"app", append([]*tree{first}, args...)}
		}
	}
	return p.postfix(t)
}

// postfix reads what follows a term; N and R say of which sort it is, and a relation becomes a number by them.
func (p *termReader) postfix(t *tree) *tree {
	for {
		switch {
		case p.take("^-1"):
			t = &tree{"inv", []*tree{t}}
		case p.take("^+"):
			t = &tree{"^", []*tree{t, p.atom()}}
		case p.take("%N"), p.take("%:R"):
		default:
			return t
		}
	}
}

// atom = word | number | "(" relation ")"
func (p *termReader) atom() *tree {
	if p.take("(") {
		t := p.relation()
		t = p.postfix(t)
		p.expect(")")
		return t
	}
	must.Hold(isName(p.peek()) || isNumber(p.peek()), "%q is no term", p.peek())
	p.at++
	return &tree{op: p.tokens[p.at-1]}
}

func isName(t string) bool { return t != "" && (t[0] == '_' || t[0]|0x20 >= 'a' && t[0]|0x20 <= 'z') }

func isNumber(t string) bool { return t != "" && t[0] >= '0' && t[0] <= '9' }
