package kern

import "cresset/dtype"

// PowInt is dst[i] = a[i] to the power b[i], which wraps. Negative powers are 0 but for those of 1 and -1.
func PowInt[T dtype.Integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = powInt(a[i], b[i])
	}
}

func powInt[T dtype.Integer](x, n T) T {
	if n < 0 {
		switch {
		case x == 1, x+1 == 0 && n%2 == 0:
			return 1
		case x+1 == 0:
			return x
		default:
			return 0
		}
	}
	p := T(1)
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			p *= x
		}
		x *= x
	}
	return p
}
