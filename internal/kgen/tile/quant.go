package tile

import (
	"bytes"
	"fmt"
	"strings"

	"cresset/internal/kgen/asm"
)

// Dot products of rows of a quantized weight with one row of activations, of which a token has one: they wait for the weight's bytes. Activations come as
// whole numbers in digits of a byte, so that the sums are exact, and no byte of the weight has to become a float: AVX-512 multiplies and adds four
// in each lane by VPDPBUSD, where the processor has it.

// quantRows is how many rows of the weight a call takes.
const quantRows = 4

// quantBlock is how many bytes of a row of the weight a step takes.
const quantBlock = 64

// quantDigits are the numbers of digits that activations may have.
var quantDigits = []int{1, 3}

var quantCall = layout{"quantCall", "quantCall is a call of Int8Sums: distances in bytes.", []string{
	"x, y, tail unsafe.Pointer // tail is the last block of each row where it is not whole, filled up; nil where it is",
	"w0, w1, w2, w3 unsafe.Pointer",
	"rowX, blocks, next int // from a digit of x to the next; whole blocks; where the rows that come next begin",
}}

// wholes is the type of sums.
var wholes = elem{"I32", 4, "PS", "SS"}

// quant writes sums over rows that are computed side by side.
type quant struct {
	*writer
	digits int
	rows   []int
	vnni   bool
}

// The registers that point to rows of the weight and to digits of x.
var (
	quantWeights = []string{"BX", "DX", "R8", "R9"}
	quantOfX     = []string{"SI", "R10", "R11"}
)

// sumBytes are the micro-kernels for int8.
func (m *machine) sumBytes(f *asm.File) {
	sides := [][]int{{0, 1}, {2, 3}}
	switch {
	case m.masks:
		sides = [][]int{{0, 1, 2, 3}}
	case m.arm:
		sides = [][]int{{0}, {1}, {2}, {3}}
	}
	for _, digits := range quantDigits {
		doc := fmt.Sprintf("y[i][d] = Σ x[d][l] · w[i][l] for %d rows i and %d digits d of a byte", quantRows, digits)
		if m.masks {
			doc = fmt.Sprintf("y[i][d] = Σ x[d][l] · (w[i][l] + 128) for %d rows i and %d digits d of a byte", quantRows, digits)
		}
		w := m.writer(f, fmt.Sprint("sumBytes", digits), wholes, &quantCall, doc)
		for _, rows := range sides {
			q := quant{w, digits, rows, m.masks}
			q.sums()
		}
		w.end()
	}
}

// named makes a label one of these rows.
func (q *quant) named(label string) string { return fmt.Sprint(label, q.rows[0]) }

func (q *quant) sum(i, d int) int { return i*q.digits + d }

// work is the nth register behind those of the sums.
func (q *quant) work(n int) int { return len(q.rows)*q.digits + n }

// sums computes the rows. CX counts blocks, R15 points to the tail until it is done.
func (q *quant) sums() {
	q.arg("x", "SI")
	q.spread("rowX", quantOfX[:q.digits])
	q.arg("blocks", "CX")
	q.arg("tail", "R15")
	for i, row := range q.rows {
		q.arg(fmt.Sprint("w", row), quantWeights[i])
	}
	for n := range q.work(0) {
		q.zero(n)
	}
	if q.vnni {
		q.op("MOVL", "$0x80808080", "AX")
		q.op("VPBROADCASTD", "AX", q.reg(q.count-1))
	}
	q.jumpIfZero("CX", q.named("tail"))
	q.loopLabel(q.named("block"))
	switch {
	case q.vnni:
		q.addFours()
	case q.arm:
		q.addPairsNEON()
	default:
		q.addPairs()
	}
	q.advance()
	q.repeat("CX", q.named("block"))
	q.again()
	for i, row := range q.rows {
		for d := range q.digits {
			q.joinWhole(q.sum(i, d))
			q.storeWhole(q.sum(i, d), row*q.digits+d)
		}
	}
}

// addFours adds a block's products four at a time. VPDPBUSD takes bytes without a sign for one factor: 128 more than the weight's.
func (q *quant) addFours() {
	x, w := q.work(0), q.work(q.digits)
	for d := range q.digits {
		q.load(memory{base: quantOfX[d]}, x+d)
	}
	for i := range q.rows {
		q.op("VPXORD", at(quantWeights[i], 0), q.reg(q.count-1), q.reg(w+i))
		for d := range q.digits {
			q.op("VPDPBUSD", q.reg(x+d), q.reg(w+i), q.reg(q.sum(i, d)))
		}
	}
}

