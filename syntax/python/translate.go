package python

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"frechet/internal/lists"
	"frechet/syntax"
)

// A Function is a function in Python, read and not yet translated: that needs the orders of its arguments.
type Function struct {
	src    string
	file   *file
	params []*argumentOf
	body   []*line
	result *expr // of a lambda
	torch  bool  // PyTorch's defaults hold
}

// argumentOf is a parameter, with what its annotation says.
type argumentOf struct {
	name  string
	sizes []string // nil: the annotation says nothing
	known bool
	value *ternary // its default
}

// Parse reads a function, a lambda or an expression. An error is a *syntax.Error with its place in src.
func Parse(src string, limits syntax.Limits) (*Function, error) {
	f := &Function{src: src, torch: strings.Contains(src, "torch") || strings.Contains(src, "F.")}
	if len(src) > 100_000 || limits.Bytes > 0 && len(src) > limits.Bytes {
		return nil, f.errorAt(0, "L001", "the function is %d bytes long", len(src))
	}
	text, depth := joined(src)
	for _, word := range []string{"**", "lambda", "else"} {
		depth = max(depth, strings.Count(text, word))
	}
	if depth > maxNesting {
		return nil, f.errorAt(0, "S004", "the function is nested more than %d deep", maxNesting)
	}
	var err error
	if f.file, err = parser().ParseString("", text); err != nil {
		var at participle.Error
		if errors.As(err, &at) {
			return nil, f.errorAt(at.Position().Offset, "S003", "this is no Python that is read here: %s", at.Message())
		}
		return nil, f.errorAt(0, "S003", "this is no Python that is read here: %s", err)
	}
	return f, f.split()
}

// errorAt is an error at a place of the text.
func (f *Function) errorAt(offset int, code syntax.Code, format string, args ...any) *syntax.Error {
	file := &syntax.File{Src: f.src}
	end := offset
	for end < len(f.src) && (f.src[end] == '_' || f.src[end] == '.' || f.src[end] >= '0' && f.src[end] <= '9' || f.src[end]|32 >= 'a' && f.src[end]|32 <= 'z') {
		end++
	}
	return file.Errorf(code, syntax.Span{Start: min(offset, len(f.src)), End: max(end, min(offset+1, len(f.src)))}, format, args...)
}

// split finds the function among the lines: its parameters and its body.
func (f *Function) split() error {
	var loose []*line
	for _, l := range f.file.Lines {
		switch {
		case l.Import:
		case l.Def != nil && f.body != nil:
			return f.errorAt(l.Pos.Offset, "S003", "there are two functions; one is read")
		case l.Def != nil:
			f.body = []*line{}
			for _, p := range l.Def.Params {
				if err := f.param(p); err != nil {
					return err
				}
			}
		case f.body != nil:
			f.body = append(f.body, l)
		default:
			loose = append(loose, l)
		}
	}
	if f.body != nil {
		return nil
	}
	f.body = loose
	if len(loose) == 1 && loose[0].Assign != nil {
		items, _ := loose[0].Assign.First.items()
		if loose[0].Assign.Value != nil {
			items, _ = loose[0].Assign.Value.items()
		}
		if len(items) == 1 && items[0].Lambda != nil {
			f.body, f.result = nil, items[0].Lambda.Body
			for _, p := range items[0].Lambda.Params {
				if err := f.param(&param{Pos: p.Pos, Star: p.Star, Name: p.Name, Default: p.Default}); err != nil {
					return err
				}
			}
		}
	}
	if f.result == nil {
		f.freeNames()
	}
	return nil
}

// param reads a parameter and its annotation.
func (f *Function) param(p *param) error {
	if p.Star != "" && p.Name != "" {
		return f.errorAt(p.Pos.Offset, "S003", "arguments in any number have no meaning here")
	}
	if p.Name == "" || p.Name == "self" {
		return nil
	}
	a := &argumentOf{name: p.Name, value: p.Default}
	if p.Annotation != nil {
		a.sizes, a.known = annotated(p.Annotation)
	}
	f.params = append(f.params, a)
	return nil
}

