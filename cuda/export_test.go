package cuda

import (
	"sync/atomic"
	"testing"
	"time"
)

// TickingClock makes every look at the host's clock in a profile a microsecond later than the one before, and the process number 4711.
func TickingClock(t testing.TB) {
	clock, process := hostClock, processID
	t.Cleanup(func() { hostClock, processID = clock, process })
	processID = func() int { return 4711 }
	hostClock = func() func() time.Duration {
		var ticks atomic.Int64
		return func() time.Duration { return time.Duration(ticks.Add(1)) * time.Microsecond }
	}
}
