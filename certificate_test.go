package frechet_test

import (
	"bytes"
	"context"
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"frechet"
	"frechet/internal/programs"
)

// certificate derives a program and gives the proof, "" where the derivation is too long.
func certificate(t require.TestingT, src string) []byte {
	f := parseAny(t, src)
	d, err := f.Steps(f.Wrt()...)
	if frechet.ErrorKind(err) == "limit" {
		return nil
	}
	require.NoError(t, err, src)
	var b bytes.Buffer
	require.NoError(t, d.Certificate(&b), src)
	return b.Bytes()
}

func parseAny(t require.TestingT, src string) *frechet.Func {
	f, err := frechet.Parse(src)
	require.NoError(t, err, src)
	return f
}

func replayed(cert []byte) (*frechet.ReplaySummary, error) {
	return frechet.Replay(context.Background(), bytes.NewReader(cert))
}

// The certificates of the paper's examples replay.
func TestCertificates(t *testing.T) {
	files, err := filepath.Glob("testdata/steps/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			require.NoError(t, err)
			cert := certificate(t, string(ar.Files[0].Data))
			sum, err := replayed(cert)
			require.NoError(t, err)
			t.Logf("%d steps, %d bytes", sum.Steps, len(cert))
		})
	}
}

// maxReplayRatio bounds the time of a replay by that of the derivation, its text included.
const maxReplayRatio = 3.0

// Replaying costs at most a fixed multiple of deriving.
func TestReplayCost(t *testing.T) {
	src := networkProgram(t)
	cert := certificate(t, src)
	best := func(work func()) time.Duration {
		least := time.Hour
		for range 5 {
			start := time.Now()
			work()
			least = min(least, time.Since(start))
		}
		return least
	}
	derive := best(func() {
		f := parseAny(t, src)
		_, err := f.Steps(f.Wrt()...)
		require.NoError(t, err)
	})
	replay := best(func() {
		_, err := replayed(cert)
		require.NoError(t, err)
	})
	t.Logf("derived in %v, replayed in %v", derive, replay)
	require.Less(t, replay.Seconds(), maxReplayRatio*derive.Seconds())
}

func BenchmarkDerive(b *testing.B) {
	src := networkProgram(b)
	for b.Loop() {
		f := parseAny(b, src)
		_, err := f.Steps(f.Wrt()...)
		require.NoError(b, err)
	}
}

// BenchmarkReplay checks what BenchmarkDerive derives.
func BenchmarkReplay(b *testing.B) {
	cert := certificate(b, networkProgram(b))
	for b.Loop() {
		_, err := replayed(cert)
		require.NoError(b, err)
	}
}

func networkProgram(t require.TestingT) string {
	ar, err := txtar.ParseFile("testdata/steps/network3.txtar")
	require.NoError(t, err)
	return string(ar.Files[0].Data)
}

// FuzzReplay: no certificate makes the checker panic or run on.
func FuzzReplay(f *testing.F) {
	for _, src := range []string{
		"declare p[n] expression sum(p .* log(p)) derivative wrt p",
		"h(x) : R -> R = ln . sin",
		"declare A[n,n] x[n] expression x'*A*x derivative wrt x",
		"declare x[n] expression sum((2*x).^3 + x ./ x.^3) derivative wrt x",
	} {
		f.Add(certificate(f, src))
	}
	f.Add([]byte(`{"format": "frechet certificate", "version": 1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		_, err := frechet.Replay(ctx, bytes.NewReader(b))
		if frechet.ErrorKind(err) == "internal" {
			t.Fatal(err)
		}
	})
}

var randomCertificates = flag.Int("certificates", 200, "how many random programs have certificates that are replayed")

// The certificates of random programs replay.
func TestCertificatesOfRandomPrograms(t *testing.T) {
	count := *randomCertificates
	if testing.Short() {
		count = 50
	}
	draw := rapid.Custom(func(t *rapid.T) *programs.Program { return programs.Draw(t, true) })
	long := 0
	for i := range count {
		p := draw.Example(i)
		cert := certificate(t, p.Text())
		if cert == nil {
			long++
			continue
		}
		_, err := replayed(cert)
		require.NoError(t, err, p.Text())
	}
	require.LessOrEqual(t, long, count/50, "derivations of more than the limit of steps")
}
