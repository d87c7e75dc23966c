package frechet

import (
	"context"
	"frechet/internal/derivation"
	"frechet/internal/query"
	"frechet/rewrite/proof"
	"frechet/rewrite/proof/coq"
	"frechet/rewrite/proof/json"
	"io"
	"iter"
)

// Steps derives the program's one expression with respect to variables, all of its arguments where
// none is named. A linear map that is given as such, without variables, is only transposed. Where the program asks
// for a derivative of higher order, the derivation goes on to it: to the Hessian at a direction, and to its entries.
func (f *Func) Steps(wrt ...string) (*Derivation, error) {
	return query.Steps(f.prog, wrt...)
}

type (
	// A Derivation is a calculation: the derivative of a program's expression and its adjoint, rule by
	// rule, in the style of Elsman et al. (Theorems 4.1 and 6.5), simplified by the algebra of values. That of a map
	// works out D(f)(x) and its adjoint as maps, and applies each to a variable. That of a graph of values is
	// the record of the walk by which it is differentiated: the tangent of each value by those of its operands,
	// the cotangents backwards. It takes time and room in proportion to the program.
	Derivation = derivation.Derivation
	// A Step is a line of a derivation.
	Step = derivation.Step
	// A Law names a rule that was applied.
	Law = derivation.Law
	// A ReplaySummary says what a certificate proves, and what was checked.
	ReplaySummary = derivation.Proved
	// A ReplayConclusion is the last line of a part of a derivation.
	ReplayConclusion = derivation.Conclusion
	// A ReplayRule is a rule of the user's that a derivation uses, with what may be claimed of it.
	ReplayRule = derivation.UsedRule
	// A ReplayError says which step of a certificate does not follow, and why.
	ReplayError = proof.StepError
	// A CertificateError says that a file is no certificate.
	CertificateError = json.FormatError
	// A ReplayRulesError says that a derivation was made by other rules than those it is replayed with.
	ReplayRulesError = proof.RulesError
)

// Replay checks a certificate that [Derivation.Certificate] wrote: that the derivation begins with
// the program whose text it holds, and that each of its lines follows from the one before. It uses
// neither the matcher nor the normal form. rules are the user's rules with which the derivation was
// made; those of files that the certificate does not name are not used. The error is a *ReplayError
// for a step that does not follow, a *CertificateError where the file is no certificate, a
// *ReplayRulesError where rules are missing, an *fault.Error at a limit, and that of ctx when it ends.
func Replay(ctx context.Context, r io.Reader, rules ...RuleFile) (*ReplaySummary, error) {
	return derivation.Replay(ctx, r, rules...)
}

// CoqPrelude are the files of lemmas that the theorems of [Derivation.Coq] need, by name, each after those that it needs itself.
func CoqPrelude() iter.Seq2[string, string] { return coq.Files() }
