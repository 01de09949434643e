package ptx

import "sync"

// atomicOp is the operation of an atom or red instruction: the new value of a
// word from the old one and the operands.
type atomicOp struct {
	apply func(old, b, c uint64) uint64
	b, c  int32 // slots of the operands
	d     int32 // slot of the old value, or -1
	// ordered tells that the order of blocks shows in the word or in what the
	// kernel reads of it.
	ordered bool
}

// stripes keep atomic operations of different blocks apart. They are shared by
// all launches because kernels of several streams may work on one word.
var stripes [64]sync.Mutex

// atomics runs an atomic operation lane by lane, which is an order that hardware
// may choose too.
func (w *warp) atomics(m *access, r *Region, mask uint32) {
	op := m.atomic
	if op.ordered {
		w.b.awaitTurn()
	}
	for ; mask != 0; mask &= mask - 1 {
		lane := trailing(mask)
		at := r.Data[w.addr[lane]-r.Base:]
		var b, c, old uint64
		if m.wide {
			b, c = w.r64[op.b][lane], w.r64[op.c][lane]
		} else {
			b, c = uint64(w.r32[op.b][lane]), uint64(w.r32[op.c][lane])
		}
		lock := &stripes[w.addr[lane]>>3%uint64(len(stripes))]
		lock.Lock()
		old = m.get(at)
		m.put(at, op.apply(old, b, c))
		lock.Unlock()
		switch {
		case op.d < 0:
		case m.wide:
			w.r64[op.d][lane] = old
		default:
			w.r32[op.d][lane] = uint32(old)
		}
	}
}

// atomicUse is an atomic on memory that blocks share.
type atomicUse struct {
	op       *atomicOp
	file     file
	commutes bool // several such operations leave the same word in any order
}

// order finds the atomics for which the order of blocks matters, and reports
// whether there are any.
func (b *body) order() (some bool) {
	for _, a := range b.atomics {
		a.op.ordered = !a.commutes || a.op.d >= 0 && b.reads[a.file][a.op.d]
		some = some || a.op.ordered
	}
	return some
}

// applied is a row of the table of atomic operations.
type applied struct {
	apply    func(old, b, c uint64) uint64
	commutes bool
}

func increment(old, b, _ uint64) uint64 {
	if old >= b {
		return 0
	}
	return old + 1
}

func decrement(old, b, _ uint64) uint64 {
	if old == 0 || old > b {
		return b
	}
	return old - 1
}

func compareSwap(old, b, c uint64) uint64 {
	if old == b {
		return c
	}
	return old
}

var atomicOps = map[string]applied{
	"add.u32":  {func(a, b, _ uint64) uint64 { return uint64(uint32(a) + uint32(b)) }, true},
	"add.s32":  {func(a, b, _ uint64) uint64 { return uint64(uint32(a) + uint32(b)) }, true},
	"add.u64":  {func(a, b, _ uint64) uint64 { return a + b }, true},
	"add.f32":  {func(a, b, _ uint64) uint64 { return uint64(u32(f32(uint32(a)) + f32(uint32(b)))) }, false},
	"add.f64":  {func(a, b, _ uint64) uint64 { return u64(f64(a) + f64(b)) }, false},
	"min.u32":  {func(a, b, _ uint64) uint64 { return min(a, b) }, true},
	"max.u32":  {func(a, b, _ uint64) uint64 { return max(a, b) }, true},
	"min.u64":  {func(a, b, _ uint64) uint64 { return min(a, b) }, true},
	"max.u64":  {func(a, b, _ uint64) uint64 { return max(a, b) }, true},
	"min.s32":  {func(a, b, _ uint64) uint64 { return uint64(uint32(min(int32(a), int32(b)))) }, true},
	"max.s32":  {func(a, b, _ uint64) uint64 { return uint64(uint32(max(int32(a), int32(b)))) }, true},
	"min.s64":  {func(a, b, _ uint64) uint64 { return uint64(min(int64(a), int64(b))) }, true},
	"max.s64":  {func(a, b, _ uint64) uint64 { return uint64(max(int64(a), int64(b))) }, true},
	"inc.u32":  {increment, false},
	"dec.u32":  {decrement, false},
	"and.b32":  {func(a, b, _ uint64) uint64 { return a & b }, true},
	"or.b32":   {func(a, b, _ uint64) uint64 { return a | b }, true},
	"xor.b32":  {func(a, b, _ uint64) uint64 { return a ^ b }, true},
	"and.b64":  {func(a, b, _ uint64) uint64 { return a & b }, true},
	"or.b64":   {func(a, b, _ uint64) uint64 { return a | b }, true},
	"xor.b64":  {func(a, b, _ uint64) uint64 { return a ^ b }, true},
	"exch.b32": {func(_, b, _ uint64) uint64 { return b }, false},
	"exch.b64": {func(_, b, _ uint64) uint64 { return b }, false},
	"cas.b32":  {compareSwap, false},
	"cas.b64":  {compareSwap, false},
}