// annotated reads float, or the sizes in the last text of an annotation: "m n", Float[Array, "m n"].
func annotated(t *ternary) ([]string, bool) {
	post := t.Then.First.Left.Left.Left.Power.Base
	if post.Atom.Name == "float" || post.Atom.Name == "int" {
		return nil, true
	}
	text := ""
	if len(post.Atom.Text) == 1 {
		text = post.Atom.Text[0]
	}
	for _, tr := range post.Trailers {
		for _, s := range tr.Subscript {
			if s.First != nil {
				if x := s.First.Then.First.Left.Left.Left.Power.Base.Atom; len(x.Text) == 1 {
					text = x.Text[0]
				}
			}
		}
	}
	if text == "" {
		return nil, false
	}
	sizes := strings.FieldsFunc(unquoted(text), func(c rune) bool { return strings.ContainsRune(" ,()[]", c) })
	if len(sizes) == 1 && (sizes[0] == "float" || sizes[0] == "int" || sizes[0] == "scalar") {
		return nil, true
	}
	return sizes, !slices.Contains(sizes, "...")
}

// Orders are the parameters whose orders nothing says, in order.
func (f *Function) Open() (names []string) {
	for _, p := range f.params {
		if !p.known && p.value == nil {
			names = append(names, p.name)
		}
	}
	return names
}

// A translator translates once for the sizes and once for the text.
type translator struct {
	f     *Function
	names map[string]value
	dims  map[string][]*dim // of the parameters
	text  strings.Builder   // of the lets
	taken map[string]bool   // the names of lets
	used  map[string]bool   // parameters and sizes
}

// A failure is an error that ends a translation from inside.
type failure struct{ err *syntax.Error }

func (t *translator) fail(at lexer.Position, format string, args ...any) {
	panic(failure{t.f.errorAt(at.Offset, "S003", format, args...)})
}

// Translate is the function in the Einstein language, for the orders of the parameters that Open names.
func (f *Function) Translate(orders map[string]int) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			switch r := r.(type) {
			case failure:
				err = r.err
			case tooLong:
				err = f.errorAt(0, "S004", "a part of the function gets longer than %d characters; give names to what stands in it several times", maxText)
			default:
				panic(r)
			}
		}
	}()
	t := &translator{f: f, dims: map[string][]*dim{}, used: map[string]bool{}}
	t.declare(orders)
	t.run() // finds which sizes are equal
	t.nameSizes()
	t.text.Reset()
	result := t.run()
	var head strings.Builder
	for _, p := range f.params {
		if p.value != nil {
			continue
		}
		if head.Len() == 0 {
			head.WriteString("declare")
		}
		var sizes []string
		sizes = lists.Append(sizes, t.dims[p.name], func(d *dim) string { return d.String() })
		fmt.Fprintf(&head, " %s[%s]", t.own(p.name), strings.Join(sizes, ","))
	}
	return head.String() + "\n" + t.text.String() + "expression " + result.text, nil
}

// declare gives each parameter its axes.
func (t *translator) declare(orders map[string]int) {
	named := map[string]*dim{}
	for _, p := range t.f.params {
		t.used[t.own(p.name)] = true
		n := orders[p.name]
		if p.known {
			n = len(p.sizes)
		}
		for i := range n {
			d := &dim{}
			if p.known {
				s := strings.TrimLeft(p.sizes[i], "#*?")
				if named[s] == nil {
					named[s] = fixed(s)
				}
				d = named[s]
				t.used[s] = true
			}
			t.dims[p.name] = append(t.dims[p.name], d)
		}
	}
}

// nameSizes names the sizes that are open: m and n of a matrix, n of a vector alone.
func (t *translator) nameSizes() {
	var open []*dim
	for _, p := range t.f.params {
		for _, d := range t.dims[p.name] {
			if d = d.find(); d.text == nil && !slices.Contains(open, d) {
				open = append(open, d)
			}
		}
	}
	names := []string{"m", "n", "k", "l", "p", "q", "r", "s"}
	if len(open) == 1 {
		names = names[1:]
	}
	for i := 0; len(open) > 0; i++ {
		name := "n" + strconv.Itoa(i)
		if i < len(names) {
			name = names[i]
		}
		if !t.used[name] {
			t.used[name] = true
			open[0].name, open = name, open[1:]
		}
	}
}

// own is a name that the Einstein language allows.
func (t *translator) own(name string) string {
	if syntax.Reserved(name) {
		return name + "_"
	}
	return name
}

