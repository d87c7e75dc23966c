// Command speed measures how fast derivatives are formed: the processor time to differentiate,
// take the adjoint and simplify, for each node.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"frechet/adjoint"
	"frechet/combinators"
)

func main() {
	only := flag.String("only", "", "families whose names hold this")
	most := flag.Int("most", 100_000, "the largest number of nodes of a program")
	least := flag.Int("least", 100, "the smallest number of nodes of a program")
	work := flag.Duration("work", time.Second, "processor time to spend on a row, at least")
	profile := flag.String("profile", "", "write a profile of the processor to this file")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "speed:", err)
			os.Exit(1)
		}
		defer pprof.StopCPUProfile()
	}
	if err := run(*only, *least, *most, *work); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func run(only string, least, most int, work time.Duration) error {
	fmt.Println("| program | nodes | built | result | ms | us a node built | us a node of the result |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, f := range families {
		if !strings.Contains(f.name, only) {
			continue
		}
		for nodes := least; nodes <= min(most, f.most); nodes *= 10 {
			if err := f.measure(nodes, work); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure prints the row of the program of f that has about the given number of nodes.
func (f family) measure(nodes int, work time.Duration) error {
	steps := max(1, nodes/f.nodes)
	var spent time.Duration
	var best time.Duration
	var source, built, result int
	for round := 0; round < 3 || spent < work && round < 1000; round++ {
		s := combinators.NewStore()
		y, wrt := f.build(s, steps)
		source = len(combinators.Topo(y))
		before := s.Len()
		runtime.GC()
		start := processorTime()
		d, err := adjoint.Derive(y, wrt, 1, adjoint.Reverse)
		if err != nil {
			return err
		}
		took := processorTime() - start
		spent += took
		if round == 0 || took < best {
			best = took
		}
		built, result = s.Len()-before, len(combinators.Topo(d.ByOrder[0]...))
	}
	us := float64(best) / float64(time.Microsecond)
	fmt.Printf("| %s | %d | %d | %d | %.3g | %.2f | %.2f |\n", f.name, source, built, result, us/1000, us/float64(built), us/float64(result))
	return nil
}

// processorTime is what the process has used, collecting garbage included.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
