package data

import (
	"strconv"
	"strings"

	"frechet/eval"
)

// parseNPYHeader reads the dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}:
// keys in any order, either kind of quote, blanks and a last comma allowed.
func parseNPYHeader(text string) (npyHeader, error) {
	p := &headerParser{rest: text}
	h := npyHeader{}
	seen := map[string]bool{}
	if !p.take("{") {
		return h, errorf("has a header that is no dictionary")
	}
	for !p.take("}") {
		key, ok := p.str()
		if !ok || !p.take(":") || seen[key] {
			return h, errorf("has a malformed header: %q", excerpt(text))
		}
		seen[key] = true
		switch key {
		case "descr":
			if h.descr, ok = p.str(); !ok {
				return h, errorf("holds records; only arrays of numbers can be read")
			}
		case "fortran_order":
			switch {
			case p.take("True"):
				h.fortran = true
			case p.take("False"):
			default:
				ok = false
			}
		case "shape":
			var err error
			if h.shape, err = p.tuple(); err != nil {
				return h, err
			}
		default:
			return h, errorf("has a header with the unknown key %q", excerpt(key))
		}
		if !ok || (!p.take(",") && !strings.HasPrefix(p.blank(), "}")) {
			return h, errorf("has a malformed header: %q", excerpt(text))
		}
	}
	if p.blank() != "" {
		return h, errorf("has a malformed header: %q", excerpt(text))
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return h, errorf("has a header without %q", key)
		}
	}
	return h, nil
}

func excerpt(s string) string {
	if len(s) > 80 {
		s = s[:80] + "..."
	}
	return s
}

type headerParser struct{ rest string }

func (p *headerParser) blank() string {
	p.rest = strings.TrimLeft(p.rest, " \t\n\r\x00")
	return p.rest
}

func (p *headerParser) take(token string) bool {
	var ok bool
	p.rest, ok = strings.CutPrefix(p.blank(), token)
	return ok
}

// str reads a string in either kind of quotes; the strings of a header need no escapes.
func (p *headerParser) str() (string, bool) {
	s := p.blank()
	if s == "" || (s[0] != '\'' && s[0] != '"') {
		return "", false
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return "", false
	}
	p.rest = s[end+2:]
	return s[1 : end+1], true
}

// tuple reads (), (3,) or (3, 4). Sizes may carry the L of Python 2's long integers.
func (p *headerParser) tuple() ([]int, error) {
	shape := []int{}
	if !p.take("(") {
		return nil, errorf("has a header whose shape is no tuple")
	}
	for !p.take(")") {
		s := p.blank()
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || n == 0 && s[n] == '-') {
			n++
		}
		d, err := strconv.Atoi(s[:n])
		switch {
		case err != nil:
			return nil, errorf("has a header with a size that is no number: %q", excerpt(s))
		case d < 0:
			return nil, errorf("has a header with a negative size, %d", d)
		case len(shape) == eval.MaxOrder:
			return nil, &Error{Err: &eval.LimitError{What: "axes of one tensor", Need: float64(len(shape) + 1), Limit: eval.MaxOrder}}
		}
		shape = append(shape, d)
		p.rest = strings.TrimPrefix(s[n:], "L")
		if !p.take(",") && !strings.HasPrefix(p.blank(), ")") {
			return nil, errorf("has a header with a malformed shape")
		}
	}
	return shape, nil
}
