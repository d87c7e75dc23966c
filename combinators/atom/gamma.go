package atom

import "math"

// log1mexp is log(1 - exp(x)) for x < 0, without cancellation on either side of -log(2).
func log1mexp(x float64) float64 {
	if x > -math.Ln2 {
		return math.Log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}

// lgamma is the logarithm of the absolute value of the gamma function, +Inf at its poles.
func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// bernoulli has the Bernoulli numbers B_2, B_4, ..
var bernoulli = []float64{1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510, 43867. / 798, -174611. / 330,
	854513. / 138, -236364091. / 2730}

// polygamma is the derivative of order k + 1 of the logarithm of the gamma function, k rounded down to a whole number; NaN for
// k < 0, for k > 170, where k! is too large, and at the poles x = 0, -1, .. (Abramowitz and Stegun, 6.4.6, 6.4.7 and 6.4.11).
func polygamma(k, x float64) float64 {
	k = math.Floor(k)
	switch {
	case !(k >= 0 && k <= 170) || math.IsNaN(x) || x <= 0 && x == math.Floor(x):
		return math.NaN()
	case x < 0:
		return reflected(int(k), x)
	}
	sum, factorial := 0.0, math.Gamma(k+1) // the sum of k!/(x + i)^(k+1) up to where the asymptotic series has its digits
	for ; x < 12+k; x++ {
		sum += factorial * math.Pow(x, -k-1)
	}
	// k! is taken out of the terms of the series, since these have (2j + k - 1)!/(2j)!
	power := factorial * math.Pow(x, -k)
	series := power / (2 * x)
	if k > 0 {
		series += power / k
	}
	rising := 1.0 // (k + 1) .. (k + 2j - 1)/((2j)! x^2j)
	for j, b := range bernoulli {
		n := float64(2*j + 2)
		if j == 0 {
			rising = 0.5 / (x * x) * (k + 1)
		} else {
			rising *= (k + n - 2) * (k + n - 1) / (n * (n - 1) * x * x)
		}
		series += power * b * rising
	}
	if k == 0 {
		return math.Log(x) - series - sum
	}
	if math.Mod(k, 2) == 0 {
		return -series - sum
	}
	return series + sum
}

// reflected is polygamma below 0, by that of 1 - x and the derivatives of the cotangent, which are polynomials in it.
func reflected(k int, x float64) float64 {
	c := 1 / math.Tan(math.Pi*(x-math.Floor(x)))
	poly := []float64{0, 1}
	for range k { // p(c) has the derivative -(1 + c^2) p'(c)
		next := make([]float64, len(poly)+1)
		for i := 1; i < len(poly); i++ {
			next[i-1] -= float64(i) * poly[i]
			next[i+1] -= float64(i) * poly[i]
		}
		poly = next
	}
	value := 0.0
	for i := len(poly) - 1; i >= 0; i-- {
		value = value*c + poly[i]
	}
	sign := 1 - 2*float64(k%2)
	return sign*polygamma(float64(k), 1-x) - math.Pow(math.Pi, float64(k+1))*value
}
