package data

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"frechet/eval"
	"frechet/internal/words"
)

// The .npy format: the magic, a version, the length of a header (two bytes in version 1, four
// in 2 and 3), the header as the text of a Python dictionary, the entries.
const npyMagic = "\x93NUMPY"

// maxHeader bounds the header's text, far above what 64 axes need.
const maxHeader = 1 << 16

// npyHeader is what the header's dictionary says.
type npyHeader struct {
	descr   string
	fortran bool
	shape   []int
}

// ReadNPY reads one array in NumPy's .npy format, versions 1 to 3: booleans, whole numbers of
// 1 to 8 bytes with or without sign, floats of 2, 4 and 8 bytes, little- or big-endian, in C
// or Fortran layout, of any order up to eval.MaxOrder. size is the number of bytes that r
// holds, or -1 where that is not known; with it, a header that claims more than there is is
// refused before anything is allocated, and without it memory grows only as data arrive.
func ReadNPY(r io.Reader, size int64, o Options) (*eval.Tensor, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	h, used, err := readNPYHeader(br)
	if err != nil {
		return nil, err
	}
	dec, width, err := npyDecoder(h.descr)
	if err != nil {
		return nil, err
	}
	n, err := eval.Elements(h.shape, o.maxElements())
	if err != nil {
		return nil, &Error{Err: err}
	}
	need := int64(n) * int64(width)
	if size >= 0 && size-used != need {
		return nil, errorf("the header says %s of %s, %d bytes of data, but %d bytes follow it",
			eval.ShapeString(h.shape), h.descr, need, size-used)
	}
	data, err := readEntries(br, n, width, dec, size >= 0)
	if err != nil {
		return nil, err
	}
	if size < 0 {
		if _, err := br.ReadByte(); err == nil {
			return nil, errorf("data go on after the %s that the header says", words.Count(n, "entry"))
		} else if err != io.EOF {
			return nil, &Error{Msg: "cannot be read", Err: err}
		}
	}
	if h.fortran {
		data = fromFortran(data, h.shape)
	}
	t, err := eval.Of(h.shape, data)
	if err != nil {
		return nil, &Error{Err: err}
	}
	return fit(t, o.Order)
}

// readNPYHeader returns the header and the number of bytes before the data.
func readNPYHeader(r io.Reader) (npyHeader, int64, error) {
	var pre [8]byte
	if _, err := io.ReadFull(r, pre[:]); err != nil || string(pre[:6]) != npyMagic {
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return npyHeader{}, 0, &Error{Msg: "cannot be read", Err: err}
		}
		return npyHeader{}, 0, errorf("is not a .npy file: it does not start with NumPy's signature")
	}
	used, length := int64(8), int64(0)
	switch pre[6] {
	case 1:
		var b [2]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return npyHeader{}, 0, errorf("ends inside the header")
		}
		length, used = int64(binary.LittleEndian.Uint16(b[:])), used+2
	case 2, 3:
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return npyHeader{}, 0, errorf("ends inside the header")
		}
		length, used = int64(binary.LittleEndian.Uint32(b[:])), used+4
	default:
		return npyHeader{}, 0, errorf("has version %d.%d of the .npy format; 1 to 3 can be read", pre[6], pre[7])
	}
	if length > maxHeader {
		return npyHeader{}, 0, errorf("has a header of %d bytes; at most %d can be read", length, maxHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return npyHeader{}, 0, errorf("ends inside the header")
	}
	h, err := parseNPYHeader(string(text))
	return h, used + length, err
}

