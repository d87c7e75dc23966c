package combinators

// A Constructor is a row of the table of the constructors of closed maps: how one is written, its
// type, and its value. Derivatives and adjoints are rules, in adjoint/rules.
type Constructor struct {
	Op    MapOp
	Text  string // in the notation of package combinators/text
	Type  string // with the types of its parts; -o where all parts are linear, by [Map.Linear]
	Value string // the result at a value
}

var constructors = [mapOps]Constructor{
	MapID:         {Text: "id", Type: "U -o U", Value: "id(u) = u"},
	MapCompose:    {Text: "g . f", Type: "U -> W, for f : U -> V and g : V -> W", Value: "(g . f)(u) = g(f(u))"},
	MapPair:       {Text: "<f, g>", Type: "U -> V x W, for f : U -> V and g : U -> W", Value: "<f, g>(u) = (f(u), g(u))"},
	MapProduct:    {Text: "f x g", Type: "U x V -> W x X, for f : U -> W and g : V -> X", Value: "(f x g)(u, v) = (f(u), g(v))"},
	MapCopair:     {Text: "[K, L]", Type: "U x V -o W, for K : U -o W and L : V -o W", Value: "[K, L](u, v) = K(u) + L(v)"},
	MapSum:        {Text: "f + g", Type: "U -> V, for f, g : U -> V", Value: "(f + g)(u) = f(u) + g(u)"},
	MapProj:       {Text: "pi1", Type: "U x V -o U", Value: "pi1(u, v) = u"},
	MapInj:        {Text: "iota1", Type: "U -o U x V", Value: "iota1(u) = (u, 0)"},
	MapConst:      {Text: "K(w)", Type: "U -> W, for w in W", Value: "K(w)(u) = w"},
	MapZero:       {Text: "0", Type: "U -o V", Value: "0(u) = 0"},
	MapEin:        {Text: "*(ij,j->i), (A *(ij,j->i) _)", Type: "R[m,n] x R[n] ->2 R[m], R[n] -o R[m]", Value: "the contraction at its operands; _ is open"},
	MapAtom:       {Text: "sin, softmax[1], solve(A, _)", Type: "R[e] -> R[e], and as the row of the operation says", Value: "the operation at its operands; _ is open"},
	MapCopower:    {Text: "f^[m]", Type: "U^[m] -> V^[m], for f : U -> V", Value: "f at each index"},
	MapDerivative: {Text: "D(f)(u)", Type: "U -o V, for f : U -> V and u in U", Value: "the derivative of f at u, worked out by rules"},
	MapAdjoint:    {Text: "adjoint(L)", Type: "V -o U, for L : U -o V", Value: "<L u, v> = <u, adjoint(L) v>"},
}

// Constructors is the table of constructors, in the order of [MapOps].
func Constructors() []Constructor {
	rows := constructors
	for op := range rows {
		rows[op].Op = MapOp(op)
	}
	return rows[:]
}
