package batch

import (
	"context"
	"maps"
	"slices"

	"frechet/eval"
	"frechet/internal/fault"
	"frechet/internal/program"
	"frechet/internal/protocol"
	"frechet/internal/query"
	"frechet/internal/words"
)

// answering is the work on one request.
type answering struct {
	req      *protocol.Request
	f        *program.Program // in the sizes of the request
	env      program.Env      // nil: no numbers
	reply    *query.Reply
	formulas *query.Reply // the same in the size symbols of the program, for texts
	list     bool         // derivatives are objects by variable
	session  *session

	terms  []*query.Term      // to evaluate, all in one program
	places []*protocol.Tensor // where their numbers go
}

// derive derives what is asked for in numbers, in symbols, or in both.
func (b *answering) derive(ctx context.Context, q query.Query) (err error) {
	symbols := b.inSymbols()
	if symbols == b.f || !b.req.Wants("text") && !b.req.Names("joint") || b.wantsNumbers() {
		if b.reply, err = query.Derive(ctx, b.f, q); err != nil {
			return err
		}
		b.formulas = b.reply
	}
	if symbols != b.f && (b.req.Wants("text") || b.req.Names("joint")) {
		if b.formulas, err = query.Derive(ctx, symbols, q); err != nil {
			return err
		}
	}
	if b.reply == nil {
		b.reply = b.formulas
	}
	b.list = b.req.WrtList || (b.req.Wrt == nil && len(b.reply.Wrt) > 1)
	return nil
}

// inSymbols is the program with the size symbols that it declares; in the sizes of the request where it
// leaves sizes open, for which only these have a text that can be read.
func (b *answering) inSymbols() *program.Program {
	if b.f.Options.Dims == nil && b.f.Options.Sizes == nil {
		return b.f
	}
	f, err := b.f.Source().Elaborate(nil, nil)
	if err != nil || len(f.Symbols) == 0 || len(f.Open()) > 0 {
		return b.f
	}
	return f
}

// checkWant refuses fields that the request cannot have.
func (b *answering) checkWant() error {
	need := func(field string, order int) error {
		if b.req.Names(field) && b.reply.Order < order {
			if len(b.reply.Wrt) == 0 {
				return fault.New(fault.Request, "%s is wanted, but neither the request nor the program names a variable", field)
			}
			return fault.New(fault.Request, "%s is wanted, but the order is %d", field, b.reply.Order)
		}
		return nil
	}
	if err := need("derivative", 1); err != nil {
		return err
	}
	if err := need("derivatives", 1); err != nil {
		return err
	}
	if err := need("hessian", 2); err != nil {
		return err
	}
	asked := map[string]bool{}
	for _, out := range b.reply.Outputs {
		for _, d := range out.Parts {
			asked[d.Operation.Kind] = true
		}
	}
	for _, kind := range program.OperationKinds() {
		if b.req.Names(kind) && !asked[kind] {
			return fault.New(fault.Request, "%s is wanted, but the program does not ask for one", kind).
				Helpf("put it into the program: %s wrt ...", kind)
		}
	}
	return nil
}

// wantsNumbers: values were given, or a field that is made of numbers was asked for.
func (b *answering) wantsNumbers() bool {
	if b.req.Keep != "" {
		return false // the program will run later
	}
	for _, f := range append(program.OperationKinds(), "value", "derivative", "hessian", "derivatives", "grads") {
		if b.req.Names(f) {
			return true
		}
	}
	return b.req.Want == nil && (b.env != nil || b.req.Cotangent != nil)
}

func (b *answering) answer(ctx context.Context) (*protocol.Answer, error) {
	a := &protocol.Answer{}
	numbers := b.wantsNumbers()
	if numbers && b.env == nil {
		b.env = program.Env{}
	}
	if err := b.results(a, numbers); err != nil {
		return nil, err
	}
	if b.req.Cotangent != nil && (b.req.Wants("grads") || b.req.Wants("text")) {
		if err := b.grads(&a.Result, numbers); err != nil {
			return nil, err
		}
	}
	if b.req.Names("joint") {
		var err error
		if _, a.Joint, err = b.formulas.Joint(b.req.Format, nil); err != nil {
			return nil, err
		}
	}
	conventions := b.reply.Conventions()
	if numbers {
		values, met, err := b.reply.Evaluate(ctx, b.terms, b.env)
		if err != nil {
			return nil, err
		}
		if err := b.session.place(b.places, values, b.req); err != nil {
			return nil, err
		}
		conventions = met.Conventions
		for _, d := range met.Departures {
			a.Outside = append(a.Outside, d.String())
		}
	}
	if b.reply.Order > 0 || b.req.Cotangent != nil || len(b.reply.Outputs) > 0 && len(b.reply.Outputs[0].Parts) > 0 {
		a.Conventions = []string{}
		for _, c := range conventions {
			a.Conventions = append(a.Conventions, c.ID)
		}
	}
	for _, c := range b.f.Claims() {
		a.Rules = append(a.Rules, protocol.RuleClaim{Rule: c.Rule, Claim: c.Claim})
	}
	return a, nil
}

