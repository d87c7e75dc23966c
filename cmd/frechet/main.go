//go:build !js

// Command frechet differentiates tensor expressions: it prints derivatives as formulas,
// evaluates them on data, and checks them.
//
// Results go to standard output, everything else to standard error. The exit status is
// 0 when done, 1 when something was checked and is false or a minimisation did not
// converge, 2 when the input is wrong, and 3 when a limit was reached.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
)

// spare is reserved and never touched, so that it takes no room. Garbage is collected when the heap has
// doubled, which one of a few megabytes does all the time; a command that derives a formula now
// ends before that. Beyond, a heap is at most so much larger than it would be.
var spare = make([]byte, 64<<20)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	runtime.KeepAlive(spare)
	os.Exit(code)
}
