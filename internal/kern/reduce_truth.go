package kern

import (
	"encoding/binary"
	"slices"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// AnyMiddle is dst[o][i] = whether an element of src[o][:][i] is not zero; NaN is not.
func AnyMiddle[T dtype.Number](dst []bool, src []T, outer, n, inner int) error {
	if inner < leastColumns {
		return Reduce(dst, src, outer, n, inner, AnyRow[T])
	}
	truthOfColumns(dst, src, outer, n, inner, false, Or)
	return nil
}

// AllMiddle is dst[o][i] = whether no element of src[o][:][i] is zero.
func AllMiddle[T dtype.Number](dst []bool, src []T, outer, n, inner int) error {
	if inner < leastColumns {
		return Reduce(dst, src, outer, n, inner, AllRow[T])
	}
	truthOfColumns(dst, src, outer, n, inner, true, And)
	return nil
}

// CountMiddle is dst[o][i] = how many elements of src[o][:][i] are not zero.
func CountMiddle[T dtype.Number](dst []int64, src []T, outer, n, inner int) error {
	if inner < leastColumns {
		return Reduce(dst, src, outer, n, inner, CountRow[T])
	}
	eachTruth(src, outer, n, inner, func(to, count int) { clear(dst[to:][:count]) }, func(to int, truth []bool) {
		addIntegers(dst[to:][:len(truth)], bytesOf(truth))
	})
	return nil
}

// truthOfColumns joins the truth of the elements of each column, starting from none.
func truthOfColumns[T dtype.Number](dst []bool, src []T, outer, n, inner int, none bool, join func(dst, a, b []bool)) {
	eachTruth(src, outer, n, inner, func(to, count int) {
		for i := range dst[to:][:count] {
			dst[to+i] = none
		}
	}, func(to int, truth []bool) { join(dst[to:][:len(truth)], dst[to:], truth) })
}

// eachTruth calls begin with where a strip of columns stands in [outer][inner] and how many they are, and take with the
// same place and which elements of a row of the strip are not zero, row after row.
func eachTruth[T dtype.Number](src []T, outer, n, inner int, begin func(to, count int), take func(to int, truth []bool)) {
	forStrips(outer, n, inner, func(from, to, count int) {
		var space [stripColumns]bool
		begin(to, count)
		for k := range n {
			truth := space[:count]
			truthOf(truth, src[from+k*inner:][:count])
			take(to, truth)
		}
	})
}

// truthOf is truth[i] = row[i] != 0.
func truthOf[T dtype.Number](truth []bool, row []T) {
	if x, ok := any(row).([]uint8); ok {
		truthOfBytes(bytesOf(truth), x)
		return
	}
	for i := vec.Unary(vec.ToBool, truth, row); i < len(row); i++ {
		truth[i] = row[i] != 0
	}
}

// truthOfBytes writes 1 for every byte that is not zero. Seven bits and 0x7f carry into the eighth unless all are zero.
func truthOfBytes(truth, x []byte) {
	const low = 0x7f * ones
	done := word * vec.Unary(vec.TruthOfBytes, wordsOf(truth), wordsOf(x[:len(truth)]), low, ones)
	x, truth = x[done:len(truth)], truth[done:]
	for ; len(x) >= word && len(truth) >= word; x, truth = x[word:], truth[word:] {
		binary.NativeEndian.PutUint64(truth, truthOfWord(binary.NativeEndian.Uint64(x)))
	}
	for i, v := range x {
		truth[i] = 0
		if v != 0 {
			truth[i] = 1
		}
	}
}

// truthOfWord has 1 for each byte that is not zero.
func truthOfWord(w uint64) uint64 {
	const low = 0x7f * ones
	return ((w&low + low) | w) >> 7 & ones
}

// AnyRow reports whether an element of a row is not zero; NaN is not.
func AnyRow[T dtype.Number](row []T) bool {
	if x, ok := any(row).([]uint8); ok {
		for ; len(x) >= word && binary.NativeEndian.Uint64(x) == 0; x = x[word:] {
		}
		row = any(x).([]T)
	}
	for _, v := range row {
		if v != 0 {
			return true
		}
	}
	return false
}

// AllRow reports whether no element of a row is zero.
func AllRow[T dtype.Number](row []T) bool {
	if x, ok := any(row).([]uint8); ok {
		for ; len(x) >= word && truthOfWord(binary.NativeEndian.Uint64(x)) == ones; x = x[word:] {
		}
		row = any(x).([]T)
	}
	return !slices.Contains(row, 0)
}

// CountRow returns how many elements of a row are not zero.
func CountRow[T dtype.Number](row []T) int64 {
	if len(row) <= piece {
		return countPiece(row)
	}
	return inPieces(len(row), func(lo, hi int) int64 { return countPiece(row[lo:hi]) }, plus)
}

func countPiece[T dtype.Number](row []T) (n int64) {
	var space [stripColumns]bool
	for len(row) > 0 {
		truth := space[:min(len(row), len(space))]
		truthOf(truth, row[:len(truth)])
		n += sumBytes(bytesOf(truth))
		row = row[len(truth):]
	}
	return n
}

// sumBytes returns the sum of bytes.
func sumBytes(x []byte) int64 {
	const whole = 64 // what the vector loop takes
	var vector [1]int64
	n := min(len(x), piece) &^ (whole - 1)
	if vec.RowsInto(vec.SumU8, n, vector[:], x[:n]) {
		x = x[n:]
	}
	return vector[0] + sumWords(x)
}

// sumWords adds bytes in words of four sums, which hold those of byteRun words, two bytes of each.
func sumWords(x []byte) (sum int64) {
	const even, lowerHalf, byteRun = 0x00ff00ff00ff00ff, 1<<32 - 1, 128
	for len(x) >= word {
		run := x[:min(len(x), byteRun*word)&^(word-1)]
		x = x[len(run):]
		var sums uint64
		for ; len(run) >= word; run = run[word:] {
			w := binary.NativeEndian.Uint64(run)
			sums += w&even + w>>8&even
		}
		sums = sums&0x0000ffff0000ffff + sums>>16&0x0000ffff0000ffff
		sum += int64(sums&lowerHalf + sums>>32)
	}
	for _, v := range x {
		sum += int64(v)
	}
	return sum
}
