package acceptance

import (
	"bufio"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"

	"frechet"
	"frechet/internal/venv"
)

//go:embed driver.py
var driver string

//go:embed driver_sql.py
var driverSQL string

//go:embed driver_parse.py
var driverParse string

// Python is the interpreter of the Python targets: one that is named, an environment of package venv, Debian's.
func Python(target string) string {
	if path := os.Getenv("FRECHET_PYTHON_" + target); path != "" {
		return path
	}
	if path, made := venv.Python(target); made {
		return path
	}
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		return "/usr/bin/python3"
	}
	return "python3"
}

type array struct {
	Shape []int  `json:"shape"`
	Data  string `json:"data"` // float64, little-endian, in base64
}

type request struct {
	Target string           `json:"target"`
	Code   string           `json:"code"`
	Points []map[string]any `json:"points"`
}

type answer struct {
	Error  string `json:"error"`
	Points []struct {
		Error   string  `json:"error"`
		Results []array `json:"results"`
	} `json:"points"`
}

func encode(t *frechet.Tensor) array {
	b := make([]byte, 0, 8*len(t.Data))
	for _, x := range t.Data {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	shape := t.Shape
	if shape == nil {
		shape = []int{}
	}
	return array{shape, base64.StdEncoding.EncodeToString(b)}
}

func decode(a array) (*frechet.Tensor, error) {
	b, err := base64.StdEncoding.DecodeString(a.Data)
	if err != nil {
		return nil, err
	}
	t := &frechet.Tensor{Shape: a.Shape, Data: make([]float64, len(b)/8)}
	for i := range t.Data {
		t.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return t, nil
}

// runPython runs all cases in one process.
func runPython(target string, cases []*Case) ([]Outcome, error) {
	return runScripts(target, target, driver, cases, func(c *Case, p *Point) map[string]any {
		args := map[string]array{}
		for _, x := range c.Func.Params() {
			args[x.Name] = encode(p.Env[x.Name])
		}
		return map[string]any{"args": args, "sizes": p.Sizes}
	})
}

// runSQL runs all cases in a database, sqlite or duckdb, at the points where all sizes are known and all results finite: where
// one is not, databases have NULL, or an error.
func runSQL(database string, cases []*Case) ([]Outcome, error) {
	var finite []*Case
	for _, c := range cases {
		kept := *c
		kept.Points = slices.DeleteFunc(slices.Clone(c.Points), func(p Point) bool {
			return len(p.Sizes) < len(c.Func.Symbols()) || slices.ContainsFunc(p.Want, func(t *frechet.Tensor) bool {
				return slices.ContainsFunc(t.Data, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
			})
		})
		if len(kept.Points) > 0 {
			finite = append(finite, &kept)
		}
	}
	cases = finite
	return runScripts("sql", database, driverSQL, cases, func(c *Case, p *Point) map[string]any {
		args, shapes := []array{}, [][]int{}
		for _, x := range c.Func.Params() {
			args = append(args, encode(p.Env[x.Name]))
		}
		for _, w := range p.Want {
			shapes = append(shapes, encode(w).Shape)
		}
		return map[string]any{"args": args, "sizes": p.Sizes, "shapes": shapes}
	})
}

// runParsed parses what is printed by the grammar of a language that is not run.
func runParsed(target, language string, cases []*Case) ([]Outcome, error) {
	outcomes, err := runScripts(target, language, driverParse, cases, nil)
	for i := range outcomes {
		if outcomes[i].Verdict == "passed" {
			outcomes[i].Verdict = "parsed"
		}
	}
	return outcomes, err
}

// runScripts sends what is printed for a target to a driver in Python, with what point makes of each point.
func runScripts(target, system, driver string, cases []*Case, point func(*Case, *Point) map[string]any) (outcomes []Outcome, err error) {
	d, err := start(exec.Command(Python(interpreter(system)), "-c", driver))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	for _, c := range cases {
		code, refused := c.printed(target, "exported")
		if refused != nil {
			outcomes = append(outcomes, *refused)
			continue
		}
		r := request{Target: system, Code: code}
		for i := range c.Points {
			if point != nil {
				r.Points = append(r.Points, point(c, &c.Points[i]))
			}
		}
		a, err := d.ask(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		outcomes = append(outcomes, judge(c, a))
	}
	return outcomes, nil
}

// interpreter is the name of the environment of a system.
func interpreter(system string) string {
	switch system {
	case "julia", "matlab":
		return "parsers"
	}
	return system
}

// A process answers requests, a line each.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
}

func start(cmd *exec.Cmd) (*process, error) {
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

func (d *process) close() error {
	d.in.Close()
	return d.cmd.Wait()
}

func (d *process) ask(r any) (*answer, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if _, err := d.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	if line, err = d.lines.ReadBytes('\n'); err != nil {
		return nil, err
	}
	a := new(answer)
	return a, json.Unmarshal(line, a)
}

func judge(c *Case, a *answer) Outcome {
	if a.Error != "" {
		return Outcome{c.ID, "failed", a.Error}
	}
	for i, p := range a.Points {
		why := p.Error
		if why == "" {
			var got []*frechet.Tensor
			for _, r := range p.Results {
				t, err := decode(r)
				if err != nil {
					return Outcome{c.ID, "failed", err.Error()}
				}
				got = append(got, t)
			}
			why = c.Points[i].compare(got)
		}
		if why != "" {
			return Outcome{c.ID, "failed", fmt.Sprintf("point %d: %s", i, why)}
		}
	}
	return Outcome{c.ID, "passed", ""}
}
