package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Dot products with rows of int4, two a byte, the even one in the lower half: a block of 64 bytes is 128 elements of a row, whose digits of x come as 64 of even
// and 64 of odd elements. A lane of 32 bits has 8 neighbours, which are in one group: their exact sum becomes a float32, is multiplied with the
// group's scale and added to the lane's sum. There are 16 lanes for every instruction set. AVX-512 has micro-kernels for four rows of x at once, too: see quant_int4_squares.go.

// int4Groups are the sizes of groups that have micro-kernels.
var int4Groups = []int{32, 64, 128}

var int4Call = layout{"int4Call", "int4Call is a call of Int4Rows: distances in bytes.", []string{
	"x, eights, step unsafe.Pointer // digits of x, 8 times the sum of each lane's numbers, and the step as a float64",
	"w, s, z unsafe.Pointer // the first row, its scales and words with its zero points, nil where all are 8",
	"bias, y unsafe.Pointer // bias is nil for none",
	"rowW, rowS, stepW, stepS int // from a row to the next, and to the rows that are computed after those side by side",
	"times, blocks, ahead int // how many rows, or how many fours of them; whole blocks; what is prefetched",
	"rest, restS int // what is left behind whole blocks: with AVX-512 masks of words and of scales, elsewhere elements",
	"sums unsafe.Pointer // of x over groups",
	"groups, restG int // sixteens, and what is left: with AVX-512 a mask",
	"shift, stepShift, timeShift, rowZ int // the first row's place within words in bits, how far the next is, and those after them; from a row of words to the next",
	"lastS, lastZ unsafe.Pointer // room for sixteen, zeros, without AVX-512",
	"rowY int // where there are several rows of x",
}}

// nibbles writes dot products with some rows: as many as there are registers for, so that they share what is loaded of x. Columns are rows of x.
type nibbles struct {
	*writer
	group, rows, cols int
}

// nibbleRows is how many rows are computed side by side.
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
		doc := fmt.Sprintf("y[i] = step · Σ s[i][g] · Σ x[l] · (w[i][l] - z[i][g]) + bias[i] for elements l of groups g of %d, in %d lanes", group, int4Lanes)
		n := nibbles{m.writer(f, fmt.Sprint("dotNibbles", group), wholes, &int4Call, doc), group, m.nibbleRows(), 1}
		n.dot(f)
		if m.masks {
			n := nibbles{m.writer(f, fmt.Sprint("squareNibbles", group), wholes, &int4Call, doc+" and four rows of x"), group, quantRows, nibbleColumns}
			n.dot(f)
		}
	}
	m.eights(f)
}

var eightsCall = layout{"eightsCall", "eightsCall is a call of AddEights.", []string{"x, y unsafe.Pointer", "blocks int"}}

// eights is the micro-kernel that adds numbers of x as a row of ones would.
func (m *machine) eights(f *asm.File) {
	n := nibbles{m.writer(f, "eights", wholes, &eightsCall, "y[i] = 8 · Σ x[l] for the 8 numbers x of each lane i"), 128, 1, 1}
	n.arg("x", "SI")
	n.arg("y", "BX")
	n.arg("blocks", "CX")
	if n.byWords() {
		n.fillWords()
	}
	one, total := n.work(0), n.work(2)
	n.fill("$0x01010101", one)
	n.loopLabel("block")
	for part := range n.parts() {
		n.addDigits(memory{base: "SI", offset: part * n.bytes}, one, one, total)
		n.shiftLeft(total, 3)
		n.store(total, memory{base: "BX", offset: part * n.bytes})
	}
	n.add(fmt.Sprintf("$%d", 128*int4Digits), "SI")
	n.add("$64", "BX")
	n.repeat("CX", "block")
	n.end()
}

// parts is how many vectors hold the lanes.
func (n *nibbles) parts() int { return int4Lanes / n.lanes(n.elem) }

// The registers: sums of lanes from 0 on, then what a part of a block needs.
func (n *nibbles) work(i int) int { return n.rows*n.cols*n.parts() + i }

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
func (n *nibbles) setRows() {
	if n.rows == 1 {
		return
	}
	n.arg("rowW", "R8")
	n.op("LEAQ", "(R8)(R8*2)", "R9")
	n.arg("rowS", "R12")
	n.op("LEAQ", "(R12)(R12*2)", "R13")
}

// masked reports whether a block in part is one that masks cut.
func (n *nibbles) masked() bool { return n.masks && n.group < 128 }