// addPairs adds a block's products two at a time, of words.
func (q *quant) addPairs() {
	x, product, w := q.work(0), q.work(1), q.work(2)
	for part := range quantBlock / 16 {
		for i := range q.rows {
			q.op("VPMOVSXBW", at(quantWeights[i], 16*part), q.reg(w+i))
		}
		for d := range q.digits {
			q.op("VPMOVSXBW", at(quantOfX[d], 16*part), q.reg(x))
			for i := range q.rows {
				q.op("VPMADDWD", q.reg(x), q.reg(w+i), q.reg(product))
				q.op("VPADDD", q.reg(product), q.reg(q.sum(i, d)), q.reg(q.sum(i, d)))
			}
		}
	}
}

// addPairsNEON multiplies bytes to words, and adds these in pairs.
func (q *quant) addPairsNEON() {
	const w, x, product = 16, 17, 18
	for part := range quantBlock / 16 {
		q.load(memory{base: quantWeights[0], offset: 16 * part}, w)
		for d := range q.digits {
			q.load(memory{base: quantOfX[d], offset: 16 * part}, x)
			for half, code := range []uint32{0x0e20c000, 0x4e20c000} {
				bytes := []string{"8B", "16B"}[half]
				q.fn.Word(code|x<<16|w<<5|product, "%s V%d.8H, V%d.%[4]s, V%[5]d.%[4]s", []string{"SMULL", "SMULL2"}[half], product, w, bytes, x)
				q.fn.Word(0x4e606800|product<<5|uint32(q.sum(0, d)), "SADALP V%d.4S, V%d.8H", q.sum(0, d), product)
			}
		}
	}
}

// advance moves on by a block, and prefetches one of each row that comes after these.
func (q *quant) advance() {
	if !q.arm {
		q.arg("next", "AX")
	}
	for i := range q.rows {
		if !q.arm {
			q.op("PREFETCHT0", fmt.Sprintf("(%s)(AX*1)", quantWeights[i]))
		}
		q.add(fmt.Sprintf("$%d", quantBlock), quantWeights[i])
	}
	for d := range q.digits {
		q.add(fmt.Sprintf("$%d", quantBlock), quantOfX[d])
	}
}

// again goes through the tail as through one more block.
func (q *quant) again() {
	q.label(q.named("tail"))
	q.jumpIfZero("R15", q.named("sums"))
	for i, row := range q.rows {
		q.offset("R15", row*quantBlock, quantWeights[i])
	}
	q.clear("R15")
	q.clear("CX")
	q.increment("CX")
	q.goTo(q.named("block"))
	q.label(q.named("sums"))
}

// joinWhole adds the lanes of a register into its first.
func (w *writer) joinWhole(n int) {
	if w.arm {
		w.fn.Word(0x4eb1b800|uint32(n)<<5|uint32(n), "ADDV S%d, V%d.4S", n, n)
		return
	}
	extract := "VEXTRACTI128"
	if w.masks {
		w.addUpper("Z", "Y", "VEXTRACTI64X4", n)
		extract = "VEXTRACTI32X4"
	}
	w.addUpper("Y", "X", extract, n)
	for _, order := range []string{"$0x4e", "$0xb1"} {
		t := fmt.Sprint("X", w.count-2)
		w.op("VPSHUFD", order, fmt.Sprint("X", n), t)
		w.op("VPADDD", t, fmt.Sprint("X", n), fmt.Sprint("X", n))
	}
}

// addUpper adds the upper half of a register to its lower half.
func (w *writer) addUpper(whole, half, extract string, n int) {
	t := fmt.Sprint(half, w.count-2)
	w.op(extract, "$1", fmt.Sprint(whole, n), t)
	w.op("VPADDD", t, fmt.Sprint(half, n), fmt.Sprint(half, n))
}

// storeWhole stores the first lane.
func (q *quant) storeWhole(n, to int) {
	q.arg("y", "AX")
	if q.arm {
		q.op("FMOVS", float(n), at(armNames["AX"], 4*to))
		return
	}
	q.op("VMOVD", fmt.Sprint("X", n), at("AX", 4*to))
}

// quantRunners writes the functions that run them. Where a processor with AVX-512 has no VPDPBUSD, AVX2's do.
func quantRunners(out *bytes.Buffer, machines []*machine) {
	for _, digits := range quantDigits {
		quantRunner(out, fmt.Sprint("runInt8Sums", digits), fmt.Sprint("sumBytes", digits), machines)
	}
	for _, group := range int4Groups {
		quantRunner(out, fmt.Sprint("runInt4Dots", group), fmt.Sprint("dotNibbles", group), machines)
	}
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
		first = fmt.Sprintf("if HasVNNI() {\n%s(t)\nreturn\n}\n", machines[0].functionName(name, wholes))
	}
	last := machines[max(len(machines)-1, 0):]
	fmt.Fprintf(out, "\nfunc %s(t unsafe.Pointer) {\n%s%s}\n", run, first, eachLevel(last, func(m *machine) string { return m.functionName(name, wholes) + "(t)" }))
}
