package plan

import (
	"fmt"
	"math"
	"strconv"
)

// A SizeError says that sizes which must be equal are not, or that a size is missing or
// impossible. It is found before anything is computed.
type SizeError struct {
	Name string // the variable, symbol or operation concerned
	Msg  string // what is wrong with its sizes
}

func (e *SizeError) Error() string {
	if e.Name == "" {
		return e.Msg
	}
	return e.Name + ": " + e.Msg
}

// A LimitError says that a computation was refused because something in it would be larger
// than a limit. Nothing of that size has been allocated.
type LimitError struct {
	What  string  // what is counted, with its unit: "elements of one tensor", "bytes of memory"
	Need  float64 // how much there would have been
	Limit int64   // how much is allowed
	Help  string  // what to do instead; may be empty
}

func (e *LimitError) Error() string {
	s := fmt.Sprintf("limit reached: %s %s, at most %s allowed", count(e.Need), e.What, count(float64(e.Limit)))
	if e.Help != "" {
		s += "; " + e.Help
	}
	return s
}

// count prints a whole number in full while that is readable, and in scientific notation beyond.
func count(v float64) string {
	if math.Abs(v) < 1e15 && v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// A SingularError says that a matrix that had to be inverted is singular, exactly or to
// working precision, or has not what another function asks for.
type SingularError struct {
	Op    string  // "inv" or "solve"
	What  string  // what is wrong with the matrix; "" where it is singular
	Batch int     // which matrix of a batch, in row-major order; 0 without batch axes
	RCond float64 // reciprocal condition of the equilibrated matrix; 0 when exactly singular
}

func (e *SingularError) Error() string {
	s := e.Op + ": the matrix is singular"
	if e.What != "" {
		s = e.Op + ": the matrix " + e.What
	} else if e.RCond > 0 {
		s = fmt.Sprintf("%s to working precision (reciprocal condition %.2g)", s, e.RCond)
	}
	if e.Batch > 0 {
		s = fmt.Sprintf("%s (matrix %d of the batch)", s, e.Batch)
	}
	return s
}
