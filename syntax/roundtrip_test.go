package syntax

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawExpr draws any tree that the parser can make, of some depth at most.
func drawExpr(t *rapid.T, depth int) *Expr {
	kinds := []Op{OpNum, OpName, OpDelta}
	if depth > 0 {
		kinds = []Op{OpNum, OpName, OpDelta, OpCall, OpEinsum, OpNeg, OpTranspose, OpPower, OpElemPower, OpSum, OpProduct, OpCompare}
	}
	sub := func() *Expr { return drawExpr(t, depth-1) }
	letters := func(least, most int) []string {
		return rapid.SliceOfN(rapid.SampledFrom([]string{"i", "j", "K", "i'", "i''"}), least, most).Draw(t, "letters")
	}
	subs := func(least, most int) (out []*Expr) {
		for range rapid.IntRange(least, most).Draw(t, "n") {
			out = append(out, sub())
		}
		return out
	}
	e := &Expr{Op: rapid.SampledFrom(kinds).Draw(t, "op")}
	switch e.Op {
	case OpNum:
		e.Num = drawDecimal(t)
		if depth > 0 && rapid.IntRange(0, 3).Draw(t, "sized") == 0 {
			e.Sizes = subs(1, 2)
		}
	case OpName:
		e.Name = rapid.SampledFrom([]string{"x", "A", "sum", "let", "e", "e1", "gradient", "order", "axis", "T_1"}).Draw(t, "name")
	case OpDelta:
		e.Order = rapid.IntRange(0, 4).Draw(t, "order")
		if depth > 0 && rapid.Bool().Draw(t, "sized") {
			e.Sizes = subs(1, 2)
			e.Order = len(e.Sizes)
		}
	case OpCall:
		f := functions[rapid.SampledFrom([]string{"sin", "softmax", "kron", "ones", "max", "sum"}).Draw(t, "function")]
		most := f.Max
		if most < 0 {
			most = 3
		}
		e.Name, e.Args = f.Name, subs(f.Min, most)
		if f.Axis && len(e.Args) == 1 && rapid.Bool().Draw(t, "has axis") {
			e.Axis = &Axis{Value: rapid.IntRange(-3, 3).Draw(t, "axis")}
		}
	case OpEinsum:
		e.Args = subs(1, 3)
		e.Spec = &Spec{Out: Indices{Letters: letters(0, 3)}}
		for range e.Args {
			e.Spec.In = append(e.Spec.In, Indices{Letters: letters(0, 3)})
		}
	case OpNeg, OpTranspose:
		e.Args = subs(1, 1)
	case OpPower, OpElemPower:
		e.Args = subs(2, 2)
	case OpCompare:
		e.Args = subs(2, 2)
		e.Name = rapid.SampledFrom([]string{">", ">=", "<", "<=", "==", "!="}).Draw(t, "comparison")
	case OpSum:
		e.Args = subs(1, 1)
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			e.Steps = append(e.Steps, Step{Op: rapid.SampledFrom([]StepOp{StepAdd, StepSub}).Draw(t, "step"), Arg: sub()})
		}
	case OpProduct:
		e.Args = subs(1, 1)
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			s := Step{Op: rapid.SampledFrom([]StepOp{StepMul, StepDiv, StepElemMul, StepElemDiv, StepIndex, StepUnary}).Draw(t, "step")}
			switch s.Op {
			case StepIndex:
				s.Spec = NewSpec([][]string{letters(0, 2), letters(0, 2)}, letters(0, 2))
			case StepUnary:
				s.Spec = NewSpec([][]string{letters(0, 2)}, letters(0, 2))
			}
			if s.Op != StepUnary {
				s.Arg = sub()
			}
			e.Steps = append(e.Steps, s)
		}
	}
	return e
}

