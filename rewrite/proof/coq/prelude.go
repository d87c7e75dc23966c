package coq

import (
	"embed"
	"iter"
)

//go:embed *.v
var prelude embed.FS

// modules are the files of the prelude, each after those that it needs.
var modules = []string{"Derivative", "Sums", "Functions", "Matrices", "Tactics"}

// Files are the files of the prelude by name, each after those that it needs. They are compiled as the library Frechet:
//
//	coqc -R . Frechet Derivative.v
func Files() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, m := range modules {
			text, err := prelude.ReadFile(m + ".v")
			if err != nil {
				panic(err)
			}
			if !yield(m+".v", string(text)) {
				return
			}
		}
	}
}
