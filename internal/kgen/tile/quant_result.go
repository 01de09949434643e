package tile

import (
	"bytes"
	"fmt"
	"strings"

	"cresset/internal/kgen/asm"
)

// pair is the register of the first or the last two rows' sums of a digit, whose lanes are joined in part.
func (q *quant) pair(n, d int) int {
	switch {
	case q.masks:
		return quantPairs + 2*d + n
	case n == 0:
		return narrowPairs + d
	}
	return narrowX + d
}

// joinFours adds the lanes of sums: then register d has those of digit d, of four rows.
func (q *quant) joinFours() {
	if q.arm {
		for d := range q.digits {
			row := func(i int) int { return i*q.digits + d }
			q.addPairwise(row(0), row(1), neonQuantW)
			q.addPairwise(row(2), row(3), neonQuantX)
			q.addPairwise(neonQuantW, neonQuantX, quantX+d)
		}
		for d := range q.digits {
			q.copy(quantX+d, d)
		}
		return
	}
	if q.masks {
		for n := range 2 {
			for d := range q.digits {
				q.joinTwo(2*n*q.digits+d, (2*n+1)*q.digits+d, q.pair(n, d))
			}
		}
	}
	for d := range q.digits {
		q.joinHalves("QDQ", q.pair(0, d), q.pair(1, d), d)
		if q.masks {
			q.addUpper("Z", "Y", "VEXTRACTI64X4", d)
		}
		q.addUpper("Y", "X", "VEXTRACTI128", d)
	}
}

// joinTwo adds the lanes of two rows' sums, the upper half of each 16 bytes to the lower.
func (q *quant) joinTwo(x, y, to int) { q.joinHalves("DQ", x, y, to) }

// joinHalves adds what the two instructions that interleave the lower and the upper halves of two registers make.
func (q *quant) joinHalves(numbers string, x, y, to int) {
	scratch := narrowScratch
	if q.masks {
		scratch = quantScratch
	}
	q.op("VPUNPCKH"+numbers, q.reg(y), q.reg(x), q.reg(scratch))
	q.op("VPUNPCKL"+numbers, q.reg(y), q.reg(x), q.reg(to))
	q.op("VPADDD", q.reg(scratch), q.reg(to), q.reg(to))
}

// addUpper adds the upper half of a register to its lower half.
func (w *writer) addUpper(whole, half, extract string, n int) {
	t := fmt.Sprint(half, narrowScratch)
	w.op(extract, "$1", fmt.Sprint(whole, n), t)
	w.op("VPADDD", t, fmt.Sprint(half, n), fmt.Sprint(half, n))
}

// result writes four results: the whole number that the sums of digits stand for times the step of x and the row's scale, in float64, rounded, plus the bias.
func (q *quant) result(f *asm.File) {
	if q.arm {
		q.resultNEON()
	} else {
		q.wholeNumbers(f)
		q.arg("scale", "AX")
		q.op("VCVTPS2PD", "(AX)", "Y4")
		q.arg("step", "AX")
		q.op("VBROADCASTSD", "(AX)", "Y5")
		q.op("VMULPD", "Y5", "Y4", "Y4")
		q.op("VMULPD", "Y4", "Y3", "Y0")
		q.op("VCVTPD2PSY", "Y0", "X0")
	}
	q.next("$16", "scale")
	q.storeResults(quantRows)
}

// wholeNumbers makes four float64 of the sums of digits, which are exact.
func (q *quant) wholeNumbers(f *asm.File) {
	if q.vnni { // which multiplied with 128 more
		q.arg("totals", "AX")
		for d := range q.digits {
			q.op("VPBROADCASTD", at("AX", 4*d), "X3")
			q.op("VPSUBD", "X3", fmt.Sprint("X", d), fmt.Sprint("X", d))
		}
	}
	q.op("VCVTDQ2PD", fmt.Sprint("X", q.digits-1), "Y3")
	if q.digits > 1 {
		q.op("VBROADCASTSD", f.Words(0, 0x40700000), "Y5") // 256
	}
	for d := q.digits - 2; d >= 0; d-- {
		q.op("VCVTDQ2PD", fmt.Sprint("X", d), "Y4")
		q.op("VFMADD213PD", "Y4", "Y5", "Y3")
	}
}

// resultNEON leaves four results but for the bias in the first register.
func (q *quant) resultNEON() {
	const number, t, step, scale = 3, 5, 7, 8 // two registers of number, of t and of scale
	q.arg("step", "AX")
	q.op("FMOVD", "("+armNames["AX"]+")", float(step))
	q.op("VDUP", fmt.Sprintf("V%d.D[0]", step), fmt.Sprintf("V%d.D2", step))
	q.arg("scale", "AX")
	q.load(memory{base: "AX"}, scale)
	two := func(name string, code uint32, x, y, to int) {
		q.fn.Word(code|uint32(y)<<16|uint32(x)<<5|uint32(to), "%s V%d.2D, V%d.2D, V%d.2D", name, to, x, y)
	}
	for half := range 2 {
		upper, lanes := uint32(half)<<30, []string{"2S", "4S"}[half]
		n, s := number+half, t+half
		for d := range q.digits {
			to := s
			if d == 0 {
				to = n
			}
			q.fn.Word(0x0f20a400|upper|uint32(8*d)<<16|uint32(d)<<5|uint32(to), "SSHLL V%d.2D, V%d.%s, #%d", to, d, lanes, 8*d)
			if d > 0 {
				two("ADD", 0x4ee08400, n, s, n)
			}
		}
		q.fn.Word(0x4e61d800|uint32(n)<<5|uint32(n), "SCVTF V%d.2D, V%d.2D", n, n)
		q.fn.Word(0x0e617800|upper|uint32(scale)<<5|uint32(s), "FCVTL V%d.2D, V%d.%s", s, scale, lanes)
		two("FMUL", 0x6e60dc00, s, step, s)
		two("FMUL", 0x6e60dc00, n, s, n)
	}
	for half := range 2 {
		q.fn.Word(0x0e616800|uint32(half)<<30|uint32(number+half)<<5, "FCVTN V0.%s, V%d.2D", []string{"2S", "4S"}[half], number+half)
	}
}

