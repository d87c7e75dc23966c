// Package vecmath has elementary functions of whole slices. Where the processor has AVX2 and
// FMA, exp and log run in vector registers, and tanh, sigmoid and softplus on top of them; the
// error is at most 2 units in the last place. Arguments at which these algorithms do not hold
// (infinities, NaN, results that overflow or are subnormal) take the functions of package math,
// group by group.
package vecmath

import "math"

// The number of entries that the vector loops take at a time.
const (
	expGroup = 16
	logGroup = 8
)

// The vector loops stop before a group that has an argument out of their range; such groups,
// and what is left at the end, take the scalar function.

// Exp sets dst[i] to exp(x[i]); dst may be x.
func Exp(dst, x []float64) {
	dst = dst[:len(x)]
	for len(x) > 0 {
		if available && len(x) >= expGroup {
			n := expBlocks(&dst[0], &x[0], len(x))
			dst, x = dst[n:], x[n:]
		}
		n := min(expGroup, len(x))
		for i, v := range x[:n] {
			dst[i] = math.Exp(v)
		}
		dst, x = dst[n:], x[n:]
	}
}

// Log sets dst[i] to log(x[i]); dst may be x.
func Log(dst, x []float64) {
	dst = dst[:len(x)]
	for len(x) > 0 {
		if available && len(x) >= logGroup {
			n := logBlocks(&dst[0], &x[0], len(x))
			dst, x = dst[n:], x[n:]
		}
		n := min(logGroup, len(x))
		for i, v := range x[:n] {
			dst[i] = math.Log(v)
		}
		dst, x = dst[n:], x[n:]
	}
}

// Tanh sets dst[i] to tanh(x[i]); dst must not overlap x. For small |x| it is the rational
// approximation of package math, after Cephes, and 1 - 2/(exp(2|x|) + 1) elsewhere.
func Tanh(dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = 2 * math.Abs(v)
	}
	Exp(dst, dst)
	for i, v := range x {
		switch {
		case v > -0.625 && v < 0.625:
			s := v * v
			dst[i] = v + v*s*((-9.64399179425052238628e-1*s-9.92877231001918586564e1)*s-1.61468768441708447952e3)/
				(((s+1.12811678491632931402e2)*s+2.23548839060100448583e3)*s+4.84406305325125486048e3)
		default: // NaN stays; an infinite exponential gives 1
			dst[i] = math.Copysign(1-2/(dst[i]+1), v)
		}
	}
}

// Sigmoid sets dst[i] to 1/(1 + exp(-x[i])), without overflow on either side; dst must not
// overlap x.
func Sigmoid(dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = -math.Abs(v)
	}
	Exp(dst, dst)
	for i, v := range x {
		e := dst[i]
		if v >= 0 {
			dst[i] = 1 / (1 + e)
		} else {
			dst[i] = e / (1 + e)
		}
	}
}

// Softplus sets dst[i] to log(1 + exp(x[i])) = max(x[i], 0) + log1p(exp(-|x[i]|)); dst must not
// overlap x.
func Softplus(dst, x []float64) {
	var buf [256]float64
	for len(x) > 0 {
		n := min(len(x), len(buf))
		e, u := dst[:n], buf[:n]
		for i, v := range x[:n] {
			e[i] = -math.Abs(v)
		}
		Exp(e, e)
		for i, v := range e {
			u[i] = 1 + v
		}
		Log(u, u)
		for i, v := range x[:n] {
			// log1p(e) = log(u) + (e - (u - 1))/u for the rounded sum u = 1 + e
			s := 1 + e[i]
			l := u[i] + (e[i]-(s-1))/s
			if v > 0 {
				l += v
			}
			dst[i] = l
		}
		dst, x = dst[n:], x[n:]
	}
}
