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
	table := flag.Bool("table", false, "print a row of the table of docs/export.md for each target")
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
		whole := map[string]int{}
		for _, o := range outcomes {
			count[o.Verdict]++
			corpus, _, _ := strings.Cut(o.Case, "/")
			whole[corpus+" "+o.Verdict]++
			if o.Verdict != "passed" && o.Verdict != "parsed" {
				fmt.Printf("%s %s %s: %s\n", target, o.Verdict, o.Case, o.Why)
			}
		}
		fmt.Printf("%s: %d passed, %d parsed, %d refused, %d failed\n", target, count["passed"], count["parsed"], count["refused"], count["failed"])
		if *table {
			printTable(target, whole)
		}
		bad = bad || count["failed"] > 0
	}
	if bad {
		os.Exit(1)
	}
}

// printTable prints a row: by corpus how many programs passed, of how many.
func printTable(target string, count map[string]int) {
	row := "| `" + target + "` "
	for _, corpus := range []string{"appendix", "closed", "documents", "edges", "elementwise", "gathers", "language", "models", "reported", "structure"} {
		passed := count[corpus+" passed"] + count[corpus+" parsed"]
		row += fmt.Sprintf("| %d/%d ", passed, passed+count[corpus+" refused"]+count[corpus+" failed"])
	}
	fmt.Println(row + "|")
}
