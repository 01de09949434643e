package vec

import "unsafe"

const (
	// QuantRows is how many rows of a quantized weight are computed at a time.
	QuantRows = 4
	// QuantBlock is how many bytes of a row Int8Rows takes at a time.
	QuantBlock = 64
	// QuantDigits is how many digits x has at most.
	QuantDigits = 3
	// QuantSteps bounds K: sums of more products would not fit an int32.
	QuantSteps = 1 << 16

	fetchedAhead  = 2       // how many fours of rows before their own rows are prefetched that are computed side by side: one comes too late for int8 and takes a tenth longer
	streamedAhead = 8 << 10 // how many bytes ahead of them are prefetched where one row is read after the other: half and twice of that take up to a tenth longer
)

// Int8Rows computes products of rows of an int8 weight with x, whose numbers are given as one or three digits of a step,
//
//	Y[i] = (Σ X[d*RowX+l] · 256**d · W[i*K+l]) · (Step · Scale[i]) + Bias[i]
//
// for K elements l and digits d: a sum that is exact, times a float64, rounded to float32, before the bias is added. It reports whether there is assembly; where not, nothing has
// happened. Digits are in whole blocks of QuantBlock, of which the last, where K does not fill it, has zeros before them.
type Int8Rows struct {
	Rows, K, Digits int
	X               []int8
	RowX            int
	Step            float64
	Total           [QuantDigits]int32 // Σ of each digit of X
	W               []int8
	Scale, Bias, Y  []float32 // no bias where it is nil
	Stream          bool      // read a row after the other, as is fastest from memory; else four side by side
}

// Run computes the products.
func (s *Int8Rows) Run() bool {
	if current == NoAsm || s.K == 0 || s.K > QuantSteps {
		return false
	}
	if s.Rows == 0 {
		return true
	}
	// These fail where an operand is too short.
	blocks := (s.K + QuantBlock - 1) / QuantBlock
	_, _, _, _ = s.X[(s.Digits-1)*s.RowX+blocks*QuantBlock-1], s.W[s.Rows*s.K-1], s.Scale[s.Rows-1], s.Y[s.Rows-1]
	c := quantCall{x: unsafe.Pointer(&s.X[0]), step: unsafe.Pointer(&s.Step), rowX: s.RowX, blocks: s.K / QuantBlock, ahead: fetchedAhead * QuantRows * s.K}
	if s.Stream || HasAVXVNNI() {
		c.ahead = streamedAhead
	}
	var totals [QuantDigits]int32
	for d, total := range s.Total {
		totals[d] = 128 * total
	}
	c.totals = unsafe.Pointer(&totals)
	if s.K%QuantBlock > 0 {
		c.tail = s.K%QuantBlock - QuantBlock
	}
	done := 0
	if fours := s.Rows / QuantRows; fours > 0 && s.K >= QuantBlock {
		if s.Bias != nil {
			_ = s.Bias[s.Rows-1]
			c.bias = unsafe.Pointer(&s.Bias[0])
		}
		c.w, c.scale, c.y = unsafe.Pointer(&s.W[0]), unsafe.Pointer(&s.Scale[0]), unsafe.Pointer(&s.Y[0])
		c.rowW, c.stepW, c.fours = s.K, QuantRows*s.K, fours
		if s.Stream && HasVNNI() {
			s.stream(&c)
		} else {
			s.run(&c)
		}
		done = fours * QuantRows
	}
	for ; done < s.Rows; done++ {
		s.runAlone(c, done)
	}
	return true
}

// runAlone computes row i four times, with what belongs to it copied: it is one of the last rows, which are not four, or shorter than a block.
func (s *Int8Rows) runAlone(c quantCall, i int) {
	var block [QuantBlock]int8
	var scale, bias, y [QuantRows]float32
	scale = [QuantRows]float32{s.Scale[i], s.Scale[i], s.Scale[i], s.Scale[i]}
	c.w, c.scale, c.y, c.bias = unsafe.Pointer(&s.W[i*s.K]), unsafe.Pointer(&scale), unsafe.Pointer(&y), nil
	c.rowW, c.stepW, c.fours = 0, 0, 1
	if s.Bias != nil {
		bias = [QuantRows]float32{s.Bias[i], s.Bias[i], s.Bias[i], s.Bias[i]}
		c.bias = unsafe.Pointer(&bias)
	}
	if s.K < QuantBlock {
		copy(block[QuantBlock-s.K:], s.W[i*s.K:][:s.K])
		c.w, c.blocks, c.tail = unsafe.Pointer(&block), 1, 0
	}
	s.run(&c)
	s.Y[i] = y[0]
}

func (s *Int8Rows) run(c *quantCall) {
	if s.Digits == 1 {
		runInt8Rows1(unsafe.Pointer(c))
	} else {
		runInt8Rows3(unsafe.Pointer(c))
	}
}

func (s *Int8Rows) stream(c *quantCall) {
	if s.Digits == 1 {
		runInt8Streams1(unsafe.Pointer(c))
	} else {
		runInt8Streams3(unsafe.Pointer(c))
	}
}
