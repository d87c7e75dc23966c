package latex

import "frechet/syntax"

// scan writes a recurrence with what it begins with and its steps below its name, and an implicit function with what it begins with:
//
//	\operatorname*{iterate}_{h \leftarrow h_{0},\ t = 0, \dots, T - 1}\bigl(\tanh(W h + U X_{t,:})\bigr)
//	\operatorname*{argmin}_{w \leftarrow 0}\bigl(\lVert X w - y \rVert_2^{2}\bigr)
func (w *writer) scan(e *syntax.Expr) text {
	l, last := e.Loop, len(e.Args)-1
	names := append([]syntax.Ident{l.Counter, l.State}, l.Lets...)
	before := map[string]int{}
	for _, n := range names {
		if o, ok := w.orders[n.Name]; ok {
			before[n.Name] = o
		}
		w.orders[n.Name] = 0
	}
	w.orders[l.State.Name] = w.order(e.Args[1])
	if l.Adds {
		w.orders[l.State.Name]--
	}
	sign, steps := ` \leftarrow `, ""
	if !e.Implicit() {
		from, to := "0", w.matrix(e.Args[0]).as(levelSum)+" - 1"
		if l.Reverse {
			from, to = to, from
		}
		steps = `,\ ` + Symbol(l.Counter.Name) + " = " + from + `, \dots, ` + to
	}
	if l.Adds {
		sign = ` \mathrel{+}= `
	}
	s := `\operatorname*{` + e.Name + `}_{` + Symbol(l.State.Name) + sign + w.matrix(e.Args[1]).s + steps + `}\bigl(`
	for k, a := range e.Args[2:last] {
		s += `\mathbf{let}\ ` + Symbol(l.Lets[k].Name) + " = " + w.whole(a).s + `\ \mathbf{in}\ `
		w.orders[l.Lets[k].Name] = w.order(a)
	}
	s += w.whole(e.Args[last]).s + `\bigr)`
	for _, n := range names {
		if delete(w.orders, n.Name); before[n.Name] > 0 {
			w.orders[n.Name] = before[n.Name]
		}
	}
	return text{s, levelFactor}
}
