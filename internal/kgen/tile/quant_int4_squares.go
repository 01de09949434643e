package tile

import "fmt"

// Four rows of int4 times four rows of x, under AVX-512: a row of the weight is unpacked once for all of them, and the lanes of all sixteen sums are joined at once. What belongs
// to the rows of x lies together, of each block the digits of a row and what is added to their products, less than zero, and then those of the next row.

const (
	nibbleColumns = 4                   // rows of x
	nibbleColumn  = 128*int4Digits + 64 // bytes of a block of one
)

// blockOfX is how many bytes belong to a block of x.
func (n *nibbles) blockOfX() int {
	if n.cols == 1 {
		return 128 * int4Digits
	}
	return n.cols * nibbleColumn
}

// addColumns adds the products of a block of a row with all rows of x. The lowest digits' sum is apart, so that two short chains of instructions are computed side by side.
func (n *nibbles) addColumns(i int) {
	low, high, scale, total, lowest := n.work(0), n.work(1), n.work(2), n.work(3), n.work(4)
	n.unpack(n.weights(i, 0), low, high, false)
	n.scales(i, 0, scale, false)
	for c := range n.cols {
		x := func(offset int) string { return at("SI", c*nibbleColumn+offset) }
		n.zero(total)
		n.op("VMOVDQU32", x(128*int4Digits), n.reg(lowest))
		for d := int4Digits - 1; d >= 0; d-- {
			sum := n.reg(total)
			if d == 0 {
				sum = n.reg(lowest)
			}
			n.op("VPDPBUSD", x(128*d), n.reg(low), sum)
			n.op("VPDPBUSD", x(128*d+64), n.reg(high), sum)
			if d > 0 {
				n.shiftLeft(total, 8)
			}
		}
		n.op("VPADDD", n.reg(lowest), n.reg(total), n.reg(total))
		n.toFloat(total)
		n.fma(scale, total, i*n.cols+c)
	}
}

// joinColumns adds the lanes of sixteen sums, as joinLanes does each one's: the first register then has four rows' sums with the first row of x, with the second one and so on.
func (n *nibbles) joinColumns() {
	lower, upper := n.reg(n.work(0)), n.reg(n.work(1))
	join := func(low, high []string, apart int) {
		for x := 0; x < quantRows*nibbleColumns; x += 2 * apart {
			n.op(low[0], append(low[1:], n.reg(x+apart), n.reg(x), lower)...)
			n.op(high[0], append(high[1:], n.reg(x+apart), n.reg(x), upper)...)
			n.op("VADDPS", upper, lower, n.reg(x))
		}
	}
	join([]string{"VSHUFF64X2", "$0x44"}, []string{"VSHUFF64X2", "$0xee"}, 1)
	join([]string{"VSHUFF32X4", "$0x88"}, []string{"VSHUFF32X4", "$0xdd"}, 2)
	join([]string{"VUNPCKLPD"}, []string{"VUNPCKHPD"}, 4)
	join([]string{"VSHUFPS", "$0x88"}, []string{"VSHUFPS", "$0xdd"}, 8)
}

// storeColumns multiplies the sums by the steps, adds a bias, if there is one, stores four numbers of four rows of y, and moves on.
func (n *nibbles) storeColumns() {
	n.op("VEXTRACTF64X4", "$1", "Z0", "Y1")
	n.arg("step", "AX")
	for half := range 2 {
		sums, wide := fmt.Sprint("Y", half), n.reg(half)
		n.op("VCVTPS2PD", sums, wide)
		n.op("VMULPD", at("AX", 64*half), wide, wide)
		n.op("VCVTPD2PS", wide, sums)
	}
	n.arg("bias", "AX")
	n.jumpIfZero("AX", "unbiased")
	n.op("VBROADCASTF128", "(AX)", "Y2")
	n.op("VADDPS", "Y2", "Y0", "Y0")
	n.op("VADDPS", "Y2", "Y1", "Y1")
	n.next("$16", "bias")
	n.label("unbiased")
	n.arg("y", "AX")
	n.arg("rowY", "SI")
	for half := range 2 {
		n.op("VMOVUPS", fmt.Sprint("X", half), "(AX)")
		n.add("SI", "AX")
		n.op("VEXTRACTF128", "$1", fmt.Sprint("Y", half), "(AX)")
		n.add("SI", "AX")
	}
	n.next("$16", "y")
}
