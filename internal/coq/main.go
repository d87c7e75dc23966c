// Command coq has the theorems of derivations checked by Coq, and counts them:
//
//	go run ./internal/coq [-golden] [-random N] [-altered N] [-sample N] [-dir DIR] [FILE...]
//
// Golden are the derivations of testdata/steps, of the closed forms, and of the other corpora; random ones are of programs that
// internal/programs draws, by a seed. Of each it says whether it was certified, withheld, with the reason, or failed, with
// Coq's message; of files all must be certified. What rests on an axiom that is not the library's has failed. Altered, of random
// programs and of files in a folder of that name, are wrong gradients, with another sign, a factor 2, a transpose, or without a
// term, of which the proof must fail before its limit of time (coqc.go names the limits). Ctrl-C ends it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

type options struct {
	golden, dry                   bool
	random, seed, altered, sample int
	only, dir                     string
}

func main() {
	var o options
	flag.BoolVar(&o.golden, "golden", false, "the golden derivations")
	flag.IntVar(&o.random, "random", 0, "how many random programs")
	flag.IntVar(&o.seed, "seed", 0, "the seed of the first of these")
	flag.IntVar(&o.altered, "altered", 0, "how many altered gradients")
	flag.IntVar(&o.sample, "sample", 1, "take each program of which the number is a multiple of this")
	flag.StringVar(&o.only, "only", "", "print the theorems of the programs of which the name contains this, and check nothing")
	flag.BoolVar(&o.dry, "dry", false, "print theorems only, and count those that are withheld")
	flag.StringVar(&o.dir, "dir", "", "a folder in which the compiled prelude is kept; default: one that is removed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "coq:", err)
		os.Exit(1)
	}
}

// programs are those that the options name.
func (o *options) programs(files []string) (all []program, err error) {
	if o.golden {
		if all, err = goldens("."); err != nil {
			return nil, err
		}
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, program{name: file, text: string(src)})
		if o.altered > 0 && filepath.Base(filepath.Dir(file)) == "altered" {
			all = append(all, program{name: file + ", altered", text: string(src), altered: true})
		}
	}
	for i := range o.random {
		all = append(all, drawn(o.seed+i))
	}
	if o.altered > 0 && len(files) == 0 {
		for i := range o.altered {
			all = append(all, program{name: fmt.Sprintf("altered/%d", i), text: drawn(o.seed + i).text, altered: true})
		}
	}
	return every(all, o.sample), nil
}

func (o *options) run(ctx context.Context, files []string) error {
	all, err := o.programs(files)
	if err != nil {
		return err
	}
	if o.only != "" {
		return printed(all, o.only)
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "coq"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
	}
	c := &checker{options: o}
	if err := c.compile(ctx); err != nil {
		return err
	}
	if err := c.check(ctx, all); err != nil {
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
