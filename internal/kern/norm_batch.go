package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
)

// ChannelShape describes x[N, C, L], a contiguous batch of N images with C
// channels of L pixels each.
type ChannelShape struct{ N, C, L int }

// eachChannel calls body for every channel, on all threads.
func (s ChannelShape) eachChannel(body func(c int)) {
	par.For(s.C, max(1, rowElems/max(s.N*s.L, 1)), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			body(c)
		}
	})
}

// at returns where channel c of image n begins.
func (s ChannelShape) at(n, c int) int { return (n*s.C + c) * s.L }

// BatchNormMoments computes, for each channel of x, what training needs: its
// mean, invstd = 1/√(variance + eps) of the biased variance, and, for the running
// statistics unless unbiased is nil, the unbiased variance.
func BatchNormMoments[T dtype.Float](s ChannelShape, x []T, eps float64, mean, invstd, unbiased []T) {
	count := float64(s.N * s.L)
	s.eachChannel(func(c int) {
		var sum float64
		for n := range s.N {
			sum += sum64(x[s.at(n, c):][:s.L])
		}
		var d deviations
		shift := T(sum / count)
		for n := range s.N {
			d = d.plus(deviationsFrom(x[s.at(n, c):][:s.L], shift))
		}
		m := d.moments(float64(shift), count)
		mean[c], invstd[c] = T(m.mean), T(1/math.Sqrt(m.variance+eps))
		if unbiased != nil {
			unbiased[c] = T(m.variance * count / (count - 1))
		}
	})
}

// InvStd computes invstd = 1/√(variance + eps).
func InvStd[T dtype.Float](variance []T, eps float64, invstd []T) {
	for i, v := range variance {
		invstd[i] = T(1 / math.Sqrt(float64(v)+eps))
	}
}

// BatchNorm computes y = (x - mean) * invstd * weight + bias for each channel,
// with moments of the batch in training and running ones in evaluation. weight
// and bias have C elements or are nil.
func BatchNorm[T dtype.Float](s ChannelShape, x, mean, invstd, weight, bias, y []T) {
	stream := len(y) >= hugeRows
	s.eachChannel(func(c int) {
		scalars := channelScalars(c, mean[c], invstd[c], weight, bias)
		for n := range s.N {
			normalizeChannel(stream, &scalars, x[s.at(n, c):][:s.L], y[s.at(n, c):][:s.L])
		}
	})
}

// channelScalars are what normalizeChannel takes off the elements of channel c, multiplies them by and adds to them.
func channelScalars[T dtype.Float](c int, mean, invstd T, weight, bias []T) [3]T {
	s := [3]T{mean, invstd}
	if weight != nil {
		s[1] *= weight[c]
	}
	if bias != nil {
		s[2] = bias[c]
	}
	return s
}

// normalizeChannel computes y = (x - mean)·scale + shift, by non-temporal stores if stream.
func normalizeChannel[T dtype.Float](stream bool, scalars *[3]T, x, y []T) {
	n := len(x)
	if stream && vec.StreamRows(nil, vec.NormalizeChannel, n, scalars[:], y, x) || vec.Rows(vec.NormalizeChannel, n, scalars[:], noResults, y, x) {
		return
	}
	mean, scale, shift := scalars[0], scalars[1], scalars[2]
	for i, v := range x {
		y[i] = T((v-mean)*scale) + shift
	}
}

// GroupNorm computes y = (x - mean)·invstd·weight + bias, with mean and invstd = 1/√(variance + eps) of each of so many groups of
// channels of each image, and these. weight and bias have C elements or are nil.
func GroupNorm[T dtype.Float](s ChannelShape, groups int, x, weight, bias []T, eps float64, y, mean, invstd []T) {
	each := s.C / groups
	stream := len(y) >= hugeRows
	forRowBlocks(s.N*groups, each*s.L, func(lo, hi int) {
		var m [rowBlock]rowMoments
		cols := each * s.L
		momentsRows(x[lo*cols:hi*cols], cols, m[:hi-lo])
		for r := lo; r < hi; r++ {
			v := m[r-lo]
			mean[r], invstd[r] = T(v.mean), T(1/math.Sqrt(v.variance+eps))
			for c := range each {
				at := (r*each + c) * s.L
				scalars := channelScalars(r%groups*each+c, mean[r], invstd[r], weight, bias)
				normalizeChannel(stream, &scalars, x[at:][:s.L], y[at:][:s.L])
			}
		}
	})
}