func (n *nibbles) dot(f *asm.File) {
	n.setRows()
	n.constants(f)
	n.label("rows")
	n.arg("x", "SI")
	n.arg("eights", "R11")
	n.arg("w", "BX")
	n.arg("s", "DX")
	n.arg("blocks", "CX")
	for i := range n.work(0) {
		n.zero(i)
	}
	if n.masked() {
		n.arg("rest", "R15")
		n.op("MOVL", "$-1", "AX")
		n.op("KMOVW", "AX", "K1") // of words
		n.op("MOVL", fmt.Sprintf("$%d", 1<<(128/n.group)-1), "AX")
		n.op("KMOVW", "AX", "K2") // of scales
	}
	n.jumpIfZero("CX", "rest")
	n.loopLabel("block")
	n.block()
	n.repeat("CX", "block")
	n.label("rest")
	n.rest()
	n.label("zeros")
	n.zeroPoints()
	n.label("sum")
	n.results(f)
	n.next("stepW", "w")
	n.next("stepS", "s")
	n.repeatArg("times", "rows")
	n.end()
}

// block adds the products of a block, and moves on.
func (n *nibbles) block() {
	if n.rows > 1 {
		n.arg("ahead", "AX")
		n.add("BX", "AX")
		if n.cols == 1 {
			for d := range 2 * int4Digits { // of the even and the odd numbers
				n.load(memory{base: "SI", offset: 64 * d}, n.ofX(d))
			}
		}
		for i := range n.rows {
			if n.cols == 1 {
				n.addPart(i, 0, false)
			} else {
				n.addColumns(i)
			}
			n.op("PREFETCHT0", n.row("AX", "R8", "R9", i, 0).String())
		}
	} else {
		for part := range n.parts() {
			n.addPart(0, part, false)
		}
		if !n.arm {
			n.arg("ahead", "AX")
			n.op("PREFETCHT0", "(BX)(AX*1)")
		}
	}
	n.add("$64", "BX")
	n.add(fmt.Sprintf("$%d", n.blockOfX()), "SI")
	n.add("$64", "R11")
	n.add(fmt.Sprintf("$%d", 4*128/n.group), "DX")
}

// rest adds the products of a block in part: with AVX-512 as of a whole one, of which masks let less be read; elsewhere so many vectors, the last of which may be there by half.
func (n *nibbles) rest() {
	switch {
	case n.group == 128: // of which each row has whole blocks
		return
	case n.masks:
		n.jumpIfZero("R15", "zeros")
		n.op("KMOVW", "R15", "K1")
		n.arg("restS", "AX")
		n.op("KMOVW", "AX", "K2")
		n.clear("R15")
		n.clear("CX")
		n.increment("CX")
		n.goTo("block")
		return
	}
	n.arg("rest", "R15")
	elements := 8 * n.lanes(n.elem)
	for part := range n.parts() - 1 {
		n.compare("R15", fmt.Sprintf("$%d", part*elements))
		n.jump("LE", "zeros")
		if elements > 2*n.group-1 {
			whole := fmt.Sprint("whole", part)
			n.compare("R15", fmt.Sprintf("$%d", (part+1)*elements))
			n.jump("GE", whole)
			n.addPart(0, part, true)
			n.goTo("zeros")
			n.label(whole)
		}
		n.addPart(0, part, false)
	}
	if elements > 2*n.group-1 {
		n.compare("R15", fmt.Sprintf("$%d", (n.parts()-1)*elements))
		n.jump("LE", "zeros")
		n.addPart(0, n.parts()-1, true)
	}
}

// ofX is the register of a vector of x that rows share.
func (n *nibbles) ofX(d int) int { return n.work(8 + d) }

// The registers of constants: a mask of half bytes, what the instructions of an instruction set need beside, 15 and 8, and AVX2's words of 256.
func (n *nibbles) halves() int  { return n.count - 2 }
func (n *nibbles) order() int   { return n.count - 3 }
func (n *nibbles) fifteen() int { return n.count - 4 }
func (n *nibbles) eight() int   { return n.count - 5 }
func (n *nibbles) shifted() int { return n.count - 6 }

