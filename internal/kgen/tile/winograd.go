package tile

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"cresset/internal/kgen/asm"
)

// Winograd's convolution F(4x4, 3x3): windows of 3x3 over a tile of 6x6 elements give 4x4 outputs as A'((G w G')·(B' x B))A, elementwise in the
// middle: 36 products instead of 144. Summed over channels, the elementwise products of many tiles are 36 products of matrices. It interpolates at
// 0, ±5/8, ±3/2 and infinity; at the usual 0, ±1 and ±2 errors may be five times as large. AVX-512 and AVX2 have these functions, of float32.
//
// Elements of a matrix of 6x6 are numbered row by row and lie stepP apart; a vector is of the tiles of a row, or, of weights, of outputs. DI points to
// the call, BX to the result for a channel, which CX counts. AVX2 reads constants from memory, and has DX point to scratch memory for what AVX-512 keeps
// in registers.

const (
	winogradA = 5. / 8
	winogradB = 3. / 2
)

// winoPoints is the first of four registers of constants: a, b, a·a and b·b, winogradPoints.
const winoPoints = 28

var winogradPoints = []float64{winogradA, winogradB, winogradA * winogradA, winogradB * winogradB}

func (m *machine) winograds(f *asm.File) {
	of := func(name, doc string) *winograd {
		return &winograd{writer: m.writer(f, name, elems[0], &winogradCall, doc), file: f}
	}
	of("winogradIn", fmt.Sprintf("B'·x·B of up to %d tiles of 6x6 elements, four columns apart, of each channel", m.lanes(elems[0])-1)).in()
	of("winogradOut", fmt.Sprintf("A'·m·A + bias, 4x4 outputs, of up to %d tiles of each channel", m.lanes(elems[0]))).out()
	of("winogradWeights", "G·w·G' of windows of 3x3 of as many outputs as a vector has lanes, of each channel").weights()
}

type winograd struct {
	*writer
	file   *asm.File
	points [4]any // the operands of winogradPoints
	joined int    // counts AVX2's vectors of outputs
}

// vectors writes an instruction whose operands are registers' numbers or memory.
func (w *winograd) vectors(name string, operands ...any) {
	var all []string
	for _, o := range operands {
		if n, ok := o.(int); ok {
			o = w.reg(n)
		}
		all = append(all, o.(string))
	}
	w.op(name+w.suffix, all...)
}

// constants returns operands that are numbers: registers, from the first on, that it fills.
func (w *winograd) constants(first int, numbers ...float64) (operands []any) {
	for i, x := range numbers {
		number := math.Float32bits(float32(x))
		if !w.masks {
			operands = append(operands, w.vectorOf(w.file, func(int) int { return int(number) }))
			continue
		}
		w.op("VBROADCASTSS", w.file.Words(number), w.reg(first+i))
		operands = append(operands, first+i)
	}
	return operands
}

// addTimes adds to a register, or takes from it, the product of another one and a constant.
func (w *winograd) addTimes(name string, x int, constant any, to int) {
	if w.masks {
		w.vectors(name, x, constant, to)
		return
	}
	w.vectors(name, constant, x, to)
}

// steps keeps so many times stepP, and three and five times that, in R13, R14 and R15.
func (w *winograd) steps(times int) {
	w.op("IMUL3Q", fmt.Sprintf("$%d", times), w.field("stepP"), "R13")
	w.op("LEAQ", "(R13)(R13*2)", "R14")
	w.op("LEAQ", "(R13)(R13*4)", "R15")
}

// sixth is where one of six elements is, as far apart as steps says.
func sixth(pointer string, n int) string {
	return "(" + pointer + ")" + []string{"", "(R13*1)", "(R13*2)", "(R14*1)", "(R13*4)", "(R15*1)"}[n]
}

// Registers of winogradIn.
const (
	winoTo   = 6  // the first of six results; the six that they are made of begin with 0
	winoOdd  = 12 // what the results for a point and for its negative add and subtract
	winoPick = 13 // four
	winoEven = 24 // the even elements of two vectors, and the odd ones
	winoAll  = 26 // two: a·a·b·b and a·a + b·b
)

// winoAhead is how many channels ahead lines are prefetched: hardware does not foresee lines of planes that are far apart.
const winoAhead = 2