// run reads the body once and gives its result.
func (t *translator) run() value {
	t.names, t.taken = map[string]value{}, map[string]bool{}
	for _, p := range t.f.params {
		if p.value != nil {
			t.names[p.name] = t.ternary(p.value)
			continue
		}
		t.names[p.name] = value{text: t.own(p.name), axes: slices.Clone(t.dims[p.name])}
	}
	if t.f.result != nil {
		return t.result(t.f.result.Ternary.Pos, t.expr(t.f.result))
	}
	for i, l := range t.f.body {
		switch {
		case l.Other == "pass":
		case l.Other != "":
			t.fail(l.Pos, "%s has no meaning here: a function is one expression, with names for its parts", l.Other)
		case l.Return != nil:
			return t.result(l.Pos, t.tuple(l.Return))
		case l.Assign == nil:
		case l.Assign.Value != nil:
			t.assign(l.Assign)
		case i == len(t.f.body)-1:
			return t.result(l.Pos, t.tuple(l.Assign.First))
		default:
			if v := t.tuple(l.Assign.First); v.word == "" {
				t.fail(l.Pos, "the value of this line is not used")
			}
		}
	}
	t.fail(lexer.Position{}, "the function returns nothing")
	return value{}
}

func (t *translator) result(at lexer.Position, v value) value {
	if v.list != nil || v.word != "" {
		t.fail(at, "a function returns one tensor or number")
	}
	return v
}

// assign binds names.
func (t *translator) assign(a *assign) {
	v := t.tuple(a.Value)
	targets, several := a.First.items()
	if several {
		if len(v.list) != len(targets) {
			t.fail(a.First.Pos, "%d names for what has %d parts", len(targets), len(v.list))
		}
		for i, x := range targets {
			t.bind(x, v.list[i])
		}
		return
	}
	if op := strings.TrimSuffix(a.Op, "="); op != "" {
		v = t.binary(a.First.Pos, op, t.expr(targets[0]), v)
	}
	t.bind(targets[0], v)
}

// bind gives a value a name; what is more than a name or a number becomes a let.
func (t *translator) bind(to *expr, v value) {
	name := ""
	if to.Ternary != nil {
		if p := to.Ternary.Then.First.Left.Left.Left.Power.Base; len(p.Trailers) == 0 {
			name = p.Atom.Name
		} else {
			t.fail(p.Pos, "an assignment to a part of an array has no meaning here; np.where or concatenate make one of parts")
		}
	}
	if name == "" {
		t.fail(lexer.Position{}, "this cannot be assigned to")
	}
	if v.list == nil && v.num == nil && v.size == nil && v.word == "" && strings.ContainsAny(v.text, " (") {
		let := t.own(name)
		for i := 1; t.used[let] || t.taken[let]; i++ {
			let = t.own(name) + "_" + strconv.Itoa(i)
		}
		t.taken[let] = true
		fmt.Fprintf(&t.text, "let %s = %s\n", let, v.text)
		v.text = let
	}
	t.names[name] = v
}

func (t *translator) tuple(x *tuple) value {
	items, several := x.items()
	if !several {
		return t.expr(items[0])
	}
	v := value{list1: true}
	for _, e := range items {
		v.list = append(v.list, t.expr(e))
	}
	return v
}

func (t *translator) expr(x *expr) value {
	if x.Lambda != nil {
		t.fail(x.Lambda.Pos, "a lambda inside of an expression has no meaning here")
	}
	return t.ternary(x.Ternary)
}

func (t *translator) ternary(x *ternary) value {
	if x.If != nil {
		t.fail(x.Pos, "if inside of an expression has no meaning here; np.where chooses entry by entry")
	}
	l := x.Then
	if l.Not || len(l.Rest) > 0 {
		t.fail(l.Pos, "truth values joined by and, or, not have no meaning here; np.where and products of comparisons have")
	}
	c := l.First
	v := t.sum(c.Left)
	if len(c.Rest) > 1 {
		t.fail(c.Pos, "a chain of comparisons has no meaning here")
	}
	if len(c.Rest) == 1 {
		op := c.Rest[0].Op
		if op == "is" || op == "in" {
			t.fail(c.Pos, "%s has no meaning here", op)
		}
		return entrywise("(%s "+op+" %s)", t.tensor(c.Pos, v), t.tensor(c.Pos, t.sum(c.Rest[0].Right)))
	}
	return v
}

func (t *translator) sum(x *sum) value {
	v := t.term(x.Left)
	for _, r := range x.Rest {
		v = t.binary(x.Pos, r.Op, v, t.term(r.Right))
	}
	return v
}

func (t *translator) term(x *term) value {
	v := t.unary(x.Left)
	for _, r := range x.Rest {
		v = t.binary(x.Pos, r.Op, v, t.unary(r.Right))
	}
	return v
}

