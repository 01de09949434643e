package ptx

import "math"

// Copies of boxes of tensors by maps, and reductions into global memory.

// bulkTensor is cp.async.bulk.tensor.Nd:
//
//	...shared::cluster.global[.tile].mbarrier::complete_tx::bytes[.multicast::cluster] [to], [map, {c0, ...}], [barrier][, mask]
//	...global.shared::cta[.tile].bulk_group [map, {c0, ...}], [from]
func (b *body) bulkTensor(o *opcode, args []operand) instr {
	return b.boxes(o, args, "")
}

// bulkReduce is cp.reduce.async.bulk[.tensor.Nd].global.shared::cta.
func (b *body) bulkReduce(o *opcode, args []operand) instr {
	b.k.async, b.k.Ordered = true, true
	b.need(o, "bulk")
	if o.take("tensor") != "" {
		return b.boxes(o, args, "reduce")
	}
	// The operation and the type stand behind what bulkLinear reads.
	parts := o.parts
	if len(parts) < 4 {
		b.unknown(o)
	}
	t, ok := dataTypes[parts[len(parts)-1]]
	parts = parts[:len(parts)-1]
	if parts[len(parts)-1] == "noftz" {
		parts = parts[:len(parts)-1]
	}
	combine := combining(parts[len(parts)-1], t)
	if !ok || combine == nil {
		b.unknown(o)
	}
	o.parts = parts[:len(parts)-1]
	return b.bulkLinear(o, args, combine, t.bits/8)
}

// boxes decodes copies by a map; how is "reduce" or "".
func (b *body) boxes(o *opcode, args []operand, how string) instr {
	rank := int(b.need(o, "1d", "2d", "3d", "4d", "5d")[0] - '0')
	to, from := b.need(o, "shared::cluster", "shared::cta", "global"), b.need(o, "global", "shared::cta")
	load := to != "global"
	if load != (from == "global") || load && how != "" || len(args) < 2 {
		b.unknown(o)
	}
	op := &bulkOp{mask: -1}
	reduction := ""
	if how != "" {
		reduction = b.need(o, "add", "min", "max", "inc", "dec", "and", "or", "xor")
	}
	o.take("tile")
	rest := b.completion(o, args[2:], op, load)
	b.types(o, 0)
	if len(rest) != 0 {
		b.failHere("%s has operands too many", o.name)
	}
	shared, tensor := args[0], args[1]
	if !load {
		shared, tensor = args[1], args[0]
	}
	if len(tensor.list) != rank {
		b.failHere("%s takes %d coordinates, have %d", o.name, rank, len(tensor.list))
	}
	for _, c := range tensor.list {
		op.coords = append(op.coords, b.source(c, dataTypes["s32"]))
	}
	op.shared = b.pointer(shared, clusterSpace, load)
	op.global = b.pointer(tensor, genericSpace, !load)
	if load {
		return b.each(op, (*warp).loadBox)
	}
	return b.each(op, func(w *warp, op *bulkOp, lane int) *Fault { return w.storeBox(op, lane, reduction) })
}

// tensorMap reads the map of a copy, from parameters or global memory.
func (w *warp) tensorMap(op *bulkOp, lane int) (*TensorMap, *Fault) {
	addr := w.at(op.global, lane)
	if addr%64 != 0 {
		return nil, w.badAccess(Misaligned, op.global, lane)
	}
	var data []byte
	if at := addr - paramWindow; at < uint64(len(w.b.cfg.Params)) {
		data = w.b.cfg.Params[at:min(at+128, uint64(len(w.b.cfg.Params)))]
	} else {
		var f *Fault
		if data, f = w.span(op.global, lane, addr, 128); f != nil {
			return nil, f
		}
	}
	m, err := DecodeTensorMap(data)
	if err != nil {
		return nil, w.misuse(lane, "at %#x: %v", addr, err)
	}
	if m.Rank != len(op.coords) {
		return nil, w.misuse(lane, "a map of rank %d", m.Rank)
	}
	return m, nil
}

// box is a copy's place in a tensor.
type box struct {
	*TensorMap
	size   int      // bytes of an element
	counts [5]int   // elements that are copied along each axis
	at     [5]int64 // coordinates of the first
}

func (w *warp) box(m *TensorMap, op *bulkOp, lane int) *box {
	b := &box{TensorMap: m, size: m.Type.Size()}
	for i := range b.counts {
		if b.counts[i] = 1; i < m.Rank {
			step := max(int(m.Steps[i]), 1)
			b.counts[i] = (int(m.Box[i]) + step - 1) / step
			b.at[i] = int64(int32(w.r32[op.coords[i]][lane]))
		}
	}
	return b
}

// bytes is what a copy moves in shared memory.
func (b *box) bytes() int {
	n := b.size
	for _, c := range b.counts {
		n *= c
	}
	return n
}

// rows calls f for each row of the box: where it starts in the box, the address of its first element within the tensor, and how
// many elements before and behind lie outside.
func (b *box) rows(f func(at int, addr uint64, before, inside int) *Fault) *Fault {
	row := b.counts[0] * b.size
	before := int(min(max(-b.at[0], 0), int64(b.counts[0])))
	inside := int(min(max(int64(b.Extents[0])-b.at[0], 0), int64(b.counts[0]))) - before
	rows := b.bytes() / row
	for r := range rows {
		addr, out, rest := b.Address+uint64(max(b.at[0], 0)*int64(b.size)), inside <= 0, r
		for i := 1; i < b.Rank; i++ {
			c := b.at[i] + int64(rest%b.counts[i])*int64(max(b.Steps[i], 1))
			rest /= b.counts[i]
			out = out || c < 0 || uint64(c) >= b.Extents[i]
			addr += uint64(c) * b.Strides[i-1]
		}
		n := inside
		if out {
			n = 0
		}
		if f := f(r*row, addr, before, n); f != nil {
			return f
		}
	}
	return nil
}

