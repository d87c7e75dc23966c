package vecmath

// addBlocks, mulBlocks and divBlocks set dst to x + y, x * y and x / y on groups of 16 entries until fewer are
// left, and return the number of entries done.
//
//go:noescape
func addBlocks(dst, x, y *float64, n int) int

//go:noescape
func mulBlocks(dst, x, y *float64, n int) int

//go:noescape
func divBlocks(dst, x, y *float64, n int) int

// sumBlocks adds the entries of groups of 16 until fewer are left.
//
//go:noescape
func sumBlocks(x *float64, n int) (sum float64, done int)
