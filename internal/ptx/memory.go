package ptx

import "fmt"

// Memory finds the host memory behind global addresses. Launch calls it from several goroutines, and keeps what it returns
// while it runs.
type Memory interface {
	// Find returns the region that contains the address. Where none does it returns the nearest one, for the report, or the
	// zero Region.
	Find(addr uint64) Region
}

// Region is an allocation of global memory.
type Region struct {
	Base  uint64
	Data  []byte
	Freed bool // accesses are faults
}

// holds reports whether the region contains n bytes at addr.
func (r *Region) holds(addr uint64, n int) bool {
	off := addr - r.Base
	return off < uint64(len(r.Data)) && uint64(len(r.Data))-off >= uint64(n)
}

// space is a state space of PTX.
type space uint8

const (
	globalSpace space = iota
	constSpace
	sharedSpace
	paramSpace
	clusterSpace // shared memory of the blocks of a cluster
	genericSpace // global memory, and windows of shared memory and parameters
)

var spaceNames = [...]string{"global", "const", "shared", "param", "shared::cluster", "generic"}

func (s space) String() string { return spaceNames[s] }

// access is what a load, store or atomic instruction has besides its slots.
type access struct {
	space  space
	bytes  int  // of one element
	vector int  // elements: 1, 2 or 4
	wide   bool // elements live in file64
	signed bool // loads extend the sign
	strong bool // volatile, relaxed, acquire or release: races are meant
	write  bool
	regs   [4]int32 // elements
	base   int32    // slot of the address
	short  bool     // the address is in file32
	offset uint64
	site   int // index of the cached region
	atomic *atomicOp
	all32  func(first *lanes32, regs *[4]int32, addr *lanes64, data *byte, base uint64) // of all lanes, or nil
	all64  func(first *lanes64, regs *[4]int32, addr *lanes64, data *byte, base uint64)
}

// total is the number of bytes that a lane moves.
func (m *access) total() int { return m.bytes * m.vector }

// addresses computes where all lanes of a warp access memory, and returns the bits that are set in some address.
func (w *warp) addresses(m *access) (some uint64) {
	if m.short {
		return lanes.addresses32(&w.addr, &w.r32[m.base], m.offset)
	}
	return lanes.addresses64(&w.addr, &w.r64[m.base], m.offset)
}

// addAddresses computes base + offset, and returns the bits that are set in some lane of d.
func addAddresses[T word](d *lanes64, base *[32]T, offset uint64) (some uint64) {
	for i, a := range base {
		d[i] = uint64(a) + offset
		some |= d[i]
	}
	return some
}

// within returns the lanes with addr - base ≤ last.
func within(addr *lanes64, base, last uint64) (in uint32) {
	for i, a := range addr {
		in |= bit(a-base <= last) << i
	}
	return in
}

// memory runs a load, a store or an atomic operation: it computes the addresses, then moves the lanes of one region after
// the other.
func memory(w *warp, in *instr, mask uint32) *Fault {
	m := in.access
	if m.space == genericSpace {
		return w.generic(in, mask)
	}
	if low := w.addresses(m) & uint64(m.total()-1); low != 0 {
		if f := w.misaligned(m, mask); f != nil {
			return f
		}
	}
	var r Region
	switch m.space {
	case globalSpace, constSpace:
		w.countGlobal(m, mask)
		if m.strong {
			w.b.awaitTurn()
		}
		r = w.b.regions[m.site]
	case sharedSpace:
		w.countShared(m, mask)
		r.Data = w.b.shared
		if w.b.shadow != nil && !m.strong && m.atomic == nil {
			if f := w.watchShared(m, mask); f != nil {
				return f
			}
		}
	case clusterSpace:
		return w.remote(m, mask)
	case paramSpace:
		r.Data = w.b.cfg.Params
	}
	for {
		if mask = w.move(m, &r, mask); mask == 0 {
			return nil
		}
		if f := w.another(m, &r, mask); f != nil {
			return f
		}
	}
}

// another finds the region of the first lane of mask.
func (w *warp) another(m *access, r *Region, mask uint32) *Fault {
	lane := trailing(mask)
	addr := w.addr[lane]
	if m.space != globalSpace && m.space != constSpace {
		return w.badAccess(OutOfBounds, m, lane)
	}
	if !w.alone {
		f := w.badAccess(DataRace, m, lane)
		f.Detail = "no griddepcontrol.wait stands between the kernel ahead and this"
		return f
	}
	*r = w.b.cfg.Memory.Find(addr)
	kind := OutOfBounds
	switch {
	case !r.holds(addr, m.total()):
	case r.Freed:
		kind = UseAfterFree
	default:
		w.b.regions[m.site] = *r
		return nil
	}
	f := w.badAccess(kind, m, lane)
	f.Nearest = *r
	return f
}

// misaligned returns the fault of the first lane whose address is no multiple of what it accesses, or nil. Spaces start at
// multiples of every size.
func (w *warp) misaligned(m *access, mask uint32) *Fault {
	for left := mask; left != 0; left &= left - 1 {
		lane := trailing(left)
		addr := w.addr[lane]
		if addr&uint64(m.total()-1) == 0 {
			continue
		}
		f := w.badAccess(Misaligned, m, lane)
		if m.space == globalSpace {
			f.Nearest = w.b.cfg.Memory.Find(addr)
		}
		return f
	}
	return nil
}

// badAccess is the fault of a lane's access.
func (w *warp) badAccess(kind FaultKind, m *access, lane int) *Fault {
	f := w.fault(kind, 1<<lane)
	f.Access, f.Space, f.Address, f.Bytes = "read", m.space.String(), w.addr[lane], m.total()
	if m.write {
		f.Access = "write"
	}
	switch m.space {
	case sharedSpace, clusterSpace:
		f.Detail = fmt.Sprintf("the block has %d bytes", len(w.b.shared))
	case paramSpace:
		f.Detail = fmt.Sprintf("the kernel has %d bytes", w.b.k.ParamBytes)
	}
	return f
}
