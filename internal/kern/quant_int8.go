package kern

import (
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// Int8Linear is y = x·(w·scale)ᵀ + bias of a weight [N, K] of int8 with a scale for each row, all without gaps.
type Int8Linear struct {
	X     *Fixed
	N     int
	W     []int8
	Scale []float32 // [N]
	Bias  []float32 // [N], nil for none
	Y     []float32 // [M, N]
}

// Run computes y: the exact sum of products of whole numbers, times the step of x's row and the scale of w's, rounded to float32, plus the bias.
func (p *Int8Linear) Run() {
	k := p.X.K
	par.For(ceilDiv(p.N, vec.QuantRows), grainOf(2*p.X.M*k*vec.QuantRows), func(lo, hi int) {
		s := vec.Int8Sums{Y: new([vec.QuantRows * vec.QuantDigits]int32)}
		for j := lo * vec.QuantRows; j < min(hi*vec.QuantRows, p.N); j += vec.QuantRows {
			rows := min(vec.QuantRows, p.N-j)
			for i := range p.X.M {
				sums := p.X.int8Sums(&s, i, p.W[j*k:], rows)
				for r := range rows {
					y := float32(float64(sums[r]) * (p.X.Step[i] * float64(p.Scale[j+r])))
					if p.Bias != nil {
						y += p.Bias[j+r]
					}
					p.Y[i*p.N+j+r] = y
				}
			}
		}
	})
}

// int8Sums returns the sums of products of row i and of up to vec.QuantRows rows of a weight, by s, which has room for them.
func (f *Fixed) int8Sums(s *vec.Int8Sums, i int, w []int8, rows int) (sums [vec.QuantRows]int64) {
	row := FixedRow(f.K)
	s.Rows, s.Digits, s.RowX, s.RowW, s.Total = rows, f.Digits, row, f.K, f.Total[i]
	for k := 0; k < f.K; k += vec.QuantSteps {
		s.K, s.X, s.W = min(vec.QuantSteps, f.K-k), f.X[i*f.Digits*row+k:], w[k:]
		if f.K > vec.QuantSteps {
			s.Total = f.totals(i, k, s.K)
		}
		if !s.Run() {
			addInt8(s)
		}
		for r := range rows {
			sums[r] += number(s.Y[r*f.Digits:][:f.Digits])
		}
	}
	return sums
}

// totals returns the sums of digits of a part of row i.
func (f *Fixed) totals(i, from, n int) (total [vec.QuantDigits]int32) {
	row := FixedRow(f.K)
	for d := range f.Digits {
		for _, digit := range f.X[(i*f.Digits+d)*row+from:][:n] {
			total[d] += int32(digit)
		}
	}
	return total
}

// addInt8 is s.Run in Go.
func addInt8(s *vec.Int8Sums) {
	for i := range s.Rows {
		w := s.W[i*s.RowW:][:s.K]
		for d := range s.Digits {
			var sum int32
			for l, digit := range s.X[d*s.RowX:][:len(w)] {
				sum += int32(digit) * int32(w[l])
			}
			s.Y[i*s.Digits+d] = sum
		}
	}
}
