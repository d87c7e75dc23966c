package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet"
)

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		stderr string
	}{
		{nil, 0, ""},
		{errFalse, 1, ""},
		{fmt.Errorf("check: %w", errFalse), 1, ""},
		{errors.New("no such thing"), 2, "error: no such thing\n"},
		{&frechet.Error{Code: "T012", Kind: "dimension-mismatch", Message: "m", Help: "h"}, 2, "error[T012]: m\nhelp: h\n"},
		{&frechet.Error{Code: "L001", Kind: "limit", Message: "m"}, 3, "error[L001]: m\n"},
		{context.Canceled, 130, "interrupted\n"},
	} {
		var errs bytes.Buffer
		a := &app{streams: streams{err: &errs}}
		assert.Equal(t, c.status, a.finish(c.err), "%v", c.err)
		assert.Equal(t, c.stderr, errs.String(), "%v", c.err)
	}
}

// An interrupt ends every command.
func TestInterrupt(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	program := "declare x 1 expression x *(i,i->) x derivative wrt x"
	for _, args := range [][]string{{"grad", program}, {"eval", program, "-d", "x=[1]"}, {"check", program}, {"simplify", program}, {"batch"}} {
		var out, errs bytes.Buffer
		assert.Equal(t, exitInterrupted, run(ctx, args, streams{strings.NewReader(""), &out, &errs}), "%v", args)
		assert.Equal(t, "interrupted\n", errs.String(), "%v", args)
		assert.Empty(t, out.String(), "%v", args)
	}
}

// A check that fails is reported as false.
func TestFalseCheck(t *testing.T) {
	r := &report{command: "check", check: &frechet.CheckReport{Items: []frechet.CheckItem{
		{What: "gradient wrt x", OK: true, Entries: 2, Error: 1e-9, Order: 3},
		{What: "Hessian wrt x, x", Entries: 4, Error: 0.5, Note: "entry [0,1] is 1, by central differences 2"},
	}}}
	assert.False(t, r.check.OK())
	var out bytes.Buffer
	assert.NoError(t, r.text(&out))
	assert.Equal(t, `# check
# ok: gradient wrt x, 2 entries, relative error 1e-09, remainder of order 3.00
# FALSE: Hessian wrt x, x, 4 entries, relative error 5e-01; entry [0,1] is 1, by central differences 2
`, out.String())
	out.Reset()
	assert.NoError(t, r.json(&out))
	assert.Contains(t, out.String(), `"check":{"ok":false,`)
}

// A replay ends when it is interrupted and when its time is over, even while it waits for its input.
func TestReplayEnds(t *testing.T) {
	in, writer := io.Pipe()
	defer writer.Close()
	var errs bytes.Buffer
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	start := time.Now()
	assert.Equal(t, exitLimit, run(ctx, []string{"replay", "-", "--limit-time", "10ms"}, streams{in, io.Discard, &errs}))
	assert.Contains(t, errs.String(), "L008")
	ctx, stop = context.WithCancel(ctx)
	stop()
	assert.Equal(t, exitInterrupted, run(ctx, []string{"replay", "-"}, streams{in, io.Discard, io.Discard}))
	assert.Less(t, time.Since(start), 10*time.Second)
}

// A command parses the text of its program once, however often it is typed: with symbols, and with the
// sizes of data. Parentheses are seen by the parser alone, so they cost a command the memory that they cost
// the parser.
func TestTextIsParsedOnce(t *testing.T) {
	const deep = 100
	opened, closed := strings.Repeat("(", deep), strings.Repeat(")", deep)
	for _, args := range [][]string{
		{"grad", "declare x 1 expression @x'*x@ derivative wrt x", "-d", "x=[1,2]", "--check"},
		{"hess", "declare x 1 expression @sum(x .^ 3)@ derivative wrt x", "--check"},
		{"jac", "f(x) : R[n] -> R[n] = @sin@", "-d", "x=[1,2]", "--wrt", "x"},
		{"eval", "declare x[n] y[i] = @x[i]*x[i]@", "-d", "x=[1,2]"},
		{"plan", "declare x[n] expression @x'*x@ gradient wrt x", "--size", "n=3"},
		{"minimize", "declare x[n] expression @x'*x@ derivative wrt x", "--size", "n=3"},
	} {
		pieces := strings.Split(args[1], "@")
		plain, wrapped := strings.Join(pieces, ""), pieces[0]+opened+pieces[1]+closed+pieces[2]
		parse := func(src string) float64 {
			return testing.AllocsPerRun(5, func() {
				_, err := frechet.Parse(src)
				require.NoError(t, err)
			})
		}
		command := func(src string) float64 {
			return testing.AllocsPerRun(5, func() {
				var errs bytes.Buffer
				args := append([]string{args[0], src}, args[2:]...)
				require.Equal(t, exitDone, run(context.Background(), args, streams{strings.NewReader(""), io.Discard, &errs}), "%v: %s", args, &errs)
			})
		}
		once := parse(wrapped) - parse(plain)
		require.Greater(t, once, 10.*deep)
		assert.InDelta(t, once, command(wrapped)-command(plain), once/2, "%v", args)
	}
}
