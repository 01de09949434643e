package ptx

import (
	"math"
	"sync"
)

// atomicOp is what an atomic instruction has besides its access: the slots of what the word held and of the operands, and what
// it becomes.
type atomicOp struct {
	old     int32 // -1 where the instruction has no result
	a, b    int32 // of cas: what the word must hold, and what it becomes
	combine func(old, a, b uint64) uint64
}

// locks keep atomic operations of different blocks apart: an address has one of them. All launches share them because
// kernels of several streams may work on one word.
var locks [64]sync.Mutex

func lockOf(addr uint64) *sync.Mutex { return &locks[addr>>3%uint64(len(locks))] }

// atomics changes lane by lane, which is an order that hardware may choose too. On global memory the blocks take
// their turns.
func (w *warp) atomics(m *access, r *Region, mask uint32) {
	if m.space == globalSpace {
		w.b.awaitTurn()
	}
	for ; mask != 0; mask &= mask - 1 {
		lane := trailing(mask)
		at := r.Data[w.addr[lane]-r.Base:]
		lock := lockOf(w.addr[lane])
		lock.Lock()
		old := m.get(at)
		if v := m.atomic.combine(old, w.lane(m, m.atomic.a, lane), w.lane(m, m.atomic.b, lane)); v != old {
			m.put(at, v)
		}
		lock.Unlock()
		if m.atomic.old >= 0 {
			w.setLane(m, m.atomic.old, lane, old)
		}
	}
	w.b.gang.events++ // it may be what others wait for
}

// atom.space.op.type d, [a], b[, c] and red.space.op.type [a], b, with a strength and a scope in any place before op.
func (b *body) atom(o *opcode, args []operand) instr {
	m := &access{space: genericSpace, vector: 1, write: true}
	for o.takeAny(strengths) || o.takeAny(scopes) {
	}
	if name := o.take("global", "shared", "shared::cta", "shared::cluster"); name != "" {
		m.space = spaces[name]
	}
	name := b.need(o, "cas", "exch", "add", "min", "max", "and", "or", "xor", "inc", "dec")
	o.take("noftz")
	t := b.types(o, 1)[0]
	op := &atomicOp{old: -1, combine: combining(name, t)}
	if op.combine == nil || t.bits < 32 {
		b.unknown(o)
	}
	result := o.name[:3] != "red"
	sources := 1 + int(bit(name == "cas"))
	b.want(o.name, args, sources+1+int(bit(result)))
	b.site(m, t)
	if result {
		op.old = b.dest(args[0], t)
		args = args[1:]
	}
	b.address(args[0], m)
	op.a = b.source(args[1], t)
	op.b = op.a
	if sources == 2 {
		op.b = b.source(args[2], t)
	}
	m.atomic = op
	b.k.Ordered = b.k.Ordered || m.space != sharedSpace && m.space != clusterSpace
	return instr{kind: kindExec, exec: memory, access: m}
}

// combining returns what an atomic operation makes of a word, or nil where there is none.
func combining(name string, t dataType) func(old, a, b uint64) uint64 {
	switch name {
	case "cas":
		return func(old, a, b uint64) uint64 {
			if old == a {
				return b
			}
			return old
		}
	case "exch":
		return func(_, a, _ uint64) uint64 { return a }
	case "and":
		return func(old, a, _ uint64) uint64 { return old & a }
	case "or":
		return func(old, a, _ uint64) uint64 { return old | a }
	case "xor":
		return func(old, a, _ uint64) uint64 { return old ^ a }
	case "add":
		return adding(t)
	case "inc":
		return func(old, a, _ uint64) uint64 {
			if uint32(old) >= uint32(a) {
				return 0
			}
			return old + 1
		}
	case "dec":
		return func(old, a, _ uint64) uint64 {
			if uint32(old) == 0 || uint32(old) > uint32(a) {
				return a
			}
			return old - 1
		}
	}
	return choosing(name == "min", t)
}

func adding(t dataType) func(old, a, b uint64) uint64 {
	switch t.name {
	case "f32":
		return func(old, a, _ uint64) uint64 { return uint64(u32(f32(uint32(old)) + f32(uint32(a)))) }
	case "f64":
		return func(old, a, _ uint64) uint64 { return u64(f64(old) + f64(a)) }
	case "f16", "bf16":
		f := halfOf(t)
		return func(old, a, _ uint64) uint64 {
			return uint64(f.round(float64(f.value(uint16(old))) + float64(f.value(uint16(a)))))
		}
	case "f16x2", "bf16x2":
		add := halfOf(t).apply(func(a, b, _ float64) float64 { return a + b }, 2)
		return func(old, a, _ uint64) uint64 {
			x, y := lanes32{uint32(old)}, lanes32{uint32(a)}
			add(&x, &x, &y, &y)
			return uint64(x[0])
		}
	}
	cut := uint64(math.MaxUint64) >> (64 - t.bits)
	return func(old, a, _ uint64) uint64 { return (old + a) & cut }
}

// choosing is the smaller or larger of two integers.
func choosing(smaller bool, t dataType) func(old, a, b uint64) uint64 {
	if t.name == "f16" || t.name == "bf16" {
		return reduceFloat(smaller, halfOf(t))
	}
	if t.kind != signed && t.kind != unsigned {
		return nil
	}
	shift := 64 - t.bits
	return func(old, a, _ uint64) uint64 {
		less := old < a
		if t.kind == signed {
			less = int64(old<<shift) < int64(a<<shift)
		}
		if less == smaller {
			return old
		}
		return a
	}
}
