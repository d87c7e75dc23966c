package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"frechet"
)

type diagnostics struct {
	URI         string
	Diagnostics []lspDiagnostic
}

// newEditorClient is a client of a language server, and the diagnostics that it is told.
func newEditorClient(t *testing.T) (*jsonrpc2.Conn, chan diagnostics) {
	here, there := net.Pipe()
	done := make(chan error, 1)
	l := frechet.DefaultLimits()
	l.Time = 5 * time.Second
	go func() { done <- serveLSP(context.Background(), l, there) }()
	told := make(chan diagnostics, 100)
	conn := jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(here, jsonrpc2.VSCodeObjectCodec{}),
		jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
			var d diagnostics
			err := json.Unmarshal(*r.Params, &d)
			told <- d
			return nil, err
		}))
	t.Cleanup(func() {
		require.NoError(t, conn.Call(context.Background(), "shutdown", nil, nil))
		require.NoError(t, conn.Notify(context.Background(), "exit", nil))
		require.NoError(t, <-done)
	})
	var hello struct{ Capabilities struct{ HoverProvider bool } }
	require.NoError(t, conn.Call(context.Background(), "initialize", map[string]any{"processId": nil, "rootUri": nil}, &hello))
	require.True(t, hello.Capabilities.HoverProvider)
	return conn, told
}

func document(text string, more map[string]any) map[string]any {
	m := map[string]any{"textDocument": map[string]any{"uri": "file:///a.fr", "text": text, "version": 1, "languageId": "frechet"}}
	for k, v := range more {
		m[k] = v
	}
	return m
}

// TestLanguageServer: errors have their places, hover the type and the gradient, completion the words; a mistake that is mended is gone.
func TestLanguageServer(t *testing.T) {
	conn, told := newEditorClient(t)
	ctx := context.Background()
	require.NoError(t, conn.Notify(ctx, "textDocument/didOpen", document("# é𝛼\ndeclare A[2,3] x[2]\nexpression sum(A *(ij,j->i) x)", nil)))
	d := (<-told).Diagnostics
	require.Len(t, d, 1)
	require.Equal(t, "T012", d[0].Code)
	require.Equal(t, lspRange{lspPosition{2, 22}, lspPosition{2, 23}}, d[0].Range)
	require.Contains(t, d[0].Message, "help: contract the other axis")
	require.Equal(t, lspPosition{1, 8}, d[0].Related[1].Location.Range.Start)

	fixed := "declare A[n,n] x[n]\nexpression x'*A*x"
	require.NoError(t, conn.Notify(ctx, "textDocument/didChange", document("", map[string]any{"contentChanges": []any{map[string]any{"text": fixed}}})))
	require.Empty(t, (<-told).Diagnostics)
	var hover struct {
		Contents struct{ Value string }
		Range    lspRange
	}
	require.NoError(t, conn.Call(ctx, "textDocument/hover", document("", map[string]any{"position": lspPosition{1, 11}}), &hover))
	require.Equal(t, "```frechet\nx : R[n]\n\n# gradient wrt x, axes [n]: x\n(A + A')*x\n```", hover.Contents.Value)
	require.Equal(t, lspRange{lspPosition{1, 11}, lspPosition{1, 12}}, hover.Range)
	for _, p := range []lspPosition{{0, 3}, {1, 14}, {9, 9}} {
		var none any
		require.NoError(t, conn.Call(ctx, "textDocument/hover", document("", map[string]any{"position": p}), &none))
	}
	require.NoError(t, conn.Notify(ctx, "textDocument/didChange", document("", map[string]any{"contentChanges": []any{map[string]any{"text": "declare weights[n]\nexpression logs"}}})))
	<-told
	var items []struct{ Label string }
	require.NoError(t, conn.Call(ctx, "textDocument/completion", document("", map[string]any{"position": lspPosition{1, 15}}), &items))
	require.Contains(t, items, struct{ Label string }{"logsumexp"})

	err := conn.Call(ctx, "textDocument/rename", document("", nil), nil)
	require.ErrorContains(t, err, "has no textDocument/rename")
	require.Error(t, conn.Call(ctx, "textDocument/hover", []int{1}, nil))
}

// TestLanguageServerStops: a long derivation is stopped by the next change, which is answered at once.
func TestLanguageServerStops(t *testing.T) {
	conn, told := newEditorClient(t)
	slow := "declare A[n,n] let b0 = A "
	for i := range 400 {
		slow += fmt.Sprintf("let b%d = sin(b%d*b%d) + b%d ", i+1, i, i, i)
	}
	ctx := context.Background()
	require.NoError(t, conn.Notify(ctx, "textDocument/didOpen", document(slow+"expression sum(b400) hessian wrt A", nil)))
	require.NoError(t, conn.Notify(ctx, "textDocument/didChange", document("", map[string]any{"contentChanges": []any{map[string]any{"text": "sum(x"}}})))
	start := time.Now()
	for d := range told {
		if len(d.Diagnostics) == 1 && strings.Contains(d.Diagnostics[0].Message, "`)` is missing") {
			break
		}
	}
	require.Less(t, time.Since(start), 4*time.Second)
}

// TestPositions: positions and places in the text are each other's inverse.
func TestPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aé𝛼\n "))).Draw(t, "text")
		for i := range text {
			require.Equal(t, i, offsetOf(text, positionOf(text, i)))
		}
	})
}
