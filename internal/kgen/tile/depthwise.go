package tile

import (
	"bytes"
	"fmt"
	"slices"

	"cresset/internal/kgen/asm"
)

// Depthwise convolutions by windows of 3x3 read their input where it lies: a vector is of neighbouring outputs of a line, and masks keep
// what is beyond the borders out of it. So lines shorter than a vector cost no copies. AVX-512 and AVX2 have them: how both read and write lines is in
// depthlines.go.
//
// Lines of the input, with those of padding, pass once: sums of the outputs whose windows begin in the line, one and two lines before it are kept
// in registers. A table tells for each where it is, less than zero where it is padding. Vectors of a line have masks that are the same for all lines.
//
// SI and BX point to the plane of x and y, R11 and R12 to the column of the vector there, R9 and R14 to the line; DX points to the weights or sums,
// R13 to the table and R8 to the vector's masks; R10 counts vectors and CX lines. Under AVX2 R15 points to the plane's bias.

// depthSum is the first of up to nine registers of sums.
const depthSum = 0

// depthRegisters are the other registers of a depthwise kernel's vectors.
type depthRegisters struct {
	taps    int // three: what the window's columns read
	upper   int
	grad    int // three: lines of dy, the latest first
	weights int // nine
	bias    int
	index   int // two
}

// AVX2 has no registers for the last two, and those of the weights and of dy, which no kernel needs both, are the same.
var (
	wideDepth   = depthRegisters{taps: 9, upper: 12, grad: 13, weights: 16, bias: 25, index: 26}
	narrowDepth = depthRegisters{weights: 3, grad: 9, upper: 12, taps: 13}
)

const depthAhead = 2048 // the prefetch distance, in bytes

// A depthwise writes the functions of one type of number.
type depthwise struct {
	*writer
	depthRegisters
	file   *asm.File
	stride int
	labels int
}

func depthName(what string, stride int) string { return fmt.Sprintf("%s%d", what, stride) }

func (m *machine) depthwises(f *asm.File, e elem) {
	registers := narrowDepth
	if m.masks {
		registers = wideDepth
	}
	for _, stride := range windowStrides {
		of := func(name, doc string) *depthwise {
			return &depthwise{writer: m.writer(f, depthName(name, stride), e, &depthCall, doc), depthRegisters: registers, file: f, stride: stride}
		}
		of("depthwise", fmt.Sprintf("y = bias + Σ w · x of each plane by itself, windows of 3x3, %d apart", stride)).forward()
		of("depthSums", fmt.Sprintf("w += y · x, nine vectors of sums of each plane, windows of 3x3, %d apart", stride)).sums()
	}
	of := &depthwise{writer: m.writer(f, "depthSpread", e, &depthCall, "the gradient of depthwise2 for its input"), depthRegisters: registers, file: f, stride: 1}
	of.spread()
}

// ps is the name of an instruction for the type of number.
func (d *depthwise) ps(name string) string { return name + d.suffix }

// planes is the loop over planes and their vectors: first begins a plane, vector computes one, last ends the plane.
func (d *depthwise) planes(first, vector, last func()) {
	d.arg("x", "SI")
	d.op("SUBQ", d.field("before"), "SI")
	d.arg("y", "BX")
	d.arg("w", "DX")
	d.label("plane")
	first()
	d.arg("masks", "R8")
	d.move("SI", "R11")
	d.move("BX", "R12")
	d.arg("vectors", "R10")
	d.label("vector")
	d.loadDepthMasks()
	d.arg("lines", "R13")
	d.move("R12", "R14")
	d.arg("rows", "CX")
	vector()
	d.nextVector()
	d.repeat("R10", "vector")
	last()
	d.addArg("planeX", "SI")
	d.addArg("planeY", "BX")
	d.repeatArg("planes", "plane")
	d.end()
}

// line reads the next line's columns and uses them, unless it is padding.
func (d *depthwise) line(use func()) {
	d.lineOf(func() {
		d.read()
		use()
	})
}

