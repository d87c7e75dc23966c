// Package lists makes slices of functions of their entries.
package lists

// Map is f of each entry of xs.
func Map[T, U any](xs []T, f func(T) U) []U {
	out := make([]U, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

// Indexed is f of the place and the entry, for each entry of xs.
func Indexed[T, U any](xs []T, f func(int, T) U) []U {
	out := make([]U, len(xs))
	for i, x := range xs {
		out[i] = f(i, x)
	}
	return out
}

// Make has the n entries f(0), f(1), ...
func Make[T any](n int, f func(int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// Append adds f of each entry of xs to out.
func Append[T, U any](out []U, xs []T, f func(T) U) []U {
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}
