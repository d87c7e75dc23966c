// Command run exports every program of the corpora to every target that can run here, and compares the results with those
// of frechet:
//
//	go run ./internal/export/acceptance/run [-targets numpy,c] [-every 10] [-table]
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"frechet"
	"frechet/internal/export/acceptance"
)

func main() {
	targets := flag.String("targets", strings.Join(frechet.Targets(), ","), "the targets to run")
	every := flag.Int("every", 1, "one in every so many programs")
	only := flag.String("only", "", "cases with this in their names")
	flag.Parse()
	cases, err := acceptance.Cases(".", *every)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	kept := cases[:0]
	points := 0
	for _, c := range cases {
		if strings.Contains(c.ID, *only) {
			kept = append(kept, c)
			points += len(c.Points)
		}
	}
	fmt.Printf("%d programs at %d points\n", len(kept), points)
	bad := false
	for _, target := range strings.Split(*targets, ",") {
		outcomes, err := acceptance.Run(target, kept)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", target, err)
			bad = true
			continue
		}
		count := map[string]int{}
		for _, o := range outcomes {
			count[o.Verdict]++
			if o.Verdict != "passed" {
				fmt.Printf("%s %s %s: %s\n", target, o.Verdict, o.Case, o.Why)
			}
		}
		fmt.Printf("%s: %d passed, %d refused, %d failed\n", target, count["passed"], count["refused"], count["failed"])
		bad = bad || count["failed"] > 0
	}
	if bad {
		os.Exit(1)
	}
}
