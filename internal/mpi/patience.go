package mpi

import (
	"runtime"
	"time"
)

const (
	spinning   = time.Millisecond      // how long a wait looks without a pause
	firstNap   = 50 * time.Microsecond // then it sleeps so long,
	longestNap = time.Millisecond      // and each time twice as long, up to this
)

// A patience is what passes between two looks of a wait.
type patience struct {
	since time.Time
	nap   time.Duration
}

// rest waits for the next look, and reports whether it slept.
func (p *patience) rest() bool {
	switch {
	case p.since.IsZero():
		p.since = time.Now()
	case p.nap == 0 && time.Since(p.since) > spinning:
		p.nap = firstNap
	}
	if p.nap == 0 {
		runtime.Gosched()
		return false
	}
	nap(p.nap)
	p.nap = min(2*p.nap, longestNap)
	return true
}
