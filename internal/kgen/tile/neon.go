package tile

import (
	"fmt"
	"strings"

	"cresset/internal/kgen/asm"
)

// NEON has vectors of 16 bytes, no masks, and a multiplication of a vector with one element of another, which spares
// repeating elements of A. A vector that has fewer columns than lanes overlaps the one before, and computes the same
// there; a tile of less than a vector has a loop of its own.

const (
	neonBytes = 16
	neonPanel = 3 // vectors of a tile of the most rows
)

// neonVectors is how many vectors a tile of so many rows has at most.
var neonVectors = []int{1: 8, 8, 6, 5, 4, 4, neonPanel, neonPanel}

var neon = machine{name: "NEON", bytes: neonBytes, prefix: "V", count: 32, tallest: len(neonVectors) - 1,
	shapes: neonShapes(), dots: [][2]int{{1, 4}, {2, 4}, {1, 8}}, arm: true}

func neonShapes() []shape {
	var all []shape
	for rows, most := range neonVectors {
		for vectors := 1; vectors <= most; vectors++ {
			all = append(all, shape{rows, vectors})
		}
	}
	return all
}

// An armFunc writes a function for arm64. R0 points to its argument.
type armFunc struct {
	elem
	fn *asm.Func
}

// neonFile writes all functions of arm64.
func neonFile() *asm.File {
	f := &asm.File{}
	for _, e := range elems {
		for _, s := range neon.shapes {
			neonProduct(f, s, e)
			neonTapProduct(f, s, e)
		}
		for _, s := range neon.dots {
			neonDot(f, s[0], s[1], e)
		}
		neonTranspose(f, e)
		neonGather(f, e)
		neon.windows(f, e)
		neonPairMaxes(f, e)
		neon.lines(f, e)
		neon.addRows(f, e)
		neon.slides(f, e)
	}
	neon.peak(f)
	return f
}

func newArmFunc(f *asm.File, what string, e elem, doc string) armFunc {
	fn := f.Func(neon.functionName(what, e), doc, asm.Param{Name: "t", Type: "unsafe.Pointer"})
	fn.Op("MOVD", fn.Arg("t"), "R0")
	return armFunc{e, fn}
}

func (m *armFunc) op(name string, operands ...string) { m.fn.Op(name, operands...) }

func (m *armFunc) lanes() int { return neon.lanes(m.elem) }

// scaled is a register with a number of elements, as an operand that counts bytes.
func (m *armFunc) scaled(register string) string {
	return register + map[int]string{4: "<<2", 8: "<<3"}[m.size]
}

// field loads a field of the argument.
func (m *armFunc) field(name, to string) { m.op("MOVD", field(name), to) }

// moveBy moves a register by what a field says.
func (m *armFunc) moveBy(name, register string) {
	m.field(name, armScratch)
	m.op("ADD", armScratch, register)
}

// nextTile goes on to the next tile, or returns.
func (m *armFunc) nextTile(done string) {
	m.field(tileCall.at("tiles"), armScratch)
	m.op("SUBS", "$1", armScratch)
	m.op("BLE", done)
	m.op("MOVD", armScratch, field(tileCall.at("tiles")))
	for _, f := range moved {
		m.field(f[1], armC)
		m.moveBy(f[0], armC)
		m.op("MOVD", armC, field(f[1]))
	}
	m.op("B", "tile")
	m.fn.Label(done)
	m.op("RET")
}

func field(name string) string { return strings.Replace(name, "DI", "R0", 1) }

// move is the instruction that moves one number between memory and a register, whose other lanes become zero.
func (m *armFunc) move() string { return map[int]string{4: "FMOVS", 8: "FMOVD"}[m.size] }

func (m *armFunc) zero(n int) { neon.zero(m.fn, n) }

// A neonCode is an instruction by name and code, for 4-byte elements. Bit 22 of the code makes it one for 8 bytes.
type neonCode struct {
	name string
	code uint32
}

// Go's assembler lacks most of NEON's instructions on floats: these are written as words.
var (
	neonFMLA  = neonCode{"FMLA", 0x4e20cc00}
	neonFADD  = neonCode{"FADD", 0x4e20d400}
	neonFADDP = neonCode{"FADDP", 0x6e20d400}
	neonFCMGT = neonCode{"FCMGT", 0x6ea0e400}
	neonFCMEQ = neonCode{"FCMEQ", 0x4e20e400}
	// neonFMLAElement multiplies with the first element of its last operand.
	neonFMLAElement = neonCode{"FMLA", 0x4f801000}
)

// arrangement is the suffix that a vector register's name has, in ARM's syntax.
func (m *armFunc) arrangement() string { return map[int]string{4: "4S", 8: "2D"}[m.size] }

func (m *armFunc) sized(c neonCode) uint32 {
	if m.size == 8 {
		return c.code | 1<<22
	}
	return c.code
}

// three writes an instruction of two operands.
func (m *armFunc) three(c neonCode, dst, x, y int) {
	m.fn.Word(m.sized(c)|uint32(y)<<16|uint32(x)<<5|uint32(dst), "%s V%d.%[3]s, V%[4]d.%[3]s, V%[5]d.%[3]s", c.name, dst, m.arrangement(), x, y)
}

// bits writes an instruction on 16 bytes.
func (m *armFunc) bits(name string, code uint32, dst, x, y int) {
	m.fn.Word(code|uint32(y)<<16|uint32(x)<<5|uint32(dst), "%s V%d.16B, V%d.16B, V%d.16B", name, dst, x, y)
}

// fmaElement adds to a vector another one times the first element of a third.
func (m *armFunc) fmaElement(dst, x, y int) {
	m.fn.Word(m.sized(neonFMLAElement)|uint32(y)<<16|uint32(x)<<5|uint32(dst), "%s V%d.%[3]s, V%[4]d.%[3]s, V%[5]d.%[6]s[0]",
		neonFMLAElement.name, dst, m.arrangement(), x, y, m.arrangement()[1:])
}

// numbers is register n as a vector of numbers in Go's syntax.
func (m *armFunc) numbers(n int) string {
	return fmt.Sprintf("V%d.%s", n, map[int]string{4: "S4", 8: "D2"}[m.size])
}

// vector is register n as 16 bytes in Go's syntax, and float the same register where instructions take one number or
// all of it.
func vector(n int) string { return fmt.Sprintf("V%d.B16", n) }

func float(n int) string { return fmt.Sprintf("F%d", n) }

// reg is a register of whole numbers.
func reg(n int) string { return fmt.Sprintf("R%d", n) }
