package tile

import (
	"bytes"
	"fmt"
	"slices"

	"cresset/internal/kgen/asm"
)

// scans writes the scan of rows, as many side by side as a vector has numbers of float64: a square of elements is transposed, so that a
// vector has one element of each row, these are added one after the other, and the sums are transposed back. What float32 has is
// widened as it is read.
//
// SI and R8 point to rows of x, BX and R9 to those of y: R10 is the distance of rows and R11 three times that. CX counts squares.
func (m *machine) scans(f *asm.File, e elem) {
	w := m.writer(f, "scan", e, &tileCall, "c[i][l] = from[i] + Σ a[i][j] for j <= l in k squares of columns, then from[i] is the last sum")
	s, n := w.sums(), m.lanes(elems[1])
	w.pointAtRows(n)
	w.arg("c", "BX")
	if n > 5 {
		w.indexed("BX", "R10", 4, "R9")
		w.add("R10", "R9")
	}
	w.arg("k", "CX")
	w.arg("from", "DX")
	sum := 2 * n
	s.load(memory{base: "DX"}, sum)
	w.loopLabel("square")
	for i := range n {
		w.op(map[int]string{4: "VCVTPS2PD", 8: "VMOVUPD"}[w.size], w.rowOf("SI", "R8", i), w.reg(i))
	}
	columns := s.exchange(registers(0, n), registers(n, 2*n))
	before := sum
	for _, column := range columns {
		w.op("VADDPD", w.reg(column), w.reg(before), w.reg(column))
		before = column
	}
	s.copy(before, sum)
	free := slices.DeleteFunc(registers(0, 2*n), func(r int) bool { return slices.Contains(columns, r) })
	for i, r := range s.exchange(columns, free) {
		to := w.rowOf("BX", "R9", i)
		if w.size == 8 {
			w.op("VMOVUPD", w.reg(r), to)
			continue
		}
		narrow := map[bool]string{true: "Y", false: "X"}[w.masks] + w.reg(r)[1:]
		w.op(map[bool]string{true: "VCVTPD2PS", false: "VCVTPD2PSY"}[w.masks], w.reg(r), narrow)
		w.op("VMOVUPS", narrow, to)
	}
	pointers := []string{"SI", "BX", "R8", "R9"}
	if n <= 5 {
		pointers = pointers[:2]
	}
	for _, r := range pointers {
		w.add(fmt.Sprintf("$%d", n*w.size), r)
	}
	w.repeat("CX", "square")
	s.store(sum, memory{base: "DX"})
	w.end()
}

// rowOf is the operand at row i of those that two registers point to, the second at row 5.
func (w *writer) rowOf(first, fifth string, i int) string {
	return "(" + []string{first, fifth}[i/5] + ")" + ofFive[i%5]
}

// scanRunners writes the functions that run them.
func scanRunners(out *bytes.Buffer, machines []*machine) {
	machines = slices.DeleteFunc(slices.Clone(machines), func(m *machine) bool { return m.arm })
	if len(machines) == 0 {
		out.WriteString("\nfunc runScan[T dtype.Float](unsafe.Pointer) { panic(noTiles) }\n")
		return
	}
	kind{run: "Scan", shapes: one("scan")}.runner(out, machines)
}
