package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Registers of NEON's pairMax; vectors are those of pairMax.
const (
	armHalfRows  = "R1"
	armHalfX     = "R2" // the row of x and y
	armHalfY     = "R3"
	armHalfAtX   = "R4" // the vector
	armHalfAtY   = "R5"
	armHalfWhole = "R6"
	armHalfLines = "R7"
	armHalfLineX = "R8"
	armHalfLast  = "R9"
	armHalfRest  = "R10"
	armHalfNone  = "R11" // points to minus infinity
	armHalfPrior = "R12" // the column before, of this vector
)

// The lines of a single window's columns, the one before first, and what they move by from line to line.
var (
	armHalfAt    = []string{"R13", "R14", "R15"}
	armHalfSteps = []string{"R16", "R17", "R19"}
)

// A neonPairMax writes the function of one form and type for arm64, as pairMax does for the other machines. The windows of
// a row's last vector are taken one by one.
type neonPairMax struct {
	armFunc
	pairForm
}

func neonPairMaxes(f *asm.File, e elem) {
	for _, form := range pairForms {
		p := &neonPairMax{newArmFunc(f, form.name, e, form.doc), form}
		p.write(f)
	}
}

func (p *neonPairMax) write(f *asm.File) {
	p.op("MOVD", "$"+f.Words(map[int][]uint32{4: {0xff800000}, 8: {0, 0xfff00000}}[p.size]...), armHalfNone)
	p.op("VLD1R", "("+armHalfNone+")", "["+p.numbers(halfNone)+"]")
	p.copy(halfNone, halfFound)
	p.field(pairMaxCall.at("x"), armHalfX)
	p.field(pairMaxCall.at("y"), armHalfY)
	p.field(pairMaxCall.at("rows"), armHalfRows)
	p.field(pairMaxCall.at("lineX"), armHalfLineX)
	p.fn.Label("row")
	p.op("MOVD", armHalfX, armHalfAtX)
	p.op("MOVD", armHalfY, armHalfAtY)
	p.border()
	p.field(pairMaxCall.at("whole"), armHalfWhole)
	p.op("CBZ", armHalfWhole, "last")
	p.fn.Label("vector")
	p.window()
	p.op("FMOVQ.P", float(halfBest), fmt.Sprintf("%d(%s)", neonBytes, armHalfAtY))
	p.op("ADD", fmt.Sprintf("$%d", 2*neonBytes), armHalfAtX)
	p.op("SUB", fmt.Sprintf("$%d", p.size), armHalfAtX, armHalfPrior)
	p.op("MOVD", armHalfLineX, armHalfSteps[0])
	p.op("SUBS", "$1", armHalfWhole)
	p.op("BNE", "vector")
	p.fn.Label("last")
	p.singles()
	p.moveBy(pairMaxCall.at("rowX"), armHalfX)
	p.moveBy(pairMaxCall.at("rowY"), armHalfY)
	p.op("SUBS", "$1", armHalfRows)
	p.op("BNE", "row")
	p.tellNaN()
	p.op("RET")
}

func (p *neonPairMax) copy(from, to int) { p.op("VORR", vector(from), vector(from), vector(to)) }

// border points at what stands before a row's first pair.
func (p *neonPairMax) border() {
	p.field(pairMaxCall.at("border"), armScratch)
	p.op("CMP", "$0", armScratch)
	p.op("SUB", fmt.Sprintf("$%d", p.size), armHalfAtX, armScratch)
	p.op("CSEL", "NE", armHalfNone, armScratch, armHalfPrior)
	p.op("CSEL", "NE", "ZR", armHalfLineX, armHalfSteps[0])
}

// window folds the lines of a vector of windows, in order.
func (p *neonPairMax) window() {
	p.copy(halfNone, halfBest)
	p.op("MOVD", armHalfAtX, armHalfAt[1])
	p.op("MOVD", armHalfPrior, armHalfAt[0])
	p.field(pairMaxCall.at("lines"), armHalfLines)
	p.fn.Label("line")
	p.op("VLD2", "("+armHalfAt[1]+")", fmt.Sprintf("[%s, %s]", p.numbers(halfEven), p.numbers(halfOdd)))
	if p.before {
		p.op("VLD1R", "("+armHalfAt[0]+")", "["+p.numbers(halfPrior)+"]")
		p.op("VEXT", fmt.Sprintf("$%d", neonBytes-p.size), vector(halfOdd), vector(halfPrior), vector(halfPrior))
		p.larger(halfPrior)
		p.op("ADD", armHalfSteps[0], armHalfAt[0])
	}
	p.larger(halfEven)
	p.larger(halfOdd)
	p.op("ADD", armHalfLineX, armHalfAt[1])
	p.op("SUBS", "$1", armHalfLines)
	p.op("BNE", "line")
}

// singles computes the windows of the last vector. A column that is not there is minus infinity in every line.
func (p *neonPairMax) singles() {
	p.field(pairMaxCall.at("last"), armHalfLast)
	p.field(pairMaxCall.at("rest"), armHalfRest)
	p.fn.Label("single")
	p.copy(halfNone, halfBest)
	p.op("MOVD", armHalfPrior, armHalfAt[0])
	for i := 1; i <= 2; i++ {
		p.op("ADD", fmt.Sprintf("$%d", (i-1)*p.size), armHalfAtX, armScratch)
		p.op("CMP", fmt.Sprintf("$%d", i), armHalfRest)
		p.op("CSEL", "LT", armHalfNone, armScratch, armHalfAt[i])
		p.op("CSEL", "LT", "ZR", armHalfLineX, armHalfSteps[i])
	}
	p.field(pairMaxCall.at("lines"), armHalfLines)
	p.fn.Label("singleLine")
	first := 1
	if p.before {
		first = 0
	}
	for i := first; i <= 2; i++ {
		p.op(p.move(), "("+armHalfAt[i]+")", float(halfEven))
		p.larger(halfEven)
		p.op("ADD", armHalfSteps[i], armHalfAt[i])
	}
	p.op("SUBS", "$1", armHalfLines)
	p.op("BNE", "singleLine")
	p.op(p.move()+".P", float(halfBest), fmt.Sprintf("%d(%s)", p.size, armHalfAtY))
	p.op("ADD", fmt.Sprintf("$%d", 2*p.size), armHalfAtX)
	p.op("SUB", fmt.Sprintf("$%d", p.size), armHalfAtX, armHalfPrior)
	p.op("MOVD", armHalfLineX, armHalfSteps[0])
	p.op("SUB", "$2", armHalfRest)
	p.op("SUBS", "$1", armHalfLast)
	p.op("BNE", "single")
}

// larger keeps the first of equal elements. The other maximum, which NaN stays in, would not: it puts -0 before 0.
func (p *neonPairMax) larger(x int) {
	p.three(neonFCMGT, halfTest, x, halfBest)
	p.op("VBIT", vector(halfTest), vector(x), vector(halfBest))
	p.three(neonCode{"FMAX", 0x4e20f400}, halfFound, halfFound, x)
}

// tellNaN writes whether there was any.
func (p *neonPairMax) tellNaN() {
	p.three(neonFCMEQ, halfTest, halfFound, halfFound)
	p.op("VMOV", fmt.Sprintf("V%d.D[0]", halfTest), armScratch)
	p.op("VMOV", fmt.Sprintf("V%d.D[1]", halfTest), armHalfRest)
	p.op("AND", armHalfRest, armScratch)
	p.op("MVN", armScratch, armScratch)
	p.op("MOVD", armScratch, field(pairMaxCall.at("nan")))
}
