package rulebook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frechet"
)

// FuzzRules reads any text as a rule file: it is refused with a place in the text, or its rules are
// used, and neither panics nor hangs.
func FuzzRules(f *testing.F) {
	files, err := filepath.Glob("../../examples/rules/*.rules")
	if err != nil || files == nil {
		f.Fatal("no examples", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(b), "\nrule ") {
			f.Add("rule " + part)
		}
	}
	for _, r := range frechet.ShippedRules() {
		for part := range strings.SplitSeq(r.Text, "\nrule ") {
			f.Add("rule " + strings.ReplaceAll(part, "-", "-my-"))
		}
	}
	f.Add("rule a [A B: R[n,n]] tr(A*B) => tr(B*A)")
	f.Add(`native a "b" fuse "c"`)
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 2000 {
			return
		}
		file := frechet.RuleFile{Name: "fuzz.rules", Text: src}
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
		defer stop()
		rules, err := frechet.CheckRules(ctx, file, true)
		var e *frechet.RuleError
		var internal *frechet.Error
		switch {
		case errors.As(err, &e):
			if e.Line < 1 || e.Column < 1 || e.Line > strings.Count(src, "\n")+1 || e.Message == "" {
				t.Fatalf("%v is nowhere in %q", err, src)
			}
			_ = e.Render(true)
			return
		case errors.As(err, &internal):
			if internal.Kind != "limit" {
				t.Fatalf("%v: %q", err, src)
			}
			return
		case err != nil:
			t.Fatalf("%v: %q", err, src)
		}
		for _, w := range rules.Warnings() {
			_ = w.Render(false)
		}
		fn, err := frechet.Parse("declare A[n,n] x[n] y[n] expression sum(sin(x) .* cos(y)^2) + log(det(A)) + tr(A*A) derivative wrt x", frechet.WithRules(rules))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fn.Gradient("x"); err != nil && frechet.ErrorKind(err) != "limit" {
			t.Fatalf("%v: %q", err, src)
		}
	})
}
