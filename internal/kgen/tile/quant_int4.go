package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Dot products with rows of int4, two a byte, the even one in the lower half: a block of 64 bytes is 128 elements of a row, whose digits of x come as 64 of even
// and 64 of odd elements. A lane of 32 bits has 8 neighbours, which are in one group: their exact sum becomes a float32, is multiplied with the
// group's scale and added to the lane's sum. There are 16 lanes for every instruction set.

// int4Groups are the sizes of groups that have micro-kernels.
var int4Groups = []int{32, 64, 128}

var int4Call = layout{"int4Call", "int4Call is a call of Int4Dots: distances in bytes.", []string{
	"x, eights, y unsafe.Pointer // digits of x; 8 times the sum of each lane's numbers",
	"w, s, z unsafe.Pointer // the first row, its scales and words with its zero points, nil where all are 8",
	"rowW, rowS, blocks, next int // whole blocks; where the rows that come next begin",
	"sums unsafe.Pointer // of x over groups",
	"groups, shift, stepShift int // in sixteens; the first row's place within words in bits, and how far the next is",
	"tail, tailS unsafe.Pointer // the last block where it is not whole, filled up, and its scales",
	"lastS, lastZ unsafe.Pointer // the last groups where they are not sixteen, filled up",
}}

// nibbles writes dot products with some rows: as many as there are registers for, so that they share what is loaded of x.
type nibbles struct {
	*writer
	group, rows int
}

// nibbleRows is how many rows a call takes.
func (m *machine) nibbleRows() int {
	if m.masks {
		return quantRows
	}
	return 1
}

const int4Digits, int4Lanes = 3, 16

// dotNibbles are the micro-kernels for int4.
func (m *machine) dotNibbles(f *asm.File) {
	for _, group := range int4Groups {
		doc := fmt.Sprintf("y[i] = Σ s[i][g] · Σ x[l] · (w[i][l] - z[i][g]) for elements l of groups g of %d, in %d lanes, and %d rows i", group, int4Lanes, m.nibbleRows())
		n := nibbles{m.writer(f, fmt.Sprint("dotNibbles", group), wholes, &int4Call, doc), group, m.nibbleRows()}
		n.dot(f)
	}
}

// parts is how many vectors hold the lanes.
func (n *nibbles) parts() int { return int4Lanes / n.lanes(n.elem) }

// The registers: sums of lanes from 0 on, then what a part of a block needs.
func (n *nibbles) work(i int) int { return n.rows*n.parts() + i }

// row is the memory of row i behind a base, whose rows are as far apart as one register says, of which another has three times that.
func (n *nibbles) row(base, row, thrice string, i, offset int) memory {
	switch i {
	case 0:
		return memory{base: base, offset: offset}
	case 3:
		return memory{base, offset, thrice, 1}
	}
	return memory{base, offset, row, i}
}

func (n *nibbles) weights(i, offset int) memory { return n.row("BX", "R8", "R9", i, offset) }
func (n *nibbles) scale(i, offset int) memory   { return n.row("DX", "R12", "R13", i, offset) }

// setRows sets the registers with distances of rows.
func (n *nibbles) setRows(w, s string) {
	if n.rows == 1 {
		return
	}
	n.op("MOVQ", w, "R8")
	n.op("LEAQ", "(R8)(R8*2)", "R9")
	n.op("MOVQ", s, "R12")
	n.op("LEAQ", "(R12)(R12*2)", "R13")
}

