package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/eval"
)

// npy builds a file as NumPy writes it, of any version.
func npy(version byte, dict string, body []byte) []byte {
	dict += strings.Repeat(" ", 20) + "\n"
	b := append([]byte(npyMagic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return append(append(b, dict...), body...)
}

func header(descr string, fortran bool, shape string) string {
	f := "False"
	if fortran {
		f = "True"
	}
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, f, shape)
}

// readBoth reads with and without a known length; both must agree.
func readBoth(t *testing.T, b []byte, o Options) (*eval.Tensor, error) {
	t.Helper()
	x, err := ReadNPY(bytes.NewReader(b), int64(len(b)), o)
	y, err2 := ReadNPY(bytes.NewReader(b), -1, o)
	require.Equal(t, err == nil, err2 == nil, "%v / %v", err, err2)
	if err == nil {
		require.Equal(t, x, y)
	}
	return x, err
}

func TestNPYTypes(t *testing.T) {
	for _, c := range []struct {
		descr string
		write func(bo binary.AppendByteOrder, b []byte, v int) []byte
		want  []float64
	}{
		{"f8", func(bo binary.AppendByteOrder, b []byte, v int) []byte {
			return bo.AppendUint64(b, math.Float64bits(float64(v)+0.5))
		}, []float64{1.5, -1.5}},
		{"f4", func(bo binary.AppendByteOrder, b []byte, v int) []byte {
			return bo.AppendUint32(b, math.Float32bits(float32(v)+0.5))
		}, []float64{1.5, -1.5}},
		{"f2", func(bo binary.AppendByteOrder, b []byte, v int) []byte {
			return bo.AppendUint16(b, map[int]uint16{1: 0x3e00, -2: 0xc000}[v])
		}, []float64{1.5, -2}},
		{"i8", func(bo binary.AppendByteOrder, b []byte, v int) []byte { return bo.AppendUint64(b, uint64(v)) }, []float64{1, -2}},
		{"i4", func(bo binary.AppendByteOrder, b []byte, v int) []byte { return bo.AppendUint32(b, uint32(v)) }, []float64{1, -2}},
		{"i2", func(bo binary.AppendByteOrder, b []byte, v int) []byte { return bo.AppendUint16(b, uint16(v)) }, []float64{1, -2}},
		{"i1", func(_ binary.AppendByteOrder, b []byte, v int) []byte { return append(b, byte(v)) }, []float64{1, -2}},
		{"u8", func(bo binary.AppendByteOrder, b []byte, v int) []byte { return bo.AppendUint64(b, uint64(v)) }, []float64{1, 1<<64 - 2}},
		{"u4", func(bo binary.AppendByteOrder, b []byte, v int) []byte { return bo.AppendUint32(b, uint32(v)) }, []float64{1, 1<<32 - 2}},
		{"u2", func(bo binary.AppendByteOrder, b []byte, v int) []byte { return bo.AppendUint16(b, uint16(v)) }, []float64{1, 1<<16 - 2}},
		{"u1", func(_ binary.AppendByteOrder, b []byte, v int) []byte { return append(b, byte(v)) }, []float64{1, 254}},
		{"b1", func(_ binary.AppendByteOrder, b []byte, v int) []byte { return append(b, byte(max(v, 0))) }, []float64{1, 0}},
	} {
		for prefix, bo := range map[string]binary.AppendByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian, "|": binary.LittleEndian} {
			body := c.write(bo, c.write(bo, nil, 1), -2)
			for version := byte(1); version <= 3; version++ {
				x, err := readBoth(t, npy(version, header(prefix+c.descr, false, "(2,)"), body), Options{})
				require.NoError(t, err, c.descr)
				require.Equal(t, []int{2}, x.Shape)
				require.Equal(t, c.want, x.Data, prefix+c.descr)
			}
		}
	}
	require.Equal(t, math.Ldexp(1, -24), half(1))
	require.True(t, math.IsInf(half(0xfc00), -1) && math.IsNaN(half(0x7e00)))
}

func TestNPYLayout(t *testing.T) {
	bytesOf := func(n int) (b []byte) {
		for i := range n {
			b = append(b, byte(i))
		}
		return b
	}
	x, err := readBoth(t, npy(1, header("|u1", true, "(2, 3, 4)"), bytesOf(24)), Options{})
	require.NoError(t, err)
	require.Equal(t, []int{2, 3, 4}, x.Shape)
	for i := range 2 {
		for j := range 3 {
			for k := range 4 {
				require.Equal(t, float64(i+2*j+6*k), x.At(i, j, k))
			}
		}
	}
	x, err = readBoth(t, npy(1, header("|u1", false, "()"), bytesOf(1)), Options{})
	require.NoError(t, err)
	require.Equal(t, []int{}, x.Shape)
	x, err = readBoth(t, npy(2, header("<f8", true, "(2, 0, 3)"), nil), Options{})
	require.NoError(t, err)
	require.Equal(t, []int{2, 0, 3}, x.Shape)
	x, err = readBoth(t, npy(1, `{"shape": (2L, 1L), "fortran_order": False, "descr": "|i1"}`, bytesOf(2)), Options{Order: WithOrder(1)})
	require.NoError(t, err)
	require.Equal(t, []int{2}, x.Shape)
}

