package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// A fold is what becomes of the elements of a window.
type fold struct {
	name, doc string
	index     bool // whether it also gives the index of the element that it took
	mean      bool
}

var folds = []fold{
	{name: "largest", doc: "the largest element"},
	{name: "largestAt", doc: "the largest element, and its index,", index: true},
	{name: "mean", doc: "the sum of the elements over a count", mean: true},
}

// windowStrides are the distances of windows in a row that vectors can be read at.
var windowStrides = []int{1, 2}

// Registers of a window's vectors.
const (
	best    = iota        // what the fold has so far
	place                 // where it was found
	element               // those of a tap
	upper                 // the second vector of a tap
	spare                 //
	which                 // AVX2: the mask of a blend
	evens                 // AVX-512: which elements stride 2 takes
	ramp                  // offsets of windows from the first
	masksOn               // AVX2: the first of the masks
	divisor = masksOn + 5 // the mean's count
)

// Masks: of what is read first and then, of what is written, and of the places' two vectors; lines have the last two for zeros before
// and behind.
const (
	lowMask = iota
	highMask
	outMask
	wideMask
	beforeMask = wideMask
	behindMask = beforeMask + 1
)

// A windowed writes the function of one fold, type and stride. The last vector of a row overlaps the one before. Rows with less
// than a vector take a masked one, under NEON window by window.
//
// SI, BX and R8 point to the row of x, y and index; R9, R10 and R11 to the vector; CX counts rows, R12 columns and AX
// taps; DX points to the taps, which R13 counts, and R14 holds one.
type windowed struct {
	*writer
	fold
	file   *asm.File
	stride int
}

func windowName(f fold, stride int) string { return fmt.Sprintf("%s%d", f.name, stride) }

// windows adds the functions over windows.
func (m *machine) windows(f *asm.File, e elem) {
	for _, fold := range folds {
		for _, stride := range windowStrides {
			doc := fmt.Sprintf("%s of every window, %d columns apart: whole vectors, the last one over the one before, or one in part", fold.doc, stride)
			w := &windowed{m.writer(f, windowName(fold, stride), e, &windowCall, doc), fold, f, stride}
			w.write()
		}
	}
}

func (w *windowed) write() {
	w.arg("x", "SI")
	w.arg("y", "BX")
	w.arg("index", "R8")
	w.arg("taps", "DX")
	w.arg("tapped", "R13")
	w.arg("rows", "CX")
	w.constants()
	w.compareArg("cols", fmt.Sprintf("$%d", w.lanes(w.elem)), "R12")
	w.jump("LT", "narrow")
	w.rows("")
	w.part = true
	w.label("narrow")
	w.windowMasks()
	w.rows("Narrow")
}

// ps is the name of an instruction for the type of number, and integer that for whole numbers of its size.
func (w *windowed) ps(name string) string { return name + w.suffix }

func (w *windowed) integer(name string) string {
	return name + map[int]string{4: "D", 8: "Q"}[w.size]
}

// constants loads what every vector needs.
func (w *windowed) constants() {
	if w.stride == 2 && w.masks {
		w.loadWords(w.vectorOf(w.file, func(i int) int { // the second vector overlaps the first by one element
			n := w.lanes(w.elem)
			if 2*i < n {
				return 2 * i
			}
			return n + 2*i - (n - 1)
		}), evens)
	}
	if w.index {
		w.loadWords(w.vectorOf(w.file, func(i int) int { return w.stride * i }), ramp)
	}
	if w.mean {
		w.arg("count", "AX")
		w.broadcast(memory{base: "AX"}, divisor)
	}
}

// windowMasks loads the masks of a vector in part.
func (w *windowed) windowMasks() {
	w.loadMasks(spare, masksOn, "low", "high", "out")
	if w.arm {
		return
	}
	w.arg("outWide", "AX")
	for i, k := range []string{"K5", "K6"} {
		if !w.masks {
			w.op("VMOVUPS", at("AX", i*w.bytes), w.reg(masksOn+wideMask+i))
			continue
		}
		w.op("VMOVUPS", at("AX", i*w.bytes), w.reg(spare))
		w.op("VPMOVQ2M", w.reg(spare), k)
	}
}

// rows is the loop over rows of y; labels end in what distinguishes them.
func (w *windowed) rows(label string) {
	w.label("row" + label)
	if !w.arm {
		w.op("MOVQ", windowCall.at("rowX"), "AX")
		w.op("LEAQ", fmt.Sprintf("(SI)(AX*%d)", rowsAhead), "R14")
		prefetchLines(w.fn, "prefetch"+label, "R14")
	}
	w.move("SI", "R9")
	w.move("BX", "R10")
	w.move("R8", "R11")
	w.arg("cols", "R12")
	w.label("vector" + label)
	w.taps(label)
	w.storeResults()
	if !w.part || w.arm {
		w.next(label)
	}
	w.label("next" + label)
	w.addArg("rowX", "SI")
	w.addArg("rowY", "BX")
	w.addArg("rowI", "R8")
	w.repeat("CX", "row"+label)
	w.end()
}

// rowsAhead is the prefetch distance of rows of x, in rows of y: hardware prefetchers do not foresee the order in which windows
// that overlap are read.
const rowsAhead = 8

// prefetchLines prefetches AX bytes from a register's address on, at least one cache line.
func prefetchLines(fn *asm.Func, label, at string) {
	fn.Label(label)
	fn.Op("PREFETCHT0", "("+at+")")
	fn.Op("ADDQ", "$64", at)
	fn.Op("SUBQ", "$64", "AX")
	fn.Op("JGT", label)
}

