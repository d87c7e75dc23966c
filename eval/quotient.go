package eval

import (
	"math"
)

// column measures the entries by x[j] with one step, and keeps what is better than the best so far.
func (c *checker) column(j int, times float64, best []quotient) error {
	x := c.point.Data[j]
	h := times * relativeStep * math.Max(1, math.Abs(x))
	h = (x + h) - x // a step that x + h takes exactly
	var y [4][]float64
	for l, step := range []float64{h, -h, h / 2, -h / 2} {
		var err error
		if y[l], err = c.at(func(e Env) { e[c.name].Data[j] += step }); err != nil {
			if _, ok := err.(*SingularError); !ok {
				return err
			}
			y[l] = make([]float64, len(c.y))
			fillNaN(y[l])
		}
	}
	for _, i := range c.rows(j) {
		q := c.quotient(i, j, h, y[0][i], y[1][i], y[2][i], y[3][i])
		if best[i].h == 0 || q.tolerance < best[i].tolerance && !best[i].kink {
			best[i] = q
		}
	}
	return nil
}

// A quotient is what differences say of one entry.
type quotient struct {
	d, h             float64
	claim            float64
	scale, tolerance float64
	noise            float64 // by rounding
	change           float64 // between two steps
	skip, kink       bool
}

// hidden reports whether rounding hides the digits of the quotient.
func (q quotient) hidden() bool { return 4*q.noise > 1e-4*q.scale && !q.skip && !q.kink }

// rough reports whether the step may be too large.
func (q quotient) rough() bool {
	return (4*q.change > 1e-4*q.scale && !q.hidden() || q.wrong()) && !q.skip && !q.kink
}

// wrong reports whether the claim is beyond what is uncertain.
func (q quotient) wrong() bool {
	return !(math.Abs(q.d-q.claim) <= q.tolerance) && !q.skip && !q.kink
}

// quotient measures d y[i] / d x[j] from values at +-h and +-h/2.
func (c *checker) quotient(i, j int, h, p, m, p2, m2 float64) quotient {
	at := i*c.point.Len() + j
	if c.diagonal {
		at = j
	}
	claim, y := c.jac[at], c.y[i]
	coarse, fine := (p-m)/(2*h), (p2-m2)/h
	q := quotient{d: (4*fine - coarse) / 3, h: h, claim: claim} // Richardson: the h^2 term cancels
	if q.d-q.d != 0 || y-y != 0 || math.IsInf(claim, 0) {
		q.skip = !(math.IsNaN(claim) && q.d-q.d == 0)
		q.tolerance = math.Inf(1)
		return q
	}
	noise := 8 * epsilon * math.Max(math.Abs(y), math.Max(math.Abs(p), math.Abs(m))) / h
	if p == m && p2 == m2 && p == y {
		noise = epsilon * math.Abs(y) / (4 * h) // what depends on x[j] does not reach the last digit
		if y == 0 {
			noise = 256 * epsilon // of a claim whose terms cancel
		}
	}
	if c.noise != nil {
		noise = math.Max(noise, math.Max(c.noise[i], c.rounding[i])/h)
	}
	if c.grain != nil {
		noise = math.Max(noise, 4*c.grain[i]/h)
	}
	q.noise, q.change = noise, math.Abs(fine-coarse)
	q.scale = math.Max(math.Abs(q.d), math.Abs(claim))
	q.tolerance = c.tolerance*q.scale + 4*noise + 4*q.change + c.floor
	q.kink = q.wrong() && c.kink(h, claim, y, p, m, p2, m2, noise)
	return q
}

// kink reports whether the one-sided derivatives differ, by as much with half the step, with
// the claim between them.
func (c *checker) kink(h, claim, y, p, m, p2, m2, noise float64) bool {
	right, left := (p-y)/h, (y-m)/h
	right2, left2 := (p2-y)/(h/2), (y-m2)/(h/2)
	gap, gap2 := math.Abs(right-left), math.Abs(right2-left2)
	if gap2 < 0.75*gap || gap2 < 20*noise || gap2 < 1e-3*math.Max(math.Abs(left2), math.Abs(right2)) {
		return false
	}
	slack := 1e-6*(math.Abs(right2)+math.Abs(left2)) + noise
	return claim >= math.Min(right2, left2)-slack && claim <= math.Max(right2, left2)+slack
}
