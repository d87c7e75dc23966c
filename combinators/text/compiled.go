package text

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the compiled files
	varint "encoding/binary"
	"math/big"
	"sync"
)

// The rule files of the program are parsed when the program is built: a process that differentiates one formula would spend most of its time on
// that. What [ParseRules] makes of them is compiled.bin, found by the SHA-256 sum of a file's text; other files are parsed.

//go:embed compiled.bin
var compiledFiles []byte

// CompileRuleFiles writes rule files as [ParseRules] finds them. They declare no primitives.
func CompileRuleFiles(texts ...string) ([]byte, error) {
	var out []byte
	for _, src := range texts {
		f, err := parseRules(src)
		if err != nil {
			return nil, err
		}
		c := coder{}
		c.file(f)
		sum := sha256.Sum256([]byte(src))
		out = append(out, sum[:]...)
		out = varint.AppendUvarint(out, uint64(len(c.bytes)))
		out = append(out, c.bytes...)
	}
	return out, nil
}

// compiledBySum are the compiled files.
var compiledBySum = sync.OnceValue(func() map[[sha256.Size]byte][]byte {
	files := map[[sha256.Size]byte][]byte{}
	for rest := compiledFiles; len(rest) > sha256.Size; {
		sum := [sha256.Size]byte(rest)
		n, width := varint.Uvarint(rest[sha256.Size:])
		begin := sha256.Size + width
		files[sum] = rest[begin : begin+int(n)]
		rest = rest[begin+int(n):]
	}
	return files
})

// compiled is the file that src is, nil where it is not one of the program's.
func compiled(src string) *File {
	b := compiledBySum()[sha256.Sum256([]byte(src))]
	if b == nil {
		return nil
	}
	f := &File{}
	c := coder{bytes: b, reads: true}
	c.file(f)
	return f
}

// coder writes a file, or reads one that it wrote: each function says of one type both how it is written and how it is read.
type coder struct {
	bytes []byte
	reads bool
	words []string // each is written once
	known map[string]int
}

func (c *coder) number(n *int) {
	if !c.reads {
		c.bytes = varint.AppendVarint(c.bytes, int64(*n))
		return
	}
	v, width := varint.Varint(c.bytes)
	*n, c.bytes = int(v), c.bytes[width:]
}

func (c *coder) truth(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	c.number(&n)
	*b = n == 1
}

func (c *coder) word(s *string) {
	k, ok := c.known[*s]
	if !ok {
		k = len(c.words)
	}
	c.number(&k)
	switch {
	case k < len(c.words):
		*s = c.words[k]
		return
	case c.reads:
		end := bytes.IndexByte(c.bytes, 0)
		*s, c.bytes = string(c.bytes[:end]), c.bytes[end+1:]
	default:
		if c.known == nil {
			c.known = map[string]int{}
		}
		c.known[*s] = k
		c.bytes = append(append(c.bytes, *s...), 0)
	}
	c.words = append(c.words, *s)
}

// list is nil or has entries.
func list[T any](c *coder, xs *[]T, each func(*T)) {
	n := -1
	if *xs != nil {
		n = len(*xs)
	}
	if c.number(&n); c.reads && n >= 0 {
		*xs = make([]T, n)
	}
	for i := range *xs {
		each(&(*xs)[i])
	}
}

// pointer is nil or points to a value.
func pointer[T any](c *coder, p **T, value func(*T)) {
	there := *p != nil
	if c.truth(&there); !there {
		return
	}
	if c.reads {
		*p = new(T)
	}
	value(*p)
}

func (c *coder) file(f *File) {
	list(c, &f.Rules, func(r **Rule) { pointer(c, r, c.rule) })
	list(c, &f.Natives, func(p **Native) {
		pointer(c, p, func(n *Native) {
			for _, s := range []*string{&n.Name, &n.Source, &n.Doc, &n.Step, &n.Law} {
				c.word(s)
			}
			c.pos(&n.Pos)
		})
	})
}

func (c *coder) rule(r *Rule) {
	for _, s := range []*string{&r.Name, &r.Source, &r.Doc, &r.Domain} {
		c.word(s)
	}
	list(c, &r.Vars, func(v *Var) {
		c.word(&v.Name)
		pointer(c, &v.Type, c.typ)
		c.rat(&v.Default)
		c.pos(&v.Pos)
	})
	c.term(&r.Left)
	c.term(&r.Right)
	list(c, &r.When, func(w *Cond) {
		c.truth(&w.Not)
		c.word(&w.Rel)
		c.terms(&w.Args)
		c.pos(&w.Pos)
	})
	c.truth(&r.Lemma)
	c.truth(&r.Both)
	c.pos(&r.Pos)
}

func (c *coder) pos(p *Pos) {
	c.number(&p.Line)
	c.number(&p.Column)
}

func (c *coder) rat(r **big.Rat) {
	text := ""
	if *r != nil {
		text = (*r).String()
	}
	if c.word(&text); c.reads && text != "" {
		*r, _ = new(big.Rat).SetString(text)
	}
}

func (c *coder) terms(ts *[]*Term) { list(c, ts, c.term) }

func (c *coder) term(p **Term) {
	pointer(c, p, func(t *Term) {
		op := int(t.Op)
		c.number(&op)
		t.Op = Op(op)
		c.word(&t.Name)
		c.rat(&t.Rat)
		c.terms(&t.Attrs)
		pointer(c, &t.Index, c.index)
		list(c, &t.Names, c.word)
		c.terms(&t.Args)
		pointer(c, &t.Type, c.typ)
		c.pos(&t.Pos)
	})
}

func (c *coder) index(x *Index) {
	list(c, &x.In, c.axes)
	c.axes(&x.Out)
	list(c, &x.Sizes, func(s *Size) {
		c.word(&s.Letter)
		c.term(&s.Size)
	})
	list(c, &x.Conds, func(d *Condition) {
		c.term(&d.Form)
		c.truth(&d.Zero)
	})
}

func (c *coder) axes(a *Axes) {
	c.truth(&a.Batch)
	list(c, &a.Letters, c.word)
	c.truth(&a.Rest)
	list(c, &a.Forms, func(f *Form) {
		c.term(&f.Index)
		c.term(&f.Size)
	})
}

func (c *coder) typ(t *Type) {
	arrow := int(t.Arrow)
	c.number(&arrow)
	t.Arrow = Arrow(arrow)
	pointer(c, &t.Dom, c.space)
	pointer(c, &t.Cod, c.space)
}

func (c *coder) space(s *Space) {
	c.word(&s.Name)
	c.terms(&s.Dims)
	c.truth(&s.Bracket)
	list(c, &s.Factors, func(f **Space) { pointer(c, f, c.space) })
}
