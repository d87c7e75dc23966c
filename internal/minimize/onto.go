package minimize

import (
	"context"
	"fmt"

	"frechet/adjoint"
	"frechet/combinators"
	"frechet/eval"
	"frechet/internal/fault"
	"frechet/internal/program"
)

// keepTo puts for each variable x whose attributes bind its entries a value R(z) that has them for all entries z of the vector: of
// f(x) it makes f(R(z)), whose minimum on the whole space is that of f where x is as declared.
func (m *minimization) keepTo(given program.Env) error {
	m.onto = make([]*combinators.Node, len(m.vars))
	starts := make([]*combinators.Node, len(m.vars))
	for i, x := range m.vars {
		r, err := adjoint.RiemannianOf(x)
		if err != nil {
			return err
		}
		z := m.f.Store.Var(x.Name(), x.Shape())
		if m.onto[i], starts[i] = r.Onto(z); m.onto[i] == nil {
			continue
		}
		k := 0
		for m.f.Params[k].Node != x {
			k++
		}
		if m.opts.Method == "gauss-newton" {
			return m.f.ErrorAt(m.f.Params[k].Span, fault.NotDeclared, "gauss-newton does not keep %s %s", x.Name(), x.Attributes()).Helpf("other methods do: lbfgs, newton, gradient")
		}
		if t := given[x.Name()]; t == nil {
			starts[i] = nil
		} else if breach := eval.Breach(x.Attributes(), t); breach != "" {
			return m.f.ErrorAt(m.f.Params[k].Span, fault.NotDeclared, "%s is declared %s, but where it begins %s", x.Name(), x.Attributes(), breach)
		}
		m.f.Outputs[0].Node = combinators.Replace([]*combinators.Node{m.f.Outputs[0].Node}, x, m.onto[i])[0]
		m.f.Params[k].Node, m.vars[i] = z, z
	}
	at := 0
	for i, x := range m.vars {
		if starts[i] != nil {
			t, err := m.f.Run(context.Background(), starts[i:i+1], m.env, m.opts.Sizes)
			if err != nil {
				return err
			}
			copy(m.env[x.Name()].Data, t[0].Data)
			copy(m.start[at:], t[0].Data)
		}
		at += m.lengths[i]
	}
	for i, t := range m.values(context.Background()) {
		if m.onto[i] != nil && (t == nil || !eval.Finite(t.Data)) {
			return fmt.Errorf("%s has no value at zeros: begin at random, or give it one", m.opts.Wrt[i])
		}
	}
	return nil
}

// values are the variables at the entries that they have now, nil where a matrix is singular.
func (m *minimization) values(ctx context.Context) (out []*eval.Tensor) {
	for i, name := range m.opts.Wrt {
		t := m.env[name]
		if m.onto[i] != nil {
			t = nil
			if ts, err := m.f.Run(ctx, m.onto[i:i+1], m.env, m.opts.Sizes); err == nil {
				t = ts[0]
			}
		}
		out = append(out, t)
	}
	return out
}
