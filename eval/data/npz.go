package data

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"frechet/eval"
)

// An Array is a named tensor of a .npz file.
type Array struct {
	Name   string
	Tensor *eval.Tensor
	Single bool // .npy and .npz files have it as float32
}

// ReadNPZ reads the arrays of a .npz file (a zip archive of .npy files), in the order of the
// archive; with names, only those, each of which must be there. size is the length of r.
// The options bound each array; the sizes that the archive claims are not relied on.
func ReadNPZ(r io.ReaderAt, size int64, o Options, names ...string) ([]Array, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, errorf("is not a .npz file: %v", err)
	}
	var out []Array
	for _, f := range z.File {
		name, isArray := strings.CutSuffix(f.Name, ".npy")
		if !isArray || (len(names) > 0 && !slices.Contains(names, name)) {
			continue
		}
		if slices.ContainsFunc(out, func(a Array) bool { return a.Name == name }) {
			return nil, errorf("holds two arrays named %q", excerpt(name))
		}
		t, err := readMember(f, o)
		if err != nil {
			return nil, &Error{Msg: "array " + excerpt(name), Err: err}
		}
		out = append(out, Array{Name: name, Tensor: t})
	}
	for _, name := range names {
		if !slices.ContainsFunc(out, func(a Array) bool { return a.Name == name }) {
			return nil, errorf("holds no array named %q; it has %s", name, members(z))
		}
	}
	return out, nil
}

func readMember(f *zip.File, o Options) (*eval.Tensor, error) {
	rc, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	return ReadNPY(rc, -1, o)
}

func members(z *zip.Reader) string {
	var names []string
	for _, f := range z.File {
		if name, ok := strings.CutSuffix(f.Name, ".npy"); ok {
			names = append(names, excerpt(name))
		}
		if len(names) == 20 {
			names = append(names, "...")
			break
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// ReadNPZFile reads the arrays of a .npz file as ReadNPZ does.
func ReadNPZFile(path string, o Options, names ...string) ([]Array, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, openError(path, err)
	}
	out, err := ReadNPZ(f, info.Size(), o, names...)
	return out, named(path, err)
}

// readOnlyArray reads a .npz file that holds one array.
func readOnlyArray(f *os.File, size int64, o Options) (*eval.Tensor, error) {
	if size < 0 {
		return nil, errorf("a .npz archive cannot be read from a pipe")
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		return nil, errorf("is not a .npz file: %v", err)
	}
	var only *zip.File
	for _, m := range z.File {
		if strings.HasSuffix(m.Name, ".npy") {
			if only != nil {
				return nil, errorf("holds several arrays (%s): name the one that is meant", members(z))
			}
			only = m
		}
	}
	if only == nil {
		return nil, errorf("holds no array")
	}
	return readMember(only, o)
}

// WriteNPZ writes arrays as a .npz file, compressed; equal arrays give equal bytes.
func WriteNPZ(w io.Writer, arrays []Array) error {
	z := zip.NewWriter(w)
	seen := map[string]bool{}
	for _, a := range arrays {
		if seen[a.Name] {
			return errors.New("two arrays are named " + a.Name)
		}
		seen[a.Name] = true
		// zip's first representable day: a fixed time keeps the bytes reproducible
		m, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Deflate,
			Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			err = writeNPY(m, a.Tensor, a.Single)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}