// in takes the pointers to a tile's six lines from SI, R8, R9, R10, R11 and R12, which move on by steps of their own, so that lines of padding stay at
// zeros. Columns are transformed as they lie in memory, then picked four apart, so that a vector has one of each tile. DX points to scratch memory of 6x4
// vectors between the two. K1 to K4 are the masks of four vectors of columns.
func (w *winograd) in() {
	const a2, b2 = winogradA * winogradA, winogradB * winogradB
	lines := []string{"SI", "R8", "R9", "R10", "R11", "R12"}
	ends := w.constants(winoAll, a2*b2, a2+b2)
	w.points = [4]any(w.constants(winoPoints, winogradPoints...))
	if w.masks {
		for i := range 2 {
			w.loadWords(w.vectorOf(w.file, func(lane int) int { return 2*lane + i }), winoEven+i)
		}
	}
	w.columnMasks()
	for i, r := range lines {
		w.arg(fmt.Sprintf("x%d", i), r)
		w.op("SUBQ", w.field("before"), r)
	}
	w.arg("y", "BX")
	w.arg("scratch", "DX")
	w.arg("planes", "CX")
	w.steps(1)
	w.loopLabel("plane")
	for i, r := range lines {
		w.arg(fmt.Sprintf("step%d", i), "AX")
		for line := 0; line < 4*w.bytes; line += 64 {
			w.op("PREFETCHT0", memory{r, line, "AX", winoAhead}.String())
		}
		if i == len(lines)-1 { // other lines end where the next begins
			w.op("PREFETCHT0", memory{r, 4*w.bytes - 1, "AX", winoAhead}.String())
		}
	}
	for v := range 4 {
		if v > 0 {
			w.compareArg("vectors", fmt.Sprintf("$%d", v), "AX")
			w.jump("LE", "columns")
		}
		w.readColumns(lines, v)
		w.transformIn(ends)
		for i := range 6 {
			w.store(winoTo+i, memory{base: "DX", offset: (4*i + v) * w.bytes})
		}
	}
	w.label("columns")
	w.move("BX", "AX")
	for i := range 6 {
		w.pickColumns(4 * i * w.bytes)
		w.transformIn(ends)
		for j := range 6 {
			w.vectors("VMOVU", winoTo+j, sixth("AX", j))
		}
		if i < 5 {
			w.op("LEAQ", "(AX)(R14*2)", "AX")
		}
	}
	for i, r := range lines {
		w.addArg(fmt.Sprintf("step%d", i), r)
	}
	w.addArg("planeY", "BX")
	w.repeat("CX", "plane")
	w.end()
}

// transformIn sets six registers to B' times the first six. The constants of the first and the last are given.
func (w *winograd) transformIn(ends []any) {
	// The first and the last have all points but one's.
	for n := range 2 {
		to := winoTo + 5*n
		w.copy(4+n, to)
		w.addTimes("VFNMADD231", 2+n, ends[1], to)
		w.addTimes("VFMADD231", n, ends[0], to)
	}
	for n, p := range []struct{ point, other any }{{w.points[0], w.points[3]}, {w.points[1], w.points[2]}} {
		plus, minus := winoTo+1+2*n, winoTo+2+2*n
		w.copy(4, plus)
		w.addTimes("VFNMADD231", 2, p.other, plus)
		w.copy(3, winoOdd)
		w.addTimes("VFNMADD231", 1, p.other, winoOdd)
		w.copy(plus, minus)
		w.addTimes("VFMADD231", winoOdd, p.point, plus)
		w.addTimes("VFNMADD231", winoOdd, p.point, minus)
	}
}

// winoSums returns the first of four registers of winogradOut, after those of a tile's 6x4 elements or of four: the sum and the difference of ±a's pair,
// then of ±b's.
func (w *winograd) winoSums() int {
	if w.masks {
		return 24
	}
	return 4
}

// out reads the products from SI on, adds the bias at R8 and writes lines from R9 on, as many as rows says. K1 to K4 are the masks of four vectors of
// a line.
func (w *winograd) out() {
	w.points = [4]any(w.constants(winoPoints, winogradPoints...))
	w.columnMasks()
	w.arg("x0", "SI")
	w.arg("y", "BX")
	w.arg("bias", "R8")
	w.arg("planes", "CX")
	w.pointAtScratch()
	w.steps(6)
	w.loopLabel("plane")
	w.arg("planeY", "AX")
	w.indexed("BX", "AX", 1, "R9")
	for range 4 {
		for line := 0; line < 4*w.bytes; line += 64 {
			w.op("PREFETCHT0", at("R9", line))
		}
		w.addArg("rowY", "R9")
	}
	w.move("SI", "AX")
	for column := range 6 {
		var from []any
		for i := range 6 {
			from = append(from, sixth("AX", i))
		}
		w.transformOut(from, w.keep(4*column, 4))
		w.kept(4*column, 4)
		if column < 5 {
			w.addArg("stepP", "AX")
		}
	}
	w.move("BX", "R9")
	for line := range 4 {
		if line > 0 {
			w.compareArg("rows", fmt.Sprintf("$%d", line), "AX")
			w.jump("LE", "stored")
			w.addArg("rowY", "R9")
		}
		var from []any
		for column := range 6 {
			from = append(from, w.keeps(4*column+line))
		}
		to := w.keep(0, 4)
		if w.masks {
			to = []int{line, 4 + line, 8 + line, 20 + line}
		}
		w.transformOut(from, to)
		w.addBias(to)
		w.joinColumns(to)
	}
	w.label("stored")
	w.addArg("planeX", "SI")
	w.addArg("planeY", "BX")
	w.addArg("stepBias", "R8")
	w.repeat("CX", "plane")
	w.end()
}

