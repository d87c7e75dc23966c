package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// What coqc may take for a file, whose theorems share it: one that needs more by itself has failed.
const (
	maxTime   = 180       // seconds of a processor
	maxMemory = 6_000_000 // kB
)

// coqc checks a file of dir; the output tells what is wrong with it. It ends with ctx.
func coqc(ctx context.Context, dir, file string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", fmt.Sprintf("ulimit -t %d -v %d; exec coqc -w none -R . Frechet %s", maxTime, maxMemory, file))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(out), err
}

// library are the axioms of the library of real numbers, on which theorems may rest.
var library = []string{"functional_extensionality_dep", "propositional_extensionality", "constructive_indefinite_description"}

// reports are what Print Assumptions has printed: of each theorem the axioms that are none of the library's.
func reports(out string) (strange []string) {
	blocks := regexp.MustCompile(`(?m)^(Axioms:|Closed under the global context)$`).Split(out, -1)
	for _, block := range blocks[1:] {
		var names []string
		for l := range strings.Lines(block[min(1, len(block)):]) {
			name, typed := axiom(l)
			if !typed && !strings.HasPrefix(l, " ") {
				break
			}
			if typed && !slices.Contains(library, name) {
				names = append(names, name)
			}
		}
		strange = append(strange, strings.Join(names, ", "))
	}
	return strange
}

var axiomLine = regexp.MustCompile(`^(?:\w+\.)*(\w+)( :.*)?\n?$`)

// axiom reads the line that begins an axiom.
func axiom(line string) (name string, ok bool) {
	m := axiomLine.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], true
}
