package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// ReLU is dst[i] = max(a[i], 0), which keeps NaN.
func ReLU[T dtype.Number](dst, a []T) {
	a = a[:len(dst)]
	for i := vec.Unary(vec.ReLU, dst, a); i < len(dst); i++ {
		v := a[i]
		if v < 0 {
			v = 0
		}
		dst[i] = v
	}
}

// LeakyReLU is dst[i] = a[i] where a[i] > 0, else a[i]·A.
func LeakyReLU[T dtype.Float](dst, a []T, p op.Number) {
	a = a[:len(dst)]
	slope := T(p.A)
	for i := vec.Unary(vec.LeakyReLU, dst, a, slope); i < len(dst); i++ {
		v := a[i]
		if !(v > 0) {
			v *= slope
		}
		dst[i] = v
	}
}

// Softplus is dst[i] = log(1 + e**(A·a[i])) / A, and a[i] itself where A·a[i] is larger than B.
func Softplus[T dtype.Float](dst, a []T, p op.Number) {
	var scaled, result [stretch]T
	beta, threshold := T(p.A), T(p.B)
	done := vec.Unary(vec.SoftplusScaled, dst, a, beta, threshold)
	dst, a = dst[done:], a[done:]
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		for i, v := range a[:n] {
			scaled[i] = v * beta
		}
		softplus(result[:n], scaled[:n])
		for i, v := range a[:n] {
			if !(scaled[i] > threshold) {
				v = result[i] / beta
			}
			dst[i] = v
		}
		dst, a = dst[n:], a[n:]
	}
}

// stretch is how many elements the loops below that need elementary functions take at a time.
const stretch = 128

func softplus[T dtype.Float](dst, src []T) {
	switch src := any(src).(type) {
	case []float32:
		SoftplusF32(any(dst).([]float32), src)
	case []float64:
		SoftplusF64(any(dst).([]float64), src)
	}
}

func sigmoid[T dtype.Float](dst, src []T) {
	switch src := any(src).(type) {
	case []float32:
		SigmoidF32(any(dst).([]float32), src)
	case []float64:
		SigmoidF64(any(dst).([]float64), src)
	}
}

func tanh[T dtype.Float](dst, src []T) {
	switch src := any(src).(type) {
	case []float32:
		TanhF32(any(dst).([]float32), src)
	case []float64:
		TanhF64(any(dst).([]float64), src)
	}
}

func geluSlope[T dtype.Float](dst, src []T) {
	switch src := any(src).(type) {
	case []float32:
		GELUSlopeF32(any(dst).([]float32), src)
	case []float64:
		GELUSlopeF64(any(dst).([]float64), src)
	}
}

// The gradients below compute dst[i] from dy[i] and what the activation saved: its operand x or its result y.

// ReLUGrad is dy[i] where y[i] > 0, else 0.
func ReLUGrad[T dtype.Float](dst, dy, y []T) {
	dy, y = dy[:len(dst)], y[:len(dst)]
	for i := vec.Binary(vec.ReLUGrad, dst, dy, y); i < len(dst); i++ {
		v := dy[i]
		if y[i] <= 0 {
			v = 0
		}
		dst[i] = v
	}
}

// TanhGrad is dy[i]·(1 - y[i]²).
func TanhGrad[T dtype.Float](dst, dy, y []T) {
	dy, y = dy[:len(dst)], y[:len(dst)]
	for i := vec.Binary(vec.TanhGrad, dst, dy, y); i < len(dst); i++ {
		dst[i] = dy[i] * (1 - T(y[i]*y[i]))
	}
}

// SigmoidGrad is dy[i]·(1 - y[i])·y[i].
func SigmoidGrad[T dtype.Float](dst, dy, y []T) {
	dy, y = dy[:len(dst)], y[:len(dst)]
	for i := vec.Binary(vec.SigmoidGrad, dst, dy, y); i < len(dst); i++ {
		dst[i] = dy[i] * (1 - y[i]) * y[i]
	}
}

// LeakyReLUGrad is dy[i] where x[i] > 0, else dy[i]·A.
func LeakyReLUGrad[T dtype.Float](dst, dy, x []T, p op.Number) {
	dy, x = dy[:len(dst)], x[:len(dst)]
	slope := T(p.A)
	for i := vec.Binary(vec.LeakyReLUGrad, dst, dy, x, slope); i < len(dst); i++ {
		v := dy[i]
		if !(x[i] > 0) {
			v *= slope
		}
		dst[i] = v
	}
}

// GELUGrad is dy[i]·(Φ(x[i]) + x[i]·φ(x[i])), the normal distribution and its density.
func GELUGrad[T dtype.Float](dst, dy, x []T) {
	var slope [stretch]T
	done := vec.Binary(vec.GELUGrad, dst, dy, x)
	dst, dy, x = dst[done:], dy[done:], x[done:]
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		geluSlope(slope[:n], x[:n])
		for i, v := range slope[:n] {
			dst[i] = dy[i] * v
		}
		dst, dy, x = dst[n:], dy[n:], x[n:]
	}
}

// GELUTanhGrad is dy[i] times the derivative of x/2·(1 + tanh u) with u = √(2/π)·(x + 0.044715·x³).
func GELUTanhGrad[T dtype.Float](dst, dy, x []T) {
	var u, t [stretch]T
	done := vec.Binary(vec.GELUTanhGrad, dst, dy, x)
	dst, dy, x = dst[done:], dy[done:], x[done:]
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		for i, v := range x[:n] {
			u[i] = T(geluScale) * (v + T(T(geluCubic)*T(v*v*v)))
		}
		tanh(t[:n], u[:n])
		for i, v := range x[:n] {
			du := T(geluScale) * (1 + T(T(3*geluCubic)*T(v*v)))
			left := (1 + t[i]) * 0.5
			right := T(T(0.5*v)*(1-T(t[i]*t[i]))) * du
			dst[i] = dy[i] * (left + T(right))
		}
		dst, dy, x = dst[n:], dy[n:], x[n:]
	}
}

// SiLUGrad is dy[i]·s·(1 + x[i]·(1 - s)) with s = 1/(1 + e**-x[i]).
func SiLUGrad[T dtype.Float](dst, dy, x []T) {
	var s [stretch]T
	done := vec.Binary(vec.SiLUGrad, dst, dy, x)
	dst, dy, x = dst[done:], dy[done:], x[done:]
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		sigmoid(s[:n], x[:n])
		for i, v := range x[:n] {
			dst[i] = dy[i] * s[i] * (1 + T(v*(1-s[i])))
		}
		dst, dy, x = dst[n:], dy[n:], x[n:]
	}
}

// SoftplusGrad is dy[i]/(1 + e**-(A·x[i])), and dy[i] itself where A·x[i] is larger than B.
func SoftplusGrad[T dtype.Float](dst, dy, x []T, p op.Number) {
	var scaled, s [stretch]T
	beta, threshold := T(p.A), T(p.B)
	done := vec.Binary(vec.SoftplusGrad, dst, dy, x, beta, threshold)
	dst, dy, x = dst[done:], dy[done:], x[done:]
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		for i, v := range x[:n] {
			scaled[i] = v * beta
		}
		sigmoid(s[:n], scaled[:n])
		for i, v := range dy[:n] {
			if !(scaled[i] > threshold) {
				v *= s[i]
			}
			dst[i] = v
		}
		dst, dy, x = dst[n:], dy[n:], x[n:]
	}
}

// The constants of GELU's approximation by tanh.
const (
	geluScale = math.Sqrt2 * math.SqrtPi / math.Pi // √(2/π)
	geluCubic = 0.044715
)