// results plans the fields of all expressions.
func (b *answering) results(a *protocol.Answer, numbers bool) error {
	for i, out := range b.reply.Outputs {
		r, err := b.result(out, b.formulas.Outputs[i], numbers)
		if err != nil {
			return err
		}
		if len(b.reply.Outputs) == 1 {
			a.Result = r
		} else {
			a.Outputs = append(a.Outputs, protocol.Output{Name: out.Name, Result: r})
		}
	}
	return nil
}

// result plans the fields of one expression, with its formulas: numbers are filled in when all terms of the
// request have run.
func (b *answering) result(out, formulas query.Output, numbers bool) (protocol.Result, error) {
	var r protocol.Result
	if numbers {
		number := func(t *query.Term) (*protocol.Tensor, error) { return b.place(t), nil }
		if err := fill(b, &r.Derived, out, b.req.Wants("value"), number); err != nil {
			return r, err
		}
	}
	if !b.req.Wants("text") {
		return r, nil
	}
	r.Text = &protocol.Text{}
	return r, fill(b, r.Text, formulas, b.req.Wants("value") || b.reply.Order == 0 || b.textAlone(), b.text)
}

// fill fills in the fields that are wanted, as numbers or as text, of which leaf makes one.
func fill[T comparable](b *answering, f *protocol.Derived[T], out query.Output, value bool, leaf func(*query.Term) (T, error)) (err error) {
	if value {
		if f.Value, err = leaf(out.Value); err != nil {
			return err
		}
	}
	if f.Parts, err = parts(b, out, leaf); err != nil {
		return err
	}
	return derivatives(b, f, out, leaf)
}

// text is the text of a term, which may be missing where there are other fields.
func (b *answering) text(t *query.Term) (string, error) {
	s, err := t.Text(b.req.Format)
	if err != nil && !b.textAlone() {
		return "", nil
	}
	return s, err
}

// parts fills in what the operations of the program give, a field for each kind: one
// value, or an object by variable where the program has several of one kind.
func parts[T any](b *answering, out query.Output, leaf func(*query.Term) (T, error)) ([]protocol.Part[T], error) {
	var fields []protocol.Part[T]
	count := map[string]int{}
	for _, d := range out.Parts {
		count[d.Operation.Kind]++
	}
	for _, d := range out.Parts {
		kind := d.Operation.Kind
		if !b.req.Wants(kind) && !b.textAlone() {
			continue
		}
		x, err := leaf(d.Term)
		if err != nil {
			return nil, err
		}
		n := protocol.Leaf(x)
		if count[kind] == 1 {
			fields = append(fields, protocol.Part[T]{Kind: kind, Nest: &n})
			continue
		}
		i := slices.IndexFunc(fields, func(p protocol.Part[T]) bool { return p.Kind == kind })
		if i < 0 {
			i = len(fields)
			fields = append(fields, protocol.Part[T]{Kind: kind, Nest: &protocol.Nest[T]{}})
		}
		fields[i].Nest.Object(d.Operation.Wrt, n)
	}
	return fields, nil
}

