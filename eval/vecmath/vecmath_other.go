//go:build !amd64

package vecmath

const available = false

func expBlocks(dst, x *float64, n int) int { return 0 }
func logBlocks(dst, x *float64, n int) int { return 0 }

func addBlocks(dst, x, y *float64, n int) int             { return 0 }
func mulBlocks(dst, x, y *float64, n int) int             { return 0 }
func divBlocks(dst, x, y *float64, n int) int             { return 0 }
func sumBlocks(x *float64, n int) (sum float64, done int) { return 0, 0 }
