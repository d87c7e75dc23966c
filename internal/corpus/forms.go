package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Form is a function whose derivative has a known short closed form.
type Form struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Group  string `json:"group"`
	// Declare is a declaration with sizes, `A[m,n] x[n]`; Matrix and Einstein are the
	// function in the two notations, Matrix empty where it has none.
	Declare  string `json:"declare"`
	Matrix   string `json:"matrix"`
	Einstein string `json:"einstein"`
	// Wrt and Order say which derivative; its axes are the output's, then the
	// variable's, once for each order.
	Wrt   string `json:"wrt"`
	Order int    `json:"order"`
	// ClosedMatrix and ClosedEinstein are the derivative; the Let fields the same with
	// shared parts named. Only ClosedEinstein is always there.
	ClosedMatrix   string `json:"closed_matrix"`
	ClosedEinstein string `json:"closed_einstein"`
	LetMatrix      string `json:"let_matrix"`
	LetEinstein    string `json:"let_einstein"`
	// Assumes is what the closed form needs, in words; what of it is more than that the program is defined, Declare says, too.
	Assumes     string            `json:"assumes"`
	Domain      map[string]string `json:"domain"`      // how to draw each variable
	Constraints []string          `json:"constraints"` // m>n
	Needs       []string          `json:"needs"`       // notation that the closed form uses
	Rules       []string          `json:"rules"`       // simplifications that lead to it
	Note        string            `json:"note"`
	// Nodes counts ClosedEinstein, NodesMatrix ClosedMatrix, NodesFunction the function;
	// MaxOrder is the largest order of a proper part of ClosedEinstein.
	Nodes         int `json:"nodes"`
	NodesMatrix   int `json:"nodes_matrix"`
	NodesFunction int `json:"nodes_function"`
	MaxOrder      int `json:"max_order"`
}

// LoadForms reads a file of closed forms.
func LoadForms(path string) ([]*Form, error) {
	var forms []*Form
	err := eachLine(path, func(line []byte) error {
		f := new(Form)
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(f); err != nil {
			return err
		}
		forms = append(forms, f)
		return nil
	})
	return forms, err
}

// Program is a text of the function, or of a closed form, with its declarations. An
// expression may begin with let lines and the word expression.
func (f *Form) Program(expr string) string {
	if strings.Contains(expr, "expression ") {
		return "declare " + f.Declare + "\n" + expr
	}
	return "declare " + f.Declare + "\nexpression " + expr
}

// Closed are all texts of the derivative.
func (f *Form) Closed() []string {
	var texts []string
	for _, t := range []string{f.ClosedEinstein, f.ClosedMatrix, f.LetEinstein, f.LetMatrix} {
		if t != "" {
			texts = append(texts, t)
		}
	}
	return texts
}

// Functions are the texts of the function.
func (f *Form) Functions() []string {
	if f.Matrix == "" {
		return []string{f.Einstein}
	}
	return []string{f.Einstein, f.Matrix}
}

// Point is a set of values for the variables of a form.
type Point struct {
	Sizes  map[string]int64
	Dims   map[string][]int
	Values map[string][]float64
}

var declaration = regexp.MustCompile(`(\w+)\[([\w,]*)\]`)

// Draw draws sizes that are all different, at least 2 and as the constraints say, and
// values as Domain says. Equal seeds draw equal points.
func (f *Form) Draw(seed uint64) (*Point, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(len(f.ID))))
	p := &Point{Sizes: map[string]int64{}, Dims: map[string][]int{}, Values: map[string][]float64{}}
	var symbols []string
	decls := declaration.FindAllStringSubmatch(f.Declare, -1)
	axes := map[string][]string{}
	for _, d := range decls {
		if d[2] != "" {
			axes[d[1]] = strings.Split(d[2], ",")
		}
		for _, s := range axes[d[1]] {
			if !slices.Contains(symbols, s) {
				symbols = append(symbols, s)
			}
		}
	}
	for try := 0; ; try++ {
		for i, k := range rng.Perm(len(symbols)) {
			p.Sizes[symbols[i]] = int64(2 + k)
		}
		if f.admits(p.Sizes) {
			break
		}
		if try == 10_000 {
			return nil, fmt.Errorf("%s: no sizes satisfy %v", f.ID, f.Constraints)
		}
	}
	for _, d := range decls {
		shape := []int{}
		for _, s := range axes[d[1]] {
			shape = append(shape, int(p.Sizes[s]))
		}
		v, err := draw(f.Domain[d[1]], shape, rng)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.ID, err)
		}
		p.Dims[d[1]], p.Values[d[1]] = shape, v
	}
	return p, nil
}

// admits reports whether the sizes satisfy the constraints, which are a<b or a>b.
func (f *Form) admits(sizes map[string]int64) bool {
	for _, c := range f.Constraints {
		if a, b, ok := strings.Cut(c, "<"); ok && sizes[a] >= sizes[b] {
			return false
		}
		if a, b, ok := strings.Cut(c, ">"); ok && sizes[a] <= sizes[b] {
			return false
		}
	}
	return true
}

// draw draws a tensor of a domain.
func draw(domain string, shape []int, rng *rand.Rand) ([]float64, error) {
	count := 1
	for _, n := range shape {
		count *= n
	}
	v := make([]float64, count)
	fill := func(f func() float64) {
		for i := range v {
			v[i] = f()
		}
	}
	switch domain {
	case "":
		fill(rng.NormFloat64)
	case "positive":
		fill(func() float64 { return 0.5 + 1.5*rng.Float64() })
	case "far":
		fill(func() float64 { return 6 + rng.Float64() })
	case "small":
		fill(func() float64 { return 0.5 * rng.NormFloat64() })
	case "mask":
		fill(func() float64 { return math.Round(rng.Float64() + 0.1) })
	case "simplex":
		sum := 0.0
		fill(func() float64 { x := 0.3 + rng.Float64(); sum += x; return x })
		for i := range v {
			v[i] /= sum
		}
	case "invertible":
		fill(rng.NormFloat64)
		addDiagonal(v, shape[0], 2.5)
	case "symmetric":
		fill(rng.NormFloat64)
		v = symmetrize(v, shape)
	case "spd": // A A'/n + 1
		n := shape[0]
		a := make([]float64, count)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		for i := range n {
			for j := range n {
				for k := range n {
					v[i*n+j] += a[i*n+k] * a[j*n+k] / float64(n)
				}
			}
		}
		addDiagonal(v, n, 1)
	case "symmetric3":
		fill(rng.NormFloat64)
		v = symmetrize(v, shape)
	case "majorsym": // v[i,j,k,l] = v[k,l,i,j]
		fill(rng.NormFloat64)
		half := shape[0] * shape[1]
		for i := range half {
			for j := range i {
				v[i*half+j] = v[j*half+i]
			}
		}
	default:
		return nil, fmt.Errorf("unknown domain %q", domain)
	}
	return v, nil
}

func addDiagonal(v []float64, n int, d float64) {
	for i := range n {
		v[i*n+i] += d
	}
}

// symmetrize gives entries at permuted indices the value at the sorted ones.
func symmetrize(v []float64, shape []int) []float64 {
	n, k := shape[0], len(shape)
	out := make([]float64, len(v))
	index := make([]int, k)
	for at := range v {
		for i, r := k-1, at; i >= 0; i, r = i-1, r/n {
			index[i] = r % n
		}
		slices.Sort(index)
		from := 0
		for _, i := range index {
			from = from*n + i
		}
		out[at] = v[from]
	}
	return out
}
