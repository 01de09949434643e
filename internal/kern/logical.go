package kern

import (
	"encoding/binary"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Bitwise operations need not know where an element ends: they take eight bytes at a time, and vector loops more. A bool is a
// byte, 0 or 1, so that logic and comparisons of bools are bitwise operations too.

func or(x, y uint64) uint64     { return x | y }
func and(x, y uint64) uint64    { return x & y }
func xor(x, y uint64) uint64    { return x ^ y }
func same(x, y uint64) uint64   { return x ^ y ^ ones }
func below(x, y uint64) uint64  { return y & (x ^ y) }
func atMost(x, y uint64) uint64 { return x&(x^y) ^ ones }

// Or is dst[i] = a[i] or b[i]: the sum of bools, and the larger one.
func Or(dst, a, b []bool) { joinBytes(vec.Or, or, bytesOf(dst), bytesOf(a), bytesOf(b)) }

// And is dst[i] = a[i] and b[i]: the product of bools, and the smaller one.
func And(dst, a, b []bool) { joinBytes(vec.And, and, bytesOf(dst), bytesOf(a), bytesOf(b)) }

// Xor is dst[i] = whether a[i] and b[i] differ.
func Xor(dst, a, b []bool) { joinBytes(vec.Xor, xor, bytesOf(dst), bytesOf(a), bytesOf(b)) }

// Not is dst[i] = the opposite of a[i].
func Not(dst, a []bool) { flipBytes(bytesOf(dst), bytesOf(a), 1) }

// EqBool is dst[i] = a[i] == b[i].
func EqBool(dst, a, b []bool) { joinBytes(vec.Same, same, bytesOf(dst), bytesOf(a), bytesOf(b), ones) }

// LtBool is dst[i] = a[i] < b[i], where false is less than true.
func LtBool(dst, a, b []bool) { joinBytes(vec.Below, below, bytesOf(dst), bytesOf(a), bytesOf(b)) }

// LeBool is dst[i] = a[i] ≤ b[i].
func LeBool(dst, a, b []bool) {
	joinBytes(vec.AtMost, atMost, bytesOf(dst), bytesOf(a), bytesOf(b), ones)
}

// GtBool is dst[i] = a[i] > b[i].
func GtBool(dst, a, b []bool) { LtBool(dst, b, a) }

// GeBool is dst[i] = a[i] ≥ b[i].
func GeBool(dst, a, b []bool) { LeBool(dst, b, a) }

// BitwiseOr is dst[i] = a[i] | b[i].
func BitwiseOr[T dtype.Integer](dst, a, b []T) {
	joinBytes(vec.Or, or, bytesOf(dst), bytesOf(a), bytesOf(b))
}

// BitwiseAnd is dst[i] = a[i] & b[i].
func BitwiseAnd[T dtype.Integer](dst, a, b []T) {
	joinBytes(vec.And, and, bytesOf(dst), bytesOf(a), bytesOf(b))
}

// BitwiseXor is dst[i] = a[i] ^ b[i].
func BitwiseXor[T dtype.Integer](dst, a, b []T) {
	joinBytes(vec.Xor, xor, bytesOf(dst), bytesOf(a), bytesOf(b))
}

// BitwiseNot is dst[i] = ^a[i].
func BitwiseNot[T dtype.Integer](dst, a []T) { flipBytes(bytesOf(dst), bytesOf(a), 0xff) }

// bytesOf is the memory of s.
func bytesOf[T dtype.Element](s []T) []byte {
	// The bytes are those of the elements, which hold no pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

const (
	word = 8                  // bytes
	ones = 0x0101010101010101 // in each byte
)

// wordsOf is memory as whole words, wherever it begins, for vector loops alone: Go reads words on all machines only where
// they are aligned.
func wordsOf(b []byte) []int64 {
	if len(b) < word {
		return nil // a pointer to a word would lead out of the memory
	}
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/word)
}

// joinBytes is dst = join(a, b), eight bytes at a time, of which none depends on another. The vector loop l takes the scalars.
func joinBytes(l vec.Loop, join func(x, y uint64) uint64, dst, a, b []byte, scalars ...int64) {
	a, b = a[:len(dst)], b[:len(dst)]
	done := word * vec.Binary(l, wordsOf(dst), wordsOf(a), wordsOf(b), scalars...)
	dst, a, b = dst[done:], a[done:], b[done:]
	for ; len(dst) >= word; dst, a, b = dst[word:], a[word:], b[word:] {
		binary.NativeEndian.PutUint64(dst, join(binary.NativeEndian.Uint64(a), binary.NativeEndian.Uint64(b)))
	}
	for i := range dst {
		dst[i] = byte(join(uint64(a[i]), uint64(b[i])))
	}
}

// flipBytes inverts the same bits of every byte.
func flipBytes(dst, a []byte, bits byte) {
	all := uint64(bits) * ones
	done := word * vec.Unary(vec.Flip, wordsOf(dst), wordsOf(a[:len(dst)]), int64(all))
	dst, a = dst[done:], a[done:len(dst)]
	for ; len(dst) >= word && len(a) >= word; dst, a = dst[word:], a[word:] {
		binary.NativeEndian.PutUint64(dst, binary.NativeEndian.Uint64(a)^all)
	}
	for i := range dst {
		dst[i] = a[i] ^ bits
	}
}
