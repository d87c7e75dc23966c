package code

import (
	"fmt"
	"slices"
	"strings"

	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
	"frechet/eval/plan"
)

// A script in SQL computes with tensors in coordinate form: a table has a row (i0, i1, ..., v) for each entry that is not 0, and
// may have rows for others. Products are joins, sums are groups, and a function with f(0) = 0 sees only the rows that there are; other
// functions make a row for every entry (Blacher et al., Efficient and Portable Einstein Summation in SQL, have products).
type sqlScript struct {
	*writer
	body    []string
	ranges  map[size.Size]string // tables of the numbers below a size
	dropped []string             // tables that the script makes
	mask    []int                // see masks
	failure error
}

// writeSQL writes a script for PostgreSQL, SQLite and DuckDB.
func writeSQL(w *writer) error {
	w.real = "CAST(# AS DOUBLE PRECISION)"
	q := &sqlScript{writer: w, ranges: map[size.Size]string{}}
	q.nameTables()
	needed := q.needed()
	q.mask = q.masks(needed)
	for at := range q.list {
		if needed[at] && variable(&q.list[at]) == nil {
			q.value(at)
		}
	}
	for k, o := range q.outputs {
		q.create("TABLE", q.names["result "+q.Results[k].Name], (&join{tables: []string{q.table(o)}}).query(columns("", len(q.list[o].Shape)), "CAST(v AS DOUBLE PRECISION)", false))
	}
	if q.failure == nil {
		q.finish()
	}
	return q.failure
}

// nameTables names the tables of arguments and results. Case does not tell names of tables apart.
func (q *sqlScript) nameTables() {
	q.names = map[string]string{}
	taken := map[string]bool{"sizes": true}
	name := func(key, id string) {
		for taken[strings.ToLower(id)] || temporary.MatchString(strings.ToLower(id)) {
			id += "_"
		}
		taken[strings.ToLower(id)] = true
		q.names[key] = `"` + id + `"`
	}
	for _, v := range q.Params {
		name(v.Name(), v.Name())
	}
	for _, r := range q.Results {
		name("result "+r.Name, r.Name)
	}
	for _, d := range q.sizes() {
		for _, s := range d.Symbols() {
			q.names["size "+s] = fmt.Sprintf("(SELECT size FROM sizes WHERE name = '%s')", s)
		}
	}
}

// needed says which instructions the results need. Of a guarded product it is the loops alone: what meets a 0 has no row.
func (q *sqlScript) needed() []bool {
	needed := make([]bool, len(q.list))
	for _, o := range q.outputs {
		needed[o] = true
	}
	for at, i := range slices.Backward(q.list) {
		args := i.Args
		if i.Kind == plan.DoGuarded {
			args = args[:len(i.Weak)]
		}
		for _, a := range args {
			needed[a] = needed[a] || needed[at]
		}
	}
	return needed
}

func (q *sqlScript) finish() {
	q.line("-- Printed by frechet export --target sql.")
	q.line("-- %s", q.Title)
	for l := range strings.Lines(strings.TrimSpace(q.Source)) {
		q.line("--     %s", strings.TrimRight(l, "\n"))
	}
	q.line("-- A tensor is a table with a row for each entry that is not 0: the columns i0, i1, ... are its indices, v is the value.")
	q.line("-- The table sizes(name, size) has the size symbols. Arguments:")
	for _, v := range q.Params {
		q.line("--     %s: %s", q.names[v.Name()], axes(v.Shape()))
	}
	q.line("-- Results:")
	for _, r := range q.Results {
		q.line("--     %s: %s", q.names["result "+r.Name], r.Doc)
	}
	for _, n := range q.Notes {
		q.line("-- %s", n)
	}
	for _, t := range q.dropped {
		q.line("DROP TABLE IF EXISTS %s;", t)
	}
	for _, l := range q.body {
		q.line("%s", l)
	}
}

func (q *sqlScript) create(kind, name, query string) {
	q.dropped = append(q.dropped, name)
	q.body = append(q.body, fmt.Sprintf("CREATE %s %s AS %s;", kind, name, query))
}

func (q *sqlScript) table(i int) string {
	if v := variable(&q.list[i]); v != nil {
		return q.names[v.Name()]
	}
	return q.temp(i)
}

