package syntax

import "github.com/alecthomas/participle/v2/lexer"

// Kinds of tokens. Names of keywords beyond the thesis's own get a keyword's
// kind only where a statement begins; everywhere else they are names.
const (
	tokBad       lexer.TokenType = Bad + iota // what could not be read; the lexer holds the error
	tokName                                   // a variable, a size symbol, a word such as "order"
	tokNum                                    // an unsigned number
	tokCall                                   // a function's name
	tokOption                                 // the NAME of NAME=VALUE among arguments
	tokDelta                                  // delta
	tokEinsum                                 // einsum(ij,jk->ik;
	tokOp                                     // an operator between two operands, index groups among them
	tokSigns                                  // - before an operand, as many as there are
	tokAfter                                  // what follows an operand: ' and *(ij->ji)
	tokOpen                                   // (
	tokClose                                  // )
	tokOpenSize                               // [
	tokCloseSize                              // ]
	tokComma                                  // ,
	tokEquals                                 // =
	tokColon                                  // :, between the bounds of a slice
	tokSemicolon                              // ;, between the rows of blocks
	tokStray                                  // ->, which no grammar rule takes
	tokDeclare
	tokLet
	tokExpression
	tokExpressionAs // the "expression" of expression NAME = EXPR
	tokRequest      // derivative, gradient, hessian, jvp, vjp, hvp, diag-hessian, gauss-newton
	tokWrt
	tokAttribute // symmetric, after the sizes of a declared tensor
	tokScan      // scan, root, .. before a step
	tokBody      // the parenthesis behind which the step stands
	tokIn        // the end of a let in a step
	tokDefine    // a whole definition in index notation, f[i] = x[i]; see definition.go
)

// symbols names the kinds for the grammar's struct tags.
var symbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Bad": tokBad, "Name": tokName, "Num": tokNum, "Call": tokCall,
	"Option": tokOption, "Delta": tokDelta, "Einsum": tokEinsum,
	"Op": tokOp, "Signs": tokSigns, "After": tokAfter, "Open": tokOpen, "Close": tokClose,
	"OpenSize": tokOpenSize, "CloseSize": tokCloseSize, "Comma": tokComma, "Equals": tokEquals,
	"Colon": tokColon, "Semicolon": tokSemicolon, "Stray": tokStray, "Declare": tokDeclare, "Let": tokLet, "Expression": tokExpression,
	"ExpressionAs": tokExpressionAs, "Request": tokRequest, "Wrt": tokWrt, "Attribute": tokAttribute, "Scan": tokScan, "Body": tokBody, "In": tokIn, "Define": tokDefine,
}

// startsStatement reports whether a token of kind t begins a statement.
func startsStatement(t lexer.TokenType) bool {
	switch t {
	case tokDeclare, tokLet, tokExpression, tokExpressionAs, tokRequest, tokDefine:
		return true
	}
	return false
}

// startsOperand reports whether an operand may begin with a token of kind t.
func startsOperand(t lexer.TokenType) bool {
	switch t {
	case tokName, tokNum, tokCall, tokDelta, tokEinsum, tokOpen, tokOpenSize, tokSigns, tokScan:
		return true
	}
	return false
}

// wantsOperand reports whether an operand has to follow a token of kind t.
func wantsOperand(t lexer.TokenType) bool {
	return t == tokOp || t == tokSigns || t == tokOpen || t == tokComma || t == tokEquals || t == tokBody || t == tokIn
}

// endsOperand reports whether an operand may end with a token of kind t.
func endsOperand(t lexer.TokenType) bool {
	switch t {
	case tokName, tokNum, tokClose, tokCloseSize, tokAfter:
		return true
	}
	return false
}
