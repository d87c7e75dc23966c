package model

// An Outcome says how two sides compare at a point.
type Outcome uint8

const (
	NoSide Outcome = iota // neither side has a value, or the numbers are too large to compare
	LeftOnly
	RightOnly
	SidesEqual
	SidesDiffer
)
