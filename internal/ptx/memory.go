package ptx

// Memory finds the host memory behind global addresses. Launch calls it from
// several goroutines, and keeps what it returns while it runs.
type Memory interface {
	// Find returns the region that contains the address. Where none does it
	// returns the nearest one, for the report, or the zero Region.
	Find(addr uint64) Region
}

// Region is an allocation of global memory.
type Region struct {
	Base     uint64
	Data     []byte
	Freed    bool // accesses are faults
	ReadOnly bool // writes are
}

// holds reports whether the region contains n bytes at addr.
func (r *Region) holds(addr uint64, n int) bool {
	off := addr - r.Base
	return off < uint64(len(r.Data)) && uint64(len(r.Data))-off >= uint64(n)
}

// space is a state space of PTX.
type space uint8

const (
	genericSpace space = iota
	globalSpace
	constSpace
	sharedSpace
	localSpace
	paramSpace
)

var spaceNames = [...]string{"generic", "global", "const", "shared", "local", "param"}

func (s space) String() string { return spaceNames[s] }

// Shared and local memory appear in the generic address space from these
// addresses on. Global addresses lie below.
const (
	sharedWindow = 0x7e00_0000_0000
	localWindow  = 0x7f00_0000_0000
	windowBytes  = 1 << 32
)

// spaceOf returns the space that a generic address lies in, and its address there.
func spaceOf(addr uint64) (space, uint64) {
	switch {
	case addr-sharedWindow < windowBytes:
		return sharedSpace, addr - sharedWindow
	case addr-localWindow < windowBytes:
		return localSpace, addr - localWindow
	}
	return globalSpace, addr
}

// access is what a load, store or atomic instruction has besides its slots.
type access struct {
	space  space
	bytes  int  // of one element
	vector int  // elements: 1, 2 or 4
	wide   bool // elements live in file64
	signed bool // loads extend the sign
	write  bool
	regs   [4]int32 // elements
	base   int32    // slot of the address
	short  bool     // the address is in file32
	offset uint64
	site   int // index of the cached region
	atomic *atomicOp
}

// total is the number of bytes that a lane moves.
func (m *access) total() int { return m.bytes * m.vector }

// addresses computes where all lanes of a warp access memory, and returns the
// bits that are set in some address.
func (w *warp) addresses(m *access) (some uint64) {
	if m.short {
		for i, a := range &w.r32[m.base] {
			w.addr[i] = uint64(a) + m.offset
			some |= w.addr[i]
		}
		return some
	}
	base := &w.r64[m.base]
	for i := range base {
		a := base[i] + m.offset
		w.addr[i] = a
		some |= a
	}
	return some
}

// memory runs a load, store or atomic: it finds addresses, then lets each space
// that they lie in do its lanes.
func memory(w *warp, in *instr, mask uint32) *Fault {
	m := in.access
	if low := w.addresses(m) & uint64(m.total()-1); low != 0 {
		if f := w.misaligned(m, mask); f != nil {
			return f
		}
	}
	if m.space != genericSpace {
		return w.in(m.space, m, mask)
	}
	var masks [localSpace + 1]uint32
	for i := range w.addr {
		if mask>>i&1 == 0 {
			continue
		}
		var s space
		s, w.addr[i] = spaceOf(w.addr[i])
		masks[s] |= 1 << i
	}
	for s, lanes := range masks {
		if lanes == 0 {
			continue
		}
		if f := w.in(space(s), m, lanes); f != nil {
			return f
		}
	}
	return nil
}

// in runs a memory instruction for lanes whose addresses lie in one space.
func (w *warp) in(s space, m *access, mask uint32) *Fault {
	var r Region
	switch s {
	case globalSpace, constSpace:
		w.countGlobal(m, mask)
		r = w.b.regions[m.site]
	case sharedSpace:
		w.countShared(m, mask)
		r.Data = w.b.shared
	case paramSpace:
		r = Region{Data: w.b.cfg.Params, ReadOnly: true}
	case localSpace:
		if f := w.toLocal(m, mask); f != nil {
			return f
		}
		r.Data = w.local
	}
	for {
		if mask = w.move(m, &r, mask); mask == 0 {
			return nil
		}
		if f := w.another(s, m, &r, mask); f != nil {
			return f
		}
	}
}

// another finds the region of the first lane of mask.
func (w *warp) another(s space, m *access, r *Region, mask uint32) *Fault {
	lane := trailing(mask)
	addr := w.addr[lane]
	if s != globalSpace && s != constSpace {
		return w.badAccess(OutOfBounds, s, m, lane, addr)
	}
	*r = w.b.cfg.Memory.Find(addr)
	kind := OutOfBounds
	switch {
	case !r.holds(addr, m.total()):
	case r.Freed:
		kind = UseAfterFree
	case m.write && r.ReadOnly:
		kind = ReadOnly
	default:
		w.b.regions[m.site] = *r
		return nil
	}
	f := w.badAccess(kind, s, m, lane, addr)
	f.Nearest = *r
	return f
}

// toLocal turns addresses of lanes' local memory into places in the warp's.
func (w *warp) toLocal(m *access, mask uint32) *Fault {
	size := uint64(w.b.k.Local)
	for left := mask; left != 0; left &= left - 1 {
		lane := trailing(left)
		if a := w.addr[lane]; a >= size || size-a < uint64(m.total()) {
			return w.badAccess(OutOfBounds, localSpace, m, lane, a)
		}
		w.addr[lane] += uint64(lane) * size
	}
	return nil
}

// misaligned returns the fault of the first lane whose address is no multiple of
// what it accesses, or nil. Spaces start at multiples of every size.
func (w *warp) misaligned(m *access, mask uint32) *Fault {
	for left := mask; left != 0; left &= left - 1 {
		lane := trailing(left)
		addr := w.addr[lane]
		if addr&uint64(m.total()-1) == 0 {
			continue
		}
		s := m.space
		if s == genericSpace {
			s, addr = spaceOf(addr)
		}
		f := w.badAccess(Misaligned, s, m, lane, addr)
		if s == globalSpace {
			f.Nearest = w.b.cfg.Memory.Find(addr)
		}
		return f
	}
	return nil
}

func (w *warp) badAccess(kind FaultKind, s space, m *access, lane int, addr uint64) *Fault {
	f := w.fault(kind, 1<<lane)
	f.Access, f.Space, f.Address, f.Bytes = "read", s.String(), addr, m.total()
	if m.write {
		f.Access = "write"
	}
	switch s {
	case sharedSpace:
		f.Detail = fmtBytes("the block", len(w.b.shared))
	case localSpace:
		f.Detail = fmtBytes("a thread", w.b.k.Local)
	case paramSpace:
		f.Detail = fmtBytes("the kernel", w.b.k.ParamBytes)
	}
	return f
}
