package digits

import (
	"math/big"

	"frechet/combinators"
	"frechet/combinators/atom"
)

// axes are the operations along axes; false where it is none that has a row here.
func (e *evaluation) axes(n *combinators.Node, args []Value, out *Value) bool {
	at := n.Atom()
	if len(args) == 0 {
		return false
	}
	x := args[0]
	row := 1
	if at == atom.AMax || at == atom.AMin || at == atom.LogSumExp || at == atom.Softmax {
		for _, d := range x.Shape[len(x.Shape)-n.Attr():] {
			row *= d
		}
		if row == 0 {
			return false
		}
	}
	switch at {
	case atom.Merge, atom.Split:
		copy(out.Data, x.Data)
	case atom.Norm2:
		var squares []Number
		for _, v := range x.Data {
			squares = append(squares, e.mul(v, v))
		}
		out.Data[0] = e.power(e.total(squares, &out.Lost), big.NewRat(1, 2))
	case atom.AMax, atom.AMin:
		for i := range out.Data {
			v := x.Data[i*row : (i+1)*row]
			m := v[0]
			for _, y := range v[1:] {
				if at == atom.AMax {
					m = e.most(m, y)
				} else {
					m = e.neg(e.most(e.neg(m), e.neg(y)))
				}
			}
			out.Data[i] = m
		}
	case atom.LogSumExp, atom.Softmax:
		for i := 0; i*row < len(x.Data); i++ {
			e.shares(at, x.Data[i*row:(i+1)*row], out, i)
		}
	case atom.Prod:
		if n.Attr() > 0 {
			return false
		}
		product := e.float(1)
		for _, v := range x.Data {
			product = e.mul(product, v)
		}
		out.Data[0] = product
	default:
		return false
	}
	return true
}

// shares are logsumexp and softmax of the i-th row.
func (e *evaluation) shares(at *atom.Row, v []Number, out *Value, i int) {
	top := v[0]
	for _, y := range v {
		if y.Low.Cmp(top.Low) > 0 {
			top = y
		}
	}
	exps := make([]Number, len(v))
	for k, y := range v {
		if exps[k] = e.along(e.sub(y, top), expOf); !exps[k].known() {
			return
		}
	}
	all := e.total(exps, &out.Lost)
	if at == atom.LogSumExp {
		out.Data[i] = e.add(top, e.along(all, logOf))
		return
	}
	for k, y := range exps {
		out.Data[i*len(v)+k] = e.quotient(y, all)
	}
}

// matrices are inv, solve, logdet and the determinant by elimination; false where it is none of them.
func (e *evaluation) matrices(n *combinators.Node, args []Value, out *Value) bool {
	at := n.Atom()
	if at != atom.Inv && at != atom.Solve && at != atom.LogDet && !(at == atom.Minor && n.Attr() == 0) {
		return false
	}
	x := args[0]
	k := x.Shape[len(x.Shape)-1]
	if k == 0 {
		return false
	}
	batch := len(x.Data) / (k * k)
	for b := range batch {
		right := make([]Number, k*k)
		width := k
		if at == atom.Solve {
			width = len(args[1].Data) / batch / k
			right = append([]Number{}, args[1].Data[b*k*width:(b+1)*k*width]...)
		} else {
			for i := range right {
				right[i] = e.float(0)
				if i%(k+1) == 0 {
					right[i] = e.float(1)
				}
			}
		}
		m := x.Data[b*k*k : (b+1)*k*k]
		det := e.eliminate(append([]Number{}, m...), right, k, width)
		solved := det.known() && !det.zero()
		if k <= 4 { // no digit is lost of whole numbers
			det = e.expanded(m, k)
		}
		switch {
		case at == atom.Minor:
			out.Data[b] = det
		case !det.known():
			return true
		case det.zero():
			out.Data[0].Undefined = true
			return true
		case at == atom.LogDet:
			v, ok := e.inside(atom.Log, det)
			if ok {
				v = e.along(det, logOf)
			}
			out.Data[b] = v
		case solved:
			copy(out.Data[b*k*width:], right)
		}
	}
	return true
}

// expanded is the determinant by its first column.
func (e *evaluation) expanded(a []Number, k int) Number {
	if k == 0 {
		return e.float(1)
	}
	det := e.float(0)
	for r := range k {
		var rest []Number
		for i := range k {
			if i != r {
				rest = append(rest, a[i*k+1:(i+1)*k]...)
			}
		}
		x := e.mul(a[r*k], e.expanded(rest, k-1))
		if r%2 == 1 {
			x = e.neg(x)
		}
		det = e.add(det, x)
	}
	return det
}

// eliminate puts the solution of A x = right in the place of right, and gives the determinant; unknown where no pivot is known not to be 0.
func (e *evaluation) eliminate(a, right []Number, k, width int) Number {
	det := e.float(1)
	for c := range k {
		p := -1
		zeros := true
		for r := c; r < k; r++ {
			x := a[r*k+c]
			zeros = zeros && x.zero()
			if s, ok := x.sign(); ok && s != 0 && (p < 0 || x.magnitude() > a[p*k+c].magnitude()) {
				p = r
			}
		}
		if p < 0 && zeros {
			return e.float(0)
		}
		if p < 0 {
			return Number{}
		}
		if p != c {
			det = e.neg(det)
			swap(a, p, c, k)
			swap(right, p, c, width)
		}
		det = e.mul(det, a[c*k+c])
		q := e.inverse(a[c*k+c])
		e.scale(a, c, k, q)
		e.scale(right, c, width, q)
		for r := range k {
			if f := e.neg(a[r*k+c]); r != c && !f.zero() {
				e.addRow(a, r, c, k, f)
				a[r*k+c] = e.float(0)
				e.addRow(right, r, c, width, f)
			}
		}
	}
	return det
}

func swap(a []Number, p, c, width int) {
	for j := range width {
		a[p*width+j], a[c*width+j] = a[c*width+j], a[p*width+j]
	}
}

func (e *evaluation) scale(a []Number, c, width int, q Number) {
	for j := range width {
		a[c*width+j] = e.mul(a[c*width+j], q)
	}
}

func (e *evaluation) addRow(a []Number, r, c, width int, f Number) {
	for j := range width {
		a[r*width+j] = e.add(a[r*width+j], e.mul(f, a[c*width+j]))
	}
}