// next moves on by a vector, or by what is left where that is less.
func (w *windowed) next(label string) {
	n := w.lanes(w.elem)
	if w.part {
		n = 1
	}
	count := fmt.Sprintf("$%d", n)
	w.sub(count, "R12")
	w.jump("LE", "next"+label)
	w.whole("MOVL", "MOVD", count, "AX")
	w.whole("MOVL", "MOVD", "AX", "R14")
	w.compare("R12", "AX")
	w.moveIf("LT", "R12", "R14")
	w.moveIf("LT", "AX", "R12")
	for range w.stride {
		w.indexed("R9", "R14", w.size, "R9")
	}
	w.indexed("R10", "R14", w.size, "R10")
	w.indexed("R11", "R14", 8, "R11")
	w.goTo("vector" + label)
}

// taps folds the elements of a vector of windows, in order.
func (w *windowed) taps(label string) {
	w.clear("AX")
	if w.mean {
		w.zero(best)
	} else {
		w.word(memory{base: "DX"}, "R14")
		w.read(best)
		if w.index {
			w.broadcastWord("(DX)", "R14", place)
		}
		w.increment("AX")
		w.compare("AX", "R13")
		w.jump("GE", "done"+label)
	}
	w.label("tap" + label)
	w.word(memory{"DX", 0, "AX", 8}, "R14")
	w.read(element)
	switch {
	case w.mean && w.arm:
		w.three(neonFADD, best, best, element)
	case w.mean:
		w.op(w.ps("VADD"), w.reg(element), w.reg(best), w.reg(best))
	case w.arm:
		w.neonLarger()
	case w.index:
		w.largerAt()
	default:
		w.larger()
	}
	w.increment("AX")
	w.compare("AX", "R13")
	w.jump("LT", "tap"+label)
	w.label("done" + label)
	switch {
	case w.mean && w.arm:
		w.three(neonCode{"FDIV", 0x6e20fc00}, best, best, divisor)
	case w.mean:
		w.op(w.ps("VDIV"), w.reg(divisor), w.reg(best), w.reg(best))
	}
}

// read loads the elements of the tap R14.
func (w *windowed) read(to int) { w.readAt(memory{"R9", 0, "R14", w.size}, to) }

// readAt loads a vector of elements from first on, as far apart as the windows.
func (w *windowed) readAt(first memory, to int) {
	w.loadMasked(first, lowMask, to)
	if w.stride == 1 || w.arm && w.part {
		return
	}
	// One element is read twice, so that none is read beyond the last.
	first.offset = w.bytes - w.size
	w.loadMasked(first, highMask, upper)
	switch {
	case w.arm:
		w.op("VEXT", fmt.Sprintf("$%d", w.size), vector(upper), vector(upper), vector(upper))
		w.op("VUZP1", w.numbers(upper), w.numbers(to), w.numbers(to))
		return
	case w.masks:
		w.op(w.ps("VPERMT2"), w.reg(upper), w.reg(evens), w.reg(to))
		return
	case w.size == 4:
		w.op("VSHUFPS", "$0xd8", w.reg(upper), w.reg(to), w.reg(to))
	default:
		w.op("VSHUFPD", "$0xa", w.reg(upper), w.reg(to), w.reg(to))
	}
	w.op("VPERMPD", "$0xd8", w.reg(to), w.reg(to))
}

// loadMasked is load with one of the masks, and storeMasked store.
func (w *windowed) loadMasked(from memory, mask, to int) {
	w.useMask(mask)
	w.load(from, to)
}

func (w *windowed) storeMasked(from int, to memory, mask int) {
	w.useMask(mask)
	w.store(from, to)
}

// neonLarger keeps the first of equal elements and the last NaN, and with index their indices.
func (w *windowed) neonLarger() {
	w.three(neonFCMGT, which, element, best)
	w.three(neonFCMEQ, spare, element, element)
	w.bits("ORN", 0x4ee01c00, which, which, spare)
	w.op("VBIT", vector(which), vector(element), vector(best))
	if w.index {
		w.broadcastWord("", "R14", spare)
		w.op("VBIT", vector(which), vector(spare), vector(place))
	}
}

// larger keeps the first of equal elements and the last NaN: the instruction gives its last operand, here the first,
// where the two do not compare.
func (w *windowed) larger() {
	b, x := w.reg(best), w.reg(element)
	w.op(w.ps("VMAX"), b, x, b)
	if w.masks {
		w.op(w.ps("VCMP"), "$3", x, x, "K1")
		w.op(w.ps("VMOVA"), x, "K1", b)
		return
	}
	w.op(w.ps("VCMP"), "$3", x, x, w.reg(which))
	w.op(w.ps("VBLENDV"), w.reg(which), x, b, b)
}

// largerAt does so and keeps the place.
func (w *windowed) largerAt() {
	b, x, p := w.reg(best), w.reg(element), w.reg(place)
	if w.masks { // the largest waits for no mask but that of NaNs, which are known before
		w.op(w.ps("VCMP"), "$30", b, x, "K1")
		w.op(w.ps("VCMP"), "$3", x, x, "K7")
		w.op(w.ps("VMAX"), b, x, b)
		w.op(w.ps("VMOVA"), x, "K7", b)
		w.op("KORW", "K1", "K7", "K1")
		w.op(w.integer("VPBROADCAST"), "(DX)(AX*8)", "K1", p)
		return
	}
	m, t := w.reg(which), w.reg(spare)
	w.op(w.ps("VCMP"), "$30", b, x, m)
	w.op(w.ps("VCMP"), "$3", x, x, t)
	w.op("VORPS", t, m, m)
	w.op(w.ps("VBLENDV"), m, x, b, b)
	w.op(w.integer("VPBROADCAST"), "(DX)(AX*8)", t)
	w.op(w.ps("VBLENDV"), m, t, p, p)
}