// drawDecimal draws an unsigned decimal number.
func drawDecimal(t *rapid.T) *big.Rat {
	n := new(big.Rat).SetInt64(rapid.Int64Range(0, 1e12).Draw(t, "digits"))
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(rapid.Int64Range(0, 30).Draw(t, "exponent")), nil))
	if rapid.Bool().Draw(t, "small") {
		return n.Quo(n, scale)
	}
	return n.Mul(n, scale)
}

// parse(print(e)) = e, for every tree.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpr(t, 4)
		text := Print(e)
		again, err := ParseExpr(text, Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !Equal(e, again) {
			t.Fatalf("%s\nreads back as\n%s", dump(e), dump(again))
		}
	})
}

// What the constructors build is what the parser makes of their text.
func TestConstructors(t *testing.T) {
	x, y := Name("x"), Name("y")
	dot := NewSpec([][]string{{"i"}, {"i"}}, nil)
	for text, e := range map[string]*Expr{
		"x + y - x":            Chain(StepSub, Chain(StepAdd, x, y), x),
		"x - (y - x)":          Chain(StepSub, x, Chain(StepSub, y, x)),
		"-1/3":                 Number(big.NewRat(-1, 3)),
		"-0.25":                Number(big.NewRat(-1, 4)),
		"1e-30":                Number(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))),
		"x *(i,i->) y":         IndexProduct(dot, x, y),
		"x *(i->ii)*y'":        Chain(StepMul, UnaryProduct(NewSpec([][]string{{"i"}}, []string{"i", "i"}), x), Transpose(y)),
		"sin(x)^-2":            Power(Call("sin", x), Neg(Int(2))),
		"(x + y)*(1/3)":        Chain(StepMul, Chain(StepAdd, x, y), Number(big.NewRat(1, 3))),
		"x .* y":               Chain(StepElemMul, x, y),
		"x^(1/2)":              Power(x, Chain(StepDiv, Int(1), Int(2))),
		"150":                  Int(150),
		"100000000000000000 ":  Int(100000000000000000),
		"12345678901234567890": Number(new(big.Rat).SetFrac(mustInt("12345678901234567890"), big.NewInt(1))),
	} {
		parsed, err := ParseExpr(text, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if !Equal(parsed, e) {
			t.Errorf("%s: built %s", text, dump(e))
		}
		if got := Print(e); !strings.HasPrefix(text, got) && len(got) > len(text) {
			t.Errorf("%s prints as %s", text, got)
		}
	}
	for i, want := range map[int]string{0: "i", 17: "z", 18: "a", 51: "Z", 52: "i'", 104: "i''"} {
		if got := Letter(i); got != want {
			t.Errorf("Letter(%d) = %s", i, got)
		}
	}
}

func mustInt(s string) *big.Int {
	n, _ := new(big.Int).SetString(s, 10)
	return n
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"declare X[m,n] y[m] w[n] let r = X*w - y expression f = sum(r .^ 2)/m derivative wrt w order 2",
		"expression einsum(ij,jk->ik; A, B') *(ij->ji) .* -delta[n] >= 2[m,n]^-x.^2.",
		"declare x 1 expression x *(i,i i) x", "expression softmax(x, axis=-1) jvp wrt x along v",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Parse(src, Limits{Nesting: 200})
		if err != nil {
			e, ok := err.(*Error)
			if !ok || e.Kind == "" || e.Line < 1 || e.Column < 1 || e.Span.Start > len(src) || e.Span.End < e.Span.Start {
				t.Fatalf("%#v", err)
			}
			e.Render("f", src, true)
			return
		}
		text := PrintFile(file)
		again, err := Parse(text, Limits{Nesting: 400})
		if err != nil {
			t.Fatalf("%q prints as %q: %v", src, text, err)
		}
		if len(again.Stmts) != len(file.Stmts) {
			t.Fatalf("%q prints as %q", src, text)
		}
		for i := range file.Stmts {
			if !Equal(file.Stmts[i].Expr, again.Stmts[i].Expr) {
				t.Fatalf("%q prints as %q", src, text)
			}
		}
	})
}
