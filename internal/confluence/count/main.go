// Command count prints how often simplification gives one normal form to several writings of
// one value, on random terms.
//
//	go run ./internal/confluence/count [-terms N] [-steps N] [-writings N] [-seed N] [-show N] [-claims] [-plain] [-redexes] [-rules] [-derive] [-texts] [-print ...]
package main

import (
	"flag"
	"fmt"
	"slices"

	"frechet"
	"frechet/internal/confluence"
)

func main() {
	var o confluence.Options
	flag.IntVar(&o.Terms, "terms", 10_000, "number of random terms")
	flag.IntVar(&o.Steps, "steps", 8, "operations of a term, at most")
	flag.IntVar(&o.Writings, "writings", 3, "other writings of each term")
	flag.Uint64Var(&o.Seed, "seed", 1, "where the random terms begin")
	flag.IntVar(&o.Show, "show", 5, "failures to make small and print")
	flag.BoolVar(&o.Claims, "claims", false, "print only terms with two claimed normal forms, and terms that are not idempotent")
	flag.BoolVar(&o.Plain, "plain", false, "no strides and bounds")
	flag.BoolVar(&o.Redexes, "redexes", false, "half of the operations are left sides of rules")
	flag.BoolVar(&o.Rules, "rules", false, "other orders of the rules in the place of other writings")
	derive := flag.Bool("derive", false, "derivatives of the writings")
	var sh confluence.Shuffle
	texts := flag.Bool("texts", false, "texts of random terms, written in other ways")
	way := flag.String("mode", frechet.Modes()[0], "with -print: how to differentiate")
	printed := flag.Bool("print", false, "texts of random programs, written in other ways")
	flag.BoolVar(&sh.Operands, "operands", false, "with -print: operands in another order")
	flag.BoolVar(&sh.Statements, "statements", false, "with -print: let lines in another order")
	flag.BoolVar(&sh.Letters, "letters", false, "with -print: indices under other names")
	flag.BoolVar(&sh.Declarations, "declarations", false, "with -print: variables declared in another order")
	flag.Parse()
	switch {
	case *texts:
		printTexts(confluence.RunTexts(o))
		return
	case *printed:
		printTexts(confluence.RunPrinted(o, sh, frechet.Mode(max(0, slices.Index(frechet.Modes(), *way)))))
		return
	case *derive:
		for _, d := range confluence.RunDerived(o) {
			printCount(d, d.Failures)
		}
		return
	}
	c := confluence.Run(o)
	for _, f := range c.Failures {
		fmt.Println(f)
	}
	fmt.Print(c)
}

func printTexts(counts []confluence.Printed) {
	for _, p := range counts {
		printCount(p, p.Failures)
	}
}

// printCount prints a count behind its failures.
func printCount[F any](count any, failures []F) {
	for _, f := range failures {
		fmt.Println(f)
	}
	fmt.Println(count)
}
