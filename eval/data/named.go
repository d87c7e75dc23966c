package data

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

	"frechet/internal/words"
)

// ReadNamed reads the tensors of a file that names them: a .npz archive, or a .json
// object of tensors by name. A .json file of one tensor is named by the file.
func ReadNamed(path string, o Options) ([]Array, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npz":
		return ReadNPZFile(path, o)
	case ".json":
		return readJSONNamed(path, o)
	}
	return nil, fmt.Errorf("%s: only .npz and .json files name their tensors; write NAME=%s", path, path)
}

func readJSONNamed(path string, o Options) ([]Array, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	var m map[string]json.RawMessage
	if err := json.Unmarshal(src, &m); err != nil || (len(m) == 2 && m["shape"] != nil && m["data"] != nil) {
		t, err := Read(path, o) // one tensor, named by its file
		return []Array{{Name: base, Tensor: t}}, err
	}
	var out []Array
	for _, name := range slices.Sorted(maps.Keys(m)) {
		t, err := ReadJSON(bytes.NewReader(m[name]), o)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
		out = append(out, Array{Name: name, Tensor: t})
	}
	return out, nil
}

// WriteNamed writes tensors to a file by the ending of its name; several need .npz or
// .json. The file appears whole or not at all.
func WriteNamed(path string, ts []Array) error {
	if len(ts) == 1 {
		return writeOne(path, ts[0])
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npz":
		return named(path, WriteFile(path, func(w io.Writer) error { return WriteNPZ(w, ts) }))
	case ".json":
		return named(path, WriteFile(path, func(w io.Writer) error { return writeJSONNamed(w, ts) }))
	}
	return fmt.Errorf("%s: %s need a .npz or a .json file", path, words.Count(len(ts), "tensor"))
}

func writeJSONNamed(w io.Writer, ts []Array) error {
	for i, t := range ts {
		sep := ","
		if i == 0 {
			sep = "{"
		}
		if _, err := fmt.Fprintf(w, "%s\n%q: ", sep, t.Name); err != nil {
			return err
		}
		if err := WriteJSON(w, t.Tensor); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "}\n")
	return err
}
