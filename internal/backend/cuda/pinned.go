package cuda

import (
	"math/bits"
	"sync"

	"cresset/internal/driver"
)

// pinned is a block of page-locked host memory, from and to which a device copies asynchronously.
type pinned struct {
	bytes []byte // as many as the size class has
	event event  // what must complete before the memory is used again; 0 for nothing
}

// pinnedPool keeps pinned memory by size class, a power of two, the block that was freed last first.
type pinnedPool struct {
	mu   sync.Mutex
	free [64][]pinned
}

// take returns at least n bytes that no copy uses any more.
func (p *pinnedPool) take(d *Device, n int) (pinned, error) {
	class := bits.Len(uint(max(n, 1) - 1))
	b, err := p.find(d, class)
	if err != nil || b.bytes != nil {
		return b, err
	}
	b.bytes, err = d.hostAlloc(1 << class)
	if d.madeRoom(err) {
		b.bytes, err = d.hostAlloc(1 << class)
	}
	return b, err
}

func (d *Device) hostAlloc(bytes uint64) ([]byte, error) {
	b, r := d.api.MemHostAlloc(d.ctx, bytes, driver.HostPortable)
	return b, d.result(r)
}

// find takes a block of a class from the pool; it has no bytes where all are in use.
func (p *pinnedPool) find(d *Device, class int) (pinned, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	free := p.free[class]
	for i := len(free) - 1; i >= 0; i-- {
		done, err := d.released(free[i])
		if err != nil {
			return pinned{}, err
		}
		if done {
			b := free[i]
			p.free[class] = append(free[:i], free[i+1:]...)
			b.event = 0
			return b, nil
		}
	}
	return pinned{}, nil
}

// released reports whether the work before b's event is done; the event is then recycled.
func (d *Device) released(b pinned) (bool, error) {
	if b.event == 0 {
		return true, nil
	}
	done, err := d.passed(b.event)
	if done {
		d.forget(b.event)
	}
	return done, err
}

// give keeps b until the work that was issued to s so far is done.
func (p *pinnedPool) give(d *Device, b pinned, s stream) error {
	m, err := d.mark(s)
	if err != nil {
		return err
	}
	b.event = m
	p.keep(b)
	return nil
}

// put keeps b until the copies of its users on the device are done. After an error of the device it is lost.
func (p *pinnedPool) put(d *Device, b pinned, users []hostUser) {
	for i, u := range users {
		if u.device.gpu != d.gpu {
			continue
		}
		m, err := d.mark(u.stream)
		if err != nil {
			return
		}
		if b.event != 0 && i > 0 { // one event for both streams
			if err := d.wait(b.event); err != nil {
				return
			}
			d.forget(b.event)
		}
		b.event = m
	}
	p.keep(b)
}

func (p *pinnedPool) keep(b pinned) {
	class := bits.Len(uint(len(b.bytes) - 1))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free[class] = append(p.free[class], b)
}
