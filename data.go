package frechet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"frechet/eval"
	"frechet/eval/data"
	"frechet/internal/protocol"
	"frechet/internal/words"
)

// Tensor is a dense array of float64 in row-major order.
type Tensor = eval.Tensor

// Env gives tensors to variables by name.
type Env map[string]*Tensor

// Dims gives the sizes of variables' axes by name, Sizes numbers to size symbols.
type (
	Dims  map[string][]int64
	Sizes map[string]int64
)

// DimsOf returns the shapes of the tensors.
func DimsOf(env Env) Dims {
	dims := Dims{}
	for name, t := range env {
		d := make([]int64, len(t.Shape))
		for i, n := range t.Shape {
			d[i] = int64(n)
		}
		dims[name] = d
	}
	return dims
}

// A NamedTensor is a tensor of a file of several.
type NamedTensor struct {
	Name   string
	Tensor *Tensor
}

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
	o := dataOptions(lim)
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npz":
		arrays, err := data.ReadNPZFile(path, o)
		if err != nil {
			return nil, err
		}
		var out []NamedTensor
		for _, a := range arrays {
			out = append(out, NamedTensor{a.Name, a.Tensor})
		}
		return out, nil
	case ".json":
		return readJSONTensors(path, o)
	}
	return nil, fmt.Errorf("%s: only .npz and .json files name their tensors; write NAME=%s", path, path)
}

func readJSONTensors(path string, o data.Options) ([]NamedTensor, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	var m map[string]json.RawMessage
	if err := json.Unmarshal(src, &m); err != nil || (len(m) == 2 && m["shape"] != nil && m["data"] != nil) {
		t, err := data.Read(path, o) // one tensor, named by its file
		return []NamedTensor{{base, t}}, err
	}
	var out []NamedTensor
	for _, name := range slices.Sorted(maps.Keys(m)) {
		t, err := data.ReadJSON(bytes.NewReader(m[name]), o)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
		out = append(out, NamedTensor{name, t})
	}
	return out, nil
}

// ParseTensor reads a number or nested lists of numbers: 0.5, [1,2], [[1,2],[3,4]].
func ParseTensor(literal string) (*Tensor, error) {
	return data.ReadJSON(strings.NewReader(literal), data.Options{})
}

func dataOptions(lim Limits) data.Options {
	return data.Options{MaxElements: int(lim.orDefault().Elements)}
}

// IsDataFile reports whether the name of a file says that it holds numbers: .npy, .npz,
// .csv or .json.
func IsDataFile(path string) bool { return data.CanWrite(path) }

// WriteTensors writes tensors to a file by the ending of its name; several need .npz or
// .json. The file appears whole or not at all.
func WriteTensors(path string, ts []NamedTensor) error {
	if len(ts) == 1 {
		return data.Write(path, ts[0].Tensor)
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npz":
		arrays := make([]data.Array, len(ts))
		for i, t := range ts {
			arrays[i] = data.Array{Name: t.Name, Tensor: t.Tensor}
		}
		return WriteFile(path, func(w io.Writer) error { return data.WriteNPZ(w, arrays) })
	case ".json":
		return WriteFile(path, func(w io.Writer) error { return writeJSONTensors(w, ts) })
	}
	return fmt.Errorf("%s: %s need a .npz or a .json file", path, words.Count(len(ts), "tensor"))
}

func writeJSONTensors(w io.Writer, ts []NamedTensor) error {
	for i, t := range ts {
		sep := ","
		if i == 0 {
			sep = "{"
		}
		if _, err := fmt.Fprintf(w, "%s\n%q: ", sep, t.Name); err != nil {
			return err
		}
		if err := data.WriteJSON(w, t.Tensor); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "}\n")
	return err
}

// WriteFile writes a file so that it appears whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := data.WriteFile(path, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// AppendJSON appends a tensor as JSON, {"shape": [..], "data": [..]}; numbers that JSON
// does not have are strings.
func AppendJSON(b []byte, t *Tensor) []byte {
	return protocol.AppendTensor(b, &protocol.Tensor{Shape: t.Shape, Data: t.Data})
}
