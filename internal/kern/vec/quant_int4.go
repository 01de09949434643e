package vec

import "unsafe"

// Int4Lanes is how many sums of neighbouring numbers Int4Rows makes side by side.
const Int4Lanes = 16

// Int4Rows computes products of rows of int4 in groups with x,
//
//	Y[i] = Step · Σ Scale[i*groups+g] · Σ X[l] · (W[i,l] - zero[i,g]) + Bias[i]
//
// for K elements l, in groups g of 32, 64 or 128, and reports whether there is assembly; where not, nothing has happened. A word of W has eight elements, the
// first in its lowest bits. A lane has the sum of eight elements less 8, which is exact, as a float32, and adds its product with the scale by one rounding. A zero point other than
// 8 subtracts, from lane g modulo 16, scale·(zero-8), rounded, times the group's sum of x. Lanes are added in pairs; their sum times Step is rounded once from float64.
type Int4Rows struct {
	Rows, K, Group int
	X              []int8    // as SplitDigitPairs writes it, with zeros behind K
	Eights         []int32   // 8 times the sum of each 8 numbers of x
	Sums           []float32 // of x over each group, with zeros up to a multiple of 16
	Step           float64
	W              []int32
	Scale          []float32
	Zero           []int32   // words with the zero points of eight rows, for all groups; nil where they are 8
	First          int       // the first row's place within those words, from 0 to 7
	Bias, Y        []float32 // no bias where it is nil
}

// Run computes the products.
func (d *Int4Rows) Run() bool {
	if current == NoAsm {
		return false
	}
	if d.Rows == 0 {
		return true
	}
	words, groups, blocks := d.K/8, d.K/d.Group, (d.K+Int4Block-1)/Int4Block
	// These fail where an operand is too short.
	_, _, _ = d.X[blocks*Int4Block*QuantDigits-1], d.Eights[blocks*Int4Lanes-1], d.Sums[(groups+15)/16*16-1]
	_, _, _ = d.W[d.Rows*words-1], d.Scale[d.Rows*groups-1], d.Y[d.Rows-1]
	if d.Zero != nil {
		_ = d.Zero[((d.First+d.Rows-1)/8+1)*groups-1]
	}
	if d.Bias != nil {
		_ = d.Bias[d.Rows-1]
	}
	if !HasVNNI() {
		d.run(0, d.Rows, 1, d.Y)
		return true
	}
	fours := 0
	if d.First%QuantRows == 0 {
		fours = d.Rows / QuantRows
		d.run(0, fours, QuantRows, d.Y)
	}
	for i := fours * QuantRows; i < d.Rows; i++ {
		d.runAlone(i)
	}
	return true
}

// runAlone computes row i four times.
func (d *Int4Rows) runAlone(i int) {
	var y [QuantRows]float32
	d.run(i, 1, 0, y[:])
	d.Y[i] = y[0]
	if d.Bias != nil {
		d.Y[i] += d.Bias[i]
	}
}

// run computes rows from row i on, so many times: one, four, or with 0 side by side the same row four times, without the bias.
func (d *Int4Rows) run(i, times, rows int, y []float32) {
	if times == 0 {
		return
	}
	var lastS [16]float32
	var lastZ [16]int32
	c := d.call(i, times, rows, y)
	if !HasVNNI() {
		c.lastS, c.lastZ = unsafe.Pointer(&lastS), unsafe.Pointer(&lastZ)
	}
	switch d.Group {
	case 32:
		runInt4Rows32(unsafe.Pointer(&c))
	case 64:
		runInt4Rows64(unsafe.Pointer(&c))
	default:
		runInt4Rows128(unsafe.Pointer(&c))
	}
}

func (d *Int4Rows) call(i, times, rows int, y []float32) int4Call {
	words, groups := d.K/8, d.K/d.Group
	at := d.First + i
	c := int4Call{
		x: unsafe.Pointer(&d.X[0]), eights: pointer(d.Eights, 0), step: unsafe.Pointer(&d.Step), sums: pointer(d.Sums, 0), w: pointer(d.W, i*words), s: pointer(d.Scale, i*groups),
		y: pointer(y, 0), stepW: 4 * rows * words, stepS: 4 * rows * groups, times: times, blocks: d.K / Int4Block, ahead: fetchedAhead * 4 * rows * words,
	}
	if rows == QuantRows {
		c.rowW, c.rowS, c.stepShift = 4*words, 4*groups, 4
	}
	if d.Bias != nil && rows > 0 {
		c.bias = pointer(d.Bias, i)
	}
	if d.Zero != nil {
		c.z, c.groups, c.shift, c.timeShift, c.rowZ = pointer(d.Zero, at/8*groups), groups/16, 4*(at%8), 4*rows, 4*groups
		c.restG = groups % 16
	}
	c.rest = d.K % Int4Block
	if HasVNNI() { // which has masks
		c.rest, c.restS, c.restG = 1<<(c.rest/8)-1, 1<<(c.rest/d.Group)-1, 1<<c.restG-1
	}
	return c
}

// AddEights writes to each element of y 8 times the sum of the 8 numbers that meet one word of a weight, of digits as SplitDigitPairs writes them, and reports whether there is assembly.
func AddEights(y []int32, x []int8) bool {
	if current == NoAsm || len(y) == 0 {
		return false
	}
	_ = x[len(y)*8*QuantDigits-1] // fails where it is too short
	c := eightsCall{x: unsafe.Pointer(&x[0]), y: unsafe.Pointer(&y[0]), blocks: len(y) / Int4Lanes}
	runEights(unsafe.Pointer(&c))
	return true
}
