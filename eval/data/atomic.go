package data

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
)

// WriteFile writes a file atomically: write fills a temporary file in the same directory,
// which replaces path only when all of it has reached the disk. Where write fails, path is
// left as it was and the temporary file is removed. A symbolic link is followed; a device or
// a pipe is written to directly.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	if real, e := filepath.EvalSymlinks(path); e == nil {
		path = real
	}
	mode := os.FileMode(0o644)
	if info, e := os.Stat(path); e == nil {
		if info.IsDir() {
			return errorf("is a directory")
		}
		if !info.Mode().IsRegular() {
			return writeDirectly(path, write)
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return &Error{Msg: "cannot be written", Err: cause(err)}
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err = write(w); err != nil {
		return err
	}
	for _, step := range []func() error{w.Flush, func() error { return f.Chmod(mode) }, f.Sync, f.Close,
		func() error { return os.Rename(f.Name(), path) }} {
		if err = step(); err != nil {
			return &Error{Msg: "cannot be written", Err: cause(err)}
		}
	}
	return nil
}

// cause strips the name of the temporary file, which means nothing to a reader.
func cause(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}

func writeDirectly(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return &Error{Msg: "cannot be written", Err: cause(err)}
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
