//go:build !js

package main

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"frechet"
)

// mcpWorkers bounds how many calls of a model run at a time; others wait.
const mcpWorkers = 4

func (a *app) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the Model Context Protocol on standard input and output",
		Long: `Offers tools to a program that speaks the Model Context Protocol, such as an assistant: ` + serviceNames() + `.
Each call has limits of time and memory; no call reads or writes a file.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := mcpServer(a.serviceLimits(cmd)).Run(cmd.Context(), &mcp.IOTransport{Reader: io.NopCloser(a.in), Writer: nopCloser{a.out}})
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		},
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// mcpServer has a tool for every service.
func mcpServer(limits frechet.Limits) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "frechet", Version: version()}, &mcp.ServerOptions{
		Instructions: "Derivatives of tensor expressions as formulas that were found by named rules. A program is a formula, x'*A*x, or " +
			"declares its variables with their sizes: declare X[m,n] w[n] y[m] expression sum((X*w - y) .^ 2). A*x is a product, A' a transpose, " +
			".* ./ .^ act entry by entry; sum, tr, diag, inv, det, logdet, norm2, exp, log, sigmoid, softmax, logsumexp, relu and others are functions.",
	})
	workers := make(chan struct{}, mcpWorkers)
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
	for _, v := range services {
		mcp.AddTool(s, &mcp.Tool{Name: v.name, Description: v.doc, Annotations: readOnly},
			func(ctx context.Context, _ *mcp.CallToolRequest, q question) (*mcp.CallToolResult, any, error) {
				select {
				case workers <- struct{}{}:
					defer func() { <-workers }()
				case <-ctx.Done():
					return nil, nil, ctx.Err()
				}
				got := v.answer(ctx, limits, q)
				text := got.Output
				if got.Notes != "" {
					text += "\n" + got.Notes + "\n"
				}
				if got.Error != nil {
					text = got.Error.Rendered
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: got.Error != nil}, nil, nil
			})
	}
	return s
}
