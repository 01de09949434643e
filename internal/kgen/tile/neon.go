package tile

import "fmt"

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

// neonDot is NEON with SDOT, for quantized weights alone.
var neonDot = machine{name: "NEONDOT", bytes: neon.bytes, prefix: neon.prefix, count: neon.count, arm: true, vnni: true}

func neonShapes() []shape {
	var all []shape
	for rows, most := range neonVectors {
		for vectors := 1; vectors <= most; vectors++ {
			all = append(all, shape{rows, vectors})
		}
	}
	return all
}

// A neonCode is an instruction by name and code, for 4-byte elements. Bit 22 of the code makes it one for 8 bytes.
type neonCode struct {
	name string
	code uint32
}

// Go's assembler lacks most of NEON's instructions on floats: these are written as words.
var (
	neonFMLA  = neonCode{"FMLA", 0x4e20cc00}
	neonFADD  = neonCode{"FADD", 0x4e20d400}
	neonFMUL  = neonCode{"FMUL", 0x6e20dc00}
	neonFADDP = neonCode{"FADDP", 0x6e20d400}
	neonFCMGT = neonCode{"FCMGT", 0x6ea0e400}
	neonFCMEQ = neonCode{"FCMEQ", 0x4e20e400}
	// neonFMLAElement multiplies with the first element of its last operand.
	neonFMLAElement = neonCode{"FMLA", 0x4f801000}
)

// arrangement is the suffix that a vector register's name has, in ARM's syntax.
func (w *writer) arrangement() string { return map[int]string{4: "4S", 8: "2D"}[w.size] }

func (w *writer) sized(c neonCode) uint32 {
	if w.size == 8 {
		return c.code | 1<<22
	}
	return c.code
}

// three writes an instruction of two operands.
func (w *writer) three(c neonCode, dst, x, y int) {
	w.fn.Word(w.sized(c)|uint32(y)<<16|uint32(x)<<5|uint32(dst), "%s V%d.%[3]s, V%[4]d.%[3]s, V%[5]d.%[3]s", c.name, dst, w.arrangement(), x, y)
}

// bits writes an instruction on 16 bytes.
func (w *writer) bits(name string, code uint32, dst, x, y int) {
	w.fn.Word(code|uint32(y)<<16|uint32(x)<<5|uint32(dst), "%s V%d.16B, V%d.16B, V%d.16B", name, dst, x, y)
}

// fmaElement adds to a vector another one times the first element of a third.
func (w *writer) fmaElement(dst, x, y int) {
	w.fn.Word(w.sized(neonFMLAElement)|uint32(y)<<16|uint32(x)<<5|uint32(dst), "%s V%d.%[3]s, V%[4]d.%[3]s, V%[5]d.%[6]s[0]",
		neonFMLAElement.name, dst, w.arrangement(), x, y, w.arrangement()[1:])
}

// numbers is register n as a vector of numbers in Go's syntax.
func (w *writer) numbers(n int) string {
	return fmt.Sprintf("V%d.%s", n, map[int]string{4: "S4", 8: "D2"}[w.size])
}

// vector is register n as 16 bytes in Go's syntax, and float the same register where instructions take one number or
// all of it.
func vector(n int) string { return fmt.Sprintf("V%d.B16", n) }

func float(n int) string { return fmt.Sprintf("F%d", n) }
