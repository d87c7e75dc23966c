// Command make makes the environments of Python of the given names, or all: see package venv.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"frechet/internal/venv"
)

func main() {
	names := os.Args[1:]
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(venv.Packages))
	}
	status := 0
	for _, name := range names {
		if err := venv.Make(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
			continue
		}
		path, _ := venv.Python(name)
		fmt.Println(name, path)
	}
	os.Exit(status)
}
