// Package patience is what passes between two looks of a wait for something that gives no sign: MPI's requests, and NCCL's work on a GPU. A short wait looks without a pause, and
// one that lasts costs no core.
package patience

import (
	"runtime"
	"time"
)

const (
	eager      = 50                    // looks before others get a chance, which takes longer than a short message
	spinning   = time.Millisecond      // how long a wait looks without a pause
	firstNap   = 50 * time.Microsecond // then it sleeps so long,
	longestNap = time.Millisecond      // and each time twice as long, up to this
)

// Looks are the looks of one wait.
type Looks struct {
	since time.Time
	looks int
	nap   time.Duration
}

// Rest waits for the next look, and reports whether it slept.
func (l *Looks) Rest() bool {
	switch {
	case l.looks < eager: // without a look at the clock, which takes as long as one of these
		l.looks++
		return false
	case l.since.IsZero():
		l.since = time.Now()
	case l.nap == 0 && time.Since(l.since) > spinning:
		l.nap = firstNap
	}
	if l.nap == 0 {
		runtime.Gosched()
		return false
	}
	nap(l.nap)
	l.nap = min(2*l.nap, longestNap)
	return true
}

// Lasted returns how long the wait has lasted since its eager looks.
func (l *Looks) Lasted() time.Duration { return time.Since(l.since) }
