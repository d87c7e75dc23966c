package json

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Texts of many small values are refused before anything is made of them, or take bounded room.
func TestReadIsBounded(t *testing.T) {
	const bytes = 2 << 20
	list := func(item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", bytes/(len(item)+1)), ",") + "]"
	}
	for name, body := range map[string]string{
		"nodes":         `"nodes":` + list(`{}`),
		"contractions":  `"nodes":` + list(`{"ein":{}}`),
		"operands":      `"nodes":[{"op":"add","args":` + list(`0`) + `}]`,
		"index maps":    `"nodes":[{"op":"ein","ein":{"vars":[],"in":` + list(`[]`) + `,"out":[]}}]`,
		"indices":       `"nodes":[{"op":"ein","ein":{"vars":[],"in":[` + list(`{}`) + `],"out":[]}}]`,
		"maps":          `"maps":` + list(`{"dom":{"factors":[{},{}]}}`),
		"steps":         `"parts":[{"kind":"program","start":{},"steps":` + list(`{"subst":{}}`) + `}]`,
		"parts":         `"parts":` + list(`{"start":{"nodes":[]}}`),
		"rules":         `"rules":` + list(`{}`),
		"variables":     `"program":{"wrt":` + list(`""`) + `}`,
		"long name":     `"program":{"text":"` + strings.Repeat("a,", bytes/2) + `"}`,
		"nested spaces": `"maps":[{"dom":` + strings.Repeat(`{"factors":[`, 9000) + strings.Repeat(`]}`, 9000) + `}]`,
	} {
		text := `{"format":"frechet certificate","version":1,` + body + `}`
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := Read(strings.NewReader(text))
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(640<<20), name) // with what is thrown away on the way
		runtime.KeepAlive(c)
		_ = err // some are certificates, of nothing
	}
	_, err := Read(strings.NewReader(`{"format":"frechet certificate","version":1,"nodes":[` + strings.Repeat(`0,`, maxValues) + `0]}`))
	require.ErrorContains(t, err, "more than 4000000 values")
	_, err = Read(strings.NewReader(`{"format":"frechet certificate","version":1,"nodes":[` + strings.Repeat(`{},`, maxTerms) + `{}]}`))
	require.ErrorContains(t, err, "more than 500000 entries")
}
