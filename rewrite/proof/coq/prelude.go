package coq

import (
	"embed"
	"iter"
	"regexp"
	"strings"
	"sync"
)

//go:embed *.v
var prelude embed.FS

// modules are the files of the prelude, each after those that it needs.
var modules = []string{"Derivative", "Sums", "Functions", "Matrices", "Rules", "Tactics", "Maps"}

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

// lemmas are the rules on values that are lemmas of the prelude, by their names, and mapLemmas those on maps.
var (
	lemmas    = sync.OnceValue(func() map[string]string { return lemmasOf("Rules") })
	mapLemmas = sync.OnceValue(func() map[string]string { return lemmasOf("Maps") })
)

func lemmasOf(module string) map[string]string {
	text, err := prelude.ReadFile(module + ".v")
	if err != nil {
		panic(err)
	}
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^Lemma (\w+)`).FindAllSubmatch(text, -1) {
		out[strings.ReplaceAll(string(m[1]), "_", "-")] = module + "." + string(m[1])
	}
	return out
}

// IsLemma says whether a rule is a lemma of the prelude.
func IsLemma(rule string) bool { return lemmas()[rule] != "" || mapLemmas()[rule] != "" }
