package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// A row of a strip of columns meets a number of each column.

// expStrip is dst[i] = e**(a[i]-largest[i]), where no a is larger.
func expStrip[T dtype.Float](dst, a, largest []T) {
	a, largest = a[:len(dst)], largest[:len(dst)]
	done := vec.Binary(vec.ExpStrip, dst, a, largest)
	for i := done; i < len(dst); i++ {
		dst[i] = a[i] - largest[i]
	}
	expBelow(dst[done:], dst[done:])
}

// shiftStrip is dst[i] = a[i] - first[i] - second[i].
func shiftStrip[T dtype.Float](dst, a, first, second []T) {
	a, first, second = a[:len(dst)], first[:len(dst)], second[:len(dst)]
	for i := vec.Ternary(vec.ShiftStrip, dst, a, first, second); i < len(dst); i++ {
		dst[i] = a[i] - first[i] - second[i]
	}
}

// softmaxGradStrip is dst[i] = y[i] · (dy[i]-sum[i]).
func softmaxGradStrip[T dtype.Float](dst, dy, y, sum []T) {
	dy, y, sum = dy[:len(dst)], y[:len(dst)], sum[:len(dst)]
	for i := vec.Ternary(vec.SoftmaxGradStrip, dst, dy, y, sum); i < len(dst); i++ {
		dst[i] = y[i] * (dy[i] - sum[i])
	}
}

// logSoftmaxGradStrip is dst[i] = dy[i] - e**y[i] · sum[i].
func logSoftmaxGradStrip[T dtype.Float](dst, dy, y, sum []T) {
	dy, y, sum = dy[:len(dst)], y[:len(dst)], sum[:len(dst)]
	var space [stretch]T
	for i := vec.Ternary(vec.LogSoftmaxGradStrip, dst, dy, y, sum); i < len(dst); {
		powers := space[:min(stretch, len(dst)-i)]
		exp(powers, y[i:][:len(powers)])
		for _, power := range powers {
			dst[i] = dy[i] - T(power*sum[i])
			i++
		}
	}
}
