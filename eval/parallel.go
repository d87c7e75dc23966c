package eval

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallelWork is the number of elementary operations below which one goroutine is faster.
// Tests lower it.
var parallelWork = float64(1 << 16)

// parallel splits 0..n-1 into consecutive ranges, one a processor, and calls f on each, in
// this goroutine where work is small. Ranges start at multiples of align.
func parallel(n, align int, work float64, f func(part, lo, hi int)) {
	if work < parallelWork {
		f(0, 0, n)
		return
	}
	parts := min(runtime.GOMAXPROCS(0), 1+int(min(work/parallelWork, 1<<20)), (n+align-1)/align)
	if parts <= 1 {
		f(0, 0, n)
		return
	}
	var wg sync.WaitGroup
	at := func(p int) int { return min(n, (n*p/parts+align-1)/align*align) }
	var failure atomic.Pointer[any] // a panic goes on in the caller's goroutine
	for p := 1; p < parts; p++ {
		lo, hi := at(p), at(p+1)
		wg.Go(func() {
			defer func() {
				if e := recover(); e != nil {
					failure.Store(&e)
				}
			}()
			f(p, lo, hi)
		})
	}
	func() {
		defer wg.Wait() // also where f panics here: the others still use the memory
		f(0, 0, at(1))
	}()
	if e := failure.Load(); e != nil {
		panic(*e)
	}
}

// maxParts is the largest number of ranges that parallel makes.
func maxParts() int { return runtime.GOMAXPROCS(0) }