// below is the table of the numbers below n.
func (q *sqlScript) below(n size.Size) string {
	if t := q.ranges[n]; t != "" {
		return t
	}
	t := fmt.Sprintf("z%d", len(q.ranges))
	q.ranges[n] = t
	q.create("TEMP TABLE", t, fmt.Sprintf("WITH RECURSIVE r(k) AS (SELECT 0 WHERE 0 < %[1]s UNION ALL SELECT k + 1 FROM r WHERE k + 1 < %[1]s) SELECT k FROM r", q.size(n)))
	return t
}

// A join is a query: what it selects, from which tables, where, and by what it is grouped.
type join struct {
	tables, where []string
}

// query selects the indices idx and the value v; where some index of the tables is summed over, v is the sum.
func (j *join) query(idx []string, v string, summed bool) string {
	cols := make([]string, len(idx), len(idx)+1)
	for k, x := range idx {
		cols[k] = fmt.Sprintf("%s AS i%d", x, k)
	}
	if summed {
		v = "COALESCE(SUM(" + v + "), 0.0)"
	}
	text := "SELECT " + strings.Join(append(cols, v+" AS v"), ", ")
	if len(j.tables) > 0 {
		text += " FROM " + strings.Join(j.tables, ", ")
	}
	if len(j.where) > 0 {
		text += " WHERE " + strings.Join(j.where, " AND ")
	}
	if groups := slices.DeleteFunc(slices.Clone(idx), func(x string) bool { return strings.Trim(x, "0123456789") == "" }); summed && len(groups) > 0 {
		text += " GROUP BY " + strings.Join(groups, ", ") // a number would be the place of a column
	}
	return text
}

// join begins the query of an instruction, which has no rows where an axis that is summed over is empty.
func (q *sqlScript) join(i *plan.Instruction) *join {
	j := &join{}
	for _, d := range i.Over {
		j.where = append(j.where, q.size(d)+" > 0")
	}
	return j
}

// every adds the table of the numbers below n, and is its column.
func (q *sqlScript) every(j *join, n size.Size) string {
	alias := fmt.Sprintf("r%d", len(j.tables))
	j.tables = append(j.tables, q.below(n)+" AS "+alias)
	return alias + ".k"
}

// everywhere adds the tables of the numbers below the sizes of a shape, and is their columns.
func (q *sqlScript) everywhere(j *join, shape []size.Size) []string {
	idx := make([]string, len(shape))
	for k, d := range shape {
		idx[k] = q.every(j, d)
	}
	return idx
}

// value makes the table of an instruction.
func (q *sqlScript) value(at int) {
	i := &q.list[at]
	set := func(query string) { q.create("TEMP TABLE", q.temp(at), query) }
	if x := q.literal(at); x != "" {
		set("SELECT CAST(" + x + " AS DOUBLE PRECISION) AS v")
		return
	}
	switch i.Kind {
	case plan.DoScale:
		j := q.join(i)
		j.tables = []string{q.table(i.Args[0])}
		set(j.query(columns("", len(i.Shape)), q.times(i.Rat, i.Count)+" * v", false))
	case plan.DoProduct, plan.DoView:
		set(q.product(at))
	case plan.DoLoops, plan.DoGuarded:
		set(q.contraction(i))
	default:
		switch c := i.Node.Atom().Class; {
		case c == atom.ClassElementwise || c == atom.ClassSum:
			set(q.elementwise(at))
		case i.Node.Is(atom.Merge) || i.Node.Is(atom.Split):
			set(q.reshaped(i))
		default:
			q.alongAxes(at)
		}
	}
}

// columns are the index columns of a table with n axes, of that alias.
func columns(alias string, n int) []string {
	if alias != "" {
		alias += "."
	}
	cols := make([]string, n)
	for k := range cols {
		cols[k] = fmt.Sprintf("%si%d", alias, k)
	}
	return cols
}

// operand joins the table of operand k, and is its alias.
func (q *sqlScript) operand(j *join, k, at int) string {
	alias := fmt.Sprintf("a%d", k)
	j.tables = append(j.tables, q.table(at)+" AS "+alias)
	return alias
}

// product is a product summed over letters, or a view.
func (q *sqlScript) product(at int) string {
	i := &q.list[at]
	j, bound := q.join(i), map[int]string{}
	var factors []string
	summed := false
	for k, a := range i.Args {
		alias := q.operand(j, k, a)
		factors = append(factors, alias+".v")
		for axis, l := range i.In[k] {
			col := fmt.Sprintf("%s.i%d", alias, axis)
			if have, ok := bound[l]; ok {
				j.where = append(j.where, have+" = "+col)
			} else {
				bound[l] = col
			}
			summed = summed || !slices.Contains(i.Out, l)
		}
	}
	idx := make([]string, len(i.Out))
	for k, l := range i.Out {
		if bound[l] == "" {
			bound[l] = q.every(j, i.Dims[l])
		}
		idx[k] = bound[l]
	}
	if !slices.ContainsFunc(i.In, func(g []int) bool { return slices.Equal(g, i.Out) }) {
		q.within(j, at, idx)
	}
	return j.query(idx, strings.Join(factors, " * "), summed)
}

