package kern

import (
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// Int8Linear is y = x·(w·scale)ᵀ + bias of a weight [N, K] of int8 with a scale for each row, all without gaps.
type Int8Linear struct {
	X     Fixed
	N     int
	W     []int8
	Scale []float32 // [N]
	Bias  []float32 // [N], nil for none
	Y     []float32 // [M, N]
}

const (
	quantCall   = 1 << 18 // bytes of a weight that one call of a loop in assembly reads at most, which Go cannot preempt
	quantTile   = 1 << 14 // those that several rows of x meet while the first cache level holds them
	streamedRow = 2048    // bytes of a row of int8 from which on one row after the other is read for a row of x
)

// quantRowsOf returns how many rows of so many bytes each meet each row of x before the next ones do.
func quantRowsOf(m, bytes int) int {
	most := quantTile
	if m == 1 {
		most = quantCall
	}
	return max(1, most/max(bytes, 1)/vec.QuantRows) * vec.QuantRows
}

// Run computes y: the exact sum of products of whole numbers, times the step of x's row and the scale of w's, rounded to float32, plus the bias.
func (p Int8Linear) Run() {
	if p.tiled() {
		p.runTiles(par.For)
		return
	}
	grain := quantGrain(p.X.M, p.X.K)
	if par.Inline(p.N, grain) {
		p.rows(0, p.N)
		return
	}
	par.For(p.N, grain, p.rows)
}

// quantGrain is how many rows of a weight are worth a thread: a call of a loop in assembly should have more of them than it computes side by side.
func quantGrain(m, k int) int { return max(4, grainOf(2*m*k*vec.QuantRows)) * vec.QuantRows }

// rows computes rows of the weight.
func (p Int8Linear) rows(lo, hi int) {
	k, tile := p.X.K, quantRowsOf(p.X.M, p.X.K)
	for j := lo; j < hi; j += tile {
		rows := min(tile, hi-j)
		for i := range p.X.M {
			s := p.X.int8Rows(i)
			s.Rows, s.W, s.Scale, s.Y, s.Stream = rows, p.W[j*k:], p.Scale[j:], p.Y[i*p.N+j:], p.X.M == 1 && k >= streamedRow
			if p.Bias != nil {
				s.Bias = p.Bias[j:]
			}
			if !s.Run() {
				addInt8(&s)
			}
		}
	}
}

// int8Rows is what products with row i have in common.
func (f *Fixed) int8Rows(i int) vec.Int8Rows {
	row := FixedRow(f.K)
	return vec.Int8Rows{K: f.K, Digits: f.Digits, X: f.X[i*f.Digits*row:][:f.Digits*row], RowX: row, Step: f.Step[i], Total: [vec.QuantDigits]int32(f.totals(i))}
}

// addInt8 is s.Run in Go.
func addInt8(s *vec.Int8Rows) {
	at := func(l int) int { return fixedPlace(s.K, l) }
	for i := range s.Rows {
		w := s.W[i*s.K:][:s.K]
		var sum int64
		for d := s.Digits - 1; d >= 0; d-- {
			digits := s.X[d*s.RowX:][:s.RowX]
			var of int64
			for l, v := range w[:s.K/vec.QuantBlock*vec.QuantBlock] {
				of += int64(digits[l]) * int64(v)
			}
			for l := s.K / vec.QuantBlock * vec.QuantBlock; l < s.K; l++ {
				of += int64(digits[at(l)]) * int64(w[l])
			}
			sum = sum<<8 + of
		}
		y := float32(float64(sum) * (s.Step * float64(s.Scale[i])))
		if s.Bias != nil {
			y += s.Bias[i]
		}
		s.Y[i] = y
	}
}
