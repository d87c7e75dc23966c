package plans

import "frechet/einsum/size"

// Polynomial is the count as a size, for tests.
func (c Count) Polynomial() size.Size { return c.n }
