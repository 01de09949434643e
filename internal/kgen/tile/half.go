package tile

import (
	"fmt"
	"strings"

	"cresset/internal/kgen/asm"
)

// Products of one row of A in float32 with a B of half types, which is widened as it is read: such products wait for memory, and B is all that comes
// from there. They are those of float32 with other loads of B, which AVX2 reads in whole vectors alone.

var halves = []elem{{"F16F32", 4, "PS", "SS"}, {"BF16F32", 4, "PS", "SS"}}

// isHalf reports whether B has a half type.
func (e elem) isHalf() bool { return strings.HasSuffix(e.name, "F16F32") }

// sizeOfB is the size of an element in memory where it may have a half type.
func (e elem) sizeOfB() int {
	if e.isHalf() {
		return 2
	}
	return e.size
}

// halfProducts writes the micro-kernels of B in rows and of B in columns.
func (m *machine) halfProducts(f *asm.File) {
	for _, e := range halves {
		m.product(f, shape{1, 2}, e)
		m.dot(f, 1, 4, e)
		m.dot(f, 1, 8, e)
	}
}

// loadHalf loads and widens a vector of a half type, of part only what is there.
func (w *writer) loadHalf(from memory, to int) {
	operands := []string{from.String(), w.reg(to)}
	zeros := ""
	if w.part {
		operands, zeros = []string{from.String(), w.mask, w.reg(to)}, ".Z"
	}
	if w.elem == halves[0] {
		w.op("VCVTPH2PS"+zeros, operands...)
		return
	}
	w.op("VPMOVZXWD"+zeros, operands...)
	w.op("VPSLLD", "$16", w.reg(to), w.reg(to))
}

// loadOneHalf loads and widens one element of a half type, with zeros behind it, by way of R15.
func (w *writer) loadOneHalf(from memory, to int) {
	x := fmt.Sprint("X", to)
	w.op("MOVWLZX", from.String(), "R15")
	if w.elem == halves[0] {
		w.op("VMOVD", "R15", x)
		w.op("VCVTPH2PS", x, x)
		return
	}
	w.op("SHLL", "$16", "R15")
	w.op("VMOVD", "R15", x)
}

// singles adds the products of a dot product, one by one, that fill no vector: AX of them.
func (d *dot) singles() {
	a, b := d.rows*d.cols, d.count-1
	d.label("single")
	d.op("VMOVSS", memory{dotRows[0], 0, "CX", 2}.String(), fmt.Sprint("X", a))
	for j := range d.cols {
		d.loadOneHalf(d.ofB(j, 0), b)
		d.multiply(b, a, d.sum(0, j))
	}
	d.add("$2", "CX")
	d.repeat("AX", "single")
}

// halfSums writes the loops that add rows of half types: sum_columns_bf16/1024x1024 and sum_columns_f16/1024x1024 take less than half the time so.
func (m *machine) halfSums(f *asm.File) {
	for _, e := range halves {
		m.addRows(f, e)
	}
}

// halfRunners writes the functions that run them.
func halfRunners(machines []*machine) string {
	text := ""
	for _, k := range [][2]string{{"Streams", shape{1, 2}.String()}, {"FewDots", dotName(1, 4)}, {"Dots", dotName(1, 8)}, {"Sums", "addRows"}} {
		run, name := k[0], k[1]
		text += fmt.Sprintf("\nfunc runHalf%s(bf16 bool, t unsafe.Pointer) {\n%s}\n", run, eachLevel(machines, func(m *machine) string {
			return fmt.Sprintf("if bf16 {\n%s(t)\nreturn\n}\n%s(t)", m.functionName(name, halves[1]), m.functionName(name, halves[0]))
		}))
	}
	return text
}
