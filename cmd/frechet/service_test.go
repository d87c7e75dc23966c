package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
)

// testLimits are the limits of services that nothing on the command line changes.
func testLimits() frechet.Limits {
	return newApp(streams{}).serviceLimits(&cobra.Command{})
}

// commandLine runs a command line and gives its exit status, standard output and standard error.
func commandLine(stdin string, args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	code := run(context.Background(), args, streams{strings.NewReader(stdin), &out, &errs})
	return code, out.String(), errs.String()
}

// TestExamples: every command has an example in its help, and it runs as it stands.
func TestExamples(t *testing.T) {
	t.Chdir("../..")
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
		if !cmd.Runnable() || cmd.Parent() == nil || cmd.Name() == "help" || cmd.Parent().Name() == "completion" || cmd.Name() == "completion" {
			return
		}
		require.NotEmpty(t, cmd.Example, "%s has no example", cmd.CommandPath())
		if slices.Contains([]string{"serve", "mcp", "lsp", "man"}, cmd.Name()) {
			return
		}
		for line := range strings.Lines(cmd.Example) {
			stdin := ""
			for part := range strings.SplitSeq(strings.TrimSpace(line), " | ") {
				words := splitWords(part)
				switch words[0] {
				case "echo":
					stdin = strings.Join(words[1:], " ") + "\n"
				case "printf":
					stdin = strings.Join(words[2:], "\n") + "\n"
				default:
					require.Equal(t, "frechet", words[0], line)
					code, out, errs := commandLine(stdin, words[1:]...)
					refuted := strings.Contains(out, "refuted")
					require.Equal(t, map[bool]int{false: exitDone, true: exitFalse}[refuted], code, "%s: %s%s", line, out, errs)
					stdin = out
				}
			}
		}
	}
	visit(newApp(streams{}).command())
}

// TestErrorsInJSON: with --json an error is one line of JSON that has the place of the text, whatever the command.
func TestErrorsInJSON(t *testing.T) {
	for _, name := range []string{"grad", "hess", "eval", "check", "simplify", "plan", "steps", "minimize", "linear"} {
		code, out, errs := commandLine("", name, "declare x[n] expression sum(x +* x) derivative wrt x", "--json")
		require.Equal(t, exitWrong, code, name)
		require.Empty(t, out, name)
		var got struct {
			Schema int
			Error  jsonError
		}
		require.NoError(t, json.Unmarshal([]byte(errs), &got), "%s: %s", name, errs)
		require.Equal(t, schema, got.Schema)
		require.Equal(t, "syntax", got.Error.Kind, name)
		require.Equal(t, &jsonPlace{Line: 1, Column: 32, Start: 31, End: 32}, got.Error.Place, name)
	}
}

func TestVersionFlag(t *testing.T) {
	_, command, _ := commandLine("", "version")
	_, flag, _ := commandLine("", "--version")
	require.Equal(t, command, flag)
}

func TestPipedPrograms(t *testing.T) {
	_, want, _ := commandLine("", "grad", "x'*A*x", "--wrt", "x")
	_, got, _ := commandLine("x'*A*x", "grad", "--wrt", "x")
	require.Equal(t, want, got)
	code, _, errs := commandLine("", "grad")
	require.Equal(t, exitWrong, code)
	require.Contains(t, errs, "needs a program")
}

func TestDigits(t *testing.T) {
	_, out, _ := commandLine("", "eval", "declare x[n] expression exp(x)", "-d", "x=[1,10]", "--digits", "3")
	require.Contains(t, out, "2.72, 2.2e+04")
	_, out, _ = commandLine("", "eval", "declare x[n] expression exp(x)", "-d", "x=[1]", "--digits", "3", "--json")
	require.Contains(t, out, "2.718281828459045")
}