// storeResults adds a bias, if there is one, to four results or to one, stores them, and moves on.
func (w *writer) storeResults(count int) {
	step := fmt.Sprintf("$%d", 4*count)
	w.arg("bias", "AX")
	w.jumpIfZero("AX", "unbiased")
	if w.arm {
		w.load4(count, "AX", 1)
		w.three(neonFADD, 0, 0, 1)
	} else {
		w.op(map[int]string{1: "VADDSS", 4: "VADDPS"}[count], "(AX)", "X0", "X0")
	}
	w.next(step, "bias")
	w.label("unbiased")
	w.arg("y", "AX")
	switch {
	case w.arm && count == 1:
		w.op("FMOVS", float(0), "("+armNames["AX"]+")")
	case w.arm:
		w.store(0, memory{base: "AX"})
	default:
		w.op(map[int]string{1: "VMOVSS", 4: "VMOVUPS"}[count], "X0", "(AX)")
	}
	w.next(step, "y")
}

// load4 loads four numbers or one under NEON.
func (w *writer) load4(count int, base string, to int) {
	if count == 1 {
		w.op("FMOVS", "("+armNames[base]+")", float(to))
		return
	}
	w.load(memory{base: base}, to)
}

// next adds a constant, or another field, to a field.
func (w *writer) next(x, name string) {
	if strings.HasPrefix(x, "$") {
		w.addConstant(x, name)
		return
	}
	w.arg(x, "AX")
	w.addToArg("AX", name)
}

func (w *writer) addConstant(x, name string) {
	if !w.arm {
		w.op("ADDQ", x, w.field(name))
		return
	}
	w.op("MOVD", w.field(name), armScratch)
	w.op("ADD", x, armScratch)
	w.op("MOVD", armScratch, w.field(name))
}

// addPairwise adds neighbours of two registers under NEON.
func (w *writer) addPairwise(x, y, to int) {
	w.fn.Word(0x4ea0bc00|uint32(y)<<16|uint32(x)<<5|uint32(to), "ADDP V%d.4S, V%d.4S, V%d.4S", to, x, y)
}

// fill repeats a word in a register.
func (w *writer) fill(word string, to int) {
	switch {
	case w.arm:
		w.op("MOVD", word, armScratch)
		w.op("VDUP", armScratch, fmt.Sprintf("V%d.S4", to))
	case w.masks:
		w.op("MOVL", word, "AX")
		w.op("VPBROADCASTD", "AX", w.reg(to))
	default:
		w.op("MOVL", word, "AX")
		w.op("VMOVD", "AX", fmt.Sprint("X", to))
		w.op("VPBROADCASTD", fmt.Sprint("X", to), w.reg(to))
	}
}

// quantRunners writes the functions that run the micro-kernels. Where a processor with AVX-512 has no VPDPBUSD, AVX2's do.
func quantRunners(out *bytes.Buffer, machines []*machine) {
	for _, digits := range quantDigits {
		quantRunner(out, fmt.Sprint("runInt8Rows", digits), fmt.Sprint("sumBytes", digits), machines)
		body := "panic(noTiles)"
		if len(machines) > 1 {
			body = machines[0].functionName(fmt.Sprint("streamBytes", digits), wholes) + "(t)"
		}
		fmt.Fprintf(out, "\nfunc runInt8Streams%d(t unsafe.Pointer) { %s }\n", digits, body)
	}
	for _, group := range int4Groups {
		quantRunner(out, fmt.Sprint("runInt4Rows", group), fmt.Sprint("dotNibbles", group), machines)
		body := "panic(noTiles)"
		if len(machines) > 1 {
			body = machines[0].functionName(fmt.Sprint("squareNibbles", group), wholes) + "(t)"
		}
		fmt.Fprintf(out, "\nfunc runInt4Squares%d(t unsafe.Pointer) { %s }\n", group, body)
	}
	quantRunner(out, "runEights", "eights", machines)
	for _, name := range []string{"digits1", "digits3", "digitPairs"} {
		body := "panic(noTiles)"
		if len(machines) > 1 {
			body = machines[0].functionName(name, wholes) + "(t)"
		}
		fmt.Fprintf(out, "\nfunc run%s%s(t unsafe.Pointer) { %s }\n", strings.ToUpper(name[:1]), name[1:], body)
	}
}

func quantRunner(out *bytes.Buffer, run, name string, machines []*machine) {
	first := ""
	if len(machines) > 1 {
		first = fmt.Sprintf("if HasVNNI() {\n%s(t)\nreturn\n}\nif HasAVXVNNI() {\n%s(t)\nreturn\n}\n", machines[0].functionName(name, wholes), avxVNNI.functionName(name, wholes))
	}
	if len(machines) == 1 {
		first = fmt.Sprintf("if HasDotProducts() {\n%s(t)\nreturn\n}\n", neonDot.functionName(name, wholes))
	}
	last := machines[max(len(machines)-1, 0):]
	fmt.Fprintf(out, "\nfunc %s(t unsafe.Pointer) {\n%s%s}\n", run, first, eachLevel(last, func(m *machine) string { return m.functionName(name, wholes) + "(t)" }))
}
