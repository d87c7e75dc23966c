package order

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// matrixChain is the textbook's dynamic program for a product of matrices, the first with sizes
// size[0] and size[1].
func matrixChain(size []int) float64 {
	n := len(size) - 1
	best := make([][]float64, n)
	for i := range best {
		best[i] = make([]float64, n+1)
	}
	for length := 2; length <= n; length++ {
		for i := 0; i+length <= n; i++ {
			j := i + length
			best[i][j] = math.Inf(1)
			for k := i + 1; k < j; k++ {
				best[i][j] = min(best[i][j], best[i][k]+best[k][j]+float64(size[i]*size[k]*size[j]))
			}
		}
	}
	return best[0][n]
}

// Chains of any length take no more multiplications than the best bracketing.
func TestLongChains(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		k := 2 + r.IntN([]int{60, 60, 60, 400}[r.IntN(4)])
		n := Network{Size: make([]int, k+1), Out: []int{0, k}}
		for v := range n.Size {
			n.Size[v] = 2 + r.IntN([]int{3, 30, 300}[r.IntN(3)])
		}
		for i := range k {
			n.In = append(n.In, []int{i, i + 1})
		}
		want := matrixChain(n.Size)
		r.Shuffle(k, func(i, j int) { n.In[i], n.In[j] = n.In[j], n.In[i] })
		o := Find(n)
		require.LessOrEqual(t, o.Mults, want, "%d matrices", k)
	}
}

// chainOf draws a chain of matrices with vectors on its diagonals, the result having its ends or not.
func chainOf(r *rand.Rand, n *Network, operands int) {
	axis := func() int {
		n.Size = append(n.Size, []int{1, 2, 3, 10, 50}[r.IntN(5)])
		return len(n.Size) - 1
	}
	at := -1
	end := func() {
		if at = axis(); r.IntN(2) == 0 {
			n.Out = append(n.Out, at)
		}
	}
	end()
	for i := range operands {
		switch {
		case i < operands-1 && r.IntN(2) == 0:
			n.In = append(n.In, []int{at})
		case i < operands-1:
			b := axis()
			n.In = append(n.In, []int{at, b})
			at = b
		default:
			b := at
			end()
			n.In = append(n.In, []int{at, b})
		}
	}
	for range r.IntN(3) {
		n.In = append(n.In, []int{at})
	}
}

// Chains with vectors on their diagonals are recognised in any order of operands, and their orders
// are those of the search over all.
func TestChainsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	chains := 0
	for range 20000 {
		var n Network
		chainOf(r, &n, 2+r.IntN(6))
		if r.IntN(3) == 0 {
			chainOf(r, &n, 1+r.IntN(2))
		}
		if len(n.In) > 10 {
			continue
		}
		r.Shuffle(len(n.In), func(i, j int) { n.In[i], n.In[j] = n.In[j], n.In[i] })
		pairs, found := n.matrices()
		if !found {
			continue
		}
		g, ok := newGraph(n)
		require.True(t, ok)
		e, ok := g.exact(g.ops, g.keep, cost{math.Inf(1), math.Inf(1)})
		require.True(t, ok)
		o := n.order(pairs, true)
		chains++
		require.InEpsilon(t, max(e.cost.mults, 1), max(o.Mults, 1), 1e-12, "%v", n)
		require.InEpsilon(t, max(e.cost.entries, 1), max(o.Entries, 1), 1e-12, "%v", n)
	}
	require.Greater(t, chains, 5000)
}

// Products of sizes that are too large for a number, some of them zero, have an order and a
// cost that is one.
func TestLargeSizes(t *testing.T) {
	for _, k := range []int{3, 8, 20} {
		for _, zero := range []int{-1, 0, 1} {
			n := Network{}
			p := Product{Needed: true}
			for i := range k {
				var g []int
				for range 9 { // a class of variables, larger together than any number
					g = append(g, len(n.Size))
					n.Size = append(n.Size, 1<<53)
				}
				n.In = append(n.In, append(g, max(0, g[0]-9)))
				n.Out = append(n.Out, g...)
				p.Args = append(p.Args, i)
			}
			if zero >= 0 {
				n.Size[zero] = 0
			}
			o := Find(n)
			require.Len(t, o.Pairs, k-1)
			require.False(t, math.IsNaN(o.Mults) || math.IsNaN(o.Entries))
			p.In, p.Out, p.Dim = n.In, n.Out, upTo(len(n.Size))
			s := Share(Program{Tensors: k, Size: n.Size, Products: []Product{p}})
			require.False(t, math.IsNaN(s.Mults) || math.IsNaN(s.Entries))
		}
	}
}

// Networks with more variables than a set has room for have an order in little time, which costs at
// most twice what the search finds where there is room: matrix products along a batch, as in a net of
// many layers, trees, and operands that all have one variable in common.
func TestLong(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	net := func(layers int) (n Network) { // W1[0,1] h1[1,b] W2[1,2] h2[2,b] ...
		size := func() int { return []int{1, 2, 10, 30}[r.IntN(4)] }
		n.Size = []int{size(), 3}
		for i := range layers {
			n.Size = append(n.Size, size())
			last := len(n.Size) - 1
			before := last - 1
			if i == 0 {
				before = 0
			}
			n.In = append(n.In, []int{before, last}, []int{last, 1})
		}
		n.Out = []int{0, 1, len(n.Size) - 1}
		return n
	}
	for range 15 {
		n := net(2 + r.IntN(25))
		o := n.long()
		valid(t, n, o)
		require.LessOrEqual(t, o.Mults, 2*Find(n).Mults)
	}
	for _, kind := range []string{"random", "tree", "grid", "states"} {
		for range 2 {
			n := large(r, kind, 10+r.IntN(30))
			o := n.long()
			valid(t, n, o)
			t.Logf("%-7s %d: %.3f of the search", kind, len(n.In), o.Mults/Find(n).Mults)
		}
	}
	for range 1000 {
		n := random(r, 2+r.IntN(40))
		valid(t, n, n.long())
	}
	for _, n := range []Network{net(300), net(3000), large(r, "tree", 2000), large(r, "random", 500)} {
		o := Find(n)
		used := map[int]bool{}
		for i, q := range o.Pairs {
			require.True(t, !used[q.A] && !used[q.B] && q.A < len(n.In)+i && q.B < len(n.In)+i)
			used[q.A], used[q.B] = true, true
		}
		require.Len(t, used, 2*len(n.In)-2)
		p := Product{Args: upTo(len(n.In)), In: n.In, Out: n.Out, Dim: upTo(len(n.Size)), Needed: true}
		require.InEpsilon(t, o.Mults, Share(Program{Tensors: len(n.In), Size: n.Size, Products: []Product{p}}).Mults, 0.5)
	}
}
