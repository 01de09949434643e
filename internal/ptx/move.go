package ptx

import "encoding/binary"

var order = binary.LittleEndian

// move loads or stores the lanes of mask whose addresses lie in r and returns the other lanes.
func (w *warp) move(m *access, r *Region, mask uint32) (left uint32) {
	switch {
	case len(r.Data) < m.total():
		return mask
	case m.bytes != 4 || m.vector != 1 || m.wide || m.atomic != nil:
	case m.write:
		return w.store32(&w.r32[m.regs[0]], r, mask)
	default:
		return w.load32(&w.r32[m.regs[0]], r, mask)
	}
	inside := w.inside(r, mask, uint64(m.total()))
	switch {
	case inside == 0:
	case m.atomic != nil:
		w.atomics(m, r, inside)
	case m.write:
		w.store(m, r, inside)
	default:
		w.load(m, r, inside)
	}
	return mask &^ inside
}

// inside returns the lanes of mask whose n bytes lie in r.
func (w *warp) inside(r *Region, mask uint32, n uint64) (in uint32) {
	last := uint64(len(r.Data)) - n
	for left := mask; left != 0; left &= left - 1 {
		i := trailing(left)
		in |= bit(w.addr[i]-r.Base <= last) << i
	}
	return in
}

// row returns the memory of a warp whose 32 lanes access neighbouring words, or nil where they do not or r does not hold all
// of them.
func (w *warp) row(r *Region, mask uint32) []byte {
	at := w.addr[0]
	if mask != allLanes || w.addr[31] != at+31*4 || !r.holds(at, 32*4) {
		return nil
	}
	for i := range w.addr {
		if w.addr[i] != at {
			return nil
		}
		at += 4
	}
	return r.Data[w.addr[0]-r.Base:][:32*4]
}

// load32 loads words for the lanes of mask and returns those that lie outside r.
func (w *warp) load32(d *lanes32, r *Region, mask uint32) (left uint32) {
	if s := w.row(r, mask); s != nil {
		for i := range d {
			d[i] = order.Uint32(s[4*i:])
		}
		return 0
	}
	last := uint64(len(r.Data)) - 4
	for i := range d {
		switch at := w.addr[i] - r.Base; {
		case mask>>i&1 == 0:
		case at > last:
			left |= 1 << i
		default:
			d[i] = order.Uint32(r.Data[at:])
		}
	}
	return left
}

// store32 stores words for the lanes of mask and returns those that lie outside r.
func (w *warp) store32(d *lanes32, r *Region, mask uint32) (left uint32) {
	if s := w.row(r, mask); s != nil {
		for i := range d {
			order.PutUint32(s[4*i:], d[i])
		}
		return 0
	}
	last := uint64(len(r.Data)) - 4
	for i := range d {
		switch at := w.addr[i] - r.Base; {
		case mask>>i&1 == 0:
		case at > last:
			left |= 1 << i
		default:
			order.PutUint32(r.Data[at:], d[i])
		}
	}
	return left
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
