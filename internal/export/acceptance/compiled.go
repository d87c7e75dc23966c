package acceptance

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"frechet"
)

//go:embed driver_c.py
var driverC string

//go:embed driver_octave.txt
var driverOctave string

//go:embed driver_go.txt
var driverGo string

// A parameter is one of a compiled function: a size, an array or a number.
type parameter struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// A compiled is a case with its code.
type compiled struct {
	c      *Case
	name   string
	code   string
	params []parameter
}

var (
	signatureC      = regexp.MustCompile(`(?m)^int (\w+)\((.*)\)$`)
	signatureOctave = regexp.MustCompile(`(?m)^function result = (\w+)\((.*)\)$`)
	signatureGo     = regexp.MustCompile(`(?m)^func (\w+)\((.*)\) \(\*`)
)

// compile prints all cases, each under a name of its own.
func compile(target string, cases []*Case, name func(int) string) (list []compiled, outcomes []Outcome) {
	for i, c := range cases {
		code, refused := c.printed(target, name(i))
		if refused != nil {
			outcomes = append(outcomes, *refused)
			continue
		}
		x := compiled{c: c, name: name(i), code: code}
		signature := map[string]*regexp.Regexp{"c": signatureC, "go": signatureGo, "octave": signatureOctave}[target]
		for _, p := range strings.Split(signature.FindStringSubmatch(code)[2], ", ") {
			kind := "array"
			switch words := strings.Fields(p); {
			case target == "octave" && slices.ContainsFunc(c.Func.Params(), func(x frechet.Param) bool { return x.Name == strings.TrimRight(p, "_") || x.Name == p }):
			case target == "octave" && p != "":
				kind = "size"
			case p == "" || strings.HasPrefix(p, "double *"): // a result
				continue
			case strings.HasPrefix(p, "long ") || strings.HasSuffix(p, " int"):
				kind = "size"
			case strings.HasPrefix(p, "double ") || words[1] == "float64":
				kind = "number"
			}
			id := regexp.MustCompile(`^(?:(?:const )?(?:long |double \*?))?(\w+)`).FindStringSubmatch(p)[1]
			x.params = append(x.params, parameter{kind, id})
		}
		list = append(list, x)
	}
	return list, outcomes
}

// request is the line that asks a driver for all points of a case.
func (x *compiled) request() map[string]any {
	var points []map[string]any
	for _, p := range x.c.Points {
		args := map[string]any{}
		for _, q := range x.c.Func.Params() {
			args[q.Name] = encode(p.Env[q.Name])
		}
		var shapes [][]int
		for _, t := range p.Want {
			shapes = append(shapes, append([]int{}, t.Shape...))
		}
		points = append(points, map[string]any{"args": args, "sizes": p.Sizes, "shapes": shapes})
	}
	return map[string]any{"name": x.name, "params": x.params, "points": points}
}

// ask asks a driver for all cases.
func ask(cmd *exec.Cmd, list []compiled, outcomes []Outcome) (_ []Outcome, err error) {
	d, err := start(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	for _, x := range list {
		a, err := d.ask(x.request())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.c.ID, err)
		}
		outcomes = append(outcomes, judge(x.c, a))
	}
	return outcomes, nil
}

// runC compiles all cases into one library, which a driver in Python loads.
func runC(cases []*Case) ([]Outcome, error) {
	dir, err := os.MkdirTemp("", "exported")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	list, outcomes := compile("c", cases, func(i int) string { return fmt.Sprintf("exported%d", i) })
	failed := make([]string, len(list))
	var wait sync.WaitGroup
	slots := make(chan bool, 2)
	for i, x := range list {
		wait.Go(func() {
			slots <- true
			defer func() { <-slots }()
			src := filepath.Join(dir, x.name+".c")
			if err := os.WriteFile(src, []byte(x.code), 0o600); err != nil {
				failed[i] = err.Error()
				return
			}
			out, err := exec.Command("gcc", "-std=c99", "-O1", "-Wall", "-Wno-unknown-pragmas", "-Wno-maybe-uninitialized", "-Werror", "-fPIC", "-c", "-o", src+".o", src).CombinedOutput()
			if err != nil {
				failed[i] = fmt.Sprintf("%v: %.300s", err, out)
			}
		})
	}
	wait.Wait()
	args := []string{"-shared", "-o", filepath.Join(dir, "exported.so")}
	kept := list[:0]
	for i, x := range list {
		if failed[i] != "" {
			outcomes = append(outcomes, Outcome{x.c.ID, "failed", failed[i]})
			continue
		}
		kept = append(kept, x)
		args = append(args, filepath.Join(dir, x.name+".c.o"))
	}
	if out, err := exec.Command("gcc", append(args, "-lm")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return ask(exec.Command(Python("numpy"), "-c", driverC, filepath.Join(dir, "exported.so")), kept, outcomes)
}

// runGo compiles all cases into one command.
func runGo(cases []*Case) ([]Outcome, error) {
	dir, err := os.MkdirTemp("", "exported")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	list, outcomes := compile("go", cases, func(i int) string { return fmt.Sprintf("Exported%d", i) })
	var imports, calls strings.Builder
	for _, x := range list {
		pkg := strings.ToLower(x.name)
		if err := os.MkdirAll(filepath.Join(dir, pkg), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, pkg, "f.go"), []byte(x.code), 0o600); err != nil {
			return nil, err
		}
		fmt.Fprintf(&imports, "\t\"exported/%s\"\n", pkg)
		fmt.Fprintf(&calls, "\t%q: %s.%s,\n", x.name, pkg, x.name)
	}
	main := strings.NewReplacer("\t// imports\n", imports.String(), "\t// functions\n", calls.String()).Replace(driverGo)
	module, err := os.ReadFile("go.mod")
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{"main.go": []byte(main), "go.sum": sums,
		"go.mod": regexp.MustCompile(`(?m)^module .*`).ReplaceAll(module, []byte("module exported"))} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-gcflags=exported/...=-N -l", "-o", "exported", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		bad := regexp.MustCompile(`exported(\d+)/f.go.*`).FindAllStringSubmatch(string(out), 5)
		return nil, fmt.Errorf("%w: %.2000s %v", err, out, slices.Concat(bad...))
	}
	return ask(exec.Command(filepath.Join(dir, "exported")), list, outcomes)
}

// runOctave writes a file for each case, which a driver in Octave calls.
func runOctave(cases []*Case) ([]Outcome, error) {
	dir, err := os.MkdirTemp("", "exported")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	list, outcomes := compile("octave", cases, func(i int) string { return fmt.Sprintf("exported%d", i) })
	for _, x := range list {
		if err := os.WriteFile(filepath.Join(dir, x.name+".m"), []byte(x.code), 0o600); err != nil {
			return nil, err
		}
	}
	main := filepath.Join(dir, "driver.m")
	if err := os.WriteFile(main, []byte(driverOctave), 0o600); err != nil {
		return nil, err
	}
	// fgetl of Octave waits for what comes after a line: all requests are there from the start
	var requests bytes.Buffer
	for _, x := range list {
		line, err := json.Marshal(x.request())
		if err != nil {
			return nil, err
		}
		requests.Write(append(line, '\n'))
	}
	cmd := exec.Command("octave-cli", "-q", "--no-gui", main, dir)
	cmd.Stdin, cmd.Stderr = &requests, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for i, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		a := new(answer)
		if err := json.Unmarshal(line, a); err != nil {
			return nil, fmt.Errorf("%s: %w: %.200s", list[i].c.ID, err, line)
		}
		outcomes = append(outcomes, judge(list[i].c, a))
	}
	return outcomes, nil
}
