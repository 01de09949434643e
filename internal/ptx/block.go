package ptx

// block runs blocks of threads, one after the other, with the same registers.
type block struct {
	k       *Kernel
	cfg     *LaunchConfig
	shape   [3]uint32
	turns   *turns
	gang    *gang
	rank    int // in its gang
	id      [3]uint32
	threads int
	warps   []warp
	shared  []byte
	regions []Region // of each memory instruction, the last that it used
	count   Counters
	shadow  *shadow // of shared memory, where it is watched
	bars    [16]barrier
	mbars   map[uint32]*mbarrier // by their offsets in shared memory
	running int                  // warps that have not ended
	visits  map[int]visit        // of warps of other blocks of the cluster
	groups  []warpGroup          // of four warps
	tensor  *tensorMemory        // nil for kernels that have none
}

// newBlock makes registers and shared memory.
func newBlock(k *Kernel, cfg *LaunchConfig, g *gang, rank int) *block {
	b := &block{
		k: k, cfg: cfg, gang: g, rank: rank, shape: cfg.Block, threads: int(cfg.Block[0] * cfg.Block[1] * cfg.Block[2]),
		shared:  make([]byte, k.Shared+int(cfg.Shared)),
		regions: make([]Region, k.sites),
	}
	b.warps = make([]warp, (b.threads+31)/32)
	if k.tensor {
		b.tensor = new(tensorMemory)
	}
	r32 := make([]lanes32, len(b.warps)*k.count32)
	r64 := make([]lanes64, len(b.warps)*k.count64)
	preds := make([]uint32, len(b.warps)*k.countP)
	for i := range b.warps {
		w := &b.warps[i]
		w.b, w.index = b, i
		w.r32, r32 = r32[:k.count32], r32[k.count32:]
		w.r64, r64 = r64[:k.count64], r64[k.count64:]
		w.preds, preds = preds[:k.countP], preds[k.countP:]
		w.all = allLanes
		if left := b.threads - 32*i; left < 32 {
			w.all = 1<<left - 1
		}
		w.fill()
	}
	return b
}

// fill sets the registers that no instruction writes.
func (w *warp) fill() {
	k := w.b.k
	for _, c := range k.consts32 {
		r := &w.r32[c.slot]
		for i := range r {
			r[i] = uint32(c.value)
		}
	}
	for _, c := range k.consts64 {
		w.fill64(c.slot, c.value)
	}
	for _, c := range k.constsP {
		w.preds[c.slot] = truth(c.value != 0)
	}
	for _, s := range k.specials {
		w.fillSpecial(s)
	}
	w.fillLaunch()
}

// fillLaunch sets the registers that depend on more than the shape of the blocks.
func (w *warp) fillLaunch() {
	k := w.b.k
	for _, b := range k.bound {
		w.fill64(b.slot, w.b.cfg.Globals[b.global]+uint64(b.offset))
	}
	for _, s := range k.specials {
		if s.what.ofGrid() {
			w.fillSpecial(s)
		}
	}
}

func (w *warp) fill64(slot int32, v uint64) {
	r := &w.r64[slot]
	for i := range r {
		r[i] = v
	}
}

func (w *warp) fillSpecial(s special) {
	r := &w.r32[s.slot]
	if s.what.ofBlock() || s.what.ofGrid() {
		v := w.special(s.what, 0)
		for i := range r {
			r[i] = v
		}
		return
	}
	for i := range r {
		r[i] = w.special(s.what, i)
	}
}

// start makes the block ready for its first instruction.
func (b *block) start(id [3]uint32) {
	b.id = id
	if b.gang.watch == nil {
		clear(b.shared)
	} else {
		for i := range b.shared {
			b.shared[i] = 0xff // NaN for every type
		}
	}
	for i := range b.bars {
		b.bars[i].have, b.bars[i].warps = 0, nil
		b.bars[i].known.forget()
	}
	b.running = len(b.warps)
	b.startGroups()
	if b.gang.watch != nil {
		b.mbars = map[uint32]*mbarrier{}
		b.visits = nil
	}
	if b.tensor != nil {
		b.tensor.start(len(b.gang.watch.known))
	}
	for i := range b.warps {
		b.warps[i].start()
	}
}

// start makes the warp ready for the block's first instruction.
func (w *warp) start() {
	w.pc, w.mask, w.live = 0, w.all, w.all
	w.limit = len(w.b.k.code)
	w.wants, w.alone = "", !w.b.cfg.Programmatic
	w.asks, w.arrived, w.stores, w.closed = nil, 0, w.stores[:0], lanes32{}
	w.waits, w.copies, w.commits = nil, w.copies[:0], lanes32{}
	w.ahead, w.held, w.parked = w.ahead[:0], w.held[:0], w.parked[:0]
	w.loads = w.loads[:0]
	w.behind.forget()
	for _, s := range w.b.k.specials {
		if s.what.ofBlock() {
			w.fillSpecial(s)
		}
	}
}
