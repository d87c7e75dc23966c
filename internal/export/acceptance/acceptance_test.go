package acceptance

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// runs says by target what a machine must have to run it.
var runs = map[string]func() bool{
	"numpy": func() bool { return exec.Command(Python("numpy"), "-c", "import numpy").Run() == nil },
	"c": func() bool {
		_, err := exec.LookPath("gcc")
		return err == nil && exec.Command(Python("numpy"), "-c", "import numpy").Run() == nil
	},
	"go":    func() bool { return true },
	"julia": parsers, "matlab": parsers,
	"sql": func() bool { return exec.Command(Python("sqlite"), "-c", "import sqlite3, numpy").Run() == nil },
}

func parsers() bool { return exec.Command(Python("parsers"), "-c", "import tree_sitter").Run() == nil }

// TestSample exports one in some programs of the corpora; the command beside it takes all, and all targets.
func TestSample(t *testing.T) {
	t.Chdir("../../..")
	cases, err := Cases(".", 19)
	require.NoError(t, err)
	require.Greater(t, len(cases), 50)
	for target, there := range runs {
		t.Run(target, func(t *testing.T) {
			if !there() {
				t.Skip("NOT RUN: the interpreter or compiler is not installed")
			}
			outcomes, err := Run(target, cases)
			require.NoError(t, err)
			passed, refused := 0, 0
			for _, o := range outcomes {
				switch {
				case o.Verdict == "passed" || o.Verdict == "parsed" && (target == "julia" || target == "matlab"):
					passed++
				case o.Verdict == "refused" && (target == "sql" || strings.Contains(o.Why, "polygamma")):
					refused++ // SQL has no factorisations, and no erf
				default:
					t.Errorf("%s %s: %s", o.Case, o.Verdict, o.Why)
				}
			}
			require.Less(t, refused, len(cases)/4)
			require.Greater(t, passed, len(cases)/2)
		})
	}
}

// TestCompareFails: a wrong entry is seen.
func TestCompareFails(t *testing.T) {
	t.Chdir("../../..")
	cases, err := Cases(".", 97)
	require.NoError(t, err)
	p := &cases[0].Points[0]
	require.Empty(t, p.compare(p.Want))
	got := p.Want[0].Clone()
	got.Data[0] += 1e-6
	require.NotEmpty(t, p.compare(append(p.Want[:0:0], got)))
}
