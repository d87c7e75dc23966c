package matmul

import "golang.org/x/sys/cpu"

var available = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// kernel adds the product of a sliver of 6 rows, a[6*p+i], and a sliver of 8 columns,
// b[8*p+j], p from 0 to k-1, to the 6 by 8 entries c[i*ldc+j]. k is at least 1.
//
//go:noescape
func kernel(k int, a, b, c *float64, ldc int)
