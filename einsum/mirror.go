package einsum

import "slices"

// maxMirrors bounds the pairs of factors that are tried.
const maxMirrors = 2000

// Mirrored reports whether the sums of a product are quadratic forms that are not negative: some exchange of its indices in pairs
// keeps the output and takes the product to itself, and each factor of which no index moves is not negative, each that is its own
// image is a kernel, a positive semidefinite matrix at two indices that are exchanged, and all others are images of each other, one of
// them with indices of one side alone and the other with those of the other side,
//
//	sum over k, i, j of w[k] X[k,i] v[i] X[k,j] v[j]    v[i] A[i,j] v[j]    P[i,j] V[j,k] P[k,l] V[i,l]
//
// Indices row and column of the output are exchanged where they differ: the product is then such a matrix. equal reports whether factors
// k and l are one value, turned whether factor k is a symmetric matrix.
func Mirrored(in [][]int, vars int, out []int, row, column int, nonneg, kernel, turned func(k int) bool, equal func(k, l int) bool) bool {
	m := &mirror{in: in, nonneg: nonneg, kernel: kernel, turned: turned, equal: equal, image: make([]int, vars), done: make([]bool, len(in)), paired: make([]bool, len(in))}
	for v := range m.image {
		m.image[v] = -1
	}
	for _, v := range out {
		m.image[v] = v
	}
	if row != column {
		m.image[row], m.image[column] = column, row
	}
	return m.from(0)
}

type mirror struct {
	in                     [][]int
	nonneg, kernel, turned func(k int) bool
	equal                  func(k, l int) bool
	image                  []int // of each index, -1 where it is open
	done, paired           []bool
	tried                  int
}

// from finds images for the factors from k on.
func (m *mirror) from(k int) bool {
	for k < len(m.in) && m.done[k] {
		k++
	}
	if m.tried++; k == len(m.in) || m.tried > maxMirrors {
		return k == len(m.in) && m.sides()
	}
	g, image := m.in[k], slices.Clone(m.image)
	attempt := func(to []int, partner int) bool {
		m.done[k], m.done[partner] = true, true
		m.paired[k], m.paired[partner] = k != partner, k != partner
		if m.exchange(g, to) && m.from(k+1) {
			return true
		}
		copy(m.image, image)
		m.done[k], m.done[partner] = false, false
		return false
	}
	if m.nonneg(k) && attempt(g, k) {
		return true
	}
	if len(g) == 2 && g[0] != g[1] && m.kernel(k) && attempt([]int{g[1], g[0]}, k) {
		return true
	}
	for l := k + 1; l < len(m.in); l++ {
		if m.done[l] || !m.equal(k, l) {
			continue
		}
		h := m.in[l]
		if attempt(h, l) || len(h) == 2 && m.turned(k) && attempt([]int{h[1], h[0]}, l) {
			return true
		}
	}
	return false
}

// sides reports whether the indices that move have two sides: an index and its image are on different ones, and all those of one of two
// images on one. In A[i,j] A[j,i] they have not.
func (m *mirror) sides() bool {
	side := make([]int, 2*len(m.image)) // v and n + v stand for v on the one side and on the other; equal numbers for what goes together
	n := len(m.image)
	for v := range side {
		side[v] = v
	}
	join := func(a, b int) {
		for _, p := range [][2]int{{side[a], side[b]}, {side[(a+n)%(2*n)], side[(b+n)%(2*n)]}} {
			for v, s := range side {
				if s == p[0] {
					side[v] = p[1]
				}
			}
		}
	}
	moved := func(v int) bool { return m.image[v] >= 0 && m.image[v] != v }
	for v, w := range m.image {
		if moved(v) {
			join(v, w+n)
		}
	}
	for k, g := range m.in {
		g = slices.DeleteFunc(slices.Clone(g), func(v int) bool { return !moved(v) })
		for i := 1; i < len(g) && m.paired[k]; i++ {
			join(g[0], g[i])
		}
	}
	for v := range n {
		if moved(v) && side[v] == side[v+n] {
			return false
		}
	}
	return true
}

// exchange makes the indices to the images of g, and g those of to, where that agrees with what is known.
func (m *mirror) exchange(g, to []int) bool {
	for i, v := range g {
		w := to[i]
		if m.image[v] >= 0 && m.image[v] != w || m.image[w] >= 0 && m.image[w] != v {
			return false
		}
		m.image[v], m.image[w] = w, v
	}
	return true
}
