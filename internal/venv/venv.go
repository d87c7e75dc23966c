// Package venv has the environments of Python that tests and measurements run in, with pinned packages from PyPI. They lie in
// the user's cache and are made by
//
//	go run ./internal/venv/make [NAME..]
package venv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Packages are what each environment has.
var Packages = map[string][]string{
	"dask":    {"dask==2026.8.0", "distributed==2026.8.0", "numpy==2.4.6"},
	"duckdb":  {"duckdb==2.0.1", "numpy==2.4.6"},
	"jax":     {"jax==0.10.2", "jaxlib==0.10.2"},
	"jupyter": {"jupyter_client==8.10.0", "ipykernel==7.4.0", "numpy==2.4.6"},
	"numpy":   {"numpy==2.4.6", "scipy==1.17.1"},
	"parsers": {"tree-sitter==0.26.1", "tree-sitter-julia==0.23.1", "tree-sitter-matlab==1.3.1"},
}

// Python is the interpreter of an environment, and whether it was made.
func Python(name string) (path string, made bool) {
	home, err := os.UserCacheDir()
	if err != nil {
		return "", false
	}
	dir := filepath.Join(home, "frechet-python", name)
	ready, _ := os.ReadFile(filepath.Join(dir, "ready"))
	return filepath.Join(dir, "bin", "python"), Packages[name] != nil && string(ready) == strings.Join(Packages[name], " ")
}

// Make makes an environment where it is not there.
func Make(name string) error {
	python, made := Python(name)
	switch {
	case made:
		return nil
	case Packages[name] == nil:
		return fmt.Errorf("no environment %q", name)
	}
	dir := filepath.Dir(filepath.Dir(python))
	for _, args := range [][]string{
		{"python3", "-m", "venv", "--clear", dir},
		append([]string{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"}, Packages[name]...)} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return os.WriteFile(filepath.Join(dir, "ready"), []byte(strings.Join(Packages[name], " ")), 0o600)
}
