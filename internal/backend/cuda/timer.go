package cuda

import (
	"sync"
	"time"

	"cresset/internal/backend"
	"cresset/internal/driver"
)

// Timer measures one copy by two events on the stream that copies. Copies that other goroutines issue to the same stream in
// between count with it.
type Timer struct {
	device *Device
	stream stream

	mu         sync.Mutex
	start, end driver.Event // 0 once the time is known
	elapsed    time.Duration
	ok         bool
}

var _ backend.Clock = (*Device)(nil)

// StartTimer starts a timer for the copy that is issued next, in the background or not, when all that the copy waits for is
// done. It returns nil where neither side is a GPU, or the GPU fails.
func (*Device) StartTimer(from, to backend.Backend, background bool) backend.Stopwatch {
	src, fromGPU := from.(*Device)
	dst, toGPU := to.(*Device)
	t := &Timer{device: src}
	var err error
	switch {
	case fromGPU && toGPU && src.gpu != dst.gpu:
		t.stream = src.lane
		err = src.follow(dst)
	case fromGPU && background:
		t.stream = copyOut
		err = src.order(copyOut, src.lane)
	case fromGPU:
		t.stream = src.lane
	case toGPU && background:
		t.device, t.stream = dst, copyIn
	case toGPU:
		t.device, t.stream = dst, dst.lane
	default:
		return nil
	}
	if err == nil {
		t.start, err = t.device.timing.record(t.device, t.stream)
	}
	if err != nil {
		return nil
	}
	return t
}

// Stop ends the measurement behind the copy.
func (t *Timer) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	end, err := t.device.timing.record(t.device, t.stream)
	if err != nil {
		t.device.timing.give(t.start)
		t.start = 0
		return
	}
	t.end = end
}

// Elapsed returns the time between Start and Stop: that of the modelled clock on a simulated GPU.
func (t *Timer) Elapsed(wait bool) (time.Duration, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.start == 0 || t.end == 0 {
		return t.elapsed, t.ok
	}
	d := t.device
	if done, err := d.passed(t.end); err == nil && !done {
		if !wait {
			return 0, false
		}
		if d.wait(t.end) != nil { // the next call on the device tells why
			return 0, false
		}
	}
	milliseconds, r := d.api.EventElapsedTime(d.ctx, t.start, t.end)
	if r == driver.Success {
		t.elapsed, t.ok = time.Duration(float64(milliseconds)*float64(time.Millisecond)), true
	}
	d.timing.give(t.start)
	d.timing.give(t.end)
	t.start, t.end = 0, 0
	return t.elapsed, t.ok
}
