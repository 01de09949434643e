package kern

import "cresset/dtype"

// Or is dst[i] = a[i] or b[i]: the sum of bools.
func Or(dst, a, b []bool) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] || b[i]
	}
}

// And is dst[i] = a[i] and b[i]: the product of bools.
func And(dst, a, b []bool) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] && b[i]
	}
}

// Xor is dst[i] = whether a[i] and b[i] differ.
func Xor(dst, a, b []bool) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] != b[i]
	}
}

// Not is dst[i] = the opposite of a[i].
func Not(dst, a []bool) {
	a = a[:len(dst)]
	for i, v := range a {
		dst[i] = !v
	}
}

// BitwiseOr is dst[i] = a[i] | b[i].
func BitwiseOr[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] | b[i]
	}
}

// BitwiseAnd is dst[i] = a[i] & b[i].
func BitwiseAnd[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] & b[i]
	}
}

// BitwiseXor is dst[i] = a[i] ^ b[i].
func BitwiseXor[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] ^ b[i]
	}
}

// BitwiseNot is dst[i] = ^a[i].
func BitwiseNot[T dtype.Integer](dst, a []T) {
	a = a[:len(dst)]
	for i, v := range a {
		dst[i] = ^v
	}
}
