package plan

import (
	"fmt"
	"strings"

	"frechet/internal/words"
)

// String lists the steps of a program, one a line, with the memory that each writes.
func (p *Program) String() string {
	var b strings.Builder
	for i, s := range p.Steps {
		fmt.Fprintf(&b, "%3d  ", i)
		if s.Group != nil {
			s.Group.print(&b)
		} else {
			fmt.Fprintf(&b, "%s <- %s", s.Out, s.V.describe(s.Args))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s, %.3g operations, %d bytes\n", words.Steps(len(p.Steps)), p.Flops, p.Bytes)
	return b.String()
}

func (s Slot) String() string {
	switch s.Kind {
	case SlotInput:
		return fmt.Sprintf("input%d[%d]", s.Offset, s.N)
	case SlotOutput:
		return fmt.Sprintf("result%d[%d]", s.Offset, s.N)
	case SlotConst:
		return fmt.Sprint(s.Const)
	}
	return fmt.Sprintf("mem%d[%d]", s.Offset, s.N)
}

func (v *Value) describe(args []Slot) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.String()
	}
	list := strings.Join(names, ", ")
	if v.Scale != 1 && (v.Kind == KindGemm || v.Kind == KindNest || v.Kind == KindTile) {
		list += fmt.Sprintf(", times %g", v.Scale)
	}
	switch v.Kind {
	case KindGemm:
		g := v.Gemm
		name := "gemm"
		switch {
		case g.Vector:
			name = "gemv"
		case g.Symmetric:
			name = "syrk"
		}
		s := fmt.Sprintf("%s %dx%dx%d", name, g.M, g.N, g.K)
		if len(g.Batch) > 0 {
			s += fmt.Sprintf(" batch %v", g.Batch)
		}
		return s + " of " + list
	case KindNest:
		if v.Onto {
			names[len(names)-1] = "onto " + names[len(names)-1]
			list = strings.Join(names, ", ")
		}
		return fmt.Sprintf("loops %v of %s", v.Nest.Size, list)
	case KindTile:
		t := v.Tile
		return fmt.Sprintf("windows %vx%vx%v of %s", t.M, t.N, t.K, list)
	case KindFix:
		return "guards of " + list
	case KindScan:
		name := "prefix sums"
		if v.Scan.Suffix {
			name = "suffix sums"
		}
		return fmt.Sprintf("%s of %s of %s", name, words.Count(v.Scan.Rows, "row"), list)
	case KindIndexed:
		return fmt.Sprintf("loops %v of %s, by %s", v.Indexed.Size, strings.Join(names[:len(v.Indexed.In)], ", "), words.Count(len(v.Indexed.Find), "array"))
	case KindReduce:
		var b strings.Builder
		v.Reduce.Group.print(&b)
		return "sum of " + b.String()
	}
	return v.Atom.Name + " of " + list
}

func (g *Group) print(b *strings.Builder) {
	fmt.Fprintf(b, "element-wise [%d]:", g.N)
	for i, op := range g.Ops {
		fmt.Fprintf(b, " %%%d = %s", i, op.V.operation())
		for _, a := range op.Args {
			if a.Load {
				fmt.Fprintf(b, " %s", g.Loads[a.Index].Slot)
			} else {
				fmt.Fprintf(b, " %%%d", a.Index)
			}
		}
		if op.Store {
			fmt.Fprintf(b, " -> %s", op.Slot)
		}
		b.WriteByte(';')
	}
}

func (v *Value) operation() string {
	switch v.Code {
	case CodeMul:
		name := "mul"
		if v.Divides != nil {
			name = "div"
		}
		if v.Scale != 1 {
			return fmt.Sprintf("%s %g", name, v.Scale)
		}
		return name
	case CodeAdd:
		return "add"
	case CodePower:
		return fmt.Sprintf("power %g", v.Scale)
	}
	return v.Atom.Name
}
