package kern

import (
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// Operations on bits need not know where an element ends: their vector loops take words of eight bytes. A bool is a byte, 0 or 1.

// Or is dst[i] = a[i] or b[i]: the sum of bools.
func Or(dst, a, b []bool) { orBytes(bytesOf(dst), bytesOf(a), bytesOf(b)) }

// And is dst[i] = a[i] and b[i]: the product of bools.
func And(dst, a, b []bool) { andBytes(bytesOf(dst), bytesOf(a), bytesOf(b)) }

// Xor is dst[i] = whether a[i] and b[i] differ.
func Xor(dst, a, b []bool) { xorBytes(bytesOf(dst), bytesOf(a), bytesOf(b)) }

// Not is dst[i] = the opposite of a[i].
func Not(dst, a []bool) { flipBytes(bytesOf(dst), bytesOf(a), 1) }

// BitwiseOr is dst[i] = a[i] | b[i].
func BitwiseOr[T dtype.Integer](dst, a, b []T) { orBytes(bytesOf(dst), bytesOf(a), bytesOf(b)) }

// BitwiseAnd is dst[i] = a[i] & b[i].
func BitwiseAnd[T dtype.Integer](dst, a, b []T) { andBytes(bytesOf(dst), bytesOf(a), bytesOf(b)) }

// BitwiseXor is dst[i] = a[i] ^ b[i].
func BitwiseXor[T dtype.Integer](dst, a, b []T) { xorBytes(bytesOf(dst), bytesOf(a), bytesOf(b)) }

// BitwiseLeftShift is dst[i] = a[i] << b[i], and 0 where b[i] is negative.
func BitwiseLeftShift[T dtype.Integer](dst, a, b []T) {
	for i, n := range b {
		dst[i] = a[i] << uint64(n)
	}
}

// BitwiseRightShift is dst[i] = a[i] >> b[i], and nothing but the sign where b[i] is negative.
func BitwiseRightShift[T dtype.Integer](dst, a, b []T) {
	for i, n := range b {
		dst[i] = a[i] >> uint64(n)
	}
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

// byWords runs a loop of words over the first bytes and returns what is left of the operands.
func byWords(l vec.Loop, dst, a, b []byte, scalars ...int64) (d, x, y []byte) {
	done := word * vec.Binary(l, wordsOf(dst), wordsOf(a), wordsOf(b), scalars...)
	return dst[done:], a[done:], b[done:]
}

func orBytes(dst, a, b []byte) {
	dst, a, b = byWords(vec.Or, dst, a[:len(dst)], b[:len(dst)])
	for i := range dst {
		dst[i] = a[i] | b[i]
	}
}

func andBytes(dst, a, b []byte) {
	dst, a, b = byWords(vec.And, dst, a[:len(dst)], b[:len(dst)])
	for i := range dst {
		dst[i] = a[i] & b[i]
	}
}

func xorBytes(dst, a, b []byte) {
	dst, a, b = byWords(vec.Xor, dst, a[:len(dst)], b[:len(dst)])
	for i := range dst {
		dst[i] = a[i] ^ b[i]
	}
}

// flipBytes turns the same bits of every byte over.
func flipBytes(dst, a []byte, bits byte) {
	a = a[:len(dst)]
	for i := word * vec.Unary(vec.Flip, wordsOf(dst), wordsOf(a), int64(uint64(bits)*ones)); i < len(dst); i++ {
		dst[i] = a[i] ^ bits
	}
}
