package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Depthwise convolutions by windows of 3x3 read their input where it lies: a vector is of 16 neighbouring outputs of a line, and masks keep
// what is beyond the borders out of it. So lines shorter than a vector cost no copies. AVX-512 alone has them.
//
// Lines of the input, with those of padding, pass once: sums of the outputs whose windows begin in the line, one and two lines before it are kept
// in registers. A table tells for each where it is, less than zero where it is padding. Vectors of a line have masks that are the same for all lines.
//
// SI and BX point to the plane of x and y, R11 and R12 to the column of the vector there, R9 and R14 to the line; DX points to the weights or sums,
// R13 to the table and R8 to the vector's masks; R10 counts vectors and CX lines.

// Registers of a depthwise kernel's vectors.
const (
	depthSum     = 0 // the first of up to nine
	depthTaps    = 9 // three: what the window's columns read
	depthUpper   = 12
	depthGrad    = 13 // three: lines of dy, the latest first
	depthWeights = 16 // nine
	depthBias    = 25
	depthIndex   = 26 // two
)

const (
	depthMaskBytes = 16   // how far apart the masks of vectors are; of K1 to K7 the last is that of outputs
	depthAhead     = 2048 // the prefetch distance, in bytes
)

// A depthwise writes the functions of one type of number.
type depthwise struct {
	*writer
	file   *asm.File
	stride int
	labels int
}

func depthName(what string, stride int) string { return fmt.Sprintf("%s%d", what, stride) }

func (m *machine) depthwises(f *asm.File, e elem) {
	for _, stride := range windowStrides {
		of := func(name, doc string) *depthwise {
			return &depthwise{writer: m.writer(f, depthName(name, stride), e, &depthCall, doc), file: f, stride: stride}
		}
		of("depthwise", fmt.Sprintf("y = bias + Σ w · x of each plane by itself, windows of 3x3, %d apart", stride)).forward()
		of("depthSums", fmt.Sprintf("w += y · x, nine vectors of sums of each plane, windows of 3x3, %d apart", stride)).sums()
	}
	of := &depthwise{writer: m.writer(f, "depthSpread", e, &depthCall, "the gradient of depthwise2 for its input"), file: f, stride: 1}
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
	for k := range 7 {
		d.op("KMOVW", at("R8", 2*k), mask(k))
	}
	d.arg("lines", "R13")
	d.move("R12", "R14")
	d.arg("rows", "CX")
	vector()
	d.add(fmt.Sprintf("$%d", depthMaskBytes), "R8")
	d.addArg("stepX", "R11")
	d.addArg("stepY", "R12")
	d.repeat("R10", "vector")
	last()
	d.addArg("planeX", "SI")
	d.addArg("planeY", "BX")
	d.repeatArg("planes", "plane")
	d.end()
}

func mask(k int) string { return fmt.Sprintf("K%d", k+1) }

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

// read reads what the window's three columns read. With windows two columns apart the first and the second are every other element of two vectors;
// the third is the first moved on by one, and one element more.
func (d *depthwise) read() {
	masked := func(op string, mask, elements, to int) {
		d.op(d.ps(op)+".Z", at("R9", elements*d.size), fmt.Sprintf("K%d", mask), d.reg(to))
	}
	if d.stride == 1 {
		for q := range 3 {
			masked("VMOVU", 1+q, q, depthTaps+q)
		}
		return
	}
	n := d.lanes(d.elem)
	masked("VMOVU", 1, 0, depthTaps)
	masked("VMOVU", 2, n, depthUpper)
	d.op("VBROADCAST"+d.single+".Z", at("R9", 2*n*d.size), "K3", d.reg(depthTaps+2))
	d.copy(depthTaps, depthTaps+1)
	d.op(d.ps("VPERMT2"), d.reg(depthUpper), d.reg(depthIndex), d.reg(depthTaps))
	d.op(d.ps("VPERMT2"), d.reg(depthUpper), d.reg(depthIndex+1), d.reg(depthTaps+1))
	d.op(map[int]string{4: "VALIGND", 8: "VALIGNQ"}[d.size], "$1", d.reg(depthTaps), d.reg(depthTaps+2), d.reg(depthTaps+2))
}

// addLine adds to a sum the products of the columns and the weights of line r of the window.
func (d *depthwise) addLine(r, sum int) {
	for q := range 3 {
		d.fma(depthTaps+q, depthWeights+3*r+q, sum)
	}
}

// loadIndexes loads which elements of two vectors are even and odd.
func (d *depthwise) loadIndexes() {
	if d.stride == 2 {
		for i := range 2 {
			d.loadWords(d.vectorOf(d.file, func(n int) int { return 2*n + i }), depthIndex+i)
		}
	}
}

// loadWeights broadcasts those of a plane, and its bias.
func (d *depthwise) loadWeights() {
	for t := range 9 {
		d.broadcast(memory{base: "DX", offset: t * d.size}, depthWeights+t)
	}
	d.add(fmt.Sprintf("$%d", 9*d.size), "DX")
	d.arg("bias", "AX")
	d.broadcast(memory{base: "AX"}, depthBias)
	d.arg("stepBias", "AX")
	d.addToArg("AX", "bias")
}

// storeLine writes a sum as the next line of y.
func (d *depthwise) storeLine(sum int) {
	d.op("PREFETCHT0", at("R14", depthAhead))
	d.op(d.ps("VMOVU"), d.reg(sum), "K7", at("R14", 0))
	d.addArg("rowY", "R14")
}

