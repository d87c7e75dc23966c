package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// group reads the index group whose "*" is at i and whose "(" is at open.
func (l *Lexer) group(i, open int) (lexer.TokenType, int) {
	spec, end := l.spec(open+1, ')')
	if l.Err != nil {
		return tokBad, end
	}
	l.specs[i] = spec
	if len(spec.In) == 1 {
		return tokAfter, end
	}
	return tokOp, end
}

// einsum reads the head of an n-ary product, `einsum(ij,jk->ik;`.
func (l *Lexer) einsum(i, open int) (lexer.TokenType, int) {
	spec, end := l.spec(open+1, ';')
	if l.Err != nil {
		return tokBad, end
	}
	l.specs[i] = spec
	return tokEinsum, end
}

// spec reads `s,...,s->s` and the closing character. Blanks may stand between
// the strings, not inside one.
func (l *Lexer) spec(i int, closing byte) (*Spec, int) {
	spec := &Spec{}
	for {
		var ix Indices
		if ix, i = l.indices(i); l.Err != nil {
			return nil, i
		}
		spec.In = append(spec.In, ix)
		if len(spec.In) > l.Limits.Order {
			l.Fail("L003", Span{i, i}, "the product has more than %d operands", l.Limits.Order)
			return nil, i
		}
		if l.At(i) == ',' {
			if closing == ')' && len(spec.In) == 2 {
				l.Fail("S005", Span{i, i + 1}, "an index product has two operands, this one names more")
				l.Err.Help = "for more operands write einsum(ij,jk,kl->il; A, B, C)"
				return nil, i
			}
			i++
			continue
		}
		if l.At(i) == '-' && l.At(i+1) == '>' {
			break
		}
		l.brokenSpec(i, "`->` is missing: an index group is written *(ij,j->i)")
		return nil, i
	}
	var out Indices
	if out, i = l.indices(i + 2); l.Err != nil {
		return nil, i
	}
	spec.Out = out
	if l.At(i) != closing {
		switch {
		case closing == ';' && l.At(i) == ')':
			l.brokenSpec(i, "the operands are missing: write einsum(ij,jk->ik; A, B)")
		case closing == ';' && l.At(i) == ',':
			l.brokenSpec(i, "the operands come after `;`: write einsum(ij,jk->ik; A, B)")
		case l.At(i) == ',':
			l.brokenSpec(i, "a product has one result, so one index string follows `->`")
		default:
			l.brokenSpec(i, "`"+string(closing)+"` is missing after the index strings")
		}
		return nil, i
	}
	return spec, i + 1
}

// indices reads one index string, which may be empty, and the blanks around it.
func (l *Lexer) indices(i int) (Indices, int) {
	i = l.SkipBlanks(i)
	var ix Indices
	start := i
	for IsLetter(l.At(i)) {
		letter := i
		for i++; l.At(i) == '\''; i++ {
		}
		ix.Letters = append(ix.Letters, l.Src[letter:i])
		if len(ix.Letters) > l.Limits.Order {
			l.Fail("L003", Span{start, i}, "more than %d indices: a tensor's order is at most %d", l.Limits.Order, l.Limits.Order)
			return ix, i
		}
	}
	ix.Span = Span{start, max(i, min(start+1, len(l.Src)))}
	return ix, l.SkipBlanks(i)
}

// brokenSpec reports what stands at i where an index group cannot have it.
func (l *Lexer) brokenSpec(i int, otherwise string) {
	c := l.At(i)
	_, size := utf8.DecodeRuneInString(l.Src[i:])
	message := otherwise
	switch {
	case IsDigit(c) || c == '_' || c == '\'':
		message = "an index is a letter, perhaps with primes: " + "`" + l.Src[i:i+size] + "` is none"
	case i >= len(l.Src):
		message = "the index group does not end"
	}
	l.Fail("S005", Span{i, i + size}, "%s", message)
	if strings.HasPrefix(l.Src[i:], "→") || strings.HasPrefix(l.Src[i:], "=>") {
		l.Err.Help = "the arrow is written ->"
	}
}
