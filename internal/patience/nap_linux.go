package patience

import (
	"syscall"
	"time"
)

// nap sleeps. An idle program of Go may oversleep time.Sleep by a millisecond.
func nap(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil) // a signal ends it early, which costs one more look
}
