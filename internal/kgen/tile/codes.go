package tile

import (
	"fmt"
	"slices"
	"strings"
)

// Go's assembler knows neither AMX nor AVX-VNNI nor AVX-512's instructions for bfloat16: their bytes are written here, with what they mean beside them.

// The prefix of an instruction in a VEX or EVEX prefix.
const noPrefix, prefix66, prefixF3, prefixF2 = 0, 1, 2, 3

// wholeRegisters are amd64's registers of whole numbers by their numbers.
var wholeRegisters = []string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// code writes an instruction as bytes.
func (w *writer) code(bytes []int, format string, args ...any) {
	var text []string
	for _, b := range bytes {
		text = append(text, fmt.Sprintf("BYTE $%#02x", b&255))
	}
	w.op(strings.Join(text, "; ") + " // " + fmt.Sprintf(format, args...))
}

// amx writes an instruction of map 0F38 on a tile register, or on none, and memory.
func (w *writer) amx(name string, prefix, opcode, tile int, m memory) {
	base := slices.Index(wholeRegisters, m.base)
	index := 4 // none
	if m.index != "" {
		index = slices.Index(wholeRegisters, m.index)
	}
	if base&7 == 5 || base&7 == 4 {
		panic("tile: a base that is encoded otherwise: " + m.base)
	}
	bytes := []int{0xc4, (^index>>3&1)<<6 | (^base>>3&1)<<5 | 0x82, 0x78 | prefix, opcode}
	modRM := tile<<3 | 4 // an index follows
	if index == 4 {
		modRM = tile<<3 | base&7
	}
	if m.offset != 0 {
		modRM |= 1 << 6
	}
	bytes = append(bytes, modRM)
	if index != 4 {
		bytes = append(bytes, index&7<<3|base&7)
	}
	if m.offset != 0 {
		bytes = append(bytes, m.offset)
	}
	if m.offset < -128 || m.offset > 127 {
		panic("tile: an offset of more than a byte")
	}
	operands := m.String()
	if opcode == 0x4b {
		operands = fmt.Sprintf("TMM%d, %s", tile, m)
	}
	w.code(bytes, "%s %s", name, operands)
}

// amxRegister writes an instruction on one tile register, or on all.
func (w *writer) amxRegister(name string, prefix, tile int) {
	w.code([]int{0xc4, 0xe2, 0x78 | prefix, 0x49, 0xc0 | tile<<3}, "%s TMM%d", name, tile)
}

// amxProduct adds the product of two tile registers to a third, of bytes with their signs where sums are whole numbers, else of bfloat16.
func (w *writer) amxProduct(sum, a, b int) {
	name, prefix, opcode := "TDPBF16PS", prefixF3, 0x5c
	if w.elem == wholes {
		name, prefix, opcode = "TDPBSSD", prefixF2, 0x5e
	}
	w.code([]int{0xc4, 0xe2, ^b&15<<3 | prefix, opcode, 0xc0 | sum<<3 | a}, "%s TMM%d, TMM%d, TMM%d", name, b, a, sum)
}

// roundToHalf rounds a vector of float32 to half a vector of bfloat16; both are among the first eight registers.
func (w *writer) roundToHalf(from, to int) {
	w.code([]int{0x62, 0xf2, 0x7e, 0x48, 0x72, 0xc0 | to<<3 | from}, "VCVTNEPS2BF16 Z%d, Y%d", from, to)
}

// roundToHalves rounds two vectors of float32 to one of bfloat16, whose upper half is the first's; all are among the first eight registers.
func (w *writer) roundToHalves(upper, lower, to int) {
	w.code([]int{0x62, 0xf2, ^upper&15<<3 | 0x07, 0x48, 0x72, 0xc0 | to<<3 | lower}, "VCVTNE2PS2BF16 Z%d, Z%d, Z%d", lower, upper, to)
}

// multiplyPairs adds the products of pairs x and y to a register. The instruction's bytes are the EVEX prefix of 512 bits in map 0F38 with F3, the opcode, and the registers.
func (w *writer) multiplyPairs(y, x, sum int) {
	m, v, r := uint32(y), uint32(x), uint32(sum)
	not := func(n, bit uint32) uint32 { return ^n >> bit & 1 }
	p0 := not(r, 3)<<7 | not(m, 4)<<6 | not(m, 3)<<5 | not(r, 4)<<4 | 2
	p1 := ^v&15<<3 | 1<<2 | 2
	p2 := uint32(2)<<5 | not(v, 4)<<3
	w.op(fmt.Sprintf("LONG $%#08x; WORD $%#04x // VDPBF16PS Z%d, Z%d, Z%d", 0x62|p0<<8|p1<<16|p2<<24, 0x52|(0xc0|r&7<<3|m&7)<<8, y, x, sum))
}

// dotBytes adds to each sum of a register four products of bytes, of which those of x have a sign and the others, on amd64, have none.
func (w *writer) dotBytes(x, bytes, sum int) {
	if w.arm {
		w.fn.Word(0x4e809400|uint32(x)<<16|uint32(bytes)<<5|uint32(sum), "SDOT V%d.4S, V%d.16B, V%d.16B", sum, bytes, x)
		return
	}
	if w.masks {
		w.op("VPDPBUSD", w.reg(x), w.reg(bytes), w.reg(sum))
		return
	}
	w.code([]int{0xc4, (^sum>>3&1)<<7 | 1<<6 | (^x>>3&1)<<5 | 2, (^bytes&15)<<3 | 1<<2 | prefix66, 0x50, 0xc0 | (sum&7)<<3 | x&7}, "VPDPBUSD Y%d, Y%d, Y%d", x, bytes, sum)
}
