package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// addRowsWidths are how many vectors of columns are summed side by side: the first hides the latency of additions.
var addRowsWidths = []int{8, 4, 2, 1}

// Registers after those of the sums: an element in part, and AVX2's mask.
const (
	addRowsElement = 8
	addRowsOn      = 9
)

// An addition writes the function that adds rows to sums of columns.
//
// SI points to the run of rows, R10 to its columns and R11 to the row's; BX points to the sums. R8 counts rows, R9 those
// of the run, R12 columns, CX rows of the run that are left; R13 is the distance of rows.
type addition struct {
	*machine
	elem
	fn *asm.Func
}

// addRows adds rows to sums of their columns: runs of them in their own type, whose sums are added in float64.
func (m *machine) addRows(f *asm.File, e elem) {
	a := &addition{m, e, newFunc(f, m.functionName("addRows", e), "sums[j] += x[i][j] for all rows i, in runs whose sums are added in float64")}
	a.op("MOVQ", addRowsCall.at("x"), "SI")
	a.op("MOVQ", addRowsCall.at("rows"), "R8")
	a.op("MOVQ", addRowsCall.at("row"), "R13")
	a.op("MOVQ", addRowsCall.at("mask"), "AX")
	a.op("VMOVUPS", "(AX)", m.reg(addRowsOn))
	if m.masks {
		a.op(map[int]string{4: "VPMOVD2M", 8: "VPMOVQ2M"}[e.size], m.reg(addRowsOn), "K1")
	}
	a.fn.Label("run")
	a.op("MOVQ", addRowsCall.at("run"), "R9")
	a.op("CMPQ", "R8", "R9")
	a.op("CMOVQLT", "R8", "R9")
	a.op("MOVQ", "SI", "R10")
	a.op("MOVQ", addRowsCall.at("sums"), "BX")
	a.op("MOVQ", addRowsCall.at("cols"), "R12")
	for _, vectors := range addRowsWidths {
		a.whole(vectors)
	}
	a.op("TESTQ", "R12", "R12")
	a.op("JZ", "next")
	a.columns("part", 1, true)
	a.fn.Label("next")
	a.op("MOVQ", "R9", "AX")
	a.op("IMULQ", "R13", "AX")
	a.op("ADDQ", "AX", "SI")
	a.op("SUBQ", "R9", "R8")
	a.op("JGT", "run")
	a.op("VZEROUPPER")
	a.op("RET")
}

func (a *addition) op(name string, operands ...string) { a.fn.Op(name, operands...) }

// whole takes so many vectors of columns as long as there are as many.
func (a *addition) whole(vectors int) {
	cols := vectors * a.lanes(a.elem)
	from, behind := fmt.Sprintf("columns%d", vectors), fmt.Sprintf("fewer%d", vectors)
	a.fn.Label(from)
	a.op("CMPQ", "R12", fmt.Sprintf("$%d", cols))
	a.op("JLT", behind)
	a.columns(fmt.Sprintf("row%d", vectors), vectors, false)
	a.op("ADDQ", fmt.Sprintf("$%d", cols*a.size), "R10")
	a.op("ADDQ", fmt.Sprintf("$%d", cols*8), "BX")
	a.op("SUBQ", fmt.Sprintf("$%d", cols), "R12")
	a.op("JMP", from)
	a.fn.Label(behind)
}

// columns adds the run's rows of so many vectors of columns to their sums. There are sums for whole vectors.
func (a *addition) columns(row string, vectors int, masked bool) {
	for v := range vectors {
		if a.size == 8 {
			a.op("VMOVUPD", at("BX", v*a.bytes), a.reg(v))
			continue
		}
		a.zero(a.fn, v)
	}
	a.op("MOVQ", "R10", "R11")
	a.op("MOVQ", "R9", "CX")
	a.fn.Label(row)
	for v := range vectors {
		from := at("R11", v*a.bytes)
		if masked {
			a.load(from)
			from = a.reg(addRowsElement)
		}
		a.op("VADD"+a.suffix, from, a.reg(v), a.reg(v))
	}
	a.op("ADDQ", "R13", "R11")
	a.op("DECQ", "CX")
	a.op("JNZ", row)
	for v := range vectors {
		a.keep(v)
	}
}

// load reads a vector in part.
func (a *addition) load(from string) {
	if a.masks {
		a.op("VMOVU"+a.suffix+".Z", from, "K1", a.reg(addRowsElement))
		return
	}
	a.op("VMASKMOV"+a.suffix, from, a.reg(addRowsOn), a.reg(addRowsElement))
}

// keep writes a vector of sums; those of float32 are added to what there is.
func (a *addition) keep(v int) {
	if a.size == 8 {
		a.op("VMOVUPD", a.reg(v), at("BX", v*a.bytes))
		return
	}
	half, extract := "Y", "VEXTRACTF64X4"
	if !a.masks {
		half, extract = "X", "VEXTRACTF128"
	}
	for part := range 2 {
		from, to := fmt.Sprintf("%s%d", half, v), at("BX", (2*v+part)*a.bytes)
		if part == 1 {
			a.op(extract, "$1", a.reg(v), from)
		}
		a.op("VCVTPS2PD", from, a.reg(addRowsElement))
		a.op("VADDPD", to, a.reg(addRowsElement), a.reg(addRowsElement))
		a.op("VMOVUPD", a.reg(addRowsElement), to)
	}
}
