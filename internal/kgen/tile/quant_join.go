package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// results writes what rows have summed up: their lanes, added in pairs, times the step of x in float64, rounded, plus the bias.
func (n *nibbles) results(f *asm.File) {
	if n.cols > 1 {
		n.joinColumns()
		n.storeColumns()
		return
	}
	if n.masks {
		n.joinRows(f)
		n.op("VCVTPS2PD", "X0", "Y0")
		n.arg("step", "AX")
		n.op("VBROADCASTSD", "(AX)", "Y1")
		n.op("VMULPD", "Y1", "Y0", "Y0")
		n.op("VCVTPD2PSY", "Y0", "X0")
		n.storeResults(n.rows)
		return
	}
	n.joinLanes(0, n.parts())
	n.arg("step", "AX")
	if n.arm {
		n.op("FCVTSD", "F0", "F0")
		n.op("FMOVD", "("+armNames["AX"]+")", "F1")
		n.op("FMULD", "F1", "F0", "F0")
		n.op("FCVTDS", "F0", "F0")
	} else {
		n.op("VCVTSS2SD", "X0", "X0", "X0")
		n.op("VMULSD", "(AX)", "X0", "X0")
		n.op("VCVTSD2SS", "X0", "X0", "X0")
	}
	n.storeResults(1)
}

// joinRows adds the lanes of four rows as joinLanes does each one's, and leaves the sums beside each other in the first register.
func (n *nibbles) joinRows(f *asm.File) {
	lower, upper := n.work(0), n.work(1)
	halves := func(low, high string, x, y, to int) {
		n.op("VSHUFF64X2", low, n.reg(y), n.reg(x), n.reg(lower))
		n.op("VSHUFF64X2", high, n.reg(y), n.reg(x), n.reg(upper))
		n.op("VADDPS", n.reg(upper), n.reg(lower), n.reg(to))
	}
	halves("$0x44", "$0xee", 0, 1, 0) // eight lanes of two rows
	halves("$0x44", "$0xee", 2, 3, 2)
	halves("$0x88", "$0xdd", 0, 2, 0) // four lanes of each
	for _, order := range []string{"$0x4e", "$0xb1"} {
		n.op("VPERMILPS", order, "Z0", n.reg(lower))
		n.op("VADDPS", n.reg(lower), "Z0", "Z0")
	}
	n.op("VMOVUPS", f.Words(0, 4, 8, 12), fmt.Sprint("X", lower))
	n.op("VPERMPS", "Z0", n.reg(lower), "Z0")
}

// joinLanes adds the lanes of so many registers, from the rth on, in pairs, those of the second half to those of the first, until one is left.
func (n *nibbles) joinLanes(r, vectors int) {
	for count := vectors / 2; count > 0; count /= 2 {
		for i := range count {
			n.plus(r+count+i, r+i)
		}
	}
	spare := n.work(0)
	if n.arm {
		for _, shift := range []string{"$8", "$4"} {
			n.op("VEXT", shift, vector(r), vector(r), vector(spare))
			n.plus(spare, r)
		}
		return
	}
	half := func() { n.op("VADDPS", fmt.Sprint("X", spare), fmt.Sprint("X", r), fmt.Sprint("X", r)) }
	n.op("VEXTRACTF128", "$1", fmt.Sprint("Y", r), fmt.Sprint("X", spare))
	half()
	for _, order := range []string{"$0x4e", "$0xb1"} {
		n.op("VPERMILPS", order, fmt.Sprint("X", r), fmt.Sprint("X", spare))
		half()
	}
}

// joinWhole adds the lanes of a register into its first.
func (w *writer) joinWhole(n int) {
	if w.masks {
		w.addUpper("Z", "Y", "VEXTRACTI64X4", n)
	}
	w.addUpper("Y", "X", "VEXTRACTI128", n)
	for _, order := range []string{"$0x4e", "$0xb1"} {
		t := fmt.Sprint("X", narrowScratch)
		w.op("VPSHUFD", order, fmt.Sprint("X", n), t)
		w.op("VPADDD", t, fmt.Sprint("X", n), fmt.Sprint("X", n))
	}
}