// lineOf points R9 at the next line and uses it, unless it is padding.
func (d *depthwise) lineOf(use func()) {
	d.labels++
	behind := fmt.Sprintf("behind%d", d.labels)
	d.word(memory{base: "R13"}, "R9")
	d.add("$8", "R13")
	d.op("TESTQ", "R9", "R9")
	d.jump("LT", behind)
	d.add("R11", "R9")
	d.op("PREFETCHT0", at("R9", depthAhead))
	use()
	d.label(behind)
}

// addLine adds to a sum the products of the columns and the weights of line r of the window.
func (d *depthwise) addLine(r, sum int) {
	for q := range 3 {
		d.fma(d.taps+q, d.weights+3*r+q, sum)
	}
}

// loadWeights broadcasts those of a plane, and its bias.
func (d *depthwise) loadWeights() {
	for t := range 9 {
		d.broadcast(memory{base: "DX", offset: t * d.size}, d.weights+t)
	}
	d.add(fmt.Sprintf("$%d", 9*d.size), "DX")
	d.loadDepthBias()
	d.arg("stepBias", "AX")
	d.addToArg("AX", "bias")
}

// storeLine writes a sum as the next line of y.
func (d *depthwise) storeLine(sum int) {
	d.op("PREFETCHT0", at("R14", depthAhead))
	d.writeColumns(sum, 6, at("R14", 0), d.taps)
	d.addArg("rowY", "R14")
}

func (d *depthwise) forward() {
	const last, middle, first = depthSum, depthSum + 1, depthSum + 2 // the sums whose windows end, are halfway and begin in a line
	d.loadIndexes()
	d.planes(d.loadWeights, func() {
		if d.stride == 2 {
			d.begin(last)
			d.line(func() { d.addLine(0, last) })
			d.loopLabel("line")
			d.line(func() { d.addLine(1, last) })
			d.begin(first)
			d.line(func() { d.addLine(2, last); d.addLine(0, first) })
			d.storeLine(last)
			d.copy(first, last)
			d.repeat("CX", "line")
			return
		}
		step := func(lines int) {
			d.begin(first)
			d.line(func() {
				for r, sum := range []int{first, middle, last}[:lines] {
					d.addLine(r, sum)
				}
			})
			if lines == 3 {
				d.storeLine(last)
			}
			d.copy(middle, last)
			d.copy(first, middle)
		}
		step(1)
		step(2)
		d.loopLabel("line")
		step(3)
		d.repeat("CX", "line")
	}, func() {})
}

// sums has dy for y.
func (d *depthwise) sums() {
	each := func(f func(t int)) {
		for t := range 9 {
			f(t)
		}
	}
	d.loadIndexes()
	d.planes(func() {
		each(func(t int) { d.load(memory{base: "DX", offset: t * d.bytes}, depthSum+t) })
	}, d.sumLines, func() {
		each(func(t int) { d.store(depthSum+t, memory{base: "DX", offset: t * d.bytes}) })
		d.add(fmt.Sprintf("$%d", 9*d.bytes), "DX")
	})
}

// sumLines adds the products of a vector of columns.
func (d *depthwise) sumLines() {
	// loadGrad reads the next line of dy, where there is one.
	loadGrad := func(is bool) {
		if !is {
			d.zero(d.grad)
			return
		}
		d.op("PREFETCHT0", at("R14", depthAhead))
		d.readColumns(at("R14", 0), 6, d.grad)
		d.addArg("rowY", "R14")
	}
	add := func(r, grad int) {
		for q := range 3 {
			d.fma(d.taps+q, grad, depthSum+3*r+q)
		}
	}
	if d.stride == 2 {
		before := d.grad + 1
		step := func(more bool) {
			d.copy(d.grad, before)
			loadGrad(more)
			d.line(func() { add(1, before) })
			d.line(func() { add(2, before); add(0, d.grad) })
		}
		loadGrad(true)
		d.line(func() { add(0, d.grad) })
		d.op("DECQ", "CX")
		d.jump("EQ", "lastLine")
		d.loopLabel("line")
		step(true)
		d.repeat("CX", "line")
		d.label("lastLine")
		step(false)
		return
	}
	step := func(more bool) {
		loadGrad(more)
		d.line(func() {
			for r := range 3 {
				add(r, d.grad+r)
			}
		})
		d.copy(d.grad+1, d.grad+2)
		d.copy(d.grad, d.grad+1)
	}
	d.zero(d.grad + 1)
	d.zero(d.grad + 2)
	d.loopLabel("line")
	step(true)
	d.repeat("CX", "line")
	step(false)
	step(false)
}

