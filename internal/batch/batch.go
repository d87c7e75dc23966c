// Package batch answers requests, one JSON object a line, in the protocol of internal/protocol.
package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"

	"frechet/eval"
	"frechet/internal/equality"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/protocol"
	"frechet/internal/query"
	"frechet/internal/words"
	"frechet/syntax"
)

// Run reads one JSON request a line from r and writes one answer a line to w, in
// order, each as soon as it is found; docs/batch.md describes both. An error in a
// request is its answer. Run returns an error only where r or w fails, or ctx ends.
// With files, requests may name files: values that are read, and tensors that are written.
func Run(ctx context.Context, r io.Reader, w io.Writer, o program.Options, files bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out := bufio.NewWriter(w)
	lines := readLines(ctx, r, int(o.Limits.Input))
	s, inUse := newSession(files), heapInUse()
	for {
		var l line
		var more bool
		select {
		case l, more = <-lines:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil || !more {
			return err
		}
		if l.err != nil {
			return l.err
		}
		a := s.answerLine(ctx, l, o)
		if err := ctx.Err(); err != nil {
			return err
		}
		out.Write(append(a.Append(out.AvailableBuffer()), '\n'))
		if err := out.Flush(); err != nil {
			return err
		}
		inUse = release(inUse)
	}
}

// largeHeap is by how many bytes a heap may grow over what was in use before it is given back.
const largeHeap = 256 << 20

// release gives the memory of a large request back, where the heap has grown by largeHeap over inUse, and reports
// what is in use then: without it, the heap of the next request could grow to twice as much before garbage is
// collected.
func release(inUse uint64) uint64 {
	if heapInUse() <= inUse+largeHeap {
		return inUse
	}
	debug.FreeOSMemory()
	return heapInUse()
}

func heapInUse() uint64 {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return heap[0].Value.Uint64()
}

// A line is a request, or the length of one that was too long to keep, or an error of
// the reader.
type line struct {
	text  []byte
	long  int64
	limit int
	err   error
}

// readLines sends the lines of r from a goroutine of its own, so that the end of ctx is
// noticed while a read waits.
// The last line may lack its newline.
func readLines(ctx context.Context, r io.Reader, limit int) <-chan line {
	lines := make(chan line)
	send := func(l line) bool {
		select {
		case lines <- l:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(lines)
		in := bufio.NewReaderSize(r, 1<<16)
		for {
			l, err := readLine(in, limit)
			if errors.Is(err, io.EOF) && len(l.text) == 0 && l.long == 0 {
				return
			}
			if err != nil && !errors.Is(err, io.EOF) {
				send(line{err: err})
				return
			}
			if !send(l) || err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine reads up to the next newline. Of a line beyond the limit it keeps nothing.
func readLine(in *bufio.Reader, limit int) (line, error) {
	l := line{limit: limit}
	for {
		part, err := in.ReadSlice('\n')
		switch {
		case l.long > 0:
			l.long += int64(len(part))
		case len(l.text)+len(part) > limit+1:
			l.long = int64(len(l.text) + len(part))
			l.text = nil
		default:
			l.text = append(l.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.text = bytes.TrimSuffix(l.text, []byte{'\n'})
			return l, err
		}
	}
}

// answerLine answers one line, whatever it holds.
func (s *session) answerLine(ctx context.Context, l line, o program.Options) *protocol.Answer {
	if l.long > 0 {
		return &protocol.Answer{Error: protocolError(fault.New(fault.Input,
			"the line is %d bytes long; the limit is %d", l.long, l.limit).
			Helpf("send fewer values in one request, or raise --limit-input"))}
	}
	req, bad := protocol.Decode(l.text)
	if bad != nil {
		return &protocol.Answer{ID: req.ID, Error: bad}
	}
	ctx, stop := context.WithTimeout(ctx, o.Limits.Time)
	defer stop()
	a, err := fault.Within(ctx, func() (*protocol.Answer, error) { return s.answer(ctx, req, o) })
	if err != nil {
		return &protocol.Answer{ID: req.ID, Error: protocolError(err)}
	}
	a.ID = req.ID
	return a
}

func protocolError(err error) *protocol.Error {
	var e *fault.Error
	if !errors.As(fault.Wrap(err), &e) {
		e = fault.New(fault.Request, "%s", err.Error())
	}
	return &protocol.Error{Code: string(e.Code), Kind: string(e.Kind), Line: e.Line, Column: e.Column, Message: e.Message, Hint: e.Help}
}

// answer answers a decoded request.
func (s *session) answer(ctx context.Context, req *protocol.Request, o program.Options) (a *protocol.Answer, err error) {
	defer fault.Guard(&err)
	if err := s.change(req, o.Limits); err != nil {
		return nil, err
	}
	switch {
	case req.Run != "":
		return s.run(ctx, req, o.Limits)
	case req.Input == "" && (req.Store != nil || req.Drop != nil):
		return &protocol.Answer{}, nil
	}
	if err := s.resolve(req, o.Limits); err != nil {
		return nil, err
	}
	o.Language = req.Language
	if req.Rules != "" {
		if o.Rules, err = s.checkRules(ctx, req.Rules); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(protocol.Formats, req.Format) {
		return nil, fault.New(fault.Request, "format %s cannot be printed; this version prints %s", req.Format, strings.Join(protocol.Formats, ", "))
	}
	if req.Equals != "" {
		return compared(ctx, req, o)
	}
	f, env, err := requestFunc(req, o)
	if err != nil {
		return nil, err
	}
	q := query.Query{Wrt: req.Wrt, Order: req.Order}
	if q.Mode, err = query.ParseMode(req.Mode); err != nil {
		return nil, err
	}
	if req.Order == query.AnyOrder && req.Names("hessian") && f.Order() < 2 {
		q.Order = 2 // asking for a Hessian asks for its order
	}
	b := &answering{req: req, f: f, env: env, session: s}
	if err := b.derive(ctx, q); err != nil {
		return nil, err
	}
	if err := b.checkWant(); err != nil {
		return nil, err
	}
	if a, err = b.answer(ctx); err == nil && req.Keep != "" {
		err = s.keep(req.Keep, b, a)
	}
	return a, err
}

// compared answers a request that asks whether its input equals another text.
func compared(ctx context.Context, req *protocol.Request, o program.Options) (*protocol.Answer, error) {
	v, err := equality.Texts(ctx, req.Input, req.Equals, equality.Options{Declare: req.Declare, Wrt: req.Wrt}, o)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(v)
	return &protocol.Answer{Verdict: text}, err
}

// requestFunc parses the program of a request, with its dims, sizes and values.
func requestFunc(req *protocol.Request, o program.Options) (*program.Program, program.Env, error) {
	p, err := program.Parse(req.Input, o)
	if err != nil {
		return nil, nil, err
	}
	// Where the request says nothing of sizes both are nil, and sizes stay symbols.
	var dims program.Dims
	var sizes program.Sizes
	if len(req.Dims) > 0 || req.Values != nil || len(req.Sizes) > 0 {
		dims, sizes = program.Dims{}, program.Sizes(req.Sizes)
	}
	for name, d := range req.Dims {
		dims[name] = d
	}
	for _, name := range slices.Sorted(maps.Keys(req.Values)) {
		v := req.Values[name]
		order, declared := p.Order(name)
		d, given := dims[name]
		if !declared && program.InIndexNotation(p.File) {
			if !given {
				continue // elaboration says that its shape is missing, and where
			}
			order, declared = len(d), true
		}
		switch {
		case !declared:
			return nil, nil, fault.New(fault.Request, "values of %s: the program declares no such variable", words.Quote(name))
		case v.Scalar && order != 0:
			return nil, nil, fault.New(fault.Request, "values of %s: a list is needed for a tensor of order %d", name, order)
		case given:
			if len(d) == order && program.Volume(d) != int64(len(v.Data)) {
				return nil, nil, fault.New(fault.Request, "values of %s: %s for a tensor of shape %s", name, words.Count(len(v.Data), "number"), words.Shape(d))
			}
		case order == 0:
			if len(v.Data) != 1 {
				return nil, nil, fault.New(fault.Request, "values of %s: %s for a scalar", name, words.Count(len(v.Data), "number"))
			}
			dims[name] = []int64{}
		case order == 1:
			dims[name] = []int64{int64(len(v.Data))}
		}
	}
	f, err := p.Elaborate(dims, sizes)
	if err != nil && req.Values != nil && fault.KindOf(err) == string(syntax.KindUndetermined) {
		if missing := firstWithout(p.File, req.Values, dims); missing != nil {
			return nil, nil, missing // a better reason for the same fault
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if req.Values == nil {
		return f, nil, nil
	}
	env := program.Env{}
	for _, name := range slices.Sorted(maps.Keys(req.Values)) {
		v := req.Values[name]
		if f.Param(name) == nil {
			return nil, nil, fault.New(fault.Request, "values of %s: the program has no such variable", words.Quote(name))
		}
		shape, err := f.NumericShape(f.Param(name), nil)
		if err != nil {
			return nil, nil, err
		}
		if n := program.Volume(shape); n != len(v.Data) {
			return nil, nil, fault.New(fault.Request, "values of %s: %s for a tensor of shape %s", name, words.Count(len(v.Data), "number"), words.Shape(shape))
		}
		env[name] = &eval.Tensor{Shape: shape, Data: v.Data}
	}
	return f, env, nil
}

// firstWithout is the error for the first declared variable that has neither values nor
// dims, nil if there is none.
func firstWithout(file *syntax.File, values map[string]protocol.Numbers, dims program.Dims) *fault.Error {
	for _, s := range file.Stmts {
		for _, d := range s.Declares {
			_, valued := values[d.Name]
			if _, sized := dims[d.Name]; !valued && !sized && !d.Sized {
				return program.MissingValue(file, d.Name, d.Span)
			}
		}
	}
	return nil
}
