package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// AMX has eight registers of 16 rows of 64 bytes. TDPBF16PS multiplies 16 rows of 32 elements of A, as they lie in memory, with 16
// rows of 16 pairs of B, as AVX-512's micro-kernel for bfloat16 packs them; TDPBSSD 16 rows of 64 bytes with 16 rows of 16 fours. The micro-kernel keeps four registers of sums, so that each of two of A
// and two of B that a step of k loads is multiplied twice: 32 rows of C, or as many fewer as the configuration says, and 32 columns.
//
// The registers hold something only between the first instruction of a call and the last one. Go never changes to another goroutine in between,
// since it does not preempt assembly; where the system moves the thread, it saves them, as it does for a signal.
var amx = machine{name: "AMX", bytes: 64, prefix: "Z", count: 32, masks: true}

// amxLine is how far the rows of a panel of B and those of sums are apart: 32 numbers of 4 bytes.
const amxLine = 128

// amxAhead is how many lines of what follows a block of a panel in memory, which is the block that comes next, a step prefetches into the second cache level.
const amxAhead = 4

// The registers of sums, of the upper and the lower rows, left and right, and those of operands.
const (
	upperLeft, upperRight, lowerLeft, lowerRight = 0, 1, 2, 3
	upperA, lowerA, leftB, rightB                = 4, 5, 6, 7
)

var amxCall = layout{"amxCall", "amxCall is an AMXTile as assembly reads it: distances in bytes, low from the first row of a tile to the first of its lower half.", []string{
	"config, a, b, from, sums, add, c unsafe.Pointer",
	"k, rows, cols int",
	"rowA, lowA, colA, rowFrom, lowFrom, rowSums, lowSums, rowAdd, rowC int",
	"tiles int // below each other, with these distances from each to the next:",
	"stepA, stepFrom, stepSums, stepAdd, stepC int",
	"panels, count int // side by side, of so many tiles each, with these distances from a tile that is behind the last one to the next panel's first:",
	"nextA, nextB, nextFrom, nextSums, nextAdd, nextC int",
	"ahead int // bytes of B that a step prefetches; where it is not zero, a tile also prefetches the next one of C",
}}

// amxFile writes the functions for AMX.
func amxFile() *asm.File {
	f := &asm.File{}
	amx.tiles(f, "sums", elems[0], "sums[i][j] = from[i][j] + Σ a[i][l] · b[l][j] for so many rows i and 32 columns j of bfloat16", nil)
	amx.tiles(f, "sums", wholes, "sums[i][j] = from[i][j] + Σ a[i][l] · b[l][j] for so many rows i and 32 columns j of int8", nil)
	amx.byteResults(f)
	amx.tiles(f, "tile", elems[0], "c[i][j] = add[i][j] + from[i][j] + Σ a[i][l] · b[l][j] for so many rows i and columns j of bfloat16", (*writer).amxFloats)
	amx.tiles(f, "tile", pairs, "c[i][j] = from[i][j] + Σ a[i][l] · b[l][j], rounded to bfloat16, for so many rows i and columns j of bfloat16", (*writer).amxHalves)
	amx.lineRows(f, elems[0])
	amx.lineRows(f, pairs)
	amx.pairPanels(f)
	amx.halfLines(f, 1)
	amx.halfLines(f, 2)
	amx.roundPairs(f)
	amx.amxPixels(f)
	amx.channelLines(f)
	return f
}

