package verify

// An outcome says how two sides compare at a point.
type outcome uint8

const (
	noSide outcome = iota // neither side has a value, or the numbers are too large to compare
	leftOnly
	rightOnly
	sidesEqual
	sidesDiffer
)
