//go:build !js

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/spf13/cobra"

	"frechet"
)

func (a *app) lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve the Language Server Protocol on standard input and output",
		Long: `Serves an editor that speaks the Language Server Protocol: errors and warnings in their places, the type of the name
under the pointer with the gradient by it, and completion. Each answer has limits of time and memory.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveLSP(cmd.Context(), a.serviceLimits(cmd), struct {
				io.Reader
				nopCloser
			}{a.in, nopCloser{a.out}})
		},
	}
}

// The part of the protocol's types that is used here. A character is a UTF-16 code unit.
type (
	lspPosition struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	lspRange struct {
		Start lspPosition `json:"start"`
		End   lspPosition `json:"end"`
	}
	lspDiagnostic struct {
		Range    lspRange     `json:"range"`
		Severity int          `json:"severity"` // 1 error, 2 warning
		Code     string       `json:"code,omitempty"`
		Source   string       `json:"source"`
		Message  string       `json:"message"`
		Related  []lspRelated `json:"relatedInformation,omitempty"`
	}
	lspRelated struct {
		Location lspLocation `json:"location"`
		Message  string      `json:"message"`
	}
	lspLocation struct {
		URI   string   `json:"uri"`
		Range lspRange `json:"range"`
	}
	lspParams struct {
		TextDocument struct {
			URI  string `json:"uri"`
			Text string `json:"text"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
		Position lspPosition `json:"position"`
	}
)

// A languageServer has the open documents, as their texts.
type languageServer struct {
	limits frechet.Limits
	words  []string
	mu     sync.Mutex
	texts  map[string]string
	stop   map[string]context.CancelFunc // what is running for a document
}

// serveLSP answers until the client says exit or the stream ends.
func serveLSP(ctx context.Context, limits frechet.Limits, stream io.ReadWriteCloser) error {
	s := &languageServer{limits: limits, texts: map[string]string{}, stop: map[string]context.CancelFunc{}}
	for _, w := range replWords() {
		if !strings.HasPrefix(w, ":") {
			s.words = append(s.words, w)
		}
	}
	conn := jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{}), concurrently{jsonrpc2.HandlerWithError(s.handle)})
	select {
	case <-conn.DisconnectNotify():
		return nil
	case <-ctx.Done():
		return errors.Join(conn.Close(), ctx.Err())
	}
}

// concurrently answers requests beside each other, and takes notifications in their order.
type concurrently struct{ jsonrpc2.Handler }

func (h concurrently) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	if r.Notif || r.Method == "initialize" {
		h.Handler.Handle(ctx, conn, r)
		return
	}
	go h.Handler.Handle(ctx, conn, r)
}

func (s *languageServer) handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	var p lspParams
	if r.Params != nil {
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
		}
	}
	uri := p.TextDocument.URI
	switch r.Method {
	case "initialize":
		return map[string]any{"serverInfo": map[string]string{"name": "frechet", "version": version()},
			"capabilities": map[string]any{"textDocumentSync": 1, "hoverProvider": true, "completionProvider": struct{}{}}}, nil
	case "textDocument/didOpen":
		s.change(ctx, conn, uri, p.TextDocument.Text)
	case "textDocument/didChange":
		for _, c := range p.ContentChanges {
			s.change(ctx, conn, uri, c.Text)
		}
	case "textDocument/didClose":
		s.change(ctx, conn, uri, "")
	case "textDocument/hover":
		return s.hover(ctx, s.text(uri), p.Position)
	case "textDocument/completion":
		return s.complete(s.text(uri), p.Position), nil
	case "exit":
		return nil, conn.Close()
	case "initialized", "shutdown", "$/cancelRequest", "$/setTrace", "textDocument/didSave":
	default:
		if !r.Notif {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "frechet has no " + r.Method}
		}
	}
	return nil, nil
}

func (s *languageServer) text(uri string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts[uri]
}

// change takes a document's text, and tells of its errors; what is still running for the text before is stopped.
func (s *languageServer) change(ctx context.Context, conn *jsonrpc2.Conn, uri, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.stop[uri]; stop != nil {
		stop()
	}
	s.texts[uri] = text
	ctx, s.stop[uri] = context.WithCancel(ctx)
	go func() {
		found := s.diagnose(ctx, uri, text)
		if s.mu.Lock(); ctx.Err() == nil {
			_ = conn.Notify(ctx, "textDocument/publishDiagnostics", map[string]any{"uri": uri, "diagnostics": found})
		}
		s.mu.Unlock()
	}()
}

