package batch

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"frechet/eval"
	"frechet/eval/data"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/protocol"
	"frechet/internal/query"
	"frechet/internal/rulebook"
	"frechet/internal/words"
	"frechet/syntax"
)

// keptPrograms bounds how many programs stay compiled.
const keptPrograms = 256

// A session is what requests leave to those that follow: rules that were tested, compiled programs, tensors. A request that ran out
// of time may still be at work beside the next one.
type session struct {
	files bool // requests may name files

	mu       sync.Mutex
	rules    lastRules
	programs map[string]*kept
	tensors  map[string]*eval.Tensor
	bytes    int64 // of the tensors
}

// A kept program is what its request derived, and the fields that were asked for so far, compiled.
type kept struct {
	b        answering
	programs map[string]*query.Program
}

func newSession(files bool) *session {
	return &session{files: files, programs: map[string]*kept{}, tensors: map[string]*eval.Tensor{}}
}

// lastRules are the rules of the last request that had some: they are put to the test once for requests that follow.
type lastRules struct {
	text  string
	rules *rulebook.Rules
}

// checkRules reads the rules of a request.
func (s *session) checkRules(ctx context.Context, text string) (*rulebook.Rules, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rules.rules != nil && s.rules.text == text {
		return s.rules.rules, nil
	}
	rules, err := rulebook.Check(ctx, rulebook.File{Name: "rules", Text: text}, false)
	if err == nil {
		s.rules = lastRules{text, rules}
	}
	return rules, err
}

// change stores and drops what the request says.
func (s *session) change(req *protocol.Request, limits fault.Limits) error {
	for _, name := range req.Drop {
		s.drop(name)
	}
	for _, name := range slices.Sorted(maps.Keys(req.Store)) {
		t, err := s.tensor(name, req.Store[name], limits)
		if err != nil {
			return err
		}
		if err := s.store(name, t, limits); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) drop(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.programs, name)
	if t := s.tensors[name]; t != nil {
		s.bytes -= 8 * int64(len(t.Data))
		delete(s.tensors, name)
	}
}

