package syntax

// The declaration of a function, `primitive h : R -> R derivative h1`, is one token of this language, as the definition of
// a map is. Package combinators/text has its grammar.

// primitiveHead returns the name of the function that the word from i to end begins to declare: NAME and a colon follow the
// word primitive.
func (l *Lexer) primitiveHead(i, end int) (name Span, ok bool) {
	if l.Src[i:end] != "primitive" {
		return name, false
	}
	at := l.SkipBlanks(end)
	name = Span{at, l.wordEnd(at)}
	for to := name.End; l.At(to) == '\''; to++ {
		name.End = to + 1 // refused later, with a better message
	}
	return name, name.End > name.Start && l.At(l.SkipBlanks(name.End)) == ':'
}

// primitiveEnd returns the end of the declaration whose name ends at i: it runs to the next statement. The names of the
// derivatives follow the word derivative, and wrt follows it in a request.
func (l *Lexer) primitiveEnd(i int) int {
	depth, end, arrow := 0, i, false
	for i = l.SkipBlanks(i); i < len(l.Src); i = l.SkipBlanks(i) {
		c := l.Src[i]
		if IsLetter(c) {
			e := l.wordEnd(i)
			next, _ := l.peekWord(e)
			if arrow && depth == 0 && !(l.Src[i:e] == "derivative" && next != "wrt") && l.beginsStatement(i, e, false) {
				return end
			}
			i, end = e, e
			continue
		}
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		case '-':
			arrow = true
		}
		i++
		end = i
	}
	return end
}

// derivativeEnd returns the end of the name of a derivative, h' or l'12, that begins with the word that ends at i; i where
// a parenthesis does not follow at once: A' is a transpose.
func (l *Lexer) derivativeEnd(i int) int {
	end := i
	for l.At(end) == '\'' {
		end++
	}
	if end == i {
		return i
	}
	for IsDigit(l.At(end)) {
		end++
	}
	if l.At(end) != '(' {
		return i
	}
	return end
}
