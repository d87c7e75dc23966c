package frechet_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

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

// The certificates of random programs replay.
func TestCertificatesOfRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs.Draw(t, true)
		cert := certificate(t, p.Text())
		if cert == nil {
			t.Skip("too many steps")
		}
		_, err := replayed(cert)
		require.NoError(t, err, p.Text())
	})
}