func (s *session) store(name string, t *eval.Tensor, limits fault.Limits) error {
	s.drop(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	more := s.bytes + 8*int64(len(t.Data))
	if more > limits.Memory {
		return fault.New(fault.Size, "stored tensors would take %s; the limit is %s", fault.FormatBytes(more), fault.FormatBytes(limits.Memory)).
			Helpf("drop those that are not needed, or raise --limit-memory")
	}
	s.tensors[name], s.bytes = t, more
	return nil
}

// tensor is a tensor that stands in a request, in a file, or in the session.
func (s *session) tensor(name string, n protocol.Numbers, limits fault.Limits) (*eval.Tensor, error) {
	switch {
	case n.File != "" && !s.files:
		return nil, fault.New(fault.Request, "values of %s: files are not read", words.Quote(name)).Helpf("start frechet batch with --files")
	case n.File != "":
		return data.Read(n.File, data.Options{MaxElements: int(limits.Elements)})
	case n.Stored != "":
		s.mu.Lock()
		defer s.mu.Unlock()
		if t := s.tensors[n.Stored]; t != nil {
			return t, nil
		}
		return nil, fault.New(fault.Request, "values of %s: no tensor %s is stored", words.Quote(name), words.Quote(n.Stored))
	case n.Scalar:
		return &eval.Tensor{Shape: []int{}, Data: n.Data}, nil
	case n.Shape == nil:
		return &eval.Tensor{Shape: []int{len(n.Data)}, Data: n.Data}, nil
	}
	shape := make([]int, len(n.Shape))
	for i, d := range n.Shape {
		shape[i] = int(d)
	}
	return &eval.Tensor{Shape: shape, Data: n.Data}, nil
}

// resolve reads the values of a request that are not written in it; they say their shapes.
func (s *session) resolve(req *protocol.Request, limits fault.Limits) error {
	for name, n := range req.Values {
		if n.File == "" && n.Stored == "" && n.Shape == nil {
			continue
		}
		t, err := s.tensor(name, n, limits)
		if err != nil {
			return err
		}
		shape := make([]int64, len(t.Shape))
		for i, d := range t.Shape {
			shape[i] = int64(d)
		}
		if d, given := req.Dims[name]; given && !slices.Equal(d, shape) {
			return fault.New(fault.Request, "values of %s have the shape %s; dims say %s", words.Quote(name), words.Shape(shape), words.Shape(d))
		}
		if req.Dims == nil {
			req.Dims = map[string][]int64{}
		}
		req.Dims[name], req.Values[name] = shape, protocol.Numbers{Data: t.Data, Shape: shape}
	}
	return nil
}

// keep compiles what a request asks for, in the size symbols of its program, and keeps it under a name.
func (s *session) keep(name string, b *answering, a *protocol.Answer) error {
	k := &kept{b: answering{req: b.req, f: b.f, reply: b.reply, formulas: b.reply, list: b.list},
		programs: map[string]*query.Program{}}
	for _, p := range k.b.f.Params {
		a.Params = append(a.Params, protocol.Param{Name: p.Name, Axes: program.SizeTexts(p.Node)})
	}
	a.Assumed = k.b.f.Assumed()
	if len(k.b.f.Outputs) == 1 {
		a.Axes = program.SizeTexts(k.b.f.Outputs[0].Node)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.programs[name] == nil && len(s.programs) >= keptPrograms {
		return fault.New(fault.Request, "%d programs are kept; drop one first", keptPrograms)
	}
	s.programs[name] = k
	return nil
}

// fields is an answer of the kept program with places for the numbers of the fields that are wanted, and what computes them.
func (s *session) fields(k *kept, want []string) (*protocol.Answer, []*protocol.Tensor, *query.Program, error) {
	if want == nil {
		want = k.b.req.Want
	}
	given := want != nil
	if !given {
		want = append([]string{"value", "derivative", "hessian"}, program.OperationKinds()...)
		if k.b.reply.Order > 2 {
			want = append(want, "derivatives")
		}
	}
	req := *k.b.req
	req.Want = slices.DeleteFunc(slices.Clone(want), func(f string) bool { return f == "text" })
	b, a := k.b, &protocol.Answer{}
	b.req = &req
	if given {
		if err := b.checkWant(); err != nil {
			return nil, nil, nil, err
		}
	}
	if err := b.results(a, true); err != nil {
		return nil, nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.Join(req.Want, " ")
	if k.programs[key] == nil {
		p, err := query.CompileAll(b.terms, nil)
		if err != nil {
			return nil, nil, nil, err
		}
		k.programs[key] = p
	}
	return a, b.places, k.programs[key], nil
}

// run runs a kept program.
func (s *session) run(ctx context.Context, req *protocol.Request, limits fault.Limits) (*protocol.Answer, error) {
	s.mu.Lock()
	k := s.programs[req.Run]
	s.mu.Unlock()
	if k == nil {
		return nil, fault.New(fault.Request, "no program %s is kept", words.Quote(req.Run))
	}
	env := program.Env{}
	for name, n := range req.Values {
		t, err := s.tensor(name, n, limits)
		if err != nil {
			return nil, err
		}
		if k.b.f.Param(name) == nil {
			return nil, fault.New(fault.Request, "values of %s: the program has no such variable", words.Quote(name))
		}
		env[name] = t
	}
	a, places, p, err := s.fields(k, req.Want)
	if err != nil {
		return nil, err
	}
	out, err := p.RunAll(ctx, env)
	if err != nil {
		if _, wrong := k.b.f.Source().Elaborate(program.DimsOf(env), nil); wrong != nil && fault.KindOf(err) == string(syntax.KindUndetermined) {
			err = wrong // which sizes do not fit, and where
		}
		return nil, err
	}
	return a, s.place(places, out, req)
}

// place puts numbers where they belong: into the answer, or a large tensor into a file, where these are asked for.
func (s *session) place(places []*protocol.Tensor, values []*eval.Tensor, req *protocol.Request) error {
	if req.Out != "" && !s.files {
		return fault.New(fault.Request, "out: files are not written").Helpf("start frechet batch with --files")
	}
	for i, v := range values {
		places[i].Shape, places[i].Data = v.Shape, v.Data
		if req.Out != "" && len(v.Data) > protocol.OutEntries {
			places[i].File = filepath.Clean(fmt.Sprintf("%s.%d.npy", req.Out, i))
			if err := data.Write(places[i].File, v); err != nil {
				return err
			}
		}
	}
	return nil
}
