package vec

import "unsafe"

const (
	// QuantRows is how many rows of a quantized weight Int8Sums takes at a time.
	QuantRows = 4
	// QuantBlock is how many bytes of a row it takes a multiple of, zeros behind those of x among them.
	QuantBlock = 64
	// QuantDigits is how many digits x has at most.
	QuantDigits = 3
	// QuantSteps bounds K: sums of more products would not fit an int32.
	QuantSteps = 1 << 16

	// fetchedAhead is how many calls before their own rows are prefetched: one comes too late for int8 and takes a tenth longer, none takes a third longer for int4.
	fetchedAhead = 2
)

// Int8Sums computes sums of products of rows of an int8 weight with x, whose numbers are given as one or three digits,
//
//	Y[i*Digits+d] = Σ X[d*RowX+l] · W[i*RowW+l]
//
// for up to QuantRows rows i of K elements, exactly. It reports whether there is assembly; where not, nothing has happened. Digits have zeros behind K up to a multiple of
// QuantBlock.
type Int8Sums struct {
	Rows, K, Digits int
	X               []int8
	RowX            int
	W               []int8
	RowW            int
	Total           [QuantDigits]int32 // Σ of each digit of X
	Y               *[QuantRows * QuantDigits]int32
}

// Run computes the sums.
func (s *Int8Sums) Run() bool {
	if current == NoAsm {
		return false
	}
	// These fail where an operand is too short.
	_ = s.X[(s.Digits-1)*s.RowX+(s.K+QuantBlock-1)/QuantBlock*QuantBlock-1]
	_ = s.W[(s.Rows-1)*s.RowW+s.K-1]
	c := quantCall{x: unsafe.Pointer(&s.X[0]), rowX: s.RowX, y: unsafe.Pointer(s.Y), blocks: s.K / QuantBlock, next: fetchedAhead * s.Rows * s.RowW}
	c.pointAt(unsafe.Pointer(&s.W[0]), s.RowW, s.Rows)
	if s.K%QuantBlock > 0 {
		s.runWithTail(c)
	} else {
		s.run(&c)
	}
	if HasVNNI() { // which multiplied with 128 more
		for i := range s.Rows * s.Digits {
			s.Y[i] -= 128 * s.Total[i%s.Digits]
		}
	}
	return true
}

// runWithTail fills up the last block of each row, in memory of its own: what c points to then would have to be on the heap, were c not a copy.
func (s *Int8Sums) runWithTail(c quantCall) {
	var tail [QuantRows * QuantBlock]int8
	rest := s.K % QuantBlock
	for i := range s.Rows {
		copy(tail[i*QuantBlock:][:rest], s.W[i*s.RowW+s.K-rest:])
	}
	c.tail = unsafe.Pointer(&tail)
	s.run(&c)
}

func (s *Int8Sums) run(c *quantCall) {
	if s.Digits == 1 {
		runInt8Sums1(unsafe.Pointer(c))
	} else {
		runInt8Sums3(unsafe.Pointer(c))
	}
}

// pointAt points at rows so many bytes apart; those that are not there are the last one, whose sums are computed again.
func (c *quantCall) pointAt(w unsafe.Pointer, bytes, rows int) {
	at := func(i int) unsafe.Pointer { return unsafe.Add(w, min(i, rows-1)*bytes) } // within the weight, as Run has checked
	c.w0, c.w1, c.w2, c.w3 = at(0), at(1), at(2), at(3)
}
