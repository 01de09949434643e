package ptx

import "encoding/binary"

var order = binary.LittleEndian

// move loads or stores the lanes of mask whose addresses lie in r and returns the other lanes.
func (w *warp) move(m *access, r *Region, mask uint32) (left uint32) {
	if len(r.Data) < m.total() {
		return mask
	}
	inside := mask & lanes.within(&w.addr, r.Base, uint64(len(r.Data)-m.total()))
	switch {
	case inside == 0:
	case inside == allLanes && m.all32 != nil:
		m.all32(&w.r32[m.regs[0]], &m.regs, &w.addr, &r.Data[0], r.Base)
	case inside == allLanes && m.all64 != nil:
		m.all64(&w.r64[m.regs[0]], &m.regs, &w.addr, &r.Data[0], r.Base)
	case m.atomic != nil:
		w.atomics(m, r, inside)
	case m.bytes == 4 && !m.wide:
		w.words(m, r, inside)
	case m.write:
		w.store(m, r, inside)
	default:
		w.load(m, r, inside)
	}
	return mask &^ inside
}

// A movement is a kind of load or store: the bytes of an element, and how many a lane has.
type movement struct{ bytes, elements int }

// moves are its functions for all lanes at once. A lane's elements follow each other from data + addr - base; first is register regs[0], and the others are
// as far from it as their numbers.
type moves[R lanes32 | lanes64] struct {
	load, store func(first *R, regs *[4]int32, addr *lanes64, data *byte, base uint64)
}

// find returns the function that an access may use, or nil.
func (m moves[R]) find(a *access) func(first *R, regs *[4]int32, addr *lanes64, data *byte, base uint64) {
	switch {
	case a.write:
		return m.store
	case a.signed && a.bytes < 4:
		return nil
	}
	return m.load
}

// quicken gives a load or store its function for all lanes.
func (m *access) quicken() {
	kind := movement{m.bytes, m.vector}
	if !m.wide {
		m.all32 = lanes.moves32[kind].find(m)
	} else if m.bytes == 8 {
		m.all64 = lanes.moves64[kind].find(m)
	}
}

// words loads or stores words, which most elements are, lane by lane.
func (w *warp) words(m *access, r *Region, mask uint32) {
	for e := range m.vector {
		x, base := &w.r32[m.regs[e]], r.Base-uint64(4*e)
		if m.write {
			for left := mask; left != 0; left &= left - 1 {
				i := trailing(left)
				order.PutUint32(r.Data[w.addr[i]-base:], x[i])
			}
			continue
		}
		for left := mask; left != 0; left &= left - 1 {
			i := trailing(left)
			x[i] = order.Uint32(r.Data[w.addr[i]-base:])
		}
	}
}

// load loads elements of any size.
func (w *warp) load(m *access, r *Region, mask uint32) {
	for e := range m.vector {
		base := r.Base - uint64(m.bytes*e)
		for left := mask; left != 0; left &= left - 1 {
			i := trailing(left)
			w.setLane(m, m.regs[e], i, m.get(r.Data[w.addr[i]-base:]))
		}
	}
}

// store stores elements of any size.
func (w *warp) store(m *access, r *Region, mask uint32) {
	for e := range m.vector {
		base := r.Base - uint64(m.bytes*e)
		for left := mask; left != 0; left &= left - 1 {
			i := trailing(left)
			m.put(r.Data[w.addr[i]-base:], w.lane(m, m.regs[e], i))
		}
	}
}

// lane and setLane read and write a register that an access names, for one lane.

func (w *warp) lane(m *access, slot int32, i int) uint64 {
	if m.wide {
		return w.r64[slot][i]
	}
	return uint64(w.r32[slot][i])
}

func (w *warp) setLane(m *access, slot int32, i int, v uint64) {
	if m.wide {
		w.r64[slot][i] = v
		return
	}
	w.r32[slot][i] = uint32(v)
}

// get reads one element and extends it to 64 bits.
func (m *access) get(s []byte) uint64 {
	switch m.bytes {
	case 1:
		if m.signed {
			return uint64(int8(s[0]))
		}
		return uint64(s[0])
	case 2:
		if m.signed {
			return uint64(int16(order.Uint16(s)))
		}
		return uint64(order.Uint16(s))
	case 4:
		if m.signed {
			return uint64(int32(order.Uint32(s)))
		}
		return uint64(order.Uint32(s))
	}
	return order.Uint64(s)
}

func (m *access) put(s []byte, v uint64) {
	switch m.bytes {
	case 1:
		s[0] = byte(v)
	case 2:
		order.PutUint16(s, uint16(v))
	case 4:
		order.PutUint32(s, uint32(v))
	default:
		order.PutUint64(s, v)
	}
}
