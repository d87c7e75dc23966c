//go:build !js

package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"frechet"
)

//go:embed page
var pageFiles embed.FS

// What a server takes on at a time: questions that are answered, questions that wait, and bytes of one.
const (
	servedAtOnce = 4
	servedQueue  = 128
	servedBytes  = 1 << 20
)

// contentPolicy lets the page load what it came with, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
	"img-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (a *app) serveCommand() *cobra.Command {
	var addr, dir string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a page on which programs are written and derived",
		Long: `Serves a page on this machine, without any other program or connection: a program is written, its value,
gradient and Hessian are typeset, with steps, plan, check, numbers and code beside them; its address holds the program.
Each request has limits of time and memory, and none reads or writes a file.

With --export DIR the page is written as a site of static files, in which the program runs in the browser; it is
compiled to WebAssembly from a checkout, which is the directory in which the command is run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir != "" {
				return exportSite(cmd.Context(), dir)
			}
			return a.serve(cmd.Context(), addr, a.serviceLimits(cmd))
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "localhost:8017", "address to listen on; one that others reach serves them, too")
	cmd.Flags().StringVar(&dir, "export", "", "write the page as static files to DIR")
	return cmd
}

// serve serves the page until ctx ends.
func (a *app) serve(ctx context.Context, addr string, limits frechet.Limits) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "http://%s\n", l.Addr())
	s := &http.Server{Handler: pageHandler(limits, addr), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 2*limits.Time + 10*time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	end := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer end()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// pageHandler answers for the page and its questions. addr is what it is reached by beside names of this machine.
func pageHandler(limits frechet.Limits, addr string) http.Handler {
	files, err := fs.Sub(pageFiles, "page")
	if err != nil {
		panic(err) // our own files
	}
	running, waiting := make(chan struct{}, servedAtOnce), make(chan struct{}, servedQueue)
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("POST /api/{name}", func(w http.ResponseWriter, r *http.Request) {
		if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
			http.Error(w, "a question is application/json", http.StatusUnsupportedMediaType)
			return
		}
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, servedBytes))
		if err != nil {
			http.Error(w, "the question is too long", http.StatusRequestEntityTooLarge)
			return
		}
		select {
		case waiting <- struct{}{}:
			defer func() { <-waiting }()
		default:
			http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
			return
		}
		ctx, stop := context.WithTimeout(r.Context(), 2*limits.Time)
		defer stop()
		select {
		case running <- struct{}{}:
			defer func() { <-running }()
		case <-ctx.Done():
			http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answerText(ctx, limits, r.PathValue("name"), text)) // a client that is gone reads nothing
	})
	return guardHost(addr, mux)
}

// guardHost sets the headers of every answer, and refuses names that are not of this machine: a page of another site that has its
// name point here reaches nothing.
func guardHost(addr string, next http.Handler) http.Handler {
	own, _, err := net.SplitHostPort(addr)
	if err != nil {
		own = addr
	}
	open := own == "" || own == "0.0.0.0" || own == "::" // it serves others by any name
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		ip := net.ParseIP(strings.Trim(host, "[]"))
		if !open && host != own && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "unknown host", http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}

// exportSite writes the page as static files, with the program in WebAssembly.
func exportSite(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("--export compiles the program, and needs Go: %w", err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(absolute(dir), "frechet.wasm"), "./cmd/frechet")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("--export compiles ./cmd/frechet, from a checkout of frechet: %w\n%s", err, out)
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "wasm_exec.js"), glue, 0o644); err != nil {
		return err
	}
	return writePage(dir)
}

func absolute(dir string) string {
	if a, err := filepath.Abs(dir); err == nil {
		return a
	}
	return dir
}

// writePage writes the files of the page, for a program that runs in the browser.
func writePage(dir string) error {
	list, err := pageFiles.ReadDir("page")
	if err != nil {
		return err
	}
	for _, f := range list {
		text, err := pageFiles.ReadFile("page/" + f.Name())
		if err != nil {
			return err
		}
		if f.Name() == "index.html" {
			text = []byte(strings.Replace(string(text), `data-engine="server"`, `data-engine="wasm"`, 1))
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
