// Package data reads and writes tensors in files: NumPy's .npy and .npz, .csv and .json.
//
// Files are not trusted. What a header claims is compared with the length of the file and
// with limits before anything is allocated, and a malformed file is an error that says where,
// never a panic. Writing is atomic: a file appears under its name complete or not at all.
package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"frechet/eval"
)

// Options bound what is read. The zero value means the defaults.
type Options struct {
	// MaxElements is the largest number of entries of one tensor; default 1<<28.
	MaxElements int
	// MaxBytes is the largest text file (.csv, .json) that is read; default 1<<31.
	MaxBytes int64
	// Order is the order that the reader wants where a file leaves a choice: one column or
	// one row of a .csv is a vector or a matrix. Natural leaves the choice to the file.
	Order Order
}

// Order is a wanted order, counted from 1 above Natural, so that its zero value asks nothing.
type Order int

// Natural takes a tensor as the file has it; a .csv of one column or one row is then a vector.
const Natural Order = 0

// WithOrder wants a tensor of order n.
func WithOrder(n int) Order { return Order(n + 1) }

func (o Options) maxElements() int {
	if o.MaxElements <= 0 {
		return 1 << 28
	}
	return o.MaxElements
}

func (o Options) maxBytes() int64 {
	if o.MaxBytes <= 0 {
		return 1 << 31
	}
	return o.MaxBytes
}

// An Error says what is wrong with a file. Line and Column count from 1 and are 0 in binary
// files; Column counts characters.
type Error struct {
	Path         string
	Line, Column int
	Msg          string
	Err          error // the cause: an I/O error or a *eval.LimitError; may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Line, e.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(e.Msg)
	if e.Err != nil {
		if e.Msg != "" {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

func errorf(format string, args ...any) *Error { return &Error{Msg: fmt.Sprintf(format, args...)} }

// named puts a path into an error.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		c := *e
		c.Path = path
		return &c
	}
	return &Error{Path: path, Err: err}
}

// Read reads the tensor in a file, by the ending of its name. A .npz file must hold one array.
// Errors are of type *Error.
func Read(path string, o Options) (*eval.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, openError(path, err)
	}
	if info.IsDir() {
		return nil, &Error{Path: path, Msg: "is a directory"}
	}
	size := int64(-1) // not known of pipes and devices
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	var t *eval.Tensor
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npy":
		t, err = ReadNPY(f, size, o)
	case ".npz":
		t, err = readOnlyArray(f, size, o)
	case ".csv", ".tsv", ".txt":
		t, err = ReadCSV(f, o)
	case ".json":
		t, err = ReadJSON(f, o)
	default:
		err = errorf("unknown kind of file %q; .npy, .npz, .csv and .json can be read", ext)
	}
	if err != nil {
		return nil, named(path, err)
	}
	return t, nil
}

func openError(path string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &Error{Path: path, Err: err}
}

// Write writes a tensor to a file, by the ending of its name: .npy, .npz (one array, named
// arr_0), .csv (orders up to 2) or .json. The file is replaced as a whole or left as it was.
func Write(path string, t *eval.Tensor) error { return writeOne(path, Array{Tensor: t}) }

func writeOne(path string, a Array) error {
	t := a.Tensor
	var write func(io.Writer) error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npy":
		write = func(w io.Writer) error { return writeNPY(w, t, a.Single) }
	case ".npz":
		write = func(w io.Writer) error { return WriteNPZ(w, []Array{{Name: "arr_0", Tensor: t, Single: a.Single}}) }
	case ".csv":
		write = func(w io.Writer) error { return WriteCSV(w, t) }
	case ".json":
		write = func(w io.Writer) error { return WriteJSON(w, t) }
	default:
		return named(path, errorf("unknown kind of file %q; .npy, .npz, .csv and .json can be written", ext))
	}
	return named(path, WriteFile(path, write))
}

// CanWrite reports whether Write knows the ending of a path.
func CanWrite(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".npy", ".npz", ".csv", ".json":
		return true
	}
	return false
}