func (d *depthwise) forward() {
	const last, middle, first = depthSum, depthSum + 1, depthSum + 2 // the sums whose windows end, are halfway and begin in a line
	d.loadIndexes()
	d.planes(d.loadWeights, func() {
		if d.stride == 2 {
			d.copy(depthBias, last)
			d.line(func() { d.addLine(0, last) })
			d.loopLabel("line")
			d.line(func() { d.addLine(1, last) })
			d.copy(depthBias, first)
			d.line(func() { d.addLine(2, last); d.addLine(0, first) })
			d.storeLine(last)
			d.copy(first, last)
			d.repeat("CX", "line")
			return
		}
		step := func(lines int) {
			d.copy(depthBias, first)
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
			d.zero(depthGrad)
			return
		}
		d.op("PREFETCHT0", at("R14", depthAhead))
		d.op(d.ps("VMOVU")+".Z", at("R14", 0), "K7", d.reg(depthGrad))
		d.addArg("rowY", "R14")
	}
	add := func(r, grad int) {
		for q := range 3 {
			d.fma(depthTaps+q, grad, depthSum+3*r+q)
		}
	}
	if d.stride == 2 {
		const before = depthGrad + 1
		step := func(more bool) {
			d.copy(depthGrad, before)
			loadGrad(more)
			d.line(func() { add(1, before) })
			d.line(func() { add(2, before); add(0, depthGrad) })
		}
		loadGrad(true)
		d.line(func() { add(0, depthGrad) })
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
				add(r, depthGrad+r)
			}
		})
		d.copy(depthGrad+1, depthGrad+2)
		d.copy(depthGrad, depthGrad+1)
	}
	d.zero(depthGrad + 1)
	d.zero(depthGrad + 2)
	d.loopLabel("line")
	step(true)
	d.repeat("CX", "line")
	step(false)
	step(false)
}

// spread has dy for x and dx for y. A line of dy meets three of dx: the last that the line before it also meets, one that no other does, and one that
// the next also meets. Of neighbours in dx the elements of one parity meet the first and the third column of the window, and the others the second. K6 and
// K7 are the masks of two vectors of dx.
func (d *depthwise) spread() {
	const joint, single = depthSum, depthSum + 2 // lines, each of two registers: apart and between
	n := d.lanes(d.elem)
	indexes := func(swapped int) {
		for half := range 2 {
			d.loadWords(d.vectorOf(d.file, func(i int) int { return half*n/2 + i/2 + (i+swapped)%2*n }), depthIndex+half)
		}
	}
	indexes(0)
	d.compareArg("swapped", "$0", "AX")
	d.jump("EQ", "straight")
	indexes(1)
	d.label("straight")
	begin := func(line int) {
		d.copy(depthBias, line)
		d.copy(depthBias, line+1)
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
		d.storeSpread(joint)
		d.op("DECQ", "CX")
		d.jump("EQ", "lastLine")
		d.label("single")
		begin(single)
		d.addSpread(1, single)
		d.storeSpread(single)
		begin(joint)
		d.addSpread(2, joint)
		d.repeat("CX", "line")
		d.label("lastLine")
	}, func() {})
}

// spreadLine reads the columns of the next line of dy that the window's columns meet, zeros where it is padding.
func (d *depthwise) spreadLine() {
	for q := range 3 {
		d.zero(depthTaps + q)
	}
	d.lineOf(func() {
		for q, from := range []string{at("R9", d.size), "(R9)(AX*1)", at("R9", 0)} {
			d.op(d.ps("VMOVU")+".Z", from, mask(q), d.reg(depthTaps+q))
		}
	})
}

// addSpread adds to a line of dx the products with line r of the window.
func (d *depthwise) addSpread(r, line int) {
	for q := range 3 {
		d.fma(depthTaps+q, depthWeights+3*r+q, line+q%2)
	}
}

// storeSpread writes the next line of dx.
func (d *depthwise) storeSpread(line int) {
	for half := range 2 {
		d.op("PREFETCHT0", at("R14", depthAhead+half*d.bytes))
		d.copy(depthIndex+half, depthUpper)
		d.op(d.ps("VPERMI2"), d.reg(line+1), d.reg(line), d.reg(depthUpper))
		d.op(d.ps("VMOVU"), d.reg(depthUpper), mask(5+half), at("R14", half*d.bytes))
	}
	d.addArg("rowY", "R14")
}

// depthRunners writes the functions that run them.
func depthRunners(m *machine) string {
	text := ""
	for _, k := range [][2]string{{"Depthwise1", depthName("depthwise", 1)}, {"Depthwise2", depthName("depthwise", 2)},
		{"DepthSums1", depthName("depthSums", 1)}, {"DepthSums2", depthName("depthSums", 2)}, {"DepthSpread", "depthSpread"}} {
		run, body := "run"+k[0]+"[T dtype.Float]", "panic(noTiles)\n"
		if m == nil {
			text += fmt.Sprintf("\nfunc %s(unsafe.Pointer) { panic(noTiles) }\n", run)
			continue
		}
		body = fmt.Sprintf("if isDouble[T]() {\n%s(t)\nreturn\n}\n%s(t)\n", m.functionName(k[1], elems[1]), m.functionName(k[1], elems[0]))
		text += fmt.Sprintf("\nfunc %s(t unsafe.Pointer) {\n%s}\n", run, body)
	}
	return text
}
