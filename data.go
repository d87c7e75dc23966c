package frechet

import (
	"fmt"
	"frechet/eval"
	"frechet/eval/data"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/protocol"
	"io"
	"strings"
)

// Tensor is a dense array of float64 in row-major order.
type Tensor = eval.Tensor

type (
	// Env gives tensors to variables by name.
	Env = program.Env
	// Dims gives the sizes of variables' axes by name.
	Dims = program.Dims
	// Sizes gives numbers to size symbols.
	Sizes = program.Sizes
)

// AppendJSON appends a tensor as JSON, {"shape": [..], "data": [..]}; numbers that JSON
// does not have are strings.
func AppendJSON(b []byte, t *Tensor) []byte {
	return protocol.AppendTensor(b, &protocol.Tensor{Shape: t.Shape, Data: t.Data})
}

// A NamedTensor is a tensor of a file of several.
type NamedTensor = data.Array

// ReadTensor reads the tensor in a .npy, .csv, .json or one-array .npz file. order
// decides where the file leaves a choice: one column of a .csv is a vector or a matrix;
// a negative order takes what the file says.
func ReadTensor(path string, order int, lim Limits) (*Tensor, error) {
	o := dataOptions(lim)
	if order >= 0 {
		o.Order = data.WithOrder(order)
	}
	return data.Read(path, o)
}

// ReadTensors reads the tensors of a file that names them: a .npz archive, or a .json
// object of tensors by name. A .json file of one tensor is named by the file.
func ReadTensors(path string, lim Limits) ([]NamedTensor, error) {
	return data.ReadNamed(path, dataOptions(lim))
}

func dataOptions(lim Limits) data.Options {
	return data.Options{MaxElements: int(fault.Filled(lim).Elements)}
}

// ParseTensor reads a number, nested lists of numbers, or rows: 0.5, [1,2], [[1,2],[3,4]], [1,2; 3,4].
func ParseTensor(literal string) (*Tensor, error) {
	return data.ReadJSON(strings.NewReader(literal), data.Options{})
}

// IsDataFile reports whether the name of a file says that it holds numbers: .npy, .npz,
// .csv or .json.
func IsDataFile(path string) bool { return data.CanWrite(path) }

// WriteTensors writes tensors to a file by the ending of its name; several need .npz or
// .json. The file appears whole or not at all.
func WriteTensors(path string, ts []NamedTensor) error { return data.WriteNamed(path, ts) }

// WriteFile writes a file so that it appears whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := data.WriteFile(path, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// DimsOf returns the shapes of the tensors.
func DimsOf(env Env) Dims { return program.DimsOf(env) }
