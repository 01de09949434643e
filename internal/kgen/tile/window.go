package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// A fold is what becomes of the elements of a window.
type fold struct {
	name, doc string
	index     bool // whether it tells where the element lies that it took
	mean      bool
}

var folds = []fold{
	{name: "largest", doc: "the largest element"},
	{name: "largestAt", doc: "the largest element, and where it lies,", index: true},
	{name: "mean", doc: "the sum of the elements over a count", mean: true},
}

// windowStrides are the distances of windows in a row that vectors can be read at.
var windowStrides = []int{1, 2}

// Registers of a window's vectors.
const (
	best    = iota // what the fold has so far
	place          // where it was found
	element        // those of a tap
	upper          // the second vector of a tap
	spare          //
	which          // AVX2: the mask of a blend
	evens          // AVX-512: which elements stride 2 takes
	ramp           // offsets of windows from the first
	lowOn          // AVX2: the masks
	highOn         //
	outOn          //
	wideOn         //
	wideOn2        //
	divisor        // the mean's count
)

// A windowed writes the function of one fold, type and stride.
//
// SI, BX and R8 point to the row of x, y and index; R9, R10 and R11 to the vector; CX counts rows, R12 columns and AX
// taps; DX points to the taps, which R13 counts, and R14 holds one.
type windowed struct {
	*machine
	elem
	fold
	fn     *asm.Func
	file   *asm.File
	stride int
	masked bool // a single vector, in part
}

func windowName(f fold, stride int) string { return fmt.Sprintf("%s%d", f.name, stride) }

// windows adds the functions over windows.
func (m *machine) windows(f *asm.File, e elem) {
	for _, fold := range folds {
		for _, stride := range windowStrides {
			w := &windowed{machine: m, elem: e, fold: fold, file: f, stride: stride}
			w.write()
		}
	}
}

func (w *windowed) write() {
	n := w.lanes(w.elem)
	doc := fmt.Sprintf("%s of every window, %d columns apart: whole vectors, the last one over the one before, or one in part", w.fold.doc, w.stride)
	w.fn = newFunc(w.file, w.functionName(windowName(w.fold, w.stride), w.elem), doc)
	w.op("MOVQ", windowCall.at("x"), "SI")
	w.op("MOVQ", windowCall.at("y"), "BX")
	w.op("MOVQ", windowCall.at("index"), "R8")
	w.op("MOVQ", windowCall.at("taps"), "DX")
	w.op("MOVQ", windowCall.at("tapped"), "R13")
	w.op("MOVQ", windowCall.at("rows"), "CX")
	w.constants()
	w.op("CMPQ", windowCall.at("cols"), fmt.Sprintf("$%d", n))
	w.op("JLT", "narrow")
	w.rows("")
	w.masked = true
	w.fn.Label("narrow")
	w.masks()
	w.rows("Narrow")
}

func (w *windowed) op(name string, operands ...string) { w.fn.Op(name, operands...) }

// ps is the name of an instruction for the type of number, and integer that for whole numbers of its size.
func (w *windowed) ps(name string) string { return name + w.suffix }

func (w *windowed) integer(name string) string {
	return name + map[int]string{4: "D", 8: "Q"}[w.size]
}

// constants loads what every vector needs.
func (w *windowed) constants() {
	if w.stride == 2 && w.machine.masks {
		w.op("VMOVUPS", w.words(func(i int) int { // the second vector overlaps the first by one element
			n := w.lanes(w.elem)
			if 2*i < n {
				return 2 * i
			}
			return n + 2*i - (n - 1)
		}), w.reg(evens))
	}
	if w.index {
		w.op("VMOVUPS", w.words(func(i int) int { return w.stride * i }), w.reg(ramp))
	}
	if w.mean {
		w.op("MOVQ", windowCall.at("count"), "AX")
		w.op(map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[w.size], "(AX)", w.reg(divisor))
	}
}

// words is a vector of whole numbers.
func (w *windowed) words(of func(i int) int) string {
	var words []uint32
	for i := range w.lanes(w.elem) {
		words = append(words, uint32(of(i)))
		if w.size == 8 {
			words = append(words, 0)
		}
	}
	return w.file.Words(words...)
}

