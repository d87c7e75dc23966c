package program

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"frechet/combinators/text"
	"frechet/syntax"
)

// A mark is the offset of a line and column; a source has one for every line and every hundred
// characters.
type mark struct{ line, column, offset int }

func marks(src string) []mark {
	out := []mark{{1, 1, 0}}
	line, column := 1, 1
	for i, r := range src {
		if column%100 == 0 || column == 1 {
			out = append(out, mark{line, column, i})
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return out
}

// span is the place of n bytes from pos on.
func (s *Source) span(pos text.Pos, n int) syntax.Span {
	k, found := slices.BinarySearchFunc(s.marks, pos, func(m mark, p text.Pos) int {
		return cmp.Or(cmp.Compare(m.line, p.Line), cmp.Compare(m.column, p.Column))
	})
	if !found {
		k = max(k-1, 0)
	}
	m := s.marks[k]
	for i, r := range s.File.Src[m.offset:] {
		if m.line == pos.Line && m.column == pos.Column {
			return syntax.Span{Start: m.offset + i, End: min(m.offset+i+max(n, 1), len(s.File.Src))}
		}
		if m.column++; r == '\n' {
			break
		}
	}
	return syntax.Span{Start: len(s.File.Src), End: len(s.File.Src)}
}

// place turns an error of the packages below into one with a code and a place: its own, else pos.
func (s *Source) place(code syntax.Code, err error, pos text.Pos) error {
	var user *syntax.Error
	if errors.As(err, &user) {
		return err
	}
	message := err.Error()
	var e *text.Error
	if errors.As(err, &e) {
		pos, message = e.Pos, e.Message
		if e.Code != "" {
			out := s.File.Errorf(syntax.Code(e.Code), s.span(pos, max(e.Width, 1)), "%s", message)
			out.Help = e.Help
			return out
		}
	}
	if strings.Contains(message, "is no map: it is neither") || strings.Contains(message, "stands for no value") {
		code = "N002"
	}
	out := s.File.Errorf(code, s.span(pos, 1), "%s", message)
	switch code {
	case "S002":
		if slices.ContainsFunc([]string{`")"`, `"*"`, `".*"`, `"./"`, `"+"`}, func(t string) bool { return message == t+" cannot stand here" }) {
			out.Helpf("what is open in a section is written _: (A *(ij,j->i) _), (2 .* _); the product of two operands is (_ .* _)")
		} else if message == `"_" cannot stand here` {
			out.Helpf("what is open stands beside an operator: (A *(ij,j->i) _); the tensor product has blanks on both sides: (b (x) _)")
		} else {
			out.Helpf("a definition is written f : R[m,n] x R[n] -> R[m] = *(ij,j->i)")
		}
	case "N002":
		name, _, _ := strings.Cut(message, " ")
		if d := slices.IndexFunc(s.prog.Defs, func(d text.Def) bool { return slices.Contains(d.Params, name) }); d >= 0 {
			out.Helpf("%s is the argument of %s, and maps are written without their arguments: sin . exp, not sin(exp(%s))", name, s.prog.Defs[d].Name, name)
		} else {
			out.Helpf("values are declared with their sizes: declare A[m,n]; maps are defined before they are used")
		}
	}
	return out
}