// npyDecoder returns how to decode one entry of a type such as "<f8", and its width in bytes.
func npyDecoder(descr string) (dec func([]byte) float64, width int, err error) {
	bad := func() (func([]byte) float64, int, error) {
		what := ""
		switch {
		case strings.Contains(descr, "c"):
			what = " (complex numbers)"
		case strings.Contains(descr, "O"):
			what = " (Python objects)"
		case strings.ContainsAny(descr, "US"):
			what = " (text)"
		}
		return nil, 0, errorf("holds entries of type %q%s; real floats, whole numbers and booleans can be read", descr, what)
	}
	if len(descr) < 3 {
		return bad()
	}
	var bo binary.ByteOrder = binary.LittleEndian
	switch descr[0] {
	case '<', '|', '=':
	case '>', '!':
		bo = binary.BigEndian
	default:
		return bad()
	}
	switch descr[1:] {
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(bo.Uint64(b)) }, 8, nil
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(bo.Uint32(b))) }, 4, nil
	case "f2":
		return func(b []byte) float64 { return half(bo.Uint16(b)) }, 2, nil
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }, 1, nil
	case "i2":
		return func(b []byte) float64 { return float64(int16(bo.Uint16(b))) }, 2, nil
	case "i4":
		return func(b []byte) float64 { return float64(int32(bo.Uint32(b))) }, 4, nil
	case "i8":
		return func(b []byte) float64 { return float64(int64(bo.Uint64(b))) }, 8, nil
	case "u1":
		return func(b []byte) float64 { return float64(b[0]) }, 1, nil
	case "u2":
		return func(b []byte) float64 { return float64(bo.Uint16(b)) }, 2, nil
	case "u4":
		return func(b []byte) float64 { return float64(bo.Uint32(b)) }, 4, nil
	case "u8":
		return func(b []byte) float64 { return float64(bo.Uint64(b)) }, 8, nil
	case "b1":
		return func(b []byte) float64 {
			if b[0] != 0 {
				return 1
			}
			return 0
		}, 1, nil
	}
	return bad()
}

// half decodes an IEEE 754 binary16 number.
func half(b uint16) float64 {
	sign, exp, frac := 1.0, int(b>>10&31), float64(b&1023)
	if b>>15 == 1 {
		sign = -1
	}
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// readEntries decodes n entries. Where the length of the input has not been checked
// beforehand, the slice grows with what arrives.
func readEntries(r io.Reader, n, width int, dec func([]byte) float64, checked bool) ([]float64, error) {
	const chunk = 4096
	first := n
	if !checked {
		first = min(n, 4*chunk)
	}
	data := make([]float64, 0, first)
	buf := make([]byte, chunk*width)
	for len(data) < n {
		b := buf[:min(chunk, n-len(data))*width]
		if _, err := io.ReadFull(r, b); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, errorf("ends after %d of %s", len(data), words.Count(n, "entry"))
			}
			return nil, &Error{Msg: "cannot be read", Err: err}
		}
		for ; len(b) > 0; b = b[width:] {
			data = append(data, dec(b))
		}
	}
	return data, nil
}

// fromFortran turns entries in column-major order (first axis fastest) into row-major ones.
func fromFortran(data []float64, shape []int) []float64 {
	if len(shape) < 2 || len(data) == 0 {
		return data
	}
	out := make([]float64, len(data))
	stride := make([]int, len(shape)) // of each axis in the column-major data
	s := 1
	for k, d := range shape {
		stride[k] = s
		s *= d
	}
	index, at := make([]int, len(shape)), 0
	for o := range out {
		out[o] = data[at]
		for k := len(shape) - 1; k >= 0; k-- {
			index[k]++
			at += stride[k]
			if index[k] < shape[k] {
				break
			}
			at -= stride[k] * shape[k]
			index[k] = 0
		}
	}
	return out
}

// WriteNPY writes a tensor as float64 in C layout, little-endian, version 1 of the format.
func WriteNPY(w io.Writer, t *eval.Tensor) error { return writeNPY(w, t, false) }

// writeNPY writes float32 where single says so.
func writeNPY(w io.Writer, t *eval.Tensor, single bool) error {
	kind := "<f8"
	if single {
		kind = "<f4"
	}
	if _, err := io.WriteString(w, npyHead(t.Shape, kind)); err != nil {
		return err
	}
	buf := make([]byte, 0, 1<<15)
	for i, v := range t.Data {
		if single {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(float32(v)))
		} else {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		if len(buf) == cap(buf) || i == len(t.Data)-1 {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	return nil
}

// npyHead is everything before the data; NumPy aligns these to 64 bytes.
func npyHead(shape []int, kind string) string {
	var s strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&s, "%d, ", d)
	}
	tuple := strings.TrimSuffix(s.String(), " ") // "(3,)" has its comma, "(2, 3)" no last one
	if len(shape) != 1 {
		tuple = strings.TrimSuffix(tuple, ",")
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, tuple)
	dict += strings.Repeat(" ", 63-(10+len(dict))%64) + "\n"
	return npyMagic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(dict)))) + dict
}
