package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// What packs operands for AMX: rows of A step after step, and rows of B of float32 as pairs. Float32 is rounded as it is read, to the nearest, with numbers below
// 2**-126 taken for zero.

// lineRows packs rows of A: 64 bytes of each for a step of k, the last one with zeros behind cols elements. Four steps of a row are read at a time: hardware
// prefetchers do not follow single cache lines of rows that are far apart.
func (m *machine) lineRows(f *asm.File, e elem) {
	const together = 4
	w := m.writer(f, "lines", e, &amxCall, "c[l][i] = the elements of a[i] in step l, rounded to bfloat16, for so many rows i")
	w.arg("c", "BX")
	w.arg("a", "SI")
	w.arg("rowA", "R10")
	w.arg("k", "DX")
	w.arg("rows", "R9")
	w.op("SHLQ", "$6", "R9")
	w.indexed("R9", "R9", 2, "R13")
	w.label("steps")
	w.compare("DX", fmt.Sprintf("$%d", together))
	w.jump("LE", "step")
	w.lines(e, together, func(int) string { return "" })
	w.indexed("BX", "R9", together, "BX")
	w.sub(fmt.Sprintf("$%d", together), "DX")
	w.goTo("steps")
	w.label("step")
	w.op("MOVQ", "$-1", "R15")
	w.compare("DX", "$1")
	w.jump("GT", "whole")
	w.arg("cols", "AX")
	w.op("BZHIQ", "AX", "R15", "R15")
	w.label("whole")
	w.op("KMOVQ", "R15", "K2")
	w.op("KSHIFTRQ", "$16", "K2", "K1")
	w.lines(e, 1, func(half int) string { return []string{"K2", "K1"}[half] })
	w.add("R9", "BX")
	w.repeat("DX", "step")
	w.end()
}

// lines copies so many steps of all rows, and moves SI behind them. A mask is that of half a step of float32, of a whole one elsewhere.
func (w *writer) lines(e elem, steps int, mask func(half int) string) {
	load := func(name, from string, half, to int) {
		if m := mask(half); m != "" {
			w.op(name+".Z", from, m, w.reg(to))
			return
		}
		w.op(name, from, w.reg(to))
	}
	label, width := fmt.Sprintf("rows%d", steps), w.bytes
	w.arg("rows", "CX")
	w.move("SI", "R8")
	w.move("BX", "R11")
	w.loopLabel(label)
	for n := range steps {
		to := memory{"R11", 0, []string{"", "R9", "R9", "R13"}[n], []int{0, 1, 2, 1}[n]}
		if e == pairs {
			load("VMOVDQU16", at("R8", n*w.bytes), 0, n)
			w.op("VMOVDQU16", w.reg(n), to.String())
			continue
		}
		width = 2 * w.bytes
		load("VMOVUPS", at("R8", n*width), 0, 0)
		load("VMOVUPS", at("R8", n*width+w.bytes), 1, 1)
		w.roundToHalf(0, 2)
		w.roundToHalf(1, 3)
		w.op("VMOVDQU", "Y2", to.String())
		to.offset = w.bytes / 2
		w.op("VMOVDQU", "Y3", to.String())
	}
	w.add("R10", "R8")
	w.add(fmt.Sprintf("$%d", w.bytes), "R11")
	w.repeat("CX", label)
	w.add(fmt.Sprintf("$%d", steps*width), "SI")
}

