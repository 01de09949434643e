package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// peak is what a machine can do at most: k steps of multiplications with additions in registers, which need no memory. It has
// as many sums as hide the latency of one on all machines there are: under NEON where four of them begin in a cycle.
func (m *machine) peak(f *asm.File) {
	sums := 12
	if m.arm {
		sums = 24
	}
	w := m.writer(f, "peak", elems[0], &tileCall, fmt.Sprintf("sum[i] += x · y for %d vectors i, k times; nothing is kept", sums))
	w.arg("k", "CX")
	for n := range sums + 2 {
		w.zero(n)
	}
	w.loopLabel("loop")
	for n := range sums {
		w.fma(sums, sums+1, n)
	}
	w.repeat("CX", "loop")
	w.end()
}
