package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"frechet/rewrite/proof/coq"
)

// A checker has theorems checked in a folder that has the compiled prelude.
type checker struct {
	*options
	certified int
	withheld  map[string][]string // names of programs by reason
	failed    map[string][]string
	none      int
	rejected  int // altered statements
}

// batch is how many theorems a file has.
const batch = 8

// compile compiles what of the prelude is not compiled in the folder.
func (c *checker) compile(ctx context.Context) error {
	if c.dry {
		return nil
	}
	stale := false
	for file, text := range coq.Files() {
		path := filepath.Join(c.dir, file)
		_, err := os.Stat(path + "o")
		old, _ := os.ReadFile(path)
		if stale = stale || err != nil || string(old) != text; !stale {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
		if out, err := coqc(ctx, c.dir, file); err != nil {
			return fmt.Errorf("%s: %w\n%s", file, err, out)
		}
	}
	return nil
}

// A theorem is a text that waits for its check.
type theorem struct {
	name, text string
	altered    int // statements that are rejected where it is accepted: Coq prints nothing of them
}

func (c *checker) check(ctx context.Context, all []program) error {
	c.withheld, c.failed = map[string][]string{}, map[string][]string{}
	var waiting []theorem
	for i := range all {
		p := &all[i]
		if p.altered && c.rejected >= c.altered {
			continue
		}
		text, altered, err := p.theorems()
		var no *coq.Withheld
		switch {
		case errors.Is(err, errNone):
			c.none++
			continue
		case errors.As(err, &no):
			c.withheld[no.Reason] = append(c.withheld[no.Reason], p.name)
			continue
		case err != nil:
			c.withheld["no certificate"] = append(c.withheld["no certificate"], p.name)
			continue
		case p.altered && altered == 0:
			continue
		}
		waiting = append(waiting, theorem{p.name, strings.TrimPrefix(text, coq.Header), altered})
		if len(waiting) == batch {
			if err := c.run(ctx, waiting); err != nil {
				return err
			}
			waiting = nil
		}
	}
	return c.run(ctx, waiting)
}

var place = regexp.MustCompile(`line (\d+), characters`)

// run checks theorems in one file; where one fails, those after it in another.
func (c *checker) run(ctx context.Context, ts []theorem) error {
	if c.dry {
		c.certified += len(ts)
		return nil
	}
	for len(ts) > 0 {
		text := joined(ts)
		if err := os.WriteFile(filepath.Join(c.dir, "batch.v"), []byte(text), 0o644); err != nil {
			return err
		}
		out, err := coqc(ctx, c.dir, "batch.v")
		if ctx.Err() != nil {
			return err
		}
		strange := reports(out)
		for i, axioms := range strange {
			if axioms != "" {
				c.fail(ts[i], "rests on "+axioms)
				continue
			}
			c.certified++
			c.rejected += ts[i].altered
		}
		ts = ts[len(strange):]
		m := place.FindStringSubmatch(out)
		switch {
		case len(ts) == 0:
			return nil
		case err == nil:
			return fmt.Errorf("no assumptions are printed of %s", ts[0].name)
		case m != nil:
			at, _ := strconv.Atoi(m[1])
			c.fail(ts[0], failure(out, text, at))
		case len(strange) == 0: // it had all time and memory
			c.fail(ts[0], fmt.Sprintf("%v: %d s, %d MB", err, maxTime, maxMemory/1000))
		default:
			continue
		}
		ts = ts[1:]
	}
	return nil
}

func (c *checker) fail(t theorem, reason string) {
	c.failed[reason] = append(c.failed[reason], t.name)
	fmt.Println("failed:", t.name, reason)
}

// joined are theorems in one file, each in a module of its own.
func joined(ts []theorem) string {
	var b strings.Builder
	b.WriteString(coq.Header)
	for i, t := range ts {
		b.WriteString(strings.NewReplacer("\nModule derivation.\n", fmt.Sprintf("\nModule derivation%d.\n", i),
			"\nEnd derivation.\n", fmt.Sprintf("\nEnd derivation%d.\n", i)).Replace(t.text))
	}
	return b.String()
}

var law = regexp.MustCompile(`\(\* ([A-Za-z0-9-]+) \*\)`)

// failure names what failed: the rule of a step, or the kind of a lemma.
func failure(out, text string, line int) string {
	l := strings.Split(text, "\n")[line-1]
	if m := law.FindStringSubmatch(l); m != nil {
		return "step " + m[1]
	}
	before := strings.Fields(strings.Split(text, "\n")[max(0, line-2)])
	what := "?"
	if len(before) > 1 {
		what = strings.TrimRight(before[1], "0123456789_")
	}
	_, message, _ := strings.Cut(out, "Error:")
	message = strings.Join(strings.Fields(message), " ")
	return "lemma " + what + ": " + message[:min(60, len(message))]
}

func (c *checker) report() error {
	fmt.Printf("certified %d, withheld %d, failed %d; nothing to derive in %d\n", c.certified, count(c.withheld), count(c.failed), c.none)
	for what, by := range map[string]map[string][]string{"withheld": c.withheld, "failed": c.failed} {
		for _, reason := range slices.SortedFunc(maps.Keys(by), func(a, b string) int { return len(by[b]) - len(by[a]) }) {
			names := by[reason]
			fmt.Printf("%s %d: %s: %s\n", what, len(names), reason, strings.Join(names[:min(4, len(names))], ", "))
		}
	}
	if c.altered > 0 {
		fmt.Printf("altered gradients: %d rejected\n", c.rejected)
		if c.rejected < c.altered {
			return fmt.Errorf("fewer than %d", c.altered)
		}
	}
	return nil
}

func count(by map[string][]string) (n int) {
	for _, names := range by {
		n += len(names)
	}
	return n
}
