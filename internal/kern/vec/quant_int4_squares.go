package vec

import "unsafe"

const (
	Int4Columns     = 4                          // rows of x that Int4Square takes
	Int4ColumnBlock = QuantDigits*Int4Block + 64 // bytes that belong to a block of one of them
)

// Int4Square is Int4Rows for Int4Columns rows of x at once, where HasVNNI, with the same bits: for rows of the weight in fours, of which First is a multiple, with
//
//	X    [blocks, Int4Columns, Int4ColumnBlock]: of a block of a row its digits, and its Eights times -1
//	Sums [groups/16 rounded up, Int4Columns, 16]
//	Steps of each row, four times
//
// and rows of Y that are RowY elements apart. Eights and Step are not read.
type Int4Square struct {
	Int4Rows
	Steps *[4 * Int4Columns]float64
	RowY  int
}

// Run computes the products.
func (s *Int4Square) Run() {
	if s.Rows == 0 {
		return
	}
	words, groups, blocks := s.K/8, s.K/s.Group, (s.K+Int4Block-1)/Int4Block
	// These fail where an operand is too short.
	_, _ = s.X[blocks*Int4Columns*Int4ColumnBlock-1], s.Sums[(groups+15)/16*16*Int4Columns-1]
	_, _, _ = s.W[s.Rows*words-1], s.Scale[s.Rows*groups-1], s.Y[(Int4Columns-1)*s.RowY+s.Rows-1]
	if s.Zero != nil {
		_ = s.Zero[((s.First+s.Rows-1)/8+1)*groups-1]
	}
	if s.Bias != nil {
		_ = s.Bias[s.Rows-1]
	}
	c := s.call(0, s.Rows/QuantRows, QuantRows, s.Y)
	c.step, c.rowY = unsafe.Pointer(s.Steps), 4*s.RowY
	switch s.Group {
	case 32:
		runInt4Squares32(unsafe.Pointer(&c))
	case 64:
		runInt4Squares64(unsafe.Pointer(&c))
	default:
		runInt4Squares128(unsafe.Pointer(&c))
	}
}
