package verify

import (
	"errors"
	"fmt"
	"strings"
)

// What a rule may claim. Nothing says "verified": shapes beyond those tried are not proved.
const (
	IllTyped    = "ill-typed"
	Typed       = "typed in all spaces"
	Exact       = "exact"
	TestedMod   = "tested mod p"
	FloatTested = "float-tested"
	Assumed     = "assumed"
	Refuted     = "refuted"

	Kept     = "kept"
	Widened  = "widened"
	Narrowed = "narrowed"
)

// A Report is what was found of one rule.
type Report struct {
	Name      string   `json:"name"`
	File      string   `json:"file,omitempty"`
	Line      int      `json:"line,omitempty"`
	Source    string   `json:"source,omitempty"` // where the law is stated
	Statement string   `json:"statement"`
	Both      bool     `json:"both,omitempty"`     // it was tested from both sides
	Typing    string   `json:"typing"`             // ill-typed, typed in all spaces, or "" for a native step
	Equality  string   `json:"equality,omitempty"` // exact, tested mod p, float-tested, assumed or refuted
	Trials    int      `json:"trials,omitempty"`
	Degree    int      `json:"degree,omitempty"`
	Shapes    []string `json:"shapes,omitempty"`  // those tried
	Numbers   int      `json:"numbers,omitempty"` // choices of numbers that were tried for the metavariables of numbers
	Domain    string   `json:"domain,omitempty"`  // kept, widened or narrowed, as found
	Lost      string   `json:"lost,omitempty"`    // metavariables: where one has no value, the right side may have one
	Declared  string   `json:"declaredDomain,omitempty"`
	Reason    string   `json:"reason,omitempty"` // why it is ill-typed, or assumed
	Help      string   `json:"help,omitempty"`   // what may have been meant where it is ill-typed
	Doubt     string   `json:"doubt,omitempty"`  // why a rule that is assumed without a reason is in doubt

	Guard         bool     `json:"guard,omitempty"`         // refuted under a guard of a derivative, as a factor alone or of a product that is 0
	Witness       *Witness `json:"witness,omitempty"`       // where the sides differ
	DomainWitness *Witness `json:"domainWitness,omitempty"` // where one side alone has a value
	DomainNote    string   `json:"domainNote,omitempty"`    // of a rule on closed terms: what one side alone needs
}

// A Witness is a point at which two sides differ: the smallest that was found, by axes, then sizes,
// then entries.
type Witness struct {
	Sizes  string  `json:"sizes,omitempty"`
	Values []Named `json:"values"`
	Left   string  `json:"left"`
	Right  string  `json:"right"`
}

// Named is a metavariable with its value, written as a matrix.
type Named struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Passed reports whether the rule may be used as it is written: it is typed, not refuted, not
// assumed without a reason, and the domain is what the rule says.
func (r *Report) Passed() bool {
	return r.Typing != IllTyped && r.Equality != Refuted && (r.Equality != Assumed || r.Reason != "") && r.DomainAsDeclared()
}

// DomainAsDeclared reports whether the domain found is the one that the rule declares.
func (r *Report) DomainAsDeclared() bool {
	return r.Domain == "" || r.Domain == r.Declared && (!r.Both || r.Lost == "")
}

// illTyped says that err is why the rule has no type.
func (r *Report) illTyped(err error) *Report {
	r.Typing, r.Reason = IllTyped, err.Error()
	var helped *helpedError
	if errors.As(err, &helped) {
		r.Help = helped.help
	}
	return r
}

// A helpedError says what is wrong with a rule, and what may have been meant.
type helpedError struct{ message, help string }

func (e *helpedError) Error() string { return e.message }

// Claim is the line that sums up what was found.
func (r *Report) Claim() string {
	if r.Typing == IllTyped {
		return "ill-typed: " + r.Reason
	}
	if r.Equality == Refuted {
		if r.Guard {
			return "refuted under a guard; it holds when unguarded"
		}
		return "refuted"
	}
	var parts []string
	if r.Typing != "" {
		parts = append(parts, r.Typing)
	}
	if r.Both {
		parts = append(parts, "from both sides")
	}
	switch r.Equality {
	case TestedMod:
		bound := fmt.Sprintf("; error at most (%d/(2^61-1))^%d", max(r.Degree, 1), r.Trials)
		if r.Numbers > 0 { // which are not drawn from all there are
			bound = ""
		}
		parts = append(parts, fmt.Sprintf("tested mod p (%d trials a shape, %s%s)", r.Trials, r.shapes(), bound))
	case FloatTested:
		parts = append(parts, fmt.Sprintf("float-tested (%s a shape, %s)", counted(r.Trials, "point"), r.shapes()))
	case Assumed:
		reason := r.Reason
		if reason == "" {
			reason = "no reason is written"
			if r.Doubt != "" {
				reason = r.Doubt
			}
		}
		parts = append(parts, "assumed: "+reason)
	case Exact:
		parts = append(parts, "exact")
	}
	if r.Domain != "" {
		d := "domain " + r.Domain
		if r.Lost != "" {
			has := " has a value"
			if strings.Contains(r.Lost, ", ") {
				has = " have values"
			}
			d += " where " + strings.ReplaceAll(r.Lost, ", ", " and ") + has
		}
		if !r.DomainAsDeclared() {
			d += " (the rule says " + r.Declared + ")"
		}
		parts = append(parts, d)
	}
	return strings.Join(parts, "; ")
}

func (r *Report) shapes() string {
	if len(r.Shapes) == 1 && (strings.Contains(r.Shapes[0], " map") || strings.Contains(r.Shapes[0], " term")) {
		return r.Shapes[0] // of a native step: 60 maps, 3 terms
	}
	shapes := counted(len(r.Shapes), "shape")
	if r.Numbers > 0 {
		shapes += fmt.Sprintf(", %d choices of numbers", r.Numbers)
	}
	return shapes
}

// counted is a number of things: 1 term, 3 terms.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// String is the report as text: the name, the claim, and the witnesses.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Name, r.Claim())
	if r.Typing == IllTyped && r.File != "" {
		fmt.Fprintf(&b, "  at %s:%d\n", r.File, r.Line)
		if r.Help != "" {
			fmt.Fprintf(&b, "  help: %s\n", r.Help)
		}
	}
	if r.Witness != nil {
		b.WriteString(indent(r.Witness.String()))
	} else if r.DomainWitness != nil && !r.DomainAsDeclared() {
		b.WriteString(indent(r.DomainWitness.String()))
	} else if r.DomainNote != "" && !r.DomainAsDeclared() {
		b.WriteString(indent(r.DomainNote))
	}
	return b.String()
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") + "\n"
}

// String shows the point and both sides' values, a matrix on a line.
func (w *Witness) String() string {
	var b strings.Builder
	if w.Sizes != "" {
		fmt.Fprintf(&b, "at %s\n", w.Sizes)
	}
	for _, v := range w.Values {
		fmt.Fprintf(&b, "%s = %s\n", v.Name, v.Value)
	}
	fmt.Fprintf(&b, "left  = %s\nright = %s\n", w.Left, w.Right)
	return b.String()
}
