package coq

import (
	"frechet/combinators/atom"
)

// needs is what the derivative of a function presumes of its argument.
type needs string

const (
	nothing    needs = ""
	positive   needs = "0 < %s"
	nonzero    needs = "%s != 0"
	inside     needs = "-1 < %s < 1"
	cosine     needs = "cos %s != 0"
	apart      needs = "%s != %s"
	filled     needs = "(0 < %s)%%N"    // of the size of the axis
	invertible needs = "det %s %s != 0" // of the size and the matrix
	above      needs = "0 < det %s %s"
)

// labels begin the names of hypotheses.
var labels = map[needs]string{positive: "pos", nonzero: "nz", inside: "in", cosine: "cos", apart: "apart", filled: "n0", invertible: "inv", above: "posdet"}

// A function is a row of the table of operations with its definition and its law in the prelude.
type function struct {
	name string // of the function
	law  string // of its derivative
	needs
}

// elementwise are the functions of numbers.
var elementwise = map[*atom.Row]function{
	atom.Exp:      {"expR", "D_exp", nothing},
	atom.Log:      {"ln", "D_ln", positive},
	atom.Sin:      {"sin", "D_sin", nothing},
	atom.Cos:      {"cos", "D_cos", nothing},
	atom.Tan:      {"tan", "D_tan", cosine},
	atom.Arctan:   {"atan", "D_atan", nothing},
	atom.Arcsin:   {"asin", "D_asin", inside},
	atom.Arccos:   {"acos", "D_acos", inside},
	atom.Sinh:     {"sinh", "D_sinh", nothing},
	atom.Cosh:     {"cosh", "D_cosh", nothing},
	atom.Tanh:     {"tanh", "D_tanh", nothing},
	atom.Sigmoid:  {"sigmoid", "D_sigmoid", nothing},
	atom.Softplus: {"softplus", "D_softplus", nothing},
	atom.Expm1:    {"expm1", "D_expm1", nothing},
	atom.Log1p:    {"log1p", "D_log1p", nothing},
	atom.Abs:      {"Num.norm", "D_abs", nonzero},
	atom.Sign:     {"Num.sg", "D_sign", nonzero},
	atom.Erf:      {"erf", "D_comp (erf_law _)", nothing},
	atom.Gelu:     {"gelu erf", "D_gelu erf_law", nothing},
	atom.Relu:     {"relu", "D_relu", nonzero},
	atom.Step:     {atom.Step.Name, "D_step", nonzero},
}

// binary are functions of two numbers.
var binary = map[*atom.Row]function{
	atom.LogAddExp: {"logaddexp", "D_logaddexp", nothing},
	atom.Max:       {"Num.max", "D_max", apart},
	atom.Min:       {"Num.min", "D_min", apart},
	atom.Gt:        {"gt", "D_gt", apart},
	atom.Ge:        {"ge", "D_ge", apart},
	atom.Lt:        {"lt", "D_lt", apart},
	atom.Le:        {"le", "D_le", apart},
	atom.Eq:        {"eq", "D_eqn", apart},
	atom.Ne:        {"ne", "D_ne", apart},
	atom.Pow:       {"pow", "D_powr", positive},
}

// A tensorial function is one of the last axes of its operand.
type tensorialFunction struct {
	function
	axes int // of the operand
}

// tensors are functions of axes or matrices, by their names in the prelude and their attributes: one axis, or a derivative of det.
var tensors = map[*atom.Row]map[int]tensorialFunction{
	atom.LogSumExp: {1: {function{"logsumexp", "D_logsumexp", filled}, 1}},
	atom.Softmax:   {1: {function{"softmax", "D_softmax", filled}, 1}},
	atom.Inv:       {0: {function{"inv", "D_inv_mx", invertible}, 2}},
	atom.LogDet:    {0: {function{"logdet", "D_logdet", above}, 2}},
	atom.Minor:     {0: {function{"det", "D_det", nothing}, 2}, 1: {function{"cof", "", nothing}, 2}},
}

// tensorial is the function of a value.
func tensorial(n *Node) (tensorialFunction, bool) {
	f, ok := tensors[n.Atom()][n.Attr()]
	return f, ok
}
