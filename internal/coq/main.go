// Command coq has the theorems of derivations checked by Coq, and counts them:
//
//	go run ./internal/coq [-golden] [-random N] [-altered N] [-sample N] [FILE...]
//
// Golden are the derivations of testdata/steps, of the closed forms, and of the other corpora; random ones are of programs that
// internal/programs draws, by a seed. Of each it says whether it was certified, withheld, with the reason, or failed, with
// Coq's message; of files all must be certified. Altered, of random programs and of files in a folder of that name, are wrong gradients, with another sign, a factor 2, a transpose, or without a term, of which the
// proof must fail.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	golden := flag.Bool("golden", false, "the golden derivations")
	random := flag.Int("random", 0, "how many random programs")
	seed := flag.Int("seed", 0, "the seed of the first of these")
	altered := flag.Int("altered", 0, "how many altered gradients")
	sample := flag.Int("sample", 1, "take each program of which the number is a multiple of this")
	only := flag.String("only", "", "print the theorems of the programs of which the name contains this, and check nothing")
	dry := flag.Bool("dry", false, "print theorems only, and count those that are withheld")
	flag.Parse()
	if err := run(flag.Args(), *golden, *random, *seed, *altered, *sample, *only, *dry); err != nil {
		fmt.Fprintln(os.Stderr, "coq:", err)
		os.Exit(1)
	}
}

func run(files []string, golden bool, random, seed, altered, sample int, only string, dry bool) error {
	var all []program
	if golden {
		ps, err := goldens(".")
		if err != nil {
			return err
		}
		all = append(all, ps...)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		all = append(all, program{name: file, text: string(src)})
		if altered > 0 && filepath.Base(filepath.Dir(file)) == "altered" {
			all = append(all, program{name: file + ", altered", text: string(src), altered: true})
		}
	}
	for i := range random {
		all = append(all, drawn(seed+i))
	}
	if altered > 0 && len(files) == 0 {
		for i := range altered {
			all = append(all, program{name: fmt.Sprintf("altered/%d", i), text: drawn(seed + i).text, altered: true})
		}
	}
	all = every(all, sample)
	if only != "" {
		return printed(all, only)
	}
	dir, err := os.MkdirTemp("", "coq")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	c := &checker{dir: dir, want: altered, dry: dry}
	if err := c.compile(); err != nil {
		return err
	}
	if err := c.check(all); err != nil {
		return err
	}
	if err := c.report(); err != nil {
		return err
	}
	if bad := count(c.withheld) + count(c.failed); len(files) > 0 && bad > 0 {
		return fmt.Errorf("%d of the given programs not certified", bad)
	}
	return nil
}
