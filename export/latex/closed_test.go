package latex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"frechet/combinators/denote"
	terms "frechet/combinators/text"
)

// Every combinator has a form in LaTeX.
func TestClosed(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"id", `\mathrm{id}`},
		{"g . f", `g \circ f`},
		{"h . (g + f)", `h \circ \left(g + f\right)`},
		{"<f, g>", `\left\langle f,\ g\right\rangle`},
		{"[f, g]", `\left[f,\ g\right]`},
		{"f x g", `f \times g`},
		{"(f x g) . h", `\left(f \times g\right) \circ h`},
		{"pi1 . iota12", `\pi_{1} \circ \iota_{12}`},
		{"K(c)", `K\left(c\right)`},
		{"prod(f, g)", `\Pi\left(f,\ g\right)`},
		{"delta(f, g)", `\Delta\left(f,\ g\right)`},
		{"f^[n,2*m]", `f^{n,2 m}`},
		{"D(g . f)(x)", `D\left(g \circ f\right)\left(x\right)`},
		{"adjoint(g . f)", `\left(g \circ f\right)^{\dagger}`},
		{"adjoint(f)", `f^{\dagger}`},
		{"-f", `-f`},
		{"0", `0`},
		{"(a .* _)", `\left(a \cdot \_\right)`},
		{"(A *(ij,j->i) _)", `\left(A \star_{\mathtt{ij,j\to i}} \_\right)`},
		{"*(ij,jk->ik)", `(\star_{\mathtt{ij,jk\to ik}})`},
		{"ein(ij,jk,kl->il; A, _, B)", `\star_{\mathtt{ij,jk,kl\to il}}\left(A,\ \_,\ B\right)`},
		{"scan . rep[m] . sum[n]", `\operatorname{scan} \circ \operatorname{rep}[m] \circ \operatorname{sum}[n]`},
		{"sin . log . arctan", `\sin \circ \ln \circ \arctan`},
		{"minor[1]", `\operatorname{minor}[1]`},
		{"let g = f . f in g . g", `\mathbf{let}\ g = f \circ f\ \mathbf{in}\ g \circ g`},
		{"(iota2 : R[n] -o R[m] x R[n])", `\left(\iota_{2} \colon \mathbb{R}^{n} \multimap \mathbb{R}^{m} \times \mathbb{R}^{n}\right)`},
		{"f(x, y)", `f\left(x,\ y\right)`},
		{"(x, y)", `\left(x,\ y\right)`},
	} {
		term, err := terms.Parse(c.src)
		require.NoError(t, err, c.src)
		require.Equal(t, c.want, Closed(term), c.src)
	}
	for _, name := range denote.StandardMaps {
		got := Closed(terms.NewName(name))
		require.NotContains(t, got, "mathtt", name)
		require.True(t, strings.HasPrefix(got, `\`), "%s: %s", name, got)
	}
	// a value that has the name of an operator is a value
	require.Equal(t, "x", Closed(terms.NewName("x")))
}

func TestType(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"R", `R`},
		{"R[] -> R[n]", `\mathbb{R} \to \mathbb{R}^{n}`},
		{"R[m,n] x R[n] ->2 R[m]", `\mathbb{R}^{m \times n} \times \mathbb{R}^{n} \to_{2} \mathbb{R}^{m}`},
		{"R[k+1,2*n] -o R[n-1]", `\mathbb{R}^{(k+1) \times 2 n} \multimap \mathbb{R}^{n-1}`},
		{"R[n] x (R[n] x R[]) -> R[n]", `\mathbb{R}^{n} \times \left(\mathbb{R}^{n} \times \mathbb{R}\right) \to \mathbb{R}^{n}`},
		{"Prod(R[n]) -> 0", `\Pi\left(\mathbb{R}^{n}\right) \to \mathbb{R}^{0}`},
		{"U -o V", `U \multimap V`},
	} {
		typ, err := terms.ParseType(c.src)
		require.NoError(t, err, c.src)
		require.Equal(t, c.want, Type(typ), c.src)
	}
}