// diagnose parses a text and derives what it asks for.
func (s *languageServer) diagnose(ctx context.Context, uri, text string) []lspDiagnostic {
	found := []lspDiagnostic{}
	if strings.TrimSpace(text) == "" {
		return found
	}
	add := func(err error, severity int) {
		d := lspDiagnostic{Severity: severity, Source: "frechet", Message: err.Error()}
		if e := (*frechet.Error)(nil); errors.As(err, &e) {
			d.Code, d.Message = string(e.Code), e.Message
			if e.Help != "" {
				d.Message += "\nhelp: " + e.Help
			}
			if e.Line > 0 {
				d.Range = rangeOf(text, e.Span.Start, e.Span.End)
			}
			for _, n := range e.Notes {
				d.Related = append(d.Related, lspRelated{lspLocation{uri, rangeOf(text, n.Span.Start, n.Span.End)}, n.Text})
			}
		}
		found = append(found, d)
	}
	err := frechet.Bounded(ctx, s.limits, func(ctx context.Context) error {
		f, err := frechet.Parse(text, frechet.WithLimits(s.limits))
		if err != nil {
			return err
		}
		for _, w := range f.Warnings() {
			add(w, 2)
		}
		_, err = f.Derive(ctx, frechet.Query{Order: frechet.AnyOrder})
		return err
	})
	if err != nil {
		add(err, 1)
	}
	return found
}

// hover tells the type of the variable at a position, and the derivative by it.
func (s *languageServer) hover(ctx context.Context, text string, at lspPosition) (any, error) {
	from := offsetOf(text, at)
	start := stem(text[:from])
	end := from + len(text[from:]) - len(strings.TrimLeft(text[from:], nameCharacters))
	name := strings.TrimLeft(text[start:end], "-:")
	var lines []string
	err := frechet.Bounded(ctx, s.limits, func(ctx context.Context) error {
		f, err := frechet.Parse(text, frechet.WithLimits(s.limits))
		if err != nil {
			return nil // it is told as a diagnostic
		}
		for _, x := range f.Params() {
			if x.Name != name {
				continue
			}
			lines = append(lines, name+" : R["+strings.Join(x.Axes, ",")+"]")
			r, err := f.Derive(ctx, frechet.Query{Wrt: []string{name}, Order: 1})
			if err != nil {
				return err
			}
			for _, out := range r.Outputs {
				for _, d := range out.Derivs {
					if formula, err := d.Text("text"); err == nil {
						lines = append(lines, fmt.Sprintf("# %s wrt %s, axes %s\n%s", d.Name(), name, legend(d.Term.Axes()), formula))
					}
				}
			}
		}
		return nil
	})
	if err != nil || lines == nil {
		return nil, err
	}
	return map[string]any{"contents": map[string]string{"kind": "markdown", "value": "```frechet\n" + strings.Join(lines, "\n\n") + "\n```"},
		"range": rangeOf(text, end-len(name), end)}, nil
}

const nameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// complete lists the words that begin like the one before a position: those of the language and of the document.
func (s *languageServer) complete(text string, at lspPosition) any {
	line := text[:offsetOf(text, at)]
	words := s.words
	for _, name := range regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`).FindAllString(line, -1) {
		words = append(words[:len(words):len(words)], name)
	}
	_, choices := completeWord(line, words)
	items, seen := []map[string]string{}, map[string]bool{}
	for _, w := range choices {
		if w != line[stem(line):] && !seen[w] {
			items, seen[w] = append(items, map[string]string{"label": w}), true
		}
	}
	return items
}

// offsetOf is the place of a position in a text, in bytes; beyond the end of a line it is that end.
func offsetOf(text string, p lspPosition) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	for units := 0; units < p.Character && at < len(text) && text[at] != '\n'; {
		c, n := utf8.DecodeRuneInString(text[at:])
		at, units = at+n, units+utf16Length(c)
	}
	return at
}

func rangeOf(text string, start, end int) lspRange {
	return lspRange{positionOf(text, start), positionOf(text, end)}
}

func positionOf(text string, at int) lspPosition {
	before := text[:min(at, len(text))]
	line := strings.LastIndexByte(before, '\n') + 1
	p := lspPosition{Line: strings.Count(before, "\n")}
	for _, c := range before[line:] {
		p.Character += utf16Length(c)
	}
	return p
}

// utf16Length is how many code units of UTF-16 a character takes.
func utf16Length(c rune) int {
	if c >= 0x10000 {
		return 2
	}
	return 1
}
