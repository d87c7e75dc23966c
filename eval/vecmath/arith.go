package vecmath

// arithGroup is the number of entries that the vector loops of sums and products take.
const arithGroup = 16

// Add sets dst[i] to x[i] + y[i]; dst may be x or y.
func Add(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	n := 0
	if available && len(dst) >= arithGroup {
		n = addBlocks(&dst[0], &x[0], &y[0], len(dst))
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] + y[i]
	}
}

// Mul sets dst[i] to x[i] * y[i]; dst may be x or y.
func Mul(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	n := 0
	if available && len(dst) >= arithGroup {
		n = mulBlocks(&dst[0], &x[0], &y[0], len(dst))
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] * y[i]
	}
}

// Div sets dst[i] to x[i] / y[i]; dst may be x or y.
func Div(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	n := 0
	if available && len(dst) >= arithGroup {
		n = divBlocks(&dst[0], &x[0], &y[0], len(dst))
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] / y[i]
	}
}

// Sum adds up x in several strands, which is faster and more accurate than in one.
func Sum(x []float64) float64 {
	var s0, s1, s2, s3 float64
	if available && len(x) >= arithGroup {
		var n int
		s0, n = sumBlocks(&x[0], len(x))
		x = x[n:]
	}
	for len(x) >= 4 {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
		x = x[4:]
	}
	for _, v := range x {
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}
