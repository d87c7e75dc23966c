package syntax

import "strings"

// A definition of a map, `map L : R[n] -o R[m] = (A *(ij,j->i) _)`, is one token of this language, as
// a definition in index notation is: its text, in combinator notation, runs to the next statement.
// Package combinators/program reads what is inside.

// mapHead returns the name of the map that the word from i to end begins to define: NAME or
// NAME(...) and a colon follow the word map.
func (l *Lexer) mapHead(i, end int) (name Span, ok bool) {
	if l.Src[i:end] != "map" {
		return name, false
	}
	at := l.SkipBlanks(end)
	name = Span{at, l.wordEnd(at)}
	at = l.SkipBlanks(name.End)
	if l.At(at) == '(' {
		for at++; at < len(l.Src) && l.Src[at] != ')'; at++ {
			if c := l.Src[at]; c == '(' || c == '=' || c == '#' {
				return name, false
			}
		}
		at = l.SkipBlanks(at + 1)
	}
	return name, name.End > name.Start && l.At(at) == ':'
}

// mapEnd returns the end of the definition of a map whose name ends at i. A let of the term
// stands where a term begins, after = or a bracket; until its `in`, an equals sign begins no
// statement. Neither does anything in the type.
func (l *Lexer) mapEnd(i int) int {
	depth, lets, end, typed := 0, 0, i, false
	last := byte(' ') // the character before, blanks aside; a letter for a word
	for i = l.SkipBlanks(i); i < len(l.Src); i = l.SkipBlanks(i) {
		c := l.Src[i]
		if IsLetter(c) {
			e := l.wordEnd(i)
			wanted := strings.IndexByte("=+-*/.^<(,i", last) >= 0 // an operand
			switch word := l.Src[i:e]; {
			case word == "let" && (last == '=' || last == '(' || last == ',' || last == 'i'):
				lets++
			case word == "in" && lets > 0 && !wanted:
				lets--
				i, end, last = e, e, 'i'
				continue
			case typed && depth == 0 && lets == 0 && l.beginsStatement(i, e, wanted):
				return end
			}
			i, end, last = e, e, 'w'
			continue
		}
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		case '=':
			typed = typed || depth == 0
		}
		last = c
		i++
		end = i
	}
	return end
}
