package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
	"cresset/internal/par"
)

// Depthwise convolutions by windows of 3x3 read planes where they lie, where there is assembly for that: most of the time of those of
// conv_sliding.go is that of copies. depthwise3x3/32x512x14x14 takes a sixth of the time so, depthwise3x3_stride2/32x128x28x28 a seventh, and both a
// quarter under AVX2.

const (
	// depthwiseElems bounds the elements of the planes that one call reads and writes, unless a plane has more.
	depthwiseElems = 1 << 14
	// depthwiseSum bounds the products that a lane adds up before they are added in float64.
	depthwiseSum = 1 << 10
)

// window3x3 is what package vec takes for the convolution's planes.
func (s *ConvShape) window3x3() *vec.Window3x3 {
	return &vec.Window3x3{H: s.H, W: s.W, OH: s.OH, OW: s.OW, PadH: s.PadH, PadW: s.PadW, Stride: s.StrideW}
}

// depthwise reports whether convDepthwise and gradWeightDepthwise compute the convolution.
func (s *ConvShape) depthwise() bool {
	return s.C == s.Groups && s.R == 3 && s.S == 3 && s.DilationH == 1 && s.DilationW == 1 && s.StrideH == s.StrideW && s.N*s.K > 0 &&
		s.window3x3().HasDepthwise()
}

// spreads reports whether gradInputDepthwise computes the gradient for the input.
func (s *ConvShape) spreads() bool { return s.StrideW == 2 && s.K == s.C && s.depthwise() }

// convDepthwise computes the convolution.
func convDepthwise[E depthwiseElement, T dtype.Float](s *ConvShape, x []E, w, bias []T, then op.Op, y []E) error {
	d := vec.NewDepthwise[T](s.window3x3())
	return eachPlane(d, s.N, s.C, s.K, vec.Plane{H: s.H, W: s.W}, vec.Plane{H: s.OH, W: s.OW}, x, w, bias, then, y)
}

// gradInputDepthwise computes the gradient for the input where windows are two columns apart, plus bias.
func gradInputDepthwise[E depthwiseElement, T dtype.Float](s *ConvShape, dy []E, w, bias []T, dx []E) error {
	d := vec.NewSpread[T](s.window3x3())
	return eachPlane(d, s.N, s.C, s.C, vec.Plane{H: s.OH, W: s.OW}, vec.Plane{H: s.H, W: s.W}, dy, w, bias, op.Invalid, dx)
}

// eachPlane computes planes of y for outputs, as many for each of the channels of x. A piece of work is some channels or some lines of one. Planes of bfloat16 are widened to
// working memory, which a cache holds: depthwise3x3_bf16/32x512x14x14 takes a quarter of the time of whole tensors in float32.
func eachPlane[E depthwiseElement, T dtype.Float](d *vec.Depthwise[T], images, channels, outputs int, from, to vec.Plane, x []E, w, bias []T, then op.Op, y []E) error {
	planeX, planeY, each := from.H*from.W, to.H*to.W, outputs/channels
	some := max(1, depthwiseElems/(planeX+planeY))
	if each > 1 {
		some = 1
	}
	some = ceilDiv(channels, ceilDiv(channels, some))
	lines := max(1, depthwiseElems/to.W)
	lines = ceilDiv(to.H, ceilDiv(to.H, lines))
	var planes depthwisePlanes[E, T]
	if planes.wide() {
		lines = to.H
	}
	parts, bands := ceilDiv(channels, some), ceilDiv(to.H, lines)
	sizeX, sizeY := planes.size(some*planeX), planes.size(some*each*planeY)
	return ForWithWorkspace(images*parts*bands, grainOf(4*18*some*each*lines*to.W), sizeX+sizeY, func(lo, hi int, space []T) {
		for i := lo; i < hi; i++ {
			image, c, line := i/bands/parts, i/bands%parts*some, i%bands*lines
			count, k := min(some, channels-c), c*each
			high := min(lines, to.H-line)
			planesY := y[(image*outputs+k)*planeY:][:count*each*planeY]
			out := planes.of(planesY, space[sizeX:])
			var biases []T
			if bias != nil {
				biases = bias[k:]
			}
			d.Run(out, planes.read(x[(image*channels+c)*planeX:][:count*planeX], space), w[9*k:], biases, count*each, each > 1, line, high)
			epilogue(then, out[line*to.W:], count*each, high*to.W, planeY)
			planes.write(planesY, out)
		}
	})
}

// gradWeightDepthwise computes the gradient for the weights. Images are added in order.
func gradWeightDepthwise[E depthwiseElement, T dtype.Float](s *ConvShape, x, dy []E, dw []T) error {
	d := vec.NewDepthwise[T](s.window3x3())
	each, planeX, planeY, perOutput := s.K/s.C, s.H*s.W, s.OH*s.OW, vec.DepthSums[T]()
	vectors := ceilDiv(s.OW, vec.Lanes[T]())
	lines := min(s.OH, max(1, depthwiseSum/vectors))
	// How the channels are divided changes no bits, so it may depend on the number of threads.
	some := max(1, min(depthwiseElems/(planeX+planeY), ceilDiv(s.C, 2*par.NumThreads())))
	if each > 1 {
		some = 1
	}
	parts := ceilDiv(s.C, some)
	var planes depthwisePlanes[E, T]
	all, sizeX := some*each*perOutput, planes.size(some*planeX)
	return ForWithWorkspaces(parts, grainOf(4*18*s.N*some*each*planeY), all+sizeX+planes.size(some*each*planeY), func(lo, hi int, space []T, totals []float64) {
		for i := lo; i < hi; i++ {
			c := i * some
			count := min(some, s.C-c)
			outputs, k := count*each, c*each
			sums, totals := space[:outputs*perOutput], totals[:outputs*9]
			clear(sums)
			clear(totals)
			added := 0
			for n := range s.N {
				from := planes.read(x[(n*s.C+c)*planeX:][:count*planeX], space[all:])
				grads := planes.read(dy[(n*s.K+k)*planeY:][:outputs*planeY], space[all+sizeX:])
				for line := 0; line < s.OH; line += lines {
					high := min(lines, s.OH-line)
					d.AddSums(sums, grads, from, outputs, each > 1, line, high)
					if added += high * vectors; added >= depthwiseSum {
						flushSums(totals, sums)
						added = 0
					}
				}
			}
			flushSums(totals, sums)
			for j, v := range totals {
				if dw[9*k+j] = T(v); v != v {
					// Zeros in place of what is beyond the border may have been multiplied by infinities.
					dw[9*k+j] = 0
					for n := range s.N {
						out := k + j/9
						from := planes.read(x[(n*s.C+out/each)*planeX:][:planeX], space[all:])
						dw[9*k+j] = addWeight(s, dw[9*k+j], from, planes.read(dy[(n*s.K+out)*planeY:][:planeY], space[all+sizeX:]), j%9)
					}
				}
			}
		}
	})
}

// flushSums adds the sums to totals, as many to each, and clears them.
func flushSums[T dtype.Float](totals []float64, sums []T) {
	lanes := len(sums) / len(totals)
	for i := range totals {
		var sum float64
		for _, v := range sums[i*lanes:][:lanes] {
			sum += float64(v)
		}
		totals[i] += sum
	}
	clear(sums)
}
