package discover

// A Signature is one over which the program is searched: docs/rules-found.md has what is found.
type Signature struct {
	Over, Vars string
	Size       int
}

// Signatures are those over which the functions of the table are searched, by kinds that meet.
var Signatures = []Signature{
	{"exp log + - .* / 1 2", "x y: S", 5},
	{"exp log power[2] power[3] .* 2 3", "x y: S", 5},
	{"exp log log1p expm1 softplus log1mexp + - 1", "x: S", 5},
	{"exp log sigmoid softplus .* / - minus + 1", "x: S", 6},
	{"exp log logaddexp softplus + 0", "x y: S", 5},
	{"abs sign step relu .* - /", "x: S", 7},
	{"abs sign step relu power[2] power[3] power[-1] .* 2 3", "x: S", 5},
	{"max min + - relu abs", "x y: S", 5},
	{"sin cos tan arcsin arctan erf round - 1", "x: S", 4},
	{"sin cos tan .* / - 2 minus 1", "x: S", 7},
	{"sin cos + - .*", "x y: S", 5},
	{"sinh cosh tanh exp - minus + .* / 2", "x: S", 6},
	{"tanh sigmoid exp + minus - / .* 1 2", "x: S", 5},
	{"sin cos tan arctan pi .* 1 2 3 1/4 1/2", "x: S", 4},
	{"norm2 abs .* dot power[1/2] power[3/2] power[2] power[4] 2 3", "x: S", 6},
	{"norm2 ' .* ein(ij,ij->)", "x y: R[m,n]", 5},
	{"norm2 abs - .* /", "x: R[]", 4},
	{"inv det logdet log minor[1] * '", "x y: R[...,n,n]", 6},
	{"inv det logdet .* 2 3", "x: R[...,n,n], y: R[...]", 6},
	{"inv det adj minor[1] * eye / logdet +", "x y: R[n,n]", 6},
	{"solve inv * .* 2", "x y: R[n,n], z: R[n]", 5},
	{"inv det minor[1] logdet diag prod product[1] log sum .* / exp", "x y: R[...,n]", 5},
	{"solve inv diag * .* /", "x y: R[n]", 6},
	{"exp log sum logsumexp[1] softmax[1] softplus logaddexp + / .* ein(...i,...->...i) 1", "x: R[...,n], y: R[...]", 6},
	{"exp log + .* sum logsumexp[1] ein(...i,...i->...)", "x y: R[...,n]", 6},
	{"exp log ein(ij->) ein(ij->j) ein(ij->ji) logsumexp[1] logsumexp[2] + 1 ein(,ij->) ein(,ij->j) softplus", "x: R[m,n], y: R[]", 6},
	{"exp log ein(ijk->) ein(ijk->ik) ein(ijk->jk) ein(ijk->ikj) ein(ijk->jki) logsumexp[1] logsumexp[3]", "x: R[l,m,n]", 5},
	{"merge[0] ein(i,i->) ein(ij,ij->) ein(i->) ein(ij->) norm2", "x y: R[m,n]", 7},
	{"merge[1](merge[0](a)) ein(ij->ji) ein(ijkl->klij) ein(ii->) ein(ijij->)", "x: R[m,n,m,n]", 6},
}
