package tile

import (
	"fmt"
	"math"

	"cresset/internal/kgen/asm"
)

// Winograd's convolution F(4x4, 3x3): windows of 3x3 over a tile of 6x6 elements give 4x4 outputs as A'((G w G')·(B' x B))A, elementwise in the
// middle: 36 products instead of 144. Summed over channels, the elementwise products of many tiles are 36 products of matrices. It interpolates at
// 0, ±5/8, ±3/2 and infinity; at the usual 0, ±1 and ±2 errors may be five times as large. AVX-512 alone has these functions, of float32.
//
// Elements of a matrix of 6x6 are numbered row by row and lie stepP apart; a vector is of the tiles of a row, or, of weights, of outputs. DI points to
// the call, BX to the result for a channel, which CX counts.

const (
	winogradA = 5. / 8
	winogradB = 3. / 2
)

// Registers of constants, the last ones.
const (
	winoA  = 28 + iota // a
	winoB              // b
	winoA2             // a·a
	winoB2             // b·b
)

func (m *machine) winograds(f *asm.File) {
	of := func(name, doc string) *winograd {
		return &winograd{m.writer(f, name, elems[0], &winogradCall, doc), f}
	}
	of("winogradIn", "B'·x·B of up to 15 tiles of 6x6 elements, four columns apart, of each channel").in()
	of("winogradOut", "A'·m·A + bias, 4x4 outputs, of up to 16 tiles of each channel").out()
	of("winogradWeights", "G·w·G' of windows of 3x3 of as many outputs as a vector has lanes, of each channel").weights()
}

