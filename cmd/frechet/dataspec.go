package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A binding is one part of -d: a name with a file or a literal, or a file that
// names several tensors itself (.npz, .json).
type binding struct {
	name    string // "" for a file of several
	file    string
	literal string // a number, nested lists of numbers, or {"shape": [0,3], "data": []}
}

// parseBindings reads X=X.npy,y=y.csv,a=0.5,w=[1,2,3],all.npz: commas separate,
// except inside brackets. Numbers that follow a number without a name are a list with it, v=1,2,3.
func parseBindings(spec string) ([]binding, error) {
	var out []binding
	bare := false // the last literal is a number, or a list without brackets
	for _, part := range splitOutside(spec) {
		name, rhs, named := strings.Cut(part, "=")
		name, rhs = strings.TrimSpace(name), strings.TrimSpace(rhs)
		switch {
		case part == "":
			return nil, fmt.Errorf("-d %s: empty part; write NAME=FILE, NAME=NUMBERS or FILE.npz", spec)
		case !named && isLiteral(part) && bare:
			b := &out[len(out)-1]
			b.literal = "[" + strings.Trim(b.literal, "[]") + "," + part + "]"
			continue
		case !named && isLiteral(part):
			return nil, fmt.Errorf("-d %s: %s has no name; write NAME=[NUMBERS]", spec, part)
		case !named:
			out = append(out, binding{file: part})
		case name == "" || rhs == "":
			return nil, fmt.Errorf("-d %s: write NAME=FILE or NAME=NUMBERS", part)
		case isLiteral(rhs):
			out = append(out, binding{name: name, literal: rhs})
		default:
			out = append(out, binding{name: name, file: rhs})
		}
		bare = named && isLiteral(rhs) && strings.IndexByte(`[{"`, rhs[0]) < 0
	}
	return out, nil
}

// isLiteral tells numbers from files; a name such as nan or inf is a file.
func isLiteral(s string) bool {
	if s[0] == '[' || s[0] == '{' || s[0] == '"' {
		return true
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.IndexByte("+-.0123456789", s[0]) >= 0
}

// splitOutside splits at the commas that no bracket or brace encloses.
func splitOutside(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

// parseSizes reads m=3,n=4.
func parseSizes(specs []string) (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, spec := range specs {
		for part := range strings.SplitSeq(spec, ",") {
			name, num, ok := strings.Cut(strings.TrimSpace(part), "=")
			n, err := strconv.ParseInt(strings.TrimSpace(num), 10, 64)
			if !ok || name == "" || err != nil {
				return nil, fmt.Errorf("--size %s: write NAME=NUMBER, like m=3", part)
			}
			if n < 0 {
				return nil, fmt.Errorf("--size %s: a size is a whole number from 0", part)
			}
			sizes[strings.TrimSpace(name)] = n
		}
	}
	return sizes, nil
}
