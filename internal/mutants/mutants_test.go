// Package mutants has the test that no text ends or hangs the process: texts of all kinds under testdata, with
// bytes, tokens and parts of each other exchanged, go through all commands in a process of bounded memory.
package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"frechet"
)

var (
	count = flag.Int("mutants", 400, "how many texts are tried")
	first = flag.Int("first-mutant", 0, "the number of the first one")
)

const (
	worker  = "FRECHET_MUTANTS"
	memory  = 2 << 20 // kB
	slow    = 20 * time.Second
	perWork = 5 * time.Second // of a command, which ends with an error then
)

// TestMutants runs texts in worker processes. One that dies or hangs is started again behind the text at fault.
func TestMutants(t *testing.T) {
	if os.Getenv(worker) != "" {
		work(t)
		return
	}
	for at, end := *first, *first+*count; at < end; {
		last, err := run(t, at, end)
		if err != "" {
			kind, text := draw(corpus(t), last)
			t.Errorf("mutant %d, a %s: %s\n%q", last, kind, err, text)
		}
		at = last + 1
	}
}

// run starts a worker, and gives the last text that it began, and what was wrong with it.
func run(t *testing.T, from, to int) (last int, fault string) {
	self, err := os.Executable()
	require.NoError(t, err)
	at := filepath.Join(t.TempDir(), "at")
	cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" -test.run '^TestMutants$' -test.timeout 0 -first-mutant %d -mutants %d`, memory*2, from, to-from), self)
	cmd.Env = append(os.Environ(), worker+"="+at, "GOMEMLIMIT=1GiB", "GOMAXPROCS=2")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	began := time.Now()
	last = from
	for {
		select {
		case err := <-done:
			if n, ok := number(at); ok {
				last = n
			}
			if err == nil {
				return to - 1, ""
			}
			text := out.String()
			return last, text[:min(len(text), 1500)]
		case <-time.After(200 * time.Millisecond):
			if n, ok := number(at); ok && n != last {
				last, began = n, time.Now()
			} else if time.Since(began) > slow {
				_ = cmd.Process.Kill()
				<-done
				return last, "hangs"
			}
		}
	}
}

func number(file string) (int, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	return n, err == nil
}

// work is the worker: it notes the number of each text before it runs it.
func work(t *testing.T) {
	texts := corpus(t)
	note, err := os.Create(os.Getenv(worker))
	require.NoError(t, err)
	for n := *first; n < *first+*count; n++ {
		_, err := note.WriteAt([]byte(fmt.Sprintf("%12d", n)), 0)
		require.NoError(t, err)
		kind, text := draw(texts, n)
		if err := try(kind, text, n); frechet.ErrorKind(err) == "internal" {
			t.Fatal(err)
		}
	}
}

// try gives a text to a command; only an internal error is a fault.
func try(kind, text string, n int) error {
	ctx, stop := context.WithTimeout(context.Background(), perWork)
	defer stop()
	switch kind {
	case "request":
		var out bytes.Buffer
		err := frechet.Batch(ctx, strings.NewReader(text+"\n"), &out)
		if strings.Contains(out.String(), "X001") {
			return fmt.Errorf("error[X001]: %s", out.String())
		}
		return err
	case "rules":
		_, err := frechet.ListRules(frechet.RuleFile{Name: "mutant.rules", Text: text})
		return err
	case "certificate":
		_, err := frechet.Replay(ctx, strings.NewReader(text))
		return err
	case "tensor":
		_, err := frechet.ParseTensor(text)
		return err
	}
	limits := frechet.DefaultLimits()
	limits.Time = perWork
	return frechet.Bounded(ctx, limits, func(context.Context) error {
		f, err := frechet.Parse(text, frechet.WithLimits(limits))
		if err != nil {
			return err
		}
		switch n % 4 {
		case 0:
			return printed(f.Value(), nil)
		case 1:
			for _, x := range f.Wrt() {
				if err := printed(f.Hessian(x)); err != nil {
					return err
				}
			}
		case 2:
			for _, x := range f.Wrt() {
				if err := printed(f.Jacobian(x, frechet.Mode(0))); err != nil {
					return err
				}
			}
		default:
			d, err := f.Steps(f.Wrt()...)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := d.Certificate(&b); err != nil {
				return err
			}
			_, err = frechet.Replay(ctx, &b)
			return err
		}
		return nil
	})
}

