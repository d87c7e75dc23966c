package unparse

import (
	"frechet/combinators"
	"frechet/combinators/atom"
	"frechet/einsum"
	"frechet/einsum/size"
)

// Graph is a directed acyclic graph of nodes as data, for `--format json`. Arguments
// are numbers of earlier nodes.
type Graph struct {
	Nodes   []GraphNode   `json:"nodes"`
	Outputs []GraphOutput `json:"outputs"`
}

// GraphOutput names the node of an output.
type GraphOutput struct {
	Name string `json:"name,omitempty"`
	Node int    `json:"node"`
}

// GraphNode is one node. Shape has a number or the text of a size for each axis. A
// contraction has its iteration variables with their sizes, and the index maps of its
// operands and of its output: one affine form an axis.
type GraphNode struct {
	ID    int    `json:"id"`
	Op    string `json:"op"`
	Shape []any  `json:"shape"`
	Args  []int  `json:"args,omitempty"`

	Name  string `json:"name,omitempty"`  // var
	Value string `json:"value,omitempty"` // const: a rational, p/q; power: the exponent
	Attr  *int   `json:"attr,omitempty"`  // k of minor and prod, reduced axes, the axis of merge and split
	Guard string `json:"guard,omitempty"` // weak, zero

	Vars map[string]any `json:"vars,omitempty"`
	In   [][]string     `json:"in,omitempty"`
	Out  []string       `json:"out,omitempty"`
	Eq   []string       `json:"eq,omitempty"` // each form is 0,
	Ge   []string       `json:"ge,omitempty"` // or at least 0
}

// JSON gives the graph below nodes, which have the names given (or none).
func JSON(nodes []*combinators.Node, names []string) *Graph {
	g := &Graph{Nodes: []GraphNode{}, Outputs: []GraphOutput{}}
	number := map[*combinators.Node]int{}
	for _, n := range combinators.Topo(nodes...) {
		v := GraphNode{ID: len(g.Nodes), Op: n.Atom().Name, Shape: sizesJSON(n.Shape()), Name: n.Name()}
		number[n] = v.ID
		for _, a := range n.Args() {
			v.Args = append(v.Args, number[a])
		}
		if r := n.Rat(); r != nil {
			v.Value = r.RatString()
		}
		if at := n.Atom(); at.Attr || at == atom.Split {
			k := n.Attr()
			v.Attr = &k
		}
		switch n.Guard() {
		case combinators.GuardWeak:
			v.Guard = "weak"
		case combinators.GuardZero:
			v.Guard = "zero"
		}
		if c := n.Ein(); c != nil {
			v.contraction(c)
		}
		g.Nodes = append(g.Nodes, v)
	}
	for i, n := range nodes {
		o := GraphOutput{Node: number[n]}
		if i < len(names) {
			o.Name = names[i]
		}
		g.Outputs = append(g.Outputs, o)
	}
	return g
}

func (v *GraphNode) contraction(c *einsum.Contraction) {
	v.Vars = map[string]any{}
	names := c.Names()
	for k, d := range c.Vars {
		v.Vars[names[k]] = sizeJSON(d)
	}
	forms := func(as []einsum.Affine) []string {
		out := make([]string, len(as))
		for i, a := range as {
			out[i] = affine(a, names)
		}
		return out
	}
	for _, acc := range c.In {
		v.In = append(v.In, forms(acc.Index))
	}
	v.Out = forms(c.Out.Index)
	if len(c.Eq) > 0 {
		v.Eq = forms(c.Eq)
	}
	if len(c.Ge) > 0 {
		v.Ge = forms(c.Ge)
	}
}

// affine writes an index form: 2*i - j + n - 1.
func affine(a einsum.Affine, names []string) string {
	d := a.Off
	for _, t := range a.Terms {
		d = d.Add(size.Const(t.Coef).Mul(size.Sym(names[t.Var])))
	}
	return d.String()
}

func sizesJSON(ds []size.Size) []any {
	out := make([]any, len(ds))
	for i, d := range ds {
		out[i] = sizeJSON(d)
	}
	return out
}

func sizeJSON(d size.Size) any {
	if n, ok := d.Int(); ok {
		return n
	}
	return d.String()
}
