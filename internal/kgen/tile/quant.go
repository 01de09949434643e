package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Products of rows of a quantized weight with one row of activations, of which a token has one: they wait for the weight's bytes. Activations come as
// whole numbers in digits of a byte, so that the sums are exact, and no byte of the weight has to become a float: where the processor has VPDPBUSD, it multiplies and adds
// four in each lane. A call takes many rows and leaves finished results, since small weights take no longer than what a row would cost beside its products.

// quantRows is how many rows of the weight have their sums joined at once.
const quantRows = 4

// quantBlock is how many bytes of a row of the weight a step takes.
const quantBlock = 64

// quantDigits are the numbers of digits that activations may have.
var quantDigits = []int{1, 3}

var quantCall = layout{"quantCall", "quantCall is a call of Int8Rows: distances in bytes.", []string{
	"x, w, scale, bias, y unsafe.Pointer // bias is nil for none",
	"step, totals unsafe.Pointer // of x: the step as a float64, and 128 times the sum of each digit",
	"rowX, rowW, stepW, fours int // from a digit of x to the next, from a row to the next and to the fourth after it; how many fours of rows there are",
	"blocks, tail, ahead int // whole blocks; where the last 64 bytes of a row begin behind them, 0 where there is no rest; what is prefetched",
}}

// wholes is the type of sums.
var wholes = elem{"I32", 4, "PS", "SS"}

// quant writes products with rows of int8.
type quant struct {
	*writer
	digits int
	sides  [][]int // rows that are computed side by side
}

// The registers that point to rows of the weight and to digits of x.
var (
	quantWeights = []string{"BX", "DX", "R8", "R9"}
	quantOfX     = []string{"SI", "R10", "R11"}
)

// The vector registers behind those of sums, which are 4 rows' by AVX-512 and NEON, 2 rows' elsewhere.
const (
	quantX, quantW, quantPairs, quantScratch     = 12, 15, 20, 26 // AVX-512
	narrowX, narrowW, narrowPairs, narrowScratch = 6, 9, 11, 14   // AVX2
	neonQuantW, neonQuantX, neonQuantProduct     = 16, 17, 18
)

// sumBytes are the micro-kernels for int8. Under AVX-512 there is one with four rows side by side, which loads digits of x once for them, and one that reads a row after the
// other, as memory is read fastest.
func (m *machine) sumBytes(f *asm.File) {
	pairs, single := [][]int{{0, 1}, {2, 3}}, [][]int{{0}, {1}, {2}, {3}}
	for _, digits := range quantDigits {
		doc := fmt.Sprintf("y[i] = step · scale[i] · Σ x[l] · w[i][l] + bias[i] for fours of rows i and numbers x of %d digits", digits)
		switch name := fmt.Sprint("sumBytes", digits); {
		case m.masks:
			m.sumBytesBy(f, name, doc, digits, [][]int{{0, 1, 2, 3}})
			m.sumBytesBy(f, fmt.Sprint("streamBytes", digits), doc+", row by row", digits, single)
		case m.arm, m.vnni:
			m.sumBytesBy(f, name, doc, digits, single)
		default:
			m.sumBytesBy(f, name, doc, digits, pairs)
		}
	}
}

func (m *machine) sumBytesBy(f *asm.File, name, doc string, digits int, sides [][]int) {
	q := quant{m.writer(f, name, wholes, &quantCall, doc), digits, sides}
	q.label("fours")
	for n := range sides {
		q.side(n)
	}
	q.joinFours()
	q.result(f)
	q.next("stepW", "w")
	q.repeatArg("fours", "fours")
	q.end()
}

// sum is the register of digit d of row i of a side. Where there are few registers, two rows' sums are joined before those of the next two come.
func (q *quant) sum(side, i, d int) int {
	row := q.sides[side][i]
	if q.narrow() {
		row %= 2
	}
	return row*q.digits + d
}

func (q *quant) narrow() bool { return !q.masks && !q.arm }