// printed writes x in all formats.
func printed(x *frechet.Term, err error) error {
	if err != nil {
		return err
	}
	for _, format := range frechet.Formats() {
		if _, err := x.Text(format); frechet.ErrorKind(err) == "internal" {
			return err
		}
	}
	return nil
}

type seed struct{ kind, text string }

var quoted = regexp.MustCompile(`'([^'\n]{8,400})'|"([^"\n]{8,400})"`)

// corpus are the texts under testdata, by kind.
func corpus(t *testing.T) (seeds []seed) {
	require.NoError(t, filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil || len(b) > 200_000 {
			return err
		}
		text := string(b)
		switch filepath.Ext(path) {
		case ".jsonl":
			for _, line := range strings.Split(text, "\n") {
				var c struct{ Request json.RawMessage }
				var r struct{ Input string }
				if json.Unmarshal([]byte(line), &c) == nil && len(c.Request) > 0 && json.Unmarshal(c.Request, &r) == nil {
					seeds = append(seeds, seed{"request", string(c.Request)}, seed{"program", r.Input})
				}
			}
		case ".txtar", ".md":
			for _, m := range quoted.FindAllStringSubmatch(text, -1) {
				switch s := m[1] + m[2]; {
				case strings.Contains(s, "declare") || strings.Contains(s, "->"):
					seeds = append(seeds, seed{"program", s})
				case strings.Contains(s, "["):
					seeds = append(seeds, seed{"tensor", s})
				}
			}
		case ".fr":
			seeds = append(seeds, seed{"program", text})
		case ".rules":
			for _, line := range strings.Split(text, "\n") {
				if strings.Contains(line, "=") {
					seeds = append(seeds, seed{"rules", line + "\n"})
				}
			}
		}
		return nil
	}))
	for _, src := range []string{"declare x[n] expression x'*x derivative wrt x", "h(x) : R -> R = ln"} {
		f, err := frechet.Parse(src)
		require.NoError(t, err)
		d, err := f.Steps(f.Wrt()...)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, d.Certificate(&b))
		seeds = append(seeds, seed{"certificate", b.String()})
	}
	return seeds
}

var token = regexp.MustCompile(`[A-Za-z_]+|[0-9.]+|\s+|.`)

// draw is text number n: one of the corpus with a few changes.
func draw(seeds []seed, n int) (kind, text string) {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	s := seeds[r.IntN(len(seeds))]
	tokens := token.FindAllString(s.text, -1)
	other := token.FindAllString(seeds[r.IntN(len(seeds))].text, -1)
	class := func(s string) bool { // letters or digits: what else is a sign
		return len(s) > 0 && (s[0] == '_' || s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] >= '0' && s[0] <= '9')
	}
	for range r.IntN(4) {
		if len(tokens) == 0 || len(other) == 0 {
			break
		}
		i, j := r.IntN(len(tokens)), r.IntN(len(tokens))
		switch r.IntN(14) {
		default: // one of the kind
			if x := other[r.IntN(len(other))]; class(x) == class(tokens[i]) && strings.TrimSpace(x) != "" && strings.TrimSpace(tokens[i]) != "" {
				tokens[i] = x
			} else if class(tokens[i]) == class(tokens[j]) {
				tokens[i] = tokens[j]
			}
		case 0: // a token goes
			tokens = append(tokens[:i:i], tokens[i+1:]...)
		case 1: // one stands twice
			tokens = append(tokens[:i:i], append([]string{tokens[j]}, tokens[i:]...)...)
		case 2:
			tokens[i], tokens[j] = tokens[j], tokens[i]
		case 3: // one of another text
			tokens[i] = other[r.IntN(len(other))]
		case 4: // a part of another text
			a := r.IntN(len(other))
			b := min(len(other), a+1+r.IntN(12))
			tokens = append(tokens[:i:i], append(append([]string{}, other[a:b]...), tokens[i:]...)...)
		case 5: // another number
			tokens[i] = []string{"0", "1", "-1", "999999999999999999999", "1e-400", "0.5", "n", "[]", "()", "'"}[r.IntN(10)]
		case 6: // another byte
			if b := []byte(tokens[i]); len(b) > 0 {
				b[r.IntN(len(b))] = byte(r.IntN(256))
				tokens[i] = string(b)
			}
		}
	}
	return s.kind, strings.Join(tokens, "")
}
