package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// parts are the columns of the table of shares: a sample of the profile counts for the first part
// to which a function on its stack belongs, from the innermost on, so that allocating a node
// counts for building.
var parts = []struct{ name, prefix string }{
	{"differentiate, adjoint", "frechet/adjoint."},
	{"match rules", "frechet/rewrite."},
	{"normal form", "frechet/rewrite/normal."},
	{"canonicalise contractions", "frechet/einsum."},
	{"build nodes", "frechet/combinators."},
}

// collecting has the functions of the collector that run for themselves.
var collecting = []string{"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep", "runtime.gcStart", "runtime.GC", "runtime.bgscavenge"}

func profiles(only string, least, most int, work time.Duration) error {
	fmt.Print("| program | nodes ")
	for _, p := range parts {
		fmt.Print("| ", p.name, " ")
	}
	fmt.Println("| collect garbage | other |")
	fmt.Println("|---|---" + strings.Repeat("|---", len(parts)+2) + "|")
	return each(only, least, most, func(f family, nodes int) error {
		dir, err := os.MkdirTemp("", "speed")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		args := []string{"tool", "pprof", "-traces"}
		for took := time.Duration(0); took < work; {
			file, err := os.Create(filepath.Join(dir, strconv.Itoa(len(args))))
			if err != nil {
				return err
			}
			m, err := f.measure(nodes, file)
			if err := errors.Join(err, file.Close()); err != nil {
				return err
			}
			took += m.took
			args = append(args, file.Name())
		}
		out, err := exec.Command("go", args...).Output()
		if err != nil {
			return fmt.Errorf("go tool pprof: %w", err)
		}
		spent := shares(out)
		total := time.Duration(0)
		for _, t := range spent {
			total += t
		}
		fmt.Printf("| %s | %d ", f.name, nodes)
		for _, t := range spent {
			fmt.Printf("| %.0f%% ", 100*float64(t)/float64(max(total, 1)))
		}
		fmt.Println("|")
		return nil
	})
}

// shares reads the stacks that `go tool pprof -traces` prints: the time spent on each of parts,
// on collecting garbage, and on anything else.
func shares(traces []byte) []time.Duration {
	spent := make([]time.Duration, len(parts)+2)
	var stack []string
	var took time.Duration
	flush := func() {
		if took > 0 {
			spent[part(stack)] += took
		}
		stack, took = nil, 0
	}
	lines := bufio.NewScanner(bytes.NewReader(traces))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		if strings.HasPrefix(fields[0], "-----") {
			flush()
			continue
		}
		if d, err := time.ParseDuration(fields[0]); err == nil && len(fields) > 1 {
			took, stack = d, append(stack, fields[1])
		} else if took > 0 {
			stack = append(stack, fields[0])
		}
	}
	flush()
	return spent
}

func part(stack []string) int {
	for _, f := range stack {
		for _, c := range collecting {
			if strings.HasPrefix(f, c) {
				return len(parts)
			}
		}
		for i, p := range parts {
			if strings.HasPrefix(f, p.prefix) {
				return i
			}
		}
	}
	return len(parts) + 1
}
