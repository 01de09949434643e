package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Convolutions with few outputs, as depthwise ones, run over planes whose lines, padding included, are contiguous: the weight of a
// tap is multiplied by elements at a fixed offset from those of the output. Columns beyond the lines' ends are computed too, and
// dropped.
//
// In all kernels SI and BX point to the block of x and y, DX to the weights or sums, R8 to the taps, of which R9 holds the number
// and AX counts them; CX counts blocks.

const (
	slideBytes       = 256 // of a block of slide
	correlateTaps    = 3   // that a loaded vector of y is multiplied for
	correlateVectors = 4   // of a block of correlate
)

func (m *machine) slides(f *asm.File, e elem) {
	m.writer(f, "slide", e, &slideCall, "y[i] = bias + Σ w[t] · x[taps[t]+i] for blocks of 256 bytes of y").slide()
	m.writer(f, "correlate", e, &slideCall, "sums[t] += y[i] · x[taps[t]+i] for blocks of four vectors of y, which have sums of their own").correlate()
	m.writer(f, "zip", e, &slideCall, "y[2i] = x[i] and y[2i+1] = w[i] for whole vectors").zip(f)
}

func (w *writer) beginSlide() {
	w.arg("x", "SI")
	w.arg("y", "BX")
	w.arg("w", "DX")
	w.arg("taps", "R8")
	w.arg("tapped", "R9")
	w.arg("blocks", "CX")
}

func (w *writer) slide() {
	vectors := slideBytes / w.bytes
	weight, block := vectors, fmt.Sprintf("$%d", slideBytes)
	w.beginSlide()
	w.arg("bias", "R10")
	w.label("block")
	w.broadcast(memory{base: "R10"}, 0)
	for v := 1; v < vectors; v++ {
		w.copy(0, v)
	}
	w.clear("AX")
	w.loopLabel("tap")
	w.tap(memory{"R8", 0, "AX", 4}, "R11")
	w.factor(memory{"DX", 0, "AX", w.size}, weight)
	w.elements("SI", "R11", "R12")
	for v := range vectors {
		w.fmaFactor(memory{base: "R12", offset: v * w.bytes}, weight, v)
	}
	w.increment("AX")
	w.compare("AX", "R9")
	w.jump("LT", "tap")
	for v := range vectors {
		w.store(v, memory{base: "BX", offset: v * w.bytes})
	}
	w.add(block, "SI")
	w.add(block, "BX")
	w.repeat("CX", "block")
	w.end()
}

// correlate takes the taps in groups, whose elements of x R10, R11 and R12 point to; R13 is the block's offset from the first
// one.
func (w *writer) correlate() {
	pointers := []string{"R10", "R11", "R12"}
	sum := func(t, v int) int { return t*correlateVectors + v }
	w.beginSlide()
	w.clear("AX")
	w.label("group")
	for t, p := range pointers {
		w.tap(memory{"R8", 4 * t, "AX", 4}, p)
		w.elements("SI", p, p)
		for v := range correlateVectors {
			w.load(memory{base: "DX", offset: sum(t, v) * w.bytes}, sum(t, v))
		}
	}
	w.arg("blocks", "CX")
	w.clear("R13")
	w.loopLabel("block")
	for v := range correlateVectors {
		element := correlateTaps*correlateVectors + v
		w.load(memory{"BX", v * w.bytes, "R13", 1}, element)
		for t, p := range pointers {
			w.fma(memory{p, v * w.bytes, "R13", 1}, element, sum(t, v))
		}
	}
	w.add(fmt.Sprintf("$%d", correlateVectors*w.bytes), "R13")
	w.repeat("CX", "block")
	for t := range pointers {
		for v := range correlateVectors {
			w.store(sum(t, v), memory{base: "DX", offset: sum(t, v) * w.bytes})
		}
	}
	w.add(fmt.Sprintf("$%d", correlateTaps*correlateVectors*w.bytes), "DX")
	w.add(fmt.Sprintf("$%d", correlateTaps), "AX")
	w.compare("AX", "R9")
	w.jump("LT", "group")
	w.end()
}

// zip interleaves the elements of two vectors; AVX2 does so within halves of 16 bytes, which it then exchanges.
func (w *writer) zip(f *asm.File) {
	n := w.lanes(w.elem)
	const a, b, lo, hi = 0, 1, 2, 3
	w.beginSlide()
	if w.masks {
		for part, r := range []int{4, 5} {
			words := w.vectorOf(f, func(i int) int { return part*n/2 + i/2 + i%2*n })
			w.op("VMOVUPS", words, w.reg(r))
		}
	}
	w.label("vector")
	w.load(memory{base: "SI"}, a)
	w.load(memory{base: "DX"}, b)
	switch {
	case w.arm:
		w.op("VZIP1", w.numbers(b), w.numbers(a), w.numbers(lo))
		w.op("VZIP2", w.numbers(b), w.numbers(a), w.numbers(hi))
	case w.masks:
		w.op("VMOVAPS", w.reg(4), w.reg(lo))
		w.op("VMOVAPS", w.reg(5), w.reg(hi))
		w.op("VPERMI2"+w.suffix, w.reg(b), w.reg(a), w.reg(lo))
		w.op("VPERMI2"+w.suffix, w.reg(b), w.reg(a), w.reg(hi))
	default:
		w.op("VUNPCKL"+w.suffix, w.reg(b), w.reg(a), w.reg(4))
		w.op("VUNPCKH"+w.suffix, w.reg(b), w.reg(a), w.reg(5))
		w.op("VPERM2F128", "$0x20", w.reg(5), w.reg(4), w.reg(lo))
		w.op("VPERM2F128", "$0x31", w.reg(5), w.reg(4), w.reg(hi))
	}
	w.store(lo, memory{base: "BX"})
	w.store(hi, memory{base: "BX", offset: w.bytes})
	w.add(fmt.Sprintf("$%d", w.bytes), "SI")
	w.add(fmt.Sprintf("$%d", w.bytes), "DX")
	w.add(fmt.Sprintf("$%d", 2*w.bytes), "BX")
	w.repeat("CX", "vector")
	w.end()
}
