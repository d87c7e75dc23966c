package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"frechet"
)

// jsonError is an error as JSON: what a person reads is in rendered, what a program wants in the other fields.
type jsonError struct {
	Code    string     `json:"code,omitempty"`
	Kind    string     `json:"kind,omitempty"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
	Place   *jsonPlace `json:"place,omitempty"`
	Notes   []jsonNote `json:"notes,omitempty"`
	// Rendered has the lines of the program with the places marked.
	Rendered string `json:"rendered"`
}

// jsonPlace is a piece of the program's text. Line and column count characters from 1, start and end bytes from 0.
type jsonPlace struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Start  int `json:"start"`
	End    int `json:"end"`
}

type jsonNote struct {
	Message string `json:"message"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
}

// wantsJSON reports whether a command line asks for JSON: then its errors are JSON, too.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	if i := slices.Index(args, "--format"); i >= 0 && i+1 < len(args) && args[i+1] == "json" {
		return true
	}
	return slices.ContainsFunc(args, func(s string) bool { return s == "--json" || s == "--json=true" || s == "--format=json" })
}

// errorJSON is an error in one line of JSON.
func (a *app) errorJSON(err error) string {
	text, fail := json.Marshal(map[string]any{"schema": schema, "error": a.describe(err)})
	if fail != nil {
		return `{"error":{"message":"an error that is no text"}}`
	}
	return string(text)
}

func (a *app) describe(err error) jsonError {
	j := jsonError{Message: err.Error(), Kind: frechet.ErrorKind(err), Rendered: strings.TrimRight(frechet.FormatError(err, a.source.name, a.source.text, false), "\n")}
	var e *frechet.Error
	if !errors.As(err, &e) {
		return j
	}
	j.Code, j.Message, j.Hint = string(e.Code), e.Message, e.Help
	if e.Line > 0 {
		j.Place = &jsonPlace{e.Line, e.Column, e.Span.Start, e.Span.End}
	}
	for _, n := range e.Notes {
		j.Notes = append(j.Notes, jsonNote{n.Text, n.Span.Start, n.Span.End})
	}
	return j
}
