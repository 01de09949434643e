package par

import (
	"runtime"
	"time"
)

// spinFor is how long a thread looks for work, or for the end of a loop, before it sleeps. Waking costs 5 to 50 us, and
// a training step pauses some 100 us between loops that are worth sharing: who gives up sooner loses more than it saves.
const spinFor = 200 * time.Microsecond

// looksPerYield is how often a thread looks before it lets other goroutines run.
const looksPerYield = 16

// spin counts the time that a thread has spun.
type spin struct {
	looks int
	start time.Time     // of the first look
	spun  time.Duration // until the last
	next  time.Duration // when to look whether others run
}

// pause lets a moment pass and reports whether to look again. Reading the clock is the moment: it keeps the pipeline, and a
// sibling hyperthread, less busy than a bare loop would. Goroutines that have work get the processor now and then.
func (s *spin) pause() bool {
	if s.looks++; s.looks == 1 {
		s.start, s.next = time.Now(), lookAfter
		return true
	}
	if s.looks%looksPerYield == 0 {
		runtime.Gosched()
	}
	s.spun = time.Since(s.start)
	return s.spun < spinFor
}

// due reports, once in lookAfter, that it is time to look whether the others run.
func (s *spin) due() bool {
	if !canMigrate || s.spun < s.next {
		return false
	}
	s.next = s.spun + lookAfter
	return true
}
