//go:build !amd64

package matmul

const available = false

func kernel(k int, a, b, c *float64, ldc int) { panic("matmul: no kernel for this processor") }