// derivatives fills in those that are wanted: order 1 is `derivative`, order 2 `hessian`, and beyond
// these `derivatives` has all.
func derivatives[T comparable](b *answering, f *protocol.Derived[T], out query.Output, leaf func(*query.Term) (T, error)) error {
	var byOrder []protocol.Nest[T]
	wanted := func(field string) bool {
		return b.req.Wants(field) || b.textAlone()
	}
	list := b.req.Names("derivatives") || (wanted("derivatives") && b.reply.Order > 2)
	for k := 1; k <= b.reply.Order; k++ {
		use := (k == 1 && wanted("derivative")) || (k == 2 && wanted("hessian")) || list
		if !use {
			continue
		}
		n, err := nest(b, derivsOfOrder(out.Derivs, k), 0, leaf)
		if err != nil {
			return err
		}
		if k == 1 && wanted("derivative") {
			f.Derivative = &n
		}
		if k == 2 && wanted("hessian") {
			f.Hessian = &n
		}
		byOrder = append(byOrder, n)
	}
	if list {
		f.Derivatives = byOrder
	}
	return nil
}

// textAlone: a request for nothing but text has the text of all fields.
func (b *answering) textAlone() bool { return len(b.req.Want) == 1 && b.req.Names("text") }

func derivsOfOrder(ds []query.Deriv, k int) []query.Deriv {
	var out []query.Deriv
	for _, d := range ds {
		if d.Order == k {
			out = append(out, d)
		}
	}
	return out
}

// nest groups derivatives by their variables from the depth-th on: an object by variable
// for each order, or one leaf where wrt is no list.
func nest[T any](b *answering, ds []query.Deriv, depth int, leaf func(*query.Term) (T, error)) (protocol.Nest[T], error) {
	var n protocol.Nest[T]
	if !b.list || depth == ds[0].Order {
		x, err := leaf(ds[0].Term)
		return protocol.Leaf(x), err
	}
	for _, name := range b.reply.Wrt {
		var part []query.Deriv
		for _, d := range ds {
			if d.Wrt[depth] == name {
				part = append(part, d)
			}
		}
		if part == nil {
			continue
		}
		kid, err := nest(b, part, depth+1, leaf)
		if err != nil {
			return n, err
		}
		n.Object(name, kid)
	}
	return n, nil
}

// place makes room for the numbers of a term.
func (b *answering) place(t *query.Term) *protocol.Tensor {
	p := &protocol.Tensor{}
	b.terms = append(b.terms, t)
	b.places = append(b.places, p)
	return p
}

// grads plans the pullback of the cotangent to every variable, one reverse sweep for
// all: the adjoint of the derivative at the cotangent, with no Jacobian between.
func (b *answering) grads(r *protocol.Result, numbers bool) error {
	if len(b.reply.Outputs) != 1 {
		return fault.New(fault.Request, "a cotangent needs one expression, but the program has %d", len(b.reply.Outputs))
	}
	shape, err := b.f.NumericShape(b.f.Outputs[0].Node, nil)
	if err != nil {
		return err
	}
	w := b.req.Cotangent
	if n := program.Volume(shape); n != len(w.Data) || (w.Scalar && len(shape) > 0) {
		code := fault.CotangentSize
		if len(w.Data) == 1 {
			code = fault.CotangentOrder
		}
		return fault.New(code, "the cotangent has %s, but the output has order %d and shape %s",
			words.Count(len(w.Data), "number"), len(shape), words.Shape(shape)).
			Helpf("a cotangent has one number for each entry of the output, in row-major order")
	}
	var back *query.Pullback
	if numbers {
		if back, err = query.PullReply(b.reply); err != nil {
			return err
		}
		b.env = withEntry(b.env, back.Cotangent, &eval.Tensor{Shape: shape, Data: w.Data})
		if b.req.Wants("grads") {
			number := func(t *query.Term) (*protocol.Tensor, error) { return b.place(t), nil }
			if r.Grads, err = pulled(back, number); err != nil {
				return err
			}
		}
	}
	if r.Text == nil {
		return nil
	}
	if back == nil || b.formulas != b.reply {
		if back, err = query.PullReply(b.formulas); err != nil {
			return err
		}
	}
	r.Text.Grads, err = pulled(back, b.text)
	return err
}

// pulled has a field for each variable of a pullback.
func pulled[T any](p *query.Pullback, leaf func(*query.Term) (T, error)) (*protocol.Nest[T], error) {
	n := &protocol.Nest[T]{Keys: []string{}}
	for i, name := range p.Names {
		x, err := leaf(p.Terms[i])
		if err != nil {
			return nil, err
		}
		n.Object(name, protocol.Leaf(x))
	}
	return n, nil
}

func withEntry(env program.Env, name string, t *eval.Tensor) program.Env {
	out := maps.Clone(env)
	if out == nil {
		out = program.Env{}
	}
	out[name] = t
	return out
}