func (n *nibbles) dot(f *asm.File) {
	n.arg("x", "SI")
	n.arg("eights", "R11")
	n.arg("w", "BX")
	n.arg("s", "DX")
	n.arg("blocks", "CX")
	n.arg("tail", "R15")
	n.setRows(n.field("rowW"), n.field("rowS"))
	for i := range n.work(0) {
		n.zero(i)
	}
	n.constants(f)
	n.jumpIfZero("CX", "tail")
	n.loopLabel("block")
	if n.rows > 1 {
		n.arg("next", "AX")
		n.add("BX", "AX")
		for d := range 2 * int4Digits { // of the even and the odd numbers
			n.load(memory{base: "SI", offset: 64 * d}, n.ofX(d))
		}
		for i := range n.rows {
			n.addPart(i, 0)
			n.op("PREFETCHT0", n.row("AX", "R8", "R9", i, 0).String())
		}
	} else {
		for part := range n.parts() {
			n.addPart(0, part)
		}
		if !n.arm {
			n.arg("next", "AX")
			n.op("PREFETCHT0", "(BX)(AX*1)")
		}
	}
	n.add("$64", "BX")
	n.add(fmt.Sprintf("$%d", 128*int4Digits), "SI")
	n.add("$64", "R11")
	n.add(fmt.Sprintf("$%d", 4*128/n.group), "DX")
	n.repeat("CX", "block")
	n.label("tail")
	n.jumpIfZero("R15", "zeros")
	n.move("R15", "BX")
	n.arg("tailS", "DX")
	n.setRows("$64", "$16")
	n.clear("R15")
	n.clear("CX")
	n.increment("CX")
	n.goTo("block")
	n.zeroPoints()
	n.label("sum")
	n.arg("y", "AX")
	for i := range n.rows {
		n.joinFloat(i*n.parts(), n.parts())
		if n.arm {
			n.op("FMOVS", float(0), "("+armNames["AX"]+")")
		} else {
			n.op("VMOVSS", fmt.Sprint("X", i*n.parts()), at("AX", 4*i))
		}
	}
	n.end()
}

// ofX is the register of a vector of x that rows share.
func (n *nibbles) ofX(d int) int { return n.work(8 + d) }

// constants fills registers: masks of half bytes and, for AVX2, words of 1.
func (n *nibbles) constants(f *asm.File) {
	fill := func(word string, to int) {
		if n.arm {
			n.op("MOVD", word, armScratch)
			n.op("VDUP", armScratch, fmt.Sprintf("V%d.S4", to))
			return
		}
		n.op("MOVL", word, "AX")
		if n.masks {
			n.op("VPBROADCASTD", "AX", n.reg(to))
			return
		}
		n.op("VMOVD", "AX", fmt.Sprint("X", to))
		n.op("VPBROADCASTD", fmt.Sprint("X", to), n.reg(to))
	}
	fill("$0x0f0f0f0f", n.halves())
	if !n.masks && !n.arm {
		fill("$0x00010001", n.halves()-1)
	}
	if n.masks && n.group < 128 {
		var order []uint32
		for lane := range uint32(int4Lanes) {
			order = append(order, lane*8/uint32(n.group))
		}
		n.op("VMOVUPS", f.Words(order...), n.reg(n.halves()-1))
	}
}

// halves is the register with the mask.
func (n *nibbles) halves() int { return n.count - 2 }

// addPart adds the products of a part of a block of a row: all lanes, or those of a vector.
func (n *nibbles) addPart(i, part int) {
	low, high, total, scale := n.work(0), n.work(1), n.work(2), n.work(3)
	w := n.weights(i, part*n.bytes)
	at := func(base string, offset int) memory { return memory{base: base, offset: offset + part*n.bytes} }
	if n.arm {
		n.load(w, low)
		n.fn.Word(0x6f0c0400|uint32(low)<<5|uint32(high), "USHR V%d.16B, V%d.16B, #4", high, low)
		n.op("VAND", vector(n.halves()), vector(low), vector(low))
	} else {
		and := map[bool]string{true: "VPANDD", false: "VPAND"}[n.masks]
		n.op("VMOVUPS", w.String(), n.reg(low))
		n.op("VPSRLD", "$4", n.reg(low), n.reg(high))
		n.op(and, n.reg(n.halves()), n.reg(low), n.reg(low))
		n.op(and, n.reg(n.halves()), n.reg(high), n.reg(high))
	}
	n.zero(total)
	for d := int4Digits - 1; d >= 0; d-- {
		if n.rows > 1 {
			n.op("VPDPBUSD", n.reg(n.ofX(2*d)), n.reg(low), n.reg(total))
			n.op("VPDPBUSD", n.reg(n.ofX(2*d+1)), n.reg(high), n.reg(total))
		} else {
			n.addDigit(at("SI", 128*d), at("SI", 128*d+64), low, high, total)
		}
		if d > 0 {
			n.shiftLeft(total)
		}
	}
	n.less(at("R11", 0), total)
	n.toFloat(total)
	n.scales(i, part, scale)
	n.fma(scale, total, i*n.parts()+part)
}

