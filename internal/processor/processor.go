// Package processor tells how long this process has computed: a machine that does something else
// beside does not count.
package processor

import (
	"syscall"
	"time"
)

// Time is what the process has used so far, collecting garbage included; 0 where the system does not say.
func Time() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
