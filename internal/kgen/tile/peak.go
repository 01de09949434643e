package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// peakSums is how many sums hide the latency of a multiplication with addition on all machines there are.
const peakSums = 12

// peak is what a machine can do at most: k steps of multiplications with additions in registers, which need no memory.
func (m *machine) peak(f *asm.File) {
	fn := newFunc(f, m.functionName("peak", elems[0]), fmt.Sprintf("sum[i] += x · y for %d vectors i, k times; nothing is kept", peakSums))
	fn.Op("MOVQ", tileCall.at("k"), "CX")
	for n := range peakSums + 2 {
		m.zero(fn, n)
	}
	fn.Op("PCALIGN", "$32")
	fn.Label("loop")
	for n := range peakSums {
		fn.Op("VFMADD231PS", m.reg(peakSums), m.reg(peakSums+1), m.reg(n))
	}
	fn.Op("DECQ", "CX")
	fn.Op("JNZ", "loop")
	fn.Op("VZEROUPPER")
	fn.Op("RET")
}
