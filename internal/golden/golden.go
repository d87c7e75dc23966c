// Package golden runs tests whose expected outputs are sections of txtar archives, which a flag of the
// test rewrites.
package golden

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// An Archive is one file of tests: a comment, inputs, and expected outputs.
type Archive struct {
	*txtar.Archive
	t      *testing.T
	update bool
	stale  bool // an output differs from the file's
}

// Run runs a test for every archive that matches pattern, of which there must be one. With update set
// the outputs are written into the archives.
func Run(t *testing.T, pattern string, update bool, test func(t *testing.T, a *Archive)) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s", pattern)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			path, err := filepath.Abs(file) // the test may change the directory
			if err != nil {
				t.Fatal(err)
			}
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a := &Archive{Archive: ar, t: t, update: update}
			test(t, a)
			if a.stale {
				if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Section is the text of a section.
func (a *Archive) Section(name string) string {
	f := a.file(name)
	if f == nil {
		a.t.Fatalf("the archive has no section %s", name)
	}
	return string(f.Data)
}

func (a *Archive) file(name string) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	return nil
}

// Differs compares an output with a section, by same, or exactly where it is nil. It says what is
// wrong; where outputs are updated, nothing is.
func (a *Archive) Differs(name, got string, same func(want, got string) bool) string {
	f := a.file(name)
	switch {
	case f != nil && (string(f.Data) == got || same != nil && same(string(f.Data), got)):
		return ""
	case a.update:
		if f == nil {
			a.Files = append(a.Files, txtar.File{Name: name})
			f = &a.Files[len(a.Files)-1]
		}
		f.Data, a.stale = []byte(got), true
		return ""
	case f == nil:
		return "the archive has no section " + name
	}
	return "the output is not that of section " + name + ":\n" + string(f.Data) + "--- but\n" + got
}

// Check is Differs as an error of the test.
func (a *Archive) Check(name, got string) {
	a.t.Helper()
	if d := a.Differs(name, got, nil); d != "" {
		a.t.Errorf("%s", d)
	}
}

// Head begins the first line of a block in a file of Blocks.
const Head = "== "

// Blocks compares a text with a file, block by block, and lists the lines of each block that only one of
// the two has. With update set the file is written.
func Blocks(t *testing.T, path, got string, update bool) {
	t.Helper()
	if update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	old, now := blocks(string(want)), blocks(got)
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if now[name] != old[name] {
			t.Errorf("%s: %s%s\n%s%s", path, Head, name, only("-", old[name], now[name]), only("+", now[name], old[name]))
		}
	}
	for name, text := range now {
		if _, ok := old[name]; !ok {
			t.Errorf("%s: a new block\n%s", path, only("+", text, ""))
		}
	}
	if !t.Failed() {
		t.Errorf("%s: the blocks are in another order, or stand twice", path)
	}
}

// blocks finds blocks by their heads.
func blocks(text string) map[string]string {
	all := map[string]string{}
	for _, b := range strings.Split("\n"+text, "\n"+Head)[1:] {
		name, _, _ := strings.Cut(b, "\n")
		all[name] = strings.TrimSuffix(b, "\n")
	}
	return all
}

// only lists the lines of a that b lacks, with a mark.
func only(mark, a, b string) (list string) {
	has := strings.Split(b, "\n")
	for _, line := range strings.Split(a, "\n") {
		if !slices.Contains(has, line) {
			list += mark + " " + line + "\n"
		}
	}
	return list
}
