package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// A neonSums is a micro-kernel for a B that lies in columns, as dot is for the other machines. R1 and those that follow
// point to the rows of A, then to the columns of B; each moves on by itself.
type neonSums struct {
	armFunc
	rows, cols int
}

const (
	armVectors = "R15" // whole vectors that are left
	armRest    = "R16" // numbers that are left after them
)

func neonDot(f *asm.File, rows, cols int, e elem) {
	doc := fmt.Sprintf("c[i][j] = from[i][j] + Σ a[i][l] · b[j][l] for %d rows i and up to %d columns j", rows, cols)
	d := neonSums{newArmFunc(f, dotName(rows, cols), e, doc), rows, cols}
	d.fn.Label("tile")
	d.point()
	for n := range rows * cols {
		d.zero(n)
	}
	d.op("CBZ", armVectors, "rest")
	d.op("PCALIGN", "$16")
	d.fn.Label("loop")
	d.step("FMOVQ", neonBytes)
	d.op("SUBS", "$1", armVectors)
	d.op("BNE", "loop")
	d.fn.Label("rest")
	d.op("CBZ", armRest, "sums")
	d.fn.Label("single")
	d.step(d.move(), d.size)
	d.op("SUBS", "$1", armRest)
	d.op("BNE", "single")
	d.fn.Label("sums")
	d.finish()
	d.nextTile("done")
}

// point sets the registers. Columns that are not there are those of column 0: their sums are dropped.
func (d *neonSums) point() {
	d.field(tileCall.at("k"), armRest)
	d.op("LSR", map[int]string{4: "$2", 8: "$1"}[d.size], armRest, armVectors)
	d.op("AND", fmt.Sprintf("$%d", d.lanes()-1), armRest)
	d.field(tileCall.at("a"), d.row(0))
	d.field(tileCall.at("rowA"), armScratch)
	for i := 1; i < d.rows; i++ {
		d.op("ADD", armScratch, d.row(i-1), d.row(i))
	}
	d.field(tileCall.at("b"), d.col(0))
	d.field(tileCall.at("rowB"), armScratch)
	for j := 1; j < d.cols; j++ {
		d.op("ADD", armScratch, d.col(j-1), d.col(j))
	}
	d.field(tileCall.at("cols"), armScratch)
	for j := 1; j < d.cols; j++ {
		d.op("CMP", fmt.Sprintf("$%d", j), armScratch)
		d.op("CSEL", "GT", d.col(j), d.col(0), d.col(j))
	}
}

func (d *neonSums) row(i int) string { return reg(1 + i) }

func (d *neonSums) col(j int) string { return reg(1 + d.rows + j) }

// step adds the products of one vector, or one number, of each row and column.
func (d *neonSums) step(move string, bytes int) {
	sums := d.rows * d.cols
	from := func(register string) string { return fmt.Sprintf("%d(%s)", bytes, register) }
	for i := range d.rows {
		d.op(move+".P", from(d.row(i)), float(sums+i))
	}
	for j := range d.cols {
		b := 31 - j%4
		d.op(move+".P", from(d.col(j)), float(b))
		for i := range d.rows {
			d.three(neonFMLA, i*d.cols+j, sums+i, b)
		}
	}
}

// finish adds the elements of each sum, four columns at a time, and stores them.
func (d *neonSums) finish() {
	d.field(tileCall.at("c"), armC)
	d.field(tileCall.at("rowC"), armRowC)
	d.field(tileCall.at("from"), armFrom)
	d.field(tileCall.at("rowFrom"), armRowFrom)
	for i := range d.rows {
		d.field(tileCall.at("cols"), armLast)
		d.op("MOVD", armC, reg(1))
		d.op("MOVD", armFrom, reg(2))
		for j := 0; j < d.cols; j += d.lanes() {
			d.add(i*d.cols + j)
			d.store(i*d.cols+j, i, j)
		}
		d.fn.Label(fmt.Sprintf("row%d", i+1))
		if i < d.rows-1 {
			d.op("ADD", armRowC, armC)
			d.op("ADD", armRowFrom, armFrom)
		}
	}
}

// add adds up as many sums as a vector has lanes, from the nth on, into the first one.
func (d *neonSums) add(n int) {
	d.three(neonFADDP, n, n, n+1)
	if d.size == 4 {
		d.three(neonFADDP, n+2, n+2, n+3)
		d.three(neonFADDP, n, n, n+2)
	}
}

// store stores columns from j on, a vector or those that are there, after it has added what C starts from.
func (d *neonSums) store(n, i, j int) {
	label := func(what string) string { return fmt.Sprintf("%s%dx%d", what, i, j) }
	const from, value, c, f = 30, 29, "R1", "R2"
	d.op("CMP", fmt.Sprintf("$%d", d.lanes()), armLast)
	d.op("BLT", label("part"))
	d.op("CBZ", armFrom, label("whole"))
	d.op("FMOVQ.P", fmt.Sprintf("%d(%s)", neonBytes, f), float(from))
	d.three(neonFADD, n, n, from)
	d.fn.Label(label("whole"))
	d.op("FMOVQ.P", float(n), fmt.Sprintf("%d(%s)", neonBytes, c))
	d.op("SUB", fmt.Sprintf("$%d", d.lanes()), armLast)
	d.op("B", label("next"))
	d.fn.Label(label("part"))
	d.op("CBZ", armLast, fmt.Sprintf("row%d", i+1))
	d.op(d.move(), float(n), float(value))
	d.op("CBZ", armFrom, label("bare"))
	d.op(d.move()+".P", fmt.Sprintf("%d(%s)", d.size, f), float(from))
	d.op(map[int]string{4: "FADDS", 8: "FADDD"}[d.size], float(from), float(value))
	d.fn.Label(label("bare"))
	d.op(d.move()+".P", float(value), fmt.Sprintf("%d(%s)", d.size, c))
	d.op("VEXT", fmt.Sprintf("$%d", d.size), vector(n), vector(n), vector(n))
	d.op("SUB", "$1", armLast)
	d.op("B", label("part"))
	d.fn.Label(label("next"))
}
