package frechet

import (
	"context"
	"io"

	"frechet/internal/batch"
)

// Batch reads one JSON request a line from r and writes one answer a line to w, in
// order, each as soon as it is found; docs/batch.md describes both. An error in a
// request is its answer. Batch returns an error only where r or w fails, or ctx ends.
func Batch(ctx context.Context, r io.Reader, w io.Writer, opts ...Option) error {
	return batch.Run(ctx, r, w, newOptions(opts), false)
}

// BatchFiles is Batch for requests that may name files: they can have any file read as numbers, and files written.
func BatchFiles(ctx context.Context, r io.Reader, w io.Writer, opts ...Option) error {
	return batch.Run(ctx, r, w, newOptions(opts), true)
}
