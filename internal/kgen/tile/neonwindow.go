package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Registers of NEON's functions over windows; vectors are those of windowed.
const (
	armX       = "R1" // the row of x, y and index
	armY       = "R2"
	armIndex   = "R3"
	armTapsAt  = "R4"
	armTapped  = "R5"
	armRows    = "R6"
	armAtX     = "R7" // the vector of x, y and index
	armAtY     = "R8"
	armAtIndex = "R9"
	armCols    = "R10" // columns that are left
	armTap     = "R11" // the tap's number, and then what it is
	armTapIs   = "R12"
	armElement = "R13"
	armMoves   = "R14" // columns to the next vector
)

// A neonWindows writes the function of one fold, type and stride for arm64, as windowed does for the other machines.
// Where a row has fewer columns than a vector has lanes, it takes window by window.
type neonWindows struct {
	armFunc
	fold
	stride int
	single bool // window by window
}

func neonWindowed(f *asm.File, e elem) {
	for _, fold := range folds {
		for _, stride := range windowStrides {
			doc := fmt.Sprintf("%s of every window, %d columns apart: whole vectors, the last one over the one before, or single windows", fold.doc, stride)
			w := &neonWindows{newArmFunc(f, windowName(fold, stride), e, doc), fold, stride, false}
			w.write(f)
		}
	}
}

func (w *neonWindows) write(f *asm.File) {
	w.field(windowCall.at("x"), armX)
	w.field(windowCall.at("y"), armY)
	w.field(windowCall.at("index"), armIndex)
	w.field(windowCall.at("taps"), armTapsAt)
	w.field(windowCall.at("tapped"), armTapped)
	w.field(windowCall.at("rows"), armRows)
	w.constants(f)
	w.field(windowCall.at("cols"), armCols)
	w.op("CMP", fmt.Sprintf("$%d", w.lanes()), armCols)
	w.op("BLT", "narrow")
	w.rows("")
	w.single = true
	w.fn.Label("narrow")
	w.rows("Narrow")
}

// constants loads what every vector needs.
func (w *neonWindows) constants(f *asm.File) {
	if w.index {
		var words []uint32
		for i := range w.lanes() {
			words = append(words, uint32(w.stride*i))
			if w.size == 8 {
				words = append(words, 0)
			}
		}
		w.op("MOVD", "$"+f.Words(words...), armScratch)
		w.op("FMOVQ", "("+armScratch+")", float(ramp))
	}
	if w.mean {
		w.field(windowCall.at("count"), armScratch)
		w.op("VLD1R", "("+armScratch+")", "["+w.numbers(divisor)+"]")
	}
}

// rows is the loop over rows of y; labels end in what distinguishes them.
func (w *neonWindows) rows(label string) {
	w.fn.Label("row" + label)
	w.op("MOVD", armX, armAtX)
	w.op("MOVD", armY, armAtY)
	w.op("MOVD", armIndex, armAtIndex)
	w.field(windowCall.at("cols"), armCols)
	w.fn.Label("vector" + label)
	w.taps(label)
	w.store()
	w.next(label)
	w.fn.Label("next" + label)
	w.moveBy(windowCall.at("rowX"), armX)
	w.moveBy(windowCall.at("rowY"), armY)
	w.moveBy(windowCall.at("rowI"), armIndex)
	w.op("SUBS", "$1", armRows)
	w.op("BNE", "row"+label)
	w.op("RET")
}

// next moves on by a vector, or by what is left where that is less.
func (w *neonWindows) next(label string) {
	n := w.lanes()
	if w.single {
		n = 1
	}
	w.op("SUBS", fmt.Sprintf("$%d", n), armCols)
	w.op("BLE", "next"+label)
	w.op("MOVD", fmt.Sprintf("$%d", n), armScratch)
	w.op("CMP", armScratch, armCols)
	w.op("CSEL", "LT", armCols, armScratch, armMoves)
	w.op("CSEL", "LT", armScratch, armCols, armCols)
	for range w.stride {
		w.op("ADD", w.scaled(armMoves), armAtX)
	}
	w.op("ADD", w.scaled(armMoves), armAtY)
	w.op("ADD", armMoves+"<<3", armAtIndex)
	w.op("B", "vector"+label)
}