// masks loads the masks of a vector in part.
func (w *windowed) masks() {
	for i, m := range []string{windowCall.at("low"), windowCall.at("high"), windowCall.at("out"), windowCall.at("outWide")} {
		w.op("MOVQ", m, "AX")
		wide := i == 3
		if !w.machine.masks {
			w.op("VMOVUPS", "(AX)", w.reg(lowOn+i))
			if wide {
				w.op("VMOVUPS", "32(AX)", w.reg(wideOn2))
			}
			continue
		}
		w.op("VMOVUPS", "(AX)", w.reg(spare))
		if wide {
			w.op("VPMOVQ2M", w.reg(spare), "K5")
			w.op("VMOVUPS", "64(AX)", w.reg(spare))
			w.op("VPMOVQ2M", w.reg(spare), "K6")
			continue
		}
		w.op(map[int]string{4: "VPMOVD2M", 8: "VPMOVQ2M"}[w.size], w.reg(spare), fmt.Sprintf("K%d", 2+i))
	}
}

// rows is the loop over rows of y; labels end in what distinguishes them.
func (w *windowed) rows(label string) {
	w.fn.Label("row" + label)
	w.op("MOVQ", windowCall.at("rowX"), "AX")
	w.op("LEAQ", fmt.Sprintf("(SI)(AX*%d)", rowsAhead), "R14")
	prefetchLines(w.fn, "prefetch"+label, "R14")
	w.op("MOVQ", "SI", "R9")
	w.op("MOVQ", "BX", "R10")
	w.op("MOVQ", "R8", "R11")
	w.op("MOVQ", windowCall.at("cols"), "R12")
	w.fn.Label("vector" + label)
	w.taps(label)
	w.store()
	if !w.masked {
		w.next(label)
	}
	w.fn.Label("next" + label)
	w.op("ADDQ", windowCall.at("rowX"), "SI")
	w.op("ADDQ", windowCall.at("rowY"), "BX")
	w.op("ADDQ", windowCall.at("rowI"), "R8")
	w.op("DECQ", "CX")
	w.op("JNZ", "row"+label)
	w.op("VZEROUPPER")
	w.op("RET")
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
	w.op("SUBQ", fmt.Sprintf("$%d", n), "R12")
	w.op("JLE", "next"+label)
	w.op("MOVL", fmt.Sprintf("$%d", n), "AX")
	w.op("MOVL", "AX", "R14")
	w.op("CMPQ", "R12", "AX")
	w.op("CMOVQLT", "R12", "R14")
	w.op("CMOVQLT", "AX", "R12")
	for range w.stride {
		w.op("LEAQ", fmt.Sprintf("(R9)(R14*%d)", w.size), "R9")
	}
	w.op("LEAQ", fmt.Sprintf("(R10)(R14*%d)", w.size), "R10")
	w.op("LEAQ", "(R11)(R14*8)", "R11")
	w.op("JMP", "vector"+label)
}

// taps folds the elements of a vector of windows, in order.
func (w *windowed) taps(label string) {
	w.op("XORL", "AX", "AX")
	if w.mean {
		w.zero(w.fn, best)
	} else {
		w.op("MOVQ", "(DX)", "R14")
		w.read(best)
		if w.index {
			w.op(w.integer("VPBROADCAST"), "(DX)", w.reg(place))
		}
		w.op("INCQ", "AX")
		w.op("CMPQ", "AX", "R13")
		w.op("JGE", "done"+label)
	}
	w.fn.Label("tap" + label)
	w.op("MOVQ", "(DX)(AX*8)", "R14")
	w.read(element)
	switch {
	case w.mean:
		w.op(w.ps("VADD"), w.reg(element), w.reg(best), w.reg(best))
	case w.index:
		w.largerAt()
	default:
		w.larger()
	}
	w.op("INCQ", "AX")
	w.op("CMPQ", "AX", "R13")
	w.op("JLT", "tap"+label)
	w.fn.Label("done" + label)
	if w.mean {
		w.op(w.ps("VDIV"), w.reg(divisor), w.reg(best), w.reg(best))
	}
}

