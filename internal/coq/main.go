// Command coq has the theorems of derivations checked by Coq, and counts them:
//
//	go run ./internal/coq [-golden] [-random N] [-altered N] [-part K/N] [-dir DIR] [FILE...]
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
	"regexp"
)

type options struct {
	golden, dry, print    bool
	random, seed, altered int
	part, dir             string
	only                  *regexp.Regexp
}

func main() {
	var o options
	flag.BoolVar(&o.golden, "golden", false, "the golden derivations")
	flag.IntVar(&o.random, "random", 0, "how many random programs")
	flag.IntVar(&o.seed, "seed", 0, "the seed of the first of these")
	flag.IntVar(&o.altered, "altered", 0, "how many altered gradients")
	flag.StringVar(&o.part, "part", "0/1", "K/N: take the programs of which the number is K modulo N, so that the N parts add up to all")
	flag.Func("only", "take the programs of which the name matches this regular expression", func(s string) (err error) {
		o.only, err = regexp.Compile(s)
		return err
	})
	flag.BoolVar(&o.print, "print", false, "print theorems, and check nothing")
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
	return o.taken(all)
}

// taken are the programs of the part of which the name matches.
func (o *options) taken(all []program) (some []program, err error) {
	var k, n int
	if _, err := fmt.Sscanf(o.part, "%d/%d", &k, &n); err != nil || k < 0 || k >= n {
		return nil, fmt.Errorf("-part %s: want K/N with 0 <= K < N", o.part)
	}
	for i := range all {
		if i%n == k && (o.only == nil || o.only.MatchString(all[i].name)) {
			some = append(some, all[i])
		}
	}
	return some, nil
}

func (o *options) run(ctx context.Context, files []string) error {
	all, err := o.programs(files)
	if err != nil {
		return err
	}
	if o.print {
		return printed(all)
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