// addDigit adds the products of a digit.
func (n *nibbles) addDigit(even, odd memory, low, high, total int) {
	t := n.work(4)
	if n.arm {
		n.addDigitNEON(even, odd, low, high, total)
		return
	}
	n.op("VPMADDUBSW", even.String(), n.reg(low), n.reg(t))
	n.op("VPMADDUBSW", odd.String(), n.reg(high), n.reg(t+1))
	n.op("VPADDW", n.reg(t), n.reg(t+1), n.reg(t))
	n.op("VPMADDWD", n.reg(n.halves()-1), n.reg(t), n.reg(t))
	n.op("VPADDD", n.reg(t), n.reg(total), n.reg(total))
}

func (n *nibbles) addDigitNEON(even, odd memory, low, high, total int) {
	x, y, t := uint32(n.work(4)), uint32(n.work(5)), uint32(n.work(6))
	n.load(even, int(x))
	n.load(odd, int(y))
	for half, q := range []uint32{0, 1 << 30} {
		to, bytes := t+uint32(half), []string{"8B", "16B"}[half]
		n.fn.Word(0x0e20c000|q|x<<16|uint32(low)<<5|to, "SMULL V%d.8H, V%d.%[3]s, V%[4]d.%[3]s", to, low, bytes, x)
		n.fn.Word(0x0e208000|q|y<<16|uint32(high)<<5|to, "SMLAL V%d.8H, V%d.%[3]s, V%[4]d.%[3]s", to, high, bytes, y)
		n.fn.Word(0x4e602800|to<<5|to, "SADDLP V%d.4S, V%d.8H", to, to)
	}
	n.fn.Word(0x4ea0bc00|(t+1)<<16|t<<5|t, "ADDP V%d.4S, V%d.4S, V%d.4S", t, t, t+1)
	n.op("VADD", fmt.Sprintf("V%d.S4", t), fmt.Sprintf("V%d.S4", total), fmt.Sprintf("V%d.S4", total))
}

// shiftLeft multiplies a register of int32 with 256.
func (n *nibbles) shiftLeft(r int) {
	if n.arm {
		n.op("VSHL", "$8", fmt.Sprintf("V%d.S4", r), fmt.Sprintf("V%d.S4", r))
		return
	}
	n.op("VPSLLD", "$8", n.reg(r), n.reg(r))
}

// less subtracts int32 in memory.
func (n *nibbles) less(x memory, from int) {
	if n.arm {
		t := n.work(4)
		n.load(x, t)
		n.op("VSUB", fmt.Sprintf("V%d.S4", t), fmt.Sprintf("V%d.S4", from), fmt.Sprintf("V%d.S4", from))
		return
	}
	n.op("VPSUBD", x.String(), n.reg(from), n.reg(from))
}

// toFloat converts a register of int32 to float32.
func (n *nibbles) toFloat(r int) {
	if n.arm {
		n.fn.Word(0x4e21d800|uint32(r)<<5|uint32(r), "SCVTF V%d.4S, V%d.4S", r, r)
		return
	}
	n.op("VCVTDQ2PS", n.reg(r), n.reg(r))
}

// scales loads the scales of the groups that the lanes of a part are of.
func (n *nibbles) scales(i, part, to int) {
	lanes := n.lanes(n.elem)
	first, count := part*lanes*8/n.group, max(1, lanes*8/n.group)
	switch {
	case count == 1:
		n.broadcast(n.scale(i, 4*first), to)
	case n.masks:
		load := map[int]string{2: "VBROADCASTSD", 4: "VBROADCASTF32X4"}[count]
		n.op(load, n.scale(i, 0).String(), n.reg(to))
		n.op("VPERMPS", n.reg(to), n.reg(n.halves()-1), n.reg(to))
	default: // AVX2: two groups of four lanes
		t := n.work(4)
		n.op("VBROADCASTSS", at("DX", 4*first), fmt.Sprint("X", to))
		n.op("VBROADCASTSS", at("DX", 4*first+4), fmt.Sprint("X", t))
		n.op("VINSERTF128", "$1", fmt.Sprint("X", t), n.reg(to), n.reg(to))
	}
}

