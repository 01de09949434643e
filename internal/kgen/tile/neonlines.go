package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Registers of NEON's copies of lines, beside armX, armY, armAtX and armAtY.
const (
	armPlaneX = "R3"
	armPlaneY = "R4"
	armPlanes = "R5"
)

// neonLines copies rows of planes, as lines does for the other machines. A neonWindows has the vectors of the copy.
func neonLines(f *asm.File, e elem) {
	for _, stride := range windowStrides {
		doc := fmt.Sprintf("y[i][j] = x[i][%d*(j-zeros)] between zeros, for whole rows", stride)
		w := &neonWindows{armFunc: newArmFunc(f, linesName(stride), e, doc), stride: stride}
		w.lines()
	}
}

func (w *neonWindows) lines() {
	w.field(linesCall.at("x"), armPlaneX)
	w.field(linesCall.at("y"), armPlaneY)
	w.field(linesCall.at("planes"), armPlanes)
	w.zero(best)
	w.fn.Label("plane")
	w.op("MOVD", armPlaneX, armX)
	w.op("MOVD", armPlaneY, armY)
	w.field(linesCall.at("rows"), armRows)
	w.fn.Label("row")
	w.op("MOVD", armX, armAtX)
	w.op("MOVD", armY, armAtY)
	w.segment("Before", linesCall.at("zeros"), false)
	w.segment("Copy", linesCall.at("cols"), true)
	w.segment("Behind", linesCall.at("rest"), false)
	w.moveBy(linesCall.at("rowX"), armX)
	w.moveBy(linesCall.at("rowY"), armY)
	w.op("SUBS", "$1", armRows)
	w.op("BNE", "row")
	w.moveBy(linesCall.at("planeX"), armPlaneX)
	w.moveBy(linesCall.at("planeY"), armPlaneY)
	w.op("SUBS", "$1", armPlanes)
	w.op("BNE", "plane")
	w.op("RET")
}

// segment writes so many elements: zeros, or what it reads.
func (w *neonWindows) segment(label, count string, read bool) {
	vector := func(single bool, move string, bytes int) {
		w.single = single
		from := best
		if read {
			from = element
			w.readAt(armAtX, element)
			w.op("ADD", fmt.Sprintf("$%d", w.stride*bytes), armAtX)
		}
		w.op(move+".P", float(from), fmt.Sprintf("%d(%s)", bytes, armAtY))
	}
	lanes := fmt.Sprintf("$%d", w.lanes())
	w.field(count, armCols)
	w.op("SUBS", lanes, armCols)
	w.op("BLT", "part"+label)
	w.fn.Label("whole" + label)
	vector(false, "FMOVQ", neonBytes)
	w.op("SUBS", lanes, armCols)
	w.op("BGE", "whole"+label)
	w.fn.Label("part" + label)
	w.op("ADDS", lanes, armCols)
	w.op("BEQ", "done"+label)
	w.fn.Label("single" + label)
	vector(true, w.move(), w.size)
	w.op("SUBS", "$1", armCols)
	w.op("BNE", "single"+label)
	w.fn.Label("done" + label)
}
