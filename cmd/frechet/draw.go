package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"frechet"
)

// pictures are the formats of draw.
var pictures = []string{"dot", "svg", "png"}

func (a *app) drawCommand() *cobra.Command {
	o := &deriveOptions{order: frechet.AnyOrder, layout: "numerator"}
	var written bool
	cmd := &cobra.Command{
		Use:   "draw FILE|PROGRAM|-",
		Short: "Draw a program and its derivatives as a graph",
		Long: `Draws one graph of the value and of the derivatives that the program or --wrt and --order ask for: each operation once, however
often its value is used. The formats svg and png are laid out by frechet-draw, which lies beside this program, or by
Graphviz's dot.`,
		Args: a.oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return frechet.Bounded(cmd.Context(), a.limits, func(ctx context.Context) error {
				return a.draw(ctx, programArg(args), written, o)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "of the picture: "+join(pictures)+"; default: what the name of the file says, or dot")
	f.StringVarP(&o.out, "out", "o", "", "write the picture to FILE; - is standard output")
	f.BoolVar(&written, "written", false, "draw the value alone, as it is written and not in normal form")
	f.StringArrayVar(&o.sizes, "size", nil, "numbers for size symbols: m=3,n=4; repeatable")
	a.deriveFlags(cmd, o, true)
	a.sourceFlags(cmd)
	complete(cmd, "format", pictures)
	return cmd
}

func (a *app) draw(ctx context.Context, arg string, written bool, o *deriveOptions) error {
	if o.format == "" {
		o.format = "dot"
		if name := strings.TrimPrefix(filepath.Ext(o.out), "."); slices.Contains(pictures, name) {
			o.format = name
		}
	}
	if !slices.Contains(pictures, o.format) {
		return fmt.Errorf("unknown format %q; known are %s", o.format, join(pictures))
	}
	q, err := o.query()
	if err != nil {
		return err
	}
	p, err := a.loadSizes(arg, o)
	if err != nil {
		return err
	}
	q.Sizes = p.sizes
	reply, err := p.f.Derive(ctx, q)
	if err != nil {
		return err
	}
	picture := []byte(reply.Graph(written) + "\n")
	if o.format != "dot" {
		if picture, err = layOut(ctx, string(picture), o.format); err != nil {
			return err
		}
	}
	return a.writeTo(o.out, func(w io.Writer) error {
		_, err := w.Write(picture)
		return err
	})
}

// layOut has another program lay out a graph: a library for that takes a second to start, which no other command is to pay for.
func layOut(ctx context.Context, graph, format string) ([]byte, error) {
	var beside string
	if self, err := os.Executable(); err == nil {
		beside = filepath.Join(filepath.Dir(self), "frechet-draw")
	}
	for _, name := range []string{beside, "frechet-draw", "dot"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		var failure strings.Builder
		cmd := exec.CommandContext(ctx, path, "-T"+format)
		cmd.Stdin, cmd.Stderr = strings.NewReader(graph), &failure
		picture, err := cmd.Output()
		if err != nil {
			return nil, errors.Join(ctx.Err(), fmt.Errorf("%s: %w: %s", path, err, strings.TrimSpace(failure.String())))
		}
		return picture, nil
	}
	return nil, fmt.Errorf("the format %s needs frechet-draw beside this program (go build ./cmd/frechet-draw), or Graphviz's dot; --format dot needs neither", format)
}
