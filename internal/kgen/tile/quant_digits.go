package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// digits writes numbers of x as digits of a byte, under AVX-512: x times a factor, rounded to the nearest whole number, whose lowest byte is a digit from -128 to 127;
// what is left is divided by 256 for the next.

var digitsCall = layout{"digitsCall", "digitsCall is a call of SplitDigits: distances in bytes.", []string{
	"x, y, factor, totals unsafe.Pointer // totals are of the numbers that are left before each digit",
	"rowY, blocks int",
}}

// splitDigits is the micro-kernel for digits in order, a block of 64 numbers at a time, and for those of even and odd numbers, a block of 128.
func (m *machine) splitDigits(f *asm.File, digits int, pairs bool) {
	name, doc, vectors := fmt.Sprint("digits", digits), "digits of x · factor in order", 4
	if pairs {
		name, doc, vectors = "digitPairs", "digits of x · factor, 64 of even numbers before 64 of odd ones", 8
	}
	w := m.writer(f, name, wholes, &digitsCall, doc)
	const factor, half, odd, first = 16, 17, 18, 19
	w.arg("x", "SI")
	w.arg("y", "BX")
	w.arg("rowY", "R10")
	w.arg("blocks", "CX")
	w.arg("factor", "AX")
	w.op("VBROADCASTSS", "(AX)", w.reg(factor))
	w.op("MOVL", "$128", "AX")
	w.op("VPBROADCASTD", "AX", w.reg(half))
	for d := range digits {
		w.zero(first + d)
	}
	w.loopLabel("block")
	for v := range vectors {
		w.op("VMULPS", at("SI", 64*v), w.reg(factor), w.reg(v))
		w.op("VCVTPS2DQ", w.reg(v), w.reg(v))
	}
	w.move("BX", "DX")
	for d := range digits {
		for v := range vectors {
			w.op("VPADDD", w.reg(v), w.reg(first+d), w.reg(first+d))
			if pairs {
				w.op("VPMOVQB", w.reg(v), at("DX", 8*v))
				w.op("VPSRLQ", "$32", w.reg(v), w.reg(odd))
				w.op("VPMOVQB", w.reg(odd), at("DX", 64+8*v))
			} else {
				w.op("VPMOVDB", w.reg(v), at("DX", 16*v))
			}
			if d < digits-1 {
				w.op("VPADDD", w.reg(half), w.reg(v), w.reg(v))
				w.op("VPSRAD", "$8", w.reg(v), w.reg(v))
			}
		}
		if d < digits-1 {
			w.add("R10", "DX")
		}
	}
	w.add(fmt.Sprintf("$%d", 64*vectors), "SI")
	if pairs {
		w.add(fmt.Sprintf("$%d", 128*int4Digits), "BX")
	} else {
		w.add("$64", "BX")
	}
	w.repeat("CX", "block")
	w.arg("totals", "AX")
	for d := range digits {
		n := first + d
		w.op("VMOVDQA32", w.reg(n), w.reg(0))
		w.joinWhole(0)
		w.op("VMOVD", "X0", at("AX", 4*d))
	}
	w.end()
}
