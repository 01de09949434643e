package kern

import "cresset/internal/kern/vec"

// Bools compare as bytes: false < true.

// EqBool is dst[i] = a[i] == b[i].
func EqBool(dst, a, b []bool) {
	d, x, y := byWords(vec.Same, bytesOf(dst), bytesOf(a[:len(dst)]), bytesOf(b[:len(dst)]), ones)
	for i := range d {
		d[i] = x[i] ^ y[i] ^ 1
	}
}

// LtBool is dst[i] = a[i] < b[i]; exchanged operands make it Gt.
func LtBool(dst, a, b []bool) {
	d, x, y := byWords(vec.Below, bytesOf(dst), bytesOf(a[:len(dst)]), bytesOf(b[:len(dst)]))
	for i := range d {
		d[i] = y[i] & (x[i] ^ y[i])
	}
}

// LeBool is dst[i] = a[i] ≤ b[i]; exchanged operands make it Ge.
func LeBool(dst, a, b []bool) {
	d, x, y := byWords(vec.AtMost, bytesOf(dst), bytesOf(a[:len(dst)]), bytesOf(b[:len(dst)]), ones)
	for i := range d {
		d[i] = x[i]&(x[i]^y[i]) ^ 1
	}
}

// GtBool is dst[i] = a[i] > b[i].
func GtBool(dst, a, b []bool) { LtBool(dst, b, a) }

// GeBool is dst[i] = a[i] ≥ b[i].
func GeBool(dst, a, b []bool) { LeBool(dst, b, a) }
