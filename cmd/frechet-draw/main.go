// Command frechet-draw lays out a graph in the language of Graphviz, from standard input, as SVG or PNG:
//
//	frechet draw PROGRAM | frechet-draw -Tsvg > graph.svg
//
// It has Graphviz as WebAssembly inside, which is compiled whenever a program that links it starts. So it is a program of its
// own, and frechet draw calls it.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-graphviz"
)

func main() {
	if err := draw(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "frechet-draw:", err)
		os.Exit(2)
	}
}

func draw(args []string, in io.Reader, out io.Writer) error {
	format := strings.TrimPrefix(strings.Join(append(args, "-Tsvg")[:1], ""), "-T")
	if len(args) > 1 || format != "svg" && format != "png" {
		return fmt.Errorf("usage: frechet-draw [-Tsvg|-Tpng] < GRAPH")
	}
	src, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	graph, err := graphviz.ParseBytes(src)
	if err != nil {
		return err
	}
	ctx := context.Background()
	g, err := graphviz.New(ctx)
	if err != nil {
		return err
	}
	if format == "svg" {
		return g.Render(ctx, graph, graphviz.SVG, out)
	}
	var layout bytes.Buffer // the library's own PNG has filled curves and no outlines
	if err := g.Render(ctx, graph, "json", &layout); err != nil {
		return err
	}
	return paint(layout.Bytes(), out)
}
