package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
)

// A cell is a request of a notebook: lines to run, or a line to complete.
type cell struct {
	Run      *string  `json:"run"`
	Complete *string  `json:"complete"`
	Restore  *session `json:"restore"`
}

// A session is what a notebook keeps beside this process, which an interrupt ends.
type session struct {
	Program string   `json:"program"`
	Data    []string `json:"data"`
}

// A cellAnswer is what a cell printed, or the words that complete a line and where they begin.
type cellAnswer struct {
	Output  string   `json:"output"`
	Errors  string   `json:"errors"`
	Session session  `json:"session"`
	Words   []string `json:"words"`
	Start   int      `json:"start"`
	Quit    bool     `json:"quit"`
}

// cells answers cells in JSON, one a line.
func (r *repl) cells(ctx context.Context, in io.Reader, out io.Writer) error {
	read := json.NewDecoder(in)
	words := replWords()
	for ctx.Err() == nil {
		var c cell
		if err := read.Decode(&c); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var printed, errors bytes.Buffer
		var a cellAnswer
		switch {
		case c.Restore != nil:
			r.program, r.data = c.Restore.Program, c.Restore.Data
		case c.Complete != nil:
			_, a.Words = completeWord(*c.Complete, words)
			a.Start = stem(*c.Complete)
		case c.Run != nil:
			r.streams = streams{strings.NewReader(""), &printed, &errors}
			for line := range strings.Lines(*c.Run) {
				if a.Quit = !r.line(ctx, strings.TrimRight(line, "\r\n")); a.Quit {
					break
				}
			}
			r.flush(ctx)
		}
		a.Output, a.Errors, a.Session = printed.String(), errors.String(), session{r.program, r.data}
		if err := encode(out, "", a); err != nil {
			return err
		}
	}
	return ctx.Err()
}
