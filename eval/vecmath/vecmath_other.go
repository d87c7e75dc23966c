//go:build !amd64

package vecmath

const available = false

func expBlocks(dst, x *float64, n int) int { return 0 }
func logBlocks(dst, x *float64, n int) int { return 0 }
