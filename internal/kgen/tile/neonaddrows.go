package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Registers of NEON's addition of rows.
const (
	armRunX    = "R1" // the run of rows, its columns, and the row's
	armColsX   = "R2"
	armRowX    = "R3"
	armSums    = "R4"
	armLeft    = "R5" // rows that are left, those of the run, and those of it that are left
	armRun     = "R6"
	armRunLeft = "R7"
	armColumns = "R8"
	armRowSize = "R9"
)

// A neonAddition writes the function that adds rows to sums of columns for arm64, as addition does for the other machines.
// Columns that fill no vector are taken one by one.
type neonAddition struct{ armFunc }

func neonAddRows(f *asm.File, e elem) {
	a := &neonAddition{newArmFunc(f, "addRows", e, "sums[j] += x[i][j] for all rows i, in runs whose sums are added in float64")}
	a.field(addRowsCall.at("x"), armRunX)
	a.field(addRowsCall.at("rows"), armLeft)
	a.field(addRowsCall.at("row"), armRowSize)
	a.fn.Label("run")
	a.field(addRowsCall.at("run"), armRun)
	a.op("CMP", armRun, armLeft)
	a.op("CSEL", "LT", armLeft, armRun, armRun)
	a.op("MOVD", armRunX, armColsX)
	a.field(addRowsCall.at("sums"), armSums)
	a.field(addRowsCall.at("cols"), armColumns)
	for _, vectors := range addRowsWidths {
		a.columns(fmt.Sprint(vectors), vectors, false)
	}
	a.columns("Single", 1, true)
	a.op("MUL", armRun, armRowSize, armScratch)
	a.op("ADD", armScratch, armRunX)
	a.op("SUBS", armRun, armLeft)
	a.op("BGT", "run")
	a.op("RET")
}

// columns adds the run's rows of so many vectors of columns, or of a single one, to their sums, as long as there are as many.
func (a *neonAddition) columns(label string, vectors int, single bool) {
	cols, move, bytes := vectors*a.lanes(), "FMOVQ", neonBytes
	if single {
		cols, move, bytes = 1, a.move(), a.size
	}
	a.fn.Label("columns" + label)
	a.op("CMP", fmt.Sprintf("$%d", cols), armColumns)
	a.op("BLT", "fewer"+label)
	for v := range vectors {
		if a.size == 8 {
			a.op(move, fmt.Sprintf("%d(%s)", v*bytes, armSums), float(v))
			continue
		}
		a.zero(v)
	}
	a.op("MOVD", armColsX, armRowX)
	a.op("MOVD", armRun, armRunLeft)
	a.fn.Label("row" + label)
	for v := range vectors {
		a.op(move, fmt.Sprintf("%d(%s)", v*bytes, armRowX), float(addRowsElement+v))
	}
	for v := range vectors {
		a.three(neonFADD, v, v, addRowsElement+v)
	}
	a.op("ADD", armRowSize, armRowX)
	a.op("SUBS", "$1", armRunLeft)
	a.op("BNE", "row"+label)
	for v := range vectors {
		a.keep(v, single)
	}
	a.op("ADD", fmt.Sprintf("$%d", cols*a.size), armColsX)
	a.op("ADD", fmt.Sprintf("$%d", cols*8), armSums)
	a.op("SUB", fmt.Sprintf("$%d", cols), armColumns)
	a.op("B", "columns"+label)
	a.fn.Label("fewer" + label)
}

// keep writes a vector of sums or its first; those of float32 are added to what there is.
func (a *neonAddition) keep(v int, single bool) {
	move, halves := "FMOVQ", 2
	if single {
		move, halves = "FMOVD", 1
	}
	if a.size == 8 {
		a.op(move, float(v), fmt.Sprintf("%d(%s)", v*neonBytes, armSums))
		return
	}
	for half := range halves {
		to, wide, sum := fmt.Sprintf("%d(%s)", (2*v+half)*neonBytes, armSums), addRowsElement, addRowsElement+1
		a.op(move, to, float(sum))
		a.fn.Word([]uint32{0x0e617800, 0x4e617800}[half]|uint32(v)<<5|uint32(wide), "%s V%d.2D, V%d.%s", []string{"FCVTL", "FCVTL2"}[half], wide, v, []string{"2S", "4S"}[half])
		a.fn.Word(neonFADD.code|1<<22|uint32(wide)<<16|uint32(sum)<<5|uint32(sum), "FADD V%d.2D, V%[1]d.2D, V%[2]d.2D", sum, wide)
		a.op(move, float(sum), to)
	}
}
