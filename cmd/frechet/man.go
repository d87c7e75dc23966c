package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write a man page for each command",
		Long:    "Writes the help of each command as a man page into a folder: DIR/frechet-grad.1.",
		Example: "  frechet man man1",
		Hidden:  true,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return writeMan(cmd.Root(), args[0])
		},
	}
}

// writeMan writes the page of a command and of those below it.
func writeMan(cmd *cobra.Command, dir string) error {
	if cmd.Hidden {
		return nil
	}
	if err := os.WriteFile(filepath.Join(dir, manName(cmd)+".1"), []byte(manPage(cmd)), 0o644); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if err := writeMan(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage is a command's help in roff.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(".TH %s 1 \"\" \"frechet\" \"frechet\"", strings.ToUpper(manName(cmd)))
	line(".SH NAME\n%s \\- %s", roff(manName(cmd)), roff(cmd.Short))
	if cmd.Runnable() {
		line(".SH SYNOPSIS\n.B %s", roff(cmd.UseLine()))
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	line(".SH DESCRIPTION\n.nf\n%s\n.fi", roff(text))
	var flags []*pflag.Flag
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	})
	if flags != nil {
		line(".SH OPTIONS")
	}
	for _, f := range flags {
		kind, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
			usage += " (default " + f.DefValue + ")"
		}
		line(".TP\n.B %s\n%s", roff(strings.TrimSpace(name+" "+kind)), roff(usage))
	}
	if cmd.Example != "" {
		line(".SH EXAMPLES\n.nf\n%s\n.fi", roff(cmd.Example))
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, manName(cmd.Parent())+"(1)")
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			also = append(also, manName(sub)+"(1)")
		}
	}
	line(".SH SEE ALSO\n%s", roff(strings.Join(also, ", ")))
	return b.String()
}

// roff escapes a text: a backslash, a hyphen that is to stay one, and what would be a request at the beginning of a line.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
