package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// groupProduct is wgmma.mma_async: D of 64 rows by n columns, of which each of a group's four warps has 16 rows, is A B, or A B added
// to it. Elements of one byte are s8, whose sums are s32.
type groupProduct struct {
	n, k      int
	size      int // bytes of an element of A and B
	f         halfFormat
	half      bool    // D is f16
	d         []int32 // slots
	a         []int32 // slots of A, or nil where it lies in shared memory
	descA     int32
	descB     int32
	add       int32 // predicate: D is added to
	addNot    uint32
	negateA   bool
	negateB   bool
	transA    bool
	transB    bool
	fragmentA []place // of this warp's 16 rows, where A is in registers
}

// wgmma decodes the family.
func (b *body) wgmma(o *opcode, args []operand) instr {
	b.k.async, b.k.grouped = true, true
	what := b.need(o, "fence", "commit_group", "wait_group", "mma_async")
	b.need(o, "sync")
	b.need(o, "aligned")
	switch what {
	case "fence":
		return together(b.bare(o, args, kindMeet), func(w *warp, _ *instr, _ uint32) *Fault {
			w.products.fenced = true
			clear(w.products.dirty)
			return nil
		})
	case "commit_group":
		return together(b.bare(o, args, kindMeet), func(w *warp, _ *instr, _ uint32) *Fault {
			w.products.commits = append(w.products.commits, w.products.issued)
			w.b.gang.events++
			return nil
		})
	case "wait_group":
		b.want(o.name, args, 1)
		if args[0].kind != intOperand {
			b.failHere("%s takes a number", o.name)
		}
		n := int(args[0].number)
		in := b.bare(o, nil, kindGroupWait)
		in.again = func(w *warp) (bool, *Fault) { return w.awaitProducts(n), nil }
		return in
	}
	return b.groupProduct(o, args)
}

// groupProduct is wgmma.mma_async.sync.aligned.m64nNkK.D.A.B {d}, A, B, p, ±1, ±1[, trans A][, trans B], for s8 without what follows p.
func (b *body) groupProduct(o *opcode, args []operand) instr {
	if len(o.parts) != 4 {
		b.unknown(o)
	}
	p, ok := groupProductOf(o.parts[0], o.parts[1], o.parts[2], o.parts[3])
	if !ok || len(args) < 4 || p.size == 1 && args[1].kind == vectorOperand {
		b.unknown(o)
	}
	registers := p.n / 2
	if p.half {
		registers /= 2
	}
	t := dataTypes["b32"]
	p.d = b.fragment(o, args[0], registers, t, true)
	signs, trans := 2, 0
	switch p.size {
	case 1:
		signs = 0
	case 2:
		trans = 2
	}
	if args[1].kind == vectorOperand {
		p.a = b.fragment(o, args[1], 4, t, false)
		kind := "bf16" // f16 has the same fragments
		if p.size == 4 {
			kind = "tf32"
		}
		layout := matrixProduct{m: 16, k: p.k, kind: kind}
		layout.layouts([3]int{4, 2, 4})
		p.fragmentA = layout.a
		trans = min(trans, 1)
	} else {
		p.descA = b.source(args[1], dataTypes["b64"])
	}
	b.want(o.name, args, 4+signs+trans)
	p.descB = b.source(args[2], dataTypes["b64"])
	p.add, p.addNot = b.predicateSource(args[3]), negated(args[3])
	flags := make([]int, 0, 4)
	for _, a := range args[4:] {
		if a.kind != intOperand {
			b.failHere("%s takes numbers at its end", o.name)
		}
		flags = append(flags, int(int64(a.number)))
	}
	if signs != 0 {
		p.negateA, p.negateB = flags[0] == -1, flags[1] == -1
	}
	switch trans {
	case 2:
		p.transA, p.transB = flags[2] == 1, flags[3] == 1
	case 1:
		p.transB = flags[2] == 1
	}
	b.k.accumulators = append(b.k.accumulators, p.d...)
	b.k.accumulators = append(b.k.accumulators, p.a...)
	if p.size == 1 {
		return together(instr{product: true}, p.runS8)
	}
	return together(instr{product: true}, p.run)
}

// groupProductOf returns a product of a shape, m64nNkK, and of types of D, A and B, and whether there is one.
func groupProductOf(shape, td, ta, tb string) (p *groupProduct, ok bool) {
	p = &groupProduct{size: 2, half: td == "f16"}
	digits, k, ok := strings.Cut(strings.TrimPrefix(shape, "m64n"), "k")
	n, err := strconv.Atoi(digits)
	switch ta + "." + k {
	case "f16.16":
		p.f, p.k = formatF16, 16
	case "bf16.16":
		p.f, p.k = formatBF16, 16
	case "tf32.8":
		p.size, p.k = 4, 8
	case "s8.32":
		p.size, p.k = 1, 32
	default:
		return nil, false
	}
	p.n = n
	sized := err == nil && n%8 == 0 && n >= 8 && n <= 256 && (p.size != 1 || n <= 32 || n%16 == 0)
	return p, ok && sized && ta == tb && ((td == "s32") == (ta == "s8")) && (td == "f32" || td == "s32" || td == "f16" && ta == "f16")
}

// start issues the product. It reports whether this warp is the first of its group to do so.
func (p *groupProduct) start(w *warp, mask uint32) (first bool, f *Fault) {
	if w.all != allLanes || len(w.b.warps)%4 != 0 {
		f := w.fault(Misuse, mask)
		f.Detail = fmt.Sprintf("a block of %d threads is not made of groups of 128", w.b.threads)
		return false, f
	}
	if f := w.mayIssue(p, mask); f != nil {
		return false, f
	}
	return w.issue(p), nil
}