// tiles is a micro-kernel of tiles below each other, in panels side by side, which ends with what becomes of a tile's sums.
func (m *machine) tiles(f *asm.File, name string, e elem, doc string, finish func(w *writer)) {
	w := m.writer(f, name, e, &amxCall, doc)
	w.arg("config", "AX")
	w.amx("LDTILECFG", noPrefix, 0x49, 0, memory{base: "AX"})
	w.op("MOVL", fmt.Sprintf("$%d", amxLine), "R13")
	w.label("panel")
	if finish != nil {
		w.amxMasks()
	}
	w.amxPointAhead()
	w.label("tile")
	w.amxStart()
	w.amxMultiply(e != wholes)
	w.arg("sums", "DX")
	w.arg("rowSums", "R8")
	w.amxMoveSums("TILESTORED", "DX", "R8", "lowSums", "R9")
	if finish != nil {
		w.arg("rows", "CX")
		w.arg("c", "SI")
		w.arg("rowC", "R10")
		w.amxFetchC(e)
		finish(w)
	}
	w.amxAdvance("stepA", "a", "stepFrom", "from", "stepSums", "sums", "stepAdd", "add", "stepC", "c")
	w.countDown("tiles")
	w.jump("GT", "tile")
	w.amxAdvance("count", "tiles", "nextA", "a", "nextB", "b", "nextFrom", "from", "nextSums", "sums", "nextAdd", "add", "nextC", "c")
	w.op("SUBQ", fmt.Sprintf("$%d", amxLine/4), w.field("cols"))
	w.countDown("panels")
	w.jump("GT", "panel")
	w.amxRegister("TILERELEASE", noPrefix, 0)
	w.end()
}

// amxPointAhead sets R11 to what the steps of a panel prefetch: what follows the block, or lines that the first cache level holds.
func (w *writer) amxPointAhead() {
	w.arg("k", "AX")
	w.multiply(fmt.Sprintf("$%d", 16*amxLine), "AX")
	w.clear("R11")
	w.compare(w.field("ahead"), "$0")
	w.moveIf("NE", "AX", "R11")
	w.addArg("b", "R11")
}

// amxAdvance adds to each second field the one before it.
func (w *writer) amxAdvance(fields ...string) {
	for n := 0; n < len(fields); n += 2 {
		w.arg(fields[n], "AX")
		w.addToArg("AX", fields[n+1])
	}
}

// amxStart sets the sums to what they start from: numbers in memory, or zero where rowFrom is negative.
func (w *writer) amxStart() {
	w.arg("from", "DX")
	w.arg("rowFrom", "R8")
	w.op("TESTQ", "R8", "R8")
	w.jump("LT", "zero")
	w.amxMoveSums("TILELOADD", "DX", "R8", "lowFrom", "R9")
	w.goTo("start")
	w.label("zero")
	for t := upperLeft; t <= lowerRight; t++ {
		w.amxRegister("TILEZERO", prefixF2, t)
	}
	w.label("start")
}

// amxMoveSums loads or stores the sums at a base, whose rows are so far apart; it changes the spare register.
func (w *writer) amxMoveSums(name, base, row, low, spare string) {
	prefix := map[string]int{"TILELOADD": prefixF2, "TILESTORED": prefixF3}[name]
	w.arg(low, spare)
	w.add(base, spare)
	for n, at := range []memory{{base: base}, {base: base, offset: amxLine / 2}, {base: spare}, {base: spare, offset: amxLine / 2}} {
		at.index, at.scale = row, 1
		w.amx(name, prefix, 0x4b, n, at)
	}
}

// amxMultiply is the loop over k, 32 elements a step, or as many bytes.
func (w *writer) amxMultiply(fetch bool) {
	w.arg("a", "SI")
	w.arg("lowA", "R8")
	w.add("SI", "R8")
	w.arg("rowA", "R10")
	w.arg("colA", "R12")
	w.arg("b", "BX")
	w.arg("k", "CX")
	w.loopLabel("loop")
	if fetch {
		for line := range amxAhead {
			w.op("PREFETCHT1", at("R11", amxLine/2*line))
		}
		w.addArg("ahead", "R11")
	}
	w.amxLoadA("SI", "R8") // read once for the panel: with TILELOADD a product takes a third more time
	w.amxTakeB("BX", "R13")
	w.add("R12", "SI")
	w.add("R12", "R8")
	w.add(fmt.Sprintf("$%d", 16*amxLine), "BX")
	w.repeat("CX", "loop")
}