type winograd struct {
	*writer
	file *asm.File
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

// constants fills registers with numbers, from the first on.
func (w *winograd) constants(first int, numbers ...float64) {
	for i, x := range numbers {
		w.op("VBROADCASTSS", w.file.Words(math.Float32bits(float32(x))), w.reg(first+i))
	}
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
	winoAll  = 26 // a·a·b·b
	winoSum  = 27 // a·a + b·b
)

// winoAhead is how many channels ahead lines are prefetched: hardware does not foresee lines of planes that are far apart.
const winoAhead = 2

// in takes the pointers to a tile's six lines from SI, R8, R9, R10, R11 and R12, which move on by steps of their own, so that lines of padding stay at
// zeros. Columns are transformed as they lie in memory, then picked four apart, so that a vector has one of each tile. DX points to scratch memory of 6x4
// vectors between the two. K1 to K4 are the masks of four vectors of columns.
func (w *winograd) in() {
	const a2, b2 = winogradA * winogradA, winogradB * winogradB
	lines := []string{"SI", "R8", "R9", "R10", "R11", "R12"}
	w.constants(winoAll, a2*b2, a2+b2, winogradA, winogradB, a2, b2)
	for i := range 2 {
		w.loadWords(w.vectorOf(w.file, func(lane int) int { return 2*lane + i }), winoEven+i)
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
		for v := range 4 {
			w.op("PREFETCHT0", memory{r, v * w.bytes, "AX", winoAhead}.String())
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
		for i, r := range lines {
			w.op("VMOVUPS.Z", at(r, v*w.bytes), mask(v), w.reg(i))
		}
		w.transformIn()
		for i := range 6 {
			w.store(winoTo+i, memory{base: "DX", offset: (4*i + v) * w.bytes})
		}
	}
	w.label("columns")
	w.move("BX", "AX")
	for i := range 6 {
		w.pickColumns(4 * i * w.bytes)
		w.transformIn()
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

// columnMasks loads the masks of four vectors of columns.
func (w *winograd) columnMasks() {
	w.arg("masks", "AX")
	for k := range 4 {
		w.op("KMOVW", at("AX", 2*k), mask(k))
	}
}

// transformIn sets six registers to B' times the first six.
func (w *winograd) transformIn() {
	// The first and the last have all points but one's.
	for n := range 2 {
		to := winoTo + 5*n
		w.copy(4+n, to)
		w.vectors("VFNMADD231", 2+n, winoSum, to)
		w.vectors("VFMADD231", n, winoAll, to)
	}
	for n, p := range []struct{ point, other int }{{winoA, winoB2}, {winoB, winoA2}} {
		plus, minus := winoTo+1+2*n, winoTo+2+2*n
		w.copy(4, plus)
		w.vectors("VFNMADD231", 2, p.other, plus)
		w.copy(3, winoOdd)
		w.vectors("VFNMADD231", 1, p.other, winoOdd)
		w.copy(plus, minus)
		w.vectors("VFMADD231", winoOdd, p.point, plus)
		w.vectors("VFNMADD231", winoOdd, p.point, minus)
	}
}

// pickColumns sets the first six registers to what is in each tile the first, the second and so on of a line of columns: every fourth of
// four vectors, and those moved on by one tile. What is moved into the last tile's place is none of it.
func (w *winograd) pickColumns(line int) {
	for half := range 2 {
		for i := range 2 {
			w.load(memory{base: "DX", offset: line + 2*half*w.bytes}, winoPick+2*half+i)
			w.vectors("VPERMT2", at("DX", line+(2*half+1)*w.bytes), winoEven+i, winoPick+2*half+i)
		}
	}
	for column := range 4 {
		w.copy(winoPick+column%2, column)
		w.vectors("VPERMT2", winoPick+2+column%2, winoEven+column/2, column)
	}
	for i := range 2 {
		w.op("VALIGND", "$1", w.reg(i), w.reg(i), w.reg(4+i))
	}
}

// Registers of winogradOut after those of a tile's 6x4 elements: sums and differences of two pairs.
const (
	winoSums  = 24 // of ±a, and two registers on of ±b
	winoDiffs = 25
)

// out reads the products from SI on, adds the bias at R8 and writes lines from R9 on, as many as rows says. K1 to K4 are the masks of four vectors of
// a line.
func (w *winograd) out() {
	w.constants(winoA, winogradA, winogradB, winogradA*winogradA, winogradB*winogradB)
	w.columnMasks()
	w.arg("x0", "SI")
	w.arg("y", "BX")
	w.arg("bias", "R8")
	w.arg("planes", "CX")
	w.steps(6)
	w.loopLabel("plane")
	w.arg("planeY", "AX")
	w.indexed("BX", "AX", 1, "R9")
	for range 4 {
		for v := range 4 {
			w.op("PREFETCHT0", at("R9", v*w.bytes))
		}
		w.addArg("rowY", "R9")
	}
	w.move("SI", "AX")
	for column := range 6 {
		var from []any
		for i := range 6 {
			from = append(from, sixth("AX", i))
		}
		first := 4 * column
		w.transformOut(from, []int{first, first + 1, first + 2, first + 3})
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
			from = append(from, 4*column+line)
		}
		to := []int{line, 4 + line, 8 + line, 20 + line}
		w.transformOut(from, to)
		for _, r := range to {
			w.op("VADDPS.BCST", "(R8)", w.reg(r), w.reg(r))
		}
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
	for i := range 2 {
		sum, diff := winoSums+2*i, winoDiffs+2*i
		plus, minus := from[1+2*i], from[2+2*i]
		if _, inMemory := plus.(string); inMemory {
			w.vectors("VMOVU", plus, diff)
			plus = diff
		}
		w.vectors("VADD", minus, plus, sum)
		w.vectors("VSUB", minus, plus, diff)
	}
	w.vectors("VADD", from[0], winoSums, to[0])
	w.vectors("VADD", winoSums+2, to[0], to[0])
	w.vectors("VMUL", winoA2, winoSums, to[2])
	w.vectors("VFMADD231", winoB2, winoSums+2, to[2])
	w.vectors("VMUL", winoA, winoDiffs, winoDiffs)
	w.vectors("VMUL", winoB, winoDiffs+2, winoDiffs+2)
	w.vectors("VADD", winoDiffs, winoDiffs+2, to[1])
	if from[5] != any(to[3]) {
		w.vectors("VMOVU", from[5], to[3])
	}
	w.vectors("VFMADD231", winoA2, winoDiffs, to[3])
	w.vectors("VFMADD231", winoB2, winoDiffs+2, to[3])
}

// joinColumns writes a line of outputs, of which each register has every fourth.
func (w *winograd) joinColumns(columns []int) {
	join := func(half, even, odd, to int) {
		w.loadWords(w.vectorOf(w.file, func(lane int) int { return 8*half + lane/2 + lane%2*16 }), to)
		w.vectors("VPERMI2", odd, even, to)
	}
	for half := range 2 {
		join(half, columns[0], columns[2], winoSums+half)
		join(half, columns[1], columns[3], winoSums+2+half)
	}
	for v := range 4 {
		join(v%2, winoSums+v/2, winoSums+2+v/2, columns[v])
		w.vectors("VMOVU", columns[v], mask(v), at("R9", v*w.bytes))
	}
}

// Registers of winogradWeights: the first 18 are of lines that are transformed.
const (
	winoWeights  = 18 // six
	winoFirst    = 24 // the first point's factor
	winoOfPoints = 25 // three of ±a, then three of ±b
)

// weights has the nine elements of windows in as many vectors from SI on. K1 is the mask of outputs.
func (w *winograd) weights() {
	const a2, b2 = winogradA * winogradA, winogradB * winogradB
	const ofA, ofB = 1 / (2 * a2 * (a2 - b2)), 1 / (2 * b2 * (b2 - a2))
	w.constants(winoFirst, 1/(a2*b2), ofA, ofA*winogradA, ofA*a2, ofB, ofB*winogradB, ofB*b2)
	w.columnMasks()
	w.arg("x0", "SI")
	w.arg("y", "BX")
	w.arg("planes", "CX")
	w.steps(1)
	w.loopLabel("plane")
	for column := range 3 {
		for i := range 3 {
			w.load(memory{base: "SI", offset: (3*i + column) * w.bytes}, winoWeights+i)
		}
		w.transformWeights([]int{winoWeights, winoWeights + 1, winoWeights + 2}, 6*column)
	}
	w.move("BX", "AX")
	for line := range 6 {
		w.transformWeights([]int{line, 6 + line, 12 + line}, winoWeights)
		for j := range 6 {
			w.vectors("VMOVU", winoWeights+j, mask(0), sixth("AX", j))
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
func (w *winograd) transformWeights(from []int, to int) {
	w.vectors("VMUL", winoFirst, from[0], to)
	for i := range 2 {
		plus, minus, factors := to+1+2*i, to+2+2*i, winoOfPoints+3*i
		w.vectors("VMUL", factors, from[0], plus)
		w.vectors("VFMADD231", factors+2, from[2], plus)
		w.copy(plus, minus)
		w.vectors("VFMADD231", factors+1, from[1], plus)
		w.vectors("VFNMADD231", factors+1, from[1], minus)
	}
	w.copy(from[2], to+5)
}

// winogradRunners writes the functions that run them.
func winogradRunners(m *machine) string {
	text := ""
	for _, k := range [][2]string{{"WinogradIn", "winogradIn"}, {"WinogradOut", "winogradOut"}, {"WinogradWeights", "winogradWeights"}} {
		if m == nil {
			text += fmt.Sprintf("\nfunc run%s(unsafe.Pointer) { panic(noTiles) }\n", k[0])
			continue
		}
		text += fmt.Sprintf("\nfunc run%s(t unsafe.Pointer) { %s(t) }\n", k[0], m.functionName(k[1], elems[0]))
	}
	return text
}