// contraction is one with affine indices and conditions. A variable is a column where an index is that variable alone, else a
// number below its size.
func (q *sqlScript) contraction(i *plan.Instruction) string {
	c := i.Contraction
	j, vars := q.join(i), make([]string, len(c.Vars))
	type equation struct {
		col  string
		form einsum.Affine
	}
	var equations []equation
	for k, acc := range c.In {
		alias := q.operand(j, k, i.Args[k])
		for axis, f := range acc.Index {
			col := fmt.Sprintf("%s.i%d", alias, axis)
			if v, alone := f.Var(); alone && vars[v] == "" {
				if vars[v] = col; acc.Shape[axis] != c.Vars[v] {
					j.where = append(j.where, col+" < "+q.size(c.Vars[v]))
				}
				continue
			}
			equations = append(equations, equation{col, f})
		}
	}
	for v, n := range c.Vars {
		if vars[v] == "" {
			vars[v] = q.every(j, n)
		}
	}
	for _, e := range equations {
		j.where = append(j.where, e.col+" = "+q.affine(e.form, vars))
	}
	for _, f := range c.Eq {
		j.where = append(j.where, q.affine(f, vars)+" = 0")
	}
	for _, f := range c.Ge {
		j.where = append(j.where, q.affine(f, vars)+" >= 0")
	}
	factors := []string{"1.0"}
	for _, k := range interleaved(i.Weak) {
		factors = append(factors, fmt.Sprintf("a%d.v", k))
	}
	idx := make([]string, len(c.Out.Index))
	for k, f := range c.Out.Index {
		idx[k] = q.affine(f, vars)
	}
	return j.query(idx, strings.Join(factors, " * "), true)
}

// elementwise is a function of the entries of operands of one shape.
func (q *sqlScript) elementwise(at int) string {
	i := &q.list[at]
	n := len(i.Shape)
	formula, zero := q.formula(i.Node, "x0", fmt.Sprintf("x%d", len(i.Args)-1))
	var rows []string
	row := func(j *join, idx []string, value int) string {
		cols := slices.Clone(idx)
		for k := range i.Args {
			x := "0.0"
			if k == value {
				x = "v"
			}
			cols = append(cols, fmt.Sprintf("%s AS x%d", x, k))
		}
		for k := range idx {
			cols[k] += fmt.Sprintf(" AS i%d", k)
		}
		text := "SELECT " + strings.Join(cols, ", ")
		if len(j.tables) > 0 {
			text += " FROM " + strings.Join(j.tables, ", ")
		}
		return text
	}
	for k, a := range i.Args {
		rows = append(rows, row(&join{tables: []string{q.table(a)}}, columns("", n), k))
	}
	if m := q.mask[at]; !zero && m >= 0 {
		rows = append(rows, row(&join{tables: []string{q.table(m)}}, columns("", n), -1))
	} else if !zero {
		j := &join{}
		rows = append(rows, row(j, q.everywhere(j, i.Shape), -1))
	}
	sums := columns("", n)
	for k := range i.Args {
		sums = append(sums, fmt.Sprintf("COALESCE(SUM(x%[1]d), 0.0) AS x%[1]d", k))
	}
	inner := "SELECT " + strings.Join(sums, ", ") + " FROM (" + strings.Join(rows, " UNION ALL ") + ") AS u"
	if n > 0 {
		inner += " GROUP BY " + strings.Join(columns("", n), ", ")
	}
	return "SELECT " + strings.Join(append(columns("", n), formula+" AS v"), ", ") + " FROM (" + inner + ") AS w"
}