// read loads the elements of the tap R14.
func (w *windowed) read(to int) { w.readAt(fmt.Sprintf("(R9)(R14*%d)", w.size), to) }

// readAt loads a vector of elements from first on, as far apart as the windows.
func (w *windowed) readAt(first string, to int) {
	w.load(first, lowOn, to)
	if w.stride == 1 {
		return
	}
	// One element is read twice, so that none is read beyond the last.
	w.load(fmt.Sprint(w.bytes-w.size)+first, highOn, upper)
	switch {
	case w.machine.masks:
		w.op(w.ps("VPERMT2"), w.reg(upper), w.reg(evens), w.reg(to))
		return
	case w.size == 4:
		w.op("VSHUFPS", "$0xd8", w.reg(upper), w.reg(to), w.reg(to))
	default:
		w.op("VSHUFPD", "$0xa", w.reg(upper), w.reg(to), w.reg(to))
	}
	w.op("VPERMPD", "$0xd8", w.reg(to), w.reg(to))
}

func (w *windowed) load(from string, mask, to int) {
	switch {
	case !w.masked:
		w.op(w.ps("VMOVU"), from, w.reg(to))
	case w.machine.masks:
		w.op(w.ps("VMOVU")+".Z", from, fmt.Sprintf("K%d", 2+mask-lowOn), w.reg(to))
	default:
		w.op(w.ps("VMASKMOV"), from, w.reg(mask), w.reg(to))
	}
}

// larger keeps the first of equal elements and the last NaN: the instruction gives its last operand, here the first,
// where the two do not compare.
func (w *windowed) larger() {
	b, x := w.reg(best), w.reg(element)
	w.op(w.ps("VMAX"), b, x, b)
	if w.machine.masks {
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
	if w.machine.masks { // the largest waits for no mask but that of NaNs, which are known before
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

// store writes y, and the places as 8-byte numbers that count from the plane's start.
func (w *windowed) store() {
	w.storeVector(w.reg(best), "(R10)", outOn, w.ps("VMOVU"))
	if !w.index {
		return
	}
	w.op("MOVQ", "R9", "R14")
	w.op("SUBQ", windowCall.at("plane"), "R14")
	w.op("SHRQ", map[int]string{4: "$2", 8: "$3"}[w.size], "R14")
	w.op("VMOVQ", "R14", fmt.Sprintf("X%d", spare))
	w.op(w.integer("VPBROADCAST"), fmt.Sprintf("X%d", spare), w.reg(spare))
	p := w.reg(place)
	w.op(w.integer("VPADD"), w.reg(spare), p, p)
	w.op(w.integer("VPADD"), w.reg(ramp), p, p)
	if w.size == 8 {
		w.storeVector(p, "(R11)", wideOn, "VMOVUPD")
		return
	}
	half, extract := fmt.Sprintf("X%d", place), "VEXTRACTI128"
	if w.machine.masks {
		half, extract = fmt.Sprintf("Y%d", place), "VEXTRACTI64X4"
	}
	w.op("VPMOVSXDQ", half, w.reg(spare))
	w.storeVector(w.reg(spare), "(R11)", wideOn, "VMOVUPD")
	w.op(extract, "$1", p, half)
	w.op("VPMOVSXDQ", half, w.reg(spare))
	w.storeVector(w.reg(spare), fmt.Sprintf("%d(R11)", w.bytes), wideOn2, "VMOVUPD")
}

func (w *windowed) storeVector(r, to string, mask int, move string) {
	switch {
	case !w.masked:
		w.op(move, r, to)
	case w.machine.masks:
		w.op(move, r, fmt.Sprintf("K%d", 2+mask-lowOn), to)
	case move == "VMOVUPD":
		w.op("VMASKMOVPD", r, w.reg(mask), to)
	default:
		w.op("VMASKMOVPS", r, w.reg(mask), to)
	}
}
