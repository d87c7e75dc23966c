package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"frechet"
)

// A source is a program's text and the name that messages give it.
type source struct {
	name, text string
	literal    bool // the text was an argument
}

// readSource finds the program: "-" is standard input, the name of a file is that file,
// anything that cannot be a file's name is the program itself.
func (a *app) readSource(arg string) error {
	if arg == "-" {
		return a.readAll("<stdin>", a.in)
	}
	f, err := os.Open(arg)
	if err != nil {
		if looksLikeProgram(arg) {
			a.source = source{"<expression>", arg, true}
			return nil
		}
		if arg == "" {
			arg = "''"
		}
		return fmt.Errorf("%s: no such file; a program can also be given as text, like 'declare x 1 expression x *(i,i->) x derivative wrt x', or on standard input as -", arg)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory", arg)
	}
	return a.readAll(arg, f)
}

// readAll reads at most one byte beyond the limit, which Parse then reports.
func (a *app) readAll(name string, r io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(r, a.limits.Input+1))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	a.source = source{name: name, text: string(b)}
	return nil
}

// isPiped reports whether something other than a terminal or an empty device waits on standard input.
func isPiped(r io.Reader) bool {
	if f, ok := r.(*os.File); ok {
		info, err := f.Stat()
		return err == nil && info.Mode()&os.ModeCharDevice == 0
	}
	text, ok := r.(interface{ Len() int })
	return ok && text.Len() > 0
}

// 2x, x.y, x--y and x² are formulas that are written in another way than here, and 1.fr and x.json are files.
var (
	formulaWord = regexp.MustCompile(`^\d|\.[A-Za-z]$|--|[^ -~]`)
	fileEnding  = regexp.MustCompile(`\.[A-Za-z]\w+$`)
)

// looksLikeProgram reports whether an argument is no name of a file: x/t is a formula where there is no folder x.
func looksLikeProgram(arg string) bool {
	if dir, _, ok := strings.Cut(arg, "/"); ok && dir != "" && (!strings.Contains(arg, ".") || formulaWord.MatchString(dir)) {
		_, err := os.Stat(dir)
		return err != nil
	}
	return strings.ContainsAny(arg, " \t\n()*+^=[]{}':|\"\\") || formulaWord.MatchString(arg) && !fileEnding.MatchString(arg)
}

// formulasFirst puts a formula that begins with a minus sign behind --, where it is no flag: frechet grad "-x'*x".
func formulasFirst(args []string) []string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		formula := strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.ContainsAny(arg, "()*+^' ")
		if value := strings.Contains(arg, "=") && (strings.HasPrefix(arg, "-d") || strings.HasPrefix(arg, "-o")); formula && !value {
			return slices.Concat(args[:i], args[i+1:], []string{"--", arg})
		}
	}
	return args
}

// parse parses the source, with sizes as symbols.
func (a *app) parse() (*frechet.Func, error) {
	opts := []frechet.Option{frechet.WithLimits(a.limits), frechet.WithLanguage(a.language),
		frechet.WithOperations(a.operations...), frechet.WithRules(a.rules)}
	if a.precision != "" && !slices.Contains(precisions, a.precision) {
		return nil, fmt.Errorf("unknown precision %q; known are %s", a.precision, strings.Join(precisions, ", "))
	}
	if a.single() {
		opts = append(opts, frechet.WithSingle())
	}
	if a.scalar {
		opts = append(opts, frechet.WithScalar())
	}
	f, err := frechet.Parse(a.source.text, opts...)
	if err != nil {
		return nil, err
	}
	a.program = f
	for _, w := range f.Warnings() {
		fmt.Fprint(a.err, w.Render(a.source.name, a.source.text, a.colour()))
	}
	return f, nil
}

// claims are those of the rules of --rules that were applied.
func (a *app) claims() []frechet.RuleClaim {
	if a.program == nil {
		return nil
	}
	return a.program.Claims()
}

// withClaims adds the claims, where there are any, to an answer in JSON.
func withClaims(answer map[string]any, claims []frechet.RuleClaim) map[string]any {
	if len(claims) > 0 {
		answer["rules"] = claims
	}
	return answer
}

// claimsText says what is claimed of rules, in comment lines; "" where there are none.
func claimsText(comment string, claims []frechet.RuleClaim) string {
	if len(claims) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(comment + " rules used\n")
	for _, c := range claims {
		fmt.Fprintf(&b, "%s   %s: %s\n", comment, c.Rule, c.Claim)
	}
	return b.String()
}

// assumed is the line that says which declaration was taken for a formula that has none.
func assumed(comment string, f *frechet.Func) string {
	if d := f.Assumed(); d != "" {
		return comment + " assumed: " + d + "\n\n"
	}
	return ""
}
