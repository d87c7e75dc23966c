package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/internal/golden"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/cli and README.md")

// TestScripts runs testdata/cli/*.txtar. The comment of an archive is a script, its
// files are written into an empty directory where the script runs. A line is one of
//
//	frechet ARGS...    runs the command and expects exit status 0
//	exit N frechet ... expects status N
//	stdin FILE         the next command reads FILE
//	stdout REGEXP      the last command's output matches; also: ! stdout, stderr, ! stderr
//	grep FILE REGEXP   a file matches; also: ! grep
//	cmp stdout FILE    the last command's output is FILE, which -update rewrites
//	exists FILE...     also: ! exists
//	# ...              a remark
//
// Arguments are split at blanks; quotes, single or double, keep them together.
func TestScripts(t *testing.T) {
	golden.Run(t, "../../testdata/cli/*.txtar", *update, runScript)
}

type script struct {
	t      *testing.T
	ar     *golden.Archive
	stdin  string
	stdout string
	stderr string
}

func runScript(t *testing.T, ar *golden.Archive) {
	t.Chdir(t.TempDir())
	for _, f := range ar.Files {
		require.NoError(t, os.MkdirAll(filepath.Dir(f.Name), 0o755))
		require.NoError(t, os.WriteFile(f.Name, f.Data, 0o644))
	}
	s := &script{t: t, ar: ar}
	for i, line := range strings.Split(string(ar.Comment), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if msg := s.step(line); msg != "" {
			t.Fatalf("%d: %s\n%s\n--- stdout ---\n%s--- stderr ---\n%s", i+1, line, msg, s.stdout, s.stderr)
		}
	}
}

// step runs one line and returns what went wrong.
func (s *script) step(line string) string {
	words := splitWords(line)
	not := words[0] == "!"
	if not {
		words = words[1:]
	}
	switch words[0] {
	case "frechet":
		return s.frechet(0, words[1:])
	case "exit":
		var want int
		if _, err := fmt.Sscan(words[1], &want); err != nil || words[2] != "frechet" {
			return "write: exit N frechet ARGS"
		}
		return s.frechet(want, words[3:])
	case "stdin":
		if words[1] == "stdout" { // a pipe
			s.stdin = s.stdout
			break
		}
		b, err := os.ReadFile(words[1])
		if err != nil {
			return err.Error()
		}
		s.stdin = string(b)
	case "stdout", "stderr":
		text := s.stdout
		if words[0] == "stderr" {
			text = s.stderr
		}
		return matches(text, words[1], !not)
	case "grep":
		b, err := os.ReadFile(words[1])
		if err != nil {
			return err.Error()
		}
		return matches(string(b), words[2], !not)
	case "cmp":
		return s.compare(words[1], words[2])
	case "exists":
		for _, f := range words[1:] {
			if _, err := os.Stat(f); (err == nil) == not {
				return f + ": there, or not there"
			}
		}
	default:
		return "unknown step"
	}
	return ""
}

func matches(text, pattern string, want bool) string {
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return err.Error()
	}
	if re.MatchString(text) != want {
		return "no such output"
	}
	return ""
}

func (s *script) frechet(want int, args []string) string {
	var out, errs bytes.Buffer
	got := run(context.Background(), args, streams{strings.NewReader(s.stdin), &out, &errs})
	s.stdin, s.stdout, s.stderr = "", out.String(), errs.String()
	if got != want {
		return fmt.Sprintf("exit status %d, not %d", got, want)
	}
	return ""
}

func (s *script) compare(stream, name string) string {
	text := s.stdout
	if stream == "stderr" {
		text = s.stderr
	}
	return s.ar.Differs(name, text, sameOutput)
}

func splitWords(line string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	open := false
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, open = r, true
		case r == ' ' && quote == 0:
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}
