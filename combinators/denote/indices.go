package denote

import (
	"errors"
	"slices"
	"strings"

	"frechet/combinators/text"
	"frechet/internal/lists"
	"frechet/internal/must"
)

// conditions reads i <= j, 0 <= i - j < 3, i = j, i != j: comparisons of affine forms, parted by commas.
// An inequality with two sides is either one: there are several lists, one of which must hold.
func conditions(src string) (out [][]text.Condition) {
	out = [][]text.Condition{nil}
	if strings.TrimSpace(src) == "" {
		return out
	}
	for _, s := range text.SplitTop(src) {
		sides, rels := chain(s)
		must.Hold(len(rels) != 0 && !slices.Contains(rels, "!"), "%q is no condition: i <= j, i = j", strings.TrimSpace(s))
		forms := make([]*text.Term, len(sides))
		for i, side := range sides {
			f, err := text.ParseAttr(side)
			if err != nil {
				panic(must.Errorf("in the condition %s: %s", strings.TrimSpace(s), reason(err)))
			}
			forms[i] = f
		}
		for i, rel := range rels {
			l, u := forms[i], forms[i+1]
			if strings.HasPrefix(rel, ">") {
				l, u = u, l
			}
			below := func(l, u *text.Term) text.Condition { // l < u
				return text.Condition{Form: text.New(text.Sub, text.New(text.Sub, u, l), text.NewInt(1))}
			}
			var either []text.Condition
			switch rel {
			case "<", ">":
				either = []text.Condition{below(l, u)}
			case "!=":
				either = []text.Condition{below(l, u), below(u, l)}
			default:
				either = []text.Condition{{Form: text.New(text.Sub, u, l), Zero: rel == "=" || rel == "=="}}
			}
			var next [][]text.Condition
			for _, old := range out {
				next = lists.Append(next, either, func(c text.Condition) []text.Condition { return append(slices.Clip(old), c) })
			}
			if out = next; len(out) > maxOverlaps {
				panic(must.Errorf("its conditions split it into more than %d sets", maxOverlaps))
			}
		}
	}
	return out
}

// chain splits 0 <= i - j < 3 into its sides and the relations between them.
func chain(s string) (sides, rels []string) {
	for {
		i := strings.IndexAny(s, "<>=!")
		if i < 0 {
			return append(sides, s), rels
		}
		n := 1
		if i+1 < len(s) && s[i+1] == '=' {
			n = 2
		}
		sides, rels = append(sides, s[:i]), append(rels, s[i:i+n])
		s = s[i+n:]
	}
}

// reason is what an error in a part of a text says, without the place in that part.
func reason(err error) string {
	if e := (*text.Error)(nil); errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// tuplesOf reads (a,b),(c,d) or nothing. An index that is itself a tuple counts with its parts:
// ((i,j),k) is (i,j,k).
func tuplesOf(src string) (out [][]*text.Term) {
	if strings.TrimSpace(src) == "" {
		return nil
	}
	for _, pair := range text.SplitTop(src) {
		parts, ok := partsOf(pair)
		must.Hold(ok, "a relation is a list of pairs: (0,0),(0,1)")
		var tuple []*text.Term
		for _, s := range parts {
			f, err := text.ParseAttr(s)
			if err != nil {
				panic(must.Errorf("in the index %s: %s", strings.TrimSpace(s), reason(err)))
			}
			tuple = append(tuple, f)
		}
		out = append(out, tuple)
	}
	return out
}

// partsOf are the indices in (a,b), with those of the tuples in it.
func partsOf(src string) (parts []string, ok bool) {
	src = strings.TrimSpace(src)
	if !strings.HasPrefix(src, "(") || !strings.HasSuffix(src, ")") {
		return nil, false
	}
	if src = src[1 : len(src)-1]; strings.TrimSpace(src) == "" {
		return nil, true
	}
	for _, s := range text.SplitTop(src) {
		inner, tuple := partsOf(s)
		if !tuple || len(inner) == 1 {
			inner = []string{s}
		}
		parts = append(parts, inner...)
	}
	return parts, true
}
