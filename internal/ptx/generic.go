package ptx

// Generic addresses are those of global memory, but for two windows.
const (
	sharedWindow = 0x7f << 56
	paramWindow  = 0x7e << 56
	windowBits   = 56
)

func toWindow(d, a, _, _ *lanes64)        { shift64(d, a, sharedWindow) }
func fromWindow(d, a, _, _ *lanes64)      { shift64(d, a, -sharedWindow&(1<<64-1)) }
func toParamWindow(d, a, _, _ *lanes64)   { shift64(d, a, paramWindow) }
func fromParamWindow(d, a, _, _ *lanes64) { shift64(d, a, -paramWindow&(1<<64-1)) }

func shift64(d, a *lanes64, by uint64) {
	for i := range d {
		d[i] = a[i] + by
	}
}

// generic runs an access by the space that its addresses name. Those of a warp lie in one.
func (w *warp) generic(in *instr, mask uint32) *Fault {
	m := *in.access
	m.space = globalSpace
	base := uint64(0)
	switch (w.r64[m.base][trailing(mask)] + m.offset) >> windowBits {
	case sharedWindow >> windowBits:
		m.space, base = clusterSpace, sharedWindow
	case paramWindow >> windowBits:
		m.space, base = paramSpace, paramWindow
	}
	m.offset -= base
	if m.space == clusterSpace && len(w.b.gang.blocks) == 1 {
		m.space = sharedSpace
	}
	inner := *in
	inner.access = &m
	return memory(w, &inner, mask)
}

// remote runs an access to shared memory of the blocks of a cluster, lane by lane.
func (w *warp) remote(m *access, mask uint32) *Fault {
	w.countShared(m, mask)
	for left := mask; left != 0; left &= left - 1 {
		lane := trailing(left)
		b, at, f := w.shared(m, lane, w.addr[lane], m.total())
		if f != nil {
			return f
		}
		if b.shadow != nil && !m.strong && m.atomic == nil {
			if f := w.watchRange(b, m, lane, at, uint64(m.total())); f != nil {
				return f
			}
		}
		r := Region{Base: w.addr[lane] - at, Data: b.shared}
		w.move(m, &r, 1<<lane)
	}
	return nil
}

// The rank of a block in its cluster, plus one, stands in the upper bits of an address of shared memory; nothing there is the
// own block.
const rankShift = 24

// shared finds n bytes of shared memory by their address in the cluster.
func (w *warp) shared(m *access, lane int, addr uint64, n int) (b *block, at uint64, f *Fault) {
	b, at = w.b, addr&(1<<rankShift-1)
	if rank := addr >> rankShift; rank > 0 {
		if rank > uint64(len(b.gang.blocks)) {
			return nil, 0, w.badAccess(OutOfBounds, m, lane)
		}
		b = b.gang.blocks[rank-1]
	}
	if at+uint64(n) > uint64(len(b.shared)) {
		return nil, 0, w.badAccess(OutOfBounds, m, lane)
	}
	return b, at, w.visit(b)
}

// mapa.space.u32 d, a, rank: the address of a in the block of that rank.
func (b *body) mapa(o *opcode, args []operand) instr {
	b.need(o, "shared::cluster")
	t := b.types(o, 1)[0]
	b.want(o.name, args, 3)
	if t.name != "u32" {
		b.unknown(o)
	}
	return instr{kind: kind32, d: b.dest(args[0], t), a: b.source(args[1], t), b: b.source(args[2], t),
		op32: func(d, a, b, _ *lanes32) {
			for i := range d {
				d[i] = a[i]&(1<<rankShift-1) | (b[i]+1)<<rankShift
			}
		}}
}
