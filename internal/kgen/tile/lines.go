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
		w := &windowed{machine: m, elem: e, file: f, stride: stride}
		w.fn = newFunc(f, m.functionName(linesName(stride), e), fmt.Sprintf("y[i][j] = x[i][%d*(j-zeros)] between zeros, for whole rows", stride))
		w.lines()
	}
}

func linesName(stride int) string { return fmt.Sprintf("lines%d", stride) }

func (w *windowed) lines() {
	w.op("MOVQ", linesCall.at("x"), "DX")
	w.op("MOVQ", linesCall.at("y"), "R14")
	w.op("MOVQ", linesCall.at("zeros"), "R8")
	w.op("MOVQ", linesCall.at("cols"), "R9")
	w.op("MOVQ", linesCall.at("rest"), "R10")
	w.constants()
	w.zero(w.fn, best)
	for i, mask := range []string{linesCall.at("low"), linesCall.at("high"), linesCall.at("out"), linesCall.at("before"), linesCall.at("behind")} {
		w.op("MOVQ", mask, "AX")
		if !w.machine.masks {
			w.op("VMOVUPS", "(AX)", w.reg(lowOn+i))
			continue
		}
		w.op("VMOVUPS", "(AX)", w.reg(spare))
		w.op(map[int]string{4: "VPMOVD2M", 8: "VPMOVQ2M"}[w.size], w.reg(spare), fmt.Sprintf("K%d", 2+i))
	}
	w.fn.Label("plane")
	w.op("MOVQ", "DX", "SI")
	w.op("MOVQ", "R14", "BX")
	w.op("MOVQ", linesCall.at("rows"), "CX")
	w.fn.Label("row")
	w.prefetchLine()
	w.op("MOVQ", "SI", "R11")
	w.op("MOVQ", "BX", "R12")
	w.segment("Before", "R8", lowOn+3, false)
	w.segment("Copy", "R9", outOn, true)
	w.segment("Behind", "R10", lowOn+4, false)
	w.op("ADDQ", linesCall.at("rowX"), "SI")
	w.op("ADDQ", linesCall.at("rowY"), "BX")
	w.op("DECQ", "CX")
	w.op("JNZ", "row")
	w.op("ADDQ", linesCall.at("planeX"), "DX")
	w.op("ADDQ", linesCall.at("planeY"), "R14")
	w.op("DECQ", linesCall.at("planes"))
	w.op("JNZ", "plane")
	w.op("VZEROUPPER")
	w.op("RET")
}

// prefetchLine prefetches the columns of a later row.
func (w *windowed) prefetchLine() {
	w.op("MOVQ", linesCall.at("rowX"), "AX")
	w.op("LEAQ", fmt.Sprintf("(SI)(AX*%d)", rowsAhead), "R11")
	w.op("LEAQ", fmt.Sprintf("(R9*%d)", w.size), "AX")
	if w.stride == 2 {
		w.op("ADDQ", "AX", "AX")
	}
	prefetchLines(w.fn, "prefetch", "R11")
}

// segment writes so many elements: zeros, or what it reads.
func (w *windowed) segment(label, count string, mask int, read bool) {
	n := w.lanes(w.elem)
	vector := func(masked bool) {
		w.masked = masked
		from := best
		if read {
			from = element
			w.readAt("(R11)", element)
		}
		w.storeVector(w.reg(from), "(R12)", mask, w.ps("VMOVU"))
	}
	w.op("MOVQ", count, "R13")
	if read && w.aligns() {
		w.align(n)
	}
	w.op("SUBQ", fmt.Sprintf("$%d", n), "R13")
	w.op("JLT", "part"+label)
	w.fn.Label("whole" + label)
	vector(false)
	if read {
		w.op("ADDQ", fmt.Sprintf("$%d", w.stride*w.bytes), "R11")
	}
	w.op("ADDQ", fmt.Sprintf("$%d", w.bytes), "R12")
	w.op("SUBQ", fmt.Sprintf("$%d", n), "R13")
	w.op("JGE", "whole"+label)
	w.fn.Label("part" + label)
	w.op("ADDQ", fmt.Sprintf("$%d", n), "R13")
	w.op("JZ", "done"+label)
	if read && w.aligns() {
		w.op("MOVL", "$-1", "R15")
		w.op("BZHIL", "R13", "R15", "R15")
		w.op("KMOVW", "R15", "K2")
		w.op("KMOVW", "R15", "K4")
	}
	vector(true)
	w.op("LEAQ", fmt.Sprintf("(R12)(R13*%d)", w.size), "R12")
	w.fn.Label("done" + label)
}

// aligns reports whether whole vectors of y are aligned.
func (w *windowed) aligns() bool { return w.machine.masks && w.stride == 1 }

// align copies what lies before the first whole vector of y: stores over two cache lines take twice as long.
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
	w.fn.Label("aligned")
}
