package code

import (
	"strings"

	"frechet/combinators/atom"
)

// spelled is how the languages write an element-wise function: # and @ stand for its operands, $ for the module of
// arrays. Names with an underscore in front are helpers. torch and jax are as numpy where they are empty.
type spelled struct{ numpy, torch, jax, c, golang, octave, julia, sql string }

// functions has the element-wise functions but powers. What is missing here is refused.
var functions = map[*atom.Row]spelled{
	atom.Sin:       {numpy: "$.sin(#)", c: "sin(#)", golang: "math.Sin(#)", octave: "sin(#)", julia: "nan_sin(#)", sql: "SIN(#)"},
	atom.Cos:       {numpy: "$.cos(#)", c: "cos(#)", golang: "math.Cos(#)", octave: "cos(#)", julia: "nan_cos(#)", sql: "COS(#)"},
	atom.Tan:       {numpy: "$.tan(#)", c: "tan(#)", golang: "math.Tan(#)", octave: "tan(#)", julia: "nan_tan(#)", sql: "TAN(#)"},
	atom.Arcsin:    {numpy: "$.arcsin(#)", c: "asin(#)", golang: "math.Asin(#)", octave: "nan_asin(#)", julia: "nan_asin(#)", sql: "ASIN(#)"},
	atom.Arccos:    {numpy: "$.arccos(#)", c: "acos(#)", golang: "math.Acos(#)", octave: "nan_acos(#)", julia: "nan_acos(#)", sql: "ACOS(#)"},
	atom.Arctan:    {numpy: "$.arctan(#)", c: "atan(#)", golang: "math.Atan(#)", octave: "atan(#)", julia: "atan(#)", sql: "ATAN(#)"},
	atom.Sinh:      {numpy: "$.sinh(#)", c: "sinh(#)", golang: "math.Sinh(#)", octave: "sinh(#)", julia: "sinh(#)", sql: "(EXP(#) - EXP(-#)) / 2.0"},
	atom.Cosh:      {numpy: "$.cosh(#)", c: "cosh(#)", golang: "math.Cosh(#)", octave: "cosh(#)", julia: "cosh(#)", sql: "(EXP(#) + EXP(-#)) / 2.0"},
	atom.Tanh:      {numpy: "$.tanh(#)", c: "tanh(#)", golang: "math.Tanh(#)", octave: "tanh(#)", julia: "tanh(#)", sql: "CASE WHEN # < 0 THEN -(1.0 - EXP(2.0 * #)) / (1.0 + EXP(2.0 * #)) ELSE (1.0 - EXP(-2.0 * #)) / (1.0 + EXP(-2.0 * #)) END"},
	atom.Exp:       {numpy: "$.exp(#)", c: "exp(#)", golang: "math.Exp(#)", octave: "exp(#)", julia: "exp(#)", sql: "EXP(#)"},
	atom.Log:       {numpy: "$.log(#)", c: "log(#)", golang: "math.Log(#)", octave: "nan_log(#)", julia: "nan_log(#)", sql: "LN(#)"},
	atom.Log1p:     {numpy: "$.log1p(#)", c: "log1p(#)", golang: "math.Log1p(#)", octave: "nan_log1p(#)", julia: "nan_log1p(#)", sql: "LN(1.0 + #)"},
	atom.Expm1:     {numpy: "$.expm1(#)", c: "expm1(#)", golang: "math.Expm1(#)", octave: "expm1(#)", julia: "expm1(#)", sql: "EXP(#) - 1.0"},
	atom.Abs:       {numpy: "$.abs(#)", c: "fabs(#)", golang: "math.Abs(#)", octave: "abs(#)", julia: "abs(#)", sql: "ABS(#)"},
	atom.Sign:      {numpy: "$.sign(#)", c: "sign_of(#)", golang: "signOf(#)", octave: "sign(#)", julia: "sign(#)", sql: "CASE WHEN # > 0 THEN 1.0 WHEN # < 0 THEN -1.0 ELSE 0.0 END"},
	atom.Relu:      {numpy: "_relu(#)", c: "relu(#)", golang: "relu(#)", octave: "relu(#)", julia: "relu(#)", sql: "CASE WHEN # > 0 THEN # ELSE 0.0 END"},
	atom.Step:      {numpy: "_truth(# > 0, #)", c: "gt(#, 0.0)", golang: "gt(#, 0.0)", octave: "gt_(#, 0.0)", julia: "gt_(#, 0.0)", sql: "CASE WHEN # > 0 THEN 1.0 ELSE 0.0 END"},
	atom.Erf:       {numpy: "_erf(#)", torch: "torch.erf(#)", jax: "jax.scipy.special.erf(#)", c: "erf(#)", golang: "math.Erf(#)", octave: "erf(#)", julia: "erf(#)"},
	atom.Erfc:      {numpy: "_erfc(#)", c: "erfc(#)", golang: "math.Erfc(#)", octave: "erfc(#)", julia: "erfc(#)"},
	atom.Log1mexp:  {numpy: "_log1mexp(#)", c: "log1mexp(#)", golang: "log1mexp(#)", octave: "log1mexp(#)", julia: "log1mexp(#)"},
	atom.Lgamma:    {numpy: "_lgamma(#)", torch: "torch.lgamma(#)", jax: "jax.scipy.special.gammaln(#)", c: "lgamma(#)", golang: "lgamma(#)", octave: "gammaln(#)", julia: "lgamma(#)"},
	atom.Floor:     {numpy: "$.floor(#)", c: "floor(#)", golang: "math.Floor(#)", octave: "floor(#)", julia: "floor(#)", sql: "FLOOR(#)"},
	atom.Ceil:      {numpy: "$.ceil(#)", c: "ceil(#)", golang: "math.Ceil(#)", octave: "ceil(#)", julia: "ceil(#)", sql: "CEIL(#)"},
	atom.Round:     {numpy: "$.round(#)", c: "nearbyint(#)", golang: "math.RoundToEven(#)", octave: "round_even(#)", julia: "round(#)"},
	atom.Polygamma: {numpy: "_polygamma(#, @)", jax: "jax.scipy.special.polygamma(#, @)"},
	atom.Atan2:     {numpy: "$.arctan2(#, @)", c: "atan2(#, @)", golang: "math.Atan2(#, @)", octave: "atan2(#, @)", julia: "atan(#, @)", sql: "ATAN2(#, @)"},
	atom.Sigmoid:   {numpy: "_sigmoid(#)", torch: "torch.sigmoid(#)", jax: "jax.nn.sigmoid(#)", c: "sigmoid(#)", golang: "sigmoid(#)", octave: "sigmoid(#)", julia: "sigmoid(#)", sql: "CASE WHEN # < 0 THEN EXP(#) / (1.0 + EXP(#)) ELSE 1.0 / (1.0 + EXP(-#)) END"},
	atom.Softplus:  {numpy: "$.logaddexp(0.0, #)", torch: "torch.logaddexp(torch.zeros_like(#), #)", jax: "jax.nn.softplus(#)", c: "softplus(#)", golang: "softplus(#)", octave: "softplus(#)", julia: "softplus(#)", sql: "CASE WHEN # > 0 THEN # + LN(1.0 + EXP(-#)) ELSE LN(1.0 + EXP(#)) END"},
	atom.Gelu:      {numpy: "_gelu(#)", c: "gelu(#)", golang: "gelu(#)", octave: "gelu(#)", julia: "gelu(#)"},
	atom.LogAddExp: {numpy: "$.logaddexp(#, @)", c: "logaddexp(#, @)", golang: "logAddExp(#, @)", octave: "logaddexp(#, @)", julia: "logaddexp(#, @)", sql: "CASE WHEN # > @ THEN # + LN(1.0 + EXP(@ - #)) ELSE @ + LN(1.0 + EXP(# - @)) END"},
	atom.Pow:       {numpy: "# ** @", c: "pow(#, @)", golang: "math.Pow(#, @)", octave: "nan_pow(#, @)", julia: "nan_pow(#, @)", sql: "POWER(#, @)"},
	atom.Max:       {numpy: "$.maximum(#, @)", c: "larger(#, @)", golang: "math.Max(#, @)", octave: "larger(#, @)", julia: "larger(#, @)", sql: "CASE WHEN # > @ THEN # ELSE @ END"},
	atom.Min:       {numpy: "$.minimum(#, @)", c: "smaller(#, @)", golang: "math.Min(#, @)", octave: "smaller(#, @)", julia: "smaller(#, @)", sql: "CASE WHEN # < @ THEN # ELSE @ END"},
	atom.Gt:        {numpy: "_truth(# > @, #, @)", c: "gt(#, @)", golang: "gt(#, @)", octave: "gt_(#, @)", julia: "gt_(#, @)", sql: "CASE WHEN # > @ THEN 1.0 ELSE 0.0 END"},
	atom.Ge:        {numpy: "_truth(# >= @, #, @)", c: "ge(#, @)", golang: "ge(#, @)", octave: "ge_(#, @)", julia: "ge_(#, @)", sql: "CASE WHEN # >= @ THEN 1.0 ELSE 0.0 END"},
	atom.Lt:        {numpy: "_truth(# < @, #, @)", c: "lt(#, @)", golang: "lt(#, @)", octave: "lt_(#, @)", julia: "lt_(#, @)", sql: "CASE WHEN # < @ THEN 1.0 ELSE 0.0 END"},
	atom.Le:        {numpy: "_truth(# <= @, #, @)", c: "le(#, @)", golang: "le(#, @)", octave: "le_(#, @)", julia: "le_(#, @)", sql: "CASE WHEN # <= @ THEN 1.0 ELSE 0.0 END"},
	atom.Eq:        {numpy: "_truth(# == @, #, @)", c: "eq(#, @)", golang: "eq(#, @)", octave: "eq_(#, @)", julia: "eq_(#, @)", sql: "CASE WHEN # = @ THEN 1.0 ELSE 0.0 END"},
	atom.Ne:        {numpy: "_truth(# != @, #, @)", c: "ne(#, @)", golang: "ne(#, @)", octave: "ne_(#, @)", julia: "ne_(#, @)", sql: "CASE WHEN # <> @ THEN 1.0 ELSE 0.0 END"},
}

// fill puts operands into a spelling.
func fill(spelling, module string, args ...string) string {
	return strings.NewReplacer("$", module, "#", args[0], "@", args[len(args)-1]).Replace(spelling)
}