// taps folds the elements of a vector of windows, in order.
func (w *neonWindows) taps(label string) {
	w.op("MOVD", "ZR", armTap)
	if w.mean {
		w.zero(best)
	} else {
		w.read(best)
		if w.index {
			w.op("VDUP", armTapIs, w.numbers(place))
		}
		w.op("ADD", "$1", armTap)
		w.op("CMP", armTapped, armTap)
		w.op("BGE", "done"+label)
	}
	w.fn.Label("tap" + label)
	w.read(element)
	if w.mean {
		w.three(neonFADD, best, best, element)
	} else {
		w.larger()
	}
	w.op("ADD", "$1", armTap)
	w.op("CMP", armTapped, armTap)
	w.op("BLT", "tap"+label)
	w.fn.Label("done" + label)
	if w.mean {
		w.three(neonCode{"FDIV", 0x6e20fc00}, best, best, divisor)
	}
}

// read loads the elements of the next tap.
func (w *neonWindows) read(to int) {
	w.op("MOVD", "("+armTapsAt+")("+armTap+"<<3)", armTapIs)
	w.op("ADD", w.scaled(armTapIs), armAtX, armElement)
	w.readAt(armElement, to)
}

// readAt loads elements that are as far apart as the windows.
func (w *neonWindows) readAt(from string, to int) {
	if w.single {
		w.op(w.move(), "("+from+")", float(to))
		return
	}
	w.op("FMOVQ", "("+from+")", float(to))
	if w.stride == 1 {
		return
	}
	// One element is read twice, so that none is read beyond the last.
	w.op("FMOVQ", fmt.Sprintf("%d(%s)", neonBytes-w.size, from), float(upper))
	w.op("VEXT", fmt.Sprintf("$%d", w.size), vector(upper), vector(upper), vector(upper))
	w.op("VUZP1", w.numbers(upper), w.numbers(to), w.numbers(to))
}

// larger keeps the first of equal elements and the last NaN, and with index where they lie.
func (w *neonWindows) larger() {
	w.three(neonFCMGT, which, element, best)
	w.three(neonFCMEQ, spare, element, element)
	w.bits("ORN", 0x4ee01c00, which, which, spare)
	w.op("VBIT", vector(which), vector(element), vector(best))
	if w.index {
		w.op("VDUP", armTapIs, w.numbers(spare))
		w.op("VBIT", vector(which), vector(spare), vector(place))
	}
}

// store writes y, and the places as 8-byte numbers that count from the plane's start.
func (w *neonWindows) store() {
	if w.single {
		w.op(w.move(), float(best), "("+armAtY+")")
	} else {
		w.op("FMOVQ", float(best), "("+armAtY+")")
	}
	if !w.index {
		return
	}
	w.field(windowCall.at("plane"), armScratch)
	w.op("SUB", armScratch, armAtX, armScratch)
	w.op("LSR", map[int]string{4: "$2", 8: "$3"}[w.size], armScratch)
	w.op("VDUP", armScratch, w.numbers(spare))
	for _, r := range []int{spare, ramp} {
		w.op("VADD", w.numbers(r), w.numbers(place), w.numbers(place))
	}
	if w.size == 4 {
		w.fn.Word(0x4f20a400|place<<5|upper, "SSHLL2 V%d.2D, V%d.4S, #0", upper, place)
		w.fn.Word(0x0f20a400|place<<5|place, "SSHLL V%d.2D, V%d.2S, #0", place, place)
	}
	if w.single {
		w.op("FMOVD", float(place), "("+armAtIndex+")")
		return
	}
	w.op("FMOVQ", float(place), "("+armAtIndex+")")
	if w.size == 4 {
		w.op("FMOVQ", float(upper), fmt.Sprintf("%d(%s)", neonBytes, armAtIndex))
	}
}