// transformOut sets four registers to A' times six registers or elements in memory. The first and the last of the results may be those of the six.
func (w *winograd) transformOut(from []any, to []int) {
	sums := w.winoSums()
	diffs := sums + 1
	for i := range 2 {
		sum, diff := sums+2*i, diffs+2*i
		plus, minus := from[1+2*i], from[2+2*i]
		if _, inMemory := plus.(string); inMemory {
			w.vectors("VMOVU", plus, diff)
			plus = diff
		}
		w.vectors("VADD", minus, plus, sum)
		w.vectors("VSUB", minus, plus, diff)
	}
	w.vectors("VADD", from[0], sums, to[0])
	w.vectors("VADD", sums+2, to[0], to[0])
	w.vectors("VMUL", w.points[2], sums, to[2])
	w.vectors("VFMADD231", w.points[3], sums+2, to[2])
	w.vectors("VMUL", w.points[0], diffs, diffs)
	w.vectors("VMUL", w.points[1], diffs+2, diffs+2)
	w.vectors("VADD", diffs, diffs+2, to[1])
	if from[5] != any(to[3]) {
		w.vectors("VMOVU", from[5], to[3])
	}
	w.vectors("VFMADD231", w.points[2], diffs, to[3])
	w.vectors("VFMADD231", w.points[3], diffs+2, to[3])
}

// Registers of winogradWeights: the first 18 are of lines that are transformed.
const (
	winoWeights = 18 // six
	winoFirst   = 24 // factors: the first point's, three of ±a, then three of ±b
)

// weights has the nine elements of windows in as many vectors from SI on. K1 is the mask of outputs.
func (w *winograd) weights() {
	const a2, b2 = winogradA * winogradA, winogradB * winogradB
	const ofA, ofB = 1 / (2 * a2 * (a2 - b2)), 1 / (2 * b2 * (b2 - a2))
	factors := w.constants(winoFirst, 1/(a2*b2), ofA, ofA*winogradA, ofA*a2, ofB, ofB*winogradB, ofB*b2)
	w.columnMasks()
	w.arg("x0", "SI")
	w.arg("y", "BX")
	w.arg("planes", "CX")
	w.pointAtScratch()
	w.steps(1)
	first, last := w.weightRegisters()
	w.loopLabel("plane")
	for column := range 3 {
		for i := range 3 {
			w.load(memory{base: "SI", offset: (3*i + column) * 64}, first+i)
		}
		w.transformWeights(factors, []int{first, first + 1, first + 2}, w.keep(6*column, 6)[0])
		w.kept(6*column, 6)
	}
	w.move("BX", "AX")
	for line := range 6 {
		w.transformWeights(factors, w.keptWeights(line), last)
		for j := range 6 {
			w.writeFirst(last+j, sixth("AX", j))
		}
		if line < 5 {
			w.op("LEAQ", "(AX)(R14*2)", "AX")
		}
	}
	w.addArg("planeX", "SI")
	w.addArg("planeY", "BX")
	w.repeat("CX", "plane")
	w.end()
}

// transformWeights sets six registers from to on to G times three others.
func (w *winograd) transformWeights(constants []any, from []int, to int) {
	w.vectors("VMUL", constants[0], from[0], to)
	for i := range 2 {
		plus, minus, factors := to+1+2*i, to+2+2*i, constants[1+3*i:]
		w.vectors("VMUL", factors[0], from[0], plus)
		w.vectors("VFMADD231", factors[2], from[2], plus)
		w.copy(plus, minus)
		w.vectors("VFMADD231", factors[1], from[1], plus)
		w.vectors("VFNMADD231", factors[1], from[1], minus)
	}
	w.copy(from[2], to+5)
}

// winogradRunners writes the functions that run them, for the machines that have them.
func winogradRunners(out *bytes.Buffer, machines []*machine) {
	machines = slices.DeleteFunc(slices.Clone(machines), func(m *machine) bool { return m.arm })
	for _, k := range [][2]string{{"WinogradIn", "winogradIn"}, {"WinogradOut", "winogradOut"}, {"WinogradWeights", "winogradWeights"}} {
		params := "t unsafe.Pointer"
		if len(machines) == 0 {
			params = "unsafe.Pointer"
		}
		fmt.Fprintf(out, "\nfunc run%s(%s) {\n%s}\n", k[0], params, eachLevel(machines, func(m *machine) string {
			return m.functionName(k[1], elems[0]) + "(t)"
		}))
	}
}
