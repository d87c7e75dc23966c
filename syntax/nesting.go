package syntax

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// bitmap is a set of offsets.
type bitmap []uint64

func (b bitmap) set(i int) { b[i>>6] |= 1 << (i & 63) }

func (b bitmap) has(i int) bool { return b[i>>6]>>(i&63)&1 == 1 }

// findGroups marks every "(" with a comma or an arrow directly inside: after a
// "*" such a parenthesis is an index group, whole or broken, and any other "*(" is
// a multiplication. One pass, so that nested candidates cost nothing.
func findGroups(src string, nesting int) bitmap {
	marked := make(bitmap, len(src)/64+1)
	var open []int // offsets of the enclosing brackets; -1 for "["
	mark := func() {
		if n := len(open); n > 0 && open[n-1] >= 0 {
			marked.set(open[n-1])
		}
	}
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '#':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case '(', '[':
			if len(open) > nesting {
				return marked // the lexer stops before it gets here
			}
			if src[i] == '(' {
				open = append(open, i)
			} else {
				open = append(open, -1)
			}
		case ')', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case ',':
			mark()
		case '-':
			if i+1 < len(src) && src[i+1] == '>' {
				mark()
			}
		}
	}
	return marked
}

// nests says what a token does to the depth of the tree.
func nests(t lexer.TokenType, text string) (Nest, int) {
	switch t {
	case tokOpen, tokOpenSize, tokEinsum:
		return Opens, 1
	case tokClose, tokCloseSize, tokBody:
		return Closes, 1
	case tokSigns:
		return Piles, strings.Count(text, "-")
	case tokAfter:
		if text == "'" {
			return Piles, 1
		}
	case tokOp:
		if text == "^" || text == ".^" {
			return Piles, 1
		}
		return Ends, 1
	case tokComma, tokColon, tokSemicolon, tokDefine, tokDeclare, tokLet, tokExpression, tokExpressionAs, tokRequest:
		return Ends, 1
	}
	return Flat, 0
}
