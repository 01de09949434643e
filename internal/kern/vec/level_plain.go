//go:build noasm || !amd64

package vec

import "unsafe"

// What only amd64 has: products of pairs of bfloat16, and loops with non-temporal stores.

// HasHalves reports whether HalfTile runs.
func HasHalves() bool { return false }

// HasPairs reports whether PairTile runs.
func HasPairs() bool { return false }

// HasVNNI reports whether Int8Rows and Int4Rows multiply vectors of 64 bytes by VPDPBUSD.
func HasVNNI() bool { return false }

// HasByteTiles reports whether ByteTile runs.
func HasByteTiles() bool { return false }

// HasHalfArithmetic reports whether loops over float16 compute with it.
func HasHalfArithmetic() bool { return false }

func hasSlowPairs() bool { return false }

func slowNonTemporal() bool { return false }

func stream(Loop, int, unsafe.Pointer, [operands]unsafe.Pointer) bool { return false }

func streamRows(RowLoop, int, int, unsafe.Pointer, unsafe.Pointer, [operands]unsafe.Pointer) bool {
	return false
}
