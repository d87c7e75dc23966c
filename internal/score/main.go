// Command score prints, for each closed form of testdata/closed, what we make of it
// beside the shortest form known, and the table of node ratios by group.
//
//	go run ./internal/score [-all] [-longer] [-id REGEXP] [-brief]
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"

	"frechet/internal/closed"
	"frechet/internal/corpus"
)

func main() {
	file := flag.String("forms", "testdata/closed/forms.jsonl", "the closed forms")
	id := flag.String("id", "", "only forms whose id or group matches this expression")
	all := flag.Bool("all", false, "also forms whose reference needs assumptions")
	longer := flag.Bool("longer", false, "print only derivatives that are longer than their reference")
	brief := flag.Bool("brief", false, "print the table only")
	answers := flag.String("answers", "", "also write the derivatives to this file, as JSON Lines of id and text")
	flag.Parse()
	if err := run(*file, *id, *answers, *all, *longer, *brief); err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
}

func run(file, id, answers string, all, longer, brief bool) error {
	forms, err := corpus.LoadForms(file)
	if err != nil {
		return err
	}
	match, err := regexp.Compile(id)
	if err != nil {
		return err
	}
	var table closed.Table
	var lines bytes.Buffer
	for _, f := range forms {
		if f.Assumes != "" && !all || !match.MatchString(f.ID) && !match.MatchString(f.Group) {
			continue
		}
		d, err := derive(f)
		if err != nil {
			fmt.Printf("%s (%s): %v\n\n", f.ID, f.Group, err)
			continue
		}
		table.Add(d)
		line, err := json.Marshal(map[string]string{"id": f.ID, "text": d.Text})
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
		for seed := range uint64(2) {
			raw, closed, err := closed.Check(f, f.Einstein, f.ClosedEinstein, seed+1)
			if err != nil {
				fmt.Printf("WRONG %s: %v\n", f.ID, err)
			} else if !(raw <= 1e-8 && closed <= 1e-8) {
				fmt.Printf("WRONG %s: off by %.1e before simplification, by %.1e from the closed form\n", f.ID, raw, closed)
			}
		}
		if brief || longer && d.Nodes <= f.Nodes {
			continue
		}
		note := ""
		if d.Order > f.MaxOrder {
			note = fmt.Sprintf("  intermediate of order %d, not %d", d.Order, f.MaxOrder)
		}
		fmt.Printf("%s (%s): %d nodes, reference %d, ratio %.2f%s\n", f.ID, f.Group, d.Nodes, f.Nodes, d.Ratio(), note)
		fmt.Printf("  f     %s\n  ours  %s\n", f.Functions()[len(f.Functions())-1], indented(d.Text))
		if m, err := d.Matrix(); err == nil && m != d.Text {
			fmt.Printf("        %s\n", indented(m))
		}
		fmt.Printf("  ref   %s\n", f.ClosedEinstein)
		if f.ClosedMatrix != "" {
			fmt.Printf("        %s\n", f.ClosedMatrix)
		}
		if len(f.Rules) > 0 {
			fmt.Printf("  rules %s\n", strings.Join(f.Rules, " "))
		}
		fmt.Println()
	}
	if answers != "" {
		if err := os.WriteFile(answers, lines.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return table.Write(os.Stdout)
}

// indented is a text of several lines under the first one.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n        ") }

// derive keeps a panic to the form that it belongs to.
func derive(f *corpus.Form) (d *closed.Derivation, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return closed.Derive(f, f.Einstein)
}
