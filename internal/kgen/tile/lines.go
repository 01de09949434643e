package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// lines copies rows of planes of x with steps of one or two elements, between zeros: what convolutions read.
//
// DX and R14 point to the plane of x and y, SI and BX to the row, R11 and R12 to the vector, which R13 counts; R8, R9 and
// R10 count the row's elements, CX rows. A windowed has the vectors of the copy.
func (m *machine) lines(f *asm.File, e elem) {
	for _, stride := range windowStrides {
		doc := fmt.Sprintf("y[i][j] = x[i][%d*(j-zeros)] between zeros, for whole rows", stride)
		w := &windowed{writer: m.writer(f, linesName(stride), e, &linesCall, doc), file: f, stride: stride}
		w.lines()
	}
}

func linesName(stride int) string { return fmt.Sprintf("lines%d", stride) }

func (w *windowed) lines() {
	w.arg("x", "DX")
	w.arg("y", "R14")
	w.arg("zeros", "R8")
	w.arg("cols", "R9")
	w.arg("rest", "R10")
	w.constants()
	w.zero(best)
	w.loadMasks(spare, masksOn, "low", "high", "out", "before", "behind")
	w.label("plane")
	w.move("DX", "SI")
	w.move("R14", "BX")
	w.arg("rows", "CX")
	w.label("row")
	if !w.arm {
		w.prefetchLine()
	}
	w.move("SI", "R11")
	w.move("BX", "R12")
	w.segment("Before", "R8", beforeMask, false)
	w.segment("Copy", "R9", outMask, true)
	w.segment("Behind", "R10", behindMask, false)
	w.addArg("rowX", "SI")
	w.addArg("rowY", "BX")
	w.repeat("CX", "row")
	w.addArg("planeX", "DX")
	w.addArg("planeY", "R14")
	w.repeatArg("planes", "plane")
	w.end()
}

// prefetchLine prefetches the columns of a row that comes later.
func (w *windowed) prefetchLine() {
	w.move("SI", "R11")
	w.addArg("ahead", "R11")
	w.op("LEAQ", fmt.Sprintf("(R9*%d)", w.size), "AX")
	if w.stride == 2 {
		w.op("ADDQ", "AX", "AX")
	}
	prefetchLines(w.fn, "prefetch", "R11")
}

// segment writes so many elements: zeros, or what it reads. What fills no vector is a masked one, under NEON single elements.
func (w *windowed) segment(label, count string, mask int, read bool) {
	n := fmt.Sprintf("$%d", w.lanes(w.elem))
	vector := func(part bool) {
		w.part = part
		from := best
		if read {
			from = element
			w.readAt(memory{base: "R11"}, element)
		}
		w.storeMasked(from, memory{base: "R12"}, mask)
	}
	advance := func(bytes int) {
		if read {
			w.add(fmt.Sprintf("$%d", w.stride*bytes), "R11")
		}
		w.add(fmt.Sprintf("$%d", bytes), "R12")
	}
	w.move(count, "R13")
	if read && w.aligns() {
		w.align(w.lanes(w.elem))
	}
	w.sub(n, "R13")
	w.jump("LT", "part"+label)
	w.label("whole" + label)
	vector(false)
	advance(w.bytes)
	w.sub(n, "R13")
	w.jump("GE", "whole"+label)
	w.label("part" + label)
	w.whole("ADDQ", "ADDS", n, "R13")
	w.whole("JZ", "BEQ", "done"+label)
	if w.arm {
		w.label("single" + label)
		vector(true)
		advance(w.size)
		w.repeat("R13", "single"+label)
	} else {
		if read && w.aligns() {
			w.op("MOVL", "$-1", "R15")
			w.op("BZHIL", "R13", "R15", "R15")
			w.op("KMOVW", "R15", "K2")
			w.op("KMOVW", "R15", "K4")
		}
		vector(true)
		w.elements("R12", "R13", "R12")
	}
	w.label("done" + label)
}

// aligns reports whether whole vectors of y are aligned.
func (w *windowed) aligns() bool { return w.masks && w.stride == 1 }

// align copies what is before the first whole vector of y: stores over two cache lines take twice as long.
func (w *windowed) align(n int) {
	w.op("XORL", "AX", "AX")
	w.op("SUBL", "R12", "AX")
	w.op("ANDL", fmt.Sprintf("$%d", w.bytes-1), "AX")
	w.op("SHRL", map[int]string{4: "$2", 8: "$3"}[w.size], "AX")
	w.op("CMPQ", "R13", fmt.Sprintf("$%d", n))
	w.op("JLT", "aligned")
	w.op("TESTL", "AX", "AX")
	w.op("JZ", "aligned")
	w.op("MOVL", "$-1", "R15")
	w.op("BZHIL", "AX", "R15", "R15")
	w.op("KMOVW", "R15", "K1")
	w.op(w.ps("VMOVU")+".Z", "(R11)", "K1", w.reg(element))
	w.op(w.ps("VMOVU"), w.reg(element), "K1", "(R12)")
	w.op("SUBQ", "AX", "R13")
	w.op("LEAQ", fmt.Sprintf("(R11)(AX*%d)", w.size), "R11")
	w.op("LEAQ", fmt.Sprintf("(R12)(AX*%d)", w.size), "R12")
	w.label("aligned")
}
