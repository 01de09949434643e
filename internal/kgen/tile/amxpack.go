package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// What packs operands for AMX: rows of A step after step, and rows of B of float32 as pairs. Float32 is rounded as it is read, to the nearest, with numbers below
// 2**-126 taken for zero.

// lineRows packs rows of A: 64 bytes of each for a step of k, the last one with zeros behind cols elements.
func (m *machine) lineRows(f *asm.File, e elem) {
	w := m.writer(f, "lines", e, &amxCall, "c[l][i] = the elements of a[i] in step l, rounded to bfloat16, for so many rows i")
	w.arg("c", "BX")
	w.arg("a", "SI")
	w.arg("rowA", "R10")
	w.arg("k", "DX")
	w.label("step")
	w.op("MOVQ", "$-1", "R15")
	w.compare("DX", "$1")
	w.jump("GT", "whole")
	w.arg("cols", "AX")
	w.op("BZHIQ", "AX", "R15", "R15")
	w.label("whole")
	w.op("KMOVQ", "R15", "K2")
	w.op("KSHIFTRQ", "$16", "K2", "K1")
	w.arg("rows", "CX")
	w.move("SI", "R8")
	w.loopLabel("row")
	width := w.bytes
	if e == pairs {
		w.op("VMOVDQU16.Z", "(R8)", "K2", "Z0")
		w.op("VMOVDQU16", "Z0", "(BX)")
	} else {
		width = 2 * w.bytes
		w.op("VMOVUPS.Z", "(R8)", "K2", "Z0")
		w.op("VMOVUPS.Z", "64(R8)", "K1", "Z1")
		w.roundToHalf(0, 2)
		w.roundToHalf(1, 3)
		w.op("VMOVDQU", "Y2", "(BX)")
		w.op("VMOVDQU", "Y3", "32(BX)")
	}
	w.add("R10", "R8")
	w.add("$64", "BX")
	w.repeat("CX", "row")
	w.add(fmt.Sprintf("$%d", width), "SI")
	w.repeat("DX", "step")
	w.end()
}

// roundPairs packs rows of B of float32.
func (m *machine) roundPairs(f *asm.File) {
	w := m.writer(f, "gather", elems[0], &amxCall, "c[l][j] = the pair of a[2l][j] and a[2l+1][j], rounded to bfloat16, for up to 32 columns j")
	w.amxMasks()
	w.arg("c", "BX")
	w.arg("a", "SI")
	w.arg("rowA", "R10")
	w.arg("k", "CX")
	w.loopLabel("row")
	for n, mask := range []string{"K2", "K1"} {
		w.op("VMOVUPS.Z", at("SI", n*w.bytes), mask, "Z0")
		w.op("VMOVUPS.Z", fmt.Sprintf("%d(SI)(R10*1)", n*w.bytes), mask, "Z1")
		w.roundToHalf(0, 2)
		w.roundToHalf(1, 3)
		w.op("VPMOVZXWD", "Y2", "Z2")
		w.op("VPMOVZXWD", "Y3", "Z3")
		w.op("VPSLLD", "$16", "Z3", "Z3")
		w.op("VPORD", "Z3", "Z2", "Z2")
		w.op("VMOVDQU32", "Z2", at("BX", n*w.bytes))
	}
	w.add(fmt.Sprintf("$%d", amxLine), "BX")
	w.indexed("SI", "R10", 2, "SI")
	w.repeat("CX", "row")
	w.end()
}

// amxMasks sets K2 and K1 to the columns of two vectors, of cols at most 32, and K4 to those of both.
func (w *writer) amxMasks() {
	w.arg("cols", "AX")
	w.op("MOVL", fmt.Sprintf("$%d", amxLine/4), "R15")
	w.op("CMPQ", "AX", "R15")
	w.op("CMOVQGT", "R15", "AX")
	w.op("MOVL", "$-1", "R15")
	w.op("BZHIL", "AX", "R15", "R15")
	w.op("KMOVD", "R15", "K4")
	w.op("KMOVW", "R15", "K2")
	w.op("SHRL", "$16", "R15")
	w.op("KMOVW", "R15", "K1")
}
