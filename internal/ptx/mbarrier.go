package ptx

import "fmt"

// mbarrier is a barrier in shared memory, where threads arrive and bytes of asynchronous copies are counted. Its phase ends when
// all have arrived and no byte is missing.
type mbarrier struct {
	at      uint32 // offset in shared memory
	count   int    // arrivals of a phase
	pending int    // of them still to come
	tx      int    // bytes announced and not copied; negative for bytes that came first
	phase   uint32
	maker   *warp // that ran mbarrier.init
	made    uint32
	now     knowledge // left by those who arrived in this phase
	done    knowledge // in the phases before
}

// maxPending is the largest count, and the most bytes that can be missing.
const maxPending = 1<<20 - 1

// mbarrier decodes the family.
func (b *body) mbarrier(o *opcode, args []operand) instr {
	b.k.async = true
	what := b.need(o, "init", "inval", "arrive", "expect_tx", "test_wait", "try_wait", "arrive_drop")
	expect := what == "expect_tx" || o.take("expect_tx") != ""
	parity := o.take("parity") != ""
	for o.takeAny(strengths) || o.takeAny(scopes) {
	}
	m := &access{space: clusterSpace, bytes: 8, vector: 1, write: true}
	o.take("shared", "shared::cta", "shared::cluster")
	if t := b.types(o, 1)[0]; t.name != "b64" {
		b.unknown(o)
	}
	u32Type := dataTypes["u32"]
	number := func(i int, otherwise uint64) int32 {
		if i < len(args) {
			return b.source(args[i], u32Type)
		}
		return b.constantSlot(file32, otherwise)
	}
	switch what {
	case "init":
		b.want(o.name, args, 2)
		b.address(args[0], m)
		return b.onBarrier(m, number(1, 0), (*warp).initBarrier)
	case "inval":
		b.want(o.name, args, 1)
		b.address(args[0], m)
		return b.onBarrier(m, number(1, 0), (*warp).dropBarrier)
	case "expect_tx":
		b.want(o.name, args, 2)
		b.address(args[0], m)
		return b.onBarrier(m, number(1, 0), (*warp).expect)
	case "test_wait", "try_wait":
		return b.waiting(o, args, m, parity, what == "try_wait")
	}
	if len(args) < 2 || len(args) > 3 || what == "arrive_drop" {
		b.unknown(o)
	}
	state := b.dest(args[0], dataTypes["b64"])
	b.address(args[1], m)
	arrive := (*warp).arrive
	if expect {
		arrive = (*warp).arriveExpecting
	}
	in := b.onBarrier(m, number(2, 1), arrive)
	in.d = state
	return in
}

// onBarrier makes an instruction that does something to a barrier with a number, lane by lane.
func (b *body) onBarrier(m *access, slot int32, do func(w *warp, bar *mbarrier, lane, n int) *Fault) instr {
	return instr{kind: kindExec, d: -1, exec: func(w *warp, in *instr, mask uint32) *Fault {
		w.addresses(m)
		addr := w.addr
		for left := mask; left != 0; left &= left - 1 {
			lane := trailing(left)
			bar, f := w.barrierAt(m, lane, addr[lane])
			if f != nil {
				return f
			}
			if in.d >= 0 {
				w.r64[in.d][lane] = uint64(bar.phase)
			}
			if f := do(w, bar, lane, int(w.r32[slot][lane])); f != nil {
				return f
			}
		}
		return nil
	}}
}

// barrierAt finds the barrier at an address, or makes room for one.
func (w *warp) barrierAt(m *access, lane int, addr uint64) (*mbarrier, *Fault) {
	w.addr[lane] = addr
	if addr&7 != 0 {
		return nil, w.badAccess(Misaligned, m, lane)
	}
	b, at, f := w.shared(m, lane, addr&(1<<windowBits-1), 8)
	if f != nil {
		return nil, f
	}
	bar := b.mbars[uint32(at)]
	if bar == nil {
		bar = &mbarrier{at: uint32(at)}
		b.mbars[uint32(at)] = bar
	}
	return bar, nil
}

// misuse is a fault of one lane.
func (w *warp) misuse(lane int, format string, args ...any) *Fault {
	f := w.fault(Misuse, 1<<lane)
	f.Detail = fmt.Sprintf(format, args...)
	return f
}

func (bar *mbarrier) String() string {
	return fmt.Sprintf("the barrier at %#x: phase %d, %d of %d arrivals and %d bytes missing", bar.at, bar.phase, bar.pending, bar.count, bar.tx)
}