// spread has dy for x and dx for y. A line of dy meets three of dx: the last that the line before it also meets, one that no other does, and one that
// the next also meets. Of neighbours in dx the elements of one parity meet the first and the third column of the window, and the others the second. The
// last two masks are those of two vectors of dx.
func (d *depthwise) spread() {
	joint, single := [2]int{depthSum, depthSum + 1}, [2]int{depthSum + 2, depthSum + 3} // lines, each of two registers: apart and between
	if !d.masks {
		single[1] = d.upper
	}
	d.loadSwaps()
	begin := func(line [2]int) {
		d.begin(line[0])
		d.begin(line[1])
	}
	d.planes(d.loadWeights, func() {
		d.arg("between", "AX")
		begin(joint)
		d.spreadLine()
		d.addSpread(2, joint)
		d.compareArg("odd", "$0", "R9")
		d.jump("EQ", "line")
		d.spreadLine()
		d.goTo("single")
		d.loopLabel("line")
		d.spreadLine()
		d.addSpread(0, joint)
		d.storeSpread(joint, single)
		d.op("DECQ", "CX")
		d.jump("EQ", "lastLine")
		d.label("single")
		begin(single)
		d.addSpread(1, single)
		d.storeSpread(single, joint)
		begin(joint)
		d.addSpread(2, joint)
		d.repeat("CX", "line")
		d.label("lastLine")
	}, func() {})
}

// spreadLine reads the columns of the next line of dy that the window's columns meet, zeros where it is padding.
func (d *depthwise) spreadLine() {
	for q := range 3 {
		d.zero(d.taps + q)
	}
	d.lineOf(func() {
		for q, from := range []string{at("R9", d.size), "(R9)(AX*1)", at("R9", 0)} {
			d.readColumns(from, q, d.taps+q)
		}
	})
}

// addSpread adds to a line of dx the products with line r of the window.
func (d *depthwise) addSpread(r int, line [2]int) {
	for q := range 3 {
		d.fma(d.taps+q, d.weights+3*r+q, line[q%2])
	}
}

// storeSpread writes the next line of dx, with two spare registers.
func (d *depthwise) storeSpread(line, spare [2]int) {
	if !d.masks {
		d.zipSpread(line, spare)
	}
	for half, r := range line {
		d.op("PREFETCHT0", at("R14", depthAhead+half*d.bytes))
		if d.masks {
			d.copy(d.index+half, d.upper)
			d.op(d.ps("VPERMI2"), d.reg(line[1]), d.reg(line[0]), d.reg(d.upper))
			r = d.upper
		}
		d.writeColumns(r, 5+half, at("R14", half*d.bytes), spare[0])
	}
	d.addArg("rowY", "R14")
}

// depthRunners writes the functions that run them, for the machines that have them.
func depthRunners(out *bytes.Buffer, machines []*machine) {
	machines = slices.DeleteFunc(slices.Clone(machines), func(m *machine) bool { return m.arm })
	for _, k := range [][2]string{{"Depthwise1", depthName("depthwise", 1)}, {"Depthwise2", depthName("depthwise", 2)},
		{"DepthSums1", depthName("depthSums", 1)}, {"DepthSums2", depthName("depthSums", 2)}, {"DepthSpread", "depthSpread"}} {
		params := "t unsafe.Pointer"
		if len(machines) == 0 {
			params = "unsafe.Pointer"
		}
		fmt.Fprintf(out, "\nfunc run%s[T dtype.Float](%s) {\n%s}\n", k[0], params, eachLevel(machines, func(m *machine) string {
			return fmt.Sprintf("if isDouble[T]() {\n%s(t)\nreturn\n}\n%s(t)", m.functionName(k[1], elems[1]), m.functionName(k[1], elems[0]))
		}))
	}
}
