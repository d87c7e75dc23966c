package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"frechet"
	"frechet/internal/corpus"
	"frechet/internal/programs"
	"frechet/rewrite/proof"
	"frechet/rewrite/proof/coq"
	certificate "frechet/rewrite/proof/json"
	"frechet/rewrite/verify"
)

// A program is a text with the variables by which it is differentiated.
type program struct {
	name, text string
	options    []frechet.Option
	wrt        []string
	altered    bool
}

// goldens are the derivations of testdata/steps and of the corpora, each program once.
func goldens(root string) (all []program, err error) {
	files, err := filepath.Glob(filepath.Join(root, "testdata/steps/*.txtar"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, program{name: "steps/" + strings.TrimSuffix(filepath.Base(file), ".txtar"), text: string(ar.Files[0].Data)})
	}
	corpora, err := corpus.Programs(root)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, name := range []string{"closed", "structure", "documents", "appendix", "language", "models"} {
		for _, p := range corpora[name] {
			wrt, err := p.Variables()
			if err != nil {
				return nil, err
			}
			key := p.Text + fmt.Sprint(wrt)
			if seen[key] {
				continue
			}
			seen[key] = true
			all = append(all, program{name: name + "/" + p.ID, text: p.Text, wrt: wrt})
		}
	}
	return all, nil
}

// drawn is the random program of a seed.
func drawn(seed int) program {
	p := rapid.Custom(func(t *rapid.T) *programs.Program { return programs.Draw(t, false) }).Example(seed)
	return program{name: fmt.Sprintf("random/%d", seed), text: p.Text()}
}

// shipped are the rules of the program.
var shipped = sync.OnceValues(func() (*proof.Rules, error) {
	var files []proof.Source
	for _, f := range append(verify.Shipped(), verify.Laws()) {
		files = append(files, proof.Source{Name: f.Name, Text: f.Text})
	}
	return proof.LoadRules(files...)
})

// errNone says that a program has nothing to derive.
var errNone = fmt.Errorf("no derivation")

// theorems are the text of a program's derivation, and how many altered statements stand in it.
func (p *program) theorems() (text string, altered int, err error) {
	f, err := frechet.Parse(p.text, p.options...)
	if err != nil {
		return "", 0, errNone
	}
	wrt := p.wrt
	if wrt == nil {
		wrt = f.Wrt()
	}
	d, err := f.Steps(wrt...)
	if err != nil {
		return "", 0, errNone
	}
	var b bytes.Buffer
	if err := d.Certificate(&b); err != nil {
		return "", 0, err
	}
	c, err := certificate.Read(&b)
	if err != nil {
		return "", 0, err
	}
	decoded, err := c.Decode(certificate.NewStore())
	if err != nil {
		return "", 0, err
	}
	rules, err := shipped()
	if err != nil {
		return "", 0, err
	}
	if p.altered {
		return coq.Altered(decoded, rules)
	}
	text, err = coq.Print(decoded, rules)
	return text, 0, err
}

// printed prints theorems.
func printed(all []program) error {
	for _, p := range all {
		text, _, err := p.theorems()
		if err != nil {
			text = "(* " + err.Error() + " *)\n"
		}
		if _, err := fmt.Printf("(* %s *)\n%s", p.name, text); err != nil {
			return err
		}
	}
	return nil
}
