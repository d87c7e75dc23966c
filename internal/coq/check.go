package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"frechet/rewrite/proof/coq"
)

// A checker has theorems checked in a folder that has the compiled prelude.
type checker struct {
	dir       string
	dry       bool
	want      int // altered statements
	certified int
	withheld  map[string][]string // names of programs by reason
	failed    map[string][]string
	none      int
	rejected  int // altered statements
}

// What a run of coqc may take.
const (
	maxTime   = 120 * time.Second
	maxMemory = 6_000_000 // kB
	batch     = 8         // theorems in a file
)

// coqc checks a file; the output tells what is wrong with it.
func (c *checker) coqc(file string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", fmt.Sprintf("ulimit -v %d; exec coqc -w none -R . Frechet %s", maxMemory, file))
	cmd.Dir = c.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.String(), err
}

// compile compiles the prelude.
func (c *checker) compile() error {
	if c.dry {
		return nil
	}
	for file, text := range coq.Files() {
		if err := os.WriteFile(filepath.Join(c.dir, file), []byte(text), 0o644); err != nil {
			return err
		}
		if out, err := c.coqc(file); err != nil {
			return fmt.Errorf("%s: %w\n%s", file, err, out)
		}
	}
	return nil
}

// A theorem is a text that waits for its check.
type theorem struct {
	name    string
	lines   []string
	altered int
}

func (c *checker) check(all []program) error {
	c.withheld, c.failed = map[string][]string{}, map[string][]string{}
	var waiting []theorem
	for i := range all {
		p := &all[i]
		if p.altered && c.rejected >= c.want {
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
		waiting = append(waiting, theorem{p.name, strings.Split(strings.TrimPrefix(text, coq.Header), "\n"), altered})
		if len(waiting) == batch {
			if err := c.run(waiting); err != nil {
				return err
			}
			waiting = nil
		}
	}
	return c.run(waiting)
}

var place = regexp.MustCompile(`line (\d+), characters`)

// run checks theorems in one file; where one fails, those after it in another.
func (c *checker) run(ts []theorem) error {
	if c.dry {
		c.certified += len(ts)
		return nil
	}
	for len(ts) > 0 {
		var b strings.Builder
		b.WriteString(coq.Header)
		ends := make([]int, len(ts)) // the last line of each
		line := strings.Count(coq.Header, "\n")
		for i, t := range ts {
			for _, l := range t.lines {
				switch l {
				case "Module derivation.", "End derivation.":
					l = strings.Replace(l, "derivation", fmt.Sprintf("derivation%d", i), 1)
				}
				b.WriteString(l + "\n")
				line++
			}
			ends[i] = line
		}
		if err := os.WriteFile(filepath.Join(c.dir, "batch.v"), []byte(b.String()), 0o644); err != nil {
			return err
		}
		out, err := c.coqc("batch.v")
		done, reason := len(ts), ""
		switch m := place.FindStringSubmatch(out); {
		case err == nil:
		case m != nil:
			at, _ := strconv.Atoi(m[1])
			done, _ = slices.BinarySearch(ends, at)
			reason = failure(out, b.String(), at)
		case len(ts) > 1: // out of time or room: one by one
			for _, t := range ts {
				if err := c.run([]theorem{t}); err != nil {
					return err
				}
			}
			return nil
		default:
			done, reason = 0, err.Error()
		}
		for _, t := range ts[:done] {
			c.certified++
			c.rejected += t.altered
		}
		if done < len(ts) {
			c.failed[reason] = append(c.failed[reason], ts[done].name)
			fmt.Println("failed:", ts[done].name, reason)
			done++
		}
		ts = ts[done:]
	}
	return nil
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
	if c.want > 0 {
		fmt.Printf("altered gradients: %d rejected\n", c.rejected)
		if c.rejected < c.want {
			return fmt.Errorf("fewer than %d", c.want)
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
