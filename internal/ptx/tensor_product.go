package ptx

import "fmt"

// tensorProduct is a tcgen05.mma that has not ended.
type tensorProduct struct {
	by             *warp
	lane           int
	first, columns int      // of D
	chunks         []uint32 // of shared memory that it reads
}

// tensorCommit is a tcgen05.commit: the arrival at a barrier once products have ended, those of one thread in their order.
type tensorCommit struct {
	block    *block
	barrier  *mbarrier
	products []tensorProduct
	by       *warp
	lane, pc int
	known    knowledge // of the warp that issued it
}

// instructionDescriptor is what tcgen05.mma is to compute (PTX ISA, instruction descriptors of kind::f16).
type instructionDescriptor uint32

func (d instructionDescriptor) field(from, bits int) uint32 { return uint32(d) >> from & (1<<bits - 1) }

// problem tells what is wrong with it, or not known here.
func (d instructionDescriptor) problem() string {
	m, n := d.rows(), d.columns()
	switch {
	case d&^(1<<4|7<<7|7<<10|0xf<<13|0x3f<<17|0x1f<<24) != 0:
		return "it has bits that are not known"
	case d.field(4, 2) != 1:
		return "D is not of float32"
	case d.field(7, 3) > 1 || d.field(7, 3) != d.field(10, 3):
		return "A and B are neither both f16 nor both bf16"
	case m != tensorLanes:
		return fmt.Sprintf("%d rows, and those of %d are known", m, tensorLanes)
	case n < 16 || n > 256 || n%16 != 0:
		return fmt.Sprintf("%d columns, which are no multiple of 16 up to 256", n)
	}
	return ""
}

func (d instructionDescriptor) rows() int    { return int(d.field(24, 5)) << 4 }
func (d instructionDescriptor) columns() int { return int(d.field(17, 6)) << 3 }

// product is what it says as wgmma has it.
func (d instructionDescriptor) product() groupProduct {
	p := groupProduct{n: d.columns(), k: 16, size: 2, f: formatF16, negateA: d.field(13, 1) != 0, negateB: d.field(14, 1) != 0}
	p.transA, p.transB = d.field(15, 1) != 0, d.field(16, 1) != 0
	if d.field(7, 3) == 1 {
		p.f = formatBF16
	}
	return p
}

// tensorProduct is tcgen05.mma.cta_group::1.kind::f16 [d], A, B, instruction, p, by one thread: D = A B, added to D where p.
func (b *body) tensorProduct(o *opcode, args []operand) instr {
	b.oneBlock(o, false)
	b.need(o, "kind::f16")
	b.types(o, 0)
	b.want(o.name, args, 5)
	d, t := b.tensorAddress(o, args[0]), dataTypes["b64"]
	descA, descB, what := b.source(args[1], t), b.source(args[2], t), b.source(args[3], dataTypes["b32"])
	add, not := b.predicateSource(args[4]), negated(args[4])
	return instr{kind: kindExec, exec: func(w *warp, _ *instr, mask uint32) *Fault {
		lane := trailing(mask)
		of, at := instructionDescriptor(w.r32[what][lane]), w.r32[d][lane]
		first, n := int(at&0xffff), of.columns()
		problem := of.problem()
		switch {
		case mask&(mask-1) != 0:
			return w.misuse(lane, "more than one thread issues it")
		case problem != "":
			return w.misuse(lane, "the instruction descriptor %#x: %s", uint32(of), problem)
		case at>>16 != 0:
			return w.misuse(lane, "D does not start in lane 0 of tensor memory")
		}
		if problem := w.b.tensor.holds(first, n); problem != "" {
			return w.misuse(lane, "%s", problem)
		}
		keeps := (w.preds[add]^not)>>lane&1 != 0
		product := tensorProduct{by: w, lane: lane, first: first, columns: n}
		if f := w.ownsColumns(&product, keeps); f != nil {
			return f
		}
		p, rows := of.product(), w.b.tensor.rows[:]
		a, b := rows[:tensorLanes], rows[tensorLanes:][:n]
		if f := w.tensorMatrix(&product, &p, w.r64[descA][lane], p.transA, "A", a, p.negateA); f != nil {
			return f
		}
		if f := w.tensorMatrix(&product, &p, w.r64[descB][lane], p.transB, "B", b, p.negateB); f != nil {
			return f
		}
		w.addTensor(&p, a, b, first, keeps)
		w.b.tensor.issued = append(w.b.tensor.issued, product)
		w.b.gang.events++
		return nil
	}}
}

// ownsColumns checks the columns of a product that is issued, and marks them.
func (w *warp) ownsColumns(p *tensorProduct, keeps bool) *Fault {
	for i := p.first; i < p.first+p.columns; i++ {
		c := &w.b.tensor.columns[i]
		problem, who := w.writesColumn(i)
		if problem == noProblem && (keeps || c.pending > 0) {
			problem, who = w.readsColumn(i, true)
		}
		if problem != noProblem {
			return w.tensorRace(1<<p.lane, i, problem, who)
		}
		c.pending++
		c.by = w.agent()
	}
	return nil
}

