package vec

import "unsafe"

// Int4Lanes is how many sums of neighbouring numbers Int4Dots makes side by side.
const Int4Lanes = 16

// Int4Dots computes dot products of rows of int4 in groups with x,
//
//	Y[i] = Σ Scale[i*groups+g] · Σ X[l] · (W[i,l] - zero[i,g])
//
// for up to QuantRows rows i of K elements l, in groups g of 32, 64 or 128, and reports whether there is assembly; where not, nothing has happened. A word of W has eight elements, the
// first in its lowest bits. A lane has the sum of eight elements less 8, which is exact, as a float32, and adds its product with the scale by one rounding. A zero point other than
// 8 subtracts, from lane g modulo 16, scale·(zero-8), rounded, times the group's sum of x. Lanes are added in pairs.
type Int4Dots struct {
	Rows, K, Group int
	X              []int8    // as SplitDigitPairs writes it, with zeros behind K
	Eights         []int32   // 8 times the sum of each 8 numbers of x
	Sums           []float32 // of x over each group, with zeros up to a multiple of 16
	W              []int32
	Scale          []float32
	Zero           []int32 // words with the zero points of all groups; nil where they are 8
	First          int     // the first row's place within those words, from 0 to 7
	Y              *[QuantRows]float32
}

// Run computes the products.
func (d *Int4Dots) Run() bool {
	if current == NoAsm {
		return false
	}
	words, groups, blocks := d.K/8, d.K/d.Group, (d.K+Int4Block-1)/Int4Block
	// These fail where an operand is too short.
	_, _, _ = d.X[blocks*Int4Block*QuantDigits-1], d.Eights[blocks*Int4Lanes-1], d.Sums[(groups+15)/16*16-1]
	_, _ = d.W[d.Rows*words-1], d.Scale[d.Rows*groups-1]
	if d.Zero != nil {
		_ = d.Zero[groups-1]
	}
	step := 1
	if HasVNNI() && d.Rows == QuantRows {
		step = QuantRows
	}
	for i := 0; i < d.Rows; i += step {
		d.run(i, step, words, groups)
	}
	return true
}

// run computes some rows from row i on.
func (d *Int4Dots) run(i, rows, words, groups int) {
	var y [QuantRows]float32
	w, scale := d.W[i*words:], d.Scale[i*groups:]
	c := int4Call{
		x: unsafe.Pointer(&d.X[0]), eights: unsafe.Pointer(&d.Eights[0]), y: unsafe.Pointer(&y), w: unsafe.Pointer(&w[0]), s: pointer(scale, 0),
		blocks: d.K / Int4Block, next: fetchedAhead * 4 * rows * words, sums: pointer(d.Sums, 0), shift: 4 * (d.First + i),
	}
	if rows > 1 {
		c.rowW, c.rowS, c.stepShift = 4*words, 4*groups, 4
	}
	if d.Zero != nil {
		c.z, c.groups = unsafe.Pointer(&d.Zero[0]), groups/16
	}
	if d.K%Int4Block > 0 || d.Zero != nil && groups%16 > 0 {
		d.runWithTails(c, w, scale, rows, words, groups)
	} else {
		d.launch(&c)
	}
	copy(d.Y[i:], y[:rows])
}

// runWithTails fills up the last block of each row and the last sixteen groups, in memory of its own: what c points to then would have to be on the heap, were c not a copy.
func (d *Int4Dots) runWithTails(c int4Call, w []int32, scale []float32, rows, words, groups int) {
	var tail [QuantRows * Int4Lanes]int32
	var tailS, lastS [QuantRows * 16]float32
	var lastZ [16]int32
	if rest := d.K % Int4Block; rest > 0 {
		for r := range rows {
			copy(tail[r*Int4Lanes:], w[(r+1)*words-rest/8:][:rest/8])
			copy(tailS[r*4:], scale[(r+1)*groups-rest/d.Group:][:rest/d.Group])
		}
		c.tail, c.tailS = unsafe.Pointer(&tail), pointer(tailS[:], 0)
	}
	if rest := groups % 16; rest > 0 && d.Zero != nil {
		for r := range rows {
			copy(lastS[r*16:], scale[(r+1)*groups-rest:][:rest])
		}
		copy(lastZ[:], d.Zero[groups-rest:groups])
		c.lastS, c.lastZ = pointer(lastS[:], 0), unsafe.Pointer(&lastZ)
	}
	d.launch(&c)
}

func (d *Int4Dots) launch(c *int4Call) {
	switch d.Group {
	case 32:
		runInt4Dots32(unsafe.Pointer(c))
	case 64:
		runInt4Dots64(unsafe.Pointer(c))
	default:
		runInt4Dots128(unsafe.Pointer(c))
	}
}
