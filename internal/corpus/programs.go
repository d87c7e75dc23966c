package corpus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Program is a text of the corpora, and what a request says beside it.
type Program struct {
	ID, Text  string
	Language  string
	Dims      map[string][]int64
	Sizes     map[string]int64
	Wrt       json.RawMessage // a name, or a list of names
	Order     *int
	Cotangent json.RawMessage
	Values    json.RawMessage // by variable, lists of numbers
}

// Variables are the names of Wrt; nil where the program says them.
func (p *Program) Variables() ([]string, error) {
	if p.Wrt == nil {
		return nil, nil
	}
	var names []string
	if json.Unmarshal(p.Wrt, &names) == nil {
		return names, nil
	}
	names = []string{""}
	return names, json.Unmarshal(p.Wrt, &names[0])
}

// requestFiles are the files of requests, by the names of the corpora.
var requestFiles = map[string]string{
	"appendix": "einstein/appendix.jsonl",
	"language": "einstein/language.jsonl",
	"errors":   "einstein/errors.jsonl",
	"reported": "reported/cases.jsonl",
	"models":   "models/models.jsonl",
	"edges":    "models/edges.jsonl",
	"gathers":  "models/index.jsonl",
	"slices":   "slices/cases.jsonl",
}

// Programs reads all corpora, by name; root is the module's directory.
func Programs(root string) (map[string][]Program, error) {
	all := map[string][]Program{}
	testdata := filepath.Join(root, "testdata")
	for name, file := range requestFiles {
		cases, err := Load(filepath.Join(testdata, file))
		if err != nil {
			return nil, err
		}
		if all[name], err = fromCases(cases); err != nil {
			return nil, err
		}
	}
	cases, err := LoadElementwise(filepath.Join(testdata, "index/elementwise.jsonl"))
	if err != nil {
		return nil, err
	}
	if all["elementwise"], err = fromCases(cases); err != nil {
		return nil, err
	}
	for name, read := range map[string]func(string) ([]Program, error){
		"closed": closedForms, "structure": structures, "documents": documents} {
		if all[name], err = read(root); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func fromCases(cases []*Case) (all []Program, err error) {
	for _, c := range cases {
		if c.Request == nil || c.Elsewhere != "" {
			continue
		}
		p := Program{ID: c.ID}
		if err := json.Unmarshal(c.Line(), &p); err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		if err := json.Unmarshal(c.Request["input"], &p.Text); err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func closedForms(root string) (all []Program, err error) {
	fs, err := LoadForms(filepath.Join(root, "testdata/closed/forms.jsonl"))
	for _, f := range fs {
		wrt, _ := json.Marshal(f.Wrt)
		for i, text := range f.Functions() {
			all = append(all, Program{ID: f.ID + []string{"", "/matrix"}[i], Text: f.Program(text), Wrt: wrt, Order: &f.Order})
		}
	}
	return all, err
}

func structures(root string) (all []Program, err error) {
	files, err := filepath.Glob(filepath.Join(root, "testdata/structure/*.txtar"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			return nil, err
		}
		p := Program{ID: strings.TrimSuffix(filepath.Base(file), ".txtar"), Order: new(int)}
		for line := range strings.Lines(string(ar.Comment)) {
			switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word {
			case "of":
				*p.Order = map[string]int{"jacobian": 1, "hessian": 2}[rest]
			case "wrt":
				p.Wrt, _ = json.Marshal(rest)
			}
		}
		p.Text = string(ar.Files[0].Data)
		all = append(all, p)
	}
	return all, nil
}

// documents are the programs of docs/language.md that stand there without what they print.
func documents(root string) (all []Program, err error) {
	src, err := os.ReadFile(filepath.Join(root, "docs/language.md"))
	for i, m := range regexp.MustCompile("(?s)```frechet[^\n]*\n(.*?)```").FindAllStringSubmatch(string(src), -1) {
		if !strings.HasPrefix(m[1], "expression") { // that has its declarations elsewhere
			all = append(all, Program{ID: fmt.Sprintf("language/%d", i+1), Text: m[1]})
		}
	}
	return all, err
}
