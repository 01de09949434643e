package kern

import (
	"math"

	"cresset/internal/kern/vec"
	"cresset/internal/mem"
)

// Fixed is rows of activations as whole numbers of a step that each row has, in digits of a byte: the form in which they meet quantized weights, so that sums of
// products are exact, in any order and on every machine.
//
// With three digits a row's step is 2**(e-22), where 2**e is the power of two above its largest magnitude: a number is off by at most 2**-22 of that. With one
// digit, the step is the 127th part of it, which is dynamic quantization to int8. Halfway cases go to the even number. A row with a number that is not finite has the
// step NaN, and digits of 0.
type Fixed struct {
	M, K, Digits int
	X            []int8    // [M, Digits, FixedRow(K)]
	Step         []float64 // [M]
	Total        []int32   // [M, QuantDigits]: sums of digits
}

// FixedRows is how many rows a weight is read for at once.
const FixedRows = 64

// FixedBytes returns how much memory m rows of k numbers take.
func FixedBytes(m, k, digits int) int { return m * (digits*FixedRow(k) + 8 + 4*vec.QuantDigits) }

// NewFixed returns room for m rows in memory for FixedBytes.
func NewFixed(m, k, digits int, memory *mem.Block) Fixed {
	n := m * digits * FixedRow(k) // whole cache lines
	return Fixed{M: m, K: k, Digits: digits, X: mem.Slice[int8](memory)[:n], Step: mem.Slice[float64](memory)[n/8:][:m], Total: mem.Slice[int32](memory)[n/4+2*m:][:m*vec.QuantDigits]}
}

// FixedRow returns how many digits of one place a row of k numbers has: whole blocks, of which the last, where k does not fill it, has zeros before its digits, so that they meet
// the last bytes of a row of a weight.
func FixedRow(k int) int { return ceilDiv(k, vec.QuantBlock) * vec.QuantBlock }

// fixedPlace returns where the digits of number l of k lie.
func fixedPlace(k, l int) int {
	if l >= k/vec.QuantBlock*vec.QuantBlock {
		return l + FixedRow(k) - k
	}
	return l
}

// leastExponent bounds the step from below, so that its reciprocal is a float32.
const leastExponent = -100

// Set writes row i.
func (f *Fixed) Set(i int, x []float32) {
	row := FixedRow(f.K)
	digits := f.X[i*f.Digits*row:][:f.Digits*row]
	largest := magnitude(x)
	if !isFinite(float64(largest)) {
		clear(digits)
		f.Step[i] = math.NaN()
		clear(f.totals(i))
		return
	}
	factor, step := fixedStep(largest)
	if f.Digits == 1 {
		largest = max(largest, 0x1p-100)
		factor, step = 127/largest, float64(largest/127)
	}
	f.Step[i] = step
	for d := range f.Digits {
		clear(digits[d*row+len(x)/vec.QuantBlock*vec.QuantBlock : (d+1)*row])
	}
	total := splitDigits(digits, row, f.Digits, x, factor)
	copy(f.totals(i), total[:])
}

// totals are those of row i.
func (f *Fixed) totals(i int) []int32 { return f.Total[i*vec.QuantDigits:][:vec.QuantDigits] }

// fixedStep returns the step of numbers with three digits, and its reciprocal.
func fixedStep(largest float32) (factor float32, step float64) {
	_, e := math.Frexp(float64(largest))
	e = max(e, leastExponent)
	return float32(math.Ldexp(1, 22-e)), math.Ldexp(1, e-22)
}

// magnitude returns the largest |x|, NaN where one is.
func magnitude(x []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	var most, least [1]float32
	if len(x) > piece || !vec.Rows(vec.Largest, len(x), nil, most[:], x) || !vec.Rows(vec.Smallest, len(x), nil, least[:], x) {
		for _, v := range x {
			most[0], least[0] = max(most[0], v), min(least[0], v)
		}
	}
	return max(most[0], -least[0])
}

// splitDigits writes the digits of x·factor, rounded, the lowest first, and returns their sums. Digits are from -128 to 127.
func splitDigits(dst []int8, row, digits int, x []float32, factor float32) (total [vec.QuantDigits]int32) {
	done, total := vec.SplitDigits(dst, row, digits, x, factor)
	for l := done; l < len(x); l++ {
		n, at := int32(math.RoundToEven(float64(x[l]*factor))), fixedPlace(len(x), l)
		for d := range digits {
			digit := int8(n)
			dst[d*row+at] = digit
			total[d] += int32(digit)
			n = (n - int32(digit)) >> 8
		}
	}
	return total
}
