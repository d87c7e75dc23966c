package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"frechet/docs"
)

func (a *app) replCommand() *cobra.Command {
	var cells bool
	cmd := &cobra.Command{
		Use:   "repl",
		Short: "Work on a program line by line",
		Long: `Reads programs and commands in turn. A formula or a program becomes the one that commands work on; it
goes on where a parenthesis or bracket is open, after a backslash, and until a declaration has its expression.

` + replHelp + `

Any other command of frechet works with a colon before it, and variables after it: ":hess w --check" is
"frechet hess --wrt w --check". In a terminal lines can be edited, tab completes names, and arrows bring back
what was typed before, also in earlier sessions.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := &repl{app: a, limits: limitArgs(cmd)}
			if cells {
				return r.cells(cmd.Context(), a.in, a.out)
			}
			if f, ok := a.in.(*os.File); ok && isTerminal(f) && isTerminal(a.out) {
				return r.interactive(cmd.Context(), f)
			}
			in := bufio.NewScanner(io.LimitReader(a.in, a.limits.Input))
			in.Buffer(nil, 1<<20)
			for in.Scan() && r.line(cmd.Context(), in.Text()) {
			}
			r.flush(cmd.Context())
			return in.Err()
		},
	}
	cmd.Flags().BoolVar(&cells, "cells", false, "answer the cells of a notebook, in JSON")
	return cmd
}

const replHelp = `  :grad w, :hess w, ..  a command on the program
  :steps, :plan, :check, :eval, :minimize w, ..
  :code numpy           the program as code; :code torch w for a derivative
  :data X=X.npy,w=[1,2] data for all that follows; :data alone shows it, :data none forgets it
  :show                 the program;  :load FILE, :save FILE
  :help  :quit`

// limitArgs are the limits of the command line, for the commands that are run from here.
func limitArgs(cmd *cobra.Command) (args []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && strings.HasPrefix(f.Name, "limit-") {
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	return args
}

// A repl is a session: the program that commands work on, and its data.
type repl struct {
	*app
	program string
	data    []string // flags
	limits  []string
	pending []string // lines of a program that goes on
}

// line takes one line and reports whether the session goes on.
func (r *repl) line(ctx context.Context, line string) bool {
	trimmed := strings.TrimSpace(line)
	if len(r.pending) == 0 || strings.HasPrefix(trimmed, ":") {
		if name, ok := strings.CutPrefix(trimmed, ":"); ok {
			r.pending = nil
			return r.command(ctx, name)
		}
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			return true
		}
	}
	more, goesOn := strings.CutSuffix(strings.TrimRight(line, " \t"), "\\")
	r.pending = append(r.pending, more)
	if !goesOn && (trimmed == "" || isComplete(strings.Join(r.pending, "\n"))) {
		r.flush(ctx)
	}
	return true
}

var (
	declares = regexp.MustCompile(`(?m)^\s*(declare|let|map|primitive)\b`)
	states   = regexp.MustCompile(`\bexpression\b`)
)

// isComplete reports whether a text can be a program: its brackets are closed, and what it declares is used.
func isComplete(text string) bool {
	depth := strings.Count(text, "(") - strings.Count(text, ")") + strings.Count(text, "[") - strings.Count(text, "]")
	return depth <= 0 && (!declares.MatchString(text) || states.MatchString(text) || strings.Contains(text, "] ="))
}

// flush takes the lines so far as the program, and shows its value.
func (r *repl) flush(ctx context.Context) {
	if len(r.pending) == 0 {
		return
	}
	text := strings.Join(r.pending, "\n")
	r.pending = nil
	if r.run(ctx, text, "simplify", "-") == exitDone {
		if r.program != text {
			r.data = nil
		}
		r.program = text
	}
}

// run runs a command of frechet on a program.
func (r *repl) run(ctx context.Context, program string, args ...string) int {
	a := newApp(streams{strings.NewReader(program), r.out, r.err})
	return a.run(ctx, append(args, r.limits...))
}

// command runs what follows a colon.
func (r *repl) command(ctx context.Context, line string) bool {
	words := splitQuoted(line)
	if len(words) == 0 {
		words = []string{"help"}
	}
	name, args := words[0], words[1:]
	switch name {
	case "quit", "q", "exit":
		return false
	case "help", "h", "?":
		fmt.Fprintln(r.out, replHelp)
	case "show":
		fmt.Fprintln(r.out, r.program)
	case "load":
		r.load(ctx, args)
	case "save":
		r.save(args)
	case "data":
		r.setData(args)
	case "explain", "rules", "version":
		r.run(ctx, "", append([]string{name}, args...)...)
	default:
		r.onProgram(ctx, name, args)
	}
	return true
}

// onProgram runs a command on the program: arguments that are no flags are the variables.
func (r *repl) onProgram(ctx context.Context, name string, args []string) {
	if r.program == "" {
		fmt.Fprintln(r.err, "error: there is no program yet: write a formula, such as x'*A*x")
		return
	}
	line := []string{name, "-"}
	if name == "code" {
		target := "numpy"
		if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			target, args = args[0], args[1:]
		}
		line = []string{"export", "-", "--target", target}
	}
	var wrt []string
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") {
			line = append(line, args[i:]...)
			break
		}
		wrt = append(wrt, strings.Trim(arg, ","))
	}
	if len(wrt) > 0 {
		line = append(line, "--wrt", strings.Join(wrt, ","))
	}
	if cmd, _, err := newApp(r.streams).command().Find(line[:1]); err == nil && cmd.Flags().Lookup("data") != nil {
		line = append(line, r.data...)
	}
	r.run(ctx, r.program, line...)
}

func (r *repl) load(ctx context.Context, args []string) {
	if len(args) != 1 {
		fmt.Fprintln(r.err, "error: write :load FILE")
		return
	}
	old := r.app.source
	if err := r.readSource(args[0]); err != nil {
		fmt.Fprintln(r.err, "error:", err)
		return
	}
	r.pending, r.app.source = []string{r.app.source.text}, old
	r.flush(ctx)
}

func (r *repl) save(args []string) {
	if len(args) != 1 {
		fmt.Fprintln(r.err, "error: write :save FILE")
		return
	}
	if err := os.WriteFile(args[0], []byte(r.program+"\n"), 0o644); err != nil {
		fmt.Fprintln(r.err, "error:", err)
	}
}

func (r *repl) setData(args []string) {
	switch {
	case len(args) == 0:
		for _, d := range r.data {
			fmt.Fprintln(r.out, strings.TrimPrefix(d, "--data="))
		}
	case len(args) == 1 && args[0] == "none":
		r.data = nil
	default:
		for _, d := range args {
			if _, err := parseBindings(d); err != nil {
				fmt.Fprintln(r.err, "error:", err)
				return
			}
			r.data = append(r.data, "--data="+d)
		}
	}
}

// interactive edits lines in a terminal.
func (r *repl) interactive(ctx context.Context, f *os.File) error {
	fmt.Fprintln(r.out, "frechet", version()+". Write a formula, such as x'*A*x, then :grad x. :help tells more.")
	t := newEditor(f, r.out)
	for ctx.Err() == nil {
		t.SetPrompt("> ")
		if len(r.pending) > 0 {
			t.SetPrompt("| ")
		}
		line, err := readEdited(f, t)
		if err != nil {
			fmt.Fprintln(r.out)
			return nil // the end of the input, or control-C
		}
		if !r.line(ctx, line) {
			return nil
		}
	}
	return nil
}

// newEditor edits lines, with a history and completion.
func newEditor(f *os.File, out io.Writer) *term.Terminal {
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{f, out}, "> ")
	words := replWords()
	t.History = openHistory()
	t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		to, choices := completeWord(line[:pos], words)
		if len(choices) > 1 && to == line[:pos] {
			fmt.Fprintf(t, "%s\n", strings.Join(choices, "  "))
		}
		return to + line[pos:], len(to), true
	}
	return t
}

// readEdited reads one line: the terminal is raw only meanwhile, so that commands print and can be interrupted as usual.
func readEdited(f *os.File, t *term.Terminal) (string, error) {
	state, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(f.Fd()), state) }()
	if w, height, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		_ = t.SetSize(w, height)
	}
	return t.ReadLine()
}

// stem is where the word at the end of a line begins.
func stem(line string) int {
	return strings.LastIndexFunc(line, func(c rune) bool {
		return !(c == ':' || c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	}) + 1
}

// completeWord completes the word at the end of a line as far as all words agree that begin like it.
func completeWord(line string, words []string) (string, []string) {
	start := stem(line)
	stem := line[start:]
	var choices []string
	for _, w := range words {
		if stem != "" && strings.HasPrefix(w, stem) {
			choices = append(choices, w)
		}
	}
	if len(choices) == 0 {
		return line, nil
	}
	common := choices[0]
	for _, w := range choices {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	return line[:start] + common, choices
}

// replWords are the commands, and the functions of the language.
func replWords() []string {
	words := []string{":load", ":save", ":data", ":show", ":quit", ":code", "declare", "expression"}
	for _, c := range newApp(streams{}).command().Commands() {
		words = append(words, ":"+c.Name())
	}
	for _, m := range regexp.MustCompile("`[a-z0-9_ ]+`").FindAllString(docs.Section(docs.Language, "Functions"), -1) {
		words = append(words, strings.Fields(strings.Trim(m, "`"))...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// A fileHistory is the lines of this session and of those before, newest first.
type fileHistory struct {
	path  string
	lines []string
}

// keptLines bounds the history.
const keptLines = 1000

// openHistory reads the history of earlier sessions, where there is one.
func openHistory() *fileHistory {
	h := &fileHistory{}
	if dir, err := os.UserConfigDir(); err == nil {
		h.path = filepath.Join(dir, "frechet", "history")
		if text, err := os.ReadFile(h.path); err == nil {
			h.lines = strings.Split(strings.TrimRight(string(text), "\n"), "\n")
			h.lines = h.lines[max(0, len(h.lines)-keptLines):]
		}
	}
	return h
}

// Add remembers a line; that it cannot be written is no reason to stop.
func (h *fileHistory) Add(line string) {
	if strings.TrimSpace(line) == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	if h.path == "" {
		return
	}
	if os.MkdirAll(filepath.Dir(h.path), 0o700) == nil {
		if f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, _ = fmt.Fprintln(f, line)
			_ = f.Close()
		}
	}
}

func (h *fileHistory) Len() int        { return len(h.lines) }
func (h *fileHistory) At(i int) string { return h.lines[len(h.lines)-1-i] }

// splitQuoted splits at blanks; quotes, single or double, keep them together.
func splitQuoted(line string) (words []string) {
	var word strings.Builder
	var quote rune
	inWord := false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'' && !inWord):
			quote, inWord = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
