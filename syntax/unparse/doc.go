// Package unparse turns value nodes back into text that a person would write: the
// abstract syntax of the Einstein language, or of matrix notation.
package unparse
