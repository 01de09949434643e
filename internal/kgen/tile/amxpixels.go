package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Convolutions of bfloat16 read the input as lines of pixels, each 32 channels in a cache line: so pixels are rows of A, wherever taps find them, and weights are
// panels of B. What a tile sums is then turned, since results are planes of outputs.

var amxPixelsCall = layout{"amxPixelsCall", "amxPixelsCall is an AMXPixels as assembly reads it: distances in bytes, low from the first pixel of a tile to the first of its lower half.", []string{
	"config, a, b, from, sums, taps, places, c unsafe.Pointer // without c sums are kept",
	"k0, k1, k2, k3, tiles, rows, cols int // steps in four parts",
	"rowA, lowA, rowFrom, lowFrom, stepFrom, lowSums, stepSums, rowC int",
	"turns int // whether a tile is summed that is yet to be turned",
}}

// The registers of a square that is turned: 16 rows, and one more that exchange takes.
const firstTurned, endTurned = 4, 20

// joinOrder is the register of the order that joins the halves of a vector as pairs.
const joinOrder = "Z28"

// amxPixels is the micro-kernel of tiles of pixels, each at a place of the input and one of the results. While a tile is summed, in four parts, the one before is turned: AMX
// leaves the vector units to that, which a processor sees in time where the parts are short. The last tile is turned beside none.
func (m *machine) amxPixels(f *asm.File) {
	w := m.writer(f, "pixels", elems[0], &amxPixelsCall, "c[j][i] = from[i][j] + Σ a[tap][i][l] · b[tap][l][j], rounded to bfloat16, for so many pixels i and outputs j of each tile")
	w.arg("config", "AX")
	w.amx("LDTILECFG", noPrefix, 0x49, 0, memory{base: "AX"})
	w.op("MOVL", fmt.Sprintf("$%d", amxLine), "R13")
	w.loadJoinOrder(f)
	w.arg("rows", "AX")
	w.firstOnes("AX", "K4")
	w.label("tile")
	w.amxStart()
	w.arg("places", "R9")
	w.tap(memory{base: "R9"}, "AX")
	w.arg("a", "SI")
	w.indexed("SI", "AX", 2, "SI")
	w.move("SI", "R8")
	w.addArg("lowA", "R8")
	w.arg("rowA", "R10")
	w.arg("taps", "DX")
	w.tap(memory{base: "R9", offset: 4}, "AX")
	w.arg("b", "BX")
	w.indexed("BX", "AX", 4, "BX")
	w.label("parts")
	for part := range 4 {
		w.sumTaps(part)
		w.turnPart(part)
	}
	w.compareArg("tiles", "$0", "")
	w.jump("EQ", "done")
	w.arg("sums", "DX")
	w.amxMoveSums("TILESTORED", "DX", "R13", "lowSums", "R9")
	w.amxAdvance("stepFrom", "from", "stepSums", "sums")
	w.arg("c", "AX")
	w.op("MOVQ", "AX", w.field("turns"))
	w.op("ADDQ", "$12", w.field("places"))
	w.countDown("tiles")
	w.jump("GT", "tile")
	w.compareArg("turns", "$0", "")
	w.jump("EQ", "done")
	w.clear("AX")
	for _, k := range []string{"k0", "k1", "k2", "k3"} {
		w.op("MOVQ", "AX", w.field(k))
	}
	w.goTo("parts")
	w.label("done")
	w.amxRegister("TILERELEASE", noPrefix, 0)
	w.end()
}

// sumTaps adds the products of a part of the steps.
func (w *writer) sumTaps(part int) {
	summed, taps := fmt.Sprintf("summed%d", part), fmt.Sprintf("taps%d", part)
	w.arg(fmt.Sprintf("k%d", part), "CX")
	w.jumpIfZero("CX", summed)
	w.label(taps)
	w.tap(memory{base: "DX"}, "AX")
	w.indexed("SI", "AX", 2, "R9")
	w.indexed("R8", "AX", 2, "R11")
	w.amxLoadA("R9", "R11") // conv1x1_bf16/32x256x14x14 takes a twentieth less time than with TILELOADD
	w.amxTakeB("BX", "R13")
	w.add("$4", "DX")
	w.add(fmt.Sprintf("$%d", 16*amxLine), "BX")
	w.repeat("CX", taps)
	w.label(summed)
}

// turnPart is a part of what turns the tile before: a half of its outputs is rounded and joined to pairs of pixels, then transposed and written to planes.
// Every NaN becomes the same one.
func (w *writer) turnPart(part int) {
	half, turned := part/2, fmt.Sprintf("turned%d", part)
	w.compareArg("turns", "$0", "")
	w.jump("EQ", turned)
	w.arg("cols", "R15")
	if half > 0 {
		w.sub("$16", "R15")
		w.jump("LE", turned)
	}
	if part%2 == 0 {
		w.arg("sums", "R12")
		w.op("SUBQ", w.field("stepSums"), "R12")
		w.joinPixels(half)
		w.label(turned)
		return
	}
	w.arg("rowC", "R9")
	if half == 0 {
		w.arg("places", "R14")
		w.tap(memory{base: "R14", offset: -4}, "AX")
		w.arg("c", "R14")
		w.indexed("R14", "AX", 2, "R14")
	}
	for _, r := range w.exchange(registers(firstTurned, endTurned), []int{endTurned}) {
		w.op("VMOVDQU16", w.reg(r), "K4", "(R14)")
		w.add("R9", "R14")
		w.op("DECQ", "R15")
		w.jump("EQ", turned)
	}
	w.label(turned)
}

