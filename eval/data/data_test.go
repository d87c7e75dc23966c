package data

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/eval"
)

func TestReadWriteFiles(t *testing.T) {
	dir := t.TempDir()
	x := &eval.Tensor{Shape: []int{2, 3}, Data: []float64{1, 2, 3, 4, 5, 6}}
	for _, name := range []string{"x.npy", "x.npz", "x.csv", "x.json", "x.NPY"} {
		path := filepath.Join(dir, name)
		require.True(t, CanWrite(path))
		require.NoError(t, Write(path, x))
		y, err := Read(path, Options{})
		require.NoError(t, err)
		require.Equal(t, x, y, name)
	}
	for _, bad := range []string{"x.dat", "missing.npy", ".", "missing/x.npy"} {
		_, err := Read(filepath.Join(dir, bad), Options{})
		var e *Error
		require.ErrorAs(t, err, &e, bad)
		require.Equal(t, filepath.Join(dir, bad), e.Path)
	}
	require.ErrorContains(t, Write(filepath.Join(dir, "x.dat"), x), "unknown kind of file")
	require.ErrorContains(t, Write(filepath.Join(dir, "missing", "x.npy"), x), "cannot be written")
	require.ErrorContains(t, Write(filepath.Join(dir, "c.csv"), eval.NewTensor(1, 1, 1)), "c.csv: a tensor of order 3")
	require.NoFileExists(t, filepath.Join(dir, "c.csv"))
}

func TestWriteIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	failed := errors.New("no more")
	err := WriteFile(path, func(w io.Writer) error {
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
		return failed
	})
	require.ErrorIs(t, err, failed)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(got))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left behind")

	link := filepath.Join(dir, "link.json")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, Write(link, eval.Scalar(1)))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink, "a link stays a link")
	info, err = os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "and the file keeps its mode")
}

func TestNPZ(t *testing.T) {
	var b bytes.Buffer
	x, y := eval.Vector(1, 2, 3), eval.Scalar(4)
	require.NoError(t, WriteNPZ(&b, []Array{{Name: "x", Tensor: x}, {Name: "y", Tensor: y}}))
	read := func(names ...string) ([]Array, error) {
		return ReadNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()), Options{}, names...)
	}
	all, err := read()
	require.NoError(t, err)
	require.Equal(t, []Array{{Name: "x", Tensor: x}, {Name: "y", Tensor: y}}, all)
	some, err := read("y")
	require.NoError(t, err)
	require.Equal(t, []Array{{Name: "y", Tensor: y}}, some)
	_, err = read("z")
	require.ErrorContains(t, err, `no array named "z"; it has x, y`)
	require.Error(t, WriteNPZ(io.Discard, []Array{{Name: "x", Tensor: x}, {Name: "x", Tensor: y}}))

	path := filepath.Join(t.TempDir(), "both.npz")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	_, err = Read(path, Options{})
	require.ErrorContains(t, err, "several arrays (x, y)")
	some, err = ReadNPZFile(path, Options{}, "x")
	require.NoError(t, err)
	require.Equal(t, []Array{{Name: "x", Tensor: x}}, some)
	require.NoError(t, os.WriteFile(path, b.Bytes()[:40], 0o600))
	_, err = Read(path, Options{})
	require.ErrorContains(t, err, "is not a .npz file")
}

// A small archive may unpack to much: what arrives is bounded, whatever the directory claims.
func TestNPZBomb(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("x.npy")
	require.NoError(t, err)
	_, err = w.Write(npy(1, header("<f8", false, "(1000000,)"), make([]byte, 8000000)))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.Less(t, b.Len(), 20000)
	_, err = ReadNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()), Options{MaxElements: 1000})
	var limit *eval.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, 1e6, limit.Need)
}
