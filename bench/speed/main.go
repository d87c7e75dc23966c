// Command speed measures how fast derivatives are formed: the processor time to bring a program
// to normal form, differentiate it, take the adjoint and bring that to normal form, for each node
// that is built, for each that is built or is one of the program's, and for each node of the result. It prints a table in Markdown; with -shares, on
// what the time is spent; with -against BINARY, how much longer it takes than another build of this command,
// both measured by turns:
//
//	go build -o before ./bench/speed    # of the one version; of the other:
//	go run ./bench/speed -against ./before
//
// The compiler is guided by a profile of this work, default.pgo, as that of the command frechet is. It is made by
//
//	go run ./bench/speed -profile cmd/frechet/default.pgo -least 1000 -most 10000
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"frechet/adjoint/jacobian"
	"frechet/combinators"
	"frechet/internal/processor"
)

func main() {
	only := flag.String("only", "", "only families whose names hold this")
	least := flag.Int("least", 100, "the smallest number of nodes of a program, about")
	most := flag.Int("most", 100_000, "the largest number of nodes of a program, about")
	work := flag.Duration("work", time.Second, "processor time for a row, at least")
	shares := flag.Bool("shares", false, "print the shares of the parts of the program in the time")
	spare := flag.Int("spare", 64, "megabytes of heap that are reserved, as the command frechet does")
	other := flag.String("against", "", "compare with this other build of the command, by turns")
	profile := flag.String("profile", "", "write a profile of the work to this file, for the compiler")
	rounds := flag.Int("rounds", 5, "with -against: how often each row is measured with both")
	flag.Parse()
	reserved := make([]byte, *spare<<20)
	defer runtime.KeepAlive(reserved)
	// One processor, so that idle ones do not collect garbage in advance.
	runtime.GOMAXPROCS(1)
	run := times
	if *shares {
		run = profiles
	}
	if *profile != "" {
		run = func(only string, least, most int, work time.Duration) error {
			return guide(*profile, only, least, most, work)
		}
	}
	if *other != "" {
		run = func(only string, least, most int, work time.Duration) error {
			return against(*other, only, least, most, work, *rounds)
		}
	}
	if err := run(*only, *least, *most, *work); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

// each visits the families and numbers of nodes that are asked for.
func each(only string, least, most int, visit func(f family, nodes int) error) error {
	for _, f := range families {
		if !strings.Contains(f.name, only) {
			continue
		}
		for nodes := least; nodes <= min(most, f.most); nodes *= 10 {
			if err := visit(f, nodes); err != nil {
				return err
			}
		}
	}
	return nil
}

func times(only string, least, most int, work time.Duration) error {
	fmt.Println("| program | nodes | built | result | ms | us a node built | us a node read or built | us a node of the result |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	return each(only, least, most, func(f family, nodes int) error {
		best, err := f.repeat(nodes, work)
		if err != nil {
			return err
		}
		us := float64(best.took) / float64(time.Microsecond)
		fmt.Printf("| %s | %d | %d | %d | %.3g | %.2f | %.2f | %.2f |\n", f.name, best.source, best.built, best.result, us/1000,
			us/float64(best.built), us/float64(best.source+best.built), us/float64(best.result))
		return nil
	})
}

// guide writes a profile of all rows to a file, by which the compiler chooses what it inlines.
func guide(file, only string, least, most int, work time.Duration) (err error) {
	w, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := pprof.StartCPUProfile(w); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return each(only, least, most, func(f family, nodes int) error {
		_, err := f.repeat(nodes, work)
		return err
	})
}

// measured is what differentiating one program has taken and made.
type measured struct {
	took          time.Duration
	source        int // nodes of the program
	built, result int // nodes that are new in the store; nodes of the derivative
}

// repeat gives the least of the times of several rounds, of so much work together.
func (f family) repeat(nodes int, work time.Duration) (best measured, err error) {
	var spent time.Duration
	for round := 0; round < 3 || spent < work && round < 1000; round++ {
		m, err := f.measure(nodes, nil)
		if err != nil {
			return best, err
		}
		spent += m.took
		if round == 0 || m.took < best.took {
			best = m
		}
	}
	return best, nil
}

// measure differentiates the program of f that has about so many nodes, and writes a profile of that
// where it is to.
func (f family) measure(nodes int, profile io.Writer) (m measured, err error) {
	s := combinators.NewStore()
	y, wrt := f.build(s, max(1, nodes/f.nodes))
	m.source = len(combinators.Topo(y))
	before := s.Len()
	runtime.GC()
	if profile != nil {
		if err := pprof.StartCPUProfile(profile); err != nil {
			return m, err
		}
		defer pprof.StopCPUProfile()
	}
	start := processor.Time()
	d, err := jacobian.Derive(y, wrt, 1, jacobian.Reverse)
	if err != nil {
		return m, err
	}
	m.took = processor.Time() - start
	m.built, m.result = s.Len()-before, len(combinators.Topo(d.ByOrder[0]...))
	return m, nil
}