// joinPixels rounds half of the sums that R12 points to, of 32 pixels, and joins neighbouring pixels as pairs.
func (w *writer) joinPixels(half int) {
	join, ordered := fmt.Sprintf("join%d", half), fmt.Sprintf("ordered%d", half)
	w.clear("AX")
	w.label(join)
	w.op("KXORW", "K5", "K5", "K5")
	for n := firstTurned; n < endTurned; n++ {
		at := memory{base: "R12", offset: 2*amxLine*(n-firstTurned) + w.bytes*half}
		w.op("VMOVUPS", at.String(), "Z0")
		at.offset += amxLine
		w.op("VMOVUPS", at.String(), "Z1")
		w.op("VCMPPS", "$3", "Z0", "Z1", "K3") // NaN
		w.op("KORW", "K3", "K5", "K5")
		w.roundToHalves(1, 0, 2)
		w.op("VPERMW", "Z2", joinOrder, w.reg(n))
	}
	w.op("KORTESTW", "K5", "K5")
	w.jump("EQ", ordered)
	w.op("TESTQ", "AX", "AX")
	w.jump("NE", ordered)
	w.orderSums(fmt.Sprintf("order%d", half))
	w.goTo(join)
	w.label(ordered)
}

// orderSums makes all NaN among the sums that R12 points to the same one, and AX another number than zero.
func (w *writer) orderSums(loop string) {
	w.op("MOVL", "$0x7fc00000", "AX")
	w.op("VPBROADCASTD", "AX", "Z30")
	w.move("R12", "R9")
	w.op("MOVL", "$64", "R11")
	w.label(loop)
	w.op("VMOVUPS", "(R9)", "Z0")
	w.op("VCMPPS", "$3", "Z0", "Z0", "K3")
	w.op("VMOVUPS", "Z30", "K3", "(R9)")
	w.add("$64", "R9")
	w.repeat("R11", loop)
}

// channelLines writes the pixels of lines of 32 planes. Rows of two channels are joined as pairs, squares of which are transposed.
func (m *machine) channelLines(f *asm.File) {
	w := m.writer(f, "channels", elems[0], &amxCall, "c[i][j][l] = a[l][i][j] for 32 planes l of bfloat16, so many lines i and cols pixels j")
	w.loadJoinOrder(f)
	w.arg("a", "SI")
	w.arg("c", "BX")
	w.arg("rowA", "R10")
	w.indexed("R10", "R10", 2, "R12")
	w.label("line")
	w.move("SI", "R8")
	w.move("BX", "R11")
	w.arg("cols", "CX")
	w.label("square")
	w.move("R8", "R9")
	w.compare("CX", "$16")
	w.jump("GE", "whole")
	w.firstOnes("CX", "K1")
	w.joinChannels("K1")
	w.goTo("joined")
	w.label("whole")
	w.joinChannels("")
	w.label("joined")
	for n, r := range w.exchange(registers(firstTurned, endTurned), []int{endTurned}) {
		w.op("VMOVDQU32", w.reg(r), at("R11", w.bytes*n))
		w.op("DECQ", "CX")
		w.jump("EQ", "next")
	}
	w.add("$32", "R8")
	w.add(fmt.Sprintf("$%d", 16*w.bytes), "R11")
	w.goTo("square")
	w.label("next")
	w.addArg("stepA", "SI")
	w.addArg("stepC", "BX")
	w.repeatArg("rows", "line")
	w.end()
}

// joinChannels loads pairs of 32 rows from R9 on, of 16 elements, or of those in a mask.
func (w *writer) joinChannels(mask string) {
	rows := []memory{{base: "R9"}, {"R9", 0, "R10", 1}, {"R9", 0, "R10", 2}, {"R9", 0, "R12", 1}}
	for n := firstTurned; n < endTurned; n++ {
		pair := rows[n%2*2:]
		if mask == "" {
			w.op("VMOVDQU", pair[0].String(), "Y0")
			w.op("VINSERTI64X4", "$1", pair[1].String(), "Z0", "Z0")
		} else {
			w.op("VMOVDQU16.Z", pair[0].String(), mask, "Y0")
			w.op("VMOVDQU16.Z", pair[1].String(), mask, "Y1")
			w.op("VINSERTI64X4", "$1", "Y1", "Z0", "Z0")
		}
		w.op("VPERMW", "Z0", joinOrder, w.reg(n))
		if n%2 > 0 {
			w.indexed("R9", "R10", 4, "R9")
		}
	}
}

func (w *writer) loadJoinOrder(f *asm.File) {
	var words []uint32
	for n := range uint32(16) {
		words = append(words, n|(n+16)<<16)
	}
	w.op("VMOVDQU64", f.Words(words...), joinOrder)
}
