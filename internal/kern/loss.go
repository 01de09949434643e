package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// SquaredError is dst[i] = (a[i] - b[i])².
func SquaredError[T dtype.Float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := vec.Binary(vec.SquaredError, dst, a, b); i < len(dst); i++ {
		d := a[i] - b[i]
		dst[i] = d * d
	}
}

// SquaredErrorGrad is dst[i] = scale·(a[i] - b[i])·dy[i].
func SquaredErrorGrad[T dtype.Float](dst, dy, a, b []T, scale T) {
	dy, a, b = dy[:len(dst)], a[:len(dst)], b[:len(dst)]
	for i := vec.Ternary(vec.SquaredErrorGrad, dst, dy, a, b, scale); i < len(dst); i++ {
		dst[i] = scale * (a[i] - b[i]) * dy[i]
	}
}

// BCE is dst[i] = (1-t)·x - (1 + (p-1)·t)·log σ(x) for the logit x, target t and weight p of the positive class at i. It
// does not overflow, since -log σ(x) is softplus(-x).
func BCE[T dtype.Float](dst, x, t, p []T) {
	var negated, soft [stretch]T
	done := vec.Ternary(vec.BCE, dst, x, t, p)
	dst, x, t, p = dst[done:], x[done:], t[done:], p[done:]
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		for i, v := range x[:n] {
			negated[i] = -v
		}
		softplus(soft[:n], negated[:n])
		for i := range n {
			weight := 1 + T((p[i]-1)*t[i])
			dst[i] = T((1-t[i])*x[i]) + T(weight*soft[i])
		}
		dst, x, t, p = dst[n:], x[n:], t[n:], p[n:]
	}
}

// BCEGrad is dst[i] = (1 + (p-1)·t)·σ(x) - p·t, the derivative of BCE for x.
func BCEGrad[T dtype.Float](dst, x, t, p []T) {
	var s [stretch]T
	done := vec.Ternary(vec.BCEGrad, dst, x, t, p)
	dst, x, t, p = dst[done:], x[done:], t[done:], p[done:]
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		sigmoid(s[:n], x[:n])
		for i := range n {
			positive := T(p[i] * t[i])
			dst[i] = T((positive+1-t[i])*s[i]) - positive
		}
		dst, x, t, p = dst[n:], x[n:], t[n:], p[n:]
	}
}
