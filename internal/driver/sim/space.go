package sim

import (
	"cmp"
	"slices"
	"sync/atomic"

	"cresset/internal/driver"
)

const (
	regionBytes = 1 << 42  // of addresses for each device
	hostRegion  = 24       // number of the region of pinned host memory
	alignment   = 512      // of allocations, as CUDA promises at least
	redZone     = 64 << 10 // addresses after an allocation that are never given out
	remembered  = 256      // freed allocations that are kept to recognise use after free
)

// space is the addresses of all devices and of pinned host memory. Addresses are not used again until a region has been used
// up, so a freed allocation can be told from a new one. It is changed under the driver's lock; readers take a snapshot, and
// need no lock.
type space struct {
	sorted  atomic.Pointer[[]*allocation] // by base; live ones and remembered ones
	next    map[int]uint64                // by region: offset of the next base
	history []*allocation                 // freed ones, oldest first
}

// allocation is memory of a device, or pinned memory of the host.
type allocation struct {
	base    uint64
	data    []byte   // as many bytes as were asked for; unmapped once freed
	owner   *context // nil for host memory, which every device can use
	charged uint64   // bytes of the device's memory that it takes
	freed   atomic.Bool
	module  bool // holds a module's globals, which MemFree leaves alone
	mapped  bool // base is the address of data
	release func()
}

func (a *allocation) end() uint64 { return a.base + uint64(len(a.data)) }

func (s *space) all() []*allocation {
	if p := s.sorted.Load(); p != nil {
		return *p
	}
	return nil
}

// place gives a an address in a region, or reports that there is none.
func (s *space) place(a *allocation, region int) bool {
	if s.next == nil {
		s.next = map[int]uint64{}
	}
	room := roundUp(uint64(len(a.data)), redZone) + redZone
	offset := max(s.next[region], redZone)
	for range 2 {
		if base, ok := s.gap(region, offset, room); ok {
			a.base = base
			s.next[region] = base + room - regionStart(region)
			s.insert(a)
			return true
		}
		s.forget() // and try again from the start
		offset = redZone
	}
	return false
}

// placeAsMapped gives a the address of its bytes.
func (s *space) placeAsMapped(a *allocation) {
	a.base, a.mapped = addressOf(a.data), true
	s.insert(a)
}

func regionStart(region int) uint64 { return uint64(region+1) * regionBytes }

// gap finds room bytes of free addresses at or after an offset.
func (s *space) gap(region int, offset, room uint64) (base uint64, ok bool) {
	start := regionStart(region)
	base = start + offset
	all := s.all()
	i, _ := slices.BinarySearchFunc(all, base, byBase)
	if i > 0 {
		base = max(base, roundUp(all[i-1].end(), redZone)+redZone)
	}
	for ; i < len(all) && all[i].base < base+room; i++ {
		base = roundUp(all[i].end(), redZone) + redZone
	}
	return base, base+room <= start+regionBytes
}

func byBase(a *allocation, base uint64) int { return cmp.Compare(a.base, base) }

func (s *space) insert(a *allocation) {
	old := s.all()
	i, _ := slices.BinarySearchFunc(old, a.base, byBase)
	all := make([]*allocation, 0, len(old)+1)
	all = append(append(append(all, old[:i]...), a), old[i:]...)
	s.sorted.Store(&all)
}

func (s *space) remove(gone []*allocation) {
	all := slices.DeleteFunc(slices.Clone(s.all()), func(a *allocation) bool { return slices.Contains(gone, a) })
	s.sorted.Store(&all)
}

// free gives memory back to the host. It has been marked as freed, and nobody is using it any more.
func (s *space) free(a *allocation) {
	if a.mapped { // whose addresses the host may give out again
		s.remove([]*allocation{a})
		a.release()
		return
	}
	a.release()
	s.history = append(s.history, a)
	if excess := len(s.history) - remembered; excess >= remembered {
		s.remove(s.history[:excess])
		s.history = slices.Clone(s.history[excess:])
	}
}

func (s *space) forget() {
	s.remove(s.history)
	s.history = nil
}

// find returns the allocation that holds the address, or else the one before it or after it, whichever is nearer; nil where
// there is none at all.
func (s *space) find(addr uint64) (a *allocation, inside bool) {
	all := s.all()
	i, exact := slices.BinarySearchFunc(all, addr, byBase)
	if exact {
		return all[i], len(all[i].data) > 0
	}
	if i > 0 {
		a = all[i-1]
		if addr < a.end() {
			return a, true
		}
	}
	if i < len(all) && (a == nil || all[i].base-addr < addr-a.end()) {
		a = all[i]
	}
	return a, false
}

// hostAt returns the pinned allocation that p lies in, if it does.
func (s *space) hostAt(p []byte) *allocation {
	all := s.all()
	first, _ := slices.BinarySearchFunc(all, regionStart(hostRegion), byBase)
	for _, a := range all[first:] {
		if !a.freed.Load() && contains(a.data, p) {
			return a
		}
	}
	return nil
}

// reaches reports whether a context may use an allocation: its own device's, a peer's to which it has enabled access, or
// pinned host memory.
func (c *context) reaches(a *allocation) bool {
	return a.owner == nil || a.owner == c || c.peers[a.owner]
}

// bytes returns n bytes of memory at p that the context reaches.
func (d *Driver) bytes(c *context, p driver.Ptr, n uint64) ([]byte, driver.Result) {
	a, inside := d.space.find(uint64(p))
	switch {
	case !inside:
		return nil, c.refuse(driver.ErrInvalidValue, "no memory at %#x", p)
	case a.freed.Load():
		return nil, c.refuse(driver.ErrInvalidValue, "the memory at %#x has been freed", p)
	case !c.reaches(a):
		return nil, c.refuse(driver.ErrInvalidValue, "the memory at %#x is on %s, whose access is not enabled", p, a.owner.dev.gpu.Bus)
	case uint64(p)+n < n || uint64(p)+n > a.end():
		return nil, c.refuse(driver.ErrInvalidValue, "%d bytes at %#x: the allocation of %d bytes at %#x ends before", n, p, len(a.data), a.base)
	}
	start := uint64(p) - a.base
	return a.data[start : start+n : start+n], driver.Success
}

func roundUp(n, multiple uint64) uint64 { return (n + multiple - 1) / multiple * multiple }