// tensorMatrix checks a matrix in shared memory, locks it for the product, and reads its rows, or columns.
func (w *warp) tensorMatrix(product *tensorProduct, p *groupProduct, desc uint64, trans bool, name string, rows []operandRow, negate bool) *Fault {
	d, problem := newTensorDescriptor(desc, trans)
	if problem == "" {
		problem = d.problem()
	}
	if problem != "" {
		return w.misuse(product.lane, "the descriptor of %s, at %#x: %s", name, d.start, problem)
	}
	lock := func(at uint32) {
		w.b.shadow.lock(at)
		product.chunks = append(product.chunks, at)
	}
	if f := w.readChunks(&d, uint32(len(rows)), p, name, lock); f != nil {
		return f
	}
	p.fromShared(w, &d, rows, 0, uint32(p.size), negate)
	return nil
}

// newTensorDescriptor is newDescriptor for tcgen05, which numbers swizzles otherwise and tells a version.
func newTensorDescriptor(v uint64, trans bool) (d descriptor, problem string) {
	swizzle, ok := map[uint64]uint64{0: 0, 2: 1, 4: 2, 6: 3}[v>>61]
	d = newDescriptor(v&^(7<<61)|swizzle<<62, trans)
	switch {
	case v>>46&7 != 1:
		return d, fmt.Sprintf("its bits 46 to 48 are %d, and 1 in every one of tcgen05", v>>46&7)
	case v>>52&0x1ff != 0:
		return d, "it has bits that are not known"
	case !ok:
		return d, fmt.Sprintf("swizzle %d is not known", v>>61)
	}
	return d, ""
}

// addTensor computes a product, eight columns at a time.
func (w *warp) addTensor(p *groupProduct, a, b []operandRow, column int, keeps bool) {
	cfg, t, m := w.b.cfg, w.tensor(), w.b.tensor
	model := modelOf(cfg.Capability)
	block := min(p.k, model.bytes/p.size)
	for first := 0; first < p.n; first += 8 {
		t.right.of(b[first:], p.k)
		for r := range a {
			d := m.words[r][column+first:][:8]
			t.c = [8]float32{}
			if keeps {
				for j, v := range d {
					t.c[j] = f32(v)
				}
			}
			model.row(t, &a[r], p.k, block, cfg.Nearest, false)
			for j, v := range t.c {
				d[j] = u32(v)
			}
		}
	}
	w.b.count.tensor(p.size, len(a)*p.n*p.k)
}

// tensorCommit is tcgen05.commit.cta_group::1.mbarrier::arrive::one[.shared::cluster].b64 [barrier].
func (b *body) tensorCommit(o *opcode, args []operand) instr {
	b.oneBlock(o, false)
	b.need(o, "mbarrier::arrive::one")
	m := &access{space: clusterSpace, bytes: 8, vector: 1, write: true}
	o.take("shared::cluster")
	b.types(o, 1)
	b.want(o.name, args, 1)
	b.address(args[0], m)
	return instr{kind: kindExec, exec: func(w *warp, _ *instr, mask uint32) *Fault {
		w.addresses(m)
		addr := w.addr
		for left := mask; left != 0; left &= left - 1 {
			lane := trailing(left)
			bar, f := w.barrierAt(m, lane, addr[lane])
			if f == nil {
				f = w.readyForCopies(bar, lane)
			}
			if f != nil {
				return f
			}
			w.commitTensor(bar, lane)
		}
		return nil
	}}
}

func (w *warp) commitTensor(bar *mbarrier, lane int) {
	m, c := w.b.tensor, tensorCommit{block: w.b, barrier: bar, by: w, lane: lane, pc: w.pc - 1}
	kept := m.issued[:0]
	for _, p := range m.issued {
		if p.by == w && p.lane == lane {
			c.products = append(c.products, p)
		} else {
			kept = append(kept, p)
		}
	}
	m.issued = kept
	w.release(&c.known)
	w.b.gang.commits = append(w.b.gang.commits, c)
	w.b.gang.events++
}

// endProducts ends those of the oldest commit, and arrives at its barrier.
func (g *gang) endProducts() *Fault {
	c := g.commits[0]
	g.commits = g.commits[1:]
	t, b, core := g.watch, c.block, c.block.core()
	for _, p := range c.products {
		for _, at := range p.chunks {
			t.endRead(b.shadow, core, at)
		}
		for i := p.first; i < p.first+p.columns; i++ {
			column := &b.tensor.columns[i]
			column.pending--
			column.when = t.now
		}
	}
	bar := c.barrier
	if bar.now.seen == nil {
		bar.now = t.blank()
	}
	bar.now.join(&c.known)
	bar.now.seen[core], bar.now.ordered[core] = t.now, t.now
	t.now++
	if bar.pending < 1 {
		f := c.by.faultAt(Misuse, c.pc, 1<<c.lane)
		f.Detail = fmt.Sprintf("an arrival too many at %v", bar)
		return f
	}
	bar.pending--
	g.advance(bar)
	return nil
}