// client connects the client of the protocol's own kit to a server.
func client(t *testing.T, limits frechet.Limits) *mcp.ClientSession {
	here, there := mcp.NewInMemoryTransports()
	ctx := context.Background()
	_, err := mcpServer(limits).Connect(ctx, there, nil)
	require.NoError(t, err)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, here, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// call calls a tool and gives its text, and whether it is an error.
func call(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) (string, bool) {
	r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	require.Len(t, r.Content, 1)
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// TestTools: a client lists all tools and calls each.
func TestTools(t *testing.T) {
	s := client(t, testLimits())
	list, err := s.ListTools(context.Background(), nil)
	require.NoError(t, err)
	program := "declare X[m,n] w[n] y[m] expression sum((X*w - y) .^ 2)"
	values := map[string]any{"X": [][]int{{1, 2}}, "w": []int{1, 1}, "y": []int{0}}
	for tool, c := range map[string]struct {
		more map[string]any
		want string
	}{
		"simplify":    {nil, "u'*u"},
		"derive":      {map[string]any{"wrt": []string{"w"}, "format": "latex"}, "2 X^{\\top} (X w - y)"},
		"hessian":     {map[string]any{"wrt": []string{"w"}}, "2*X'*X"},
		"evaluate":    {map[string]any{"wrt": []string{"w"}, "order": 1, "values": values}, "[ 6, 12]"},
		"check":       {map[string]any{"wrt": []string{"w"}}, "ok: gradient wrt w"},
		"steps":       {map[string]any{"wrt": []string{"w"}}, "D-chain"},
		"plan":        {map[string]any{"wrt": []string{"w"}, "of": "gradient"}, "multiplications"},
		"code":        {map[string]any{"wrt": []string{"w"}, "target": "torch"}, "import torch"},
		"verify_rule": {map[string]any{"program": `rule r "a + b = b" [a b: R] a + b => b`}, "refuted"},
	} {
		args := map[string]any{"program": program}
		for k, v := range c.more {
			args[k] = v
		}
		text, wrong := call(t, s, tool, args)
		require.False(t, wrong, "%s: %s", tool, text)
		require.Contains(t, text, c.want, tool)
	}
	require.Len(t, list.Tools, len(services))
}

// TestHostileCalls: calls that want files, that are no programs, or that are too much, end as errors and within their limits.
func TestHostileCalls(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.csv")
	require.NoError(t, os.WriteFile(secret, []byte("4711\n"), 0o600))
	limits := testLimits()
	limits.Time = 2 * time.Second
	s := client(t, limits)
	x := "declare x[n] expression sum(x)"
	for name, c := range map[string]struct {
		tool string
		args map[string]any
	}{
		"a file as a value":       {"evaluate", map[string]any{"program": x, "values": map[string]any{"x": secret}}},
		"a file in a list":        {"evaluate", map[string]any{"program": x, "values": map[string]any{"x": []any{secret}}}},
		"a name with a file":      {"evaluate", map[string]any{"program": x, "values": map[string]any{"x=" + secret + ",y": 1}}},
		"an object":               {"evaluate", map[string]any{"program": x, "values": map[string]any{"x": map[string]any{"shape": []int{1 << 40}, "data": []int{}}}}},
		"a file as a program":     {"derive", map[string]any{"program": secret}},
		"a file as rules":         {"verify_rule", map[string]any{"program": secret}},
		"a flag as a variable":    {"derive", map[string]any{"program": x, "wrt": []string{"--out=" + filepath.Join(dir, "x")}}},
		"a flag as a format":      {"derive", map[string]any{"program": x, "format": "--rules=" + secret}},
		"a flag as a language":    {"derive", map[string]any{"program": x, "language": "auto --rules"}},
		"no program":              {"derive", map[string]any{}},
		"an unknown argument":     {"derive", map[string]any{"program": x, "out": "x"}},
		"a type":                  {"derive", map[string]any{"program": 3}},
		"an unknown tool":         {"shell", map[string]any{"program": x}},
		"a long program":          {"derive", map[string]any{"program": strings.Repeat("x+", 1<<20)}},
		"a deep program":          {"derive", map[string]any{"program": strings.Repeat("(", 50_000)}},
		"a large tensor":          {"evaluate", map[string]any{"program": "declare x[n] expression x*x'*sum(x)", "sizes": map[string]any{"n": 1 << 40}}},
		"a high order":            {"derive", map[string]any{"program": x, "order": 1 << 30}},
		"an enormous random size": {"check", map[string]any{"program": x, "wrt": []string{"x"}, "sizes": map[string]any{"n": 1 << 40}}},
	} {
		start := time.Now()
		text, wrong := call(t, s, c.tool, c.args)
		require.True(t, wrong, "%s: %.200s", name, text)
		require.NotContains(t, text, "4711", name)
		require.Less(t, time.Since(start), time.Minute, name) // far beyond the limit: a hang
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "a call wrote a file")
	text, wrong := call(t, s, "derive", map[string]any{"program": "x'*A*x", "wrt": []string{"x"}})
	require.False(t, wrong, "after hostile calls: %s", text)
}

// TestSessionOfREPL: commands work on the program that was written last, and mistakes leave it.
func TestSessionOfREPL(t *testing.T) {
	lines := []string{":grad x", "norm2(X*w", "  - y)^2", ":grad w", "declare x[n]", "let u = exp(x)", "expression sum(u)", ":grad x", "x +* y",
		":hess x", ":data x=[0,1]", ":data", ":eval x --digits 3", ":code octave x", ":nonsense", ":data none", ":eval", ":show", ":quit", ":grad x"}
	code, out, errs := commandLine(strings.Join(lines, "\n"), "repl")
	require.Equal(t, exitDone, code)
	for _, want := range []string{"2*X'*(X*w - y)", "# value\nlet u = exp(x)\nexpression sum(u)", "# gradient wrt x\nexp(x)", "let u = exp(x)\nexpression diag(u)", "x=[0,1]\n", "3.72", "function result = f(x)", "let u = exp(x)\nexpression sum(u)\n"} {
		require.Contains(t, out, want)
	}
	for _, want := range []string{"there is no program yet", "error[S003]", "unknown command", "the size n is not given"} {
		require.Contains(t, errs, want)
	}
	require.Equal(t, 1, strings.Count(out, "# Hessian"))
}

// TestProgramsGoOn: a program that is broken after any line at which it can go on is the same program.
func TestProgramsGoOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Fields("declare A[m,n] x[n] let u = ( A * x ) expression sum( u )")
		var b strings.Builder
		for i, w := range words {
			b.WriteString(w)
			switch {
			case i == len(words)-1:
			case rapid.Bool().Draw(t, "break") && i < len(words)-4:
				b.WriteString(" \\\n")
			default:
				b.WriteString(" ")
			}
		}
		_, out, errs := commandLine(b.String()+"\n:grad x\n", "repl")
		require.Contains(t, out, "# gradient wrt x\nsum(A, axis=0)", b.String()+errs)
	})
}

func TestCompletion(t *testing.T) {
	words := replWords()
	for _, c := range []struct{ line, want string }{{":hv", ":hvp"}, {"sum(soft", "sum(softplus"}, {"sum(s", "sum(s"}, {"expr", "expression"}, {"zz", "zz"}, {"", ""}} {
		got, _ := completeWord(c.line, words)
		require.Equal(t, c.want, got)
	}
}

// TestHistory: lines come back in later sessions, newest first.
func TestHistory(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	h := openHistory()
	for _, line := range []string{"a", "b", "b", " "} {
		h.Add(line)
	}
	again := openHistory()
	require.Equal(t, 2, again.Len())
	require.Equal(t, "b", again.At(0))
	require.Equal(t, "a", again.At(1))
}
