package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"frechet"
	"frechet/docs"
)

// Exit statuses.
const (
	exitDone        = 0
	exitFalse       = 1 // checked, and false; or not converged
	exitWrong       = 2 // the input is wrong: usage, syntax, type, size, data
	exitLimit       = 3 // a limit was reached
	exitInterrupted = 130
)

// errFalse ends a command whose check came out false, or whose minimisation did not
// converge; its report is already printed.
var errFalse = errors.New("checked, and false")

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// errUndecided ends a command that could not decide what it was asked; its report is already printed.
var errUndecided = errors.New("not decided")

// app is one run of the command.
type app struct {
	streams
	limits     frechet.Limits
	operations []frechet.Operation // those that flags ask for
	// language is that of the program, as --language gives it
	language  string
	rules     *frechet.UserRules // of --rules
	scalar    bool               // the command is for functions whose value is a number
	program   *frechet.Func      // that the command works on, once it is read
	source    source             // the program that the command works on, for error messages
	digits    int                // significant digits of printed numbers; 0 for all
	precision string             // in which numbers are computed
	json      bool               // errors are printed as JSON
}

// run executes the command line and returns the exit status.
func run(ctx context.Context, args []string, io streams) int {
	return newApp(io).run(ctx, args)
}

func newApp(io streams) *app { return &app{streams: io, limits: frechet.DefaultLimits()} }

func (a *app) run(ctx context.Context, args []string) int {
	a.json = a.json || wantsJSON(args)
	cmd := a.command()
	cmd.SetArgs(formulasFirst(args))
	cmd.SetIn(a.in)
	cmd.SetOut(a.out)
	cmd.SetErr(a.err)
	return a.finish(cmd.ExecuteContext(ctx))
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "frechet",
		Short: "Derivatives of tensor expressions: as formulas, as numbers, checked",
		Long: `frechet reads a tensor-valued function in Einstein or matrix notation and prints its
derivatives as formulas; with data it evaluates them, and checks them against finite
differences. A program is given as a file, as text in one argument, or on standard
input (-):

  frechet grad 'declare x 1 expression x *(i,i->) x derivative wrt x'
  frechet hess logistic.fr -d X=X.npy,y=y.csv,w=w.csv --check

What is piped into a command is its program, where no other is given. Results go to standard output, everything else to standard error. Exit status: 0 done,
1 checked and false, or not converged, 2 the input is wrong, 3 a limit was reached.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q%s", args[0], suggestion(cmd, args[0]))
			}
			return cmd.Help()
		},
	}
	for _, l := range frechet.LimitTable() {
		root.PersistentFlags().Var(&limitFlag{l, &a.limits}, "limit-"+l.Name, l.Doc)
		root.PersistentFlags().Lookup("limit-" + l.Name).Hidden = true // they fill a page: help limits
	}
	root.SuggestionsMinimumDistance = 2
	root.Version = version()
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.AddCommand(a.deriveCommands()...)
	root.AddCommand(a.linearCommand(), a.adjointCommand(), a.evalCommand(), a.checkCommand(), a.minimizeCommand(), a.stationaryCommand(), a.definiteCommand(), a.simplifyCommand(), a.exportCommand(), a.drawCommand(), a.planCommand(), a.batchCommand(), a.rulesCommand(),
		a.stepsCommand(), a.proveCommand(), a.replayCommand(), a.explainCommand(), a.versionCommand(), a.licencesCommand(), a.manCommand(), limitsTopic())
	root.AddCommand(a.serviceCommands()...)
	root.AddCommand(pageTopics()...)
	addExamples(root)
	return root
}

// limitsTopic is a page of help: frechet help limits.
func limitsTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("What an input may cost. Reaching a limit is exit status 3 and an error that says which\nlimit, and what to do instead. Each is a flag:\n\n")
	for _, l := range frechet.LimitTable() {
		fmt.Fprintf(&b, "  --limit-%-10s %-10s %s\n", l.Name, l.Default, l.Doc)
	}
	return &cobra.Command{Use: "limits", Short: "Limits on what an input may cost", Long: strings.TrimRight(b.String(), "\n")}
}

// pageTopics are pages of the documents as help: frechet help language.
func pageTopics() (topics []*cobra.Command) {
	for _, t := range []struct{ name, short, page string }{
		{"language", "The languages: declarations, sizes, notation, index notation", docs.Language},
		{"functions", "The functions of the languages", docs.Section(docs.Language, "Functions")},
		{"calculus", "The calculus of maps, its rules, and how rules are written", docs.Calculus},
	} {
		topics = append(topics, &cobra.Command{Use: t.name, Short: t.short, Long: strings.TrimRight(t.page, "\n")})
	}
	return topics
}

func suggestion(cmd *cobra.Command, arg string) string {
	if s := cmd.SuggestionsFor(arg); len(s) > 0 {
		return "; did you mean " + strings.Join(s, " or ") + "?"
	}
	if looksLikeProgram(arg) {
		return "; a program comes after a command, as in: frechet grad PROGRAM"
	}
	return ""
}

// limitFlag makes a row of the limit table a flag.
type limitFlag struct {
	frechet.Limit
	limits *frechet.Limits
}

func (f *limitFlag) String() string {
	if f.limits == nil { // the zero value, which package flag asks for
		return ""
	}
	return f.Get(f.limits)
}
func (f *limitFlag) Set(s string) error { return f.Limit.Set(f.limits, s) }
func (f *limitFlag) Type() string       { return "limit" }

// finish prints the error, if there is one, and chooses the exit status.
func (a *app) finish(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFalse):
		return exitFalse
	case errors.Is(err, errUndecided):
		return exitLimit
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.err, "interrupted")
		return exitInterrupted
	}
	if a.json {
		fmt.Fprintln(a.err, a.errorJSON(err))
	} else {
		fmt.Fprint(a.err, frechet.FormatError(err, a.source.name, a.source.text, a.colour()))
	}
	if frechet.ErrorKind(err) == "limit" {
		return exitLimit
	}
	return exitWrong
}

// progress shows how far work is, in a format of how much is done and of how much there is, on a terminal and once it has
// taken a while. The second function removes it.
func (a *app) progress(format string) (report func(done, total int), end func()) {
	if !isTerminal(a.err) {
		return nil, func() {}
	}
	start, shown := time.Now(), false
	report = func(done, total int) {
		if time.Since(start) > time.Second {
			shown = true
			fmt.Fprintf(a.err, "\r\x1b[K"+format, done, total)
		}
	}
	return report, func() {
		if shown {
			fmt.Fprint(a.err, "\r\x1b[K")
			shown = false
		}
	}
}

// colour reports whether standard error is a terminal that wants colours.
func (a *app) colour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(a.err)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
