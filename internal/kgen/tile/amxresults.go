package tile

import "cresset/internal/kgen/asm"

var byteResultsCall = layout{"byteResultsCall", "byteResultsCall is a call of ByteResults: pointers to the sums of digits, the highest first, of which one digit has the first alone.", []string{
	"high, middle, low, step, scale, bias, y unsafe.Pointer",
	"rows int",
}}

// byteResults makes numbers of the sums of digits of int8 tiles, a row of 16 at a time, with the roundings of quant.result.
func (m *machine) byteResults(f *asm.File) {
	w := m.writer(f, "results", wholes, &byteResultsCall, "y[i][j] = step[j] · scale[i] · Σ high[i][j] · 65536 + middle[i][j] · 256 + low[i][j], + bias[i], for so many rows i and 16 columns j; without middle, high alone")
	sums := []string{"SI", "R8", "R9"}
	for n, name := range []string{"high", "middle", "low"} {
		w.arg(name, sums[n])
	}
	w.arg("step", "AX")
	w.op("VMOVUPD", "(AX)", "Z6")
	w.op("VMOVUPD", "64(AX)", "Z7")
	w.op("VBROADCASTSD", f.Words(0, 0x40700000), "Z8") // 256
	w.arg("scale", "R10")
	w.arg("bias", "R11")
	w.arg("y", "BX")
	w.arg("rows", "CX")
	w.loopLabel("row")
	w.op("VCVTDQ2PD", "(SI)", "Z0")
	w.op("VCVTDQ2PD", "32(SI)", "Z1")
	w.add("$128", "SI")
	w.jumpIfZero("R8", "whole")
	for _, digit := range sums[1:] {
		w.op("VCVTDQ2PD", at(digit, 0), "Z2")
		w.op("VCVTDQ2PD", at(digit, 32), "Z3")
		w.op("VFMADD213PD", "Z2", "Z8", "Z0")
		w.op("VFMADD213PD", "Z3", "Z8", "Z1")
		w.add("$128", digit)
	}
	w.label("whole")
	w.op("VBROADCASTSS", "(R10)", "Y4")
	w.op("VCVTPS2PD", "Y4", "Z4")
	for n, half := range []string{"Z0", "Z1"} {
		step := w.reg(6 + n)
		w.op("VMULPD", step, "Z4", "Z5")
		w.op("VMULPD", "Z5", half, half)
	}
	w.op("VCVTPD2PS", "Z0", "Y0")
	w.op("VCVTPD2PS", "Z1", "Y1")
	w.op("VINSERTF64X4", "$1", "Y1", "Z0", "Z0")
	w.jumpIfZero("R11", "unbiased")
	w.op("VADDPS.BCST", "(R11)", "Z0", "Z0")
	w.add("$4", "R11")
	w.label("unbiased")
	w.op("VMOVUPS", "Z0", "(BX)")
	w.add("$4", "R10")
	w.add("$64", "BX")
	w.repeat("CX", "row")
	w.end()
}