// side sums up rows. CX counts blocks, R15 is the distance to the last 64 bytes until they are done.
func (q *quant) side(side int) {
	rows := q.sides[side]
	named := func(label string) string { return fmt.Sprint(label, rows[0]) }
	q.arg("x", "SI")
	q.spread("rowX", quantOfX[:q.digits])
	q.arg("w", quantWeights[0])
	for range rows[0] {
		q.addArg("rowW", quantWeights[0])
	}
	q.spread("rowW", quantWeights[:len(rows)])
	q.arg("blocks", "CX")
	q.arg("tail", "R15")
	for i := range rows {
		for d := range q.digits {
			q.zero(q.sum(side, i, d))
		}
	}
	if q.vnni && !q.arm && side == 0 {
		q.fill("$0x80808080", q.count-1)
	}
	q.jumpIfZero("CX", named("tail"))
	q.loopLabel(named("block"))
	switch {
	case q.vnni:
		q.addFours(side)
	case q.arm:
		q.addPairsNEON(side)
	default:
		q.addPairs(side)
	}
	q.advance(len(rows))
	q.repeat("CX", named("block"))
	q.label(named("tail"))
	q.jumpIfZero("R15", named("sums"))
	for i := range rows {
		q.add("R15", quantWeights[i])
	}
	q.clear("R15")
	q.clear("CX")
	q.increment("CX")
	q.goTo(named("block"))
	q.label(named("sums"))
	if last := rows[len(rows)-1]; q.narrow() && last%2 == 1 {
		for d := range q.digits {
			q.joinTwo(d, q.digits+d, q.pair(last/2, d))
		}
	}
}

// addFours adds a block's products four at a time. VPDPBUSD takes bytes without a sign for one factor: 128 more than the weight's.
func (q *quant) addFours(side int) {
	x, w, xor := narrowX, narrowW, "VPXOR"
	if q.masks || q.arm {
		x, w, xor = quantX, quantW, "VPXORD"
	}
	for part := range quantBlock / q.bytes {
		for d := range q.digits {
			q.load(memory{base: quantOfX[d], offset: part * q.bytes}, x+d)
		}
		for i := range q.sides[side] {
			if q.arm {
				q.load(memory{base: quantWeights[i], offset: part * q.bytes}, w+i)
			} else {
				q.op(xor, at(quantWeights[i], part*q.bytes), q.reg(q.count-1), q.reg(w+i))
			}
			for d := range q.digits {
				q.dotBytes(x+d, w+i, q.sum(side, i, d))
			}
		}
	}
}

// addPairs adds a block's products two at a time, of words.
func (q *quant) addPairs(side int) {
	const x, product, w = narrowX, narrowX + 1, narrowW
	for part := range quantBlock / 16 {
		for i := range q.sides[side] {
			q.op("VPMOVSXBW", at(quantWeights[i], 16*part), q.reg(w+i))
		}
		for d := range q.digits {
			q.op("VPMOVSXBW", at(quantOfX[d], 16*part), q.reg(x))
			for i := range q.sides[side] {
				q.op("VPMADDWD", q.reg(x), q.reg(w+i), q.reg(product))
				q.op("VPADDD", q.reg(product), q.reg(q.sum(side, i, d)), q.reg(q.sum(side, i, d)))
			}
		}
	}
}

// addPairsNEON multiplies bytes to words, and adds these in pairs.
func (q *quant) addPairsNEON(side int) {
	const w, x, product = neonQuantW, neonQuantX, neonQuantProduct
	for part := range quantBlock / 16 {
		q.load(memory{base: quantWeights[0], offset: 16 * part}, w)
		for d := range q.digits {
			q.load(memory{base: quantOfX[d], offset: 16 * part}, x)
			for half, code := range []uint32{0x0e20c000, 0x4e20c000} {
				bytes := []string{"8B", "16B"}[half]
				q.fn.Word(code|x<<16|w<<5|product, "%s V%d.8H, V%d.%[4]s, V%[5]d.%[4]s", []string{"SMULL", "SMULL2"}[half], product, w, bytes, x)
				q.fn.Word(0x4e606800|product<<5|uint32(q.sum(side, 0, d)), "SADALP V%d.4S, V%d.8H", q.sum(side, 0, d), product)
			}
		}
	}
}

// advance moves on by a block, and prefetches one of each row that comes later.
func (q *quant) advance(rows int) {
	if !q.arm {
		q.arg("ahead", "AX")
	}
	for i := range rows {
		if !q.arm {
			q.op("PREFETCHT0", fmt.Sprintf("(%s)(AX*1)", quantWeights[i]))
		}
		q.add(fmt.Sprintf("$%d", quantBlock), quantWeights[i])
	}
	for d := range q.digits {
		q.add(fmt.Sprintf("$%d", quantBlock), quantOfX[d])
	}
}