// formula is an element-wise function of x and y, and whether it is 0 where these are 0.
func (q *sqlScript) formula(n *combinators.Node, x, y string) (text string, zero bool) {
	at := n.Atom()
	switch {
	case at == atom.Add:
		return x + " + " + y, true
	case at == atom.Power:
		r := n.Rat()
		text, zero = "POWER("+x+", "+rational(r)+")", r.Sign() > 0
		switch r.RatString() {
		case "2":
			text = x + " * " + x
		case "-1":
			text = "1.0 / " + x
		case "1/2":
			text = "SQRT(" + x + ")"
		}
	default:
		s := functions[at]
		if s.sql == "" {
			q.failure = q.refuse("the function "+at.Spoken(), "SQL has no function for it")
			return "", false
		}
		text = fill(s.sql, "", x, y)
		zero = at.F1 != nil && at.F1(0) == 0 || at.F2 != nil && at.F2(0, 0) == 0
	}
	if n.Guard() == combinators.GuardZero {
		return fmt.Sprintf("CASE WHEN %s = 0 THEN 0.0 ELSE %s END", x, text), true
	}
	return text, zero
}

// reshaped has the entries of its operand in their order, row by row.
func (q *sqlScript) reshaped(i *plan.Instruction) string {
	from := q.list[i.Args[0]].Shape
	flat := "0"
	for k, d := range from {
		flat = fmt.Sprintf("(%s) * %s + i%d", flat, q.factor(d), k)
	}
	idx := make([]string, len(i.Shape))
	stride := size.Const(1)
	for k, d := range slices.Backward(i.Shape) {
		idx[k] = fmt.Sprintf("CAST((p - p %% (%[1]s)) / (%[1]s) AS BIGINT) %% (%[2]s)", q.size(stride), q.size(d))
		stride = stride.Mul(d)
	}
	inner := fmt.Sprintf("(SELECT %s AS p, v FROM %s) AS u", flat, q.table(i.Args[0]))
	return (&join{tables: []string{inner}}).query(idx, "v", false)
}

// alongAxes is a function along the last axes.
func (q *sqlScript) alongAxes(at int) {
	i := &q.list[at]
	row := i.Node.Atom()
	x := i.Node.Arg(0).Shape()
	set := func(name, query string) { q.create("TEMP TABLE", name, query) }
	if row == atom.Norm2 {
		set(q.temp(at), fmt.Sprintf("SELECT COALESCE(MAX(m.m) * SQRT(SUM((v / m.m) * (v / m.m))), 0.0) AS v FROM %[1]s, (SELECT MAX(ABS(v)) AS m FROM %[1]s) AS m WHERE m.m > 0", q.table(i.Args[0])))
		return
	}
	if !slices.Contains([]*atom.Row{atom.AMax, atom.AMin, atom.LogSumExp, atom.Softmax}, row) {
		q.failure = q.refuse("the operation "+row.Spoken(), "matrices are factorised outside of SQL")
		return
	}
	lead := len(x) - i.Node.Attr()
	// a row for each entry: the least and the largest may be a 0 that has none
	all, best := q.temp(at)+"_all", q.temp(at)+"_max"
	j := &join{}
	dense := j.query(q.everywhere(j, x), "0.0", false)
	set(all, fmt.Sprintf("SELECT %s, SUM(v) AS v FROM (%s UNION ALL SELECT * FROM %s) AS u GROUP BY %[1]s", strings.Join(columns("", len(x)), ", "), dense, q.table(i.Args[0])))
	grouped := func(from, f string) string {
		text := "SELECT " + strings.Join(append(columns("a", lead), f+" AS v"), ", ") + " FROM " + from
		if lead > 0 {
			text += " GROUP BY " + strings.Join(columns("a", lead), ", ")
		}
		return text
	}
	if row == atom.AMax || row == atom.AMin {
		set(q.temp(at), grouped(all+" AS a", map[*atom.Row]string{atom.AMax: "MAX", atom.AMin: "MIN"}[row]+"(a.v)"))
		return
	}
	set(best, grouped(all+" AS a", "MAX(a.v)"))
	on := func(b string) string {
		var same []string
		for k := range lead {
			same = append(same, fmt.Sprintf("a.i%[1]d = %[2]s.i%[1]d", k, b))
		}
		return strings.Join(append(same, "1 = 1"), " AND ")
	}
	sum := fmt.Sprintf("%s AS a JOIN %s AS m ON %s", all, best, on("m"))
	if row == atom.LogSumExp {
		set(q.temp(at), grouped(sum, "MAX(m.v) + LN(SUM(EXP(a.v - m.v)))"))
		return
	}
	total := q.temp(at) + "_sum"
	set(total, grouped(sum, "SUM(EXP(a.v - m.v))"))
	set(q.temp(at), fmt.Sprintf("SELECT %s, EXP(a.v - m.v) / s.v AS v FROM %s JOIN %s AS s ON %s", strings.Join(columns("a", len(x)), ", "), sum, total, on("s")))
}
