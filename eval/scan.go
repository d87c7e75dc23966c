package eval

import "frechet/eval/plan"

// scan computes running sums row by row: see plan.Scan. Time is linear in the rows and in
// the result.
func (r *running) scan(s *plan.Scan, x, out []float64) {
	parallel(s.Rows, 1, float64(s.Rows)*float64(s.N+s.Len), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if r.ctx.Err() != nil {
				return
			}
			row, dst := x[i*s.N:(i+1)*s.N], out[i*s.Len:(i+1)*s.Len]
			if s.Suffix {
				suffixSums(row, dst, s.Low)
			} else {
				prefixSums(row, dst, s.Low)
			}
		}
	})
}

// prefixSums is dst[m-low] = x[0] + ... + x[m-1].
func prefixSums(x, dst []float64, low int) {
	sum := 0.0
	for ; low <= 0 && len(dst) > 0; low++ {
		dst[0] = 0
		dst = dst[1:]
	}
	// low >= 1 now: what is before the first m
	first := min(max(low-1, 0), len(x))
	if len(dst) == 0 {
		return
	}
	for _, v := range x[:first] {
		sum += v
	}
	x = x[first:]
	n := min(len(x), len(dst))
	for i, v := range x[:n] {
		sum += v
		dst[i] = sum
	}
	fill(dst[n:], sum)
}

// suffixSums is dst[m-low] = x[m] + ... + x[len(x)-1].
func suffixSums(x, dst []float64, low int) {
	high := low + len(dst) // one past the last m
	for ; high > len(x) && len(dst) > 0; high-- {
		dst[len(dst)-1] = 0
		dst = dst[:len(dst)-1]
	}
	if len(dst) == 0 {
		return
	}
	last := max(high-1, 0) // the last m, or 0 where all sums are of everything
	sum := 0.0
	for i := len(x) - 1; i > last; i-- {
		sum += x[i]
	}
	for i := last; i >= 0 && i >= low && i < len(x); i-- {
		sum += x[i]
		if i-low < len(dst) {
			dst[i-low] = sum
		}
	}
	// m < 0: everything
	fill(dst[:min(len(dst), max(0, -low))], sum)
}