func TestNPYHostile(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":           {nil, "is not a .npy file"},
		"cut magic":       {[]byte("\x93NUM"), "is not a .npy file"},
		"version":         {npy(9, header("<f8", false, "()"), nil), "version 9.0"},
		"cut header":      {npy(1, header("<f8", false, "()"), nil)[:30], "ends inside the header"},
		"huge header":     {append([]byte(npyMagic+"\x02\x00"), 0xff, 0xff, 0xff, 0xff), "header of 4294967295 bytes"},
		"no dict":         {npy(1, "[]", nil), "no dictionary"},
		"twice":           {npy(1, "{'shape': (), 'shape': ()}", nil), "malformed"},
		"missing":         {npy(1, "{'shape': (), 'fortran_order': False}", nil), `without "descr"`},
		"unknown":         {npy(1, "{'shape': (), 'x': 1}", nil), "unknown key"},
		"records":         {npy(1, "{'descr': [('a', '<f8')], 'shape': ()}", nil), "records"},
		"complex":         {npy(1, header("<c16", false, "()"), make([]byte, 16)), "complex"},
		"objects":         {npy(1, header("|O", false, "(1,)"), make([]byte, 16)), `"|O"`},
		"text":            {npy(1, header("<U8", false, "(1,)"), make([]byte, 32)), "text"},
		"negative":        {npy(1, header("<f8", false, "(-1,)"), nil), "negative size"},
		"not a number":    {npy(1, header("<f8", false, "(x,)"), nil), "no number"},
		"overflow":        {npy(1, header("<f8", false, "(99999999999999999999,)"), nil), "no number"},
		"petabytes":       {npy(1, header("<f8", false, "(1000000000, 1000000000, 1000000000)"), nil), "1e+27 elements"},
		"gigabytes":       {npy(1, header("<f8", false, "(100000000,)"), make([]byte, 16)), "16 bytes follow"},
		"short":           {npy(1, header("<f8", false, "(3,)"), make([]byte, 23)), "23 bytes follow"},
		"long":            {npy(1, header("<f8", false, "(3,)"), make([]byte, 25)), "25 bytes follow"},
		"order":           {npy(1, header("<f8", false, "("+strings.Repeat("1,", 65)+")"), make([]byte, 8)), "65 axes"},
		"comma":           {npy(1, header("<f8", false, "(3 4)"), nil), "malformed shape"},
		"unclosed":        {npy(1, "{'shape': (3,", nil), "no number"},
		"open string":     {npy(1, "{'shape", nil), "malformed"},
		"after the dict":  {npy(1, header("<f8", false, "()")+"x", make([]byte, 8)), "malformed"},
		"zero and beyond": {npy(1, header("<f8", false, "(0, 9223372036854775807)"), make([]byte, 8)), "8 bytes follow"},
	} {
		_, err := ReadNPY(bytes.NewReader(c.file), int64(len(c.file)), Options{})
		require.ErrorContains(t, err, c.want, name)
		var e *Error
		require.ErrorAs(t, err, &e)
		_, err = ReadNPY(bytes.NewReader(c.file), -1, Options{})
		require.Error(t, err, name)
	}
}

func TestNPYRoundTrip(t *testing.T) {
	for _, shape := range [][]int{{}, {1}, {7}, {2, 3}, {2, 0}, {3, 1, 5000}} {
		x := eval.NewTensor(shape...)
		for i := range x.Data {
			x.Data[i] = math.Sqrt(float64(i)) - 3
		}
		var b bytes.Buffer
		require.NoError(t, WriteNPY(&b, x))
		require.Equal(t, 0, (b.Len()-8*x.Len())%64, "the data are aligned to 64 bytes")
		y, err := readBoth(t, b.Bytes(), Options{})
		require.NoError(t, err)
		require.Equal(t, x, y)
	}
}

func FuzzReadNPY(f *testing.F) {
	f.Add(npy(1, header("<f8", false, "(2,)"), make([]byte, 16)))
	f.Add(npy(2, header(">i2", true, "(2, 3)"), make([]byte, 12)))
	f.Add(npy(3, header("|b1", true, "()"), make([]byte, 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		o := Options{MaxElements: 1 << 16}
		x, err := ReadNPY(bytes.NewReader(b), int64(len(b)), o)
		if err != nil {
			return
		}
		n, err := eval.Elements(x.Shape, o.MaxElements)
		require.NoError(t, err)
		require.Len(t, x.Data, n)
		var out bytes.Buffer
		require.NoError(t, WriteNPY(&out, x))
		y, err := ReadNPY(&out, int64(out.Len()), o)
		require.NoError(t, err)
		require.Zero(t, eval.MaxDiff(x, y))
	})
}