// amxLoadA loads the rows of A of a step by TILELOADDT1, which keeps them from taking B's place in the first cache level.
func (w *writer) amxLoadA(upper, lower string) {
	w.amx("TILELOADDT1", prefix66, 0x4b, upperA, memory{upper, 0, "R10", 1})
	w.amx("TILELOADDT1", prefix66, 0x4b, lowerA, memory{lower, 0, "R10", 1})
}

// amxTakeB loads the pairs of B of a step, whose rows are so far apart, and adds their products with A.
func (w *writer) amxTakeB(b, row string) {
	w.amx("TILELOADD", prefixF2, 0x4b, leftB, memory{b, 0, row, 1})
	w.amx("TILELOADD", prefixF2, 0x4b, rightB, memory{b, amxLine / 2, row, 1})
	w.amxProduct(upperLeft, upperA, leftB)
	w.amxProduct(lowerLeft, lowerA, leftB)
	w.amxProduct(upperRight, upperA, rightB)
	w.amxProduct(lowerRight, lowerA, rightB)
}

// amxFetchC prefetches the tile of C after this one, below it or at the top of the next panel, where so many bytes of B are prefetched too.
func (w *writer) amxFetchC(e elem) {
	w.compare(w.field("ahead"), "$0")
	w.jump("EQ", "fetched")
	w.move("SI", "R9")
	w.addArg("stepC", "R9")
	w.arg("nextC", "AX")
	w.add("R9", "AX")
	w.compare(w.field("tiles"), "$1")
	w.moveIf("EQ", "AX", "R9")
	w.move("CX", "AX")
	w.label("fetch")
	w.op("PREFETCHT0", "(R9)")
	if e != pairs {
		w.op("PREFETCHT0", at("R9", amxLine/2))
	}
	w.add("R10", "R9")
	w.repeat("AX", "fetch")
	w.label("fetched")
}

// amxFloats writes the sums that DX points to, and what is added to them, to rows of C.
func (w *writer) amxFloats() {
	w.arg("add", "R8")
	w.arg("rowAdd", "R9")
	w.label("row")
	w.op("VMOVUPS", "(DX)", "Z0")
	w.op("VMOVUPS", "64(DX)", "Z1")
	w.jumpIfZero("R8", "store")
	w.op("VMOVUPS.Z", "(R8)", "K2", "Z2")
	w.op("VMOVUPS.Z", "64(R8)", "K1", "Z3")
	w.op("VADDPS", "Z2", "Z0", "Z0")
	w.op("VADDPS", "Z3", "Z1", "Z1")
	w.add("R9", "R8")
	w.label("store")
	w.op("VMOVUPS", "Z0", "K2", "(SI)")
	w.op("VMOVUPS", "Z1", "K1", "64(SI)")
	w.add(fmt.Sprintf("$%d", amxLine), "DX")
	w.add("R10", "SI")
	w.repeat("CX", "row")
}

// amxHalves rounds the sums that DX points to, which are not subnormal, to the nearest bfloat16, ties to even; every NaN becomes the same one.
func (w *writer) amxHalves() {
	w.op("MOVL", "$0x7fc00000", "AX")
	w.op("VPBROADCASTD", "AX", "Z30")
	w.label("row")
	w.op("VMOVUPS", "(DX)", "Z0")
	w.op("VMOVUPS", "64(DX)", "Z1")
	w.op("VCMPPS", "$3", "Z0", "Z1", "K3") // NaN
	w.op("KORTESTW", "K3", "K3")
	w.op("JNZ", "unordered")
	w.label("round")
	w.roundToHalves(1, 0, 2)
	w.op("VMOVDQU16", "Z2", "K4", "(SI)")
	w.add(fmt.Sprintf("$%d", amxLine), "DX")
	w.add("R10", "SI")
	w.repeat("CX", "row")
	w.goTo("rounded")
	w.label("unordered")
	for _, sums := range []string{"Z0", "Z1"} {
		w.op("VCMPPS", "$3", sums, sums, "K3")
		w.op("VMOVAPS", "Z30", "K3", sums)
	}
	w.goTo("round")
	w.label("rounded")
}