func (p *groupProduct) run(w *warp, _ *instr, mask uint32) *Fault {
	first, f := p.start(w, mask)
	if f != nil {
		return f
	}
	t := w.tensor()
	a, b := t.rows[:16], t.rows[16:][:p.n]
	size := uint32(p.size)
	if p.a == nil {
		d := newDescriptor(w.r64[p.descA][0], p.transA)
		if f := w.readMatrix(&d, 64, p, "A", first); f != nil {
			return f
		}
		p.fromShared(w, &d, a, uint32(w.index%4)*16, size, p.negateA)
	} else {
		p.fromRegisters(w, a)
	}
	d := newDescriptor(w.r64[p.descB][0], p.transB)
	if f := w.readMatrix(&d, uint32(p.n), p, "B", first); f != nil {
		return f
	}
	p.fromShared(w, &d, b, 0, size, p.negateB)
	p.multiply(w, a, b)
	return nil
}

// fromShared reads rows of A or columns of B, from number first on: a chunk at a time where it runs along k.
func (p *groupProduct) fromShared(w *warp, d *descriptor, rows []operandRow, first, size uint32, negate bool) {
	per := 16 / p.size
	if d.trans {
		per = 1
	}
	for i := range rows {
		row := &rows[i]
		for k := 0; k < p.k; k += per {
			from := w.b.shared[d.element(first+uint32(i), uint32(k), size):]
			for e := range per {
				if size == 2 {
					row.set16(k+e, p.f, order.Uint16(from[2*e:]))
				} else {
					row.setTF32(k+e, order.Uint32(from[4*e:]))
				}
			}
		}
		if negate {
			row.negate(p.k)
		}
	}
}

func (r *operandRow) negate(n int) {
	for k := range n {
		r.value[k] = -r.value[k]
	}
}

func (p *groupProduct) fromRegisters(w *warp, rows []operandRow) {
	for i := range rows {
		for k, from := range p.fragmentA[i*p.k:][:p.k] {
			x := w.r32[p.a[from.reg]][from.lane&31]
			if p.size == 2 {
				rows[i].set16(k, p.f, uint16(x>>from.shift))
			} else {
				rows[i].setTF32(k, x)
			}
		}
		if p.negateA {
			rows[i].negate(p.k)
		}
	}
}

// multiply computes the warp's 16 rows, eight columns at a time: register i of lane l has row l/4 + 8 (i/2 % 2) and column 8 (i/4) + 2 (l%4) + i%2.
func (p *groupProduct) multiply(w *warp, a, b []operandRow) {
	cfg := w.b.cfg
	model := modelOf(cfg.Capability)
	block := min(p.k, model.bytes/p.size)
	add := w.preds[p.add]^p.addNot != 0
	t := w.tensor()
	for first := 0; first < p.n; first += 8 {
		t.right.of(b[first:], p.k)
		for r := range a {
			t.c = [8]float32{}
			var d [8]*uint32
			for j := range d {
				d[j] = p.result(w, r, first+j)
				if add && p.half {
					t.c[j] = f16ToF32(uint16(*d[j] >> (16 * (j % 2))))
				} else if add {
					t.c[j] = f32(*d[j])
				}
			}
			model.row(t, &a[r], p.k, block, cfg.Nearest, p.half)
			for j, v := range t.c {
				if shift := 16 * (j % 2); p.half {
					*d[j] = *d[j]&^(0xffff<<shift) | uint32(formatF16.round(float64(v)))<<shift
				} else {
					*d[j] = u32(v)
				}
			}
		}
	}
	w.b.count.tensor(p.size, 16*p.n*p.k)
}

// runS8 adds exactly, in 32 bits that wrap.
func (p *groupProduct) runS8(w *warp, _ *instr, mask uint32) *Fault {
	first, f := p.start(w, mask)
	if f != nil {
		return f
	}
	a, b := newDescriptor(w.r64[p.descA][0], false), newDescriptor(w.r64[p.descB][0], false)
	if f := w.readMatrix(&a, 64, p, "A", first); f != nil {
		return f
	}
	if f := w.readMatrix(&b, uint32(p.n), p, "B", first); f != nil {
		return f
	}
	var columns [256][32]int8
	for i := range p.n {
		columns[i] = w.bytesAlong(&b, uint32(i))
	}
	add := w.preds[p.add]^p.addNot != 0
	for r := range 16 {
		row := w.bytesAlong(&a, uint32(w.index%4*16+r))
		for i := range p.n {
			d, sum := p.result(w, r, i), int32(0)
			if add {
				sum = int32(*d)
			}
			for k, v := range row {
				sum += int32(v) * int32(columns[i][k])
			}
			*d = uint32(sum)
		}
	}
	w.b.count.tensor(p.size, 16*p.n*p.k)
	return nil
}

// bytesAlong reads 32 elements of one byte along k.
func (w *warp) bytesAlong(d *descriptor, mn uint32) (v [32]int8) {
	for k := uint32(0); k < 32; k += 16 {
		for i, x := range w.b.shared[d.chunk(mn, k, 1):][:16] {
			v[k+uint32(i)] = int8(x)
		}
	}
	return v
}

// result is where an element of D lies: a lane of a register, of which elements in f16 have half, those of odd columns the upper one.
func (p *groupProduct) result(w *warp, row, column int) *uint32 {
	i := column/8*4 + row/8*2 + column%2
	if p.half {
		i /= 2
	}
	return &w.r32[p.d[i]][(row%8*4+column%8/2)&31]
}
