package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// against measures every row by turns with this program and with other, another build of it, in processes
// of their own, and prints for each row the median of the ratios this/other of the times, round by round.
// The speed of a machine changes while it is measured; of two runs one after the other it is about the same.
func against(other, only string, least, most int, work time.Duration, rounds int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Println("| program | nodes | ms | ms of the other | ratio | least | most |")
	fmt.Println("|---|---|---|---|---|---|---|")
	var all []float64
	err = each(only, least, most, func(f family, nodes int) error {
		var mine, its, ratios []float64
		for round := range rounds {
			pair := []string{self, other}
			var ms [2]float64
			for i := range pair {
				k := (i + round) % 2 // neither is always the first
				if ms[k], err = once(pair[k], f.name, nodes, work); err != nil {
					return err
				}
			}
			mine, its, ratios = append(mine, ms[0]), append(its, ms[1]), append(ratios, ms[0]/ms[1])
		}
		r := median(ratios)
		all = append(all, r)
		fmt.Printf("| %s | %d | %.3g | %.3g | %.3f | %.3f | %.3f |\n", f.name, nodes, median(mine), median(its), r, ratios[0], ratios[len(ratios)-1])
		return nil
	})
	if err != nil || len(all) == 0 {
		return err
	}
	logs := 0.0
	for _, r := range all {
		logs += math.Log(r)
	}
	mean := math.Exp(logs / float64(len(all)))
	m := median(all)
	fmt.Printf("\nmedian of %d ratios %.3f, geometric mean %.3f, least %.3f, most %.3f\n", len(all), m, mean, all[0], all[len(all)-1])
	return nil
}

// median sorts xs, and gives the one in the middle.
func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
}

// once runs a build of this program for one row, and reads the milliseconds from its table.
func once(binary, name string, nodes int, work time.Duration) (float64, error) {
	n := strconv.Itoa(nodes)
	cmd := exec.Command(binary, "-only", name, "-least", n, "-most", n, "-work", work.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", binary, err)
	}
	head, rows, _ := bytes.Cut(out, []byte("\n"))
	column := slices.Index(strings.Split(string(head), " | "), "ms")
	for row := range strings.Lines(string(rows)) {
		if cells := strings.Split(row, " | "); column >= 0 && cells[0] == "| "+name {
			return strconv.ParseFloat(cells[column], 64)
		}
	}
	return 0, fmt.Errorf("%s has no row of %s", binary, name)
}
