package order

import (
	"encoding/binary"
	"slices"

	"frechet/internal/lists"
)

// form is what part of a product computes, whatever its variables are called and in whichever
// order its operands and the axes of its result stand: equal keys are equal values. Different
// keys prove nothing.
type form struct {
	key  string
	ops  []int // the operands in the key's order
	open []int // the variables of the result in the key's order
}

// maxForm is the number of operands beyond which a part has no key.
const maxForm = maxOperands

func (j *joint) canon(p *prod, part []int, open []int) (f form, ok bool) {
	if len(part) > maxForm {
		return form{}, false
	}
	f.ops = slices.Clone(part)
	slices.SortStableFunc(f.ops, func(a, b int) int { return p.ops[a].value - p.ops[b].value })
	for i := range f.ops[:max(0, len(f.ops)-1)] {
		if p.ops[f.ops[i]].value == p.ops[f.ops[i+1]].value {
			j.refine(p, f.ops, open)
			break
		}
	}
	number := make([]int, len(p.dim)) // from 1
	next := 0
	key := binary.AppendUvarint(make([]byte, 0, 64), uint64(len(f.ops)))
	for _, k := range f.ops {
		o := p.ops[k]
		key = binary.AppendUvarint(key, uint64(o.value))
		for _, l := range o.letters {
			if number[l] == 0 {
				next++
				number[l] = next
				if slices.Contains(open, l) {
					f.open = append(f.open, l)
					key = append(key, 0)
				}
			}
			key = binary.AppendUvarint(key, uint64(number[l]))
		}
	}
	f.key = string(key)
	return f, true
}

// serialKey is a key that no part has: that of no operands.
func serialKey(n int) []byte { return binary.AppendUvarint([]byte{0}, uint64(n)) }

// refine sorts operands by what can be told apart: colours of operands follow from those of
// their variables and the other way round, until no more differ. Where operands are alike, the
// first is made different from the others.
func (j *joint) refine(p *prod, ops []int, open []int) {
	colour := make([]uint64, len(p.dim))
	for _, l := range open {
		colour[l] = 1
	}
	salt, hash := make([]uint64, len(ops)), make([]uint64, len(ops))
	next := make([]uint64, len(p.dim))
	sorted := make([]uint64, len(ops))
	different := func() int {
		copy(sorted, hash)
		slices.Sort(sorted)
		n := 1
		for i := range sorted[1:] {
			if sorted[i] != sorted[i+1] {
				n++
			}
		}
		return n
	}
	for marked := 1; ; marked++ {
		before := 0
		for stable := 0; stable < 2; {
			for i, k := range ops {
				o := p.ops[k]
				h := mix(uint64(o.value)<<8 ^ salt[i])
				for a, l := range o.letters {
					h = mix(h ^ colour[l] + uint64(slices.Index(o.letters, l)-a))
				}
				hash[i] = h
			}
			copy(next, colour)
			for i, k := range ops {
				for a, l := range p.ops[k].letters {
					next[l] += mix(hash[i] + uint64(a))
				}
			}
			for l := range colour {
				colour[l] = mix(next[l])
			}
			if n := different(); n > before {
				before, stable = n, 0
			} else {
				stable++
			}
		}
		if before == len(ops) {
			break
		}
		for i := range sorted[1:] {
			if sorted[i] == sorted[i+1] {
				salt[slices.Index(hash, sorted[i])] = uint64(marked)
				break
			}
		}
	}
	at := upTo(len(ops))
	slices.SortFunc(at, func(a, b int) int {
		if d := p.ops[ops[a]].value - p.ops[ops[b]].value; d != 0 {
			return d
		}
		if hash[a] < hash[b] {
			return -1
		}
		return 1
	})
	copy(ops, pick(slices.Clone(ops), at))
}

// mix is a bijection of numbers that looks random.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func upTo(n int) []int {
	return lists.Make(n, func(i int) int { return i })
}

// firsts has every variable once, where it first stands.
func firsts(g []int) []int {
	var out []int
	for _, v := range g {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