// swizzled moves the 16-byte piece of an offset in shared memory as a map's swizzle says.
func swizzled(at uint32, swizzle uint32) uint32 {
	switch swizzle {
	case 1:
		return at ^ at>>3&0x10
	case 2:
		return at ^ at>>3&0x30
	case 3:
		return at ^ at>>3&0x70
	}
	return at
}

// place checks a box and finds its place in shared memory. A row starts at a multiple of 16 bytes in global memory, beside the tensor
// too: at other coordinates an H100 reports an illegal instruction.
func (w *warp) place(b *box, op *bulkOp, lane int) (to *block, at uint64, f *Fault) {
	shared := w.at(op.shared, lane)
	if shared%128 != 0 {
		return nil, 0, w.badAccess(Misaligned, op.shared, lane)
	}
	if first := b.at[0] * int64(b.size); first%16 != 0 {
		f := w.misuse(lane, "the first coordinate is %d, which is %d bytes: no multiple of 16", b.at[0], first)
		f.Kind = IllegalInstruction
		return nil, 0, f
	}
	// Hardware takes shorter rows too; where it puts them is not simulated.
	if width := 16 << b.Swizzle; b.Swizzle > 0 && b.counts[0]*b.size != width {
		return nil, 0, w.misuse(lane, "rows of %d bytes in a box with a swizzle of %d", b.counts[0]*b.size, width)
	}
	if b.Interleave != 0 || b.Steps[0] > 1 {
		return nil, 0, w.misuse(lane, "an interleaved map, or one with steps along its first axis")
	}
	return w.shared(op.shared, lane, shared, b.bytes())
}

func (w *warp) loadBox(op *bulkOp, lane int) *Fault {
	m, f := w.tensorMap(op, lane)
	if f != nil {
		return f
	}
	b := w.box(m, op, lane)
	_, base, f := w.place(b, op, lane)
	if f != nil {
		return f
	}
	shared, n := w.addr[lane], b.bytes()
	data := make([]byte, n)
	if b.NaNs {
		for i := range data {
			data[i] = [2]byte{0xf7, 0x7f}[i%2] // 0x7ff7, over and over, as an H100 fills
		}
	}
	f = b.rows(func(at int, addr uint64, before, inside int) *Fault {
		if inside == 0 {
			return nil
		}
		from, f := w.span(op.global, lane, addr, inside*b.size)
		if f == nil {
			b.convert(data[at+before*b.size:][:inside*b.size], from)
			w.countBulk(inside * b.size)
		}
		return f
	})
	if f != nil {
		return f
	}
	var pieces []piece
	if b.Swizzle == 0 {
		pieces = []piece{{0, data}}
	} else {
		for at := 0; at < n; at += 16 {
			pieces = append(pieces, piece{swizzled(uint32(base)+uint32(at), b.Swizzle) - uint32(base), data[at:min(at+16, n)]})
		}
	}
	w.addr[lane] = shared
	return w.startCopies(op, lane, shared, pieces, n)
}

// convert copies elements; those of a tf32 map are rounded on the way.
func (b *box) convert(to, from []byte) {
	copy(to, from)
	if b.Type != tensorTF32 && b.Type != tensorTF32+1 {
		return
	}
	for i := 0; i < len(to); i += 4 {
		order.PutUint32(to[i:], roundTF32(order.Uint32(from[i:]), "rn"))
	}
}

const tensorTF32 = 11

// storeBox writes a box, or combines it with what is there.
func (w *warp) storeBox(op *bulkOp, lane int, reduction string) *Fault {
	m, f := w.tensorMap(op, lane)
	if f != nil {
		return f
	}
	b := w.box(m, op, lane)
	block, at, f := w.place(b, op, lane)
	if f == nil {
		f = w.startStore(block, op, lane, at, b.bytes())
	}
	if f != nil {
		return f
	}
	put := *op
	if reduction != "" {
		put.elem = b.size
		if put.combine = combining(reduction, tensorElement(m.Type)); put.combine == nil {
			return w.misuse(lane, "no %s of this type", reduction)
		}
	}
	row := make([]byte, b.counts[0]*b.size)
	return b.rows(func(from int, addr uint64, before, inside int) *Fault {
		if inside == 0 {
			return nil
		}
		for i := 0; i < len(row); i += 16 {
			where := swizzled(uint32(at)+uint32(from+i), b.Swizzle)
			copy(row[i:min(i+16, len(row))], block.shared[where:])
		}
		to, f := w.span(op.global, lane, addr, inside*b.size)
		if f == nil {
			w.put(&put, addr, to, row[before*b.size:][:inside*b.size])
			w.countBulk(inside * b.size)
		}
		return f
	})
}

// tensorElement is the type of a map's elements, by their numbers.
func tensorElement(t TensorMapType) dataType {
	names := [...]string{"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32", "f32", "f32"}
	return dataTypes[names[min(int(t), len(names)-1)]]
}

// reduceFloat is the smaller, or larger, of two floats.
func reduceFloat(smaller bool, f halfFormat) func(old, a, b uint64) uint64 {
	return func(old, a, _ uint64) uint64 {
		x, y := float64(f.value(uint16(old))), float64(f.value(uint16(a)))
		if smaller {
			return uint64(f.round(math.Min(x, y)))
		}
		return uint64(f.round(math.Max(x, y)))
	}
}
