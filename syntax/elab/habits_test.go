package elab

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"frechet/syntax"
)

// What people write who come from other systems is read, or the message says what to write here. At least 95 in a hundred
// do, in each section of a file. public.txt is what was read in public questions and answers, written anew.
func TestHabits(t *testing.T) {
	for _, name := range []string{"habits.txt", "public.txt"} {
		t.Run(name, func(t *testing.T) { testHabits(t, "../../testdata/habits/"+name) })
	}
}

func testHabits(t *testing.T, path string) {
	const declared = "declare A[n,n] B[n,n] X[m,n] x[n] y[n] b[m] w[n] s[] lam[]\nexpression "
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	section, all, missed := "", 0, []string(nil)
	finish := func() {
		assert.LessOrEqual(t, 20*len(missed), all, "%s:\n%s", section, strings.Join(missed, "\n"))
		all, missed = 0, nil
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			finish()
			section = name
			continue
		}
		at := strings.LastIndex(line, " => ")
		require.Positive(t, at, line)
		text, want := line[:at], line[at+4:]
		all++
		_, err := elaborate(declared+text, Options{})
		var e *syntax.Error
		switch {
		case err == nil && want != "ok":
			missed = append(missed, text+" is read")
		case err != nil && !errors.As(err, &e):
			missed = append(missed, text+": "+err.Error())
		case err != nil && (want == "ok" || !strings.Contains(strings.ToLower(e.Message+"\n"+e.Help), strings.ToLower(want))):
			missed = append(missed, text+" ("+want+"): "+e.Message+" | "+e.Help)
		}
	}
	finish()
}
