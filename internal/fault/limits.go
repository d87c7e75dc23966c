package fault

import (
	"fmt"
	"frechet/syntax"
	"strconv"
	"strings"
	"time"
)

// Limits bound what an input may cost. Reaching one is an error of kind "limit"
// that says which limit, how large the thing would have been, and what to do
// instead; nothing is allocated first. The zero value of a field means its default.
type Limits struct {
	Input    int64         // bytes of program text, or of one line of a batch
	Nesting  int           // depth of parentheses, functions and unary minuses
	Order    int           // axes of a tensor, and the order of a derivative
	Digits   int           // digits of a number
	Tokens   int           // tokens of a program
	Nodes    int           // nodes of a term
	Search   int           // terms that a search for a proof looks at
	Elements int64         // elements of one tensor
	Memory   int64         // bytes of one evaluation
	Time     time.Duration // wall time of one request
}

// A Limit describes one field of Limits: flags, help and documents read this table.
type Limit struct {
	Name    string // also the flag, after "limit-"
	Default string
	Doc     string
	get     func(*Limits) string
	set     func(*Limits, string) error
}

// Get and Set read and write the limit as text: "64MB", "10000", "10m".
func (l Limit) Get(lim *Limits) string             { return l.get(lim) }
func (l Limit) Set(lim *Limits, text string) error { return l.set(lim, text) }

// LimitTable lists all limits, with their defaults.
func LimitTable() []Limit { return limitTable }

var limitTable = []Limit{
	bytesLimit("input", "64MB", "bytes of program text, or of one line of a batch", func(l *Limits) *int64 { return &l.Input }),
	countLimit("nesting", "10000", "depth of parentheses, function calls and unary minuses", func(l *Limits) *int { return &l.Nesting }),
	countLimit("order", "64", "axes of one tensor, and the order of a derivative", func(l *Limits) *int { return &l.Order }),
	countLimit("digits", "10000", "digits of a number, and of the numbers that literals make", func(l *Limits) *int { return &l.Digits }),
	countLimit("tokens", "2000000", "tokens of a program", func(l *Limits) *int { return &l.Tokens }),
	countLimit("nodes", "10000000", "nodes of a term", func(l *Limits) *int { return &l.Nodes }),
	countLimit("search", "10000", "terms that a search for a proof looks at", func(l *Limits) *int { return &l.Search }),
	countLimit("elements", "268435456", "elements of one tensor", func(l *Limits) *int64 { return &l.Elements }),
	bytesLimit("memory", "8GB", "memory of one evaluation", func(l *Limits) *int64 { return &l.Memory }),
	{"time", "10m", "wall time of one request",
		func(l *Limits) string { return l.Time.String() },
		func(l *Limits, s string) error {
			d, err := time.ParseDuration(s)
			if err != nil || d <= 0 {
				return fmt.Errorf("%q is not a duration like 90s or 10m", s)
			}
			l.Time = d
			return nil
		}},
}

// DefaultLimits returns the documented defaults.
func DefaultLimits() Limits { return Filled(Limits{}) }

// Filled has the defaults in the fields of l that are zero.
func Filled(l Limits) Limits {
	var zero Limits
	for _, row := range limitTable {
		if row.get(&l) != row.get(&zero) {
			continue
		}
		if err := row.set(&l, row.Default); err != nil {
			panic("fault: default of limit " + row.Name + ": " + err.Error()) // our own table
		}
	}
	return l
}

// Syntax are the limits as the parsers take them.
func Syntax(l Limits) syntax.Limits {
	return syntax.Limits{Bytes: int(l.Input), Nesting: l.Nesting, Tokens: l.Tokens, Order: l.Order, Digits: l.Digits}
}

func countLimit[T int | int64](name, def, doc string, field func(*Limits) *T) Limit {
	return Limit{name, def, doc,
		func(l *Limits) string { return strconv.FormatInt(int64(*field(l)), 10) },
		func(l *Limits, s string) error {
			n, err := strconv.ParseInt(s, 10, 64)
			if err != nil || n <= 0 || int64(T(n)) != n {
				return fmt.Errorf("%q is not a positive whole number", s)
			}
			*field(l) = T(n)
			return nil
		}}
}

func bytesLimit(name, def, doc string, field func(*Limits) *int64) Limit {
	return Limit{name, def, doc,
		func(l *Limits) string { return FormatBytes(*field(l)) },
		func(l *Limits, s string) error {
			n, err := parseBytes(s)
			if err != nil {
				return err
			}
			*field(l) = n
			return nil
		}}
}

var byteUnits = []struct {
	suffix string
	size   int64
}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}

// parseBytes reads 64MB, 8GB, 1000; units are powers of ten.
func parseBytes(s string) (int64, error) {
	text, unit := s, int64(1)
	for _, u := range byteUnits {
		if strings.HasSuffix(strings.ToLower(s), strings.ToLower(u.suffix)) {
			text, unit = s[:len(s)-len(u.suffix)], u.size
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/unit {
		return 0, fmt.Errorf("%q is not a number of bytes like 64MB or 8GB", s)
	}
	return n * unit, nil
}

// FormatBytes writes a number of bytes for people: 64MB, 8GB, 1.5kB.
func FormatBytes(n int64) string {
	for _, u := range byteUnits {
		if n >= u.size {
			return strconv.FormatFloat(float64(n)/float64(u.size), 'g', 3, 64) + u.suffix
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}