func (w *warp) initBarrier(bar *mbarrier, lane, n int) *Fault {
	if n < 1 || n > maxPending {
		return w.misuse(lane, "a barrier of %d arrivals", n)
	}
	if bar.maker != nil && (bar.pending != bar.count || bar.tx != 0) {
		return w.misuse(lane, "%v: it is in use", bar)
	}
	*bar = mbarrier{at: bar.at, count: n, pending: n, maker: w, made: w.b.gang.watch.now, now: bar.now, done: bar.done}
	bar.now.forget()
	bar.done.forget()
	w.b.gang.watch.now++
	return nil
}

func (w *warp) dropBarrier(bar *mbarrier, lane, n int) *Fault {
	bar.maker = nil
	return nil
}

// usable tells what keeps the warp from using a barrier.
func (w *warp) usable(bar *mbarrier, lane int) *Fault {
	switch {
	case bar.maker == nil:
		return w.misuse(lane, "the barrier at %#x has not been initialised", bar.at)
	case bar.maker != w && w.b.gang.watch.known[w.agent()].seen[bar.maker.agent()] < bar.made:
		f := w.misuse(lane, "no barrier stands between this and mbarrier.init by warp %d of block %s at %#x", bar.maker.index, triple(bar.maker.b.id), bar.at)
		f.Kind = DataRace
		return f
	}
	return nil
}

func (w *warp) arrive(bar *mbarrier, lane, n int) *Fault {
	if f := w.usable(bar, lane); f != nil {
		return f
	}
	if n < 1 || n > bar.pending {
		return w.misuse(lane, "%d arrivals at %v", n, bar)
	}
	w.release(&bar.now)
	bar.pending -= n
	w.b.gang.advance(bar)
	return nil
}

func (w *warp) expect(bar *mbarrier, lane, n int) *Fault {
	if f := w.usable(bar, lane); f != nil {
		return f
	}
	if bar.tx += n; bar.tx > maxPending {
		return w.misuse(lane, "%d more bytes for %v", n, bar)
	}
	return nil
}

func (w *warp) arriveExpecting(bar *mbarrier, lane, n int) *Fault {
	if f := w.expect(bar, lane, n); f != nil {
		return f
	}
	return w.arrive(bar, lane, 1)
}

// advance ends the phase where nothing is missing.
func (g *gang) advance(bar *mbarrier) {
	g.events++
	if bar.pending != 0 || bar.tx != 0 {
		return
	}
	bar.phase++
	bar.pending = bar.count
	if bar.done.seen == nil {
		bar.done = g.watch.blank()
	}
	if bar.now.seen != nil {
		bar.done.join(&bar.now)
		bar.now.forget()
	}
}

// waiting is mbarrier.{test,try}_wait[.parity] p, [a], state or parity[, time]. A warp that finds the phase unfinished lets others
// run.
func (b *body) waiting(o *opcode, args []operand, m *access, parity, yields bool) instr {
	if len(args) != 3 && len(args) != 4 {
		b.unknown(o)
	}
	in := instr{kind: kindTry, d: b.dest(args[0], dataTypes["pred"])}
	b.address(args[1], m)
	var of int32
	if parity {
		of = b.source(args[2], dataTypes["u32"])
	} else {
		of = b.source(args[2], dataTypes["b64"])
	}
	in.exec = func(w *warp, in *instr, mask uint32) *Fault {
		w.addresses(m)
		addr, ended := w.addr, uint32(0)
		w.asks = nil
		for left := mask; left != 0; left &= left - 1 {
			lane := trailing(left)
			bar, f := w.barrierAt(m, lane, addr[lane])
			if f == nil {
				f = w.usable(bar, lane)
			}
			if f != nil {
				return f
			}
			phase := uint32(0)
			if parity {
				phase = w.r32[of][lane]
			} else {
				phase = uint32(w.r64[of][lane])
			}
			if bar.phase&1 == phase&1 {
				w.asks, w.asked = bar, phase&1
				continue
			}
			w.acquire(&bar.done)
			ended |= 1 << lane
		}
		w.keepP(in.d, ended, mask)
		return nil
	}
	return in
}

// copiesArrive is cp.async.mbarrier.arrive[.noinc].b64 [a]: an arrival when the thread's copies have landed, which they do at once.
func (b *body) copiesArrive(o *opcode, args []operand) instr {
	b.need(o, "arrive")
	noinc := o.take("noinc") != ""
	o.take("shared", "shared::cta")
	b.types(o, 1)
	b.want(o.name, args, 1)
	m := &access{space: clusterSpace, bytes: 8, vector: 1, write: true}
	b.address(args[0], m)
	return b.onBarrier(m, b.constantSlot(file32, 1), func(w *warp, bar *mbarrier, lane, n int) *Fault {
		w.land(1<<lane, waitAll)
		if !noinc {
			bar.pending++
		}
		return w.arrive(bar, lane, n)
	})
}