func (t *translator) unary(x *unary) value {
	v := t.power(x.Power)
	for _, s := range slices.Backward(x.Signs) {
		switch {
		case s == "~":
			t.fail(x.Pos, "~ has no meaning here; 1 - mask has")
		case s == "-" && v.num != nil:
			v = number(-*v.num, "(-"+v.text+")")
		case s == "-":
			v = t.tensor(x.Pos, v)
			v = value{text: "(-" + v.text + ")", axes: v.axes}
		}
	}
	return v
}

func (t *translator) power(x *power) value {
	v := t.postfix(x.Base)
	if x.Exponent != nil {
		return t.binary(x.Pos, "**", v, t.unary(x.Exponent))
	}
	return v
}

// tensor refuses what is no tensor or number.
func (t *translator) tensor(at lexer.Position, v value) value {
	if v.list != nil || v.list1 {
		return t.array(at, v)
	}
	if v.word != "" {
		t.fail(at, "a text stands where a tensor or number is expected")
	}
	return v
}

// array is a list of numbers, or of lists of these.
func (t *translator) array(at lexer.Position, v value) value {
	var rows []string
	n := -1
	for _, x := range v.list {
		switch {
		case x.num != nil || x.list == nil && x.order() == 0 && x.word == "":
			rows = append(rows, x.text)
		case x.list != nil:
			var row []string
			for _, y := range x.list {
				if y.list != nil || y.order() > 0 {
					t.fail(at, "an array that is written has at most two axes here")
				}
				row = append(row, y.text)
			}
			if n >= 0 && n != len(row) {
				t.fail(at, "the rows of the array differ in length")
			}
			n = len(row)
			rows = append(rows, strings.Join(row, ", "))
		default:
			t.fail(at, "a list of tensors has no meaning here; np.stack and np.concatenate have")
		}
	}
	out := value{text: "[" + strings.Join(rows, "; ") + "]", axes: []*dim{fixed(strconv.Itoa(len(rows)))}}
	if n >= 0 {
		out.axes = append(out.axes, fixed(strconv.Itoa(n)))
	}
	return out
}

// binary is an operation of two values.
func (t *translator) binary(at lexer.Position, op string, a, b value) value {
	if a.size != nil && (b.size != nil || b.num != nil) || b.size != nil && a.num != nil {
		if op == "+" || op == "-" || op == "*" {
			text := func() string { return "(" + sizeText(a) + " " + op + " " + sizeText(b) + ")" }
			return value{text: text(), size: derived(text, a.size, b.size)}
		}
	}
	a, b = t.tensor(at, a), t.tensor(at, b)
	switch op {
	case "+", "-":
		return entrywise("(%s "+op+" %s)", a, b)
	case "*":
		return times(a, b)
	case "/":
		return entrywise("(%s ./ %s)", a, b)
	case "**":
		return entrywise("(%s .^ %s)", a, b)
	case "@":
		return t.matmul(at, a, b)
	}
	t.fail(at, "%s has no derivative and no meaning here", op)
	return value{}
}

func sizeText(v value) string {
	if v.size != nil {
		return v.size.String()
	}
	return v.text
}

// matmul is a @ b: the last axis of a with the last but one of b, the others of more than two in step.
func (t *translator) matmul(at lexer.Position, a, b value) value {
	na, nb := len(a.axes), len(b.axes)
	if na == 0 || nb == 0 {
		t.fail(at, "@ needs tensors on both sides; * multiplies by a number")
	}
	batch := max(na, nb, 2) - 2
	names := letters(batch)
	var left, right, out []string
	if na > 1 {
		left = append(slices.Clone(names[batch-(na-2):]), "y", "z")
	} else {
		left = []string{"z"}
	}
	if nb > 1 {
		right = append(slices.Clone(names[batch-(nb-2):]), "z", "x")
	} else {
		right = []string{"z"}
	}
	out = slices.Clone(names)
	if na > 1 {
		out = append(out, "y")
	}
	if nb > 1 {
		out = append(out, "x")
	}
	x, y := a.fromEnd(0), b.fromEnd(min(1, nb-1))
	if (x == nil) != (y == nil) {
		t.fail(at, "an axis of size 1 meets one of another size in @")
	}
	v, ok := product([]value{a, b}, [][]string{left, right}, out)
	if !ok {
		v.text = "(" + a.text + " .* " + b.text + ")"
	}
	return v
}
