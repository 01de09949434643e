package lanes

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Where the interpreter's operandRow and columns, which have 16 elements or rows of eight, keep exponents behind values.
const (
	rowExponents    = 16 * 8
	columnExponents = 16 * 8 * 8
)

// products writes what tensor cores do with a row of A and eight columns of B, from element at on: columns are lanes, of which all are done in each step.
func products(f *asm.File) {
	operands := []asm.Param{{Name: "a", Type: "*operandRow"}, {Name: "b", Type: "*columns"}}
	steps := params("int", "at", "n")

	w := loop(f, "mostExponents", "most[j] = max(most[j], a.exponent[k] + b.exponent[k][j]) for n elements k from at on",
		append(append(params("*[8]int32", "most"), operands...), steps...), "DX", "SI", "BX", "AX", "CX")
	w.Op("LEAQ", fmt.Sprintf("%d(SI)(AX*4)", rowExponents), "SI")
	w.Op("SHLQ", "$5", "AX")
	w.Op("LEAQ", fmt.Sprintf("%d(BX)(AX*1)", columnExponents), "BX")
	w.Op("VMOVDQU", "(DX)", "Y0")
	w.Label("step")
	w.Op("VPBROADCASTD", "(SI)", "Y1")
	w.Op("VPADDD", "(BX)", "Y1", "Y1")
	w.Op("VPMAXSD", "Y1", "Y0", "Y0")
	w.next(4, 32)
	w.Op("VMOVDQU", "Y0", "(DX)")
	w.end()

	w = loop(f, "addProducts", "sum[j] += trunc(a.value[k] · b.value[k][j] · scale[j]) for n elements k from at on",
		append(append(append(params("*[8]float64", "sum"), operands...), params("*[8]float64", "scale")...), steps...), "DX", "SI", "BX", "R8", "AX", "CX")
	w.Op("LEAQ", "(SI)(AX*8)", "SI")
	w.Op("SHLQ", "$6", "AX")
	w.Op("ADDQ", "AX", "BX")
	for n := range 2 {
		w.Op("VMOVUPD", at("DX", n), fmt.Sprintf("Y%d", n))
		w.Op("VMOVUPD", at("R8", n), fmt.Sprintf("Y%d", 2+n))
	}
	w.Label("step")
	w.Op("VBROADCASTSD", "(SI)", "Y4")
	for n := range 2 {
		sum, scale, product := fmt.Sprintf("Y%d", n), fmt.Sprintf("Y%d", 2+n), fmt.Sprintf("Y%d", 5+n)
		w.Op("VMULPD", at("BX", n), "Y4", product)
		w.Op("VMULPD", scale, product, product)
		w.Op("VROUNDPD", "$3", product, product)
		w.Op("VADDPD", product, sum, sum)
	}
	w.next(8, 64)
	for n := range 2 {
		w.Op("VMOVUPD", fmt.Sprintf("Y%d", n), at("DX", n))
	}
	w.end()
}

// next goes to the next element of a and b, which are so many bytes further, until there is none.
func (w writer) next(a, b int) {
	w.Op("ADDQ", constant(a), "SI")
	w.Op("ADDQ", constant(b), "BX")
	w.Op("DECQ", "CX")
	w.Op("JNZ", "step")
}