// constants fills them: for AVX2 with words of 1, for AVX-512 with the group of each lane.
func (n *nibbles) constants(f *asm.File) {
	n.fill("$0x0f0f0f0f", n.halves())
	n.fill("$15", n.fifteen())
	n.fill("$8", n.eight())
	switch {
	case n.masked():
		var order []uint32
		for lane := range uint32(int4Lanes) {
			order = append(order, lane*8/uint32(n.group))
		}
		n.op("VMOVUPS", f.Words(order...), n.reg(n.order()))
	case n.byWords():
		n.fillWords()
	}
}

// addPart adds the products of a part of a block of a row: all lanes, or those of a vector, of which the lower half alone may be there.
func (n *nibbles) addPart(i, part int, half bool) {
	low, high, total, scale := n.work(0), n.work(1), n.work(2), n.work(3)
	n.unpack(n.weights(i, part*n.bytes), low, high, half)
	at := func(base string, offset int) memory { return memory{base: base, offset: offset + part*n.bytes} }
	if n.rows > 1 {
		n.zero(total)
		for d := int4Digits - 1; d >= 0; d-- {
			n.dotBytes(n.ofX(2*d), low, total)
			n.dotBytes(n.ofX(2*d+1), high, total)
			if d > 0 {
				n.shiftLeft(total, 8)
			}
		}
	} else {
		n.addDigits(at("SI", 0), low, high, total)
	}
	n.less(at("R11", 0), total)
	n.toFloat(total)
	n.scales(i, part, scale, half)
	n.fma(scale, total, i*n.parts()+part)
}

// unpack loads bytes and makes two vectors of their halves.
func (n *nibbles) unpack(w memory, low, high int, half bool) {
	if n.arm {
		n.load(w, low)
		n.fn.Word(0x6f0c0400|uint32(low)<<5|uint32(high), "USHR V%d.16B, V%d.16B, #4", high, low)
		n.op("VAND", vector(n.halves()), vector(low), vector(low))
		return
	}
	and := "VPAND"
	switch {
	case half:
		n.op("VMOVUPS", w.String(), fmt.Sprint("X", low)) // with zeros in the upper half
	case n.masked():
		and = "VPANDD"
		n.op("VMOVDQU32.Z", w.String(), "K1", n.reg(low))
	case n.masks:
		and = "VPANDD"
		n.op("VMOVUPS", w.String(), n.reg(low))
	default:
		n.op("VMOVUPS", w.String(), n.reg(low))
	}
	n.op("VPSRLD", "$4", n.reg(low), n.reg(high))
	n.op(and, n.reg(n.halves()), n.reg(low), n.reg(low))
	n.op(and, n.reg(n.halves()), n.reg(high), n.reg(high))
}

// addDigit adds the products of a digit.
func (n *nibbles) addDigit(even, odd memory, low, high, total int) {
	if n.arm && !n.vnni {
		n.addDigitNEON(even, odd, low, high, total)
		return
	}
	t := n.work(4)
	n.load(even, t)
	n.load(odd, t+1)
	n.dotBytes(t, low, total)
	n.dotBytes(t+1, high, total)
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
	n.addPairwise(int(t), int(t+1), int(t))
	n.op("VADD", fmt.Sprintf("V%d.S4", t), fmt.Sprintf("V%d.S4", total), fmt.Sprintf("V%d.S4", total))
}

// shiftLeft shifts a register of int32.
func (n *nibbles) shiftLeft(r, bits int) {
	by := fmt.Sprintf("$%d", bits)
	if n.arm {
		n.op("VSHL", by, fmt.Sprintf("V%d.S4", r), fmt.Sprintf("V%d.S4", r))
		return
	}
	n.op("VPSLLD", by, n.reg(r), n.reg(r))
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
func (n *nibbles) scales(i, part, to int, half bool) {
	lanes := n.lanes(n.elem)
	first, count := part*lanes*8/n.group, max(1, lanes*8/n.group)
	switch {
	case count == 1:
		n.broadcast(n.scale(i, 4*first), to)
	case n.masks:
		n.op("VMOVUPS.Z", n.scale(i, 0).String(), "K2", fmt.Sprint("X", to))
		n.op("VPERMPS", n.reg(to), n.reg(n.order()), n.reg(to))
	default: // AVX2: two groups of four lanes
		t := n.work(4)
		n.op("VBROADCASTSS", at("DX", 4*first), fmt.Sprint("X", to)) // with zeros in the upper half
		if !half {
			n.op("VBROADCASTSS", at("DX", 4*first+4), fmt.Sprint("X", t))
			n.op("VINSERTF128", "$1", fmt.Sprint("X", t), n.reg(to), n.reg(to))
		}
	}
}
