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

// nesting bounds the depth of the tree that tokens build, before it is built:
// brackets inside one another, and within each bracket the exponents, signs and
// primes that pile up on one operand.
type nesting struct {
	chain []int // per open bracket, what piles up on the operand being read
	depth int   // open brackets and all of chain
}

func (n *nesting) see(t lexer.TokenType, text string) int {
	top := len(n.chain) - 1
	switch t {
	case tokOpen, tokOpenSize, tokEinsum:
		n.chain = append(n.chain, 0)
		n.depth++
	case tokClose, tokCloseSize:
		if top > 0 {
			n.depth -= n.chain[top] + 1
			n.chain = n.chain[:top]
		}
	case tokSigns:
		k := strings.Count(text, "-")
		n.chain[top] += k
		n.depth += k
	case tokAfter:
		if text == "'" {
			n.chain[top]++
			n.depth++
		}
	case tokOp:
		if text == "^" || text == ".^" {
			n.chain[top]++
			n.depth++
			break
		}
		fallthrough
	case tokComma, tokColon, tokSemicolon, tokDefine, tokDeclare, tokLet, tokExpression, tokExpressionAs, tokRequest:
		n.depth -= n.chain[top]
		n.chain[top] = 0
	}
	return n.depth
}
