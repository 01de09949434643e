package sim

import (
	"sync"
	"time"
)

// meter tells for how much of the time kernels run on a device. It is the one thing here that looks at a real clock: other
// programs see how busy this one keeps the GPU now.
type meter struct {
	mu      sync.Mutex
	running int
	since   time.Time // what busy is complete up to, while a kernel runs
	busy    time.Duration
	read    time.Time // last reading
}

func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running == 0 {
		m.since = time.Now()
	}
	m.running++
}

func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running--
	if m.running == 0 {
		m.busy += time.Since(m.since)
	}
}

// reading returns the percentage of the time since the reading before.
func (m *meter) reading() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if m.running > 0 {
		m.busy += now.Sub(m.since)
		m.since = now
	}
	span, busy := now.Sub(m.read), m.busy
	m.read, m.busy = now, 0
	if span <= 0 {
		return 0
	}
	return int(min(100, (100*busy+span/2)/span))
}
