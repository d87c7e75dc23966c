package vecmath

import "golang.org/x/sys/cpu"

var available = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// expBlocks computes exp on groups of 16 entries until fewer are left or a group has an entry
// with |x| > 708 or NaN, and returns the number of entries done.
//
//go:noescape
func expBlocks(dst, x *float64, n int) int

// logBlocks computes log on groups of 8 entries until fewer are left or a group has an entry
// that is no positive normal number, and returns the number of entries done.
//
//go:noescape
func logBlocks(dst, x *float64, n int) int
