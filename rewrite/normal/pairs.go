package normal

import (
	"cmp"
	"slices"
)

// pairs are the factorings of pairs of terms of a sum: each is looked for once, whatever becomes of the other
// terms. Where several gain as much, the first by the fingerprints of the terms is taken; fingerprints are not looked at before.
type pairs struct {
	z       *Simplifier
	table   []*factoring // by the places of two terms; nil where none was looked for
	places  int          // that are taken
	most    int          // and may be
	ranked  bool         // the terms are in the order of their fingerprints
	several bool         // there were more than two: of two, the order is that in which they were built
}

// noFactoring says that two terms have none.
var noFactoring = &factoring{}

// pairsOf are those of terms, and of terms that are made of them.
func (z *Simplifier) pairsOf(terms []term, ranked bool) pairs {
	p := pairs{z: z, most: 2*len(terms) - 1, several: len(terms) > 2}
	if p.several {
		p.table = z.tables.take(p.most * p.most)[:p.most*p.most]
		p.start(terms, ranked)
	}
	return p
}

// start gives the terms places, in the order of their fingerprints or in that in which they stand.
func (p *pairs) start(terms []term, ranked bool) {
	if p.ranked = ranked; ranked {
		slices.SortStableFunc(terms, p.z.byFingerprint)
	}
	clear(p.table)
	for i := range terms {
		terms[i].place = i
	}
	p.places = len(terms)
}

func (z *Simplifier) byFingerprint(a, b term) int {
	return cmp.Compare(z.fingerprint(a.core), z.fingerprint(b.core))
}

// best is the factoring that gains most, of the terms i and j; nil where there is none.
func (p *pairs) best(terms []term) (best *factoring, i, j int) {
	if !p.several {
		return p.z.factorPair(terms[0], terms[1]), 0, 1
	}
	tied := false
	for k, a := range terms {
		for l := k + 1; l < len(terms); l++ {
			f := p.of(a, terms[l])
			switch {
			case f == noFactoring:
			case best == nil || f.gain > best.gain:
				best, i, j, tied = f, k, l, f.tied
			case f.gain == best.gain:
				tied = true
			}
		}
	}
	if tied && !p.ranked {
		p.start(terms, true)
		return p.best(terms)
	}
	return best, i, j
}

// of is the factoring of a and b, which stand in this order.
func (p *pairs) of(a, b term) *factoring {
	f := &p.table[a.place*p.most+b.place]
	if *f == nil {
		if *f = p.z.factorPair(a, b); *f == nil {
			*f = noFactoring
		}
	}
	return *f
}

// add appends u, which was made of two others.
func (p *pairs) add(terms []term, u term) []term {
	u.place = p.places
	p.places++
	terms = append(terms, u)
	if p.ranked {
		slices.SortStableFunc(terms, p.z.byFingerprint)
	}
	return terms
}
