package syntax

// Subscripts and blocks: x[1:], A[i, :], [A, B; C, D].

// subscripts reads what stands between the brackets behind an operand.
func (b *builder) subscripts(x *subscripts) []*Expr {
	out := make([]*Expr, len(x.List))
	for i, s := range x.List {
		first := b.optional(s.First)
		if out[i] = first; s.Range != nil {
			out[i] = b.bounds(first, s.Range)
		} else if s.Whole != nil {
			out[i] = b.bounds(nil, s.Whole)
		}
	}
	return out
}

func (b *builder) optional(f *flat) *Expr {
	if f == nil {
		return nil
	}
	e, _ := b.expr(f)
	return e
}

// bounds reads first:stop:step, each of which may be missing.
func (b *builder) bounds(first *Expr, x *bounds) *Expr {
	at := spanOf(x.Colon)
	e := &Expr{Op: OpRange, Span: at, At: at, Args: []*Expr{first, b.optional(x.Stop), b.optional(x.Step)}}
	if first != nil {
		e.Span.Start = first.Span.Start
	}
	if x.Again != nil {
		e.Span.End = spanOf(x.Again[0]).End
	}
	for _, a := range e.Args[1:] {
		if a != nil {
			e.Span.End = max(e.Span.End, a.Span.End)
		}
	}
	return e
}

// blocks reads [A, B; C, D].
func (b *builder) blocks(x *blocks) *Expr {
	at := spanOf(x.Open)
	e := &Expr{Op: OpBlocks, At: at, Span: at.To(spanOf(x.Close))}
	for _, r := range x.Rows {
		row := &Expr{Op: OpRow, Args: b.list(r.Cells)}
		row.Span = row.Args[0].Span.To(row.Args[len(row.Args)-1].Span)
		row.At = row.Span
		e.Args = append(e.Args, row)
	}
	return e
}

// IndexOrder is the order of e, subscripts of a tensor. matrix has the order of the matrix of an array of whole numbers, and 0 for
// other names; the axes of the first array are those of all.
func IndexOrder(e *Expr, matrix func(name string) int) (order int) {
	arrays := 0
	for _, s := range e.Args[1:] {
		base, places := s, 0
		for base.Op == OpIndex {
			for _, t := range base.Args[1:] {
				places += map[bool]int{false: 1}[t.Op == OpRange]
			}
			base = base.Args[0]
		}
		switch {
		case s.Op == OpRange:
			order++
		case base.Op == OpName && matrix(base.Name) > 0:
			if arrays++; arrays == 1 {
				order += matrix(base.Name) - 1 - places
			}
		}
	}
	return order
}
