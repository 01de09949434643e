package kern

import "cresset/dtype"

const (
	gemvRows  = 4   // rows whose sums run side by side, to hide the latency of an addition
	gemvChunk = 256 // sums that stay in the first cache level while columns pass
	gemvRuns  = 64  // runs of a strided vector that are packed together
)

// gemv adds A·x to y, where A is [m, k] with contiguous rows or columns, and x
// and y have strides.
func gemv[T dtype.Float](split splitter, m, k int, a Matrix[T], x []T, strideX int, y []T, strideY int) {
	length := runLength(k)
	if strideX == 1 {
		gemvPart(split, m, length, a, x[:k], y, strideY)
		return
	}
	packed := borrow[T](min(k, gemvRuns*length))
	defer packed.giveBack()
	for i := 0; i < k; i += len(packed.data) {
		part := packed.data[:min(len(packed.data), k-i)]
		for j := range part {
			part[j] = x[(i+j)*strideX]
		}
		gemvPart(split, m, length, Matrix[T]{a.Data[i*a.Col:], a.Row, a.Col}, part, y, strideY)
	}
}

// gemvPart adds A·x to y in runs of one length.
func gemvPart[T dtype.Float](split splitter, m, length int, a Matrix[T], x, y []T, strideY int) {
	k := len(x)
	add := gemvRowsOf[T]
	if a.Col != 1 {
		add = gemvColumnsOf[T]
	}
	split(m, max(gemvRows, grainOf(2*k)), func(lo, hi int) {
		for i := 0; i < k; i += length {
			run := x[i:min(i+length, k)]
			add(lo, hi, Matrix[T]{a.Data[i*a.Col:], a.Row, a.Col}, run, y, strideY)
		}
	})
}

// gemvRowsOf adds rows lo to hi of A·x to y by dot products, A's rows being
// contiguous.
func gemvRowsOf[T dtype.Float](lo, hi int, a Matrix[T], x, y []T, stride int) {
	i := lo
	for ; i+gemvRows <= hi; i += gemvRows {
		a0 := a.Data[i*a.Row:][:len(x)]
		a1 := a.Data[(i+1)*a.Row:][:len(x)]
		a2 := a.Data[(i+2)*a.Row:][:len(x)]
		a3 := a.Data[(i+3)*a.Row:][:len(x)]
		var s0, s1, s2, s3 T
		for j, v := range x {
			s0 += T(a0[j] * v)
			s1 += T(a1[j] * v)
			s2 += T(a2[j] * v)
			s3 += T(a3[j] * v)
		}
		y[i*stride] += s0
		y[(i+1)*stride] += s1
		y[(i+2)*stride] += s2
		y[(i+3)*stride] += s3
	}
	for ; i < hi; i++ {
		var sum T
		for j, v := range a.Data[i*a.Row:][:len(x)] {
			sum += T(v * x[j])
		}
		y[i*stride] += sum
	}
}

// gemvColumnsOf adds rows lo to hi of A·x to y, column after column, A's columns
// being contiguous.
func gemvColumnsOf[T dtype.Float](lo, hi int, a Matrix[T], x, y []T, stride int) {
	var sums [gemvChunk]T
	for ; lo < hi; lo += gemvChunk {
		s := sums[:min(gemvChunk, hi-lo)]
		clear(s)
		j := 0
		for ; j+4 <= len(x); j += 4 {
			c0 := a.Data[lo+j*a.Col:][:len(s)]
			c1 := a.Data[lo+(j+1)*a.Col:][:len(s)]
			c2 := a.Data[lo+(j+2)*a.Col:][:len(s)]
			c3 := a.Data[lo+(j+3)*a.Col:][:len(s)]
			x0, x1, x2, x3 := x[j], x[j+1], x[j+2], x[j+3]
			for i, v := range s {
				s[i] = v + T(c0[i]*x0) + T(c1[i]*x1) + T(c2[i]*x2) + T(c3[i]*x3)
			}
		}
		for ; j < len(x); j++ {
			for i, v := range a.Data[lo+j*a.Col:][:len(s)] {
				s[i] += T(v * x[j])
			}
		}
		for i, v := range s {
			y[(lo+i)*stride] += v
		}
	}
}
