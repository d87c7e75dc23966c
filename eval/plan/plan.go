// Package plan turns value nodes and concrete sizes into programs: lists of steps over
// buffers that are laid out beforehand. Package eval runs them.
package plan

// MaxOrder is the largest order (number of axes) of a tensor.
const MaxOrder = 64
