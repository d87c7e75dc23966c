package atom

import "math"

// sign is -1, 0 or 1; NaN stays NaN.
func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x == 0:
		return 0
	}
	return x
}

// relu is max(x, 0); NaN stays NaN.
func relu(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

// step is 1 for x > 0 and 0 elsewhere, so that step(0) = 0; NaN stays NaN.
func step(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x <= 0:
		return 0
	}
	return x
}

// sigmoid is 1/(1 + exp(-x)), without overflow on either side.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// softplus is log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)).
func softplus(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// logAddExp is log(exp(x) + exp(y)) = max(x, y) + log1p(exp(-|x - y|)).
func logAddExp(x, y float64) float64 {
	if x == y { // infinities, too
		return x + math.Ln2
	}
	return max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
}

// gelu is x Phi(x) with the normal distribution function in its erf form.
func gelu(x float64) float64 {
	if math.IsInf(x, -1) {
		return 0
	}
	return x / 2 * math.Erfc(-x/math.Sqrt2)
}
