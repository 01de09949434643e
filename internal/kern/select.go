package kern

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// Maximum is dst[i] = the larger of a[i] and b[i]; NaN where either is.
func Maximum[T dtype.Number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		v := a[i]
		if w := b[i]; v < w || w != w {
			v = w
		}
		dst[i] = v
	}
}

// Minimum is dst[i] = the smaller of a[i] and b[i]; NaN where either is.
func Minimum[T dtype.Number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		v := a[i]
		if w := b[i]; w < v || w != w {
			v = w
		}
		dst[i] = v
	}
}

// ClampInt is dst[i] = min(max(a[i], low), high); a bound that is absent does not limit.
func ClampInt[T dtype.Integer](dst, a []T, p op.Bounds) {
	clamp(dst, a, T(p.IntLow), T(p.IntHigh), p)
}

// Clamp is dst[i] = min(max(a[i], low), high), which keeps NaN; a bound that is absent does not limit.
func Clamp[T dtype.Float](dst, a []T, p op.Bounds) { clamp(dst, a, T(p.Low), T(p.High), p) }

func clamp[T dtype.Number](dst, a []T, low, high T, p op.Bounds) {
	a = a[:len(dst)]
	for i, v := range a {
		if p.HasLow && v < low {
			v = low
		}
		if p.HasHigh && v > high {
			v = high
		}
		dst[i] = v
	}
}

// Where is dst[i] = a[i] where cond[i], else b[i].
func Where[T dtype.Element](dst []T, cond []bool, a, b []T) {
	cond, a, b = cond[:len(dst)], a[:len(dst)], b[:len(dst)]
	for i := range dst {
		v := b[i]
		if cond[i] {
			v = a[i]
		}
		dst[i] = v
	}
}
