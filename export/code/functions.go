package code

import (
	"strings"

	"frechet/combinators/atom"
)

// spelled is how the languages write an element-wise function: # and @ stand for its operands, $ for the module of
// arrays. Names with an underscore in front are helpers. torch and jax are as numpy where they are empty.
type spelled struct{ numpy, torch, jax, c, golang string }

// functions has the element-wise functions but powers. What is missing here is refused.
var functions = map[*atom.Row]spelled{
	atom.Sin:       {numpy: "$.sin(#)", c: "sin(#)", golang: "math.Sin(#)"},
	atom.Cos:       {numpy: "$.cos(#)", c: "cos(#)", golang: "math.Cos(#)"},
	atom.Tan:       {numpy: "$.tan(#)", c: "tan(#)", golang: "math.Tan(#)"},
	atom.Arcsin:    {numpy: "$.arcsin(#)", c: "asin(#)", golang: "math.Asin(#)"},
	atom.Arccos:    {numpy: "$.arccos(#)", c: "acos(#)", golang: "math.Acos(#)"},
	atom.Arctan:    {numpy: "$.arctan(#)", c: "atan(#)", golang: "math.Atan(#)"},
	atom.Sinh:      {numpy: "$.sinh(#)", c: "sinh(#)", golang: "math.Sinh(#)"},
	atom.Cosh:      {numpy: "$.cosh(#)", c: "cosh(#)", golang: "math.Cosh(#)"},
	atom.Tanh:      {numpy: "$.tanh(#)", c: "tanh(#)", golang: "math.Tanh(#)"},
	atom.Exp:       {numpy: "$.exp(#)", c: "exp(#)", golang: "math.Exp(#)"},
	atom.Log:       {numpy: "$.log(#)", c: "log(#)", golang: "math.Log(#)"},
	atom.Log1p:     {numpy: "$.log1p(#)", c: "log1p(#)", golang: "math.Log1p(#)"},
	atom.Expm1:     {numpy: "$.expm1(#)", c: "expm1(#)", golang: "math.Expm1(#)"},
	atom.Abs:       {numpy: "$.abs(#)", c: "fabs(#)", golang: "math.Abs(#)"},
	atom.Sign:      {numpy: "$.sign(#)", c: "sign_of(#)", golang: "signOf(#)"},
	atom.Relu:      {numpy: "_relu(#)", c: "relu(#)", golang: "relu(#)"},
	atom.Step:      {numpy: "_truth(# > 0, #)", c: "gt(#, 0.0)", golang: "gt(#, 0.0)"},
	atom.Erf:       {numpy: "_erf(#)", torch: "torch.erf(#)", jax: "jax.scipy.special.erf(#)", c: "erf(#)", golang: "math.Erf(#)"},
	atom.Sigmoid:   {numpy: "_sigmoid(#)", torch: "torch.sigmoid(#)", jax: "jax.nn.sigmoid(#)", c: "sigmoid(#)", golang: "sigmoid(#)"},
	atom.Softplus:  {numpy: "$.logaddexp(0.0, #)", torch: "torch.logaddexp(torch.zeros_like(#), #)", jax: "jax.nn.softplus(#)", c: "softplus(#)", golang: "softplus(#)"},
	atom.Gelu:      {numpy: "_gelu(#)", c: "gelu(#)", golang: "gelu(#)"},
	atom.LogAddExp: {numpy: "$.logaddexp(#, @)", c: "logaddexp(#, @)", golang: "logAddExp(#, @)"},
	atom.Pow:       {numpy: "# ** @", c: "pow(#, @)", golang: "math.Pow(#, @)"},
	atom.Max:       {numpy: "$.maximum(#, @)", c: "larger(#, @)", golang: "math.Max(#, @)"},
	atom.Min:       {numpy: "$.minimum(#, @)", c: "smaller(#, @)", golang: "math.Min(#, @)"},
	atom.Gt:        {numpy: "_truth(# > @, #, @)", c: "gt(#, @)", golang: "gt(#, @)"},
	atom.Ge:        {numpy: "_truth(# >= @, #, @)", c: "ge(#, @)", golang: "ge(#, @)"},
	atom.Lt:        {numpy: "_truth(# < @, #, @)", c: "lt(#, @)", golang: "lt(#, @)"},
	atom.Le:        {numpy: "_truth(# <= @, #, @)", c: "le(#, @)", golang: "le(#, @)"},
	atom.Eq:        {numpy: "_truth(# == @, #, @)", c: "eq(#, @)", golang: "eq(#, @)"},
	atom.Ne:        {numpy: "_truth(# != @, #, @)", c: "ne(#, @)", golang: "ne(#, @)"},
}

// fill puts operands into a spelling.
func fill(spelling, module string, args ...string) string {
	return strings.NewReplacer("$", module, "#", args[0], "@", args[len(args)-1]).Replace(spelling)
}
