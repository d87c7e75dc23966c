package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"frechet"
	"frechet/internal/words"
)

// loadData reads what -d names. The result is nil where there is no -d.
func (a *app) loadData(f *frechet.Func, specs []string) (frechet.Env, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	orders := map[string]int{}
	var names []string
	for _, p := range f.Params() {
		orders[p.Name] = p.Order()
		names = append(names, p.Name)
	}
	env := frechet.Env{}
	put := func(name string, t *frechet.Tensor) error {
		switch _, declared := orders[name]; {
		case !declared:
			return fmt.Errorf("-d: the program declares no %s; it declares %s", name, words.List(names))
		case env[name] != nil:
			return fmt.Errorf("-d: %s is given twice", name)
		}
		env[name] = t
		return nil
	}
	for _, spec := range specs {
		bindings, err := parseBindings(spec)
		if err != nil {
			return nil, err
		}
		for _, b := range bindings {
			if err := a.loadBinding(b, orders, put); err != nil {
				return nil, err
			}
		}
	}
	return env, nil
}

func (a *app) loadBinding(b binding, orders map[string]int, put func(string, *frechet.Tensor) error) error {
	switch ext := strings.ToLower(filepath.Ext(b.file)); {
	case b.literal != "":
		t, err := frechet.ParseTensor(b.literal)
		if err != nil {
			return fmt.Errorf("-d %s: %w", b.name, err)
		}
		return put(b.name, t)
	case b.name == "" && (ext == ".npz" || ext == ".json"):
		ts, err := frechet.ReadTensors(b.file, a.limits)
		if err != nil {
			return err
		}
		for _, t := range ts { // a file may hold more than the program uses
			if _, declared := orders[t.Name]; declared {
				if err := put(t.Name, t.Tensor); err != nil {
					return err
				}
			}
		}
		return nil
	case b.name == "":
		b.name = strings.TrimSuffix(filepath.Base(b.file), filepath.Ext(b.file))
	}
	order, declared := orders[b.name]
	if !declared {
		return put(b.name, nil) // the error, before reading anything
	}
	t, err := frechet.ReadTensor(b.file, order, a.limits)
	if err != nil {
		return err
	}
	return put(b.name, t)
}

func join(words []string) string { return strings.Join(words, ", ") }