// pairPanels packs rows of B, as panels of 32 columns side by side. A row's quarters of 8 bytes are put in such an order that joining the low and the high ones with
// those of the row below leaves pairs in theirs.
func (m *machine) pairPanels(f *asm.File) {
	w := m.writer(f, "panels", pairs, &amxCall, "c[p][l][j] = the pair of a[2l][32p+j] and a[2l+1][32p+j], for so many panels p of 32 columns j, of which the last has cols")
	w.amxMasks()
	w.op("VMOVDQU64", f.Words(0, 0, 4, 0, 1, 0, 5, 0, 2, 0, 6, 0, 3, 0, 7, 0), "Z4")
	w.arg("c", "BX")
	w.arg("a", "SI")
	w.arg("rowA", "R10")
	w.arg("nextC", "R9")
	w.arg("k", "DX")
	w.label("row")
	w.move("SI", "R8")
	w.move("BX", "R11")
	w.arg("panels", "CX")
	w.op("KXNORD", "K3", "K3", "K3")
	w.label("panel")
	w.compare("CX", "$1")
	w.jump("GT", "whole")
	w.op("KMOVD", "K4", "K3")
	w.label("whole")
	for n, from := range []string{"(R8)", "(R8)(R10*1)"} {
		w.op("VMOVDQU16.Z", from, "K3", w.reg(n))
		w.op("VPERMQ", w.reg(n), "Z4", w.reg(n))
	}
	w.op("VPUNPCKLWD", "Z1", "Z0", "Z2")
	w.op("VPUNPCKHWD", "Z1", "Z0", "Z3")
	w.op("VMOVDQU32", "Z2", "(R11)")
	w.op("VMOVDQU32", "Z3", "64(R11)")
	w.add("$64", "R8")
	w.add("R9", "R11")
	w.repeat("CX", "panel")
	w.add(fmt.Sprintf("$%d", amxLine), "BX")
	w.indexed("SI", "R10", 2, "SI")
	w.repeat("DX", "row")
	w.end()
}

// halfLines copies lines of planes, each element or every second one, with zeros behind them: whole vectors, then one in part, whose elements that are left out may not be there.
func (m *machine) halfLines(f *asm.File, stride int) {
	w := m.writer(f, fmt.Sprintf("halves%d", stride), pairs, &amxCall, fmt.Sprintf("c[p][i][j] = a[p][i][%d*j] for so many planes p, rows i and columns j, k vectors and cols elements, and zeros for rowSums elements from there on", stride))
	w.arg("cols", "AX")
	if stride == 2 {
		w.op("LEAQ", "-1(AX)(AX*1)", "AX")
	}
	w.firstOnes("AX", "K1")
	w.op("KSHIFTRQ", "$32", "K1", "K2")
	w.op("MOVL", "$32", "R12")
	w.arg("rowSums", "AX")
	w.atMost("R12", "AX")
	w.firstOnes("AX", "K3")
	w.label("plane")
	w.arg("a", "SI")
	w.arg("c", "BX")
	w.arg("rows", "DX")
	w.label("row")
	w.move("SI", "R8")
	w.move("BX", "R11")
	w.arg("k", "CX")
	w.jumpIfZero("CX", "part")
	w.label("vector")
	w.loadHalves(stride, "", "")
	w.op("VMOVDQU32", "Z0", "(R11)")
	w.add(fmt.Sprintf("$%d", w.bytes*stride), "R8")
	w.add(fmt.Sprintf("$%d", w.bytes), "R11")
	w.repeat("CX", "vector")
	w.label("part")
	w.loadHalves(stride, "K1", "K2")
	w.op("VMOVDQU16", "Z0", "K3", "(R11)")
	w.arg("rowSums", "R9")
	w.label("zeros")
	w.sub("$32", "R9")
	w.jump("LE", "next")
	w.add(fmt.Sprintf("$%d", w.bytes), "R11")
	w.move("R9", "AX")
	w.atMost("R12", "AX")
	w.firstOnes("AX", "K4")
	w.zero(0)
	w.op("VMOVDQU16", "Z0", "K4", "(R11)")
	w.goTo("zeros")
	w.label("next")
	w.addArg("rowA", "SI")
	w.addArg("rowC", "BX")
	w.repeat("DX", "row")
	w.amxAdvance("stepA", "a", "stepC", "c")
	w.repeatArg("count", "plane")
	w.end()
}

// loadHalves loads 32 elements from R8 on, of those in masks, into Z0.
func (w *writer) loadHalves(stride int, lower, upper string) {
	load := func(from, mask, to string) {
		if mask == "" {
			w.op("VMOVDQU32", from, to)
		} else {
			w.op("VMOVDQU16.Z", from, mask, to)
		}
	}
	load("(R8)", lower, "Z0")
	if stride == 1 {
		return
	}
	load("64(R8)", upper, "Z1")
	w.op("VPMOVDW", "Z0", "Y0")
	w.op("VPMOVDW", "Z1", "Y1")
	w.op("VINSERTI64X4", "$1", "Y1", "Z0", "Z0")
}

// firstOnes sets a mask to as many ones as a register says, from 0 to 64.
func (w *writer) firstOnes(register, mask string) {
	w.op("MOVQ", "$-1", "R15")
	w.op("BZHIQ", register, "R15", "R15")
	w.op("KMOVQ", "R15", mask)
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
