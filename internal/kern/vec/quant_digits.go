package vec

import "unsafe"

// SplitDigits writes whole blocks of QuantBlock numbers x·factor, rounded to the nearest whole numbers, as one or three digits of a byte, each rowY elements behind
// the one before, the lowest first, and returns how many it has written and the sums of their digits. It writes none where there is no assembly.
func SplitDigits(dst []int8, rowY, digits int, x []float32, factor float32) (n int, total [QuantDigits]int32) {
	blocks := min(len(x), most) / QuantBlock
	if current != AVX512 || blocks == 0 {
		return 0, total
	}
	n = blocks * QuantBlock
	_ = dst[(digits-1)*rowY+n-1] // fails where it is too short
	c := digitsCall{x: pointer(x, 0), y: unsafe.Pointer(&dst[0]), factor: unsafe.Pointer(&factor), totals: unsafe.Pointer(&total), rowY: rowY, blocks: blocks}
	if digits == 1 {
		runDigits1(unsafe.Pointer(&c))
	} else {
		runDigits3(unsafe.Pointer(&c))
	}
	return n, digitTotals(total, digits)
}

// digitTotals returns sums of digits, of the sums of what was left before each.
func digitTotals(left [QuantDigits]int32, digits int) (total [QuantDigits]int32) {
	for d := range digits {
		total[d] = left[d]
		if d < digits-1 {
			total[d] -= left[d+1] << 8
		}
	}
	return total
}

// Int4Block is how many numbers a block of Int4Dots has.
const Int4Block = 128

// SplitDigitPairs is SplitDigits for Int4Dots: blocks of Int4Block numbers, of each the lowest digits of the 64 even and then of the odd numbers, the next digits and the
// highest.
func SplitDigitPairs(dst []int8, x []float32, factor float32) (n int) {
	blocks := min(len(x), most) / Int4Block
	if current != AVX512 || blocks == 0 {
		return 0
	}
	n = blocks * Int4Block
	_ = dst[QuantDigits*n-1] // fails where it is too short
	var total [QuantDigits]int32
	c := digitsCall{x: pointer(x, 0), y: unsafe.Pointer(&dst[0]), factor: unsafe.Pointer(&factor), totals: unsafe.Pointer(&total), rowY: Int4Block, blocks: blocks}
	runDigitPairs(unsafe.Pointer(&c))
	return n
}
