package cuda

import (
	"math/bits"
	"sync"

	"cresset/internal/driver"
)

// pinned is host memory that a device copies from and to by itself, in the background.
type pinned struct {
	bytes []byte // a whole class
	mark  mark   // what must pass before the memory is used again; 0 for nothing
}

// pinnedPool keeps pinned memory by size class, a power of two, the block that was freed last first.
type pinnedPool struct {
	mu   sync.Mutex
	free [64][]pinned
}

// take returns at least n bytes that nobody uses any more.
func (p *pinnedPool) take(d *Device, n int) (pinned, error) {
	class := bits.Len(uint(max(n, 1) - 1))
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
			b.mark = 0
			return b, nil
		}
	}
	bytes, r := d.api.MemHostAlloc(d.ctx, 1<<class, driver.HostPortable)
	if r != driver.Success {
		return pinned{}, d.fail(r)
	}
	return pinned{bytes: bytes}, nil
}

// released reports whether the work before b's mark is done; its event is free then.
func (d *Device) released(b pinned) (bool, error) {
	if b.mark == 0 {
		return true, nil
	}
	done, err := d.passed(b.mark)
	if done {
		d.forget(b.mark)
	}
	return done, err
}

// give keeps b until the work that was issued to s so far is done.
func (p *pinnedPool) give(d *Device, b pinned, s stream) error {
	m, err := d.record(s)
	if err != nil {
		return err
	}
	b.mark = m
	class := bits.Len(uint(len(b.bytes) - 1))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free[class] = append(p.free[class], b)
	return nil
}
