// Package heap is imported by tests for its effect: it reserves memory that it never touches, as the command
// frechet does, so that garbage is first collected when a test has made as much. Short tests of many small
// stores take a third less time.
package heap

// Reserved is memory that nobody touches.
var Reserved = make([]byte, 128<<20)