// zeroPoints subtracts what zero points other than 8 make, sixteen groups at a time: group g is lane g modulo 16.
func (n *nibbles) zeroPoints() {
	n.label("zeros")
	n.arg("z", "BX")
	n.jumpIfZero("BX", "sum")
	n.arg("s", "DX")
	n.arg("sums", "SI")
	n.arg("groups", "CX")
	n.arg("lastS", "R15")
	n.arg("shift", "AX")
	shift, eight := n.work(4), n.work(8)
	n.setRows("$0", n.field("rowS"))
	switch {
	case n.arm: // a shift to the right is one to the left by less than nothing
		n.op("NEG", armNames["AX"], armNames["AX"])
		n.op("VDUP", armNames["AX"], fmt.Sprintf("V%d.S4", shift))
		n.op("MOVD", "$15", armScratch)
		n.op("VDUP", armScratch, fmt.Sprintf("V%d.S4", n.halves()))
		n.op("MOVD", "$8", armScratch)
		n.op("VDUP", armScratch, fmt.Sprintf("V%d.S4", eight))
	default:
		for i := range n.rows {
			n.op("VMOVD", "AX", fmt.Sprint("X", shift+i))
			n.op("ADDQ", n.field("stepShift"), "AX")
		}
		for _, c := range []struct {
			word string
			to   int
		}{{"$15", n.halves()}, {"$8", eight}} {
			n.op("MOVL", c.word, "AX")
			n.op("VMOVD", "AX", fmt.Sprint("X", c.to))
			n.op("VPBROADCASTD", fmt.Sprint("X", c.to), n.reg(c.to))
		}
	}
	n.jumpIfZero("CX", "last")
	n.label("groups")
	for i := range n.rows {
		for part := range n.parts() {
			n.addZeros(i, part, shift+i, eight)
		}
	}
	n.add("$64", "BX")
	n.add("$64", "DX")
	n.add("$64", "SI")
	n.repeat("CX", "groups")
	n.label("last")
	n.jumpIfZero("R15", "sum")
	n.move("R15", "DX")
	n.arg("lastZ", "BX")
	n.setRows("$0", "$64")
	n.clear("R15")
	n.clear("CX")
	n.increment("CX")
	n.goTo("groups")
}

func (n *nibbles) addZeros(i, part, shift, eight int) {
	zero, scale := n.work(0), n.work(1)
	at := func(base string) memory { return memory{base: base, offset: part * n.bytes} }
	if n.arm {
		s4 := func(r int) string { return fmt.Sprintf("V%d.S4", r) }
		n.load(at("BX"), zero)
		n.fn.Word(0x6ea04400|uint32(shift)<<16|uint32(zero)<<5|uint32(zero), "USHL V%d.4S, V%d.4S, V%d.4S", zero, zero, shift)
		n.op("VAND", vector(n.halves()), vector(zero), vector(zero))
		n.op("VSUB", s4(eight), s4(zero), s4(zero))
		n.toFloat(zero)
		n.load(at("DX"), scale)
		n.three(neonFMUL, scale, scale, zero)
		n.load(at("SI"), zero)
		n.three(neonCode{"FMLS", 0x4ea0cc00}, part, scale, zero)
		return
	}
	n.op("VMOVUPS", at("BX").String(), n.reg(zero))
	n.op("VPSRLD", fmt.Sprint("X", shift), n.reg(zero), n.reg(zero))
	n.op(map[bool]string{true: "VPANDD", false: "VPAND"}[n.masks], n.reg(n.halves()), n.reg(zero), n.reg(zero))
	n.op("VPSUBD", n.reg(eight), n.reg(zero), n.reg(zero))
	n.toFloat(zero)
	n.op("VMULPS", n.scale(i, part*n.bytes).String(), n.reg(zero), n.reg(scale))
	n.op("VFNMADD231PS", at("SI").String(), n.reg(scale), n.reg(i*n.parts()+part))
}