// GroupNormBackward computes the gradients of GroupNorm for x, weight and bias, as LayerNormBackward does where a weight and a bias
// stand for a channel. dweight and dbias may both be nil. sums is room for Σ dy and Σ dy·x̂ of each channel of each image.
func GroupNormBackward[T dtype.Float](s ChannelShape, groups int, dy, x, weight, mean, invstd, dx, dweight, dbias []T, sums []float64) {
	each := s.C / groups
	par.For(s.N*groups, max(1, rowElems/max(each*s.L, 1)), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			first := r % groups * each
			var sum, dot float64
			for c := range each {
				at := (r*each + c) * s.L
				own := layerNormSums(dy[at:][:s.L], x[at:][:s.L], nil, mean[r], invstd[r])
				copy(sums[2*(r*each+c):], own[:])
				w := float64(weightAt(weight, first+c))
				sum += float64(w * own[0])
				dot += float64(w * own[1])
			}
			n := float64(each * s.L)
			scalars := [5]T{0, mean[r], invstd[r], T(sum / n), T(dot / n)}
			for c := range each {
				scalars[0] = weightAt(weight, first+c)
				at := (r*each + c) * s.L
				groupNormBackwardChannel(&scalars, dy[at:][:s.L], x[at:][:s.L], dx[at:][:s.L])
			}
		}
	})
	for c := range dweight {
		var sum, dot float64
		for n := range s.N {
			sum += sums[2*(n*s.C+c)]
			dot += sums[2*(n*s.C+c)+1]
		}
		dbias[c], dweight[c] = T(sum), T(dot)
	}
}

// groupNormBackwardChannel is dx of a channel, by its weight, the mean and 1/√(variance + eps) of its group, and the means that are taken off.
func groupNormBackwardChannel[T dtype.Float](scalars *[5]T, dy, x, dx []T) {
	if vec.Rows(vec.GroupNormGrad, len(x), scalars[:], noResults, dx, dy, x) {
		return
	}
	weight, mean, rstd := scalars[0], scalars[1], scalars[2]
	for i, v := range x {
		dx[i] = rstd * (T(dy[i]*weight) - scalars[3] - T(T((v-mean)*rstd)*scalars[4]))
	}
}

// weightAt returns the weight of channel c, 1 where there are none.
func weightAt[T dtype.Float](weight []T, c int) T {
	if weight == nil {
		return 1
	}
	return weight[c]
}

// BatchNormBackward computes the gradients of BatchNorm for x, weight and bias.
// With x̂ = (x - mean) * invstd they are
//
//	dx = invstd * weight * (dy - mean(dy) - x̂*mean(dy*x̂))
//	dweight = Σ dy*x̂
//	dbias = Σ dy
//
// over each channel. In evaluation, where the moments are constants, dx is
// invstd * weight * dy. A nil gradient is not computed.
func BatchNormBackward[T dtype.Float](s ChannelShape, training bool, dy, x, weight, mean, invstd, dx, dweight, dbias []T) {
	count := float64(s.N * s.L)
	s.eachChannel(func(c int) {
		m, r := float64(mean[c]), float64(invstd[c])
		if count == 0 {
			r = 0 // the moments of nothing are NaN, but the gradient, a sum over nothing, is 0
		}
		var sum, dot float64
		for n := range s.N {
			grad := dy[s.at(n, c):][:s.L]
			sum += sum64(grad)
			dot += centered64(grad, x[s.at(n, c):][:s.L], m)
		}
		if dweight != nil {
			dweight[c] = T(dot * r)
		}
		if dbias != nil {
			dbias[c] = T(sum)
		}
		if dx == nil {
			return
		}
		scale := r
		if weight != nil {
			scale *= float64(weight[c])
		}
		shift, slope := sum/count, dot*r*r/count
		if !training {
			shift, slope = 0, 0
		}
		for n := range s.N {
			at := s.at(n, c)
			from, to := x[at:][:s.L], dx[at:][:s.L]
			for i, g := range dy[at:][:s.L] {
				to[i] = T(scale * (float64(g) - shift - float64((float64(from[i])-m)*slope)))
			}
		}
	})
}

// centered64 returns Σ y*(x-mean), in float64 and four accumulators.
func centered64[T dtype.Float](y, x []T, mean float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		v, w := (*[4]T)(x), (*[4]T)(y)
		s0 += float64(float64(w[0]) * (float64(v[0]) - mean))
		s1 += float64(float64(w[1]) * (float64(v[1]) - mean))
		s2 += float64(float64(w[2]) * (float64(v[2]) - mean))
		s3 += float64(float64(w[3]) * (float64(v[3]) - mean))
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += float64(float64(y[i]) * (float64(v) - mean))
	}
	return (s0 + s1) + (s2 + s3)
}
