package tile

import "fmt"

// Products, dot products and packing read rows of A by a register for each, or on amd64 by few registers and scales.

var (
	// rowsOfA are amd64's registers that point to rows 0, 5, 10 and 15; R10 holds the distance of rows, R11 three times that.
	rowsOfA = []string{"SI", "R8", "R9", "AX"}
	// ofFive are what follows such a register for each of five rows.
	ofFive = []string{"", "(R10*1)", "(R10*2)", "(R11*1)", "(R10*4)"}
	// armRows are arm64's, one for each row; SI holds how far all of them have moved.
	armRows = []string{"row0", "row1", "row2", "row3", "row4", "row5", "row6", "row7"}
)

// pointAtRows sets the registers by which rowOfA reaches so many rows.
func (w *writer) pointAtRows(rows int) {
	if w.arm {
		w.arg("a", armRows[0])
		w.spread("rowA", armRows[:rows])
		w.clear("SI")
		return
	}
	w.arg("a", "SI")
	w.arg("rowA", "R10")
	w.indexed("R10", "R10", 2, "R11")
	for g := 1; g*5 < rows; g++ {
		w.indexed(rowsOfA[g-1], "R10", 4, rowsOfA[g])
		w.add("R10", rowsOfA[g])
	}
}

// rowOfA is the operand that points at row i.
func (w *writer) rowOfA(i int) string {
	if w.arm {
		return fmt.Sprintf("(%s)(%s)", armNames[armRows[i]], armNames["SI"])
	}
	return "(" + rowsOfA[i/5] + ")" + ofFive[i%5]
}

// nextOfA moves all rows by one step of k, which R12 holds.
func (w *writer) nextOfA(rows int) {
	if w.arm {
		rows = 1 // all have the same offset
	}
	w.moveRows(rows, "R12")
}

// moveRows moves so many rows.
func (w *writer) moveRows(rows int, bytes string) {
	for g := 0; g*5 < rows; g++ {
		w.add(bytes, rowsOfA[g])
	}
}

// spread points registers at rows, from the one on that the first points at, by a field with the distance of rows.
func (w *writer) spread(distance string, registers []string) {
	if len(registers) == 1 {
		return
	}
	w.arg(distance, "R15")
	for n, r := range registers[1:] {
		w.indexed(registers[n], "R15", 1, r)
	}
}

// limitRows makes rows beyond the number that cols has those of the first register, where they can be read.
func (w *writer) limitRows(registers []string) {
	w.arg("cols", "AX")
	for n, r := range registers[1:] {
		w.compare("AX", fmt.Sprintf("$%d", n+1))
		w.moveIf("LE", registers[0], r)
	}
}

// moved are the fields that point to operands, each after the field with its distance from a tile to the next.
var moved = [][2]string{{"stepA", "a"}, {"stepB", "b"}, {"stepC", "c"}, {"stepFrom", "from"}, {"stepNext", "next"}}

// nextTile goes on to the next tile, or returns.
func (w *writer) nextTile(done string) {
	w.countDown("tiles")
	w.jump("LE", done)
	for _, f := range moved {
		w.arg(f[0], "AX")
		w.addToArg("AX", f[1])
	}
	w.goTo("tile")
	w.label(done)
	w.end()
}
