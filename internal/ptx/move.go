package ptx

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

var order = binary.LittleEndian

// trailing returns the first lane of a mask that is not empty.
func trailing(mask uint32) int { return bits.TrailingZeros32(mask) & 31 }

func fmtBytes(owner string, n int) string { return fmt.Sprintf("%s has %d bytes", owner, n) }

// move loads or stores the lanes of mask whose addresses lie in r and returns
// the other lanes.
func (w *warp) move(m *access, in *instr, r *Region, mask uint32) (left uint32) {
	inside := w.inside(r, mask, uint64(m.total()))
	if inside == 0 || m.write && r.ReadOnly {
		return mask
	}
	switch {
	case m.atomic != nil:
		w.atomics(m, in, r, inside)
	case m.write:
		w.store(m, r, inside)
	default:
		w.load(m, r, inside)
	}
	return mask &^ inside
}

// inside returns the lanes of mask whose addresses lie in r.
func (w *warp) inside(r *Region, mask uint32, n uint64) (in uint32) {
	if uint64(len(r.Data)) < n {
		return 0
	}
	last := uint64(len(r.Data)) - n
	for i := range w.addr {
		if w.addr[i]-r.Base <= last {
			in |= 1 << i
		}
	}
	return in & mask
}

// run32 returns the memory of a warp whose 32 lanes access n bytes each, one
// after the other, or nil.
func (w *warp) run32(r *Region, mask uint32, n uint64) []byte {
	if mask != allLanes {
		return nil
	}
	at := w.addr[0]
	for i := range w.addr {
		if w.addr[i] != at {
			return nil
		}
		at += n
	}
	return r.Data[w.addr[0]-r.Base:][:32*n]
}

func (w *warp) load(m *access, r *Region, mask uint32) {
	if m.bytes == 4 && !m.wide {
		if m.vector == 1 {
			if s := w.run32(r, mask, 4); s != nil {
				d := &w.r32[m.regs[0]]
				for i := range d {
					d[i] = order.Uint32(s[i*4:])
				}
				return
			}
		}
		for e := range m.vector {
			d := &w.r32[m.regs[e]]
			base := r.Base - uint64(4*e)
			for left := mask; left != 0; left &= left - 1 {
				i := trailing(left)
				d[i] = order.Uint32(r.Data[w.addr[i]-base:])
			}
		}
		return
	}
	for e := range m.vector {
		for left := mask; left != 0; left &= left - 1 {
			i := trailing(left)
			v := m.get(r.Data[w.addr[i]-r.Base+uint64(m.bytes*e):])
			if m.wide {
				w.r64[m.regs[e]][i] = v
			} else {
				w.r32[m.regs[e]][i] = uint32(v)
			}
		}
	}
}

func (w *warp) store(m *access, r *Region, mask uint32) {
	if m.bytes == 4 && !m.wide {
		if m.vector == 1 {
			if s := w.run32(r, mask, 4); s != nil {
				for i, v := range &w.r32[m.regs[0]] {
					order.PutUint32(s[i*4:], v)
				}
				return
			}
		}
		for e := range m.vector {
			d := &w.r32[m.regs[e]]
			base := r.Base - uint64(4*e)
			for left := mask; left != 0; left &= left - 1 {
				i := trailing(left)
				order.PutUint32(r.Data[w.addr[i]-base:], d[i])
			}
		}
		return
	}
	for e := range m.vector {
		for left := mask; left != 0; left &= left - 1 {
			i := trailing(left)
			to := r.Data[w.addr[i]-r.Base+uint64(m.bytes*e):]
			if m.wide {
				m.put(to, w.r64[m.regs[e]][i])
			} else {
				m.put(to, uint64(w.r32[m.regs[e]][i]))
			}
		}
	}
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
