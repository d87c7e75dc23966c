package plan

import (
	"math"
	"math/big"
	"slices"

	"frechet/combinators"
	"frechet/einsum"
	"frechet/einsum/size"
)

// An InstructionKind says what an instruction does.
type InstructionKind uint8

const (
	DoApply   InstructionKind = iota // the operation of Node, which is no contraction, on Args
	DoProduct                        // the product of Args, at most two, summed over the letters that are not in Out
	DoScale                          // Args[0] times Rat and Count
	DoNumber                         // the number Rat times Count
	DoView                           // the axes of Args[0] permuted and repeated; a letter twice in Out is a diagonal, 0 beside it
	DoLoops                          // Contraction of Args, where infinities of the weak ones lose against zeros
	DoGuarded                        // the same, where the last of Args is the plain product
)

// An Instruction computes one value from others. It is what programs for other systems are printed from:
// sizes are symbols, and contractions stand in the order in which Make would multiply them out.
type Instruction struct {
	Kind        InstructionKind
	Node        *combinators.Node   // DoApply
	Args        []int               // numbers of instructions
	Shape       []size.Size         // of the value
	In          [][]int             // DoProduct, DoView: a letter for each axis of each of Args
	Out         []int               // and for each axis of the value
	Dims        []size.Size         // by letter
	Rat         *big.Rat            // DoScale, DoNumber
	Count       size.Size           // DoScale, DoNumber
	Contraction *einsum.Contraction // DoLoops, DoGuarded
	Weak        []bool              // DoLoops, DoGuarded: by operand of Contraction
	// Over has sizes of axes that are summed over: where one is 0 the value is 0, whatever is multiplied. It is not nil
	// only for an instruction that completes a product which others begin.
	Over []size.Size
}

// Instructions lists what is computed for nodes, each after what it reads, and the places of nodes in the list. sizes
// has the numbers of size symbols as far as they are known, by which orders are chosen; the instructions hold for all.
func Instructions(nodes []*combinators.Node, sizes map[string]int64) (list []Instruction, outputs []int, err error) {
	same := func(c *einsum.Contraction) (*einsum.Contraction, error) { return c, nil }
	assume := outliner{sizes: assumed(sizes, Unknown, math.MaxInt64)}
	s, err := listingOf(nodes, same, assume.number, true)
	if err != nil {
		return nil, nil, err
	}
	at := make([]int, len(s.all)+len(s.entries))
	for _, v := range s.items {
		i := s.instruction(v)
		for k, a := range i.Args {
			i.Args[k] = at[a]
		}
		at[v] = len(list)
		list = append(list, i)
	}
	for place, f := range s.forms {
		i := &list[at[s.result[place]]]
		if f.c == nil || s.uses[s.result[place]] == 0 || i.Kind == DoApply {
			continue
		}
		if _, out, plain := f.c.IsPlain(); plain {
			for l, d := range f.c.Vars {
				if _, known := d.Int(); !known && !slices.Contains(out, l) && !slices.Contains(i.Over, d) {
					i.Over = append(i.Over, d)
				}
			}
		}
	}
	for _, n := range nodes {
		outputs = append(outputs, at[s.valueOf(n)])
	}
	return list, outputs, nil
}

// instruction is a value of the listing; its arguments are values.
func (s *listing) instruction(v int) Instruction {
	e := s.entryOf(v)
	i := Instruction{Args: slices.Clone(s.reads(v))}
	if e == nil {
		i.Node = s.all[v]
		i.Shape = i.Node.Shape()
		return i
	}
	i.In, i.Out, i.Dims, i.Rat, i.Count = e.in, e.out, e.dims, e.rat, e.count
	i.Shape = e.shape(e.out)
	switch e.kind {
	case entryProduct:
		i.Kind = DoProduct
	case entryScale:
		i.Kind = DoScale
	case entryNumber:
		i.Kind = DoNumber
	case entryView:
		i.Kind = DoView
	case entryForm, entryGuard:
		f := s.forms[e.place]
		if i.Kind = DoLoops; e.kind == entryGuard {
			i.Kind = DoGuarded
		}
		i.Contraction, i.Shape, i.Weak = f.c, s.all[e.place].Shape(), make([]bool, len(f.args))
		for k, a := range f.args {
			i.Weak[k] = s.isWeak(a)
		}
	}
	return i
}
